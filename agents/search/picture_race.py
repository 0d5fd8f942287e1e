"""Picture sugoroku as a race, for `race`: pieces never meet, so that it is one indeed."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import numpy as np

from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.picture_sugoroku.kernels import EXTRA, FIRST_ENDS, GOAL, PLACE, RESTS, ROLLING, SEAT, SQUARE
from ...envs.picture_sugoroku.rules import PictureSugoroku
from ..exact.picture_chain import turns_of
from .race import Laws, laws_of, order_seats, value_seats

PENDING = (ROLLING, EXTRA)
"""Words that are 0 where a turn begins."""
_MOST_RESTS = 2


@lru_cache(maxsize=32)
def laws(game: Game, utility: int) -> Laws:
    """Return the laws of a piece, row by row a square."""
    turns, goal = turns_of(cast(PictureSugoroku, game).walks)[0], int(game.rules[GOAL])
    steps = np.zeros((_MOST_RESTS + 1, goal + 1, goal + 1))
    steps[0, goal, goal] = 1.0
    for square, turn in turns.items():
        steps[0, square, goal] = turn.arrives
        for (target, rests), chance in turn.after.items():
            steps[rests, square, target] += chance
    ends_at_first, squares = bool(game.rules[FIRST_ENDS]), np.arange(goal + 1)
    return laws_of(
        steps, squares == goal, squares, (int(ends_at_first), utility), ends_at_first and game.num_players > 2
    )


@kernel
def judge(_rules: Any, laws: Any, seats: Any, words: Any, out: Any) -> None:
    """Write the expected utility of each seat (``out``, ``[B, players]``) at beginnings of turns (``[B, state_size]``)."""
    for row in range(words.shape[0]):
        state = words[row]
        for seat in range(seats.level.size):
            place = state[PLACE + seat]  # the k-th to arrive, 0 under way, -1 resigned
            seats.level[seat] = 1000 - place if place > 0 else place
            seats.row[seat], seats.delay[seat] = state[SQUARE + seat], state[RESTS + seat]
        order_seats(laws, seats, state[SEAT], -1)
        value_seats(laws, seats, out[row])
