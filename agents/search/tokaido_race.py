"""Tokaido as a race of lone travellers, for `race`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import numpy as np

from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.tokaido.kernels import (
    BARE,
    CHOICE_USES_TURN,
    ENDS_AT_FIRST,
    FORK,
    KIND,
    LAST,
    MAX_TURNS,
    RESTS,
    ROW,
    SEAT,
    SPOT,
    SPOTS,
    TURNS,
    WAITS,
    field,
)
from ...envs.tokaido.rules import Tokaido
from ..heuristics.tokaido import turn_steps
from .race import Laws, laws_of, order_seats, value_seats

PENDING = (WAITS,)
"""Words that are 0 where a turn begins."""


@lru_cache(maxsize=32)
def laws(game: Game, utility: int) -> Laws:
    """Return the laws of a lone traveller, row by row a spot, who takes the way with the fewest expected turns."""
    rules, steps = game.rules, turn_steps(cast(Tokaido, game))
    spots = np.arange(steps.shape[1])
    place = rules[SPOTS:].reshape(-1, ROW)[: spots.size, BARE]
    ends_at_first = bool(rules[ENDS_AT_FIRST])
    compares = rules[MAX_TURNS] > 0 or (ends_at_first and game.num_players > 2)
    return laws_of(steps, spots > rules[LAST], place, (int(ends_at_first), utility), bool(compares))


@kernel
def stand(rules: Any, seats: Any, words: Any, row: Any) -> None:
    """Write how the seats stand at one of the positions in which a turn begins (``[B, state_size]``)."""
    for seat in range(seats.level.size):
        spot = words[row, SPOT + seat]
        seats.level[seat] = spot - rules[LAST] if spot > rules[LAST] else -1 if spot == 0 else 0
        chooses = field(rules, spot, KIND) == FORK
        seats.row[seat] = spot
        seats.delay[seat] = words[row, RESTS + seat] + (chooses and rules[CHOICE_USES_TURN] != 0)


@kernel
def judge(rules: Any, laws: Any, seats: Any, words: Any, out: Any) -> None:
    """Write the expected utility of each seat (``out``, ``[B, players]``) at beginnings of turns (``[B, state_size]``)."""
    for row in range(words.shape[0]):
        stand(rules, seats, words, row)
        left = rules[MAX_TURNS] - words[row, TURNS] if rules[MAX_TURNS] > 0 else -1
        order_seats(laws, seats, words[row, SEAT], left)
        value_seats(laws, seats, out[row])
