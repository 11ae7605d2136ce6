"""Text that is not trained on, and what the objectives lose on it."""

from __future__ import annotations

import math

import torch

from bnaparser.encoders.batching import batches_by_length
from bnaparser.spanbert.blocks import evenly
from bnaparser.spanbert.pretrain_batch import collate_examples
from bnaparser.spanbert.pretrain_settings import PretrainSettings
from bnaparser.spanbert.pretrain_setup import Pretraining

FEW_BLOCKS = 10  # held-out blocks with less than these tell little


@torch.no_grad()
def held_out_losses(parts: Pretraining, settings: PretrainSettings, kind: int) -> dict[str, float]:
    """Return the mean -log P a target of each objective on held-out blocks, at most as many as set.

    Their masks are always the same. Without held-out blocks there is nothing to tell.
    """
    masker = parts.held_out
    if len(masker.numbers) == 0:
        return {}
    numbers = evenly(masker.numbers, settings.dev_blocks)
    parts.model.eval()
    examples = [masker.example(int(number), (0, kind)) for number in numbers]
    totals = torch.zeros(3, dtype=torch.float64)
    for part in batches_by_length([one.size for one in examples], settings.batch_tokens):
        chosen = [examples[index] for index in part]
        batch = collate_examples(chosen, parts.frame, parts.padding, parts.segments)
        losses = parts.model(batch.to(parts.device))
        totals += torch.stack([loss.double().cpu() for loss in losses])
    parts.model.train()
    counts = {
        "words": sum(one.masked_subwords for one in examples),
        "boundaries": sum(one.boundary_targets for one in examples),
        "next_sentence": sum(len(one.originals) == 2 for one in examples),
    }
    found = zip(counts.items(), totals.tolist(), strict=True)
    return {f"held_out_{name}": total / count for (name, count), total in found if count}


def held_out_advice(trained: int, held_out: int, share: float) -> str | None:
    """Return what to say of a text of which too little is held out to judge a run by, or None.

    Args:
        trained: the number of blocks that are trained on.
        held_out: the number of blocks that are held out.
        share: ``text.dev_ratio``.
    """
    if share == 0 or held_out >= FEW_BLOCKS:
        return None
    blocks = trained + held_out
    if held_out == 0:
        return f"no text is held out: the text is {_blocks(blocks)}, and at least two are needed"
    told = f"only {_blocks(held_out)} of {blocks:,} held out (text.dev_ratio = {share:g}): the losses vary much"
    if blocks < 2 * FEW_BLOCKS:
        return f"{told}; more text is needed"
    return f"{told}; text.dev_ratio = {math.ceil(100 * FEW_BLOCKS / blocks) / 100:g} holds out about {FEW_BLOCKS}"


def _blocks(number: int) -> str:
    return f"{number:,} block{'s' if number > 1 else ''}"
