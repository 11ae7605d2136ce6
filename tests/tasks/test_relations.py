"""Marks in texts and among tokens, the vectors that are read there, and F1 as the official scorer's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.errors import DataError
from bnaparser.settings import validate
from bnaparser.syntax.sources.random_trees import random_structure
from bnaparser.tasks.examples import PreparedExample, Span, written
from bnaparser.tasks.kinds.relations import (
    MARKS,
    Relations,
    mark_words,
    read_marks,
    relation_f1,
    relations_of,
    tokenize_marked,
)
from bnaparser.tasks.model import TaskModel, create
from bnaparser.tasks.settings import TaskModelSettings, TaskSettings
from bnaparser.text.splitting import split

TEXT = "Mira liked the unaffable dog-house."
CLASSES = ("Like-Thing(e1,e2)", "Like-Thing(e2,e1)", "Other")


def example(text: str = TEXT, *marks: Span, place: str = "") -> PreparedExample:
    words = tuple(word for sentence in split(text) for word in sentence.words)
    first, second = marks or ((0, 4), (25, 28))
    return PreparedExample(
        (random_structure(words),), 0, written(text, words), (first, second), place=place
    )


@pytest.fixture
def build(encoder_folder: Callable[[str], Path]) -> Callable[..., TaskModel]:
    """A function from a kind of encoder and tables of settings to an untrained model of relations."""

    def make(kind: str = "bert", **tables: Any) -> TaskModel:
        encoder = {"name": str(encoder_folder(kind)), **tables.pop("encoder", {})}
        table = {"encoder": encoder, "task": {"kind": "relations"}, **tables}
        torch.manual_seed(4)
        model = create(validate(TaskModelSettings, table, "test"), CLASSES)
        model.network.eval()
        return model

    return make


def test_marks_are_taken_out_of_a_text() -> None:
    text, marks = read_marks("[E1]Mira[/E1] has a [E2] dog [/E2].")
    assert text == "Mira has a  dog ."
    assert [text[a:b] for a, b in marks] == ["Mira", " dog "]
    text, marks = read_marks("The [E2]door of the [E1]car[/E1][/E2] fell.")
    assert [text[a:b] for a, b in marks] == ["car", "door of the car"]


@pytest.mark.parametrize(
    "text",
    [
        "Mira has a dog.",
        "[E1]Mira[/E1] fell.",
        "[E1]a[/E1] [E2]b[/E2] [E2]c[/E2]",
        "[E1]a[/E1][E2]b",
    ],
)
def test_a_text_without_its_marks(text: str) -> None:
    with pytest.raises(DataError, match=r"mark the two spans .* each once: \[E1\]"):
        read_marks(text)


@pytest.mark.parametrize("text", ["[/E1]Mira[E1] has a [E2]dog[/E2].", "[E1] [/E1] [E2]b[/E2]"])
def test_a_marked_part_that_is_empty(text: str) -> None:
    with pytest.raises(DataError, match="a marked span has no words"):
        read_marks(text)


def test_marks_stand_around_their_parts_also_within_a_word() -> None:
    one = example(TEXT, (0, 4), (25, 28))
    assert one.written is not None and one.marks is not None
    marked = mark_words(one.written, one.marks)
    assert " ".join(marked.units) == ("[E1] Mira [/E1] liked the unaffable [E2] dog [/E2] -house .")
    assert marked.words == (None, 0, None, 1, 2, 3, None, 4, None, 4, 5)


@given(st.data())
def test_marked_words_are_the_marked_text(data: st.DataObject) -> None:
    """Whatever parts are marked: words and marks in order, blanks aside."""
    places = st.integers(0, len(TEXT))
    spans = st.tuples(places, places).map(sorted).filter(lambda p: TEXT[p[0] : p[1]].strip())
    (a, b), (c, d) = (data.draw(spans) for _ in range(2))
    first, second = (a, b), (c, d)
    one = example(TEXT, first, second)
    assert one.written is not None
    found = mark_words(one.written, (first, second))
    plain, again = read_marks("".join(found.units))
    letters = [place for place, letter in enumerate(TEXT) if letter != " "]
    assert plain == "".join(TEXT[place] for place in letters)
    for span, (start, end) in zip((first, second), again, strict=True):
        assert letters[start:end] == [p for p in letters if span[0] <= p < span[1]]


def test_marks_are_tokens_of_their_own(build: Callable[..., TaskModel], encoder_kind: str) -> None:
    model = build(encoder_kind)
    assert len(model.tokenizer) <= model.network.encoder.get_input_embeddings().num_embeddings
    batch = tokenize_marked(
        model.tokenizer, [example(), example("Mira fell. It sang.", (0, 4), (11, 13))], 512
    )
    for row in range(2):
        ids = batch.tokens["input_ids"][row].tolist()
        names = model.tokenizer.convert_ids_to_tokens(ids)
        assert [name for name in names if name in MARKS] == list(MARKS)
        assert [names[place] for place in batch.starts[row]] == ["[E1]", "[E2]"]
        words = [word for word in batch.words[row] if word is not None]
        assert sorted(set(words)) == list(range(len(set(words)))) and words == sorted(words)
        assert all(batch.words[row][names.index(mark)] is None for mark in MARKS)


def test_the_vectors_of_both_opening_marks_are_read(build: Callable[..., TaskModel]) -> None:
    model = build(encoder={"hidden_layer": False})
    one = example()
    inputs = Relations.inputs(model.text_inputs, [one], 512)
    with torch.no_grad():
        found = {n: inputs[n] for n in ("input_ids", "attention_mask", "token_type_ids")}
        states = model.network.encoder(**found).last_hidden_state[0]
        ids = inputs["input_ids"][0].tolist()
        first, second = (
            ids.index(model.tokenizer.convert_tokens_to_ids(m)) for m in ("[E1]", "[E2]")
        )
        expected = model.network.output(torch.cat([states[first], states[second]]))
    assert np.allclose(model.scores([one])[0], expected, atol=1e-6)
    assert model.network.output.in_features == 2 * states.shape[-1]


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlnet", "deberta-v2", "t5"])
def test_company_changes_nothing_and_the_marks_do(
    build: Callable[..., TaskModel], kind: str
) -> None:
    model = build(kind, syntax={"sla": {}})
    texts = [
        example(),
        example(TEXT, (25, 28), (0, 4)),
        example("Mira has a dog.", (0, 4), (11, 14)),
    ]
    together = model.scores(texts, batch_tokens=10_000)
    alone = [model.scores([one])[0] for one in texts]
    assert np.allclose(together, alone, atol=2e-5)
    assert not np.allclose(together[0], together[1], atol=1e-4)


def test_a_long_text_is_read_around_its_marks(build: Callable[..., TaskModel]) -> None:
    model = build()
    before, after = "dog " * 300, " cat" * 300
    text = f"{before}Mira liked the letter{after}."
    start = len(before)
    far = example(text, (start, start + 4), (start + 15, start + 21))
    ids = Relations.inputs(model.text_inputs, [far], 40)["input_ids"][0].tolist()
    names = model.tokenizer.convert_ids_to_tokens(ids)
    assert len(names) == 40
    assert [names.count(mark) for mark in MARKS] == [1, 1, 1, 1]
    assert names.count("dog") > 5 and names.count("cat") > 5
    assert np.isfinite(model.scores([far])[0]).all()
    apart = example(text, (0, 3), (start, start + 4), place="a.jsonl:7")
    with pytest.raises(
        DataError,
        match=r"a\.jsonl:7: the text from the first to the last mark has 305 subwords, more than the 38",
    ):
        model.training_items([apart], 40)


# --- macro F1

RELATIONS = [
    "Cause-Effect",
    "Component-Whole",
    "Content-Container",
    "Entity-Destination",
    "Entity-Origin",
    "Instrument-Agency",
    "Member-Collection",
    "Message-Topic",
    "Product-Producer",
]
# A matrix that somebody published with the official scorer's result for it: rows are right, columns
# predicted, the last of each Other; the diagonal has right directions. Then the wrong directions.
PUBLISHED = """
300 0 0 0 4 1 0 2 2 12
1 235 5 1 1 11 11 6 3 29
0 5 160 7 2 0 1 1 1 11
0 2 7 264 0 0 0 1 1 16
3 1 1 4 226 1 0 1 3 16
0 4 1 1 1 118 0 4 5 21
0 4 0 0 2 0 206 1 0 19
1 5 0 1 2 0 2 229 1 19
5 1 2 0 4 9 0 3 177 27
16 25 18 23 27 24 29 33 26 231
"""
WRONG_WAY = [3, 8, 4, 1, 1, 0, 0, 1, 2]


def test_macro_f1_is_the_official_scorers() -> None:
    labels = [f"{name}({way})" for name in RELATIONS for way in ("e1,e2", "e2,e1")] + ["Other"]
    matrix = np.array([row.split() for row in PUBLISHED.split("\n") if row], dtype=int)
    gold: list[int] = []
    found: list[int] = []
    for row, column in np.ndindex(10, 10):
        count = int(matrix[row, column])
        for number in range(count):  # directions alternate, but for what is right
            turned = number % 2 if row < 9 else 0
            gold.append(2 * row + turned)
            way = turned if row == column or column == 9 else (number // 2) % 2
            found.append(2 * column + (way if column < 9 else 0))
    for relation, count in enumerate(WRONG_WAY):
        gold += [2 * relation] * count
        found += [2 * relation + 1] * count
    scores = TaskSettings(kind="relations").of_kind.score(labels, gold, found)
    assert round(scores["relation_f1"], 2) == 83.25
    assert round(scores["accuracy"], 2) == round(100 * 2146 / 2706, 2)


def test_relations_by_hand() -> None:
    """Right, a wrong direction, Other missed, Other found where there is a relation; one that gold has not."""
    labels = ["A(e1,e2)", "A(e2,e1)", "B(e1,e2)", "Other", "C"]
    relations = relations_of(labels, "Other")
    assert relations.tolist() == [0, 0, 1, -1, 2]
    gold, found = [0, 0, 1, 3, 2, 3], [0, 1, 3, 2, 2, 4]
    right = [one for one, other in zip(gold, found, strict=True) if one == other]
    counts = np.array([np.bincount(one, minlength=5) for one in (right, gold, found)])
    # A: 1 right, 3 there, 2 found; B: 1, 1, 2; C is found, but nowhere in gold: it does not count.
    assert relation_f1(counts[None] * 1.0, relations)[0] == pytest.approx(100 * (2 / 5 + 2 / 3) / 2)
    assert relation_f1(np.zeros((1, 3, 5)), relations)[0] == 0
    assert relations_of(["no", "yes"], "Other").tolist() == [0, 1]
