"""The kinds of tasks, a file each; a new kind is a class here and its name in ``KINDS``."""

from __future__ import annotations

from bnaparser.tasks.kinds.base import TaskKind
from bnaparser.tasks.kinds.classification import TextClassification
from bnaparser.tasks.kinds.question_answering import QuestionAnswering
from bnaparser.tasks.kinds.regression import Regression
from bnaparser.tasks.kinds.relations import Relations
from bnaparser.tasks.kinds.tagging import Tagging

KINDS: dict[str, type[TaskKind]] = {
    "classification": TextClassification,
    "regression": Regression,
    "tagging": Tagging,
    "relations": Relations,
    "answers": QuestionAnswering,
}
