"""Every variant on every family: the plain encoder where it should be, and really called."""

from __future__ import annotations

import copy
import dataclasses
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn

from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.syntax.attachment import attach, syntax_of
from bnaparser.syntax.batch import collate
from bnaparser.syntax.families import interface
from bnaparser.syntax.masks import SyntaxSettings
from bnaparser.syntax.structure import Structure
from bnaparser.syntax.variants.lisa import LisaSettings
from bnaparser.syntax.variants.sgnet import SgNet, SgNetSettings
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBert, SyntaxBertSettings
from bnaparser.syntax.variants.wla import WlaSettings
from bnaparser.trees.tree import Tree

Fresh = Callable[[str], Any]
Tokens = Callable[..., Any]
PLAIN_GATE = -1e4
VARIANTS: list[SyntaxSettings] = [
    SlaSettings(threshold=1),
    LisaSettings(form="replace"),
    SgNetSettings(),
    SyntaxBertSettings(lisa=LisaSettings(form="replace")),
    WlaSettings(window=1),
    SyntaxBertSettings(mask_mode="multiply", empty_row="drop"),
    SyntaxBertSettings(share_topical=False, empty_row="self"),
    SyntaxBertSettings(mixing="scaled_sum", constituency="headed", random_masks=True),
]
PLAIN: list[SyntaxSettings] = [
    SlaSettings(gate_bias=PLAIN_GATE),
    WlaSettings(gate_bias=PLAIN_GATE),
    WlaSettings(window=600),
    LisaSettings(),
    SgNetSettings(),
    SyntaxBertSettings(),
    SyntaxBertSettings(mixing="mean"),
    SyntaxBertSettings(share_topical=False),
    SyntaxBertSettings(mask_mode="multiply"),
]


def on_each_family(variants: list[SyntaxSettings]) -> pytest.MarkDecorator:
    """Run a test, which asks for ``family`` too, with each of the variants."""
    return pytest.mark.parametrize("settings", variants, ids=lambda s: type(s).__name__)


def states(model: Any, tokens: Any, **kwargs: Any) -> Tensor:
    with torch.no_grad():
        result: Tensor = model(**tokens, **kwargs).last_hidden_state
    return result


def stir(model: nn.Module) -> None:
    """Give the variant parameters that are far from its start."""
    torch.manual_seed(5)
    with torch.no_grad():
        for parameter in syntax_of(model).parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)


def difference(found: Tensor, wanted: Tensor, tokens: Any) -> float:
    """The greatest difference on tokens that are no padding."""
    real = tokens["attention_mask"].bool()
    return (found - wanted)[real].abs().max().item()


@on_each_family(PLAIN)
def test_the_plain_encoder_is_a_special_case(
    family: str,
    settings: SyntaxSettings,
    fresh: Fresh,
    tokens_of: Tokens,
    the_cat: Structure,
    it_rained: Structure,
) -> None:
    structures = [the_cat, it_rained]
    tokens = tokens_of(family, structures)
    model = fresh(family)
    wanted = states(model, tokens)
    attach(model, settings)
    assert difference(states(model, tokens), wanted, tokens) < 1e-5
    batch = collate(structures, tokens, settings)
    syntax = syntax_of(model)
    if isinstance(syntax, SyntaxBert):  # all masks full
        assert batch.subnetworks is not None
        batch = dataclasses.replace(batch, subnetworks=torch.zeros_like(batch.subnetworks))
    if isinstance(syntax, SgNet):  # mixture (1, 0)
        syntax.mixture.data = torch.tensor([100.0, -100.0])
    assert difference(states(model, tokens, syntax=batch), wanted, tokens) < 1e-5
    assert syntax.calls == (1 if isinstance(syntax, SgNet) else 2)


@on_each_family(VARIANTS)
def test_padded_texts_are_as_single_ones_and_unparsed_ones_as_plain_ones(
    family: str,
    settings: SyntaxSettings,
    fresh: Fresh,
    tokens_of: Tokens,
    the_cat: Structure,
    it_rained: Structure,
    unparsed: Structure,
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = attach(fresh(family), settings)
    stir(model)
    texts = [the_cat, unparsed, it_rained]
    together = tokens_of(family, texts)
    with caplog.at_level("INFO", logger="bnaparser.syntax"):
        batch = collate(texts, together, settings)
    found, plain = states(model, together, syntax=batch), states(model, together)
    real = together["attention_mask"].bool()
    for row in (0, 2):
        alone = tokens_of(family, [texts[row]])
        wanted = states(model, alone, syntax=collate([texts[row]], alone, settings))
        assert torch.allclose(found[row][real[row]], wanted[0], atol=2e-5)
    if not isinstance(settings, LisaSettings):  # trees supervise it, they do not steer
        assert not torch.allclose(plain[0][real[0]], found[0][real[0]], atol=1e-3)
    if not isinstance(settings, WlaSettings):  # it needs no trees
        assert batch.parsed.tolist() == [True, False, True]
        assert "plain encoder serves texts [2]" in caplog.text
        assert torch.allclose(found[1][real[1]], plain[1][real[1]], atol=1e-5)


def test_what_a_token_may_not_see_does_not_reach_it(
    family: str, fresh: Fresh, tokens_of: Tokens, the_cat: Structure
) -> None:
    settings = SlaSettings(gate_bias=1e4)
    tokens = tokens_of(family, [the_cat])
    model = attach(fresh(family), settings)
    batch = collate([the_cat], tokens, settings)
    size = batch.shape[1]
    batch = dataclasses.replace(batch, mask=torch.ones(1, size, size, dtype=torch.bool).tril())
    before = states(model, tokens, syntax=batch)
    tokens["input_ids"][0, -1] = tokens["input_ids"][0, 1]
    after = states(model, tokens, syntax=batch)
    assert torch.allclose(before[0, 0], after[0, 0], atol=1e-6)
    assert not torch.allclose(before[0, -1], after[0, -1], atol=1e-3)
    assert not torch.allclose(states(model, tokens)[0, 0], after[0, 0], atol=1e-3)


@on_each_family(VARIANTS)
def test_weights_stay_gradients_reach_what_is_new_and_all_can_be_saved(
    family: str,
    settings: SyntaxSettings,
    fresh: Fresh,
    tokens_of: Tokens,
    the_cat: Structure,
    tmp_path: Path,
) -> None:
    model = fresh(family)
    lifted = {name: value.clone() for name, value in model.state_dict().items()}
    attach(model, settings)
    kept = model.state_dict()
    assert all(torch.equal(kept[name], value) for name, value in lifted.items())
    assert all(".syntax." in f".{name}" for name in kept.keys() - lifted.keys())
    stir(model)
    torch.save(model.state_dict(), tmp_path / "weights")
    other = attach(fresh(family), settings)
    other.load_state_dict(torch.load(tmp_path / "weights", weights_only=True))
    tokens = tokens_of(family, [the_cat])
    batch = collate([the_cat], tokens, settings)
    hidden = model(**tokens, syntax=batch).last_hidden_state
    assert torch.allclose(hidden, states(other, tokens, syntax=batch), atol=1e-6)
    loss = hidden.square().mean() + (getattr(syntax_of(model), "loss", None) or 0)
    loss.backward()
    for name, parameter in syntax_of(model).named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name
        assert parameter.grad.isfinite().all(), name


def test_a_copy_stands_on_its_own(
    family: str, fresh: Fresh, tokens_of: Tokens, the_cat: Structure
) -> None:
    settings = SyntaxBertSettings()
    model = attach(fresh(family), settings)
    other = copy.deepcopy(model)
    stir(other)
    tokens = tokens_of(family, [the_cat])
    batch = collate([the_cat], tokens, settings)
    first = states(model, tokens, syntax=batch)
    second = states(other, tokens, syntax=batch)
    assert difference(first, second, tokens) > 1e-3
    assert syntax_of(model) is not syntax_of(other)
    assert syntax_of(other).calls == 2


def test_bfloat16_and_pairs_of_very_different_lengths_give_numbers(
    family: str,
    fresh: Fresh,
    tokens_of: Tokens,
    the_cat: Structure,
    it_rained: Structure,
) -> None:
    settings = SyntaxBertSettings(lisa=LisaSettings(form="replace"))
    structures = [(the_cat, it_rained), (it_rained, it_rained)]
    tokens = tokens_of(family, structures)
    model = attach(fresh(family), settings)
    batch = collate(structures, tokens, settings)
    wanted = states(model, tokens, syntax=batch)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = states(model, tokens, syntax=batch)
    assert found.isfinite().all()
    assert difference(found.float(), wanted, tokens) < 0.5
    half = attach(fresh(family).to(torch.bfloat16), settings)
    assert states(half, tokens, syntax=batch).isfinite().all()


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("family", ["bert", "deberta", "t5"])
def test_gradient_checkpointing_changes_nothing(
    family: str, reentrant: bool, fresh: Fresh, tokens_of: Tokens, the_cat: Structure
) -> None:
    settings = SyntaxBertSettings()
    tokens = tokens_of(family, [the_cat])
    batch = collate([the_cat], tokens, settings)
    gradients = []
    for checkpointing in (False, True):
        model = attach(fresh(family), settings)
        stir(model)
        for module in model.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
            for name in ("dropout", "attention_dropout"):
                if isinstance(getattr(module, name, None), float):
                    setattr(module, name, 0.0)
        model.train()
        if checkpointing:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)  # the younger name is not yet old
                model.gradient_checkpointing_enable({"use_reentrant": reentrant})
            model.enable_input_require_grads()
        model(**tokens, syntax=batch).last_hidden_state.square().mean().backward()
        gradients.append([p.grad for p in syntax_of(model).parameters()])
    for plain, checkpointed in zip(*gradients, strict=True):
        assert torch.allclose(plain, checkpointed, atol=1e-6)


def test_supervision_is_not_lost_in_gradient_checkpointing(
    fresh: Fresh, tokens_of: Tokens, the_cat: Structure
) -> None:
    settings = LisaSettings(form="replace")
    tokens = tokens_of("bert", [the_cat])
    batch = collate([the_cat], tokens, settings)
    for reentrant in (False, True):
        model = attach(fresh("bert"), settings).train()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            model.gradient_checkpointing_enable({"use_reentrant": reentrant})
        model.enable_input_require_grads()
        if reentrant:
            with pytest.raises(SettingsError, match="use_reentrant=False"):
                model(**tokens, syntax=batch)
            continue
        model(**tokens, syntax=batch)
        loss: Any = syntax_of(model).loss
        loss.backward()
        assert all(parameter.grad is not None for parameter in syntax_of(model).parameters())


def test_models_with_a_head_take_the_batch(
    fresh: Fresh, tokens_of: Tokens, the_cat: Structure
) -> None:
    tokens = tokens_of("bert", [the_cat])
    settings = SlaSettings(threshold=1)
    batch = collate([the_cat], tokens, settings)
    for kind in ("SequenceClassification", "TokenClassification"):
        for name in ("Bert", "DistilBert", "Electra", "Albert", "MPNet", "Deberta", "XLNet", "T5"):
            if (name, kind) == ("T5", "SequenceClassification"):
                continue  # it has a decoder, whose inputs are the encoder's
            sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
            if name == "XLNet":
                sizes = {"d_model": 32, "n_layer": 2, "n_head": 2, "d_inner": 64}
            config = getattr(transformers, f"{name}Config")(
                vocab_size=500, initializer_range=0.2, **sizes
            )
            model = getattr(transformers, f"{name}For{kind}")(config).eval()
            attach(model, settings)
            with torch.no_grad():
                plain = model(**tokens).logits
                guided = model(**tokens, syntax=batch).logits
            assert syntax_of(model).calls == 2, name
            assert not torch.allclose(plain, guided, atol=1e-6), name


def test_two_models_may_share_a_configuration(
    fresh: Fresh, tokens_of: Tokens, the_cat: Structure
) -> None:
    guided = fresh("bert")
    other = transformers.BertModel(guided.config).eval()
    tokens = tokens_of("bert", [the_cat])
    wanted = states(other, tokens)
    attach(guided, SlaSettings())
    assert torch.allclose(states(other, tokens), wanted, atol=1e-6)


def test_the_saved_configuration_is_of_use_elsewhere(fresh: Fresh, tmp_path: Path) -> None:
    model = attach(fresh("bert"), SlaSettings())
    model.save_pretrained(tmp_path)
    assert interface.NAME not in (tmp_path / "config.json").read_text()


def test_a_mask_of_the_users_own_holds(fresh: Fresh, tokens_of: Tokens, the_cat: Structure) -> None:
    settings = SlaSettings(gate_bias=PLAIN_GATE)
    model = fresh("bert")
    tokens = tokens_of("bert", [the_cat])
    size = tokens["input_ids"].shape[1]
    lowest = torch.finfo(torch.float32).min
    mask = torch.zeros(1, 1, size, size).masked_fill(~torch.ones(size, size).bool().tril(), lowest)
    mask[..., 0] = -1.5
    tokens["attention_mask"] = mask
    wanted = states(model, tokens)
    plain = tokens_of("bert", [the_cat])
    attach(model, settings)
    batch = collate([the_cat], plain, settings)
    assert torch.allclose(states(model, tokens, syntax=batch), wanted, atol=1e-5)


def test_attention_maps_come_out(
    family: str, fresh: Fresh, tokens_of: Tokens, the_cat: Structure
) -> None:
    settings = SlaSettings(threshold=1, gate_bias=1e4)
    model = attach(fresh(family), settings)
    tokens = tokens_of(family, [the_cat])
    batch = collate([the_cat], tokens, settings)
    with torch.no_grad():
        maps = model(**tokens, syntax=batch, output_attentions=True).attentions
    assert batch.mask is not None and len(maps) == 2
    for probabilities in maps:
        assert torch.allclose(probabilities.sum(-1), torch.ones(()), atol=1e-5)
        assert (probabilities.masked_select(~batch.mask[:, None]) == 0).all()


def test_dropout_is_drawn_on_both_branches(
    fresh: Fresh, tokens_of: Tokens, the_cat: Structure
) -> None:
    settings = SlaSettings()
    model = attach(fresh("bert"), settings)
    model.train()
    tokens = tokens_of("bert", [the_cat])
    batch = collate([the_cat], tokens, settings)
    with torch.no_grad():
        maps = model(**tokens, syntax=batch, output_attentions=True).attentions
    assert batch.mask is not None
    inside = maps[0].masked_select(batch.mask[:, None])
    assert (inside == 0).float().mean() < 0.1  # 0.1 ** 2: each branch has a draw of its own
    with torch.no_grad():
        again = model(**tokens, syntax=batch, output_attentions=True).attentions
    assert not torch.equal(maps[0], again[0])


def test_wrong_use_is_told(
    fresh: Fresh, tokens_of: Tokens, the_cat: Structure, it_rained: Structure
) -> None:
    model = attach(fresh("bert"), SlaSettings())
    tokens = tokens_of("bert", [the_cat])
    with pytest.raises(SettingsError, match="has a variant already"):
        attach(model, WlaSettings())
    with pytest.raises(SettingsError, match="batch was collated for"):
        model(**tokens, syntax=collate([the_cat], tokens, SlaSettings(threshold=4)))
    other = tokens_of("bert", [it_rained])
    with pytest.raises(DataError, match="does not fit an input of 1 texts"):
        model(**tokens, syntax=collate([it_rained], other, SlaSettings()))
    with pytest.raises(SettingsError, match="no variant"):
        syntax_of(fresh("bert"))
    with pytest.raises(SettingsError, match="cannot be attached to a GPT2Model"):
        attach(
            transformers.GPT2Model(transformers.GPT2Config(n_layer=1, n_embd=8, n_head=1)),
            SlaSettings(),
        )
    with pytest.raises(SettingsError, match="no encoder"):
        attach(nn.Linear(2, 2), SlaSettings())
    decoder = fresh("bert").config
    decoder.is_decoder = True
    with pytest.raises(SettingsError, match="is a decoder"):
        attach(transformers.BertModel(decoder), SlaSettings())


def test_a_variant_that_is_passed_by_says_so(
    fresh: Fresh, tokens_of: Tokens, the_cat: Structure
) -> None:
    settings = SlaSettings()
    model = attach(fresh("bert"), settings)
    tokens = tokens_of("bert", [the_cat])
    model.set_attn_implementation("sdpa")
    with pytest.raises(ModelError, match="never called"):
        model(**tokens, syntax=collate([the_cat], tokens, settings))
    assert syntax_of(model).batch is None


@pytest.mark.parametrize(
    ("settings", "base", "large"),
    [
        (SlaSettings(), 9_228, 24_600),
        (WlaSettings(), 9_228, 24_600),
        (LisaSettings(), 0, 0),
        (LisaSettings(form="replace"), 589_824, 1_572_864),
        (SgNetSettings(), 7_087_872 + 3, 12_596_224 + 3),
        (SgNetSettings(layers=3), 3 * 7_087_872 + 3, 3 * 12_596_224 + 3),
        (SyntaxBertSettings(), 1_180_416, 2_098_176),
        (SyntaxBertSettings(share_topical=False), 12 * 1_180_416, 24 * 2_098_176),
        (SyntaxBertSettings(lisa=LisaSettings(form="replace")), 1_180_416 + 589_824, None),
        (SyntaxBertSettings(mixing="mean"), 0, 0),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, SyntaxSettings) else str(value),
)
def test_parameters_are_as_many_as_the_papers_say(
    settings: SyntaxSettings, base: int, large: int | None
) -> None:
    configs = {
        base: transformers.BertConfig(),
        large: transformers.BertConfig(
            hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096
        ),
    }
    for wanted, config in configs.items():
        if wanted is None:
            continue
        with torch.device("meta"):
            model = attach(transformers.BertModel(config), settings)
        assert sum(parameter.numel() for parameter in syntax_of(model).parameters()) == wanted


@pytest.mark.parametrize("settings", VARIANTS, ids=lambda s: type(s).__name__)
def test_one_word_and_four_hundred(
    settings: SyntaxSettings, fresh: Fresh, tokens_of: Tokens
) -> None:
    one = Structure(("It",), (0,), (Tree.parse("(S (NP (PRP It)))"),))
    words = ("cat",) * 400
    flat = Tree.parse("(S " + " ".join("(NN cat)" for _ in words) + ")")
    many = Structure(words, (0, *range(1, 400)), (flat,))
    model = attach(fresh("bert"), settings)
    tokens = tokens_of("bert", [one, many])
    found = states(model, tokens, syntax=collate([one, many], tokens, settings))
    assert found.isfinite().all()
