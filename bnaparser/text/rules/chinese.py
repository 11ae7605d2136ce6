"""Chinese sentence ends. The Sinica Treebank takes each clause for a sentence, the Chinese Treebank none."""

from __future__ import annotations

import re

_CLOSING = "[」』）】》〉〕\"'’”)\\]]*+"
# A half-width period ends a sentence behind a Chinese character only: 3.5, U.S.A.
_FINAL = r"(?:(?<![。！？!?｡])[。！？!?｡]++|(?<!…)…++(?![，。！？])|(?<=[\u3400-\u9fff])(?:\.(?![\w.])|．(?![0-9０-９．])))"
# With a comma behind its quotation marks a sentence goes on, and a clause has it.
SENTENCE_END = re.compile(f"{_FINAL}{_CLOSING}(?![，、；：,;])")
CLAUSE_END = re.compile(
    f"(?:{_FINAL}|[，；：;:](?![0-9０-９])|,(?!\\d)){_CLOSING}(?:[，、；：;:]|,(?!\\d))*+"
)
