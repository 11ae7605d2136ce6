"""Indonesian as the ICON treebank writes it: hyphens apart, ``-nya`` apart where it stands for somebody.

``katanya`` is ``kata`` ``nya``, ``biasanya`` is one word: a network distinguishes them.
"""

from __future__ import annotations

import re

from bnaparser.text.rules.blank_separated import Spelling
from bnaparser.text.sentence import TextPiece
from bnaparser.trees.escapes import unescape

_CLITIC = re.compile(r"(?<=\w\w)nya\Z")
# The commonest words that are whole.
_WHOLE = frozenset([
    "hanya", "punya", "bertanya", "ditanya", "tanya", "misalnya", "biasanya", "lainnya", "sebelumnya",
    "akhirnya", "sebenarnya", "adanya", "antaranya", "umumnya", "seharusnya", "selanjutnya", "tampaknya",
    "sebabnya", "sebaliknya", "khususnya", "rupanya", "soalnya", "sebetulnya", "awalnya", "setidaknya",
    "semestinya", "agaknya", "sesungguhnya", "berikutnya", "anehnya", "sejatinya", "mestinya", "sepenuhnya",
    "mulanya", "sebagainya", "artinya", "tentunya", "nantinya", "selebihnya", "sayangnya",
])  # fmt: skip


def _cut(text: str, start: int, end: int) -> list[TextPiece]:
    word = text[start:end]
    match = _CLITIC.search(word)
    if match is None:
        return [TextPiece(start, end, word, sure=True)]
    cut = start + match.start()
    begins = word.lower() not in _WHOLE
    return [
        TextPiece(start, cut, text[start:cut], sure=True),
        TextPiece(cut, end, text[cut:end], begins, joint=""),
    ]


_ABBREVIATIONS = """
dr drs ir prof h hj k.h inc ltd tbk corp moh muh sdr st jl dkk dll dsb hlm Bpk PT kec kab jend kapt
yth nn ny tn jln gg kel ds dsn sdri alm almh ust Kol Letkol Brigjen Mayjen Letjen Lettu Serma
"""
_BEFORE_NUMBERS = """
no rt rw telp tel tlp tgl th thn Km pkl pk ps psl ay vol kav jan feb mar apr jun jul agt ags sep
sept okt nov des
"""

INDONESIAN = Spelling(
    frozenset(_ABBREVIATIONS.split()),
    _cut,
    before_numbers=frozenset(_BEFORE_NUMBERS.split()),
    before_names=frozenset({"mgr", "pol", "pte", "purn", "rp", "translit", "vit"}),
    hyphens=False,
    units=False,
    glued=lambda before, after: after == "nya" and before.isalpha(),
    written=unescape,
)
