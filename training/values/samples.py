"""Positions to learn values from, as short lists of what a network sees of them."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...agents.batches import checked_words
from ...agents.networks.config import PADDED_SEATS
from ...envs.errors import RunError
from ...envs.tokaido.kernels import SEAT
from ...envs.tokaido.rules import Tokaido
from .kernels import look_short

SEATS, ACTIONS = PADDED_SEATS[Tokaido.name], Tokaido.num_actions
_LENGTH = 36


class Samples(NamedTuple):
    """Positions to learn from, as lists of features; N of them.

    Attributes:
        places: int16 ``[N, L]``: features that are not 0.
        amounts: float32 ``[N, L]``: what they show.
        targets: float32 ``[N, 6]``: values, -1..1, those of the seat whose turn it is first.
        present: float32 ``[N, 6]``: 1 for each seat of the table.
        policies: float32 ``[N, 12]``: how good the choices are, sum 1; all 0 where nothing is chosen.
    """

    places: NDArray[np.int16]
    amounts: NDArray[np.float32]
    targets: NDArray[np.float32]
    present: NDArray[np.float32]
    policies: NDArray[np.float32]

    @classmethod
    def joined(cls, parts: list[Samples]) -> Self:
        """Return all samples together."""
        columns: Any = zip(*parts, strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def chosen(self, rows: NDArray[np.int64]) -> Samples:
        """Return the samples of some rows."""
        columns: Any = (column[rows] for column in self)
        return Samples(*columns)


def samples_of(
    game: Tokaido, words: NDArray[np.int64], values: NDArray[np.float64], policies: NDArray[np.float64] | None = None
) -> Samples:
    """Return positions as samples.

    Args:
        game: what is played.
        words: int64 ``[N, state_size]``.
        values: float64 ``[N, players]``, in seat order.
        policies: float64 ``[N, 12]``; None where nothing is chosen.

    Raises:
        PositionError: if `words` has another shape or kind.
        RunError: if a position shows more features than there is room for.
    """
    words = checked_words(game, words)
    count, players, seats = len(words), game.num_players, np.ascontiguousarray(words[:, SEAT])
    places, amounts = np.zeros((count, _LENGTH), np.int64), np.zeros((count, _LENGTH), np.float32)
    seen = np.zeros(game.observation_shape[0], np.float32)
    if look_short(game.table, game.rules, words, seats, seen, places, amounts) > _LENGTH:
        raise RunError(f"a position shows more than {_LENGTH} features")
    targets, present = np.zeros((count, SEATS), np.float32), np.zeros((count, SEATS), np.float32)
    order = (seats[:, None] + np.arange(players)) % players
    targets[:, :players], present[:, :players] = np.take_along_axis(values, order, axis=1), 1.0
    shares = np.zeros((count, ACTIONS), np.float32) if policies is None else policies.astype(np.float32)
    return Samples(places.astype(np.int16), amounts, targets, present, shares)
