"""Every setting of a task: what is learned, from which files, on which encoder, and how.

A task's recipe is a TOML file with the tables ``[task]``, ``[encoder]``, ``[syntax]`` and
``[train]``; the table ``[task]`` is what tells it from a parser's recipe. Unknown keys are errors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from bnaparser.errors import SettingsError
from bnaparser.files.tables import parse_toml
from bnaparser.settings import Seed, Settings, read_table, validate
from bnaparser.syntax.masks import SyntaxSettings
from bnaparser.syntax.variants.lisa import LisaSettings
from bnaparser.syntax.variants.sgnet import SgNetSettings
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBertSettings
from bnaparser.syntax.variants.wla import WlaSettings
from bnaparser.text.text_rules import DEFAULT_LANGUAGE, LANGUAGE_NAMES, check_readable, known_as
from bnaparser.trees.heads.dependencies import head_rules
from bnaparser.trees.heads.rules import HeadRules

Metric = Literal[
    "accuracy",
    "matthews",
    "f1",
    "f0.5",
    "macro_f1",
    "span_f1",
    "relation_f1",
    "answer_f1",
    "exact_match",
    "pearson",
    "spearman",
]
Kind = Literal["classification", "regression", "tagging", "relations", "answers"]
METRICS: dict[Kind, tuple[Metric, ...]] = {
    "classification": ("accuracy", "matthews", "macro_f1", "f1", "f0.5"),
    "regression": ("pearson", "spearman"),
    "tagging": ("span_f1", "accuracy", "macro_f1", "f1", "f0.5"),
    "relations": ("relation_f1", "accuracy", "macro_f1", "f1", "f0.5"),
    "answers": ("answer_f1", "exact_match"),
}
"""What each kind of task may be judged by; the first is the default."""

COLUMNS: dict[Kind, tuple[str, ...]] = {"relations": ("text",), "answers": ("question", "context")}
"""What a file calls the texts of these kinds where a recipe does not say; else ``sentence``."""


class TaskFile(Settings):
    """One file of examples, plain or packed (.gz, .xz): a table, trees, tagged words, or JSON.

    A name in ``.tsv`` is a table with a header line, unless the task is tagging; relations and
    answers may stand in ``.jsonl``, an object a line, and answers in SQuAD's own ``.json``. Any
    other is read as trees whose nodes have classes for labels, ``(3 (2 It) ...)``. ``labels`` renames the file's
    labels, then each must be named there or in ``drop``, which leaves examples out. With
    ``phrases`` every phrase of at least so many words of a tree is an example, and the whole sentence
    however short it is, each different one once with each of its labels; without it only whole
    sentences are. ``part = [0.0, 0.9]`` takes that part of the examples in a random order, always the
    same, for files that are not divided: the phrases of a tree, and the questions on a passage, are
    all in one part. ``limit`` draws so many examples, always the same.
    """

    path: str = Field(examples=["train.tsv"])
    labels: dict[str, str] = Field({})
    drop: tuple[str, ...] = ()
    phrases: int | None = Field(None, gt=0)
    part: tuple[float, float] | None = None
    limit: int | None = Field(None, gt=0)

    @model_validator(mode="after")
    def _within(self) -> TaskFile:
        if self.part is not None and not 0 <= self.part[0] < self.part[1] <= 1:
            raise ValueError("part is two shares that rise, as in [0.9, 1.0]")
        return self


class TaskSettings(Settings):
    """What a model of a task predicts: a class or a score of a text, or of each of its words.

    Or the class of how two marked parts of a text are related, or where in a passage the answer to
    a question stands. ``texts`` names the columns of a table, or the keys in JSON, that hold the
    text: one, or two for a pair or for question and passage; ``label`` is that of the class or
    score. ``positive`` is the class that f1 and f0.5 are those of, ``other`` the class that is no
    relation: relation_f1 leaves it out. ``metric`` picks the best model on the development data.
    ``language`` is that of the texts, a code of `LANGUAGE_NAMES` or ``zh``.
    """

    kind: Kind = "classification"
    language: str = DEFAULT_LANGUAGE
    texts: tuple[str, ...] = ("sentence",)
    label: str = "label"
    positive: str | None = None
    other: str = "Other"
    metric: Metric | None = None

    @model_validator(mode="before")
    @classmethod
    def _columns(cls, table: Any) -> Any:
        if isinstance(table, dict) and table.get("kind") in COLUMNS:
            return {"texts": COLUMNS[table["kind"]], **table}
        return table

    @field_validator("language")
    @classmethod
    def _known(cls, language: str) -> str:
        return language if known_as(language, LANGUAGE_NAMES) else check_readable(language)

    @model_validator(mode="after")
    def _fits(self) -> TaskSettings:
        if len(self.texts) not in (1, 2):
            raise ValueError("texts names one column, or two for a pair")
        if self.kind == "tagging" and self.pair:
            raise ValueError("words of a pair cannot be tagged: texts names one column")
        if self.kind == "relations" and self.pair:
            raise ValueError("both parts of a relation are in one text: texts names one column")
        if self.kind == "answers" and not self.pair:
            raise ValueError("texts names two columns: that of the question, that of the passage")
        if self.metric is not None and self.metric not in METRICS[self.kind]:
            known = ", ".join(METRICS[self.kind])
            raise ValueError(f"the metric of kind {self.kind} is one of {known}")
        if self.main_metric in ("f1", "f0.5") and self.positive is None:
            raise ValueError(f"metric {self.metric} needs the class that it is of: set positive")
        return self

    @property
    def pair(self) -> bool:
        """Whether a text is two texts."""
        return len(self.texts) == 2

    @property
    def main_metric(self) -> Metric:
        """The metric that models are judged by."""
        return self.metric or METRICS[self.kind][0]


class AnswerSettings(Settings):
    """How a model of answers reads passages, in pieces of words, and what it gives.

    A ``window`` holds the question, cut to ``question`` pieces, special tokens, and as much of the
    passage as there is room for; the next one begins ``stride`` pieces later. An answer has at most
    ``longest`` pieces, and the ``best`` ones are given. But for the last these are the numbers of
    BERT's program for SQuAD (Devlin and others 2019); SpanBERT's windows have 512 pieces.
    """

    window: int = Field(384, gt=0)
    stride: int = Field(128, gt=0)
    question: int = Field(64, gt=0)
    longest: int = Field(30, gt=0)
    best: int = Field(5, gt=0)

    @model_validator(mode="after")
    def _room(self) -> AnswerSettings:
        if self.question * 2 > self.window:
            raise ValueError("question is at most half of window: the passage needs room, too")
        return self


class TaskEncoderSettings(Settings):
    """The pre-trained encoder, and how the states of its tokens become those of a text.

    ``name`` is a folder or hub name of transformers, or one that ``bnaparser prune`` wrote.
    ``pooling`` takes the first token, the last one (XLNet), or the mean of all; relations take the
    marks before both parts, and answers and tags each token. ``hidden`` puts a layer with tanh
    below the last one, as BERT's pooler is one. ``dropout`` is the head's.
    """

    name: str
    pooling: Literal["first", "last", "mean"] = "first"
    hidden: bool = True
    dropout: float = Field(0.1, ge=0, lt=1)


class SyntaxTable(Settings):
    """At most one variant, and where its trees come from.

    The variant is a table of its own settings, ``[syntax.sla]``; without one the encoder stays
    plain. ``trees`` are those of our parser (``parser`` names its model), of spaCy (``spacy`` its
    pipeline), of ``files`` that the user brings, or random ones, the control. ``cache`` is a file
    that keeps parsed trees, and the words of running text in other languages than English. ``heads`` are the head rules that make dependencies.
    """

    sla: SlaSettings | None = None
    wla: WlaSettings | None = None
    lisa: LisaSettings | None = None
    sgnet: SgNetSettings | None = None
    syntax_bert: SyntaxBertSettings | None = None
    trees: Literal["parser", "spacy", "files", "random"] = "parser"
    parser: str = "en"
    spacy: str = "en_core_web_sm"
    files: tuple[str, ...] = ()
    cache: str | None = None
    heads: Literal["ud", "collins"] = "ud"

    @model_validator(mode="after")
    def _one(self) -> SyntaxTable:
        given = [name for name in VARIANTS if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"one variant at a time, not {' and '.join(given)}")
        if (self.trees == "files") != bool(self.files):
            raise ValueError('trees = "files" and files = [...] go together')
        return self

    @property
    def variant(self) -> SyntaxSettings | None:
        """The variant's settings, or None for the plain encoder."""
        found = (getattr(self, name) for name in VARIANTS)
        return next((one for one in found if one is not None), None)

    @property
    def needs_trees(self) -> bool:
        """Whether the variant looks at trees: a linear window does not."""
        return self.variant is not None and self.wla is None

    def with_parser(self, name: str, language: str = DEFAULT_LANGUAGE) -> SyntaxTable:
        """Return the table with the trees of another parser in the place of our own or of files.

        In another language than English the parser finds the words, too. Raises SettingsError where the
        trees are random or spaCy's, and it finds no words.
        """
        if language == DEFAULT_LANGUAGE and self.needs_trees and self.trees in ("spacy", "random"):
            trees = "random trees" if self.trees == "random" else f"those of spaCy's {self.spacy}"
            raise SettingsError(
                f"the trees of this model are {trees}, and no parser's: leave the parser out"
            )
        update: dict[str, object] = {"parser": name}
        if self.trees == "files":
            update |= {"trees": "parser", "files": ()}
        return self.model_copy(update=update)

    @property
    def rules(self) -> HeadRules:
        """The head rules that ``heads`` names."""
        return head_rules(self.heads)


VARIANTS = ("sla", "wla", "lisa", "sgnet", "syntax_bert")


class TaskModelSettings(Settings):
    """All that is needed to build a task's network, and so all that is stored beside its weights."""

    task: TaskSettings = TaskSettings()
    encoder: TaskEncoderSettings
    syntax: SyntaxTable = SyntaxTable()
    answers: AnswerSettings = AnswerSettings()

    def portable(self) -> TaskModelSettings:
        """Return the settings as a model folder holds them.

        Of paths of this machine they keep those of the parser or the files whose trees steered the
        training, or of the parser that found the words: without these the model is another.
        """
        syntax = self.syntax.model_copy(update={"cache": None})
        steers = syntax.needs_trees and syntax.trees == "parser"
        steers |= self.task.language != DEFAULT_LANGUAGE
        if not steers and Path(syntax.parser).is_dir():
            syntax = syntax.model_copy(update={"parser": "en"})
        name = self.encoder.name
        encoder = self.encoder.model_copy(
            update={"name": Path(name).name if Path(name).is_dir() else name}
        )
        return TaskModelSettings(
            task=self.task, encoder=encoder, syntax=syntax, answers=self.answers
        )


class TaskTrainSettings(Settings):
    """How a task is trained; batch size, rates and lengths are those of the SLA paper (A.1).

    ``max_pieces`` cuts training texts; passages go in windows. ``new_learning_rate`` is that of parameters that are not
    pre-trained, the head's and the variant's. ``warmup`` is the share of updates in which the rate
    rises; then it falls in a straight line. The model is judged on ``dev`` each ``check_updates``,
    by default four times an epoch; each of ``seeds`` is a run of its own. ``batch_tokens`` bounds
    evaluation's batches.
    """

    data: tuple[TaskFile, ...] = ()
    dev: tuple[TaskFile, ...] = ()
    test: tuple[TaskFile, ...] = ()
    max_pieces: int = Field(128, gt=2)
    batch_size: int = Field(32, gt=0)
    pool_batches: int = Field(8, gt=0)
    epochs: float = Field(3.0, gt=0)
    max_updates: int | None = Field(None, gt=0)
    learning_rate: float = Field(3e-5, gt=0)
    new_learning_rate: float | None = Field(None, gt=0)
    warmup: float = Field(0.1, ge=0, lt=1)
    weight_decay: float = Field(0.01, ge=0)
    clip_norm: float = Field(1.0, gt=0)
    check_updates: int | None = Field(None, gt=0)
    batch_tokens: int | None = Field(None, gt=0)
    precision: Literal["no", "bf16", "fp16"] = "no"
    device: str | None = None
    threads: int | None = Field(None, gt=0)
    seeds: tuple[Seed, ...] = Field((1,), min_length=1)
    store: Literal["float32", "float16", "int8"] = "float32"

    @model_validator(mode="after")
    def _different(self) -> TaskTrainSettings:
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError("seeds must differ")
        return self


class TaskRecipe(TaskModelSettings):
    """A task's model and its training: what a task's recipe file holds."""

    task: TaskSettings
    train: TaskTrainSettings = TaskTrainSettings()

    @model_validator(mode="after")
    def _answers_are_wanted(self) -> TaskRecipe:
        if self.task.kind != "answers" and self.answers != AnswerSettings():
            raise ValueError(f'the table answers is for kind "answers", not "{self.task.kind}"')
        return self

    def model_settings(self) -> TaskModelSettings:
        """Return the part of the recipe that a trained model needs."""
        return TaskModelSettings(
            task=self.task, encoder=self.encoder, syntax=self.syntax, answers=self.answers
        )


def is_task_recipe(path: str | Path) -> bool:
    """Tell whether a recipe is a task's; one that cannot be read is not, others say why."""
    try:
        return "task" in parse_toml(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return False


def load_task_recipe(path: str | Path, overrides: tuple[str, ...] = ()) -> TaskRecipe:
    """Read a task's TOML recipe; overrides are as those of `bnaparser.training.recipe.load_recipe`.

    Raises DataError when the file cannot be read and SettingsError, naming the key, when a setting
    is unknown or has a value that is not allowed.
    """
    return validate(TaskRecipe, read_table(path, overrides), str(path))
