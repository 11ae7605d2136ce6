"""Models of a model hub, ``org/name`` or ``org/name@revision``: fetched once, then in the hub's cache.

A revision is a branch, a tag or a commit. Of a repository only data are fetched, no pickles and no programs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.errors import ModelError, in_one_line
from bnaparser.files.folder import CONFIG, LABELS, WEIGHTS
from bnaparser.models.about import DATA

if TYPE_CHECKING:
    from huggingface_hub import HFCacheInfo

_NAME = re.compile(r"[\w-][\w.-]*/[\w.-]+(@\S+)?")


@dataclass(frozen=True)
class CachedModel:
    """A model in the hub's cache: its name, its folder and its commit.

    ``refs`` are the branches and tags by which this commit was fetched.
    """

    name: str
    folder: Path
    commit: str
    refs: frozenset[str] = frozenset()


def is_hub_name(name: str) -> bool:
    """Tell whether a name is one of a hub: ``org/name``, maybe with ``@revision``."""
    return _NAME.fullmatch(name) is not None


def fetch(name: str) -> Path:
    """Return the folder of a hub's model, from the cache or, where it is not there or old, the hub.

    Raises ModelError, which says whether the hub, the model or the revision was not there.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    repository, _, revision = name.partition("@")
    try:
        folder = Path(
            snapshot_download(repository, revision=revision or None, allow_patterns=list(DATA))
        )
    except RevisionNotFoundError as error:
        raise ModelError(f"the model hub has {repository}, but no revision {revision!r}") from error
    except RepositoryNotFoundError as error:
        raise ModelError(
            f"there is no folder {name}, and the model hub has no model of that name; a private model needs"
            " a token in HF_TOKEN"
        ) from error
    except LocalEntryNotFoundError as error:
        raise ModelError(
            f"no folder {name}, and the model hub cannot be reached, nor was the model fetched"
            " before: try again with a connection"
        ) from error
    except Exception as error:  # the library raises many kinds of errors if a connection breaks
        raise ModelError(
            f"no folder {name}, and no model of that name could be loaded from the model hub:"
            f" {in_one_line(error) or type(error).__name__}"
        ) from error
    if not (folder / WEIGHTS).is_file():
        raise ModelError(f"{name} of the model hub has no {WEIGHTS}: no other weights are read")
    return folder


def cached() -> list[CachedModel]:
    """Return the models in the hub's cache, by name; encoders and all else that lies there apart."""
    cache = _cache()
    if cache is None:
        return []
    found = [
        CachedModel(
            repo.repo_id
            if "main" in one.refs
            else f"{repo.repo_id}@{min(one.refs, default=one.commit_hash)}",
            one.snapshot_path,
            one.commit_hash,
            one.refs,
        )
        for repo in cache.repos
        for one in repo.revisions
        if all((one.snapshot_path / file).is_file() for file in (CONFIG, LABELS, WEIGHTS))
    ]
    return sorted(found, key=lambda one: one.name)


def remove(name: str) -> int:
    """Take a model out of the cache, and return how many bytes that frees; without @: all revisions.

    Raises ModelError where it is not there.
    """
    repository, at, revision = name.partition("@")
    commits = [
        one.commit
        for one in cached()
        if one.name.partition("@")[0] == repository
        and (not at or revision in one.refs or revision == one.commit)
    ]
    # Of this repository alone: a copy of it may hold the same commit.
    cache = _cache(repository)
    if cache is None or not commits:
        raise ModelError(f"no model {name} is in the hub's cache; 'bnaparser models' lists them")
    plan = cache.delete_revisions(*commits)
    plan.execute()
    return int(plan.expected_freed_size)


def _cache(repository: str | None = None) -> HFCacheInfo | None:
    """Return what is in the cache of models, or of one of them; None where there is no cache."""
    from huggingface_hub import constants, scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    try:
        found = scan_cache_dir(constants.HF_HUB_CACHE)
    except CacheNotFound:
        return None
    repos = (repo for repo in found.repos if repo.repo_type == "model")
    return replace(
        found, repos=frozenset(one for one in repos if repository in (None, one.repo_id))
    )
