"""Spanish as CESS-ESP writes it: ``sin_embargo`` and ``José_María_Aznar`` are one word, ``del`` is one."""

from __future__ import annotations

from bnaparser.text.rules.blank_separated import Spelling, uncut

_ABBREVIATIONS = """
sr sra srta sres sras dr dra d dña ud uds vd vds prof ing lic arq gral cnel cap sto sta av avda núm
nº pág págs vol art fig tel ej etc aprox ee uu jj oo p pp ss st excmo excma ilmo ilma mons dpto Ed
Fr tte pdte pdta vpdte ntra ntro hno hna hnos hnas rvdo rvda cía pza ctra tfno depto secr adm admón
edo sdad Bs
"""
_BEFORE_NUMBERS = """
s No nro Km arts núms t ts lám c cap caps vols figs pág págs fol fols v vv cf op ed edic párr inc
tít secc apdo cód telf ene feb abr may jun jul ago sept oct nov dic
"""

SPANISH = Spelling(
    frozenset(_ABBREVIATIONS.split()),
    uncut,
    before_numbers=frozenset(_BEFORE_NUMBERS.split()),
)
