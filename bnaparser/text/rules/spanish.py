"""Spanish as CESS-ESP writes it: ``sin_embargo`` and ``José_María_Aznar`` are one word, ``del`` is one."""

from __future__ import annotations

from bnaparser.text.rules.blank_separated import Spelling, uncut

SPANISH = Spelling(
    frozenset(
        [
            "sr",
            "sra",
            "srta",
            "sres",
            "sras",
            "dr",
            "dra",
            "d",
            "dña",
            "ud",
            "uds",
            "vd",
            "vds",
            "prof",
            "ing",
            "lic",
            "arq",
            "gral",
            "cnel",
            "cap",
            "sto",
            "sta",
            "av",
            "avda",
            "núm",
            "nº",
            "pág",
            "págs",
            "vol",
            "cap",
            "art",
            "fig",
            "tel",
            "ej",
            "etc",
            "aprox",
            "ee",
            "uu",
            "jj",
            "oo",
            "p",
            "pp",
            "ss",
            "st",
        ]
    ),
    uncut,
)
