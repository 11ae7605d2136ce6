"""Measures of syntactic complexity: tables by text, sentence or word of trees that exist or that a parser makes.

`measure` is what users call; docs/measures.md says what each measure is and where it comes from.
"""

from __future__ import annotations

from bnaparser.measures.api import measure

__all__ = ["measure"]
