"""Clauses: kinds, markers, verbs and heads of small trees, and that they share out the words of any tree."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.errors import TreeError
from bnaparser.parsing.result import Parse
from bnaparser.treebanks.reading import find_trees
from bnaparser.trees.clauses.clause import Clause
from bnaparser.trees.clauses.partition import words_of
from bnaparser.trees.tree import Span, Tree

DATA = os.environ.get("BNAPARSER_DATA")
NEOSCA = Path(__file__).parent.parent / "measures" / "neosca.jsonl"
EVERY = 40  # of a treebank's trees


def told(brackets: str) -> list[str]:
    """Return of each clause its kind, its head, its segments, and its marker and verb where it has them."""
    clauses = Tree.parse(brackets).clauses()
    return [
        " ".join(
            [
                clause.kind,
                "-" if clause.head is None else str(clause.head),
                " ... ".join(one.text for one in clause.segments),
                *([f"m:{clause.marker.text}"] if clause.marker else []),
                *([f"v:{clause.verb.text}"] if clause.verb else []),
            ]
        )
        for clause in clauses
    ]


SAYS = "(NP (PRP I)) (VP (VBP think) {})"
HE_LEFT = "(S (NP (PRP he)) (VP (VBD left)))"


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        ("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))", ["main - It rained . v:rained"]),
        (
            f"(S (NP (PRP I)) (VP (VBP think) (SBAR (IN that) {HE_LEFT})) (. .))",
            ["main - I think v:think", "complement 0 that he left . m:that v:left"],
        ),
        (
            f"(S (NP (PRP I)) (VP (VBP think) (SBAR {HE_LEFT})))",
            ["main - I think v:think", "complement 0 he left v:left"],
        ),
        (  # a question phrase without WH in its label, as in GUM
            "(S (NP (PRP I)) (VP (VBP know) (SBAR (NP (WP what)) (S (NP (PRP he)) (VP (VBD said))))))",
            ["main - I know v:know", "complement 0 what he said m:what v:said"],
        ),
        (
            f"(S (SBAR (IN that) {HE_LEFT}) (VP (VBZ is) (ADJP (JJ sad))))",
            ["complement 1 that he left m:that v:left", "main - is sad v:is"],
        ),
        (
            "(S (NP (NP (DT The) (NN man)) (, ,) (SBAR (WHNP (WP who)) (S (VP (VBD slept)))) (, ,)) (VP (VBD left)) (. .))",
            ["main - The man , ... left . v:left", "relative 0 who slept , m:who v:slept"],
        ),
        (
            "(S (NP (NP (DT the) (NN man)) (SBAR (S (NP (PRP I)) (VP (VBD saw))))) (VP (VBD left)))",
            ["main - the man ... left v:left", "relative 0 I saw v:saw"],
        ),
        (
            "(S (NP (NP (DT the) (NN man)) (SBAR (WHNP (WP$ whose) (NN dog)) (S (VP (VBD ran))))) (VP (VBD left)))",
            ["main - the man ... left v:left", "relative 0 whose dog ran m:whose v:ran"],
        ),
        (
            f"(S (NP (DT the) (NN fact) (SBAR (IN that) {HE_LEFT})) (VP (VBZ hurts)))",
            ["main - the fact ... hurts v:hurts", "complement 0 that he left m:that v:left"],
        ),
        (
            f"(S (SBAR (RB even) (IN though) {HE_LEFT}) (, ,) (NP (PRP I)) (VP (VBD stayed)))",
            ["adverbial 1 even though he left , m:even though v:left", "main - I stayed v:stayed"],
        ),
        (
            "(S (SBAR (IN If) (S (ADJP (JJ possible)))) (, ,) (VP (VB call)))",
            ["adverbial 1 If possible , m:If", "main - call v:call"],
        ),
        (
            f"(S (NP (PRP I)) (VP (VBD asked) (SBAR (IN if) {HE_LEFT})))",
            ["main - I asked v:asked", "complement 0 if he left m:if v:left"],
        ),
        (
            f"(S (NP (PRP I)) (VP (VBD ran) (ADVP (RB so) (RB fast)) (SBAR (IN that) {HE_LEFT})))",
            ["main - I ran so fast v:ran", "adverbial 0 that he left m:that v:left"],
        ),
        (
            "(S (NP (PRP I)) (VP (VBP like) (S (VP (TO to)))))",
            ["main - I like v:like", "non-finite 0 to m:to"],
        ),
        (
            "(S (NP (DT That)) (VP (VBZ is) (SBAR (WHADVP (WRB where)) (S (NP (PRP he)) (VP (VBZ lives))))))",
            ["main - That is v:is", "complement 0 where he lives m:where v:lives"],
        ),
    ],
)
def test_main_complement_relative_and_adverbial_clauses(brackets: str, expected: list[str]) -> None:
    assert told(brackets) == expected


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        (
            "(S (NP (PRP I)) (VP (VBP want) (S (VP (TO to) (VP (VB go))))))",
            ["main - I want v:want", "non-finite 0 to go m:to v:go"],
        ),
        (
            "(S (NP (DT The) (NN book)) (VP (VBZ is) (ADJP (JJ hard) (S (VP (TO to) (VP (VB read)))))))",
            ["main - The book is hard v:is", "non-finite 0 to read m:to v:read"],
        ),
        (
            "(S (S (VP (VBG Running))) (VP (VBZ is) (NP (NN fun))))",
            ["non-finite 1 Running v:Running", "main - is fun v:is"],
        ),
        (
            "(S (NP (PRP She)) (VP (VBD left) (PP (IN without) (S (VP (VBG saying) (NP (NN thanks)))))))",
            ["main - She left v:left", "non-finite 0 without saying thanks m:without v:saying"],
        ),
        (
            "(S (NP (NP (DT The) (NN house)) (VP (VBN built) (NP (RB here)))) (VP (VBD was) (VP (VBN sold))))",
            ["main - The house ... was sold v:sold", "non-finite 0 built here v:built"],
        ),
        (
            "(S (NP (PRP He)) (VP (VBD made) (S (NP (PRP her)) (VP (VB laugh)))))",
            ["main - He made v:made", "non-finite 0 her laugh v:laugh"],
        ),
        (
            "(S (NP (PRP He)) (VP (VBD made) (S (NP (PRP her)) (ADJP (JJ happy)))))",
            ["main - He made her happy v:made"],
        ),
        (
            "(S (NP (PRP I)) (VP (VBP know) (SBAR (WHNP (WP what)) (S (VP (TO to) (VP (VB do)))))))",
            ["main - I know v:know", "non-finite 0 what to do m:what v:do"],
        ),
        (
            "(S (SBAR (IN In) (NN order) (S (VP (TO to) (VP (VB win))))) (, ,) (NP (PRP he)) (VP (VBD ran)))",
            ["non-finite 1 In order to win , m:In order v:win", "main - he ran v:ran"],
        ),
    ],
)
def test_clauses_without_a_finite_verb(brackets: str, expected: list[str]) -> None:
    assert told(brackets) == expected


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        (
            "(S (S (NP (PRP I)) (VP (VBD came))) (, ,) (CC and) (S (NP (PRP he)) (VP (VBD left))) (. .))",
            ["main - I came , v:came", "coordinate 0 and he left . m:and v:left"],
        ),
        (
            "(S (NP (PRP I)) (VP (VP (VBD came)) (, ,) (VP (VBD saw) (NP (PRP it))) (CC and) (VP (VBD won))))",
            [
                "main - I came , v:came",
                "coordinate 0 saw it v:saw",
                "coordinate 0 and won m:and v:won",
            ],
        ),
        (
            "(S (NP (PRP I)) (VP (VBP buy) (CC and) (VBP sell) (NP (NNS shares))))",
            ["main - I buy v:buy", "coordinate 0 and sell shares m:and v:sell"],
        ),
        (
            "(S (NP (PRP I)) (VP (MD can) (CC and) (MD will) (VP (VB go))))",
            ["main - I can and will go v:go"],
        ),
        (
            "(S (S (NP (NNP Jo)) (VP (VBZ has) (NP (NN tea)))) (CC and) (S (NP (NNP Al)) (NP (NN milk))))",
            ["main - Jo has tea v:has", "coordinate 0 and Al milk m:and"],
        ),
        (
            "(S (S (NP (PRP It)) (VP (VBD rained))) (, ,) (RB so) (S (NP (PRP we)) (VP (VBD left))))",
            ["main - It rained , v:rained", "coordinate 0 so we left m:so v:left"],
        ),
        (
            "(S (S (NP (PRP I)) (VP (VBD came))) (: ;) (S (NP (PRP he)) (VP (VBD left))))",
            ["main - I came ; v:came", "coordinate 0 he left v:left"],
        ),
        (
            "(S (NP (NNP Al)) (VP (VBZ is) (PRN (, ,) (S (NP (PRP I)) (VP (VBP think))) (, ,)) (ADJP (JJ ill))))",
            ["main - Al is , ... ill v:is", "coordinate 0 I think , v:think"],
        ),
        (
            (
                f"(S (SBAR (IN If) {HE_LEFT}) (CC and) (SBAR (IN if) (S (NP (PRP she)) (VP (VBD came)))) (, ,)"
                " (NP (PRP I)) (VP (VBD slept)))"
            ),
            [
                "adverbial 2 If he left m:If v:left",
                "coordinate 0 and if she came , m:if v:came",
                "main - I slept v:slept",
            ],
        ),
        (
            (
                f"(S (S (NP (PRP I)) (VP (VBD came))) (CC but) (SBAR (IN because) {HE_LEFT}) (, ,)"
                " (S (NP (PRP I)) (VP (VBD cried))))"
            ),
            [
                "main - I came v:came",
                "coordinate 0 but ... I cried m:but v:cried",
                "adverbial 1 because he left , m:because v:left",
            ],
        ),
        (
            "(SQ (S (NP (PRP You)) (VP (VBD came))) (, ,) (SQ (VBD did) (RB n't) (NP (PRP you))) (. ?))",
            ["main - You came , v:came", "coordinate 0 did n't you ? v:did"],
        ),
        (  # what stands around the second clause is what it is joined to, not the fronted clause
            (
                "(TOP (S (S (VP (VBG Having) (VP (VBN eaten)))) (, ,) (NP (PRP he)) (VP (VBD left)) (, ,) (CC and)"
                " (S (NP (PRP she)) (VP (VBD slept))) (. .)))"
            ),
            [
                "non-finite 1 Having eaten , v:eaten",
                "main - he left , v:left",
                "coordinate 1 and she slept . m:and v:slept",
            ],
        ),
    ],
)
def test_coordinate_clauses(brackets: str, expected: list[str]) -> None:
    assert told(brackets) == expected


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        ("(TOP (NP (NN Introduction)))", ["main - Introduction"]),
        (
            "(TOP (NP (NP (DT The) (NN cat)) (SBAR (WHNP (WDT that)) (S (VP (VBD slept))))))",
            ["main - The cat", "relative 0 that slept m:that v:slept"],
        ),
        ("(TOP (FRAG (RB Not) (NP (NN today)) (. .)))", ["main - Not today ."]),
        ("(TOP (INTJ (UH Yes)))", ["main - Yes"]),
        ("(TOP (. .) (. .))", ["main - . ."]),
        (
            "(S (LST (LS 1) (. .)) (VP (VB Open) (NP (PRP it))) (. .) (LST (LS 2) (. .)) (VP (VB Go)) (. .))",
            ["main - 1 . Open it . v:Open", "coordinate 0 2 . Go . v:Go"],
        ),
        (
            "(SBARQ (WHNP (WP Who)) (SQ (VBP do) (NP (PRP you)) (VP (VB think) (SBAR (S (VP (VBD came)))))) (. ?))",
            ["main - Who do you think v:think", "complement 0 came ? v:came"],
        ),
        (
            "(SINV (`` ``) (S (VP (VB Go))) (, ,) ('' '') (VP (VBD said)) (NP (NNP Tom)) (. .))",
            ['complement 1 " Go , " v:Go', "main - said Tom . v:said"],
        ),
        (
            "(S (NP (PRP I)) (VP (VBD left) (, ,) ('' '') (S (NP (PRP he)) (VP (VBD said))) (, ,) (ADVP (RB late))))",
            ['main - I left , " ... late v:left', "coordinate 0 he said , v:said"],
        ),
        ("(TOP (S (VP (VBG Going) (ADVP (RB home)))))", ["main - Going home v:Going"]),
        (
            "(TOP (PP (IN By) (S (VP (VBG going)))))",
            ["main - By going v:going"],
        ),
    ],
)
def test_headings_lists_questions_and_quotations(brackets: str, expected: list[str]) -> None:
    assert told(brackets) == expected


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        (
            (
                "(TOP (S (NP (PPER Er)) (VVFIN sagt) ($, ,) (S (KOUS dass) (NP (PPER sie)) (VVFIN kommt) ($, ,)"
                " (S (KOUS weil) (PPER es) (VVFIN regnet)))))"
            ),
            [
                "main - Er sagt , v:sagt",
                "complement 0 dass sie kommt , m:dass v:kommt",
                "adverbial 1 weil es regnet m:weil v:regnet",
            ],
        ),
        (
            (
                "(TOP (S (NP (ART der) (NN Mann) ($, ,) (S (PRELS der) (VP (VVPP geschlafen)) (VAFIN hat)) ($, ,))"
                " (VVFIN geht)))"
            ),
            [
                "main - der Mann , ... geht v:geht",
                "relative 0 der geschlafen hat , m:der v:geschlafen",
            ],
        ),
        (
            (
                "(TOP (SENT (NP (NPP Luc)) (VN (V a) (VPP dit)) (Ssub (CS que) (VN (CLS il) (V viendrait)))"
                " (COORD (CC et) (VN (V est) (VPP parti)))))"
            ),
            [
                "main - Luc a dit v:dit",
                "complement 0 que il viendrait m:que v:viendrait",
                "coordinate 0 et est parti m:et v:parti",
            ],
        ),
        (
            (
                "(TOP (S (sn (grup.nom (np Ana))) (grup.verb (vm quiere)) (S.NF.C (infinitiu (vm dormir)))"
                " (sp (prep (sp para)) (S.F.C (conj.subord (cs que)) (grup.verb (vm cante))))))"
            ),
            [
                "main - Ana quiere v:quiere",
                "non-finite 0 dormir v:dormir",
                "complement 0 para que cante m:que v:cante",
            ],
        ),
        (
            (
                "(TOP (fcl (np (art o) (n rei) (fcl (pron-indp que) (v-fin dorme)))"
                " (cu (x (v-fin vem)) (conj-c e) (x (v-fin vai)))))"
            ),
            [
                "main - o rei ... vem v:vem",
                "relative 0 que dorme m:que v:dorme",
                "coordinate 0 e vai m:e v:vai",
            ],
        ),
        (
            "(TOP (IP-MAT (NP (PRO hann)) (VBDI kom) (PP (P þegar) (CP-ADV (IP-SUB (NP (PRO hún)) (VBDI fór))))))",
            ["main - hann kom v:kom", "adverbial 0 þegar hún fór m:þegar v:fór"],
        ),
        (
            "(TOP (IP-MAT (NP (IP-REL (VB 寝) (AXD た)) (N 猫)) (PP (P が)) (VB 鳴い) (AXD た)))",
            ["relative 1 寝 た v:寝", "main - 猫 が 鳴い た v:鳴い"],
        ),
        (
            "(TOP (S (NP (NNO orang) (RPN (PRR yang) (VP (VBI tidur)))) (VP (VBI bangun) (CP (CSN karena) (S (NP (NNO hujan)) (VP (VBI turun)))))))",
            [
                "main - orang ... bangun v:bangun",
                "relative 0 yang tidur m:yang v:tidur",
                "adverbial 0 karena hujan turun m:karena v:turun",
            ],
        ),
        (
            "(TOP (S (NP (VP\u2027的 (VP (VA4 睡覺)) (DE 的)) (Nab 貓)) (VA4 走)))",
            ["relative 1 睡覺 的 v:睡覺", "main - 貓 走 v:走"],
        ),
    ],
)
def test_other_treebanks(brackets: str, expected: list[str]) -> None:
    assert told(brackets) == expected


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        (
            (
                "(TOP (IP (NP (PRO hann)) (VBDI sagði) (CP (C að) (IP (NP (PRO hún)) (VBDS kæmi)"
                " (PP (P þegar) (CP (IP (NP (PRO hann)) (VBDS færi))))))))"
            ),
            [
                "main - hann sagði v:sagði",
                "complement 0 að hún kæmi m:að v:kæmi",
                "adverbial 1 þegar hann færi m:þegar v:færi",
            ],
        ),
        (
            "(TOP (IP (NP (N maður) (CP (C sem) (IP (VBPI sefur)))) (VBPI vill) (IP (TO að) (VB fara))))",
            [
                "main - maður ... vill v:vill",
                "relative 0 sem sefur m:sem v:sefur",
                "non-finite 0 að fara m:að v:fara",
            ],
        ),
        (
            "(TOP (IP (PP (NP (PRO 私)) (P は)) (CP (IP (PP (NP (PRO 彼)) (P が)) (VB 来) (AXD た)) (P と)) (VB 思う) (PU 。)))",
            ["main - 私 は ... 思う 。 v:思う", "complement 0 彼 が 来 た と v:来"],
        ),
        (
            (
                "(TOP (fcl (np (art o) (n homem)) (v disse) (cu (fcl (conj que) (v veio)) (conj e) (fcl (conj que) (v viu)))"
                " (icl (v dormir)) (PU .)))"
            ),
            [
                "main - o homem disse v:disse",
                "complement 0 que veio m:que v:veio",
                "coordinate 1 e que viu m:e que v:viu",
                "non-finite 0 dormir . v:dormir",
            ],
        ),
    ],
)
def test_labels_and_tags_without_what_follows_a_hyphen(brackets: str, expected: list[str]) -> None:
    assert told(brackets) == expected


@pytest.mark.parametrize(
    ("brackets", "message"),
    [
        ("(S (X This) (VP (X is) (NP (X a) (X wug))))", "'This is a wug' has 'X'"),
        ("(S (NP This) (VP (VP is)))", "'This is' has 'NP, VP'"),
        ("(ABC (QQ This) (ABD (ZZ is)))", "'This is' has 'QQ, ZZ'"),
    ],
)
def test_trees_without_known_tags_are_refused_in_a_sentence(brackets: str, message: str) -> None:
    with pytest.raises(TreeError) as refused:
        Tree.parse(brackets).clauses()
    start = "clauses need the part-of-speech tags of a treebank that is known: "
    assert str(refused.value) == start + message


def test_offsets_are_those_of_the_text() -> None:
    text = "Hi.  The  cat (a\ttom)  that\nI saw isn't here."
    start = text.index("The")
    words = ["The", "cat", "(", "a", "tom", ")", "that", "I", "saw", "is", "n't", "here", "."]
    places, at = [], start
    for word in words:
        at = text.index(word, at)
        places.append((at, at + len(word)))
        at += len(word)
    tree = Tree.parse(
        "(TOP (S (NP (NP (DT The) (NN cat) (PRN (-LRB- -LRB-) (NP (DT a) (NN tom)) (-RRB- -RRB-)))"
        " (SBAR (WHNP (WDT that)) (S (NP (PRP I)) (VP (VBD saw))))) (VP (VBZ is) (RB n't) (ADVP (RB here))) (. .)))"
    )
    parse = Parse(text[start:], tuple(words), tree.tags, tuple(tree.spans()), offsets=tuple(places))
    main, relative = parse.clauses()
    assert [one.text for one in main.segments] == ["The  cat (a\ttom)", "isn't here."]
    assert relative.text == "that\nI saw"
    for clause in (main, relative):
        for one in [*clause.segments, clause.verb, *([clause.marker] if clause.marker else [])]:
            assert one is not None
            assert one.text == text[one.char_start : one.char_end]
    stored = json.loads(json.dumps(parse.clauses_to_dict()))
    assert stored["clauses"][1]["marker"] == {
        "start": 6, "end": 7, "char_start": 23, "char_end": 27, "text": "that",
    }  # fmt: skip
    assert list(stored["clauses"][0]) == [
        "kind", "text", "label", "head", "marker", "verb", "segments",
    ]  # fmt: skip


def test_a_sentence_without_a_tree_has_no_clauses() -> None:
    failed = Parse("word " * 3, ("word",) * 3, error="the sentence is too long")
    assert failed.clauses() == []
    assert failed.clauses_to_dict() == {
        "text": "word word word ",
        "clauses": None,
        "error": "the sentence is too long",
    }
    strange = Parse("a b", ("a", "b"), ("QQ", "ZZ"), (Span(0, 2, "S"),), offsets=((0, 1), (2, 3)))
    assert strange.clauses_to_dict()["clauses"] is None
    assert "treebank that is known" in strange.clauses_to_dict()["error"]


LABELS = st.sampled_from(
    sorted(
        words_of(
            "S SBAR SBARQ SINV SQ VP NP PP PRN FRAG UCP TOP RRC ADVP WHNP LST CONJP X INTJ SENT Ssub Sint COORD VN"
            " S.F.C S.F.R sp fcl cu x icl IP-MAT IP-SUB CP-THT CONJP CS CVP VZ RPN CP"
        )
    )
)
TAGS = st.sampled_from(
    sorted(
        words_of(
            "NN VB VBD VBG TO MD CC IN WDT , . `` '' -LRB- -RRB- LS RB KON VVFIN PTKZU KOUS V CC CS vm cs cc v-fin"
            " conj-c VBDI CONJ C VBI CCN CSN"
        )
    )
)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    leaf = st.builds(
        lambda tag, word: Tree(tag, [word]),
        TAGS,
        st.sampled_from(["is", "so", "that", "and", "can", "to", '"', "-LRB-", ",", "x"]),
    )
    return draw(
        st.recursive(
            leaf,
            lambda below: st.builds(Tree, LABELS, st.lists(below, min_size=1, max_size=5)),
            max_leaves=25,
        )
    )


def check(tree: Tree, clauses: list[Clause]) -> None:
    """Check what is so of every tree: words in one clause each, one main clause, heads without a circle."""
    words = sorted(word for clause in clauses for word in clause.words)
    assert words == list(range(len(tree.words)))
    assert [clause.kind == "main" for clause in clauses] == [
        clause.head is None for clause in clauses
    ]
    assert [clause.head for clause in clauses].count(None) == 1
    firsts = [clause.words[0] for clause in clauses]
    assert firsts == sorted(firsts)
    for clause in clauses:
        place, steps = clause.head, 0
        while place is not None:
            place, steps = clauses[place].head, steps + 1
            assert steps <= len(clauses)
        if clause.verb is not None:
            assert clause.verb.start in clause.words
        if clause.marker is not None:
            assert set(range(clause.marker.start, clause.marker.end)) <= set(clause.words)
        for one, other in zip(clause.segments, clause.segments[1:], strict=False):
            assert one.end < other.start


@given(trees())
def test_any_tree_shares_out_its_words(tree: Tree) -> None:
    check(tree, tree.clauses())


def of_random(count: int) -> Iterator[Tree]:
    """Yield random trees with the labels of the Penn Treebank, larger than those above."""
    chance = random.Random(57)
    labels = sorted(words_of("S SBAR VP NP PP PRN SINV SQ SBARQ UCP FRAG ADJP"))
    tags = sorted(words_of("NN VBD VBZ VB VBG VBN TO MD CC IN WDT WP , . `` '' -LRB- -RRB- RB"))

    def grown(depth: int) -> Tree:
        if depth == 0 or chance.random() < 0.25:
            return Tree(chance.choice(tags), [chance.choice(["x", "is", "so", "that"])])
        return Tree(chance.choice(labels), [grown(depth - 1) for _ in range(chance.randint(1, 4))])

    return (Tree("TOP", [grown(5)]) for _ in range(count))


def test_thousands_of_random_trees_share_out_their_words() -> None:
    for tree in of_random(2000):
        check(tree, tree.clauses())


def test_real_trees_share_out_their_words() -> None:
    for line in NEOSCA.read_text(encoding="utf-8").splitlines():
        tree = Tree.parse(json.loads(line)["tree"])
        check(tree, tree.clauses())


@pytest.mark.skipif(DATA is None, reason="needs BNAPARSER_DATA, a folder of treebanks")
def test_treebanks_of_nine_languages_share_out_their_words() -> None:
    files = sorted((Path(str(DATA)) / "treebanks").glob("*/dev.*"))
    assert files
    for file in files:
        for found in islice(find_trees(file), 0, None, EVERY):
            check(found.tree, found.tree.clauses())


def test_a_tree_of_thousands_of_nested_clauses() -> None:
    depth = 3000
    text = "(S (NP (PRP I)) (VP (VBP know) (SBAR (IN that) " * depth + HE_LEFT + ")))" * depth
    clauses = Tree.parse(text).clauses()
    assert len(clauses) == depth + 1
    assert {clause.kind for clause in clauses[1:]} == {"complement"}
