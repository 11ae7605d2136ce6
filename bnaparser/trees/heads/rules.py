"""Head rules: which child of a phrase passes its head word up (Magerman 1995).

The head words of the other children depend on that child's head word. `COLLINS` is the table
of Collins 1999, whose heads are functional: the auxiliary, the preposition, "to". `UD` comes close
to Universal Dependencies, where content words are heads and function words depend on them. Both
are for labels and tags of the Penn Treebank's kind; a phrase whose label they do not know has its
first child that is no punctuation as its head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

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
    """A table of searches, one row for each phrase label; the first search that finds a child
    decides.

    If no search finds a child, the head is the first child, from the last search's side, that is no
    punctuation mark. With ``punctuation_heads`` punctuation marks are not skipped. With ``content_heads``
    auxiliaries, copulas and conjunctions depend on what they serve, and the first of several conjuncts
    is the head.
    """

    name: str
    source: str
    table: Mapping[str, tuple[Search, ...]]
    content_heads: bool = False
    punctuation_heads: bool = False

    def __repr__(self) -> str:
        # The table would be 200 lines in the signature of every function with default rules.
        return f"<HeadRules {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # A table that cannot be changed cannot be pickled either.
        flags = self.content_heads, self.punctuation_heads
        return HeadRules, (self.name, self.source, dict(self.table), *flags)


def priority(side: Side, labels: str = "") -> Search:
    """Return a search for the first of the labels (separated by blanks) that any child has."""
    return Search(side, tuple(labels.split()))


def any_label(side: Side, labels: str) -> Search:
    """Return a search for the first child that has any of the labels."""
    return Search(side, tuple(labels.split()), any_of=True)


_COLLINS_NP = (
    any_label("right", "NN NNP NNPS NNS NX NML POS JJR"),
    priority("left", "NP"),
    any_label("right", "$ ADJP PRN"),
    priority("right", "CD"),
    any_label("right", "JJ JJS RB QP"),
)

COLLINS = HeadRules(
    name="collins",
    source="M. Collins 1999, Head-Driven Statistical Models for Natural Language Parsing, "
    "appendix A (from D. Magerman 1995, Statistical Decision-Tree Models for Parsing); "
    "NML, which is younger, as NP",
    table=MappingProxyType(
        {
            "ADJP": (
                priority(
                    "left",
                    "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB",
                ),
            ),
            "ADVP": (priority("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),),
            "CONJP": (priority("right", "CC RB IN"),),
            "FRAG": (priority("right"),),
            "INTJ": (priority("left"),),
            "LST": (priority("right", "LS :"),),
            "NAC": (
                priority(
                    "left",
                    "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW",
                ),
            ),
            "NML": _COLLINS_NP,
            "NP": _COLLINS_NP,
            "PP": (priority("right", "IN TO VBG VBN RP FW"),),
            "PRN": (priority("left"),),
            "PRT": (priority("right", "RP"),),
            "QP": (priority("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),),
            "RRC": (priority("right", "VP NP ADVP ADJP PP"),),
            "S": (priority("left", "TO IN VP S SBAR ADJP UCP NP"),),
            "SBAR": (priority("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),),
            "SBARQ": (priority("left", "SQ S SINV SBARQ FRAG"),),
            "SINV": (priority("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),),
            "SQ": (priority("left", "VBZ VBD VBP VB MD VP SQ"),),
            "UCP": (priority("right"),),
            "VP": (priority("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),),
            "WHADJP": (priority("left", "CC WRB JJ ADJP"),),
            "WHADVP": (priority("right", "CC WRB"),),
            "WHNP": (priority("left", "WDT WP WP$ WHADJP WHPP WHNP"),),
            "WHPP": (priority("right", "IN TO FW"),),
        }
    ),
)

TREGEX = HeadRules(
    name="tregex",
    source="CollinsHeadFinder of Stanford CoreNLP, by which Tregex searches",
    table=MappingProxyType(
        {
            **COLLINS.table,
            "EDITED": (priority("left"),),
            "NX": (priority("left"),),
            "TYPO": (priority("left"),),
            "VP": (priority("left", "TO VBD VBN MD VBZ VB VBG VBP AUX AUXG VP ADJP NN NNS NP"),),
            "X": (priority("right"),),
            "XS": (priority("right", "IN"),),
        }
    ),
    punctuation_heads=True,
)


_UD_NP = (
    any_label("right", "NN NNS NNP NNPS NX NML NAC"),
    priority("left", "NP WHNP PRP WP EX"),
    priority("right", "$ QP CD"),
    any_label("right", "JJ JJR JJS ADJP VBG VBN FW UCP"),
    any_label("right", "DT WDT PDT PRP$ WP$ RB RBR ADVP WHADJP PRN"),
    priority("left", "S SBAR PP"),
)

_UD_ADJP = (
    any_label("right", "JJ JJR JJS VBN VBG NN NNS NNP CD $ QP"),
    priority("left", "ADJP WHADJP NP RB RBR RBS DT ADVP IN VP S SBAR PP"),
)

_UD_ADVP = (
    any_label("right", "RB RBR RBS WRB JJ JJR JJS NN"),
    priority("left", "ADVP WHADVP IN RP DT CD NP PP FW SBAR"),
)

_UD_PP = (
    priority("left", "NP WHNP NML NX QP S SBAR SBARQ PP WHPP VP ADJP FRAG UCP PRP"),
    any_label("right", "NN NNS NNP NNPS CD JJ JJS VBG VBN DT RB"),
    priority("left", "ADVP PRN IN TO"),
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
            "CONJP": (priority("left"),),
            "FRAG": (priority("left", "S SBAR SQ VP NP ADJP PP ADVP FRAG INTJ"),),
            "INTJ": (
                any_label("left", "UH"),
                any_label("right", "NN NNS NNP NNPS"),
                priority("left"),
            ),
            "LST": (priority("left", "LS CD"),),
            "NAC": _UD_NP,
            "NML": _UD_NP,
            "NP": _UD_NP,
            "NX": _UD_NP,
            "PP": _UD_PP,
            "PRN": (priority("left", "S SINV SQ SBARQ SBAR VP NP NN NNP ADJP PP ADVP INTJ"),),
            "PRT": (priority("left", "RP RB IN"),),
            "QP": (
                priority("right", "$"),
                any_label("right", "CD NN NNS QP"),
                any_label("right", "JJ JJR DT PDT RB IN"),
            ),
            "RRC": (priority("left", "VP ADJP NP PP ADVP"),),
            "S": (
                priority("left", "VP S SINV SQ ADJP UCP"),
                priority("right", "NP SBAR PP ADVP FRAG"),
            ),
            "SBAR": (
                priority("left", "S SINV SQ SBAR SBARQ FRAG VP NP ADJP"),
                priority("left", "WHNP WHADVP WHADJP WHPP IN"),
            ),
            "SBARQ": (priority("left", "SQ S SINV SBARQ SBAR FRAG VP WHNP WHADVP"),),
            "SINV": (priority("left", f"VP {_VERBS} S SINV ADJP NP"),),
            "SQ": (priority("left", f"VP SQ {_VERBS} ADJP NP"),),
            "SPOKEN": (  # the words of a speaker, which `universal_arcs` puts in a phrase
                any_label("left", "NP NX NML ADJP PP ADVP FRAG UCP QP WHNP WHADVP"),
                any_label("right", "NN NNS NNP NNPS PRP CD JJ JJR JJS"),
                any_label("left", "INTJ UH RB"),
            ),
            "TOP": (priority("left", "S SINV SQ SBARQ VP FRAG NP"),),
            "UCP": (priority("left"),),
            "VP": (priority("left", f"VP {_VERBS} ADJP NN NNS NP PP ADVP"),),
            "WHADJP": _UD_ADJP,
            "WHADVP": _UD_ADVP,
            "WHNP": (*_UD_NP[:1], priority("left", "WHNP NP WP WDT WP$ WHADJP"), *_UD_NP[2:]),
            "WHPP": _UD_PP,
        }
    ),
    content_heads=True,
)
