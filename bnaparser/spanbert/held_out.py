"""Text that is not trained on, and what the objectives lose on it."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from bnaparser.encoders.batching import batches_by_length
from bnaparser.spanbert.blocks import Blocks
from bnaparser.spanbert.pretrain_batch import collate_examples
from bnaparser.spanbert.pretrain_settings import PretrainSettings
from bnaparser.spanbert.pretrain_setup import Pretraining

# A seed of its own: which documents are held out does not change with the recipe's seed.
_SPLIT_SEED = 20_200_706


def split_blocks(
    blocks: Blocks, share: float, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of the blocks that are trained on, and of at most ``most`` held-out ones.

    A share of the documents is held out, drawn at random, the same for every recipe on this text;
    where there is one document only, the share is its last blocks.
    """
    documents = np.unique(blocks.documents)
    numbers = np.arange(len(blocks.documents))
    if len(documents) == 1:
        held = numbers >= len(numbers) - round(share * len(numbers))
    else:
        generator = np.random.default_rng(_SPLIT_SEED)
        count = round(share * len(documents)) or (1 if share else 0)
        chosen = generator.permutation(documents)[: min(count, len(documents) - 1)]
        held = np.isin(blocks.documents, chosen)
    kept = numbers[held]
    spread = np.linspace(0, len(kept) - 1, min(most, len(kept))).astype(np.int64)
    return numbers[~held], kept[spread] if len(kept) else kept


@torch.no_grad()
def held_out_losses(
    parts: Pretraining, numbers: NDArray[np.int64], settings: PretrainSettings, kind: int
) -> dict[str, float]:
    """Return the mean -log P a target of each objective on blocks; their masks are always the same."""
    if len(numbers) == 0:
        return {}
    parts.model.eval()
    examples = [parts.masker.example(int(number), (0, kind)) for number in numbers]
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
