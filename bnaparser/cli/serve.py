"""``bnaparser serve``: the HTTP service. Its options are the fields of ``ServerSettings``."""

from __future__ import annotations

import argparse
import platform
from typing import TYPE_CHECKING, Literal, get_args, get_origin

from bnaparser.errors import SettingsError

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from bnaparser.server.settings import ServerSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add an option for each setting; secrets have none: other users can read a command line."""
    from pydantic import SecretStr

    from bnaparser.server.settings import ServerSettings

    secrets = []
    for name, field in ServerSettings.model_fields.items():
        if SecretStr in get_args(field.annotation):
            secrets.append(f"{_variable(name)}: {_described(field)}.")
        else:
            _add_option(parser, name, field)
    parser.epilog = " ".join(["Set by an environment variable only:", *secrets]).replace("%", "%%")


def run(options: argparse.Namespace) -> int:
    """Serve until a signal ends it; 0 when it ended in order. Raises SettingsError under Windows."""
    if platform.system() == "Windows":
        raise SettingsError("the service needs Linux or macOS: on Windows, run the service in WSL")
    from bnaparser.cli.console import quiet_libraries

    settings = settings_of(options)
    quiet_libraries()
    from bnaparser.server.process.lifecycle import serve

    serve(settings)
    return 0


def settings_of(options: argparse.Namespace) -> ServerSettings:
    """Return the settings: options override environment variables, which override defaults.

    Raises SettingsError if a value is not allowed.
    """
    from bnaparser.server.settings import ServerSettings, read_settings

    names = ServerSettings.model_fields
    typed = {name: value for name in names if (value := getattr(options, name, None)) is not None}
    return read_settings(typed)


def _add_option(parser: argparse.ArgumentParser, name: str, field: FieldInfo) -> None:
    text = f"{_described(field)}; variable {_variable(name)}".replace("%", "%%")
    kinds = (field.annotation, *get_args(field.annotation))
    choices = next((get_args(kind) for kind in kinds if get_origin(kind) is Literal), None)
    metavar = None if choices else name.rpartition("_")[2].upper()
    option = "--" + name.replace("_", "-")
    parser.add_argument(option, dest=name, choices=choices, metavar=metavar, help=text)


def _described(field: FieldInfo) -> str:
    described = field.description or ""
    return described if field.default in (None, ()) else f"{described} (default: {field.default})"


def _variable(name: str) -> str:
    from bnaparser.server.settings import ENVIRONMENT_PREFIX

    return f"{ENVIRONMENT_PREFIX}{name.upper()}"
