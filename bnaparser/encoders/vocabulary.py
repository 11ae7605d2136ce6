"""A smaller vocabulary for an encoder: only the subwords that a text uses often.

What a removed subword stood for is not lost: WordPiece takes the longest subwords that are left,
Unigram the likeliest ones, in the end single characters.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bnaparser.encoders.encoder_settings import first_position
from bnaparser.encoders.loading import save_tokenizer
from bnaparser.encoders.tokenizer_file import panics_as_errors
from bnaparser.errors import ModelError
from bnaparser.files.tensors import writing

# How SentencePiece writes a blank.
_BLANK = "\u2581"


def count_subwords(tokenizer: PreTrainedTokenizerBase, lines: Iterable[str]) -> Counter[int]:
    """Count the subwords in the lines of a text. Raises ModelError for a tokenizer without a list
    of subwords.
    """
    if not tokenizer.is_fast:
        raise ModelError(
            f"cannot prune a vocabulary of kind {type(tokenizer).__name__}, only WordPiece and Unigram"
        )
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
    rare words there still have subwords; so do, of a Unigram vocabulary, those of each script that
    is more than a thousandth of what was counted. Only WordPiece and Unigram tokenizers are taken.
    Returns the fraction of the counted subwords that were kept. Raises ModelError for other tokenizers.
    """
    spec = json.loads(tokenizer.backend_tokenizer.to_str())
    if spec["model"]["type"] not in ("WordPiece", "Unigram"):
        raise ModelError(
            f"cannot prune a {spec['model']['type']} vocabulary, only WordPiece and Unigram"
        )
    names = _names(spec["model"])
    keep = {number for number in tokenizer.all_special_ids if number is not None}
    keep |= {token["id"] for token in spec["added_tokens"]}
    keep |= {number for number, subword in names.items() if _is_western_character(subword)}
    # Where positions count from the number of the padding on, it must stay what it is.
    keep |= set(range(first_position(model.config)))
    if spec["model"]["type"] == "Unigram":
        keep |= _characters_of(names, _scripts(names, counts))
    for number, _ in counts.most_common():
        if len(keep) >= size:
            break
        keep.add(number)
    numbers = sorted(keep & names.keys())
    _keep_only(spec["model"], names, numbers)
    numbers += sorted(keep - names.keys())  # of tokens that were added beside the vocabulary
    renumbered = {number: new for new, number in enumerate(numbers)}
    _renumber_specials(spec, renumbered)
    rows = torch.tensor(numbers)
    weights = model.get_input_embeddings().weight.data[rows].clone()
    model.resize_token_embeddings(len(numbers))
    model.get_input_embeddings().weight.data.copy_(weights)
    pad = tokenizer.pad_token_id
    model.config.pad_token_id = renumbered[pad] if pad is not None else None
    with writing(Path(folder)):
        model.save_pretrained(folder)
    save_tokenizer(tokenizer, Path(folder))
    text = json.dumps(spec, ensure_ascii=False)
    (Path(folder) / "tokenizer.json").write_text(text, encoding="utf-8")
    return sum(counts[number] for number in keep) / max(1, counts.total())


def _names(model: dict[str, Any]) -> dict[int, str]:
    """Return the subwords of a tokenizer's description by their numbers."""
    if model["type"] == "Unigram":
        return {number: subword for number, (subword, _) in enumerate(model["vocab"])}
    return {number: subword for subword, number in model["vocab"].items()}


def _keep_only(model: dict[str, Any], names: dict[int, str], numbers: list[int]) -> None:
    """Leave only these subwords in a tokenizer's description, numbered in this order."""
    if model["type"] == "Unigram":
        model["vocab"] = [model["vocab"][number] for number in numbers]
        model["unk_id"] = numbers.index(model["unk_id"])
    else:
        model["vocab"] = {names[number]: new for new, number in enumerate(numbers)}


def _scripts(names: dict[int, str], counts: Counter[int]) -> set[str]:
    """Return the scripts of which counted subwords have more than a thousandth of their letters."""
    letters: Counter[str] = Counter()
    for number, count in counts.items():
        for character in filter(str.isalpha, names.get(number, "")):
            letters[_script(character)] += count
    return {script for script, count in letters.items() if count * 1000 > letters.total()}


def _characters_of(names: dict[int, str], scripts: set[str]) -> set[int]:
    """Return the subwords that are a single letter of one of these scripts, or a blank."""
    singles = {number: name.removeprefix(_BLANK) for number, name in names.items()}
    return {
        number
        for number, single in singles.items()
        if not single or (len(single) == 1 and single.isalpha() and _script(single) in scripts)
    }


def _script(letter: str) -> str:
    """Return the first word of a letter's name in Unicode, such as LATIN or CJK."""
    return unicodedata.name(letter, "").partition(" ")[0]


@panics_as_errors()
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
    """Return whether a subword is one Latin letter, digit or mark, or one sign of punctuation."""
    subword = subword.removeprefix("##").removeprefix(_BLANK)
    return len(subword) == 1 and (subword < "\u0250" or "\u2000" <= subword < "\u2150")
