"""Layouts of fences by number: every way in which fences can stand so that both pawns may still have a path.

A layout is one number to base 3, a digit for each anchor (``rank*(n-1) + file``): 0 nothing, 1 a horizontal fence, 2 a
vertical one. The boards are those on which it fits into 63 bits and all squares into one word: up to 7x7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.quoridor.kernels import (
    BIT,
    GOAL_LOW,
    HORIZONTAL,
    NORTH_LOW,
    SIZE,
    STATE_SIZE,
    VERTICAL,
    WALLS,
    fence_candidates,
    place_fence,
    walls_of,
)
from ...envs.quoridor.rules import Quoridor
from .quoridor_pawns import connected_to_goal

LARGEST_BOARD = 7
"""Squares on a side up to which layouts have numbers."""


@kernel
def lay_out(rules: Any, layout: Any, state: Any) -> None:
    """Write the fences of a layout into a state, and nothing else."""
    state[HORIZONTAL] = state[VERTICAL] = 0
    for word in range(4):
        state[WALLS + word] = rules[NORTH_LOW + word]
    side, anchor = rules[SIZE] - 1, 0
    while layout > 0:
        if layout % 3:
            place_fence(state, layout % 3 == 2, rules[BIT + rules[SIZE] * rules[SIZE] + anchor])
        layout //= 3
        anchor += 1
        if anchor == side * side:
            return


@kernel
def layout_of(rules: Any, state: Any) -> Any:
    """Return the number of the layout of a state."""
    side, layout = rules[SIZE] - 1, 0
    for anchor in range(side * side - 1, -1, -1):
        bit = rules[BIT + rules[SIZE] * rules[SIZE] + anchor]
        layout = 3 * layout + (state[HORIZONTAL] >> bit & 1) + 2 * (state[VERTICAL] >> bit & 1)
    return layout


@kernel
def find(layouts: Any, layout: Any) -> Any:
    """Return the place of a number in an ascending array, or -1."""
    low, high = 0, layouts.size
    while low < high:
        middle = (low + high) >> 1
        if layouts[middle] < layout:
            low = middle + 1
        else:
            high = middle
    return low if low < layouts.size and layouts[low] == layout else -1


@kernel
def is_playable(rules: Any, state: Any) -> Any:
    """Return whether there are squares for two pawns, neither arrived, from which both have a path."""
    walls = walls_of(state)
    near, _ = connected_to_goal(rules, walls, 0)
    far, _ = connected_to_goal(rules, walls, 1)
    near &= ~np.uint64(rules[GOAL_LOW])
    far &= ~np.uint64(rules[GOAL_LOW + 1])
    one = near == far and near & (near - np.uint64(1)) == np.uint64(0)
    return near != np.uint64(0) and far != np.uint64(0) and not one


@kernel(allocates=True)
def add_fences(rules: Any, layouts: Any, out: Any) -> Any:
    """Write every playable layout that has a fence more than one of `layouts` (int64) into `out`; return how many.

    A layout comes once for each of its fences. `out` holds two numbers for each anchor of each layout.
    """
    state = np.zeros(STATE_SIZE, np.int64)
    side, count = rules[SIZE] - 1, 0
    for layout in layouts:
        lay_out(rules, layout, state)
        candidates = fence_candidates(rules, state)
        power = 1
        for anchor in range(side * side):
            bit = np.uint64(rules[BIT + rules[SIZE] * rules[SIZE] + anchor])
            for orientation in range(2):
                if candidates[orientation] >> bit & np.uint64(1):
                    with_one_more = layout + (orientation + 1) * power
                    lay_out(rules, with_one_more, state)
                    if is_playable(rules, state):
                        out[count] = with_one_more
                        count += 1
            power *= 3
    return count


def next_layouts(game: Quoridor, layouts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return all playable layouts that have one fence more, ascending (int64)."""
    anchors, chunk = (game.board_size - 1) ** 2, 20_000
    found: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    for first in range(0, layouts.size, chunk):
        part = np.ascontiguousarray(layouts[first : first + chunk])
        out = np.empty(2 * anchors * part.size, np.int64)
        found.append(np.unique(out[: add_fences(game.rules, part, out)]))
    return np.unique(np.concatenate(found))
