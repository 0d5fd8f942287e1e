"""What the games that are learned from ask of whoever plays all of their seats."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...envs.core import State

NOBODY = -1
"""In the place of the seat that wins."""


class Valued(NamedTuple):
    """A position that a search came upon, and what it is worth.

    Attributes:
        words: the position, int64 ``[state_size]``.
        value: as a row of `Judged.values`.
    """

    words: NDArray[np.int64]
    value: Any


class Choice(NamedTuple):
    """A decision.

    Attributes:
        action: what is played.
        value: of the position before it, as a row of `Judged.values`; None where its end is seen.
        winner: the seat that is seen to win; the game is over for learning then. Else `NOBODY`.
        looked_at: positions that the search for it has asked about, drawn by lot; none whose end is seen.
    """

    action: int
    value: Any
    winner: int
    looked_at: list[Valued]


class Searcher(Protocol):
    """Plays all seats of a game by searches, and judges positions that these ask about."""

    def begin(self, rng: np.random.Generator) -> None:
        """Begin a game: know nothing of earlier ones."""
        ...

    def decide(self, state: State, rng: np.random.Generator) -> Choice:
        """Return what the seat to move plays, and what comes of the search for that."""
        ...
