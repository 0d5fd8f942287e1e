"""All positions with a given number of fences on the board, solved from those with one fence more; compiled.

Fences are only ever added, so the positions with one layout and given hands form a game of pawns whose ways out, the
fences, lead to positions that are solved already. A value is kept in one byte, a *score* of the side to move: the
better, the higher. 128 - i: wins with its i-th move from now; 0: neither side ever arrives; j - 128: loses after j
more moves of its own. What cannot be, such as a pawn without a path, has the score of a win at once: then nobody ever
wants to bring the other side there, and no fence needs to be tested for legality.

Positions of a level: ``[layout, hands, seat to move, square of seat 0, square of seat 1]``. Hands are numbered by the
fences that seat 0 has placed, from the fewest it can have. Squares are those that are not the goal of the seat:
``rank*n + file`` for seat 0, ``(rank-1)*n + file`` for seat 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.bits import popcount
from ...envs.compiling import kernel
from ...envs.quoridor.kernels import BIT, FENCES, GOAL_LOW, SIZE, STATE_SIZE, fence_candidates, walls_of
from .quoridor_layouts import find, lay_out
from .quoridor_pawns import NO_FENCE, SQUARES, connected_to_goal, has, settle

WIN_AT_ONCE = 127
"""The highest score, also that of what cannot be."""
LONGEST_WIN = 253
"""Plies of the longest win that a score can tell."""

_0 = np.uint64(0)


@kernel
def fewest_of_first(rules: Any, placed: Any) -> Any:
    """Return the fewest of `placed` fences that seat 0 can have placed."""
    return max(0, placed - rules[FENCES])


@kernel
def hands(rules: Any, placed: Any) -> Any:
    """Return in how many ways two seats can have placed so many fences."""
    return max(0, min(rules[FENCES], placed) - fewest_of_first(rules, placed) + 1)


@kernel
def score_of(plies: Any) -> Any:
    """Return the score of signed plies, which tell more than a byte from `LONGEST_WIN` on."""
    if plies > 0:
        return 128 - ((plies + 1) >> 1)
    return 0 if plies == 0 else ((-plies) >> 1) - 128


@kernel
def plies_of(score: Any) -> Any:
    """Return the signed plies of a score."""
    if score > 0:
        return 2 * (128 - score) - 1
    return 0 if score == 0 else -2 * (score + 128)


@kernel
def plies_before(score: Any) -> Any:
    """Return the signed plies of the side that brings about a position of a score for the other side."""
    if score > 0:
        return -2 * (128 - score)
    return 0 if score == 0 else 2 * (score + 128) + 1


@kernel
def keep_lower(scores: Any, lowest: Any) -> None:
    """Lower each of `lowest` (int8) to its counterpart in `scores` where that is less."""
    for index in range(scores.size):
        lowest[index] = np.minimum(scores[index], lowest[index])


@kernel
def square_of(size: Any, seat: Any, index: Any) -> Any:
    """Return the square of the pawn of `seat` from its number among those that are not its goal."""
    return (index // size + seat) * 9 + index % size


@kernel
def write_fences(size: Any, seat: Any, lowest: Any, fences: Any) -> None:
    """Write what placing the best fence is worth to `seat`, given the lowest scores of the other side after it."""
    squares = size * (size - 1)
    for near in range(squares):
        for far in range(squares):
            score = np.int64(lowest[near * squares + far])
            plies = NO_FENCE if score == WIN_AT_ONCE else plies_before(score)
            fences[seat, square_of(size, 0, near), square_of(size, 1, far)] = plies


@kernel
def write_scores(rules: Any, walls: Any, values: Any, scores: Any) -> Any:
    """Write the scores (int8 ``[2, squares * squares]``) of a settled layout; return its longest win or loss in plies."""
    size, longest = rules[SIZE], 0
    squares = size * (size - 1)
    near_to_goal, _ = connected_to_goal(rules, walls, 0)
    far_to_goal, _ = connected_to_goal(rules, walls, 1)
    for seat in range(2):
        for near in range(squares):
            first = square_of(size, 0, near)
            for far in range(squares):
                second = square_of(size, 1, far)
                score = WIN_AT_ONCE
                if first != second and has(near_to_goal, _0, first) and has(far_to_goal, _0, second):
                    plies: Any = np.int64(values[seat, first, second])
                    longest = max(longest, abs(plies))
                    score = score_of(plies)
                scores[seat, near * squares + far] = score
    return longest


@kernel
def pairs_of_squares(rules: Any, walls: Any) -> Any:
    """Return in how many ways two pawns can stand on a layout, neither arrived, both with a path."""
    near_to_goal, _ = connected_to_goal(rules, walls, 0)
    far_to_goal, _ = connected_to_goal(rules, walls, 1)
    near_to_goal &= ~np.uint64(rules[GOAL_LOW])
    far_to_goal &= ~np.uint64(rules[GOAL_LOW + 1])
    return popcount(near_to_goal) * popcount(far_to_goal) - popcount(near_to_goal & far_to_goal)


@kernel(allocates=True)
def count_states(rules: Any, placed: Any, layouts: Any) -> Any:
    """Return how many positions the layouts of a level have: hands, sides to move, squares."""
    state, count = np.zeros(STATE_SIZE, np.int64), 0
    for layout in layouts:
        lay_out(rules, layout, state)
        count += pairs_of_squares(rules, walls_of(state))
    return 2 * hands(rules, placed) * count


@kernel(allocates=True)
def solve_layouts(
    rules: Any, placed: Any, layouts: Any, next_layouts: Any, next_scores: Any, first: Any, last: Any, scores: Any
) -> Any:
    """Solve the layouts ``first .. last-1`` of a level.

    Args:
        rules: of a game with two players on a board of at most 7x7.
        placed: fences on the board in this level.
        layouts: int64 ``[layouts]``, ascending: those with so many fences.
        next_layouts: those with one fence more; none if nobody can place another.
        next_scores: int8 ``[next layouts, hands, 2, squares * squares]``, their scores.
        first: the first layout to solve.
        last: the one after the last.
        scores: int8 ``[layouts, hands, 2, squares * squares]``, receives the scores.

    Returns:
        The plies of the longest win or loss; beyond `LONGEST_WIN` the scores are wrong.
    """
    size = rules[SIZE]
    anchors, squares, longest = (size - 1) * (size - 1), size * (size - 1), 0
    state, children = np.zeros(STATE_SIZE, np.int64), np.empty(2 * anchors, np.int64)
    lowest = np.empty(squares * squares, np.int8)
    fences, values = np.zeros((2, SQUARES, SQUARES), np.int16), np.zeros((2, SQUARES, SQUARES), np.int16)
    for place in range(first, last):
        lay_out(rules, layouts[place], state)
        walls = walls_of(state)
        count = find_children(rules, layouts[place], state, next_layouts, children)
        for hand in range(scores.shape[1]):
            by_first = fewest_of_first(rules, placed) + hand
            any_fences = False
            for seat in range(2):
                lowest[:] = WIN_AT_ONCE
                if count > 0 and rules[FENCES] > (by_first if seat == 0 else placed - by_first):
                    next_hand = by_first + 1 - seat - fewest_of_first(rules, placed + 1)
                    for child in children[:count]:
                        keep_lower(next_scores[child, next_hand, 1 - seat], lowest)
                    any_fences = True
                write_fences(size, seat, lowest, fences)
            settle(rules, walls, any_fences, fences, values)
            longest = max(longest, write_scores(rules, walls, values, scores[place, hand]))
    return longest


@kernel
def find_children(rules: Any, layout: Any, state: Any, next_layouts: Any, children: Any) -> Any:
    """Write the places of the layouts with one fence more than that of `state`; return how many there are."""
    candidates = fence_candidates(rules, state)
    side, power, count = rules[SIZE] - 1, 1, 0
    for anchor in range(side * side):
        bit = np.uint64(rules[BIT + rules[SIZE] * rules[SIZE] + anchor])
        for orientation in range(2):
            if candidates[orientation] >> bit & np.uint64(1):
                place = find(next_layouts, layout + (orientation + 1) * power)
                if place >= 0:
                    children[count] = place
                    count += 1
        power *= 3
    return count
