"""benchmarks/languages/run_segmenters.py: a program's words, at their places in the text."""

from __future__ import annotations

from benchmarks.languages.detokenised import detokenised
from benchmarks.languages.run_segmenters import cut_like, sentence_of


def test_words_of_lengths_are_cut_from_the_text_as_it_is_written() -> None:
    assert cut_like("我們都 喜歡。", ["我们", "都", " ", "喜欢", "。"]) == [
        "我們",
        "都",
        "喜歡",
        "。",
    ]


def test_places_of_words_that_are_there_twice() -> None:
    text = detokenised(["看", "看", "書", "。"], "zh-Hant")
    sentence = sentence_of(text, ["看看", "書", "。"])
    assert sentence.offsets == ((0, 2), (2, 3), (3, 4))
    assert sentence_of(text, ["看", "看", "書。"]).offsets == ((0, 1), (1, 2), (2, 4))
