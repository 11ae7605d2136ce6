"""Blocks on their way to the network: what is masked anew, what never is, what stands where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accelerate import Accelerator
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from bnaparser.spanbert.batch import (
    Frame,
    MaskedExample,
    Masker,
    collate_examples,
    frame_of,
    random_subwords,
)
from bnaparser.spanbert.masking import budget
from bnaparser.spanbert.pretraining import PretrainRun, held_out_losses
from bnaparser.spanbert.settings import PretrainRecipe

MakeRecipe = Callable[..., PretrainRecipe]
KINDS = ["bert", "distilbert", "roberta", "mpnet", "electra", "deberta", "modernbert", "xlnet"]


@pytest.fixture
def run(make_recipe: MakeRecipe, tmp_path: Path) -> Callable[..., PretrainRun]:
    """A function from what `make_recipe` takes to a run that has not begun."""

    def make(kind: str = "bert", **tables: dict[str, object]) -> PretrainRun:
        return PretrainRun(make_recipe(kind, **tables), tmp_path / "run", Accelerator(cpu=True))

    return make


def test_the_frame_stands_around_letters_of_several_subwords() -> None:
    """Only the first subword of a letter was told from what stands around it."""
    backend = Tokenizer(models.Unigram([("<unk>", 0.0), ("<s>", 0.0), ("▁", -1.0), ("a", -1.0)], 0))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A <s>", pair="<s> $A <s> <s> $B <s>", special_tokens=[("<s>", 1)]
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="<unk>")
    assert tokenizer("a")["input_ids"] == [1, 2, 3, 1]
    assert frame_of(tokenizer, False) == Frame((1,), (), (1,))
    assert frame_of(tokenizer, True) == Frame((1,), (1, 1), (1,))


@pytest.mark.parametrize("two", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_special_subwords_are_never_masked_and_are_no_boundaries(
    run: Callable[..., PretrainRun], kind: str, two: bool
) -> None:
    parts = run(kind, objectives={"next_sentence": two}, masking={"mask_probability": 0.4}).parts
    examples = [parts.masker.example(int(n), (1, 0, 0)) for n in parts.masker.numbers[:8]]
    batch = collate_examples(examples, parts.frame, parts.padding, parts.segments)
    ids = batch.input["input_ids"].numpy()
    inside = np.zeros(ids.shape, np.bool_)
    for row, one in enumerate(examples):
        place = 0
        for original, special in zip(
            one.originals, (parts.frame.before, parts.frame.between), strict=False
        ):
            assert ids[row, place : place + len(special)].tolist() == list(special)
            place += len(special)
            inside[row, place : place + len(original)] = True
            place += len(original)
        after = list(parts.frame.after)
        assert ids[row, place : place + len(after)].tolist() == after
        assert batch.input["attention_mask"][row].sum().item() == place + len(after)
    assert len(batch.whole) == (len(examples) if two else 0)
    if parts.frame.before or parts.frame.after:  # ModernBERT's kind here adds no special subwords
        assert set(ids.flat[batch.whole.numpy()]) <= {parts.tokenizer.cls_token_id}
    for places in (batch.masked, batch.left, batch.right):
        assert inside.flat[places.numpy()].all()
    unmasked = ids.copy()
    unmasked.flat[batch.masked.numpy()] = batch.words.numpy()
    told = np.concatenate([original for one in examples for original in one.originals])
    assert unmasked[inside].tolist() == told.tolist()
    changed = (ids != unmasked).flat
    assert set(np.flatnonzero(changed)) <= set(batch.masked.tolist())


def test_random_subwords_are_drawn_as_often_as_the_text_has_them(
    run: Callable[..., PretrainRun],
) -> None:
    blocks = run().parts.masker.blocks
    ids = np.concatenate([row["ids"] for row in blocks.table])
    counts = np.bincount(ids, minlength=len(blocks.cumulative))
    drawn = random_subwords(blocks.cumulative, np.random.default_rng(1), 300_000)
    found = np.bincount(drawn, minlength=len(counts))
    told = 300_000 * counts / counts.sum()
    assert np.all(np.abs(found - told) <= 5 * np.sqrt(told))
    assert found[counts == 0].sum() == 0


def test_a_block_is_masked_anew_each_time_it_is_seen(run: Callable[..., PretrainRun]) -> None:
    masker = run().parts.masker
    number = int(masker.numbers[0])

    def places(epoch: int, seed: int = 1) -> list[int]:
        (masked,) = masker.example(number, (seed, 0, epoch)).masked
        return [int(place) for place in masked.places]

    assert places(0) == places(0)
    assert len({tuple(places(epoch)) for epoch in range(6)}) > 3
    assert [places(epoch) for epoch in range(4)] != [places(epoch, 2) for epoch in range(4)]


def test_each_of_two_segments_has_a_budget_of_its_own(run: Callable[..., PretrainRun]) -> None:
    masker = run(objectives={"next_sentence": True}).parts.masker
    for number in masker.numbers:
        one = masker.example(int(number), (1, 0, 0))
        for original, masked in zip(one.originals, one.masked, strict=True):
            assert len(masked.places) == budget(len(original), 0.15)


def test_held_out_text_is_never_a_second_segment_of_training(
    run: Callable[..., PretrainRun],
) -> None:
    """It was drawn as one at random, and its masked words were trained on."""
    parts = run(objectives={"next_sentence": True}).parts
    table = parts.masker.blocks.table
    texts = {tuple(table[int(number)]["ids"]) for number in parts.held_out.numbers}
    trained = {tuple(table[int(number)]["ids"]) for number in parts.masker.numbers}
    for epoch in range(10):
        for number in parts.masker.numbers:
            second = parts.masker.example(int(number), (1, 0, epoch)).originals[1]
            assert tuple(second.tolist()) not in texts - trained
        for number in parts.held_out.numbers:
            second = parts.held_out.example(int(number), (0, 1, epoch)).originals[1]
            assert tuple(second.tolist()) in texts


def test_losses_of_held_out_text_read_nothing_else(
    run: Callable[..., PretrainRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The masker of the training text drew the second segments, from what is trained on."""
    whole = run(objectives={"next_sentence": True})
    asked: list[Masker] = []
    example = Masker.example

    def seen(masker: Masker, *place: Any) -> MaskedExample:
        asked.append(masker)
        return example(masker, *place)

    monkeypatch.setattr(Masker, "example", seen)
    assert held_out_losses(whole.parts, whole.settings, 1)["held_out_next_sentence"] > 0
    assert asked and all(one is whole.parts.held_out for one in asked)
