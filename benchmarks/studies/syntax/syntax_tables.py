"""What run_syntax.py runs: the tasks, the systems, which of them on which, and the papers' own scores."""

from __future__ import annotations

from typing import Any, NamedTuple


class Task(NamedTuple):
    """A task: the files of TASKS that it is trained and scored on, and how long it is trained.

    ``judged`` is the part that scores are of: "test" where there is one. ``examples`` and
    ``epochs`` make all trainings about as long, some 40,000 pieces of words. ``metrics`` are those
    that are shown; ``table`` is the recipe's ``[task]``, its metric is the one that is tested.
    """

    title: str
    metrics: tuple[str, ...]
    table: dict[str, Any]
    train: str
    scored: str
    judged: str
    examples: int
    epochs: float
    of_files: dict[str, Any] | None = None

    @property
    def metric(self) -> str:
        """The metric that is tested."""
        name: str = self.table["metric"]
        return name


_PAIR = ("sentence1", "sentence2")
# SST-2 is read from SST's trees, without the neutral ones. So the words are SST's own, and its
# trees, our parser's and random ones stand over the same words.
_SENTIMENT = {
    "labels": {"0": "negative", "1": "negative", "3": "positive", "4": "positive"},
    "drop": ("2",),
}
TASKS = {
    "cola": Task(
        title="CoLA",
        metrics=("matthews",),
        table={"metric": "matthews"},
        train="cola/train.tsv.xz",
        scored="cola/dev.tsv.xz",
        judged="dev",
        examples=2000,
        epochs=2,
    ),
    "sst2": Task(
        title="SST-2",
        metrics=("accuracy",),
        table={"metric": "accuracy"},
        train="sst/train.txt.xz",
        scored="sst/test.txt.xz",
        judged="test",
        examples=2000,
        epochs=1,
        of_files=_SENTIMENT,
    ),
    # Not WNUT 17: after so few updates the plain encoder finds less than 3 % of its names.
    "ner": Task(
        title="WikiNEuRal",
        metrics=("span_f1", "span_precision", "span_recall"),
        table={"kind": "tagging", "metric": "span_f1"},
        train="ner_wikineural/train.tsv.xz",
        scored="ner_wikineural/test.tsv.xz",
        judged="test",
        examples=1500,
        epochs=1,
    ),
    "ged": Task(
        title="REALEC",
        metrics=("f0.5", "precision", "recall"),
        table={"kind": "tagging", "metric": "f0.5", "positive": "i"},
        train="ged_realec/train.tsv.xz",
        scored="ged_realec/dev.tsv.xz",
        judged="dev",
        examples=1500,
        epochs=1,
    ),
    "mrpc": Task(
        title="MRPC",
        metrics=("f1", "accuracy"),
        table={"texts": _PAIR, "metric": "f1", "positive": "1"},
        train="mrpc/train.tsv.xz",
        scored="mrpc/test.tsv.xz",
        judged="test",
        examples=800,
        epochs=1,
    ),
    "stsb": Task(
        title="STS-B",
        metrics=("pearson", "spearman"),
        table={"kind": "regression", "texts": _PAIR, "label": "score", "metric": "spearman"},
        train="stsb/train.tsv.xz",
        scored="stsb/test.tsv.xz",
        judged="test",
        examples=1500,
        epochs=1.5,
    ),
    "snli": Task(
        title="SNLI",
        metrics=("accuracy",),
        table={"texts": _PAIR, "metric": "accuracy"},
        train="snli_sample/train.tsv.xz",
        scored="snli_sample/dev.tsv.xz",
        judged="dev",
        examples=1500,
        epochs=1,
    ),
    "qnli": Task(
        title="QNLI",
        metrics=("accuracy",),
        table={"texts": _PAIR, "metric": "accuracy"},
        train="qnli_sample/train.tsv.xz",
        scored="qnli_sample/dev.tsv.xz",
        judged="dev",
        examples=1884,
        epochs=2,
    ),
    "chnsenticorp": Task(
        title="ChnSentiCorp",
        metrics=("accuracy",),
        table={"metric": "accuracy", "language": "zh"},
        train="chnsenticorp/train.tsv.xz",
        scored="chnsenticorp/test.tsv.xz",
        judged="test",
        examples=800,
        epochs=1,
    ),
    "ner-zh": Task(
        title="Chinese names",
        metrics=("span_f1", "span_precision", "span_recall"),
        table={"kind": "tagging", "metric": "span_f1", "language": "zh"},
        train="ner_uner_zh/train.tsv.xz",
        scored="ner_uner_zh/test.tsv.xz",
        judged="test",
        examples=1500,
        epochs=1,
    ),
}
ENGLISH = tuple(name for name, task in TASKS.items() if "language" not in task.table)
METRICS = {
    "matthews": "Matthews",
    "accuracy": "accuracy",
    "span_f1": "span F1",
    "span_precision": "precision",
    "span_recall": "recall",
    "f0.5": "F0.5",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "pearson": "Pearson",
    "spearman": "Spearman",
}


class System(NamedTuple):
    """An encoder with a variant or without: its table in a recipe's ``[syntax]``, and its trees."""

    title: str
    variant: dict[str, dict[str, Any]]
    trees: str = "parser"


PLAIN = "plain"
WINDOW = "window"
_CONSTITUENTS = {"syntax_bert": {"trees": ("constituency",)}}
MAIN = {
    PLAIN: System("plain encoder", {}),
    "wla": System("WLA", {"wla": {}}),
    "sla": System("SLA", {"sla": {}}),
    "lisa": System("LISA", {"lisa": {}}),
    "sgnet": System("SG-Net", {"sgnet": {}}),
    "syntax-bert": System("Syntax-BERT", {"syntax_bert": {}}),
    "syntax-bert+lisa": System(
        "Syntax-BERT + LISA", {"syntax_bert": {"lisa": {"form": "replace"}}}
    ),
}
# Syntax-BERT's table 5. A plain sum makes what a layer gives 90 times as large: the mean beside it
# takes topical attention away and nothing else.
ABLATION = {
    "sum": System("w/o topical attention: sum", {"syntax_bert": {"mixing": "sum"}}),
    "mean": System("w/o topical attention: mean", {"syntax_bert": {"mixing": "mean"}}),
    "random-masks": System("w/o syntax trees", {"syntax_bert": {"random_masks": True}}),
    "no-dependency": System("w/o dependency trees", _CONSTITUENTS),
    "no-constituency": System(
        "w/o constituency trees", {"syntax_bert": {"trees": ("dependency",)}}
    ),
    "no-parent": System("w/o parent masks", {"syntax_bert": {"relations": ("child", "sibling")}}),
    "no-child": System("w/o child masks", {"syntax_bert": {"relations": ("parent", "sibling")}}),
    "no-sibling": System("w/o sibling masks", {"syntax_bert": {"relations": ("parent", "child")}}),
    "no-pair": System("w/o pairwise masks", {"syntax_bert": {"pair": False}}),
}
# SST's own trees are constituency trees without labels, hence Syntax-BERT with those alone.
TREES = {
    "sla-sst": System("SLA, SST's own trees", {"sla": {}}, "sst"),
    "sla-random": System("SLA, random trees", {"sla": {}}, "random"),
    WINDOW: System("linear window as dense as SLA's masks", {"wla": {"unit": "word"}}),
    "constituents": System("Syntax-BERT, our parser's trees", _CONSTITUENTS),
    "constituents-sst": System("Syntax-BERT, SST's own trees", _CONSTITUENTS, "sst"),
    "constituents-random": System("Syntax-BERT, random trees", _CONSTITUENTS, "random"),
    "constituents-masks": System(
        "Syntax-BERT, random masks as dense as our parser's trees",
        {"syntax_bert": {"trees": ("constituency",), "random_masks": True}},
    ),
}
# What may explain a loss or a gain: LISA's supervision made lighter, SG-Net's layer without syntax.
REASONS = {
    "lisa-0.1": System("LISA, supervision at 0.1", {"lisa": {"loss_weight": 0.1}}),
    "lisa-0.01": System("LISA, supervision at 0.01", {"lisa": {"loss_weight": 0.01}}),
    "sgnet-random": System("SG-Net, random trees", {"sgnet": {}}, "random"),
}
# How far along the tree SLA lets a word see; 3 is the default, which is among MAIN.
THRESHOLDS = {
    f"sla-{number}": System(f"SLA, threshold {number}", {"sla": {"threshold": number}})
    for number in (0, 1, 2, 4)
}
BY_THRESHOLD = ("sla-0", "sla-1", "sla-2", "sla", "sla-4")
SYSTEMS = MAIN | ABLATION | TREES | REASONS | THRESHOLDS
# Tasks on which the reasons are looked for: one of texts, one of words.
INSIDE = ("cola", "ner")
# Tasks on which SLA's threshold is varied.
VARIED = ("cola", "sst2")
# One seed of all this is run before the next.
RUNS = [
    *((task, system) for task in ENGLISH for system in MAIN),
    *(("sst2", system) for system in TREES),
    *(("cola", system) for system in ABLATION if system != "no-pair"),
    ("stsb", "no-pair"),
    *((task, system) for task in INSIDE for system in REASONS),
    *((task, system) for task in VARIED for system in THRESHOLDS),
]
SEEDS = (1, 2, 3)
# The task whose networks are probed for trees.
PROBED = "cola"

# The papers' scores, as printed, in the order of the columns named.
SLA_COLUMNS = ("CoLA Matthews", "SST-2 accuracy", "CoNLL-2003 F1", "FCE F0.5")
SLA_BASE = {
    "BERT-base": (58.7, 93.1, 91.6, 54.9),
    "+ WLA": (59.6, 92.8, 92.1, 55.3),
    "+ SLA": (60.0, 93.3, 92.2, 55.7),
    "LISA": (59.8, 92.0, 91.4, 56.1),
    "SG-Net": (59.2, 93.1, 91.7, 55.4),
}
SLA_PAIRS_COLUMNS = ("MRPC accuracy", "STS Pearson", "QNLI accuracy", "RTE accuracy")
SLA_PAIRS = {
    "BERT-base": (87.3, 89.5, 91.7, 68.6),
    "+ SLA": (88.5, 89.9, 91.4, 67.8),
}
SYNTAX_BERT_COLUMNS = (
    "CoLA Matthews",
    "SST-2 accuracy",
    "MRPC F1 / accuracy",
    "STS-B Pearson / Spearman",
    "QNLI accuracy",
    "SNLI accuracy",
)
SYNTAX_BERT_BASE = {
    "BERT-base": ("51.7", "93.5", "87.2 / 82.1", "86.7 / 85.4", "90.4", "87.0"),
    "LISA-BERT-base": ("", "93.7", "", "", "", "87.4"),
    "Syntax-BERT-base": ("54.1", "94.0", "89.2 / 86.0", "88.1 / 86.7", "91.1", "87.7"),
    "Syntax-BERT-base + LISA": ("", "94.4", "", "", "", "87.8"),
}
# Table 5, on BERT-large: SST-2 accuracy, CoLA Matthews, STS-B Pearson / Spearman.
TABLE_5 = {
    PLAIN: ("94.9", "60.5", "87.6 / 86.5"),
    "syntax-bert": ("96.1", "61.9", "89.6 / 88.5"),
    "sum": ("95.1", "61.6", "88.4 / 87.3"),
    "random-masks": ("95.0", "60.5", "88.0 / 87.1"),
    "no-dependency": ("95.6", "61.4", "88.7 / 88.1"),
    "no-constituency": ("95.9", "61.4", "87.6 / 86.8"),
    "no-parent": ("95.5", "60.9", "88.7 / 87.2"),
    "no-child": ("95.3", "61.2", "88.3 / 86.8"),
    "no-sibling": ("95.8", "61.5", "89.0 / 88.1"),
    "no-pair": ("", "", "88.8 / 87.9"),
}
# Table 6: UUAS, Spearman.
TABLE_6 = {"BERT-base": (79.8, 0.85), "Syntax-BERT-base": (81.1, 0.88)}
