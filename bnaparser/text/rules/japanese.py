"""Japanese sentence ends. What is quoted and goes on with ``と`` is part of its sentence."""

from __future__ import annotations

import re

SENTENCE_END = re.compile(
    r"(?:[。！？!?｡]+|(?<=[\u3040-\u30ff\u3400-\u9fff])\.(?![\w.]))[」』）】》〉〕”)]*(?![とっ、，」』）])"
)
