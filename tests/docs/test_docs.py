"""What the documents name is there, and every document can be found from the index."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from pkgutil import resolve_name

import pytest
import yaml

import bnaparser
import bnaparser.eval
import bnaparser.syntax

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
ROOMS = sorted({path.parent.name for path in ROOT.glob("bnaparser/*/__init__.py")})
TRACKED = subprocess.run(
    ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.splitlines()
TOP = {path.split("/")[0] for path in TRACKED}
NAMES = {path.split("/")[-1] for path in TRACKED}  # a file of Python has a name of its own
# Any program, says its page; recipes of a commit that its page names.
ELSEWHERE = {"bench_benepar.py", "recipes/en-free.toml", "recipes/en-mpnet.toml"}
DOCUMENTS = [
    *PAGES,
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ROOT / "recipes/README.md",
    *sorted([*ROOT.glob("benchmarks/**/*.md"), *ROOT.glob("models/*/card.md")]),
]


def named_paths(text: str) -> set[str]:
    """What stands in backquotes and is a path of this repository, or ends like one of its files."""
    words = set(re.findall(r"`([^`\s]+)`", text)) - ELSEWHERE
    files = {word for word in words if re.fullmatch(r"[\w./*-]+\.(py|md|cff|toml)", word)}
    return {word for word in words if word.split("/")[0] in TOP} | files - {"RECIPE.toml"}


def is_there(path: str, page: Path) -> bool:
    """Whether a path leads somewhere, from the top or from its page; NAME and * stand for any name."""
    pattern = path.replace("NAME", "*").rstrip("/")
    return path in NAMES or any(any(folder.glob(pattern)) for folder in (ROOT, page.parent))


def links(text: str) -> set[str]:
    """Where a document's links lead, without those that leave the repository."""
    found = re.findall(r"\]\(([^)#\s]+)", text)
    return {link for link in found if "://" not in link}


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_document_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = {path for path in named_paths(text) if not is_there(path, page)}
    missing |= {link for link in links(text) if not (page.parent / link).exists()}
    assert not missing


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_document_imports_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in set(re.findall(r"\bbenchmarks(?:\.[a-z0-9_]+){2,3}", text)):
        assert (ROOT / name.replace(".", "/")).with_suffix(".py").is_file(), name
    for name in set(re.findall(r"\bbnaparser(?:\.\w+){2,}", text)):
        assert resolve_name(name) is not None, name


def test_paths_are_seen() -> None:
    text = "`chart/cky.py` and `POST /` and `eval/`, `README.md`, `org/name`, [a](b.md#c) [d](http://e)"
    assert named_paths(text) == {"chart/cky.py", "eval/", "README.md"}
    assert links(text) == {"b.md"}


def test_every_page_is_in_the_index_and_in_the_menu() -> None:
    names = {page.name for page in PAGES}
    index = links((DOCS / "index.md").read_text(encoding="utf-8"))
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert names - {"index.md"} <= index
    assert {name for name in names if name not in menu} == set()


def test_every_room_has_its_page_in_the_reference() -> None:
    shown = re.findall(
        r"^::: bnaparser\.(\w+)$",
        "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md")),
        re.MULTILINE,
    )
    assert set(ROOMS) <= set(shown)
    assert {"settings", "errors"} <= set(shown)


def test_every_public_name_is_in_the_reference() -> None:
    text = (DOCS / "api" / "public.md").read_text(encoding="utf-8")
    for module in (bnaparser, bnaparser.syntax, bnaparser.eval):
        (options,) = re.findall(
            rf"^::: {re.escape(module.__name__)}\n    options:\n((?:      .*\n)+)",
            text,
            re.MULTILINE,
        )
        shown = yaml.safe_load(options)["members"]
        assert sorted(shown) == sorted(set(module.__all__) - {"__version__"})


def test_architecture_has_every_room_and_the_contract_of_imports() -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("\n## Folders")[0]
    for room in ROOMS:
        assert f"`bnaparser/{room}/`" in table or f"`{room}/`" in table, room
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    contract = project.partition("layers = [\n")[2].partition("]")[0]
    layers = contract.replace("bnaparser.", "").replace('"', "").replace(",", "")
    assert "\n".join(line.strip() for line in layers.strip().splitlines()) == "\n".join(
        line.strip()
        for line in text.partition("contracts.\n\n")[2].partition("\n\n")[0].splitlines()
    )


@pytest.mark.parametrize(
    "term",
    [
        "Fine-tuning", "distillation", "Calibration", "Pre-tokenized text", "Character offsets", "batch size", "GPU", "memory",
        "resuming", "Licences",
    ],
)  # fmt: skip
def test_what_newcomers_search_for_is_a_heading(term: str) -> None:
    pages = [page.read_text(encoding="utf-8") for page in DOCS.glob("*.md")]
    headings = [line for page in pages for line in page.splitlines() if line.startswith("#")]
    assert any(term in heading for heading in headings)


def test_the_section_on_averaging_names_the_models_that_are_means() -> None:
    """It said that each was one, and later that none was."""
    scripts = {file.parent.name: file.read_text() for file in ROOT.glob("models/*/make")}
    means = {name for name, script in scripts.items() if "bnaparser average" in script}
    page = (DOCS / "training.md").read_text(encoding="utf-8")
    section = page.partition("## Averaging")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([\w-]+)` is the mean", section)) == means
    assert "No other shipped model is a mean of weights." in section


def test_the_citation_is_complete() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == bnaparser.__version__
    assert {"cff-version", "message", "title", "authors", "license"} <= set(citation)
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= set(reference)
