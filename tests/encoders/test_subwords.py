"""Words to subwords and windows, for the tokenizer of every kind of encoder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from bnaparser.encoders.loading import load_tokenizer
from bnaparser.encoders.subwords import KNOWN_WORDS, LONGEST_WORD, MISSING, Subwords

# The special tokens before and after a sentence, and those that stand for START and STOP.
ENDS = {
    "bert": (["[CLS]"], ["[SEP]"], "[CLS]", "[SEP]"),
    "distilbert": (["[CLS]"], ["[SEP]"], "[CLS]", "[SEP]"),
    "electra": (["[CLS]"], ["[SEP]"], "[CLS]", "[SEP]"),
    "deberta": (["[CLS]"], ["[SEP]"], "[CLS]", "[SEP]"),
    "deberta-v2": (["[CLS]"], ["[SEP]"], "[CLS]", "[SEP]"),
    "modernbert": (["[CLS]"], ["[SEP]"], "[CLS]", "[SEP]"),
    "roberta": (["<s>"], ["</s>"], "<s>", "</s>"),
    "mpnet": (["<s>"], ["</s>"], "<s>", "</s>"),
    "xlnet": ([], ["<sep>", "<cls>"], "<cls>", "<sep>"),
    "t5": ([], ["</s>"], None, "</s>"),
}


@pytest.fixture(scope="module")
def bert(encoder_folder: Callable[[str], Path]) -> Subwords:
    return Subwords(load_tokenizer(encoder_folder("bert")), 512, 510)


def names(subwords: Subwords, ids: Iterable[int]) -> list[str]:
    found: list[str] = subwords.tokenizer.convert_ids_to_tokens(list(ids))
    return found


def test_start_and_stop_are_the_right_special_tokens(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    subwords = Subwords(load_tokenizer(encoder_folder(encoder_kind)), 512, 510)
    before, after, start, stop = ENDS[encoder_kind]
    ((window,),) = subwords.windows([["the", "zebra", "sat"]])
    found = names(subwords, window.ids)
    assert found[: len(before)] == before
    assert found[-len(after) :] == after
    if start is None:
        assert window.last[0] == MISSING
    else:
        assert found[window.last[0]] == start
    assert found[window.last[-1]] == stop
    assert (window.words, window.first_word) == (3, 0)


def test_words_are_read_as_in_running_text(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    """A byte-level tokenizer, for one, must see the blank before each word."""
    subwords = Subwords(load_tokenizer(encoder_folder(encoder_kind)), 512, 510)
    words = ["the", "lamp", "unaffable", "painter", "zebra", "waited"]
    ((window,),) = subwords.windows([words])
    expected = subwords.tokenizer.encode(" " + " ".join(words))
    assert window.ids.tolist() == expected
    if encoder_kind in ("roberta", "deberta", "modernbert"):
        firsts = [window.ids[last + 1] for last in window.last[:-2]]
        assert all(name.startswith("Ġ") for name in names(subwords, firsts))


def test_a_word_is_read_at_its_last_subword(bert: Subwords) -> None:
    ((window,),) = bert.windows([["the", "unaffable", "cat"]])
    assert names(bert, window.ids) == ["[CLS]", "the", "un", "##aff", "##able", "cat", "[SEP]"]
    assert window.last.tolist() == [0, 1, 4, 5, 6]


def test_penn_escapes_are_undone(bert: Subwords) -> None:
    ((window,),) = bert.windows([["-LRB-", "``", "1\\/2"]])
    assert names(bert, window.ids[1:-1]) == ["(", '"', "1", "/", "2"]


@pytest.mark.parametrize(
    "word",
    ["\u200b", "\x07", "\u0301", "\ufe0f"],
    ids=["zero width", "control", "accent", "variant"],
)
def test_a_word_that_the_tokenizer_drops_has_no_subword(bert: Subwords, word: str) -> None:
    ((window,),) = bert.windows([["the", word, "cat"]])
    assert names(bert, window.ids[1:-1]) in (["the", "cat"], ["the", "[UNK]", "cat"])
    if len(window.ids) == 4:
        assert window.last.tolist() == [0, 1, MISSING, 2, 3]


def test_a_sentence_of_nothing_but_dropped_words_has_a_window(bert: Subwords) -> None:
    ((window,),) = bert.windows([["\x07", "\x08"]])
    assert names(bert, window.ids) == ["[CLS]", "[SEP]"]
    assert window.last.tolist() == [0, MISSING, MISSING, 1]


def test_no_sentences_give_no_windows(bert: Subwords) -> None:
    assert bert.windows([]) == []


def test_words_seen_before_have_the_subwords_of_a_tokenizer_that_reads_a_sentence_for_the_first_time(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    tokenizer = load_tokenizer(encoder_folder(encoder_kind))
    subwords = Subwords(tokenizer, 512, 510)
    sentences = [
        ["The", "zebra", "sat", "unaffable", "."],
        ["zebra", "\u200b", "the", "zebra", "na\xefve"],
        ["the", "(", "cat", ")", "walked", "on", "the", "mat", "unaffable"],
        ["The"],
    ]
    many = [f"word{number}" for number in range(KNOWN_WORDS)]  # so many that it forgets
    for sentence in [*sentences, many, *reversed(sentences)]:
        if sentence is many:
            subwords.windows([many])
            continue
        ((window,),) = subwords.windows([sentence])
        ((alone,),) = Subwords(tokenizer, 512, 510).windows([sentence])
        assert window.ids.tolist() == alone.ids.tolist()
        assert window.last.tolist() == alone.last.tolist()
    # A sentence as a whole, as the tokenizer itself splits it.
    whole = subwords.tokenizer(
        [subwords._blank + word for word in sentences[2]], is_split_into_words=True
    )
    ((window,),) = subwords.windows([sentences[2]])
    assert window.ids.tolist() == list(whole["input_ids"])


def test_510_words_are_one_window_and_511_are_two(bert: Subwords) -> None:
    one, two = bert.windows([["the"] * 510, ["the"] * 511])
    assert [window.words for window in one] == [510]
    assert [(window.first_word, window.words) for window in two] == [(0, 510), (255, 256)]
    assert len(one[0].ids) == 512


def test_a_word_of_more_subwords_than_a_window_keeps_its_end(
    encoder_folder: Callable[[str], Path],
) -> None:
    subwords = Subwords(load_tokenizer(encoder_folder("bert")), 12, 510)
    ((*_, window),) = subwords.windows([["the", "q" * 90 + "z"]])
    assert len(window.ids) <= 12
    assert names(subwords, [window.ids[window.last[-2]]]) == ["##z"]


def test_a_stretch_of_signs_counts_for_no_more_than_a_long_word(bert: Subwords) -> None:
    ((window,),) = bert.windows([["the", "#" * 90 + "?" + "." * 900, "the"]])
    assert len(window.ids) == 2 + 2 + LONGEST_WORD


def test_2000_words_are_covered_by_overlapping_windows(bert: Subwords) -> None:
    (windows,) = bert.windows([["the", "unaffable"] * 1000])
    assert all(len(window.ids) <= 512 and window.words <= 510 for window in windows)
    assert windows[-1].first_word + windows[-1].words == 2000
    for before, after in pairwise(windows):
        assert after.first_word == before.first_word + before.words // 2


@settings(max_examples=200, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 12), min_size=1, max_size=60),
    max_subwords=st.integers(1, 20),
    max_words=st.integers(1, 20),
)
def test_windows_hold_every_word_and_stay_within_bounds(
    lengths: list[int], max_subwords: int, max_words: int
) -> None:
    # The map from words to subwords is given here, so no tokenizer is needed.
    subwords = object.__new__(Subwords)
    subwords.__dict__.update(
        prefix=[1], suffix=[2], max_subwords=max_subwords, max_words=max_words, _start=0, _stop=1
    )
    words = [[100 * word + subword for subword in range(n)] for word, n in enumerate(lengths)]
    windows = subwords._windows_of(words)
    covered = set()
    for window in windows:
        assert len(window.ids) <= max_subwords + 2
        assert window.words <= max_words or max_words >= len(lengths)
        assert (window.last[0], window.last[-1]) == (0, len(window.ids) - 1)
        for place, last in enumerate(window.last[1:-1], window.first_word):
            covered.add(place)
            assert last == MISSING if not words[place] else window.ids[last] == words[place][-1]
    assert covered == set(range(len(lengths)))
    firsts = [window.first_word for window in windows]
    assert firsts == sorted(set(firsts))


def test_a_length_that_the_tokenizers_file_asks_for_is_not_kept(
    encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(encoder_folder("bert"), tmp_path / "bert")
    file = folder / "tokenizer.json"
    spec = json.loads(file.read_text(encoding="utf-8"))
    spec["truncation"] = {
        "max_length": 8,
        "strategy": "LongestFirst",
        "stride": 0,
        "direction": "Right",
    }
    spec["padding"] = {
        "strategy": {"Fixed": 16},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    file.write_text(json.dumps(spec), encoding="utf-8")
    subwords = Subwords(load_tokenizer(folder), 512, 510)
    short, long = subwords.windows([["the"], ["the"] * 40])
    assert (len(short[0].ids), len(long[0].ids)) == (3, 42)


def test_one_special_token_may_stand_at_both_ends() -> None:
    backend = Tokenizer(models.WordPiece({"<end>": 0, "a": 1, "[UNK]": 2}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = [("<end>", 0)]
    backend.post_processor = processors.TemplateProcessing("<end> $A <end>", None, ends)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, cls_token="<end>", sep_token="<end>", unk_token="[UNK]"
    )
    ((window,),) = Subwords(tokenizer, 512, 510).windows([["a", "a"]])
    assert window.ids.tolist() == [0, 1, 1, 0]
    assert window.last.tolist() == [0, 1, 2, 3]


def test_a_tokenizer_without_special_tokens_has_neither_start_nor_stop() -> None:
    backend = Tokenizer(models.WordPiece({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    subwords = Subwords(PreTrainedTokenizerFast(tokenizer_object=backend), 512, 510)
    ((window,),) = subwords.windows([["a"]])
    assert window.last.tolist() == [MISSING, 0, MISSING]


def test_a_slow_tokenizer_is_asked_word_by_word() -> None:
    def encode(text: str, add_special_tokens: bool = True) -> list[int]:
        codes = [ord(char) for char in text]
        return [1, *codes, 2] if add_special_tokens else codes

    slow = SimpleNamespace(
        is_fast=False,
        encode=encode,
        cls_token_id=1,
        sep_token_id=None,
        eos_token_id=2,
        mask_token_id=None,
    )
    ((window,),) = Subwords(slow, 512, 510).windows([["ab", "c"]])
    assert np.array_equal(window.ids, [1, 97, 98, 99, 2])
    assert window.last.tolist() == [0, 2, 3, 4]
