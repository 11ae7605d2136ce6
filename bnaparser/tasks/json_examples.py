"""Examples in JSON: questions with their passages and answers, and relations of two parts of a text.

A line of a ``.jsonl`` file is an object. A question has its passage, and answers with their place in
it, of which there may be none::

    {"question": "Who sang?", "context": "Mira sang.", "answers": [{"text": "Mira", "start": 0}]}

A relation has a text and its two parts, from and to in characters::

    {"text": "Mira has a dog.", "e1": [0, 4], "e2": [11, 14], "label": "Owner-Owned(e1,e2)"}

SQuAD's own files (Rajpurkar and others 2016 and 2018) are one object, with passages below articles.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bnaparser.errors import DataError
from bnaparser.files.tables import parse_json, whole_characters
from bnaparser.tasks.examples import Span, TaskExample
from bnaparser.tasks.settings import TaskFile, TaskSettings
from bnaparser.tasks.task_lines import class_of, read_lines

PARTS = ("e1", "e2")


def read_answers(path: Path, task: TaskSettings) -> Iterator[TaskExample]:
    """Yield the questions of a file with an object a line.

    Raises DataError, naming file and line, for what is no question, has no passage, or has an
    answer that does not stand where it says.
    """
    question, passage = task.texts
    for place, found in _objects(path):
        asked = _text(found, question, place, "question")
        read = _text(found, passage, place, "passage")
        yield _answered(asked, read, found.get("answers"), "start", place)


def read_squad(path: Path) -> Iterator[TaskExample]:
    """Yield the questions of a file in SQuAD's own form, version 1.1 or 2.0.

    Raises DataError as ``read_answers`` does, naming the question by its id.
    """
    text = "\n".join(line for _, line in read_lines(path))
    try:
        articles = parse_json(text)["data"]
        paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
        asked = [(paragraph, question) for paragraph in paragraphs for question in paragraph["qas"]]
    except ValueError as error:
        raise DataError(f"{path} is not JSON: {error}") from error
    except KeyError as error:
        raise DataError(
            f"{path} is not in SQuAD's form, data, paragraphs, qas: {error} is missing"
        ) from error
    except TypeError as error:
        raise DataError(
            f"{path} is not in SQuAD's form, lists of objects under data, paragraphs, qas"
        ) from error
    for number, (paragraph, question) in enumerate(asked, 1):
        name = question.get("id", number) if isinstance(question, dict) else number
        place = f"{path}: question {name}"
        read = _text(paragraph, "context", place, "passage")
        yield _answered(
            _text(question, "question", place, "question"),
            read,
            [] if question.get("is_impossible") else question.get("answers"),
            "answer_start",
            place,
        )


def read_relations(path: Path, file: TaskFile, task: TaskSettings) -> Iterator[TaskExample]:
    """Yield the relations of a file with an object a line.

    Raises DataError, naming file and line, for what has no text or label, or whose parts are not
    in the text.
    """
    for place, found in _objects(path):
        text = _text(found, task.texts[0], place, "text")
        label = found.get(task.label)
        if not isinstance(label, str):
            raise DataError(f"{place}: there is no label {task.label!r}")
        name = class_of(label, file, place)
        if name is not None:
            first, second = (_part(found, part, text, place) for part in PARTS)
            yield TaskExample((text,), name, place, (first, second))


def _objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in read_lines(path):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            found = parse_json(line)
        except ValueError as error:
            raise DataError(f"{place}: not JSON: {error}") from error
        if not isinstance(found, dict):
            raise DataError(f"{place}: not an object {{...}}: {line[:40]!r}")
        yield place, found


def _text(found: Any, key: str, place: str, what: str) -> str:
    text = found.get(key) if isinstance(found, dict) else None
    if not isinstance(text, str):
        raise DataError(f"{place}: there is no {what}, a text under {key!r}")
    if not text.strip():
        raise DataError(f"{place}: the {what} is empty")
    whole: str = whole_characters(text)
    return whole


def _answered(question: str, passage: str, answers: Any, key: str, place: str) -> TaskExample:
    """Return a question with its answers, each of which stands in the passage at ``key``."""
    if not isinstance(answers, list):
        raise DataError(f"{place}: 'answers' is no list; it is empty where there is no answer")
    spans = [_answer(answer, passage, key, place) for answer in answers]
    texts = tuple(passage[start:end] for start, end in spans)
    return TaskExample((question, passage), texts, place, answer=spans[0] if spans else None)


def _answer(answer: Any, passage: str, key: str, place: str) -> Span:
    text = _text(answer, "text", place, "answer")
    start = answer.get(key)
    if not _is_number(start):
        raise DataError(f"{place}: the answer {text[:60]!r} has no {key!r}, its first character")
    if start >= 0 and passage.startswith(text, start):
        return start, start + len(text)
    stands = passage.find(text)
    if stands < 0:
        raise DataError(f"{place}: the answer {text[:60]!r} is not in the passage")
    raise DataError(
        f"{place}: the answer {text[:60]!r} is not at character {start} of the passage, but first at"
        f" {stands}"
    )


def _part(found: dict[str, Any], key: str, text: str, place: str) -> Span:
    part = found.get(key)
    if not isinstance(part, list) or len(part) != 2 or not all(map(_is_number, part)):
        raise DataError(f"{place}: there is no {key!r}, as in [4, 9], from and to in characters")
    start, end = part
    if not 0 <= start < end <= len(text):
        raise DataError(
            f"{place}: {key!r} is {part}, but goes from 0 to {len(text)}, the length of the text"
        )
    if not text[start:end].strip():
        raise DataError(f"{place}: {key!r} is {part}, where the text has blanks alone")
    return start, end


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
