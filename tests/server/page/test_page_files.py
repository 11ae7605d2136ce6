"""The page's files, without a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi.testclient import TestClient


def test_files_are_sent_with_their_type_and_an_entity_tag(
    make_client: Callable[..., TestClient],
) -> None:
    client = make_client()
    for path, media_type in (
        ("/", "text/html; charset=utf-8"),
        ("/static/main.js", "text/javascript; charset=utf-8"),
        ("/static/page.css", "text/css; charset=utf-8"),
        ("/static/favicon.svg", "image/svg+xml"),
        ("/static/labels.json", "application/json"),
    ):
        first = client.get(path)
        assert (first.status_code, first.headers["content-type"]) == (200, media_type)
        assert first.headers["cache-control"] == "no-cache"
        assert "default-src 'self'" in first.headers["content-security-policy"]
        tag = first.headers["etag"]
        for known in (tag, f"W/{tag}", f'"other", {tag}'):
            again = client.get(path, headers={"If-None-Match": known})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200
        assert client.head(path).headers["etag"] == tag


@pytest.mark.parametrize("name", ["nothing.js", "..%2Fpage.py", "__init__.py", "%00", ""])
def test_other_files_are_not_sent(make_client: Callable[..., TestClient], name: str) -> None:
    reply = make_client().get(f"/static/{name}")
    assert reply.status_code == 404
    assert reply.headers["content-type"] == "application/problem+json"


def test_the_page_holds_no_script_or_style_of_its_own() -> None:
    page = (Path(__file__).parents[3] / "server" / "static" / "index.html").read_text("utf-8")
    assert not re.search(r"<style|style=| on\w+=|javascript:|https?://", page)
    assert re.findall(r"<script[^>]*>(.*?)</script>", page) == [""]
