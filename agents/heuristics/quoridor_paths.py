"""Shortest paths on bitboards: which fences lie across them, and which of these they cannot do without going round.

The squares of shortest paths lie in layers by their steps from the pawn. A fence closes one step of a square at most, so
it leaves all layers connected, and the path as short as it is, unless it closes the only step into some square from the
layer before or the only step out of one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.compiling import kernel
from ...envs.quoridor.kernels import beside, grow, square_set

_0, _1, _9, _54 = (np.uint64(i) for i in (0, 1, 9, 54))
_LOW = np.uint64((1 << 63) - 1)
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
def reach(square: Any, goal_low: Any, goal_high: Any, walls: Any, reached: Any) -> Any:
    """Write the squares within 0, 1, 2 ... steps of `square`, a row each, until the goal is among them.

    Args:
        square: where the path begins; it must have one.
        goal_low: the set of squares where it may end, the low word.
        goal_high: and the high one.
        walls: the open steps.
        reached: uint64 ``[82, 2]``, written to.

    Returns:
        The steps to the goal: the last row.
    """
    low, high = square_set(square)
    last = 0
    reached[0, 0], reached[0, 1] = low, high
    while not ((low & goal_low) | (high & goal_high)):
        low, high = grow(low, high, walls)
        last += 1
        reached[last, 0], reached[last, 1] = low, high
    return last


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
    last = reach(square, goal_low, goal_high, walls, reached)
    low, high = reached[last, 0] & goal_low, reached[last, 1] & goal_high
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


@kernel
def up(low: Any, high: Any) -> Any:
    """Return a set moved to the next rank."""
    return (low << _9) & _LOW, (high << _9) | (low >> _54)


@kernel
def down(low: Any, high: Any) -> Any:
    """Return a set moved to the rank before."""
    return ((low >> _9) | (high << _54)) & _LOW, high >> _9


@kernel
def in_just_one(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the bits that are in one of four words and no other."""
    return (a ^ b ^ c ^ d) & ~((a & b) | (c & d) | ((a | b) & (c | d)))


@kernel
def blocking_fences(square: Any, goal_low: Any, goal_high: Any, walls: Any, reached: Any) -> Any:
    """Return the anchors (horizontal, vertical) of the fences that may make the shortest path to the goal longer.

    Args:
        square: where the path begins; it must have one.
        goal_low: the set of squares where it may end, the low word.
        goal_high: and the high one.
        walls: the open steps.
        reached: uint64 ``[82, 2]``, written to.
    """
    north_low, north_high, east_low, east_high = walls
    last = reach(square, goal_low, goal_high, walls, reached)
    low, high = reached[last, 0] & goal_low, reached[last, 1] & goal_high
    across_low, across_high, along_low, along_high = _0, _0, _0, _0  # steps to another rank, to another file
    for k in range(last - 1, -1, -1):
        before_low, before_high = beside(low, high, walls)
        before_low &= reached[k, 0]
        before_high &= reached[k, 1]
        # the steps from this layer to the next, by the square that their wall belongs to
        under_low, under_high = down(low, high)
        n_low, n_high = north_low & before_low & under_low, north_high & before_high & under_high
        under_low, under_high = down(before_low, before_high)
        s_low, s_high = north_low & low & under_low, north_high & high & under_high
        e_low, e_high = east_low & before_low & (low >> _1), east_high & before_high & (high >> _1)
        w_low, w_high = east_low & low & (before_low >> _1), east_high & high & (before_high >> _1)
        above_n_low, above_n_high = up(n_low, n_high)
        above_s_low, above_s_high = up(s_low, s_high)
        into_low = in_just_one(above_n_low, s_low, e_low << _1, w_low)
        into_high = in_just_one(above_n_high, s_high, e_high << _1, w_high)
        out_low = in_just_one(n_low, above_s_low, e_low, w_low << _1)
        out_high = in_just_one(n_high, above_s_high, e_high, w_high << _1)
        into_under_low, into_under_high = down(into_low, into_high)
        out_under_low, out_under_high = down(out_low, out_high)
        across_low |= (n_low & (into_under_low | out_low)) | (s_low & (into_low | out_under_low))
        across_high |= (n_high & (into_under_high | out_high)) | (s_high & (into_high | out_under_high))
        along_low |= (e_low & ((into_low >> _1) | out_low)) | (w_low & (into_low | (out_low >> _1)))
        along_high |= (e_high & ((into_high >> _1) | out_high)) | (w_high & (into_high | (out_high >> _1)))
        low, high = before_low, before_high
    return fences_across(across_low, across_high, along_low, along_high)
