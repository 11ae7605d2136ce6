"""Studies that are done: each script prints its help, and makes its page from the stored rows."""

from __future__ import annotations

import re
import shlex
import shutil
from importlib import import_module
from pathlib import Path

import pytest

STUDIES = Path(__file__).parents[2] / "benchmarks" / "studies"
SCRIPTS = sorted(
    f"{path.parent.name}.{path.stem}"
    for path in STUDIES.glob("*/*.py")
    # In benepar's environment.
    if "def main(" in path.read_text(encoding="utf-8") and path.stem != "benepar_training"
)
# A page for each script that makes one from rows, except syntax.md, which takes 20 seconds.
PAGES = (
    "ablation/ablation.md",
    "accuracy/steps.md",
    "pretrain/masking.md",
    "pretrain/parsers.md",
    "syntax/large_zh.md",
)


def run(script: str, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", [script, *arguments])
    import_module(script).main()


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_prints_its_help(
    script: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match=r"^0$"):
        run(f"benchmarks.studies.{script}", monkeypatch, "--help")
    assert "usage:" in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_made_from_the_rows_beside_it(
    page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stored, made = STUDIES / page, tmp_path / "pages" / Path(page).name
    shutil.copytree(stored.parent, made.parent, ignore=shutil.ignore_patterns("*.py"))
    before = stored.read_text(encoding="utf-8")
    typed = re.search(r"`python -m (\S+) ([^`]+)`", before)
    assert typed is not None
    monkeypatch.chdir(tmp_path)
    made.unlink()
    run(typed[1], monkeypatch, *shlex.split(typed[2]), "--report", "--page", str(made))
    assert tables(made.read_text(encoding="utf-8")) == tables(before.partition("\n## Notes\n")[0])


def tables(text: str) -> list[str]:
    return sorted(line for line in text.splitlines() if line.startswith("|"))
