"""WLA: windows of tokens or of words."""

from __future__ import annotations

import numpy as np

from bnaparser.syntax.masks import PADDING, SPECIAL, TokenText
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.wla import WlaSettings


def mask(settings: WlaSettings, tokens: list[int], *sizes: int) -> list[str]:
    structures = tuple(SyntaxTrees(("w",) * size, None) for size in sizes)
    found = settings.masks(TokenText(structures, np.array(tokens))).mask
    assert found is not None
    return ["".join(str(int(cell)) for cell in row) for row in found]


def test_ordinary_tokens_see_a_band() -> None:
    found = mask(WlaSettings(window=1), [0, 1, 2, 3, 4], 5)
    assert found == ["11000", "11100", "01110", "00111", "00011"]


def test_special_tokens_are_open_and_padding_is_closed() -> None:
    found = mask(WlaSettings(window=0), [SPECIAL, 0, 1, SPECIAL, PADDING], 2)
    assert found[:4] == ["11110", "11010", "10110", "11110"]


def test_the_unit_may_be_words() -> None:
    tokens = [0, 0, 1, 2, 2]
    assert mask(WlaSettings(window=1), tokens, 3)[0] == "11000"
    assert mask(WlaSettings(window=1, unit="word"), tokens, 3) == [
        "11100",
        "11100",
        "11111",
        "00111",
        "00111",
    ]


def test_the_other_sentence_of_a_pair_is_seen_whole() -> None:
    tokens = [SPECIAL, 0, 1, 2, SPECIAL, 3, 4, SPECIAL]
    for unit in ("token", "word"):
        found = mask(WlaSettings(window=0, unit=unit), tokens, 3, 2)
        assert found[1] == "11001111", unit
        assert found[5] == "11111101", unit


def test_a_text_needs_no_trees() -> None:
    text = TokenText((SyntaxTrees(("w",), None),), np.array([0]))
    assert WlaSettings().masks(text).parsed
