"""Who came where: ranks from what a game paid, and what is paid when a seat forfeits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FORFEIT = "forfeit"
"""Why a game is over that a seat has forfeited."""


def ranks(returns: Sequence[float]) -> tuple[int, ...]:
    """Return the rank of each seat, 1 for the best; equal returns share one."""
    return tuple(1 + sum(other > mine for other in returns) for mine in returns)


@dataclass(frozen=True)
class Forfeit:
    """A seat has lost a game because the program that played it failed.

    Attributes:
        seat: from 0.
        reason: what it did, in words that begin with one of `EngineFault.KINDS` and a colon.
    """

    seat: int
    reason: str


def forfeit_returns(players: int, seat: int) -> list[float]:
    """Return what each seat is paid when one forfeits: it is last, the others share the places before it."""
    return [-1.0 if other == seat else 1 / (players - 1) for other in range(players)]
