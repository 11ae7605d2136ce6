"""Words as an encoder reads them: escapes of trees and of HTML undone, nothing without width."""

from __future__ import annotations

import pytest

from bnaparser.trees.escapes import unescape


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
