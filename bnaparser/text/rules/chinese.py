"""Chinese sentence ends. The Sinica Treebank takes each clause for a sentence, the Chinese Treebank none."""

from __future__ import annotations

import re

_CLOSING = "[」』）】》〉〕\"'’”)\\]]*+"
# A half-width period ends a sentence behind a Chinese character only: 3.5, U.S.A.
_FINAL = r"(?:(?<![。！？!?｡])[。！？!?｡]++|(?<!…)…++(?![，。！？])|(?<=[\u3400-\u9fff])(?:\.(?![A-Za-z0-9０-９.])|．(?![0-9０-９．])))"
# Between digits a mark is a number's, or a time's: 1,000, 12:30.
_PAUSE = r"(?:(?<![0-9０-９])[，；：;:,]|[，；：;:,](?![0-9０-９]))"
# With a comma behind its quotation marks a sentence goes on, and a clause has it.
SENTENCE_END = re.compile(f"{_FINAL}{_CLOSING}(?![，、；：,;])")
CLAUSE_END = re.compile(f"(?:{_FINAL}|{_PAUSE}){_CLOSING}(?:、|{_PAUSE})*+")
