"""Questions and relations in JSON, SQuAD's own form, and what is wrong with them in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bnaparser.errors import DataError
from bnaparser.tasks.data import read_examples
from bnaparser.tasks.examples import TaskExample, TaskFile
from bnaparser.tasks.settings import TaskSettings

ANSWERS = TaskSettings(kind="answers")
RELATIONS = TaskSettings(kind="relations")
PASSAGE = "Mira sang. The dog fell, and Mira slept."


def read(path: Path, task: TaskSettings, text: str, **file: Any) -> list[TaskExample]:
    path.write_text(text, encoding="utf-8")
    return read_examples([TaskFile.model_validate({"path": str(path), **file})], task)


def question(**changes: Any) -> dict[str, Any]:
    right = [{"text": "The dog", "start": 11}, {"text": "dog", "start": 15}]
    return {"id": 1, "question": "Who fell?", "context": PASSAGE, "answers": right, **changes}


def relation(**changes: Any) -> dict[str, Any]:
    return {"text": "Mira has a dog.", "e1": [0, 4], "e2": [11, 14], "label": "Owner", **changes}


def test_questions_a_line_with_their_answers_or_none(tmp_path: Path) -> None:
    lines = [question(), question(answers=[])]
    first, second = read(tmp_path / "a.jsonl", ANSWERS, "\n\n".join(map(json.dumps, lines)))
    assert first.texts == ("Who fell?", PASSAGE)
    assert (first.gold, first.answer) == (("The dog", "dog"), (11, 18))
    assert (second.gold, second.answer) == ((), None)
    assert second.place.endswith("a.jsonl:3")


def squad(*questions: dict[str, Any], passage: str = PASSAGE) -> str:
    return json.dumps({"data": [{"paragraphs": [{"context": passage, "qas": list(questions)}]}]})


def test_squads_own_form(tmp_path: Path) -> None:
    """Version 1.1 has no is_impossible, 2.0 has plausible answers that are none."""
    answer = {"text": "Mira", "answer_start": 29}
    asked = {"id": "a", "question": "Who slept?", "answers": [answer]}
    impossible = {
        **asked,
        "id": "b",
        "is_impossible": True,
        "answers": [],
        "plausible_answers": [answer],
    }
    first, second = read(tmp_path / "train.json", ANSWERS, squad(asked, impossible))
    assert (first.gold, first.answer) == (("Mira",), (29, 33))
    assert (second.gold, second.answer, second.texts) == ((), None, first.texts)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"answers": [{"text": "cat", "start": 3}]}, "the answer 'cat' is not in the passage"),
        (
            {"answers": [{"text": "dog", "start": 14}]},
            "not at character 14 .* but first at character 15",
        ),
        (
            {"answers": [{"text": "dog", "start": -5}]},
            "not at character -5 .* but first at character 15",
        ),
        ({"answers": [{"text": "dog"}]}, "the answer 'dog' has no 'start'"),
        ({"answers": [{"text": "dog", "start": True}]}, "the answer 'dog' has no 'start'"),
        ({"answers": [{"text": " ", "start": 4}]}, "the answer is empty"),
        ({"answers": "dog"}, "'answers' must be a list"),
        ({"answers": None}, "'answers' must be a list"),
        ({"context": " "}, "the passage is empty"),
        ({"context": None}, "there is no passage, a text under 'context'"),
        ({"question": ""}, "the question is empty"),
        ({"question": 5}, "there is no question, a text under 'question'"),
    ],
)
def test_what_is_wrong_with_a_question_has_its_line(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    lines = [json.dumps(question()), json.dumps(question(**changes))]
    with pytest.raises(DataError, match=rf"a\.jsonl:2: .*{says}"):
        read(tmp_path / "a.jsonl", ANSWERS, "\n".join(lines))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON"),
        ('{"version": "1.1"}', "not in SQuAD's format"),
        ("[]", "not in SQuAD's format"),
        (squad({"id": "a", "answers": []}), "question a: there is no question"),
        (
            squad({"id": "a", "question": "?", "answers": []}, passage=""),
            "question a: the passage is",
        ),
        (
            squad({"question": "?", "answers": [{"text": "cat", "answer_start": 0}]}),
            "question 1: the answer 'cat' is not in the passage",
        ),
    ],
)
def test_what_is_wrong_with_squads_form(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(DataError, match=rf"train\.json.*{says}"):
        read(tmp_path / "train.json", ANSWERS, text)


def test_relations_a_line_and_in_tables(tmp_path: Path) -> None:
    (first,) = read(tmp_path / "a.jsonl", RELATIONS, json.dumps(relation()))
    assert (first.texts, first.gold, first.marks) == (
        ("Mira has a dog.",),
        "Owner",
        ((0, 4), (11, 14)),
    )
    table = "label\ttext\nOwner\t[E1]Mira[/E1] has a [E2]dog[/E2].\n"
    assert read(tmp_path / "a.tsv", RELATIONS, table) == [first]
    assert not read_all_dropped(tmp_path)


def read_all_dropped(folder: Path) -> list[TaskExample]:
    lines = [json.dumps(relation()), json.dumps(relation(label="Other"))]
    kept = read(folder / "b.jsonl", RELATIONS, "\n".join(lines), drop=["Other"])
    return [one for one in kept if one.gold != "Owner"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"e1": [0, 99]}, r"'e1' is \[0, 99\], but must lie from 0 to 15, the length of the text"),
        ({"e1": [4, 4]}, r"'e1' is \[4, 4\]"),
        ({"e2": [4, 5]}, "'e2' is .* where the text has only blanks"),
        ({"e2": [1]}, r"there is no 'e2', as in \[4, 9\]"),
        ({"e2": None}, "there is no 'e2'"),
        ({"label": None}, "there is no label 'label'"),
        ({"label": " "}, "the label is empty"),
        ({"text": ""}, "the text is empty"),
    ],
)
def test_what_is_wrong_with_a_relation_has_its_line(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(DataError, match=rf"a\.jsonl:1: .*{says}"):
        read(tmp_path / "a.jsonl", RELATIONS, json.dumps(relation(**changes)))


@pytest.mark.parametrize(
    ("name", "task", "text", "says"),
    [
        ("a.jsonl", ANSWERS, "{]", "a.jsonl:1: not JSON"),
        ("a.jsonl", RELATIONS, "[1]", "a.jsonl:1: not an object"),
        ("a.tsv", ANSWERS, "x", r"a file of questions and answers must be \.jsonl"),
        ("a.txt", RELATIONS, "x", r"a file of relations must be \.jsonl"),
        ("a.jsonl", TaskSettings(), "{}", r"end in \.tsv"),
        ("a.jsonl", ANSWERS, "\n", "the file holds no example"),
        ("a.tsv", RELATIONS, "label\ttext\nx\t[E1]a[/E1] b\n", r"a\.tsv:2: mark the two spans"),
    ],
)
def test_files_of_another_kind(
    tmp_path: Path, name: str, task: TaskSettings, text: str, says: str
) -> None:
    with pytest.raises(DataError, match=says):
        read(tmp_path / name, task, text)


def test_a_file_that_is_not_divided_is_divided_by_parts(task_data: Path) -> None:
    """SemEval-2010 has no development data."""
    path = str(task_data / "relations.jsonl")

    def part(first: float, end: float) -> list[str]:
        file = TaskFile(path=path, part=(first, end))
        return [one.place for one in read_examples([file], RELATIONS)]

    train, dev = part(0.0, 0.75), part(0.75, 1.0)
    assert (len(train), len(dev)) == (36, 12)
    assert not set(train) & set(dev)
    assert sorted([*train, *dev]) == sorted(part(0.0, 1.0))
    assert dev == part(0.75, 1.0) != part(0.0, 1.0)[36:]
    with pytest.raises(DataError, match="this part of its 48 examples is empty"):
        part(0.0, 0.001)


def test_parts_of_a_file_share_no_passage(tmp_path: Path) -> None:
    lines = [
        {"question": f"Who {n}?", "context": f"It {n % 10}.", "answers": []} for n in range(40)
    ]
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    parts = [
        read_examples([TaskFile(path=str(file), part=part)], ANSWERS)
        for part in ((0.0, 0.7), (0.7, 1.0))
    ]
    assert list(map(len, parts)) == [28, 12]
    train, dev = ({one.texts[1] for one in part} for part in parts)
    assert not train & dev
