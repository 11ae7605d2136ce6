"""What the page shows of a classifier's answers, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
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


def test_of_texts_in_quick_succession_the_last_one_is_answered(visit: Visit) -> None:
    page = visit()
    held: dict[str, Any] = {}

    def answer(route: Any, label: str) -> None:
        found: dict[str, Any] = {
            "label": label,
            "probabilities": {label: 1},
            "trees": [],
            "error": None,
        }
        with suppress(playwright.Error):  # the page may have taken the request back
            route.fulfill(json={"answers": [found]})

    page.route(
        "**/v1/classify", lambda route: held.update({route.request.post_data_json["text"]: route})
    )
    text, shown = page.locator("#text"), page.locator("#verdict .label-said")
    for wanted in ("Mira sang.", "Mira fell."):
        text.fill(wanted)
        while wanted not in held:
            page.wait_for_timeout(20)
    answer(held["Mira fell."], "second")
    soon(shown).to_have_text("second")
    answer(held["Mira sang."], "first")
    for wanted in ("Mira sat.", "Mira sang.", "Mira sat."):
        text.fill(wanted)
        page.wait_for_timeout(100)  # less than the page waits for the next key
    while "Mira sat." not in held:
        page.wait_for_timeout(20)
    soon(shown).to_have_text("second")
    answer(held["Mira sat."], "third")
    soon(shown).to_have_text("third")
    soon(page.locator("article h3")).to_contain_text("Mira sat.")


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
