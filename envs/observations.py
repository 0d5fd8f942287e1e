"""What an observation is made of, for people and for the tests that hold the documentation against the code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Part(NamedTuple):
    """A run of planes or features of an observation.

    Attributes:
        name: what it shows.
        size: planes or features, along the first axis.
        meaning: of its numbers, in words.
    """

    name: str
    size: int
    meaning: str


def table(parts: Iterable[Part]) -> list[tuple[int, int, Part]]:
    """Return ``(first, last, part)`` for each part: where it stands along the first axis of the observation."""
    rows, first = [], 0
    for part in parts:
        rows.append((first, first + part.size - 1, part))
        first += part.size
    return rows


def total(parts: Iterable[Part]) -> int:
    """Return how many planes or features the parts have together."""
    return sum(part.size for part in parts)
