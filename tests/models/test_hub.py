"""Names of a model hub, with revisions: what is asked for, what its refusals become, its cache."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bnaparser import models
from bnaparser.errors import ModelError
from bnaparser.models import hub

COMMIT = "0123456789abcdef0123456789abcdef01234567"
OTHER = "89abcdef0123456789abcdef0123456789abcdef"
Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """A function that puts a model into a cache of the test's own, as the hub's client would.

    There is no way to a hub: what is not in the cache cannot be had.
    """
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)

    def put(
        name: str,
        commit: str = COMMIT,
        ref: str | None = "main",
        weights: str = "model.safetensors",
    ) -> Path:
        top = tmp_path / f"models--{name.replace('/', '--')}"
        folder = top / "snapshots" / commit
        (top / "blobs").mkdir(parents=True, exist_ok=True)
        folder.mkdir(parents=True)
        for file in ("config.json", "labels.json", weights):
            blob = top / "blobs" / f"{file}-{commit}"
            blob.write_text("{}" * 100)
            (folder / file).symlink_to(blob)
        if ref is not None:
            (top / "refs").mkdir(exist_ok=True)
            (top / "refs" / ref).write_text(commit)
        return folder

    return put


def test_a_revision_stands_behind_an_at(put: Put) -> None:
    main, old = put("org/model"), put("org/model", OTHER, "v1.0")
    assert models.find("org/model") == main
    assert models.find("org/model@v1.0") == models.find(f"org/model@{OTHER}") == old
    assert models.resolvable_name("org/model@v1.0", old) == "org/model@v1.0"


def test_only_data_are_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: dict[str, Any] = {}

    def snapshot_download(repository: str, **options: Any) -> str:
        asked.update(repository=repository, **options)
        return str(tmp_path)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    with pytest.raises(ModelError, match=r"org/model@a/b of the model hub has no model\.safetens"):
        models.find("org/model@a/b")
    assert (asked["repository"], asked["revision"]) == ("org/model", "a/b")
    assert not {"*.bin", "*.py", "*.pkl", "*"} & set(asked["allow_patterns"])


def test_without_a_way_to_the_hub(put: Put) -> None:
    put("org/model")
    for name in ("org/other", "org/model@v2"):
        with pytest.raises(ModelError, match=f"no folder {name}, and the model hub cannot be rea"):
            models.find(name)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("RevisionNotFoundError", "has org/model, but no revision 'v9'"),
        ("RepositoryNotFoundError", "has no model of that name.*HF_TOKEN"),
        ("HfHubHTTPError", "could be loaded from the model hub: a page of"),
        ("HFValidationError", "could be loaded from the model hub: a page of"),
    ],
)
def test_what_the_hub_refuses(monkeypatch: pytest.MonkeyPatch, kind: str, said: str) -> None:
    from huggingface_hub import errors

    class Refused(getattr(errors, kind)):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

        def __str__(self) -> str:
            return "a page\nof the hub's"

    def refuse(*_: Any, **__: Any) -> str:
        raise Refused

    monkeypatch.setattr("huggingface_hub.snapshot_download", refuse)
    with pytest.raises(ModelError, match=said) as caught:
        models.find("org/model@v9")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a/b/c", "./a", "~/b", "a b/c", "org/model@", "/a", "org/ model"])
def test_what_is_no_name_of_a_hub(name: str) -> None:
    assert not hub.is_hub_name(name)


def test_where_nothing_was_fetched_there_is_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "none"))
    assert hub.cached() == []
    with pytest.raises(ModelError, match="is in the hub's cache"):
        hub.remove("org/model")


def test_the_cache_is_listed_and_models_are_taken_out(put: Put) -> None:
    put("org/model")
    old, bare = put("org/model", OTHER, "v1.0"), put("org/bare", ref=None)
    put("org/encoder", weights="pytorch_model.bin")
    assert [one.name for one in hub.cached()] == [
        f"org/bare@{COMMIT}",
        "org/model",
        "org/model@v1.0",
    ]
    assert hub.remove("org/model@v1.0") == 600
    assert not old.exists()
    assert [one.name for one in hub.cached()] == [f"org/bare@{COMMIT}", "org/model"]
    hub.remove(f"org/bare@{COMMIT}")  # the same commit as the other's
    assert not bare.exists()
    for name in ("org/encoder", "org/nothing", "org/model@"):
        with pytest.raises(ModelError, match="is in the hub's cache"):
            hub.remove(name)
    assert models.find("org/model").is_dir()


def test_a_model_is_taken_out_by_whichever_name_it_was_fetched(put: Put, tmp_path: Path) -> None:
    """Where a tag is also the newest commit, or has a second tag, it was "not in the cache"."""
    for names in (("main", "v1.0"), ("v1.0", "v1.1")):
        for name in names:
            folder = put("org/model", ref=names[0])
            refs = folder.parent.parent / "refs"
            (refs / names[1]).write_text(COMMIT)
            with pytest.raises(ModelError, match="is in the hub's cache"):
                hub.remove("org/model@v2")
            assert hub.remove(f"org/model@{name}") == 600
            assert not folder.exists()
            assert hub.cached() == []


@pytest.mark.parametrize("kind", ["RemoteProtocolError", "TooManyRedirects", "ReadError"])
def test_a_connection_that_breaks(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """What the hub's client lets through of the library below it was a traceback."""
    from huggingface_hub.errors import HfHubHTTPError

    below = next(one for one in HfHubHTTPError.__mro__ if one.__name__ == "HTTPError")
    error = getattr(importlib.import_module(below.__module__.partition(".")[0]), kind)

    def breaks(*_: Any, **__: Any) -> str:
        raise error("peer closed\nconnection")

    monkeypatch.setattr("huggingface_hub.snapshot_download", breaks)
    with pytest.raises(
        ModelError, match="could be loaded from the model hub: peer closed connection"
    ):
        models.find("org/model")
