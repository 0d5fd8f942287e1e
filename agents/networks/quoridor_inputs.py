"""What a small network on incremental features sees of Quoridor with two players.

Every input is 0 or 1, some two or three dozen of them are 1, and a move changes only a few: so the sums of a first layer
follow from those of the position before (see `incremental`). Inputs are numbered from the point of view of a seat: for
the second one the board is turned round, so that the pawn of the seat that looks walks north.

Where the pawns and fences are is too little for a small network to learn from how a fence could hurt, which decides most
games. So what one more fence, whoever places it, could do to each seat is worked out: how many fences would make its
shortest path longer, by how much at most, and by how much all of them together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.bits import lowest_bit
from ...envs.compiling import kernel
from ...envs.quoridor.kernels import (
    BIT,
    GOAL_HIGH,
    GOAL_LOW,
    HORIZONTAL,
    LEFT,
    PAWN,
    SIZE,
    VERTICAL,
    distance,
    fence_candidates,
    steps_between,
    walls_of,
    with_fence,
)
from ..heuristics.quoridor_paths import blocking_fences

SQUARES, ANCHORS = 81, 64
HAND_SIZES, STEP_SIZES, COUNT_SIZES, MOST_SIZES, TOTAL_SIZES = 11, 32, 17, 16, 24
"""Into how many numbers what is counted of a seat is sorted; the last of each stands for all beyond."""
FARTHEST = 16
LEAD_SIZES = 2 * FARTHEST + 1
PAWNS = 0
"""Where the inputs of the squares of the two pawns begin; the seat that looks comes first, here and below."""
FENCES = PAWNS + 2 * SQUARES
"""Of the anchors of horizontal and of vertical fences."""
HANDS = FENCES + 2 * ANCHORS
"""Of the fences in hand, 0..10; and more."""
IN_HANDS = HANDS + 2 * HAND_SIZES
"""Of the fences in both hands together, 0..20 and more."""
STEPS = IN_HANDS + 2 * HAND_SIZES - 1
"""Of the steps to the goal lines, 0..31 and more."""
LEAD = STEPS + 2 * STEP_SIZES
"""Of the steps by which the seat that looks is nearer, -16 or less .. 16 or more."""
COUNTS = LEAD + LEAD_SIZES
"""Of the fences that would make a shortest path longer, 0..16 and more."""
MOSTS = COUNTS + 2 * COUNT_SIZES
"""Of the steps by which one of them would at most, 0..15 and more."""
TOTALS = MOSTS + 2 * MOST_SIZES
"""Of the steps of all of them together, in pairs, 0..23 and more."""
INPUTS = TOTALS + 2 * TOTAL_SIZES
"""How many inputs there are."""
MOST_AT_ONCE = 2 * 6 + ANCHORS + 2
"""How many hold in a position, at most: six for each seat, one for each fence, and two of both seats together."""


@kernel
def hand_size(left: Any) -> Any:
    """Return what the fences in a hand are sorted under, 0 .. `HAND_SIZES` - 1; likewise the next ones."""
    return min(left, HAND_SIZES - 1)


@kernel
def step_size(steps: Any) -> Any:
    """Return it for the steps to a goal line."""
    return min(steps, STEP_SIZES - 1)


@kernel
def lead_size(lead: Any) -> Any:
    """Return it for the steps that somebody is ahead, or behind if it is below 0."""
    return FARTHEST + max(-FARTHEST, min(lead, FARTHEST))


@kernel
def count_size(threat: Any) -> Any:
    """Return it for the number of fences in a threat; see `threat_to`."""
    return min(threat & 0xFF, COUNT_SIZES - 1)


@kernel
def most_size(threat: Any) -> Any:
    """Return it for the most steps in a threat."""
    return min(threat >> 8 & 0xFF, MOST_SIZES - 1)


@kernel
def total_size(threat: Any) -> Any:
    """Return it for all steps in a threat, in pairs."""
    return min(threat >> 17, TOTAL_SIZES - 1)


@kernel
def pawn_input(rules: Any, seat: Any, viewer: Any, square: Any) -> Any:
    """Return the input of a pawn on a square (its bit)."""
    last = rules[BIT + rules[SIZE] * rules[SIZE] - 1]
    return PAWNS + SQUARES * np.int64(seat != viewer) + (last - square if viewer == 1 else square)


@kernel
def fence_input(rules: Any, viewer: Any, vertical: Any, anchor: Any) -> Any:
    """Return the input of a fence at an anchor (its bit)."""
    last = rules[BIT + rules[SIZE] * rules[SIZE] + (rules[SIZE] - 1) * (rules[SIZE] - 1) - 1]
    return FENCES + ANCHORS * vertical + (last - anchor if viewer == 1 else anchor)


@kernel
def hand_input(seat: Any, viewer: Any, left: Any) -> Any:
    """Return the input of the fences in a seat's hand."""
    return HANDS + HAND_SIZES * np.int64(seat != viewer) + hand_size(left)


@kernel
def hands_input(left: Any) -> Any:
    """Return the input of the fences in both hands."""
    return IN_HANDS + min(left, 2 * HAND_SIZES - 2)


@kernel
def steps_input(seat: Any, viewer: Any, steps: Any) -> Any:
    """Return the input of the steps of a seat to its goal line."""
    return STEPS + STEP_SIZES * np.int64(seat != viewer) + step_size(steps)


@kernel
def lead_input(lead: Any) -> Any:
    """Return the input of the steps that the seat that looks is nearer to its goal than the other."""
    return LEAD + lead_size(lead)


@kernel
def count_input(seat: Any, viewer: Any, threat: Any) -> Any:
    """Return the input of the number of fences in a threat to a seat; see `threat_to`."""
    return COUNTS + COUNT_SIZES * np.int64(seat != viewer) + count_size(threat)


@kernel
def most_input(seat: Any, viewer: Any, threat: Any) -> Any:
    """Return the input of the most steps in a threat."""
    return MOSTS + MOST_SIZES * np.int64(seat != viewer) + most_size(threat)


@kernel
def total_input(seat: Any, viewer: Any, threat: Any) -> Any:
    """Return the input of all steps in a threat."""
    return TOTALS + TOTAL_SIZES * np.int64(seat != viewer) + total_size(threat)


@kernel
def threat_to(rules: Any, state: Any, seat: Any, steps: Any, scratch: Any) -> Any:
    """Return what one more fence could do to a seat that has `steps` to go.

    Returns:
        One number (int64): the fences that would make its shortest path longer or cut it off, the most steps by which
        a legal one would (times 2^8), and the steps of all of these together (times 2^16).
    """
    walls = walls_of(state)
    goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
    h, v = blocking_fences(state[PAWN + seat], goal_low, goal_high, walls, scratch)
    free_h, free_v = fence_candidates(rules, state)
    count, most, total = 0, 0, 0
    for vertical in range(2):
        fences = v & free_v if vertical else h & free_h
        while fences:
            fenced = with_fence(walls, vertical == 1, lowest_bit(fences))
            fences &= fences - np.uint64(1)
            then = steps_between(state[PAWN + seat], goal_low, goal_high, fenced)
            if then != steps:
                count += 1
            if then >= 0:
                most = max(most, then - steps)
                total += then - steps
    return min(count, 0xFF) | min(most, 0xFF) << 8 | total << 16


@kernel
def list_inputs(rules: Any, state: Any, viewer: Any, scratch: Any, out: Any) -> Any:
    """Write the inputs that hold for a position, each by its number, in no particular order.

    Args:
        rules: of the game.
        state: the position.
        viewer: the seat that looks.
        scratch: uint64 ``[SQUARES + 1, 2]``, written to.
        out: int64 ``[MOST_AT_ONCE]``.

    Returns:
        How many there are.
    """
    near, far = distance(rules, state, viewer), distance(rules, state, 1 - viewer)
    out[0] = hands_input(state[LEFT] + state[LEFT + 1])
    out[1] = lead_input(far - near)
    count = 2
    for seat in range(2):
        steps = near if seat == viewer else far
        threat = threat_to(rules, state, seat, steps, scratch)
        out[count] = pawn_input(rules, seat, viewer, state[PAWN + seat])
        out[count + 1] = hand_input(seat, viewer, state[LEFT + seat])
        out[count + 2] = steps_input(seat, viewer, steps)
        out[count + 3] = count_input(seat, viewer, threat)
        out[count + 4] = most_input(seat, viewer, threat)
        out[count + 5] = total_input(seat, viewer, threat)
        count += 6
        fences = np.uint64(state[VERTICAL if seat else HORIZONTAL])
        while fences:
            out[count] = fence_input(rules, viewer, seat, lowest_bit(fences))
            fences &= fences - np.uint64(1)
            count += 1
    return count


@kernel(allocates=True)
def write_inputs(rules: Any, state: Any, viewer: Any, out: Any) -> None:
    """Write a 1 into `out` (float32 ``[INPUTS]``) for each input that holds for a position, else a 0."""
    listed, scratch = np.empty(MOST_AT_ONCE, np.int64), np.empty((SQUARES + 1, 2), np.uint64)
    out[:] = 0.0
    for at in range(list_inputs(rules, state, viewer, scratch, listed)):
        out[listed[at]] = 1.0


def mirror(board_size: int) -> NDArray[np.int64]:
    """Return for each input the one that holds in its place when left and right are exchanged, ``[INPUTS]``."""
    seen = np.arange(INPUTS)
    for begin, count, stride, side in (
        (PAWNS, 2 * SQUARES, 9, board_size), (FENCES, 2 * ANCHORS, 8, board_size - 1)
    ):  # fmt: skip
        places = np.arange(count)
        files = places % stride
        seen[begin : begin + count] = begin + np.where(files < side, places + side - 1 - 2 * files, places)
    return seen
