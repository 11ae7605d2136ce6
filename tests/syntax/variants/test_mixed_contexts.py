"""Mixed contexts are those of two attentions, whatever the masks, scores and lengths."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bnaparser.syntax.variants import sla as module
from bnaparser.syntax.variants.sla import mixed_contexts


def written_out(
    projected: tuple[Tensor, Tensor, Tensor], allowed: Tensor | None, mask: Tensor, gate: Tensor
) -> Tensor:
    """Equation 6, by probabilities in double precision."""
    query, key, value = (one.double() for one in projected)
    scores = query @ key.transpose(-1, -2)
    seen = torch.ones_like(mask) if allowed is None else allowed.expand_as(mask)
    everywhere = scores.masked_fill(~seen, -torch.inf).softmax(-1)
    near = scores.masked_fill(~(seen & mask), -torch.inf).softmax(-1)
    return (gate.double() * near + (1 - gate.double()) * everywhere) @ value


def drawn(seed: int, texts: int, heads: int, tokens: int, scale: float) -> tuple[Tensor, ...]:
    chance = torch.Generator().manual_seed(seed)
    shape = (texts, heads, tokens, 8)
    query, key, value = (torch.randn(shape, generator=chance) for _ in range(3))
    mask = torch.rand((texts, 1, tokens, tokens), generator=chance) < 0.3
    mask |= torch.eye(tokens, dtype=torch.bool)
    return scale * query, key, value, mask, torch.rand((texts, 1, tokens, 1), generator=chance)


@settings(deadline=None)
@given(
    st.integers(0, 99),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 20),
    st.sampled_from([0.3, 3.0, 300.0]),
    st.sampled_from([1, 50, 10**6]),
    st.booleans(),
)
def test_they_are_as_the_equation_written_out(
    seed: int, texts: int, heads: int, tokens: int, scale: float, held: int, padded: bool
) -> None:
    """Large scores leave nothing of the local attention in the global one; few are held at once."""
    query, key, value, mask, gate = drawn(seed, texts, heads, tokens, scale)
    allowed = None
    real = torch.ones(texts, tokens, dtype=torch.bool)
    if padded:
        real[0, max(1, tokens // 2) :] = False
        allowed = real[:, None, None, :]
        mask = mask & real[:, None, :, None] & allowed
    with torch.no_grad(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_HELD", held)
        found = mixed_contexts((query, key, value), allowed, mask, gate)
    expected = written_out((query, key, value), allowed, mask, gate)
    assert torch.isfinite(found).all()
    rows = real[:, None].expand(found.shape[:3])
    # Scores in the hundreds have themselves no more than five digits after the point.
    torch.testing.assert_close(
        found[rows].double(), expected[rows], rtol=0, atol=1e-6 + 1e-6 * scale
    )


@pytest.mark.parametrize("place", range(4))
def test_with_gradient_they_are_the_same(place: int) -> None:
    *projected, mask, gate = drawn(1, 2, 3, 9, 1.0)
    given = [*projected, gate]

    def mixed() -> Tensor:
        return mixed_contexts((given[0], given[1], given[2]), None, mask, given[3])

    with torch.no_grad():
        without = mixed()
    given[place].requires_grad_()
    found = mixed()
    torch.testing.assert_close(found, without)
    found.square().sum().backward()  # type: ignore[no-untyped-call]
    gradient = given[place].grad
    assert gradient is not None and gradient.abs().sum() > 0
