r"""English words as the Penn Treebank separates them: one rule a row, each with an example.

The rules are those of the Wall Street Journal part of the treebank: clitics apart (``do n't``),
punctuation apart, words with hyphens, slashes and ampersands whole (``62%-owned``, ``and/or``).

To add a rule, write a row where it belongs: at each place of a text the first row that fits is taken,
kind by kind and from the top. Patterns are those of ``re.VERBOSE``: a blank is written ``[ ]``, a
``#`` ``\#``. A row must consume in one direction only (``++`` rather than ``+`` inside a repetition),
so that the time stays linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from bnaparser.text.characters import decode_entities, has_entities, spans_in_source
from bnaparser.text.english.abbreviations import Period, period_at

Kind = Literal["whole", "smile", "mark", "elided", "stop", "word", "other"]
"""What becomes of a match: see the table of each kind. ``tokens`` does what needs more context."""


class TokenRule(NamedTuple):
    """A rule: its name, its pattern, and an example: a text, and its words with blanks between."""

    name: str
    pattern: str
    text: str
    words: str


# Between words: white space, controls, direction marks, zero-width spaces. NUL and half of a surrogate
# pair are in words, by which the sentence is refused: they are not text.
# As the inside of a character class; so are the constants below.
BLANK = (
    r"\s\x01-\x1f\x7f-\x9f\u180e\u200b\u200e\u200f\u2028-\u202e"
    r"\u2061-\u206f\ufeff\ufff9-\ufffb"
)
# Of these, what has no width: inside a word it is part of the word.
NO_WIDTH = r"\u180e\u200b\u200e\u200f\u202a-\u202e\u2061-\u206f\ufeff"
_QUOTES = '"\u201c\u201d\u201e\u201f\u2018\u201a\u201b\xab\xbb\u2039\u203a`\xb4'
_BRACKETS = r"()\[\]{}<>"
_ASIAN = r"\u3001-\u3003\u3008-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_CURRENCY = r"$\xa2\xa3\xa4\xa5\u20a0-\u20cf"
_ALONE = (  # never inside a word
    r";?!\u2026\u2014\u2015\xbf\xa1\xa7\xb6|\u2020-\u2023\u25a0-\u25ff\u2190-\u21ff"
    + _CURRENCY
    + r"\u060c\u061b\u061f\u0964\u0965"
    + _ASIAN
)
PICTURES = r"\u231a\u231b\u23e9-\u23fa\u2600-\u27bf\u2b05-\u2b55\U0001f000-\U0001faff"
_SPLIT = BLANK + _QUOTES + _BRACKETS + _ALONE + PICTURES

# The mark of a note after a full stop (``left.\xb9``, ``(so).2 The``), or of emphasis.
_NOTE = (
    r"[\xb2\xb3\xb9\u2070-\u2079]|_++(?!\w)"
    rf"|(?:(?<=[a-z]{{4}}\.)|(?<=[)\]\"\u201d]\.))\d{{1,2}}(?=[{BLANK}]++[\"\u201c(]?[A-Z]|[{BLANK}]*+\Z)"
)
APOSTROPHE = r"['\u2019\u02bc`\xb4]"
_START = rf"(?<![^{BLANK}])"
_END = rf"(?![^{BLANK}])"
_ROMAN = "[ivx]++"
_CLITICS = "(?i:s|re|ve|ll|d|m)"

# ``good.The``, ``42.The``: a blank forgotten, and not a name such as ``System.Out``.
GLUED_WORD = (
    r"(?:The|This|That|It|He|She|We|They|You|But|And|If|There|What|In|My|Then|So"
    r"|I(?=['\u2019][a-z]|[ ](?!of\b|and\b|to\b)[a-z]))\b"
)
GLUED_PERIOD = (
    rf"(?:(?<=[a-z][a-z]\.)|(?<=[\d)\]\"\u201d]\.)|(?<=[\w)\]\"\u201d][ ]\.))(?={GLUED_WORD})"
)
# ``Stop!I know``, ``Stop !I know``, but not ``index.php?Name=1`` and not ``a !Send type``.
GLUED_MARK = rf"(?<=[a-z])(?: [!?]++(?=[A-Z][a-z]*+[{BLANK},'\u2019]) | [ ][!?]++(?={GLUED_WORD}) )"

# The amount before a hyphen: $5-, $5m-, $5bn-, $5 million-
_AFTER_AMOUNT = r"(?:(?<=\d-)|(?<=\d[kmbtKMBT]-)|(?<=\d[mbt]n-)|(?<=illion-))"

_PICTURE_RULES = (
    TokenRule(
        "emoticon",
        rf"""
        {_START}(?:
          [<>]?[:;=][-o*^']?[)\](\[DPpOo3/\\|*@}}{{]{{1,4}}
        | [8xX]-[)(DPp] | [xX]D+ | \(-?[:;]
        | [oO>^T;*-]_+[oO<^T;*-] | -\.- | >\.< | \^[.o]?\^ | :\$ | \\o/ | \xaf\\_\([^{BLANK}]\)_/\xaf
        )(?=[.,!?"'\u2019\u201d]*{_END})
        """,
        "Good :-) or bad :(, so xD",
        "Good :-) or bad :( , so xD",
    ),
    TokenRule("heart", rf"{_START}</?3+(?=[.,!?]*{_END})", "I <3 it </3", "I <3 it </3"),
    TokenRule(
        "flag",
        r"[\U0001f1e6-\U0001f1ff]{2}",
        "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7 won",
        "\U0001f1e9\U0001f1ea \U0001f1eb\U0001f1f7 won",
    ),
    TokenRule(
        "key",
        r"[0-9*\#]\ufe0f?\u20e3",
        "1\ufe0f\u20e32\ufe0f\u20e3",
        "1\ufe0f\u20e3 2\ufe0f\u20e3",
    ),
    TokenRule(
        "picture, with its colours and joined ones",
        rf"[{PICTURES}]"
        rf"(?:[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]|\u200d[{PICTURES}])*+",
        "ok\U0001f44d\U0001f3fd\U0001f469\u200d\U0001f469",
        "ok \U0001f44d\U0001f3fd \U0001f469\u200d\U0001f469",
    ),
)

# A word, whatever it is made of.
_WHOLE = (
    TokenRule(
        "address on the net",
        rf"""
        (?: (?:https?|ftp|file):// | www\. | mailto: | doi:(?=10) )
        (?: [^{BLANK}<>"\u201c\u201d.,;:!?'\u2019()\[\]{{}}\u2026]++
          | [.,;:!?'\u2019]++(?=[\w/&=\#%~+-])
          | \([^{BLANK}()]{{0,200}}\)
        )++
        """,
        "See http://a.org/x_(y)?z=1, or (www.b.com).",
        "See http://a.org/x_(y)?z=1 , or ( www.b.com ) .",
    ),
    TokenRule(
        "address without a scheme",
        rf"""
        (?<![^{BLANK}("'\u201c]) (?:[\w-]++\.)++ (?:com|org|net|edu|gov|io|uk|de|fr|eu|ca|au)/
        (?: [^{BLANK}<>"\u201c\u201d.,;:!?'\u2019()\[\]{{}}\u2026\u2014\u2015]++
          | [.,;:!?](?=[\w/&=\#%~+-]) | \([^{BLANK}()]{{0,200}}\) )*+
        """,
        "See google.com/search?q=a,b, or (bbc.co.uk/a_(b)).",
        "See google.com/search?q=a,b , or ( bbc.co.uk/a_(b) ) .",
    ),
    *_PICTURE_RULES,
    TokenRule(
        "option of a command with its value",
        rf"{_START}--[A-Za-z][\w-]*+=[^{BLANK}\"\u201c\u201d;,()]*+(?<![.:!?])",
        "Use --max-words=5 --and so",
        "Use --max-words=5 -- and so",
    ),
    TokenRule("markup", rf"</?[A-Za-z][^{BLANK}<>]*>", "<b>bold</b> face", "<b> bold </b> face"),
)

# Faces that could be the end of a bracket.
_SMILES = (
    TokenRule(
        "emoticon after a word, a blank forgotten",
        rf"(?<=[\w!?.])[:;][-o^']?\)(?=[.,!?]*{_END})",
        "I like it:) so much!;-) (or so:)",
        "I like it :) so much ! ;-) ( or so : )",
    ),
)

# Punctuation of several characters, or that could be taken for a part of a word.
_MARKS = (
    TokenRule("ellipsis before the full stop", r"\.{3}(?=\.(?!\.))", "And so....", "And so ... ."),
    TokenRule("ellipsis", r"\.{2,}", "Well... no", "Well ... no"),
    TokenRule("not equal", r"!=+", "a!=b !== c", "a != b !== c"),
    TokenRule("questions and exclamations", r"[?!]+", "What?! No!", "What ?! No !"),
    TokenRule("arrow to the right", r"<?-+>", "a-->b <-> c", "a --> b <-> c"),
    TokenRule("arrow to the left", r"<-+", "a<--b", "a <-- b"),
    TokenRule("double arrow", r"=+>", "a => b", "a => b"),
    TokenRule("dash of hyphens", r"-{2,}", "one--or two", "one -- or two"),
    TokenRule("dash of short dashes", r"\u2013{2,}", "one\u2013\u2013two", "one \u2013\u2013 two"),
    TokenRule(
        "dash",
        r"[\u2014\u2015]+",
        "one\u2014two\u2014\u2014three",
        "one \u2014 two \u2014\u2014 three",
    ),
    TokenRule("ellipsis of one character", r"\u2026+", "so\u2026\u2026", "so \u2026\u2026"),
    TokenRule("fence of code", r"`{3,}", "```\nso", "``` so"),
    TokenRule("quote of two backquotes", r"``", "``so", "`` so"),
    TokenRule("quote of two apostrophes", r"''", "so''", "so ''"),
    TokenRule("section sign", r"\xa7+", "\xa7\xa7 5", "\xa7\xa7 5"),
    TokenRule("asterisks after a word", r"\*++(?!\w)", "so** it", "so ** it"),
    TokenRule("asterisks before a word", r"(?<!\w)\*++", "**so", "** so"),
    TokenRule("at most", r"<=>?", "a<=b <=> c", "a <= b <=> c"),
    TokenRule("at least", r">=", "a>=b", "a >= b"),
    TokenRule("less or greater", r"<>", "a<>b", "a <> b"),
    TokenRule("becomes", r":=", "a:=b", "a := b"),
    TokenRule("bars", r"\|{2,}", "a || b", "a || b"),
    TokenRule("quoted lines, shifts", r">{2,}|<{2,}", ">> a << 2", ">> a << 2"),
    TokenRule("number sign", r"\#(?=\d)", "#5 of #us", "# 5 of #us"),
    TokenRule(
        "by, between feet or inches",
        r"(?<=\d[\"\u201d'\u2019])[x\xd7](?=\d)",
        '8"x10"',
        '8 " x 10 "',
    ),
    TokenRule(
        "dollars of a country",
        rf"[A-Z]{{1,3}}\$(?=[\d.]|{_END})",
        "US$5 or C$",
        "US$ 5 or C$",
    ),
)

# Words of which letters are left out, written with an apostrophe at one end.
_ELIDED = (
    TokenRule(
        "the end is left out",
        r"(?<![\w'\u2019])(?i:ol?|an|n|th|yo|mo|lil|jus|wi|fo|po|sho)['\u2019](?!\w)",
        "one o' us, the ol'. An' you, Guns N' Roses",
        "one o' us , the ol' . An' you , Guns N' Roses",
    ),
    TokenRule(
        "the beginning is left out",
        rf"""
        (?<![^{BLANK}"\u201c(\u2014-])['\u2019\u2018](?:
            (?:[Ee]m|[Tt]is|[Tt]was|[Tt]il|till|[Cc]ause|[Cc]uz|bout|round|cross|neath|nother
              |[Tt]isn['\u2019]t|[Tt]wasn['\u2019]t|[Tt]were|[Tt]would|[Tt]wixt|[Mm]ongst|[Gg]ainst|[Nn]uff|[Ff]raid|[Ss]cuse)\b(?!-)
          | n['\u2019]{_END} | (?<=[a-z][ ]['\u2018\u2019])[NR]['\u2019](?=[ ][A-Z])
          | (?:Bout|Round|Cross|Till|Neath|Nother|[Tt]will|[Tt]ween|[Ss]pect|[Cc]ept|[Kk]ay|[Ss]up|[Cc]ourse|[Mm]erica|n|im|er|ere)\b(?!-)
              (?![^'\u2019]{{0,60}}[\w.,!?]['\u2019](?!\w))
          | [0-9]{{2}}s?(?:[-\u2013]['\u2019][0-9]{{2}}s?)?\b | {_CLITICS}{_END} )
        """,
        "rock 'n' roll of the '90s, '68-'72, 'cause it 's good. 'Round here, 'nuff said",
        "rock 'n' roll of the '90s , '68-'72 , 'cause it 's good . 'Round here , 'nuff said",
    ),
    TokenRule(
        "a clitic after punctuation",
        rf"(?<=[!?.)%\]\"\u201d])['\u2019]{_CLITICS}(?![\w'\u2019])",
        "Yahoo!'s \"Jaws\"'s 5%'s",
        "Yahoo ! 's \" Jaws \" 's 5 % 's",
    ),
)

# A period that is not inside a word: it may still be the word's own.
_STOPS = (
    TokenRule("period", r"\.(?!\w)", "Mr. Ray left.", "Mr. Ray left ."),
    TokenRule(
        "period before the mark of a note",
        rf"\.(?={_NOTE})",
        "U.S.\xb9 (so).2",
        "U.S. \xb9 ( so ) . 2",
    ),
    TokenRule(
        "period after a quotation, a blank forgotten",
        r"(?<=[\"\u201d'\u2019)\]])\.(?=[A-Z])",
        "(so).Nobody came",
        "( so ) . Nobody came",
    ),
)

# What a word is made of: plain characters, and others only where they stand beside certain ones.
_PARTS = (
    TokenRule(
        "plain characters", rf"[^{_SPLIT}.'\u2019,:%*\u2013-]++", "and/or AT&T", "and/or AT&T"
    ),
    TokenRule(
        "period",
        rf"\.(?:(?=[\w])|(?=['\u2019]s\b)|(?=[-/&]\w))(?!{_NOTE}|{GLUED_PERIOD})",
        "a 3.5 U.S.-based one.The end",
        "a 3.5 U.S.-based one . The end",
    ),
    TokenRule(
        "hyphen, but not between two amounts",
        rf"(?<!-)-(?![->]|{_AFTER_AMOUNT}[A-Z]{{0,3}}[{_CURRENCY}]\d|(?<=\d[%\"\u201d]-)\d)",
        "a well-known -5, $5m-$10m, 5%-6%",
        "a well-known -5 , $ 5m - $ 10m , 5 % - 6 %",
    ),
    TokenRule("dash", r"(?<=\w)\u2013(?=\w)", "in 1990\u201395", "in 1990\u201395"),
    TokenRule(
        "apostrophe, but not of feet",
        rf"(?<=[\w.]){APOSTROPHE}(?=\w)(?!(?<=\d.)x?\d)",
        "O'Neil is 5'6",
        "O'Neil is 5 ' 6",
    ),
    TokenRule("apostrophe of a decade", r"(?<=-)['\u2019](?=\d)", "the mid-'90s", "the mid-'90s"),
    TokenRule(
        "apostrophe for the g of -ing",
        r"(?<=[A-Za-z](?:in|IN))['\u2019](?![\w'\u2019])",
        "I'm goin'. He 'can win'.",
        "I 'm goin' . He ' can win ' .",
    ),
    TokenRule(
        "apostrophes of 'n'", r"(?<=-)['\u2019]n['\u2019](?=-)", "rock-'n'-roll", "rock-'n'-roll"
    ),
    TokenRule("apostrophe of o'", r"(?<=-o)['\u2019](?=-\w)", "jack-o'-lantern", "jack-o'-lantern"),
    TokenRule(
        "comma or colon of a number", r"(?<=\d)[,:](?=\d)", "1,000 at 10:30", "1,000 at 10:30"
    ),
    TokenRule("no width", rf"(?<=\w)[{NO_WIDTH}]++(?=\w)", "to\u200bgether", "to\u200bgether"),
    TokenRule("double colon", r"(?<=\w)::(?=\w)", "std::sort", "std::sort"),
    TokenRule("drive", r"(?<=[A-Za-z]):(?=\\)", r"C:\temp", r"C:\temp"),
    TokenRule(
        "brackets of a word, not of a number",
        r"""
        (?: (?<=[A-Za-z]) | (?<=[A-Za-z]\d) | (?<=[A-Za-z]\d\d) | (?<=\w-) )
        \( (?!\d{4}\)) [\w+.,;/:=-]{0,8} \)
        """,
        "friend(s) f(x) foo() CD4(+) 8(A)",
        "friend(s) f(x) foo() CD4(+) 8 ( A )",
    ),
    TokenRule(
        "a derivative",
        r"""
        (?: (?<=^[A-Za-z]) | (?<=[\s(=+*/-][A-Za-z]) )
        ['\u2019]{1,3} \( [A-Za-z0-9]{1,3} \)
        """,
        "f'(x)=g''(0), but 'f'(x)",
        "f'(x)=g''(0) , but ' f ' ( x )",
    ),
    TokenRule(
        "a power of ten",
        r"(?<=\b10)\(-\d{1,2}\) | (?: (?<=[x\xd7/]10) | (?<=[x\xd7][ ]10) ) \(\d{1,2}\)",
        "10(-7) M, 5 x 10(6), not Rule 10(5)",
        "10(-7) M , 5 x 10(6) , not Rule 10 ( 5 )",
    ),
    TokenRule("vitamin D", r"(?<=\d)\(OH\)(?=\d?D)", "1,25(OH)2D3", "1,25(OH)2D3"),
    TokenRule(
        "bands of a chromosome",
        r"(?<=\d\)) \( [pq]\d [\w.;-]{0,14} \)",
        "t(9;22)(q34;q11)",
        "t(9;22)(q34;q11)",
    ),
    TokenRule(
        "an ending in brackets, an index",
        r"(?<=\w) \[ [a-z]{1,8} \] (?: \[\w{1,8}\] )*+",
        "major[ities] a[i][0]",
        "major[ities] a[i][0]",
    ),
    TokenRule(
        "a beginning in round brackets",
        rf"""
        (?<![^{BLANK}"'\u201c\u2018(\[]) \( (?!{_ROMAN}\)) (?: [a-z]{{2,6}} | s ) \) (?=[a-z]{{2}})
        """,
        "(re)do (un)known (s)he, (a)the, (ii)the",
        "(re)do (un)known (s)he , ( a ) the , ( ii ) the",
    ),
    TokenRule("a beginning in brackets", r"\[ [\w+]{1,6} \] (?=[\w-])", "[w]hat", "[w]hat"),
    TokenRule("feet", r"(?<=[\dA-Z])['\u2019](?=-\w)", "a 6'-tall man", "a 6'-tall man"),
    TokenRule("percent", r"%(?=-[^\W\d])", "62%-owned, 5%", "62%-owned , 5 %"),
    TokenRule("asterisk", r"(?<=\w)\*++(?=\w)", "2*3", "2*3"),
)

# Whatever is left stands alone.
_OTHER = (TokenRule("any character", rf"[^{BLANK}]", "($5), so", "( $ 5 ) , so"),)

TOKEN_RULES: Mapping[Kind, Sequence[TokenRule]] = {
    "whole": _WHOLE,
    "smile": _SMILES,
    "mark": _MARKS,
    "elided": _ELIDED,
    "stop": _STOPS,
    "word": _PARTS,
    "other": _OTHER,
}


def alternatives(rules: Sequence[TokenRule]) -> str:
    """Return one pattern that matches what any of the rules matches, the first one first."""
    return " | ".join(rule.pattern for rule in rules)


def token_pattern(rules: Mapping[Kind, Sequence[TokenRule]]) -> re.Pattern[str]:
    """Compile all rules to one regular expression; the kind of a match is its ``lastgroup``."""
    groups = {kind: alternatives(of_kind) for kind, of_kind in rules.items()}
    groups["word"] = f"(?: {groups['word']} )++"
    return re.compile(
        " | ".join(f"(?P<{kind}> {group} )" for kind, group in groups.items()), re.VERBOSE
    )


# Faces of letters and marks, and pictures of any kind, for a verbose pattern.
EMOTICON = _PICTURE_RULES[0].pattern
PICTURE = alternatives(_PICTURE_RULES)


# A flag is two letters of its own, a key a digit in a frame.
WHOLE_EMOJI = r"[\U0001f1e6-\U0001f1ff]{2}|[0-9#*]\ufe0f?\u20e3"
# Behind a first character: how it is shown, the colour of skin, and what is joined to it.
EMOJI_GOES_ON = rf"[\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff]|\u200d(?:[^{BLANK}\w])?"


_TOKEN = token_pattern(TOKEN_RULES)
# No width, but part of the word they stand in: soft hyphen, joiners, variation selectors, tags.
_UNSEEN = r"\xad\u034f\u200c\u200d\u2060\ufe00-\ufe0f\U000e0000-\U000e0fff"
_UNSEEN_ONLY = re.compile(rf"[{_UNSEEN}]+")
_CLITIC = re.compile(rf"(?:n{APOSTROPHE}t|{APOSTROPHE}(?:s|re|ve|ll|d|m|em))\Z", re.IGNORECASE)
_LONGEST_CLITIC = 3
# Short for affirmed, reversed ...: the end is no clitic.
_NO_CLITIC = re.compile(
    rf"(?:aff|rev|cont|rec|recv|req|vac|abbrev|ack|dep|enf|mod|proc){APOSTROPHE}d", re.IGNORECASE
)
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
    "'tisn't": 2,
    "'twas": 2,
    "'twasn't": 2,
    "'twere": 2,
    "'twill": 2,
    "'twould": 2,
    "d'ye": 2,
    "more'n": 4,
}
# Contractions whose apostrophe was left out, where hardly another word is meant: not ``ill``, ``its``, ``were``.
_NO_APOSTROPHE = """
ai|nt are|nt ca|nt could|nt did|nt do|nt does|nt had|nt has|nt have|nt is|nt must|nt should|nt was|nt
were|nt wo|nt would|nt
i|m i|ve he|s she|s you|re you|ve you|ll they|re they|ve they|ll we|ve that|s there|s here|s what|s where|s who|s
"""
_FUSED |= {row.replace("|", ""): row.index("|") for row in _NO_APOSTROPHE.split()}
_SHORT_FORMS = frozenset(["IM", "IVE", "HES"])  # no contractions
_NAMES = frozenset(
    ["Im", "Ive", "Hes"]
)  # after another, ``Jony Ive``, or before one, ``Im Kwon-taek``
_NAME_AFTER = re.compile(r"\s[A-Z]")
_TO_AFTER = re.compile(r"\sto\b")  # she was wont to
# An hour: 7pm, 10:30AM. Not 5pM, which is a concentration.
_HOUR = re.compile(r"(?:0?[1-9]|1[0-2])(?:[:.][0-5]\d)?(?=(?:[ap]\.?m|[AP]\.?M)\Z)")
_GOES_ON = frozenset(",;:")
_APOSTROPHES = frozenset("'\u2019")
# They end in -in, and not for -ing.
_NO_DROPPED_G_WORDS = """
again bargain begin berlin brain britain bulletin cabin captain certain chain chin coin contain cousin
curtain darwin domain drain dublin entertain explain fountain gain grain grin in insulin join kevin latin login
main maintain margin martin mountain napkin obtain origin pain penguin pin plain plugin protein pumpkin rain
remain robin ruin sin skin spain spin stain strain sustain terrain tin train twin vein villain violin virgin
vitamin win within
"""
_NO_DROPPED_G = frozenset(_NO_DROPPED_G_WORDS.split())
_SINGLE_QUOTES = frozenset("'\u2018\u2019")
_TOKENS_OF_QUOTE = 60  # that a quotation in single marks has at most
_BESIDE_WORD = re.compile(r"[\w.,!?]")
_CLOSED_LATER = re.compile(
    r"[^'\u2018\u2019]{0,300}(?:\w['\u2019]\w[^'\u2018\u2019]{0,300}){0,9}(?<=[\w.,!?])['\u2019](?!\w)"
)
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")
_MORE = re.compile(r"[^\w.!?\u2026]*+[\w.!?\u2026]")  # the sentence does not end here
_REACH = 200  # of a bracket that is open
_ITEM_AFTER = re.compile(r"\s+[A-Z]")  # b. Remove the cover.
_FUSED_LONGEST = max(map(len, _FUSED))


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return ``(start, end)`` of every word of one sentence, in order and without overlap.

    No word is empty or holds a blank, and what lies between words is blank or without width.
    """
    if has_entities(text):
        plain, places = decode_entities(text)
        return list(spans_in_source(_plain_spans(plain), places))
    return _plain_spans(text)


def _plain_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the words of a text without entities."""
    spans: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        kind = match.lastgroup
        if kind == "word" or kind == "elided":
            _add_word(text, start, end, spans)
        elif kind == "stop" and _belongs_to_word(text, start, spans):
            spans[-1] = (spans[-1][0], end)
        elif _could_close(match) and _in_brackets(text, start):
            spans += [(start, end - 1), (end - 1, end)]
        elif end - start == 2 and match.group() == ".." and _abbreviated(text, start, spans):
            spans[-1] = (spans[-1][0], start + 1)
            spans.append((start + 1, end))
        else:
            spans.append((start, end))
    return spans


def _add_word(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    """Append a word, its clitics and a closing quotation mark apart."""
    if (
        text[end - 1] in _APOSTROPHES
        and text[start] not in _APOSTROPHES
        and (text[start : end - 1].lower() in _NO_DROPPED_G or _closes_quote(text, end - 1, spans))
    ):
        _add_word(text, start, end - 1, spans)
        spans.append((end - 1, end))
        return
    word = text[start:end]
    if word.isascii():
        if word.isalpha() and (
            len(word) > _FUSED_LONGEST
            or word.lower() not in _FUSED
            or _is_another(text, start, end, spans)
        ):
            spans.append((start, end))
            return
    elif _UNSEEN_ONLY.fullmatch(word):
        return
    cut = _FUSED.get(word.lower().translate(_STRAIGHT))
    if cut is None and (hour := _HOUR.match(word)):
        cut = hour.end()
    if cut is not None:
        spans.append((start, start + cut))
        _add_word(text, start + cut, end, spans)
        return
    clitics = []
    if _NO_CLITIC.fullmatch(word):
        spans.append((start, end))
        return
    while match := _CLITIC.search(text, max(start + 1, end - _LONGEST_CLITIC), end):
        clitics.append(match.span())
        end = match.start()
    spans.append((start, end))
    spans.extend(reversed(clitics))


def _closes_quote(text: str, place: int, spans: list[tuple[int, int]]) -> bool:
    """Return whether the apostrophe of ``goin'`` or ``ol'`` is a quotation mark: one was opened, and no other closes it."""
    for start, end in spans[: -_TOKENS_OF_QUOTE - 1 : -1]:
        if end - start == 1 and text[start] in _SINGLE_QUOTES:
            opens = text[start] == "\u2018" or (
                not _BESIDE_WORD.match(text, start - 1) and _BESIDE_WORD.match(text, end)
            )
            return bool(opens) and _CLOSED_LATER.match(text, place + 1) is None
    return False


def _is_another(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    """Return whether what is spelled like a contraction without its apostrophe is a name or another word."""
    word = text[start:end]
    if word in _NAMES:
        after_name = bool(spans) and text[spans[-1][0]].isupper()
        return after_name or _NAME_AFTER.match(text, end) is not None
    is_wont = word.lower() == "wont" and _TO_AFTER.match(text, end) is not None
    return is_wont or word in _SHORT_FORMS


def _could_close(match: re.Match[str]) -> bool:
    """Return whether the last character of a smiley may be a bracket's end: ``so:)``, ``so :))``."""
    return match.lastgroup == "smile" or (
        match.lastgroup == "whole" and match.group().endswith("))")
    )


def _in_brackets(text: str, place: int) -> bool:
    """Return whether a round bracket was opened a little before and not closed."""
    reach = max(0, place - _REACH)
    return text.rfind("(", reach, place) > text.rfind(")", reach, place)


def _abbreviated(text: str, dot: int, spans: list[tuple[int, int]]) -> bool:
    """Return whether the two periods from ``dot`` on are an abbreviation's and the sentence's."""
    if not spans or spans[-1][1] != dot:
        return False
    return period_at(text, spans[-1][0], dot) in (Period.MAYBE, Period.NEVER)


def _belongs_to_word(text: str, dot: int, spans: list[tuple[int, int]]) -> bool:
    """Return whether the period at ``dot`` is part of the word before it.

    The last period of a sentence is not, whatever the word (``Inc`` ``.``), except in ``U.S.``,
    to which the treebank gives its period even there.
    """
    if not spans or spans[-1][1] != dot:
        return False
    word = text[spans[-1][0] : dot]
    if len(spans) == len(word) == 1 and word.islower() and _ITEM_AFTER.match(text, dot + 1):
        return False
    following = text[dot + 1 : dot + 2]
    kind = period_at(text, spans[-1][0], dot)
    if kind is Period.STOP:
        return following in _GOES_ON and word.isalpha()
    if following in _CLOSING and text[spans[0][0]] not in _OPENING:
        return True  # (Detroit, Mich.)
    return word == "U.S" or _MORE.match(text, dot + 1) is not None
