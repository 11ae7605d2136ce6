"""Text with HTML's entities: the words of the characters they stand for, places in what is written."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bnaparser.text.characters import decode_entities, has_entities
from bnaparser.text.splitting import split


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("AT&amp;T left.", ["AT&amp;T left ."]),
        ("I don&#39;t, it&rsquo;s", ["I do n&#39;t , it &rsquo;s"]),
        ("&quot;Yes.&quot; He left.", ["&quot; Yes . &quot;", "He left ."]),
        ("&lt;b&gt;x&lt;/b&gt;", ["&lt;b&gt; x &lt;/b&gt;"]),
        ("5&nbsp;km &#8212; or so&hellip;", ["5 km &#8212; or so &hellip;"]),
        ("a &unknown; b", ["a &unknown ; b"]),
        ("It rained\n&nbsp;\nHe left", ["It rained", "He left"]),  # a blank line
        ("R&D; AT&T; so", ["R&D ; AT&T ; so"]),
    ],
)
def test_words_and_sentences(text: str, sentences: list[str]) -> None:
    found = split(text)
    assert [" ".join(sentence.words) for sentence in found] == sentences
    for sentence in found:
        assert [text[start:end] for start, end in sentence.offsets] == list(sentence.words)


PIECES = [
    "&amp;",
    "&#39;",
    "&quot;",
    "&nbsp;",
    "&no;",
    "&",
    ";",
    ". ",
    "It",
    "n",
    "t",
    "'s",
    " ",
    "\n",
]


@settings(database=None, deadline=None, max_examples=150)
@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_words_are_those_of_the_characters(text: str) -> None:
    plain, _ = decode_entities(text)
    assume(not has_entities(plain))  # &amp;no;
    found = [sentence.words for sentence in split(text)]
    expected = [sentence.words for sentence in split(plain)]
    assert [tuple(decode_entities(word)[0] for word in words) for words in found] == expected


def test_a_large_text_of_entities_takes_linear_time() -> None:
    # A quadratic rule would need a minute here.
    assert sum(len(sentence.words) for sentence in split("&amp; " * 20_000)) == 20_000
