"""Texts for a task's model to be looked at while it reads them, and the model's variant."""

from __future__ import annotations

from collections.abc import Sequence

from bnaparser.errors import SettingsError
from bnaparser.syntax.attachment import syntax_of
from bnaparser.syntax.attention import AttentionVariant
from bnaparser.syntax.sources.tree_source import TreeSource
from bnaparser.syntax.variants.lisa import Lisa
from bnaparser.syntax.variants.sla import Sla
from bnaparser.syntax.variants.syntax_bert import SyntaxBert
from bnaparser.syntax.variants.wla import Wla
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.model import TaskModel
from bnaparser.text.sentence import not_one_string

_TITLES: dict[type[AttentionVariant], str] = {
    Sla: "SLA",
    Wla: "WLA",
    Lisa: "LISA",
    SyntaxBert: "Syntax-BERT",
}


def prepare(
    model: TaskModel, texts: Sequence[str], source: TreeSource
) -> list[PreparedExample | str]:
    """Return each text with its trees from ``source``, or the reason why it is left out.

    A text for a model of pairs is two texts with a tab between. A text that has no trees, where
    the model needs them, is left out: the plain encoder would serve it, and there is nothing to see.
    """
    if model.kind.marks:
        raise SettingsError(
            "models for texts with marked spans cannot be inspected: choose another model"
        )
    pair = model.settings.task.pair
    parts = [text.split("\t") if pair else [text] for text in not_one_string(texts, "texts")]
    whole = [one for one in parts if len(one) == 1 + pair]
    structures = iter(source([part for one in whole for part in one]))
    return [
        _prepared(model, PreparedExample(tuple(next(structures) for _ in one)))
        if len(one) == 1 + pair
        else model.kind.not_a_pair
        for one in parts
    ]


def _prepared(model: TaskModel, example: PreparedExample) -> PreparedExample | str:
    for structure in example.structures:
        if not structure.words:
            return "the text has no words"
        if structure.error is not None and model.settings.syntax.needs_trees:
            return structure.error
    if not any(word is not None for word in model.tokenize([example]).word_ids(0)):
        return "the model's tokenizer reads none of its words"
    return example


def attention_variant(model: TaskModel) -> AttentionVariant:
    """Return what guides the attention of a model; SettingsError if nothing does."""
    if not model.network.guided:
        raise SettingsError(
            "this model has a plain encoder, without syntax-guided attention: choose another model"
        )
    variant = syntax_of(model.network.encoder)
    if not isinstance(variant, AttentionVariant):
        raise SettingsError(
            f"{type(variant).__name__} leaves the encoder's attention as it is and stacks layers "
            "on top: this model has no gates and no guided attention to draw"
        )
    return variant


def variant_title(variant: AttentionVariant) -> str:
    """Return the papers' name of a variant."""
    return _TITLES[type(variant)]
