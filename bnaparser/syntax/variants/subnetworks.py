"""The probabilities of all sub-networks of a kind at once (Syntax-BERT, eq. 1).

The masks of a kind (the relations and distances of one tree) never overlap: a pair of tokens has
one relation at one distance. So one matrix of their numbers holds them all, and one pass over the
scores yields the softmax of every sub-network, however many there are: an entry is divided by the
sum over the entries of its row that carry its number. Where a row of a sub-network is empty the
number does not occur; those are counted, not computed.

Shapes: B texts, A heads, T tokens, S sub-networks of the kind, from 1; 0 is none of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Kind:
    """All sub-networks of one kind: what each would give its rows.

    ``entries`` (B, A, T, T) are the probabilities of a row's entries in their own sub-network.
    ``elsewhere`` (B, A, T, S + 1) is what a row of a sub-network gives to every allowed key
    besides: 0 where masks are additive. ``subnetworks`` (B, T, T) are the entries' numbers;
    ``present`` (B, T, S) says which rows of which sub-networks have any entry.
    """

    subnetworks: Tensor
    present: Tensor
    entries: Tensor
    elsewhere: Tensor | None

    def sums(self, weights: Tensor, everywhere: Tensor | None) -> Tensor:
        """Return (B, T, S): each row's entries times ``weights`` (B, A, 1, T), over all heads.

        ``everywhere`` (B, A, 1, 1) or its like is the sum of the weights of all allowed keys.
        """
        weighted = (self.entries * weights).sum(dim=1)
        sums = weighted.new_zeros((*weighted.shape[:2], self.present.shape[-1] + 1))
        sums = sums.scatter_add(-1, self.subnetworks, weighted)
        if self.elsewhere is not None and everywhere is not None:
            sums = sums + (self.elsewhere * everywhere).sum(dim=1)
        return sums[..., 1:]

    def mixed(self, shares: Tensor) -> Tensor:
        """Return (B, A, T, T): the sub-networks' rows, weighted with ``shares`` (B, T, S)."""
        padded = torch.nn.functional.pad(shares, (1, 0))
        return self.entries * padded.gather(-1, self.subnetworks)[:, None]


def additive(scores: Tensor, subnetworks: Tensor, count: int) -> Kind:
    """Return the sub-networks whose masks take all other keys out: the softmax within each."""
    index = subnetworks[:, None].expand_as(scores)
    highest = _highest(scores, index, count, floor=-torch.inf)
    powers = (scores - highest.gather(-1, index)).exp() * (subnetworks > 0)[:, None]
    totals = _sums(powers, index, count)
    entries = powers / totals.gather(-1, index).clamp_min(1)  # the highest entry counts 1
    return Kind(subnetworks, highest[:, 0, :, 1:] > -torch.inf, entries, None)


def multiplied(scores: Tensor, subnetworks: Tensor, count: int, allowed: Tensor) -> Kind:
    """Return the sub-networks of the formula as printed: other keys keep the score 0.

    ``allowed`` (B or 1, 1, T or 1, T). An entry is what its key gets beyond the share of all.
    """
    index = subnetworks[:, None].expand_as(scores)
    highest = _highest(scores, index, count, floor=0.0)
    powers = (scores - highest.gather(-1, index)).exp() * (subnetworks > 0)[:, None]
    zero = (-highest).exp()
    members = _sums((subnetworks > 0)[:, None].expand_as(scores).to(scores.dtype), index, count)
    others = allowed.sum(dim=-1, keepdim=True) - members
    totals = _sums(powers, index, count) + others * zero
    totals = totals.clamp_min(torch.finfo(totals.dtype).tiny)  # of a padded row that sees nothing
    elsewhere = zero / totals
    entries = powers / totals.gather(-1, index) - elsewhere.gather(-1, index)
    entries = entries * (subnetworks > 0)[:, None]
    return Kind(subnetworks, members[:, 0, :, 1:] > 0, entries, elsewhere)


def _highest(scores: Tensor, index: Tensor, count: int, floor: float) -> Tensor:
    """Return the highest score of each number in each row, (B, A, T, S + 1), at least ``floor``."""
    with torch.no_grad():  # a shift: the softmax does not depend on it
        lowest = scores.new_full((*scores.shape[:-1], count + 1), floor)
        return lowest.scatter_reduce(-1, index, scores, "amax")


def _sums(values: Tensor, index: Tensor, count: int) -> Tensor:
    zeros = values.new_zeros((*values.shape[:-1], count + 1))
    return zeros.scatter_add(-1, index, values)
