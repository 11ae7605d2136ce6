"""Head rules: which child of a phrase passes its head word up, and the dependencies that follow.

Every phrase has one child as its head; the head words of the other children depend on that child's
head word (Magerman 1995). `COLLINS` is the table of Collins 1999, whose heads are functional: the
auxiliary, the preposition, "to". `UD` comes close to Universal Dependencies, where content words
are heads and function words depend on them. Both are for labels and tags of the Penn Treebank's
kind; a phrase whose label they do not know has its first child that is no punctuation as its head.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from bnaparser.errors import SettingsError
from bnaparser.trees.cleaning import core_label
from bnaparser.trees.tree import Tree

Side = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Search:
    """One look through the children of a phrase, from its ``side`` end on.

    The first of ``labels`` that any child has finds that child; with ``any_of`` the first child
    that has any of the labels is found.
    """

    side: Side
    labels: tuple[str, ...]
    any_of: bool = False

    def find(self, labels: Sequence[str]) -> int | None:
        """Return the index of the child that is found among children labelled so, or None."""
        seen = labels if self.side == "left" else labels[::-1]
        if self.any_of:
            found = next((place for place, label in enumerate(seen) if label in self.labels), None)
        else:
            found = next((seen.index(label) for label in self.labels if label in seen), None)
        return found if found is None or self.side == "left" else len(labels) - 1 - found


@dataclass(frozen=True, slots=True)
class HeadRules:
    """A table of searches, one phrase label a row; the first search that finds a child decides.

    Where none does, the head is the first child, from the last search's side, that is no
    punctuation. With ``content_heads`` auxiliaries, copulas and conjunctions depend on what they
    serve, and the first of several conjuncts is the head.
    """

    name: str
    source: str
    table: Mapping[str, tuple[Search, ...]]
    content_heads: bool = False


def _priority(side: Side, labels: str = "") -> Search:
    return Search(side, tuple(labels.split()))


def _any(side: Side, labels: str) -> Search:
    return Search(side, tuple(labels.split()), any_of=True)


_COLLINS_NP = (
    _any("right", "NN NNP NNPS NNS NX NML POS JJR"),
    _priority("left", "NP"),
    _any("right", "$ ADJP PRN"),
    _priority("right", "CD"),
    _any("right", "JJ JJS RB QP"),
)
COLLINS = HeadRules(
    name="collins",
    source="M. Collins 1999, Head-Driven Statistical Models for Natural Language Parsing, "
    "appendix A (from D. Magerman 1995, Statistical Decision-Tree Models for Parsing); "
    "NML, which is younger, as NP",
    table=MappingProxyType(
        {
            "ADJP": (
                _priority(
                    "left",
                    "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB",
                ),
            ),
            "ADVP": (_priority("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),),
            "CONJP": (_priority("right", "CC RB IN"),),
            "FRAG": (_priority("right"),),
            "INTJ": (_priority("left"),),
            "LST": (_priority("right", "LS :"),),
            "NAC": (
                _priority(
                    "left",
                    "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW",
                ),
            ),
            "NML": _COLLINS_NP,
            "NP": _COLLINS_NP,
            "PP": (_priority("right", "IN TO VBG VBN RP FW"),),
            "PRN": (_priority("left"),),
            "PRT": (_priority("right", "RP"),),
            "QP": (_priority("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),),
            "RRC": (_priority("right", "VP NP ADVP ADJP PP"),),
            "S": (_priority("left", "TO IN VP S SBAR ADJP UCP NP"),),
            "SBAR": (_priority("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),),
            "SBARQ": (_priority("left", "SQ S SINV SBARQ FRAG"),),
            "SINV": (_priority("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),),
            "SQ": (_priority("left", "VBZ VBD VBP VB MD VP SQ"),),
            "UCP": (_priority("right"),),
            "VP": (_priority("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),),
            "WHADJP": (_priority("left", "CC WRB JJ ADJP"),),
            "WHADVP": (_priority("right", "CC WRB"),),
            "WHNP": (_priority("left", "WDT WP WP$ WHADJP WHPP WHNP"),),
            "WHPP": (_priority("right", "IN TO FW"),),
        }
    ),
)

_UD_NP = (
    _any("right", "NN NNS NNP NNPS NX NML NAC"),
    _priority("left", "NP WHNP PRP WP EX"),
    _priority("right", "$ QP CD"),
    _any("right", "JJ JJR JJS ADJP VBG VBN FW UCP"),
    _any("right", "DT WDT PDT PRP$ WP$ RB RBR ADVP WHADJP PRN"),
    _priority("left", "S SBAR PP"),
)
_UD_ADJP = (
    _any("right", "JJ JJR JJS VBN VBG NN NNS NNP CD $ QP"),
    _priority("left", "ADJP WHADJP NP RB RBR RBS DT ADVP IN VP S SBAR PP"),
)
_UD_ADVP = (
    _any("right", "RB RBR RBS WRB JJ JJR JJS NN"),
    _priority("left", "ADVP WHADVP IN RP DT CD NP PP FW SBAR"),
)
_UD_PP = (
    _priority("left", "NP WHNP NML NX QP S SBAR SBARQ PP WHPP VP ADJP FRAG UCP PRP"),
    _any("right", "NN NNS NNP NNPS CD JJ JJS VBG VBN DT RB"),
    _priority("left", "ADVP PRN IN TO"),
)
_VERBS = "VB VBD VBZ VBP VBN VBG MD TO"
UD = HeadRules(
    name="ud",
    source="after Universal Dependencies 2 (M.-C. de Marneffe and others 2021, Universal "
    "Dependencies): content words are heads; aux, cop, case, mark, det depend on them",
    table=MappingProxyType(
        {
            "ADJP": _UD_ADJP,
            "ADVP": _UD_ADVP,
            "CONJP": (_priority("left"),),
            "FRAG": (_priority("left", "S SBAR SQ VP NP ADJP PP ADVP FRAG INTJ"),),
            "INTJ": (_priority("left"),),
            "LST": (_priority("left", "LS CD"),),
            "NAC": _UD_NP,
            "NML": _UD_NP,
            "NP": _UD_NP,
            "NX": _UD_NP,
            "PP": _UD_PP,
            "PRN": (_priority("left", "S SINV SQ SBARQ SBAR VP NP NN NNP ADJP PP ADVP INTJ"),),
            "PRT": (_priority("left", "RP RB IN"),),
            "QP": (
                _priority("right", "$"),
                _any("right", "CD NN NNS QP"),
                _any("right", "JJ JJR DT PDT RB IN"),
            ),
            "RRC": (_priority("left", "VP ADJP NP PP ADVP"),),
            "S": (
                _priority("left", "VP S SINV SQ ADJP UCP"),
                _priority("right", "NP SBAR PP ADVP FRAG"),
            ),
            "SBAR": (
                _priority("left", "S SINV SQ SBAR SBARQ FRAG VP NP ADJP"),
                _priority("left", "WHNP WHADVP WHADJP WHPP IN"),
            ),
            "SBARQ": (_priority("left", "SQ S SINV SBARQ SBAR FRAG VP WHNP WHADVP"),),
            "SINV": (_priority("left", f"VP {_VERBS} S SINV ADJP NP"),),
            "SQ": (_priority("left", f"VP SQ {_VERBS} ADJP NP"),),
            "TOP": (_priority("left", "S SINV SQ SBARQ VP FRAG NP"),),
            "UCP": (_priority("left"),),
            "VP": (_priority("left", f"VP {_VERBS} ADJP NN NNS NP PP ADVP"),),
            "WHADJP": _UD_ADJP,
            "WHADVP": _UD_ADVP,
            "WHNP": (*_UD_NP[:1], _priority("left", "WHNP NP WP WDT WP$ WHADJP"), *_UD_NP[2:]),
            "WHPP": _UD_PP,
        }
    ),
    content_heads=True,
)

_FORMS_OF_BE = "be am is are was were been being ai 's 're 'm \u2019s \u2019re \u2019m"
_BE = frozenset(_FORMS_OF_BE.split())
_PREDICATES = Search("left", ("ADJP", "NP", "NML", "QP", "UCP", "WHNP", "PP"))
_ADVERBS = Search("left", ("ADVP",))
_QUESTION_WORDS = Search("left", ("WHNP", "WHADJP", "WHADVP"))
_CLAUSES = frozenset({"S", "SBAR", "SBARQ", "SINV", "SQ"})
_CONJUNCTIONS = frozenset({"CC", "CONJP"})
_PUNCTUATION_TAGS = frozenset({"-LRB-", "-RRB-", "HYPH", "NFP", "PU", "PUNC", "PUNCT"})


def head_rules(name: str) -> HeadRules:
    """Return the rules called ``collins`` or ``ud``; raises SettingsError for any other name."""
    for rules in (COLLINS, UD):
        if rules.name == name:
            return rules
    raise SettingsError(f"no head rules {name!r}: there are {COLLINS.name!r} and {UD.name!r}")


def is_punctuation(tag: str) -> bool:
    """Tell whether a part-of-speech tag is a punctuation mark's; ``$`` and ``#`` are words."""
    if tag in _PUNCTUATION_TAGS:
        return True
    return tag not in ("$", "#") and not any(character.isalnum() for character in tag)


def dependencies(tree: Tree, rules: HeadRules = COLLINS) -> tuple[int, ...]:
    """Return the head of each word, counted from 1; 0 is the head of the one root.

    Functions and indices in labels (``NP-SBJ-1``) are passed over. Traces are words like others:
    take them out first (`bnaparser.trees.cleaning.clean`).
    """
    heads = [0] * (tree.end - tree.start)
    words = tree.words
    cores = {label: core_label(label) for label in {node.label for node in tree.nodes()}}
    built: list[int] = []  # head words, from 0, of the nodes that wait for their parent
    for node, there in reversed(list(_with_there(tree))):
        below = node.subtrees
        if len(below) < 2:
            if not below:
                built.append(node.start - tree.start)
            continue
        phrase = _Phrase(
            cores[node.label],
            [cores[child.label] for child in below],
            [built.pop() for _ in below],
            [child.end - tree.start for child in below],
        )
        chosen = _head_child(phrase, words, rules, there)
        if rules.content_heads and (asks := _question_word(phrase, words, chosen)) is not None:
            copula, chosen = phrase.head_words[chosen] + 1, asks
            heads = [phrase.head_words[asks] + 1 if head == copula else head for head in heads]
        for place, word in enumerate(phrase.head_words):
            if place != chosen:
                governor = _governor(phrase, place, chosen) if rules.content_heads else chosen
                heads[word] = phrase.head_words[governor] + 1
        built.append(phrase.head_words[chosen])
    return tuple(heads)


class _Phrase(NamedTuple):
    """A node; of each child its label, its head word from 0, and the word that it ends before."""

    label: str
    labels: list[str]
    head_words: list[int]
    ends: list[int]


def _with_there(tree: Tree) -> Iterator[tuple[Tree, bool]]:
    """Yield the nodes in pre-order, each with whether its clause has an existential "there"."""
    stack = [(tree, False)]
    while stack:
        node, inherited = stack.pop()
        there = inherited or any(_is_there(child) for child in node.subtrees)
        yield node, there
        stack.extend((child, there and child.label[:2] == "VP") for child in node.subtrees[::-1])


def _is_there(node: Tree) -> bool:
    while len(node.subtrees) == 1:
        node = node.subtrees[0]
    return node.label == "EX"


def _head_child(phrase: _Phrase, words: Sequence[str], rules: HeadRules, there: bool) -> int:
    labels = phrase.labels
    if rules.content_heads and not there:
        predicate = _predicate(phrase, words)
        if predicate is not None:
            return predicate
    searches = rules.table.get(phrase.label, ())
    for search in searches:
        found = search.find(labels)
        if found is not None:
            break
    else:
        side = searches[-1].side if searches else "left"
        places = range(len(labels)) if side == "left" else range(len(labels) - 1, -1, -1)
        found = next((i for i in places if not is_punctuation(labels[i])), places[0])
    return _first_conjunct(labels, found, rules.content_heads)


def _first_conjunct(labels: Sequence[str], head: int, every: bool) -> int:
    """Move the head from behind a conjunction to the conjunct before it (Collins, appendix A).

    With ``every`` go on to the first conjunct of a longer row, "red , white and blue".
    """
    if head < 2 or labels[head - 1] not in _CONJUNCTIONS:
        return head
    first = head - 2
    while first > 0 and is_punctuation(labels[first]):
        first -= 1
    if is_punctuation(labels[first]):
        return head
    joins = {",", ":"} | _CONJUNCTIONS
    while every and first >= 2 and labels[first - 1] in joins:
        if labels[first - 2][:2] != labels[first][:2]:
            break
        first -= 2
    return first


def _predicate(phrase: _Phrase, words: Sequence[str]) -> int | None:
    """Return the child that a form of "be" beside it serves: "is *happy*", "was he *there*"."""
    label, labels, head_words, _ = phrase
    if label not in ("VP", "SQ", "SINV") or "VP" in labels:
        return None
    verbs = (
        place
        for place, tag in enumerate(labels)
        if tag[:2] == "VB" and words[head_words[place]].lower() in _BE
    )
    copula = next(verbs, None)
    if copula is None:
        return None
    start, end = copula + 1, len(labels)
    if label == "SQ" and "NP" in labels[start:]:  # the subject
        start = labels.index("NP", start) + 1
    elif label == "SINV":
        start, end = 0, copula
    found = _PREDICATES.find(labels[start:end])
    if found is None and _CLAUSES.isdisjoint(labels[start:end]):
        found = _ADVERBS.find(labels[start:end])
    return None if found is None else start + found


def _question_word(phrase: _Phrase, words: Sequence[str], head: int) -> int | None:
    """Return the question word that a "be" with no other predicate serves: "*who* is she".

    ``head`` is the child that the table chose; the "be" must be its head, and its last word where
    it is no question in itself: "*what* it is".
    """
    if phrase.label not in ("SBAR", "SBARQ") or phrase.labels[head] not in ("S", "SQ"):
        return None
    copula = phrase.head_words[head]
    around = [word.lower() for word in words[copula - 1 : copula + 2]]
    if words[copula].lower() not in _BE or "there" in around:
        return None
    if phrase.labels[head] == "S" and phrase.ends[head] != copula + 1:
        return None
    return _QUESTION_WORDS.find(phrase.labels[:head])


def _governor(phrase: _Phrase, place: int, head: int) -> int:
    """Return the child that the child at ``place`` depends on: a conjunction, on the next conjunct."""
    labels = phrase.labels
    if place < head or labels[place] not in _CONJUNCTIONS:
        return head
    after = range(place + 1, len(labels))
    conjuncts = (i for i in after if not is_punctuation(labels[i]) and labels[i] != "CC")
    return next(conjuncts, head)
