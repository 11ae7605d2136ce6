"""The web application of a project: its page, and the steps that the page asks for.

It is for this machine alone. A page of another site that a browser shows cannot use it: requests by another host's
name are refused (DNS rebinding), and so are those that another site's page sends.
"""

from __future__ import annotations

import re
from importlib import resources
from typing import Annotated, Any, Literal

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bnaparser.annotation.agreement import agreements
from bnaparser.annotation.journal import NotSavedError
from bnaparser.annotation.labels import LabelCounts
from bnaparser.annotation.project import MOST_OF_NAME, Project, check_name
from bnaparser.errors import DataError, TreeError
from bnaparser.server.middleware import SECURITY_HEADERS
from bnaparser.server.page import File, read_files, send_file
from bnaparser.server.page import files as service_files
from bnaparser.trees.escapes import unescape
from bnaparser.trees.tree import Tree

HOSTS = ("127.0.0.1", "localhost")
PAGE = "annotate.html"
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_OF_NAME),
    AfterValidator(check_name),
]
_MOST_BYTES = 200_000  # of a request: the longest comment has 120,000, if each character is escaped


class Step(BaseModel):
    """A step that the page requests; ``steps`` are the steps that the page knows, so that it
    changes what it shows.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    by: Name
    steps: int
    do: Literal[
        "choose",
        "relabel",
        "remove",
        "bracket",
        "move",
        "undo",
        "redo",
        "accept",
        "withdraw",
        "comment",
    ]
    node: int = 0
    other: int = 0
    label: Annotated[str, StringConstraints(strip_whitespace=True, max_length=100)] = ""
    comment: Annotated[str, StringConstraints(max_length=10_000)] = ""


def create_app(project: Project, by: str = "") -> FastAPI:
    """Return the application of an open project; ``by`` is the annotator whom the page names at first."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_exception_handler(RequestValidationError, _refused)
    app.add_middleware(LimitedBody)
    app.add_middleware(OwnPagesOnly)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS), www_redirect=False)
    files = service_files() | read_files(resources.files("bnaparser.annotation") / "static")
    counts: dict[str, LabelCounts] = {}  # by annotator

    def counts_of(by: str) -> LabelCounts:
        if by not in counts:
            counts[by] = LabelCounts(project, by)
        return counts[by]

    @app.get("/")
    async def page(request: Request) -> Response:
        return send_file(request, files[PAGE])

    @app.get("/static/{name}")
    async def static(request: Request, name: str) -> Response:
        return send_file(request, _known(files, name))

    @app.get("/project")
    async def read(by: str = by) -> dict[str, Any]:
        return {"name": project.folder.resolve().name, "by": by, **summary(project, by)}

    @app.get("/sentences/{number}")
    async def sentence(number: int, by: str) -> dict[str, Any]:
        return shown(project, by, _checked(project, number), counts_of(by))

    # Without an await between reading and saving: steps come one after the other.
    @app.post("/sentences/{number}")
    async def do(number: int, step: Step) -> dict[str, Any]:
        history = project.history(step.by, _checked(project, number))
        labels, before = counts_of(step.by), project.tree(step.by, number)
        if step.steps != history.steps:
            raise HTTPException(409, "This sentence was changed in another window.")
        try:
            arguments = step.model_dump(exclude={"steps"})
            project.do(number=number, **arguments)
        except TreeError as error:
            raise HTTPException(422, str(error)) from None
        except NotSavedError as error:
            raise HTTPException(507, str(error)) from None
        labels.add(before, -1)
        labels.add(project.tree(step.by, number))
        return shown(project, step.by, number, labels)

    @app.get("/agreement")
    async def agreement() -> list[dict[str, Any]]:
        return agreements(project)

    @app.get("/accepted.mrg")
    async def accepted(by: str) -> Response:
        try:
            trees = project.accepted(by)
        except DataError as error:
            raise HTTPException(404, str(error)) from None
        content = "".join(f"{tree}\n" for tree in trees).encode()
        headers = {
            "Content-Disposition": f'attachment; filename="{re.sub("[^A-Za-z0-9]", "-", by)}.mrg"'
        }
        return Response(content, media_type="text/plain; charset=utf-8", headers=headers)

    return app


def summary(project: Project, by: str) -> dict[str, Any]:
    """Return the annotators, and a line for each sentence: its text, probability, entropy and
    state.
    """
    sentences = []
    for number, sentence in enumerate(project.sentences):
        parse = project.parses.get(number)
        sentences.append(
            {
                "text": sentence.text,
                "probability": parse.trees[0][1] if parse is not None and parse.trees else None,
                "entropy": None if parse is None else parse.entropy,
                "state": state(project, by, number),
            }
        )
    return {"annotators": project.annotators, "sentences": sentences}


def state(project: Project, by: str, number: int) -> str:
    """Return how far an annotator is with a sentence: accepted, changed (again), or to do."""
    history = project.history(by, number)
    if history.accepted is not None:
        return "accepted" if history.accepted == project.tree(by, number) else "changed"
    return "begun" if history.place else "open"


def shown(project: Project, by: str, number: int, labels: LabelCounts) -> dict[str, Any]:
    """Return a sentence as the page shows it to an annotator, its trees as the service's JSON form has them."""
    sentence, history = project.sentences[number], project.history(by, number)
    parse = project.parses.get(number)
    chances = {} if parse is None else {span[:3]: span[3] for span in parse.spans}
    tree = Tree.parse(project.tree(by, number))
    return {
        "number": number,
        "text": sentence.text,
        "language": sentence.language,
        "error": None if parse is None else parse.error,
        "tree": drawn(tree, chances),
        "labels": labels.offered(tree),
        "candidates": [
            {"name": name, "probability": chance, "tree": drawn(Tree.parse(tree), chances)}
            for name, tree, chance in project.candidates(by, number)
        ],
        "state": state(project, by, number),
        "steps": history.steps,
        "undo": history.place > 0,
        "redo": history.place < len(history.trees),
        "comment": history.comment,
    }


def drawn(tree: Tree, chances: dict[tuple[int, int, str], float]) -> dict[str, Any]:
    """Return a tree in the form in which the page's scripts draw it, its top node apart."""
    words = zip(tree.words, tree.tags, strict=True)
    return {
        "top": tree.label,
        "tokens": [{"text": unescape(word), "tag": tag} for word, tag in words],
        "constituents": [
            {
                "label": node.label,
                "start": node.start,
                "end": node.end,
                "probability": chances.get((node.start, node.end, node.label)),
            }
            for place, node in enumerate(tree.nodes())
            if place and node.word is None
        ],
        "tree": str(tree),
    }


async def _refused(request: Request, error: Exception) -> Response:
    """Answer 422 with one sentence. The values are left out: they may be NaN, which JSON cannot hold."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    name = f"{first['loc'][-1]!r:.60}"
    if first["type"] == "json_invalid":
        said = "the request is not JSON"
    elif first["type"] == "missing":
        said = f"the field {name} is missing"
    elif first["type"] == "extra_forbidden":
        said = f"there is no field {name}: leave it out"
    else:
        reason = re.sub(
            "^(Input|String) should", "must", first["msg"].removeprefix("Value error, ")
        )
        said = f"the field {name} {reason}"
    return JSONResponse({"detail": said}, 422)


def _known(files: dict[str, File], name: str) -> File:
    if name not in files:
        raise HTTPException(404, f"there is no file {name!r} here")
    return files[name]


def _checked(project: Project, number: int) -> int:
    if not 0 <= number < len(project.sentences):
        raise HTTPException(404, f"there is no sentence {number}")
    return number


class OwnPagesOnly:
    """ASGI middleware that refuses what another site's page sends, and puts security headers on answers."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        origin, host = headers.get(b"origin"), headers.get(b"host", b"")

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = (
                    (name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()
                )
                message["headers"] = [*message.get("headers", []), *extra]
            await send(message)

        if origin is not None and origin != b"http://" + host:
            await Response(
                "this request comes from another site's page: open the annotation page directly",
                403,
            )(scope, receive, send_marked)
        else:
            await self.app(scope, receive, send_marked)


class LimitedBody:
    """ASGI middleware that reads a request's whole body, and refuses one that no step needs."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 413, or hand the request on with its body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body, size, more = b"", 0, True
        while more:  # to the end also of what is refused, so that the client reads the answer
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            chunk, more = message.get("body", b""), message.get("more_body", False)
            size += len(chunk)
            body = body + chunk if size <= _MOST_BYTES else b""
        if size > _MOST_BYTES:
            said = f"the request has more than {_MOST_BYTES:,} bytes: no step needs so many"
            await JSONResponse({"detail": said}, 413)(scope, receive, send)
            return
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self.app(scope, replay, send)
