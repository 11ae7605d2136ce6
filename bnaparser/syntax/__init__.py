"""Attention guided by syntax: trees for a task's texts, and encoders that look along them.

The names are loaded on first use: `bnaparser.syntax.syntax_trees` needs numpy alone, and nothing here
loads torch before something needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bnaparser.syntax.attachment import attach, load_guided, save_guided, syntax_of
    from bnaparser.syntax.batch import SyntaxBatch, collate
    from bnaparser.syntax.sources.file_trees import FileTrees
    from bnaparser.syntax.sources.parser_trees import ParserTrees
    from bnaparser.syntax.sources.spacy_trees import SpacyTrees
    from bnaparser.syntax.sources.tree_source import TreeSource
    from bnaparser.syntax.syntax_trees import SyntaxTrees
    from bnaparser.syntax.variants.lisa import LisaSettings
    from bnaparser.syntax.variants.sgnet import SgNetSettings
    from bnaparser.syntax.variants.sla import SlaSettings
    from bnaparser.syntax.variants.syntax_bert import SyntaxBertSettings
    from bnaparser.syntax.variants.transformer import TransformerSettings, raw_transformer
    from bnaparser.syntax.variants.wla import WlaSettings

_LAZY_IMPORTS = {
    "FileTrees": "bnaparser.syntax.sources.file_trees",
    "LisaSettings": "bnaparser.syntax.variants.lisa",
    "ParserTrees": "bnaparser.syntax.sources.parser_trees",
    "SgNetSettings": "bnaparser.syntax.variants.sgnet",
    "SlaSettings": "bnaparser.syntax.variants.sla",
    "SpacyTrees": "bnaparser.syntax.sources.spacy_trees",
    "SyntaxTrees": "bnaparser.syntax.syntax_trees",
    "SyntaxBatch": "bnaparser.syntax.batch",
    "SyntaxBertSettings": "bnaparser.syntax.variants.syntax_bert",
    "TransformerSettings": "bnaparser.syntax.variants.transformer",
    "TreeSource": "bnaparser.syntax.sources.tree_source",
    "WlaSettings": "bnaparser.syntax.variants.wla",
    "attach": "bnaparser.syntax.attachment",
    "collate": "bnaparser.syntax.batch",
    "load_guided": "bnaparser.syntax.attachment",
    "raw_transformer": "bnaparser.syntax.variants.transformer",
    "save_guided": "bnaparser.syntax.attachment",
    "syntax_of": "bnaparser.syntax.attachment",
}
__all__ = [
    "FileTrees",
    "LisaSettings",
    "ParserTrees",
    "SgNetSettings",
    "SlaSettings",
    "SpacyTrees",
    "SyntaxBatch",
    "SyntaxBertSettings",
    "SyntaxTrees",
    "TransformerSettings",
    "TreeSource",
    "WlaSettings",
    "attach",
    "collate",
    "load_guided",
    "raw_transformer",
    "save_guided",
    "syntax_of",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY_IMPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY_IMPORTS[name]), name)


def __dir__() -> list[str]:
    return __all__
