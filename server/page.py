"""The web page: ``GET /`` and its files below ``/static/``, from memory, with entity tags."""

from __future__ import annotations

import functools
import hashlib
import json
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

from fastapi import APIRouter, HTTPException, Request, Response

from bnaparser.trees import labels
from bnaparser.trees.drawing.svg import COLOURS

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
PAGE = "index.html"

router = APIRouter(include_in_schema=False)


class File(NamedTuple):
    """A file of the page, ready to be sent."""

    content: bytes
    media_type: str
    tag: str


@router.get("/")
async def page(request: Request) -> Response:
    """Send the page."""
    return send_file(request, files()[PAGE])


@router.get("/static/{name}")
async def static(request: Request, name: str) -> Response:
    """Send one of the page's files."""
    if name not in files():
        raise HTTPException(404, f"the page has no file {name!r}")
    return send_file(request, files()[name])


@functools.cache
def files() -> dict[str, File]:
    """All files of the page by name; ``labels.json`` is made of `bnaparser.trees.labels`."""
    found = read_files(resources.files("bnaparser.server") / "static")
    tables = map(labels.table, labels.LANGUAGES)
    explained = {
        "languages": {
            one.language: {"phrases": one.phrases, "tags": one.tags, "functions": one.functions}
            for one in tables
        },
        "families": {"phrases": labels.PHRASES, "tags": labels.TAGS},
        "words": labels.OF_WORDS,
        "prefixed": labels.PREFIXED,
        "colours": COLOURS,
    }
    found["labels.json"] = _file("labels.json", json.dumps(explained, ensure_ascii=False).encode())
    return found


def read_files(folder: Traversable) -> dict[str, File]:
    """Return the files of a page that are in a folder, by name."""
    entries = [entry for entry in folder.iterdir() if entry.name.endswith(tuple(TYPES))]
    return {entry.name: _file(entry.name, entry.read_bytes()) for entry in entries}


def _file(name: str, content: bytes) -> File:
    tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    return File(content, TYPES[name[name.rindex(".") :]], tag)


def send_file(request: Request, file: File) -> Response:
    """Return the file, or 304 to a browser that has it; ``no-cache``: it asks each time, so none is old."""
    headers = {"ETag": file.tag, "Cache-Control": "no-cache"}
    known = request.headers.get("if-none-match", "")
    if file.tag in [tag.strip().removeprefix("W/") for tag in known.split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)
