"""Question answering: the part of a passage that answers a question, or that there is none.

Answers are scored as the program of SQuAD 2.0 scores them (Rajpurkar and others 2016 and 2018): case,
punctuation and articles do not count; of several right answers the nearest counts. If there is no
right answer, an empty answer is right and any other is wrong. The program of SQuAD 1.1 differs only
where a right answer is nothing but articles and punctuation. That of 2.0 leaves such an answer out, so
that an empty answer earns nothing by it.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import torch.nn.functional as F
from torch import Tensor
from transformers import PreTrainedModel

from bnaparser.errors import DataError
from bnaparser.files.compressed import ending
from bnaparser.files.tables import parse_json
from bnaparser.tasks.examples import (
    Span,
    TaskExample,
    TaskFile,
    is_number,
    read_lines,
    read_objects,
    text_of,
)
from bnaparser.tasks.kinds.answer_spans import (
    NO_ANSWER,
    AnswerCandidates,
    best_threshold,
    find_candidates,
)
from bnaparser.tasks.kinds.answer_windows import TrainingWindow
from bnaparser.tasks.kinds.base import Examples, Logits, TaskKind, TextInputs
from bnaparser.tasks.metrics import Floats, Labels, Metric, Runs, Scores, Sums, ratio, sums_of_runs
from bnaparser.tasks.result import FoundAnswer

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")

Words = list[str]
Answers = tuple[str, ...]


class QuestionAnswering(TaskKind):
    """Questions on passages, whose answer is a part of the passage."""

    metrics: ClassVar[tuple[Metric, ...]] = ("answer_f1", "exact_match")
    default_texts: ClassVar[tuple[str, ...]] = ("question", "context")
    pairs: ClassVar[bool | None] = True
    pairs_error: ClassVar[str] = (
        "texts names two columns: that of the question, that of the passage"
    )
    pair_names: ClassVar[tuple[str, str]] = ("question", "passage")
    not_a_pair: ClassVar[str] = (
        "this model takes a question and a passage: two texts with one tab between"
    )
    of_tokens: ClassVar[bool] = True
    places: ClassVar[bool] = True
    passages: ClassVar[bool] = True
    uncut: ClassVar[bool] = True
    has_labels: ClassVar[bool] = False

    def read(self, path: Path, file: TaskFile) -> Iterator[TaskExample]:
        """Return the questions of a JSON Lines file, or of a file in SQuAD's format."""
        if ending(path) == ".json":
            return read_squad(path)
        if ending(path) == ".jsonl":
            return self._read_objects(path)
        raise DataError(
            f"{path}: a file of questions and answers must be .jsonl, with one object per line, or SQuAD's .json"
        )

    def _read_objects(self, path: Path) -> Iterator[TaskExample]:
        """Yield the questions of a file with an object a line.

        An object has a question, its passage, and answers with their places, of which there may be none::

            {"question": "Who sang?", "context": "Mira sang.", "answers": [{"text": "Mira", "start": 0}]}

        Raises DataError, naming file and line, for what is no question, has no passage, or has an
        answer that does not stand where it says.
        """
        question, passage = self.texts
        for place, found in read_objects(path):
            query = text_of(found, question, place, "question")
            read = text_of(found, passage, place, "passage")
            yield _answered(query, read, found.get("answers"), "start", place)

    def labels(self, examples: Sequence[TaskExample]) -> tuple[str, ...]:
        """Return no classes."""
        return ()

    def encode(self, example: TaskExample, numbers: Mapping[str, int]) -> Answers:
        """Return the right answers; none where the passage has none."""
        return cast("tuple[str, ...]", example.gold)

    def outputs(self, labels: Labels) -> int:
        """Return 2: a token's scores as the start and as the end of an answer."""
        return 2

    def prepare(self, inputs: TextInputs, encoder: PreTrainedModel) -> None:
        """Raise SettingsError if windows leave passages no space."""
        _ = inputs.reader

    def training_items(
        self, inputs: TextInputs, examples: Examples, max_pieces: int
    ) -> Sequence[TrainingWindow]:
        """Return the windows of all examples."""
        return [
            TrainingWindow(example, number, len(window))
            for example in examples
            for number, window in enumerate(inputs.reader.windows(example))
        ]

    def training_batch(
        self, inputs: TextInputs, items: Sequence[TrainingWindow], max_pieces: int
    ) -> dict[str, Any]:
        """Return the inputs of windows, and the tokens where their answers begin and end."""
        return inputs.reader.training_batch(items, inputs.variant)

    def loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the mean of the cross-entropies of start and of end, over the tokens."""
        return F.cross_entropy(logits.float(), labels)

    def found(
        self,
        inputs: TextInputs,
        examples: Examples,
        logits: Logits,
        batch_tokens: int,
    ) -> list[AnswerCandidates]:
        """Return the best answers to each question, in order."""
        return find_candidates(inputs.reader, examples, inputs.variant, logits, batch_tokens)

    def is_finite(self, found: AnswerCandidates) -> bool:
        """Return whether all scores of candidates are numbers."""
        return found.finite

    def threshold(
        self, metric: Metric, gold: Sequence[Answers], found: Sequence[AnswerCandidates]
    ) -> float | None:
        """Return the threshold with which answers score highest; None if each question has an answer."""
        if all(gold):
            return None
        answered = answer_scores(gold, [candidates.text for candidates in found])[metric]
        silent = answer_scores(gold, [NO_ANSWER] * len(found))[metric]
        return best_threshold([candidates.margin for candidates in found], answered, silent)

    def decode(self, found: AnswerCandidates, threshold: float) -> str:
        """Return the answer, NO_ANSWER if the threshold excludes all answers."""
        return found.answer(threshold)

    def answer(self, found: AnswerCandidates, labels: Labels, threshold: float) -> dict[str, Any]:
        """Return the best answers to a question."""
        if not found.spans:
            return {"error": "the model's tokenizer reads none of the passage's words"}
        answers = tuple(
            FoundAnswer(found.text_of(span), span.start, span.end, share)
            for span, share in zip(found.spans, found.shares(threshold), strict=True)
        )
        return {"answer": found.answer(threshold), "answers": answers}

    def score(self, labels: Labels, gold: Sequence[Answers], predicted: Sequence[str]) -> Scores:
        """Return F1 and exact match of the answers."""
        found = answer_scores(gold, predicted)
        return {name: 100.0 * float(np.mean(values)) for name, values in found.items()}

    def tested(self, metric: Metric, labels: Labels, gold: Sequence[Answers], runs: Runs) -> Sums:
        """Return what both runs' answers score."""

        def sums(seed: Sequence[Any]) -> Floats:
            """Return of each question what its answer scores, and 1."""
            scores = answer_scores(gold, seed)[metric]
            return np.stack([np.array(scores), np.ones(len(scores))], axis=1)

        return sums_of_runs(runs, sums, lambda rows: 100 * ratio(rows[:, 0], rows[:, 1]))


def read_squad(path: Path) -> Iterator[TaskExample]:
    """Yield the questions of a file in SQuAD's own form, version 1.1 or 2.0.

    Raises DataError as ``read_objects`` does, naming the question by its id.
    """
    text = "\n".join(line for _, line in read_lines(path))
    try:
        articles = parse_json(text)["data"]
        paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
        questions = [
            (paragraph, question) for paragraph in paragraphs for question in paragraph["qas"]
        ]
    except ValueError as error:
        raise DataError(f"{path} is not JSON: {error}") from error
    except KeyError as error:
        raise DataError(
            f"{path} is not in SQuAD's format: the key {error} is missing (there must be data, paragraphs and qas)"
        ) from error
    except TypeError as error:
        raise DataError(
            f"{path} is not in SQuAD's format: data, paragraphs and qas must be lists of objects"
        ) from error
    for number, (paragraph, question) in enumerate(questions, 1):
        name = question.get("id", number) if isinstance(question, dict) else number
        place = f"{path}: question {name}"
        read = text_of(paragraph, "context", place, "passage")
        yield _answered(
            text_of(question, "question", place, "question"),
            read,
            [] if question.get("is_impossible") else question.get("answers"),
            "answer_start",
            place,
        )


def _answered(question: str, passage: str, answers: Any, key: str, place: str) -> TaskExample:
    """Return a question with its answers, each of which stands in the passage at ``key``."""
    if not isinstance(answers, list):
        raise DataError(f"{place}: 'answers' must be a list, which is empty if there is no answer")
    spans = [_answer(answer, passage, key, place) for answer in answers]
    texts = tuple(passage[start:end] for start, end in spans)
    return TaskExample((question, passage), texts, place, answer=spans[0] if spans else None)


def _answer(answer: Any, passage: str, key: str, place: str) -> Span:
    text = text_of(answer, "text", place, "answer")
    start = answer.get(key)
    if not is_number(start):
        raise DataError(f"{place}: the answer {text[:60]!r} has no {key!r}, its first character")
    if start >= 0 and passage.startswith(text, start):
        return start, start + len(text)
    stands = passage.find(text)
    if stands < 0:
        raise DataError(f"{place}: the answer {text[:60]!r} is not in the passage")
    raise DataError(
        f"{place}: the answer {text[:60]!r} is not at character {start} of the passage, but first at"
        f" character {stands}"
    )


def answer_scores(
    gold: Sequence[Sequence[str]], predicted: Sequence[str]
) -> dict[str, list[float]]:
    """Return exact match and F1 of each predicted answer, from 0 to 1, by their names as metrics.

    Args:
        gold: The right answers of each question; none where the passage has no answer.
        predicted: The answer to each question, empty if none was given.
    """
    found: dict[str, list[float]] = {"answer_f1": [], "exact_match": []}
    for right, answer in zip(gold, predicted, strict=True):
        words = _words_that_count(answer)
        golds = [one for one in map(_words_that_count, right) if one] or [[]]
        found["answer_f1"].append(max(_f1(one, words) for one in golds))
        found["exact_match"].append(float(words in golds))
    return found


def _words_that_count(text: str) -> Words:
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def _f1(gold: Words, predicted: Words) -> float:
    if not (gold and predicted):
        return float(gold == predicted)
    same = (Counter(gold) & Counter(predicted)).total()
    if not same:
        return 0.0
    precision, recall = same / len(predicted), same / len(gold)
    return 2 * precision * recall / (precision + recall)
