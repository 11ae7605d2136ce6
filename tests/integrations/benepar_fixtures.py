"""Two tiny models that benepar 0.2 trained, and what it answers with them.

Written in benepar's own environment by ``benchmarks/integrations/making.py``: ``bert-tags``
has a partitioned layer and a tag head, ``t5`` neither.
"""

from __future__ import annotations

import json
import lzma
import shutil
from pathlib import Path
from typing import Any
from zipfile import ZipFile

FIXTURES = Path(__file__).parent / "fixtures"
MODELS = ["bert-tags", "t5"]


def archive(name: str) -> Path:
    """The zip of a model's folder."""
    return FIXTURES / f"benepar-{name}.zip"


def folder(name: str, where: Path) -> Path:
    """The model's folder, unpacked."""
    with ZipFile(archive(name)) as packed:
        packed.extractall(where)
    return where / name


def answers() -> dict[str, Any]:
    """What benepar says: sentences, their tags, texts, and by model what it made of them."""
    with lzma.open(FIXTURES / "benepar.json.xz", "rt", encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def rewritten(source: Path, target: Path, **changes: Any) -> Path:
    """A copy of a model folder with other settings of benepar's."""
    shutil.copytree(source, target)
    config = json.loads((target / "config.json").read_text(encoding="utf-8"))
    for name, value in changes.items():
        config["benepar"]["hparams"][name] = value
    (target / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return target
