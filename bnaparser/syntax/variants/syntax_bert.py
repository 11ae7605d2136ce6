"""Syntax-BERT: one sub-network for each relation and distance in a text's trees.

Bai et al., Syntax-BERT: Improving Pre-trained Transformers with Syntax Trees, 2021: equations 1
and 2, with the ablations of table 5 as settings. All sub-networks share the encoder's parameters;
a token mixes their outputs by topical attention.

Shapes: B texts, A heads, T tokens, W features of a head, N sub-networks.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field, model_validator
from torch import Tensor, nn

from bnaparser.errors import DataError, SettingsError
from bnaparser.syntax.attention import Attention, AttentionVariant, Sizes
from bnaparser.syntax.batch import SyntaxBatch
from bnaparser.syntax.masks import (
    SyntaxSettings,
    TextMasks,
    TokenText,
    blocks,
    dependency_heads,
    expand_subnetworks,
)
from bnaparser.syntax.syntax_trees import SyntaxTrees, constituency_relations, relations
from bnaparser.syntax.variants.lisa import LisaSettings, ParentHead, parent_pieces

TreeKind = Literal["dependency", "constituency"]
Relation = Literal["parent", "child", "sibling"]


class SyntaxBertSettings(SyntaxSettings):
    """Syntax-BERT: one sub-network with a mask of its own for each combination of ``trees``, ``relations`` and distance."""

    trees: tuple[TreeKind, ...] = ("dependency", "constituency")
    """Kinds of trees."""
    relations: tuple[Relation, ...] = ("parent", "child", "sibling")
    """Relations between two words of a tree."""
    distances: int = Field(15, gt=0, le=80)
    """The largest distance of the words."""
    pair: bool = True
    """For pairs of sentences, add a sub-network for each kind of tree: 92 instead of 90."""
    pair_diagonal: bool = False
    """Let each token attend to itself in the sub-network of pairs, as in the authors' program."""
    constituency: Literal["siblings", "headed"] = "siblings"
    """"siblings": words are leaves, so none is another's parent. "headed": a phrase's head word is the parent of its
    other words.
    """
    random_masks: bool = False
    """Replace the relations by the same number of relations between random words, as a control."""
    seed: int = 0
    """Seed of ``random_masks``."""
    mask_mode: Literal["additive", "multiply"] = "additive"
    """"multiply" is equation 1 as printed: a masked score is 0, not left out."""
    empty_row: Literal["full", "self", "drop"] = "full"
    """What a token attends to in a sub-network that masks all its keys: all tokens, itself, or nothing."""
    mixing: Literal["topical", "mean", "sum", "scaled_sum"] = "topical"
    """How the sub-networks are mixed: "topical" attention, the mean, the sum, or the sum divided by the square root of their number.
    """
    share_topical: bool = True
    """Share the parameters of topical attention between the layers; false: parameters for each layer, before W^O, as
    in the program.
    """
    lisa: LisaSettings | None = None
    """One head of the sub-networks without a mask attends to the parent. Its ``form`` must be "replace"."""

    @model_validator(mode="after")
    def _fits(self) -> SyntaxBertSettings:
        if not self.trees or not self.relations:
            raise ValueError("trees and relations must have at least one item each")
        if len({*self.trees}) < len(self.trees) or len({*self.relations}) < len(self.relations):
            raise ValueError("trees and relations must not contain an item twice")
        if self.lisa is not None and self.lisa.form != "replace":
            raise ValueError('LISA in Syntax-BERT needs lisa.form = "replace"')
        if self.lisa is not None and (self.empty_row, self.mask_mode) != ("full", "additive"):
            raise ValueError(
                'LISA in Syntax-BERT needs an unmasked sub-network: empty_row = "full" and '
                'mask_mode = "additive"'
            )
        return self

    @property
    def kinds(self) -> tuple[int, ...]:
        """How many sub-networks each kind has whose masks do not overlap: each tree's, the pair's."""
        each = len(self.relations) * self.distances
        return (each,) * len(self.trees) + (1,) * self.pair

    @property
    def names(self) -> list[str]:
        """The names of the last axis of ``SyntaxBert.shares``."""
        grid = [
            f"{tree} {relation} {distance}"
            for tree in self.trees
            for relation in self.relations
            for distance in range(1, self.distances + 1)
        ]
        return [*grid, *["pair"] * self.pair, "empty", *["unmasked"] * (self.lisa is not None)]

    def masks(self, text: TokenText) -> TextMasks:
        """Return which sub-network each pair of tokens belongs to, kind by kind."""
        size = len(text.token_words)
        subnetworks = np.zeros((len(self.kinds), size, size), np.uint8)
        count = len(self.trees) * len(self.relations) * self.distances
        if text.parsed:
            for kind, tree in enumerate(self.trees):
                matrices = [
                    word_subnetworks(structure, tree, self) for structure in text.structures
                ]
                subnetworks[kind] = expand_subnetworks(blocks(matrices, 0), text.token_words)
        if self.pair and len(text.structures) == 2:
            subnetworks[-1] = pair_mask(text, self.pair_diagonal)
            count += len(self.trees)
        parents = None if self.lisa is None else parent_pieces(text)
        return TextMasks(text.parsed, None, parents, subnetworks, count)


def word_subnetworks(
    structure: SyntaxTrees, tree: TreeKind, settings: SyntaxBertSettings
) -> NDArray[np.uint8]:
    """Return which sub-network, from 1, each pair of words belongs to; 0 for none."""
    if tree == "dependency":
        found = relations(dependency_heads(structure))
    elif structure.words and not structure.trees:
        raise DataError('there are no constituency trees: set trees = ["dependency"]')
    else:
        headed = settings.constituency == "headed"
        found = constituency_relations(
            structure.trees, dependency_heads(structure) if headed else None
        )
    subnetworks = np.zeros((len(structure.words),) * 2, np.uint8)
    for number, relation in enumerate(settings.relations):
        distances = getattr(found, relation)
        near = (distances > 0) & (distances <= settings.distances)
        subnetworks[near] = number * settings.distances + distances[near]
    if settings.random_masks:
        return shuffled(subnetworks, [tree, *structure.words], settings.seed)
    return subnetworks


def shuffled(subnetworks: NDArray[np.uint8], names: Sequence[str], seed: int) -> NDArray[np.uint8]:
    """Return the numbers at random places off the diagonal; the places depend only on the names.

    The kind of tree and the words are the names: each kind's places are drawn by themselves.
    """
    generator = np.random.default_rng(
        [seed, zlib.crc32("\n".join(names).encode("utf-8", "replace"))]
    )
    places = ~np.eye(len(subnetworks), dtype=bool)
    moved = subnetworks.copy()
    moved[places] = generator.permutation(subnetworks[places])
    return moved


def pair_mask(text: TokenText, diagonal: bool) -> NDArray[np.bool_]:
    """Return (T, T): True between words of different sentences, and of a word with itself."""
    words = text.token_words
    second = words >= len(text.structures[0].words)
    mask: NDArray[np.bool_] = second != second[:, None]
    if diagonal:
        np.fill_diagonal(mask, True)
    return mask & (words >= 0) & (words >= 0)[:, None]


class SyntaxBert(AttentionVariant):
    """The sub-networks of every layer and what mixes them.

    After a call ``shares`` holds for each layer (B, T, N) what a token took from each sub-network,
    named by ``settings.names``, detached; ``loss`` is LISA's supervision where there is LISA.
    """

    settings: SyntaxBertSettings

    def __init__(self, settings: SyntaxBertSettings, sizes: Sizes):
        super().__init__(settings)
        self.sizes = sizes
        self.shares: list[Tensor] = []
        count, width = 1, sizes.width
        if not settings.share_topical:
            count, width = sizes.layers, sizes.heads * sizes.head_dim
        count = count if settings.mixing == "topical" else 0
        self.topical = nn.ModuleList(Topical(width) for _ in range(count))
        self.parent_head = None if settings.lisa is None else ParentHead(settings.lisa, sizes)

    @property
    def loss(self) -> Tensor | None:
        """LISA's supervision of the last call; None if there is none."""
        return None if self.parent_head is None else self.parent_head.loss()

    def begin(self, batch: SyntaxBatch | None, shape: torch.Size, device: torch.device) -> None:
        """Take the batch of a call; forget the weights of the previous call."""
        super().begin(batch, shape, device)
        self.shares = []
        if self.parent_head is not None:
            self.parent_head.losses = []

    def guided(self, layer: int, attention: Attention, batch: SyntaxBatch) -> Tensor:
        """Return the mixture of all sub-networks' probabilities: ``sum_j alpha_j softmax_j``.

        The output is linear in them, so they are mixed before they meet the values.
        """
        assert batch.subnetworks is not None and batch.subnetwork_counts is not None
        subnetworks = _SubNetworks(self.settings, attention, batch)
        plain = subnetworks.plain
        if self.parent_head is not None:
            assert batch.parents is not None
            self.check_gradient()
            replaced = self.parent_head.replaced(layer, attention)
            self.parent_head.supervise(replaced, batch.parents, keep=self.running)
            subnetworks.add_unmasked(replaced.drop(replaced.softmax()))
        shares = self._shares(layer, attention, subnetworks)
        if self.running:
            self.shares.append(shares.detach())
        mixed = subnetworks.mixed(shares)
        if batch.all_parsed:
            return mixed
        return torch.where(batch.parsed[:, None, None, None], mixed, plain)

    def _shares(self, layer: int, attention: Attention, subnetworks: _SubNetworks) -> Tensor:
        """Return alpha (B, T, N): what each token takes from each sub-network."""
        counts = subnetworks.counts()
        total = counts.sum(dim=-1, keepdim=True)
        match self.settings.mixing:
            case "sum":
                return counts
            case "scaled_sum":
                return counts / total.sqrt()
            case "mean":
                return counts / total
        if self.settings.share_topical:
            direction = self._topical(layer).direction(attention.output_weight)
        else:
            direction = self._topical(layer).direction()
        heads = direction.view(self.sizes.heads, 1, self.sizes.head_dim)
        weights = (attention.value * heads.to(attention.value.dtype)).sum(dim=-1)[:, :, None]
        return topical_weights(subnetworks.logits(weights.to(counts.dtype)), counts)

    def _topical(self, layer: int) -> Topical:
        topical = self.topical[0 if self.settings.share_topical else layer]
        assert isinstance(topical, Topical)
        return topical

    def combine(self, layer: int, contexts: Tensor, batch: SyntaxBatch) -> Tensor:
        """Apply a layer's own W^V in front of W^O."""
        if self.settings.share_topical or not len(self.topical):
            return contexts
        valued: Tensor = self._topical(layer).value(contexts.flatten(2)).view_as(contexts)
        return torch.where(batch.parsed[:, None, None, None], valued, contexts)

    def finish(self, output: Tensor, batch: SyntaxBatch) -> Tensor:
        """Apply the shared W^V after W^O (eq. 2): it is the same for all sub-networks."""
        if not self.settings.share_topical or not len(self.topical):
            return output
        valued: Tensor = self._topical(0).value(output)
        return torch.where(batch.parsed[:, None, None], valued, output)


class _SubNetworks:
    """The sub-networks of one layer. Equal rows are computed once and counted: with the default
    all that are empty for a token are the plain encoder's row."""

    def __init__(self, settings: SyntaxBertSettings, attention: Attention, batch: SyntaxBatch):
        assert batch.subnetworks is not None and batch.subnetwork_counts is not None
        self.settings = settings
        self.plain = attention.drop(attention.softmax())
        wide = torch.promote_types(attention.scores.dtype, torch.float32)
        scores = attention.scores.to(wide)
        allowed = attention.allowed
        if allowed is None:
            allowed = torch.ones_like(scores[:1, :1, :1], dtype=torch.bool)
        if allowed.shape[1] > 1:
            raise SettingsError(
                "Syntax-BERT takes one attention_mask for all heads: sub-networks belong to tokens, not to heads"
            )
        subnetworks = (batch.subnetworks * allowed).long()
        self.kinds: list[Kind] = []
        for number, count in enumerate(settings.kinds):
            if settings.mask_mode == "additive":
                kind = additive(scores, subnetworks[:, number], count)
            else:
                kind = multiplied(scores, subnetworks[:, number], count, allowed)
            kind.entries = attention.drop(kind.entries)
            self.kinds.append(kind)
        self.everywhere: Tensor | None = None  # what every allowed key gets a part of
        if settings.mask_mode == "multiply":
            self.everywhere = attention.drop(allowed.to(wide).expand_as(scores))
        self.total = batch.subnetwork_counts.to(wide)[:, None]  # (B, 1)
        trees = len(settings.trees)
        self.multiplicity = (1,) * trees + (trees,) * settings.pair
        empty = self.plain
        if settings.empty_row == "self":
            empty = torch.eye(scores.shape[-1], dtype=wide, device=scores.device)[None, None]
            empty = attention.drop(empty.expand_as(scores))
        elif settings.empty_row == "full" and settings.mask_mode == "multiply":
            alike = allowed / allowed.sum(dim=-1, keepdim=True).clamp_min(1)
            empty = attention.drop(alike.to(wide).expand_as(scores))
        self.others = [empty.to(wide)]

    def add_unmasked(self, probabilities: Tensor) -> None:
        """Give the sub-networks that are empty for a whole text probabilities of their own."""
        self.others.append(probabilities.to(self.others[0].dtype))

    def counts(self) -> Tensor:
        """Return (B, T, N): how many equal sub-networks each entry stands for, 0 for none."""
        found = torch.cat(
            [
                kind.present * multiplicity
                for kind, multiplicity in zip(self.kinds, self.multiplicity, strict=True)
            ],
            dim=-1,
        ).to(self.total.dtype)
        empty = self.total - found.sum(dim=-1)
        if self.settings.empty_row == "drop":
            empty = empty * (found.sum(dim=-1) == 0)
        if len(self.others) == 1:
            return torch.cat([found, empty[..., None]], dim=-1)
        masked = found.amax(dim=1).sum(dim=-1, keepdim=True)  # (B, 1)
        unmasked = (self.total - masked).expand_as(empty)
        return torch.cat([found, torch.stack([empty - unmasked, unmasked], dim=-1)], dim=-1)

    def logits(self, weights: Tensor) -> Tensor:
        """Return (B, T, N): the products of contexts with the topical direction.

        ``weights`` (B, A, 1, T) are the products of the values with it.
        """
        everywhere = None
        if self.everywhere is not None:
            everywhere = (self.everywhere * weights).sum(dim=-1, keepdim=True)
        found = [kind.sums(weights, everywhere) for kind in self.kinds]
        others = [(other * weights).sum(dim=(1, 3))[..., None] for other in self.others]
        return torch.cat([*found, *others], dim=-1)

    def mixed(self, shares: Tensor) -> Tensor:
        """Return (B, A, T, T): the probabilities of all, weighted with ``shares`` (B, T, N)."""
        sizes = [*self.settings.kinds, *[1] * len(self.others)]
        parts = torch.split(shares, sizes, dim=-1)
        mixed = torch.zeros_like(self.others[0])
        for kind, part in zip(self.kinds, parts, strict=False):
            mixed = mixed + kind.mixed(part)
            if kind.elsewhere is not None and self.everywhere is not None:
                rest = (kind.elsewhere[..., 1:] * part[:, None]).sum(dim=-1, keepdim=True)
                mixed = mixed + rest * self.everywhere
        for other, part in zip(self.others, parts[len(self.kinds) :], strict=True):
            mixed = mixed + other * part[:, None]
        return mixed


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

    ``allowed`` (B or 1, 1, T or 1, T). An entry is what its key gets in addition to the part of all.
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


class Topical(nn.Module):
    """``TopicAtt(q_task, H W^K, H W^V)`` over the sub-networks' outputs H, of ``width`` features.

    It starts as the plain average: the query is zero, keys and values are the outputs themselves.
    """

    def __init__(self, width: int):
        super().__init__()
        self.query = nn.Parameter(torch.zeros(width))
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        nn.init.eye_(self.key.weight)
        nn.init.eye_(self.value.weight)

    def direction(self, output_weight: Tensor | None = None) -> Tensor:
        """Return u with ``logit = context . u``, for a context of which W^O makes an output.

        ``q_task . W^K (W^O a + b) / sqrt(d)`` is linear in a, and what is the same for all
        sub-networks drops out of their softmax: so W^O need not be applied to each of them.
        """
        direction = self.query @ self.key.weight / math.sqrt(len(self.query))
        return direction if output_weight is None else direction @ output_weight


def topical_weights(logits: Tensor, counts: Tensor) -> Tensor:
    """Return the softmax over the last axis in which each entry stands for ``counts`` equal ones.

    Adding ``log(count)`` to a logit is exact. An entry with count 0 gets weight 0.
    """
    return (logits + counts.to(logits.dtype).log()).softmax(dim=-1)
