"""Every setting of the service, typed, with its default: from the environment or by name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bnaparser.errors import SettingsError, shortened
from bnaparser.parsing.options import MOST_TREES
from bnaparser.settings import mistakes, nearest

ENVIRONMENT_PREFIX = "BNAPARSER_"
# What the tests of this project read; whoever runs them may have set it.
_OF_THE_TESTS = frozenset({"DATA", "EVALB_CASES", "CHROMIUM"})
# For a Service named bnaparser: BNAPARSER_SERVICE_HOST, BNAPARSER_PORT_8000_TCP_ADDR, BNAPARSER_PORT=tcp://...
_OF_KUBERNETES = re.compile(r"(?:\A|_)(?:SERVICE_HOST\Z|SERVICE_PORT|PORT_\d+_(?:TCP|UDP|SCTP))")
BACKLOG = 2048
"""Connections that may wait in the system until they are accepted."""
# A core parses about 500 words a second with the model `en`: a batch takes less than half a second.
# Smaller ones go through more slowly, larger ones hold up who comes in the meantime; benchmarks/service
# has figures.
BATCH_WORDS_A_THREAD = 200
BATCH_WORDS_ON_GPU = 1000


def _number(default: float | None, description: str, **bounds: Any) -> Any:
    """Return the field of a number; at least 1 where no bounds are given. Never infinite."""
    bounds = bounds or {"ge": 1}
    if isinstance(default, float):
        bounds["allow_inf_nan"] = False
    return Field(default=default, description=description, **bounds)


class ServerSettings(BaseSettings):
    """What the service does; a field ``x`` is set by the environment's ``BNAPARSER_X``.

    ``read_settings`` makes one with errors that a user can read.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX, extra="forbid", frozen=True, validate_default=True
    )

    host: str = Field(default="127.0.0.1", min_length=1, description="network address to listen on")
    port: int = _number(8000, "port to listen on; 0 takes a free port", ge=0, le=65535)
    model: str = Field(
        default="en",
        min_length=1,
        description="name or folder of the parser, or org/name on a model hub; several parsers for"
        " different languages are separated by commas",
    )
    language: str | None = Field(
        default=None,
        min_length=1,
        description="language of texts whose request names no language; by default detected, if the models know"
        " several languages",
    )
    classifier: str | None = Field(
        default=None,
        min_length=1,
        description="name or folder of a task model for /v1/classify; by default none",
    )
    device: str | None = Field(
        default=None,
        min_length=1,
        description="device to compute on, such as cpu or cuda:0; by default the first GPU, else the CPU",
    )
    precision: Literal["auto", "float32", "bfloat16", "int8"] = Field(
        default="auto",
        description="number format of the network; auto takes the fastest one that keeps the accuracy;"
        " int8 is for the CPU",
    )
    backend: Literal["auto", "compiled", "torch"] = Field(
        default="auto",
        description="implementation of the network: compiled (on the CPU) or torch (PyTorch); auto takes the"
        " faster one that is installed",
    )
    workers: int = _number(1, "number of worker processes; each loads its own models", ge=1, le=256)
    threads: int | None = _number(
        None,
        "number of threads of a worker; by default the number of cores divided by the number of workers",
        ge=1,
        le=1024,
    )
    batch_tokens: int | None = _number(
        None,
        "maximum number of words in a batch; smaller batches let short requests wait less; by default"
        f" {BATCH_WORDS_A_THREAD} per thread on a CPU, {BATCH_WORDS_ON_GPU} on a GPU",
    )
    queue_words: int = _number(
        50_000,
        "maximum number of words in the queue of a worker, which is also limited to what the worker can"
        " parse in two thirds of the deadline; further requests get 503",
    )
    deadline_seconds: float = _number(
        60.0,
        "time limit for a request in seconds, from the end of its body; a slower request gets 504",
        gt=0,
    )
    body_seconds: float = _number(
        30.0,
        "time limit in seconds for the arrival of a request's headers, after which the connection is closed,"
        " and for its body, after which the request gets 408",
        gt=0,
    )
    stall_seconds: float = _number(
        60.0,
        "time limit in seconds for a client that reads nothing of its answer; then the connection is"
        " closed",
        gt=0,
        le=86_400,
    )
    drain_seconds: float = _number(
        60.0,
        "time in seconds that accepted requests have to finish when the service is stopped; less than"
        " the time limit for a request may lose some",
        ge=0,
    )
    max_body_bytes: int = _number(2_000_000, "maximum size of a request body in bytes")
    max_characters: int = _number(200_000, "maximum number of characters of text in a request")
    max_sentences: int = _number(
        5_000,
        "maximum number of sentences or texts in a request; the maximum for a request of lines is 4 times this",
    )
    max_words: int = _number(
        500,
        "maximum number of words in a sentence; a longer sentence gets an error, not a tree. Time grows"
        " with the cube of the length, memory with its square",
        ge=1,
        le=100_000,
    )
    max_n_best: int = _number(
        100, "maximum number of trees per sentence (n_best) in a request", ge=1, le=MOST_TREES
    )
    max_json_depth: int = _number(32, "maximum nesting depth of a request's JSON", ge=3, le=200)
    search_seconds: float = _number(
        2.0, "time limit for a search in trees in seconds; a slower search gets 504", gt=0
    )
    key: SecretStr | None = Field(
        default=None,
        description="secret key that each request must send, except requests for /live",
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="web origins whose pages may call the service, separated by commas; * allows all",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="lowest level of log messages"
    )
    log_format: Literal["json", "text"] | None = Field(
        default=None,
        description="format of log messages: json, or text for people; by default text if standard error is"
        " a terminal, else json",
    )

    def batch_words(self, device: str, threads: int) -> int:
        """Return the words that a batch holds at most, for models on a torch device."""
        if self.batch_tokens is not None:
            return self.batch_tokens
        on_cpu = device.startswith("cpu")
        return BATCH_WORDS_A_THREAD * threads if on_cpu else BATCH_WORDS_ON_GPU

    @property
    def queue_seconds(self) -> float:
        """Seconds that what waits may take: the rest of the deadline is for guesses that were wrong."""
        return self.deadline_seconds * 2 / 3

    @field_validator("key")
    @classmethod
    def _key_fits_a_header(cls, key: SecretStr | None) -> SecretStr | None:
        text = "x" if key is None else key.get_secret_value()
        if not (text.isascii() and text.isprintable() and text and " " not in text):
            raise ValueError("a key must consist of printable ASCII characters without blanks")
        return key

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _separated_by_commas(cls, origins: object) -> object:
        if isinstance(origins, str):
            return tuple(part.strip() for part in origins.split(",") if part.strip())
        return origins

    @field_validator("cors_origins")
    @classmethod
    def _are_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            scheme, separator, host = origin.partition("://")
            if origin != "*" and not (scheme and separator and host and "/" not in host):
                raise ValueError(
                    f"{origin!r} is not a web origin: write an origin such as https://example.org"
                )
        return origins

    @model_validator(mode="after")
    def _queue_holds_a_sentence(self) -> ServerSettings:
        if self.queue_words < self.max_words:
            raise ValueError(
                f"queue_words ({self.queue_words}) is less than max_words ({self.max_words}):"
                " a sentence of max_words words would never fit into the queue"
            )
        return self


def read_settings(given: Mapping[str, Any] | None = None) -> ServerSettings:
    """Return the settings: those given by name, then the environment's, then the defaults.

    Raises SettingsError, with what is wrong and where, in one sentence.
    """
    _check_environment()
    try:
        return ServerSettings(**(given or {}))
    except ValidationError as error:
        message = mistakes(error, ServerSettings)[0]
        name = re.split("[: ]", message, maxsplit=1)[0]
        if name in ServerSettings.model_fields and error.errors()[0]["loc"]:
            variable = f"{ENVIRONMENT_PREFIX}{name.upper()}"
            message = f"{name} (environment {variable}){message.removeprefix(name)}"
        raise SettingsError(message) from None


def _check_environment() -> None:
    """Raise SettingsError for a variable that looks like a setting and is none: a misspelt key would be no key."""
    known = {
        name.upper(): ENVIRONMENT_PREFIX + name.upper() for name in ServerSettings.model_fields
    }
    for variable, value in os.environ.items():
        before, prefix, name = variable.upper().partition(ENVIRONMENT_PREFIX)
        is_link = _OF_KUBERNETES.search(name) or (name == "PORT" and "://" in value)
        if prefix and not before and is_link:
            raise SettingsError(
                f"the environment has {shortened(variable)}, which Kubernetes sets for a Service with this"
                " name: give the pod's spec the line enableServiceLinks: false"
            )
        is_unknown = prefix and not before and name not in known.keys() | _OF_THE_TESTS
        if is_unknown or _has_misspelt_prefix(variable.upper(), known):
            full = {one: one for one in known.values()}
            meant = nearest(name, known) if is_unknown else nearest(variable.upper(), full)
            raise SettingsError(
                f"the environment has {shortened(variable)}: there is no such setting"
                f"{meant} (bnaparser serve --help lists all of them)"
            )


def _has_misspelt_prefix(variable: str, names: Iterable[str]) -> bool:
    """Return whether a variable is a setting's name after what is nearly the prefix, such as BNAPARSE_KEY."""
    before = [variable.removesuffix(name) for name in names if variable.endswith(name)]
    prefix = ENVIRONMENT_PREFIX.rstrip("_")
    return any(
        one != ENVIRONMENT_PREFIX and SequenceMatcher(None, one.rstrip("_"), prefix).ratio() > 0.85
        for one in before
    )
