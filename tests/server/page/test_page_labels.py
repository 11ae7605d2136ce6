"""The page explains labels as the library does, in every language."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from bnaparser.server.page import files
from bnaparser.trees.labels import explain, family

MODELS = Path(__file__).parents[3] / "models"
PROGRAM = """
import fs from "fs";
globalThis.fetch = async (url) => ({ json: async () => JSON.parse(fs.readFileSync(url)) });
const { explain, family } = await import("./glossary.mjs");
const labels = JSON.parse(fs.readFileSync("asked.json"));
console.log(JSON.stringify(labels.map((each) => [explain(...each), family(...each)])));
"""
UNSEEN = [
    ("CP-REL-SPE", False, "is"),
    ("NPR+NS-G", True, "is"),
    ("ADV33", True, "is"),
    ("vmip3s0", True, "es"),
    ("sn.co-SUJ", False, "es"),
    ("NP-SBJ-1", False, None),
    ("TOP", False, "pt"),
    ("XYZ", True, None),
    ("constructor", False, None),
]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_page_says_of_every_label_what_the_library_says(tmp_path: Path) -> None:
    """Labels of the languages beside English had no explanation on the page: "a label of this model's own"."""
    known = json.loads((MODELS / "multi" / "labels.json").read_text(encoding="utf-8"))["languages"]
    asked = UNSEEN + [
        (label, is_tag, said)
        for language, its_own in known.items()
        for is_tag, kind in ((False, "labels"), (True, "tags"))
        for label in its_own[kind]
        if "::" not in label  # the page shows a chain as several nodes
        for said in (language, None)
    ]
    (tmp_path / "labels.json").write_bytes(files()["labels.json"].content)
    (tmp_path / "glossary.mjs").write_bytes(files()["glossary.js"].content)
    (tmp_path / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    (tmp_path / "run.mjs").write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        ["node", "run.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stdout) == [[explain(*each), family(*each)] for each in asked]
