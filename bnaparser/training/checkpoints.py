"""The state of a run, to resume it: its progress, its weights and optimizer, its recipe."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bnaparser.errors import SettingsError
from bnaparser.files.folder import put_in_place
from bnaparser.files.tables import read_json, write_json
from bnaparser.files.tensors import writing
from bnaparser.training.loop import Interruption

log = logging.getLogger(__name__)
CHECKPOINT, BEST, LOGS, PROGRESS = "checkpoint", "model", "logs", "progress.json"
RECIPE = "recipe.json"
# What may differ from the recipe that a run was begun with: how long it continues, and on what.
FREE = {"train": {"epochs", "max_steps", "early_stopping_epochs", "threads"}}
NEW = "checkpoint.new"  # one that is being written


@dataclass
class Progress:
    """Where a run stands; all of it is in the checkpoint. ``loss`` is that of the last update, ``data`` a hash of the examples."""

    update: int = 0
    loss: float = 0.0
    best_f1: float = -1.0
    best_update: int = 0
    learning_rate_factor: float = 1.0
    checks_since_best: int = 0
    seconds: float = 0.0
    history: list[dict[str, Any]] = field(default_factory=list)
    data: str = ""


Free = dict[str, set[str]]  # settings by table
Stand = TypeVar("Stand")  # Progress, or what another kind of training keeps of where it stands


def fixed_part(recipe: BaseModel, free: Free) -> dict[str, Any]:
    """Return a recipe's tables as JSON has them, without the ``free`` settings.

    What is left must stay the same while a run continues.
    """
    tables: dict[str, Any] = json.loads(recipe.model_dump_json(exclude=free))
    return tables


def differing(ours: dict[str, Any], theirs: Any) -> list[str]:
    """Return the names of what differs between a run's tables and those that it was begun with: ``train.seed``."""
    if not isinstance(theirs, dict):
        return list(ours)
    names: list[str] = []
    for name in {**ours, **theirs}:
        one, other = ours.get(name), theirs.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            names += [f"{name}.{inner}" for inner in differing(one, other)]
        elif one != other:
            names.append(name)
    return names


def save_checkpoint(accelerator: Any, output: Path, progress: Any) -> None:
    """Write the checkpoint beside the last one, then put it in its place.

    ``progress`` is a data class that JSON can hold. Its file is written last. Whenever the run is killed, `load_checkpoint` finds a whole
    one. All processes must take part.
    """
    target, new = output / CHECKPOINT, output / NEW
    if accelerator.is_main_process:
        shutil.rmtree(new, ignore_errors=True)
    accelerator.wait_for_everyone()
    with writing(new):
        accelerator.save_state(str(new))
    accelerator.wait_for_everyone()  # each process writes a part of it
    if accelerator.is_main_process:
        text = json.dumps(asdict(progress), indent=1)
        (new / PROGRESS).write_text(text, encoding="utf-8")
        put_in_place(new, target)
    accelerator.wait_for_everyone()


def check_recipe(output: Path, recipe: BaseModel, free: Free = FREE) -> None:
    """Raise SettingsError if the checkpoint in a run's folder belongs to another recipe.

    What differs in the ``free`` settings does not count. A caller can know this before it reads any data.
    """
    target, stored = output / CHECKPOINT, output / RECIPE
    if not (target / PROGRESS).is_file() or not stored.is_file():
        return
    if changed := differing(fixed_part(recipe, free), _stored_part(stored, recipe, free)):
        raise SettingsError(
            f"{target} belongs to another recipe (which differs in {', '.join(changed)}): start over with "
            "--fresh, or write elsewhere with --output"
        )


def load_checkpoint(
    accelerator: Any,
    output: Path,
    recipe: BaseModel,
    begin: Stand,
    free: Free = FREE,
) -> Stand:
    """Load what the accelerator holds as the last checkpoint has it; return where the run stood.

    Without a checkpoint a run stands where it begins: the recipe's `fixed_part`, without the ``free`` settings, is
    written into the output, and a model that an earlier run has left there is renamed (`set_aside`). Raises
    SettingsError if the checkpoint does not fit.
    """
    ours = fixed_part(recipe, free)
    target, new = output / CHECKPOINT, output / NEW
    unfinished = not target.exists() and (new / PROGRESS).is_file()
    if unfinished and accelerator.is_main_process:
        new.rename(target)
    accelerator.wait_for_everyone()
    file = target / PROGRESS
    if not file.is_file():
        if accelerator.is_main_process:
            output.mkdir(parents=True, exist_ok=True)
            if (output / RECIPE).is_file():
                log.info("starting from scratch: there is no checkpoint in %s", output)
            set_aside(output / BEST)
            write_json(output / RECIPE, ours)
        return begin
    check_recipe(output, recipe, free)
    data = getattr(begin, "data", "")
    try:
        progress = type(begin)(**json.loads(file.read_text(encoding="utf-8")))
        is_changed = getattr(progress, "data", "") not in ("", data)  # empty in earlier versions
        if not is_changed:
            accelerator.load_state(str(target))
    except Exception as error:  # whatever the library finds wrong
        detail = str(error).splitlines()[-1:] or [type(error).__name__]
        raise SettingsError(
            f"{target} belongs to another recipe, or is damaged ({detail[0].strip()}): start over with "
            "--fresh, or write elsewhere with --output"
        ) from error
    if is_changed:
        raise SettingsError(
            f"the trees of train.data or train.dev have changed since {output} was begun: use the former trees,"
            " start over with --fresh, or write elsewhere with --output"
        )
    return progress


def _stored_part(file: Path, recipe: BaseModel, free: Free) -> Any:
    """Return the tables that a run was begun with, and defaults for settings that came since."""
    stored = read_json(file)
    try:
        return fixed_part(type(recipe).model_validate(stored), free)
    except ValidationError:  # no recipe of today: it differs, whatever it is
        return stored


def remove_run(output: Path, names: Sequence[str]) -> None:
    """Remove from a folder what a run has written, by patterns of names; other files stay.

    Of each name also what is left of a folder by a run that was killed while that took its place.
    """
    patterns = [one for name in names for one in (name, f".{name}.new", f".{name}.old")]
    for found in [found for pattern in patterns for found in output.glob(pattern)]:
        if found.is_dir() and not found.is_symlink():
            shutil.rmtree(found)
        else:
            found.unlink()


def set_aside(model: Path) -> Path | None:
    """Rename the model of an earlier run, if there is one, to the first free ``model.1``, ``model.2``, ...

    Returns:
        The new folder, which the log names; None if there was no model.
    """
    if not model.exists():
        return None
    numbered = (model.with_name(f"{model.name}.{number}") for number in count(1))
    kept = next(folder for folder in numbered if not folder.exists())
    model.rename(kept)
    log.info("the model of the earlier run is now in %s", kept)
    return kept


class CheckedRun:
    """A training that is evaluated at regular intervals, and writes a checkpoint when it is interrupted.

    ``progress`` is a data class with ``update``, the number of the last update, and ``history``, a dictionary a check.
    """

    accelerator: Any
    output: Path
    progress: Any
    interruption: Interruption
    total_updates: int
    eval_steps: int  # updates

    def _checked(self) -> bool:
        """Return whether the run is judged after the last update."""
        history = self.progress.history
        return bool(history) and history[-1]["update"] == self.progress.update

    def _check_is_due(self) -> bool:
        update = self.progress.update
        last = update == self.total_updates
        return update > 0 and not self._checked() and (last or update % self.eval_steps == 0)

    def _checks(self) -> str:
        """Return how often the run is judged and writes a checkpoint, for its first line."""
        if self.eval_steps < self.total_updates:
            return f"a check every {self.eval_steps:,} updates"
        return "one check, at the end (eval_steps sets more: a killed run loses what no check has saved)"

    def _stop(self, *, kept: bool) -> None:
        """End an interrupted run; write a checkpoint, unless the one of this update is ``kept`` already."""
        if not kept:
            save_checkpoint(self.accelerator, self.output, self.progress)
        self.interruption.kept = (
            f"the checkpoint of update {self.progress.update} is in {self.output / CHECKPOINT};"
            " the same command resumes the run"
        )
        raise self.interruption.error()
