"""How fast a run goes now: a pause, or the machine that it was begun on, does not count for long."""

from __future__ import annotations


class Pace:
    """What is counted a second since it was last asked; ``seconds`` and ``counts`` are sums from a run's beginning."""

    def __init__(self, seconds: float, *counts: int):
        self.seconds, self.counts = seconds, counts

    def since_last(self, seconds: float, *counts: int) -> list[float]:
        """Return how many more of each there are a second."""
        elapsed = max(seconds - self.seconds, 1e-9)
        rates = [(now - before) / elapsed for now, before in zip(counts, self.counts, strict=True)]
        self.seconds, self.counts = seconds, counts
        return rates
