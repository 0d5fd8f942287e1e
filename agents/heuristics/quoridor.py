"""Quoridor by path lengths: how many moves everybody still needs, and who is to move.

A position is worth the moves that the best opponent still needs less one's own, with a price on each fence spent.
Only pawn moves and fences that block a step of some opponent's shortest path are looked at: no other fence can make
an opponent's way longer. Where all of these lose at once, any other fence is looked at too, for the turn it gains.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.core import State
from ...envs.quoridor.kernels import (
    GOAL_HIGH,
    GOAL_LOW,
    LEFT,
    PAWN,
    PLAYERS,
    SEAT,
    SIZE,
    STATE_SIZE,
    apply,
    distance,
    grow,
    legal,
    pawn_targets,
    square_set,
    walls_of,
    with_fence,
)

FENCE_PRICE = 0.7
"""Moves that a fence in hand is worth: below one, so that a fence is spent where it costs an opponent a step more than
a step forward gains. Chosen by hand."""
OTHERS_WEIGHT = 0.1
"""Weight of the opponents behind the foremost one (4 players)."""
LOST, WON = -1000.0, 1000.0
UNIT = "steps"
DECIDED = 20.0
"""Steps that a position counts as whose end is in sight: more than lead or lag ever come to, and no thousands."""


@kernel
def moves_to_goal(rules: Any, state: Any, seat: Any) -> Any:
    """Return the fewest moves to the goal line for a seat whose turn it is, its jumps of this turn included."""
    mover = state[SEAT]
    state[SEAT] = seat
    walls = walls_of(state)
    low, high = pawn_targets(rules, state, walls)
    state[SEAT] = mover
    if not (low | high):
        return distance(rules, state, seat) + 1
    goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
    moves = 1
    while not ((low & goal_low) | (high & goal_high)):
        next_low, next_high = grow(low, high, walls)
        if next_low == low and next_high == high:
            return 1 + distance(rules, state, seat)
        low, high = next_low, next_high
        moves += 1
    return moves


@kernel(allocates=True)
def blocks_a_shortest_path(rules: Any, state: Any, seat: Any, blocking: Any) -> None:
    """Set ``blocking[orientation, anchor]`` (bool ``[2, 64]``) where a fence would block a shortest path of `seat`."""
    walls = walls_of(state)
    low, high = square_set(state[PAWN + seat])
    goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
    reached = np.zeros((82, 2), np.uint64)  # squares within k steps of the pawn
    last = 0
    reached[0, 0], reached[0, 1] = low, high
    while not ((low & goal_low) | (high & goal_high)):
        low, high = grow(low, high, walls)
        last += 1
        reached[last, 0], reached[last, 1] = low, high
    low, high = low & goal_low, high & goal_high  # walk back: squares on a shortest path, k steps from the pawn
    for k in range(last - 1, -1, -1):
        before_low, before_high = grow(low, high, walls)
        before_low &= reached[k, 0]
        before_high &= reached[k, 1]
        for orientation in range(2):
            for anchor in range(64):
                if not blocking[orientation, anchor]:
                    fenced = with_fence(walls, orientation == 1, anchor)
                    free_low, free_high = grow(before_low, before_high, fenced)
                    back_low, back_high = grow(low, high, fenced)
                    blocked = (low & ~free_low) | (high & ~free_high)
                    blocked |= (before_low & ~back_low) | (before_high & ~back_high)
                    blocking[orientation, anchor] = blocked != np.uint64(0)
        low, high = before_low, before_high


@kernel
def evaluate(rules: Any, state: Any, seat: Any) -> Any:
    """Return the worth of a position, in moves, for the `seat` that has just moved."""
    own = distance(rules, state, seat)
    if own == 0:
        return WON
    players, next_seat = rules[PLAYERS], state[SEAT]
    best, total = 1000, 0
    for other in range(players):
        if other == seat:
            continue
        moves = moves_to_goal(rules, state, other) if other == next_seat else distance(rules, state, other) + 1
        if other == next_seat and moves == 1:
            return LOST - own
        best = min(best, moves)
        total += moves
    rest = (total - best) / max(players - 2, 1) if players > 2 else 0.0
    return best - own + OTHERS_WEIGHT * rest + FENCE_PRICE * state[LEFT + seat]


@kernel(allocates=True)
def score_actions(rules: Any, state: Any, mask: Any, scores: Any) -> None:
    """Write the worth of each action worth a look into `scores` (float64 ``[num_actions]``), NaN for the others."""
    scores[:] = np.nan
    legal(rules, state, mask)
    size, seat = rules[SIZE], state[SEAT]
    side = size - 1
    blocking = np.zeros((2, 64), np.bool_)
    if state[LEFT + seat] > 0:
        for other in range(rules[PLAYERS]):
            if other != seat:
                blocks_a_shortest_path(rules, state, other, blocking)
    after = np.empty(STATE_SIZE, np.int64)
    best = 2 * LOST
    for look_at_all in range(2):
        if best > LOST / 2:
            break
        for action in range(mask.size):
            if mask[action] == 0 or not np.isnan(scores[action]):
                continue
            if action >= size * size and look_at_all == 0:
                vertical, anchor = divmod(action - size * size, side * side)
                if not blocking[vertical, anchor // side * 8 + anchor % side]:
                    continue
            after[:] = state
            apply(rules, after, action)
            scores[action] = evaluate(rules, after, seat)
            best = max(best, scores[action])


def scores(state: State) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the actions worth a look and the worth of each, in moves, for the seat to move."""
    values = np.empty(state.game.num_actions)
    score_actions(state.game.rules, state.words, np.zeros(state.game.num_actions, dtype=np.int8), values)
    actions = np.flatnonzero(~np.isnan(values))
    return actions, values[actions]


def values(state: State) -> NDArray[np.float64]:
    """Return the worth of every legal action in steps of a pawn, ``-DECIDED .. DECIDED``, NaN for the illegal ones.

    Fences that are not worth a look are valued too: somebody may have placed one.
    """
    found = np.full(state.game.num_actions, np.nan)
    rules, seat = state.game.rules, np.int64(state.current_player())
    for action in state.legal_actions():
        found[action] = evaluate(rules, state.child(action).words, seat)
    clipped: NDArray[np.float64] = np.clip(found, -DECIDED, DECIDED)
    return clipped
