"""A lookahead over turns from one or many positions, deepened a turn at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...envs.core import Game, State
from ...envs.errors import AgentError
from .leaves import Leaf
from .turns import COUNT, TOO_LONG, Layer, Turn, draw_back, enlarged, grow, new_layer

PIECE_SECONDS = 0.004
"""Work that is done at a time, between which the clock is read."""
_FIRST_PIECE, _GROWTH = 16, 4
_FIRST_POSITIONS, _FIRST_EDGES = 256, 2048
_SECONDS_TO_MOVE = 5e-7  # a position to a larger layer
MOST_BYTES = 1 << 30
"""Memory that the layers of a lookahead may take."""


class OutOfTimeError(Exception):
    """Raised inside when a lookahead is to stop."""


class OutOfMemoryError(Exception):
    """Raised inside when the next layer is too large."""


@dataclass
class Lookahead:
    """Values of the choices at some positions, by all throws and choices of so many turns to come.

    Attributes:
        game: what is played.
        turn: how its turns are walked.
        leaf: judges the positions in the last layer.
        left: asked every few milliseconds how many seconds are left.
        layers: the positions after each action, then those at the end of each turn.
    """

    game: Game
    turn: Turn
    leaf: Leaf
    left: Callable[[], float] = lambda: math.inf

    def begin(self, states: Sequence[State]) -> None:
        """Look at these decisions from now on: the first layer are the positions after each of their actions."""
        self.actions = [state.legal_actions() for state in states]
        words = np.array([state.words for state, actions in zip(states, self.actions, strict=True) for _ in actions])
        for row, action in zip(words, (action for actions in self.actions for action in actions), strict=True):
            self.game.kernels.apply(self.game.rules, row, action)
        distinct, self.where = np.unique(words, axis=0, return_inverse=True)
        first = new_layer(self.game, len(distinct), 0)
        first.words[:] = distinct
        first.counts[COUNT] = len(distinct)
        self.layers = [first]

    @property
    def is_exact(self) -> bool:
        """Whether the game is over in all positions of the last layer."""
        last = self.layers[-1]
        return bool(last.over[: int(last.counts[COUNT])].all())

    @property
    def positions(self) -> int:
        """How many positions the layers hold."""
        return sum(int(layer.counts[COUNT]) for layer in self.layers)

    def deepen(self) -> None:
        """Grow another layer.

        Raises:
            OutOfTimeError: if there is no time for it; nothing is kept of it.
            OutOfMemoryError: if there is no room for it.
        """
        layer, after = self.layers[-1], new_layer(self.game, _FIRST_POSITIONS, _FIRST_EDGES)
        inside = len(self.layers) == 1
        held = sum(_bytes(other) for other in self.layers)
        done, count = 0, int(layer.counts[COUNT])
        piece = _FIRST_PIECE
        while done < count:
            begin = time.monotonic()
            reached = grow(
                self.game.table, self.game.rules, self.turn, layer, done, min(done + piece, count), inside, after
            )  # fmt: skip
            if reached == TOO_LONG:
                raise AgentError(f"agent 'expectimax' cannot look ahead in {self.game.name}: a turn may never end")
            if reached < min(done + piece, count):
                if held + 3 * _bytes(after) > MOST_BYTES:
                    raise OutOfMemoryError
                self._check(_SECONDS_TO_MOVE * len(after.words))
                after = enlarged(after, self.game)
            piece = _next_piece(max(int(reached) - done, 1), time.monotonic() - begin)
            done = int(reached)
            self._check()
        self.layers.append(after)

    def judge(self) -> None:
        """Give all positions their values: the last layer by the leaf, the others by what follows.

        Raises:
            OutOfTimeError: if there is no time for it; the values are then good for nothing.
        """
        last = self.layers[-1]
        count = int(last.counts[COUNT])
        open_ones = np.flatnonzero(last.over[:count] == 0)
        self.judged = len(open_ones)

        def ask(first: int, end: int) -> None:
            rows = open_ones[first:end]
            last.values[rows] = self._checked(self.leaf.position_values(self.game, last.words[rows]), len(rows))

        self._in_pieces(ask, len(open_ones))
        for number in range(len(self.layers) - 2, -1, -1):
            layer, after = self.layers[number], self.layers[number + 1]

            def draw(
                first: int, end: int, layer: Layer = layer, after: Layer = after, inside: bool = number == 0
            ) -> None:
                draw_back(self.game.table, self.game.rules, self.turn, layer, first, end, inside, after)

            self._in_pieces(draw, int(layer.counts[COUNT]))

    def values(self) -> list[dict[int, NDArray[np.float64]]]:
        """Return for each of the states what every seat gets after each action, float64 ``[players]``."""
        rows = iter(self.layers[0].values[self.where].copy())
        return [{action: next(rows) for action in actions} for actions in self.actions]

    def _in_pieces(self, work: Callable[[int, int], None], count: int) -> None:
        done, piece = 0, _FIRST_PIECE
        while done < count:
            begin = time.monotonic()
            end = min(done + piece, count)
            work(done, end)
            piece = _next_piece(end - done, time.monotonic() - begin)
            done = end
            self._check()

    def _check(self, needed: float = 0.0) -> None:
        if self.left() <= needed:
            raise OutOfTimeError

    def _checked(self, answer: object, count: int) -> NDArray[np.float64]:
        values = np.asarray(answer, dtype=np.float64)
        if values.shape != (count, self.game.num_players) or not np.isfinite(values).all():
            raise AgentError(
                f"a leaf must answer with finite numbers of shape {(count, self.game.num_players)}, not {values.shape}"
            )
        return values


def _bytes(layer: Layer) -> int:
    return sum(array.nbytes for array in layer)


def _next_piece(size: int, seconds: float) -> int:
    return max(1, min(int(size * PIECE_SECONDS / max(seconds, 1e-7)), size * _GROWTH))
