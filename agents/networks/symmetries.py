"""Symmetries of the rules, by which one position of self-play becomes several to learn from.

Quoridor with two players looks the same in a mirror that exchanges left and right. (With four it does not: a mirror
turns the order of turns round. Rotation is no symmetry to learn from, because an observation shows every seat the board
turned its way.) A sugoroku can be looked at from every seat: the seat that looks need not be the one to move.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.core import Game
from ...envs.observations import table
from .config import PADDED_SEATS


class Symmetry(NamedTuple):
    """Another look at the same position, as permutations: ``new[..., i] = old[..., permutation[i]]``.

    Attributes:
        name: for people.
        features: int64 ``[features]``: of an observation, flattened.
        actions: int64 ``[num_actions]``: of a policy or mask, numbered as the seat that looks does.
        seats: int64 ``[seats]``: of the values, the seat that looks first; as many as a network has.
    """

    name: str
    features: NDArray[np.int64]
    actions: NDArray[np.int64]
    seats: NDArray[np.int64]

    def observations(self, observations: NDArray[Any]) -> NDArray[Any]:
        """Return observations ``[B, *observation_shape]`` as they look then."""
        flat = observations.reshape(len(observations), -1)[:, self.features]
        return flat.reshape(observations.shape)


def symmetries_of(game: Game) -> tuple[Symmetry, ...]:
    """Return the symmetries of a game but the one that changes nothing; none for games that are not known here."""
    if game.name == "quoridor" and game.num_players == 2:
        return (_mirror(game),)
    if game.name in PADDED_SEATS:
        return tuple(_rotation(game, seat) for seat in range(1, game.num_players))
    return ()


def _mirror(game: Game) -> Symmetry:
    """Exchange left and right. The anchors of fences are one fewer than the squares of a rank, so their planes differ."""
    planes, side, _ = game.observation_shape
    features = np.arange(planes * side * side).reshape(planes, side, side)
    mirrored = features[:, :, ::-1].copy()
    for first, last, part in table(game.observation_parts):
        if part.name.endswith("fences"):
            mirrored[first : last + 1] = features[first : last + 1]
            mirrored[first : last + 1, :, : side - 1] = features[first : last + 1, :, side - 2 :: -1]
    squares = np.arange(side**2).reshape(side, side)[:, ::-1]
    anchors = side**2 + np.arange(2 * (side - 1) ** 2).reshape(2, side - 1, side - 1)[:, :, ::-1]
    actions = np.concatenate([squares.ravel(), anchors.ravel()])
    return Symmetry("mirror", mirrored.ravel(), actions, np.arange(game.num_players))


def _rotation(game: Game, seats: int) -> Symmetry:
    """Look from the seat that many turns after."""
    players = game.num_players
    turned = np.arange(PADDED_SEATS[game.name])
    turned[:players] = (turned[:players] + seats) % players
    features = np.arange(game.observation_shape[0])
    rows = table(game.observation_parts)
    where = {part.name: np.arange(first, last + 1) for first, last, part in rows}
    features[where["seat to move"]] = where["seat to move"][turned]
    for name, own in where.items():
        who, colon, what = name.partition(": ")
        if colon:
            features[own] = where[f"seat +{turned[int(who.removeprefix('seat +'))]}: {what}"]
    return Symmetry(f"from the seat {seats} after", features, np.arange(game.num_actions), turned)
