"""How the text of each language is read: into sentences, and these into words or pieces of words.

A language is named by its code, ``es``, where the writing matters with that: ``zh-Hant`` is Chinese in
traditional characters, cut as the Sinica Treebank cuts it, ``zh-Hans`` in simplified ones, as the
Chinese Treebank does. A network reads the characters that its treebank has, whatever the text has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from bnaparser.errors import quoted
from bnaparser.text.characters import decode_entities, has_entities
from bnaparser.text.english import normalization
from bnaparser.text.english.sentences import sentences as english_sentences
from bnaparser.text.english.sentences import tokenize
from bnaparser.text.language_guess import detect_language
from bnaparser.text.rules import blank_separated, unseparated
from bnaparser.text.rules.chinese_characters import read_as_simplified, read_as_traditional
from bnaparser.text.rules.french import FRENCH
from bnaparser.text.rules.german import GERMAN
from bnaparser.text.rules.icelandic import ICELANDIC
from bnaparser.text.rules.indonesian import INDONESIAN
from bnaparser.text.rules.portuguese import PORTUGUESE, with_marks
from bnaparser.text.rules.spanish import SPANISH
from bnaparser.text.sentence import Sentence, TextPiece
from bnaparser.trees.escapes import unescape

LANGUAGE_NAMES = {
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "id": "Indonesian",
    "is": "Icelandic",
    "ja": "Japanese",
    "pt": "Portuguese",
    "zh-Hans": "Chinese (simplified)",
    "zh-Hant": "Chinese (traditional)",
}
"""The languages whose text can be read, by their codes."""

DEFAULT_LANGUAGE = "en"
"""The language of text where a setting says nothing else."""

_WRITTEN = {
    **dict.fromkeys(("zh-tw", "zh-hk", "zh-mo"), "zh-Hant"),
    **dict.fromkeys(("zh-cn", "zh-sg", "zh-my"), "zh-Hans"),
}
"""What Chinese is written in, by the country."""

# What stands in Chinese or Japanese text without any of their signs.
_STRETCH = re.compile("[\u201d\u2019)\\]]*+(?P<inside>[^\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]+)")
_ENDS_BEFORE = frozenset("\u3002\uff01\uff1f\uff61!?.\u2026\u300d\u300f\uff09\u201d\u2019)]\n")
_MORE = 64  # characters after a stretch, by which to tell whether a sentence ends in it
# This number of words in Latin letters in a text of another script is a sentence, not a name; so is what
# ends as one. Words are sought from where they begin, or a long one would be tried from each letter.
_LATIN_SENTENCE = re.compile(
    r"(?<![A-Za-z\xc0-\u024f])(?:[A-Za-z\xc0-\u024f]++\s++){4}|[a-z\xe0-\u024f]{2}[.!?]+[\"'\u201d\u2019)]*(?:\s|\Z)"
)
# Words of Chinese sentences that Japanese has in compounds alone; of Chinese in Japanese text there are two.
_CHINESE_WORDS = re.compile("[我你他她們是了也很這那就吗呢吧们]")


class CutWords(NamedTuple):
    """Words of a treebank as their text is cut: the forms of its pieces, and which begin a word."""

    forms: list[str]
    begins: list[bool]


@dataclass(frozen=True)
class TextRules:
    """How text is read. ``needs_words``: a network must find its words, rules have no guess.

    ``sentences`` yields the sentences of a block, which begins at a place of the input, each with a
    word; ``sentence`` reads a text that is one, and may have none. ``cut_words`` cuts the words of a
    sentence, as a treebank has them, as their text would be cut, for a network to learn from: None
    where a word begins within a piece. It is itself None if the rules find words themselves.
    ``as_read`` returns what a network reads in the place of words, given whether it knows capitals.
    ``named`` is the language of every sentence, if it is set.
    """

    language: str
    sentences: Callable[[str, int], Iterator[Sentence]]
    sentence: Callable[..., Sentence]
    cut_words: Callable[[Sequence[str]], CutWords | None] | None = None
    needs_words: bool = False
    as_read: Callable[[Sequence[str], bool], Sequence[str]] = lambda words, _: words
    named: str | None = None

    def of_words(self, sentence: Sentence) -> Sentence:
        """Return a sentence whose words are given as these rules' own sentences are."""
        return sentence if self.named is None else replace(sentence, language=self.named)

    def with_language(self, language: str) -> TextRules:
        """Return these rules, whose sentences say that they are in ``language``."""

        def sentence(text: str, start: int = 0) -> Sentence:
            return replace(self.sentence(text, start), language=language)

        def sentences(block: str, start: int) -> Iterator[Sentence]:
            return (replace(one, language=language) for one in self.sentences(block, start))

        return replace(self, sentence=sentence, sentences=sentences, named=language)


ENGLISH = TextRules("en", english_sentences, tokenize, as_read=normalization.as_read)


def check_readable(language: str) -> str:
    """Return a language; ValueError if it is none of `LANGUAGE_NAMES`."""
    if language not in LANGUAGE_NAMES:
        known = ", ".join(LANGUAGE_NAMES)
        raise ValueError(f"unknown language {quoted(language)}: choose one of {known}")
    return language


def rules_of(language: str) -> TextRules:
    """Return the rules of a language in `LANGUAGE_NAMES`; for any other language the rules of
    English.
    """
    return _RULES.get(language, ENGLISH)


def rules_for(languages: Sequence[str]) -> TextRules:
    """Return the rules of one language, or for text in any of several."""
    return rules_of(languages[0]) if len(languages) == 1 else multilingual_rules(languages)


def match_language(language: str, known: Iterable[str]) -> str | None:
    """Return the known language that a code means; None if it means none of them.

    Capitals do not count, nor do countries, and ``es_ES`` is ``es-ES``. ``zh`` is ``zh-Hant`` or
    ``zh-Hans``, and with a country that which is written there; either is read in the characters of
    the other.
    """
    known = list(known)
    parts = language.lower().replace("_", "-").split("-")
    for length in range(len(parts), 0, -1):
        code = "-".join(parts[:length])
        written = _WRITTEN.get(code, code).lower()
        for one in known:
            if one.lower() == written:
                return one
    return next((one for one in known if one.partition("-")[0] == parts[0]), None)


def multilingual_rules(languages: Sequence[str]) -> TextRules:
    """Return rules for text in any of these languages: each sentence is read by its own.

    A sentence has as its language the one known that it seems to be in, or the code of another one.
    Where a sentence tells too little, it is that of the text around it, at last the first one known.
    """
    known = [rules_of(language) for language in languages]

    def sentences(block: str, start: int) -> Iterator[Sentence]:
        around = detect_language_or_first(block, languages)
        for begin, end, outer in _stretches(block, known, languages, _among(known, around)):
            for one in outer.sentences(block[begin:end], start + begin):
                language = _detected_within(one.text, languages, around)
                own, place = _among(known, language), one.offsets[0][0]
                if own.needs_words or outer.needs_words:
                    found = own.sentences(one.text, place)
                else:
                    found = iter([own.sentence(one.text, place)])
                yield from (replace(each, language=language) for each in found if each.words)

    def sentence(text: str, start: int = 0) -> Sentence:
        language = detect_language_or_first(text, languages)
        return replace(_among(known, language).sentence(text, start), language=language)

    return TextRules("", sentences, sentence)


def _stretches(
    block: str, known: Sequence[TextRules], languages: Sequence[str], outer: TextRules
) -> Iterator[tuple[int, int, TextRules]]:
    """Yield where stretches of a block begin and end, and whose rules say where their sentences do.

    These are the outer rules; but sentences in Latin letters in Chinese or Japanese text, which would be cut
    at each comma, are read by the rules of the language that they seem to be in.
    """
    done = 0
    for match in _STRETCH.finditer(block) if outer.needs_words else ():
        begin, end = match.span("inside")
        if begin and block[begin - 1] not in _ENDS_BEFORE:
            continue
        if _LATIN_SENTENCE.search(block, begin, end) is None:
            continue
        rules = _among(known, _detected(block[begin:end], languages) or DEFAULT_LANGUAGE)
        end = _last_end(block, begin, end, rules)
        if end > begin:
            yield done, begin, outer
            yield begin, end, rules
            done = end
    yield done, len(block), outer


def _last_end(block: str, begin: int, end: int, rules: TextRules) -> int:
    """Return where the last sentence ends that is whole in a stretch: ``Apple Inc.`` is none, before more."""
    last = begin
    for one in rules.sentences(block[begin : end + _MORE], begin):
        if one.offsets[-1][1] > end:
            break
        last = one.offsets[-1][1]
    return last


def _detected_within(text: str, languages: Sequence[str], around: str) -> str:
    """Return the language that a sentence seems to be in, among others in the language ``around``.

    Characters that are Chinese in either way of writing, and Japanese, too, tell nothing there.
    """
    found = detect_language(text, languages)
    if found is None or (found == "zh" and around.partition("-")[0] in ("ja", "zh")):
        return around
    if around == "ja" and found.startswith("zh") and _may_be_japanese(text):
        return around
    return match_language(found, languages) or found


def _may_be_japanese(text: str) -> bool:
    """Return whether Chinese characters are all used in Japan, and not in a sentence of Chinese."""
    try:
        text.encode("cp932")
    except UnicodeEncodeError:
        return False
    return len(set(_CHINESE_WORDS.findall(text))) < 2


def detect_language_or_first(text: str, languages: Sequence[str]) -> str:
    """Detect the language of ``text``, by its name among ``languages`` if it is one; the first if unsure."""
    return _detected(text, languages) or languages[0]


def _detected(text: str, languages: Sequence[str]) -> str | None:
    found = detect_language(text, languages)
    return found and (match_language(found, languages) or found)


def _among(known: Sequence[TextRules], language: str) -> TextRules:
    """Return the rules of a language, of an unknown one English's."""
    return next((rules for rules in known if rules.language == language), ENGLISH)


def _of_pieces(
    language: str,
    spans: Callable[[str], Iterator[tuple[int, int]]],
    pieces: Callable[[str], list[TextPiece]],
    written: Callable[[str], str],
    glued: Callable[[str, str], bool],
) -> TextRules:
    def sentence(text: str, start: int = 0) -> Sentence:
        if has_entities(text):
            plain, places = decode_entities(text)
            found = [
                one._replace(start=places[one.start], end=places[one.end]) for one in pieces(plain)
            ]
        else:
            found = pieces(text)
        if not found:
            return Sentence("", (), (), language=language)
        first, last = found[0].start, found[-1].end
        return Sentence(
            text[first:last],
            tuple([piece.form for piece in found]),
            tuple([(start + piece.start, start + piece.end) for piece in found]),
            language=language,
            pieces=tuple([p._replace(start=p.start - first, end=p.end - first) for p in found]),
        )

    def sentences(block: str, start: int) -> Iterator[Sentence]:
        plain, places = decode_entities(block) if has_entities(block) else (block, None)
        for begin, end in spans(plain):
            if places is not None:
                begin, end = places[begin], places[end]
            found = sentence(block[begin:end], start + begin)
            if found.words:
                yield found

    def cut_words(words: Sequence[str]) -> CutWords | None:
        text, starts = "", []
        for before, word in zip(["", *words], words, strict=False):
            text += "" if not text or glued(before, word) else " "
            starts.append(len(text))
            text += written(word)
        return _cut_at(pieces(text), starts)

    return TextRules(language, sentences, sentence, cut_words)


def _cut_at(pieces: Sequence[TextPiece], starts: Sequence[int]) -> CutWords | None:
    """Return pieces, and which begin a word, given where words start in their text."""
    first = set(starts)
    if not first <= {piece.start for piece in pieces}:
        return None
    before = [-1, *(piece.start for piece in pieces)]
    begins = [
        piece.start in first and piece.start != last
        for piece, last in zip(pieces, before, strict=False)
    ]
    return CutWords([piece.form for piece in pieces], begins)


def _spelled(language: str, spelling: blank_separated.Spelling) -> TextRules:
    return _of_pieces(
        language,
        partial(blank_separated.sentence_spans, spelling=spelling),
        partial(blank_separated.pieces, spelling=spelling),
        spelling.written,
        spelling.glued,
    )


def _unspaced(
    language: str,
    ends: re.Pattern[str],
    folded: Callable[[Sequence[str]], Sequence[str]] = list,
    whole_spans: Callable[[str], list[tuple[int, int]]] = unseparated.no_spans,
) -> TextRules:
    def as_read(words: Sequence[str], _cased: bool) -> Sequence[str]:
        return folded(words)

    spans = partial(unseparated.sentence_spans, ends=ends, whole_spans=whole_spans)
    rules = _of_pieces(language, spans, unseparated.pieces, unescape, lambda before, after: True)
    return replace(rules, needs_words=True, as_read=as_read)


_RULES = {
    rules.language: rules
    for rules in (
        ENGLISH,
        _spelled("de", GERMAN),
        _spelled("es", SPANISH),
        _spelled("fr", FRENCH),
        _spelled("id", INDONESIAN),
        _spelled("is", ICELANDIC),
        replace(_spelled("pt", PORTUGUESE), as_read=with_marks),
        _unspaced(
            "ja", unseparated.JAPANESE_SENTENCE_END, whole_spans=unseparated.japanese_quotations
        ),
        _unspaced("zh-Hans", unseparated.CHINESE_SENTENCE_END, read_as_simplified),
        _unspaced("zh-Hant", unseparated.CHINESE_CLAUSE_END, read_as_traditional),
    )
}
