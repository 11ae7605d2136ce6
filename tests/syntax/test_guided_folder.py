"""A guided encoder is saved and loaded in one call each, what it has learned included."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn

from bnaparser.errors import ModelError, SettingsError
from bnaparser.syntax import attach, collate, load_guided, save_guided, syntax_of
from bnaparser.syntax.masks import SyntaxSettings
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.lisa import LisaSettings
from bnaparser.syntax.variants.sgnet import SgNetSettings
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBertSettings
from bnaparser.syntax.variants.wla import WlaSettings

Fresh = Callable[[str], Any]
Tokens = Callable[..., Any]
States = Callable[..., Tensor]
Stir = Callable[[nn.Module], None]
VARIANTS = [
    SlaSettings(threshold=2),
    WlaSettings(window=2),
    LisaSettings(form="replace"),
    SgNetSettings(),
    SyntaxBertSettings(trees=("dependency",), lisa=LisaSettings(form="replace")),
]


@pytest.mark.parametrize("settings", VARIANTS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("family", ["bert", "deberta", "t5"])
def test_what_is_saved_is_what_is_loaded(
    family: str,
    settings: SyntaxSettings,
    fresh: Fresh,
    tokens_of: Tokens,
    the_cat: SyntaxTrees,
    states: States,
    stir: Stir,
    tmp_path: Path,
) -> None:
    model = attach(fresh(family), settings)
    stir(model)
    save_guided(model, tmp_path)
    loaded = load_guided(tmp_path)
    assert type(loaded) is type(model) and not loaded.training
    assert syntax_of(loaded).settings == settings
    tokens = tokens_of(family, [the_cat])
    batch = collate([the_cat], tokens, settings)
    wanted = states(model, tokens, syntax=batch)
    assert torch.allclose(states(loaded, tokens, syntax=batch), wanted, atol=1e-6)


def test_an_encoder_in_bfloat16_is_saved_and_loaded(fresh: Fresh, tmp_path: Path) -> None:
    """What was saved was refused as damaged."""
    model = attach(fresh("bert").to(torch.bfloat16), SlaSettings())
    save_guided(model, tmp_path)
    loaded = load_guided(tmp_path)
    assert loaded.dtype == torch.bfloat16
    wanted = syntax_of(model).state_dict()
    for name, found in syntax_of(loaded).state_dict().items():
        assert torch.equal(found, wanted[name]) and found.dtype == torch.bfloat16


def test_a_head_comes_along_and_the_plain_encoder_stays_readable(
    tokens_of: Tokens, the_cat: SyntaxTrees, tmp_path: Path, stir: Stir
) -> None:
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.BertConfig(vocab_size=500, **sizes)
    model = attach(transformers.BertForSequenceClassification(config).eval(), SlaSettings())
    stir(model)
    save_guided(model, tmp_path)
    loaded = load_guided(tmp_path)
    tokens = tokens_of("bert", [the_cat])
    batch = collate([the_cat], tokens, SlaSettings())
    plain = transformers.AutoModelForSequenceClassification.from_pretrained(tmp_path)
    with torch.no_grad():
        wanted = model(**tokens, syntax=batch).logits
        assert torch.allclose(loaded(**tokens, syntax=batch).logits, wanted, atol=1e-6)
        assert torch.allclose(plain(**tokens).logits, model(**tokens).logits, atol=1e-6)


@pytest.mark.parametrize("how", ["save_guided", "save_pretrained", "in several files"])
def test_trained_gates_are_not_drawn_anew(fresh: Fresh, tmp_path: Path, how: str) -> None:
    model = attach(fresh("bert"), SlaSettings())
    if how == "save_guided":
        save_guided(model, tmp_path)
    else:
        model.save_pretrained(
            tmp_path, max_shard_size="20KB" if how == "in several files" else "1GB"
        )
        assert (tmp_path / "model.safetensors").is_file() == (how == "save_pretrained")
    for kind in (transformers.AutoModel, transformers.AutoModelForTokenClassification):
        again = kind.from_pretrained(tmp_path)
        with pytest.raises(SettingsError, match=r"holds a trained variant.*load_guided"):
            attach(again, SlaSettings())


def test_what_is_no_guided_folder_is_told(fresh: Fresh, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no variant"):
        save_guided(fresh("bert"), tmp_path)
    with pytest.raises(ModelError, match=r"syntax\.json is missing"):
        load_guided(tmp_path)
    save_guided(attach(fresh("bert"), SlaSettings()), tmp_path)
    for text, says in (('{"sla": {"treshold": 3}}', "treshold"), ('{"x": {}}', "no variant of")):
        (tmp_path / "syntax.json").write_text(text, encoding="utf-8")
        with pytest.raises((ModelError, SettingsError), match=says):
            load_guided(tmp_path)
    (tmp_path / "syntax.json").write_text('{"sgnet": {}}', encoding="utf-8")
    with pytest.raises(ModelError, match="does not fit"):
        load_guided(tmp_path)
