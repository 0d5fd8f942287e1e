"""Solved games of Tokaido to draw positions from, with what they are worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...agents.exact import tokaido_kernels, tokaido_library
from ...agents.exact.tokaido_nodes import enumerate_nodes, key_of
from ...agents.exact.tokaido_sweeps import sweep_visits
from ...envs.counter_rng import new_rng
from ...envs.errors import RunError
from ...envs.tokaido.kernels import FACES
from ...envs.tokaido.rules import Tokaido
from .kernels import write_solved
from .samples import ACTIONS, Samples, samples_of

PLAYERS = (2, 3)
"""Tables whose games are solved for value learning."""
_SWEEPS = 12  # of the visits: enough for all but the longest games


class SolvedGame:
    """A solved game to draw positions from.

    Args:
        game: of Tokaido with 2 or 3 players; it is solved if it has not been.
        often: share of the positions that are drawn by the root of how often a game of perfect play comes there; the rest
            is drawn evenly.
    """

    def __init__(self, game: Tokaido, often: float) -> None:
        self.game, self._table = game, tokaido_library.table_for(game)
        self._nodes = enumerate_nodes(game.new_initial_state())
        if not np.array_equal(self._nodes.keys, self._table.keys):
            raise RunError("the table has other nodes than the game: solve it anew")
        self._values = np.array(self._table.values)
        left_out = (tokaido_kernels.END, tokaido_kernels.REST)
        self._open = np.flatnonzero(~np.isin(self._nodes.kinds, left_out))
        roots = np.sqrt(self._visits()[self._open])
        self._law = np.cumsum((1 - often) / self._open.size + often * roots / roots.sum())

    def _visits(self) -> NDArray[np.float64]:
        """Return how often a game of perfect play comes to each node; few are left out that only long games reach."""
        second = (self._table.choices[:, None] >> np.arange(FACES) & 1).astype(np.float64)
        nobody = np.zeros((len(second), 0))
        source, visits = np.zeros(len(second)), np.zeros(len(second))
        source[self._nodes.find(key_of(self.game.new_initial_state()))] = 1.0
        order = np.arange(len(second))
        for _ in range(_SWEEPS):
            sweep_visits(self.game.rules, *self._nodes[:3], second, nobody, source, visits, order)
        return visits

    def draw(self, count: int, rng: np.random.Generator, sharpness: float) -> Samples:
        """Return positions drawn by lot with what they are worth; `sharpness` is that of their policies."""
        drawn = np.searchsorted(self._law, rng.random(count) * self._law[-1])
        nodes = self._open[np.minimum(drawn, self._open.size - 1)]
        words = np.zeros((count, self.game.state_size), np.int64)
        values, policies = np.zeros((count, self.game.num_players)), np.zeros((count, ACTIONS))
        key = new_rng(int(rng.integers(2**63)))
        write_solved(
            self.game.rules, *self._nodes[:3], self._values, nodes, key, sharpness, words, values, policies
        )  # fmt: skip
        return samples_of(self.game, words, values, policies)
