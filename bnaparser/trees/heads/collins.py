"""Collins' head rules of 1999, for labels and tags of the Penn Treebank's kind."""

from __future__ import annotations

from types import MappingProxyType

from bnaparser.trees.heads.rules import HeadRules, any_label, priority

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
