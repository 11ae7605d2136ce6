"""Public functions have Args, Returns, Raises and examples in their docstrings, and the examples give what they show."""

from __future__ import annotations

import ast
import doctest
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from textwrap import dedent
from typing import Any

import pytest

PUBLIC = (
    "bnaparser",
    "bnaparser.eval",
    "bnaparser.chart",
    "bnaparser.syntax",
    "bnaparser.tasks.classifier:Classifier",
    "bnaparser.parsing.ensemble:Ensemble",
    "bnaparser.trees.search:Pattern",
    "bnaparser.measures:measure",
    "bnaparser.integrations.nltk:NltkParser",
    "bnaparser.integrations.pandas:constituents sentences measures",
    "bnaparser.integrations.polars:constituents sentences measures",
    "bnaparser.integrations.stanza:annotate from_stanza from_stanza_tree to_stanza to_stanza_tree",
    "bnaparser.training.recipe:load_recipe",
    "bnaparser.training.run:train",
    "bnaparser.spanbert.pretraining:pretrain",
)
NOT_CALLED = {
    "masks",
    "sentences",
    "read",
    "parse",
    "_",
}  # of sources and settings of syntax: called by `collate`


# Functions that users rarely call by themselves, or that need a folder, a GPU or minutes: the pages show them.
WITHOUT_EXAMPLE = {
    "bnaparser.Parse.without_tree",
    "bnaparser.Parser.text_rules",
    "bnaparser.Parser.prepare",
    "bnaparser.Parser.usable_threads",
    "bnaparser.eval.Params.label_classes",
    "bnaparser.eval.score_with_pyevalb",
    "bnaparser.syntax.ParserTrees.load",
    "bnaparser.syntax.SpacyTrees.__call__",
    "bnaparser.syntax.SyntaxBatch.to",
    "bnaparser.syntax.TreeSource.__call__",
    "bnaparser.syntax.collate",
    "bnaparser.tasks.classifier.Classifier.__call__",
    "bnaparser.tasks.classifier.Classifier.stream",
    "bnaparser.tasks.classifier.Classifier.read",
    "bnaparser.tasks.classifier.Classifier.answer",
    "bnaparser.parsing.ensemble.Ensemble.load",
    "bnaparser.trees.search.Pattern.nodes",
    "bnaparser.integrations.nltk.NltkParser.grammar",
    "bnaparser.training.run.train",
    "bnaparser.spanbert.pretraining.pretrain",
}


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the functions and methods that users call, each with its name."""
    for entry in PUBLIC:
        module_name, _, names = entry.partition(":")
        module = import_module(module_name)
        for name in names.split() or module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value):
                yield f"{module_name}.{name}", value
            elif inspect.isclass(value):
                for key, member in vars(value).items():
                    function = getattr(member, "__func__", member)
                    called = key == "__call__" or not key.startswith("_")
                    of_syntax = module_name == "bnaparser.syntax" and key in NOT_CALLED
                    if inspect.isfunction(function) and called and not of_syntax:
                        yield f"{module_name}.{name}.{key}", function


@pytest.fixture(scope="module")
def functions() -> dict[str, Callable[..., Any]]:
    for module in ("pandas", "polars", "stanza", "nltk", "torch"):
        pytest.importorskip(module)
    return dict(public_functions())


def test_every_public_function_has_args_and_returns(
    functions: dict[str, Callable[..., Any]],
) -> None:
    missing = []
    for name, function in functions.items():
        text = inspect.getdoc(function) or ""
        signature = inspect.signature(function)
        parameters = [one for one in signature.parameters if one not in ("self", "cls")]
        if parameters:
            # Each is named in the list, as "name:" at the beginning of a line.
            lines = [line.strip() for line in text.partition("Args:")[2].splitlines()]
            missing += [
                f"{name}: {one}"
                for one in parameters
                if not any(line.startswith(f"{one}:") for line in lines)
            ]
            result = signature.return_annotation
            if result not in ("None", None) and "Returns:" not in text and "Yields:" not in text:
                missing.append(f"{name}: Returns")
    assert len(functions) > 100
    assert not missing, "\n".join(missing)


def test_every_public_function_has_an_example(functions: dict[str, Callable[..., Any]]) -> None:
    without = {name for name, one in functions.items() if ">>>" not in (inspect.getdoc(one) or "")}
    assert without == WITHOUT_EXAMPLE


def test_a_function_that_raises_says_what(functions: dict[str, Callable[..., Any]]) -> None:
    silent = [
        name
        for name, function in functions.items()
        if "Raises:" not in (inspect.getdoc(function) or "")
        and any(
            isinstance(node, ast.Raise)
            for node in ast.walk(ast.parse(dedent(inspect.getsource(function))))
        )
    ]
    assert not silent


@pytest.mark.usefixtures("one_thread")
def test_the_examples_give_what_they_show(functions: dict[str, Callable[..., Any]]) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    failures: list[str] = []
    tried = 0
    for name, function in functions.items():
        text = inspect.getdoc(function) or ""
        test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
        if test.examples:
            runner.run(test, out=failures.append)
            tried += 1
    assert not failures, "".join(failures)
    assert tried > 90
