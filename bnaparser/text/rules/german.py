"""German as TIGER and the Potsdam Commentary Corpus write it: ``3.`` before ``Oktober``, ``Ein-`` before ``und``, ``z.`` ``B.``

``zum`` and ``im`` are one word each, ``geht's`` is two. A network may join ``40 000``.
"""

from __future__ import annotations

import re

from bnaparser.text.rules.blank_separated import Spelling
from bnaparser.text.sentence import TextPiece

_WORDS_BEFORE_ES = """
geht gibt ist hat wird war wie wenn ob was wer wo so kommt macht tut sei wäre hab habt hatte kann muss soll will mag
darf da weil dass steht heißt läuft klappt reicht stimmt fehlt liegt sieht hört ich du er wir ihr man warum gab ging kam
"""
_BEFORE_ES = frozenset(_WORDS_BEFORE_ES.split())
"""Words that begin a sentence with ``'s`` for ``es``."""
_SHORT_ES = re.compile(r"['’]s\Z")


def _cut(text: str, start: int, end: int) -> list[TextPiece]:
    """Cut ``'s`` for ``es`` off, but not that of a name: ``geht's``, ``Meier's``."""
    match = _SHORT_ES.search(text[start:end])
    is_name = match is not None and text[start].isupper()
    if match is not None and not any(sign.isalnum() for sign in text[:start]):
        is_name = text[start : start + match.start()].lower() not in _BEFORE_ES
    if match is None or is_name or match.start() < 2:
        return [TextPiece(start, end, text[start:end])]
    cut = start + match.start()
    return [
        TextPiece(start, cut, text[start:cut]),
        TextPiece(cut, end, text[cut:end], joint=""),
    ]


_ABBREVIATIONS = """
z B d h u a i e s v n o g m E evtl ggf bzw bspw sog usw usf etc ca zzgl inkl exkl vgl Dr Prof Hr Fr Frl St
Str Mio Mrd Tsd Co Dipl Ing Inh geb gest verh ehem dt engl frz lat bes insbes allg entspr max min Min Std
Okt Nov Dez Feb Apr Aug Sept Sep Hl Hrsg hrsg Bd Bde Anm Aufl Jh Jhd Jhdt Chr ff Kfm Ltg Pfr Rep Sr Jr
gegr Gebr Jg Abt Az einschl gem jährl tgl lt wg MwSt österr schweiz amerik russ griech urspr Mag
rd röm kath ev evang jun sen zit Red Abb Tab Verf Vors stellv zw
"""
_BEFORE_NUMBERS = (
    "Nr S Abs Kap Art Jan Tel Mrz Jun Jul Ziff Az Zi Fn Rn Rdnr Pos lfd Vers Bl § §§ Paragr no"
)
# Words that begin a sentence after a number, where nouns would be capitals, too: ``Platz 3. Die``.
_STARTERS = """
Der Die Das Den Dem Des Ein Eine Einen Einem Einer Er Sie Es Ich Wir Ihr Man Mit Von Vom In Im Am An Auf Aus Bei
Beim Zu Zum Zur Für Nach Vor Über Unter Und Aber Oder Denn Doch Wenn Als Weil Dass Daß Ob Wie Was Wer Wo Warum Dort
Da Dann Danach Damit Dabei Dafür Daher Deshalb Hier Heute Jetzt Nun Noch Nur Auch So Diese Dieser Dieses
Diesen Diesem Jeder Jede Alle Viele Seit Seine Sein Ihre Kein Keine Nicht Während Obwohl Zudem Allerdings Sogar
Bis Um Durch Gegen Ohne Trotz Wegen Immer Schon Ist Hat Sind War
"""

GERMAN = Spelling(
    frozenset(_ABBREVIATIONS.split()),
    _cut,
    before_numbers=frozenset(_BEFORE_NUMBERS.split()),
    ordinals=True,
    ordinal_words=True,
    open_hyphens=True,
    compounds=True,
    starters=frozenset(_STARTERS.split()),
)
