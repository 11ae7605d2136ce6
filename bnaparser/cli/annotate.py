"""``bnaparser annotate PROJECT FILE...``: correct trees on a web page, and keep them in a project folder."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from bnaparser.annotation.project import STEPS, Project, check_name, open_project, read_project
from bnaparser.cli.arguments import SPLIT_HELP, add_encoding, add_examples, quoted_path
from bnaparser.cli.console import SUCCESS, quiet_libraries, say
from bnaparser.errors import DataError, SettingsError
from bnaparser.text.sentence import SPLITS

if TYPE_CHECKING:
    from bnaparser.annotation.sources import Source
    from bnaparser.parsing.parser import Parser

PORT = 8001
EXAMPLES = """\
  bnaparser annotate novel/ chapter1.txt chapter2.txt --annotator Anna
  bnaparser annotate novel/                      # opens the project again
  bnaparser annotate corrections/ trees.mrg      # corrects trees
  bnaparser annotate novel/ --export novel.mrg   # the trees that were accepted"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "project", type=Path, metavar="PROJECT", help="project folder; created if it does not exist"
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="file to add: text to parse, or trees to correct (default: none)",
    )
    add_encoding(parser)
    parser.add_argument(
        "--from",
        dest="kind",
        choices=("text", "trees"),
        help="content of all files (default: by their endings and first characters)",
    )
    parser.add_argument(
        "--split",
        choices=SPLITS,
        default="paragraph",
        help=SPLIT_HELP,
    )
    parser.add_argument(
        "--model",
        metavar="M",
        help="name or folder of the parser (default: the project's last parser, at first en); if the parser is not the"
        " project's last parser, the sentences that no annotator has started are parsed again",
    )
    parser.add_argument(
        "--language",
        metavar="CODE",
        help="language of the files, if the model knows several (default: detected)",
    )
    parser.add_argument(
        "--annotator", metavar="NAME", help="name of the annotator; can be changed on the page"
    )
    parser.add_argument(
        "--port",
        type=int,
        default=PORT,
        metavar="N",
        help=f"port of the page; 0 takes a free port (default: {PORT})",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--export",
        metavar="FILE.mrg",
        help="write the accepted trees and exit; with --annotator only those of this annotator; - is standard output",
    )
    add_examples(parser, EXAMPLES)


def run(options: argparse.Namespace) -> int:
    """Add the files, parse what is to be parsed, and serve the page until Ctrl-C; or export.

    Raises BnaparserError for what cannot be done.
    """
    if options.annotator is not None:
        try:
            check_name(options.annotator)
        except ValueError as error:
            raise SettingsError(f"--annotator {error}") from None
    if options.export is not None:
        if options.files:
            raise SettingsError("--export adds no files: leave them out")
        return _export(options)
    if (
        not options.files
        and not (options.project / STEPS).exists()
        and not options.project.is_file()
    ):
        raise DataError(
            f"{options.project} is not a project yet: name files to annotate, as in bnaparser annotate"
            f" {quoted_path(options.project)} FILE"
        )
    if not 0 <= options.port <= 65535:
        raise SettingsError(f"--port {options.port}: a port is from 0 to 65535")
    from bnaparser.annotation.sources import read_source

    trees = None if options.kind is None else options.kind == "trees"
    sources = [read_source(Path(file), options.encoding, trees) for file in options.files]
    with open_project(options.project) as (project, lock):
        _parse(project, sources, options)
        _serve(project, lock, options)
    return SUCCESS


def _export(options: argparse.Namespace) -> int:
    from bnaparser.cli.treebank import open_trees_file

    trees = read_project(options.project).accepted(options.annotator)
    with open_trees_file(options.export) as file:
        file.writelines(f"{tree}\n" for tree in trees)
    say(f"{len(trees):,} accepted trees")
    return SUCCESS


def _parse(project: Project, sources: Sequence[Source], options: argparse.Namespace) -> None:
    """Add files to a project, and have a parser, if one is needed, make trees of what has none."""
    from bnaparser.annotation import sources as adding

    new = []
    for source in sources:
        if source.digest in project.sources:
            say(f"{source.name} is in the project already: nothing is added")
        else:
            new.append(source)
    model_version = options.model and adding.model_version(options.model)
    if not new and not adding.to_parse(project, model_version):
        return
    name = options.model or (project.model or "en@").rpartition("@")[0]
    model = adding.model_version(name)
    parser = _load(name, options.language)
    for source in new:
        with _progress(f"parsing {source.name}", None) as done:
            adding.add_source(project, source, parser, options.split, model, done)
    numbers = adding.to_parse(project, model_version)
    with _progress("parsing", len(numbers)) as done:
        adding.parse_sentences(project, numbers, parser, model, done)
    project.use_model(model)


def _load(name: str, language: str | None) -> Parser:
    quiet_libraries()
    from bnaparser.parsing.startup import loading

    with loading():
        from bnaparser.parsing.parser import Parser

    return Parser.load(name, language=language)


@contextmanager
def _progress(what: str, total: int | None) -> Iterator[Callable[[int], object]]:
    from tqdm import tqdm

    with tqdm(total=total, desc=what, unit=" sentences", delay=1, leave=False, disable=None) as bar:
        yield bar.update


def _serve(project: Project, lock: TextIO, options: argparse.Namespace) -> None:
    """Serve the page until SIGINT or SIGTERM."""
    import uvicorn

    from bnaparser.annotation.app import create_app
    from bnaparser.server.process.lifecycle import listen, open_sockets, page_of
    from bnaparser.server.process.supervisor import STOP_SIGNALS

    sockets = open_sockets("127.0.0.1", options.port)
    listen(sockets, "127.0.0.1")
    address = page_of(sockets)
    with suppress(OSError):  # a full disk is no reason not to look at the project
        os.write(lock.fileno(), f"{address} , process {os.getpid()}".encode())
    say(f"the page is at {address} ; Ctrl-C ends it, and every step is saved by then")
    if not options.no_browser and _has_screen():
        webbrowser.open(address)
    app = create_app(project, (options.annotator or "").strip())
    config = uvicorn.Config(app, log_level="warning", lifespan="off", ws="none")

    class Server(uvicorn.Server):
        """uvicorn's server, which does not end the process by the signal itself."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            before = {number: signal.signal(number, self.handle_exit) for number in STOP_SIGNALS}
            yield
            for number, handler in before.items():
                signal.signal(number, handler)

    Server(config).run(sockets)


def _has_screen() -> bool:
    """Return whether a browser can show a window: browsers in the terminal do not count."""
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
