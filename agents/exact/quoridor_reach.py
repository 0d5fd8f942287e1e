"""Which positions of a small board play from the start can lead to; compiled, level by level from the empty board."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.bits import lowest_bit
from ...envs.compiling import kernel
from ...envs.quoridor.kernels import FENCES, GOAL_LOW, PAWN, SEAT, SIZE, STATE_SIZE, pawn_targets, walls_of
from .quoridor_layouts import lay_out
from .quoridor_levels import fewest_of_first, find_children, square_of
from .quoridor_lookups import index_of
from .quoridor_pawns import connected_to_goal, has
from .quoridor_table import QuoridorTable

_0, _1 = np.uint64(0), np.uint64(1)


@kernel(allocates=True)
def walk_pawns(rules: Any, state: Any, walls: Any, reached: Any) -> None:
    """Mark every position that pawn moves lead to from one that is marked.

    Args:
        rules: of a game with two players on a board of at most 7x7.
        state: with the fences of the layout; what else it has is lost.
        walls: the open steps of the layout.
        reached: uint8 ``[2, squares * squares]``, one layout and hands: 1 where a position is reached.
    """
    size = rules[SIZE]
    squares = size * (size - 1)
    waiting, count = np.empty(reached.size, np.int64), 0
    for seat in range(2):
        for pair in range(squares * squares):
            if reached[seat, pair]:
                waiting[count] = seat * squares * squares + pair
                count += 1
    while count > 0:
        count -= 1
        seat, pair = waiting[count] // (squares * squares), waiting[count] % (squares * squares)
        state[SEAT] = seat
        state[PAWN], state[PAWN + 1] = square_of(size, 0, pair // squares), square_of(size, 1, pair % squares)
        targets, _ = pawn_targets(rules, state, walls)
        targets &= ~np.uint64(rules[GOAL_LOW + seat])
        while targets:
            index = index_of(size, seat, lowest_bit(targets))
            after = index * squares + pair % squares if seat == 0 else pair // squares * squares + index
            if not reached[1 - seat, after]:
                reached[1 - seat, after] = 1
                waiting[count] = (1 - seat) * squares * squares + after
                count += 1
            targets &= targets - _1


@kernel(allocates=True)
def spread(rules: Any, placed: Any, layouts: Any, reached: Any, next_layouts: Any, next_reached: Any) -> None:
    """Mark every position of a level that those marked lead to, and those of the next level.

    Args:
        rules: of a game with two players on a board of at most 7x7.
        placed: fences on the board in this level.
        layouts: int64 ``[layouts]`` of the level.
        reached: uint8 ``[layouts, hands, 2, squares * squares]``.
        next_layouts: those with one fence more.
        next_reached: likewise.
    """
    size = rules[SIZE]
    squares = size * (size - 1)
    state, children = np.zeros(STATE_SIZE, np.int64), np.empty(2 * (size - 1) * (size - 1), np.int64)
    after = np.zeros(STATE_SIZE, np.int64)
    for place in range(layouts.size):
        lay_out(rules, layouts[place], state)
        walls = walls_of(state)
        for hand in range(reached.shape[1]):
            walk_pawns(rules, state, walls, reached[place, hand])
        for child in children[: find_children(rules, layouts[place], state, next_layouts, children)]:
            lay_out(rules, next_layouts[child], after)
            near, _ = connected_to_goal(rules, walls_of(after), 0)
            far, _ = connected_to_goal(rules, walls_of(after), 1)
            for hand in range(reached.shape[1]):
                by_first = fewest_of_first(rules, placed) + hand
                for seat in range(2):
                    if rules[FENCES] <= (by_first if seat == 0 else placed - by_first):
                        continue
                    next_hand = by_first + 1 - seat - fewest_of_first(rules, placed + 1)
                    for pair in range(squares * squares):
                        if (
                            reached[place, hand, seat, pair]
                            and has(near, _0, square_of(size, 0, pair // squares))
                            and has(far, _0, square_of(size, 1, pair % squares))
                        ):
                            next_reached[child, next_hand, 1 - seat, pair] = 1


def reachable(table: QuoridorTable) -> list[NDArray[np.uint8]]:
    """Return for each level which of its positions play can lead to: uint8, 1 or 0, in the shape of the scores."""
    rules, levels = table.game.rules, table.levels
    reached = [np.zeros(level.scores.shape, np.uint8) for level in levels]
    start = table.game.new_initial_state().words
    squares = table.game.board_size * (table.game.board_size - 1)
    near, far = (int(index_of(table.game.board_size, seat, start[PAWN + seat])) for seat in range(2))
    reached[0][0, 0, 0, near * squares + far] = 1
    for placed, level in enumerate(levels):
        after = min(placed + 1, len(levels) - 1)
        none = level.layouts[:0] if after == placed else levels[after].layouts
        spread(rules, placed, level.layouts, reached[placed], none, reached[after])
    return reached
