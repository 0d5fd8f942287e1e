"""Quoridor's table for the search: races of two pawns, exact as soon as fences can no longer change their outcome.

A search keeps the races that it has solved in its own ``data``, so what it takes is bounded: the numbers are a count of
slots, then two words a slot that say which layout of fences it holds, then marks of layouts that were met, then the
values of the slots, see `exact.quoridor_races`.

To solve a layout takes as long as tens of simulations, and most are met once and never again. So the first time a
layout is only marked, and solved when it is met once more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.errors import AgentError
from ...envs.quoridor.kernels import LEFT, MAX_PLIES, PLY, SEAT
from ..exact.quoridor_races import layout_hash, layout_slot, race_plies

MOST_SLOTS = 1024
"""Layouts that a search keeps at most."""
_SQUARES = 81
_VALUES = 2 * _SQUARES * _SQUARES  # of a layout
SLOT_BYTES = 16 + 2 * _VALUES
MARKS = 4096


def require_races(game: Game) -> None:
    """Raise `AgentError` if the races of a game are not what its rules make of them."""
    if game.num_players != 2:
        raise AgentError(f"races are exact for two players, not {game.num_players}: leave option 'exact' out")
    if game.repetition:
        raise AgentError("races are exact only where repetition is no draw: leave option 'exact' out")


def numbers(room: int, _game: Game) -> NDArray[np.float64]:
    """Return the ``data``: as many empty slots as `room` (bytes) has space for, one at least, and no marks."""
    slots = min(max((room - 8 * MARKS) // SLOT_BYTES, 1), MOST_SLOTS)
    data = np.zeros(1 + slots * 2 + MARKS + (slots * _VALUES + 3) // 4)
    data[0] = slots
    data[1 : 1 + 2 * slots].view(np.int64)[:] = -1  # no layout has a fence at every anchor
    return data


@kernel
def table(rules: Any, state: Any, data: Any, out: Any) -> Any:
    """Write the returns where the race decides and return 1 + the plies to the end; else, and once a layout, return 0.

    Without fences in hand the race is the outcome. A seat that alone has some need not place them: a race that it wins
    is won. Under a cap a win that takes more plies than are left is no win; in a race it is a draw then, since who is
    to lose can hold out and who is to win need not lose.
    """
    seat = state[SEAT]
    mine, theirs = state[LEFT + seat], state[LEFT + 1 - seat]
    if mine > 0 and theirs > 0:
        return 0
    slots = np.int64(data[0])
    layouts = data[1 : 1 + 2 * slots].view(np.int64).reshape((slots, 2))
    if not layout_slot(state, layouts)[1]:
        marks = data[1 + 2 * slots : 1 + 2 * slots + MARKS].view(np.uint64)
        mark = layout_hash(state)
        place = np.int64(mark % np.uint64(MARKS))
        if marks[place] != mark:
            marks[place] = mark
            return 0
    words = data[1 + 2 * slots + MARKS :].view(np.int16)[: slots * _VALUES]
    values = words.reshape((slots, 2, _SQUARES, _SQUARES))
    plies = race_plies(rules, state, layouts, values)
    in_time = rules[MAX_PLIES] == 0 or abs(plies) <= rules[MAX_PLIES] - state[PLY]
    outcome = 0 if plies == 0 or not in_time else 1 if plies > 0 else -1
    if (mine > 0 and outcome != 1) or (theirs > 0 and outcome != -1):
        return 0
    out[seat], out[1 - seat] = outcome, -outcome
    return 1 + (abs(plies) if outcome != 0 else 0)
