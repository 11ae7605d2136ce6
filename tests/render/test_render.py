"""Drawn trees: well-formed whatever the words, nothing overlaps, nothing crosses, nothing recurses."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from collections import defaultdict
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.parsing.result import Parse
from bnaparser.render import HTML_END, HTML_START, draw, forest, html_section
from bnaparser.render.glossary import FUNCTIONS, PHRASES, TAGS, explain, family
from bnaparser.render.layout import LABEL_GAP, LABEL_HEIGHT, WORD_SIZE, arrange
from bnaparser.render.widths import text_width, visible
from bnaparser.trees.tree import Span, Tree

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


def random_tree(generator: random.Random, count: int) -> Tree:
    """A tree over ``count`` words, of any shape, with labels and words of very different widths."""
    nodes = [
        Tree(generator.choice(["NN", "VBD", "."]), ["w" * generator.randint(1, 12)])
        for _ in range(count)
    ]
    while len(nodes) > 1:
        start = generator.randrange(len(nodes))
        end = min(len(nodes), start + generator.randint(1, 4))
        label = generator.choice(["S", "NP", "WHADVP-VERY-LONG-LABEL"])
        if end - start > 1 or generator.random() < 0.3:
            nodes[start:end] = [Tree(label, nodes[start:end])]
    return nodes[0]


def test_a_small_tree_is_drawn_so() -> None:
    assert draw(Tree.parse("(TOP (S (NN a) (. .)))")) == (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" width="90.6" height="131"'
        ' viewBox="0 0 90.6 131"><title>a .</title><desc>(TOP (S (NN a) (. .)))</desc>'
        '<rect class="paper" width="90.6" height="131" fill="#ffffff"/>'
        '<g class="branches" fill="none" stroke="#b9b5aa" stroke-width="1.5"'
        ' stroke-linejoin="round"><path d="M49.2 38L34.6 68"/><path d="M49.2 38L63.8 68V84.5"/>'
        "</g><g font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue',"
        ' \'Noto Sans\', sans-serif" text-anchor="middle"><g font-size="13" font-weight="600">'
        '<g class="clause"><title>S: clause</title><rect x="36.2" y="16" width="26.0" height="22"'
        ' rx="6" fill="#edebf9"/><text x="49.2" y="31.5" fill="#4a3fa3">S</text></g></g>'
        '<g font-size="12"><g class="nominal"><title>NN: noun, singular or mass</title>'
        '<text x="34.6" y="83" fill="#125e93">NN</text></g></g></g><g class="words"'
        " text-anchor=\"middle\" font-family=\"Charter, 'Bitstream Charter', 'Sitka Text', Cambria,"
        ' \'Noto Serif\', Georgia, serif" font-size="17" fill="#1c1a17">'
        '<text x="34.6" y="107">a</text><text x="63.8" y="107">.</text></g></svg>'
    )


def test_labels_tags_and_words_are_all_there_in_order() -> None:
    assert texts(draw(Tree.parse(CAT))) == [
        "S", "NP", "VP", "DT", "NN", "VBD", "The", "cat", "sat", ".",
    ]  # fmt: skip


def test_title_and_description_say_what_is_drawn() -> None:
    root = ElementTree.fromstring(draw(Tree.parse(CAT)))
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{SVG}title") == "The cat sat ."
    assert root.findtext(f"{SVG}desc") == CAT
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert "NP: noun phrase" in titles
    assert "VBD: verb, past tense" in titles


def test_a_drawing_holds_all_that_it_needs() -> None:
    svg = draw(Tree.parse(CAT))
    assert "\n" not in svg
    names = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter()}
    assert names == {"svg", "title", "desc", "rect", "g", "path", "text"}
    assert not re.search(r"style=|href|url\(|@import|<script", svg)


@pytest.mark.parametrize(
    ("tree", "labels"),
    [
        ("(TOP (S (NN a)))", ["S", "NN"]),
        ("(TOP (NN a))", ["NN"]),
        ("(TOP (NN a) (NN b))", ["TOP", "NN", "NN"]),
        ("((S (NN a)))", ["S", "NN"]),
        ("((NN a) (NN b))", ["", "NN", "NN"]),
        ("(S (S (S (NN a))))", ["S", "S", "S", "NN"]),
    ],
)
def test_a_top_node_that_is_no_constituent_is_left_out(tree: str, labels: list[str]) -> None:
    assert [box.label for box in arrange(Tree.parse(tree)).boxes] == labels


def test_a_part_of_a_tree_can_be_drawn() -> None:
    whole = Tree.parse(CAT)
    verb = whole.subtrees[0].subtrees[1]
    assert texts(draw(verb)) == ["VP", "VBD", "sat"]
    assert "sat" in forest(verb)


@pytest.mark.parametrize("seed", range(20))
def test_nothing_overlaps_and_no_branch_crosses_a_label_or_a_branch(seed: int) -> None:
    layout = arrange(random_tree(random.Random(seed), 25))
    rows = defaultdict(list)
    for box in layout.boxes:
        rows[box.y].append(box)
        assert box.width / 2 <= box.x <= layout.width - box.width / 2
        if box.parent >= 0:
            assert layout.boxes[box.parent].y <= box.y - 52
    for row in rows.values():
        row.sort(key=lambda box: box.x)
        for left, right in pairwise(row):
            assert left.x + left.width / 2 <= right.x - right.width / 2 + 0.2
    leaves = [box for box in layout.boxes if box.word is not None]
    assert len({box.y for box in leaves}) == 1
    assert [box.x for box in leaves] == sorted(box.x for box in leaves)
    for child in layout.boxes[1:]:
        # The straight part of a branch: no other label may stand in its way.
        top = layout.boxes[child.parent].y + LABEL_HEIGHT / 2
        for box in layout.boxes:
            if box is not child and top < box.y < child.y:
                assert abs(box.x - child.x) >= (box.width - LABEL_GAP) / 2


def test_branches_that_reach_far_have_higher_rows() -> None:
    wide = Tree.parse("(S " + "(NN word) " * 40 + ")")
    near, far = arrange(Tree.parse("(S (NN a) (NN b))")), arrange(wide)
    assert near.boxes[1].y - near.boxes[0].y == 53
    assert far.boxes[1].y - far.boxes[0].y == 100


def test_a_sentence_written_from_right_to_left_is_drawn_so() -> None:
    for tree, first_is_left in (("(S (NN שלום) (NN עולם))", False), ("(S (NN a) (NN b))", True)):
        _, first, second = arrange(Tree.parse(tree)).boxes
        assert (first.x < second.x) is first_is_left


def test_widths_follow_the_script() -> None:
    assert text_width("", WORD_SIZE) == 0
    assert text_width("m", 100) > 2 * text_width("i", 100)
    assert text_width("猫猫", 100) >= 200
    assert text_width("😀", 100) >= 125
    assert text_width("e\u0301", 100) == text_width("e", 100) == text_width("é", 100)
    assert text_width("a\u200d", 100) == text_width("a", 100)
    assert text_width("Щ", 100) > text_width("щ", 100)


def test_characters_that_xml_forbids_are_shown() -> None:
    assert visible("a\x00\x07\x7f\x9f\ud83d\uffffb") == "a\u2400\u2407\u2421\ufffd\ufffd\ufffdb"
    assert visible("é猫👩‍👧\u202e") == "é猫👩‍👧\u202e"


@given(st.lists(words, min_size=1, max_size=5))
def test_any_words_give_well_formed_documents_that_show_them(given_words: list[str]) -> None:
    tags = ["XX"] * len(given_words)
    tree = Tree.from_spans(given_words, tags, [Span(0, len(given_words), "S")])
    svg = draw(tree)
    svg.encode("utf-8")
    assert texts(svg)[-len(given_words) :] == [visible(word) for word in given_words]
    assert forest_words(forest(tree)) == [visible(word) for word in given_words]


def test_other_words_can_be_shown_than_the_tree_has() -> None:
    tree = Tree.parse("(TOP (S (-LRB- -LRB-) (NN x)))")
    assert texts(draw(tree, ["(", "x"]))[-2:] == ["(", "x"]
    assert forest_words(forest(tree, ["(", "x"])) == ["(", "x"]


@pytest.mark.parametrize(
    "brackets",
    ["(S (NN a) " * 1000 + "(NN x)" + ")" * 1000, "(S " + "(NP (NN word)) " * 2000 + ")"],
    ids=["1000 levels", "2000 words"],
)
def test_large_trees(brackets: str) -> None:
    tree = Tree.parse(brackets)
    assert texts(draw(tree))[-1] == tree.words[-1]
    assert forest_words(forest(tree)) == list(tree.words)
    assert len(forest(tree)) < 500_000
    assert tree.words[-1] in html_section("", tree)


# --- HTML


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


def test_a_page_holds_each_tree_its_brackets_and_each_error() -> None:
    tree = Tree.parse(CAT)
    sections = [
        html_section("The cat sat.", tree),
        html_section("<b>&", Tree.parse("(TOP (NN <b>&))")),
        html_section("", None, error="the sentence has no words"),
    ]
    page = HTML_START + "".join(sections) + HTML_END
    read = HtmlReader(page)
    assert read.open == []
    assert (read.count["section"], read.count["svg"], read.count["b"]) == (3, 2, 0)
    assert read.text["h2"] == ["The cat sat.", "<b>&"]
    assert read.text["pre"] == [CAT, "(TOP (NN <b>&))"]
    assert read.text["p"] == ["the sentence has no words"]
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


# --- LaTeX


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


def test_forest_is_written_so() -> None:
    tree = Tree.parse(
        "(TOP (S (NP (DT The) (NN 50%)) (VP (VBD rose) (PP (IN to) (NP ($ $)))) (. .)))"
    )
    assert forest(tree) == (
        "\\begin{forest}\n"
        "  for tree={if n children=0{tier=word}{}}\n"
        "  [S\n"
        "    [NP [DT [The]] [NN [{50\\%}]]]\n"
        "    [VP\n"
        "      [VBD [rose]]\n"
        "      [PP\n"
        "        [IN [to]]\n"
        "        [NP [{\\$} [{\\$}]]]]]\n"
        "    [{.} [{.}]]]\n"
        "\\end{forest}\n"
    )


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("a_b", r"{a\_b}"),
        ("{[]}", r"{\{[]\}}"),
        ("x,y=z", "{x,y=z}"),
        ("\\", r"{\textbackslash{}}"),
        ("~^", r"{\textasciitilde{}\textasciicircum{}}"),
        ("---", "{-{}-{}-}"),
        ("''", "{'{}'}"),
        ("``", r"{\textasciigrave{}\textasciigrave{}}"),
        ("<>|", r"{\textless{}\textgreater{}\textbar{}}"),
        ("\x07", "{\u2407}"),
        ("naïve", "{naïve}"),
    ],
)
def test_what_tex_would_take_for_something_else(word: str, written: str) -> None:
    assert forest(Tree("NN", [word])).splitlines()[2] == f"  [NN [{written}]]"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_latex_compiles(tmp_path: Path) -> None:
    found = subprocess.run(["kpsewhich", "forest.sty"], capture_output=True, check=False)
    if found.returncode:
        pytest.skip("no forest package here")
    odd = [word for word in ODD if word.isascii() and word.isprintable()]
    tree = Tree.from_spans(odd, ["XX"] * len(odd), [Span(0, len(odd), "S")])
    document = "\\documentclass{standalone}\n\\usepackage{forest}\n\\begin{document}\n"
    (tmp_path / "t.tex").write_text(
        f"{document}{forest(tree)}\\end{{document}}\n", encoding="utf-8"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "t.pdf").stat().st_size > 1000


# --- labels in plain words


def test_every_label_of_the_english_model_is_explained() -> None:
    folder = Path(__file__).parents[2] / "models" / "en"
    known = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    parts = {part for label in known["labels"] for part in label.split("::") if part}
    assert [label for label in parts if not explain(label)] == []
    assert [tag for tag in known["tags"] if not explain(tag, is_tag=True)] == []


def test_function_tags_are_explained_too() -> None:
    assert explain("NP-SBJ-1") == "noun phrase, subject"
    assert explain("PP-LOC-CLR=2") == "prepositional phrase, place, closely related to its verb"
    assert explain("-LRB-", is_tag=True) == "opening bracket"
    assert explain("PRP$", is_tag=True) == "possessive pronoun"
    assert explain("XYZ") == explain("XYZ", is_tag=True) == explain("") == ""
    assert (family("NP-SBJ"), family("VBD", is_tag=True), family("??")) == (
        "nominal", "verbal", "other",
    )  # fmt: skip


def test_the_glossary_is_in_order() -> None:
    for known in (PHRASES, FUNCTIONS):
        assert list(known) == sorted(known)
    families = {"clause", "nominal", "verbal", "prepositional", "modifier", "other"}
    assert {kind for kind, _ in (*PHRASES.values(), *TAGS.values())} == families


# --- from a Parse

PARSE = Parse(
    "It (fell).",
    ("It", "(", "fell", ")", "."),
    ("PRP", "-LRB-", "VBD", "-RRB-", "."),
    (Span(0, 5, "S"), Span(0, 1, "NP"), Span(1, 4, "PRN::VP")),
)


def test_a_parse_shows_its_words_as_they_stood() -> None:
    svg = PARSE.to_svg()
    assert svg is not None
    assert texts(svg)[-5:] == ["It", "(", "fell", ")", "."]
    assert texts(svg)[:4] == ["S", "NP", "PRN", "VP"]
    assert PARSE._repr_svg_() == svg
    assert svg in PARSE.to_html()
    assert HtmlReader(PARSE.to_html()).text["h2"] == ["It (fell)."]
    assert forest_words(PARSE.to_latex() or "") == ["It", "(", "fell", ")", "."]


def test_a_parse_without_a_tree_has_no_drawing() -> None:
    failed = Parse("", error="the sentence has no words")
    assert failed.to_svg() is failed.to_latex() is failed._repr_svg_() is None
    assert HtmlReader(failed.to_html()).text["p"] == ["the sentence has no words"]
