"""English text to sentences of Penn Treebank words.

A block is text without a blank line. Each place where a sentence could end (a full stop, question
or exclamation mark with a blank after it, an Asian full stop, a line that its writer broke off) is
judged by the word before it and the word after it. There is no model and nothing to download.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bnaparser.text.characters import decode_entities, has_entities, spans_in_source
from bnaparser.text.english.abbreviations import (
    AFTER_COMPANY,
    COMPANIES,
    STARTERS,
    Period,
    period_at,
)
from bnaparser.text.english.line_hyphens import has_line_hyphens, with_whole_words
from bnaparser.text.english.run_in_headings import end_of_heading
from bnaparser.text.english.tokens import (
    BLANK,
    GLUED_MARK,
    GLUED_PERIOD,
    GLUED_WORD,
    PICTURE,
    PICTURES,
    word_spans,
)
from bnaparser.text.sentence import Sentence

# What a stop is followed by without a blank, and what belongs to the sentence before: notes and markup.
_NOTE = (
    r"\[[^\[\]\n]{1,40}\](?:\((?:\#|https?:)[^()\s]{0,200}\))? | \{\d{1,3}\} | \(\d{1,3}(?:[,\u2013-][ ]?\d{1,3}){0,9}\) | [\xb2\xb3\xb9\u2070-\u2079]++"
    r"| [\u2020\u2021\xa7\xb6]++ | (?:[*_]{1,3}|~~)(?!\s[A-Z]{2})"  # not SELECT t.* FROM t
)
_TAG = r"</[A-Za-z][A-Za-z0-9]{0,10}>|<[Bb][Rr][ ]?/?>|<(?:sup|ref)\b[^<>\n]{0,80}>[^<>\n]{0,80}</(?:sup|ref)>"
_STOP = re.compile(
    rf"""
    (?P<mark> (?<![.!?\u2026])[.!?\u2026]++ )
    (?P<close> (?: ['"\u2019\u201d\xbb\u203a)\]}}]
                 | {_NOTE} | {_TAG} | [{PICTURES}][\ufe0f\u200d]?
                 | (?: (?<=["\u201d]) | (?<=[)\]]\.) | (?<=[a-z]{{4}}\.) ) \d{{1,2}} (?=[{BLANK}])  # a footnote's number
                 | [{BLANK}]++ (?:'['"\u201d]|\u2019\u2019|['\u2019\u201d\u203a\xbb)\]}}]|-R[RSC]B-) (?=[{BLANK}]|\Z) | [{BLANK}]++ [)\]}}] (?={GLUED_WORD}) )*+ )
    (?: [{BLANK}]++ (?: (?:{PICTURE}) (?:[{BLANK}]++|\Z) )*+ | (?<=[>\ufe0f{PICTURES}]) (?=["\u201c(]?[A-Z]|<[A-Za-z]) | (?<=[)\]}}]) (?={GLUED_WORD}) )
  | [\u3002\uff01\uff1f\uff61]++ [\u300d\u300f\u3011\u3015\uff09"'\u2019\u201d]*+ [{BLANK}]*+
  | \. {GLUED_PERIOD}
  | {GLUED_MARK}
    """,
    re.VERBOSE,
)
_NEXT = re.compile(
    rf"""
    (?P<dash> (?:[-\u2013\u2014]++[{BLANK}]*+)? )
    (?P<open> ["'`\u2018\u201c\u201e\xab\u2039(\[{{\xbf\xa1*_]*+ )
    (?P<word> \w*+ ) (?P<dot> \.? )
    """,
    re.VERBOSE,
)
_LAST_WORD = re.compile(rf"[^{BLANK}\"\u201c\u2018(\[{{\u2014]*\Z")
_LONGEST_WORD = 40  # a longer one is no abbreviation
_GAP = rf"(?:[{BLANK}]|\Z)"  # the end of a text is the end of its last line
_BULLET = re.compile(
    rf"[{BLANK}]*+(?:[-*+\xb7\u2013\u2022\u2023\u2043\u2192\u21d2\u2219\u25a0-\u25ff\u2605\u2606\u2610-\u2612"
    rf"\u2713-\u2718\u2756\u2794-\u27be\u2b1b\u2b1c\ue000-\uf8ff](?:[ ]\[[ xX\u2713]?\])?|\[[ xX\u2713]?\]){_GAP}"
)
# Bullets where several lines begin with one: o and \xd8 are bullets of Word, copied as text.
_REPEATED_BULLET = re.compile(rf"[{BLANK}]*+(?:[o\xd8\xa7\xbb#\u2014]|[{PICTURES}]\ufe0f?){_GAP}")
_ROMAN = "(?:[ivx]{1,4}|xviii|xxiii|[IVX]{1,4}|XVIII|XXIII)"
_ITEM_NUMBER = re.compile(
    rf"[{BLANK}]*+[(#]?(?:\d{{1,3}}(?:\.\d{{1,3}}){{0,3}}|[A-Za-z]|{_ROMAN})(?=[.)]+{_GAP})"
)
# ``step 1. preheat the oven``
_NAMED_NUMBER = re.compile(
    rf"[{BLANK}]*+(?:(?i:step|section|article|part|chapter|item|exercise|question|rule|note|example|clause|paragraph"
    r"|problem|task|phase|stage|appendix|annex|schedule|figure|table|box|lesson|module|unit|tip|reason|principle)[ ]|\xa7[ ]?)"
    rf"(?:\d{{1,3}}(?:\.\d{{1,3}}){{0,3}}|[A-Za-z]|{_ROMAN})(?=[.)]+{_GAP})"
)
# May be the middle of a sentence as well: ``George\nW. Bush``, ``rose to\n10. Then``.
_NUMBER_AND_PERIOD = re.compile(rf"[{BLANK}]*+(?:\d{{1,3}}(?:\.\d{{1,3}}){{0,3}}|[A-Z])\.{_GAP}")
_END_OF_ITEM = re.compile(rf"[;:][{BLANK}]*\Z")
_QUOTED = re.compile(rf"[{BLANK}]*+>(?![=\d])")  # ``> a line of an e-mail that is answered``
# A line of a chat or a transcript: ``10:31 Al: ok``, ``<mary> hey``, ``ANN: Yes.``
_TURN = re.compile(
    rf"[{BLANK}]*+ (?: [\[(]?\d{{1,2}}:\d\d(?::\d\d)?(?:[ ]?[AaPp]\.?[Mm]\.?)?[\])]?(?:-|{_GAP})"
    rf" | <[^<>{BLANK}][^<>]{{0,30}}>{_GAP} )",
    re.VERBOSE,
)
_SPEAKER = re.compile(rf"[{BLANK}]*+[A-Z][\w.'-]*+(?:[ ][A-Z][\w.'-]*+){{0,3}}:{_GAP}")
_CAPITAL_OR_DIGIT = re.compile(rf"[{BLANK}]*+[\"'\u201c\u2018(]?[A-Z\d]")
_UNFINISHED = re.compile(rf"[^{BLANK}.!?\u2026,;\u2013\u2014\u3002\uff01\uff1f-][{BLANK}]*\Z")
_FIRST_WORD = re.compile(rf"[{BLANK}]*+([^{BLANK}]++)")
_FIRST_LETTER = re.compile(r"[^\W\d_]")
_VISIBLE = re.compile(rf"\w|{PICTURE}", re.VERBOSE)
_PRONOUN = re.compile(r"(?<!\w)[a-z]+\sI\Z")  # so do I.
_ANY_QUOTE = re.compile("[\"'`\u2018\u2019]")
_OPENING_QUOTE = re.compile(
    r"(?<!\w)(?:'(?!(?:[Ee]m|[Cc]ause|[Tt]il|bout|round|n'|\d\ds?|s|re|ve|ll|d|m|t)\b)|[`\u2018])(?=\w)"
)
_CLOSING_QUOTE = re.compile(r"['\u2019](?!\w)")
_SPACED_QUOTE = re.compile(rf"(?<![^{BLANK}])[\"'](?![^{BLANK}])")
_MARK_BEFORE = re.compile(rf"(?:\A|[.?!,:;\"\u201d-])[{BLANK}]+\Z|\A\Z")
_PLURAL_BEFORE = re.compile(rf"s[{BLANK}]+\Z")  # the boys ' books
_IS_BLANK = re.compile(f"[{BLANK}]")
_QUOTATION = frozenset("\"'\u2019\u201d\u2018\u201c\xab\xbb")
_BROKEN_OFF = 0.8  # of the width: hard-wrapped lines are fuller than that
# Who speaks, after a quotation that ends in a question or exclamation mark: ``"Why?" Ann asked.``
_SPEECH = re.compile(
    r"""
    (?: I | He | She | They | We | You
      | (?:(?:Mr|Mrs|Ms|Dr|Miss)\.?\s+)? [A-Z][\w'\u2019-]+ (?:\s+(?:and\s+)?[A-Z][\w'\u2019-]+){0,2} (?:['\u2019]s\s+[a-z]+)? ) \s+
    (?: \w+ly\s+ )?
    (?: said | says | asked | asks | replied | replies | cried | cries | answered | answers
      | exclaimed | exclaims | demanded | inquired | enquired | whispered | shouted | shouts
      | murmured | muttered | called | added | adds | thought | repeated | returned | continued
      | interrupted | wondered | screamed | yelled | remarked | wrote | writes
      | snapped | gasped | echoed | shrieked | sighed | hissed | barked | growled | stammered
      | pleaded | begged | groaned | sobbed | insisted | protested | rejoined | responded
      | retorted ) \b
    """,
    re.VERBOSE,
)
_SAID_WORDS = "he she it they i we said says asked asks thought cried"
_SAID = frozenset(_SAID_WORDS.split())
_INTERJECTION_WORDS = "ah alas aye eh ha hello hey hi lo my no now o oh well why yes"
_INTERJECTIONS = frozenset(_INTERJECTION_WORDS.split())
# What no word of a sentence is like that a name may come after: 10 min. Sections were cut.
_MEASURE_WORDS = "min mins hr hrs wk wks sec secs mm cm km kg mg ml gm mph"
_MEASURES = frozenset(_MEASURE_WORDS.split())
_CAPITAL_WORD = re.compile("[A-Z][a-z]")
_NUMBER_BEFORE = re.compile(r"\d[\s-]*\Z")
# Words that begin a sentence in lower case as they begin nothing else: cDNA, \u03b3H2AX, p53, (a)
_SMALL_START = re.compile(r"\(?(?:[a-z]{1,3}[A-Z]|[\u03b1-\u03c9][\w-]|p\d\d)|\([a-h]\)\s")
_NAMES_WITH_MARK = frozenset(["Yahoo", "Yum", "Jeopardy"])
_NO_STARTER = (Period.NEVER, Period.INITIAL)  # P. L. No. 5, George W. A. Bush
_PLAIN_TITLES = frozenset(["Mr", "Mrs", "Ms", "Messrs"])


def sentence_spans(block: str) -> Iterator[tuple[int, int]]:
    """Return ``(start, end)`` of each sentence in ``block``, without the blanks around it.

    Everything but blanks is in exactly one sentence. A piece without a letter, digit or picture
    joins the sentence before it; a line break counts as a blank unless it ends a heading, an item
    of a list, or a line that was interrupted long before the margin.
    """
    if has_entities(block):
        plain, places = decode_entities(block)
        return spans_in_source(_plain_spans(plain), places)
    return _plain_spans(block)


def _plain_spans(block: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences in a block without entities."""
    block = _with_directed_quotes(block)
    letter = _FIRST_LETTER.search(block)
    lower_case = letter is not None and letter.group().islower()
    for start, end in segments(block):
        yield from _split_segment(block, start, end, lower_case)


def _with_directed_quotes(block: str) -> str:
    """Return a block with typographic quotation marks for straight ones between blanks, as in tokenized text.

    A mark opens or closes a quotation by the number of marks before it. No place changes.
    """
    if _SPACED_QUOTE.search(block) is None:
        return block
    characters = list(block)
    is_quoted, is_within = False, False  # within double marks, within single ones
    for match in _ANY_QUOTE.finditer(block):
        place, mark = match.start(), match.group()
        is_spaced = _SPACED_QUOTE.match(block, place) is not None
        if mark == '"':
            if is_spaced:
                characters[place] = "\u201d" if is_quoted else "\u201c"
            is_quoted = not is_quoted
        elif not is_spaced:
            opens = _OPENING_QUOTE.match(block, place) is not None
            is_within = opens or (is_within and _CLOSING_QUOTE.match(block, place) is None)
        elif is_within:
            is_within = _PLURAL_BEFORE.search(block, max(0, place - 4), place) is not None
        elif _MARK_BEFORE.search(block, max(0, place - 4), place):
            characters[place], is_within = "\u2018", True
    return "".join(characters)


def _split_segment(text: str, start: int, end: int, lower_case: bool) -> Iterator[tuple[int, int]]:
    """Yield the sentences of one segment; see ``sentence_spans``."""
    previous: tuple[int, int] | None = None
    for cut in _cuts(text, start, end, lower_case):
        piece = strip_span(text, start, cut)
        start = cut
        if piece[0] == piece[1]:
            continue
        if previous is None:
            previous = piece
        elif _VISIBLE.search(text, *piece) is None:
            previous = (previous[0], piece[1])
        else:
            yield previous
            previous = piece
    if previous is not None:
        yield previous


def strip_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without the blanks at its ends."""
    while start < end and _IS_BLANK.match(text, start):
        start += 1
    while start < end and _IS_BLANK.match(text, end - 1):
        end -= 1
    return start, end


def segments(block: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of ``block`` between the line breaks that always end a sentence."""
    lines = block.splitlines(keepends=True)
    # Each line begins like a sentence and none ends like one: headlines, names, a menu.
    listed = all(
        _CAPITAL_OR_DIGIT.match(line) and _UNFINISHED.search(line)
        for line in lines
        if _FIRST_WORD.match(line)
    )
    width = max((len(line.rstrip("\r\n")) for line in lines), default=0)
    items = sum(_ITEM_NUMBER.match(line) is not None for line in lines)
    repeated = sum(_REPEATED_BULLET.match(line) is not None for line in lines)
    start = end = 0
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        end += len(line)
        is_item = repeated > 1 and _REPEATED_BULLET.match(following) is not None
        if not following or listed or is_item or _breaks(line, following, width, items > 1):
            yield start, end
            start = end


def _breaks(line: str, following: str, width: int, is_list: bool) -> bool:
    """Return whether the end of ``line`` is more than a blank; ``is_list``: several lines begin with a number."""
    if _BULLET.match(following) or _TURN.match(following):
        return True
    if _QUOTED.match(following) or _QUOTED.match(line):
        return True
    if _SPEAKER.match(line) and _SPEAKER.match(following):
        return True
    if is_list and _END_OF_ITEM.search(line) and _ITEM_NUMBER.match(following):
        return True
    if not _UNFINISHED.search(line):
        return False  # a full stop is judged like any other
    line = line.rstrip("\r\n")
    first = _FIRST_WORD.match(following)
    is_broken_off = first is not None and len(line) + len(first[1]) < _BROKEN_OFF * width
    if _ITEM_NUMBER.match(following):
        return is_list or is_broken_off or _NUMBER_AND_PERIOD.match(following) is None
    return is_broken_off and first is not None and not first[1][:1].islower()


def _cuts(text: str, start: int, end: int, lower_case: bool) -> Iterator[int]:
    """Yield where the sentences of a segment end, the blanks after them included."""
    while True:
        heading = end_of_heading(text, start, end)
        if heading is not None:
            start = heading
            yield start
        for stop in _STOP.finditer(text, start, end):
            if stop.end() < end and (stop["mark"] is None or _ends(text, start, stop, lower_case)):
                start = stop.end()
                yield start
                break
        else:
            yield end
            return


def _ends(text: str, start: int, stop: re.Match[str], lower_case: bool) -> bool:
    """Return whether the sentence from ``start`` on ends with ``stop``."""
    following = _NEXT.match(text, stop.end())
    assert following is not None  # the pattern also matches nothing
    at = stop.start()
    match = _LAST_WORD.search(text[max(start, at - _LONGEST_WORD) : at])
    word = match.group() if match is not None else ""
    mark = stop["mark"]
    if mark == "." and word:
        return _period_ends(text, start, stop, word, following, lower_case)
    if text[stop.end()] in ".!?\u2026,;:":
        return False  # a spaced ellipsis, or a slip
    if following["word"][:1].islower():
        if following["dash"] or (stop["close"] and not lower_case) or mark[0] in ".\u2026":
            return False
        if stop["close"] and following["word"] in _SAID:
            return False
        return (mark[-1] == "?" or lower_case) and word.lower() not in _INTERJECTIONS
    if stop["close"] and _SPEECH.match(text, stop.end()):
        return False
    if mark == "!" and word in _NAMES_WITH_MARK:
        return following["word"] in STARTERS
    return True


def _no_name_before(text: str, start: int, place: int) -> bool:
    """Return whether what begins at ``place`` is no part of a name: ``Bros. Lee and Kim``, not ``Warner Bros.``"""
    before = text[max(start, place - _LONGEST_WORD) : place].split()
    return not before or before[-1][0].islower()


def _is_item_number(text: str, start: int, end: int) -> bool:
    """Return whether the number that ends at ``end`` is a step's, or an item's within a sentence, at the start of a line."""
    line = max(start, text.rfind("\n", start, end) + 1)
    found = _NAMED_NUMBER.match(text, start) or _ITEM_NUMBER.match(text, line)
    return found is not None and found.end() == end


def _period_ends(
    text: str,
    start: int,
    stop: re.Match[str],
    word: str,
    following: re.Match[str],
    lower_case: bool,
) -> bool:
    """Return whether the one period after ``word`` ends the sentence."""
    following_word = following["word"]
    kind = period_at(text, stop.start() - len(word), stop.start())
    if kind is Period.NEVER or text[stop.end()] in ".!?\u2026,;:":
        return False
    number = _ITEM_NUMBER.match(text, start)
    if number is not None and number.end() == stop.start():
        return False  # 1. The first item of a list
    if following_word[:1].islower():
        if kind is not Period.STOP or following["dash"]:
            return False
        if _is_item_number(text, start, stop.start()):
            return False
        if lower_case:
            return not (stop["close"] and following_word in _SAID)
        if _SMALL_START.match(text, stop.end()):
            return True
        return not stop["close"] and word.replace("-", "").isalpha()
    if kind is Period.STOP:
        return True
    starter = following_word in STARTERS and not (
        following["dot"] and period_at(text, *following.span("word")) in _NO_STARTER
    )
    if kind is Period.INITIAL:
        if word == "I" and _PRONOUN.search(text, max(start, stop.start() - 16), stop.start()):
            return not following["dot"]
        return starter or (word.islower() and not following["dot"])
    is_company = word in COMPANIES and not (
        word == "Bros" and _no_name_before(text, start, stop.start() - len(word))
    )
    if is_company and following_word and not following["dot"] and not following["dash"]:
        if following["open"]:
            return following["open"][-1] in _QUOTATION
        return following_word[0].isupper() and following_word not in AFTER_COMPANY
    if following_word in _PLAIN_TITLES:
        return True
    if word in _MEASURES and _CAPITAL_WORD.match(following_word):
        before = stop.start() - len(word)
        if _NUMBER_BEFORE.search(text, max(start, before - 4), before):
            return True
    return starter or any(mark in _QUOTATION for mark in stop["close"])


def tokenize(text: str, start: int = 0) -> Sentence:
    """Return the words of one sentence; ``start`` is where ``text`` begins in the input.

    A word that a hyphen divides at the end of a line is whole, and has the place of both its parts. Text
    without a word (blanks, characters without width) gives a sentence without words.
    """
    whole, places = with_whole_words(text) if has_line_hyphens(text) else (text, None)
    spans = word_spans(whole)
    if not spans:
        return Sentence("", (), ())
    words = tuple([whole[begin:end] for begin, end in spans])
    if places is not None:
        spans = [(places[begin], places[end - 1] + 1) for begin, end in spans]
    return Sentence(
        text[spans[0][0] : spans[-1][1]],
        words,
        tuple([(begin + start, end + start) for begin, end in spans]),
    )


def sentences(block: str, start: int) -> Iterator[Sentence]:
    """Yield the sentences of a block that begins at ``start`` in the input."""
    for begin, end in sentence_spans(block):
        sentence = tokenize(block[begin:end], start + begin)
        if sentence.words:
            yield sentence
