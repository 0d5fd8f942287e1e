"""Quoridor's tools for the search: rollouts that mostly run, and an evaluation by path lengths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...envs.bits import nth_bit, popcount
from ...envs.compiling import kernel
from ...envs.counter_rng import draw_below
from ...envs.quoridor.kernels import (
    ACTION,
    GOAL_HIGH,
    GOAL_LOW,
    LEFT,
    PLAYERS,
    SEAT,
    distance,
    grow,
    pawn_targets,
    sample,
    walls_of,
)
from ..heuristics.quoridor import score_actions

_FENCE_ODDS = 8  # one move in so many is any legal one, while fences are left
_STEEPNESS = 0.6  # log-odds of a move ahead in the race
_SOFTNESS, _SOFTNESS_FOUR = 1.0, 0.5  # moves of worth that make an action e times as promising; with four players
_REST = 0.01  # a promise of each action that the heuristic does not look at, the best one's being 1
EXPLORATION_FOUR, RIVALS_FOUR = 0.15, 10.0
"""Four players: the constant of PUCT, and how closely the others are expected to do what they are thought likely to."""
_FENCE_PRICE = 0.7  # moves that a fence in hand is worth; chosen in short matches, as is the steepness


@kernel
def policy(rules: Any, state: Any, _data: Any, rng: Any) -> Any:
    """Draw a move: the pawn along a shortest way, jumps included; now and then any move, most of which are fences."""
    seat = state[SEAT]
    walls = walls_of(state)
    low, high = pawn_targets(rules, state, walls)
    if not (low | high) or (state[LEFT + seat] > 0 and draw_below(rng, _FENCE_ODDS) == 0):
        return sample(rules, state, rng)
    near_low, near_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
    while not ((near_low & low) | (near_high & high)):
        near_low, near_high = grow(near_low, near_high, walls)
    low &= near_low
    high &= near_high
    count_low = popcount(low)
    n = draw_below(rng, count_low + popcount(high))
    return rules[ACTION + (nth_bit(low, n) if n < count_low else 63 + nth_bit(high, n - count_low))]


@kernel
def evaluation(rules: Any, state: Any, _data: Any, out: Any) -> None:
    """Write the expected returns from the chances to win: the odds of a seat fall with the moves that it needs.

    Needed moves are those of its shortest path, pawns ignored, less something for each fence in hand, plus its place in
    the order of moving.
    """
    players = rules[PLAYERS]
    total = 0.0
    for seat in range(players):
        turn = ((seat - state[SEAT]) % players) / players
        needed = distance(rules, state, seat) + turn - _FENCE_PRICE * state[LEFT + seat]
        out[seat] = math.exp(-_STEEPNESS * needed)
        total += out[seat]
    for seat in range(players):
        chance = out[seat] / total
        out[seat] = chance - (1.0 - chance) / (players - 1)


@kernel
def priors(rules: Any, state: Any, _data: Any, mask: Any, out: Any) -> None:
    """Write how promising the actions look: the softmax of what the heuristic gives them, and a little for the rest."""
    score_actions(rules, state, mask, out)
    softness = _SOFTNESS if rules[PLAYERS] == 2 else _SOFTNESS_FOUR
    best = -math.inf
    for action in range(out.size):
        if out[action] > best:
            best = out[action]
    for action in range(out.size):
        out[action] = _REST if math.isnan(out[action]) else _REST + math.exp((out[action] - best) / softness)
