"""What a small network sees of Quoridor with four players.

It is what one sees with two players (see `quoridor_inputs`), seat by seat in the order of turns, the one that looks first:
how far it has to go, how many fences it has, what one more fence could do to it, by how much it is nearer to its goal than
the nearest of the others, and where it stands. The board is turned so that the seat that looks walks north, so each seat
of those after it always comes from the same side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.bits import lowest_bit
from ...envs.compiling import kernel
from ...envs.quoridor.kernels import HORIZONTAL, LEFT, PAWN, SIZE, VERTICAL, distance
from ...envs.quoridor.observation import quarters_of, turned
from .quoridor_inputs import (
    ANCHORS,
    COUNT_SIZES,
    HAND_SIZES,
    LEAD_SIZES,
    MOST_SIZES,
    SQUARES,
    STEP_SIZES,
    TOTAL_SIZES,
    count_size,
    hand_size,
    lead_size,
    most_size,
    step_size,
    threat_to,
    total_size,
)

STEPS = 0
"""Where the inputs of the steps of a seat to its goal line begin, counted from the first input of that seat; and so on."""
HANDS = STEPS + STEP_SIZES
"""Of its fences in hand."""
COUNTS = HANDS + HAND_SIZES
"""Of the fences that would make its shortest path longer."""
MOSTS = COUNTS + COUNT_SIZES
"""Of the steps by which one of them would at most."""
TOTALS = MOSTS + MOST_SIZES
"""Of the steps of all of them together, in pairs."""
LEADS = TOTALS + TOTAL_SIZES
"""Of the steps by which it is nearer to its goal than the nearest other seat."""
PAWNS = LEADS + LEAD_SIZES
"""Of the square of its pawn."""
SEAT_INPUTS = PAWNS + SQUARES
"""The inputs of a seat."""
FENCES = 4 * SEAT_INPUTS
"""Where those of the anchors of horizontal and of vertical fences begin, as the seat that looks sees them."""
IN_HANDS = FENCES + 2 * ANCHORS
"""Of the fences in all hands together, 0..40 and more."""
INPUTS = IN_HANDS + 4 * (HAND_SIZES - 1) + 1
"""How many inputs there are."""
MOST_AT_ONCE = 4 * 7 + ANCHORS + 1
"""How many hold in a position, at most: seven for each seat, one for each fence, and one of all hands."""
_FAR = 1 << 20  # more steps than there are


@kernel
def list_inputs(rules: Any, state: Any, viewer: Any, scratch: Any, out: Any) -> Any:
    """Write the inputs that hold for a position, each by its number.

    Args:
        rules: of the game.
        state: the position.
        viewer: the seat that looks.
        scratch: uint64 ``[SQUARES + 1, 2]``, written to.
        out: int64 ``[MOST_AT_ONCE]``.

    Returns:
        How many there are.
    """
    side, quarters = rules[SIZE], quarters_of(rules, viewer)
    steps = (
        distance(rules, state, viewer), distance(rules, state, (viewer + 1) % 4), distance(rules, state, (viewer + 2) % 4),
        distance(rules, state, (viewer + 3) % 4),
    )  # fmt: skip
    count, in_hands = 0, 0
    for place in range(4):
        seat, own = (viewer + place) % 4, SEAT_INPUTS * place
        nearest = _FAR
        for other in range(4):
            if other != place:
                nearest = min(nearest, steps[other])
        threat = threat_to(rules, state, seat, steps[place], scratch)
        square, left = state[PAWN + seat], state[LEFT + seat]
        file, rank = turned(square % 9, square // 9, side, quarters)
        out[count] = own + STEPS + step_size(steps[place])
        out[count + 1] = own + HANDS + hand_size(left)
        out[count + 2] = own + COUNTS + count_size(threat)
        out[count + 3] = own + MOSTS + most_size(threat)
        out[count + 4] = own + TOTALS + total_size(threat)
        out[count + 5] = own + LEADS + lead_size(nearest - steps[place])
        out[count + 6] = own + PAWNS + 9 * rank + file
        count += 7
        in_hands += left
    for vertical in range(2):
        begin = FENCES + ANCHORS * (vertical ^ (quarters & 1))  # a quarter turn lays upright fences flat
        fences = np.uint64(state[VERTICAL if vertical else HORIZONTAL])
        while fences:
            anchor = lowest_bit(fences)
            fences &= fences - np.uint64(1)
            file, rank = turned(anchor & 7, anchor >> 3, side - 1, quarters)
            out[count] = begin + 8 * rank + file
            count += 1
    out[count] = IN_HANDS + min(in_hands, 4 * (HAND_SIZES - 1))
    return count + 1


@kernel(allocates=True)
def write_inputs(rules: Any, state: Any, viewer: Any, out: Any) -> None:
    """Write a 1 into `out` (float32 ``[INPUTS]``) for each input that holds for a position, else a 0."""
    listed, scratch = np.empty(MOST_AT_ONCE, np.int64), np.empty((SQUARES + 1, 2), np.uint64)
    out[:] = 0.0
    for at in range(list_inputs(rules, state, viewer, scratch, listed)):
        out[listed[at]] = 1.0
