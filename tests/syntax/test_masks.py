"""From matrices of words to masks of tokens, and batches of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from bnaparser.errors import DataError
from bnaparser.syntax.batch import SyntaxBatch, collate
from bnaparser.syntax.masks import (
    PADDING,
    SPECIAL,
    TokenText,
    blocks,
    expand_first_pieces,
    expand_mask,
    expand_subnetworks,
    first_pieces,
    open_mask,
)
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBertSettings
from bnaparser.trees.tree import Tree

Tokens = Callable[..., Any]


def rows(mask: np.ndarray) -> list[str]:
    return ["".join(str(int(cell)) for cell in row) for row in mask]


def test_pieces_share_a_mask_and_special_tokens_are_open() -> None:
    tokens = np.array([SPECIAL, 0, 1, 1, SPECIAL])
    mask = expand_mask(np.eye(2, dtype=bool), tokens)
    assert rows(mask) == ["11111", "11001", "10111", "10111", "11111"]


def test_nobody_sees_padding() -> None:
    tokens = np.array([SPECIAL, 0, SPECIAL, PADDING, PADDING])
    for mask in (expand_mask(np.eye(1, dtype=bool), tokens), open_mask(tokens)):
        assert rows(mask)[:3] == ["11100"] * 3
        assert not mask[:, 3:].any()


def test_sentences_of_a_pair_see_each_other() -> None:
    one = np.ones((1, 1), bool)
    assert rows(blocks([one, one], True)) == ["11", "11"]
    assert rows(blocks([np.eye(2, dtype=bool), one], True)) == ["101", "011", "111"]
    assert rows(blocks([np.full((2, 2), 7, np.uint8), one.astype(np.uint8)], 0)) == [
        "770",
        "770",
        "001",
    ]


def test_a_word_is_seen_at_its_first_piece() -> None:
    ancestors = np.array(
        [
            [int(cell) for cell in row]
            for row in ["111000", "011000", "001000", "001100", "001111", "001101"]
        ]
    ).astype(bool)
    mask = expand_first_pieces(ancestors, np.array([0, 1, 2, 2, 3, 4, 5]))
    assert rows(mask)[3] == "0011000"
    assert rows(mask.T)[3] == "0001000"
    bordered = expand_first_pieces(ancestors, np.array([SPECIAL, 0, 1, 2, 2, 3, 4, 5, PADDING]))
    assert rows(bordered)[0] == "111111110"
    assert rows(bordered)[4] == "100110000"


def test_sub_networks_are_of_words_alone() -> None:
    tokens = np.array([SPECIAL, 0, 1, 1, PADDING])
    subnetworks = expand_subnetworks(np.array([[0, 5], [6, 0]], np.uint8), tokens)
    assert subnetworks.tolist() == [
        [0, 0, 0, 0, 0],
        [0, 0, 5, 5, 0],
        [0, 6, 0, 0, 0],
        [0, 6, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]


def test_first_pieces_of_words_that_are_there() -> None:
    assert first_pieces(np.array([SPECIAL, 0, 0, 2, PADDING]), 4).tolist() == [1, -1, 3, -1]


def test_a_pair_counts_its_words_on(
    tokens_of: Tokens, the_cat: SyntaxTrees, it_rained: SyntaxTrees
) -> None:
    seen = []

    class Spy(SlaSettings):
        def masks(self, text: TokenText) -> Any:
            seen.append(text)
            return super().masks(text)

    tokens = tokens_of("bert", [(the_cat, it_rained)])
    batch = collate([(the_cat, it_rained)], tokens, Spy(threshold=0))
    words = seen[0].token_words
    assert words.max() == 7 and (words == SPECIAL).sum() == 3
    assert batch.mask is not None
    mask = batch.mask[0].numpy()
    first, last = np.flatnonzero(words == 0)[0], np.flatnonzero(words == 5)[0]
    second = np.flatnonzero(words == 7)[0]
    assert mask[first, second] and mask[second, first] and not mask[first, last]


def test_word_numbers_may_be_given(the_cat: SyntaxTrees) -> None:
    tokens = {
        "input_ids": torch.zeros(2, 4, dtype=torch.long),
        "attention_mask": torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]]),
    }
    numbers = [[None, 0, 1, None], [None, 5, None, None]]
    batch = collate([the_cat, the_cat], tokens, SlaSettings(), numbers)
    assert batch.mask is not None and not batch.mask[1, :, 3].any()
    with pytest.raises(DataError, match="give word_ids"):
        collate([the_cat, the_cat], tokens, SlaSettings())
    with pytest.raises(DataError, match="2 rows of 4 tokens"):
        collate([the_cat, the_cat], tokens, SlaSettings(), [[0], [0]])


def test_what_does_not_fit_is_told(
    tokens_of: Tokens, the_cat: SyntaxTrees, it_rained: SyntaxTrees
) -> None:
    tokens = tokens_of("bert", [it_rained, the_cat])
    with pytest.raises(DataError, match="text 2: a token belongs to word 6"):
        collate([it_rained, it_rained], tokens, SlaSettings())
    with pytest.raises(DataError, match="1 structures do not fit 2 texts"):
        collate([it_rained], tokens, SlaSettings())
    with pytest.raises(DataError, match="its tokens are of a pair"):
        collate([it_rained], tokens_of("bert", [(it_rained, the_cat)]), SlaSettings())
    with pytest.raises(DataError, match="padding=True"):
        collate([it_rained, the_cat], {"input_ids": [[1], [1, 2]]}, SlaSettings())
    bare = SyntaxTrees(it_rained.words, it_rained.heads)
    with pytest.raises(DataError, match=r'text 1: .*set trees = \["dependency"\]'):
        collate([bare, the_cat], tokens, SyntaxBertSettings())
    headless = SyntaxTrees(it_rained.words, None, it_rained.trees)
    with pytest.raises(DataError, match="text 1: there are constituency trees but no dependencies"):
        collate([headless, the_cat], tokens, SlaSettings())


def test_a_text_without_words_is_all_special(tokens_of: Tokens) -> None:
    empty = SyntaxTrees((), (), ())
    tokens = tokens_of("bert", [empty])
    for settings in (SlaSettings(), SyntaxBertSettings()):
        batch = collate([empty], tokens, settings)
        assert batch.all_parsed
        assert batch.mask is None or batch.mask.all()
        assert batch.subnetworks is None or not batch.subnetworks.any()


def test_a_batch_moves_between_devices(tokens_of: Tokens, the_cat: SyntaxTrees) -> None:
    batch = collate([the_cat], tokens_of("bert", [the_cat]), SlaSettings())
    assert batch.to("cpu") is batch
    moved = batch.to("meta")
    assert isinstance(moved, SyntaxBatch) and moved.mask is not None
    assert moved.mask.device.type == "meta" and moved.settings == batch.settings


class OnAnotherDevice(torch.Tensor):
    """Numbers that numpy cannot have before they are on the CPU."""

    def cpu(self, *_: Any) -> torch.Tensor:
        return self.as_subclass(torch.Tensor)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


def test_tokens_may_be_on_another_device(it_rained: SyntaxTrees) -> None:
    ids, seen = torch.tensor([[5, 6, 0]]), torch.tensor([[1, 1, 0]])
    here = {"input_ids": ids, "attention_mask": seen}
    there = {name: tensor.as_subclass(OnAnotherDevice) for name, tensor in here.items()}
    found, wanted = (
        collate([it_rained], tokens, SlaSettings(), [[0, 1, None]]).mask for tokens in (there, here)
    )
    assert found is not None and wanted is not None
    assert torch.equal(found, wanted) and not found[:, :, 2].any()


def test_words_cut_off_with_the_text_are_no_error(the_cat: SyntaxTrees) -> None:
    tokens = {"input_ids": torch.zeros(1, 3, dtype=torch.long)}
    batch = collate([the_cat], tokens, SlaSettings(), [[None, 0, 1]])
    assert batch.mask is not None and batch.mask.shape == (1, 3, 3)


def test_constituents_alone_are_syntax_enough_for_constituents(it_rained: SyntaxTrees) -> None:
    headless = SyntaxTrees(
        it_rained.words, None, (Tree.parse("(S (NP (PRP It)) (VP (VBD rained)))"),)
    )
    tokens = {"input_ids": torch.zeros(1, 2, dtype=torch.long)}
    settings = SyntaxBertSettings(trees=("constituency",))
    batch = collate([headless], tokens, settings, [[0, 1]])
    assert batch.all_parsed and batch.subnetworks is not None
    assert batch.subnetworks[0, 0, 0, 1] == 2 * 15 + 4  # siblings, NP and VP up and down
