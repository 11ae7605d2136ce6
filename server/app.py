"""The application: routes, limits and error handlers around one Service.

``uvicorn bnaparser.server.app:app`` runs it with the settings of the environment.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.exceptions import HTTPException

from bnaparser import __version__
from bnaparser.server import logs, page
from bnaparser.server.corenlp import routes as corenlp_routes
from bnaparser.server.middleware import Observe, ReadBody, RequireKey
from bnaparser.server.problems import Problem, answer_http_exception, answer_problem
from bnaparser.server.queue.classification import load_classifier
from bnaparser.server.rest import openapi
from bnaparser.server.rest import routes as rest_routes
from bnaparser.server.rest.answers import ERRORS_HEADER
from bnaparser.server.service import (
    Load,
    LoadClassifier,
    Service,
    load_parser,
)
from bnaparser.server.settings import ServerSettings, read_settings


class Application(FastAPI):
    """FastAPI with our OpenAPI document; ``state.service`` is the Service."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document."""
        if not self.openapi_schema:
            service: Service = self.state.service
            self.openapi_schema = openapi.document(self, service.settings.key is not None)
        return self.openapi_schema


def create_app(
    settings: ServerSettings | None = None,
    load: Load = load_parser,
    load_classifier: LoadClassifier = load_classifier,
) -> FastAPI:
    """Return an application; its models are loaded by its lifespan, with the two functions.

    Without settings they come from the environment. Raises SettingsError when they are wrong.
    """
    settings = settings or read_settings()
    service = Service(settings, load, load_classifier)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        logs.configure(settings)
        try:
            await service.start()
            await service.load_rest()
            async with service.full_collections_when_idle():
                yield
        finally:
            await service.stop()

    app = Application(
        title="bnaparser",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=life,
        exception_handlers={Problem: answer_problem, HTTPException: answer_http_exception},
    )
    app.state.service = service
    for router in (
        rest_routes.router,
        corenlp_routes.router,
        page.router,
        openapi.router,
    ):
        app.include_router(router)
    _add_layers(app, settings)
    return app


def _add_layers(app: FastAPI, settings: ServerSettings) -> None:
    """Put the middleware around the routes, from the inside out."""
    app.add_middleware(ReadBody, settings=settings)
    if settings.key is not None:
        app.add_middleware(RequireKey, key=settings.key)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-Request-ID"],
            expose_headers=["Retry-After", "X-Request-ID", ERRORS_HEADER],
        )
    app.add_middleware(Observe)


def __getattr__(name: str) -> FastAPI:
    """Make ``app`` when it is first requested: an import of ``create_app`` alone builds nothing."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["app"] = app = create_app()
    return app
