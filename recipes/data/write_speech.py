"""Write trees of speech that its speaker's clause interrupts or follows, made of a parser's trees of their parts.

    python recipes/data/write_speech.py MODEL TEXT OUTPUT

News has little dialogue, and a parser that has learned from news loses itself in '"You want to see the park," he said, "and the lake."';
as a teacher it has nothing better to say. What is said, without the interruption, and who says it, in a plain sentence, it parses well.
The tree is put together of both as the Penn Treebank has it (Bies et al., 1995, on PRN): the interruption is below the lowest constituent
on both sides of it. Likewise '"Who are you?" asked the king.': the question is parsed by itself.

TEXT: running English, a paragraph a line, plain or .xz. Only what the parser is sure of is written, a tree a line.
"""

from __future__ import annotations

import argparse
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from bnaparser import Parse, Parser, Tree
from bnaparser.files.compressed import open_compressed
from bnaparser.text.splitting import split_lines

# What opens speech, and what closes it.
QUOTES = {"\u201c": "\u201d", '"': '"', "\u2018": "\u2019", "``": "''"}
ENDS = frozenset([".", "?", "!", ";", ":", "\u2014", "--"])
FEWEST, MOST = 2, 6  # words of the speaker's clause
LONGEST = 50  # words of a sentence
SURE = 0.93  # the least mean probability of the constituents of each part
CLAUSES = frozenset(["S", "SINV", "SQ", "SBARQ"])
_CLAUSE_WORD = re.compile(r"[A-Za-z][A-Za-z.\u2019'-]*")

Words = tuple[str, ...]


@dataclass(frozen=True)
class Interrupted:
    """Speech before and after the clause of who says it; ``quotes`` stand around the first part."""

    before: Words
    clause: Words
    after: Words
    quotes: tuple[str, str]

    def parts(self) -> list[Words]:
        """Return what is parsed: the speech with and without a comma where it was cut, and `carrier`."""
        return [(*self.before, ",", *self.after), (*self.before, *self.after), carrier(self.clause)]

    def tree(self, parses: Sequence[Parse]) -> Tree | None:
        """Put the parses of `parts` together; None where they do not fit."""
        comma = confidence(parses[0]) >= confidence(parses[1])
        speech = sure_tree(parses[0 if comma else 1])
        speaker = speakers_clause(parses[2], len(self.clause))
        if speech is None or speaker is None:
            return None
        place = len(self.before)
        node = lowest_around(speech, place, place + comma)
        left = [child for child in node.subtrees if child.end <= place]
        right = [child for child in node.subtrees if child.start >= place + comma]
        if not (left and right and (left[-1].end, right[0].start) == (place, place + comma)):
            return None  # a child ends with the comma
        put = [*left, *self._interruption(speaker, comma and joins(left, right)), *right]
        return replaced(speech, node, Tree(node.label, put))

    def _interruption(self, speaker: Tree, between_clauses: bool) -> list[Tree]:
        """Return the clause and its marks: a PRN over all, between clauses over the clause alone."""
        opening, closing = self.quotes
        first = [Tree(",", [","]), Tree("''", [closing])]
        last = [Tree(",", [","]), Tree("``", [opening])]
        if between_clauses:
            return [*first, Tree("PRN", [speaker]), *last]
        return [Tree("PRN", [*first, speaker, *last])]


@dataclass(frozen=True)
class QuotedQuestion:
    """A question or an exclamation in quotation marks, and the clause of who says it."""

    said: Words
    clause: Words
    quotes: tuple[str, str]

    def parts(self) -> list[Words]:
        """Return what is parsed: what is said by itself, a plain sentence in its place, and `carrier`."""
        opening, closing = self.quotes
        plain = (opening, "The", "plan", "is", "good", ",", closing, *self.clause, ".")
        return [self.said, plain, carrier(self.clause)]

    def tree(self, parses: Sequence[Parse]) -> Tree | None:
        """Put the parses of `parts` together; None where they do not fit."""
        said, plain = map(sure_tree, parses[:2])
        if said is None or plain is None or not speakers_clause(parses[2], len(self.clause)):
            return None
        top = plain.subtrees[0]
        labels = [(child.label, child.span) for child in top.subtrees[:3]]
        if labels[1:] != [("S", (1, 5)), (",", (5, 6))] or top.label not in ("S", "SINV"):
            return None
        put = [top.subtrees[0], *said.subtrees, *top.subtrees[3:]]
        return Tree(plain.label, [Tree(top.label, put)])


def carrier(clause: Words) -> Words:
    """Return a sentence in which the clause is a plain interruption."""
    return ("The", "plan", ",", *clause, ",", "is", "good", ".")


def speakers_clause(parse: Parse, length: int) -> Tree | None:
    """Return the clause within a `carrier`, None where the parser did not take it for an interruption."""
    tree = sure_tree(parse)
    nodes = [] if tree is None else list(tree.nodes())
    clauses = [node for node in nodes if node.label in CLAUSES and node.span == (3, 3 + length)]
    return clauses[0] if clauses and any(node.label == "PRN" for node in nodes) else None


def sure_tree(parse: Parse) -> Tree | None:
    """Return a tree that is likely to be right, None where it is not."""
    return parse.tree if confidence(parse) >= SURE else None


def confidence(parse: Parse) -> float:
    """Return the mean probability of the constituents, 0 where there is no tree."""
    return parse.confidence or 0.0


def joins(left: Sequence[Tree], right: Sequence[Tree]) -> bool:
    """Tell whether sisters are two clauses that are joined."""
    after = right[1:] if right[0].label == "CC" else right
    return left[-1].label in CLAUSES and bool(after) and after[0].label in CLAUSES


def lowest_around(tree: Tree, left: int, right: int) -> Tree:
    """Return the lowest node with words before ``left`` and from ``right`` on."""
    return [node for node in tree.nodes() if node.start < left and node.end > right][-1]


def replaced(tree: Tree, old: Tree, new: Tree) -> Tree:
    """Return the tree with one of its nodes exchanged."""
    if tree is old:
        return new
    if not tree.subtrees or not (tree.start <= old.start and old.end <= tree.end):
        return tree
    return Tree(tree.label, [replaced(child, old, new) for child in tree.subtrees])


def speech(words: Words) -> Interrupted | QuotedQuestion | None:
    """Cut a sentence of speech into its parts; None where it is of no kind that is made here."""
    if len(words) > LONGEST:
        return None
    for place in range(2, len(words) - 3):
        closing = words[place]
        opening = next((one for one in words[:place] if QUOTES.get(one) == closing), None)
        if opening is not None and words[place - 1] == ",":
            return _interrupted(words, place, opening)
        if opening is not None and words[place - 1] in ("?", "!"):
            return _asked(words, place, opening)
    return None


def _interrupted(words: Words, place: int, opening: str) -> Interrupted | None:
    """Cut ``words`` at the quotation mark at ``place``, behind a comma."""
    if "," not in words[place:]:
        return None
    comma = words.index(",", place)
    before, clause, after = words[: place - 1], words[place + 1 : comma], words[comma + 2 :]
    if words[comma + 1 : comma + 2] != (opening,) or not _is_clause(clause) or len(after) < 2:
        return None
    if ENDS & {*before, *after[:-2]} or opening in before[1:]:
        return None
    return Interrupted(before, clause, after, (opening, words[place]))


def _asked(words: Words, place: int, opening: str) -> QuotedQuestion | None:
    """Cut ``words`` at the quotation mark at ``place``, behind a question or exclamation mark."""
    said, clause = words[1:place], words[place + 1 : -1]
    if words[0] != opening or words[-1] != "." or not _is_clause(clause) or ENDS & {*said[:-1]}:
        return None
    return QuotedQuestion(said, clause, (opening, words[place]))


def _is_clause(words: Words) -> bool:
    """Tell whether words may say who speaks."""
    return FEWEST <= len(words) <= MOST and all(map(_CLAUSE_WORD.fullmatch, words))


def found(path: Path) -> Iterator[Interrupted | QuotedQuestion]:
    """Yield the speech of a text, each sentence once."""
    with open_compressed(path) as raw:
        lines = io.TextIOWrapper(raw, encoding="utf-8")
        sentences = chain.from_iterable(split_lines(lines, "paragraph"))
        for words in dict.fromkeys(sentence.words for sentence in sentences):
            if one := speech(words):
                yield one


def main() -> None:
    """Write the trees that the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("text", type=Path, metavar="TEXT")
    parser.add_argument("output", type=Path, metavar="OUTPUT")
    options = parser.parse_args()
    sentences = [*found(options.text)]
    parts = [part for sentence in sentences for part in sentence.parts()]
    parses = Parser.load(options.model).parse_many(parts, probabilities=True)
    trees = [one.tree(parses[3 * place : 3 * place + 3]) for place, one in enumerate(sentences)]
    made = [f"{tree}\n" for tree in trees if tree is not None]
    options.output.write_text("".join(made), encoding="utf-8")
    print(f"{len(made)} trees of {len(sentences)} sentences of speech")


if __name__ == "__main__":
    main()
