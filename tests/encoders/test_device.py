"""The device of a network: what is named, else what is there; one that is not there is refused."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from bnaparser.encoders import device as module
from bnaparser.encoders.device import (
    check_device,
    choose_device,
    move,
    prepare_device,
    training_precision,
)
from bnaparser.errors import ModelError


@pytest.mark.parametrize(("gpu", "chosen"), [(True, "cuda"), (False, "cpu")])
def test_what_is_not_named_is_the_best_there_is(
    monkeypatch: pytest.MonkeyPatch, gpu: bool, chosen: str
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    assert choose_device(None) == chosen
    assert choose_device("cpu") == "cpu"
    assert choose_device("cuda:1") == "cuda:1"


@pytest.mark.parametrize("name", ["cuda:99", "nowhere"])
def test_a_device_that_is_not_there_is_refused_in_one_sentence(name: str) -> None:
    network = nn.Linear(1, 1)
    with pytest.raises(ModelError, match=f"cannot use the device '{name}': ") as raised:
        move(network, name)
    assert "\n" not in str(raised.value)
    with pytest.raises(ModelError, match=f"cannot use the device '{name}': "):
        check_device(name)
    move(network, "cpu")
    check_device("cpu")
    check_device(None)


def test_a_gpu_does_not_plan_its_attention_anew_for_each_shape_of_a_batch() -> None:
    enabled = torch._C._get_cudnn_sdp_enabled
    kept = enabled()
    try:
        torch.backends.cuda.enable_cudnn_sdp(True)
        prepare_device("cpu")
        assert enabled()
        prepare_device("cuda:1")
        assert not enabled()
    finally:
        torch.backends.cuda.enable_cudnn_sdp(kept)


@pytest.mark.parametrize(
    ("asked", "has_bfloat16", "computes", "said"),
    [
        ("bf16", True, "bf16", ""),
        ("bf16", False, "no", "cannot multiply bfloat16 numbers"),
        ("fp16", True, "no", "cannot multiply float16 numbers"),
        ("no", False, "no", ""),
    ],
)
def test_what_a_cpu_does_not_compute_in_is_left_aside_and_said(
    asked: str,
    has_bfloat16: bool,
    computes: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(module, "cpu_has_bfloat16", lambda: has_bfloat16)
    assert training_precision(asked, "cuda") == asked
    assert not caplog.text
    assert training_precision(asked, "cpu") == computes
    assert said in caplog.text and bool(caplog.text) == bool(said)
