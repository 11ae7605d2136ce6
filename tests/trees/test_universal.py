"""Universal relations of small trees: times, objects, clauses, questions, functions in labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from bnaparser.treebanks.conllu import read_conllu
from bnaparser.treebanks.reading import load_trees
from bnaparser.trees.heads.universal import universal_arcs
from bnaparser.trees.render.conllu_lines import conllu
from bnaparser.trees.tree import Tree
from tests.trees.test_heads import trees


def relations(brackets: str, *words: str) -> str:
    """Return ``relation<head`` of each word that is named, or of all words."""
    tree = Tree.parse(brackets)
    found = {
        word: f"{arc.relation}<{tree.words[arc.head - 1]}" if arc.head else "root"
        for word, arc in zip(tree.words, universal_arcs(tree), strict=True)
    }
    return " ".join(found[word] for word in words or found)


def objects(verb: str, *after: str, subject: str = "(NP (PRP She))") -> str:
    """Return a sentence of a subject, a verb and what follows."""
    return f"(S {subject} (VP (VBD {verb}) {' '.join(after)}) (. .))"


@pytest.mark.parametrize(
    ("first", "noun"),
    [
        ("(NP (NN Yesterday))", "Yesterday"),
        ("(NP (JJ Last) (NN year)) (, ,)", "year"),
        ("(NP (DT This) (NN morning))", "morning"),
        ("(NP (CD One) (NN day))", "day"),
        ("(NP (DT Every) (NNP Monday))", "Monday"),
        ("(NP (DT The) (JJ next) (NN week)) (, ,)", "week"),
        ("(NP-TMP (DT Those) (NNS holidays))", "holidays"),
    ],
)
def test_a_time_before_the_subject_is_no_subject(first: str, noun: str) -> None:
    sentence = f"(S {first} (NP (DT the) (NN dog)) (VP (VBD barked)) (. .))"
    assert relations(sentence, noun, "dog") == "obl:unmarked<barked nsubj<barked"


def test_a_time_is_the_subject_where_no_other_is() -> None:
    sentence = "(S (NP (NNP Monday)) (VP (VBD was) (ADJP (JJ cold))) (. .))"
    assert relations(sentence, "Monday") == "nsubj<cold"
    sentence = (
        "(SBARQ (NP (JJ Last) (NN night)) (, ,) (WHNP (WP who)) (SQ (VP (VBD called))) (. ?))"
    )
    assert relations(sentence, "night", "who") == "obl:unmarked<called nsubj<called"
    sentence = "(S (NP (NP (NNP Bob)) (NP-TMP (NN harvest))) (VP (VBD left)))"
    assert relations(sentence, "harvest") == "nmod:unmarked<Bob"
    sentence = "(S (NP (NN Tomorrow)) (VP (VB bring) (NP (DT a) (NN book))) (. .))"
    assert relations(sentence, "Tomorrow", "book") == "obl:unmarked<bring obj<bring"


@pytest.mark.parametrize(
    ("verb", "after", "expected"),
    [
        ("sold", "(NP (DT the) (NN house)) (NP (JJ last) (NN year))", "house:obj year:obl:unmarked"),
        ("cut", "(NP (NNS jobs)) (NP (NNP Tuesday))", "jobs:obj Tuesday:obl:unmarked"),
        ("met", "(NP (PRP him)) (NP (DT this) (NN morning))", "him:obj morning:obl:unmarked"),
        ("left", "(NP (NNP Monday) (NN night))", "night:obl:unmarked"),
        ("walked", "(NP (CD two) (NNS miles))", "miles:obl:unmarked"),
        ("works", "(NP (NNS nights))", "nights:obl:unmarked"),
        ("expire", "(NP (NNP May) (CD 8))", "May:obl:unmarked"),
        ("rose", "(NP (CD 7))", "7:obl:unmarked"),
        ("waited", "(NP (DT an) (NN hour))", "hour:obl:unmarked"),
        ("spent", "(NP (DT an) (NN hour))", "hour:obj"),
        ("spent", "(NP (NNP Sunday))", "Sunday:obj"),
        ("won", "(NP (DT the) (NN cup)) (NP (CD 1990))", "cup:obj 1990:obl:unmarked"),
        ("won", "(NP (DT the) (NN cup)) (NP (CD 12/5/2010))", "cup:obj 12/5/2010:obl:unmarked"),
        ("loves", "(NP (NNPS Mondays))", "Mondays:obj"),
        ("taught", "(NP (DT the) (NN class)) (NP (NNPS Mondays))", "class:obj Mondays:obl:unmarked"),
        ("sold", "(NP (PRP us)) (NP (NN fruit)) (NP (NNS mornings))",
         "us:iobj fruit:obj mornings:obl:unmarked"),
        ("did", "(NP (PRP it)) (NP (DT this) (NN way))", "it:obj way:obl:unmarked"),
        ("thanked", "(NP (PRP him)) (NP (DT a) (NN lot))", "him:obj lot:obl:unmarked"),
        ("gave", "(NP (NNP Mary)) (NP (DT a) (NN book)) (NP (NN yesterday))",
         "Mary:iobj book:obj yesterday:obl:unmarked"),
        ("gave", "(NP (PRP him)) (NP (CD two) (NNS weeks))", "him:iobj weeks:obj"),
        ("took", "(NP (PRP me)) (NP (CD two) (NNS hours))", "me:iobj hours:obj"),
        ("told", "(NP (DT the) (NNS police)) (SBAR (IN that) (S (NP (PRP he)) (VP (VBD left))))",
         "police:iobj left:ccomp"),
        ("called", "(NP (PRP him)) (NP (DT a) (NN liar))", "him:obj liar:xcomp"),
        ("became", "(NP (DT a) (NN judge)) (NP (JJ last) (NN week))", "judge:xcomp week:obl:unmarked"),
        ("met", "(NP (NNP Bob)) (NP-TMP (NNP Monday))", "Bob:obj Monday:obl:unmarked"),
        ("sold", "(NP (PRP it)) (NP-TMP (DT that) (NN Ramadan))", "it:obj Ramadan:obl:unmarked"),
        ("thanked", "(NP (PRP us)) (, ,) (NP (NNP Bob))", "us:obj Bob:vocative"),
        ("gave", "(NP (NNP Mary)) (DT a) (NN book)", "Mary:iobj a:det book:obj"),
        ("gave", "(NP (NNP Mary)) (CD two) (NNS books)", "Mary:iobj two:nummod books:obj"),
        ("baked", "(NP (PRP$ his) (NN wife)) (NP (DT a) (NN cake))", "wife:iobj cake:obj"),
        ("sold", "(NP (PRP us)) (DT a) (JJR cheaper) (NN car) (NP (DT this) (NN year))",
         "us:iobj a:det cheaper:amod car:obj year:obl:unmarked"),
    ],
)  # fmt: skip
def test_objects_and_times_after_a_verb(verb: str, after: str, expected: str) -> None:
    sentence = objects(verb, after)
    words = [pair.partition(":")[0] for pair in expected.split()]
    found = relations(sentence, *words).split()
    assert [f"{word}:{one.partition('<')[0]}" for word, one in zip(words, found, strict=True)] == (
        expected.split()
    )


@pytest.mark.parametrize(
    "brackets",
    [
        "(S (NP (PRP He)) (VP (VBD came) (, ,) (VP (VBD saw)) (CC and) (VP (VBD won))) (. .))",
        "(S (NP (PRP He)) (VP (VP (VBD came)) (, ,) (VP (VBD saw)) (CC and) (VP (VBD won))) (. .))",
        "(S (NP (PRP He)) (VP (VP (VBD came)) (, ,) (VBD saw) (CC and) (VBD won)) (. .))",
        "(S (NP (PRP He)) (VP (VBD came) (, ,) (VBD saw) (CC and) (VBD won)) (. .))",
    ],
)
def test_ordinary_verbs_are_no_auxiliaries(brackets: str) -> None:
    found = relations(brackets, "He", "came", "saw", "and", "won")
    assert found == "nsubj<came root conj<came cc<won conj<came"


@pytest.mark.parametrize(
    ("brackets", "words", "expected"),
    [
        ("(VP (VBD got) (VP (VBN killed)))", "got", "aux:pass<killed"),
        ("(VP (VBZ does) (RB n't) (VP (VB go)))", "does", "aux<go"),
        ("(VP (VBZ 's) (VP (VBN been) (VP (VBN seen))))", "'s been", "aux<seen aux:pass<seen"),
        ("(VP (VBZ 's) (VP (VBN gone)))", "'s", "aux<gone"),
        ("(VP (VBD helped) (VP (VB clean)))", "helped clean", "root xcomp<helped"),
    ],
)
def test_auxiliaries(brackets: str, words: str, expected: str) -> None:
    assert relations(f"(S (NP (PRP It)) {brackets} (. .))", *words.split()) == expected


@pytest.mark.parametrize(
    ("brackets", "words", "expected"),
    [
        ("(S (SBAR (IN That) (S (NP (PRP he)) (VP (VBD lied)))) (VP (VBZ is) (ADJP (JJ obvious))))",
         "lied", "csubj<obvious"),
        ("(S (SBAR (WHNP (WP What)) (S (NP (PRP she)) (VP (VBD said)))) (VP (VBZ makes) (NP (NN sense))))",
         "said What", "csubj<makes obj<said"),
        ("(S (SBAR (IN That) (S (NP (PRP he)) (VP (VBD cheated)))) (VP (VBD was) (VP (VBN known))))",
         "cheated", "csubj:pass<known"),
        ("(S (SBAR (IN Whether) (S (NP (PRP he)) (VP (VBZ comes)))) (VP (VBZ is) (ADJP (JJ unclear))))",
         "comes", "csubj<unclear"),
        ("(S (SBAR (WHADVP (WRB Where)) (S (NP (PRP he)) (VP (VBD went)))) (VP (VBZ is) (ADJP (JJ unclear))))",
         "went", "csubj<unclear"),
        ("(S (SBAR (WHADVP (WRB When)) (S (NP (PRP he)) (VP (VBZ comes)))) (VP (VB call) (NP (PRP me))))",
         "comes", "advcl<call"),
        ("(SQ (VBZ Is) (SBAR (WHNP (WP what)) (S (NP (PRP he)) (VP (VBD said)))) (ADJP (JJ true)) (. ?))",
         "said", "csubj<true"),
        ("(S (NP (PRP It)) (VP (VBZ is) (ADJP (JJ amazing)) (SBAR (WHADVP (WRB how)) (S (NP (PRP he)) (VP (VBD won))))))",
         "It won", "expl<amazing csubj<amazing"),
        ("(S (NP (PRP It)) (VP (VBZ is) (ADJP (JJ nice)) (SBAR (WHADVP (WRB when)) (S (NP (PRP he)) (VP (VBZ sings))))))",
         "It sings", "nsubj<nice advcl<nice"),
        ("(S (NP (PRP It)) (VP (VBZ is) (ADJP (JJ unclear)) (SBAR (IN if) (S (NP (PRP he)) (VP (VBD won))))))",
         "It won", "expl<unclear csubj<unclear"),
        ("(S (NP (PRP It)) (VP (VBZ is) (VP (VBN known) (SBAR (WHNP (WP who)) (S (VP (VBD won)))))))",
         "It won", "expl<known csubj:pass<known"),
        ("(S (NP (PRP It)) (VP (VBZ annoys) (NP (PRP me)) (SBAR (IN that) (S (NP (PRP he)) (VP (VBD lied))))))",
         "It lied", "expl<annoys csubj<annoys"),
        ("(S (NP (PRP It)) (VP (VBZ matters) (SBAR (IN whether) (S (NP (PRP he)) (VP (VBD lied))))))",
         "It lied", "expl<matters csubj<matters"),
        ("(S (S (VP (TO To) (VP (VB err)))) (VP (VBZ is) (ADJP (JJ human))))", "err", "csubj<human"),
        ("(S (S (VP (VBG Driving))) (VP (VBZ is) (NP (NN fun))))", "Driving", "csubj<fun"),
        ("(S (S (VP (VBG Running))) (, ,) (NP (PRP he)) (VP (VBD fell)))", "Running he", "advcl<fell nsubj<fell"),
        ("(S (S-NOM-SBJ (VP (VBG Eating) (, ,))) (, ,) (VP (VBD helped)))", "Eating", "csubj<helped"),
        ("(S (NP (PRP It)) (VP (VBZ is) (ADJP (JJ clear)) (SBAR (IN that) (S (NP (PRP he)) (VP (VBD lied))))))",
         "It lied", "expl<clear csubj<clear"),
        ("(S (NP (PRP It)) (VP (VBZ takes) (NP (NN time)) (S (VP (TO to) (VP (VB learn))))))",
         "It learn", "expl<takes csubj<takes"),
        ("(S (NP (PRP It)) (VP (VBZ is) (ADJP (RB too) (JJ old) (S (VP (TO to) (VP (VB learn)))))))",
         "It learn", "nsubj<old advcl<old"),
        ("(S (NP (PRP It)) (VP (VBD was) (NP (NNP Bob)) (SBAR (WHNP (WP who)) (S (VP (VBD left))))))",
         "It left who", "expl<Bob advcl:relcl<Bob nsubj<left"),
    ],
)  # fmt: skip
def test_clauses_as_subjects(brackets: str, words: str, expected: str) -> None:
    assert relations(brackets, *words.split()) == expected


HE_LIED = "(S (NP (PRP he)) (VP (VBD lied)))"
TO_WIN = "(S (VP (TO to) (VP (VB win))))"


@pytest.mark.parametrize(
    ("subject", "predicate", "words", "expected"),
    [
        ("(NP (PRP$ His) (NN aim))", f"(VP (VBZ is) {TO_WIN})", "aim is win",
         "nsubj:outer<win cop<win root"),
        ("(NP (PRP$ His) (NN aim))", f"(VP (MD will) (VP (VB be) {TO_WIN}))", "aim will be win",
         "nsubj:outer<win aux<win cop<win root"),
        ("(NP (PRP$ My) (NN hobby))", "(VP (VBZ is) (S (VP (VBG singing))))", "hobby is singing",
         "nsubj:outer<singing cop<singing root"),
        ("(NP (DT All) (SBAR (S (NP (PRP he)) (VP (VBD did)))))", "(VP (VBD was) (S (VP (VB leave))))", "All was leave",
         "nsubj:outer<leave cop<leave root"),
        ("(S (VP (TO To) (VP (VB see))))", "(VP (VBZ is) (S (VP (TO to) (VP (VB believe)))))", "see is believe",
         "csubj:outer<believe cop<believe root"),
        ("(NP (DT The) (NN point))", f"(VP (VBZ is) (SBAR (IN that) {HE_LIED}))", "point is that he lied",
         "nsubj:outer<lied cop<lied mark<lied nsubj<lied root"),
        ("(NP (DT The) (NN thing))", f"(VP (VBZ is) (, ,) {HE_LIED})", "thing is he lied",
         "nsubj:outer<lied cop<lied nsubj<lied root"),
        ("(NP (PRP It))", f"(VP (VBZ is) (RB not) (SBAR (IN that) {HE_LIED}))", "It is not he lied",
         "nsubj:outer<lied cop<lied advmod<lied nsubj<lied root"),
        ("(NP (DT That))", f"(VP (VBZ is) (SBAR (IN because) {HE_LIED}))", "That is because lied",
         "nsubj:outer<lied cop<lied mark<lied root"),
        ("(NP (DT The) (NN question))", f"(VP (VBZ is) (SBAR (IN whether) {HE_LIED}))", "question is lied",
         "nsubj:outer<lied cop<lied root"),
        ("(NP (DT The) (NN question))", f"(VP (VBZ is) (SBAR (WHADVP (WRB how)) {HE_LIED}))", "question how lied",
         "nsubj:outer<lied advmod<lied root"),
        ("(NP (DT The) (NN problem))", f"(VP (VBD was) (SBAR (WHADVP (WRB when)) {HE_LIED}))", "problem was when lied",
         "nsubj:outer<lied cop<lied advmod<lied root"),
        # relative clauses without a noun: the question word is the head
        ("(NP (DT This))", "(VP (VBZ is) (SBAR (WHNP (WP what)) (S (NP (PRP he)) (VP (VBD said)))))",
         "This is what said", "nsubj<what cop<what root acl:relcl<what"),
        ("(NP (DT That))", f"(VP (VBZ is) (SBAR (WHADVP (WRB why)) {HE_LIED}))", "That is why lied",
         "nsubj<why cop<why root acl:relcl<why"),
        ("(NP (DT That))", "(VP (VBZ is) (SBAR (WHNP (WP what)) (S (NP (PRP it)) (VP (VBZ is)))))",
         "That what it", "nsubj:outer<what root nsubj<what"),
        (f"(SBAR (WHADVP (WRB Where)) {HE_LIED})", f"(VP (VBZ is) (SBAR (WHADVP (WRB there)) {HE_LIED}))", "is there",
         "cop<there root"),
        # what someone must do
        ("(NP (PRP He))", f"(VP (VBZ is) {TO_WIN})", "He is win", "nsubj<win aux<win root"),
        ("(NP (NNP Tom))", f"(VP (VBD was) (RB not) {TO_WIN})", "Tom was not win",
         "nsubj<win aux<win advmod<win root"),
        ("(NP (DT The) (NN rest))", "(VP (VBZ is) (S (VP (TO to) (VP (VB be) (VP (VBN sold))))))", "rest is be sold",
         "nsubj:pass<sold aux<sold aux:pass<sold root"),
        ("(NP (EX There))", "(VP (VBZ is) (S (VP (TO to) (VP (VB be) (NP (DT a) (NN vote))))))", "There is be vote",
         "expl<be aux<be root nsubj<be"),
        # "be" has another predicate, or a clause is no predicate
        ("(NP (PRP It))", f"(VP (VBZ is) (ADJP (JJ hard)) {TO_WIN})", "It is hard win", "expl<hard cop<hard root csubj<hard"),
        ("(NP (PRP He))", f"(VP (VBD was) (ADVP (RB there)) (SBAR (WHADVP (WRB when)) {HE_LIED}))", "He there lied",
         "nsubj<there root advcl<there"),
        ("(NP (PRP He))", "(VP (VBZ is) (VP (VBG singing)))", "He is singing", "nsubj<singing aux<singing root"),
        ("(NP (EX There))", f"(VP (VBZ is) (NP (NN time)) {TO_WIN})", "There is time win",
         "expl<is root nsubj<is advcl<is"),
        ("(NP (NN Time))", f"(VP (VBD was) (, ,) (SBAR (WHADVP (WRB when)) {HE_LIED}))", "Time was lied",
         "nsubj<was root advcl<was"),
    ],
)  # fmt: skip
def test_clauses_as_predicates(subject: str, predicate: str, words: str, expected: str) -> None:
    assert relations(f"(S {subject} {predicate} (. .))", *words.split()) == expected


def test_a_clause_is_the_predicate_of_a_question() -> None:
    question = f"(SQ (VBZ Is) (NP (DT the) (NN point)) (SBAR (IN that) {HE_LIED}) (. ?))"
    assert relations(question, "Is", "point", "lied") == "cop<lied nsubj:outer<lied root"
    question = f"(SQ (VBZ Is) (NP (PRP he)) {TO_WIN} (. ?))"
    assert relations(question, "Is", "he", "win") == "aux<win nsubj<win root"


@pytest.mark.parametrize(
    ("verb", "after", "word", "expected"),
    [
        ("asked", "(SBAR (IN whether) (S (NP (PRP I)) (VP (VBD came))))", "came", "ccomp<asked"),
        ("asked", "(SBAR (IN if) (S (NP (PRP I)) (VP (VBD came))))", "came", "ccomp<asked"),
        ("laughed", "(SBAR (IN if) (S (NP (PRP I)) (VP (VBD came))))", "came", "advcl<laughed"),
        ("wondered", "(SBAR (WHADVP (WRB when)) (S (NP (PRP I)) (VP (VBD came))))", "came", "ccomp<wondered"),
        ("left", "(SBAR (WHADVP (WRB when)) (S (NP (PRP I)) (VP (VBD came))))", "came", "advcl<left"),
        ("knew", "(SBAR (WHADVP (WRB why)) (S (NP (PRP I)) (VP (VBD came))))", "came", "ccomp<knew"),
        ("left", "(SBAR (IN because) (S (NP (PRP I)) (VP (VBD came))))", "came", "advcl<left"),
        ("left", "(SBAR (IN so) (IN that) (S (NP (PRP I)) (VP (VBD came))))", "came", "advcl<left"),
        ("exploded", "(, ,) (S (VP (VBG killing) (NP (NNS people))))", "killing", "advcl<exploded"),
        ("kept", "(S (VP (VBG killing) (NP (NNS people))))", "killing", "xcomp<kept"),
        ("left", "(S (VP (TO to) (VP (VB win))))", "win", "advcl<left"),
        ("wanted", "(S (VP (TO to) (VP (VB win))))", "win", "xcomp<wanted"),
        ("used", "(NP (DT a) (NN key)) (S (VP (TO to) (VP (VB win))))", "win", "advcl<used"),
        ("left", "(SBAR (IN in) (NN order) (S (VP (TO to) (VP (VB win)))))", "win", "advcl<left"),
        ("left", "(SBAR (IN in) (NN order) (S (VP (TO to) (VP (VB win)))))", "order", "fixed<in"),
        ("left", "(SBAR (IN in) (NN order) (S (VP (TO to) (VP (VB win)))))", "in", "mark<win"),
        ("left", "(S-PRP (VP (TO to) (VP (VB try))))", "try", "advcl<left"),
        ("knew", "(SBAR-ADV (IN if) (S (NP (PRP I)) (VP (VBD came))))", "came", "advcl<knew"),
        ("made", "(S (NP (PRP him)) (VP (VB leave)))", "him", "obj<made"),
        ("made", "(S (NP (PRP him)) (VP (VB leave)))", "leave", "xcomp<made"),
        ("told", "(S (NP (PRP him)) (VP (TO to) (VP (VB leave))))", "him", "iobj<told"),
        ("was", "(ADJP (JJ sure) (SBAR (IN if) (S (NP (PRP I)) (VP (VBD came)))))", "came", "ccomp<sure"),
        ("was", "(ADJP (JJ happy) (SBAR (IN if) (S (NP (PRP I)) (VP (VBD came)))))", "came", "advcl<happy"),
        ("made", "(S (NP (PRP it)) (ADJP (JJ clear)) (SBAR (IN that) (S (NP (PRP I)) (VP (VBD came)))))",
         "it", "obj<made"),
        ("made", "(S (NP (PRP it)) (ADJP (JJ clear)) (SBAR (IN that) (S (NP (PRP I)) (VP (VBD came)))))",
         "clear", "xcomp<made"),
        ("made", "(S (NP (PRP it)) (ADJP (JJ easy)) (S (VP (TO to) (VP (VB win)))))", "win", "xcomp<easy"),
        ("made", "(S (NP (PRP him)) (NP (NN president)))", "president", "xcomp<made"),
        ("made", "(S (NP (PRP him)) (NP (NN president)))", "him", "obj<made"),
    ],
)  # fmt: skip
def test_clauses_after_a_verb(verb: str, after: str, word: str, expected: str) -> None:
    assert relations(objects(verb, after), word) == expected


@pytest.mark.parametrize(
    ("question", "words", "expected"),
    [
        ("(WHADVP (WRB Why)) (SQ (VBD did) (NP (PRP you)) (VP (VB leave)))", "Why you leave Tom",
         "advmod<leave nsubj<leave ccomp<asked nsubj<asked"),
        ("(WHNP (WP What)) (SQ (VBP do) (NP (PRP you)) (VP (VB want)))", "What you want Tom",
         "obj<want nsubj<want ccomp<asked nsubj<asked"),
        ("(WHNP (WP Who)) (SQ (VBZ is) (NP (PRP she)))", "Who is she Tom",
         "ccomp<asked cop<Who nsubj<Who nsubj<asked"),
        ("(SBARQ (WHNP (WP Who)) (SQ (VBZ is) (NP (PRP she))))", "Who is she Tom",
         "ccomp<asked cop<Who nsubj<Who nsubj<asked"),
        ("(SQ (VBZ Is) (NP (PRP it)) (VP (VBG raining)))", "Is it raining Tom",
         "aux<raining nsubj<raining ccomp<asked nsubj<asked"),
        ("(S (NP (PRP I)) (VP (VBP sleep)))", "I sleep Tom", "nsubj<sleep ccomp<asked nsubj<asked"),
        ("(WHADVP (WRB Where)) (SQ (VBZ is) (NP (PRP it)))", "Where is it Tom",
         "ccomp<asked cop<Where nsubj<Where nsubj<asked"),
        ("(WHNP (WP What)) (S (VP (VBD happened)))", "What happened Tom",
         "nsubj<happened ccomp<asked nsubj<asked"),
        ("(NP (DT A) (NN snake))", "A snake Tom", "det<snake ccomp<asked nsubj<asked"),
        ("(ADVP (RB Now))", "Now Tom", "ccomp<asked nsubj<asked"),
    ],
)  # fmt: skip
def test_direct_speech(question: str, words: str, expected: str) -> None:
    after = f"(S (`` ``) {question} (. ?) ('' '') (NP (NNP Tom)) (VP (VBD asked)) (. .))"
    before = f"(SINV (`` ``) {question} (. ?) ('' '') (VP (VBD asked)) (NP (NNP Tom)) (. .))"
    assert relations(after, *words.split()) == expected
    assert relations(before, *words.split()) == expected


@pytest.mark.parametrize(
    ("brackets", "words", "expected"),
    [
        ("(SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (PRP he)) (VP (VB give) (NP (PRP her)))))",
         "What her", "obj<give iobj<give"),
        ("(SBARQ (WHNP (WP Who)) (SQ (VBD did) (NP (PRP he)) (VP (VB talk) (PP (TO to)))))",
         "Who to", "obl<talk case<Who"),
        ("(SBARQ (WHNP (WP Who)) (SQ (VBD did) (NP (DT this))))", "Who this", "nsubj<did obj<did"),
        ("(SQ (VBZ Is) (NP (EX there)) (NP (NN hope)))", "there hope", "expl<Is nsubj<Is"),
        ("(S (NP (NNP Bob)) (, ,) (VP (VB come)))", "Bob", "vocative<come"),
        ("(S (NP (NNP Bob)) (, ,) (NP (PRP I)) (VP (VBP sleep)))", "Bob I", "vocative<sleep nsubj<sleep"),
        ("(NP (NP (DT the) (NN book)) (SBAR (S (NP (PRP I)) (VP (VBD bought)))))", "bought",
         "acl:relcl<book"),
        ("(NP (NP (DT the) (NN fact)) (SBAR (IN that) (S (NP (PRP I)) (VP (VBD left)))))", "left", "acl<fact"),
        ("(NP (NNP Mr.) (NNP Lay))", "Mr.", "nmod:desc<Lay"),
        ("(NP (NP (NNS cats)) (, ,) (NP (NNS dogs)) (, ,) (NP (NNS birds)))", "dogs birds", "conj<cats conj<cats"),
        ("(NP (NP (NNP Bob)) (, ,) (NP (DT a) (NN judge)))", "judge", "appos<Bob"),
        ("(S (NP (NNS Cakes)) (VP (VBD were) (VP (VBN eaten) (PP (IN by) (NP (NNS mice))))))",
         "Cakes mice", "nsubj:pass<eaten obl:agent<eaten"),
        ("(S (NP (NNS Cakes)) (VP (VBD were) (VP (VBN eaten) (PP (IN by) (NP (NNP Monday))))))",
         "Monday", "obl<eaten"),
        ("(S (NP (PRP She)) (VP (VBD was) (VP (VBN elected) (NP (NN president)))))", "president", "xcomp<elected"),
        ("(S (NP-TPC-1 (NN Cake)) (NP-SBJ (PRP I)) (VP (VBP like)))", "Cake I", "obj<like nsubj<like"),
        ("(S (NP-TPC (NN Cake)) (, ,) (NP-SBJ (PRP I)) (VP (VBP like) (NP (PRP it))))", "Cake it",
         "dislocated<like obj<like"),
        ("(S (NP (PRP He)) (VP (VBD went) (VP (VBG fishing)) (CC and) (VP (VBD swam))))", "fishing swam",
         "xcomp<went conj<went"),
        ("(S (NP-SBJ (EX There)) (VP (VBZ is) (NP-PRD (NN hope)) (NP-TMP (NN today))))",
         "There hope today", "expl<is nsubj<is obl:unmarked<is"),
        ("(S (NP-SBJ (PRP He)) (VP (VBZ is) (NP-TMP (NN today)) (NP-PRD (DT a) (NN judge))))",
         "He today judge", "nsubj<judge obl:unmarked<judge root"),
    ],
)  # fmt: skip
def test_questions_names_and_predicates(brackets: str, words: str, expected: str) -> None:
    assert relations(brackets, *words.split()) == expected


@pytest.mark.parametrize(
    ("phrase", "clause"),
    [
        ("(NP (WP what))", "(S (NP (PRP he)) (VP (VBD said)))"),
        ("(NP (WP who))", "(S (VP (VBD left)))"),
        ("(NP (WP$ whose) (NN dog))", "(S (NP (PRP he)) (VP (VBD saw)))"),
        ("(PP (IN in) (NP (WDT which)))", "(S (NP (PRP he)) (VP (VBD slept)))"),
        ("(ADVP (WRB where))", "(S (NP (PRP he)) (VP (VBD slept)))"),
        ("(ADJP (WRB how) (JJ old))", "(S (NP (PRP he)) (VP (VBD was)))"),
    ],
)
def test_question_phrases_without_wh_in_their_label(phrase: str, clause: str) -> None:
    for before, after in (
        ("(S (NP (PRP I)) (VP (VBP know) ", "))"),
        ("(S (NP (NP (DT the) (NN house)) ", ") (VP (VBD burned)))"),
        ("(S ", " (VP (VBD surprised) (NP (PRP me))))"),
    ):
        ours = f"{before}(SBAR {phrase} {clause}){after}"
        assert relations(ours) == relations(ours.replace(phrase, f"(WH{phrase[1:]}"))


def test_a_noun_phrase_before_a_clause_that_asks_nothing_is_no_question() -> None:
    brackets = "(S (NP (PRP I)) (VP (VBD left) (SBAR (NP (DT the) (NN day)) (S (NP (WP who)) (VP (VBD came))))))"
    assert relations(brackets, "day") == "obl:unmarked<came"


def test_a_clause_with_a_participle_and_a_subject_is_adverbial() -> None:
    sentence = (
        "(S (S (NP (DT The) (NN work)) (VP (VBN done))) (, ,) (NP (PRP they)) (VP (VBD left)))"
    )
    assert relations(sentence, "work", "done") == "nsubj<done advcl<left"


def test_a_quotation_is_no_subject_of_who_speaks() -> None:
    sentence = "(S (`` ``) (SQ (VBZ Is) (NP (PRP it)) (ADJP (JJ hot))) (. ?) ('' '') (NP (PRP he)) (VP (VBD asked)))"
    assert (
        relations(sentence.replace("asked", "yelped"), "hot", "he") == "ccomp<yelped nsubj<yelped"
    )
    name = "(S (`` ``) (NP (NNP Hamlet)) ('' '') (VP (VBZ says) (ADVP (RB so))))"
    assert relations(name, "Hamlet") == "nsubj<says"


@given(trees())
def test_a_word_has_at_most_one_subject(tree: Tree) -> None:
    heads = [arc.head for arc in universal_arcs(tree) if arc.relation in ("nsubj", "nsubj:pass")]
    assert len(heads) == len(set(heads))


@pytest.mark.parametrize(
    "brackets",
    [
        "(VP (VBD gave) " + "(NP (NNS years)) " * 10_000 + ")",
        "(S " + "(NP (NNS years)) " * 10_000 + "(VP (VBD left)))",
        "(NP " + "(NP (NNS cats)) (, ,) " * 10_000 + ")",
        "(VP (VBD made) (S (NP (PRP him)) " * 4_000 + "(VP (VB go))" + "))" * 4_000,
        "(ADJP (JJ glad) (SBAR (IN that) " * 4_000 + "(S (VP (VB go)))" + "))" * 4_000,
    ],
    ids=["objects", "subjects", "list", "small clauses", "adjectives"],
)
def test_relations_of_large_trees(brackets: str) -> None:
    """In time that is not linear in the tree these would take minutes."""
    arcs = universal_arcs(Tree.parse(brackets))
    assert sum(arc.relation == "root" for arc in arcs) == 1


def fixed_expression(brackets: str, words: str) -> str:
    """Return the relations and parts of speech of the words of a sentence."""
    arcs, tree = universal_arcs(Tree.parse(brackets)), Tree.parse(brackets)
    parts = [arcs[tree.words.index(word)].part_of_speech for word in words.split()]
    return f"{relations(brackets, *words.split())} {' '.join(parts)}"


HE_LEFT = "(NP (PRP he)) (VP (VBD left))"


@pytest.mark.parametrize(
    ("brackets", "words", "expected"),
    [
        (f"(S (PP (IN Of) (NP (NN course))) {HE_LEFT})", "Of course", "advmod<left fixed<Of ADP NOUN"),
        ("(S (NP (PRP They)) (VP (VBP like) (NP (DT each) (JJ other))))", "each other",
         "obj<like fixed<each DET ADJ"),
        ("(S (NP (PRP They)) (VP (VBP talk) (PP (TO to) (NP (CD one) (DT another)))))", "to one another",
         "case<one obl<talk fixed<one ADP PRON DET"),
        ("(NP (NP (DT each) (JJ other) (POS 's)) (NNS cats))", "each other 's",
         "nmod:poss<cats fixed<each case<each DET ADJ PART"),
        ("(S (NP (PRP He)) (VP (VBD left) (ADVP (RB as) (RB well))))", "as well",
         "advmod<left fixed<as ADV ADV"),
        ("(NP (NP (NNP Tom)) (CONJP (RB As) (RB well) (IN as)) (NP (NNP Bob)))", "As well as Bob",
         "cc<Bob fixed<As fixed<As conj<Tom ADV ADV ADP PROPN"),
        ("(NP (NP (NNP Tom)) (PP (ADVP (RB As) (RB well)) (IN as) (NP (NNP Bob))))", "As well as Bob",
         "cc<Bob fixed<As fixed<As conj<Tom ADV ADV ADP PROPN"),
        (f"(S (PP (VBG According) (PP (TO to) (NP (NNP Bob)))) (, ,) {HE_LEFT})", "According to Bob",
         "case<Bob fixed<According obl<left VERB ADP PROPN"),
        (f"(S (PP (IN As) (PP (IN of) (NP (NNP May)))) {HE_LEFT})", "As of May",
         "case<May fixed<As obl<left ADP ADP PROPN"),
        (f"(S (PP (IN As) (IN for) (NP (NNP Bob))) {HE_LEFT})", "As for Bob",
         "case<Bob fixed<As obl<left ADP ADP PROPN"),
        (f"(S (ADJP (JJ Due) (PP (TO to) (NP (NN rain)))) {HE_LEFT})", "Due to", "case<rain fixed<Due ADJ ADP"),
        (f"(S (ADVP (RB Prior) (PP (TO to) (NP (NNP May)))) {HE_LEFT})", "Prior to May",
         "case<May fixed<Prior obl<left ADJ ADP PROPN"),
        ("(S (NP (PRP It)) (VP (VBD was) (ADJP (JJ due) (PP (TO to) (NP (NN rain))))))", "It was due to rain",
         "nsubj<rain cop<rain case<rain fixed<due root PRON AUX ADJ ADP NOUN"),
        ("(S (NP (PRP It)) (VP (VBZ is) (PP (ADVP (NN kind) (IN of)) (IN like) (NP (NN tea)))))", "kind of like",
         "advmod<tea fixed<kind case<tea NOUN ADP ADP"),
        ("(S (NP (PRP I)) (VP (VBD ate) (NP (NP (NNS pears)) (PP (RB rather) (IN than) (NP (NNS plums))))))",
         "rather than plums", "cc<plums fixed<rather conj<pears ADV ADP NOUN"),
        (f"(S (PP (RB Rather) (IN than) (S (VP (VBG waiting)))) {HE_LEFT})", "Rather than waiting",
         "mark<waiting fixed<Rather advcl<left ADV SCONJ VERB"),
        (f"(S (NP (PRP I)) (VP (VBD came) (SBAR (IN so) (IN that) (S {HE_LEFT}))))", "so that left",
         "mark<left fixed<so advcl<came SCONJ SCONJ VERB"),
        (f"(S (NP (PRP I)) (VP (VBD asked) (SBAR (IN whether) (CC or) (RB not) (S {HE_LEFT}))))", "whether or not",
         "mark<left fixed<whether fixed<whether SCONJ CCONJ PART"),
        (f"(S (S (NP (DT That)) (VP (VBZ is))) (, ,) {HE_LEFT})", "That is", "advmod<left fixed<That PRON AUX"),
        # words that are no fixed expression
        ("(S (NP (PRP He)) (VP (VBD did) (NP (NP (DT a) (NN lot)) (PP (IN of) (NP (NN course) (NN work))))))", "of course",
         "case<work compound<work ADP NOUN"),
        ("(S (NP (PRP I)) (VP (VBP work) (NP (DT each) (JJ other) (NN day))))", "each other",
         "det<day amod<day DET ADJ"),
        ("(NP (NP (DT a) (NN kind)) (PP (IN of) (NP (NN dog))))", "kind of", "root case<dog NOUN ADP"),
        ("(S (NP (PRP He)) (VP (VBZ sings) (ADVP (ADVP (RB as) (RB well)) (PP (IN As) (NP (NNP Bob))))))", "as well As Bob",
         "advmod<well advmod<sings case<Bob obl<well ADV ADV ADP PROPN"),
        (f"(S (PP (IN In) (NP (DT that) (NN case))) {HE_LEFT})", "In that", "case<case det<case ADP DET"),
        ("(S (NP (PRP He)) (VP (VBZ is) (ADJP (JJ due) (S (VP (TO to) (VP (VB leave)))))))", "due to",
         "root mark<leave ADJ PART"),
        (f"(S (NP (PRP It)) (VP (VBZ looks) (SBAR (IN as) (IN if) (S {HE_LEFT}))))", "as if",
         "mark<left mark<left SCONJ SCONJ"),
    ],
)  # fmt: skip
def test_fixed_expressions(brackets: str, words: str, expected: str) -> None:
    assert fixed_expression(brackets, words) == expected


@pytest.mark.parametrize(
    ("brackets", "words", "expected"),
    [
        ("(NP (CONJP (RB Not) (RB only)) (NP (NNP Tom)) (CONJP (CC but) (RB also)) (NP (NNP Bob)))",
         "Not only but also Bob", "advmod<Tom advmod<Tom cc<Bob advmod<Bob conj<Tom"),
        ("(NP (NNP Tom) (CC but) (RB not) (NP (NNP Bob)))", "but not Bob", "cc<Bob advmod<Bob conj<Tom"),
        ("(S (NP (PRP He)) (VP (VP (VBD sat)) (CC and) (ADVP (RB then)) (VP (VBD slept))))", "and then slept",
         "cc<slept advmod<slept conj<sat"),
        ("(ADVP (RB slowly) (CC but) (RB surely))", "but surely", "cc<surely conj<slowly"),
        ("(ADJP (JJ ill) (CC or) (RB not))", "or not", "cc<not conj<ill"),
    ],
)  # fmt: skip
def test_adverbs_after_conjunctions(brackets: str, words: str, expected: str) -> None:
    assert relations(brackets, *words.split()) == expected


TO_BE = "(S (VP (TO to) (VP (VB be) (NP (DT a) (NN vote)))))"


@pytest.mark.parametrize(
    ("brackets", "words", "expected"),
    [
        (f"(S (NP (EX There)) (VP (VBZ is) (VP (VBG going) {TO_BE})))", "There going be vote",
         "expl<going root xcomp<going nsubj<be"),
        (f"(S (NP (EX There)) (VP (VBZ has) {TO_BE}))", "There has be vote", "expl<has root xcomp<has nsubj<be"),
        (f"(S (NP (EX There)) (VP (VBD used) {TO_BE}))", "used be vote", "root xcomp<used nsubj<be"),
        (f"(SQ (VBZ Is) (NP (EX there)) (VP (VBN supposed) {TO_BE}))", "supposed be vote",
         "root xcomp<supposed nsubj<be"),
        (f"(S (NP (EX There)) (VP (VBZ is) (ADJP (JJ likely) {TO_BE})))", "There is likely be vote",
         "expl<likely cop<likely root xcomp<likely nsubj<be"),
        ("(S (VP (VB Let) (S (NP (EX there)) (VP (VB be) (NP (NN light))))))", "be light", "xcomp<Let nsubj<be"),
        (f"(S (NP (PRP I)) (VP (VBP want) (S (NP (EX there)) {TO_BE[3:-1]})))", "I be vote",
         "nsubj<want xcomp<want nsubj<be"),
        ("(S (NP (EX There)) (VP (VBZ remains) (NP (DT a) (NN doubt))))", "There doubt", "expl<remains nsubj<remains"),
        # no existential clause
        (f"(S (NP (PRP He)) (VP (VBZ wants) {TO_BE}))", "He be vote", "nsubj<wants cop<vote xcomp<wants"),
        ("(S (NP (EX There)) (VP (VBZ is) (NP (DT no) (NN need) (S (VP (TO to) (VP (VB be) (ADJP (JJ sad))))))))",
         "is need be sad", "root nsubj<is cop<sad acl<need"),
    ],
)  # fmt: skip
def test_existential_there(brackets: str, words: str, expected: str) -> None:
    assert relations(brackets, *words.split()) == expected


@pytest.mark.parametrize(
    ("brackets", "words", "expected"),
    [
        ("(NP (NNS apples) (, ,) (NNS pears) (, ,) (NNS plums))", "apples pears plums",
         "root conj<apples conj<apples"),
        ("(NP (NNP Tom) (, ,) (NNP Dick) (, ,) (NNP Harry))", "Tom Dick Harry", "root conj<Tom conj<Tom"),
        ("(NP (DT a) (NN cat) (, ,) (DT the) (JJ old) (NN dog) (, ,) (NN school) (NN bus) (, ,) (NNS mice))",
         "a cat the old dog school bus",
         "det<cat root det<dog amod<dog conj<cat compound<bus conj<cat"),
        ("(NP (NNS cats) (, ,) (NNS dogs) (, ,) (FW etc.))", "cats dogs etc.", "root conj<cats conj<cats"),
        ("(NP (NNS cats) (CC and) (NNS dogs) (, ,) (FW etc))", "cats dogs etc", "root conj<cats conj<cats"),
        ("(NP (NP (NNS cats)) (, ,) (FW etc))", "cats etc", "root conj<cats"),
        # no lists of nouns
        ("(NP (DT the) (NN oil) (, ,) (NN gas) (, ,) (NN coal) (NN industry))", "oil coal industry",
         "compound<industry compound<industry root"),
        ("(NP (DT a) (JJ red) (, ,) (JJ soft) (, ,) (JJ warm) (NN coat))", "red soft coat",
         "amod<coat amod<coat root"),
        ("(NP (NNP May) (CD 5) (, ,) (CD 2004) (, ,))", "May 5", "root nmod:unmarked<May"),
    ],
)  # fmt: skip
def test_lists_without_conjunctions(brackets: str, words: str, expected: str) -> None:
    assert relations(brackets, *words.split()) == expected
    if "etc" in words:
        place = Tree.parse(brackets).words.index(words.split()[-1])
        assert universal_arcs(Tree.parse(brackets))[place].part_of_speech == "NOUN"


@pytest.mark.parametrize(
    ("phrases", "expected"),
    [
        ("(PP (IN by) (NP-LGS (NNP Tom))) (PP-LOC (IN by) (NP (DT the) (NN river)))", "Tom:agent river:obl"),
        ("(PP (IN by) (NP (DT the) (NN river))) (PP (IN by) (NP (NNP Tom)))", "river:obl Tom:agent"),
        ("(PP (IN by) (NP (DT the) (NN river))) (PP (IN by) (NP-LGS (DT the) (NN man)))", "river:obl man:agent"),
        ("(PP-MNR (IN by) (NP (DT the) (NN dozen)))", "dozen:obl"),
        ("(PP (IN by) (NP (NN hand)))", "hand:obl"),
        ("(PP (IN by) (NP (NN accident))) (PP (IN by) (NP (NNS mice)))", "accident:obl mice:agent"),
        ("(PP (IN by) (NP (DT an) (NN accident)))", "accident:agent"),
        ("(PP (IN by) (NP (DT the) (NN machine)))", "machine:agent"),
        ("(PP (IN by) (NP (DT the) (NN end)))", "end:obl"),
        ("(PP (IN by) (NP (CD 1998)))", "1998:obl"),
        ("(PP (IN by) (NP (NNS mice)))", "mice:agent"),
        ("(PP (IN with) (NP (NNS mice)))", "mice:obl"),
    ],
)  # fmt: skip
def test_agents(phrases: str, expected: str) -> None:
    sentence = f"(S (NP (PRP It)) (VP (VBD was) (VP (VBN made) {phrases})))"
    for pair in expected.split():
        word, _, kind = pair.partition(":")
        assert relations(sentence, word) == ("obl:agent<made" if kind == "agent" else "obl<made")


@pytest.mark.parametrize(
    ("verbs", "words", "expected"),
    [
        ("(VP (VBD was)) (CC and) (VP (VBZ is)) (NP (DT a) (NN hero))", "He was and is hero",
         "nsubj<hero cop<hero cc<is conj<was root"),
        ("(VP (VBZ is)) (, ,) (CC and) (VP (MD will) (VP (VB be))) (, ,) (NP (NN king))", "is and will be king",
         "cop<king cc<be aux<be conj<is root"),
        ("(VP (VBP are)) (CC or) (VBD were) (ADVP (RB there))", "are or were there", "cop<there cc<were conj<are root"),
        ("(VP (VBZ is)) (CC and) (VP (VBD was) (ADJP (JJ ill)))", "He is was ill", "nsubj<ill cop<ill cop<ill root"),
        ("(VP (MD can)) (CC and) (MD must) (VP (VB win))", "He can and must win",
         "nsubj<win aux<win cc<must conj<can root"),
        ("(MD can) (CC and) (MD must) (VP (VB win))", "He can and must win",
         "nsubj<win aux<win cc<must conj<can root"),
        ("(VP (MD can)) (CC and) (VP (MD must) (VP (VB win)))", "He can must win", "nsubj<win aux<win aux<win root"),
        ("(VP (MD can)) (CC and) (MD will) (VP (VB be) (VP (VBN done)))", "He can will be done",
         "nsubj:pass<done aux<done conj<can aux:pass<done root"),
        ("(CC neither) (VP (MD can)) (CC nor) (MD will) (VP (VB win))", "can nor will win",
         "aux<win cc<will conj<can root"),
        # no auxiliaries of one verb
        ("(VP (MD can)) (CC and) (VP (MD will))", "He can and will", "nsubj<can root cc<will conj<can"),
        ("(VP (MD can)) (CC and) (VP (VBZ wins) (NP (NNS cups)))", "can and wins cups",
         "root cc<wins conj<can obj<wins"),
        ("(VP (VBP have)) (CC and) (VP (MD will) (VP (VB keep))) (NP (NNS cats))", "He will cats",
         "nsubj<have aux<keep obj<have"),
        ("(VP (VBD ate)) (CC and) (VP (VBD was) (ADJP (JJ ill)))", "ate was ill", "root cop<ill conj<ate"),
    ],
)  # fmt: skip
def test_joined_auxiliaries(verbs: str, words: str, expected: str) -> None:
    assert relations(f"(S (NP (PRP He)) (VP {verbs}))", *words.split()) == expected


@pytest.mark.parametrize(
    ("speech", "words", "expected"),
    [
        ("(RB Not) (ADVP (RB now))", "Not now", "advmod<now ccomp<said"),
        ("(RB Not) (NP (PRP me))", "Not me", "advmod<me ccomp<said"),
        ("(RB Not) (PP (IN in) (NP (DT the) (NN house)))", "Not house", "advmod<house ccomp<said"),
        ("(WP What) (DT a) (NN mess)", "What a mess", "det<mess det<mess ccomp<said"),
        ("(WRB How) (JJ nice)", "How nice", "advmod<nice ccomp<said"),
        ("(INTJ (JJ Good) (NN night))", "Good night", "amod<night ccomp<said"),
        ("(INTJ (UH Yes))", "Yes", "ccomp<said"),
        ("(CC And) (NP (PRP you))", "And you", "cc<you ccomp<said"),
        ("(ADJP (RB Very) (JJ good)) (, ,) (NP (NN sir))", "good sir", "ccomp<said vocative<good"),
        ("(NP (CD Two) (NNS beers))", "beers", "ccomp<said"),
    ],
)  # fmt: skip
def test_direct_speech_without_a_phrase(speech: str, words: str, expected: str) -> None:
    speaker = "(NP (NNP Tom)) (VP (VBD said))"
    for after in (speaker, "(VP (VBD said)) (NP (NNP Tom))"):
        sentence = f"(S (`` ``) {speech} (, ,) ('' '') {after} (. .))"
        assert relations(sentence, *words.split(), "Tom", "said") == f"{expected} nsubj<said root"


def test_words_between_quotation_marks_that_are_no_speech() -> None:
    after = "(S (NP (PRP He)) (VP (VBD said) (, ,) (`` ``) (RB Not) (ADVP (RB now)) (. .) ('' '')))"
    assert relations(after, "Not", "now") == "advmod<now ccomp<said"
    title = "(S (`` ``) (RB Not) (NP (PRP me)) ('' '') (VP (VBZ says) (ADVP (RB so))))"
    assert relations(title, "me") == "nsubj<says"
    aside = "(S (`` ``) (RB Not) (ADVP (RB now)) ('' '') (NP (PRP he)) (VP (VBD sat)))"
    assert relations(aside, "now") == "advmod<sat"


@pytest.mark.parametrize(
    ("brackets", "words", "expected"),
    [
        ("(SBARQ (WHNP (WP What)) (SQ (VBZ is) (NP (PRP he)) (PP (IN like))) (. ?))", "What is he like ?",
         "root cop<What nsubj<What case<What punct<What"),
        ("(SBARQ (WHADVP (WRB Where)) (SQ (VBZ is) (NP (PRP he)) (PP (IN from))))", "Where is he from",
         "root cop<Where nsubj<Where case<Where"),
        ("(S (NP (PRP I)) (VP (VBP know) (SBAR (WHNP (WP what)) (S (NP (PRP he)) (VP (VBZ is) (PP (IN like)))))))",
         "what he is like", "ccomp<know nsubj<what cop<what case<what"),
        ("(SBARQ (WHNP (WP Who)) (SQ (VBD was) (NP (PRP it)) (VP (VBN written) (PP (IN by)))))", "Who it written by",
         "obl:agent<written nsubj:pass<written root case<Who"),
        ("(SBARQ (WHNP (WDT Which) (NN man)) (SQ (VBD did) (NP (PRP he)) (VP (VB talk) (PP (IN about)))))",
         "Which man talk about", "det<man obl<talk root case<man"),
        ("(SBARQ (WHNP (WP What)) (SQ (VBZ is) (NP (PRP he)) (ADJP (JJ famous) (PP (IN for)))))", "What famous for",
         "obl<famous root case<What"),
        ("(NP (NP (DT the) (NN man)) (SBAR (WHNP (WP who)) (S (NP (PRP it)) (VP (VBD was) (VP (VBN written) (PP (IN by)))))))",
         "who written by", "obl:agent<written acl:relcl<man case<who"),
        # no stranded prepositions
        ("(NP (NP (DT the) (NN house)) (SBAR (WHNP (WDT that)) (S (NP (PRP he)) (VP (VBZ is) (PP (IN in))))))",
         "house that in", "root obl<in acl:relcl<house"),
        ("(NP (NP (DT the) (NN man)) (SBAR (S (NP (PRP he)) (VP (VBD talked) (PP (IN about))))))", "talked about",
         "acl:relcl<man obl<talked"),
        ("(SBARQ (WHNP (WP Who)) (SQ (VP (VBD came) (PP (IN in)))))", "Who came in", "nsubj<came root obl<came"),
        ("(SBARQ (WHADVP (WRB When)) (SQ (VBD did) (NP (PRP he)) (VP (VB come) (PP (IN in)))))", "When come in",
         "advmod<come root obl<come"),
    ],
)  # fmt: skip
def test_stranded_prepositions(brackets: str, words: str, expected: str) -> None:
    assert relations(brackets, *words.split()) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("(NP (NP (NNP Bob) (POS 's) (CC and) (NNP Ann) (POS ')) (NNS dogs))",
         "nmod:poss<dogs case<Bob cc<Ann conj<Bob case<Ann root"),
        ("(NP (NP (NP (NNP Bob) (POS 's)) (CC and) (NNP Ann) (POS ')) (NNS dogs))",
         "nmod:poss<dogs case<Bob cc<Ann conj<Bob case<Ann root"),
        ("(NP (NP (NP (NNP Bob) (POS 's)) (CC and) (NP (NNP Ann) (POS '))) (NNS dogs))",
         "nmod:poss<dogs case<Bob cc<Ann conj<Bob case<Ann root"),
        ("(NP (NP (NNP Bob) (POS 's)) (CC and) (NP (NNP Ann) (POS ')) (NNS dogs))",
         "nmod:poss<dogs case<Bob cc<Ann conj<Bob case<Ann root"),
    ],
)  # fmt: skip
def test_joined_genitives(phrase: str, expected: str) -> None:
    assert relations(phrase, "Bob", "'s", "and", "Ann", "'", "dogs") == expected


def test_a_genitive_of_joined_nouns() -> None:
    phrase = "(NP (NP (NNP Bob) (CC and) (NNP Ann) (POS 's)) (NNS dogs))"
    assert relations(phrase) == "nmod:poss<dogs cc<Ann conj<Bob case<Bob root"
    phrase = "(NP (NP (NNP Bob) (POS 's)) (JJ old) (NN dog) (CC and) (NN cat))"
    assert relations(phrase) == "nmod:poss<dog case<Bob amod<dog root cc<cat conj<dog"


def columns(lines: str) -> list[str]:
    """Return form, head and relation of each word in CoNLL-U."""
    rows = [line.split("\t") for line in lines.splitlines() if line[:1].isdigit()]
    return [f"{row[0]} {row[1]} {row[6]} {row[7]}" for row in rows]


def test_a_word_divided_at_a_line_end_is_written_as_one() -> None:
    tree = Tree.parse("(S (NP (NN information)) (VP (VBZ is) (ADVP (RB here))))")
    text, offsets = "infor-\nmation is he-\r\nre", [(0, 13), (14, 16), (17, 23)]
    lines = conllu(tree, words=tree.words, text=text, offsets=offsets)
    assert columns(lines) == ["1 information 3 nsubj", "2 is 3 cop", "3 here 0 root"]
    assert "# text = information is here\n" in lines
    (read,) = read_conllu(lines.splitlines())
    assert read.words == tree.words


def test_a_blank_within_a_word_stays() -> None:
    tree = Tree.parse("(NP (CD 1000) (NNS men))")
    lines = conllu(tree, words=("1000", "men"), text="1\n000 men", offsets=[(0, 5), (6, 9)])
    assert columns(lines) == ["1 1 000 2 nummod", "2 men 0 root"]


def test_traces_are_no_words() -> None:
    clause = "(SBAR (WHNP-1 (WP who)) (S (NP-SBJ (-NONE- *T*-1)) (VP (VBD left))))"
    tree = Tree.parse(f"(TOP (NP (NP (DT The) (NN man)) {clause}))")
    lines = tree.to_conllu()
    expected = ["1 The 2 det", "2 man 0 root", "3 who 4 nsubj", "4 left 2 acl:relcl"]
    assert columns(lines) == expected
    assert f"# text = The man who left\n# tree = {tree}\n" in lines
    bare = Tree.parse(
        "(TOP (NP (NP (DT The) (NN man)) (SBAR (WHNP (WP who)) (S (VP (VBD left))))))"
    )
    assert columns(bare.to_conllu()) == expected
    assert Tree.parse("(TOP (S (NP (-NONE- *))))").to_conllu() == ""


def test_a_file_with_traces_is_read_back(tmp_path: Path) -> None:
    tree = Tree.parse("(TOP (S (NP-SBJ (-NONE- *)) (VP (VB Go)) (. .)))")
    (tmp_path / "x.conllu").write_text(tree.to_conllu())
    assert list(load_trees(tmp_path / "x.conllu")) == [tree]
