"""Properties, bodies and sentence splitting as CoreNLP's clients write and mean them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.server.corenlp.request import (
    AnnotateOptions,
    read_options,
    read_properties,
    read_text,
    sentences_of,
)
from bnaparser.server.problems import BadBody, Problem, UnsupportedBody
from bnaparser.text.splitting import split

FORM = "application/x-www-form-urlencoded"
NAMES = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
VALUES = NAMES | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(NAMES, VALUES))
def test_properties_are_read_as_json_and_as_python_prints_them(
    properties: dict[str, str | int | bool | float],
) -> None:
    as_json = {key: v if isinstance(v, str) else json.dumps(v) for key, v in properties.items()}
    assert read_properties(json.dumps(properties)) == as_json
    assert read_properties(json.dumps(properties, indent=2)) == as_json
    as_python = {key: str(value) for key, value in properties.items()}
    assert read_properties(str(properties)) == as_python


def test_properties_are_read_with_mixed_quotes_bare_words_and_encoded_twice() -> None:
    written = '{"ssplit.eolonly": "true", \'timeout\': 9000000, outputFormat: json, date: null,}'
    expected = {"ssplit.eolonly": "true", "timeout": "9000000", "outputFormat": "json"}
    assert read_properties(written) == expected
    assert read_properties("%7B%22timeout%22%3A5%7D") == {"timeout": "5"}
    assert read_properties("") == read_properties(" { } ") == {}


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("[]", "expected {"),
        ("{", "expected {"),
        ('"x"', "expected {"),
        ("0", "expected {"),
        ('{"a": "b", "c": {"d": 1}}', 'at character 12, found \'"c"'),
        ('{"a": ["b"]}', "at character 2"),
        ('{"a": "b" "c": "d"}', "at character 2"),
        ("{" * 100_000 + "}" * 100_000, "at character 2"),
        ('{"\ud800', "expected {"),
        ('{"\ud800": [}', r"found '\"\\ud800\""),
    ],
)
def test_other_properties_are_refused_with_the_place(written: str, message: str) -> None:
    with pytest.raises(Problem, match=r"^properties: ") as caught:
        read_properties(written)
    assert str(caught.value).isascii()
    assert message.replace("\\\\", "\\").replace('\\"', '"') in str(caught.value)


def test_a_query_parameter_is_a_property_and_properties_win() -> None:
    wanted = read_options([("annotators", "tokenize, ssplit"), ("outputFormat", "TEXT")])
    assert (wanted.annotators, wanted.output_format) == (frozenset({"tokenize", "ssplit"}), "text")
    assert not wanted.tags and not wanted.trees
    wanted = read_options([("outputFormat", "text"), ("props", "{'outputFormat': 'Serialized'}")])
    assert wanted.output_format == "serialized"
    assert wanted.tags and wanted.trees
    wanted = read_options([("annotators", "tokenize,ssplit,,ner"), ("timeout", "1500")])
    assert wanted.tags and not wanted.trees
    assert wanted.timeout_seconds == 1.5


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("outputFormat", "xml", "outputFormat is 'xml': use one of json, serialized, text, conll"),
        ("outputFormat", "\u20ac" * 99, "outputFormat is '\\\\u20ac"),
        ("inputFormat", "serialized", "inputFormat is 'serialized': send plain text"),
        ("timeout", "-1", "timeout is '-1': give whole milliseconds"),
        ("timeout", "9" * 5000, "timeout is '9999"),
        ("timeout", "NaN", "timeout is 'NaN'"),
    ],
)
def test_a_property_that_cannot_be_met_is_refused(name: str, value: str, message: str) -> None:
    with pytest.raises(Problem, match=message):
        read_options([(name, value)])
    if name != "timeout":
        good = [("properties", "{outputFormat: text, inputFormat: text}")]
        with pytest.raises(Problem, match=message):  # though the properties would win
            read_options([(name, value), *good])


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        # NLTK and stanza say text/plain: nothing is decoded
        ("100% sure, a+b and 50%25 😀", "text/plain; charset=utf8", "100% sure, a+b and 50%25 😀"),
        # wget --post-data and curl -d call plain text a form
        ("100% sure", FORM, "100% sure"),
        ("a+b is %2B", FORM, "a+b is +"),
        ("It rose 5 %.", None, "It rose 5 %."),
        ("C++", None, "C++"),
        # CoreNLP's page and older clients percent-encode
        ("100%25%20sure%20a%2Bb%20%F0%9F%98%80", FORM, "100% sure a+b 😀"),
        ("100%25+sure", FORM + "; charset=UTF-8", "100% sure"),
        ("100%25 sure", None, "100% sure"),
        # bytes that UTF-8 does not have: never an escape
        ("%FF", FORM, "%FF"),
        ("{}", "application/json", "{}"),
        # a byte order mark is no letter of the first word
        ("\ufeffIt rained.", "text/plain", "It rained."),
        ("%EF%BB%BFIt%20rained.", FORM, "It rained."),
        ("", None, ""),
    ],
)
def test_a_body_is_decoded_only_where_it_is_encoded(
    body: str, content_type: str | None, text: str
) -> None:
    assert read_text(body.encode(), content_type) == text


def test_the_charset_of_the_content_type_is_used() -> None:
    assert read_text("naïve".encode("latin-1"), 'text/plain; charset="ISO-8859-1"') == "naïve"
    assert read_text("😀".encode("utf-16"), "text/plain;charset=utf-16") == "😀"
    for wrong in ("hex", "\0", "idna", "", "é", "unicode_escape", "x" * 10_000):
        with pytest.raises(UnsupportedBody, match=r"^charset is '.*: use one of .*utf-8"):
            read_text(b"a", f"text/plain; charset={wrong}")


@pytest.mark.parametrize(
    ("body", "charset", "message"),
    [
        (b"ab\xff", "utf-8", "byte 3 of the body is not utf-8"),
        (b"\xed\xa0\x80", "utf-8", "byte 1 of the body"),  # a lone surrogate
        (b"\x00\xd8", "utf-16-le", "byte 1 of the body is not utf-16-le"),
        (b"\xe9", "us-ascii", "byte 1 of the body is not ascii"),
    ],
)
def test_bytes_outside_the_charset_are_refused_with_the_place(
    body: bytes, charset: str, message: str
) -> None:
    with pytest.raises(BadBody, match=message):
        read_text(body, f"text/plain; charset={charset}")


TEXT = 'Dr. Wu\'s cat left .  "Why?"\n\nNo (one)\r\n knew . ) So'


def words_of(
    text: str,
    given_words: bool = False,
    by_line: bool = False,
    one_sentence: bool = False,
    break_lines: bool = False,
) -> list[str]:
    wanted = AnnotateOptions(
        frozenset(),
        given_words=given_words,
        by_line=by_line,
        one_sentence=one_sentence,
        break_lines=break_lines,
    )
    found = sentences_of(text, wanted)
    for sentence in found:
        assert sentence.words
        assert [text[a:b] for a, b in sentence.offsets] == list(sentence.words)
        assert sentence.text == text[sentence.offsets[0][0] : sentence.offsets[-1][1]]
    return [" ".join(sentence.words) for sentence in found]


def test_running_text_is_split_as_the_library_splits_it() -> None:
    assert sentences_of(TEXT, AnnotateOptions(frozenset())) == split(TEXT)


def test_a_line_is_a_sentence_with_eolonly() -> None:
    lines = ['Dr. Wu \'s cat left . " Why ? "', "No ( one )", "knew . ) So"]
    assert words_of(TEXT, by_line=True) == lines
    given = ['Dr. Wu\'s cat left . "Why?"', "No (one)", "knew . ) So"]
    assert words_of(TEXT, by_line=True, given_words=True, one_sentence=True) == given


def test_the_text_is_one_sentence_with_is_one_sentence() -> None:
    assert words_of(TEXT, one_sentence=True, given_words=True) == [" ".join(TEXT.split())]
    assert len(words_of(TEXT, one_sentence=True)) == 1


def test_given_words_end_a_sentence_at_a_full_stop_and_what_closes() -> None:
    expected = ["Dr. Wu's cat left .", '"Why?"', "No (one) knew . )", "So"]
    assert words_of(TEXT, given_words=True) == expected


def test_a_line_end_can_always_end_a_sentence() -> None:
    text = "A short line\nand another. And one more"
    assert words_of(text, break_lines=True) == ["A short line", "and another .", "And one more"]
    given = ["A short line", "and another. And one more"]
    assert words_of(text, break_lines=True, given_words=True) == given


@pytest.mark.parametrize("written", ["always", "Always", "ALWAYS"])
def test_a_line_end_is_a_break_however_the_word_is_written(written: str) -> None:
    assert read_options([("ssplit.newlineIsSentenceBreak", written)]).break_lines


def test_a_blank_line_always_ends_a_sentence() -> None:
    assert words_of("A cat\n \nsat", given_words=True) == ["A cat", "sat"]
    long = "word " * 4500 + "Mr."
    assert words_of(f"{long}\nSmith left .", given_words=True) == [f"{long} Smith left ."]
    assert words_of("A cat\n\nsat") == ["A cat", "sat"]


@given(st.text(max_size=60), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_every_word_of_any_text_stands_where_its_offsets_say(
    text: str, given: bool, line: bool, one: bool, breaks: bool
) -> None:
    words_of(text, given_words=given, by_line=line, one_sentence=one, break_lines=breaks)
    for empty in ("", " \n\t"):
        assert words_of(empty, given_words=given, by_line=line, one_sentence=one) == []
