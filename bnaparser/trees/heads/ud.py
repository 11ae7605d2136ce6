"""Head rules that come close to Universal Dependencies: content words are heads."""

from __future__ import annotations

from types import MappingProxyType

from bnaparser.trees.heads.rules import HeadRules, any_label, priority

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
            "INTJ": (priority("left"),),
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
