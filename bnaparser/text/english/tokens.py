"""Penn Treebank words of one sentence, as character spans: splitting only, nothing is rewritten.

The rules are those of the Wall Street Journal part of the treebank: clitics apart (``do n't``),
punctuation apart, words with hyphens, slashes and ampersands whole (``62%-owned``, ``and/or``).
One regular expression finds the candidates; what needs more context (periods, clitics) follows in
Python. Every alternative consumes in one direction only, so the time is linear in the text.
"""

from __future__ import annotations

import re

from bnaparser.text.english.abbreviations import Period, period_at

# Between words: white space, controls, direction marks, zero-width spaces, broken surrogates.
# As the inside of a character class; so are the constants below.
BLANK = (
    r"\s\x00-\x1f\x7f-\x9f\u180e\u200b\u200e\u200f\u2028-\u202e"
    r"\u2061-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
)
# No width, but part of the word they stand in: soft hyphen, joiners, variation selectors, tags.
_UNSEEN = r"\xad\u034f\u200c\u200d\u2060\ufe00-\ufe0f\U000e0000-\U000e0fff"
_APOSTROPHE = r"['\u2019\u02bc`\xb4]"
_QUOTES = '"\u201c\u201d\u201e\u201f\u2018\u201a\u201b\xab\xbb\u2039\u203a`\xb4'
_BRACKETS = r"()\[\]{}<>"
_ASIAN = r"\u3001-\u3003\u3008-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_ALONE = (  # never inside a word
    r";?!\u2026\u2014\u2015\xbf\xa1\xa7\xb6|\u2020-\u2023\u25a0-\u25ff\u2190-\u21ff"
    r"$\xa3\xa4\xa5\u20a0-\u20cf\u060c\u061b\u061f\u0964\u0965" + _ASIAN
)
_PICTURES = r"\u231a\u231b\u23e9-\u23fa\u2600-\u27bf\u2b05-\u2b55\U0001f000-\U0001faff"
_SPLIT = BLANK + _QUOTES + _BRACKETS + _ALONE + _PICTURES
_START = rf"(?<![^{BLANK}])"
_END = rf"(?![^{BLANK}])"

# ``good.The``: a blank forgotten, and not a name such as ``System.Out``.
_GLUED = r"(?:The|This|That|It|He|She|We|They|You|But|And|If|There|What|In|My|Then|So)\b"
GLUED_PERIOD = rf"(?<=[a-z][a-z]\.)(?={_GLUED})"

_EMOTICON = rf"""
    {_START}(?:
      [<>]?[:;=][-o*^']?[)\](\[DPpOo3/\\|*@}}{{]{{1,4}}
    | [8xX]-[)(DPp] | [xX]D+ | \(-?[:;] | </?3+
    | [oO>^T-]_+[oO<^T-] | -\.- | >\.< | \^\^ | \\o/ | \xaf\\_\([^{BLANK}]\)_/\xaf
    )(?=[.,!?]*{_END})
"""

_EMOJI = rf"""
    [\U0001f1e6-\U0001f1ff]{{2}}
  | [0-9*\#]\ufe0f?\u20e3
  | [{_PICTURES}](?:[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]|\u200d[{_PICTURES}])*+
"""

# As alternatives for a verbose pattern.
PICTURE = rf"{_EMOTICON}|{_EMOJI}"

_URL = rf"""
    (?: (?:https?|ftp|file):// | www\. | mailto: | doi:(?=10) )
    (?: [^{BLANK}<>"\u201c\u201d.,;:!?'\u2019()\[\]{{}}\u2026]++
      | [.,;:!?'\u2019]++(?=[\w/&=\#%~+-])
      | \([^{BLANK}()]{{0,200}}\)
    )++
"""

# Characters of a word; those after the first line only beside certain others.
_WORD = rf"""
    (?: [^{_SPLIT}.'\u2019,:%*\u2013-]++
      | \.(?:(?=[\w])|(?=['\u2019]s\b)|(?=[-/&]\w))(?!{GLUED_PERIOD})
      | (?<!-)-(?![->])
      | (?<=\w)\u2013(?=\w)
      | (?<=[\w.]){_APOSTROPHE}(?=\w) | (?<=-)['\u2019](?=\d)
      | (?<=[a-z]in)['\u2019](?=[{BLANK}]++[a-z]) | (?<=-o)['\u2019](?=-\w)
      | (?<=\d)[,:](?=\d) | (?<=\w)::(?=\w) | (?<=[A-Za-z]):(?=\\)
      # friend(s), f(x), CD4(+): part of a word, but not of a number, 8(A)
      | (?: (?<=[A-Za-z]) | (?<=[A-Za-z]\d) | (?<=[A-Za-z]\d\d) | (?<=\w-) ) \( (?!\d{{4}}\)) [\w+.,;/:=-]{{1,8}} \)
      | (?<=\w) \[ [a-z]{{1,8}} \] | \[ [\w+]{{1,6}} \] (?=[\w-])  # effective major[ities], [w]hat
      | (?<=[\dA-Z])['\u2019](?=-\w)
      | %(?=-\w)
      | (?<=\w)\*++(?=\w)
    )++
"""

_TOKEN = re.compile(
    rf"""
    (?P<whole> {_URL} | {PICTURE} | </?[A-Za-z][^{BLANK}<>]*> )
  | (?P<mark>
        \.{{3}}(?=\.(?!\.)) | \.{{2,}} | [?!]+ | <?-+> | <-+ | =+> | -{{2,}} | \u2013{{2,}} | [\u2014\u2015]+ | \u2026+
      | `` | '' | \xa7+ | \*++(?!\w) | (?<!\w)\*++ | <= | >= | \#(?=\d)
      | [A-Z]{{1,3}}\$(?=[\d.]|{_END})
    )
  | (?P<elided>
        {_START}(?:o|ol|an|th|yo|mo)['\u2019]{_END}
      | (?<![^{BLANK}"\u201c(\u2014-])['\u2019\u2018](?:
            (?:[Ee]m|[Tt]is|[Tt]was|[Tt]il|till|[Cc]ause|[Cc]uz|bout|round|cross)\b | n['\u2019]{_END}
          | [0-9]{{2}}s?\b | (?i:s|re|ve|ll|d|m){_END} )
      # Yahoo!'s, (U.S.)'s
      | (?<=[!?.)%\]"\u201d])['\u2019](?i:s|re|ve|ll|d|m)(?![\w'\u2019])
    )
  | (?P<stop> \.(?!\w) | (?<=["\u201d'\u2019)\]])\.(?=[A-Z]) )
  | (?P<word> {_WORD} )
  | (?P<other> [^{BLANK}] )
    """,
    re.VERBOSE,
)
_UNSEEN_ONLY = re.compile(rf"[{_UNSEEN}]+")
_CLITIC = re.compile(rf"(?:n{_APOSTROPHE}t|{_APOSTROPHE}(?:s|re|ve|ll|d|m))\Z", re.IGNORECASE)
_LONGEST_CLITIC = 3
_STRAIGHT = str.maketrans("\u2018\u2019\u02bc`\xb4", "'" * 5)
# Where the treebank splits words that are written as one: the length of the first part.
_FUSED = {
    "cannot": 3,
    "gonna": 3,
    "gotta": 3,
    "wanna": 3,
    "gimme": 3,
    "lemme": 3,
    "'tis": 2,
    "'twas": 2,
    "d'ye": 2,
    "more'n": 4,
}
_GOES_ON = frozenset(",;:")
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")
_MORE = re.compile(r"[^\w.!?\u2026]*+[\w.!?\u2026]")  # the sentence does not end here
_FUSED_LONGEST = max(map(len, _FUSED))


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return ``(start, end)`` of every word of one sentence, in order and without overlap.

    No word is empty or holds a blank, and what lies between words is blank or without width.
    """
    spans: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        kind = match.lastgroup
        if kind == "word" or kind == "elided":
            _add_word(text, start, end, spans)
        elif kind == "stop" and _belongs_to_word(text, start, spans):
            spans[-1] = (spans[-1][0], end)
        elif end - start == 2 and match.group() == ".." and _abbreviated(text, start, spans):
            spans[-1] = (spans[-1][0], start + 1)
            spans.append((start + 1, end))
        else:
            spans.append((start, end))
    return spans


def _add_word(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    """Append a word, its clitics apart."""
    word = text[start:end]
    if word.isascii():
        if word.isalpha() and (len(word) > _FUSED_LONGEST or word.lower() not in _FUSED):
            spans.append((start, end))
            return
    elif _UNSEEN_ONLY.fullmatch(word):
        return
    cut = _FUSED.get(word.lower().translate(_STRAIGHT))
    if cut is not None:
        spans += [(start, start + cut), (start + cut, end)]
        return
    clitics = []
    while match := _CLITIC.search(text, max(start + 1, end - _LONGEST_CLITIC), end):
        clitics.append(match.span())
        end = match.start()
    spans.append((start, end))
    spans.extend(reversed(clitics))


def _abbreviated(text: str, dot: int, spans: list[tuple[int, int]]) -> bool:
    """Tell whether the two periods from ``dot`` on are an abbreviation's and the sentence's."""
    if not spans or spans[-1][1] != dot:
        return False
    return period_at(text, spans[-1][0], dot) in (Period.MAYBE, Period.NEVER)


def _belongs_to_word(text: str, dot: int, spans: list[tuple[int, int]]) -> bool:
    """Tell whether the period at ``dot`` is part of the word before it.

    The last period of a sentence is not, whatever the word (``Inc`` ``.``), except in ``U.S.``,
    to which the treebank gives its period even there.
    """
    if not spans or spans[-1][1] != dot:
        return False
    word = text[spans[-1][0] : dot]
    following = text[dot + 1 : dot + 2]
    kind = period_at(text, spans[-1][0], dot)
    if kind is Period.STOP:
        return following in _GOES_ON and word.isalpha()
    if following in _CLOSING and text[spans[0][0]] not in _OPENING:
        return True  # (Detroit, Mich.)
    return word == "U.S" or _MORE.match(text, dot + 1) is not None
