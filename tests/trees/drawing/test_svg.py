"""Trees drawn as SVG: what is in a drawing, and what is left out of it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from bnaparser.trees.render import draw, forest
from bnaparser.trees.tree import Tree
from tests.trees.render.drawings import CAT, SVG, texts


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


def test_a_part_of_a_tree_can_be_drawn() -> None:
    whole = Tree.parse(CAT)
    verb = whole.subtrees[0].subtrees[1]
    assert texts(draw(verb)) == ["VP", "VBD", "sat"]
    assert "sat" in forest(verb)
