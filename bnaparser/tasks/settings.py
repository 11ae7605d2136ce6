"""Every setting of a task: what is learned, from which files, on which encoder, and how.

A task's recipe is a TOML file with the tables ``[task]``, ``[encoder]``, ``[syntax]`` and
``[train]``; the table ``[task]`` distinguishes it from a parser's recipe. Unknown keys are errors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from bnaparser.errors import SettingsError
from bnaparser.settings import Seed, Settings, read_table, validate
from bnaparser.syntax.masks import SyntaxSettings
from bnaparser.syntax.variants.lisa import LisaSettings
from bnaparser.syntax.variants.sgnet import SgNetSettings
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBertSettings
from bnaparser.syntax.variants.wla import WlaSettings
from bnaparser.tasks.examples import TaskFile
from bnaparser.tasks.kinds import KINDS
from bnaparser.tasks.kinds.answer_windows import AnswerSettings
from bnaparser.tasks.kinds.base import TaskKind
from bnaparser.tasks.metrics import Metric
from bnaparser.text.text_rules import (
    DEFAULT_LANGUAGE,
    LANGUAGE_NAMES,
    check_readable,
    match_language,
)
from bnaparser.trees.heads.dependencies import head_rules
from bnaparser.trees.heads.rules import HeadRules

Kind = Literal["classification", "regression", "tagging", "relations", "answers"]


class TaskSettings(Settings):
    """What a model of a task predicts: a class or a score of a text, a class of each word, a relation, or an answer."""

    kind: Kind = "classification"
    """Classes or scores of texts; tags of words; relations between two marked spans; answers to questions on a passage."""
    language: str = DEFAULT_LANGUAGE
    """Language of the texts: a code such as "en" (docs/languages.md), or "zh"."""
    texts: tuple[str, ...] = ("sentence",)
    """Columns of a table, or keys in JSON, that hold the text: one, or two for a pair or for question and passage.
    Default of relations: ["text"]; of answers: ["question", "context"].
    """
    label: str = "label"
    """Column or key of the class or score."""
    positive: str | None = None
    """Class whose F1 the metrics ``f1`` and ``f0.5`` compute."""
    other: str = "Other"
    """The class that means "no relation"; ``relation_f1`` leaves it out."""
    metric: Metric | None = None
    """Metric that chooses the best model on the development data. Left out: the main metric of the kind."""

    @model_validator(mode="before")
    @classmethod
    def _columns(cls, table: Any) -> Any:
        kind = table.get("kind") if isinstance(table, dict) else None
        if isinstance(kind, str) and kind in KINDS:
            return {"texts": KINDS[kind].default_texts, **table}
        return table

    @field_validator("language")
    @classmethod
    def _known(cls, language: str) -> str:
        return language if match_language(language, LANGUAGE_NAMES) else check_readable(language)

    @model_validator(mode="after")
    def _fits(self) -> TaskSettings:
        if len(self.texts) not in (1, 2):
            raise ValueError("texts must name one column, or two columns for pairs of texts")
        kind = KINDS[self.kind]
        if kind.pairs not in (None, self.pair):
            raise ValueError(kind.pairs_error)
        if self.metric is not None and self.metric not in kind.metrics:
            known = ", ".join(kind.metrics)
            raise ValueError(f"metric for kind {self.kind} must be one of {known}")
        if self.main_metric in ("f1", "f0.5") and self.positive is None:
            raise ValueError(
                f"metric {self.metric} is the score of one class: set positive to the name of this class"
            )
        return self

    @property
    def pair(self) -> bool:
        """Whether a text is two texts."""
        return len(self.texts) == 2

    @property
    def main_metric(self) -> Metric:
        """The metric that models are judged by."""
        return self.metric or KINDS[self.kind].metrics[0]

    @property
    def of_kind(self) -> TaskKind:
        """The kind of task, with these settings."""
        other_is_set = "other" in self.model_fields_set
        return KINDS[self.kind](self.texts, self.label, self.positive, self.other, other_is_set)


class TaskEncoderSettings(Settings):
    """The pre-trained encoder of a task, and how the vectors of tokens become the vector of a text.

    It differs from a parser's table `[encoder]`.
    """

    name: str
    """Folder or hub name of a Hugging Face encoder, or folder of an encoder that `bnaparser prune` wrote. For
    fewer layers: `bnaparser prune ENCODER DIR --layers N`.
    """
    pooling: Literal["first", "last", "mean"] = "first"
    """The vector of a text: the vector of the first token, of the last token (XLNet), or the mean of all tokens.
    Relations, answers and tags do not use it.
    """
    hidden_layer: bool = True
    """Add a layer with tanh before the output layer, like BERT's pooler."""
    dropout: float = Field(0.1, ge=0, lt=1)
    """Dropout of the head."""


class SyntaxTable(Settings):
    """Attention guided by syntax: at most one variant, and where its trees come from.

    Without a variant the encoder stays plain.
    """

    sla: SlaSettings | None = None
    """Syntax-based local attention (see `[syntax.sla]`)."""
    wla: WlaSettings | None = None
    """Window-based local attention (see `[syntax.wla]`)."""
    lisa: LisaSettings | None = None
    """Linguistically-informed self-attention (see `[syntax.lisa]`)."""
    sgnet: SgNetSettings | None = None
    """SG-Net (see `[syntax.sgnet]`)."""
    syntax_bert: SyntaxBertSettings | None = None
    """Syntax-BERT (see `[syntax.syntax_bert]`)."""
    trees: Literal["parser", "spacy", "files", "random"] = "parser"
    """Where the trees come from: our parser, spaCy, files, or random trees as a control."""
    parser: str = "en"
    """Name or folder of the parser."""
    spacy: str = "en_core_web_sm"
    """Name of spaCy's pipeline."""
    files: tuple[str, ...] = ()
    """Files of trees in brackets or CoNLL-U, for ``trees = "files"``."""
    cache: str | None = None
    """File that keeps parsed trees, and the words of running text in other languages than English."""
    heads: Literal["ud", "collins"] = "ud"
    """Head rules that make dependencies of constituents."""

    @model_validator(mode="after")
    def _one(self) -> SyntaxTable:
        given = [name for name in VARIANTS if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"choose one variant, not {' and '.join(given)}")
        if (self.trees == "files") != bool(self.files):
            raise ValueError('trees = "files" and files = [...] need each other')
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

        In another language than English the parser finds the words, too. Raises SettingsError if the
        trees are random or spaCy's, and it finds no words.
        """
        if language == DEFAULT_LANGUAGE and self.needs_trees and self.trees in ("spacy", "random"):
            trees = "random trees" if self.trees == "random" else f"those of spaCy's {self.spacy}"
            raise SettingsError(
                f"the trees of this model are {trees}, not trees of a parser: leave --parser out"
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
    """Data, length and optimizer of a task's training; the defaults of batch size, rates and length are from the SLA
    paper (A.1).
    """

    data: tuple[TaskFile, ...] = ()
    """Files to train on, a list of tables (see `[[train.data]]`)."""
    dev: tuple[TaskFile, ...] = ()
    """Files that choose the best model, a list of tables like ``data``."""
    test: tuple[TaskFile, ...] = ()
    """Files on which the final model is scored."""
    max_seq_length: int = Field(128, gt=2)
    """Cut training texts to this many subwords. Passages are read in windows instead."""
    batch_size: int = Field(32, gt=0)
    """Examples of an update."""
    bucket_batches: int = Field(8, gt=0)
    """Sort this many batches together by length before they are cut: less padding, but less variety in a batch."""
    epochs: float = Field(3.0, gt=0)
    """Length of the training in epochs, if ``max_steps`` is left out."""
    max_steps: int | None = Field(None, gt=0)
    """Length of the training in steps: updates of the weights."""
    learning_rate: float = Field(3e-5, gt=0)
    """Highest learning rate of the encoder."""
    head_learning_rate: float | None = Field(None, gt=0)
    """Highest learning rate of the weights that are not pre-trained: the head and the attention variant. Left out: ``learning_rate``."""
    warmup_ratio: float = Field(0.1, ge=0, lt=1)
    """Fraction of the steps in which the learning rate rises; then it falls to 0 in a straight line."""
    warmup_steps: int | None = Field(None, ge=0)
    """Steps in which the learning rate rises, in place of ``warmup_ratio``."""
    weight_decay: float = Field(0.01, ge=0)
    """Weight decay of AdamW."""
    max_grad_norm: float = Field(1.0, gt=0)
    """Clip the norm of the gradient to this value."""
    evals_per_epoch: float = Field(4.0, gt=0)
    """How often in an epoch the development data is scored and a checkpoint is written."""
    eval_steps: int | None = Field(None, gt=0)
    """Score the development data and write a checkpoint every N steps. Left out: as ``evals_per_epoch`` says."""
    eval_batch_tokens: int | None = Field(None, gt=0)
    """Maximum number of subwords in a batch when the model is scored. Left out: what suits the device."""
    mixed_precision: Literal["no", "bf16", "fp16"] = "no"
    """Mixed precision. "bf16" is faster on GPUs, and on processors with AMX or AVX-512 BF16 (Zen 4)."""
    device: str | None = None
    """Device of torch. Left out: the first GPU, or the CPU."""
    threads: int | None = Field(None, gt=0)
    """Number of CPU threads. Left out: OMP_NUM_THREADS, or all cores."""
    seeds: tuple[Seed, ...] = Field((1,), min_length=1)
    """Train once with each of these seeds."""
    store: Literal["float32", "float16", "int8"] = "float32"
    """Number format of the stored weights."""

    @model_validator(mode="after")
    def _different(self) -> TaskTrainSettings:
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError("seeds must not contain a number twice")
        return self


class TaskRecipe(TaskModelSettings):
    """A task's model and its training: what a task's recipe file holds."""

    task: TaskSettings
    train: TaskTrainSettings = TaskTrainSettings()

    @model_validator(mode="after")
    def _check_answers(self) -> TaskRecipe:
        if not self.task.of_kind.passages and self.answers != AnswerSettings():
            raise ValueError(f'the table answers is for kind "answers", not "{self.task.kind}"')
        return self

    def model_settings(self) -> TaskModelSettings:
        """Return the part of the recipe that a trained model needs."""
        return TaskModelSettings(
            task=self.task, encoder=self.encoder, syntax=self.syntax, answers=self.answers
        )


def load_task_recipe(path: str | Path, overrides: tuple[str, ...] = ()) -> TaskRecipe:
    """Read a task's TOML recipe; overrides are as those of `bnaparser.training.recipe.load_recipe`.

    Raises DataError when the file cannot be read and SettingsError, naming the key, when a setting
    is unknown or has a value that is not allowed.
    """
    return validate(TaskRecipe, read_table(path, overrides), str(path))
