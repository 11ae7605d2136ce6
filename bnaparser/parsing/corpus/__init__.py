"""Whole corpora: files of any size in, shards of parses out, in one process or many, interrupted and resumed.

`run.parse_corpus` runs it. The documents are cut into shards by their place in the input alone, a
shard is parsed by one worker with one thread, and files appear only when they are whole: so the bytes do
not depend on how many workers there are, which engine runs them, or how often the run was stopped.
"""

from __future__ import annotations
