"""``score_raw``: EVALB's own scores for the same words, characters' brackets for others; by hand and by brute force."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.cli import main
from bnaparser.errors import DataError, TreeError
from bnaparser.eval import (
    Params,
    collins,
    compare_outputs,
    compare_raw_outputs,
    score,
    score_raw,
)
from bnaparser.eval.raw import characters_of
from bnaparser.treebanks.reading import load_clean_trees
from bnaparser.trees.tree import Span, Tree

DATA = Path(os.environ.get("BNAPARSER_DATA", "nowhere")) / "treebanks"
LABELS = ("S", "NP", "VP", "PRT", "ADVP")
TAGS = ("NN", "VB", ",", ".", ":", "-NONE-")


def random_tree(words: list[str], rng: random.Random) -> Tree:
    """A tree over words with some punctuation and empty elements."""
    tags = [rng.choice(TAGS[:5]) for _ in words]
    spans: list[Span] = []
    for _ in range(rng.randrange(2 * len(words))):
        start = rng.randrange(len(words))
        end = rng.randrange(start + 1, len(words) + 1)
        if not any(
            one.start < start < one.end < end
            or start < one.start < end < one.end
            or one[:2] == (start, end)
            for one in spans
        ):
            chain = rng.choices(LABELS, k=rng.choice((1, 1, 2)))
            spans.append(Span(start, end, "::".join(chain)))
    return Tree.from_spans(words, tags, spans)


def cut(text: str, most: int, rng: random.Random) -> list[str]:
    """A text in pieces of random sizes."""
    parts = []
    while text:
        size = rng.randrange(1, most + 1)
        parts.append(text[:size])
        text = text[size:]
    return parts


def random_side(text: str, rng: random.Random) -> list[Tree]:
    return [random_tree(cut(part, 4, rng), rng) for part in cut(text, 15, rng)]


def brackets_by_character(
    trees: list[Tree], counts: list[bool], params: Params
) -> list[tuple[int, int, bytes]]:
    """Each bracket as its first and last character that count."""
    found = []
    before = 0
    for tree in trees:
        places = [before]
        for word in tree.words:
            places.append(places[-1] + len(word))
        before = places[-1]
        for node in tree.nodes():
            inside = [i for i in range(places[node.start], places[node.end]) if counts[i]]
            if node.subtrees and inside and not params.deletes_bracket(node.label.encode()):
                label = b"ADVP" if node.label == "PRT" else node.label.encode()
                found.append((inside[0], inside[-1] + 1, label))
    return found


def tokens(trees: list[Tree]) -> list[tuple[int, int, str]]:
    found, here = [], 0
    for tree in trees:
        for word, tag in zip(tree.words, tree.tags, strict=True):
            found.append((here, here + len(word), tag))
            here += len(word)
    return found


@given(st.integers(0, 2**32), st.integers(1, 80))
def test_brute_force(seed: int, size: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choices("abc", k=size))
    gold, test = random_side(text, rng), random_side(text, rng)
    params = collins()
    counts = [
        tag.encode() not in params.delete_labels
        for start, end, tag in tokens(gold)
        for _ in range(start, end)
    ]
    mine, its = (brackets_by_character(side, counts, params) for side in (gold, test))
    found = score_raw(gold, test)
    sums = found.brackets
    assert (sums.gold, sums.test) == (len(mine), len(its))
    assert sums.matched == sum((Counter(mine) & Counter(its)).values())
    crossing = [
        one
        for one in its
        if any(a < one[0] < b < one[1] or one[0] < a < one[1] < b for a, b, _ in mine)
    ]
    assert sums.crossing == len(crossing)
    kept = [one for one in tokens(gold) if one[2].encode() not in params.delete_labels]
    assert (sums.words, sums.tags) == (len(kept), len(set(kept) & set(tokens(test))))
    both = [{one[:2] for one in tokens(side)} for side in (gold, test)]
    assert found.words.matched == len(both[0] & both[1])
    ends = []
    for side in (gold, test):
        sizes = [sum(map(len, tree.words)) for tree in side]
        ends.append({sum(sizes[: n + 1]) for n in range(len(sizes))})
    assert sums.sentences == len(ends[0] & ends[1])


def perturbed(tree: Tree, rng: random.Random) -> Tree:
    """A tree with other brackets over the same words and tags."""
    spans = [one for one in tree.spans() if rng.random() < 0.85]
    spans = [one._replace(label=rng.choice(LABELS)) if rng.random() < 0.1 else one for one in spans]
    start = rng.randrange(tree.end)
    extra = Span(start, rng.randrange(start, tree.end) + 1, "NP")
    try:
        return Tree.from_spans(tree.words, tree.tags, [*spans, extra])
    except TreeError:  # it crosses another one
        return Tree.from_spans(tree.words, tree.tags, spans)


@pytest.mark.skipif(not DATA.is_dir(), reason="BNAPARSER_DATA is not set")
@pytest.mark.parametrize(
    "name", ["wsj_sample/dev.mrg", "de_pcc/dev.txt.xz", "is_modern/ruv/dev.txt.xz"]
)
def test_for_the_same_words_it_is_evalb(name: str) -> None:
    file = DATA / name
    if not file.exists():
        pytest.skip(f"{name} is not there")
    rng = random.Random(1)
    gold = load_clean_trees(file)
    first, second = ([perturbed(tree, rng) for tree in gold] for _ in range(2))
    for params in (collins(), Params(), Params(labeled=False), Params(keep_functions=True)):
        plain = score(gold, first, params)
        found = score_raw(gold, first, params)
        assert plain.error_sentences == 0
        assert 50 < plain.f1 < 95
        assert found.brackets == plain
        assert (found.words.f1, found.sentences.f1, found.different) == (100, 100, 0)
    assert compare_raw_outputs(gold, first, second) == compare_outputs(gold, first, second)


WE_CANT = "(S (NP (PRP We)) (VP (MD ca) (RB n't) (VP (VB go))) (. .))"
I_SLEPT = "(S (NP (PRP I)) (VP (VBD slept)) (. .))"


@pytest.mark.parametrize(
    ("gold", "test", "counts", "tags", "words", "groups"),
    [
        # two words of gold are one: the verb phrases match; 4 of 6 words are found
        ([WE_CANT], ["(S (NP (PRP We)) (VP (MD can't) (VP (VB go))) (. .))"], (4, 4, 4, 0), (4, 2), (5, 4, 3), 1),
        # one word of gold is two, and a bracket ends between them
        (["(S (NP (NNP New-York)) (VP (VBZ is)))"],
         ["(S (NP (NNP New-)) (VP (NP (NNP York)) (VBZ is)))"], (1, 3, 4, 1), (2, 1), (2, 3, 1), 1),
        # two sentences are one: their own brackets match, the one over both is too many
        ([WE_CANT, I_SLEPT], [f"(S {WE_CANT} {I_SLEPT})"], (7, 7, 8, 0), (6, 6), (8, 8, 8), 1),
        # one sentence is two, cut within the verb phrase
        (["(S (NP (PRP We)) (VP (VBD left) (ADVP (RB then))) (. .))", I_SLEPT],
         ["(S (NP (PRP We)) (VP (VBD left)))", "(ADVP (RB then) (. .))", I_SLEPT],
         (5, 7, 7, 1), (5, 5), (7, 7, 7), 2),
        # no tree for a sentence: its brackets are not found
        ([WE_CANT, I_SLEPT] * 30, [WE_CANT, I_SLEPT] * 29 + [WE_CANT, ""], (7 * 29 + 4, 210, 7 * 29 + 4, 0),
         (180, 178), (240, 237, 237), 60),
    ],
)  # fmt: skip
def test_by_hand(
    gold: list[str],
    test: list[str],
    counts: tuple[int, ...],
    tags: tuple[int, int],
    words: tuple[int, int, int],
    groups: int,
) -> None:
    found = score_raw(gold, test)
    sums = found.brackets
    assert (sums.matched, sums.gold, sums.test, sums.crossing) == counts
    assert (sums.words, sums.tags) == tags
    assert (found.words.gold, found.words.test, found.words.matched) == words
    assert sums.sentences == groups


@pytest.mark.parametrize(
    ("gold", "test"),
    [
        ("-LRB- `` n't '' -RRB-", '( " n\u2019t \u201d )'),
        ("1\\/2 -- ...", "1/2 \u2014 \u2026"),
        ("AT&amp;T caf\u00e9 \ufb01ne", "AT&T cafe\u0301 fi\u00adne"),
        ("\uff0c \uff21", ", A"),
        ("U.S. 10\u00a0000 bom_humor _", "U.S. 10000 bomhumor _"),
    ],
)
def test_spellings_of_one_sign(gold: str, test: str) -> None:
    assert [characters_of(word) for word in gold.split(" ")] == [
        characters_of(word) for word in test.split(" ")
    ]


def test_empty_elements_are_no_text() -> None:
    gold = "(S (NP-SBJ (-NONE- *T*-1)) (VP (VB Go) (NP (-NONE- *)) (ADVP (RB home))))"
    found = score_raw([gold], ["(S (VP (VB Go) (ADVP (RB home))))"])
    assert (found.brackets.f1, found.brackets.gold, found.different) == (100, 3, 0)


@given(st.integers(0, 2**32))
def test_words_that_are_spelled_otherwise_keep_their_places(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=900))
    gold = random_side(text, rng)
    other = []
    for number, tree in enumerate(gold):
        words = list(tree.words)
        if number % 20 == 0:
            words[rng.randrange(len(words))] = "".join(rng.choices("XYZ", k=rng.randrange(1, 5)))
        other.append(Tree.from_spans(words, tree.tags, tree.spans()))
    found = score_raw(gold, other)
    assert found.brackets == score_raw(gold, gold).brackets
    assert found.words.f1 == 100
    changed = sum(
        max(len(one), len(two))
        for first, second in zip(gold, other, strict=True)
        for one, two in zip(first.words, second.words, strict=True)
        if one != two
    )
    assert found.different == changed


def test_where_texts_differ_is_said() -> None:
    filler = [I_SLEPT] * 20
    gold = [*filler, "(S (PP (P de) (D o)) (VP (V vai)))"]
    test = [*filler, "(S (PP (P do)) (VP (V vai)))"]
    found = score_raw(gold, test)
    assert (found.different, found.characters) == (1, 20 * 7 + 6)
    assert found.first_difference.startswith("first at gold sentence 21: 'de")
    assert found.brackets.f1 == 100
    with pytest.raises(
        DataError,
        match=r"two texts: 16\.7 % of the characters differ \(at most 5 % may\), first at gold",
    ):
        score_raw(gold[-1:], test[-1:])
    with pytest.raises(DataError, match="trees of two texts: 100"):
        score_raw([WE_CANT], ["(S (X quite) (Y other))"])


def test_other_sentences_at_the_ends_and_in_between() -> None:
    filler = [f"(S (NP (NN w{number}x)) (VP (VBD slept)))" for number in range(200)]
    added = "(S (NP (NN Title)) (VP (VBN added)))"
    found = score_raw(filler, [added, *filler[:100], added, *filler[100:], added])
    assert (found.brackets.matched, found.brackets.gold, found.brackets.test) == (600, 600, 609)
    assert (found.brackets.sentences, found.different) == (203, 30)
    found = score_raw([added, *filler[:100], added, *filler[100:], added], filler)
    assert (found.brackets.matched, found.brackets.gold, found.brackets.test) == (600, 609, 600)
    assert (found.sentences.matched, found.words.matched) == (200, 400)


def test_a_line_that_is_no_tree() -> None:
    with pytest.raises(
        DataError, match=r"the predicted tree 2 cannot be read: Bracketing is unbalanced"
    ):
        score_raw([I_SLEPT, I_SLEPT], [I_SLEPT, "(S (NP (PRP I))"])
    with pytest.raises(DataError, match=r"the gold tree 1 cannot be read"):
        score_raw(["I slept"], [I_SLEPT])


def run(capfdbinary: pytest.CaptureFixture[bytes], *arguments: object) -> tuple[int, str, str]:
    code = main(["evaluate", *map(str, arguments)])
    out, err = capfdbinary.readouterr()
    return code, out.decode(), err.decode()


def test_the_command(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    gold, pred, other = (tmp_path / name for name in ("gold.mrg", "pred.mrg", "other.mrg"))
    gold.write_text(f"{WE_CANT}\n{I_SLEPT}\n", encoding="utf-8")
    pred.write_text(f"(S {WE_CANT} {I_SLEPT})\n", encoding="utf-8")
    other.write_text(f"{WE_CANT}\n{I_SLEPT.replace('NP', 'VP')}\n", encoding="utf-8")
    code, out, _ = run(capfdbinary, "--raw", gold, pred, "--significance", other)
    assert code == 0
    for line in (
        "Number of sentence        =      1",
        "Bracketing Recall         = 100.00",
        "Bracketing Precision      =  87.50",
        "Tagging accuracy          = 100.00",
        "Words     FMeasure        = 100.00",
        "Sentences, gold 2, predicted 1, matched 0",
        "Characters that differ    =   0.00 % of 17",
        "Sentences compared        =      1",
    ):
        assert line in out
    plain = run(capfdbinary, gold, other)[1]
    assert run(capfdbinary, "--raw", gold, other)[1].startswith(plain)
    prm = tmp_path / "own.prm"
    prm.write_text("LABELED 0\n", encoding="utf-8")
    assert (
        "Bracketing Recall         = 100.00"
        in run(capfdbinary, "--raw", gold, other, "--prm", prm)[1]
    )
    assert "Bracketing Recall         = 85.71" not in run(capfdbinary, "--raw", gold, other)[1]
    for given_, message in (
        (
            ["--model", "en", gold],
            "bnaparse -i TEXT -o PRED, then bnaparser evaluate --raw GOLD PRED",
        ),
        ([gold, pred, "--scorer", "pyevalb"], "--raw is for the scorer evalb"),
        (["--release", "ptb", tmp_path, "--model", "en"], "--release takes no --raw"),
    ):
        code, _, err = run(capfdbinary, "--raw", *given_)
        assert (code, message in err) == (2, True)
