"""Are a treebank's words what its text is read as? By rules alone, and if a network made no mistake.

``python -m benchmarks.languages.round_trip TREEBANKS`` takes the folder of the treebanks. The words of
the development part become text (`detokenised`), and the text is read again. Columns: sentences;
whose words are the treebank's where each piece is given the right answer; by the rules' own guess;
that are found as one sentence; whose language is guessed right among all nine, and wrong (the others
tell too little).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.languages.detokenised import detokenised
from bnaparser.text.language_guess import detect_language
from bnaparser.text.sentence import join_pieces
from bnaparser.text.splitting import read_sentences
from bnaparser.text.text_rules import match_language, rules_of
from bnaparser.treebanks.reading import load_trees

TREEBANKS = {
    "de": "de_pcc",
    "es": "es_cess",
    "fr": "fr_sequoia",
    "id": "id_icon",
    "is": "is_icepahc",
    "ja": "ja_keyaki",
    "pt": "pt_floresta",
    "zh-Hant": "zh_sinica",
}
"""By the code of a language, the folder of its treebank."""


def round_trip(sentences: Sequence[Sequence[str]], language: str) -> list[float]:
    """Return the shares, in percent, in the order of the columns, from the second one on."""
    rules = rules_of(language)
    assert rules.cut_words is not None
    right = by_rules = single = guessed = wrong = 0
    for words in sentences:
        text, plain, _ = detokenised(words, language)
        read, cut = rules.sentence(text), rules.cut_words(words)
        if cut is not None and cut.forms == [piece.form for piece in read.pieces]:
            found = join_pieces(read.text, read.pieces, cut.begins)
            right += [word.form for word in found] == plain
        by_rules += [word.form for word in join_pieces(read.text, read.pieces)] == plain
        single += len(read_sentences(text, "paragraph", rules)) == 1
        told = detect_language(text, [*TREEBANKS, "en"])
        mine = told is not None and match_language(told, [language]) is not None
        guessed, wrong = guessed + mine, wrong + (told is not None and not mine)
    return [100 * count / len(sentences) for count in (right, by_rules, single, guessed, wrong)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("treebanks", type=Path, metavar="TREEBANKS")
    options = parser.parse_args()
    print("| | sentences | right parts | rules alone | one sentence | language right | wrong |")
    print("|---|---|---|---|---|---|---|")
    for language, name in TREEBANKS.items():
        trees = load_trees(options.treebanks / name / "dev.txt.xz")
        shares = round_trip([tree.words for tree in trees], language)
        cells = " | ".join(f"{share:.1f}" for share in shares)
        print(f"| {language} | {len(trees):,} | {cells} |")


if __name__ == "__main__":
    main()
