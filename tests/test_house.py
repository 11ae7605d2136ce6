"""The layout: wheel, links and public names are what docs/architecture.md says."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
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


def test_constraints_satisfy_the_bounds() -> None:
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
