"""What the tests of drawn trees share: trees, odd words, and readers of what was drawn."""

from __future__ import annotations

import re
from collections import defaultdict
from html.parser import HTMLParser
from xml.etree import ElementTree

from hypothesis import strategies as st

SVG = "{http://www.w3.org/2000/svg}"
CAT = "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat)) (. .)))"
# What Tree takes as a word, and XML, HTML, LaTeX or a drawing may choke on.
ODD = [
    "&amp;",
    "<b>",
    "]]>",
    '"',
    "'",
    "\x07",
    "\x00",
    "\x7f",
    "\x9f",
    "\ufffe",
    "\ud83d",
    "%#$_^~\\",
]
ODD += [
    "{}",
    "[x]",
    "a,b=c",
    "--",
    "---",
    "``",
    "''",
    "?`",
    "שלום",
    "مرحبا",
    "猫が好き",
    "👩‍👩‍👧‍👦",
    "e\u0301",
]
words = st.one_of(
    st.sampled_from(ODD),
    st.text(st.characters(), min_size=1, max_size=8).filter(
        lambda word: not any(c.isspace() or c in "()" for c in word)
    ),
)


def texts(svg: str) -> list[str]:
    """The texts that an independent reader finds drawn, words and labels."""
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def forest_words(code: str) -> list[str]:
    """Read the words back from a forest environment: the innermost brackets' contents."""
    body = code.split("{}}\n", 1)[1].rsplit("\\end{forest}", 1)[0]
    plain = {
        r"\textbackslash{}": "\\", r"\textasciicircum{}": "^", r"\textasciitilde{}": "~",
        r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"\char34{}": '"',
        r"\textasciigrave{}": "`", **{f"\\{c}": c for c in "{}$&#%_"}, "{}": "",
    }  # fmt: skip
    token = re.compile(r"\\text\w+\{\}|\\char34\{\}|\\[{}$&#%_]|\{\}|.", re.DOTALL)
    found, text, depth, leaf = [], "", 0, False
    for part in token.findall(body):
        if part == "{":
            depth += 1
        elif part == "}":
            depth -= 1
        elif part == "[" and depth == 0:
            text, leaf = "", True
        elif part == "]" and depth == 0:
            if leaf:
                found.append(text)
            text, leaf = "", False
        elif depth or not part.isspace():
            text += plain.get(part, part)
    assert depth == 0
    return found


class HtmlReader(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self, page: str):
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = defaultdict(int)
        self.text: dict[str, list[str]] = defaultdict(list)
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] += 1
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.text[self.open[-1]].append(data)
