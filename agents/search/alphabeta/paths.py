"""Shortest paths on bitboards: which fences lie across them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....envs.compiling import kernel
from ....envs.quoridor.kernels import beside, grow, square_set

_0, _1, _9, _54 = (np.uint64(i) for i in (0, 1, 9, 54))
_ROW, _ANCHOR_ROW = np.uint64(0x1FF), np.uint64(0xFF)


@kernel
def row_of(low: Any, high: Any, rank: Any) -> Any:
    """Return the squares of a set that lie on a rank, as nine bits."""
    if rank < 7:
        return (low >> np.uint64(9 * rank)) & _ROW
    return (high >> np.uint64(9 * (rank - 7))) & _ROW


@kernel
def fences_across(north_low: Any, north_high: Any, east_low: Any, east_high: Any) -> Any:
    """Return the anchors (horizontal, vertical) of the fences that would close one of the steps.

    Steps are sets of the squares from which they lead to the next rank (``north``) or file (``east``).
    """
    horizontal, vertical = _0, _0
    below = row_of(east_low, east_high, 0)
    for rank in range(8):
        steps = row_of(north_low, north_high, rank)
        horizontal |= ((steps | (steps >> _1)) & _ANCHOR_ROW) << np.uint64(8 * rank)
        above = row_of(east_low, east_high, rank + 1)
        vertical |= ((below | above) & _ANCHOR_ROW) << np.uint64(8 * rank)
        below = above
    return horizontal, vertical


@kernel
def fences_across_shortest(square: Any, goal_low: Any, goal_high: Any, walls: Any, reached: Any) -> Any:
    """Return the anchors (horizontal, vertical) of the fences that close a step of some shortest path to the goal.

    A fence that is not among them leaves the length of the path as it is.

    Args:
        square: where the path begins; it must have one.
        goal_low: the set of squares where it may end, the low word.
        goal_high: and the high one.
        walls: the open steps.
        reached: uint64 ``[82, 2]``, written to.
    """
    north_low, north_high, east_low, east_high = walls
    low, high = square_set(square)
    last = 0
    reached[0, 0], reached[0, 1] = low, high
    while not ((low & goal_low) | (high & goal_high)):
        low, high = grow(low, high, walls)
        last += 1
        reached[last, 0], reached[last, 1] = low, high
    low &= goal_low
    high &= goal_high
    up_low, up_high, right_low, right_high = _0, _0, _0, _0
    for k in range(last - 1, -1, -1):
        before_low, before_high = beside(low, high, walls)
        before_low &= reached[k, 0]
        before_high &= reached[k, 1]
        # a step north leads from a set into the other one rank up, whichever of the two comes first
        up_low |= north_low & (
            (before_low & ((low >> _9) | (high << _54))) | (low & ((before_low >> _9) | (before_high << _54)))
        )
        up_high |= north_high & ((before_high & (high >> _9)) | (high & (before_high >> _9)))
        right_low |= east_low & ((before_low & (low >> _1)) | (low & (before_low >> _1)))
        right_high |= east_high & ((before_high & (high >> _1)) | (high & (before_high >> _1)))
        low, high = before_low, before_high
    return fences_across(up_low, up_high, right_low, right_high)
