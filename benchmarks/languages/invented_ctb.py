"""An invented release of the Chinese Treebank 5.1, laid out as the LDC's is, of its size.

Sentences are drawn from a small grammar with the treebank's labels, tags, empty elements, functions
and mark-up; words are invented of common characters, so that no word tells its tag by its shape. It
says nothing of accuracy: it shows that reading, training, finding words and scoring go through.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ARTICLES = (*range(1, 326), *range(400, 455), *range(500, 555), *range(590, 597), *range(600, 886))
ARTICLES += (*range(900, 932), *range(1001, 1152))
"""The numbers of the articles that the release has, 890 files less those it lacks."""
SENTENCES = 18_782
"""Sentences of the release."""

_CHARACTERS = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经"
    "十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形"
)
# How many words have a tag, and how many characters they have.
_TAGS = {
    "NN": (900, (2, 2, 2, 3)), "NR": (300, (2, 3, 3)), "NT": (40, (2, 3)), "VV": (500, (1, 2, 2)),
    "VA": (60, (1, 2)), "AD": (80, (1, 2)), "JJ": (80, (1, 2)), "P": (20, (1,)), "M": (30, (1,)),
    "CD": (40, (1, 2)), "LC": (12, (1, 2)), "CC": (6, (1,)), "VC": (1, (1,)), "DEC": (1, (1,)),
    "DEG": (1, (1,)), "AS": (3, (1,)),
}  # fmt: skip


@dataclass
class _Grammar:
    generator: np.random.Generator
    words: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for tag, (count, lengths) in _TAGS.items():
            found: dict[str, None] = {}
            while len(found) < count:
                size = self.generator.choice(lengths)
                found["".join(self.generator.choice(list(_CHARACTERS), size))] = None
            self.words[tag] = list(found)

    def word(self, tag: str) -> str:
        known = self.words[tag]
        # As in text, few words are most of it.
        place = int(len(known) * self.generator.random() ** 2)
        return f"({tag} {known[place]})"

    def chance(self, share: float) -> bool:
        return bool(self.generator.random() < share)

    def noun_phrase(self, depth: int, function: str = "") -> str:
        head = f"(NP {self.word('NN')} {self.word('NN')})" if self.chance(0.3) else self.word("NN")
        if self.chance(0.2):
            return f"(NP-PN{function} {self.word('NR')})"
        before = ""
        if self.chance(0.2):
            before += f"(QP {self.word('CD')} (CLP {self.word('M')})) "
        if depth and self.chance(0.3):
            before += f"(DNP {self.noun_phrase(depth - 1)} {self.word('DEG')}) "
        elif depth and self.chance(0.2):
            clause = f"(IP (NP-SBJ (-NONE- *T*-1)) {self.verb_phrase(depth - 1)})"
            before += f"(CP (WHNP-1 (-NONE- *OP*)) (CP {clause} {self.word('DEC')})) "
        if self.chance(0.15):
            before += f"(ADJP {self.word('JJ')}) "
        inner = head if head.startswith("(NP") or not before else f"(NP {head})"
        return f"(NP{function} {before}{inner})"

    def verb_phrase(self, depth: int) -> str:
        before = f"(ADVP {self.word('AD')}) " if self.chance(0.4) else ""
        if depth and self.chance(0.4):
            before += f"(PP {self.word('P')} {self.noun_phrase(depth - 1)}) "
        if self.chance(0.1):
            return f"(VP {before}(VP {self.word('VA')}))"
        aspect = f" {self.word('AS')}" if self.chance(0.2) else ""
        if depth and self.chance(0.2):
            inside = f"(IP-OBJ (NP-SBJ (-NONE- *PRO*)) {self.verb_phrase(depth - 1)})"
            return f"(VP {before}(VP {self.word('VV')}{aspect} {inside}))"
        return f"(VP {before}(VP {self.word('VV')}{aspect} {self.noun_phrase(depth, '-OBJ')}))"

    def clause(self, depth: int) -> str:
        time = f"(NP-TMP {self.word('NT')}) " if self.chance(0.25) else ""
        subject = self.noun_phrase(depth, "-SBJ")
        if self.chance(0.1):
            subject = "(NP-SBJ (-NONE- *pro*))"
        return f"(IP {time}{subject} {self.verb_phrase(depth)})"

    def sentence(self) -> str:
        count = 1 + int(self.generator.integers(3))
        comma = "\uff0c"  # in full width, as the treebank has it
        clauses = f" (PU {comma}) ".join(self.clause(2) for _ in range(count))
        if count == 1:
            return f"( {clauses[:-1]} (PU 。)) )"
        return f"( (IP {clauses} (PU 。)) )"


def write_release(
    folder: Path,
    articles: Iterable[int] = ARTICLES,
    sentences: int = SENTENCES,
    seed: int = 1,
    encoding: str = "gb18030",
) -> None:
    """Write a release with so many sentences in all, spread over its articles, into a folder."""
    grammar = _Grammar(np.random.default_rng(seed))
    numbers = list(articles)
    bracketed = folder / "ctb5.1_507K" / "data" / "bracketed"
    bracketed.mkdir(parents=True, exist_ok=True)
    for place, number in enumerate(numbers):
        count = sentences * (place + 1) // len(numbers) - sentences * place // len(numbers)
        marked = "".join(
            f"<S ID={index}>\n{grammar.sentence()}\n</S>\n" for index in range(1, count + 1)
        )
        text = (
            f"<DOC>\n<DOCID> CTB{number:04} </DOCID>\n<HEADER>\n<DATE> 94-09-28 </DATE>\n</HEADER>\n"
            f"<BODY>\n<TEXT>\n<P>\n{marked}</P>\n</TEXT>\n</BODY>\n</DOC>\n"
        )
        file = bracketed / f"chtb_{number:03}.fid"
        file.write_bytes(text.encode(encoding))
