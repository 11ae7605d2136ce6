"""What the page shows of a classifier's answers, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.server.conftest import Serving
    from tests.server.page.conftest import Visit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
TEXT = "Mira sang. The dog fell."
FOUND = {"text": "Mira", "start": 0, "end": 4, "probability": 0.97}


@pytest.fixture
def address(serving: Serving, classifier: Any) -> Iterator[str]:
    with serving(classifier.parser, classifier, max_words=30) as address:
        yield f"{address}/"


def verdict(page: Any) -> Any:
    found = page.locator("#verdict")
    soon(found).to_be_visible()
    return found


def test_label_and_probabilities_stand_above_the_trees(visit: Visit) -> None:
    page = visit(TEXT)
    outline = verdict(page).aria_snapshot()
    for part in (
        'region "What held says"',
        "paragraph: positive",
        'list "Probabilities"',
        "listitem: positive 75.0 %",
        "listitem: negative 25.0 %",
    ):
        assert part in outline
    assert outline.index("positive 75.0") < outline.index("negative 25.0")
    assert page.get_by_role("status").text_content().startswith("positive; 2 trees, 7 words, ")
    places = [page.locator(one).bounding_box()["y"] for one in ("#verdict", "article >> nth=0")]
    assert places == sorted(places)
    page.locator("#text").fill("")
    soon(page.locator("#verdict")).to_be_hidden()


def test_without_a_classifier_nothing_is_shown(visit: Visit, serving: Serving, parser: Any) -> None:
    with serving(parser) as address:
        visit.address = f"{address}/"
        page = visit(TEXT)
        page.wait_for_load_state("networkidle")
        assert page.locator("#verdict").is_hidden()
        assert not any(url.endswith("/v1/classify") for url in visit.asked)


def test_the_trees_do_not_wait_for_the_classifier(visit: Visit) -> None:
    page = visit()
    held = []
    page.route("**/v1/classify", lambda route: held.append(route))
    with page.expect_request("**/v1/classify"):
        page.locator("#text").fill(TEXT)
    page.wait_for_selector("svg.tree")
    assert page.locator("#verdict").is_hidden()
    held[0].continue_()
    verdict(page)


def test_a_classifier_that_fails_says_so_and_the_trees_are_there(visit: Visit) -> None:
    visit.expected = "500"
    page = visit("CRASH")
    assert "The classifier broke down" in verdict(page).locator(".error").text_content()
    assert page.locator("svg.tree").count() == 1
    assert page.get_by_role("alert").is_hidden()


def test_a_pair_is_written_on_two_lines(visit: Visit, classifier: Any, monkeypatch: Any) -> None:
    from bnaparser.tasks.classifier import ReadText
    from bnaparser.text.splitting import split

    asked = []

    def read(text: Any) -> ReadText:
        asked.append(text)
        return ReadText(text[0], [split(text[0])])

    classifier.model.settings = SimpleNamespace(
        task=SimpleNamespace(pair=True, kind="classification", language="en")
    )
    monkeypatch.setattr(classifier, "read", read)
    page = visit("Mira sang.")
    assert "each on a line of its own" in verdict(page).locator(".error").text_content()
    page.locator("#text").fill("Mira sang.\nThe dog fell.\n")
    soon(page.locator(".label-said")).to_have_text("positive")
    by_page = [text for text in asked if isinstance(text, list)]  # the start reads a tuple
    assert by_page == [["Mira sang.", "The dog fell."]]


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ({"score": 3.14159}, "3.14"),
        ({"tags": ["B-PER", "O", "O"]}, "Mira B-PER sang ."),
        ({"answer": "Mira", "answers": [FOUND]}, "MiraMira97.0 %"),
        ({"answer": "", "answers": [FOUND]}, "The passage does not say.Mira97.0 %"),
        (
            {"label": "a", "probabilities": {"a": 0.99999, **dict.fromkeys("bcdefgh", 1e-6)}},
            "aa> 99.9 %b< 0.1 %c< 0.1 %d< 0.1 %e< 0.1 %f< 0.1 %and 2 more",
        ),
    ],
    ids=["score", "tags", "answer", "no answer", "many classes"],
)
def test_scores_tags_and_many_classes(visit: Visit, answer: dict[str, Any], shown: str) -> None:
    page = visit()
    whole = {"label": None, "probabilities": {}, "trees": [], "error": None, **answer}
    page.route("**/v1/classify", lambda route: route.fulfill(json={"answers": [whole]}))
    page.locator("#text").fill("Mira sang.")
    said = verdict(page).locator(".said").text_content()
    assert " ".join(said.split()) == shown


CONTRAST = """() => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const field = luminance(getComputedStyle(document.getElementById('verdict')).backgroundColor);
  return Math.min(...[...document.querySelectorAll('#verdict h2, #verdict p, #verdict bdi, .share')]
    .map((element) => luminance(getComputedStyle(element).color))
    .map((ink) => (Math.max(ink, field) + 0.05) / (Math.min(ink, field) + 0.05)));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_can_be_read_in_the_dark(visit: Visit, scheme: str) -> None:
    page = visit(
        f"{TEXT} {'word ' * 40}", color_scheme=scheme, viewport={"width": 360, "height": 740}
    )
    verdict(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.evaluate(CONTRAST) >= 4.5
    share = page.locator(".filled").first.evaluate(
        "one => one.offsetWidth / one.parentNode.offsetWidth"
    )
    assert share == pytest.approx(0.75, abs=0.02)
