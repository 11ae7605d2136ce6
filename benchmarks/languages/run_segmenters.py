"""Words of Chinese and Japanese found by our network, beside those of programs that find words alone.

``python -m benchmarks.languages.run_segmenters TREEBANKS MODEL`` wants jieba, fugashi and unidic-lite
(``pip install '.[bench]'``). Each program's words are parsed by MODEL, so that both words and
constituents can be compared in the text's places: end to end. jieba knows simplified characters; its text
is read so, too. Development parts; ``--part test`` is for the end.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.languages.detokenised import Detokenised, detokenised
from benchmarks.languages.run_languages import gold_trees, raw_scores
from benchmarks.machine import now, processor
from bnaparser.parsing.parser import Parser
from bnaparser.text.rules.chinese_characters import to_simplified
from bnaparser.text.sentence import Sentence

Segment = Callable[[str], list[str]]


def jieba_words() -> Segment:
    import jieba

    jieba.setLogLevel("ERROR")
    return lambda text: cut_like(text, jieba.lcut(to_simplified(text)))


def mecab_words() -> Segment:
    import fugashi

    tagger = fugashi.Tagger()
    return lambda text: cut_like(text, [word.surface for word in tagger(text)])


PROGRAMS: dict[str, tuple[str, Callable[[], Segment]]] = {
    "zh-Hant": ("jieba", jieba_words),
    "ja": ("MeCab, UniDic", mecab_words),
}


def cut_like(text: str, words: list[str]) -> list[str]:
    """Cut a text where words of the same lengths end; blanks are left out."""
    found, place = [], 0
    for word in words:
        found.append(text[place : place + len(word)])
        place += len(word)
    return [word for word in found if word.strip()]


def sentence_of(text: Detokenised, words: list[str]) -> Sentence:
    """Make a sentence of a text and its words, with their places."""
    places, start = [], 0
    for word in words:
        start = text.text.index(word, start)
        places.append((start, start + len(word)))
        start += len(word)
    return Sentence(text.text, tuple(words), tuple(places))


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("treebanks", type=Path, metavar="TREEBANKS")
    options.add_argument("model", metavar="MODEL")
    options.add_argument("--part", choices=("dev", "test"), default="dev")
    given = options.parse_args()
    print(f"{now()} UTC, {processor()}; {given.part}\n")
    print("| | words by | sentences | words F1 | constituents F1 | whole | sentences/s |")
    print("|---|---|---|---|---|---|---|")
    for language, (name, load) in PROGRAMS.items():
        parser = Parser.load(given.model, "cpu", language=language)
        trees = gold_trees(given.treebanks, language, given.part)
        texts = [detokenised(tree.words, language) for tree in trees]
        segment = load()
        segment(texts[0].text)
        for title in ("this model", name):
            start = time.perf_counter()
            if title == name:
                sentences = [sentence_of(text, segment(text.text)) for text in texts]
            else:
                sentences = [parser.text.sentence(text.text) for text in texts]
            parses = parser.parse_sentences([replace(s, language=language) for s in sentences])
            seconds = time.perf_counter() - start
            scores = raw_scores(trees, texts, parses)
            cells = [f"{len(trees):,}", f"{float(scores.words):.2f}"]
            cells += [f"{float(scores.constituents):.2f}", f"{100 * scores.whole / len(trees):.1f}"]
            print(f"| {language} | {title} | {' | '.join(cells)} | {len(trees) / seconds:.0f} |")


if __name__ == "__main__":
    main()
