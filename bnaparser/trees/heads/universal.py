"""Universal parts of speech and relations, as far as a tree of the Penn Treebank's kind tells them.

M.-C. de Marneffe and others 2021, Universal Dependencies. Functions in labels (NP-TMP, SBAR-ADV) are
followed where the tree has them. Where it has none, the shape of the tree and lists of English words
(`bnaparser.trees.heads.english`) decide. How often relations are those of people is measured in
benchmarks/studies/heads/heads.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bnaparser.trees.cleaning import core_label
from bnaparser.trees.heads import english, tiger
from bnaparser.trees.heads.arcs import NOUN_TAGS, Arc, arcs, is_direct_speech
from bnaparser.trees.heads.clauses import (
    CLAUSES,
    NONFINITE,
    NOUN_PHRASES,
    Clause,
    functions,
    has_lone_preposition,
    joined_auxiliaries,
    read_clause,
)
from bnaparser.trees.heads.dependencies import (
    dependencies,
    dependencies_in_phrases,
    is_possessive,
    is_punctuation,
)
from bnaparser.trees.heads.english import is_form_of
from bnaparser.trees.heads.fixed import FixedExpression, join_fixed_expressions
from bnaparser.trees.heads.rules import UD, HeadRules
from bnaparser.trees.heads.speech import with_spoken_phrases
from bnaparser.trees.tree import Tree, assemble, flatten

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
_CLAUSES_AND_VP = CLAUSES | {"VP"}
_NOMINAL = frozenset({"NP", "NML", "NX", "WHNP", "NAC"})
_QUESTION_PHRASES = frozenset({"WHNP", "WHADJP", "WHADVP"})
_VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
_MODIFIERS = frozenset({"ADJP", "ADVP", "PP", "QP", "WHADJP", "WHADVP", "WHPP"})
_ADJECTIVES = frozenset({"JJ", "JJR", "JJS", "ADJP", "WHADJP"})
_RELATIONS_OF_CLAUSES = frozenset({"acl", "advcl", "ccomp", "csubj", "xcomp"})
_EMOTICON = re.compile(r"[:;=8xX][-o']?[()DPp/\\|\]\[]+|[()]+[-o']?[:;=]|<3+")


class UniversalArc(NamedTuple):
    """A word's head, counted from 1 (0: it is the root), relation, part of speech, and Collins' relation."""

    head: int
    relation: str
    part_of_speech: str
    collins: str


def universal_arcs(tree: Tree, rules: HeadRules = UD) -> list[UniversalArc]:
    """Return the arc of each word. A sentence has exactly one root, and a word one subject at most.

    Collins' relation (1999) is made of the labels of the child, its parent and the head child, with
    ``%`` between.

    Args:
        tree: A tree with labels of the Penn Treebank's kind, with or without functions.
        rules: The head rules. The relations fit those of Universal Dependencies. Trees with the tags of STTS, as in
            the German TIGER, get the rules of `bnaparser.trees.heads.tiger` in the place of the default ones.
    """
    if rules is UD and tiger.is_german(tree.tags):
        return _german_arcs(tree)
    tree = with_spoken_phrases(_with_question_phrases(tree))
    words, tags = [word.lower() for word in tree.words], tree.tags
    heads = dependencies_in_phrases(tree, rules)
    found = arcs(tree, rules, heads, words, tags)
    relations = [_relation(arc) if arc else "root" for arc in found]
    _join_stranded_prepositions(tree, found, heads, relations)
    expressions = join_fixed_expressions(heads, words, tags) if rules.content_heads else []
    found = [
        arc._replace(head=head, head_word=words[head - 1], head_tag=tags[head - 1])
        if arc and head
        else None
        for arc, head in zip(found, heads, strict=True)
    ]
    for expression in expressions:
        _relate_expression(expression, heads, tags, relations)
    relations = settle_relations(found, relations)
    parts = [
        _part_of_speech(tag, word, relation)
        for tag, word, relation in zip(tags, words, relations, strict=True)
    ]
    for place, head in enumerate(heads):
        is_auxiliary = head and relations[head - 1].partition(":")[0] in ("aux", "cop")
        if is_auxiliary and relations[place] == "conj" and parts[place] == "VERB":
            parts[place] = "AUX"  # "is" of "was and is a hero"
    for expression in expressions:
        parts[expression.start : expression.end] = expression.parts
        if relations[expression.start] == "mark" and expression.parts[-1] == "ADP":
            parts[expression.end - 1] = "SCONJ"
    return [
        UniversalArc(
            heads[place],
            relations[place],
            parts[place],
            f"{arc.child}%{arc.parent}%{arc.head_child}" if arc else "TOP",
        )
        for place, arc in enumerate(found)
    ]


def _relate_expression(
    expression: FixedExpression, heads: Sequence[int], tags: Sequence[str], relations: list[str]
) -> None:
    """Change the relations of the words of a fixed expression, and of the word that it serves."""
    first, governor = expression.start, heads[expression.start] - 1
    old = relations[expression.root]
    relations[first + 1 : expression.end] = ["fixed"] * (expression.end - first - 1)
    relations[first] = old if expression.kind == "noun" or governor < 0 else expression.kind
    if expression.kind in ("noun", "advmod") or governor < expression.end:
        return
    is_clause = tags[governor][:2] == "VB"
    if expression.moved is not None:
        above = heads[governor] - 1
        is_of_noun = above >= 0 and tags[above][:2] == "NN"
        relations[governor] = old
        if old in ("advmod", "amod", "case", "obl", "nmod", "mark", "dep", "fixed"):
            kinds = ("acl", "advcl") if is_clause else ("nmod", "obl")
            relations[governor] = kinds[0 if is_of_noun else 1]
    if expression.kind == "cc":
        if 0 < heads[governor] <= first:
            relations[governor] = "conj"
        else:  # "(rather than wait), he left"
            relations[first] = "mark" if is_clause else "case"
    elif old == "mark" or (is_clause and relations[governor] in _RELATIONS_OF_CLAUSES):
        relations[first] = "mark"


def _join_stranded_prepositions(
    tree: Tree, arcs: Sequence[Arc | None], heads: list[int], relations: list[str]
) -> None:
    """Hang prepositions without a noun on their question words: "*what* did he talk *about*", "*what* is he *like*".

    Heads and relations are changed. A preposition that is the predicate gives its place to the question word.
    """
    questions = [
        (place, arc)
        for place, arc in enumerate(arcs)
        if arc is not None and arc.child in ("WHNP", "WHADVP") and arc.parent in ("SBAR", "SBARQ")
    ]
    if not questions:
        return
    lone = [
        node.start - tree.start
        for node in tree.nodes()
        if core_label(node.label) == "PP"
        and [one.label for one in node.subtrees] in (["IN"], ["TO"])
    ]
    for place, arc in reversed(questions):
        end = arc.phrase.ends[-1]
        preposition = next((one for one in reversed(lone) if place < one < end), None)
        if preposition is None:
            continue
        if heads[place] == preposition + 1:
            if arc.word in ("that", "which") or relations[preposition] == "acl:relcl":
                continue  # "the house that he is in"
            heads[place], relations[place] = heads[preposition], relations[preposition]
            for one, head in enumerate(heads):
                if head == preposition + 1:
                    heads[one] = place + 1
        elif relations[place] != "obl":
            continue
        else:
            heads[place] = heads[preposition]
        heads[preposition], relations[preposition] = place + 1, "case"
        lone.remove(preposition)


def _with_question_phrases(tree: Tree) -> Tree:
    """Return the tree with ``WHNP`` in "(SBAR (NP (WP what)) (S he said))", which GUM's trees write in both ways."""
    tags = tree.tags
    if not any(tag[:1] == "W" for tag in tags):
        return tree
    labels, arities, words = flatten(tree)
    for place, node in enumerate(tree.nodes()):
        if node.label[:4] != "SBAR" or core_label(node.label) != "SBAR" or len(node.subtrees) < 2:
            continue
        first = node.subtrees[0]
        core = core_label(first.label)
        asking = first.start + (core == "PP")  # "(PP in which)"
        asks = asking < first.end and tags[asking - tree.start][:1] == "W"
        if asks and core in ("NP", "ADVP", "ADJP", "PP"):
            labels[place + 1] = f"WH{labels[place + 1]}"
    return assemble(labels, arities, words, tree.start)


def _german_arcs(tree: Tree) -> list[UniversalArc]:
    """Return the arcs of a tree with the labels of TIGER; relations are those that a tag tells by itself."""
    heads, tags = dependencies(tree, tiger.TIGER), tree.tags
    return [
        UniversalArc(
            head,
            tiger.relation(tag) if head else "root",
            tiger.part_of_speech(tag),
            f"{core_label(tag)}%{core_label(tags[head - 1])}" if head else "TOP",
        )
        for head, tag in zip(heads, tags, strict=True)
    ]


def _part_of_speech(tag: str, word: str, relation: str) -> str:
    kind = relation.partition(":")[0]
    if kind in ("aux", "cop") and tag in _VERB_TAGS:
        return "AUX"
    if word in english.NOT:
        return "PART"
    if word in english.ET_CETERA:
        return "NOUN"
    if kind == "mark" and tag == "IN":
        return "SCONJ"
    if tag == "TO":
        return "PART" if kind == "mark" else "ADP"
    if tag in ("DT", "WDT") and kind != "det":
        return "PRON"
    if is_punctuation(tag):
        return "PUNCT"
    return _PARTS.get(tag.partition("-")[0], "X")


def _relation(arc: Arc) -> str:
    """Return the relation of a word that has a head; the first of these groups that knows decides."""
    if is_punctuation(arc.tag):
        if arc.word == "/" and arc.parent not in CLAUSES:
            return "cc"
        return "discourse" if _EMOTICON.fullmatch(arc.word) else "punct"
    if arc.child == "SPOKEN":
        return "ccomp"  # "good night", he said
    if arc.parent == "SPOKEN" and not is_punctuation(arc.tag) and arc.child != "CC":
        return _in_a_spoken_phrase(arc)
    if arc.parent == "CONJP":
        return "advmod" if arc.tag == "RB" else "fixed"  # "but also"
    if arc.child in ("CC", "CONJP"):
        return "advmod" if arc.child == "CONJP" and arc.tag == "RB" else "cc"  # "not only"
    if arc.parent == "VP" and arc.before and arc.tag[:1] in "MV":
        joined = joined_auxiliaries(arc.phrase.node)
        if joined is not None and arc.place == joined.auxiliaries[0]:
            return _of_a_joined_auxiliary(arc)
    if arc.is_conjunct or (arc.word in english.ET_CETERA and not arc.before):
        return "conj"
    if arc.is_apart:
        return _beside_its_head(arc)
    if arc.child[:2] == "WH" and arc.is_before_question and arc.chosen != arc.place + 1:
        return "ccomp"  # "who is she?", he said
    is_spoken = arc.before and is_direct_speech(arc.phrase.labels, arc.place, arc.head_word)
    if is_spoken and arc.child in _MODIFIERS:
        return "ccomp"  # "not now", he said
    is_be = arc.tag in _VERB_TAGS and arc.word in english.BE
    is_after_question = arc.parent == "SBAR" and arc.head_child in _QUESTION_PHRASES
    if is_after_question and arc.child in CLAUSES and not is_be:
        return "acl:relcl"  # "this is what (he said)"
    function = _of_a_function_word(arc)
    if function is not None:
        return function
    if arc.parent in ("PP", "WHPP") and arc.child in ("PP", "ADVP", "RB"):
        return "nmod" if arc.child == "PP" else "advmod"
    head_is_noun = arc.head_child in _NOMINAL or arc.head_child in NOUN_TAGS
    if arc.parent in _NOMINAL or (head_is_noun and arc.parent not in _CLAUSES_AND_VP):
        return _in_a_noun_phrase(arc)
    return _in_a_clause(arc)


# Function words ----------------------------------------------------------------------------------


def _beside_its_head(arc: Arc) -> str:
    """Return the relation of a word whose head is another child of the phrase than the head child."""
    if arc.child == "SQ":
        return "cop"  # "who (is she)?", he said
    if arc.child in ("ADVP", "RB"):
        return "advmod"  # "but not Bob"
    if arc.tag == "POS":
        return "case"
    if is_possessive(arc.node) and arc.before:
        return "conj"  # "(Bob 's) and (Ann 's) dogs"
    if arc.parent == "VP" and (arc.tag == "MD" or arc.word in english.AUXILIARIES):
        return "conj"  # "can and (must) win"
    if arc.child[:2] == "WH":
        return "advmod" if arc.child == "WHADVP" else _of_a_question_phrase(arc)
    return _in_a_noun_phrase(arc._replace(chosen=arc.phrase.head_words.index(arc.head - 1)))


def _of_a_function_word(arc: Arc) -> str | None:
    """Return the relation of a word that says little itself; None for any other."""
    child, parent, word = arc.child, arc.parent, arc.word
    if arc.tag == "EX" and child in ("EX", "NP", "ADVP"):
        return "expl"
    if arc.tag in ("UH", "LS") or child in ("INTJ", "LST"):
        return "discourse"
    if word in english.ANSWERS and parent in CLAUSES and arc.before:
        return "discourse"
    if child in ("RP", "PRT"):
        return "advmod" if word in english.ADVERBIAL_PARTICLES else "compound:prt"
    if word in english.NOT or word == "else":
        return "advmod"
    if arc.tag == "POS":
        return "case"
    if child in ("IN", "TO", "SYM") or parent in ("PP", "WHPP", "QP"):
        adposition = _of_an_adposition(arc)
        if adposition is not None:
            return adposition
    if child == "WHADVP" and word in ("that", "which"):
        return "obl:unmarked"  # "the day (that he left)"
    if child in ("ADVP", "WHADVP", "RB", "RBR", "RBS", "WRB"):
        return "mark" if word == "so" and parent == "SBAR" else "advmod"
    if parent == "SBAR" and child in ("DT", "VBN", "VBG"):
        return "mark"
    if child == "MD":
        return "aux"
    if child in _VERB_TAGS:
        return _of_a_helping_verb(arc)
    asks = arc.head_child in _QUESTION_PHRASES and child in ("S", "SQ")
    return "cop" if asks and arc.tag in _VERB_TAGS and word in english.BE else None


def _of_an_adposition(arc: Arc) -> str | None:
    """Return the relation of a preposition or conjunction; None for another word beside a noun or number."""
    child, parent, word = arc.child, arc.parent, arc.word
    is_after_number = arc.label_before in ("CD", "QP", "$")
    if child == "SYM":
        return "case" if arc.before and is_after_number else None  # "5 - 10"
    if parent == "QP":
        if child not in ("IN", "TO") and word not in english.ADVERBS_OF_NUMBERS:
            return None
        return "case" if is_after_number and child in ("IN", "TO") and word != "than" else "advmod"
    if parent in ("PP", "WHPP") and arc.before:
        if child[:2] not in ("IN", "TO", "VB", "JJ", "CC"):  # "including", "due (to him)"
            return None
        compares = arc.head_child == "ADJP" and word in ("as", "than")
        return "mark" if compares or arc.head_child in _CLAUSES_AND_VP else "case"
    if child not in ("IN", "TO"):
        return None
    if parent in ("PP", "WHPP", "ADVP", "NP"):
        return "case"
    is_before_noun = parent in ("FRAG", "VP") and arc.before and arc.head_child in _NOMINAL
    return "case" if is_before_noun else "mark"


def _of_a_helping_verb(arc: Arc) -> str | None:
    """Return the relation of an auxiliary or copula; None for any other verb."""
    word = arc.word
    if arc.head_child != "VP" or word not in english.AUXILIARIES:
        is_copula = word in english.BE and (arc.before or arc.parent in ("SQ", "SINV"))
        return "cop" if is_copula else None
    if word in english.BE and arc.head_tag == "VB":
        verb = read_clause(arc.phrase.node.subtrees[arc.chosen])
        return "aux" if verb.form == "TO" else "cop"  # "were I to wait"; "all we did is wait"
    is_has = word in ("'s", "\u2019s") and arc.head_word in english.PARTICIPLES_AFTER_HAS
    is_passive = word in english.BE | english.GET and arc.head_tag == "VBN" and not is_has
    return "aux:pass" if is_passive else "aux"


def _of_a_joined_auxiliary(arc: Arc) -> str:
    """Return the relation of "can" in "can and must win", of "was" in "was and is a hero"."""
    if arc.tag == "MD" or arc.word not in english.BE:
        return "aux"
    if arc.head_tag == "VBN":
        return "aux:pass"
    return "aux" if arc.head_tag in _VERB_TAGS else "cop"


def _in_a_spoken_phrase(arc: Arc) -> str:
    """Return the relation of "not" in "not now", "sir" in "very good, sir", "what" in "what a mess"."""
    if arc.child in ("RB", "ADVP", "WRB"):
        return "advmod"
    if arc.tag == "UH" or arc.child == "INTJ":
        return "discourse"
    if arc.child in ("DT", "WP", "WDT", "PDT"):
        return "det"
    if arc.child in ("JJ", "CD", "PRP$", *NOUN_TAGS) and arc.before:
        return _in_a_noun_phrase(arc)
    is_called = arc.tag in ("NNP", "NNPS") or arc.word in english.ADDRESSEES
    if arc.child in NOUN_PHRASES and is_called:
        return "vocative"
    return "obl" if arc.child == "PP" else "parataxis"


# In a noun phrase --------------------------------------------------------------------------------


def _in_a_noun_phrase(arc: Arc) -> str:
    child, tag = arc.child, arc.tag
    if child in ("DT", "WDT") or (child in ("NP", "WHNP") and tag in ("DT", "WDT") and arc.before):
        return "det"
    if child == "PDT":
        return "det:predet"
    if (
        child in ("PRP$", "WP$")
        or is_possessive(arc.node)
        or (arc.before and tag in ("PRP$", "WP$"))
    ):
        return "nmod:poss"
    if child in ("CD", "QP") or (child == "NP" and tag == "CD" and arc.before):
        return _of_a_number(arc)
    if child in _ADJECTIVES or child in ("VBN", "VBG", "UCP"):
        return "compound" if child == "ADJP" and tag in ("NN", "NNS", "NNP", "$") else "amod"
    if child in NOUN_TAGS or (child in _NOMINAL and arc.before):
        return _before_a_noun(arc)
    if child in ("PP", "WHPP"):
        return _of_a_prepositional_phrase(arc, is_of_noun=True)
    if child == "SBAR":
        return _of_a_clause_after_a_noun(arc)
    if child in _CLAUSES_AND_VP:
        return "acl"
    if child == "PRN":
        return _in_brackets(arc)
    return _after_a_noun(arc) if child == "NP" else "dep"


def _of_a_number(arc: Arc) -> str:
    """Return the relation of "two" in "two cats", "the 2004 elections", "Article 5", "May 2004"."""
    is_year = len(arc.word) == 4 and arc.word.isdigit() and arc.word[:2] in ("18", "19", "20")
    if arc.before:
        return "compound" if arc.head_tag == "CD" or (is_year and arc.child == "CD") else "nummod"
    if arc.head_tag in ("$", "#", "CD"):
        return "nummod"
    return "nmod:unmarked" if is_year or arc.head_word in english.MONTHS else "flat"


def _before_a_noun(arc: Arc) -> str:
    """Return the relation of a noun before a noun: "Mr. Lay", "the United States", "a school bus"."""
    is_name = arc.tag in ("NNP", "NNPS")
    if arc.word in english.TITLES and arc.head_tag in ("NNP", "NNPS"):
        return "nmod:desc"
    if is_name and arc.word in english.ADJECTIVES_IN_NAMES and not arc.node.subtrees:
        return "amod"
    if arc.word == "couple" or (arc.word in english.MONTHS and arc.head_word[:1].isdigit()):
        return "nmod:unmarked"
    return "compound"


def _after_a_noun(arc: Arc) -> str:
    """Return the relation of "all" in "you all", "birds" in "cats, dogs, birds", "a judge" in "Bob, a judge"."""
    labels, last = arc.phrase.labels, arc.label_before
    is_bare = arc.tag in ("DT", "CD") or arc.word in english.REFLEXIVES | english.TIMES
    is_year = arc.tag == "CD" and len(arc.word) == 4 and last == ","
    if (
        not arc.functions.isdisjoint(_ADVERBIAL)
        or is_year
        or (is_bare and not is_punctuation(last))
    ):
        return "nmod:unmarked"
    if last == "IN":
        return "nmod"
    nouns = labels.count("NP")
    is_list = nouns > 2 and labels.count(",") >= nouns - 1
    return "conj" if is_list or last == "RB" else "appos"


def _in_brackets(arc: Arc) -> str:
    """Return the relation of what is in brackets after a noun: a noun is another name, all else an aside."""
    first = _first_label(arc)
    if first == "CC":
        return "conj"
    if first == "PP":
        return "nmod"
    if arc.tag == "CD":
        return "nmod:unmarked"
    return "appos" if first in _NOMINAL or first in NOUN_TAGS else "parataxis"


def _first_label(arc: Arc) -> str:
    """Return the label of the first child that is no punctuation mark."""
    inside = (core_label(child.label) for child in arc.node.subtrees)
    return next((label for label in inside if label[:1].isalpha()), "")


def _of_a_prepositional_phrase(arc: Arc, is_of_noun: bool) -> str:
    """Return the relation of "of the house", "by going", "as possible", "rather than tea"."""
    inside = {core_label(child.label) for child in arc.node.subtrees}
    first = arc.first_word
    if first == "rather" and not arc.before:
        return "conj"
    if not inside.isdisjoint({"S", "VP", "SBAR"}):
        return "acl" if is_of_noun else "advcl"
    if "ADJP" in inside and first in ("as", "than") and not is_of_noun:
        return "advcl"
    is_adjective = arc.head_tag[:2] == "JJ" and arc.head_word not in ("most", "much", "many")
    return "nmod" if is_of_noun and not is_adjective else "obl"


def _of_a_clause_after_a_noun(arc: Arc) -> str:
    """Return the relation of "who left", "(that) I saw", "that he lied", "as we wanted" after a noun."""
    clause = read_clause(arc.node)
    if clause.introducers[:1] in (("as",), ("than",)):
        return "advcl"
    is_finite = clause.subject is not None and clause.form not in NONFINITE
    return "acl:relcl" if clause.question or (is_finite and not clause.introducers) else "acl"


# In a clause -------------------------------------------------------------------------------------


def _in_a_clause(arc: Arc) -> str:
    child, parent = arc.child, arc.parent
    if child in ("PP", "WHPP"):
        return _of_a_prepositional_phrase(arc, is_of_noun=False)
    if arc.is_raised:
        return _of_a_raised_subject(arc)
    if arc.noun_relation:
        return arc.noun_relation
    if child == "WHNP":
        return _of_a_question_phrase(arc)
    if child == "NP" and parent == "ADJP" and arc.head_word == "worth":
        return "obj"
    if child in NOUN_TAGS and parent in ("ADJP", "VP"):
        is_measure = arc.tag[:3] == "NNP" or arc.word in english.TIMES | english.DISTANCES
        return "obl:unmarked" if is_measure else "compound"  # "US - based", "bowl - shaped"
    if child in NOUN_TAGS or child in _NOMINAL or child in ("PRP", "DT"):
        if parent in _MODIFIERS:
            return "obl:unmarked"
        return "nsubj" if arc.before else "dep"
    if child in _ADJECTIVES or child == "VBN":
        return "xcomp" if parent in ("VP", "S") and not arc.before else "amod"
    if child in ("CD", "QP"):
        return "compound" if arc.head_tag == "CD" else "nummod"
    if child == "PRN":
        return "conj" if _first_label(arc) == "CC" else "parataxis"
    return clause_relation(arc) if child in _CLAUSES_AND_VP else "dep"


def _of_a_raised_subject(arc: Arc) -> str:
    """Return the relation of "him" in "made him leave", "told him to leave"."""
    takes_infinitive = is_form_of(arc.head_word, english.TELLING | english.ALLOWING)
    return "iobj" if takes_infinitive and read_clause(arc.phrase.node).form == "TO" else "obj"


def _of_a_question_phrase(arc: Arc) -> str:
    """Return the relation of "what" in "what he ate", "what happened", "what he talked about"."""
    clause = arc.phrase.node.subtrees[arc.place + 1 if arc.is_before_question else arc.chosen]
    if arc.is_before_question:
        has_subject = any(core_label(child.label) in ("NP", "EX") for child in clause.subtrees)
    else:
        has_subject = read_clause(clause).subject is not None
    if not has_subject:
        return "nsubj"
    return "obl" if has_lone_preposition(clause) else "obj"


_ADVERBIAL = frozenset({"ADV", "TMP", "LOC", "MNR", "PRP", "DIR", "EXT"})


def clause_relation(arc: Arc) -> str:
    """Return the relation of a clause or verb phrase whose head is no noun.

    A function in the label decides (SBAR-ADV, S-SBJ), then what begins the clause, then its head.
    """
    clause = read_clause(arc.node)
    if _is_subject_clause(arc, clause):
        return "csubj"
    if arc.functions & _ADVERBIAL:
        return "advcl"
    if "TPC" in arc.functions:
        return "ccomp"
    is_introduced = bool(clause.question or clause.introducers)
    if arc.child == "SBAR" and (is_introduced or clause.form not in ("TO", "VBG")):
        return _of_a_subordinate_clause(arc, clause)
    if arc.parent == "PP":
        return "advcl"
    if arc.parent == "VP" and not arc.before:
        return _after_a_verb(arc, clause)
    if arc.parent in ("ADJP", "ADVP"):
        return _after_an_adjective(arc, clause)
    return _beside_a_clause(arc, clause)


def _is_subject_clause(arc: Arc, clause: Clause) -> bool:
    """Whether a clause stands where the subject would: "That he lied is obvious"."""
    if "SBJ" in arc.functions:
        return True
    if not arc.before or arc.parent not in ("S", "SQ", "SINV"):
        return False
    # "is (what he said) true"
    is_after_verb = arc.parent == "SQ" and arc.label_before[:2] in ("VB", "MD")
    if arc.head_child != "VP" and not is_after_verb:
        return False
    between = arc.phrase.labels[arc.place + 1 : arc.chosen]
    if "NP" in between or "," in between or "NP" in arc.phrase.labels[: arc.place]:
        return False
    if arc.child == "SBAR":
        first = (*clause.introducers, clause.question_word)[0]
        if first in ("when", "where"):  # "when you leave, (call me)" is no subject
            return read_clause(arc.phrase.node.subtrees[arc.chosen]).form not in NONFINITE
        return clause.question == "WHNP" or first in ("that", "whether", "for", "how", "why")
    return clause.form in ("VBG", "TO")


def _of_a_subordinate_clause(arc: Arc, clause: Clause) -> str:
    """Return the relation of "that he left", "if he left", "what he said"."""
    introducers, asks = clause.introducers, is_form_of(arc.head_word, english.ASKING)
    first = introducers[0] if introducers else clause.question_word
    is_after_head = not arc.before and arc.parent in ("VP", "ADJP", "S", "SQ")
    if (
        clause.question == "WHNP"
        and arc.is_after_comma
        and clause.question_word in ("which", "who")
    ):
        return "advcl:relcl"
    if not is_after_head:
        return "advcl"
    if clause.question and not introducers:
        if clause.question in ("WHNP", "WHADJP", "WHPP"):
            return "ccomp"
        is_indirect = first in english.QUESTION_ADVERBS or (asks and first in ("when", "where"))
        return "ccomp" if is_indirect and arc.parent != "S" else "advcl"
    if introducers == ("that",) or not introducers:
        is_of_degree = arc.parent == "ADJP" and arc.has_before(("so", "such"))
        return "advcl" if is_of_degree or clause.is_inverted else "ccomp"
    if first == "whether":
        return "ccomp"
    if introducers == ("if",):
        return "ccomp" if asks and not arc.is_after_comma else "advcl"
    return "advcl"


def _after_a_verb(arc: Arc, clause: Clause) -> str:
    form = clause.form
    if arc.child == "VP" and arc.is_after_comma:
        return "conj" if arc.phrase.labels.count("VP") > 2 else "parataxis"
    if arc.label_before == "IN":
        return "advcl"  # "left after (he came)"
    if form not in NONFINITE:
        return _of_a_finite_clause(arc)
    if arc.is_after_comma:
        return "advcl" if form in ("TO", "VBG", "VBN") or clause.subject else "parataxis"
    if clause.subject is not None or form in ("VB", ""):
        return "xcomp"
    if form == "TO":
        return "xcomp" if _is_completed(arc) else "advcl"
    if form == "VBG":
        return "xcomp" if is_form_of(arc.head_word, english.ENJOYING) else "advcl"
    return "xcomp"


def _is_completed(arc: Arc) -> bool:
    """Whether an infinitive completes a verb, "want to go", or says what for, "left to go"."""
    verb, between = arc.head_word, arc.phrase.labels[arc.chosen + 1 : arc.place]
    if arc.head_tag == "VBN":
        verbs = english.WANTING | english.ORDERING
        return verb not in ("used", "needed") and is_form_of(verb, verbs)
    if not NOUN_PHRASES.isdisjoint(between):
        return is_form_of(verb, english.ORDERING)
    if is_form_of(verb, english.GOING):
        return (verb == "going" and not between) or "PRT" in between
    return is_form_of(verb, english.WANTING)


def _of_a_finite_clause(arc: Arc) -> str:
    """The relation of a clause without a conjunction after a verb: direct speech, or an aside."""
    is_aside = arc.is_after_comma and arc.node.end - arc.node.start < 4
    says = is_form_of(arc.head_word, english.SAYING | english.ASKING)
    return "parataxis" if is_aside or (arc.is_after_comma and not says) else "ccomp"


def _after_an_adjective(arc: Arc, clause: Clause) -> str:
    if clause.form in ("TO", "VBG") and clause.subject is None:
        if arc.head_word in english.TOUGH and clause.form == "TO":
            return "ccomp"
        return "xcomp" if arc.head_word in english.ABLE else "advcl"
    return "advcl" if clause.form in ("TO", "VBG", "VBN") else "ccomp"


def _beside_a_clause(arc: Arc, clause: Clause) -> str:
    """The relation of a clause within a clause: direct speech, a participle, another clause."""
    is_quoted = "''" in arc.phrase.labels[arc.place + 1 : arc.chosen]
    says = is_quoted or is_form_of(arc.head_word, english.SAYING)
    if arc.before and says and clause.form not in ("VBG", "TO", "VBN"):
        return "ccomp"
    if arc.head_child == "ADJP" and clause.form == "TO" and not arc.before:
        return "xcomp"  # "made it (possible) (to win)"
    if clause.subject is None and (arc.before or clause.form in ("TO", "VBG", "VBN")):
        return "advcl"
    is_absolute = arc.before and clause.form in ("VBG", "VBN")  # "the work done, they left"
    return "advcl" if is_absolute else "parataxis"


def settle_relations(arcs: Sequence[Arc | None], relations: Sequence[str]) -> list[str]:
    """Return the relations, changed where other dependents of the head say so.

    Args:
        arcs: The arc of each word, None for the root.
        relations: The relation of each word, as its own place in the tree tells it.
    """
    settled = list(relations)
    dependents: dict[int, list[int]] = {}
    for place, arc in enumerate(arcs):
        if arc is not None:
            dependents.setdefault(arc.head, []).append(place)
    for head, places in dependents.items():
        known = [arc for arc in map(arcs.__getitem__, places) if arc is not None]
        _Dependents(head, places, known, settled).settle()
    for places in dependents.values():
        agents = [place for place in places if _is_agent(place, arcs, settled, dependents)]
        if agents and _can_have_agent(places, arcs, settled):
            settled[_most_likely_agent(agents, arcs)] = "obl:agent"
    return settled


class _Dependents:
    """The dependents of one word, in order."""

    def __init__(
        self, head: int, places: Sequence[int], arcs: Sequence[Arc], relations: list[str]
    ) -> None:
        self.head, self.places, self.arcs, self.relations = head, places, arcs, relations

    def settle(self) -> None:
        self.settle_predicate_clause()
        self.settle_there()
        self.settle_it()
        self.settle_question()
        self.settle_objects()
        if self.has("aux:pass"):
            self.settle_auxiliaries()
            self.rename("nsubj", "nsubj:pass")
            self.rename("csubj", "csubj:pass")
        self.settle_subjects()

    def settle_there(self) -> None:
        """Mark the subject of "there is *a man*", "there remains *a man*", "let there be *light*"."""
        is_be = bool(self.arcs) and self.arcs[0].head_word in english.BE
        if self.has("nsubj") or not (is_be or self.has("expl")):
            return
        self.rename("obj", "nsubj")
        for place, arc in zip(self.places, self.arcs, strict=True):
            is_noun = arc.child in NOUN_PHRASES and self.relations[place] == "xcomp"
            if is_noun and not self.has("nsubj"):
                self.relations[place] = "nsubj"

    def settle_predicate_clause(self) -> None:
        """Distinguish "his aim *is* to win" (``cop``, with an outer subject) from "he *is* to leave" (``aux``)."""
        for place, arc in zip(self.places, self.arcs, strict=True):
            is_clause = arc.head_child in CLAUSES or (arc.head_child, arc.head_tag) == ("VP", "VB")
            if self.relations[place] != "cop" or not is_clause:
                continue
            ends, clause = arc.phrase.ends, arc.phrase.node.subtrees[arc.chosen]
            inside = range(ends[arc.chosen] - (clause.end - clause.start), ends[arc.chosen])
            if self.head - 1 not in inside or self._is_free_relative(inside):
                continue
            outer = [
                (one, one_arc)
                for one, one_arc in zip(self.places, self.arcs, strict=True)
                if one not in inside
                and self.relations[one] in ("nsubj", "csubj", "expl", "nsubj:outer", "csubj:outer")
            ]
            is_finite = arc.tag not in ("VB", "VBN", "VBG")
            form = read_clause(clause).form if arc.head_child != "VP" else ""
            if form == "TO" and is_finite and self._is_obliged(outer):
                self.relations[place] = "aux"
                continue
            for one, _ in outer:
                kind = self.relations[one].partition(":")[0]
                self.relations[one] = f"{'nsubj' if kind == 'expl' else kind}:outer"

    def _is_free_relative(self, inside: range) -> bool:
        return any(
            self.relations[place] == "acl:relcl" and place in inside and arc.parent == "SBAR"
            for place, arc in zip(self.places, self.arcs, strict=True)
        )

    def _is_obliged(self, subjects: Sequence[tuple[int, Arc]]) -> bool:
        """Whether "is to" says what someone must do: "he is to leave", "the rest is to be sold"."""
        if self.has("aux:pass") or not subjects:
            return True
        arc = subjects[-1][1]
        is_person = arc.tag in ("PRP", "NNP", "NNPS", "EX", "WP") and arc.word not in ("it", "what")
        return is_person or arc.word in english.TITLES | english.ADDRESSEES | {"who"}

    def has(self, relation: str) -> bool:
        return any(self.relations[place] == relation for place in self.places)

    def rename(self, old: str, new: str) -> None:
        for place in self.places:
            if self.relations[place] == old:
                self.relations[place] = new

    def settle_question(self) -> None:
        """Mark the subject of "who did this?": with an object before the verb it would be "who did this see?"."""
        question_word = self._place("obj", child="WHNP")
        other = self._place("nsubj", parent="SQ")
        if question_word is None or other is None or other < self.head or self.has("aux"):
            return
        self.relations[question_word], self.relations[other] = "nsubj", "obj"

    def _place(self, relation: str, child: str = "", parent: str = "") -> int | None:
        """Return the first dependent with a relation whose phrase, or the phrase above, has the label."""
        for place, arc in zip(self.places, self.arcs, strict=True):
            if self.relations[place] == relation and (arc.child == child or arc.parent == parent):
                return place
        return None

    def settle_auxiliaries(self) -> None:
        """Keep the last auxiliary as that of the passive: "is *being* seen"."""
        passives = [place for place in self.places if self.relations[place] == "aux:pass"]
        for place in passives[:-1]:
            self.relations[place] = "aux"

    def settle_subjects(self) -> None:
        """Of several subjects, keep the one that is nearest to the verb."""
        subjects = [
            place for place in self.places if self.relations[place] in ("nsubj", "nsubj:pass")
        ]
        nearest = min(subjects, key=lambda place: abs(place + 1 - self.head), default=None)
        for place, arc in zip(self.places, self.arcs, strict=True):
            if place in subjects and place != nearest:
                is_time = arc.word in english.TIMES  # "last night, who called?"
                self.relations[place] = "obl:unmarked" if is_time else "dislocated"

    def settle_objects(self) -> None:
        """Distinguish objects on both sides of the verb: "what did he give *her*", "was elected *president*"."""
        objects = [place for place in self.places if self.relations[place] == "obj"]
        verb = self.arcs[0].head_word
        if len(objects) == 2 and is_form_of(verb, english.GIVING | english.TELLING):
            self.relations[objects[-1]] = "iobj"
        if objects and self.has("aux:pass") and is_form_of(verb, english.NAMING):
            self.relations[objects[-1]] = "xcomp"

    def settle_it(self) -> None:
        """Mark "it" that stands for a clause: "*it* is clear that he lied"."""
        subject = next((place for place in self.places if self.relations[place] == "nsubj"), None)
        if subject is None or self.arcs[self.places.index(subject)].word != "it":
            return
        for place, arc in zip(reversed(self.places), reversed(self.arcs), strict=True):
            relation = None if self.relations[place] == "conj" else self._of_it(arc)
            if relation is not None:
                self.relations[subject], self.relations[place] = "expl", relation
                return

    def _of_it(self, arc: Arc) -> str | None:
        """Return the relation of the clause that "it" stands for; None if the dependent is no such clause."""
        if arc.before or arc.is_after_comma or arc.child not in ("SBAR", "S"):
            return None
        if arc.parent not in ("VP", "ADJP", "SQ", "SINV"):
            return None
        clause = read_clause(arc.node)
        is_that = clause.introducers == ("that",)
        if self.has("cop"):
            asks = is_form_of(arc.head_word, english.ASKING)
            if clause.question:
                is_indirect = clause.question_word in english.QUESTION_ADVERBS
                is_noun = arc.head_child in NOUN_PHRASES and clause.question != "WHADJP"
                if (is_noun and not is_indirect) or clause.question_word == "that":
                    return "advcl:relcl"  # "it was Bob who left", "it was in May that he left"
                is_time = clause.question_word in ("when", "where") and not asks
                return None if is_time else "csubj"  # "it is amazing how he won"
            if clause.introducers == ("if",) and asks:
                return "csubj"
            degrees = ("too", "enough") if clause.form == "TO" else ("so", "such")
            stands_for = clause.introducers in ((), ("that",), ("whether",), ("for",))
            is_meant = stands_for and clause.form != "VBN" and arc.head_tag != "RB"
            return "csubj" if is_meant and not arc.has_before(degrees) else None
        if is_form_of(arc.head_word, english.SEEMING) and arc.child == "SBAR":
            return "ccomp" if is_that or not (clause.introducers or clause.question) else None
        if arc.head_tag == "VBN" and (
            is_that or clause.question or "whether" in clause.introducers
        ):
            return "csubj" if is_form_of(arc.head_word, english.SAYING | english.FINDING) else None
        takes = clause.form in ("TO", "VBG") and is_form_of(arc.head_word, english.TAKING)
        affects = is_form_of(arc.head_word, english.AFFECTING)
        is_fact = is_that or clause.introducers == ("whether",) or clause.form == "TO"
        return "csubj" if takes or (affects and is_fact) else None


def _is_agent(
    place: int,
    arcs: Sequence[Arc | None],
    relations: Sequence[str],
    dependents: dict[int, list[int]],
) -> bool:
    """Return whether a word can be the agent of a passive: "was seen *by the cat*", "a cake eaten *by mice*"."""
    arc = arcs[place]
    if arc is None or relations[place] != "obl" or arc.head_tag != "VBN":
        return False
    below = dependents.get(place + 1, [])
    first = arcs[below[0]] if below else None
    if first is None or first.word != "by" or arc.functions & _ADVERBIAL:
        return False
    if _is_logical_subject(arc):
        return True
    is_bare = arc.word in english.MEANS and all(
        relations[one] in ("case", "compound") for one in below
    )
    is_time = arc.word in english.TIMES or english.TIME_IN_NUMBERS.fullmatch(arc.word)
    return not (is_bare or is_time or arc.word in english.AGENTLESS or arc.tag in ("RB", "$"))


def _can_have_agent(
    places: Sequence[int], arcs: Sequence[Arc | None], relations: Sequence[str]
) -> bool:
    """Return whether the head of some words is a passive: not "made" of "she had made"."""
    words = [arc.word for place in places if relations[place] == "aux" and (arc := arcs[place])]
    is_passive = any(relations[place] == "aux:pass" for place in places)
    return is_passive or english.HAVE.isdisjoint(words)


def _is_logical_subject(arc: Arc) -> bool:
    """Whether the label of a phrase says that it is the agent: ``PP-LGS``, or ``NP-LGS`` in it."""
    inside = (functions(child.label) for child in arc.node.subtrees)
    return "LGS" in arc.functions or any("LGS" in one for one in inside)


def _most_likely_agent(agents: Sequence[int], arcs: Sequence[Arc | None]) -> int:
    """Return which of several words is the agent: as the label says, else a name or pronoun, else the first one."""
    known = {place: arc for place in agents if (arc := arcs[place]) is not None}
    marked = [place for place, arc in known.items() if _is_logical_subject(arc)]
    names = [place for place, arc in known.items() if arc.tag in ("NNP", "NNPS", "PRP", "WP")]
    return (marked or names or list(agents))[0]
