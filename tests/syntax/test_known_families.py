"""The families that are named: each is guided, all others are refused with their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from bnaparser.errors import SettingsError
from bnaparser.syntax.attachment import KNOWN, attach, syntax_of
from bnaparser.syntax.batch import collate
from bnaparser.syntax.families.interface import weighed
from bnaparser.syntax.masks import SyntaxSettings
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants.lisa import LisaSettings
from bnaparser.syntax.variants.sgnet import SgNet, SgNetSettings
from bnaparser.syntax.variants.sla import Sla, SlaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBertSettings
from bnaparser.tasks.network import TaskNetwork
from bnaparser.tasks.settings import TaskModelSettings

SIZES = {
    "vocab_size": 60,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "initializer_range": 0.2,
    "pad_token_id": 0,
}
T5_SIZES = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2}
SPECIAL: dict[str, dict[str, Any]] = {
    "albert": {"embedding_size": 16},
    "convbert": {"embedding_size": 32, "conv_kernel_size": 3},
    "distilbert": {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64},
    "electra": {"embedding_size": 32},
    "longformer": {"attention_window": 4},
    "mobilebert": {
        "embedding_size": 16,
        "intra_bottleneck_size": 16,
        "normalization_type": "layer_norm",
    },
    "mt5": T5_SIZES,
    "roformer": {"embedding_size": 32},
    "t5": T5_SIZES,
    "umt5": T5_SIZES,
    "xmod": {"languages": ["en"], "default_language": "en"},
}
WORDS = SyntaxTrees(tuple("abcdefgh"), (0, 1, 2, 3, 4, 5, 6, 7))
IDS = torch.tensor([[5, 6, 7, 8, 9, 10, 11, 12]])
PIECES = [[*range(8)]]


def tiny(kind: str, **more: Any) -> Any:
    torch.manual_seed(0)
    if kind == "xlnet":
        config = transformers.XLNetConfig(vocab_size=60, d_model=32, n_layer=2, n_head=2)
    else:
        config = transformers.AutoConfig.for_model(kind, **(SIZES | SPECIAL.get(kind, {}) | more))
    encoders = {"t5": "T5EncoderModel", "mt5": "MT5EncoderModel", "umt5": "UMT5EncoderModel"}
    if kind in encoders:
        return getattr(transformers, encoders[kind])(config).eval()
    return transformers.AutoModel.from_config(config).eval()


@pytest.mark.parametrize("kind", sorted(KNOWN))
def test_closed_gates_are_the_plain_encoder_and_open_ones_another(kind: str) -> None:
    model, settings = tiny(kind), SlaSettings(threshold=0, gate_bias=-1e4)

    def states(**more: Any) -> torch.Tensor:
        seen = torch.ones_like(IDS)
        with torch.no_grad():
            found: torch.Tensor = model(input_ids=IDS, attention_mask=seen, **more)[0]
        return found

    plain = states()
    attach(model, settings)
    batch = collate([WORDS], {"input_ids": IDS}, settings, PIECES)
    assert torch.allclose(states(), plain, atol=1e-5)
    assert torch.allclose(states(syntax=batch), plain, atol=1e-5)
    syntax = syntax_of(model)
    assert isinstance(syntax, Sla) and syntax.calls == 2
    for gate in syntax.gates:
        torch.nn.init.constant_(gate.bias, 1e4)  # type: ignore[arg-type]
    assert not torch.allclose(states(syntax=batch), plain, atol=1e-2)


@pytest.mark.parametrize("kind", sorted(KNOWN))
def test_layers_stand_on_top_of_all(kind: str) -> None:
    model = attach(tiny(kind), SgNetSettings())
    batch = collate([WORDS], {"input_ids": IDS}, SgNetSettings(), PIECES)
    seen = torch.ones_like(IDS)
    with torch.no_grad():
        plain = model(input_ids=IDS, attention_mask=seen)[0]
        guided = model(input_ids=IDS, attention_mask=seen, syntax=batch)[0]
    assert not torch.allclose(plain, guided, atol=1e-2)


@pytest.mark.parametrize("kind", sorted(KNOWN))
def test_a_task_is_learned_on_each(kind: str) -> None:
    """ALBERT and BigBird had lost their pooler, and failed on what follows it."""
    table = {"encoder": {"name": kind}, "syntax": {"sla": {}}}
    settings = TaskModelSettings.model_validate(table)
    network = TaskNetwork(tiny(kind), settings, outputs=2)
    batch = collate([WORDS], {"input_ids": IDS}, SlaSettings(), PIECES)
    found = network(IDS, torch.ones_like(IDS), syntax=batch, labels=torch.tensor([1]))
    found["loss"].backward()
    for parameter in network.new_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all()


@pytest.mark.parametrize("groups", [2, 1])
@pytest.mark.parametrize(
    "settings",
    [SlaSettings(), LisaSettings(form="replace"), SyntaxBertSettings(trees=("dependency",))],
    ids=lambda s: type(s).__name__,
)
def test_heads_that_share_keys_are_heads_with_the_same_keys(
    settings: SyntaxSettings, groups: int
) -> None:
    """EuroBERT was a traceback where several heads have one key."""
    sizes = {"num_attention_heads": 4, "head_dim": 8}
    sharing = tiny("eurobert", num_key_value_heads=groups, **sizes)
    alone = tiny("eurobert", num_key_value_heads=4, **sizes)
    each_head = {
        name: weight.unflatten(0, (groups, 8)).repeat_interleave(4 // groups, dim=0).flatten(0, 1)
        if "k_proj" in name or "v_proj" in name
        else weight
        for name, weight in sharing.state_dict().items()
    }
    alone.load_state_dict(each_head)
    batch = collate([WORDS], {"input_ids": IDS}, settings, PIECES)
    found = []
    for model in (sharing, alone):
        torch.manual_seed(1)
        attach(model, settings)
        with torch.no_grad():
            found.append(model(input_ids=IDS, syntax=batch)[0])
    assert torch.allclose(found[0], found[1], atol=1e-5)


@pytest.mark.parametrize(("heads", "d_kv", "found"), [(3, 8, 4), (3, 12, 2), (3, 64, 1), (4, 4, 4)])
def test_layers_on_top_have_heads_that_divide_the_width(heads: int, d_kv: int, found: int) -> None:
    """Small T5s, 6 heads of 64 in 512, were a traceback."""
    model = attach(tiny("t5", num_attention_heads=heads, d_kv=d_kv), SgNetSettings())
    syntax = syntax_of(model)
    assert isinstance(syntax, SgNet)
    assert syntax.layers.config.num_attention_heads == found
    batch = collate([WORDS], {"input_ids": IDS}, SgNetSettings(), PIECES)
    with torch.no_grad():
        assert model(input_ids=IDS, syntax=batch)[0].isfinite().all()


def test_markuplms_padding_is_not_seen() -> None:
    """It marks padding with -10000, which was taken for a weight."""
    settings = SyntaxBertSettings(trees=("dependency",), mask_mode="multiply")
    model = attach(tiny("markuplm"), settings)

    def states(padding: int) -> torch.Tensor:
        tokens = {
            "input_ids": torch.nn.functional.pad(IDS, (0, padding)),
            "attention_mask": torch.nn.functional.pad(torch.ones_like(IDS), (0, padding)),
        }
        batch = collate([WORDS], tokens, settings, [[*range(8), *[None] * padding]])
        with torch.no_grad():
            found: torch.Tensor = model(**tokens, syntax=batch)[0][:, :8]
        return found

    assert torch.allclose(states(0), states(5), atol=1e-5)
    for kind in (torch.float32, torch.float16, torch.bfloat16):
        allowed, scores = weighed(torch.tensor([0, -1.5, -1e4], dtype=kind), torch.zeros(3))
        assert allowed is not None and allowed.tolist() == [True, True, False]
        assert scores.tolist() == [0, -1.5, 0]


def test_others_are_refused_with_the_names_of_those_that_work() -> None:
    config = transformers.FNetConfig(
        vocab_size=60, hidden_size=32, num_hidden_layers=1, intermediate_size=64
    )
    with pytest.raises(SettingsError) as raised:
        attach(transformers.FNetModel(config), SlaSettings())
    assert "cannot be attached to a FNetModel" in str(raised.value)
    assert all(name in str(raised.value) for name in KNOWN.values())
    # Built as BERT is, and yet not known.
    config = transformers.BertConfig(**SIZES)
    config.model_type = "new-bert"
    with pytest.raises(SettingsError, match="cannot be attached to a BertModel"):
        attach(transformers.BertModel(config), SlaSettings())


def test_the_page_on_syntax_names_them_all() -> None:
    page = (Path(__file__).parents[2] / "docs" / "syntax.md").read_text(encoding="utf-8")
    for name in KNOWN.values():
        kind = name.removeprefix("the encoder of ").partition(" (")[0]
        assert kind in page, name


def test_a_longformer_with_global_attention_takes_no_syntax() -> None:
    settings = SlaSettings()
    model = attach(tiny("longformer"), settings)
    batch = collate([WORDS], {"input_ids": IDS}, settings, PIECES)
    everywhere = torch.tensor([[1, 0, 0, 0, 0, 0, 0, 0]])
    with torch.no_grad():
        wanted = tiny("longformer")(input_ids=IDS, global_attention_mask=everywhere)[0]
        found = model(input_ids=IDS, global_attention_mask=everywhere)[0]
        assert torch.allclose(found, wanted, atol=1e-5)
    with pytest.raises(SettingsError, match="does not support global_attention_mask"):
        model(input_ids=IDS, global_attention_mask=everywhere, syntax=batch)


def test_generate_takes_the_batch() -> None:
    """It was refused as an argument that the model does not know."""
    config = transformers.T5Config(
        vocab_size=60, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1, **T5_SIZES
    )
    torch.manual_seed(3)
    settings = SlaSettings(threshold=0, gate_bias=1e4)
    model = attach(transformers.T5ForConditionalGeneration(config).eval(), settings)
    batch = collate([WORDS], {"input_ids": IDS}, settings, PIECES)
    options = {"max_new_tokens": 3, "num_beams": 2, "output_logits": True}
    options |= {"return_dict_in_generate": True}
    guided = model.generate(input_ids=IDS, syntax=batch, **options)
    plain = model.generate(input_ids=IDS, **options)
    assert not torch.allclose(guided.logits[0], plain.logits[0], atol=1e-3)
    encoded = model.get_encoder()(input_ids=IDS, syntax=batch)
    wanted = model.generate(encoder_outputs=encoded, **options)
    assert torch.allclose(guided.logits[0], wanted.logits[0], atol=1e-6)
