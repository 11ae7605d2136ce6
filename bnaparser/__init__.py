"""Constituency parsing with bidirectional masked and n-gram span attention (BNA).

``from bnaparser import Parser``; ``Parser.load("en")("The cat sat on the mat.")[0].tree``. The
names are loaded on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it as true; the module typing is slow to import
if TYPE_CHECKING:
    from typing import Any

    from bnaparser.errors import BnaparserError
    from bnaparser.parsing.parser import Parse, Parser
    from bnaparser.text.sentence import Sentence
    from bnaparser.trees.tree import Span, Tree

__version__ = "0.1.0"

_LAZY_IMPORTS = {
    "BnaparserError": "bnaparser.errors",
    "Parse": "bnaparser.parsing.parser",
    "Parser": "bnaparser.parsing.parser",
    "Sentence": "bnaparser.text.sentence",
    "Span": "bnaparser.trees.tree",
    "Tree": "bnaparser.trees.tree",
}
__all__ = ["BnaparserError", "Parse", "Parser", "Sentence", "Span", "Tree", "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _LAZY_IMPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY_IMPORTS[name]), name)


def __dir__() -> list[str]:
    return __all__
