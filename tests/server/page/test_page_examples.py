"""What the page offers to a newcomer is parsed right by the model that ships."""

from __future__ import annotations

import json
import re
from importlib import resources

from bnaparser.parsing.parser import Parser
from bnaparser.text.language_guess import detect_language
from bnaparser.trees.labels import LANGUAGES
from bnaparser.trees.tree import parse_trees

TREES = """
(TOP (S (NP (NP (DT The) (NN cat)) (SBAR (WHNP (WDT that)) (S (NP (DT the) (NN dog)) (VP (VBD
  chased))))) (VP (VBD ran) (ADVP (RB away))) (. .)))
(TOP (S (NP (JJ Colorless) (JJ green) (NNS ideas)) (VP (VBP sleep) (ADVP (RB furiously))) (.
  .)))
(TOP (S (NP (NN Time)) (VP (VBZ flies) (PP (IN like) (NP (DT an) (NN arrow)))) (. .)))
(TOP (S (NP (NP (DT The) (NN committee)) (, ,) (SBAR (WHNP (WDT which)) (S (VP (VBD met) (PP (IN
  on) (NP (NNP Monday)))))) (, ,)) (VP (VBD rejected) (NP (DT the) (NN plan))) (. .)))
(TOP (SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (DT the) (NNS children)) (VP (VB find) (PP (IN
  under) (NP (DT the) (JJ old) (NN bridge))))) (. ?)))
(TOP (S (NP (PRP It)) (VP (VBD rained) (NP (DT all) (NN night))) (. .)))
(TOP (S (PP (IN By) (NP (NN morning))) (NP (DT the) (NN river)) (VP (VBD had) (VP (VBN burst)
  (NP (PRP$ its) (NNS banks)))) (. .)))
"""


def listed() -> dict[str, list[str]]:
    """The page's examples by language."""
    program = (resources.files("bnaparser.server") / "static" / "examples.js").read_text("utf-8")
    [table] = re.findall(r"const EXAMPLES = (\{.*?\n\});", program, re.DOTALL)
    examples: dict[str, list[str]] = json.loads(table)
    return examples


def test_there_are_examples_in_every_language_whose_labels_are_explained() -> None:
    assert set(listed()) == set(LANGUAGES)


def test_the_language_of_an_example_is_guessed() -> None:
    for language, texts in listed().items():
        for text in texts:
            assert (detect_language(text) or language) in (language, language[:2]), text


def test_the_examples_are_parsed_right() -> None:
    examples = listed()["en"]
    expected = [str(tree) for tree in parse_trees(TREES)]
    parser = Parser.load("en", device="cpu")
    assert [str(parse.tree) for example in examples for parse in parser(example)] == expected
