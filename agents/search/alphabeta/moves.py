"""The moves of a position, the promising ones first.

What a fence does is known before it is placed: where it closes no step of any shortest path it changes no distance and
cuts nobody off, so only the others are looked at, each with a flood for every seat whose shortest paths it touches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....envs.bits import lowest_bit
from ....envs.compiling import kernel
from ....envs.quoridor.kernels import (
    ACTION,
    BIT,
    GOAL_HIGH,
    GOAL_LOW,
    LEFT,
    PAWN,
    SEAT,
    SIZE,
    fence_candidates,
    pawn_targets,
    steps_between,
    walls_of,
    with_fence,
)
from ...heuristics.quoridor_paths import fences_across_shortest
from .frames import (
    ACROSS,
    ACTIONS,
    AFTER,
    COUNT,
    HISTORY,
    KILLER,
    KILLERS,
    LIST,
    NEXT,
    ORDER,
    STEPS,
    TABLE_MOVE,
    pack_steps,
)  # fmt: skip

ALL, HOSTILE, REST = 0, 1, 2
"""Moves that are wanted of a position."""
UNKNOWN = -1
"""Packed steps where a seat would be cut off."""
_STEP = 1_000  # order of a move that gains a step
_FENCE = -700  # order of a fence, before what it gains
_KILLER = 450
_MOST_HISTORY = 400
_QUIET = -2_500  # order of a fence that lies across no shortest path of the opponent

_0, _1 = np.uint64(0), np.uint64(1)


@kernel
def steps_after_pawn(rules: Any, frame: Any, square: Any, walls: Any) -> Any:
    """Return the packed steps after the pawn of the side to move goes to `square`."""
    seat = frame[SEAT]
    goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
    steps = steps_between(square, goal_low, goal_high, walls)
    return (pack_steps(frame) & ~(np.int64(0xFF) << (8 * seat))) | steps << (8 * seat)


@kernel
def steps_after_fence(rules: Any, frame: Any, vertical: Any, anchor: Any, walls: Any, touched: Any) -> Any:
    """Return the packed steps after a fence is placed, `UNKNOWN` if it cuts a pawn off.

    `touched` has a bit for each seat whose steps may change.
    """
    fenced = with_fence(walls, vertical, anchor)
    packed = pack_steps(frame)
    for seat in range(2):
        if touched >> seat & 1:
            goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
            steps = steps_between(frame[PAWN + seat], goal_low, goal_high, fenced)
            if steps < 0:
                return UNKNOWN
            packed = (packed & ~(np.int64(0xFF) << (8 * seat))) | steps << (8 * seat)
    return packed


@kernel
def steps_after(rules: Any, frame: Any, action: Any) -> Any:
    """Return the packed steps after an action that may be illegal: `UNKNOWN` then."""
    walls, size = walls_of(frame), rules[SIZE]
    if action < size * size:
        low, high = pawn_targets(rules, frame, walls)
        square = rules[BIT + action]
        there = low >> np.uint64(square) if square < 63 else high >> np.uint64(square - 63)
        return steps_after_pawn(rules, frame, square, walls) if there & _1 else UNKNOWN
    if frame[LEFT + frame[SEAT]] == 0:
        return UNKNOWN
    vertical = action >= size * size + (size - 1) * (size - 1)
    anchor = rules[BIT + action]
    free_h, free_v = fence_candidates(rules, frame)
    if not ((free_v if vertical else free_h) >> np.uint64(anchor)) & _1:
        return UNKNOWN
    return steps_after_fence(rules, frame, vertical, anchor, walls, 3)


@kernel
def gain_of(frame: Any, packed: Any) -> Any:
    """Return the steps that the side to move gains: what the other loses, less what it loses itself."""
    seat = frame[SEAT]
    own = (packed >> (8 * seat) & 0xFF) - frame[STEPS + seat]
    return (packed >> (8 * (1 - seat)) & 0xFF) - frame[STEPS + 1 - seat] - own


@kernel
def generate(rules: Any, frame: Any, control: Any, ply: Any, scratch: Any, wanted: Any) -> None:
    """Write moves of a position and how promising they are into its frame.

    Args:
        rules: of the game.
        frame: of the position at `ply`.
        control: has what was learnt about moves.
        ply: below the root.
        scratch: uint64 ``[SCRATCH_ROWS, 2]``, written to.
        wanted: `ALL`; `HOSTILE`: pawn moves and the fences across a shortest path of the opponent; `REST`: the others.
    """
    frame[COUNT] = frame[NEXT] = 0
    seat, walls = frame[SEAT], walls_of(frame)
    low, high = (_0, _0) if wanted == REST else pawn_targets(rules, frame, walls)
    for word in range(2):
        targets = high if word else low
        while targets:
            square = lowest_bit(targets) + 63 * word
            targets &= targets - _1
            packed = steps_after_pawn(rules, frame, square, walls)
            gain = frame[STEPS + seat] - (packed >> (8 * seat) & 0xFF)
            add(frame, control, ply, rules[ACTION + square], _STEP * gain, packed)
    if frame[LEFT + seat] > 0:
        hostile_h, hostile_v = find_fences_across(rules, frame, walls, scratch)
        free_h, free_v = fence_candidates(rules, frame)
        if wanted == HOSTILE:
            free_h &= hostile_h
            free_v &= hostile_v
        elif wanted == REST:
            free_h &= ~hostile_h
            free_v &= ~hostile_v
        add_fences(rules, frame, control, ply, scratch, free_h, hostile_h, 0)
        add_fences(rules, frame, control, ply, scratch, free_v, hostile_v, 1)


@kernel
def find_fences_across(rules: Any, frame: Any, walls: Any, scratch: Any) -> Any:
    """Write the fences across the shortest paths of both seats; return those of the opponent (horizontal, vertical)."""
    for seat in range(2):
        goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
        h, v = fences_across_shortest(frame[PAWN + seat], goal_low, goal_high, walls, scratch)
        scratch[ACROSS + seat, 0], scratch[ACROSS + seat, 1] = h, v
    rival = ACROSS + 1 - frame[SEAT]
    return scratch[rival, 0], scratch[rival, 1]


@kernel
def add_fences(
    rules: Any, frame: Any, control: Any, ply: Any, scratch: Any, free: Any, hostile: Any, vertical: Any
) -> None:
    """Add the legal ones of the fences of one orientation at the anchors `free`."""
    walls, unchanged = walls_of(frame), pack_steps(frame)
    side = rules[SIZE] - 1
    first = rules[SIZE] * rules[SIZE] + side * side * vertical
    while free:
        anchor = lowest_bit(free)
        bit = free & (~free + _1)
        free ^= bit
        touched = 0
        for other in range(2):
            if scratch[ACROSS + other, vertical] & bit:
                touched |= 1 << other
        packed, order = unchanged, _FENCE if hostile & bit else _QUIET
        if touched:
            packed = steps_after_fence(rules, frame, vertical == 1, anchor, walls, touched)
            if packed == UNKNOWN:
                continue
            order += _STEP * gain_of(frame, packed)
        add(frame, control, ply, first + (anchor >> 3) * side + (anchor & 7), order, packed)


@kernel
def add(frame: Any, control: Any, ply: Any, action: Any, order: Any, packed: Any) -> None:
    """Add a move to the list, unless it is the one that the transposition table proposed: that has been tried."""
    if action == frame[TABLE_MOVE]:
        return
    order += min(control[HISTORY + frame[SEAT] * ACTIONS + action] >> 6, _MOST_HISTORY)
    for i in range(KILLERS):
        if control[KILLER + KILLERS * ply + i] == action:
            order += _KILLER
    count = frame[COUNT]
    frame[LIST + count], frame[ORDER + count], frame[AFTER + count] = action, order, packed
    frame[COUNT] = count + 1


@kernel
def pick(frame: Any) -> Any:
    """Bring the most promising move that is left to the place ``NEXT`` of the list and return that place."""
    place, count = frame[NEXT], frame[COUNT]
    best = place
    for i in range(place + 1, count):
        if frame[ORDER + i] > frame[ORDER + best]:
            best = i
    if best != place:
        for column in (LIST, ORDER, AFTER):
            frame[column + place], frame[column + best] = frame[column + best], frame[column + place]
    return place
