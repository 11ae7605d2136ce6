"""What the user knows, on the page: markup in the text, brackets written by hand, errors at their sentence."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from bnaparser.errors import SentenceError
from bnaparser.parsing.markup import unmark
from bnaparser.trees.tree import Tree

if TYPE_CHECKING:
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
CAT = "The cat sat on the mat."
PATIENCE = 60_000  # milliseconds; a busy machine is no failure
OPENING = ["[NP ", "[* ", "[!* ", "[~\t", "[+2 ", "[-.5:NP|VP ", "[?NP ", "[=NN  "]
TEXT = [
    "\\[",
    "\\]",
    "\\\\",
    "a",
    "dog",
    " ",
    "  ",
    "é",
    "🐕",
    "\u00a0",
    "\ufeff",
    "\x1d",
    "\x85",
    "\u2028",
    "1",
]
PIECES = [*OPENING, *TEXT, "[+x ", "[?* ", "[", "]", "] ", "\\", "\n", "[NP"]


def known(page: Any, card: int = 0) -> Any:
    """The panel in which one says what one knows, opened."""
    article = page.locator("article").nth(card)
    article.get_by_role("button", name="Correct").click()
    return article.locator(".known")


def mark(panel: Any, first: int, last: int) -> None:
    words = panel.get_by_role("group", name="Words").get_by_role("button")
    words.nth(first).click()
    if last > first:
        words.nth(last).click()


def wait_for_text(page: Any, text: str) -> None:
    soon(page.locator("#text")).to_have_value(text, timeout=PATIENCE)
    soon(page.locator("#trees")).not_to_have_class(re.compile("stale"), timeout=PATIENCE)


def spans(page: Any, card: int = 0) -> set[tuple[str, int, int]]:
    """The constituents of a tree that is shown."""
    tree = Tree.parse(page.locator("article").nth(card).locator("pre").text_content())
    return {(label, one.start, one.end) for one in tree.spans() for label in one.label.split("::")}


def read_line(line: str) -> tuple[str, list[tuple[int, int]]]:
    """A line without its markup, and the places of its brackets; as it is where it is wrong."""
    try:
        plain, found = unmark(line)
    except SentenceError:
        return line, []
    return plain, [(one.start, one.end) for one in found]


def nested(chance: random.Random, depth: int) -> str:
    """A text with brackets in brackets, most of them closed."""
    parts = chance.choices(TEXT, k=chance.randrange(4))
    if depth:
        closing = chance.choices(["]", ""], [40, 1])[0]
        parts.append(chance.choice(OPENING) + nested(chance, depth - 1) + closing)
        parts.append(nested(chance, depth - 1) if chance.random() < 0.3 else "cat")
    return "".join(parts)


def test_markup_is_read_as_the_library_reads_it(visit: Visit) -> None:
    chance = random.Random(26)
    texts = ["".join(chance.choices(PIECES, k=chance.randrange(12))) for _ in range(2000)]
    texts += [nested(chance, 3) for _ in range(2000)]
    page = visit()
    found = page.evaluate(
        """async (texts) => {
          const { plain, readMarkup } = await import('/static/markup.js');
          return texts.map((text) => [plain(text),
            readMarkup(text).brackets.map(({ start, end }) => [start, end])]);
        }""",
        texts,
    )
    good = 0
    for text, (plain, brackets) in zip(texts, found, strict=True):
        expected, places = "", []
        for line in re.findall(r"[^\n]*\n|[^\n]+", text):
            stripped, inside = read_line(line)
            places += [[len(expected) + start, len(expected) + end] for start, end in inside]
            expected += stripped
        assert plain == expected, text
        assert brackets == places, text
        good += bool(places)
    assert good > 500


def test_brackets_are_written_taken_out_and_cut_out_as_they_nest(visit: Visit) -> None:
    page = visit()
    given = [
        ("the old man", 0, 7, "[NP the old] man"),
        ("[NP the old] man", 0, 11, "[NP [NP the old] man]"),
        ("[NP the old] man", 0, 7, "[NP [NP the old]] man"),
        ("[~ the old man]", 4, 11, "[~ the [NP old man]]"),
        ("[~ the old] man", 4, 11, "These words cross the bracket [~ …]: take that one out first."),
        (r"🐕 a\[b\]", 2, 6, r"🐕 [NP a\[b\]]"),
    ]
    written = page.evaluate(
        """async (given) => {
          const { withBracket } = await import('/static/markup.js');
          return given.map(([text, start, end]) => {
            try { return withBracket(text, 'NP', start, end); } catch (error) { return error.message; }
          });
        }""",
        [list(one[:3]) for one in given],
    )
    assert written == [one[3] for one in given]
    others = page.evaluate(
        """async () => {
          const { escaped, sliceOf, withoutBracket } = await import('/static/markup.js');
          return [withoutBracket('x [~ [NP the old]] man', 2, 9), escaped('[NP a] \\\\ b'),
            sliceOf('A. [~ [NP b c] d]. E.', 3, 9), sliceOf('[* A.] B.', 3, 5)];
        }"""
    )
    assert others == ["x [~ the old] man", r"\[NP a\] \\ b", "[~ [NP b c] d].", "B."]


def test_words_are_marked_and_said_to_be_a_constituent_or_none(visit: Visit) -> None:
    page = visit(CAT)
    panel = known(page)
    acts = [panel.get_by_role("button", name=name) for name in ("is a constituent", "is none")]
    assert all(act.is_disabled() for act in acts)
    mark(panel, 1, 3)
    assert "“cat sat on”" in panel.text_content()
    acts[0].click()
    wait_for_text(page, "The [* cat sat on] the mat.")
    assert any(span[1:] == (1, 4) for span in spans(page))
    assert page.get_by_label("Text holds markup").is_checked()
    page.go_back()
    wait_for_text(page, CAT)
    assert not page.get_by_label("Text holds markup").is_checked()
    best = next(one for one in sorted(spans(page)) if one[2] - one[1] < 7)
    panel = page.locator(".known") if page.locator(".known").is_visible() else known(page)
    mark(panel, best[1], best[2] - 1)
    panel.get_by_label("Label").fill(best[0])
    panel.get_by_role("button", name="is none").click()
    soon(page.locator("#text")).to_have_value(re.compile(rf"\[!{best[0]} "), timeout=PATIENCE)
    soon(page.locator("#trees")).not_to_have_class(re.compile("stale"), timeout=PATIENCE)
    assert best not in spans(page)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It rained. [NOPE Dogs bark]. It rained.", "the model knows no label 'NOPE'"),
    ],
)
def test_the_error_stands_at_its_sentence(visit: Visit, text: str, said: str | None) -> None:
    page = visit()
    page.get_by_label("Text holds markup").check()
    page.locator("#text").fill(text)
    soon(page.locator("article")).to_have_count(3, timeout=PATIENCE)
    soon(page.locator("svg.tree")).to_have_count(3 if said is None else 2, timeout=PATIENCE)
    if said is None:
        assert page.locator("article .error").count() == 0
        return
    error = page.locator("article:nth-child(2) .error").text_content()
    assert said in error
    assert error.startswith("No tree for this one: ")
