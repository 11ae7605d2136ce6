"""``/v1/search``: a pattern and bracketed trees in; the nodes that it finds in each out."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from bnaparser.server.bounds import check_count
from bnaparser.server.exchange import read_body
from bnaparser.server.problems import UnsupportedBody, problem_answers
from bnaparser.server.queue.search_process import MOST_TOLD
from bnaparser.server.queue.service import Service
from bnaparser.server.rest import request_body
from bnaparser.server.rest.request_schemas import TREE_EXAMPLE
from bnaparser.server.service_settings import ServerSettings
from bnaparser.settings import Checked

router = APIRouter()

MOST_CHARACTERS = 1_000  # of a pattern


class SearchRequest(Checked):
    """A pattern in tregex's language, and the trees to search."""

    model_config = ConfigDict(extra="forbid", strict=True)

    pattern: str = Field(
        max_length=MOST_CHARACTERS,
        description="a pattern as tregex writes it",
        examples=["NP < (PP << of)"],
    )
    trees: list[str] = Field(
        description="a bracketed tree each, as `/v1/parse` gives it", examples=[[TREE_EXAMPLE]]
    )


class FoundNode(BaseModel):
    """A node, or a word, by its label; ``start`` and ``end`` are its words, half-open."""

    label: str
    start: int
    end: int


class FoundMatch(FoundNode):
    """A node that the pattern was found at, with the first way in which it was."""

    number: int = Field(
        description="its place among all nodes and words of the tree, parents first, from 1"
    )
    names: dict[str, FoundNode] = Field(description="the nodes that the pattern names")
    strings: dict[str, str] = Field(description="what its regular expressions captured")


class SearchedTree(BaseModel):
    """What was found in one tree, or why it cannot be read in ``error``."""

    count: int
    matches: list[FoundMatch]
    error: str | None


class SearchAnswer(BaseModel):
    """The trees of a request, in order, each with what was found; or what is wrong with the pattern."""

    count: int = Field(description="nodes that were found, in all trees")
    hits: int = Field(description="trees in which some were")
    trees: list[SearchedTree] = Field(
        description=f"in order; their matches are told up to {MOST_TOLD:,} in all, and counted beyond"
    )
    notes: list[str] = Field(
        description="a sentence for each label or word of the pattern that is in none of the trees"
    )
    error: str | None = Field(description="why the pattern cannot be read; null where it can")
    column: int | None = Field(description="where in the pattern, from 1; null without an error")


_BODY = {
    "required": True,
    "content": {
        request_body.JSON: {
            "schema": SearchRequest.model_json_schema(),
            "examples": {
                "a pattern": {"value": {"pattern": "NP <1 DT", "trees": [TREE_EXAMPLE]}},
                "with a name": {"value": {"pattern": "VP < PP=where", "trees": [TREE_EXAMPLE]}},
            },
        },
    },
}
_FOUND: dict[str, Any] = {"label": "NP", "start": 0, "end": 2, "number": 3}
ANSWER = {
    "description": "What was found in each tree, in order",
    "content": {
        request_body.JSON: {
            "schema": {"$ref": "#/components/schemas/SearchAnswer"},
            "examples": {
                "found": {
                    "value": {
                        "count": 1,
                        "hits": 1,
                        "trees": [
                            {
                                "count": 1,
                                "matches": [{**_FOUND, "names": {}, "strings": {}}],
                                "error": None,
                            }
                        ],
                        "notes": [],
                        "error": None,
                        "column": None,
                    }
                },
                "a wrong pattern": {
                    "value": {
                        "count": 0,
                        "hits": 0,
                        "trees": [],
                        "notes": [],
                        "error": ") is wanted here, to close (",
                        "column": 9,
                    }
                },
            },
        },
    },
}


@router.post(
    "/v1/search",
    tags=["REST"],
    summary="Find nodes of trees by a pattern",
    response_class=Response,
    openapi_extra={"requestBody": _BODY},
    responses={200: ANSWER, **problem_answers(400, 408, 413, 415, 422, 500, 503, 504)},
)
async def search(request: Request) -> Response:
    """Search bracketed trees for a pattern in the language of Stanford's tregex.

    Each node is found once, with the first way in which the pattern fits it. A wrong pattern has
    its `error` and its `column`; a tree that cannot be read its own `error`, in its place. A search
    that takes longer than the service allows one (its setting `search_seconds`) gets 504.
    """
    service: Service = request.app.state.service
    service.admit(request.state.record)
    request_body.check_query(request.query_params)
    if request_body.media_type(request.headers) != request_body.JSON:
        raise UnsupportedBody(
            f"a search is sent as {request_body.JSON}", {"Accept": request_body.JSON}
        )
    asked = await read_body(request, read_search, service.settings, has_words=False)
    caller = request.client.host if request.client else ""
    answer = await service.search(asked.pattern, asked.trees, caller, request.state.record)
    return Response(answer, media_type=request_body.JSON)


def read_search(body: bytes, settings: ServerSettings) -> SearchRequest:
    """Read a request. Raises BadBody, Unprocessable or TooLarge."""
    asked = request_body.read_request(body, settings, {"trees": SearchRequest})
    check_count(len(asked.trees), "trees", settings)
    return asked
