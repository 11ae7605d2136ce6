"""Compare words and sentences with the Penn Treebank sample's own, and time them.

``python -m benchmarks.text.run_text RAW.tar.xz COMBINED.tar.xz [FIRST LAST]`` takes the two archives of the
sample (raw texts and bracketed trees) and the files FIRST to LAST, 180 to 199 if not given: rules
were written looking at the files up to 159 only.

The treebank's words are found in the raw text one after the other; empty elements, and a period
that stands in the tree but not in the text (after a final ``U.S.``), are left out of the count.
What the trees leave out of a text stays in it and counts as wrong. A word is right if both ends
are; a sentence begins right if its first character does (the first of each file is not counted).
"""

import argparse
import re
import tarfile
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benchmarks.machine import listed, now, processor, versions
from bnaparser.text.english.tokens import word_spans
from bnaparser.text.splitting import split
from bnaparser.trees.escapes import unescape

Span = tuple[int, int]
Tokenizer = Callable[[str], list[Span]]
Splitter = Callable[[str], list[list[Span]]]
REPEATED = 5_000_000  # characters, to time
_NODE = re.compile(r"\(\s*([^\s()]*)\s+([^\s()]+)\s*\)|[()]")
_VARIANTS = {"``": ['"', "``"], "''": ['"', "''"], "`": ["`", "'"], "...": ["...", ". . ."]}


class Text(NamedTuple):
    text: str
    sentences: list[list[Span]]


class Score(NamedTuple):
    right: int
    found: int
    wanted: int

    def __str__(self) -> str:
        precision, recall = self.right / self.found, self.right / self.wanted
        f1 = 2 * self.right / (self.found + self.wanted)
        return f"{100 * precision:.2f} | {100 * recall:.2f} | {100 * f1:.2f}"

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.found + self.wanted)


def read(raw: str, combined: str, first: int, last: int) -> list[Text]:
    """Return the texts of the files FIRST to LAST with the treebank's sentences in them."""
    texts, trees = members(raw), members(combined)
    result = []
    for number in range(first, last + 1):
        # Blanks of the same length keep the offsets.
        text = texts[f"wsj_{number:04}"].replace(".START", " " * 6)
        result.append(Text(text, align(text, list(tree_words(trees[f"wsj_{number:04}"])))))
    return result


def members(path: str) -> dict[str, str]:
    with tarfile.open(path) as archive:
        files = [(member, archive.extractfile(member)) for member in archive.getmembers()]
        return {
            member.name.rpartition("/")[2].removesuffix(".mrg"): file.read().decode("latin-1")
            for member, file in files
            if file is not None
        }


def tree_words(text: str) -> Iterator[list[str]]:
    """Yield the words of each tree, empty elements left out."""
    words: list[str] = []
    depth = 0
    for match in _NODE.finditer(text):
        if match[1] is not None:
            words += [match[2]] if match[1] != "-NONE-" else []
            continue
        depth += 1 if match[0] == "(" else -1
        if depth == 0 and words:
            yield words
            words = []


def align(text: str, sentences: list[list[str]]) -> list[list[Span]]:
    """Return the place of each word; a word that does not stand in the text has none."""
    place = 0
    result = []
    for words in sentences:
        spans = []
        for word in words:
            while place < len(text) and text[place].isspace():
                place += 1
            # A little further on at most: the text holds words that the tree has not.
            reach = place if word in (".", ",") else place + 60
            variants = _VARIANTS.get(word, [unescape(word)])
            found = [(text.find(v, place, reach + len(v)), len(v)) for v in variants]
            start, length = min((f for f in found if f[0] >= 0), default=(-1, 0))
            if start >= 0:
                place = start + length
                spans.append((start, place))
        if spans:
            result.append(spans)
    return result


def words_score(texts: list[Text], tokenizer: Tokenizer) -> Score:
    """Score a tokenizer that is given the treebank's sentences."""
    right = found = wanted = 0
    for text, sentences in texts:
        for spans in sentences:
            start, end = spans[0][0], spans[-1][1]
            mine = {(a + start, b + start) for a, b in tokenizer(text[start:end])}
            right += len(mine & set(spans))
            found += len(mine)
            wanted += len(spans)
    return Score(right, found, wanted)


def text_scores(texts: list[Text], splitter: Splitter, breaks: bool) -> tuple[Score, Score, Score]:
    """Score beginnings, whole sentences and words from running text, with or without its lines."""
    counts = [[0, 0, 0] for _ in range(3)]
    for text, sentences in texts:
        found = splitter(text if breaks else re.sub(r"\s", " ", text))
        for count, mine, gold in zip(counts, units(found), units(sentences), strict=True):
            count[0] += len(mine & gold)
            count[1] += len(mine)
            count[2] += len(gold)
    first, second, third = (Score(*count) for count in counts)
    return first, second, third


def units(sentences: list[list[Span]]) -> tuple[set[Span], set[Span], set[Span]]:
    """Return the first words of sentences (but the first one's), whole sentences, and words."""
    beginnings = {(spans[0][0], 0) for spans in sentences[1:]}
    return beginnings, {(s[0][0], s[-1][1]) for s in sentences}, {w for s in sentences for w in s}


def ours(text: str) -> list[list[Span]]:
    return [list(sentence.offsets) for sentence in split(text)]


def rivals() -> tuple[dict[str, Tokenizer], Callable[[str], list[tuple[int, str]]]]:
    """Return NLTK's two tokenizers of this kind, and sentencex as ``(start, sentence)``."""
    import nltk

    try:
        import sentencex
    except ModuleNotFoundError:
        raise SystemExit(
            "sentencex is not installed: pip install -c constraints.txt '.[bench]'"
        ) from None

    def tokenizer(kind: Any) -> Tokenizer:
        return lambda text: list(kind().span_tokenize(text))

    def sentences(text: str) -> list[tuple[int, str]]:
        pieces = sentencex.get_sentence_boundaries("en", text)
        return [(piece["start_index"], piece["text"]) for piece in pieces]

    tokenizers = {
        "nltk NLTKWordTokenizer": tokenizer(nltk.tokenize.NLTKWordTokenizer),
        "nltk TreebankWordTokenizer": tokenizer(nltk.tokenize.TreebankWordTokenizer),
    }
    return tokenizers, sentences


def joined(sentences: Callable[[str], list[tuple[int, str]]], tokenizer: Tokenizer) -> Splitter:
    def splitter(text: str) -> list[list[Span]]:
        found = [
            [(a + start, b + start) for a, b in tokenizer(piece)]
            for start, piece in sentences(text)
        ]
        return [spans for spans in found if spans]

    return splitter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("raw", metavar="RAW.tar.xz")
    parser.add_argument("combined", metavar="COMBINED.tar.xz")
    parser.add_argument("first", metavar="FIRST", type=int, nargs="?", default=180)
    parser.add_argument("last", metavar="LAST", type=int, nargs="?", default=199)
    options = parser.parse_args()
    first, last = options.first, options.last
    texts = read(options.raw, options.combined, first, last)
    tokenizers, sentences = rivals()
    packages = listed(versions(("nltk", "sentencex")))
    print(f"{now()} UTC, {processor()}, {packages}; files {first:04}-{last:04}\n")
    print("| words, sentences given | precision | recall | F1 |\n|---|---|---|---|")
    for name, tokenizer in [("bnaparser", word_spans), *tokenizers.items()]:
        print(f"| {name} | {words_score(texts, tokenizer)} |")
    systems = {
        "bnaparser": ours,
        "sentencex + bnaparser's words": joined(sentences, word_spans),
        "sentencex + NLTKWordTokenizer": joined(sentences, tokenizers["nltk NLTKWordTokenizer"]),
    }
    for breaks, name in ((True, "the raw text"), (False, "every line break made a blank")):
        print(f"\n| {name} | beginnings P | R | F1 | whole sentences F1 | words F1 |")
        print("|---|---|---|---|---|---|")
        for system, splitter in systems.items():
            starts, whole, words = text_scores(texts, splitter, breaks)
            print(f"| {system} | {starts} | {100 * whole.f1:.2f} | {100 * words.f1:.2f} |")
    print_speed(texts)


def print_speed(texts: list[Text]) -> None:
    long = "\n\n".join(text.text for text in texts) * (REPEATED // sum(len(t.text) for t in texts))
    clock = time.process_time()
    count = sum(len(sentence.words) for sentence in split(long))
    clock = time.process_time() - clock
    print(f"\nsplit: {count / clock:,.0f} words a second of CPU time ({count:,} words)")


if __name__ == "__main__":
    main()
