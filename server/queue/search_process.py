"""A search of a pattern in trees, in a process of its own, which the caller can end.

    python -m bnaparser.server.queue.search_process SECONDS < request.json > answer.json

Python cannot be stopped within a regular expression, and one of a few signs may take years over a few words. So the
system ends this process after this number of seconds of computing, and the service ends it from outside.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Sequence
from typing import Any

from bnaparser.errors import TreeError, shortened
from bnaparser.trees.search import Match, Pattern
from bnaparser.trees.search.parsing import PatternError
from bnaparser.trees.search.pattern import Unseen
from bnaparser.trees.tree import Tree

MOST_SHOWN = 10_000  # nodes that an answer tells of; the others are counted
# Exit code of a search that needs more memory than it may, or whose answer is too long.
TOO_MUCH = 3

_MOST_ANSWER_BYTES = 20_000_000
_MOST_BYTES = 2**30


def search(text: str, trees: Sequence[str]) -> dict[str, Any]:
    """Return the answer, as ``rest.search_routes.SearchAnswer`` describes it."""
    try:
        pattern = Pattern(text)
    except PatternError as error:
        nothing = {"count": 0, "hits": 0, "trees": [], "notes": []}
        return {**nothing, "error": error.message, "column": error.column}
    found: list[dict[str, Any]] = []
    room = MOST_SHOWN
    unseen = pattern.unseen()
    for tree in trees:
        entry = _search(pattern, tree, room, unseen)
        room -= len(entry["matches"])
        found.append(entry)
    count = sum(entry["count"] for entry in found)
    hits = sum(entry["count"] > 0 for entry in found)
    answer = {"count": count, "hits": hits, "trees": found, "notes": unseen.notes(count)}
    return {**answer, "error": None, "column": None}


def main() -> int:
    """Answer what stands on standard input; 0, or TOO_MUCH."""
    _bound(float(sys.argv[1]))
    try:
        request = json.load(sys.stdin.buffer)
        found = search(request["pattern"], request["trees"])
        answer = json.dumps(found, ensure_ascii=False).encode()
        if len(answer) > _MOST_ANSWER_BYTES:
            return TOO_MUCH
        sys.stdout.buffer.write(answer)
    except (MemoryError, RecursionError):
        return TOO_MUCH
    return 0


def _search(pattern: Pattern, text: str, room: int, unseen: Unseen) -> dict[str, Any]:
    try:
        tree = Tree.parse(text)
    except TreeError as error:
        reason = f"line {error.line}, column {error.column}: {shortened(error.message, 200)}"
        return {"count": 0, "matches": [], "error": reason}
    unseen.see(tree)
    shown_matches: list[dict[str, Any]] = []
    count = 0
    for match in pattern.matches(tree, once=True):
        count += 1
        if len(shown_matches) < room:
            shown_matches.append(_facts(match))
    return {"count": count, "matches": shown_matches, "error": None}


def _facts(match: Match) -> dict[str, Any]:
    return {
        "number": match.number,
        **_node(match.node, match.span),
        "names": {name: _node(part, match.spans[name]) for name, part in match.names.items()},
        "strings": dict(match.strings),
    }


def _node(part: Tree | str, span: tuple[int, int]) -> dict[str, Any]:
    label = part if isinstance(part, str) else part.label
    return {"label": label, "start": span[0], "end": span[1]}


def _bound(seconds: float) -> None:
    """Let the system end this process, by SIGPROF, when it takes more time or memory than this search may."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))


if __name__ == "__main__":
    sys.exit(main())
