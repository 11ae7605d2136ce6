"""The page in a browser: two annotators correct sentences by mouse and keys, and compare."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from bnaparser.annotation.app import create_app
from bnaparser.annotation.project import STEPS, read_project
from tests.annotation.conftest import TREES, Maker
from tests.annotation.test_project import files_up_to

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

soon = playwright.expect
PATIENCE = 60_000  # milliseconds; a busy machine is no failure


@pytest.fixture
def page(make: Maker, browser: Any) -> Iterator[Any]:
    server = uvicorn.Server(uvicorn.Config(create_app(make()), log_config=None, lifespan="off"))
    complaints: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        context = browser.new_context(reduced_motion="reduce", accept_downloads=True)
        try:
            context.set_default_timeout(PATIENCE)
            opened = context.new_page()
            opened.on("pageerror", lambda error: complaints.append(str(error)))
            opened.goto(f"http://127.0.0.1:{listening.getsockname()[1]}/")
            yield opened
        finally:
            context.close()
            server.should_exit = True
            thread.join()
    assert complaints == []


def annotate_as(page: Any, name: str) -> None:
    page.get_by_label("Annotator").fill(name)
    page.get_by_role("button", name="Use name").click()
    page.wait_for_selector("svg.tree")
    soon(page.locator("#text")).to_be_visible()


def node(page: Any, label: str, words: str = "") -> Any:
    """The first node with this label over these words."""
    ending = f'[aria-label$=": {words}"]' if words else ""
    return page.locator(f'svg .node[aria-label^="{label}"]{ending}').first


def saved(page: Any, tree: str, make: Maker, by: str = "Anna", number: int = 0) -> None:
    """Wait until the step is shown as saved; the tree must be on the disk by then."""
    soon(page.locator("#status")).to_have_text("Saved: begun.", timeout=PATIENCE)
    assert read_project(make.folder).tree(by, number) == tree


def test_two_annotators_correct_accept_and_compare(page: Any, make: Maker, tmp_path: Path) -> None:
    assert "Write your name" in page.get_by_role("alert").text_content()
    annotate_as(page, "Anna")
    queue = page.get_by_role("navigation", name="Sentences").locator("ol button")
    # The least probable first.
    assert [one[:2] for one in queue.all_text_contents()] == ["3.", "2.", "1."]
    page.keyboard.press("n")
    page.keyboard.press("n")
    soon(page.locator("#text")).to_have_text("I saw a man with it .")

    page.get_by_role("button", name="Tree 2").click()
    saved(page, TREES[0][1], make)
    # By keys: the noun phrase of "a man" becomes a QP, its tag too; undone and done again.
    node(page, "NP", "a man").click()
    page.keyboard.press("r")
    page.keyboard.type("QP")
    page.keyboard.press("Enter")
    soon(node(page, "QP")).to_be_visible()
    page.keyboard.press("u")
    soon(node(page, "QP")).to_have_count(0)
    page.keyboard.press("y")
    soon(node(page, "QP")).to_be_visible()
    assert "(QP (DT a) (NN man))" in read_project(make.folder).tree("Anna", 0)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("r")
    page.keyboard.type("CD")
    page.keyboard.press("Enter")
    soon(node(page, "CD")).to_be_visible()
    # By mouse: a bracket over words, another one removed, a phrase attached, one dragged.
    node(page, "CD").click()
    node(page, "IN", "with").click(modifiers=["Shift"])
    page.get_by_label("Label").fill("NX")
    page.get_by_role("button", name="Add bracket").click()
    soon(page.get_by_role("status")).to_contain_text("would cut through the PP", timeout=PATIENCE)
    node(page, "QP").click()
    node(page, "PP").click(modifiers=["Shift"])
    page.get_by_label("Label").fill("NX")
    page.get_by_role("button", name="Add bracket").click()
    soon(node(page, "NX")).to_be_visible()
    node(page, "PP").drag_to(node(page, "QP"))
    expected = TREES[0][1].replace(
        "(NP (DT a) (NN man)) (PP (IN with) (NP (NN it)))",
        "(NX (QP (CD a) (NN man) (PP (IN with) (NP (NN it)))))",
    )
    soon(page.locator("#do-undo")).to_be_enabled()
    soon(page.get_by_role("status")).not_to_contain_text("cut")
    soon(node(page, "QP", "a man with it")).to_be_visible()
    saved(page, expected, make)
    node(page, "PP").click()
    page.get_by_role("button", name="Attach").click()
    node(page, "NX").click()
    soon(node(page, "QP", "a man")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    saved(page, expected, make)
    # What is folded stays folded.
    node(page, "PP").click()
    page.keyboard.press("f")
    soon(node(page, "PP")).to_have_attribute("aria-expanded", "false")
    node(page, "NX").click()
    page.keyboard.press("x")
    soon(node(page, "NX")).to_have_count(0)
    soon(node(page, "PP")).to_have_attribute("aria-expanded", "false")
    final = expected.replace("(NX ", "").replace("it)))))", "it))))")

    # A disk that is full: the page says so, and tries again.
    page.get_by_label("Comment").fill("The man has it?")
    with files_up_to((make.folder / STEPS).stat().st_size + 5):
        page.get_by_label("Comment").blur()
        alert = page.get_by_role("alert")
        alert.get_by_text("Not saved").wait_for()
        assert "File too large" in alert.text_content()
    page.get_by_role("button", name="Try again").click()
    soon(page.get_by_role("alert")).to_have_count(0)
    assert read_project(make.folder).history("Anna", 0).comment == "The man has it?"

    node(page, "PP").click()
    page.keyboard.press("a")
    soon(queue.filter(has_text="✓")).to_have_count(1)
    soon(page.locator("#text")).not_to_have_text("I saw a man with it .")
    assert read_project(make.folder).accepted() == [final]
    page.reload()
    soon(page.locator("#progress")).to_have_text("1 of 3 accepted")

    annotate_as(page, "Ben")
    page.get_by_label("Order").select_option("number")
    page.get_by_role("button", name="Sentence 1,").click()
    soon(page.locator("#text")).to_have_text("I saw a man with it .")
    assert page.get_by_role("button", name="Accepted by Anna").count() == 0
    page.get_by_role("button", name="Accept", exact=True).click()
    page.get_by_role("button", name="Compare annotators").click()
    agreement = page.locator("#agreement")
    soon(agreement).to_contain_text(
        "Anna and Ben: 1 sentences accepted by both, 0 with the same tree"
    )
    agreement.get_by_role("button", name="Open sentence 1").click()
    soon(page.get_by_role("button", name="Accepted by Anna")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Export accepted trees").click()
    assert Path(waiting.value.path()).read_text() == f"{TREES[0][0]}\n"


@pytest.mark.parametrize("sent", [False, True])
def test_a_name_written_before_the_project_is_there_stays(page: Any, sent: bool) -> None:
    """A late answer to the page's first request emptied the field, or took the place of the annotator's."""
    held: list[Any] = []
    address = page.url
    page.goto("about:blank")
    page.route("**/project", lambda route: held.append(route))
    page.goto(address)
    while not held:
        page.wait_for_timeout(10)
    page.get_by_label("Annotator").fill("Anna")
    if sent:
        page.get_by_role("button", name="Use name").click()
        page.wait_for_selector("svg.tree")
    with page.expect_response("**/project"):
        held[0].continue_()
    if sent:
        page.wait_for_timeout(300)
    else:
        soon(page.locator("#notice")).to_have_text("Write your name as annotator first.")
        page.get_by_role("button", name="Use name").click()
    page.wait_for_selector("svg.tree")
    soon(page.get_by_label("Annotator")).to_have_value("Anna")
    soon(page.locator("#notice")).to_be_hidden()


def test_labels_are_chosen_by_one_key(page: Any, make: Maker) -> None:
    annotate_as(page, "Anna")
    page.get_by_role("button", name="Sentence 1,").click()
    soon(page.locator("#text")).to_have_text("I saw a man with it .")
    choices = page.get_by_role("group", name="Choices").get_by_role("button")
    node(page, "NN", "it").click()
    page.keyboard.press("r")
    # The tags of words with this ending, then the commonest; without that which is there.
    soon(choices.first).to_have_text("1 PRP")
    soon(page.get_by_role("status")).to_contain_text("Choose 1 PRP, 2 VBD, ")
    page.keyboard.press("1")
    soon(node(page, "PRP", "it")).to_be_visible()
    soon(choices).to_have_count(0)
    node(page, "VP").click()
    page.keyboard.press("x")
    soon(node(page, "VP")).to_have_count(0)
    # What the parser has for the words, then the commonest.
    node(page, "VBD").click()
    page.keyboard.press("b")
    soon(choices).to_have_text(["1 NP", "2 S", "3 VP", "4 PP"])
    node(page, "PP").click(modifiers=["Shift"])
    soon(choices).to_have_text(["1 VP", "2 NP", "3 S", "4 PP"])
    page.keyboard.press("1")
    expected = TREES[0][0].replace("(NN it)", "(PRP it)")
    soon(node(page, "VP")).to_be_visible()
    saved(page, expected, make)
    # By mouse; and typing, which a number ends that is part of the label.
    node(page, "VP").click()
    page.get_by_role("button", name="Relabel").click()
    page.get_by_role("button", name="2 S").click()
    soon(node(page, "S", "saw a man with it")).to_be_visible()
    page.keyboard.press("r")
    page.keyboard.type("X1")
    page.keyboard.press("Enter")
    soon(node(page, "X1")).to_be_visible()
    # After Esc and elsewhere numbers choose trees.
    page.keyboard.press("r")
    page.keyboard.press("Escape")
    soon(choices).to_have_count(0)
    page.keyboard.press("2")
    saved(page, TREES[0][1], make)


def test_every_control_has_a_name(page: Any) -> None:
    annotate_as(page, "Anna")
    names = page.locator("button, input, select, textarea, a").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label') || one.textContent.trim()"
        " || one.labels?.[0]?.textContent.trim())"
    )
    assert len(names) > 20
    assert all(names)


def test_no_tree_is_accepted_before_it_is_shown(page: Any, make: Maker) -> None:
    annotate_as(page, "Anna")
    soon(page.locator("#text")).to_have_text("-LRB- x -RRB-")
    held: list[Any] = []
    page.route("**/sentences/*?by=*", lambda route: held.append(route))
    page.keyboard.press("a")
    soon(page.locator("#progress")).to_have_text("1 of 3 accepted")
    page.keyboard.press("a")
    while not held:
        page.wait_for_timeout(20)
    page.keyboard.press("a")
    held[0].continue_()
    soon(page.locator("#text")).to_have_text("Time flies")
    page.keyboard.press("1")
    soon(page.locator("#status")).to_have_text("Saved: begun.")
    assert read_project(make.folder).accepted() == [TREES[2][0]]


def test_a_step_on_its_way_is_not_said_to_be_saved(page: Any, make: Maker) -> None:
    """What the step before it had said stayed."""
    annotate_as(page, "Anna")
    page.get_by_role("button", name="Sentence 1,").click()
    page.get_by_role("button", name="Tree 2").click()
    saved(page, TREES[0][1], make)
    held: list[Any] = []
    page.route("**/sentences/0", lambda route: held.append(route))
    page.get_by_role("button", name="Undo").click()
    status = page.locator("#status")
    assert status.text_content() == "Saving…"
    while not held:
        page.wait_for_timeout(10)
    held[0].continue_()
    soon(status).to_have_text("")
    assert read_project(make.folder).tree("Anna", 0) == TREES[0][0]
    page.keyboard.press("y")
    while len(held) < 2:
        page.wait_for_timeout(10)
    held[1].abort()
    soon(page.get_by_role("alert")).to_contain_text("Not saved")
    soon(status).to_have_text("")
