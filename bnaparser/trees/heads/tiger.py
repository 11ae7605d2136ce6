"""Heads and parts of speech of German trees with the labels of TIGER and the tags of STTS.

S. Brants and others 2004, TIGER: Linguistic Interpretation of a German Corpus. A phrase is headed as the edges HD of
the treebank say; if it has none, a noun phrase by its last noun, a prepositional phrase by its noun, as
in Universal Dependencies, and a coordination by its first conjunct.
"""

from __future__ import annotations

from types import MappingProxyType

from bnaparser.trees.cleaning import core_label
from bnaparser.trees.heads.rules import HeadRules, Search, any_label, priority

_NOUNS = "NN NE NP MPN PN NM CNP CNM FM CH CARD ADJA TRUNC PIS PPER PDS PWS PRELS PRF PPOSS PIAT CAP AP XY"
_FINITE = "VVFIN VAFIN VMFIN VVIMP VAIMP"
_INFINITE = "VVPP VVINF VVIZU VZ CVZ VAPP VAINF VMPP VMINF"
_VERBS = (any_label("left", _FINITE), any_label("right", _INFINITE))
# A genitive or an apposition follows its noun: the phrases among the nouns come last, from the left.
_LAST_NOUN = (
    any_label("right", "NN"),
    any_label("left", "PN MPN CNP"),
    any_label("right", "NE PIS PDS PPER PPOSS"),
    any_label("left", "NP"),
    any_label("right", _NOUNS),
)


def _conjuncts(label: str) -> tuple[Search, ...]:
    return (priority("left", label),)


TIGER = HeadRules(
    name="tiger",
    source="after the edges HD of TIGER (S. Brants and others 2004); nouns head prepositional phrases",
    table=MappingProxyType(
        {
            "S": (*_VERBS, priority("right", "CVP VP S CS"), priority("left")),
            "VP": (
                any_label("right", _INFINITE),
                any_label("left", _FINITE),
                priority("right", "CVP VP"),
            ),
            "VZ": (any_label("right", "VVINF VAINF VMINF VVPP ADJA"),),
            "NP": (*_LAST_NOUN, priority("right")),
            "PN": (any_label("right", "NE NN FM MPN CARD ADJA XY"), priority("right")),
            "MPN": (any_label("right", "NE NN FM"), priority("right")),
            "PP": (
                *_LAST_NOUN,
                any_label("right", "PROAV PAV PWAV ADV AVP CAVP PP S VP"),
                priority("right"),
            ),
            "AP": (
                any_label("right", "ADJA ADJD CAP AA VVPP VZ"),
                any_label("right", "ART CARD PIAT PIDAT PIS NN"),
                priority("right", "ADV AP PP"),
                priority("right"),
            ),
            "AA": (any_label("right", "ADJA ADJD"), priority("right")),
            "AVP": (
                any_label("right", "ADV PROAV PAV PWAV ADJD PTKNEG CAVP AVP"),
                priority("left"),
            ),
            "NM": (any_label("right", "CARD NN"), priority("right")),
            "CH": (priority("left"),),
            "DL": (priority("left"),),
            "CS": _conjuncts("S CS"),
            "CNP": (any_label("left", _NOUNS),),
            "CPP": _conjuncts("PP CPP"),
            "CVP": _conjuncts("VP CVP"),
            "CAP": (any_label("left", "AP ADJA ADJD CAP CARD"),),
            "CAVP": (any_label("left", "AVP ADV ADJD"),),
            "CVZ": _conjuncts("VZ"),
            "CAC": (any_label("left", "APPR PP"),),
            "CO": (priority("left"),),
            "VROOT": (priority("left", "S CS VP CVP NP CNP"), priority("left")),
        }
    ),
)

_PARTS = {
    tag: part
    for part, tags in {
        "ADJ": "ADJA ADJD",
        "ADP": "APPR APPRART APPO APZR",
        "ADV": "ADV PAV PROAV PWAV",
        "AUX": "VAFIN VAIMP VAINF VAPP VMFIN VMINF VMPP",
        "CCONJ": "KON KOKOM",
        "DET": "ART PDAT PIAT PIDAT PPOSAT PRELAT PWAT",
        "INTJ": "ITJ",
        "NOUN": "NN",
        "NUM": "CARD",
        "PART": "PTKA PTKANT PTKNEG PTKVZ PTKZU",
        "PRON": "PDS PIS PPER PPOSS PRELS PRF PWS",
        "PROPN": "NE",
        "PUNCT": "$, $. $( $LRB",
        "SCONJ": "KOUI KOUS",
        "VERB": "VVFIN VVIMP VVINF VVIZU VVPP",
        "X": "FM TRUNC XY",
    }.items()
    for tag in tags.split()
}
_RELATIONS = {
    tag: relation
    for relation, tags in {
        "punct": "$, $. $( $LRB",
        "det": "ART PDAT PIAT PIDAT PPOSAT PRELAT PWAT",
        "amod": "ADJA",
        "advmod": "ADV ADJD PAV PROAV PWAV PTKNEG PTKA",
        "mark": "KOUS KOUI PTKZU",
        "cc": "KON",
        "case": "APPR APPRART APPO APZR KOKOM",
        "compound:prt": "PTKVZ",
        "nummod": "CARD",
        "discourse": "ITJ PTKANT",
    }.items()
    for tag in tags.split()
}
_ONLY_STTS = frozenset([
    "ADJA", "ADJD", "APPR", "APPRART", "ART", "KON", "KOUS", "NE", "PPER", "VAFIN", "VMFIN", "VVFIN", "VVPP",
    "$.", "$,",
])  # fmt: skip


def is_german(tags: tuple[str, ...]) -> bool:
    """Return whether tags are STTS tags: some occur only in STTS."""
    return any(core_label(tag) in _ONLY_STTS for tag in tags)


def part_of_speech(tag: str) -> str:
    """Return the universal part of speech of a tag of STTS."""
    return _PARTS.get(core_label(tag), "X")


def relation(tag: str) -> str:
    """Return the universal relation that a tag of STTS tells by itself; ``dep`` where it tells none."""
    return _RELATIONS.get(core_label(tag), "dep")
