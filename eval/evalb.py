"""The program EVALB: ``python -m bnaparser.eval.evalb [-dDh] [-c n] [-e n] [-p prm] gold test``.

Input, output, messages and exit codes are those of EVALB 20080701 and 20130908 (S. Sekine,
M. Collins and others), byte for byte. Only its fixed limits on words, brackets and their lengths
are gone; lines of more than 4,998 bytes are still cut. Files ending in ``.gz``, ``.xz`` and ``.bz2``
are unpacked, and a byte order mark, over which EVALB stops, is passed over.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import BufferedWriter, FileIO, RawIOBase
from typing import BinaryIO

from bnaparser.errors import DataError
from bnaparser.eval.files import open_bytes
from bnaparser.eval.params import Params, c_integer, read_params
from bnaparser.eval.report import HEADER, ErrorLog, TooManyErrors, Totals, totals_text
from bnaparser.eval.scorer import PairScorer
from bnaparser.eval.sentence import LINE_PIECE

USAGE = b""" evalb [-dDh][-c n][-e n][-p param_file] gold-file test-file  
                                                         
    Evaluate bracketing in test-file against gold-file.  
    Return recall, precision, F-Measure, tag accuracy.              
                                                         
  <option>                                               
    -d             debug mode                            
    -D             debug mode plus bracketing info       
    -c n           cut-off length forstatistics (def.=40)
    -e n           number of error to kill (default=10)  
    -p param_file  parameter file                        
    -h    help                                           
"""

_VALUES = {
    b"c": b"cut-off length for statistices",
    b"e": b"number of error to kill",
    b"p": b"parameter file",
}

INTERRUPTED, CLOSED_PIPE = 130, 141
"""What a shell shows for a C program that such a signal has ended."""


class Exit(Exception):
    """The program ends here, with a message on standard error and an exit code."""

    def __init__(self, code: int, message: bytes):
        super().__init__(message.decode(errors="replace"))
        self.code, self.message = code, message


@dataclass
class Streams:
    """Where output and messages go."""

    out: BinaryIO
    err: BinaryIO

    def warn(self, message: bytes) -> None:
        """Write a message to standard error at once, as C does."""
        self.err.write(message)
        self.err.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program on these arguments (default: the command line's); return the exit code."""
    texts = [os.fsencode(text) for text in (sys.argv[1:] if arguments is None else arguments)]

    def run(streams: Streams) -> int:
        params, names = _read_arguments(texts, streams)
        gold, test, *_ = [*names, None, None]
        return score_files(gold, test, params, streams)

    try:
        return with_standard_streams(run)
    except OSError as error:
        # What is still in the buffer must go somewhere, or Python complains on its way out.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return CLOSED_PIPE
        sys.stderr.write(f"{error}\n")
        return 1
    except DataError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def with_standard_streams(run: Callable[[Streams], int]) -> int:
    """Call ``run`` with this process's output streams; return its exit code, or that of Exit.

    Raises DataError if standard output is closed.
    """
    if sys.stdout is None:
        raise DataError("standard output is closed: the scores cannot be written")
    out = sys.stdout.buffer
    if isinstance(out, RawIOBase):  # with PYTHONUNBUFFERED each row would be a system call
        out = BufferedWriter(FileIO(out.fileno(), "w", closefd=False))
    streams = Streams(out, sys.stderr.buffer)
    try:
        return run(streams)
    except Exit as exit_:
        streams.warn(exit_.message)
        return exit_.code
    finally:
        out.flush()


def load_params(name: bytes, base: Params, streams: Streams) -> Params:
    """Return ``base`` with the settings of the parameter file added; raise Exit if it has none."""
    try:
        with open_bytes(name) as file:
            return read_params(file, base, streams.warn)
    except OSError:
        raise Exit(1, b"Can't open parameter file (%s)\n" % name) from None


def score_files(gold: bytes | None, test: bytes | None, params: Params, streams: Streams) -> int:
    """Compare two files and print the table; return the exit code. Raise Exit if one is missing."""
    with open_side("gold", gold) as gold_file, open_side("test", test) as test_file:
        return score_streams(gold_file, test_file, params, streams)


def score_streams(
    gold: BinaryIO, test: BinaryIO, params: Params, streams: Streams, piece: int = LINE_PIECE
) -> int:
    """Compare two open files and print the table; return the exit code.

    Lines are read in pieces of at most ``piece`` bytes, the rest being the next line; -1: whole.
    """
    try:
        _print_table(gold, test, params, streams, piece)
    except TooManyErrors:
        return 1
    return 0


def _print_table(
    gold: BinaryIO, test: BinaryIO, params: Params, streams: Streams, piece: int
) -> None:
    write = streams.out.write
    write(HEADER)
    log = ErrorLog(params.max_error, streams.warn)
    scorer = PairScorer(params, log, write)
    everything, short = Totals(), Totals()
    number = 0
    for number, gold_line in enumerate(iter(lambda: gold.readline(piece), b""), start=1):
        scorer.start(number, gold_line)
        test_line = test.readline(piece)
        if not test_line:
            log.report(b"Number of lines unmatch (too many lines in gold file)")
            break
        row = scorer.finish(test_line)
        everything.add(row)
        if row.length <= params.cutoff:
            short.add(row)
        write(bytes(row))
        if params.debug > 0:
            for text in scorer.debug_report():
                write(text)
    else:
        if test.readline(1):
            log.start(number + 1)
            log.report(b"Number of lines unmatch (too many lines in test file)")
    write(totals_text(everything, short, params.cutoff))


def open_side(
    side: str, name: bytes | None, opener: Callable[[bytes], BinaryIO] = open_bytes
) -> BinaryIO:
    """Open the file of a side, "gold" or "test"; raise Exit, as EVALB ends, if it cannot be opened."""
    try:
        if name is not None:
            return opener(name)
    except OSError:
        pass
    shown = b"(null)" if name is None else name
    raise Exit(1, b"Can't open %s file (%s)\n" % (side.encode(), shown))


def _read_arguments(texts: list[bytes], streams: Streams) -> tuple[Params, list[bytes]]:
    """Return the settings and the file names; options are followed from left to right: what comes later wins."""
    params, names = Params(), []
    rest = iter(texts)
    for text in rest:
        if not text.startswith(b"-"):
            names.append(text)
            continue
        option, value = text[1:2], text[2:]
        if option in _VALUES and not value:
            following = next(rest, None)
            if following is None:
                streams.warn(b"Missing argument: %s\n" % _VALUES[option])
            value = following or b""
        match option:
            case b"d":
                params = replace(params, debug=1)
            case b"D":
                params = replace(params, debug=2)
            case b"c":
                params = replace(params, cutoff=c_integer(value))
            case b"e":
                params = replace(params, max_error=c_integer(value))
            case b"p":
                params = load_params(value, params, streams)
            case b"":
                pass
            case _:
                raise Exit(1 if option == b"h" else 0, USAGE)
    return params, names


if __name__ == "__main__":
    sys.exit(main())
