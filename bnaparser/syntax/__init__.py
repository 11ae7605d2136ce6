"""Attention guided by syntax: trees for a task's texts, and encoders that look along them.

The names are loaded on first use: `bnaparser.syntax.structure` needs numpy alone, and nothing here
loads torch before it is asked for something that needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bnaparser.syntax.attachment import attach, syntax_of
    from bnaparser.syntax.batch import SyntaxBatch, collate
    from bnaparser.syntax.lisa import LisaSettings
    from bnaparser.syntax.sgnet import SgNetSettings
    from bnaparser.syntax.sla import SlaSettings
    from bnaparser.syntax.sources import FileTrees, ParserTrees, SpacyTrees, TreeSource
    from bnaparser.syntax.structure import Structure
    from bnaparser.syntax.syntax_bert import SyntaxBertSettings
    from bnaparser.syntax.transformer import TransformerSettings, raw_transformer
    from bnaparser.syntax.wla import WlaSettings

_HOMES = {
    "FileTrees": "bnaparser.syntax.sources",
    "LisaSettings": "bnaparser.syntax.lisa",
    "ParserTrees": "bnaparser.syntax.sources",
    "SgNetSettings": "bnaparser.syntax.sgnet",
    "SlaSettings": "bnaparser.syntax.sla",
    "SpacyTrees": "bnaparser.syntax.sources",
    "Structure": "bnaparser.syntax.structure",
    "SyntaxBatch": "bnaparser.syntax.batch",
    "SyntaxBertSettings": "bnaparser.syntax.syntax_bert",
    "TransformerSettings": "bnaparser.syntax.transformer",
    "TreeSource": "bnaparser.syntax.sources",
    "WlaSettings": "bnaparser.syntax.wla",
    "attach": "bnaparser.syntax.attachment",
    "collate": "bnaparser.syntax.batch",
    "raw_transformer": "bnaparser.syntax.transformer",
    "syntax_of": "bnaparser.syntax.attachment",
}
__all__ = [
    "FileTrees",
    "LisaSettings",
    "ParserTrees",
    "SgNetSettings",
    "SlaSettings",
    "SpacyTrees",
    "Structure",
    "SyntaxBatch",
    "SyntaxBertSettings",
    "TransformerSettings",
    "TreeSource",
    "WlaSettings",
    "attach",
    "collate",
    "raw_transformer",
    "syntax_of",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
