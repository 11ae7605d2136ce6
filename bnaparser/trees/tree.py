"""Bracketed constituency trees: reading, writing, comparing, and the way to and from spans.

A treebank can hold a tree thousands of nodes deep, so nothing here recurses: every traversal keeps its
own stack. Words and labels are kept as the brackets write them, escapes and all
(`bnaparser.trees.escapes` undoes them).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast, overload

from bnaparser.errors import TreeError, quoted
from bnaparser.files.tables import json_line
from bnaparser.trees.brackets import (
    ROOT_LABELS,
    Place,
    check_readable,
    indent_brackets,
    read_brackets,
    write_brackets,
)
from bnaparser.trees.drawing.svg import draw
from bnaparser.trees.drawing.text import draw_text
from bnaparser.trees.escapes import unescape

if TYPE_CHECKING:
    from bnaparser.trees.clauses.clause import Clause
    from bnaparser.trees.heads.rules import HeadRules
    from bnaparser.trees.search.pattern import Match


CHAIN = "::"
"""What joins the labels of a chain of single children, topmost first: ``S::VP``."""


class Span(NamedTuple):
    """A constituent: words ``start`` to ``end`` (half-open) and a label, which may be a chain.

    ``score`` and ``probability`` are those of the parser that predicted it; the probability only if it was requested.
    """

    start: int
    end: int
    label: str
    score: float | None = None
    probability: float | None = None


class Tree:
    """A node of a constituency tree with everything below it; immutable.

    ``label`` is the node's label. ``children`` are its nodes, left to right; a part-of-speech node
    (pre-terminal) has exactly one child, its word, a ``str``. ``span`` are the words it covers,
    half-open, counted in the tree that it was made in: ``tree[1].span`` is ``(2, 7)``. A word that has no tag,
    as in ``(NP a wug)``, stands in a part-of-speech node whose label is ``""``. A tree is
    indexed and iterated as its children are: ``tree[0]`` is the first one, ``len(tree)`` counts them.
    Two trees are equal when labels, shape and words are; where they stand does not matter.
    """

    __slots__ = ("children", "end", "label", "start")
    __match_args__ = ("label", "children")

    label: str
    children: tuple[Tree | str, ...]
    start: int
    end: int

    def __init__(self, label: str, children: Iterable[Tree | str]):
        """Make a tree of its own: it starts at word 0, and children are moved to their places.

        One word makes a part-of-speech node; several words, or words beside nodes, have no tags.
        Moving copies a child; to build a large tree from many parts use `from_spans` or `parse`.
        Raises TreeError if ``children`` is empty, or if the label or a word could not be read back (blanks, round
        brackets, an empty word).
        """
        parts = tuple(children)
        if not parts:
            raise TreeError(f"the node {quoted(label)} must have a word or a child")
        if len(parts) == 1 and isinstance(only := parts[0], Tree) and not only.label and only.word:
            parts = (only.word,)  # so it is read back from brackets
        end = 0
        moved: list[Tree | str] = []
        for part in parts:
            if isinstance(part, str):
                check_readable(part, "word")
                moved.append(part if len(parts) == 1 else _node("", (part,), end, end + 1))
                end += 1
            else:
                moved.append(part if part.start == end else assemble(*flatten(part), end))
                end += part.end - part.start
        check_readable(label, "label", may_be_empty=isinstance(moved[0], Tree))
        _set_label(self, label)
        _set_children(self, tuple(moved))
        _set_start(self, 0)
        _set_end(self, end)

    @classmethod
    def parse(cls, text: str, source: str = "<string>") -> Tree:
        """Read one tree. Brackets are round or square, and words may stand without tags: ``[NP a wug]``.

        Args:
            text: the tree in brackets.
            source: name of the text in error messages.

        Returns:
            The tree.

        Raises:
            TreeError: ``text`` has no tree, more than one tree, or a mistake in the brackets.

        Example:
            >>> from bnaparser import Tree
            >>> Tree.parse("(S (NP (DT The) (NN cat)) (VP (VBD sat)))").words
            ('The', 'cat', 'sat')
        """
        found: Tree | None = None
        for tree, place in parse_trees_with_places(text, source, untagged=True):
            if found is not None:
                message = "a second tree starts here; read several trees with parse_trees"
                raise TreeError(message, source, place.line, place.column)
            found = tree
        if found is None:
            raise TreeError(
                "the text holds no tree; write a tree such as (TOP (S (VP (VB Go))))", source
            )
        return found

    @classmethod
    def from_spans(
        cls, words: Sequence[str], tags: Sequence[str], spans: Iterable[Span], root: str = "TOP"
    ) -> Tree:
        """Build a tree from its constituents; the inverse of `spans` for trees with a top node.

        Args:
            words: the words.
            tags: a part-of-speech tag for each word.
            spans: the constituents, in any order. ``::`` in a label makes a chain of nodes. A span with the label ``""`` is
                ignored.
            root: label of the top node. If no span covers the sentence, the highest constituents are its children.

        Returns:
            The tree.

        Raises:
            TreeError: two spans cross or are equal, a span is outside the sentence, there is no word, the
                number of tags differs from that of words, or a word or label cannot stand in brackets.

        Example:
            >>> from bnaparser import Span, Tree
            >>> print(Tree.from_spans(["Dogs", "bark"], ["NNS", "VBP"], [Span(0, 2, "S"), Span(0, 1, "NP")]))
            (TOP (S (NP (NNS Dogs)) (VBP bark)))
        """
        if len(words) != len(tags) or not words:
            raise TreeError(f"{len(words)} words with {len(tags)} tags: give one tag a word")
        for word in words:
            check_readable(word, "word")
        return assemble(*preorder(tags, spans, root), words)

    @classmethod
    def from_nltk(cls, tree: Any) -> Tree:
        """Convert an ``nltk.Tree`` whose leaves are words. The words are not changed.

        Args:
            tree: the tree.

        Returns:
            The same tree as a Tree.

        Raises:
            TreeError: a node has no child, or a word or label cannot stand in brackets.

        Example:
            >>> import nltk
            >>> from bnaparser import Tree
            >>> print(Tree.from_nltk(nltk.Tree.fromstring("(NP (DT the) (NN cat))")))
            (NP (DT the) (NN cat))
        """
        return assemble(*flatten_nltk(tree))

    def to_nltk(self) -> Any:
        """Return the tree as an ``nltk.Tree``, words as they are written here.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> tree.to_nltk().leaves()
            ['It', 'rained', '.']
        """
        return assemble_nltk(*flatten(self))

    @property
    def span(self) -> tuple[int, int]:
        """The words below this node, half-open."""
        return self.start, self.end

    @property
    def word(self) -> str | None:
        """The word of a part-of-speech node; None for every other node."""
        first = self.children[0]
        return first if isinstance(first, str) else None

    @property
    def subtrees(self) -> tuple[Tree, ...]:
        """The children that are nodes: all of them, or none for a part-of-speech node."""
        first = self.children[0]
        return () if isinstance(first, str) else cast("tuple[Tree, ...]", self.children)

    @property
    def words(self) -> tuple[str, ...]:
        """The words, left to right."""
        return tuple(cast(str, node.children[0]) for node in self.preterminals())

    @property
    def tags(self) -> tuple[str, ...]:
        """The part-of-speech tags, one for each word; ``""`` for a word without a tag."""
        return tuple(node.label for node in self.preterminals())

    def nodes(self) -> Iterator[Tree]:
        """All nodes in pre-order: this node, then each child with the nodes below it.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> [node.label for node in tree.nodes()]
            ['TOP', 'S', 'NP', 'PRP', 'VP', 'VBD', '.']
        """
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            if not isinstance(node.children[0], str):
                stack.extend(cast("tuple[Tree, ...]", node.children)[::-1])

    def preterminals(self) -> Iterator[Tree]:
        """The part-of-speech nodes, left to right.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> [node.label for node in tree.preterminals()]
            ['PRP', 'VBD', '.']
        """
        return (node for node in self.nodes() if isinstance(node.children[0], str))

    def spans(self) -> list[Span]:
        """The constituents in pre-order, chains of single children joined top-down with ``::``.

        Part-of-speech nodes are none. A top node labelled as in ROOT_LABELS is none either; with
        one child it just goes, with several the sentence as a whole has no label and no Span.
        An unlabelled node elsewhere counts as if its children hung from its parent.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> [(span.start, span.end, span.label) for span in tree.spans()]
            [(0, 3, 'S'), (0, 1, 'NP'), (1, 2, 'VP')]
        """
        return _constituents(self)

    def find(self, label: str) -> Iterator[Tree]:
        """Find the nodes with a label, in pre-order. Part-of-speech tags are labels, too.

        Args:
            label: the label.

        Yields:
            Each node.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(S (NP (DT The) (NN cat)) (VP (VBD sat)))")
            >>> [node.words for node in tree.find("NP")]
            [('The', 'cat')]
        """
        return (node for node in self.nodes() if node.label == label)

    def search(self, pattern: str, once: bool = False) -> Iterator[Match]:
        """Search the tree by a Tregex pattern (docs/search.md).

        Args:
            pattern: the pattern.
            once: yield each node once, with the first way in which it matches.

        Yields:
            Each match, in pre-order.

        Raises:
            PatternError: the pattern cannot be read.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(S (NP (DT The) (NN cat)) (VP (VBD sat)))")
            >>> [match.node.words for match in tree.search("NP < NN")]
            [('The', 'cat')]
        """
        from bnaparser.trees.search.pattern import compiled

        return compiled(pattern).matches(self, once)

    def fold(self, *patterns: str) -> Tree:
        """Return the tree with phrases folded: their words without inner structure, which pictures show as triangles.

        Args:
            patterns: labels or search patterns (docs/search.md). Each phrase that one of them finds is folded.

        Returns:
            The folded tree.

        Raises:
            PatternError: a pattern cannot be read.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN wug))))")
            >>> print(tree.fold("NP < NN"))
            (S (NP (PRP I)) (VP (VBD saw) (NP a wug)))
        """
        from bnaparser.trees.search.pattern import compiled

        found = {id(one.node) for text in patterns for one in compiled(text).matches(self, True)}
        labels: list[str] = []
        arities: list[int] = []
        stack = [self]
        while stack:
            node = stack.pop()
            labels.append(node.label)
            below = node.subtrees
            if below and id(node) in found:
                words = node.end - node.start
                inside = words if words > 1 else 0  # a phrase of one word is its tag
                labels += [""] * inside
                arities += [inside, *([0] * inside)]
            else:
                arities.append(len(below))
                stack.extend(below[::-1])
        return assemble(labels, arities, self.words, self.start)

    def clauses(self) -> list[Clause]:
        """Return the clauses; each word is in exactly one clause. Offsets count in the words joined
        by blanks.

        Raises TreeError if the tree has tags of no treebank that is known. docs/clauses.md says what the kinds are.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(S (NP (PRP I)) (VP (VBP know) (SBAR (S (NP (PRP she)) (VP (VBZ sings))))))")
            >>> [(clause.kind, clause.text) for clause in tree.clauses()]
            [('main', 'I know'), ('complement', 'she sings')]
        """
        from bnaparser.trees.clauses.clause import clauses_of

        return clauses_of(self)

    def clauses_to_dict(self) -> dict[str, Any]:
        """Return the JSON form of the clauses: text, clauses and error.

        ``clauses`` is None if the tree has tags of no treebank that is known, which ``error`` says then.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> tree.clauses_to_dict()["clauses"][0]["kind"]
            'main'
        """
        from bnaparser.trees.clauses.clause import clauses_to_dict

        return clauses_to_dict(" ".join(self._words_of_text()), self.clauses)

    def pretty(self) -> str:
        """Return the tree on several lines, indented; a node with only words below it takes one
        line.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> print(tree.pretty())
            (TOP
              (S
                (NP (PRP It))
                (VP (VBD rained))
                (. .)))
        """
        return indent_brackets(self)

    def draw(self, width: int = 80) -> str:
        """Draw the tree with letters, for a terminal. Brackets in words are shown as ``(`` and ``)``.

        Args:
            width: number of columns of the terminal.

        Returns:
            The drawing, several lines.

        Example:
            >>> from bnaparser import Tree
            >>> print(Tree.parse("(NP (DT The) (NN cat))").draw())
               NP
             ┌─┴──┐
             DT   NN
            The  cat
        """
        return draw_text(self, width, self._words_of_text())

    def to_svg(self) -> str:
        """Return the drawn tree as an SVG document on one line; folded phrases are triangles.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> tree.to_svg()[:4]
            '<svg'
        """
        return draw(self, self._words_of_text())

    def to_latex(self) -> str:
        """Return the tree as an environment of LaTeX's forest package.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> tree.to_latex().splitlines()[3].strip()
            '[NP [PRP [It]]]'
        """
        from bnaparser.trees.render import forest

        return forest(self, self._words_of_text())

    def to_png(self) -> bytes:
        """Return the drawn tree as a PNG, by the extra ``pictures``.

        Raises:
            MissingExtraError: the extra ``pictures`` is not installed.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> tree.to_png()[1:4]
            b'PNG'
        """
        from bnaparser.trees.render import png

        return png(self, self._words_of_text())

    def to_pdf(self) -> bytes:
        """Return the drawn tree as a PDF of one page, by the extra ``pictures``.

        Raises:
            MissingExtraError: the extra ``pictures`` is not installed.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> tree.to_pdf()[:4]
            b'%PDF'
        """
        from bnaparser.trees.render import pdf

        return pdf(self, self._words_of_text())

    def to_html(self) -> str:
        """Return a page with the drawn tree and its brackets.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> "<svg" in tree.to_html()
            True
        """
        from bnaparser.trees.render import HTML_END, HTML_START

        return f"{HTML_START}{self.to_html_section()}{HTML_END}"

    def to_html_section(self) -> str:
        """Return the tree as a section of an HTML page, which may hold any number of sections.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> "<svg" in tree.to_html_section()
            True
        """
        from bnaparser.trees.render import html_section

        words = self._words_of_text()
        return html_section(" ".join(words), self, words)

    def to_mrg(self) -> str:
        """Return the tree in the layout of the Penn Treebank's ``.mrg`` files; words are not
        changed.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> print(tree.to_mrg())
            ( (S
                (NP (PRP It))
                (VP (VBD rained))
                (. .)))
        """
        from bnaparser.trees.render import penn

        return penn(self)

    def to_conllu(self, number: int = 1, rules: HeadRules | None = None) -> str:
        """Return the tree in CoNLL-U, with dependencies derived by head rules.

        Args:
            number: number of the sentence in the document, from 1.
            rules: head rules (default: Universal Dependencies).

        Returns:
            The lines of the sentence.

        Raises:
            TreeError: a word has no tag.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> print(tree.to_conllu().splitlines()[0])
            # sent_id = 1
        """
        from bnaparser.trees.heads.rules import UD
        from bnaparser.trees.render import conllu

        return conllu(self, number, self._words_of_text(), rules=UD if rules is None else rules)

    def to_export(self) -> str:
        """Return the tree as a document in NEGRA's export format.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> print(tree.to_export().splitlines()[-2])
            #502	--	S	--	--	0
        """
        from bnaparser.trees.render import EXPORT_START, export

        return EXPORT_START + export(self, 1, self._words_of_text())

    def to_tiger(self) -> str:
        """Return the tree as a document in TIGER-XML.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> tree.to_tiger().splitlines()[0]
            '<?xml version="1.0" encoding="UTF-8"?>'
        """
        from bnaparser.trees.render import TIGER_END, TIGER_START, tiger

        return TIGER_START + tiger(self, 1, self._words_of_text()) + TIGER_END

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of a parse (`bnaparser.Parse.to_dict`); a tree that no parser made has scores None.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> tree.to_dict()["tree"]
            '(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))'
        """
        words = self._words_of_text()
        starts = list(accumulate((len(word) + 1 for word in words), initial=0))
        constituents = [
            {
                "label": label,
                "start": span.start - self.start,
                "end": span.end - self.start,
                "char_start": starts[span.start - self.start],
                "char_end": starts[span.end - self.start] - 1,
                "score": None,
            }
            for span in self.spans()
            for label in span.label.split(CHAIN)
        ]
        tokens = [
            {"text": word, "tag": tag, "start": start, "end": start + len(word)}
            for word, tag, start in zip(words, self.tags, starts, strict=False)
        ]
        return {
            "text": " ".join(words),
            "tree": str(self),
            "score": None,
            "tokens": tokens,
            "constituents": constituents,
            "error": None,
        }

    def to_json(self) -> str:
        """Return ``to_dict`` as one line of JSON.

        Example:
            >>> from bnaparser import Tree
            >>> tree = Tree.parse("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))")
            >>> tree.to_json()[:26]
            '{"text": "It rained .", "t'
        """
        return json_line(self.to_dict())

    def _repr_svg_(self) -> str:
        """Show the tree in a notebook."""
        return self.to_svg()

    def _words_of_text(self) -> list[str]:
        return [unescape(word) for word in self.words]

    def __len__(self) -> int:
        return len(self.children)

    def __iter__(self) -> Iterator[Tree | str]:
        return iter(self.children)

    @overload
    def __getitem__(self, place: int) -> Tree | str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Tree | str, ...]: ...
    def __getitem__(self, place: int | slice) -> Tree | str | tuple[Tree | str, ...]:
        return self.children[place]

    def __str__(self) -> str:
        return write_brackets(self)

    def __repr__(self) -> str:
        return f"Tree.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return _same(self, other) if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        labels, arities, words = flatten(self)
        return hash((tuple(labels), tuple(arities), tuple(words)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Flat lists: pickle's own traversal of nested objects would recurse.
        return assemble, (*flatten(self), self.start)

    def __copy__(self) -> Tree:
        return self

    def __deepcopy__(self, memo: object) -> Tree:
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Tree cannot be changed: make a new Tree instead of setting {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Tree cannot be changed: {name} cannot be deleted")


# The slots' own setters: the one way past __setattr__, and the fastest.
_set_label = Tree.__dict__["label"].__set__
_set_children = Tree.__dict__["children"].__set__
_set_start = Tree.__dict__["start"].__set__
_set_end = Tree.__dict__["end"].__set__


def parse_trees(text: str | Iterable[str], source: str = "<string>") -> Iterator[Tree]:
    """Yield the trees of a text, or of lines such as an open file, as soon as each is closed.

    Trees stand one a line, several a line or over many lines; an outer bracket without a label
    gets the label ``""``. Each word needs a tag; `Tree.parse` reads words without tags, too. Raises TreeError, with
    line and column, at the first thing that is wrong; the trees before it have been yielded by then.
    """
    return (tree for tree, _ in parse_trees_with_places(text, source))


def parse_trees_with_places(
    text: str | Iterable[str],
    source: str = "<string>",
    first_line: int = 1,
    *,
    untagged: bool = False,
) -> Iterator[tuple[Tree, Place]]:
    """Yield the trees as `parse_trees` does, each with the place (line, column) where it starts.

    With ``untagged``, words may stand without tags.
    """
    lines = text.split("\n") if isinstance(text, str) else text
    return read_brackets(lines, source, _node, first_line, untagged=untagged)


def _node(label: str, children: tuple[Tree | str, ...], start: int, end: int) -> Tree:
    node = object.__new__(Tree)
    _set_label(node, label)
    _set_children(node, children)
    _set_start(node, start)
    _set_end(node, end)
    return node


def flatten(tree: Tree) -> tuple[list[str], list[int], list[str]]:
    """Labels and numbers of child nodes, both in pre-order (0: part of speech), and the words."""
    labels, arities = [], []
    for node in tree.nodes():
        labels.append(node.label)
        arities.append(len(node.subtrees))
    return labels, arities, list(tree.words)


def assemble(
    labels: Sequence[str], arities: Sequence[int], words: Sequence[str], start: int = 0
) -> Tree:
    """Undo `flatten`; the first word is number ``start``. Fast, for lists known to be right.

    Labels and words are not checked; lists that make no tree give an IndexError or nonsense.
    """
    built: list[Tree] = []
    position = start + len(words)
    for label, arity in zip(reversed(labels), reversed(arities), strict=True):
        if arity == 0:
            position -= 1
            built.append(_node(label, (words[position - start],), position, position + 1))
        else:
            children = tuple(built[: -arity - 1 : -1])
            del built[-arity:]
            built.append(_node(label, children, children[0].start, children[-1].end))
    return built[0]


def _same(one: Tree, other: Tree) -> bool:
    stack = [(one, other)]
    while stack:
        mine, its = stack.pop()
        if mine is its:
            continue
        if mine.label != its.label or len(mine.children) != len(its.children):
            return False
        for left, right in zip(mine.children, its.children, strict=True):
            if isinstance(left, Tree) and isinstance(right, Tree):
                stack.append((left, right))
            elif left != right:
                return False
    return True


def _constituents(tree: Tree) -> list[Span]:
    found: list[Span] = []
    stack = list(tree.subtrees[::-1]) if tree.label in ROOT_LABELS else [tree]
    while stack:
        node = stack.pop()
        labels = []
        while below := node.subtrees:
            if node.label:
                labels.append(node.label)
            if len(below) > 1:
                stack.extend(below[::-1])
                break
            node = below[0]
        if labels:
            found.append(Span(node.start, node.end, CHAIN.join(labels)))
    return found


def preorder(tags: Sequence[str], spans: Iterable[Span], root: str) -> tuple[list[str], list[int]]:
    """Labels and arities, as `flatten` returns them, of the tree that ``Tree.from_spans`` makes."""
    pending = _sorted_for_pop(spans, len(tags))
    labels, arities = [check_readable(root, "root", may_be_empty=True)], [0]
    inside = [(len(tags), 0)]  # the nodes that are open: where each ends, its place in the lists
    for position, tag in enumerate(tags):
        while pending and pending[-1].start == position:
            span = pending.pop()
            if span.end > inside[-1][0]:
                raise TreeError(f"{span} crosses the span that ends before word {inside[-1][0]}")
            for part in _chain(span.label):
                arities[inside[-1][1]] += 1
                inside.append((span.end, len(labels)))
                labels.append(part)
                arities.append(0)
        arities[inside[-1][1]] += 1
        labels.append(_tag(tag))
        arities.append(0)
        while inside and inside[-1][0] == position + 1:
            inside.pop()
    return labels, arities


# A treebank has few labels and tags: each is checked once.
@lru_cache(maxsize=4096)
def _chain(label: str) -> tuple[str, ...]:
    return tuple(check_readable(part, "label") for part in label.split(CHAIN) if part)


@lru_cache(maxsize=4096)
def _tag(tag: str) -> str:
    return check_readable(tag, "tag")


def _sorted_for_pop(spans: Iterable[Span], length: int) -> list[Span]:
    """Sort spans so that `pop` returns them in pre-order; none the same as another or outside."""
    ordered = sorted([span for span in spans if span.label], key=itemgetter(1))
    ordered.sort(key=itemgetter(0), reverse=True)  # those that begin at the same word stay in order
    for span in ordered:
        if not 0 <= span.start < span.end <= length:
            raise TreeError(f"{span} does not lie within the sentence's {length} words")
    for span, after in pairwise(ordered):
        if span[:2] == after[:2]:
            raise TreeError(f"{span} occurs twice: join labels over the same words with {CHAIN}")
    return ordered


def flatten_nltk(tree: Any) -> tuple[list[str], list[int], list[str]]:
    """Return what `bnaparser.trees.tree.flatten` does, of an ``nltk.Tree``.

    Raises TreeError if it is no tree, or holds what no Tree can.
    """
    if not hasattr(tree, "label"):
        raise TreeError(f"give an nltk.Tree, not {tree!r:.40}")
    labels, arities, words = [], [], []
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, str):  # a word without a tag
            labels.append("")
            words.append(check_readable(node, "word"))
            arities.append(0)
            continue
        children = list(node)
        is_tag = len(children) == 1 and isinstance(children[0], str)
        labels.append(check_readable(str(node.label()), "label", may_be_empty=not is_tag))
        if is_tag:
            words.append(check_readable(children[0], "word"))
            arities.append(0)
        elif not children or not all(
            isinstance(one, str) or hasattr(one, "label") for one in children
        ):
            raise TreeError(f"the node {node.label()!r} must have a word or a child")
        else:
            arities.append(len(children))
            stack.extend(reversed(children))
    return labels, arities, words


def assemble_nltk(labels: Sequence[str], arities: Sequence[int], words: Sequence[str]) -> Any:
    """Undo `flatten_nltk`: the ``nltk.Tree`` of labels, arities and words, which are not checked."""
    from nltk import Tree as NltkTree

    left = list(words)
    built: list[Any] = []
    for label, arity in zip(reversed(labels), reversed(arities), strict=True):
        if arity == 0:
            word = left.pop()
            built.append(NltkTree(label, [word]) if label else word)
        else:
            children = built[: -arity - 1 : -1]
            del built[-arity:]
            built.append(NltkTree(label, children))
    return built[0]
