"""A sequential test of a score: play until it is clear which of two hypotheses holds, and no longer.

Wald's sequential probability ratio test (1945) in its generalised form: the distribution of results is not known, so
each hypothesis takes the one that fits the games best among those with its mean (M. Van den Bergh, "The generalized
maximum likelihood ratio for the expectation value of a distribution", 2019). Games count as independent of each other;
where an opening is played with both colours that errs on the side of playing on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..envs.errors import OptionError

_UNSEEN = 1e-3
"""Games that each kind of result counts for before any is seen, so that both hypotheses are possible for ever."""
_KINDS = np.array([0.0, 0.5, 1.0])  # lost, drawn, won


@dataclass(frozen=True)
class SequentialTest:
    """Is the expected score at most `low`, or at least `high`?

    Args:
        low: a score, 0..1, both ends left out.
        high: a higher one.
        error: chance of each of the two wrong answers, above 0 and below 0.5.

    Raises:
        OptionError: for other numbers.
    """

    low: float
    high: float
    error: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high < 1:
            raise OptionError(
                f"a sequential test needs two scores with 0 < low < high < 1, not {self.low} and {self.high}"
            )
        if not 0 < self.error < 0.5:
            raise OptionError(f"the error of a sequential test must be above 0 and below 0.5, not {self.error}")

    @property
    def bound(self) -> float:
        """The log-likelihood ratio at which the answer is `high`; at its negative it is `low`."""
        return math.log((1 - self.error) / self.error)

    def log_ratio(self, scores: Sequence[float]) -> float:
        """Return how much better `high` explains the scores (each 0, 0.5 or 1) than `low`, in nats."""
        counts = np.array([np.count_nonzero(np.asarray(scores) == kind) for kind in _KINDS]) + _UNSEEN
        shares = counts / counts.sum()
        return float(counts @ np.log(_likeliest(shares, self.high) / _likeliest(shares, self.low)))

    def answer(self, scores: Sequence[float]) -> float | None:
        """Return `low` or `high`, or None while it is open."""
        ratio = self.log_ratio(scores)
        if abs(ratio) < self.bound:
            return None
        return self.high if ratio > 0 else self.low


def _likeliest(shares: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return the distribution over the kinds of results with that mean which makes the observed shares likeliest.

    It is shares / (1 + t * (kind - mean)) with the t that gives it the mean (Van den Bergh 2019, proposition 1.1), found
    by halving: the sum below falls as t grows, between the poles at both ends.
    """
    distances = _KINDS - mean
    low, high = -1 / distances[-1], -1 / distances[0]
    for _ in range(100):
        middle = (low + high) / 2
        if np.sum(shares * distances / (1 + middle * distances)) > 0:
            low = middle
        else:
            high = middle
    likeliest: NDArray[np.float64] = shares / (1 + (low + high) / 2 * distances)
    return likeliest
