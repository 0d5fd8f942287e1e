"""Uniform random play of Quoridor to the end, faster than move by move.

Once the fences are spent the walls stand still and a game is a walk of pawns, some two hundred plies of it. Nothing but
squares changes then, and only beside another pawn do the rules of jumping matter: there `kernels.pawn_targets` is asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..bits import nth_bit, popcount
from ..compiling import kernel
from ..counter_rng import draw_below
from ..kernels import TERMINAL
from .kernels import (
    GOAL_HIGH,
    GOAL_LOW,
    LEFT,
    MAX_PLIES,
    PAWN,
    PLAYERS,
    PLY,
    SEAT,
    WINNER,
    apply,
    pawn_targets,
    returns,
    sample,
    square_set,
    to_move,
    walls_of,
)  # fmt: skip

_STEPS = (9, 1, -9, -1)  # north, east, south, west
_SETS = [[step for bit, step in enumerate(_STEPS) if mask >> bit & 1] for mask in range(16)]
_OPEN = np.array([len(steps) for steps in _SETS], dtype=np.int64)
"""How many steps are in each set of them."""
_NTH = np.array([[*steps, 0, 0, 0, 0][:4] for steps in _SETS], dtype=np.int64).ravel()
"""``_NTH[4*mask + n]``: number n of the steps in a set of them, as the change of the square."""


@kernel
def has(low: Any, high: Any, square: Any) -> Any:
    """Return 1 if a square is in a set, else 0 (int64); a square off the board is in none."""
    if square < 63:
        return np.int64((low >> np.uint64(square)) & np.uint64(1)) if square >= 0 else 0
    return np.int64((high >> np.uint64(square - 63)) & np.uint64(1))


@kernel(allocates=True)
def step_sets(rules: Any, state: Any, steps: Any) -> None:
    """Write into ``steps[square]`` (int8 ``[81]``) which steps are open: bits 0-3 for north, east, south, west."""
    n_low, n_high, e_low, e_high = walls_of(state)
    for square in range(81):
        steps[square] = (
            has(n_low, n_high, square)
            | has(e_low, e_high, square) << 1
            | has(n_low, n_high, square - 9) << 2
            | has(e_low, e_high, square - 1) << 3
        )


@kernel
def near_another(state: Any, players: Any, seat: Any, square: Any) -> Any:
    """Return whether some other pawn may stand beside a square; true too often at the border."""
    for other in range(players):
        apart = abs(state[PAWN + other] - square)
        if other != seat and (apart == 1 or apart == 9):
            return True
    return False


@kernel(allocates=True)
def playout(rules: Any, state: Any, rng: Any, out: Any) -> None:
    """Play `state` on to the end, every legal action equally likely, and write the returns (float64 ``[players]``)."""
    players = rules[PLAYERS]
    while True:
        fences = 0
        for seat in range(players):
            fences += state[LEFT + seat]
        if fences == 0 or to_move(rules, state) == TERMINAL:
            break
        apply(rules, state, sample(rules, state, rng))
    if to_move(rules, state) != TERMINAL:
        walk(rules, state, rng)
    returns(rules, state, out)


@kernel(allocates=True)
def walk(rules: Any, state: Any, rng: Any) -> None:
    """Play on to the end at random where nobody has a fence left."""
    players, seat = rules[PLAYERS], state[SEAT]
    walls = walls_of(state)
    steps = np.empty(81, np.int8)
    step_sets(rules, state, steps)
    plies = rules[MAX_PLIES] - state[PLY] if rules[MAX_PLIES] > 0 else np.int64(1) << 62
    begin = plies
    while plies > 0:
        square = state[PAWN + seat]
        if near_another(state, players, seat, square):
            state[SEAT] = seat
            low, high = pawn_targets(rules, state, walls)
            count_low = popcount(low)
            count = count_low + popcount(high)
            if count > 0:
                n = draw_below(rng, count)
                square = nth_bit(low, n) if n < count_low else 63 + nth_bit(high, n - count_low)
        else:
            open_steps = np.int64(steps[square])
            square += _NTH[4 * open_steps + draw_below(rng, _OPEN[open_steps])]
        state[PAWN + seat] = square
        plies -= 1
        low, high = square_set(square)
        if (low & np.uint64(rules[GOAL_LOW + seat])) | (high & np.uint64(rules[GOAL_HIGH + seat])):
            state[WINNER] = seat
            break
        seat = seat + 1 if seat + 1 < players else 0
    state[PLY] += begin - plies
    state[SEAT] = seat
