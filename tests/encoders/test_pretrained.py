"""Word vectors from every kind of encoder: gathered from the right subwords, whatever the batch."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from bnaparser.encoders.encoder_settings import EncoderSettings, max_positions
from bnaparser.encoders.loading import (
    build_pretrained,
    load_pretrained,
    load_tokenizer,
)
from bnaparser.encoders.pretrained import SHARING_TYPES, PretrainedEncoder
from bnaparser.encoders.subwords import MISSING, Subwords, Window
from bnaparser.errors import ModelError, SettingsError

SENTENCES = [
    ["the", "zebra", "sat", "under", "the", "unaffable", "bridge", "."],
    ["she", "sang"],
    ["Mira", "\x07", "waited"],
]
# Their last hidden state is normed once more, those below it are not.
NORMED_AT_THE_END = {"modernbert", "t5"}


def build(folder: Path, **settings: Any) -> tuple[PretrainedEncoder, Subwords]:
    torch.manual_seed(1)
    model = load_pretrained(folder, settings.pop("attention", None))
    encoder = PretrainedEncoder(model, EncoderSettings(**settings)).eval()
    return encoder, Subwords(load_tokenizer(folder), max_positions(model.config), 510)


def read(window: Window, kind: str) -> dict[str, torch.Tensor]:
    """What an encoder is given for one window; XLNet with the segments that its tokenizer gives."""
    given = {"input_ids": torch.from_numpy(window.ids)[None]}
    if kind == "xlnet":
        given["token_type_ids"] = torch.tensor([[0] * (len(window.ids) - 1) + [2]])
    return given


@torch.no_grad()
def test_a_vector_is_the_encoders_at_the_words_last_subword(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    encoder, subwords = build(encoder_folder(encoder_kind))
    for sentence in SENTENCES:
        ((window,),) = subwords.windows([sentence])
        vectors = encoder([window])[0]
        assert vectors.shape == (len(sentence) + 2, encoder.width)
        hidden = encoder.model(**read(window, encoder_kind)).last_hidden_state[0]
        for position, (vector, last) in enumerate(zip(vectors, window.last, strict=True)):
            if last != MISSING:
                assert torch.allclose(vector, hidden[last], atol=1e-5)
                continue
            row = {0: 0, len(sentence) + 1: 1}.get(position, 2)
            assert torch.equal(vector, encoder.missing[row])
    starts = [window.last[0] == MISSING for (window,) in subwords.windows(SENTENCES)]
    assert starts == [encoder_kind == "t5"] * 3


@torch.no_grad()
def test_a_batch_gives_what_single_sentences_give(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    encoder, subwords = build(encoder_folder(encoder_kind))
    windows = [window for (window,) in subwords.windows([*SENTENCES, ["the"] * 40])]
    together = encoder(windows)
    for row, window in enumerate(windows):
        alone = encoder([window])[0]
        torch.testing.assert_close(together[row, : len(alone)], alone, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_sentences_that_share_a_row_do_not_see_each_other(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    encoder, subwords = build(encoder_folder(encoder_kind))
    windows = [window for (window,) in subwords.windows([["the"] * n for n in (40, 9, 3, 1, 17)])]
    seen = []
    encoder.model.register_forward_pre_hook(
        lambda _, __, given: seen.append(given["input_ids"]), with_kwargs=True
    )
    shared = encoder(windows)
    assert encoder.shares_rows == (encoder.model.config.model_type in SHARING_TYPES)
    assert (len(seen[0]) < len(windows)) == encoder.shares_rows
    encoder.shares_rows = False
    for row, window in enumerate(windows):
        alone = encoder([window])[0]
        torch.testing.assert_close(shared[row, : len(alone)], alone, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_the_mark_of_padding_as_a_word_takes_a_place_alone_and_in_any_batch(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    encoder, subwords = build(encoder_folder(encoder_kind))
    mark = subwords.tokenizer.pad_token
    spoken_of = ["the", mark, "zebra", "sat"]
    windows = [one for (one,) in subwords.windows([spoken_of, *SENTENCES, 4 * SENTENCES[0]])]
    assert subwords.tokenizer.pad_token_id in windows[0].ids
    expected = encoder(windows[:1])[0]
    torch.testing.assert_close(encoder(windows)[0, : len(expected)], expected, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_a_window_may_be_as_long_as_the_encoder_allows(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    encoder, subwords = build(encoder_folder(encoder_kind))
    limit = max_positions(encoder.model.config)
    assert limit == (1024 if encoder_kind == "modernbert" else 512)
    subwords.max_words = 2000
    windows = subwords.windows([["the"] * (limit + 1)])[0]
    assert len(windows) == 2
    assert len(windows[0].ids) == limit
    assert encoder(windows[:1]).isfinite().all()


@torch.no_grad()
def test_mixed_layers_are_the_weighted_sum_of_all(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    encoder, subwords = build(encoder_folder(encoder_kind), mix_layers=True)
    encoder.mix_weights.copy_(torch.tensor([0.5, -1.0, 2.0]))
    encoder.mix_gamma.fill_(1.5)
    ((window,),) = subwords.windows([SENTENCES[1]])
    given = read(window, encoder_kind)
    layers = encoder.model(**given, output_hidden_states=True).hidden_states
    shares = torch.tensor([0.5, -1.0, 2.0]).exp()
    mixed = sum(1.5 * s / shares.sum() * layer[0] for s, layer in zip(shares, layers, strict=True))
    torch.testing.assert_close(encoder([window])[0, 1], mixed[window.last[1]], atol=1e-5, rtol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("kind", ["ConvBert", "SqueezeBert", "Luke", "FNet", "MobileBert"])
def test_unusual_encoders_give_a_sentence_the_same_vectors_in_any_batch(
    encoder_folder: Callable[[str], Path], kind: str
) -> None:
    """They look at padding, have a pooler that must be called, or count positions from 1 or 2."""
    subwords = Subwords(load_tokenizer(encoder_folder("bert")), 512, 510)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
             "intermediate_size": 32, "max_position_embeddings": 64}  # fmt: skip
    own: dict[str, dict[str, Any]] = {
        "SqueezeBert": {"embedding_size": 32},
        "Luke": {"entity_emb_size": 32, "entity_vocab_size": 9},
        "MobileBert": {"true_hidden_size": 32, "intra_bottleneck_size": 32,
                       "normalization_type": "layer_norm"},
    }  # fmt: skip
    torch.manual_seed(1)
    config = getattr(transformers, f"{kind}Config")(vocab_size=300, **sizes, **own.get(kind, {}))
    model = getattr(transformers, f"{kind}Model")(config)
    model.get_input_embeddings().weight[config.pad_token_id] = 1.0  # 0 at first, in no trained one
    encoder = PretrainedEncoder(model, EncoderSettings()).eval()
    windows = [window for (window,) in subwords.windows([*SENTENCES, ["the"] * 20])]
    together = encoder(windows)
    for row, window in enumerate(windows):
        alone = encoder([window])[0]
        torch.testing.assert_close(together[row, : len(alone)], alone, atol=1e-5, rtol=1e-5)
    limit = max_positions(config)
    full = Subwords(subwords.tokenizer, limit, 510).windows([["the"] * 100])[0][0]
    assert len(full.ids) == limit
    assert encoder([full]).isfinite().all()


def test_gradients_reach_encoder_mix_and_missing_vectors(
    encoder_folder: Callable[[str], Path],
) -> None:
    encoder, subwords = build(encoder_folder("t5"), mix_layers=True)
    windows = [window for (window,) in subwords.windows(SENTENCES)]
    encoder(windows).square().sum().backward()
    for tensor in (encoder.mix_weights, encoder.mix_gamma, encoder.model.shared.weight):
        assert tensor.grad is not None and tensor.grad.abs().sum() > 0
    assert encoder.missing.grad is not None and encoder.missing.grad[0].abs().sum() > 0


def test_a_dropout_that_is_set_replaces_all_of_the_encoders_own(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    """Some encoders keep a probability as a number beside their dropout modules."""
    encoder, subwords = build(encoder_folder(encoder_kind), dropout=0.0)
    windows = [window for (window,) in subwords.windows(SENTENCES)]
    in_training = encoder.train()(windows)
    assert torch.equal(in_training, encoder.train()(windows))
    torch.testing.assert_close(in_training, encoder.eval()(windows), atol=1e-5, rtol=1e-5)
    dropping, _ = build(encoder_folder(encoder_kind), dropout=0.5)
    assert not torch.equal(dropping.train()(windows), dropping.train()(windows))


@torch.no_grad()
def test_the_attention_that_is_asked_for_is_taken_and_gives_the_same(
    encoder_folder: Callable[[str], Path],
) -> None:
    eager, subwords = build(encoder_folder("bert"), attention="eager")
    fused, _ = build(encoder_folder("bert"), attention="sdpa")
    assert eager.model.config._attn_implementation == "eager"
    windows = [window for (window,) in subwords.windows(SENTENCES)]
    torch.testing.assert_close(eager(windows), fused(windows), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("load", [load_tokenizer, load_pretrained])
def test_a_folder_that_holds_no_encoder_is_refused(
    load: Callable[[Path], object], tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="cannot load"):
        load(tmp_path)
    with pytest.raises(ModelError, match="ENCODER in a recipe stands for your encoder"):
        load(Path("ENCODER"))


def test_an_encoder_that_is_built_for_stored_weights_draws_none(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    """A stored ModernBERT took ten seconds to load, for random weights that nobody saw."""
    config = load_pretrained(encoder_folder(encoder_kind)).config
    before = torch.get_rng_state()
    build_pretrained(config)
    assert torch.equal(torch.get_rng_state(), before)


def test_an_encoder_that_is_cut_short_is_refused_in_one_sentence(
    encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / "encoder"
    shutil.copytree(encoder_folder("bert"), folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ModelError, match="cannot load the encoder") as raised:
        load_pretrained(folder)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("load", [load_tokenizer, load_pretrained])
def test_code_in_a_folder_is_not_run(
    load: Callable[[Path], object], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    trace = tmp_path / "was-run"
    code = f"open({str(trace)!r}, 'w').close()\nclass Own: pass\n"
    (tmp_path / "own.py").write_text(code, encoding="utf-8")
    names = {"AutoConfig": "own.Own", "AutoModel": "own.Own", "AutoTokenizer": ["own.Own", None]}
    config = {"model_type": "own", "auto_map": names, "tokenizer_class": "Own"}
    for name in ("config.json", "tokenizer_config.json"):
        (tmp_path / name).write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ModelError):
        load(tmp_path)
    assert not trace.exists()


@torch.no_grad()
def test_the_lower_layers_alone_are_those_of_the_whole_encoder(
    encoder_folder: Callable[[str], Path], encoder_kind: str
) -> None:
    folder = encoder_folder(encoder_kind)
    whole, lower = load_pretrained(folder).eval(), load_pretrained(folder, layers=1).eval()
    ids = torch.tensor([[5, 6, 7, 8]])
    hidden = whole(input_ids=ids, output_hidden_states=True).hidden_states
    below = lower(input_ids=ids, output_hidden_states=True).hidden_states
    assert len(below) == 2 < len(hidden)
    torch.testing.assert_close(below[0], hidden[0])
    if encoder_kind not in NORMED_AT_THE_END:
        torch.testing.assert_close(below[1], hidden[1])
    assert sum(p.numel() for p in lower.parameters()) < sum(p.numel() for p in whole.parameters())
    with pytest.raises(SettingsError, match=r"encoder\.layers is 3, but the encoder has 2 layers"):
        load_pretrained(folder, layers=3)


@pytest.mark.parametrize(
    "content", [b"", b"version https://git-lfs.github.com/spec/v1\n", b"\x80\x04"]
)
def test_a_damaged_pytorch_model_bin_is_refused_in_one_sentence(
    encoder_folder: Callable[[str], Path], tmp_path: Path, content: bytes
) -> None:
    """Where there are no safetensors; a Git LFS pointer was a traceback."""
    folder = shutil.copytree(encoder_folder("bert"), tmp_path / "encoder")
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(content)
    with pytest.raises(ModelError, match="cannot load the encoder") as raised:
        load_pretrained(folder)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("values", [{"num_hidden_layers": "two"}, {"hidden_size": None}])
def test_settings_of_an_encoder_that_cannot_be_are_refused(
    encoder_folder: Callable[[str], Path], tmp_path: Path, values: dict[str, object]
) -> None:
    folder = shutil.copytree(encoder_folder("bert"), tmp_path / "encoder")
    table = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**table, **values}), encoding="utf-8")
    with pytest.raises(ModelError, match="cannot load the encoder"):
        load_pretrained(folder)


@torch.no_grad()
def test_a_sentence_without_any_subword_has_vectors(
    encoder_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """Where the tokenizer puts no marks around it either, the encoder was given nothing, and failed."""
    folder = shutil.copytree(encoder_folder("bert"), tmp_path / "encoder")
    for name, key, value in (
        ("tokenizer.json", "post_processor", None),
        ("tokenizer_config.json", "tokenizer_class", "PreTrainedTokenizerFast"),
    ):
        table = json.loads((folder / name).read_text(encoding="utf-8"))
        (folder / name).write_text(json.dumps({**table, key: value}), encoding="utf-8")
    encoder, subwords = build(folder)
    ((window,),) = subwords.windows([["\x07", "\u0301"]])
    start, stop, unread = encoder.missing
    assert torch.equal(encoder([window])[0], torch.stack([start, unread, unread, stop]))


def test_layers_without_weights_are_told(
    encoder_folder: Callable[[str], Path],
    encoder_kind: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A parser was trained on random layers, and nobody knew."""
    load_pretrained(encoder_folder(encoder_kind))
    assert "at random" not in caplog.text
    if encoder_kind == "bert":
        folder = shutil.copytree(encoder_folder("bert"), tmp_path / "encoder")
        table = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        (folder / "config.json").write_text(json.dumps({**table, "num_hidden_layers": 3}))
        load_pretrained(folder)
        assert "no weights for encoder.layer.2.attention" in caplog.text
