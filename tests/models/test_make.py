"""What makes the shipped models again: each step is given files that are there, every name in its recipe is a path by then."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest

from bnaparser.spanbert.settings import load_pretrain_recipe
from bnaparser.training.recipe import load_recipe

ROOT = Path(__file__).parents[2]
# In place of both commands, and of scripts that parse or read treebanks: notes what it is told, and leaves the files that
# later steps read.
COMMAND = """#!{python}
import subprocess
import sys
from pathlib import Path
name, *arguments = [Path(sys.argv[0]).name, *sys.argv[1:]]
if name == "python" and arguments[0].endswith(".py"):
    name, *arguments = [name, Path(arguments[0]).stem, *arguments[1:]]
    if arguments[0] == "choose_sentences":
        subprocess.run([{python!r}, *sys.argv[1:]], check=True)
        sys.exit()
    assert arguments[0] in ("write_speech", "mend_silver", "choose_stretches")
    Path(arguments[-1]).write_text("(TOP (S (NN a)))\\n")
with open({notes!r}, "a") as file:
    print(name, *arguments, file=file)
if arguments[0] == "prune":
    Path(arguments[2]).mkdir()
    Path(arguments[2], "config.json").touch()
if {{"calibrate", "average"}} & {{*arguments}}:
    made = Path(arguments[arguments.index("--output") + 1])
    made.mkdir()
    (made / "config.json").touch()
if "-o" in arguments:
    Path(arguments[arguments.index("-o") + 1]).write_text("(TOP (S (NN a)))\\n")
    sys.exit(1)  # a sentence had no tree
"""
STEPS = {
    "en": "prune train train train train calibrate train ensemble train ensemble write_speech write_speech"
    " choose_stretches mend_silver mend_silver mend_silver train average train average calibrate",
    "en-small": "prune train train train train calibrate",
    "en-free": "prune prune pretrain train --model train calibrate",
    "en-free-large": "prune prune pretrain train --model train calibrate train calibrate",
}


def stand_in(folder: Path, *commands: str) -> None:
    """Write `COMMAND` into ``folder/bin`` under the name of each command; its notes are ``folder/notes``."""
    (folder / "bin").mkdir()
    for name in commands:
        command = folder / "bin" / name
        command.write_text(
            COMMAND.format(python=sys.executable, notes=str(folder / "notes")), encoding="utf-8"
        )
        command.chmod(0o755)


@pytest.mark.parametrize("model", STEPS)
def test_every_step_is_given_what_the_one_before_made(model: str, tmp_path: Path) -> None:
    stand_in(tmp_path, "bnaparser", "bnaparse", "python")
    for name in ("text", "varied"):
        (tmp_path / name).write_text("The cat sat on the mat.\nIt rained.\n" * 9, encoding="utf-8")
    path = f"{tmp_path / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    encoders = ["minilm", "mpnet"] if model.startswith("en-free") else ["mpnet"]
    given = [str(ROOT / "models" / model / "make"), *encoders, "treebanks", "out", "text", "varied"]
    for _ in range(2):
        subprocess.run(given, check=True, cwd=tmp_path, env={**os.environ, "PATH": path})
    first, *others = given
    short = subprocess.run([first, *others[:2]], capture_output=True, text=True, check=False)
    assert short.returncode == 2 and short.stderr.startswith(f"models/{model}/make M")
    notes = (tmp_path / "notes").read_text(encoding="utf-8").splitlines()
    steps = [line.split()[1] for line in notes]
    once = STEPS[model].split()
    assert steps[: len(once)] == once
    # What was made is not made again; trainings know themselves that they are over.
    assert set(steps[len(once) :]) == {"train"} | ({"pretrain"} & set(once))
    if model != "en-small":
        sentences = tmp_path / "out" / "sentences.txt"
        assert sentences.read_text(encoding="utf-8") == "The cat sat on the mat.\n"
    for line in notes:
        step, recipe = line.split()[1:3]
        if step == "pretrain":
            settings = load_pretrain_recipe(recipe)
            assert settings.text.files == (str(tmp_path / "text"), str(tmp_path / "varied"))
        if step == "train":
            written = Path(recipe).read_text(encoding="utf-8")
            assert not re.search(r"\b[A-Z]{4,}\b", re.sub("#.*", "", written))
            read = load_recipe(recipe)
            assert read.encoder.name or read.train.start


def test_each_training_and_mean_of_multi_reads_the_models_before_it(tmp_path: Path) -> None:
    """No treebank of the recipes is forgotten in calibration."""
    stand_in(tmp_path, "bnaparser", "python")
    out = tmp_path / "out"
    out.mkdir()
    given = [str(ROOT / "models" / "multi" / "make"), "e5", "treebanks", "out"]
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    for _ in range(2):
        subprocess.run(given, check=True, cwd=tmp_path, env=environment)
    notes = [line.split() for line in (tmp_path / "notes").read_text("utf-8").splitlines()]
    made: set[str] = set()
    steps = []
    for note in notes:
        step = note[1] if note[0] == "bnaparser" else note[note.index(f"{tmp_path}/e5") + 1]
        steps.append(step)
        if step == "average":
            read = list(takewhile(lambda word: word[0] != "-", note[2:]))
        else:
            words = note[: note.index("--output")]
            read = [one.removeprefix(f"{out}/") for one in words if one.startswith(f"{out}/")]
        assert {*read} <= made and (read or step == "seven")
        to = note[note.index("--output") + 1].removeprefix(f"{out}/")
        made |= {to, f"{step}/model", f"{step}/start"}
    trainings = ["seven", "multi", "multi-second", "multi-third", "multi-fourth"]
    chain = " ".join(trainings).replace("multi-third", "average average multi-third average")
    once = [*chain.split(), "average"]
    # What was made is not made again; trainings know themselves that they are over.
    assert steps == [*once, "calibrate", *trainings]
    calibration = notes[len(once)]
    assert calibration[2] == f"{out}/{notes[len(once) - 1][-1]}"
    recipe = load_recipe(ROOT / "recipes" / "languages" / "multi-fourth.toml")
    developed = {(one.path, one.language) for one in recipe.train.dev}
    files = calibration[calibration.index("--data") + 1 : calibration.index("--language")]
    languages = calibration[calibration.index("--language") + 1 :]
    named = [one.replace(f"{tmp_path}/treebanks", "TREEBANKS") for one in files]
    assert set(zip(named, languages, strict=True)) == developed
