"""A smaller vocabulary for an encoder: only the subwords that a text uses often.

What a removed subword stood for is not lost: WordPiece takes the longest subwords that are left,
in the end single characters.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bnaparser.errors import ModelError
from bnaparser.files.tensors import writing


def count_subwords(tokenizer: PreTrainedTokenizerBase, lines: Iterable[str]) -> Counter[int]:
    """Count the subwords of the lines of a text."""
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    counts: Counter[int] = Counter()
    chunk: list[str] = []
    for line in lines:
        chunk.append(line)
        if len(chunk) == 1000:
            _count(tokenizer, chunk, counts)
            chunk = []
    _count(tokenizer, chunk, counts)
    return counts


def prune_vocabulary(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    counts: Counter[int],
    size: int,
    folder: str | Path,
) -> float:
    """Write an encoder with the ``size`` most counted subwords to a Hugging Face folder.

    Special tokens and the single characters of Western European text stay in any case, so that
    rare words there still have subwords. Only WordPiece tokenizers are taken. Returns the share of
    the counted subwords that were kept. Raises ModelError for other tokenizers.
    """
    spec = json.loads(tokenizer.backend_tokenizer.to_str())
    if spec["model"]["type"] != "WordPiece":
        raise ModelError(f"cannot prune a {spec['model']['type']} vocabulary, only WordPiece")
    vocabulary: dict[str, int] = spec["model"]["vocab"]
    keep = {number for number in tokenizer.all_special_ids if number is not None}
    keep |= {token["id"] for token in spec["added_tokens"]}
    keep |= {number for subword, number in vocabulary.items() if _is_western_character(subword)}
    for number, _ in counts.most_common():
        if len(keep) >= size:
            break
        keep.add(number)
    subwords = sorted((number, subword) for subword, number in vocabulary.items() if number in keep)
    numbers = [number for number, _ in subwords]
    numbers += sorted(keep - set(numbers))  # of tokens that were added beside the vocabulary
    renumbered = {number: new for new, number in enumerate(numbers)}
    spec["model"]["vocab"] = {subword: new for new, (_, subword) in enumerate(subwords)}
    _renumber_specials(spec, renumbered)
    rows = torch.tensor(numbers)
    weights = model.get_input_embeddings().weight.data[rows].clone()
    model.resize_token_embeddings(len(numbers))
    model.get_input_embeddings().weight.data.copy_(weights)
    pad = tokenizer.pad_token_id
    model.config.pad_token_id = renumbered[pad] if pad is not None else None
    with writing(Path(folder)):
        model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    text = json.dumps(spec, ensure_ascii=False)
    (Path(folder) / "tokenizer.json").write_text(text, encoding="utf-8")
    return sum(counts[number] for number in keep) / max(1, counts.total())


def _count(tokenizer: PreTrainedTokenizerBase, lines: list[str], counts: Counter[int]) -> None:
    for encoding in tokenizer.backend_tokenizer.encode_batch(lines, add_special_tokens=False):
        counts.update(encoding.ids)


def _renumber_specials(spec: dict[str, Any], renumbered: dict[int, int]) -> None:
    """Put new numbers wherever a tokenizer's description names one beside the vocabulary."""
    for token in spec["added_tokens"]:
        token["id"] = renumbered[token["id"]]
    last = spec.get("post_processor") or {}
    for ends in last.get("processors", [last]):  # a Sequence of several, or one
        for token in ends.get("special_tokens", {}).values():  # of a TemplateProcessing
            token["ids"] = [renumbered[number] for number in token["ids"]]
        for key in {"sep", "cls"} & ends.keys():  # of a BertProcessing or RobertaProcessing
            ends[key][1] = renumbered[ends[key][1]]
    spec["padding"] = spec["truncation"] = None


def _is_western_character(subword: str) -> bool:
    """Tell whether a subword is one Latin letter, digit or mark, or one sign of punctuation."""
    subword = subword.removeprefix("##")
    return len(subword) == 1 and (subword < "\u0250" or "\u2000" <= subword < "\u2150")
