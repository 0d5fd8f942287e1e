"""Positions to learn from, and how a network sees them."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..agents.batches import checked_seats, checked_words
from ..agents.networks.evaluator import look, mark_legal
from ..agents.networks.symmetries import Symmetry
from ..envs.core import Game


class Positions(NamedTuple):
    """Positions of self-play with what was found out about them; N of them.

    Attributes:
        words: int64 ``[N, state_size]``: decisions, and in games with dice also what follows them where these are to be
            thrown.
        seats: int8 ``[N]``: who looks: whose decision it is, or was.
        policies: float32 ``[N, num_actions]``: share of the search's visits for each action, in the numbers of the
            game; their sum is what the decision weighs, 1 but for `Imitation.weigh`; zeros where nothing is to be decided.
        values: float32 ``[N, players]``: what each seat got in the end, mixed with what the search expected; -1..1, in
            seat order.
    """

    words: NDArray[np.int64]
    seats: NDArray[np.int8]
    policies: NDArray[np.float32]
    values: NDArray[np.float32]

    @classmethod
    def none(cls, game: Game) -> Self:
        """Return no positions of a game."""
        return cls(
            np.zeros((0, game.state_size), np.int64), np.zeros(0, np.int8),
            np.zeros((0, game.num_actions), np.float32), np.zeros((0, game.num_players), np.float32),
        )  # fmt: skip

    @classmethod
    def joined(cls, game: Game, parts: list[Positions]) -> Self:
        """Return the positions of all `parts`, in their order."""
        columns: Any = zip(cls.none(game), *parts, strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def chosen(self, rows: NDArray[np.int64]) -> Positions:
        """Return the positions of some rows."""
        columns: Any = (column[rows] for column in self)
        return Positions(*columns)


class Batch(NamedTuple):
    """What a network is shown, and what it should answer; everything as the seat that looks sees it.

    Attributes:
        observations: float32 ``[B, *observation_shape]``.
        masks: bool ``[B, num_actions]``, True where legal.
        policies: float32 ``[B, num_actions]``.
        values: float32 ``[B, players]``, the seat that looks first.
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    policies: NDArray[np.float32]
    values: NDArray[np.float32]


def seen(game: Game, positions: Positions) -> Batch:
    """Return positions as their own seats see them.

    Raises:
        PositionError: if their words or seats have another shape or kind than `Positions` says.
    """
    words = checked_words(game, positions.words)
    count = len(words)
    seats = checked_seats(game, positions.seats, count)
    observations = np.empty((count, int(np.prod(game.observation_shape))), np.float32)
    masks, legal = np.empty((count, game.num_actions), np.bool_), np.zeros(game.num_actions, np.int8)
    views = np.ascontiguousarray(game.action_views)
    look(game.table, game.rules, words, seats, observations)
    mark_legal(game.table, game.rules, words, seats, views, legal, masks)
    order = (seats[:, None] + np.arange(game.num_players)) % game.num_players
    return Batch(
        observations.reshape(count, *game.observation_shape),
        masks,
        np.take_along_axis(positions.policies, views[seats], axis=1),
        np.take_along_axis(positions.values, order, axis=1),
    )


def shuffled_views(batch: Batch, symmetries: tuple[Symmetry, ...], rng: np.random.Generator) -> Batch:
    """Return a batch with each position in a random one of its looks, the plain one among them."""
    if not symmetries:
        return batch
    drawn = rng.integers(len(symmetries) + 1, size=len(batch.masks))
    parts: list[NDArray[Any]] = [part.copy() for part in batch]
    seats = batch.values.shape[1]
    for number, symmetry in enumerate(symmetries, start=1):
        rows = np.flatnonzero(drawn == number)
        if rows.size:
            parts[0][rows] = symmetry.observations(batch.observations[rows])
            parts[1][rows] = batch.masks[rows][:, symmetry.actions]
            parts[2][rows] = batch.policies[rows][:, symmetry.actions]
            parts[3][rows] = batch.values[rows][:, symmetry.seats[:seats]]
    return Batch(*parts)
