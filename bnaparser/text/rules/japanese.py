"""Japanese sentence ends. What is quoted and goes on with ``と`` is part of its sentence."""

from __future__ import annotations

import re

SENTENCE_END = re.compile(
    # Within what is written in Latin letters a mark ends none: Yahoo!ニュース, 3.5.
    r"(?:[。！？｡]+|(?<![A-Za-z!?])[!?]+|(?<![!?])[!?]++(?=\s|\Z)|(?<=[\u3040-\u30ff\u3400-\u9fff])(?:\.(?![\w.])|．(?![0-9０-９．])))"
    r"[」』）】》〉〕”)\"']*+(?![とっ、，」』）])"
)
