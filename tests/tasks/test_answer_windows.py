"""Windows over passages: against a literal loop, the tokenizer's own windows, and plain texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.errors import SettingsError
from bnaparser.syntax.masks import SPECIAL
from bnaparser.syntax.sources.random_trees import random_structure
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.tasks.examples import PreparedExample, Written, written
from bnaparser.tasks.kinds.answer_spans import best_spans
from bnaparser.tasks.kinds.answer_windows import (
    AnswerReader,
    AnswerSettings,
    AnswerWindow,
    TrainingWindow,
    pieces_of,
)
from bnaparser.tasks.model import load_words_tokenizer
from bnaparser.text.splitting import split

PASSAGE = (
    "Mira liked the unaffable dog. It cost $5,000 (1816\u20131820) in Karo's garden; Mira sang."
)
QUESTION = "Who liked the dog?"


def asked(
    passage: str = PASSAGE, answer: tuple[int, int] | None = None, question: str = QUESTION
) -> PreparedExample:
    words = [tuple(w for s in split(text) for w in s.words) for text in (question, passage)]
    structures = tuple(map(random_structure, words))
    return PreparedExample(structures, written=written(passage, words[1]), answer=answer)


@pytest.fixture
def reader(encoder_folder: Callable[[str], Path]) -> Callable[..., AnswerReader]:
    """A function from a kind of encoder and settings to a reader."""

    def make(kind: str = "bert", most: int = 512, **settings: Any) -> AnswerReader:
        tokenizer = load_words_tokenizer(encoder_folder(kind))
        return AnswerReader(tokenizer, AnswerSettings(**settings), most)

    return make


def test_every_piece_has_its_place_in_the_passage(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    tokenizer = load_words_tokenizer(encoder_folder(encoder_kind))
    example = asked()
    assert example.written is not None
    words = example.structures[1].words
    pieces = pieces_of(tokenizer, words, example.written.places)
    assert len(pieces) > len(words)
    for number, (begin, end) in enumerate(example.written.places):
        of_word = np.flatnonzero(pieces.words == number)
        assert pieces.starts[of_word[0]] == begin and pieces.ends[of_word[-1]] == end
        covered = {c for p in of_word for c in range(pieces.starts[p], pieces.ends[p])}
        assert covered == set(range(begin, end))
        assert (np.diff(pieces.starts[of_word]) >= 0).all()
    for part in ("unaffable", "$5,000", "1816", "dog. It", "Karo's garden"):
        start = PASSAGE.index(part)
        found = pieces.inside((start, start + len(part)))
        assert found is not None
        assert PASSAGE[pieces.starts[found[0]] : pieces.ends[found[1]]] == part
    assert pieces.inside((5, 5)) is None


@pytest.mark.parametrize("kind", ["roberta", "modernbert", "xlnet", "t5", "deberta-v2", "albert"])
def test_the_best_spans_are_whole_characters_and_as_many_as_were_asked_for(
    encoder_folder: Callable[[str], Path], kind: str
) -> None:
    """Byte-level encoders have several pieces a character, SentencePiece a lone blank before a word."""
    tokenizer = load_words_tokenizer(encoder_folder(kind))
    one = AnswerReader(tokenizer, AnswerSettings(), 512)
    text = "\u732b\u304c \u5317\u4eac dog \u98df\u3079 Zyx \U0001f600 ."
    places = [(place, place + len(word)) for word in text.split() for place in [text.index(word)]]
    words = tuple(text.split())
    pair = random_structure(("Who",)), random_structure(words)
    (window,) = one.windows(PreparedExample(pair, written=Written(text, tuple(places), words)))
    generator = np.random.default_rng(3)
    for _ in range(20):
        logits = generator.normal(size=(len(window), 2)).astype(np.float32)
        found = best_spans(window, logits, 30, 12)
        assert len({(span.start, span.end) for span in found}) == 12
        assert all(
            text[span.start : span.end].strip() == text[span.start : span.end] for span in found
        )
    # A blank alone before a word ends no span within the word.
    names = tokenizer.convert_ids_to_tokens(window.ids[window.passage].tolist())
    (place,) = np.flatnonzero(
        (window.starts == text.index("\u5317")) & [name in ("\u2581", "\u0120") for name in names]
    )
    logits[:] = 0
    logits[window.first + place, 1] = 9.0
    assert best_spans(window, logits, 30, 1)[0].end == text.index("\u304c") + 1


def test_a_window_is_what_the_tokenizer_makes_of_two_texts(
    reader: Callable[..., AnswerReader], encoder_kind: str
) -> None:
    """Special tokens and types, wherever a family puts them."""
    one = reader(encoder_kind)
    example = asked()
    (window,) = one.windows(example)
    pair = [list(structure.words) for structure in example.structures]
    expected = one.tokenizer(*pair, is_split_into_words=True, return_token_type_ids=True)
    assert window.ids.tolist() == expected["input_ids"]
    assert window.types.tolist() == expected["token_type_ids"]
    counted = [
        SPECIAL if text is None else word + text * len(pair[0])
        for word, text in zip(expected.word_ids(), expected.sequence_ids(), strict=True)
    ]
    assert window.words.tolist() == counted
    if SPECIAL in window.words:
        assert window.words[window.null] == SPECIAL
    if one.tokenizer.cls_token_id in window.ids:
        assert window.ids[window.null] == one.tokenizer.cls_token_id


def test_windows_are_those_of_the_tokenizer_itself(
    reader: Callable[..., AnswerReader], encoder_kind: str
) -> None:
    """Transformers counts what two windows share, BERT's program how far they are apart."""
    one = reader(encoder_kind, max_seq_length=36, max_query_length=17, doc_stride=7)
    example = asked()
    question, passage = (list(structure.words) for structure in example.structures)
    windows = one.windows(example)
    share = len(windows[0].starts) - 7
    expected = one.tokenizer(
        question,
        passage,
        is_split_into_words=True,
        truncation="only_second",
        max_length=36,
        stride=share,
        return_overflowing_tokens=True,
    )
    assert [window.ids.tolist() for window in windows] == expected["input_ids"]
    assert len(windows) >= 3
    one.tokenizer.backend_tokenizer.no_truncation()


def literal_windows(pieces: list[int], room: int, stride: int) -> list[list[int]]:
    found = []
    begin = 0
    while True:
        found.append([pieces[at] for at in range(begin, begin + room) if at < len(pieces)])
        if begin + room >= len(pieces):
            return found
        begin += min(room, stride)


@given(
    words=st.integers(1, 90),
    window=st.integers(20, 60),
    stride=st.integers(1, 80),
    cut=st.integers(1, 10),
)
def test_windows_by_a_literal_loop(words: int, window: int, stride: int, cut: int) -> None:
    one = AnswerReader(
        WORDS, AnswerSettings(max_seq_length=window, doc_stride=stride, max_query_length=cut), 512
    )
    passage = " ".join(["dog", "cat", "apple"][n % 3] for n in range(words))
    example = asked(passage)
    found = one.windows(example)
    question = min(cut, len(example.structures[0].words))
    room = window - 3 - question
    expected = literal_windows(list(range(words)), room, stride)
    assert [[int(w) - 5 for w in x.words[x.passage]] for x in found] == expected
    assert all(len(x) <= window for x in found)
    # Nothing is left out, and neighbours overlap where they can.
    assert {word for window in expected for word in window} == set(range(words))


WORDS: Any = None


@pytest.fixture(autouse=True)
def tokenizer_of_words(encoder_folder: Callable[[str], Path]) -> None:
    """A tokenizer for property tests, which take no fixture of a function's scope."""
    global WORDS
    WORDS = load_words_tokenizer(encoder_folder("bert"))


def test_an_answer_is_taught_where_it_stands_whole(reader: Callable[..., AnswerReader]) -> None:
    one = reader(max_seq_length=24, max_query_length=5, doc_stride=4)
    start = PASSAGE.index("Karo")
    answer = start, start + len("Karo's garden")
    windows = one.windows(asked(answer=answer))
    taught = [window for window in windows if window.target != (window.null, window.null)]
    assert 0 < len(taught) < len(windows)
    for window in windows:
        whole = (
            bool(len(window.starts))
            and window.starts[0] <= answer[0]
            and window.ends[-1] >= answer[1]
        )
        assert whole == any(window is one for one in taught)
    for window in taught:
        first, last = (token - window.first for token in window.target)
        assert (window.starts[first], window.ends[last]) == answer
    none = one.windows(asked())
    assert all(window.target == (window.null, window.null) for window in none)


def test_a_question_is_cut_and_a_passage_without_words_is_one_window(
    reader: Callable[..., AnswerReader],
) -> None:
    one = reader(max_seq_length=40, max_query_length=4)
    (window,) = one.windows(asked("Mira sang.", question="dog " * 60))
    assert window.first == 1 + 4 + 1
    unread = PreparedExample(
        (random_structure(("Who",)), random_structure(("\u0301",))),
        written=written("\u0301", ("\u0301",)),
    )
    (empty,) = one.windows(unread)
    assert len(empty.starts) == 0 and empty.target == (empty.null, empty.null)


def test_an_encoder_that_is_too_short_for_the_question(reader: Callable[..., AnswerReader]) -> None:
    with pytest.raises(
        SettingsError, match=r"takes 40 subwords.*set answers\.max_query_length to less"
    ):
        reader(most=40)
    assert reader(most=40, max_query_length=20).windows(asked())


@pytest.mark.parametrize("kind", ["bert", "xlnet", "roberta"])
def test_batches_hold_the_windows_wherever_padding_stands(
    reader: Callable[..., AnswerReader], kind: str
) -> None:
    one = reader(kind, max_seq_length=48, max_query_length=16, doc_stride=16)
    answer = PASSAGE.index("Karo"), PASSAGE.index("Karo") + 4
    examples = [asked(answer=answer), asked("Mira sang.", (0, 4))]
    pairs = [(e, w) for e in examples for w in one.windows(e)]
    windows = [window for _, window in pairs]
    batch, offsets = one.inputs(windows, [e.structures for e, _ in pairs], None)
    for row, window in enumerate(windows):
        here = slice(offsets[row], offsets[row] + len(window))
        assert batch["input_ids"][row][here].tolist() == window.ids.tolist()
        assert batch["attention_mask"][row].sum() == len(window)
        allowed = batch["allowed"][row].nonzero().flatten() - int(offsets[row])
        passage = range(window.passage.start, window.passage.stop)
        assert set(allowed.tolist()) == {window.null, *passage}
    assert ("token_type_ids" in batch) == (kind == "bert")
    items = [
        TrainingWindow(e, number, len(w))
        for e in examples
        for number, w in enumerate(one.windows(e))
    ]
    labels = one.training_batch(items, None)["labels"]
    assert labels.tolist() == [
        [token + offset for token in window.target]
        for window, offset in zip(windows, offsets.tolist(), strict=True)
    ]


def test_each_window_is_guided_by_the_syntax_of_its_words(
    reader: Callable[..., AnswerReader],
) -> None:
    """Against the masks of the whole passage, of which a window's are a part."""
    settings = SlaSettings(threshold=1)
    example = asked()
    whole = reader(max_seq_length=200)
    (full,) = whole.windows(example)
    expected, _ = whole.inputs([full], [example.structures], settings)
    one = reader(max_seq_length=30, max_query_length=5, doc_stride=9)
    windows = one.windows(example)
    batch, _ = one.inputs(windows, [example.structures] * len(windows), settings)
    seen = expected["syntax"].mask[0].numpy()
    for row, window in enumerate(windows):
        places = [token_of(full, window, token) for token in range(len(window))]
        part = batch["syntax"].mask[row].numpy()[: len(window), : len(window)]
        assert (part == seen[np.ix_(places, places)]).all()


def token_of(full: AnswerWindow, window: AnswerWindow, token: int) -> int:
    """Return where a window's token is in the window of the whole passage."""
    if token < window.first:
        return token
    if token >= window.passage.stop:
        return len(full) - (len(window) - token)
    starts: list[int] = full.starts.tolist()
    return full.first + starts.index(int(window.starts[token - window.first]))
