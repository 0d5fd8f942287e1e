"""What a small network on incremental features sees of Quoridor with two players.

Every input is 0 or 1, some two dozen of them are 1, and a move changes only a few: so the sums of a first layer follow
from those of the position before (see `incremental`). Inputs are numbered from the point of view of a seat: for the
second one the board is turned round, so that the pawn of the seat that looks walks north.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.bits import lowest_bit
from ...envs.compiling import kernel
from ...envs.quoridor.kernels import BIT, HORIZONTAL, LEFT, PAWN, SIZE, VERTICAL, distance

_SQUARES, _ANCHORS, _HANDS, _STEPS, _FARTHEST = 81, 64, 11, 32, 16
PAWNS = 0
"""Where the inputs of the squares of the two pawns begin; the seat that looks comes first, here and below."""
FENCES = PAWNS + 2 * _SQUARES
"""Of the anchors of horizontal and of vertical fences."""
HANDS = FENCES + 2 * _ANCHORS
"""Of the fences in hand, 0..10; and more."""
IN_HANDS = HANDS + 2 * _HANDS
"""Of the fences in both hands together, 0..20 and more."""
STEPS = IN_HANDS + 2 * _HANDS - 1
"""Of the steps to the goal lines, 0..31 and more."""
LEAD = STEPS + 2 * _STEPS
"""Of the steps by which the seat that looks is nearer, -16 or less .. 16 or more."""
INPUTS = LEAD + 2 * _FARTHEST + 1
"""How many inputs there are."""


@kernel
def pawn_input(rules: Any, seat: Any, viewer: Any, square: Any) -> Any:
    """Return the input of a pawn on a square (its bit)."""
    last = rules[BIT + rules[SIZE] * rules[SIZE] - 1]
    return PAWNS + _SQUARES * np.int64(seat != viewer) + (last - square if viewer == 1 else square)


@kernel
def fence_input(rules: Any, viewer: Any, vertical: Any, anchor: Any) -> Any:
    """Return the input of a fence at an anchor (its bit)."""
    last = rules[BIT + rules[SIZE] * rules[SIZE] + (rules[SIZE] - 1) * (rules[SIZE] - 1) - 1]
    return FENCES + _ANCHORS * vertical + (last - anchor if viewer == 1 else anchor)


@kernel
def hand_input(seat: Any, viewer: Any, left: Any) -> Any:
    """Return the input of the fences in a seat's hand."""
    return HANDS + _HANDS * np.int64(seat != viewer) + min(left, _HANDS - 1)


@kernel
def hands_input(left: Any) -> Any:
    """Return the input of the fences in both hands."""
    return IN_HANDS + min(left, 2 * _HANDS - 2)


@kernel
def steps_input(seat: Any, viewer: Any, steps: Any) -> Any:
    """Return the input of the steps of a seat to its goal line."""
    return STEPS + _STEPS * np.int64(seat != viewer) + min(steps, _STEPS - 1)


@kernel
def lead_input(lead: Any) -> Any:
    """Return the input of the steps that the seat that looks is nearer to its goal than the other."""
    return LEAD + _FARTHEST + max(-_FARTHEST, min(lead, _FARTHEST))


@kernel
def write_inputs(rules: Any, state: Any, viewer: Any, out: Any) -> None:
    """Write a 1 into `out` (float32 ``[INPUTS]``) for each input that holds for a position, else a 0."""
    out[:] = 0.0
    rival = 1 - viewer
    for seat in range(2):
        out[pawn_input(rules, seat, viewer, state[PAWN + seat])] = 1.0
        out[hand_input(seat, viewer, state[LEFT + seat])] = 1.0
        out[steps_input(seat, viewer, distance(rules, state, seat))] = 1.0
        fences = np.uint64(state[VERTICAL if seat else HORIZONTAL])
        while fences:
            out[fence_input(rules, viewer, seat, lowest_bit(fences))] = 1.0
            fences &= fences - np.uint64(1)
    out[hands_input(state[LEFT] + state[LEFT + 1])] = 1.0
    out[lead_input(distance(rules, state, rival) - distance(rules, state, viewer))] = 1.0
