"""Two pawns on a fixed layout of fences, solved by retrograde analysis on sets of squares; compiled.

Perhaps each may once place the best of its fences instead, a way out whose worth is known. All states are solved at once, ply by ply from the end: in layer d those from which
the side to move wins in d plies (d odd) or loses in d plies (d even). For each seat to move and each square of the
*other* pawn, the states of a kind are one set of squares of the mover's own pawn, so a layer is a few steps of the
same bit-parallel flood that finds paths. What no layer reaches is a draw: neither side can make the other arrive.

Values are *signed plies* of the side to move: d where it wins in d plies, the winner hurrying and the loser delaying;
-d where it loses in d; 0 for play without end. Every legal state has a move: with two pawns a pawn that has a path
is never without one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.bits import lowest_bit
from ...envs.compiling import kernel
from ...envs.quoridor.kernels import (
    BIT,
    GOAL_HIGH,
    GOAL_LOW,
    SIZE,
    beside,
    can_step,
    grow,
    jumps,
    neighbour,
    square_set,
)

SQUARES = 81
"""Squares of the largest board; a square is numbered ``rank*9 + file`` on every board."""
NO_FENCE = -1
"""Signed plies of the best fence where there is none to place."""
LONGEST = 255
"""Plies that a way out by a fence may take at most."""

_1 = np.uint64(1)
_LOW = np.uint64((1 << 63) - 1)  # the squares of a low word


@kernel
def has(low: Any, high: Any, square: Any) -> Any:
    """Return whether the set (low, high) has a square."""
    return (low >> np.uint64(square)) & _1 if square < 63 else (high >> np.uint64(square - 63)) & _1


@kernel
def connected_to_goal(rules: Any, walls: Any, seat: Any) -> Any:
    """Return the set (low, high) of squares from which `seat` has a path to its goal line, that line included."""
    low, high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
    while True:
        next_low, next_high = grow(low, high, walls)
        if next_low == low and next_high == high:
            return low, high
        low, high = next_low, next_high


@kernel
def sources(low: Any, high: Any, other: Any, walls: Any, over: Any) -> Any:
    """Return the squares from which a pawn can move into the set (low, high) while the other pawn stands on `other`.

    ``over`` (uint64 ``[81, 4, 2]``) has the targets of a jump over each square by a pawn north, east, south or west of
    it. The set must not have `other` itself.
    """
    from_low, from_high = beside(low, high, walls)
    for direction in range(4):
        if (over[other, direction, 0] & low) | (over[other, direction, 1] & high):
            jumper_low, jumper_high = square_set(neighbour(other, direction))
            from_low |= jumper_low
            from_high |= jumper_high
    return from_low, from_high


@kernel
def resolve(seat: Any, own: Any, other: Any, plies: Any, pending: Any, decided: Any, values: Any) -> None:
    """Note that `seat`, to move with its pawn on `own` and the other on `other`, wins or loses in `plies`."""
    low, high = square_set(own)
    pending[seat, other, 0] &= ~low
    pending[seat, other, 1] &= ~high
    low, high = square_set(other)
    kind = plies & 1  # the set of lost states, then that of won ones, as the seat sees them that moved before
    decided[kind, 1 - seat, own, 0] |= low
    decided[kind, 1 - seat, own, 1] |= high
    signed = plies if kind else -plies
    if seat == 0:
        values[0, own, other] = signed
    else:
        values[1, other, own] = signed


@kernel
def prepare(rules: Any, walls: Any, pending: Any, decided: Any, over: Any) -> None:
    """Write the states to be solved into `pending`, the arrived pawns into `decided`, and the jumps into `over`."""
    near_low, near_high = connected_to_goal(rules, walls, 0)
    far_low, far_high = connected_to_goal(rules, walls, 1)
    for seat in range(2):
        own_low, own_high, other_low, other_high = near_low, near_high, far_low, far_high
        if seat == 1:
            own_low, own_high, other_low, other_high = far_low, far_high, near_low, near_high
        goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
        other_low &= ~np.uint64(rules[GOAL_LOW + 1 - seat])
        other_high &= ~np.uint64(rules[GOAL_HIGH + 1 - seat])
        for index in range(rules[SIZE] * rules[SIZE]):
            other = rules[BIT + index]
            if has(other_low, other_high, other):
                low, high = square_set(other)
                pending[seat, other, 0] = own_low & ~goal_low & ~low
                pending[seat, other, 1] = own_high & ~goal_high & ~high
                decided[0, seat, other, 0] = goal_low & ~low
                decided[0, seat, other, 1] = goal_high & ~high
    for index in range(rules[SIZE] * rules[SIZE]):
        square = rules[BIT + index]
        low, high = square_set(square)
        for direction in range(4):
            if can_step(square, direction, walls):
                start = neighbour(square, direction)
                over[square, direction, 0], over[square, direction, 1] = jumps(rules, start, low, high, walls)


@kernel
def sort_fences(fences: Any, pending: Any, held: Any, first: Any, following: Any) -> Any:
    """Sort the ways out by their plies into lists, hold the states that a fence can save; return the longest."""
    latest = 0
    for seat in range(2):
        for other in range(SQUARES):
            for word in range(2):
                states = pending[seat, other, word]
                while states:
                    own = lowest_bit(states) + 63 * word
                    states &= states - _1
                    plies = fences[seat, own, other] if seat == 0 else fences[seat, other, own]
                    if plies == NO_FENCE:
                        continue
                    held[seat, other, word] |= _1 << np.uint64(own - 63 * word)
                    if plies != 0:
                        latest = max(latest, abs(plies))
                        state = (seat * SQUARES + own) * SQUARES + other
                        following[state] = first[abs(plies)]
                        first[abs(plies)] = state
    return latest


@kernel
def open_fences(layer: Any, pending: Any, held: Any, first: Any, following: Any, decided: Any, values: Any) -> None:
    """Count the fences that win in `layer` plies as wins; no longer count on those that lose in that many."""
    state = first[layer]
    while state >= 0:
        seat, own, other = state // (SQUARES * SQUARES), state // SQUARES % SQUARES, state % SQUARES
        low, high = square_set(own)
        if layer & 1 == 0:
            held[seat, other, 0] &= ~low
            held[seat, other, 1] &= ~high
        elif (pending[seat, other, 0] & low) | (pending[seat, other, 1] & high):
            resolve(seat, own, other, layer, pending, decided, values)
        state = following[state]


@kernel(allocates=True)
def settle(rules: Any, walls: Any, any_fences: Any, fences: Any, values: Any) -> None:
    """Solve all states of one layout of fences.

    Args:
        rules: of a game with two players.
        walls: the open steps ``(north_low, north_high, east_low, east_high)``.
        any_fences: whether `fences` is to be looked at.
        fences: int16 ``[2, 81, 81]`` by seat to move, square of seat 0, square of seat 1: the signed plies if the side
            to move places the best of its fences, at most `LONGEST`; `NO_FENCE` where it has none.
        values: int16 ``[2, 81, 81]``, indexed likewise: receives the signed plies; 0 also where there is no state.
    """
    values[:] = 0
    pending = np.zeros((2, SQUARES, 2), np.uint64)  # by seat to move and square of the other pawn: states without value
    held = np.zeros((2, SQUARES, 2), np.uint64)  # likewise: states that a fence saves from being lost, as yet
    decided = np.zeros((2, 2, SQUARES, 2), np.uint64)  # lost and won ones, by the seat that moved before; see `resolve`
    over = np.zeros((SQUARES, 4, 2), np.uint64)
    prepare(rules, walls, pending, decided, over)
    first, following = (
        np.full(LONGEST + 1, -1, np.int32),
        np.empty(2 * SQUARES * SQUARES if any_fences else 1, np.int32),
    )
    latest = sort_fences(fences, pending, held, first, following) if any_fences else 0
    layer = last_found = 0
    while layer < latest or layer <= last_found + 1:
        layer += 1
        if layer <= latest and first[layer] >= 0:
            open_fences(layer, pending, held, first, following, decided, values)
            last_found = layer
        for seat in range(2):
            for index in range(rules[SIZE] * rules[SIZE]):
                other = rules[BIT + index]
                open_low, open_high = pending[seat, other, 0], pending[seat, other, 1]
                if not (open_low | open_high):
                    continue
                if layer & 1:
                    low, high = sources(decided[0, seat, other, 0], decided[0, seat, other, 1], other, walls, over)
                else:
                    here_low, here_high = square_set(other)
                    safe_low = ~(decided[1, seat, other, 0] | here_low) & _LOW
                    safe_high = ~(decided[1, seat, other, 1] | here_high)
                    low, high = sources(safe_low, safe_high, other, walls, over)
                    low, high = ~(low | held[seat, other, 0]), ~(high | held[seat, other, 1])
                low, high = low & open_low, high & open_high
                if low | high:
                    last_found = layer
                while low:
                    resolve(seat, lowest_bit(low), other, layer, pending, decided, values)
                    low &= low - _1
                while high:
                    resolve(seat, 63 + lowest_bit(high), other, layer, pending, decided, values)
                    high &= high - _1
