"""The house: wheel, links and public names are what docs/architecture.md says, files are small."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import bnaparser

ROOT = Path(__file__).parent.parent
MAPPED = ("chart", "eval", "server", "models")
MOST_BYTES_OF_THE_WHEEL = 100_000_000  # what PyPI takes; further models are packages of their own


def run_python(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_links_are_relative_and_complete() -> None:
    links = [ROOT / "bnaparser" / name for name in MAPPED]
    if any(link.is_symlink() for link in links):
        assert [os.readlink(link) for link in links] == [f"../{name}" for name in MAPPED]


def test_folders_do_not_leak_to_the_top_level(tmp_path: Path) -> None:
    code = (
        "import importlib.util as u; "
        f"print([n for n in {MAPPED!r} if (s := u.find_spec(n)) is not None and s.origin])"
    )
    assert run_python(code, tmp_path).strip() == "[]"


def test_wheel_holds_what_is_tracked_and_names_its_licences(tmp_path: Path) -> None:
    """One test: two processes cannot build in one checkout at once."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = tmp_path.glob("*.whl")
    assert built.stat().st_size < MOST_BYTES_OF_THE_WHEEL
    wheel = zipfile.ZipFile(built)
    check_licences(wheel)
    check_files(wheel)


def check_licences(wheel: zipfile.ZipFile) -> None:
    (metadata,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    told = wheel.read(metadata).decode().partition("\n\n")[0].splitlines()
    terms = "MIT AND CC-BY-SA-4.0 AND LicenseRef-bnaparser-models-non-commercial"
    assert f"License-Expression: {terms}" in told
    of_models = ("en/GENIA-LICENSE", "en/LICENSE", "en-free/GENIA-LICENSE", "en-free/LICENSE")
    texts = ["LICENSE", *(f"models/{text}" for text in (*of_models, "sst2/LICENSE"))]
    assert [line.partition(": ")[2] for line in told if line.startswith("License-File")] == texts
    folder = metadata.removesuffix("METADATA")
    for text in texts:
        assert wheel.read(f"{folder}licenses/{text}") == (ROOT / text).read_bytes()
        if "/" in text:
            assert wheel.read(f"bnaparser/{text}") == (ROOT / text).read_bytes()


def check_files(wheel: zipfile.ZipFile) -> None:
    shipped = {name for name in wheel.namelist() if name.endswith(".py")}
    tracked = subprocess.run(
        ["git", "ls-files", "bnaparser/*.py", *(f"{name}/*.py" for name in MAPPED)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    expected = {name if name.startswith("bnaparser/") else f"bnaparser/{name}" for name in tracked}
    assert shipped == expected
    assert not any(name.endswith("pyproject.toml") for name in wheel.namelist())


def test_importing_the_package_loads_the_standard_library_only(tmp_path: Path) -> None:
    code = (
        "import sys; before = set(sys.modules); import bnaparser; "
        "new = {n.split('.')[0] for n in set(sys.modules) - before}; "
        "print(sorted(n for n in new if n not in sys.stdlib_module_names and n[0] != '_'))"
    )
    assert run_python(code, tmp_path).strip() in ("['bnaparser']",)


def test_public_names_are_real_and_few() -> None:
    assert len(bnaparser.__all__) <= 12
    assert sorted(bnaparser.__all__) == list(bnaparser.__all__)
    for name in bnaparser.__all__:
        assert getattr(bnaparser, name) is not None
    assert dir(bnaparser) == bnaparser.__all__


def test_constraints_satisfy_the_lower_bounds() -> None:
    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, version = line.split("==")
            pins[name.lower().replace("_", "-")] = version
    extras = project["optional-dependencies"].values()
    wanted = chain(project["dependencies"], *extras)
    for requirement in map(Requirement, wanted):
        if requirement.name != "bnaparser":
            pinned = pins[requirement.name.lower().replace("_", "-")]
            assert requirement.specifier.contains(pinned), requirement


def tracked_python_files() -> list[Path]:
    """Every Python file of the repository, links not followed."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


Function = ast.FunctionDef | ast.AsyncFunctionDef
FILES = tracked_python_files()
OFTEN = {"__init__.py", "__main__.py", "conftest.py"}
MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 50
MOST_LINES_OF_A_CLASS = 200
MOST_FILES_OF_THE_PACKAGE_ITSELF = 4
REASON = "Long because"


def definitions() -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """Every function and class of the repository, with ``file:line name``."""
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, Function | ast.ClassDef):
                yield f"{file.relative_to(ROOT)}:{node.lineno} {node.name}", node


ALL = list(definitions())
FUNCTIONS = [(place, node) for place, node in ALL if not isinstance(node, ast.ClassDef)]
CLASSES = [(place, node) for place, node in ALL if isinstance(node, ast.ClassDef)]


def lines(node: Function | ast.ClassDef) -> int:
    """Lines of a definition, from ``def`` or ``class`` to its end."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def said_twice(places: Iterable[tuple[str, str]]) -> list[str]:
    """Of pairs of a name and its place, the names that stand in several, each with all of them."""
    found: dict[str, list[str]] = {}
    for name, place in places:
        found.setdefault(name, []).append(place)
    return [f"{name}: {', '.join(of)}" for name, of in sorted(found.items()) if len(of) > 1]


def test_no_file_name_stands_twice() -> None:
    places = [(file.name, str(file.relative_to(ROOT))) for file in FILES if file.name not in OFTEN]
    twice = said_twice(places)
    assert not twice, "name each file for what it alone holds:\n" + "\n".join(twice)


def test_no_class_name_stands_twice() -> None:
    twice = said_twice((node.name, place) for place, node in CLASSES)
    assert not twice, "one thing, one name:\n" + "\n".join(twice)


def test_no_file_is_long() -> None:
    counts = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in FILES}
    long = [f"{f.relative_to(ROOT)}: {n}" for f, n in counts.items() if n > MOST_LINES]
    assert not long, f"more than {MOST_LINES} lines, split by what they hold:\n" + "\n".join(long)


def test_no_function_is_long() -> None:
    long = [
        f"{p}: {lines(node)}" for p, node in FUNCTIONS if lines(node) > MOST_LINES_OF_A_FUNCTION
    ]
    assert not long, f"more than {MOST_LINES_OF_A_FUNCTION} lines:\n" + "\n".join(long)


def test_no_class_is_long_without_a_reason() -> None:
    long = [
        f"{place}: {lines(node)}"
        for place, node in CLASSES
        if lines(node) > MOST_LINES_OF_A_CLASS and REASON not in (ast.get_docstring(node) or "")
    ]
    assert not long, (
        f"more than {MOST_LINES_OF_A_CLASS} lines: split them, or say in the docstring"
        f' "{REASON} ...":\n' + "\n".join(long)
    )


def test_the_package_itself_holds_few_files() -> None:
    here = sorted(file.name for file in FILES if file.parent == ROOT / "bnaparser")
    assert len(here) <= MOST_FILES_OF_THE_PACKAGE_ITSELF, f"give each of these a room: {here}"


def test_every_function_of_tests_and_benchmarks_says_its_types() -> None:
    untyped = [
        place
        for place, node in FUNCTIONS
        if place.startswith(("tests/", "benchmarks/")) and not is_typed(node)
    ]
    assert not untyped, "say what goes in and comes out:\n" + "\n".join(untyped)


def is_typed(node: Function) -> bool:
    """Tell whether a function's result and all its arguments, ``self`` and ``cls`` apart, have types."""
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    arguments += [one for one in (node.args.vararg, node.args.kwarg) if one is not None]
    said = all(one.annotation is not None or one.arg in ("self", "cls") for one in arguments)
    return said and (node.returns is not None or node.name == "__init__")
