"""What a solved board of Quoridor says of a position and of each action; compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.compiling import kernel
from ...envs.quoridor.kernels import FENCES, HORIZONTAL, LEFT, PAWN, SEAT, SIZE, VERTICAL, WINNER, apply, legal
from .quoridor_layouts import find, layout_of
from .quoridor_levels import fewest_of_first, plies_of

NO_STATE = 1 << 15
"""Signed plies of what cannot be."""


@kernel
def index_of(size: Any, seat: Any, square: Any) -> Any:
    """Return the number of a square among those that are not the goal of `seat`; see `quoridor_levels`."""
    return (square // 9 - seat) * size + square % 9


@kernel
def plies_at(rules: Any, state: Any, layouts: Any, scores: Any) -> Any:
    """Return the signed plies of the side to move of a game that goes on, given the level of its fences.

    `NO_STATE` if the level has no such layout. A position in which a pawn has no path counts as won at once.
    """
    place = find(layouts, layout_of(rules, state))
    if place < 0:
        return NO_STATE
    by_first = rules[FENCES] - state[LEFT]
    placed = by_first + rules[FENCES] - state[LEFT + 1]
    near = index_of(rules[SIZE], 0, state[PAWN])
    far = index_of(rules[SIZE], 1, state[PAWN + 1])
    hand = by_first - fewest_of_first(rules, placed)
    score = scores[place, hand, state[SEAT], near * rules[SIZE] * (rules[SIZE] - 1) + far]
    return plies_of(np.int64(score))


@kernel(allocates=True)
def write_action_plies(
    rules: Any, state: Any, layouts: Any, scores: Any, next_layouts: Any, next_scores: Any, out: Any
) -> None:
    """Write for each action the signed plies of the side to move if it plays it; `NO_STATE` if it is not legal.

    Args:
        rules: of the solved game.
        state: of a game that goes on.
        layouts: of the level of the position.
        scores: of the same level.
        next_layouts: of the level with one fence more.
        next_scores: of the same level.
        out: int64 ``[actions]``.
    """
    mask, child = np.empty(out.size, np.int8), np.empty_like(state)
    legal(rules, state, mask)
    fences = state[HORIZONTAL] | state[VERTICAL]
    for action in range(out.size):
        out[action] = NO_STATE
        if not mask[action]:
            continue
        child[:] = state
        apply(rules, child, action)
        if child[WINNER] >= 0:
            out[action] = 1
            continue
        if (child[HORIZONTAL] | child[VERTICAL]) == fences:
            plies = plies_at(rules, child, layouts, scores)
        else:
            plies = plies_at(rules, child, next_layouts, next_scores)
        if plies > 0:
            out[action] = -plies - 1
        else:
            out[action] = 0 if plies == 0 else 1 - plies
