"""Text that is not trained on, and what the objectives lose on it."""

from __future__ import annotations

import torch

from bnaparser.encoders.batching import batches_by_length
from bnaparser.spanbert.blocks import evenly
from bnaparser.spanbert.pretrain_batch import collate_examples
from bnaparser.spanbert.pretrain_settings import PretrainSettings
from bnaparser.spanbert.pretrain_setup import Pretraining


@torch.no_grad()
def held_out_losses(parts: Pretraining, settings: PretrainSettings, kind: int) -> dict[str, float]:
    """Return the mean -log P a target of each objective on held-out blocks, at most as many as set.

    Their masks are always the same. Without held-out blocks there is nothing to tell.
    """
    masker = parts.held_out
    if len(masker.numbers) == 0:
        return {}
    numbers = evenly(masker.numbers, settings.held_out_blocks)
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
