"""CoreNLP's protocol, by the clients that people have: NLTK's and stanza's, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
import requests

if TYPE_CHECKING:
    from nltk.parse import CoreNLPParser
    from nltk.tree import Tree as NltkTree
    from stanza.protobuf import ParseTree
    from stanza.server import CoreNLPClient

    from bnaparser.parsing.result import Parse
    from tests.server.conftest import Serving
    from tests.server.corenlp.conftest import WatchedParser

MAX_WORDS = 60  # of the service in conftest.py
LONG = "word " * MAX_WORDS + "."  # one word too many
TEXTS = [
    "The cat saw Mira.",
    'He said "no" (twice) and left. Did the dog see the cat?',
    "It is 100% sure: a+b = c, 50%25 of it, %zz and A&B.",
    "The 😀 cat saw naïve \U0001d4b3 Mira. 👩‍👩‍👧 slept!",
    "  Dr. Wu's cat\n\n  slept.\tThe dog [and {the} cat] ran\u00a0off...  ",
    "Mira\u2019s dog \u201cbarked\u201d \u2014 twice.",
]
EVERYTHING = "tokenize,ssplit,pos,lemma,ner,parse,depparse,coref"


@pytest.fixture(scope="module")
def nltk_client(url: str) -> Iterator[CoreNLPParser]:
    from nltk.parse import CoreNLPParser

    client = CoreNLPParser(url=url, tagtype="pos")
    with client.session:
        yield client


@pytest.fixture(scope="module")
def stanza_client(url: str) -> Iterator[CoreNLPClient]:
    from stanza.server import CoreNLPClient, StartServer

    with CoreNLPClient(
        start_server=StartServer.DONT_START, endpoint=url, annotators=EVERYTHING
    ) as client:
        yield client


def rooted(parse: Parse) -> str:
    assert parse.error is None
    return "(ROOT" + str(parse.tree).removeprefix("(TOP")


def bracketed(node: ParseTree) -> str:
    """The brackets of a tree in stanza's protobuf."""
    if not node.child:
        return str(node.value)
    return f"({node.value} {' '.join(bracketed(child) for child in node.child)})"


def flat(tree: NltkTree) -> str:
    """The brackets of NLTK's tree on one line."""
    return str(tree.pformat(margin=10**9))


# ------------------------------------------------------------------ NLTK


@pytest.mark.parametrize("text", TEXTS)
def test_nltk_gets_the_librarys_trees_of_running_text(
    nltk_client: CoreNLPParser, parser: WatchedParser, text: str
) -> None:
    assert [flat(tree) for tree in nltk_client.parse_text(text)] == [
        rooted(parse) for parse in parser(text)
    ]


def test_nltk_gets_a_tree_for_each_raw_sentence(
    nltk_client: CoreNLPParser, parser: WatchedParser
) -> None:
    sentences = [" ".join(text.split()) for text in TEXTS]
    found = [flat(tree) for (tree,) in nltk_client.raw_parse_sents(sentences)]
    assert found == [rooted(parser.parse_sentence(sentence)) for sentence in sentences]
    (tree,) = nltk_client.raw_parse(sentences[2])
    assert flat(tree) == found[2]


def test_nltk_gets_a_tree_over_the_words_that_it_gives(
    nltk_client: CoreNLPParser, parser: WatchedParser
) -> None:
    rows = [["The", "cat", "(", "a", "100%", "'s", "+", "b.c", ")"], ["He", "did", "n't", ".", "x"]]
    given_words = {"tokenize.whitespace": "true", "ssplit.eolonly": "true"}
    (found,) = nltk_client.parse(rows[0], properties=given_words)
    expected = parser.parse_words(rows[0])
    assert flat(found) == rooted(expected)
    assert found.leaves()[2] == "-LRB-"
    trees = [flat(t) for (t,) in nltk_client.parse_sents(rows, properties=given_words)]
    assert trees == [rooted(parse) for parse in parser.parse_many(rows)]


def test_nltk_parses_word_lists_by_default_as_lines_of_text(
    nltk_client: CoreNLPParser, parser: WatchedParser
) -> None:
    # CoreNLP tokenizes them again unless told otherwise: a line remains one sentence.
    rows = [["The", "cat", "slept", ".", "It", "ran"], ["The", "dog"]]
    trees = [flat(tree) for (tree,) in nltk_client.parse_sents(rows)]
    assert trees == [rooted(parser.parse_sentence(" ".join(words))) for words in rows]


@pytest.mark.parametrize("text", TEXTS)
def test_nltk_gets_the_librarys_words(
    nltk_client: CoreNLPParser, parser: WatchedParser, text: str
) -> None:
    words = [word for parse in parser(text) for word in parse.words]
    assert list(nltk_client.tokenize(text)) == words
    options = {"tokenize.options": "americanize=true"}
    assert list(nltk_client.tokenize(text, properties=options)) == words


def test_nltk_gets_a_tag_for_each_word(nltk_client: CoreNLPParser, parser: WatchedParser) -> None:
    rows = [["The", "cat", "saw", ".", "Mira", "?"], ["The", "dog"]]
    expected = [
        list(zip(parse.words, parse.tags, strict=True)) for parse in parser.parse_many(rows)
    ]
    assert nltk_client.tag_sents(rows) == expected
    assert nltk_client.tag(rows[0]) == expected[0]
    (sentences,) = nltk_client.raw_tag_sents(["The cat (here) slept."])
    assert [word for word, _ in sentences[0]][2:5] == ["-LRB-", "here", "-RRB-"]


def test_nltk_gets_nothing_for_no_text(nltk_client: CoreNLPParser) -> None:
    assert list(nltk_client.parse_text("")) == list(nltk_client.tokenize(" \n ")) == []
    assert list(nltk_client.raw_parse_sents([])) == []


def test_nltk_gets_a_flat_tree_in_the_place_of_a_sentence_that_fails(
    nltk_client: CoreNLPParser, parser: WatchedParser
) -> None:
    text = f"The cat slept.\n\n{LONG}\n\nThe dog ran."
    first, failed, last = nltk_client.parse_text(text)
    assert failed.label() == "X"
    assert failed.leaves() == LONG.replace(".", " .").split()
    assert {subtree.label() for subtree in failed} == {"XX"}
    assert flat(first) == rooted(parser.parse_sentence("The cat slept."))
    assert flat(last) == rooted(parser.parse_sentence("The dog ran."))
    assert {tag for _, tag in nltk_client.tag(LONG.split())} == {"XX"}


def test_nltk_says_what_the_service_says(nltk_client: CoreNLPParser) -> None:
    with pytest.raises(requests.HTTPError, match=r"413 .*20,001 characters"):
        next(nltk_client.parse_text("x" * 20_001))
    with pytest.raises(requests.HTTPError, match=r"400 .*outputFormat is 'xml'"):
        next(nltk_client.parse_text("x", properties={"outputFormat": "xml"}))


# ------------------------------------------------------------------ stanza


@pytest.mark.parametrize("text", TEXTS)
def test_stanza_gets_the_librarys_trees_in_its_default_format(
    stanza_client: CoreNLPClient, parser: WatchedParser, text: str
) -> None:
    document = stanza_client.annotate(text)
    parses = parser(text)
    assert document.text == text
    assert [bracketed(s.parseTree) for s in document.sentence] == [rooted(p) for p in parses]
    for sentence, parse in zip(document.sentence, parses, strict=True):
        assert [token.originalText for token in sentence.token] == list(parse.words)
        assert [token.pos for token in sentence.token] == list(parse.tags)
        assert sentence.parseTree.score == pytest.approx(parse.score, abs=1e-4)
        spans = [(t.codepointOffsetBegin, t.codepointOffsetEnd) for t in sentence.token]
        assert spans == list(parse.offsets)
    tokens = [token for sentence in document.sentence for token in sentence.token]
    parts = [part for token in tokens for part in (token.before, token.originalText)]
    assert "".join(parts) + tokens[-1].after == text


@pytest.mark.parametrize("text", TEXTS)
def test_stanza_gets_the_same_as_json(
    stanza_client: CoreNLPClient, parser: WatchedParser, text: str
) -> None:
    answer = stanza_client.annotate(text, output_format="json")
    parses = parser(text)
    assert [s["parse"] for s in answer["sentences"]] == [rooted(parse) for parse in parses]
    assert [s["index"] for s in answer["sentences"]] == list(range(len(parses)))
    utf16 = text.encode("utf-16-le")
    for sentence, parse in zip(answer["sentences"], parses, strict=True):
        for number, token in enumerate(sentence["tokens"]):
            begin, end = token["characterOffsetBegin"], token["characterOffsetEnd"]
            assert utf16[2 * begin : 2 * end].decode("utf-16-le") == token["originalText"]
            start, stop = token["codepointOffsetBegin"], token["codepointOffsetEnd"]
            assert (start, stop) == parse.offsets[number]
            assert text[start - len(token["before"]) : start] == token["before"]
            assert text[stop : stop + len(token["after"])] == token["after"]
            assert (token["index"], token["pos"]) == (number + 1, parse.tags[number])
            assert "lemma" not in token and "ner" not in token
        assert not {"basicDependencies", "entitymentions", "error"} & set(sentence)


def test_stanza_gets_text_and_columns(stanza_client: CoreNLPClient, parser: WatchedParser) -> None:
    text = "The cat (one) slept. It ran."
    (first, second) = parser(text)
    columns = stanza_client.annotate(text, output_format="conll").split("\n\n")
    assert columns[0].splitlines()[2] == f"3\t-LRB-\t_\t{first.tags[2]}\t_\t_\t_"
    assert len(columns[1].splitlines()) == len(second.words)
    printed = stanza_client.annotate(text, output_format="text")
    assert printed.startswith("Sentence #1 (7 tokens):\nThe cat (one) slept.\n\nTokens:\n")
    assert "[Text=-LRB- CharacterOffsetBegin=8 CharacterOffsetEnd=9 PartOfSpeech=" in printed
    trees = [part.split("\n\n")[0] for part in printed.split("Constituency parse: \n")[1:]]
    assert [" ".join(t.split()) for t in trees] == [rooted(first), rooted(second)]
    words_only = stanza_client.annotate("Go.", annotators="tokenize", output_format="text")
    assert words_only.splitlines()[-2] == "[Text=. CharacterOffsetBegin=2 CharacterOffsetEnd=3]"


def test_stanza_gets_only_what_it_asks_for(stanza_client: CoreNLPClient) -> None:
    document = stanza_client.annotate("The cat slept.", annotators=["tokenize", "ssplit", "pos"])
    assert not document.sentence[0].HasField("parseTree")
    assert document.sentence[0].token[0].HasField("pos")
    document = stanza_client.annotate("The cat slept.", annotators="tokenize,ssplit")
    assert not document.sentence[0].token[0].HasField("pos")
    assert document.sentence[0].token[1].word == "cat"


def test_stanzas_other_properties_do_not_disturb(
    stanza_client: CoreNLPClient, parser: WatchedParser
) -> None:
    text = "The cat slept. It ran."
    given = {"ssplit.isOneSentence": True, "timeout": 20_000, "parse.model": "it's/any.ser.gz"}
    document = stanza_client.annotate(text, properties=given, reset_default=True)
    assert [bracketed(s.parseTree) for s in document.sentence] == [
        rooted(parser.parse_sentence(text))
    ]
    assert len(stanza_client.annotate(text, properties="english").sentence) == 2


def test_stanza_gets_a_flat_tree_in_the_place_of_a_sentence_that_fails(
    stanza_client: CoreNLPClient,
) -> None:
    text = f"The cat slept.\n\n{LONG}\n\nThe dog ran."
    first, failed, last = stanza_client.annotate(text).sentence
    assert failed.parseTree.value == "X"
    assert [node.value for node in failed.parseTree.child] == ["XX"] * (MAX_WORDS + 1)
    assert [node.child[0].value for node in failed.parseTree.child] == LONG.replace(
        ".", " ."
    ).split()
    assert (first.parseTree.value, last.parseTree.value) == ("ROOT", "ROOT")
    answer = stanza_client.annotate(text, output_format="json")
    assert "error" not in answer["sentences"][0]
    assert f"{MAX_WORDS + 1} words" in answer["sentences"][1]["error"]
    printed = stanza_client.annotate(text, output_format="text")
    assert f"\n\nError: the sentence has {MAX_WORDS + 1} words" in printed


def test_stanza_gets_an_empty_document_for_no_text(stanza_client: CoreNLPClient) -> None:
    for text in ("", " \n"):
        document = stanza_client.annotate(text)
        assert (document.text, len(document.sentence)) == (text, 0)


def test_stanza_says_what_the_service_says(stanza_client: CoreNLPClient) -> None:
    from stanza.server.client import AnnotationException

    with pytest.raises(AnnotationException, match="20,001 characters"):
        stanza_client.annotate("x" * 20_001)
    with pytest.raises(AnnotationException, match="inputFormat is 'serialized'"):
        stanza_client.update(stanza_client.annotate("Go."))
    with pytest.raises(AnnotationException, match="51 sentences"):
        stanza_client.annotate("Go.\n\n" * 51)
    with pytest.raises(AnnotationException, match="51 sentences"):
        stanza_client.annotate("Go.\n\n" * 51, annotators="tokenize")


def test_stanza_finds_that_the_server_is_there(url: str) -> None:
    from stanza.server.client import RobustService

    with RobustService(None, None, url) as service:
        assert service.is_alive()


# ------------------------------------------------------------------ both


def test_with_a_key_both_clients_work_by_their_own_means(
    serving: Serving, parser: WatchedParser
) -> None:
    from nltk.parse import CoreNLPParser
    from stanza.server import CoreNLPClient, StartServer
    from stanza.server.client import AnnotationException

    text = "The cat slept."
    with serving(parser, key="open-sesame") as url:
        nltk_client = CoreNLPParser(url=url)
        with nltk_client.session, pytest.raises(requests.HTTPError, match="401"):
            next(nltk_client.raw_parse(text))
        with nltk_client.session:
            nltk_client.session.headers["Authorization"] = "Bearer open-sesame"
            (tree,) = nltk_client.raw_parse(text)
        assert flat(tree) == rooted(parser.parse_sentence(text))
        with CoreNLPClient(start_server=StartServer.DONT_START, endpoint=url) as client:
            with pytest.raises(AnnotationException, match="key"):
                client.annotate(text)
            document = client.annotate(text, username="any", password="open-sesame")
        assert bracketed(document.sentence[0].parseTree) == flat(tree)
