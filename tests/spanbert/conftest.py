"""Text of invented documents, and recipes that pre-train a tiny encoder on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser.spanbert.settings import PretrainRecipe
from bnaparser.training.data import Example

MakeRecipe = Callable[..., PretrainRecipe]


@pytest.fixture(scope="session")
def text_file(tmp_path_factory: pytest.TempPathFactory, examples: list[Example]) -> Path:
    """Twelve documents of the invented sentences, an empty line between them."""
    file = tmp_path_factory.mktemp("text") / "text.txt"
    sentences = [" ".join(example.words) for example in examples]
    documents = ["\n".join(sentences[start : start + 20]) for start in range(0, 60, 5)]
    file.write_text("\n\n".join(documents) + "\n", encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def make_recipe(text_file: Path, encoder_folder: Callable[[str], Path]) -> MakeRecipe:
    """A function from a kind of encoder, and settings by table, to a recipe of a few updates."""

    def make(kind: str = "bert", **tables: dict[str, object]) -> PretrainRecipe:
        given: dict[str, dict[str, object]] = {
            "encoder": {"name": str(encoder_folder(kind)), "dropout": 0.0},
            "text": {"files": (str(text_file),), "block_size": 40, "dev_ratio": 0.2},
            "masking": {},
            "objectives": {},
            "pretrain": {
                "max_steps": 6, "batch_size": 4, "batch_tokens": 80, "warmup_steps": 2,
                "eval_steps": 3, "learning_rate": 1e-3, "threads": 1,
            },
        }  # fmt: skip
        for name, table in tables.items():
            given[name] |= table
        return PretrainRecipe.model_validate(given)

    return make
