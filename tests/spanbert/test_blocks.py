"""Text as blocks: what is packed, kept and found again; files of every kind; what bad input gets."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from bnaparser.errors import DataError
from bnaparser.spanbert.blocks import (
    Blocks,
    TokenisedSentence,
    evenly,
    find_files,
    pack,
    read_blocks,
    read_documents,
    split_blocks,
    tokenise,
)
from bnaparser.spanbert.settings import TextSettings


@pytest.fixture(scope="module")
def tokenizer(encoder_folder: Callable[[str], Path]) -> PreTrainedTokenizerBase:
    found: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(encoder_folder("bert"))
    return found


def of_length(length: int) -> TokenisedSentence:
    return TokenisedSentence("x", [1] * length, [True] * length, [(0, 1)] * length)


def test_whole_sentences_fill_a_block() -> None:
    """The program's example: 300, 200 and 20 subwords with a limit of 510."""
    found = pack([of_length(300), of_length(200), of_length(20)], 510)
    assert [sum(len(one.ids) for one in block) for block in found] == [500, 20]


def test_a_sentence_that_is_too_long_is_left_out_and_nothing_else() -> None:
    found = pack([of_length(300), of_length(511), of_length(20), of_length(0)], 510)
    assert [[len(one.ids) for one in block] for block in found] == [[300], [20]]


def test_words_begin_where_the_tokenizer_says(tokenizer: PreTrainedTokenizerBase) -> None:
    (found,) = tokenise(tokenizer, ["The zebra didn't."])
    words = [found.text[start:end] for start, end in found.places]
    assert "".join(words) == "Thezebradidn't."
    assert found.starts[0]
    begun = [word for word, start in zip(words, found.starts, strict=True) if start]
    assert begun[0] == "The"
    assert len(found.ids) == len(found.starts) == len(found.places)


@pytest.mark.parametrize("kind", ["roberta", "deberta", "modernbert"])
def test_sentences_of_a_block_have_a_blank_between_them(
    encoder_folder: Callable[[str], Path], kind: str
) -> None:
    """ "dog.Tobin sang." was what RoBERTa's kind of encoders learned from."""
    found = AutoTokenizer.from_pretrained(encoder_folder(kind))
    for one in tokenise(found, ["Mira liked the dog.", "Tobin sang."]):
        tokens = found.convert_ids_to_tokens(one.ids)
        assert "".join(tokens) == "Ġ" + one.text.replace(" ", "Ġ")
        read = "".join(one.text[start:end].strip() for start, end in one.places)
        assert read == one.text.replace(" ", "")
        assert one.starts.count(True) == len(one.text.split()) + 1  # and the period
    (empty,) = tokenise(found, [""])
    assert empty.ids == []


@pytest.mark.parametrize("kind", ["albert", "xlm-roberta", "deberta-v2"])
def test_the_mark_of_a_blank_is_no_word_of_its_own(
    encoder_folder: Callable[[str], Path], kind: str
) -> None:
    found = AutoTokenizer.from_pretrained(encoder_folder(kind))
    (one,) = tokenise(found, ["qxz qxz"])
    assert found.convert_ids_to_tokens(one.ids) == ["▁", "q", "x", "z"] * 2
    assert one.starts == [True, False, False, False] * 2


def test_blocks_are_the_same_whatever_the_number_of_workers(
    text_file: Path, tokenizer: PreTrainedTokenizerBase, tmp_path: Path
) -> None:
    def rows(workers: int) -> list[object]:
        settings = TextSettings(files=(str(text_file),), workers=workers)
        found = read_blocks(settings, tokenizer, 40, tmp_path / str(workers))
        return [found.table[number] for number in range(len(found))]

    assert rows(1) == rows(2) == rows(3)


def test_documents_are_not_mixed_and_nothing_is_lost(
    text_file: Path, tokenizer: PreTrainedTokenizerBase, tmp_path: Path
) -> None:
    settings = TextSettings(files=(str(text_file),))
    found = read_blocks(settings, tokenizer, 40, tmp_path)
    documents = list(read_documents(text_file, settings))
    assert sorted(set(found.documents.tolist())) == list(range(len(documents)))
    for number, text in enumerate(documents):
        rows = [row for row in found.table if row["document"] == number]
        assert [one for row in rows for one in row["sentences"]] == text.splitlines()
        assert all(len(row["ids"]) <= 40 for row in rows)


def test_a_changed_text_is_tokenised_anew_and_an_unchanged_one_is_not(
    tokenizer: PreTrainedTokenizerBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "text.txt"
    file.write_text("The cat sat.\n")
    settings = TextSettings(files=(str(file),))
    first = read_blocks(settings, tokenizer, 40, tmp_path / "cache")
    with monkeypatch.context() as patch:
        patch.setattr("bnaparser.spanbert.blocks._write", None)  # it would fail
        again = read_blocks(settings, tokenizer, 40, tmp_path / "cache")
    assert again.folder == first.folder
    file.write_text("The dog sat.\n")
    changed = read_blocks(settings, tokenizer, 40, tmp_path / "cache")
    assert changed.table[0]["sentences"] == ["The dog sat."]


def test_every_kind_of_file(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    texts = ["One sat. Two sat.", "Three sat."]
    plain = "One sat. Two sat.\n\n\nThree sat.\n"
    (tmp_path / "a.txt").write_text(plain)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(plain.encode()))
    (tmp_path / "c.txt.xz").write_bytes(lzma.compress(plain.encode()))
    rows = "".join(json.dumps({"text": one}) + "\n" for one in texts)
    (tmp_path / "d.jsonl").write_text(rows)
    (tmp_path / "f.JSONL.bz2").write_bytes(bz2.compress(rows.encode()))
    with pyarrow.CompressedOutputStream(str(tmp_path / "g.txt.zst"), "zstd") as packed:
        packed.write(plain.encode())
    pyarrow.parquet.write_table(pyarrow.table({"text": texts}), tmp_path / "e.parquet")
    (tmp_path / "notes.md").write_text("not read\n")
    files = find_files([str(tmp_path)])
    assert [file.name for file in files] == [
        "a.txt",
        "b.txt.gz",
        "c.txt.xz",
        "d.jsonl",
        "e.parquet",
        "f.JSONL.bz2",
        "g.txt.zst",
    ]
    for file in files:
        found = [text.strip() for text in read_documents(file, TextSettings())]
        assert found == texts, file
    lines = TextSettings(document="line")
    assert len(list(read_documents(tmp_path / "a.txt", lines))) == 2
    assert find_files([str(tmp_path / "*.txt"), str(tmp_path / "a.txt")]) == [tmp_path / "a.txt"]
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "h.txt").write_text(plain)
    everywhere = find_files([f"{tmp_path}/**", os.path.relpath(tmp_path / "a.txt")])
    assert [file.name for file in everywhere] == sorted(
        [*(one.name for one in files), "h.txt", "notes.md"]
    )


def test_what_is_wrong_with_a_file_is_said_with_its_place(tmp_path: Path) -> None:
    bad = {
        "nul.txt": (b"fine\nbad\0\n", "line 2: a NUL character"),
        "latin.txt": (b"caf\xe9\n", r"line 1: byte 4 \(0xe9\) is not UTF-8.*iconv -f cp1252"),
        "word.txt": (b"PK\x03\x04word/document.xml", "a Word file, not text"),
        "rows.jsonl": (b'{"text": "a"}\n{"body": "b"}\n', "line 2: no text under 'text'"),
        "broken.jsonl": (b'{"text": "a"\n', "line 1: not JSON"),
        "table.parquet": (b"PAR1 no", "not a whole Parquet file"),
        "list.json": (b'[{"text": "a"}]', "ends in .jsonl"),
        "cut.txt.xz": (lzma.compress(b"abc" * 100)[:20], "not a whole .xz file"),
    }
    for name, (content, told) in bad.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=told):
            list(read_documents(tmp_path / name, TextSettings()))
    with pytest.raises(DataError, match="no text file has this name"):
        find_files([str(tmp_path / "*.csv")])


def test_no_text_and_one_endless_sentence_leave_no_block(
    tokenizer: PreTrainedTokenizerBase, tmp_path: Path
) -> None:
    for name, content, told in (
        ("empty.txt", "\n\n", "these files hold no text"),
        ("giant.txt", "ab " * 5000, "no block of text in 1 files"),
    ):
        (tmp_path / name).write_text(content)
        settings = TextSettings(files=(str(tmp_path / name),))
        with pytest.raises(DataError, match=told):
            read_blocks(settings, tokenizer, 40, tmp_path / "cache")
        assert {one.suffix for one in (tmp_path / "cache").iterdir()} == {".lock"}


def test_a_long_document_is_cut_at_a_line_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bnaparser.spanbert.blocks.LONGEST_DOCUMENT", 30)
    file = tmp_path / "long.txt"
    file.write_text("".join(f"Line {number} sat here.\n" for number in range(10)))
    found = list(read_documents(file, TextSettings()))
    assert len(found) == 5
    assert "".join(found) == file.read_text()


def test_there_is_nothing_to_tokenise(tokenizer: PreTrainedTokenizerBase) -> None:
    assert tokenise(tokenizer, []) == []
    (empty,) = tokenise(tokenizer, [""])
    assert empty.ids == []


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta", "deberta-v2", "modernbert"])
def test_a_text_that_speaks_of_special_subwords_has_none(
    encoder_folder: Callable[[str], Path], kind: str
) -> None:
    found = AutoTokenizer.from_pretrained(encoder_folder(kind))
    special = set(found.all_special_ids) - {found.unk_token_id}
    text = f"The {found.sep_token} cat {found.mask_token} {found.cls_token} sat {found.pad_token} ."
    (one,) = tokenise(found, [text])
    assert one.ids
    assert not special & set(one.ids)
    assert one.starts[0] and len(one.ids) == len(one.starts) == len(one.places)


def test_a_blank_ends_a_word_for_tokenizers_that_cut_at_none() -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    pieces = [("<unk>", 0.0), ("▁The", -1.0), ("▁cat", -1.0), ("▁sat", -1.0), (".", -1.0)]
    whole = Tokenizer(models.Unigram(pieces, unk_id=0))
    whole.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    whole.pre_tokenizer = pre_tokenizers.Split("\n", "isolated")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=whole, unk_token="<unk>")
    (one,) = tokenise(tokenizer, ["The cat sat."])
    assert one.starts == [True, True, True, False]


def blocks_of(documents: list[int]) -> Blocks:
    return Blocks(None, np.ones(1), np.array(documents), Path())


def test_held_out_documents_are_whole_and_always_the_same() -> None:
    blocks = blocks_of([n for n in range(50) for _ in range(3)])
    trained, held = split_blocks(blocks, 0.1)
    assert len(held) == 15
    assert not set(blocks.documents[trained]) & set(blocks.documents[held])
    assert split_blocks(blocks, 0.1)[1].tolist() == held.tolist()
    assert set(evenly(held, 4).tolist()) < set(held.tolist())
    assert len(split_blocks(blocks, 0.0)[1]) == 0


def test_a_document_that_is_most_of_the_text_is_trained_on() -> None:
    trained, held = split_blocks(blocks_of([0] * 10 + [1] * 1000), 0.01)
    assert held.tolist() == list(range(10))
    trained, held = split_blocks(blocks_of([0] * 500 + [1] * 500 + [2] * 500), 0.99)
    assert len(held) == 1000
    trained, held = split_blocks(blocks_of([0] * 500 + [1] * 500), 0.01)
    assert len(trained) == len(held) == 500


def test_of_a_single_document_the_end_is_held_out() -> None:
    trained, held = split_blocks(blocks_of([0] * 20), 0.1)
    assert held.tolist() == [18, 19]
    assert trained.tolist() == list(range(18))
    trained, held = split_blocks(blocks_of([0] * 48), 0.01)  # less than half a block
    assert held.tolist() == [47]
    assert split_blocks(blocks_of([0]), 0.01)[1].tolist() == []


def test_half_a_character_costs_that_character(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "The \\ud800 cat."}\n')
    assert list(read_documents(tmp_path / "a.jsonl", TextSettings())) == ["The \ufffd cat."]


def test_a_column_of_something_else_is_told(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    words = pyarrow.array(["The cat.", "Mira."]).dictionary_encode()
    columns = {"text": [1, 2], "lists": [["a"], ["b"]], "bytes": [b"a", b"b"], "words": words}
    file = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), file)
    for name in ("text", "lists", "bytes"):
        with pytest.raises(DataError, match=f"the column '{name}' has .*, not text"):
            list(read_documents(file, TextSettings(field=name)))
    assert list(read_documents(file, TextSettings(field="words"))) == ["The cat.", "Mira."]


def test_a_file_with_another_name_is_read_anew(
    tokenizer: PreTrainedTokenizerBase, tmp_path: Path
) -> None:
    """The same bytes are another text when their name says so."""
    row = '{"text": "The cat sat."}\n'
    (tmp_path / "a.txt").write_text(row)
    (tmp_path / "a.jsonl").write_text(row)
    texts = [
        read_blocks(TextSettings(files=(str(tmp_path / name),)), tokenizer, 40, tmp_path / "cache")
        for name in ("a.txt", "a.jsonl")
    ]
    assert [one.table[0]["sentences"] for one in texts][1] == ["The cat sat."]
    assert texts[0].table[0]["sentences"] != ["The cat sat."]


def test_empty_documents_are_passed_over_and_a_damaged_cache_is_told(
    tokenizer: PreTrainedTokenizerBase, tmp_path: Path
) -> None:
    rows = [{"text": text} for text in ("", "  ", "The cat sat.")]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = TextSettings(files=(str(tmp_path / "a.jsonl"),))
    blocks = read_blocks(settings, tokenizer, 40, tmp_path / "cache")
    assert [row["sentences"] for row in blocks.table] == [["The cat sat."]]
    (blocks.folder / "counts.npy").write_bytes(b"")
    with pytest.raises(DataError, match=r"the tokenised text in .* is damaged"):
        read_blocks(settings, tokenizer, 40, tmp_path / "cache")


def test_a_cache_that_cannot_be_there_is_no_full_disk(
    tokenizer: PreTrainedTokenizerBase, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("The cat sat.")
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(DataError, match="cannot be written") as raised:
        read_blocks(
            TextSettings(files=(str(tmp_path / "a.txt"),)), tokenizer, 40, tmp_path / "cache"
        )
    assert "disk" not in str(raised.value)
