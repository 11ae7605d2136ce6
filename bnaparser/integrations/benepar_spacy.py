"""``nlp.add_pipe("benepar")``: benepar's name and settings of our part of a spaCy pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bnaparser.errors import check_flag
from bnaparser.integrations.benepar_models import BeneparModelError, locate
from bnaparser.integrations.spacy import Language, SpacyComponent


class BeneparComponent(SpacyComponent):
    """A component of a spaCy pipeline with the arguments of benepar's component; ``batch_size`` is
    ignored, as in benepar.
    """

    def __init__(
        self,
        name: str,
        subbatch_max_tokens: int = 500,
        disable_tagger: bool = False,
        batch_size: object = "ignored",
    ):
        check_flag("disable_tagger", disable_tagger)
        super().__init__(name, None, subbatch_max_tokens, not disable_tagger, "benepar")

    def _load(self, model: str | Path) -> None:
        try:
            super()._load(locate(str(model)))
        except BeneparModelError as error:
            if Path(model).name == str(model):
                raise  # what programs for benepar look out for, to download it
            self._parser = error


def create_benepar_component(
    nlp: Any, name: str, model: str, subbatch_max_tokens: int, disable_tagger: bool
) -> BeneparComponent:
    """Make the component; spaCy calls this."""
    component = BeneparComponent(model, subbatch_max_tokens, disable_tagger)
    component.name = name
    return component


Language.factory(
    "benepar",
    default_config={"subbatch_max_tokens": 500, "disable_tagger": False},
    func=create_benepar_component,
)
