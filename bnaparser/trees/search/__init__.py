"""Patterns over trees as Stanford's tregex writes them: ``NP < (PP << of)``.

R. Levy and G. Andrew 2006, Tregex and Tsurgeon; the language follows D. Rohde's TGrep2. `pattern` has what
users hold; docs/search.md has the language.
"""

from __future__ import annotations

from bnaparser.trees.search.pattern import Match, Pattern

__all__ = ["Match", "Pattern"]
