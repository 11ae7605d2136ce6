"""What the parser says of one sentence: tree, constituents, tags, score, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import index
from typing import Any

from bnaparser.errors import DataError, quoted
from bnaparser.files.tables import json_line, parse_json
from bnaparser.text.sentence import Sentence
from bnaparser.trees import render
from bnaparser.trees.clauses.clause import Clause, clauses_of, clauses_to_dict
from bnaparser.trees.escapes import escape_brackets, penn_words
from bnaparser.trees.heads.rules import UD, HeadRules
from bnaparser.trees.tree import CHAIN, Span, Tree

# Trees that a notebook draws of a list: more make it slow.
MOST_DRAWN = 100

# What may stand in JSON, or null in its place.
_TEXT, _NUMBER = str | None, float | int | None


@dataclass(frozen=True)
class Parse:
    """One sentence and its best tree, or the reason why it has none in ``error``.

    ``words`` stand as they did in the input; ``tags`` are one a word. ``spans`` are the
    constituents in pre-order, half-open, in words; a chain of constituents over the same words is
    one span, ``S::VP``. ``score`` is the sum of the spans' scores, each relative to "no constituent
    here"; that of the whole sentence, which has a label in any case, may be below 0. ``text`` is the
    sentence; ``offsets`` are code points of the whole input, where it was text. `text_of` has the text
    of a constituent.

    Where they were requested: ``probability`` of the tree, ``entropy`` of all trees of the sentence in
    nats, each span's ``probability``; ``alternatives`` are its next trees, in order. ``language`` is the
    sentence's, if it was detected or set; it does not count in comparisons of parses.
    """

    text: str
    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    score: float = 0.0
    offsets: tuple[tuple[int, int], ...] = ()
    error: str | None = None
    probability: float | None = None
    entropy: float | None = None
    alternatives: tuple[Parse, ...] = field(default=(), repr=False)
    language: str | None = field(default=None, compare=False, kw_only=True)

    @classmethod
    def without_tree(cls, sentence: Sentence, error: str) -> Parse:
        """Return the parse of a sentence that has no tree.

        Args:
            sentence: the sentence.
            error: the reason why it has no tree.

        Returns:
            A Parse with ``error`` set.
        """
        return cls(
            sentence.text,
            sentence.words,
            offsets=sentence.offsets,
            error=error,
            language=sentence.language,
        )

    @property
    def confidence(self) -> float | None:
        """The confidence: the mean probability of the constituents. If the parser is calibrated, it is the expected fraction of
        correct constituents.

        None if probabilities were not requested, or if there is no tree or no constituent.
        """
        sure = [span.probability for span in self.spans if span.probability is not None]
        return math.fsum(sure) / len(sure) if sure else None

    @cached_property
    def tree(self) -> Tree | None:
        """The bracketed tree below ``TOP``, round brackets in words escaped; None after an error."""
        if self.error is not None or not self.words:
            return None
        return Tree.from_spans(self._words_in_trees(), self.tags, self.spans)

    def text_of(self, node: Tree | tuple[Any, ...]) -> str:
        """Return the text of a node: the part of the input that it covers.

        Words given as a list are joined by blanks.

        Args:
            node: a node of this parse's tree or of an alternative's; a `Span`; or a pair of word
                numbers, end-exclusive, such as the ``span`` of a node or of a `Match`.

        Returns:
            The text, exactly as in the input.

        Raises:
            ValueError: the parse has no such words, or no ``offsets``.

        Example:
            >>> from bnaparser.parsing.result import Parse
            >>> from bnaparser.trees.tree import Span
            >>> spans = (Span(0, 4, "S"), Span(0, 3, "NP"))
            >>> tags, offsets = ("-LRB-", "NN", "-RRB-", "VBD"), ((9, 10), (10, 13), (13, 14), (15, 18))
            >>> parse = Parse("(cat) sat", ("(", "cat", ")", "sat"), tags, spans, offsets=offsets)
            >>> parse.text_of(parse.spans[1])
            '(cat)'
            >>> [parse.text_of(phrase) for phrase in parse.tree.find("NP")]
            ['(cat)']
        """
        start, end = node.span if isinstance(node, Tree) else _pair(node)
        if not 0 <= start < end <= len(self.words) or (
            isinstance(node, Tree) and node.words != self._words_in_trees()[start:end]
        ):
            raise ValueError(f"{node!r:.80} is not part of the tree of {self.text!r:.40}")
        if len(self.offsets) != len(self.words):
            raise ValueError(f"{len(self.offsets)} offsets for {len(self.words)} words: no text")
        # The text begins with the first word; offsets count in the whole input.
        first = self.offsets[0][0]
        return self.text[self.offsets[start][0] - first : self.offsets[end - 1][1] - first]

    def clauses(self) -> list[Clause]:
        """Return the clauses, in the order of their first words; each word is in exactly one
        clause. After an error the list is empty.

        docs/clauses.md says what the kinds are.

        Raises:
            TreeError: the tree has tags of no known treebank.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> [clause.kind for clause in parse.clauses()]
            ['main']
        """
        if self.tree is None:
            return []
        return clauses_of(self.tree, self.words, self.text, self.offsets)

    def clauses_to_dict(self) -> dict[str, Any]:
        """Return the JSON form of the clauses: text, clauses and error.

        ``clauses`` is None after an error, and where the tree has tags of no treebank that is known.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> parse.clauses_to_dict()["clauses"][0]["kind"]
            'main'
        """
        return clauses_to_dict(self.text, self.clauses, self.error)

    def _words_in_trees(self) -> tuple[str, ...]:
        """The words as trees have them, round brackets escaped."""
        return tuple(map(escape_brackets, self.words))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: text, tree, score, tokens, constituents, error.

        Each constituent of a chain has its own entry. With probabilities it also has probability, confidence and entropy of the
        sentence and the probability of each constituent (for a chain, the probability of the whole chain). With ``n_best`` it has
        ``alternatives``. ``language`` is present if it is known.

        Returns:
            A dictionary that ``json.dumps`` accepts.

        Raises:
            ValueError: the parse has constituents and its words have no ``offsets``.

        Example:
            >>> from bnaparser import Parser
            >>> (parse,) = Parser.load("en")("It rained.")
            >>> [(span["label"], span["start"], span["end"]) for span in parse.to_dict()["constituents"]]
            [('S', 0, 3), ('NP', 0, 1), ('VP', 1, 2)]
        """
        if self.spans and len(self.offsets) != len(self.words):
            raise ValueError(
                f"{len(self.offsets)} offsets for {len(self.words)} words: JSON needs one for each"
            )
        tokens = [
            {"text": word, "tag": tag, "start": start, "end": end}
            for word, tag, (start, end) in zip(self.words, self.tags, self.offsets, strict=False)
        ]
        found = {
            "text": self.text,
            "tree": None if self.tree is None else str(self.tree),
            "score": self.score,
            "tokens": tokens,
            "constituents": _constituents(self),
            "error": self.error,
        }
        if self.language is not None:
            found["language"] = self.language
        if self.probability is not None:
            found |= self._probabilities()
        if self.alternatives:
            found["alternatives"] = [one.to_alternative() for one in self.alternatives]
        return found

    def _probabilities(self) -> dict[str, Any]:
        names = ("probability", "confidence", "entropy")
        return {name: getattr(self, name) for name in names}

    def to_alternative(self) -> dict[str, Any]:
        """Return the JSON form of the parse as an alternative to the best tree: tree, score and
        constituents.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> parse.to_alternative()["tree"]
            '(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))'
        """
        found = {"tree": str(self.tree), "score": self.score, "constituents": _constituents(self)}
        return found | ({} if self.probability is None else self._probabilities())

    def _span_probabilities(self) -> list[float | None]:
        """The probability of each constituent, in pre-order, those of a chain apart."""
        return [span.probability for span in self.spans for _ in span.label.split(CHAIN)]

    def to_json(self) -> str:
        """Return `to_dict` as one line of JSON. Surrogates in the text become U+FFFD.

        Returns:
            One line, without a line end.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> parse.to_json()[:26]
            '{"text": "It rained .", "t'
        """
        return json_line(self.to_dict())

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Parse:
        """Build a Parse from its JSON form; the inverse of `to_dict`.

        Args:
            stored: what `to_dict` returned.

        Returns:
            An equal Parse. If the parse has an error, only text and error are restored.

        Raises:
            DataError: ``stored`` does not have that form.

        Example:
            >>> from bnaparser import Parse, Parser
            >>> (parse,) = Parser.load("en")("It rained.")
            >>> Parse.from_dict(parse.to_dict()).tree == parse.tree
            True
        """
        try:
            tokens = stored["tokens"]
            best = cls(
                _of(str, stored["text"]),
                tuple(_of(str, token["text"]) for token in tokens),
                tuple(_of(str, token["tag"]) for token in tokens),
                offsets=tuple((_of(int, one["start"]), _of(int, one["end"])) for one in tokens),
                error=_of(_TEXT, stored["error"]),
                language=_of(_TEXT, stored.get("language")),
            )
            others = tuple(_with_tree(best, one) for one in stored.get("alternatives") or ())
            return replace(_with_tree(best, stored), alternatives=others)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"this is not a dictionary made by Parse.to_dict: {error!r}") from error

    @classmethod
    def from_json(cls, line: str | bytes) -> Parse:
        """Build a Parse from a line of JSON; the inverse of `to_json`.

        Args:
            line: a line that `to_json` has returned, or ``bnaparse -f json`` has written.

        Returns:
            An equal Parse. If the parse has an error, only text and error are restored.

        Raises:
            DataError: the line is not such a line.

        Example:
            >>> from bnaparser import Parse, Parser
            >>> (parse,) = Parser.load("en")("It rained.")
            >>> Parse.from_json(parse.to_json()).words
            ('It', 'rained', '.')
        """
        try:
            stored = parse_json(line)
        except ValueError as error:
            raise DataError(f"this is not JSON made by Parse.to_json: {error}") from error
        return cls.from_dict(stored)

    def to_svg(self) -> str | None:
        """Return the drawn tree as an SVG document on one line; None after an error.

        It shows the words as they stood in the input, and needs no font, style or script. Unsure
        constituents are faint where probabilities were requested.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> parse.to_svg()[:4]
            '<svg'
        """
        return (
            None
            if self.tree is None
            else render.draw(self.tree, self.words, self._span_probabilities())
        )

    def to_latex(self) -> str | None:
        """Return the tree as an environment of LaTeX's forest package; None after an error.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> parse.to_latex().splitlines()[3].strip()
            '[NP [PRP [It]]]'
        """
        return None if self.tree is None else render.forest(self.tree, self.words)

    def to_mrg(self) -> str | None:
        """Return the tree as in the Penn Treebank's ``.mrg`` files; None after an error.

        English words are spelled as there (`bnaparser.trees.escapes.penn_words`); other treebanks have no
        such spelling.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> print(parse.to_mrg())
            ( (S
                (NP (PRP It))
                (VP (VBD rained))
                (. .)))
        """
        if self.tree is None:
            return None
        if self.language not in (None, "en"):
            return render.penn(self.tree)
        return render.penn(
            Tree.from_spans(penn_words(self.words, self.tags), self.tags, self.spans)
        )

    def to_conllu(self, number: int = 1, rules: HeadRules = UD) -> str | None:
        r"""Return the sentence in CoNLL-U, with dependencies derived by head rules.

        Args:
            number: number of the sentence in the document, from 1.
            rules: head rules (default: Universal Dependencies).

        Returns:
            The lines of the sentence, or None if there is no tree.

        Example:
            >>> from bnaparser import Parser
            >>> (parse,) = Parser.load("en")("It rained.")
            >>> [line.split("\t")[7] for line in parse.to_conllu().splitlines() if line[:1].isdigit()]
            ['nsubj', 'root', 'punct']
        """
        if self.tree is None:
            return None
        words, offsets = self.words, self.offsets
        return render.conllu(self.tree, number, words, text=self.text, offsets=offsets, rules=rules)

    def to_export(self) -> str | None:
        """Return the tree as a document in NEGRA's export format; None after an error.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> print(parse.to_export().splitlines()[-2])
            #502	--	S	--	--	0
        """
        if self.tree is None:
            return None
        return render.EXPORT_START + render.export(self.tree, 1, self.words)

    def to_tiger(self) -> str | None:
        """Return the tree as a document in TIGER-XML; None after an error.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> parse.to_tiger().splitlines()[0]
            '<?xml version="1.0" encoding="UTF-8"?>'
        """
        if self.tree is None:
            return None
        return render.TIGER_START + render.tiger(self.tree, 1, self.words) + render.TIGER_END

    def to_png(self) -> bytes | None:
        """Return the drawn tree as a PNG, by the extra ``pictures``; None after an error.

        Raises:
            MissingExtraError: the extra ``pictures`` is not installed.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> parse.to_png()[1:4]
            b'PNG'
        """
        return None if self.tree is None else render.png(self.tree, self.words)

    def to_pdf(self) -> bytes | None:
        """Return the drawn tree as a PDF of one page, by the extra ``pictures``; None after an error.

        Raises:
            MissingExtraError: the extra ``pictures`` is not installed.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> parse.to_pdf()[:4]
            b'%PDF'
        """
        return None if self.tree is None else render.pdf(self.tree, self.words)

    def to_html(self) -> str:
        """Return a page of its own with the drawn tree and its brackets, or with the error.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> "<svg" in parse.to_html()
            True
        """
        return f"{render.HTML_START}{self.to_html_section()}{render.HTML_END}"

    def to_html_section(self) -> str:
        """Return the sentence as a section of an HTML page, which may hold any number of sections.

        Example:
            >>> from bnaparser import Parse, Tree
            >>> parse = Parse.from_dict(Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))").to_dict())
            >>> "<svg" in parse.to_html_section()
            True
        """
        return render.html_section(
            self.text, self.tree, self.words, self.error, self._span_probabilities()
        )

    def _repr_svg_(self) -> str | None:
        """Show the tree in a notebook."""
        return self.to_svg()


class Parses(list[Parse]):
    """The parses of sentences, in order: a list, all of whose trees a notebook draws.

    ``label`` is the index label of the text, where the text is of a Series of pandas, else None.
    """

    label: Hashable = None

    def _repr_html_(self) -> str:
        shown = [render.html_figure(one.text, one.to_svg(), one.error) for one in self[:MOST_DRAWN]]
        left = len(self) - len(shown)
        return "".join([*shown, f"<p>... and {left} more</p>" if left > 0 else ""])


def _pair(given: object) -> tuple[int, int]:
    """Return the two word numbers of a span; TypeError for what is none."""
    pair = given[:2] if isinstance(given, tuple | list) else ()
    if len(pair) != 2 or not all(hasattr(one, "__index__") for one in pair):
        raise TypeError(
            f"give a node of the tree, a Span, or a pair of word numbers such as (0, 2), not {quoted(given)}"
        )
    return index(pair[0]), index(pair[1])


def _constituents(parse: Parse) -> list[dict[str, Any]]:
    """The constituents of the JSON form, those of a chain apart."""
    return [
        {
            "label": label,
            "start": span.start,
            "end": span.end,
            "char_start": parse.offsets[span.start][0],
            "char_end": parse.offsets[span.end - 1][1],
            "score": span.score,
        }
        | ({} if span.probability is None else {"probability": span.probability})
        for span in parse.spans
        for label in span.label.split(CHAIN)
    ]


def _with_tree(parse: Parse, stored: Mapping[str, Any]) -> Parse:
    """The parse with a tree of the JSON form, the best one or an alternative."""
    return replace(
        parse,
        spans=_joined(stored["constituents"], len(parse.words)),
        score=_of(_NUMBER, stored["score"]),
        probability=_of(_NUMBER, stored.get("probability")),
        entropy=_of(_NUMBER, stored.get("entropy")),
    )


def _of(kinds: Any, value: Any) -> Any:
    """A value; TypeError if it is of none of these kinds."""
    if not isinstance(value, kinds):
        raise TypeError(f"{value!r:.40} has the wrong type")
    return value


def _joined(constituents: Iterable[Mapping[str, Any]], words: int) -> tuple[Span, ...]:
    """The spans, those over the same words joined to a chain again."""
    spans: list[Span] = []
    for one in constituents:
        start, end, label = _of(int, one["start"]), _of(int, one["end"]), _of(str, one["label"])
        if not 0 <= start < end <= words:
            raise ValueError(f"({start}, {end}) is not a span of {words} words")
        if spans and spans[-1][:2] == (start, end):
            label = spans.pop().label + CHAIN + label
        numbers = _of(_NUMBER, one["score"]), _of(_NUMBER, one.get("probability"))
        spans.append(Span(start, end, label, *numbers))
    return tuple(spans)
