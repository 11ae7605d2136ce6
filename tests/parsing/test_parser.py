"""The parser that users hold: what it promises about words, order, offsets, errors and JSON."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from bnaparser import Parse, Parser, Tree
from bnaparser.errors import ModelError
from bnaparser.network import decoding
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LayerKind, LayerSettings, TagSettings
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.parsing.parser import MAX_WORDS
from bnaparser.text.sentence import Split
from bnaparser.training.data import Example
from tests.tiny_encoders import ENCODERS


@pytest.fixture(scope="module")
def parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, device="cpu")


def same(first: Parse, second: Parse) -> bool:
    return str(first.tree) == str(second.tree) and first.words == second.words


def tree_of(parse: Parse) -> Tree:
    assert parse.error is None
    assert parse.tree is not None
    return parse.tree


def test_words_become_a_tree_over_them(parser: Parser) -> None:
    parse = parser.parse_words(["The", "cat", "saw", "Mira", "."])
    tree = tree_of(parse)
    assert parse.words == tree.words == ("The", "cat", "saw", "Mira", ".")
    assert parse.tags == tree.tags
    assert set(parse.tags) <= set(parser.model.tags.names)
    assert tree.label == "TOP"
    root = parse.spans[0]
    assert (root.start, root.end) == (0, 5)
    assert parse.score == pytest.approx(sum(span.score or 0 for span in parse.spans), abs=1e-4)
    places = [(span.start, span.end, span.label) for span in parse.spans]
    assert [(span.start, span.end, span.label) for span in tree.spans()] == places
    assert parse.text == "The cat saw Mira ."
    assert parse.offsets == ((0, 3), (4, 7), (8, 11), (12, 16), (17, 18))


def test_the_tiny_model_has_learned_something(parser: Parser, examples: list[Example]) -> None:
    parses = parser.parse_many([example.words for example in examples])
    right = sum(
        (span.start, span.end, span.label) in {(s.start, s.end, s.label) for s in example.spans}
        for example, parse in zip(examples, parses, strict=True)
        for span in parse.spans
    )
    assert right > sum(len(parse.spans) for parse in parses) / 2


def test_capitals_are_read_in_lower_case_and_stay_in_the_tree(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parser, "cased", True)
    read = parser.parse_words(["The", "cat", "saw", "the", "dog", "."])
    parse = parser.parse_words(["THE", "CAT", "SAW", "THE", "DOG", "."])
    assert (parse.tags, parse.spans, parse.score) == (read.tags, read.spans, read.score)
    assert tree_of(parse).words == parse.words == ("THE", "CAT", "SAW", "THE", "DOG", ".")
    monkeypatch.setattr(parser, "cased", False)
    assert parser.parse_words(parse.words).score != read.score


def test_many_sentences_are_parsed_in_order_as_each_alone(
    parser: Parser, examples: list[Example]
) -> None:
    sentences = [example.words for example in examples[40:]]
    parses = parser.parse_many(iter(sentences))
    assert [parse.words for parse in parses] == [tuple(words) for words in sentences]
    assert all(
        same(parser.parse_words(words), p) for words, p in zip(sentences, parses, strict=True)
    )
    assert parser.parse_many([]) == []


@pytest.mark.parametrize(
    ("encoder", "layers"),
    [
        (kind, ("partitioned",) if number % 2 else ("bimsa", "nsa"))
        for number, kind in enumerate(ENCODERS)
    ],
)
def test_batches_side_by_side_do_not_touch_each_other(
    build_model: Callable[..., BnaModel],
    examples: list[Example],
    encoder: str,
    layers: tuple[LayerKind, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Encoder and layers run in several threads at once; an encoder that keeps state would mix up."""
    settings = LayerSettings(
        layer_types=layers,
        positions="concatenate",
        hidden_size=32,
        num_attention_heads=2,
        head_dim=16,
    )
    parser = Parser(build_model(encoder, layers=settings, mix_layers=True))
    sentences = [example.words for example in examples]
    alone = [parser.parse_words(words).score for words in sentences]
    monkeypatch.setattr(decoding, "CORE_TOKENS", 20)
    monkeypatch.setattr(decoding, "WORTH_SHARING", 20)
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    together = [parse.score for parse in parser.parse_many(sentences)]
    torch.set_num_threads(before)
    assert together == pytest.approx(alone, abs=1e-3)


def test_text_is_split_and_offsets_count_in_all_of_it(parser: Parser) -> None:
    text = "It rained.  “Mira” said (twice): don't!\n\nThe cat sat on the 𝒎at."
    parses = parser(text)
    assert len(parses) == 3
    for parse in parses:
        assert parse.error is None
        assert [text[start:end] for start, end in parse.offsets] == list(parse.words)
        assert parse.text in text
    assert parses[0].words == ("It", "rained", ".")
    assert parses[2].offsets[-1] == (len(text) - 1, len(text))
    assert parser("") == parser(" \n") == []


@pytest.mark.parametrize(
    ("split", "texts"),
    [
        ("paragraph", ["It rained.", "Dogs", "bark."]),
        ("text", ["It rained.", "Dogs\nbark."]),
        ("line", ["It rained. Dogs", "", "bark."]),
        ("token", ["It rained. Dogs", "", "bark."]),
    ],
)
def test_what_a_line_is_may_be_said(parser: Parser, split: Split, texts: list[str]) -> None:
    text = "It rained. Dogs\nbark." if split == "text" else "It rained. Dogs\n\nbark."
    parses = parser(text, split=split)
    assert [parse.text for parse in parses] == texts
    assert [parse.error for parse in parses] == [
        None if text else "the sentence has no words" for text in texts
    ]
    if split == "line":
        assert parses == list(parser.stream(text.splitlines(keepends=True)))
    if split == "paragraph":
        assert parses == parser(text)


def test_a_split_that_there_is_not_says_which_there_are(parser: Parser) -> None:
    with pytest.raises(ValueError, match="split is 'sentences': use one of paragraph, text, line"):
        parser("It rained.", split="sentences")  # type: ignore[arg-type]


def test_one_sentence_is_not_split(parser: Parser) -> None:
    parse = parser.parse_sentence("It rained. The cat sat.")
    assert parse.words == ("It", "rained", ".", "The", "cat", "sat", ".")
    assert parser.parse_sentence(" ").error == "the sentence has no words"


def test_a_stream_comes_in_order_and_is_read_a_part_at_a_time(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bnaparser.parsing.parser.READ_AHEAD", 3)
    read = []

    def lines() -> Iterator[str]:
        for number in range(10):
            read.append(number)
            yield f"{'very ' * (number % 4)}old cat {number}\n"

    stream = parser.stream(lines())
    first = next(stream)
    assert read == [0, 1, 2]
    parses = [first, *stream]
    assert [parse.words[-1] for parse in parses] == [str(number) for number in range(10)]
    assert parses[5].offsets[-1] == (len("very old cat "), len("very old cat 5"))


def test_a_stream_with_batches_of_its_own_size(parser: Parser) -> None:
    lines = ["It rained.", "Mira sang in the old rain.", "Dogs bark."]
    assert all(map(same, parser.stream(lines, batch_tokens=1), parser.stream(lines)))


@pytest.mark.parametrize("call", [Parser, lambda model, n: next(Parser(model).stream(["a"], n))])
def test_a_batch_holds_a_word_piece_at_least(
    parser: Parser, call: Callable[[ParsingNetwork, int], object]
) -> None:
    with pytest.raises(ValueError, match="batch_tokens is -5: it must be at least 1"):
        call(parser.model, -5)


def test_words_may_come_one_after_the_other(parser: Parser) -> None:
    words = ["Mira", "sang", "."]
    parse = parser.parse_words(word for word in words)
    assert same(parse, parser.parse_words(words))
    assert parse.text == "Mira sang ."


def test_a_string_is_no_list(parser: Parser) -> None:
    with pytest.raises(TypeError, match="give a list of words, not a string: 'hello'"):
        parser.parse_words("hello")
    with pytest.raises(TypeError, match="give a list of words, not a string: 'The cat'"):
        parser.parse_many(["The cat"])
    with pytest.raises(TypeError, match="sentences, each a list of words, not a string"):
        parser.parse_many("The cat")
    with pytest.raises(TypeError, match="give a list of lines, not a string"):
        next(parser.stream("It rained."))


def test_a_word_may_hold_a_blank_that_is_not_ascii(parser: Parser) -> None:
    parse = parser.parse_words(["10\u00a0000", "people"])
    assert tree_of(parse).words == ("10\u00a0000", "people")


def test_half_a_character_in_a_word_is_its_sentences_error(parser: Parser) -> None:
    """The tree could not be printed; the service refused such words."""
    words = ("Mira", "sa\ud83dng", "\udc80")
    for parse in (parser.parse_words(words), parser.parse_words(words, n_best=2)):
        assert parse.tree is None
        assert parse.error is not None and "half of a surrogate pair" in parse.error


def test_what_a_parse_is_written_as_holds_no_half_of_a_character(parser: Parser) -> None:
    parses = [*parser("Mira sa\ud83dng."), parser.parse_words(["Mira", "sa\ud83dng"])]
    for parse in parses:
        forms = (parse.to_mrg(), parse.to_conllu(), parse.to_export(), parse.to_tiger())
        for form in (*forms, parse.to_json(), parse.to_latex()):
            assert form is None or form.encode("utf-8")
        assert parse.to_json().encode("utf-8")


def test_an_empty_line_of_a_stream_keeps_its_place(parser: Parser) -> None:
    parses = list(parser.stream(["It rained.\n", "\n", "Mira sang.\n"]))
    assert [parse.error for parse in parses] == [None, "the sentence has no words", None]
    assert parses[1].tree is None


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "no words"),
        (["a", "b c"], "word 2 is 'b c'"),
        (["a\n"], "word 1"),
        (["", "a"], "word 1 is ''"),
        (["a"] * 2001, "2,001 words, and the limit is 2,000"),
    ],
    ids=["none", "blank", "line end", "empty", "too many"],
)
def test_one_bad_sentence_fails_alone(parser: Parser, words: list[str], reason: str) -> None:
    good = ["Mira", "sang", "."]
    first, bad, last = parser.parse_many([good, words, good])
    assert reason in str(bad.error)
    assert (bad.words, bad.tags, bad.spans, bad.tree) == (tuple(words), (), (), None)
    assert same(first, parser.parse_words(good))
    assert same(last, first)


def test_tags_stand_in_the_tree(parser: Parser) -> None:
    parse = parser.parse_words(["Mira", "sang"], tags=["X", "Y-1"])
    assert parse.tags == tree_of(parse).tags == ("X", "Y-1")


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        (["X"], "1 tags for 2 words"),
        (["X", "Y Z"], "tag 2 is 'Y Z'"),
        (["(", "Y"], "tag 1 is '('"),
        (["X", ""], "tag 2 is ''"),
    ],
)
def test_wrong_tags_fail_their_sentence_alone(parser: Parser, tags: list[str], reason: str) -> None:
    good, bad = parser.parse_many([["Mira", "sang"]] * 2, tags=[["X", "Y"], tags])
    assert good.error is None
    assert reason in str(bad.error)


def test_tags_for_another_number_of_sentences_are_a_mistake_of_the_caller(parser: Parser) -> None:
    with pytest.raises(ValueError, match="1 lists of tags for 2 sentences"):
        parser.parse_many([["a"], ["b"]], tags=[["X"]])


def test_given_tags_reach_a_model_that_takes_them(build_model: Callable[..., BnaModel]) -> None:
    model = build_model(tagging=TagSettings(given=True))
    parser = Parser(model)
    scores = [
        parser.parse_words(["Mira", "sang"], tags).score for tags in (["NNP", "VBD"], ["X", "X"])
    ]
    assert scores[0] != scores[1]


def test_a_model_that_reads_tags_says_so_where_there_are_none(
    build_model: Callable[..., BnaModel], parser: Parser
) -> None:
    """Sentences without tags were parsed as if every tag were unknown, in silence."""
    reader = Parser(build_model(tagging=TagSettings(given=True)))
    assert (reader.reads_tags, parser.reads_tags) == (True, False)
    words = ["Mira", "sang"]
    untold = [reader.parse_words(words), reader.parse_many([words])[0], *reader("Mira sang.")]
    untold += [reader.parse_sentence("Mira sang."), *reader.stream(["Mira sang."])]
    assert len(untold) == 5
    for parse in untold:
        assert parse.tree is None
        assert "reads part-of-speech tags: give the words, and with tags=..." in str(parse.error)
    assert reader.parse_words([]).error == "the sentence has no words"
    assert [p.error for p in reader.parse_many([[]], tags=[[]])] == ["the sentence has no words"]
    assert reader.parse_words(words, ["NNP", "VBD"]).error is None


@pytest.mark.parametrize("part", ["prepare", "encode"])
def test_a_sentence_that_the_model_fails_on_fails_alone(
    parser: Parser, examples: list[Example], monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    work = getattr(parser.model, part)

    def fragile(batch: Any, *rest: Any) -> Any:
        lengths = [one.words if part == "encode" else len(one) for one in batch]
        if 3 in lengths:
            raise MemoryError("too large")
        return work(batch, *rest)

    monkeypatch.setattr(parser.model, part, fragile)
    sentences = [examples[0].words, ("Mira", "sang", "."), examples[2].words]
    first, bad, last = parser.parse_many(sentences)
    assert bad.error == "the parser failed on this sentence: MemoryError: too large"
    assert (first.error, last.error) == (None, None)
    assert first.words == tuple(examples[0].words)
    assert last.words == tuple(examples[2].words)


def test_2000_words_are_parsed(parser: Parser) -> None:
    words = ["the", "cat", "saw", "Mira"] * (MAX_WORDS // 4)
    parse = parser.parse_words(words)
    assert tree_of(parse).words == tuple(words)
    assert Tree.parse(str(parse.tree)) == parse.tree


def test_brackets_are_words_like_others(parser: Parser) -> None:
    words = ["(", "Mira", ")", "[", "-LRB-", "a(b", "{"]
    parse = parser.parse_words(words)
    assert parse.words == tuple(words)
    assert tree_of(parse).words == ("-LRB-", "Mira", "-RRB-", "[", "-LRB-", "a-LRB-b", "{")
    assert Tree.parse(str(parse.tree)) == parse.tree


def test_json_has_one_form(parser: Parser) -> None:
    text = "It rained. Sí (Mira) sang."
    parse = parser(text)[1]
    line = parse.to_json()
    assert "\n" not in line
    assert "Sí" in line
    found = json.loads(line)
    assert list(found) == ["text", "tree", "score", "tokens", "constituents", "error"]
    assert found["text"] == "Sí (Mira) sang."
    assert found["tree"] == str(parse.tree)
    assert found["error"] is None
    assert found["tokens"][1] == {"text": "(", "tag": parse.tags[1], "start": 14, "end": 15}
    labels = [label for span in parse.spans for label in span.label.split("::")]
    assert [one["label"] for one in found["constituents"]] == labels
    for one in found["constituents"]:
        assert list(one) == ["label", "start", "end", "char_start", "char_end", "score"]
        words = parse.words[one["start"] : one["end"]]
        part = text[one["char_start"] : one["char_end"]]
        assert part.startswith(words[0]) and part.endswith(words[-1])


def test_json_of_a_failed_sentence_says_why(parser: Parser) -> None:
    found = json.loads(parser.parse_words(["a b"]).to_json())
    assert found["tree"] is None
    assert found["constituents"] == found["tokens"] == []
    assert "word 1" in found["error"]


def test_a_model_or_device_that_is_not_there_is_refused(
    tiny_model_dir: Path, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="no model 'xx'"):
        Parser.load("xx")
    for device in ("toaster", "cpu:banana"):
        with pytest.raises(ModelError, match=f"cannot use the device '{device}'"):
            Parser.load(tiny_model_dir, device=device)
    with pytest.raises(ModelError, match="missing"):
        Parser.load(tmp_path)


def test_a_device_may_be_one_of_torch_s(tiny_model_dir: Path) -> None:
    parser = Parser.load(tiny_model_dir, device=torch.device("cpu"))
    assert parser.model.device == "cpu"
    assert pickle.loads(pickle.dumps(parser)).model.device == "cpu"
