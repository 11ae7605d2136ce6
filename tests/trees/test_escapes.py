"""Words as an encoder reads them: escapes of trees and of HTML undone, nothing without width."""

from __future__ import annotations

import pytest

from bnaparser.trees.escapes import penn_words, unescape


@pytest.mark.parametrize(
    ("word", "read"),
    [
        ("-LRB-", "("),
        ("CD4-LRB-+-RRB-", "CD4(+)"),
        ("1\\/2", "1/2"),
        ("\\*", "*"),
        ("``", '"'),
        ("''", '"'),
        ("&amp;", "&"),
        ("AT&amp;T", "AT&T"),
        ("n&#39;t", "n't"),
        ("&#x2019;s", "\u2019s"),
        ("&lt;b&gt;", "<b>"),
        ("&amp;lt;", "&lt;"),  # once only
        ("R&D;", "R&D;"),  # no such entity
        ("&copy", "&copy"),  # no semicolon
        ("AT&T", "AT&T"),
        ("co\xadop", "coop"),
        ("to\u200bge\u200eth\ufeffer", "together"),
        ("join\u200der", "joiner"),
        ("\xad", "\xad"),  # there is nothing else
        ("a\ud800b", "a\ufffdb"),
        ("\udc80", "\ufffd"),
        ("\u0645\u06cc\u200c\u0631\u0648\u062f", "\u0645\u06cc\u200c\u0631\u0648\u062f"),
        ("\U0001f469\u200d\U0001f469", "\U0001f469\u200d\U0001f469"),
    ],
)
def test_unescape(word: str, read: str) -> None:
    assert unescape(word) == read


@pytest.mark.parametrize(
    ("typed", "tags", "spelled"),
    [
        ("1/2 * A*B x/y/z", "CD SYM NN NN", r"1\/2 \* A\*B x\/y\/z"),
        (r"1\/2 \*", "CD SYM", r"1\/2 \*"),
        ("( x ) [ y ] { z } f(x)", "-LRB- X -RRB- X X X X X X X",
         "-LRB- x -RRB- -LSB- y -RSB- -LCB- z -RCB- f-LRB-x-RRB-"),
        ('" a " b " c "', "`` X '' X `` X ''", "`` a '' b `` c ''"),
        ('" a " b " c "', "X X X X X X X", "`` a '' b `` c ''"),
        ("\u201c a \u2018 b \u2019 \u201d", "`` X `` X '' ''", "`` a ` b ' ''"),
        ("\u201c a \u201d \"", "'' X `` ``", "`` a '' ``"),
        ("5 \" \" a \"", "CD NNS X X X", "5 '' `` a ''"),
        ("`` a ''", "`` X ''", "`` a ''"),
        ("the boys ' cats ' ' 's", "DT NNS POS NNS '' `` POS", "the boys ' cats ' ` 's"),
        ("don\u2019t \u2014 caf\u00e9", "X : X", "don\u2019t \u2014 caf\u00e9"),
    ],
)  # fmt: skip
def test_words_as_the_penn_treebank_spells_them(typed: str, tags: str, spelled: str) -> None:
    assert penn_words(typed.split(), tags.split()) == spelled.split()
