"""Text as blocks of subwords: whole sentences, one document each, tokenised once and memory-mapped.

A block is the sentences of a document one after another, as many as fit (SpanBERT, 3.3: single
contiguous segments). Documents do not depend on each other, so the blocks are the same
whatever the number of processes that make them.
"""

from __future__ import annotations

import errno
import glob
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerBase

from bnaparser.encoders.subwords import reads_blanks
from bnaparser.encoders.tokenizer_file import panics_as_errors
from bnaparser.errors import DataError, ModelError, import_extra, in_one_line
from bnaparser.files.compressed import ending
from bnaparser.files.folder import files_below
from bnaparser.files.parquet import open_parquet
from bnaparser.files.tables import parse_json, replace_all_surrogates
from bnaparser.files.text_files import open_text
from bnaparser.spanbert.settings import TextSettings
from bnaparser.text.splitting import split_stream
from bnaparser.text.text_rules import DEFAULT_LANGUAGE, rules_of

log = logging.getLogger(__name__)

# Counted into the key of stored blocks: what is stored changes with it.
FORMAT = 2
# Documents that are tokenised at once.
_AT_ONCE = 16
# Rows of text that are kept in memory until they are written: one may be a million characters.
_ROWS_IN_MEMORY = 64
_FACTS = "blocks.json"
# A seed of its own: which documents are held out does not change with the recipe's seed.
_SPLIT_SEED = 20_200_706


@dataclass(frozen=True)
class Blocks:
    """Tokenised text: a memory-mapped table of blocks, and what its subwords are.

    A row has ``ids`` (subword numbers), ``starts`` (whether a word begins there), ``sentences``
    (their texts) and ``document``. ``cumulative`` float64 (vocabulary,) is the subwords' distribution
    in the text, summed up to 1; ``documents`` int64 (blocks,) the number of each block's document;
    ``folder`` is where all of it is kept.
    """

    table: Any
    cumulative: NDArray[np.float64]
    documents: NDArray[np.int64]
    folder: Path

    def __len__(self) -> int:
        return len(self.table)


@dataclass(frozen=True)
class TokenisedSentence:
    """A sentence's subwords: ``ids``, whether a word begins there, and their places in ``text``."""

    text: str
    ids: list[int]
    starts: list[bool]
    places: list[tuple[int, int]]


@panics_as_errors()
def tokenise(tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]) -> list[TokenisedSentence]:
    """Return the subwords of sentences. Special tokens in the text, such as [SEP], are left out.

    A subword begins a word where the tokenizer says so, or a blank stands before it: some tokenizers
    take a whole sentence for one word. A tokenizer that takes a blank as part of the word after it reads
    one before the sentence, too, as there is in a text.
    """
    if not texts:
        return []
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    blank = " " if _needs_blank(tokenizer) else ""
    found = tokenizer(
        [f"{blank}{text}" if text else text for text in texts],
        add_special_tokens=False,
        split_special_tokens=True,
        return_offsets_mapping=True,
        return_attention_mask=False,
        return_token_type_ids=False,
        verbose=False,
    )
    result = []
    for number, text in enumerate(texts):
        words, ids = found.word_ids(number), found["input_ids"][number]
        places = [
            (max(0, start - len(blank)), max(0, end - len(blank)))
            for start, end in found["offset_mapping"][number]
        ]
        kept = [one for one in range(len(ids)) if ids[one] not in special]
        starts = [
            before is None
            or words[one] != words[before]
            or _after_blank(text, places[before][0], *places[one])
            for before, one in zip([None, *kept], kept, strict=False)
        ]
        own = [places[one] for one in kept]
        result.append(TokenisedSentence(text, [ids[one] for one in kept], starts, own))
    return result


def _needs_blank(tokenizer: PreTrainedTokenizerBase) -> bool:
    """Return whether words are read with the blank before them, which a text's first word lacks."""
    normalizer = tokenizer.backend_tokenizer.normalizer
    puts_one = normalizer is not None and normalizer.normalize_str("a") != "a"
    return reads_blanks(tokenizer) and not puts_one


def _after_blank(text: str, before: int, start: int, end: int) -> bool:
    """Return whether a subword's part of a text begins with a blank, or follows one.

    ``before`` is where the part of the subword before it starts: one that is a blank's mark alone, as
    SentencePiece has before rare words, has begun the word already.
    """
    blank = start < end and (text[start].isspace() or (start > 0 and text[start - 1].isspace()))
    return blank and bool(text[before:start].strip())


def sentence_texts(text: str, language: str) -> list[str]:
    """Return the sentences of a text in a language, as they are written."""
    return [sentence.text for sentence in split_stream([text], rules=rules_of(language))]


def pack(sentences: Sequence[TokenisedSentence], limit: int) -> Iterator[list[TokenisedSentence]]:
    """Yield runs of a document's sentences of at most ``limit`` subwords, as long as they can be.

    A sentence that is longer than that alone is left out, and ends the block before it.
    """
    block: list[TokenisedSentence] = []
    size = 0
    for sentence in sentences:
        length = len(sentence.ids)
        if block and size + length > limit:
            yield block
            block, size = [], 0
        if 0 < length <= limit:
            block.append(sentence)
            size += length
    if block:
        yield block


def read_blocks(
    settings: TextSettings, tokenizer: PreTrainedTokenizerBase, limit: int, cache: Path
) -> Blocks:
    """Return the blocks of the text, at most ``limit`` subwords each; made once, kept in ``cache``.

    They are found again by the files' contents, the tokenizer and the settings that matter: a
    changed text is tokenised anew. Raises DataError if there is no text or the cache cannot be
    written, ModelError for a tokenizer without places.
    """
    if not tokenizer.is_fast:
        raise ModelError(
            "pre-training needs a fast tokenizer (transformers), which gives character offsets"
        )
    files = find_files(settings.files)
    folder = cache / _key(files, settings, tokenizer, limit)
    make_once(folder, lambda new: _write(files, settings, tokenizer, limit, new))
    return _open(folder)


def split_blocks(blocks: Blocks, share: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of the blocks that are trained on, and of those that are held out.

    A fraction of the documents is held out; the random draw is the same for every recipe on this text.
    One that would leave less than half of the blocks to train on is not among them; where there is
    no other, the fraction is taken from the last blocks of the text. A fraction above 0 is at least one block, where there are two.
    """
    documents, sizes = np.unique(blocks.documents, return_counts=True)
    numbers = np.arange(len(blocks.documents))
    count = round(share * len(documents)) or (1 if share else 0)
    chosen: list[int] = []
    held_blocks = 0
    for place in np.random.default_rng(_SPLIT_SEED).permutation(len(documents)):
        if len(chosen) < count and held_blocks + sizes[place] <= max(0.5, share) * len(numbers):
            chosen.append(documents[place])
            held_blocks += sizes[place]
    held = np.isin(blocks.documents, chosen)
    if not chosen:
        last = round(share * len(numbers)) or (1 if share and len(numbers) > 1 else 0)
        held = numbers >= len(numbers) - last
    return numbers[~held], numbers[held]


def evenly(numbers: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return at most this number of the numbers, spread over all of them."""
    return numbers[np.linspace(0, len(numbers) - 1, min(most, len(numbers))).astype(np.int64)]


def _open(folder: Path) -> Blocks:
    datasets = import_extra("pretrain", "datasets")
    try:
        facts = parse_json((folder / _FACTS).read_text(encoding="utf-8"))
        counts = np.cumsum(np.load(folder / "counts.npy"))
        table = datasets.load_from_disk(str(folder / "table"))
        documents = table.with_format("arrow")["document"].combine_chunks().to_numpy()
    except (OSError, EOFError, ValueError) as error:
        raise DataError(
            f"the tokenised text in {folder} is damaged ({in_one_line(error)}): delete this folder"
        ) from error
    log.info("%d blocks, %d subwords", facts["blocks"], facts["subwords"])
    return Blocks(table, counts / counts[-1], documents, folder)


def _write(
    files: Sequence[Path],
    settings: TextSettings,
    tokenizer: PreTrainedTokenizerBase,
    limit: int,
    folder: Path,
) -> None:
    datasets = import_extra("pretrain", "datasets")
    folder.mkdir(parents=True)
    documents = generated(
        _documents,
        {"files": list(files), "settings": settings},
        folder / "documents",
        {"text": datasets.Value("string"), "document": datasets.Value("int64")},
    )
    features = datasets.Features(
        {
            "ids": datasets.List(datasets.Value("int32")),
            "starts": datasets.List(datasets.Value("bool")),
            "sentences": datasets.List(datasets.Value("string")),
            "document": datasets.Value("int64"),
        }
    )
    log.info("tokenising %s documents", f"{len(documents):,}")
    workers = min(settings.workers or 1, len(documents))
    table = documents.map(
        _blocks_of,
        batched=True,
        batch_size=_AT_ONCE,
        remove_columns=documents.column_names,
        features=features,
        fn_kwargs={"tokenizer": tokenizer, "limit": limit, "language": settings.language},
        num_proc=workers if workers > 1 else None,
        cache_file_name=str(folder / "documents" / "blocks.arrow"),
        desc="tokenising",
    )
    if len(table) == 0:
        raise DataError(
            f"no block of text in {len(files)} files: the text is empty, or each of its sentences"
            f" is longer than {limit} subwords"
        )
    counts = np.zeros(1 + max(tokenizer.get_vocab().values()), np.int64)
    for batch in table.with_format("arrow").iter(1000):
        ids = batch.column("ids").combine_chunks().flatten().to_numpy()
        counts += np.bincount(ids, minlength=len(counts))
    table.save_to_disk(str(folder / "table"))
    np.save(folder / "counts.npy", counts)
    facts = {"blocks": len(table), "subwords": int(counts.sum()), "files": list(map(str, files))}
    shutil.rmtree(folder / "documents", ignore_errors=True)
    (folder / _FACTS).write_text(json.dumps(facts) + "\n", encoding="utf-8")


def generated(
    rows: Callable[..., Iterator[dict[str, Any]]],
    arguments: dict[str, Any],
    folder: Path,
    features: dict[str, Any],
) -> Any:
    """Return a memory-mapped table, in ``folder``, of the rows that a generator yields.

    What the generator raises is raised here as it is.
    """
    datasets = import_extra("pretrain", "datasets")
    try:
        return datasets.Dataset.from_generator(
            rows,
            gen_kwargs=arguments,
            cache_dir=str(folder),
            features=datasets.Features(features),
            fingerprint="rows",  # the arguments need no hash: the folder is new
            writer_batch_size=_ROWS_IN_MEMORY,
        )
    except datasets.exceptions.DatasetGenerationError as error:
        raise error.__cause__ or error from None


def _documents(files: Sequence[Path], settings: TextSettings) -> Iterator[dict[str, Any]]:
    number = 0
    for path in files:
        for text in read_documents(path, settings):
            yield {"text": text, "document": number}
            number += 1
    if number == 0:
        raise DataError(f"these files hold no text: {', '.join(map(str, files))}")


def _blocks_of(
    batch: dict[str, list[Any]], tokenizer: PreTrainedTokenizerBase, limit: int, language: str
) -> dict[str, list[Any]]:
    """Return the blocks of some documents as columns."""
    rows: dict[str, list[Any]] = {"ids": [], "starts": [], "sentences": [], "document": []}
    for text, document in zip(batch["text"], batch["document"], strict=True):
        sentences = tokenise(tokenizer, sentence_texts(text, language))
        for block in pack(sentences, limit):
            rows["ids"].append([number for one in block for number in one.ids])
            rows["starts"].append([start for one in block for start in one.starts])
            rows["sentences"].append([one.text for one in block])
            rows["document"].append(document)
    return rows


def _key(
    files: Sequence[Path], settings: TextSettings, tokenizer: PreTrainedTokenizerBase, limit: int
) -> str:
    """Return a name for blocks of these files' contents, tokenised so."""
    facts = {
        "format": FORMAT,
        "limit": limit,
        "document": settings.document,
        "field": settings.field,
    }
    if settings.language != DEFAULT_LANGUAGE:
        facts["language"] = settings.language
    if _needs_blank(tokenizer) or "▁" in tokenizer.get_vocab():
        facts["blanks"] = 2  # how they are read, where it was otherwise at first
    return key_of((json.dumps(facts, sort_keys=True), tokenizer.backend_tokenizer.to_str()), files)


# A document that continues for longer than this many characters is cut at the next line end, so that
# a file without an empty line, whatever its size, is never whole in memory.
LONGEST_DOCUMENT = 1_000_000
_ENDINGS = (".txt", ".text", ".jsonl", ".ndjson", ".parquet")


def find_files(patterns: Sequence[str]) -> list[Path]:
    """Return the files that names, folders and patterns stand for, sorted, each once.

    Of a folder those with an ending that is read here, also below it. Raises DataError if one
    of them stands for no file.
    """
    found: dict[Path, Path] = {}
    for pattern in patterns:
        path = Path(pattern)
        if path.is_dir():
            matches = [one for one in files_below(path) if ending(one) in _ENDINGS]
        elif path.is_file():
            matches = [path]
        else:
            names = sorted(glob.glob(pattern, recursive=True))
            matches = [path for name in names if (path := Path(name)).is_file()]
        if not matches:
            raise DataError(f"{pattern}: no text file has this name")
        for path in matches:
            found.setdefault(Path(os.path.realpath(path)), path)
    return list(found.values())


def read_documents(path: Path, settings: TextSettings) -> Iterator[str]:
    """Yield the texts of a file's documents. Raises DataError, naming file and place."""
    kind = ending(path)
    if kind == ".parquet":
        yield from _read_parquet(path, settings.field)
    elif kind == ".json":
        raise DataError(
            f"{path}: JSON must have one object per line, in a file that ends in .jsonl"
        )
    elif kind in (".jsonl", ".ndjson"):
        yield from _read_json_lines(path, settings.field)
    else:
        yield from _read_text(path, settings.document == "line")


def _read_text(path: Path, line_by_line: bool) -> Iterator[str]:
    with open_text(path) as file:
        lines: list[str] = []
        size = 0
        for line in file:
            blank = not line.strip()
            if not blank:
                lines.append(line)
                size += len(line)
            if lines and (blank or line_by_line or size > LONGEST_DOCUMENT):
                yield "".join(lines)
                lines, size = [], 0
        if lines:
            yield "".join(lines)


def _read_json_lines(path: Path, field: str) -> Iterator[str]:
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = parse_json(line.rstrip())
            except ValueError as error:
                raise DataError(f"{path}, line {number}: not JSON: {error}") from None
            yield _text_of(row, field, f"{path}, line {number}")


def _text_of(row: Any, field: str, place: str) -> str:
    if not isinstance(row, dict) or not isinstance(row.get(field), str):
        raise DataError(
            f"{place}: no text under {field!r}; set text.field to the name of the field with the text"
        )
    text: str = replace_all_surrogates(row[field])
    return text


def _read_parquet(path: Path, field: str) -> Iterator[str]:
    with open_parquet(path, extra="pretrain") as file:
        if field not in file.schema_arrow.names:
            names = ", ".join(file.schema_arrow.names)
            raise DataError(f"{path}: no column {field!r} (it has {names}); set text.field")
        kind, types = file.schema_arrow.field(field).type, import_extra("pretrain", "pyarrow").types
        if types.is_dictionary(kind):
            kind = kind.value_type
        if not (types.is_string(kind) or types.is_large_string(kind)):
            raise DataError(f"{path}: the column {field!r} has {kind}, not text")
        for batch in file.iter_batches(batch_size=256, columns=[field]):
            yield from (text for text in batch.column(0).to_pylist() if text)


# Errors that have another cause for certain; some come from libraries that lose the number.
_NOT_FULL = {errno.EEXIST, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EROFS}


def make_once(folder: Path, make: Callable[[Path], None]) -> None:
    """Have ``make`` write a folder under another name and give it its own, unless it is there.

    Where several processes ask for it, one makes it and the others wait; one that is killed leaves
    it to the next. Raises DataError if it cannot be written, and what ``make`` raises.
    """
    lock = import_extra("pretrain", "filelock").FileLock(folder.with_name(f"{folder.name}.lock"))
    if folder.is_dir():
        return
    new = folder.with_name(f"{folder.name}.new")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with lock:
            if folder.is_dir():
                return
            shutil.rmtree(new, ignore_errors=True)
            try:
                make(new)
                new.rename(folder)
            finally:
                shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        full = "" if error.errno in _NOT_FULL else ": is the disk full?"
        raise DataError(f"{new} cannot be written ({in_one_line(error)}){full}") from error


def key_of(facts: Iterable[str], files: Iterable[Path]) -> str:
    """Return a name for what is made of these files' contents, as ``facts`` and their endings say."""
    digest = hashlib.sha256()
    for text in facts:
        digest.update(text.encode())
    for path in files:
        digest.update(f"{ending(path)} {path.suffix}\n".encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:24]
