"""Universal parts of speech and relations, as far as a tree of the Penn Treebank's kind tells them.

M.-C. de Marneffe and others 2021, Universal Dependencies. Where a tree says nothing (whether an object
is a time, what a clause means) the likelier relation is taken, or ``dep``; how often they are those of
people is measured in docs/parsing.md.
"""

from __future__ import annotations

from typing import NamedTuple

from bnaparser.trees.heads.arcs import Arc, arcs
from bnaparser.trees.heads.dependencies import is_be, is_punctuation
from bnaparser.trees.heads.rules import HeadRules
from bnaparser.trees.heads.ud import UD
from bnaparser.trees.tree import Tree

_PARTS: dict[str, str] = {
    tag: part
    for part, tags in {
        "ADJ": "JJ JJR JJS AFX",
        "ADP": "IN RP",
        "ADV": "RB RBR RBS WRB",
        "AUX": "MD",
        "CCONJ": "CC",
        "DET": "DT PDT WDT",
        "INTJ": "UH",
        "NOUN": "NN NNS",
        "NUM": "CD",
        "PART": "POS TO",
        "PRON": "EX PRP PRP$ WP WP$",
        "PROPN": "NNP NNPS",
        "SYM": "$ # SYM",
        "VERB": "VB VBD VBG VBN VBP VBZ",
        "X": "FW LS XX ADD GW",
    }.items()
    for tag in tags.split()
}
_CLAUSES = frozenset({"S", "SBAR", "SBARQ", "SINV", "SQ", "VP"})
_NOMINAL = frozenset({"NP", "NML", "NX", "WHNP", "NAC"})
_QUESTION_PHRASES = frozenset({"WHNP", "WHADJP", "WHADVP"})
_NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "NML", "NX", "FW"})
_VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
_NOT = frozenset({"not", "n't", "n\u2019t", "nt", "'nt"})


class UniversalArc(NamedTuple):
    """A word's head, from 1 (0: it is the root), its relation, part of speech, and Collins' relation."""

    head: int
    relation: str
    part_of_speech: str
    collins: str


def universal_arcs(tree: Tree, rules: HeadRules = UD) -> list[UniversalArc]:
    """Return the arc of each word, heads by ``rules``. A sentence has exactly one root.

    Collins' relation (1999): the labels of the child, its parent and the head child, ``%`` between.
    """
    words, tags = [word.lower() for word in tree.words], tree.tags
    found = arcs(tree, rules)
    relations = [
        _relation(arc, place, words, tags) if arc.head else "root"
        for place, arc in enumerate(found)
    ]
    passive = {arc.head for arc, one in zip(found, relations, strict=True) if one == "aux:pass"}
    existing = {arc.head for arc, one in zip(found, relations, strict=True) if one == "expl"}
    result = []
    for place, (arc, relation) in enumerate(zip(found, relations, strict=True)):
        if relation in ("nsubj", "csubj") and arc.head in passive:
            relation += ":pass"
        if relation == "obj" and arc.head in existing:  # "there is a man"
            relation = "nsubj"
        part = _part_of_speech(tags[place], words[place], relation)
        collins = f"{arc.child}%{arc.parent}%{arc.head_child}" if arc.head else "TOP"
        result.append(UniversalArc(arc.head, relation, part, collins))
    return result


def _part_of_speech(tag: str, word: str, relation: str) -> str:
    kind = relation.partition(":")[0]
    if kind in ("aux", "cop") and tag in _VERB_TAGS:
        return "AUX"
    if word in _NOT:
        return "PART"
    if kind == "mark" and tag == "IN":
        return "SCONJ"
    if tag == "TO":
        return "PART" if kind == "mark" else "ADP"
    if tag in ("DT", "WDT") and kind != "det":
        return "PRON"
    if is_punctuation(tag):
        return "PUNCT"
    return _PARTS.get(tag.partition("-")[0], "X")


def _relation(arc: Arc, place: int, words: list[str], tags: tuple[str, ...]) -> str:
    """The relation of a word that has a head; the first of these groups that knows decides."""
    tag = tags[place]
    if is_punctuation(tag):
        return "punct"
    if arc.child in ("CC", "CONJP"):
        return "cc"
    if arc.is_conjunct:
        return "conj"
    function = _function_word(arc, words[place], tag, tags[arc.head - 1])
    if function is not None:
        return function
    if arc.parent in ("PP", "WHPP") and arc.child in ("PP", "ADVP", "RB"):
        return "advmod" if arc.child != "PP" else "dep"
    head_is_noun = arc.head_child in _NOMINAL or arc.head_child in _NOUN_TAGS
    if arc.parent in _NOMINAL or (head_is_noun and arc.parent not in _CLAUSES):
        return _in_a_noun_phrase(arc, tag)
    return _in_a_clause(arc, tag, words)


def _function_word(arc: Arc, word: str, tag: str, head_tag: str) -> str | None:
    """What words are that say little themselves; None for any other."""
    if arc.child == "EX" or (arc.child == "NP" and tag == "EX"):
        return "expl"
    if tag in ("UH",) or arc.child == "INTJ":
        return "discourse"
    if arc.child in ("RP", "PRT"):
        return "compound:prt"
    if word in _NOT or arc.child in ("ADVP", "WHADVP", "RB", "RBR", "RBS", "WRB"):
        return "advmod"
    if arc.child in ("IN", "TO") and arc.parent in ("PP", "WHPP") and arc.head_child in _CLAUSES:
        return "mark"
    if arc.child in ("IN", "TO") and arc.parent in ("PP", "WHPP", "ADVP", "NP", "QP"):
        return "case" if arc.parent != "QP" else "advmod"
    if arc.child in ("IN", "TO") or (arc.parent == "SBAR" and arc.child == "DT"):
        return "mark"
    if arc.child == "MD" or (arc.child in _VERB_TAGS and arc.head_child == "VP"):
        return "aux:pass" if is_be(word) and head_tag == "VBN" else "aux"
    of_a_question = arc.child in ("S", "SQ") and arc.head_child in _QUESTION_PHRASES
    if (arc.child in _VERB_TAGS or (of_a_question and tag in _VERB_TAGS)) and is_be(word):
        return "cop"
    if tag == "POS":
        return "case"
    return None


def _in_a_noun_phrase(arc: Arc, tag: str) -> str:
    child = arc.child
    if child in ("DT", "WDT") or (child in ("NP", "WHNP") and tag in ("DT", "WDT") and arc.before):
        return "det"
    if child == "PDT":
        return "det:predet"
    if child in ("PRP$", "WP$") or arc.possessive or (arc.before and tag in ("PRP$", "WP$")):
        return "nmod:poss"
    if child in ("CD", "QP"):
        return "nummod"
    if child in ("JJ", "JJR", "JJS", "ADJP", "VBN", "VBG", "UCP", "WHADJP"):
        return "amod"
    if child in _NOUN_TAGS or (child in _NOMINAL and arc.before):
        return "compound"
    if child in ("PP", "WHPP"):
        return "acl" if arc.holds_clause else "nmod"
    if child == "SBAR":
        return "acl:relcl" if arc.has_question_word else "acl"
    if child in _CLAUSES:
        return "acl"
    if child == "PRN":
        return "parataxis"
    return "appos" if child == "NP" else "dep"


def _in_a_clause(arc: Arc, tag: str, words: list[str]) -> str:
    child, parent = arc.child, arc.parent
    subject_side = parent in ("S", "SQ", "SINV", "SBARQ", "SBAR", "FRAG", "PRN", "TOP")
    if child in _NOMINAL or child in _NOUN_TAGS or tag in ("WP", "WDT") or child in ("PRP", "DT"):
        if parent in ("ADJP", "ADVP", "PP", "QP"):
            return "obl:npmod"
        if parent == "VP" and not arc.before:
            return "iobj" if arc.nouns_after else "obj"
        if child == "WHNP" and arc.beside_clause:
            return "obj"
        return "nsubj" if subject_side or arc.before else "dep"
    if child in ("PP", "WHPP"):
        return "advcl" if arc.holds_clause else "obl"
    if child in ("ADJP", "JJ", "JJR", "JJS", "VBN"):
        return "xcomp" if parent in ("VP", "S") and not arc.before else "amod"
    if child in ("CD", "QP"):
        return "nummod"
    if child == "PRN":
        return "parataxis"
    if child == "SBAR":
        if parent == "VP" or arc.has_question_word:
            return "advcl" if arc.has_subordinator else "ccomp"
        return "advcl"
    if child in _CLAUSES:
        if parent == "VP" or parent in ("ADJP", "ADVP"):
            return "ccomp" if arc.has_subject else "xcomp"
        if parent == "PP":
            return "advcl"
        return "advcl" if arc.before and not arc.has_subject else "parataxis"
    return "dep"
