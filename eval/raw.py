"""Scores of trees of one text whose words or sentences differ: ``bnaparser evaluate --raw``.

EVALB compares brackets by the numbers of their words, so both sides must have the same words. Here a bracket stands
for the characters of the text that it covers, blanks left out:

    gold   (S (NP We) (VP ca n't) .)      characters 0-2, 2-6, 6-7
    test   (S (NP We) (VP can't) .)       characters 0-2, 2-6, 6-7

Sentences are put into groups, the smallest that begin and end at the same place on both sides; each group is a row of
EVALB's table. If both sides have the same words, sentences and punctuation tags, the table is EVALB's own.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from bnaparser.errors import DataError
from bnaparser.eval.api import Scores, Trees, read_sides, scores_of
from bnaparser.eval.params import Params, collins
from bnaparser.eval.report import OK, ErrorLog, Row, Totals, UnreadableLine, percent
from bnaparser.eval.sentence import EvalbReader
from bnaparser.eval.significance import Significance, compare_rows

MOST_DIFFERENT = 0.05
"""The largest fraction of characters in which two texts may differ."""

_EMPTY_TAG = b"-NONE-"
_ESCAPES = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "\\/": "/", "\\*": "*",
}  # fmt: skip
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPES)))
# A double quotation mark is two single ones, as `` and '' are.
_QUOTES = str.maketrans(
    dict.fromkeys('"\u201c\u201d\u201e\u201f\xab\xbb\u2033', "''")
    | dict.fromkeys("`\xb4\u2018\u2019\u201a\u201b\u2032\u2039\u203a", "'")
)
_DASHES = re.compile("[-\u2010-\u2015\u2212]+")


def characters_of(word: str) -> str:
    """Return the characters of a word in the joined text, in one spelling for each sign.

    Brackets (``-LRB-``), ``\\/``, entities (``&amp;``), quotation marks, dashes (``--``) and forms that Unicode holds
    for compatible (NFKC: ``…`` is ``...``) are made the same. Blanks, also ``_`` in their place, and what has no width
    are left out.

    Example:
        >>> [characters_of(word) for word in ("-LRB-", "``", '"', "—", "…")]
        ['(', "''", "''", '-', '...']
    """
    if word.isascii() and word.isalnum():
        return word
    word = _ESCAPE.sub(lambda match: _ESCAPES[match[0]], word)
    if "&" in word:
        word = html.unescape(word)
    word = unicodedata.normalize("NFKC", word.translate(_QUOTES))
    word = _DASHES.sub("-", word)
    word = "".join(sign for sign in word if unicodedata.category(sign)[0] not in "CZ")
    return word.replace("_", "") or word


@dataclass(frozen=True)
class Matches:
    """How many words or sentences there are in the gold and in the predicted trees, and in both at the same place."""

    gold: int
    test: int
    matched: int

    @property
    def recall(self) -> float:
        """Percentage of gold items that are matched."""
        return percent(self.matched, self.gold)

    @property
    def precision(self) -> float:
        """Percentage of predicted items that are matched."""
        return percent(self.matched, self.test)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, in percent."""
        return percent(2 * self.matched, self.gold + self.test)


@dataclass(frozen=True)
class RawScores:
    """The scores of trees of one text: ``brackets`` has EVALB's scores, with a row for each group
    of sentences.

    ``totals`` and ``short`` are the sums over all groups and over those up to the cut-off length. Of the text's
    ``characters``, ``different`` are not the same on both sides; ``first_difference`` says where, or is empty.
    """

    brackets: Scores
    words: Matches
    sentences: Matches
    characters: int
    different: int
    first_difference: str
    totals: Totals = field(repr=False)
    short: Totals = field(repr=False)


def score_raw(gold: Trees, pred: Trees, params: Params | None = None) -> RawScores:
    """Compare trees of one raw text whose words and sentences may differ.

    Args:
        gold: a file of gold trees, or trees, as for `bnaparser.eval.score`.
        pred: the predicted trees. A gold sentence without a predicted tree counts against recall.
        params: EVALB's parameters (default: COLLINS.prm): what is deleted, and which labels count as equal.

    Returns:
        The scores of brackets, words and sentences.

    Raises:
        DataError: a file cannot be read, a line is no tree, or the texts differ in a larger fraction of their
            characters than ``MOST_DIFFERENT``.

    Example:
        >>> from bnaparser.eval import score_raw
        >>> gold = ["(S (NP (PRP We)) (VP (MD ca) (RB n't)))"]
        >>> pred = ["(S (NP (PRP We)) (VP (MD can't)))"]
        >>> found = score_raw(gold, pred)
        >>> found.brackets.f1, round(found.words.f1, 1)
        (100.0, 40.0)
    """
    return _Comparison(gold, pred, collins() if params is None else params).scores()


def compare_raw_outputs(
    gold: Trees, first: Trees, second: Trees, params: Params | None = None
) -> Significance:
    """Compare the F1 of two outputs for the same raw text.

    The words and sentences of the outputs may differ. The units of the test are the smallest groups of gold sentences that are
    groups for both outputs. `bnaparser.eval.compare_outputs` compares outputs for the same words.

    Args:
        gold: a file of gold trees, or trees.
        first: predicted trees of the first system.
        second: predicted trees of the second system.
        params: EVALB's parameters (default: COLLINS.prm).

    Returns:
        The difference of F1, its confidence interval and its p-value.

    Raises:
        DataError: a file cannot be read, or the texts of the trees differ.

    Example:
        >>> from bnaparser.eval import compare_raw_outputs
        >>> gold = ["(TOP (S (NP (PRP It)) (VP (VBD rained))))"] * 20
        >>> wrong = ["(TOP (S (PRP It) (VP (VBD rained))))"] * 20
        >>> compare_raw_outputs(gold, gold, wrong).p_value < 0.05
        True
    """
    params = collins() if params is None else params
    lines = list(next(iter(read_sides(gold))))
    sums = [_Comparison(lines, one, params).counts_up_to() for one in (first, second)]
    ends = sorted(sums[0].keys() & sums[1].keys())
    return compare_rows(*(list(_between(ends, one)) for one in sums))


def _between(ends: Sequence[int], sums: dict[int, tuple[int, int, int]]) -> Iterator[Row]:
    """Yield the differences of running sums as rows."""
    before = (0, 0, 0)
    for end in ends:
        yield Row(end, 0, OK, *(now - then for now, then in zip(sums[end], before, strict=True)))
        before = sums[end]


@dataclass(slots=True)
class _Token:
    """A word: its text and tag, and the numbers of its characters in its side's text, half-open."""

    text: str
    tag: bytes
    start: int
    end: int


@dataclass(slots=True)
class _Sentence:
    """A tree: its number from 1, its words, and its brackets over characters of its side's text, in order."""

    number: int
    tokens: list[_Token]
    brackets: list[tuple[int, int, bytes]]

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end


class _Side:
    """The trees of one side, their text, and where each of its characters stands in what both texts are together.

    ``left`` and ``right`` are the ends of each character there. ``counts`` says which characters count:
    those of words that are not deleted.
    """

    def __init__(self, name: str, lines: Iterable[bytes], params: Params):
        self.sentences: list[_Sentence] = []
        self.last = 0  # the number of the last line
        parts: list[str] = []
        size = 0
        messages: list[bytes] = []
        log = ErrorLog(None, messages.append)
        # Nothing is deleted here: what is, is still text.
        reader = EvalbReader(Params(), log, {}, None)
        for number, line in enumerate(lines, 1):
            self.last = number
            log.start(number)
            try:
                read = reader.read(line)
            except UnreadableLine:
                read = None
            if messages or read is None:
                message = messages[0].partition(b" : ")[2].decode(errors="replace").strip()
                raise DataError(f"the {name} tree {number} cannot be read: {message}")
            tokens: list[_Token] = []
            kept = [0]  # of the tree's first 0, 1, 2 ... words: how many are tokens
            for word in read.words:
                text = word.text.decode("utf-8", "replace")
                signs = "" if word.tag == _EMPTY_TAG else characters_of(text)
                if signs:
                    tokens.append(_Token(text, word.tag, size, size + len(signs)))
                    parts.append(signs)
                    size += len(signs)
                kept.append(len(tokens))
            if not tokens:
                continue
            brackets = []
            for one in read.brackets:
                first, after = kept[one.start], kept[one.end]
                label = params.compared(one.label)
                if first < after and not params.deletes_bracket(label):
                    brackets.append((tokens[first].start, tokens[after - 1].end, label))
            self.sentences.append(_Sentence(number, tokens, brackets))
        self.text = "".join(parts)
        self.left: Sequence[int] = range(size)
        self.right: Sequence[int] = range(1, size + 1)
        deleted = params.delete_labels
        self.counts = [
            token.tag not in deleted
            for sentence in self.sentences
            for token in sentence.tokens
            for _ in range(token.start, token.end)
        ]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where characters stand in both texts together."""
        return self.left[start], self.right[end - 1]

    def boundary(self, number: int) -> tuple[float, float]:
        """Return where a sentence ends and where the next one begins, there."""
        here = self.right[self.sentences[number].end - 1]
        last = number + 1 == len(self.sentences)
        return here, float("inf") if last else self.left[self.sentences[number + 1].start]


class _Comparison:
    """Both sides, placed in one text."""

    def __init__(self, gold: Trees, pred: Trees, params: Params):
        sides = read_sides(gold, pred)
        self.params = params
        self.gold = _Side("gold", sides[0], params)
        self.test = _Side("predicted", sides[1], params)
        self.different = 0
        self.first_difference = ""
        if self.gold.text != self.test.text:
            self._place_together()
        else:
            self.test.counts = self.gold.counts
        self.characters = max(len(self.gold.text), len(self.test.text))
        if self.different > MOST_DIFFERENT * self.characters:
            raise DataError(
                f"these are trees of two texts: {percent(self.different, self.characters):.1f} % of the characters"
                f" differ (at most {100 * MOST_DIFFERENT:.0f} % may), {self.first_difference}"
            )
        for side in (self.gold, self.test):
            _trim(side)

    def _place_together(self) -> None:
        """Give the characters of both sides their places where the texts differ."""
        gold, test = self.gold, self.test
        places: list[tuple[list[int], list[int]]] = [([], []), ([], [])]
        here = at_gold = at_test = 0

        def add_equal(size: int) -> None:
            nonlocal here, at_gold, at_test
            for left, right in places:
                left.extend(range(here, here + size))
                right.extend(range(here + 1, here + size + 1))
            test.counts[at_test : at_test + size] = gold.counts[at_gold : at_gold + size]
            here, at_gold, at_test = here + size, at_gold + size, at_test + size

        for same, mine, its in _differences(gold.text, test.text):
            add_equal(same)
            if not mine and not its:
                continue
            if not self.first_difference:
                self.first_difference = self._described(at_gold, mine, at_test, its)
            self.different += max(mine, its)
            if mine == its:
                add_equal(mine)
                continue
            # Both ends are common. Within, no two places are the same: even numbers here, odd ones there.
            size = 2 * max(mine, 1) * max(its, 1)
            for (left, right), number, step, odd in (
                (places[0], mine, 2 * max(its, 1), 0),
                (places[1], its, 2 * max(mine, 1), 1),
            ):
                inner = [here + step * count - odd for count in range(1, number)]
                left.extend([here, *inner][:number])
                right.extend([*inner, here + size][:number] if number else [])
            here, at_gold, at_test = here + size, at_gold + mine, at_test + its
        (gold.left, gold.right), (test.left, test.right) = places

    def _described(self, at_gold: int, mine: int, at_test: int, its: int) -> str:
        """Say where the texts first differ, by the words there."""
        number, gold = _words_at(self.gold, at_gold, mine)
        _, test = _words_at(self.test, at_test, its)
        return f"first at gold sentence {number}: {gold!r} is {test!r} in the predicted trees"

    def groups(self) -> Iterator[tuple[list[_Sentence], list[_Sentence]]]:
        """Yield the smallest groups of sentences with common ends."""
        gold, test = self.gold, self.test
        i = j = 0
        while i < len(gold.sentences) or j < len(test.sentences):
            first = i, j
            if j == len(test.sentences) or (
                i < len(gold.sentences)
                and gold.boundary(i)[0] <= test.left[test.sentences[j].start]
            ):
                i += 1  # nothing predicted for this one
            elif i == len(gold.sentences) or (
                test.boundary(j)[0] <= gold.left[gold.sentences[i].start]
            ):
                j += 1
            else:
                i, j = i + 1, j + 1
                while True:
                    mine, its = gold.boundary(i - 1), test.boundary(j - 1)
                    if max(mine[0], its[0]) <= min(mine[1], its[1]):
                        break
                    if mine[0] < its[0]:
                        i += 1
                    else:
                        j += 1
            yield gold.sentences[first[0] : i], test.sentences[first[1] : j]

    def rows(self) -> Iterator[Row]:
        """Yield the row of each group; its number is that of its first gold sentence."""
        number = 1
        for gold, test in self.groups():
            number = gold[0].number if gold else number
            yield self._row(number, gold, test)

    def _row(self, number: int, gold: list[_Sentence], test: list[_Sentence]) -> Row:
        params = self.params
        tokens = [token for sentence in gold for token in sentence.tokens]
        length = sum(token.tag not in params.delete_labels_for_length for token in tokens)
        counted = [token for token in tokens if token.tag not in params.delete_labels]
        tags = {self.test.place(one.start, one.end): one.tag for s in test for one in s.tokens}
        right = 0
        for token in counted:
            tag = tags.get(self.gold.place(token.start, token.end))
            right += tag is not None and params.same_label(token.tag, tag)
        mine = [one for sentence in gold for one in sentence.brackets]
        its = [one for sentence in test for one in sentence.brackets]
        counts = self._matched(mine, its), len(mine), len(its), _crossing(gold, its)
        return Row(number, length, OK, *counts, len(counted), right)

    def _matched(
        self, gold: list[tuple[int, int, bytes]], test: list[tuple[int, int, bytes]]
    ) -> int:
        """Return how many gold brackets have a partner, each the first one left, as in EVALB."""
        left: dict[tuple[int, int], list[bytes]] = defaultdict(list)
        for start, end, label in test:
            left[start, end].append(label)
        matched = 0
        for start, end, label in gold:
            there = left.get((start, end), [])
            for place, other in enumerate(there):
                if not self.params.labeled or self.params.same_label(label, other):
                    del there[place]
                    matched += 1
                    break
        return matched

    def counts_up_to(self) -> dict[int, tuple[int, int, int]]:
        """Return matched, gold and predicted brackets of all groups up to each last gold sentence of a group."""
        found: dict[int, tuple[int, int, int]] = {}
        sums = (0, 0, 0)
        end = 0
        for gold, test in self.groups():
            end = gold[-1].number if gold else end
            row = self._row(end, gold, test)
            sums = sums[0] + row.matched, sums[1] + row.gold, sums[2] + row.test
            found[end] = sums
        return found

    def scores(self) -> RawScores:
        totals, short = Totals(), Totals()
        rows = list(self.rows())
        for row in rows:
            totals.add(row)
            if row.length <= self.params.cutoff:
                short.add(row)
        return RawScores(
            brackets=scores_of(totals, [], rows),
            words=self._matches(
                [
                    [one for s in side.sentences for one in s.tokens]
                    for side in (self.gold, self.test)
                ]
            ),
            sentences=self._matches([self.gold.sentences, self.test.sentences]),
            characters=self.characters,
            different=self.different,
            first_difference=self.first_difference,
            totals=totals,
            short=short,
        )

    def _matches(self, both: Sequence[Sequence[_Token | _Sentence]]) -> Matches:
        gold, test = (
            {side.place(one.start, one.end) for one in of_side}
            for side, of_side in zip((self.gold, self.test), both, strict=True)
        )
        return Matches(len(both[0]), len(both[1]), len(gold & test))


def _trim(side: _Side) -> None:
    """Place brackets in both texts together, by their first and last characters that count; drop those without one."""
    size = len(side.counts)
    positions = [place if counts else size for place, counts in enumerate(side.counts)]
    first = list(accumulate(reversed([*positions, size]), min))[::-1]
    last = list(accumulate((-1 if place == size else place for place in positions), max))
    for sentence in side.sentences:
        sentence.brackets = [
            (side.left[first[start]], side.right[last[end - 1]], label)
            for start, end, label in sentence.brackets
            if first[start] < end
        ]


def _crossing(gold: Sequence[_Sentence], test: Iterable[tuple[int, int, bytes]]) -> int:
    """Return how many predicted brackets cross a gold one.

    One can cross brackets only of the sentences in which it begins and ends.
    """
    spans = [{one[:2] for one in sentence.brackets} for sentence in gold]
    spans = [one for one in spans if one]
    starts = [min(start for start, _ in one) for one in spans]
    crossing = 0
    for start, end, _ in test:
        touched = {bisect_right(starts, start) - 1, bisect_right(starts, end) - 1} - {-1}
        crossing += any(
            other_start < start < other_end < end or start < other_start < end < other_end
            for number in touched
            for other_start, other_end in spans[number]
        )
    return crossing


def _words_at(side: _Side, start: int, size: int) -> tuple[int, str]:
    """Return the number of the sentence of a character, and the words there, at most five."""
    words: list[str] = []
    number = side.sentences[0].number if side.sentences else 1
    for sentence in side.sentences:
        for token in sentence.tokens:
            if token.end > start and token.start < max(start + size, start + 1):
                number = number if words else sentence.number
                words.append(token.text)
                if len(words) == 5:
                    return number, " ".join(words)
        if sentence.end >= start + max(size, 1):
            break
    return number, " ".join(words)


# How many characters must be the same for texts to continue together, and how far off that is looked for.
_RESUMES = ((4, 24), (8, 200), (16, 4_000), (24, 100_000))
_END = "\0" * max(size for size, _ in _RESUMES)


def _differences(one: str, other: str) -> Iterator[tuple[int, int, int]]:
    """Yield parts of two texts in order: the number of equal characters, then the numbers of different ones in each text."""
    size, sizes = 0, (len(one), len(other))
    one, other = one + _END, other + _END
    i = j = 0
    while True:
        size = _common_prefix(one, i, other, j)
        size = min(size, sizes[0] - i, sizes[1] - j)
        i, j = i + size, j + size
        if i == sizes[0] or j == sizes[1]:
            yield size, sizes[0] - i, sizes[1] - j
            return
        mine, its = _resume(one, i, other, j) or (sizes[0] - i, sizes[1] - j)
        mine, its = min(mine, sizes[0] - i), min(its, sizes[1] - j)
        yield size, mine, its
        i, j = i + mine, j + its


def _common_prefix(one: str, i: int, other: str, j: int) -> int:
    """Return how many characters are the same from two places on."""
    size, step = 0, 64
    while step:
        if one[i + size : i + size + step] == other[j + size : j + size + step]:
            if i + size >= len(one) or j + size >= len(other):
                return size
            size += step
            step = min(2 * step, 1 << 16)
        else:
            step //= 2
    return size


def _resume(one: str, i: int, other: str, j: int) -> tuple[int, int] | None:
    """Return how many characters to pass over on both sides, in all as few as possible, until texts continue together."""
    for size, window in _RESUMES:
        seen: dict[str, int] = {}
        for its in range(min(window, len(other) - size - j + 1)):
            seen.setdefault(other[j + its : j + its + size], its)
        best: tuple[int, int] | None = None
        for mine in range(min(window, len(one) - size - i + 1)):
            if best is not None and mine >= sum(best):
                break
            its = seen.get(one[i + mine : i + mine + size], -1)
            if its >= 0 and (best is None or mine + its < sum(best)):
                best = mine, its
        if best is not None:
            return best
    return None
