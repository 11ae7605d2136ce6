"""What run_masking.py trains, how much, on which tasks; and what the paper found."""

from __future__ import annotations

from typing import Any, NamedTuple


class Masking(NamedTuple):
    """A way to pre-train: what is masked, whether boundaries and the next sentence are predicted."""

    title: str
    scheme: str
    boundaries: bool
    next_sentence: bool


SCHEMES = {
    "subwords": "subwords",
    "words": "whole words",
    "entities": "named entities",
    "noun_phrases": "noun phrases",
    "constituents": "constituents of all kinds",
    "geometric": "geometric spans",
}
# The encoder as it is, without more pre-training.
NONE = "none"
RUNS: dict[str, Masking] = {
    **{f"{key}+next": Masking(title, key, False, True) for key, title in SCHEMES.items()},
    "geometric": Masking("geometric spans", "geometric", False, False),
    "boundaries": Masking("geometric spans + boundaries", "geometric", True, False),
    "constituents": Masking("constituents of all kinds", "constituents", False, False),
    "constituents+boundaries": Masking(
        "constituents of all kinds + boundaries", "constituents", True, False
    ),
    **{
        key: Masking(title, key, False, False)
        for key, title in SCHEMES.items()
        if key not in ("geometric", "constituents")
    },
    "boundaries+next": Masking("geometric spans + boundaries", "geometric", True, True),
}
SEEDS = (1, 2)

# Pre-training: blocks, an update's blocks, and how many of them go through the encoder at once.
BLOCK, BATCH_SIZE, BATCH_TOKENS, LEARNING_RATE = 128, 32, 2048, 1e-4
# The parser: no layers between encoder and scorer, so that it rests on the encoder alone.
PARSER = {"batch_size": 32, "batch_tokens": 1000, "learning_rate": 1e-4, "head_learning_rate": 5e-4}

# A task's tables, but for [encoder]; files are names in the folder --tasks.
TASKS: dict[str, dict[str, dict[str, Any]]] = {
    "ner_wnut17": {
        "task": {"kind": "tagging", "metric": "span_f1"},
        "train": {
            "data": [{"path": "ner_wnut17/train.tsv.xz"}],
            "dev": [{"path": "ner_wnut17/dev.tsv.xz", "limit": 500}],
            "test": [{"path": "ner_wnut17/test.tsv.xz"}],
            "max_steps": 120,
        },
    },
    "squad_sample": {
        "task": {"kind": "answers"},
        "answers": {"max_seq_length": 256, "doc_stride": 96},
        "train": {
            "data": [{"path": "squad_sample/train.jsonl.xz"}],
            "dev": [{"path": "squad_sample/dev.jsonl.xz", "limit": 300}],
            "batch_size": 8,
            "max_steps": 100,
        },
    },
    "semeval2010_task8": {
        "task": {"kind": "relations"},
        "train": {
            "data": [{"path": "semeval2010_task8/train.jsonl.xz", "part": [0.0, 0.9]}],
            "dev": [{"path": "semeval2010_task8/train.jsonl.xz", "part": [0.9, 1.0]}],
            "test": [{"path": "semeval2010_task8/test.jsonl.xz", "limit": 1000}],
            "max_steps": 120,
        },
    },
}
# What each is judged by: the name of a score, where one stands in a task's results.
JUDGED = {
    "ner_wnut17": ("span_f1", "names, F1"),
    "squad_sample": ("answer_f1", "answers, F1"),
    "semeval2010_task8": ("relation_f1", "relations, F1"),
}

# Table 6 of the paper, and below the rule table 7: SQuAD 2.0, NewsQA, TriviaQA (F1), coreference (F1),
# MNLI-m, QNLI (accuracy), GLUE's mean. BERT-large from scratch (section 4.2); checkpoints of 1.2 million updates
# (footnote 10) of 256 blocks of 512 subwords.
PAPER_SUBWORDS = 1_200_000 * 256 * 512
PAPER_COLUMNS = ("SQuAD 2.0", "NewsQA", "TriviaQA", "coreference", "MNLI-m", "QNLI", "GLUE")
PAPER: dict[str, tuple[float, ...]] = {
    "subwords": (83.8, 72.0, 76.3, 77.7, 86.7, 92.5, 83.2),
    "whole words": (84.3, 72.8, 77.1, 76.6, 86.3, 92.8, 82.9),
    "named entities": (84.8, 72.7, 78.7, 75.6, 86.0, 93.1, 83.2),
    "noun phrases": (85.0, 73.0, 77.7, 76.7, 86.5, 93.2, 83.5),
    "geometric spans": (85.4, 73.0, 78.8, 76.4, 87.0, 93.3, 83.4),
    "geometric spans, one segment": (86.7, 73.4, 80.0, 76.3, 87.3, 93.8, 83.8),
    "geometric spans + boundaries, one segment": (86.8, 74.1, 80.3, 79.0, 87.6, 93.9, 84.0),
}
