"""Quoridor by path lengths: how many moves everybody still needs, and who is to move.

A position is worth the moves that the best opponent still needs less one's own, with a price on each fence spent.
Only pawn moves and fences that block a step of some opponent's shortest path are looked at: no other fence can make
an opponent's way longer. Where all of these lose at once, any other fence is looked at too, for the turn it gains.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.bits import lowest_bit
from ...envs.compiling import kernel
from ...envs.core import State
from ...envs.quoridor.kernels import (
    ACTION,
    GOAL_HIGH,
    GOAL_LOW,
    HORIZONTAL,
    LEFT,
    PAWN,
    PLAYERS,
    SEAT,
    SIZE,
    STATE_SIZE,
    VERTICAL,
    apply,
    fence_candidates,
    grow,
    legal,
    pawn_targets,
    steps_between,
    walls_of,
    with_fence,
)
from ...envs.quoridor.playout import near_another
from .quoridor_paths import blocking_fences

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
def steps_of(packed: Any, seat: Any) -> Any:
    """Return the steps of a seat, from those of all seats in one word, a byte each."""
    return packed >> (8 * seat) & 0xFF


@kernel
def steps_to_goal(rules: Any, state: Any, walls: Any, seat: Any) -> Any:
    """Return the fewest steps from the pawn of `seat` to its goal line between these walls; -1 if it is cut off."""
    goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
    return steps_between(state[PAWN + seat], goal_low, goal_high, walls)


@kernel
def all_steps(rules: Any, state: Any, walls: Any) -> Any:
    """Return the steps of all seats in one word, a byte each."""
    packed = np.int64(0)
    for seat in range(rules[PLAYERS]):
        packed |= steps_to_goal(rules, state, walls, seat) << (8 * seat)
    return packed


@kernel
def moves_to_goal(rules: Any, state: Any, walls: Any, seat: Any) -> Any:
    """Return the fewest moves to the goal line for a seat whose turn it is, its jumps of this turn included."""
    mover = state[SEAT]
    state[SEAT] = seat
    low, high = pawn_targets(rules, state, walls)
    state[SEAT] = mover
    if not (low | high):
        return steps_to_goal(rules, state, walls, seat) + 1
    goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
    moves = 1
    while not ((low & goal_low) | (high & goal_high)):
        next_low, next_high = grow(low, high, walls)
        if next_low == low and next_high == high:
            return 1 + steps_to_goal(rules, state, walls, seat)
        low, high = next_low, next_high
        moves += 1
    return moves


@kernel
def worth(rules: Any, state: Any, walls: Any, packed: Any, seat: Any, left: Any) -> Any:
    """Return the worth of a position, in moves, for the `seat` that has just moved.

    Args:
        rules: of the game.
        state: where the pawns stand; its walls and fences in hand are not looked at.
        walls: the open steps.
        packed: the steps of all seats, see `all_steps`.
        seat: who has just moved.
        left: fences that it has in hand.
    """
    own = steps_of(packed, seat)
    if own == 0:
        return WON
    players = rules[PLAYERS]
    next_seat = seat + 1 if seat + 1 < players else 0
    best, total = np.int64(1000), np.int64(0)
    for other in range(players):
        if other == seat:
            continue
        moves = steps_of(packed, other) + 1
        if other == next_seat:
            moves -= 1
            if near_another(state, players, other, state[PAWN + other]):  # else there is nobody to jump over
                moves = moves_to_goal(rules, state, walls, other)
            if moves == 1:
                return LOST - own
        best = min(best, moves)
        total += moves
    rest = (total - best) / max(players - 2, 1) if players > 2 else 0.0
    return best - own + OTHERS_WEIGHT * rest + FENCE_PRICE * left


@kernel
def evaluate(rules: Any, state: Any, seat: Any) -> Any:
    """Return the worth of a position, in moves, for the `seat` that has just moved."""
    walls = walls_of(state)
    return worth(rules, state, walls, all_steps(rules, state, walls), seat, state[LEFT + seat])


@kernel
def score_pawn_moves(rules: Any, state: Any, packed: Any, scores: Any) -> Any:
    """Write the worth of each move of the pawn; return the best."""
    seat, walls = state[SEAT], walls_of(state)
    here, left = state[PAWN + seat], state[LEFT + seat]
    others = packed & ~(np.int64(0xFF) << (8 * seat))
    best = 2 * LOST
    low, high = pawn_targets(rules, state, walls)
    for word in range(2):
        targets = high if word else low
        while targets:
            square = lowest_bit(targets) + 63 * word
            targets &= targets - np.uint64(1)
            state[PAWN + seat] = square
            after = others | steps_to_goal(rules, state, walls, seat) << (8 * seat)
            score = worth(rules, state, walls, after, seat, left)
            scores[rules[ACTION + square]] = score
            best = max(best, score)
    state[PAWN + seat] = here
    return best


@kernel(allocates=True)
def score_fences(rules: Any, state: Any, packed: Any, scores: Any) -> Any:
    """Write the worth of each legal fence that blocks a shortest path of some opponent; return the best.

    What a fence does is worked out for those seats alone whose shortest paths it blocks: the others keep theirs.
    """
    seat, walls, players = state[SEAT], walls_of(state), rules[PLAYERS]
    reached = np.empty((82, 2), np.uint64)
    blocks = np.zeros((players, 2), np.uint64)
    hostile_h, hostile_v = np.uint64(0), np.uint64(0)
    for other in range(players):
        goal_low, goal_high = np.uint64(rules[GOAL_LOW + other]), np.uint64(rules[GOAL_HIGH + other])
        h, v = blocking_fences(state[PAWN + other], goal_low, goal_high, walls, reached)
        blocks[other, HORIZONTAL], blocks[other, VERTICAL] = h, v
        if other != seat:
            hostile_h |= h
            hostile_v |= v
    free_h, free_v = fence_candidates(rules, state)
    side, left = rules[SIZE] - 1, state[LEFT + seat] - 1
    best = 2 * LOST
    for vertical in range(2):
        fences = free_v & hostile_v if vertical else free_h & hostile_h
        first = rules[SIZE] * rules[SIZE] + side * side * vertical
        while fences:
            anchor = lowest_bit(fences)
            bit = fences & (~fences + np.uint64(1))
            fences ^= bit
            fenced, after, cut = with_fence(walls, vertical == 1, anchor), packed, False
            for other in range(players):
                if not cut and blocks[other, vertical] & bit:
                    steps = steps_to_goal(rules, state, fenced, other)
                    cut = steps < 0
                    after = (after & ~(np.int64(0xFF) << (8 * other))) | steps << (8 * other)
            if cut:
                continue
            score = worth(rules, state, fenced, after, seat, left)
            scores[first + (anchor >> 3) * side + (anchor & 7)] = score
            best = max(best, score)
    return best


@kernel(allocates=True)
def score_actions(rules: Any, state: Any, mask: Any, scores: Any) -> None:
    """Write the worth of each action worth a look, NaN for the others.

    Args:
        rules: of the game.
        state: a decision; it is as before afterwards.
        mask: int8 ``[num_actions]``; holds the legal actions afterwards if all are looked at, else it is left alone.
        scores: float64 ``[num_actions]``, written to.
    """
    scores[:] = np.nan
    packed = all_steps(rules, state, walls_of(state))
    seat = state[SEAT]
    best = score_pawn_moves(rules, state, packed, scores)
    if state[LEFT + seat] > 0:
        best = max(best, score_fences(rules, state, packed, scores))
    if best > LOST / 2:
        return
    legal(rules, state, mask)
    after = np.empty(STATE_SIZE, np.int64)
    for action in range(mask.size):
        if mask[action] and np.isnan(scores[action]):
            after[:] = state
            apply(rules, after, action)
            scores[action] = evaluate(rules, after, seat)


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
