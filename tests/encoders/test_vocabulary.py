"""Pruned vocabularies: what is kept has the same vectors, what is not is read in smaller subwords."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from bnaparser.cli import main
from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.encoders.loading import load_pretrained, load_tokenizer
from bnaparser.encoders.pretrained import PretrainedEncoder
from bnaparser.encoders.subwords import Subwords
from bnaparser.encoders.vocabulary import count_subwords, prune_vocabulary
from bnaparser.errors import ModelError
from bnaparser.parsing.parser import Parser
from bnaparser.training.data import Example
from bnaparser.treebanks.reading import load_trees


def lines(examples: list[Example]) -> list[str]:
    return [" ".join(example.words) for example in examples]


def test_subwords_are_counted_over_all_lines(encoder_folder: Callable[[str], Path]) -> None:
    tokenizer = load_tokenizer(encoder_folder("bert"))
    counts = count_subwords(tokenizer, ["the cat the"] * 1500 + ["unaffable"])
    names = {tokenizer.convert_ids_to_tokens(number): count for number, count in counts.items()}
    assert names == {"the": 3000, "cat": 1500, "un": 1, "##aff": 1, "##able": 1}


@torch.no_grad()
@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_kept_subwords_have_the_vectors_that_they_had(
    encoder_folder: Callable[[str], Path], examples: list[Example], tmp_path: Path, kind: str
) -> None:
    tokenizer, model = load_tokenizer(encoder_folder(kind)), load_pretrained(encoder_folder(kind))
    counts = count_subwords(tokenizer, lines(examples[:20]))
    sentences = [list(example.words) for example in examples[:20]]
    before = PretrainedEncoder(load_pretrained(encoder_folder(kind)), EncoderSettings()).eval()
    windows = [window for (window,) in Subwords(tokenizer, 512, 510).windows(sentences)]
    share = prune_vocabulary(model, tokenizer, counts, len(tokenizer) - 40, tmp_path)
    assert share == 1.0

    pruned = PretrainedEncoder(load_pretrained(tmp_path), EncoderSettings()).eval()
    reader = load_tokenizer(tmp_path)
    assert len(reader) == pruned.model.get_input_embeddings().num_embeddings
    assert len(reader) <= len(tokenizer) - 40
    assert reader.all_special_tokens == tokenizer.all_special_tokens
    renumbered = [window for (window,) in Subwords(reader, 512, 510).windows(sentences)]
    assert any(a.ids.tolist() != b.ids.tolist() for a, b in zip(windows, renumbered, strict=True))
    torch.testing.assert_close(
        pruned(renumbered)[:, :4], before(windows)[:, :4], atol=1e-5, rtol=1e-5
    )


@torch.no_grad()
def test_tokens_that_were_added_stay(encoder_folder: Callable[[str], Path], tmp_path: Path) -> None:
    tokenizer, model = (
        load_tokenizer(encoder_folder("bert")),
        load_pretrained(encoder_folder("bert")),
    )
    tokenizer.add_tokens(["<who>"])
    model.resize_token_embeddings(len(tokenizer))
    vector = model.get_input_embeddings().weight[tokenizer.convert_tokens_to_ids("<who>")].clone()
    counts = count_subwords(tokenizer, ["the cat"])
    prune_vocabulary(model, tokenizer, counts, len(tokenizer) - 40, tmp_path)
    reader, pruned = load_tokenizer(tmp_path), load_pretrained(tmp_path)
    (number,) = reader.encode("<who>", add_special_tokens=False)
    assert torch.equal(pruned.get_input_embeddings().weight[number], vector)


def test_a_word_that_is_not_kept_is_read_in_smaller_subwords(
    encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    tokenizer, model = (
        load_tokenizer(encoder_folder("bert")),
        load_pretrained(encoder_folder("bert")),
    )
    names = tokenizer.convert_tokens_to_ids(["cat", "dog", "un"])
    counts = Counter({names[0]: 6, names[1]: 3, names[2]: 1})
    singles = len(
        [subword for subword in tokenizer.get_vocab() if len(subword.removeprefix("##")) == 1]
    )
    specials = 5
    share = prune_vocabulary(model, tokenizer, counts, singles + specials + 1, tmp_path)
    assert share == 0.6
    reader = load_tokenizer(tmp_path)
    assert reader.tokenize("cat dog é") == ["cat", "d", "##o", "##g", "e"]
    assert reader.unk_token_id in range(len(reader))


def test_other_kinds_of_vocabulary_are_refused(
    encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = encoder_folder("roberta")
    with pytest.raises(ModelError, match="cannot prune a BPE vocabulary"):
        prune_vocabulary(load_pretrained(folder), load_tokenizer(folder), Counter(), 10, tmp_path)


def vocabulary_size(parser: Parser) -> int:
    network: Any = parser.model
    return len(network.subwords.tokenizer)


def test_a_parser_is_pruned_as_a_whole(
    tiny_model_dir: Path, treebank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    size = vocabulary_size(Parser.load(tiny_model_dir)) - 3
    command = ["prune", str(tiny_model_dir), str(tmp_path / "small"), "--text", str(treebank)]
    assert main([*command, "--size", str(size)]) == 0
    assert (
        capsys.readouterr().out == "100.00% of the subwords of the text are in the new vocabulary\n"
    )
    whole, small = Parser.load(tiny_model_dir), Parser.load(tmp_path / "small")
    assert vocabulary_size(small) < vocabulary_size(whole)
    words = [tree.words for tree in load_trees(treebank)]
    trees = [str(parse.tree) for parse in small.parse_many(words)]
    assert trees == [str(parse.tree) for parse in whole.parse_many(words)]


@torch.no_grad()
def test_a_unigram_vocabulary_keeps_its_characters(
    encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = encoder_folder("deberta-v2")
    tokenizer, model = load_tokenizer(folder), load_pretrained(folder)
    whole = model.get_input_embeddings().weight.clone()
    counts = count_subwords(tokenizer, ["cat", "cat", "dog"])
    assert prune_vocabulary(model, tokenizer, counts, 115, tmp_path) == 1.0
    reader, pruned = load_tokenizer(tmp_path), load_pretrained(tmp_path)
    kept = reader.get_vocab()
    assert {"▁cat", "▁dog", "▁", "a", "é", "7", "."} <= set(kept)
    others = {name for name in tokenizer.get_vocab() if len(name) > 2 and name.startswith("▁")}
    (gone, *_) = sorted(others - {"▁cat", "▁dog"})
    assert gone not in kept
    assert reader.tokenize(f"cat {gone[1:]}") == ["▁cat", *gone]
    assert reader.unk_token_id == kept["[UNK]"]
    vectors = pruned.get_input_embeddings().weight
    for subword in ("▁cat", "▁", "[MASK]", "z"):
        assert torch.equal(vectors[kept[subword]], whole[tokenizer.get_vocab()[subword]])


@torch.no_grad()
def test_positions_are_counted_as_before(
    encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """They count from the number of the padding on, which a subword less before it would change."""
    vocabulary = ["[unused0]", "<s>", "<pad>", "</s>", "[UNK]", "<mask>", *"abc", "cat", "dog"]
    tokenizer = transformers.MPNetTokenizer({name: n for n, name in enumerate(vocabulary)})
    config = transformers.MPNetConfig.from_pretrained(
        encoder_folder("mpnet"), vocab_size=len(vocabulary), pad_token_id=2
    )
    model = transformers.MPNetModel(config)
    model.save_pretrained(tmp_path / "whole")
    prune_vocabulary(model, tokenizer, Counter({9: 1}), 10, tmp_path / "small")
    vectors = []
    for folder, reader in (("whole", tokenizer), ("small", load_tokenizer(tmp_path / "small"))):
        encoder = PretrainedEncoder(load_pretrained(tmp_path / folder), EncoderSettings()).eval()
        vectors.append(encoder(Subwords(reader, 512, 510).windows([["cat", "a"]])[0]))
    torch.testing.assert_close(*vectors)


def test_a_tokenizer_without_a_list_of_subwords_is_refused(
    tmp_path: Path, treebank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    transformers.CanineConfig().save_pretrained(tmp_path / "canine")
    transformers.CanineTokenizer().save_pretrained(tmp_path / "canine")
    command = ["prune", str(tmp_path / "canine"), str(tmp_path / "small"), "--size", "9"]
    assert main([*command, "--text", str(treebank)]) == 2
    assert "cannot prune a vocabulary of kind CanineTokenizer" in capsys.readouterr().err
