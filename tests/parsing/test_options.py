"""What a parser answers beside the best tree: several trees, probabilities, under constraints."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bnaparser import Parse, Parser, Tree
from bnaparser.network.model import BnaModel
from bnaparser.parsing.ensemble import Ensemble
from bnaparser.parsing.named_constraints import Constraint
from bnaparser.parsing.options import Dependencies, ParseOptions
from bnaparser.text.sentence import from_words
from bnaparser.treebanks.reading import load_trees

TEXT = "The cat saw Mira in the park. It rained."


@pytest.fixture(scope="module", params=["int8", "float32"])
def parser(request: pytest.FixtureRequest, tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, device="cpu", precision=request.param)


def test_the_n_best_trees_are_distinct_in_order_and_begin_with_the_best(parser: Parser) -> None:
    for plain, several in zip(parser(TEXT), parser(TEXT, n_best=7), strict=True):
        trees = [several, *several.alternatives]
        assert len({str(one.tree) for one in trees}) == 7
        assert [one.score for one in trees] == sorted((one.score for one in trees), reverse=True)
        assert (str(several.tree), several.spans) == (str(plain.tree), plain.spans)
        assert {(one.words, one.tags, one.offsets) for one in trees} == {
            (plain.words, plain.tags, plain.offsets)
        }


def test_numbers_of_numpy_are_numbers() -> None:
    numbers: Any = {"n_best": np.int64(3), "seed": np.uint8(5), "temperature": np.float32(0.5)}
    parse_options = ParseOptions(**numbers)
    assert parse_options == ParseOptions(n_best=3, seed=5, temperature=0.5)
    assert [type(getattr(parse_options, name)) for name in numbers] == [int, int, float]


@pytest.mark.parametrize("wrong", ["yes", 1, None, "False"])
def test_what_is_neither_true_nor_false_is_refused(parser: Parser, wrong: Any) -> None:
    """``probabilities="no"`` gave probabilities."""
    calls: dict[str, Callable[[], object]] = {
        "probabilities": lambda: parser("It rained.", probabilities=wrong),
        "markup": lambda: parser("It rained.", markup=wrong),
        "as_tuples": lambda: list(parser.pipe(["It rained."], as_tuples=wrong)),
        "once": lambda: list(Tree.parse("(S (NN it))").search("S", once=wrong)),
        "skip_broken": lambda: load_trees("t.mrg", skip_broken=wrong),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match=f"{name} is {wrong!r}: give True or False"):
            call()
    assert ParseOptions(probabilities=np.bool_(True)).probabilities  # type: ignore[arg-type]


def test_true_is_no_number(parser: Parser) -> None:
    wrong: Any = True
    for asked in ({"n_best": wrong}, {"seed": wrong}, {"temperature": wrong}):
        with pytest.raises(TypeError, match=f"{next(iter(asked))} is True: give a"):
            parser("It rained.", **asked)
    with pytest.raises(TypeError, match="batch_tokens is True"):
        list(parser.stream(["It rained."], batch_tokens=wrong))


def test_a_keyword_that_there_is_not_is_told_with_those_there_are(parser: Parser) -> None:
    wrong: Any = {"nbest": 3}
    for call in (parser, parser.parse_sentence, parser.parse_words):
        with pytest.raises(TypeError, match="no keyword 'nbest' here: the options are n_best,"):
            call("It rained.", **wrong)


@pytest.mark.parametrize("asked", [{}, {"n_best": 2}, {"probabilities": True}])
def test_scores_that_are_no_numbers_are_no_matter_of_constraints(
    build_model: Callable[..., BnaModel], asked: dict[str, Any]
) -> None:
    model = build_model("bert")
    with torch.no_grad():
        model.scorer.output.bias[1] = torch.nan
    (parse,) = Parser(model)("It rained.", **asked)
    assert parse.error is not None
    assert parse.error.startswith("the parser failed on this sentence: ScoresError")
    assert parse.error.endswith("a score is not a number (NaN)")


def test_a_word_has_as_many_trees_as_labels_and_no_more(parser: Parser) -> None:
    parse = parser.parse_words(["Go"], n_best=10_000)
    labels = [name for name in parser.model.labels.names if name]
    assert sorted(one.spans[0].label for one in (parse, *parse.alternatives)) == sorted(labels)


def test_probabilities_are_those_of_the_trees(parser: Parser) -> None:
    parse = parser.parse_words(["It", "rained"], n_best=100_000, probabilities=True)
    trees = [parse, *parse.alternatives]
    chances = [one.probability or 0 for one in trees]
    assert math.fsum(chances) == pytest.approx(1, abs=1e-4)  # these are all trees of two words
    shares: Counter[tuple[int, int, str]] = Counter()
    for one, chance in zip(trees, chances, strict=True):
        for span in one.spans:
            shares[span.start, span.end, span.label] += chance  # type: ignore[assignment]
    for span in parse.spans:
        assert span.probability == pytest.approx(shares[span[:3]], abs=1e-4)
    assert parse.entropy == pytest.approx(-sum(p * math.log(p) for p in chances if p), abs=1e-3)
    assert parse.confidence == pytest.approx(
        sum(span.probability or 0 for span in parse.spans) / len(parse.spans)
    )
    plain = parser.parse_words(["It", "rained"])
    assert plain.probability is plain.confidence is plain.entropy is None


def test_a_temperature_cools_or_heats(parser: Parser) -> None:
    cold, warm, hot = (
        parser(TEXT, probabilities=True, temperature=one)[0].probability or 0
        for one in (0.1, 1.0, 10.0)
    )
    assert cold > warm > hot


def test_the_tree_of_most_expected_constituents_has_more_of_them_expected(parser: Parser) -> None:
    for parse in parser(TEXT, n_best=20, probabilities=True, decoder="expected", temperature=0.3):
        gains = [
            sum((span.probability or 0) - 0.5 for span in one.spans)
            for one in (parse, *parse.alternatives)
        ]
        assert gains[0] == pytest.approx(max(gains), abs=1e-5)
        assert len({str(one.tree) for one in (parse, *parse.alternatives)}) == len(gains)


def test_drawn_trees_come_as_often_as_they_are_probable(parser: Parser) -> None:
    parse = parser.parse_words(
        ["It", "rained"], n_best=4000, decoder="sample", probabilities=True, temperature=0.3, seed=5
    )
    drawn = Counter(str(one.tree) for one in (parse, *parse.alternatives))
    chance = {str(one.tree): one.probability or 0 for one in (parse, *parse.alternatives)}
    for tree, count in drawn.most_common(5):
        spread = math.sqrt(4000 * chance[tree] * (1 - chance[tree]))
        assert abs(count - 4000 * chance[tree]) < 5 * spread + 1
    again = parser.parse_words(
        ["It", "rained"], n_best=4000, decoder="sample", temperature=0.3, seed=5
    )
    assert str(again.tree) == str(parse.tree)


def _shape(parse: Parse) -> tuple[tuple[int, int], ...]:
    return tuple((span.start, span.end) for span in parse.spans)


@pytest.mark.parametrize("seed", [0, 1, 2**300])
def test_different_sentences_are_drawn_by_different_random_numbers(
    parser: Parser, seed: int
) -> None:
    sentences = [[f"word{place}", "saw", "the", "old", "dog"] for place in range(30)]
    # So hot that every sentence has nearly the same distribution: equal numbers would give equal trees.
    parses = parser.parse_many(sentences, decoder="sample", temperature=1000.0, seed=seed)
    assert len({_shape(one) for one in parses}) > 15


def test_a_sentence_has_the_same_draw_alone_in_any_batch_and_in_any_order(parser: Parser) -> None:
    texts = [f"Mira saw {number} dogs in the park." for number in range(12)]
    asked: Any = {"decoder": "sample", "n_best": 3, "temperature": 20.0, "seed": 7}

    def drawn(parses: Iterable[Parse]) -> list[list[str]]:
        return [[str(tree.tree) for tree in (one, *one.alternatives)] for one in parses]

    alone = drawn(parser.parse_sentence(text, **asked) for text in texts)
    assert drawn(parser.stream(texts, **asked)) == alone
    assert drawn(parser.stream(texts[::-1], batch_tokens=20, **asked)) == alone[::-1]
    assert drawn(parser(" ".join(texts), **asked)) == alone
    assert drawn(one for (one,) in parser.pipe(texts * 2, **asked)) == alone * 2
    words = [parser.parse_sentence(text).words for text in texts]
    assert drawn(parser.parse_many(words, **asked)) == alone
    assert drawn(Ensemble([parser, parser]).parse_many(words[:1], **asked)) == alone[:1]


def test_each_sentence_keeps_its_constraints_and_a_bad_one_fails_alone(parser: Parser) -> None:
    sentences = [["Dogs", "bark", "."], ["The", "cat", "sat"], ["It", "rained"]]
    known = [
        [Constraint("must", 0, 2, "NP")],
        [Constraint("must", 1, 9)],
        [Constraint("tag", 0, 1, tag="FOO")],
    ]
    dogs, bad, it = parser.parse_many(sentences, constraints=known, n_best=5, probabilities=True)
    for one in (dogs, *dogs.alternatives):
        assert any(span[:2] == (0, 2) and "NP" in span.label.split("::") for span in one.spans)
    assert bad.tree is None
    assert (
        bad.error
        == "constraint 1 (must at 1 to 9): the span lies outside the sentence, which has 3 words"
    )
    assert it.tags[0] == "FOO"
    assert it.probability is not None


def test_a_tag_that_is_given_in_two_ways_is_the_error_of_its_sentence(parser: Parser) -> None:
    sentences, known = [["Dogs", "bark"], ["It", "rained"]], [[Constraint("tag", 0, 1, tag="FOO")]]
    dogs, it = parser.parse_many(sentences, [["BAR", "VBP"], ["PRP", "VBD"]], [*known, []])
    one = "constraint 1 (tag FOO at 0 to 1)"
    assert dogs.error == f"{one} and the tag BAR of the input cannot hold together"
    assert it.tags == ("PRP", "VBD")
    same, _ = parser.parse_many(sentences, [["FOO", "VBP"], ["PRP", "VBD"]], [*known, []])
    assert same.tags == ("FOO", "VBP")


def test_places_of_constraints_are_those_of_the_text(parser: Parser) -> None:
    both = parser(TEXT, constraints=[Constraint("must", 8, 16), Constraint("not", 30, 32)])
    assert (2, 4) in {span[:2] for span in both[0].spans}
    assert (0, 1) not in {span[:2] for span in both[1].spans}
    marked = parser("The cat [* saw Mira] in the park. [!* It] rained.", markup=True)
    assert [str(one.tree) for one in marked] == [str(one.tree) for one in both]
    assert [one.offsets for one in marked] == [one.offsets for one in both]
    one = parser.parse_sentence("It rained.", [Constraint("not", 0, 2)])
    assert str(one.tree) == str(both[1].tree)
    with pytest.raises(ValueError, match="not both"):
        parser("[* It] rained.", markup=True, constraints=[Constraint("not", 0, 2)])
    with pytest.raises(ValueError, match="one line per call"):
        parser("It rained.\nDogs bark.", "line", constraints=[Constraint("not", 0, 2)])


def test_answers_do_not_depend_on_what_else_is_in_the_batch(parser: Parser) -> None:
    sentences = [
        from_words(words.split()) for words in ("It rained", "The cat sat on it", "Go", TEXT)
    ]
    options = [
        ParseOptions(n_best=3, probabilities=True),
        ParseOptions(),
        ParseOptions(constraints=(Constraint("bonus", 0, 1, "NP", -9.0),)),
        ParseOptions(dependencies=Dependencies((0, *range(1, len(sentences[3].words))))),
    ]
    together = parser.parse_sentences(sentences, options=options)
    alone = [
        parser.parse_sentences([sentence], options=[parse_options])[0]
        for sentence, parse_options in zip(sentences, options, strict=True)
    ]
    assert together == alone


def test_asked_through_every_door(parser: Parser) -> None:
    asked = parser("It rained.", n_best=2, probabilities=True)[0]
    assert next(parser.stream(["It rained."], n_best=2, probabilities=True)) == asked
    assert next(parser.pipe(["It rained."], n_best=2, probabilities=True))[0] == asked
    assert parser.parse_sentence("It rained.", n_best=2, probabilities=True) == asked
    words = parser.parse_words(["It", "rained", "."], n_best=2, probabilities=True)
    assert [one.spans for one in words.alternatives] == [one.spans for one in asked.alternatives]


@pytest.mark.parametrize(
    ("asked", "kind", "said"),
    [
        ({"n_best": 0}, ValueError, "n_best is 0: it must be at least 1"),
        ({"n_best": -1}, ValueError, "n_best is -1: it must be at least 1"),
        ({"n_best": 2.5}, TypeError, "n_best is 2.5: give a whole number"),
        ({"n_best": 10**9}, ValueError, "n_best is 1,000,000,000: it must be at most 100,000"),
        ({"decoder": "worst"}, ValueError, "decoder is 'worst': use one of best, expected, sample"),
        ({"temperature": 0}, ValueError, "temperature is 0: it must be from 0.001"),
        ({"temperature": math.nan}, ValueError, "temperature is nan"),
        ({"temperature": "1"}, TypeError, "temperature is '1': give a number"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"seed": 2.5}, TypeError, "seed is 2.5: give a whole number"),
        ({"nbest": 3}, TypeError, "nbest"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(
    parser: Parser, asked: dict[str, float], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        parser("It rained.", **asked)  # type: ignore[arg-type]


def test_json_holds_what_was_asked_for_and_reads_back(parser: Parser) -> None:
    parse = parser("It rained.", n_best=3, probabilities=True)[0]
    stored = parse.to_dict()
    assert Parse.from_json(parse.to_json()) == parse
    assert stored["probability"] == parse.probability
    assert [one["tree"] for one in stored["alternatives"]] == [
        str(one.tree) for one in parse.alternatives
    ]
    assert all(0 <= one["probability"] <= 1 for one in stored["constituents"])
    plain = parser("It rained.")[0].to_dict()
    assert set(plain) == {"text", "tree", "score", "tokens", "constituents", "error"}
    assert "probability" not in plain["constituents"][0]


def test_a_limit_of_the_users_own(tiny_model_dir: Path) -> None:
    parser = Parser.load(tiny_model_dir, device="cpu", max_words=3)
    assert parser.parse_words(["a", "b", "c"]).error is None
    said = "the sentence has 4 words, and the limit is 3 words: split the text into sentences"
    assert parser.parse_words(["a", "b", "c", "d"]).error == said
    with pytest.raises(ValueError, match="max_words is 0"):
        Parser.load(tiny_model_dir, device="cpu", max_words=0)


def test_an_ensemble_answers_as_its_one_parser_does(parser: Parser) -> None:
    twice = Ensemble([parser, parser])
    asked = {"n_best": 3, "probabilities": True}
    mine, theirs = (
        one.parse_many([["It", "rained"]], **asked)[0]  # type: ignore[arg-type]
        for one in (parser, twice)
    )
    assert str(mine.tree) == str(theirs.tree)
    assert mine.probability == pytest.approx(theirs.probability, rel=1e-4)
    assert len(theirs.alternatives) == 2
