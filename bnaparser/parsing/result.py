"""What the parser says of one sentence: tree, constituents, tags, score, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
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
            stored: what `to_dict` returned, or a row of a table that was read from it by pandas or polars: a
                missing value may be NaN, a list may be an array, a number may be NumPy's.

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
            fields = _Fields(stored)
            tokens = fields.all_of("tokens")
            best = cls(
                fields.get("text", str),
                tuple(token.get("text", str) for token in tokens),
                tuple(token.get("tag", str) for token in tokens),
                offsets=tuple((token.get("start", int), token.get("end", int)) for token in tokens),
                error=fields.get("error", str, None),
                language=fields.get("language", str, None),
            )
            others = tuple(_with_tree(best, one) for one in fields.all_of("alternatives", ()))
            return replace(_with_tree(best, fields), alternatives=others)
        except (TypeError, ValueError) as error:
            raise DataError(f"this is not a dictionary made by Parse.to_dict: {error}") from error

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


_KINDS = {str: "a string", int: "a whole number", float: "a number"}
_KEEP = "keep this field when you read or change the table"
_MISSING = object()


class _Fields:
    """The fields of the JSON form of a parse or of a part of it, also as a table of pandas has them.

    There a missing value is NaN, a list may be an array, and a number NumPy's, a float where others are missing.
    Each method raises TypeError or ValueError with the name of the field.
    """

    def __init__(self, stored: Any, name: str = ""):
        if not isinstance(stored, Mapping) and hasattr(stored, "to_dict"):
            stored = stored.to_dict()  # a Series
        if not isinstance(stored, Mapping):
            what = (
                f"{name} must be an object"
                if name
                else "give a dictionary, such as a row of a table"
            )
            raise TypeError(f"{what}, not {quoted(stored)}")
        self._stored, self._name = stored, name

    def place(self, name: str) -> str:
        """Return the name of a field for messages: ``tokens[2].tag``."""
        return f"{self._name}.{name}" if self._name else name

    def get(self, name: str, kind: type, default: Any = _MISSING) -> Any:
        """Return a value of this kind, or the default where it is missing."""
        value = self._value(name)
        if value is None:
            if default is _MISSING:
                raise ValueError(f"{self.place(name)} is missing: {_KEEP} ({_KINDS[kind]})")
            return default
        if kind is int and isinstance(value, float) and value.is_integer():
            return int(value)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            return value
        if not isinstance(value, kind) or isinstance(value, bool):
            raise TypeError(f"{self.place(name)} must be {_KINDS[kind]}, not {quoted(value)}")
        return value

    def all_of(self, name: str, default: Any = _MISSING) -> Sequence[_Fields]:
        """Return the items of a list, each an object, or the default where it is missing."""
        value = self._value(name)
        if value is None:
            if default is _MISSING:
                raise ValueError(f"{self.place(name)} is missing: {_KEEP} (a list)")
            return default  # type: ignore[no-any-return]
        if not isinstance(value, list | tuple):
            advice = ": decode the JSON in it (json.loads) first" if isinstance(value, str) else ""
            raise TypeError(f"{self.place(name)} must be a list, not {quoted(value)}{advice}")
        return [_Fields(one, f"{self.place(name)}[{n}]") for n, one in enumerate(value)]

    def _value(self, name: str) -> Any:
        """Return the value of a field in Python's own types; None where it is missing."""
        value = self._stored.get(name)
        if value is None or type(value) in (str, int, list):
            return value
        if hasattr(value, "tolist"):  # an array or a number of NumPy, a column of pyarrow
            value = value.tolist()
        elif hasattr(value, "to_list"):  # a Series of polars
            value = value.to_list()
        return None if _is_missing(value) else value


def _is_missing(value: Any) -> bool:
    """Return whether a value is NaN, or NA or NaT of pandas."""
    if isinstance(value, float):
        return math.isnan(value)
    return type(value).__name__ in ("NAType", "NaTType")


def _with_tree(parse: Parse, fields: _Fields) -> Parse:
    """Return the parse with a tree of the JSON form, the best one or an alternative."""
    return replace(
        parse,
        spans=_joined(fields.all_of("constituents"), len(parse.words)),
        score=fields.get("score", float, None),
        probability=fields.get("probability", float, None),
        entropy=fields.get("entropy", float, None),
    )


def _joined(constituents: Iterable[_Fields], words: int) -> tuple[Span, ...]:
    """Return the spans, those over the same words joined to a chain again."""
    spans: list[Span] = []
    for one in constituents:
        start, end, label = one.get("start", int), one.get("end", int), one.get("label", str)
        if not 0 <= start < end <= words:
            raise ValueError(
                f"{one.place('start')}: ({start}, {end}) is not a span of {words} words"
            )
        if spans and spans[-1][:2] == (start, end):
            label = spans.pop().label + CHAIN + label
        numbers = one.get("score", float, None), one.get("probability", float, None)
        spans.append(Span(start, end, label, *numbers))
    return tuple(spans)
