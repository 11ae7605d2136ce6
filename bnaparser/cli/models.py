"""``bnaparser models``: list, describe, import, export and remove models."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.cli.arguments import add_examples, quoted_model, quoted_path
from bnaparser.cli.console import say
from bnaparser.errors import ModelError, require_extra
from bnaparser.files.folder import LABELS, METRICS, check_new, new_folder
from bnaparser.files.tables import read_object

if TYPE_CHECKING:
    from bnaparser.models.about import About

HEAD = ("model", "from", "size", "language", "licence", "take it for", "F1")
SHIPS, HUB = "ships", "hub"
EXAMPLES = """\
  bnaparser models list
  bnaparser models describe en
  bnaparser models describe multi --labels
  bnaparser models import benepar_en3.zip runs/benepar_en3
  bnaparser models export runs/mine/model mine --name mine && pip install ./mine
  bnaparser models remove org/name"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the commands; without a command, models are listed."""
    add_examples(parser, EXAMPLES)
    commands = parser.add_subparsers(metavar="COMMAND", dest="models_command")
    _command(commands, "list", "list the installed models (the default)")
    for name, summary in (
        ("describe", "show the origin, kind, size, languages, licence and scores of a model"),
        ("card", "print the model card: purpose, training data, scores"),
    ):
        command = _command(commands, name, summary)
        command.add_argument(
            "name",
            metavar="NAME",
            help="name or folder of a model, or org/name[@revision] on a hub",
        )
        if name == "describe":
            command.add_argument(
                "--labels",
                action="store_true",
                help="list the labels and tags of a parser instead, each with its class and meaning",
            )
    importing = _command(
        commands, "import",
        "convert a benepar model, or unpack a zipped model, into a model folder",
    )  # fmt: skip
    importing.add_argument(
        "source", metavar="SOURCE", help="folder, zip file or benepar checkpoint"
    )
    importing.add_argument("target", metavar="DEST", help="folder to write")
    importing.add_argument(
        "--store", choices=("float32", "float16", "int8"),
        help="number format of the stored weights (default: float32; for a model of bnaparser: unchanged)",
    )  # fmt: skip
    exporting = _command(
        commands, "export", "write a model as a Python package, which pip install ./DEST installs"
    )
    exporting.add_argument(
        "source", metavar="NAME", help="name or folder of a model, or org/name on a hub"
    )
    exporting.add_argument("target", metavar="DEST", help="folder to write")
    exporting.add_argument(
        "--name",
        metavar="NAME",
        help="name of the installed model, for --model NAME (default: the name of the folder DEST)",
    )
    exporting.add_argument(
        "--version",
        default="1.0.0",
        metavar="VERSION",
        help="version of the package (default: 1.0.0)",
    )
    removing = _command(commands, "remove", "delete a downloaded hub model from the cache")
    removing.add_argument(
        "name", metavar="NAME", help="org/name or org/name@revision of a hub model"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command, or list the models."""
    match options.models_command:
        case "describe":
            if options.labels:
                _print_labels(options.name)
            else:
                _describe(options.name)
        case "card":
            _card(options.name)
        case "import":
            _import(options.source, Path(options.target), options.store)
        case "export":
            _export(options.source, Path(options.target), options.name, options.version)
        case "remove":
            _remove(options.name)
        case _:
            _list()
    return 0


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str
) -> argparse.ArgumentParser:
    described = f"{summary[0].upper()}{summary[1:]}."
    return commands.add_parser(name, help=summary, description=described, allow_abbrev=False)


def _import(source: str, target: Path, store: str | None) -> None:
    """Write a model folder from one of benepar's models, or from the folder or zip of a model of bnaparser."""
    from bnaparser import models
    from bnaparser.models.about import files_below
    from bnaparser.models.zipped_folder import unzipped
    from bnaparser.network import storage
    from bnaparser.network.model_settings import is_benepars

    require_extra("torch")
    check_new(target)
    found = models.find(source)
    with unzipped(found) if found.is_file() else nullcontext(found) as unpacked:
        ours = unpacked is not None and not is_benepars(unpacked)
        model = None if ours and store is None else storage.load(unpacked or found)
        files = files_below(unpacked) if ours and unpacked is not None else []
        with new_folder(target) as folder:
            for file in files:
                copy = folder / file.relative_to(unpacked or found)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
            if model is not None:
                metrics = read_object(folder / METRICS) if (folder / METRICS).is_file() else {}
                storage.save(model, folder, store or "float32", metrics)
    print(f"{target} is written: bnaparse --model {quoted_model(target)} ...")


def _export(source: str, target: Path, name: str | None, version: str) -> None:
    from bnaparser import models
    from bnaparser.models.about import CARD, kind
    from bnaparser.models.export import export

    name = name or Path(os.path.realpath(target)).name
    with _folder(models.find(source)) as folder:
        export(folder, target, name, version)
    missing = [] if (target / CARD).is_file() else [CARD]
    missing += [] if any(target.glob("*LICENSE*")) else ["LICENSE"]
    if missing:
        say(
            f"the package has no {' and no '.join(missing)}: add what is missing before you share the package"
        )
    verb = "bnaparse" if kind(target) == "parser" else "bnaparser classify"
    install = f"pip install {quoted_path(Path(os.path.realpath(target)))}"
    print(f"{target} is written: {install}; {verb} --model {name} ...")


def _remove(name: str) -> None:
    """Take a model out of the hub's cache; all other models are somebody else's to remove."""
    from bnaparser import models
    from bnaparser.models import hub
    from bnaparser.models.packages import installed

    if name in models.shipped():
        raise ModelError(f"the model {name} ships with bnaparser and cannot be removed")
    for one in installed():
        if one.name == name:
            raise ModelError(
                f"the model {name} belongs to the package {one}: remove the package with"
                f" 'pip uninstall {one.package}'"
            )
    if Path(name).exists():
        raise ModelError(
            f"{name} is a local folder or file: delete it yourself; this command"
            " removes downloaded models by their name, org/name"
        )
    freed = hub.remove(name)
    print(f"{name} is removed from the hub's cache: {freed / 1e6:.0f} MB")


def _card(name: str) -> None:
    from bnaparser import models
    from bnaparser.models.about import card

    with _folder(models.find(name)) as folder:
        print(card(folder).rstrip("\n"))


@contextmanager
def _folder(found: Path) -> Iterator[Path]:
    """Give a model's folder, of a zip for as long as it is read; ModelError for a checkpoint of benepar's."""
    from bnaparser.models.zipped_folder import unzipped

    if not found.is_file():
        yield found
        return
    with unzipped(found) as folder:
        if folder is None:
            raise ModelError(
                f"{found} is not a model folder of bnaparser: 'bnaparser models import {quoted_path(found)} DEST' makes it one"
            )
        yield folder


def _describe(name: str) -> None:
    """Print one line for each field; fields that a model does not have are left out."""
    from bnaparser import models
    from bnaparser.models.about import CARD, about, kind

    found = models.find(name)
    with _folder(found) as folder:
        model = about(folder, name)
        facts = {
            "model": model.name,
            "from": _origin(name),
            "folder": str(found),
            "kind": kind(folder),
            "description": model.description,
            "take it for": model.purpose,
            "language": model.language,
            "licence": model.license,
            "why": model.license_note,
            "size": _size(model),
            "F1": _scores(model),
            "dev F1": "" if model.f1 else _development_scores(folder),
            "card": str(found / CARD) if (found / CARD).is_file() else "",
        }
    width = max(map(len, facts))
    for fact, value in facts.items():
        if value:
            print(f"{fact.ljust(width)}  {value}")


def _print_labels(name: str) -> None:
    """Print a line for each label and tag, tab-separated: language, label or tag, its class, its meaning."""
    from bnaparser import models
    from bnaparser.models.about import kind, languages
    from bnaparser.trees.labels import explain, label_class

    with _folder(models.find(name)) as folder:
        if kind(folder) != "parser":
            raise ModelError(f"the model {name} is not a parser, and has no labels of constituents")
        known = read_object(folder / LABELS)
        try:
            of_each = known.get("languages") or {languages(folder)[0]: known}
            rows_of = {language: _label_rows(its_own) for language, its_own in of_each.items()}
        except (TypeError, LookupError, AttributeError) as error:
            raise ModelError(
                f"{folder / LABELS} does not hold the labels of a model: {error!r}"
            ) from error
    for language, rows in rows_of.items():
        for label, is_tag in rows:
            found = label_class(label, is_tag, language), explain(label, is_tag, language)
            kind_of_label = "tag" if is_tag else "label"
            print(language, kind_of_label, label, *found, sep="\t")


def _label_rows(known: dict[str, list[str]]) -> list[tuple[str, bool]]:
    """Return the labels of a language, without the chains of several, then its tags; each with whether it is a tag."""
    labels = sorted({part for label in known["labels"] for part in label.split("::") if part})
    return [(label, False) for label in labels] + [(tag, True) for tag in known["tags"]]


def _origin(name: str) -> str:
    from bnaparser import models
    from bnaparser.models.packages import installed

    if name in models.shipped():
        return f"{SHIPS} with bnaparser"
    packages = [f"the package {one}" for one in installed() if one.name == name]
    return packages[0] if packages else "" if Path(name).exists() else "a model hub"


def _list() -> None:
    """Print a line a model in columns, and how to use them and read more."""
    from bnaparser import models

    rows = [HEAD, *_rows()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())
    print(
        '\nbnaparse --model en "It rained."; bnaparser classify --model sst2 "It rained.";'
        f" each model's terms are in LICENSE, all else in card.md below {models.SHIPPED}"
    )


def _rows() -> Iterator[tuple[str, ...]]:
    """Yield a row for each model; for a model that cannot be used, the row has the reason."""
    from bnaparser import models
    from bnaparser.models import hub
    from bnaparser.models.about import about
    from bnaparser.models.packages import installed

    found = [(name, SHIPS, models.SHIPPED / name) for name in models.shipped()]
    for package in installed():
        if package.problem:
            say(f"the package {package} {package.problem}")
        else:
            found.append((package.name, str(package), package.folder))
    found += [(one.name, HUB, one.folder) for one in hub.cached()]
    for name, origin, folder in found:
        try:
            model = about(folder, name)
        except ModelError as error:
            say(str(error))
            continue
        known = model.language, model.license, model.purpose, _scores(model)
        yield name, origin, _size(model), *known


def _size(model: About) -> str:
    return f"{model.size_bytes / 1e6:.0f} MB"


def _development_scores(folder: Path) -> str:
    """Return the scores that a training has left in a parser's folder, on each development set."""
    if not (folder / METRICS).is_file():
        return ""
    ending = " f1"
    scores = {
        name.removesuffix(ending): value
        for name, value in read_object(folder / METRICS).items()
        if name.endswith(ending) and isinstance(value, int | float)
    }
    return ", ".join(f"{name} {f1:.2f}" for name, f1 in scores.items())


def _scores(model: About) -> str:
    return ", ".join(f"{test} {f1:.2f}" for test, f1 in model.f1.items())
