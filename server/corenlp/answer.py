"""Annotated sentences as CoreNLP answers them: JSON, its plain text, CoNLL columns.

Offsets follow CoreNLP: ``characterOffset*`` count UTF-16 code units, as Java does;
``codepointOffset*`` count code points, as Python does.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bnaparser.parsing.result import Parse
from bnaparser.text.sentence import Sentence
from bnaparser.trees.escapes import escape_brackets
from bnaparser.trees.tree import Tree

UNKNOWN_TAG = "XX"
"""The tag that CoreNLP gives the words of a sentence that its parser fails on."""


@dataclass(frozen=True)
class AnnotatedToken:
    """A word of a sentence and where it stands in the text.

    ``word`` has round brackets escaped, ``original`` is as in the text; ``before`` and ``after``
    are the text between it and its neighbours. ``start`` and ``end`` count code points,
    ``start_utf16`` and ``end_utf16`` UTF-16 code units. ``tag`` is None where none is asked for.
    """

    word: str
    original: str
    tag: str | None
    before: str
    after: str
    start: int
    end: int
    start_utf16: int
    end_utf16: int


@dataclass(frozen=True)
class Annotated:
    """A sentence as it is answered; it has at least one token.

    ``tree`` stands below ROOT, or is ``(X (XX word) ...)`` for a sentence that could not be parsed,
    with the reason in ``error``; it is None where no tree is asked for. ``score`` is the parse's.
    """

    text: str
    tokens: tuple[AnnotatedToken, ...]
    tree: Tree | None = None
    score: float = 0.0
    error: str | None = None


def annotate(
    text: str, sentences: Sequence[Sentence], parses: Sequence[Parse] | None, trees: bool
) -> list[Annotated]:
    """Join the sentences of a text with their parses, or with none where none were asked for."""
    offsets = [offset for sentence in sentences for offset in sentence.offsets]
    edges = [0, *[edge for offset in offsets for edge in offset], len(text)]
    gaps = [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]
    wide = [i for i, char in enumerate(text) if char > "\uffff"] if not text.isascii() else []
    found = []
    first = 0  # words before the sentence
    for index, sentence in enumerate(sentences):
        parse = None if parses is None else parses[index]
        tags = _tags(sentence, parse)
        tokens = tuple(
            AnnotatedToken(
                word=escape_brackets(word),
                original=text[start:end],
                tag=tag,
                before=gaps[number],
                after=gaps[number + 1],
                start=start,
                end=end,
                start_utf16=start + bisect_left(wide, start),
                end_utf16=end + bisect_left(wide, end),
            )
            for number, (word, tag, (start, end)) in enumerate(
                zip(sentence.words, tags, sentence.offsets, strict=True), first
            )
        )
        first += len(tokens)
        if parse is None:
            found.append(Annotated(sentence.text, tokens))
        else:
            tree = _tree(parse, tokens) if trees else None
            found.append(Annotated(sentence.text, tokens, tree, parse.score, parse.error))
    return found


def flat_tree(tokens: Sequence[AnnotatedToken]) -> Tree:
    """Return ``(X (DT the) (NN cat) ...)``, CoreNLP's tree for a sentence that has no other."""
    return Tree("X", [Tree(token.tag or UNKNOWN_TAG, [token.word]) for token in tokens])


def to_json(sentences: Sequence[Annotated], pretty: bool = False) -> str:
    """Return ``{"sentences": [...]}`` with CoreNLP's keys; ``error`` is our own addition."""
    answer = {"sentences": [_sentence_dict(index, one) for index, one in enumerate(sentences)]}
    return json.dumps(answer, ensure_ascii=False, indent=2 if pretty else None)


def to_text(sentences: Sequence[Annotated]) -> str:
    """Return CoreNLP's ``text`` format, made for reading: words, tags, and the tree indented."""
    lines: list[str] = []
    for index, sentence in enumerate(sentences, 1):
        lines += [f"Sentence #{index} ({len(sentence.tokens)} tokens):", sentence.text]
        lines += ["", "Tokens:"]
        for token in sentence.tokens:
            tag = "" if token.tag is None else f" PartOfSpeech={token.tag}"
            lines.append(
                f"[Text={token.word} CharacterOffsetBegin={token.start_utf16}"
                f" CharacterOffsetEnd={token.end_utf16}{tag}]"
            )
        if sentence.tree is not None:
            lines += ["", "Constituency parse: ", sentence.tree.pretty()]
        if sentence.error is not None:
            lines += ["", f"Error: {sentence.error}"]
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


def to_conll(sentences: Sequence[Annotated]) -> str:
    """Return CoreNLP's ``conll`` format: ID, form, lemma, tag, entity, head, relation, by tabs.

    ``_`` stands where there is nothing; a blank line follows each sentence.
    """
    lines: list[str] = []
    for sentence in sentences:
        for number, token in enumerate(sentence.tokens, 1):
            lines.append(f"{number}\t{token.word}\t_\t{token.tag or '_'}\t_\t_\t_\n")
        lines.append("\n")
    return "".join(lines)


def _tags(sentence: Sentence, parse: Parse | None) -> Sequence[str | None]:
    if parse is None:
        return [None] * len(sentence.words)
    return parse.tags or [UNKNOWN_TAG] * len(sentence.words)


def _tree(parse: Parse, tokens: Sequence[AnnotatedToken]) -> Tree:
    return flat_tree(tokens) if parse.tree is None else Tree("ROOT", parse.tree.children)


def _sentence_dict(index: int, sentence: Annotated) -> dict[str, Any]:
    answer: dict[str, Any] = {"index": index}
    if sentence.tree is not None:
        answer["parse"] = str(sentence.tree)
    if sentence.error is not None:
        answer["error"] = sentence.error
    answer["tokens"] = [
        _token_dict(number, token) for number, token in enumerate(sentence.tokens, 1)
    ]
    return answer


def _token_dict(number: int, token: AnnotatedToken) -> dict[str, Any]:
    tag = {} if token.tag is None else {"pos": token.tag}
    return {
        "index": number,
        "word": token.word,
        "originalText": token.original,
        "characterOffsetBegin": token.start_utf16,
        "characterOffsetEnd": token.end_utf16,
        "codepointOffsetBegin": token.start,
        "codepointOffsetEnd": token.end,
        **tag,
        "before": token.before,
        "after": token.after,
    }
