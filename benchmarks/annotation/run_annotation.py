"""From the parser's trees to gold trees on the page of `bnaparser annotate`, in a browser, with kills on the way.

    python -m benchmarks.annotation.run_annotation GOLD [--sentences 30] [--words 12] [--kills 10] [--model en] [--seed 1]

GOLD is a file of trees; so many sentences of at least so many words are drawn from it. The program knows the gold tree, and chooses the
candidate and the edits that lead to it. The process is killed (SIGKILL) right after a key or a click, and started
again. Needs playwright and Chromium. Writes ``annotation.md`` beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

from benchmarks.annotation.plan import (
    Edit,
    best_candidate,
    bracket_tokens,
    distance,
    levenshtein,
    next_edit,
)
from benchmarks.machine import begun, command, listed, processor, versions, without_folders
from bnaparser.annotation.project import read_project
from bnaparser.eval import score
from bnaparser.treebanks.reading import load_trees
from bnaparser.trees.escapes import escape_brackets, unescape
from bnaparser.trees.tree import Tree, assemble, flatten

Row = dict[str, Any]

PORT = 8765
BY = "benchmark"
FLAGS = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking"
EDITS = ("relabel", "remove", "bracket", "move")


class Program:
    """`bnaparser annotate`, which can be killed and started again."""

    def __init__(self, project: Path, *files: str):
        self.project = project
        self.start(*files)

    def start(self, *files: str) -> None:
        line = [sys.executable, "-m", "bnaparser", "annotate", str(self.project), *files]
        line += ["--no-browser", "--port", str(PORT), "--annotator", BY]
        self.process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        said = []
        for told in self.process.stderr:
            said.append(told)
            if "the page is at" in told:
                return
        raise SystemExit("".join(said))

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def ask(self, path: str) -> Any:
        with urlopen(f"http://127.0.0.1:{PORT}/{path}") as answer:
            return json.load(answer)

    def sentence(self, number: int) -> Any:
        return self.ask(f"sentences/{number}?by={BY}")


class Hand:
    """Does steps on the page by mouse and keys, and counts them."""

    def __init__(self, page: Any):
        self.page = page
        self.clicks = self.keys = 0
        self.chosen = self.typed = 0  # labels

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.keys += 1

    def click(self, node: int, modifiers: tuple[str, ...] = ()) -> None:
        self.page.locator("svg.tree .node").nth(node).click(modifiers=modifiers)
        self.clicks += 1

    def do(self, edit: Edit) -> None:
        self.click(edit.node)
        if edit.do == "bracket" and edit.other != edit.node:
            self.click(edit.other, ("Shift",))
        self.press({"relabel": "r", "remove": "x", "bracket": "b", "move": "m"}[edit.do])
        if edit.label:
            offered = self.page.locator("#choices button").all_text_contents()
            chosen = [choice[0] for choice in offered if choice[2:] == edit.label]
            self.chosen += len(chosen)
            self.typed += not chosen
            for key in chosen or [*edit.label, "Enter"]:
                self.press(key)
        if edit.do == "move":
            self.click(edit.other)


START = """# Annotating compared with editing brackets

A program corrects {count} sentences ({words} words) on the page of `bnaparser annotate` (model `{model}`), from the parser's trees to the
gold trees, tags included. It simulates an annotator who knows the gold tree: it chooses one of the five best
trees. Then it makes edits by mouse and keys, each time the edit that brings the tree nearest to the gold tree.

The parser's best tree is the gold tree in {right} sentences.

| on the page | | by hand, in a file of brackets | |
|---|---|---|---|
| actions: {each} | {actions} | brackets, labels and tags to change, insert or delete (Levenshtein distance in tokens) | {tokens} |
| keys and clicks for these, and to accept the {count} trees | {keys} + {clicks} | characters to change, insert or delete (Levenshtein distance); moving the cursor is not counted | {characters} |

Of the labels for relabelling and bracketing, {chosen} were among the labels that the page offers, and took one key; {typed}
were typed.

The process was killed (SIGKILL) {kills} times, each time directly after a key or click. After each restart all accepted
trees were there, unchanged. Of the steps in progress at these moments {saved} were on the disk, {again} were repeated
(their keys and clicks are counted twice). The exported file is equal to the gold trees.

| sentence | words | F1 of the best tree | actions | keys | clicks | tokens by hand | characters by hand |
|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("--sentences", type=int, default=30)
    parser.add_argument("--words", type=int, default=12)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--model", default="en")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    where = f"{begun()}; {processor()}; {listed(versions(('bnaparser', 'playwright')))}"
    draw = random.Random(options.seed)
    known = [tree for tree in load_trees(options.gold) if tree.end >= options.words]
    gold = [_as_in_text(tree) for tree in draw.sample(known, options.sentences)]
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as started:
        text, project = Path(folder) / "text.txt", Path(folder) / "project"
        words = (" ".join(map(unescape, tree.words)) for tree in gold)
        text.write_text("".join(f"{line}\n" for line in words), encoding="utf-8")
        program = Program(project, str(text), "--split", "token", "--model", options.model)
        try:
            chromium = os.environ.get("BNAPARSER_CHROMIUM") or shutil.which("chromium")
            browser = started.chromium.launch(executable_path=chromium, args=FLAGS.split())
            page = browser.new_page(viewport={"width": 1600, "height": 1000})
            rows, killed = annotate(program, page, gold, options.kills, draw)
            exported = read_project(project).accepted()
            where += f", Chromium {browser.version}"
            browser.close()
        finally:
            program.kill()
    assert exported == list(map(str, gold)), "the accepted trees are the gold trees"
    again = command("benchmarks.annotation.run_annotation", without_folders(sys.argv[1:]))
    text_of_page = written(rows, killed, where, again, options.model)
    (Path(__file__).parent / "annotation.md").write_text(text_of_page, encoding="utf-8")
    print(text_of_page)


def annotate(
    program: Program, page: Any, gold: list[Tree], kills: int, draw: random.Random
) -> tuple[list[Row], list[bool]]:
    """Take all sentences to their gold trees; return a row for each, and whether each killed step was saved."""
    rows: list[Row] = []
    killed: list[bool] = []
    page.goto(f"http://127.0.0.1:{PORT}/")
    deadly = set(draw.sample(range(len(gold)), kills))
    for turn in range(len(gold)):
        number = _open(page)
        target, hand = gold[number], Hand(page)
        trees = [Tree.parse(one["tree"]["tree"]) for one in program.sentence(number)["candidates"]]
        done: Counter[str] = Counter()
        fatal = draw.randrange(4) if turn in deadly else None
        started = time.monotonic()
        while (shown := program.sentence(number))["state"] != "accepted":
            edit = next_edit(Tree.parse(shown["tree"]["tree"]), target)
            choice = best_candidate(trees, target) if not shown["steps"] else 0
            if choice:
                hand.press(str(choice + 1))
            elif edit is None:
                hand.press("a")
            else:
                hand.do(edit)
            if fatal is not None and (edit is None or fatal == done.total()):
                fatal = None
                program.kill()
                program.start()
                killed.append(program.sentence(number)["steps"] > shown["steps"])
                _check(program, rows)
                page.reload()
                page.wait_for_selector("svg.tree")
                if program.sentence(number)["state"] != "accepted":
                    page.locator(f"#queue button[aria-label^='Sentence {number + 1},']").click()
            else:
                _wait_for_step(program, number, shown["steps"])
            page.wait_for_timeout(150)
            if program.sentence(number)["steps"] > shown["steps"]:
                done["choose" if choice else "accept" if edit is None else edit.do] += 1
        best = trees[0]
        row = {
            "words": target.end,
            "f1": score([target], [best]).f1,
            "distance": distance(best, target),
            "tokens": levenshtein(bracket_tokens(best), bracket_tokens(target)),
            "characters": levenshtein(str(best), str(target)),
            "clicks": hand.clicks,
            "keys": hand.keys,
            "chosen": hand.chosen,
            "typed": hand.typed,
            "seconds": round(time.monotonic() - started, 1),
            "gold": str(target),
            **done,
        }
        rows.append(row)
        _check(program, rows)
        print(turn + 1, {key: row[key] for key in row if key != "gold"}, flush=True)
    return rows, killed


def written(rows: list[Row], killed: list[bool], where: str, again: str, model: str) -> str:
    """Return the page of results."""

    def total(name: str) -> int:
        return sum(row.get(name, 0) for row in rows)

    edits = {name: total(name) for name in ("choose", *EDITS)}
    start = START.format(
        count=len(rows),
        model=model,
        right=sum(row["distance"] == 0 for row in rows),
        each=", ".join(f"{count} {name}" for name, count in edits.items()),
        actions=sum(edits.values()),
        kills=len(killed),
        saved=sum(killed),
        again=len(killed) - sum(killed),
        **{
            name: total(name)
            for name in ("words", "tokens", "keys", "clicks", "characters", "chosen", "typed")
        },
    )
    lines = []
    for number, row in enumerate(rows, 1):
        actions = sum(row.get(name, 0) for name in ("choose", *EDITS))
        cells = [number, row["words"], f"{row['f1']:.1f}", actions, row["keys"], row["clicks"]]
        lines.append(f"| {' | '.join(map(str, [*cells, row['tokens'], row['characters']]))} |")
    return start + "\n".join([*lines, "", f"{where}.", "", f"    {again}", ""])


def _check(program: Program, rows: list[Row]) -> None:
    """End the benchmark where a tree that was accepted is not there any more, as it was."""
    with urlopen(f"http://127.0.0.1:{PORT}/accepted.mrg?by={BY}") as answer:
        kept = answer.read().decode().splitlines() if rows else []
    if missing := [row for row in rows if row["gold"] not in kept]:
        raise SystemExit(f"{len(missing)} accepted trees are lost")


def _open(page: Any) -> int:
    """Return the number of the sentence that is shown, once that is not accepted."""
    current = page.locator("#queue button[aria-current=true]:not(.accepted)")
    current.wait_for()
    page.wait_for_selector("svg.tree")
    return int(re.findall(r"Sentence (\d+),", current.get_attribute("aria-label"))[0]) - 1


def _wait_for_step(program: Program, number: int, steps: int) -> None:
    for _ in range(60):
        if program.sentence(number)["steps"] > steps:
            return
        time.sleep(0.05)


def _as_in_text(tree: Tree) -> Tree:
    """Return a tree with its words as those of a text stand in trees."""
    labels, arities, words = flatten(tree)
    return assemble(labels, arities, [escape_brackets(unescape(word)) for word in words])


if __name__ == "__main__":
    main()
