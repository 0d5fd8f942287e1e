"""Quoridor over the kernel contract: bitboards, compiled.

Squares are bits ``rank*9 + file`` of an 81-bit set held in two words: ``low`` has ranks 1-7 (63 bits), ``high`` ranks
8-9 (18 bits). Fence anchors are bits ``rank*8 + file`` of one word for each orientation. Both strides are the same on
every board size; the rules vector says which squares and anchors exist.

Walls are kept as the steps they leave open: ``north`` has the squares from which the step to the next rank is free,
``east`` those from which the step to the next file is. A step back is free where the step forth is, so four words
describe every wall.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..bits import lowest_bit, nth_bit, popcount
from ..compiling import kernel
from ..counter_rng import draw_below, mix
from ..kernels import TERMINAL

# --- the state vector ------------------------------------------------------------------------------------------------
HORIZONTAL, VERTICAL = 0, 1
PAWN = 2  # four words: square of each seat's pawn
LEFT = 6  # four words: fences in hand
SEAT, PLY, WINNER = 10, 11, 12  # WINNER is -1 until a pawn arrives
WALLS = 13  # four words: the open steps north low, north high, east low, east high; they follow from the fences
STATE_SIZE = 17

# --- the rules vector ------------------------------------------------------------------------------------------------
SIZE, PLAYERS, FENCES, MAX_PLIES, THIRD_PAWN_DIAGONAL = 0, 1, 2, 3, 4  # MAX_PLIES 0: no cap
ANCHORS, WEST_ANCHORS, EAST_ANCHORS, SOUTH_ANCHORS, NORTH_ANCHORS = 5, 6, 7, 8, 9  # anchor sets: all, at each border
NORTH_LOW, NORTH_HIGH, EAST_LOW, EAST_HIGH = 10, 11, 12, 13  # open steps of the empty board
GOAL_LOW, GOAL_HIGH = 14, 18  # four words each: goal squares of each seat
START = 22  # four words: start square of each seat
BIT = 26  # 209 words: square or anchor of each action
ACTION = BIT + 209  # 81 words: action of each square
RULES_SIZE = ACTION + 81

_0, _1, _2, _7, _8, _9 = (np.uint64(i) for i in (0, 1, 2, 7, 8, 9))
_16, _54, _56 = np.uint64(16), np.uint64(54), np.uint64(56)
_LOW = np.uint64((1 << 63) - 1)
_NOT_FILE_A = np.uint64(0xFEFEFEFEFEFEFEFE)
_NOT_FILES_AB = np.uint64(0xFCFCFCFCFCFCFCFC)
_NOT_FILE_H = np.uint64(0x7F7F7F7F7F7F7F7F)
_NOT_FILES_GH = np.uint64(0x3F3F3F3F3F3F3F3F)


@kernel
def walls_of(state: Any) -> Any:
    """Return the open steps ``(north_low, north_high, east_low, east_high)`` (uint64) of `state`."""
    return (
        np.uint64(state[WALLS]), np.uint64(state[WALLS + 1]), np.uint64(state[WALLS + 2]), np.uint64(state[WALLS + 3])
    )  # fmt: skip


@kernel
def square_set(square: Any) -> Any:
    """Return the set (low, high) that holds one square."""
    low = _1 << np.uint64(square) if square < 63 else _0
    high = _0 if square < 63 else _1 << np.uint64(square - 63)
    return low, high


@kernel
def with_fence(walls: Any, vertical: Any, anchor: Any) -> Any:
    """Return `walls` with a fence added at `anchor`."""
    n_low, n_high, e_low, e_high = walls
    square = (anchor >> 3) * 9 + (anchor & 7)
    low, high = square_set(square)
    other_low, other_high = square_set(square + 9 if vertical else square + 1)
    low, high = ~(low | other_low), ~(high | other_high)
    if vertical:
        return n_low, n_high, e_low & low, e_high & high
    return n_low & low, n_high & high, e_low, e_high


@kernel
def place_fence(state: Any, vertical: Any, anchor: Any) -> None:
    """Put a fence on the board, whoever it belongs to."""
    state[VERTICAL if vertical else HORIZONTAL] |= np.int64(1) << anchor
    walls = with_fence(walls_of(state), vertical, anchor)
    for word in range(4):
        state[WALLS + word] = np.int64(walls[word])


@kernel
def beside(low: Any, high: Any, walls: Any) -> Any:
    """Return the set of squares that are one open step away from a square of the set ``low, high``."""
    north_low, north_high, east_low, east_high = walls
    up = low & north_low
    beside_low = (
        (up << _9) | (((low >> _9) | (high << _54)) & north_low) | ((low & east_low) << _1) | ((low >> _1) & east_low)
    )
    beside_high = (
        ((high & north_high) << _9) | (up >> _54) | ((high >> _9) & north_high) | ((high & east_high) << _1)
        | ((high >> _1) & east_high)
    )  # fmt: skip
    return beside_low & _LOW, beside_high


@kernel
def grow(low: Any, high: Any, walls: Any) -> Any:
    """Return the set of squares ``low, high`` together with all that are one open step away."""
    beside_low, beside_high = beside(low, high, walls)
    return low | beside_low, high | beside_high


@kernel
def reaches(square: Any, goal_low: Any, goal_high: Any, walls: Any) -> Any:
    """Return whether a pawn on `square` has a path over open steps to a square of the goal set."""
    low, high = square_set(square)
    while True:
        # two steps a round: the test for the end costs as much as a step
        middle_low, middle_high = grow(low, high, walls)
        next_low, next_high = grow(middle_low, middle_high, walls)
        if (next_low & goal_low) | (next_high & goal_high):
            return True
        if next_low == low and next_high == high:
            return False
        low, high = next_low, next_high


@kernel
def steps_between(square: Any, goal_low: Any, goal_high: Any, walls: Any) -> Any:
    """Return the fewest steps from `square` to the set ``goal``, pawns ignored; -1 if it is cut off."""
    low, high = square_set(square)
    steps = 0
    while not ((low & goal_low) | (high & goal_high)):
        next_low, next_high = grow(low, high, walls)
        if next_low == low and next_high == high:
            return -1
        low, high = next_low, next_high
        steps += 1
    return steps


@kernel
def distance(rules: Any, state: Any, seat: Any) -> Any:
    """Return the fewest steps from the pawn of `seat` to its goal line, other pawns ignored; -1 if cut off."""
    goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
    return steps_between(state[PAWN + seat], goal_low, goal_high, walls_of(state))


# --- fences ----------------------------------------------------------------------------------------------------------


@kernel
def fence_candidates(rules: Any, state: Any) -> Any:
    """Return the anchors (horizontal, vertical) where a fence neither overlaps nor crosses another."""
    h, v = np.uint64(state[HORIZONTAL]), np.uint64(state[VERTICAL])
    anchors = np.uint64(rules[ANCHORS])
    free_h = anchors & ~(h | v | ((h << _1) & _NOT_FILE_A) | ((h >> _1) & _NOT_FILE_H))
    free_v = anchors & ~(h | v | (v << _8) | (v >> _8))
    return free_h, free_v


@kernel
def contacts(h: Any, v: Any) -> Any:
    """Return where a new fence would touch one of the fences `h` (horizontal) and `v` (vertical).

    Six sets of anchors: a horizontal fence there is touched at its west end, its middle, its east end; a vertical one
    at its south end, its middle, its north end. Fences that overlap or cross do not count as touching.
    """
    across = v | (v << _8) | (v >> _8)  # vertical fences with an end or their middle on this anchor's middle
    along = h | ((h << _1) & _NOT_FILE_A) | ((h >> _1) & _NOT_FILE_H)  # horizontal ones
    west = ((h << _2) & _NOT_FILES_AB) | ((across << _1) & _NOT_FILE_A)
    east = ((h >> _2) & _NOT_FILES_GH) | ((across >> _1) & _NOT_FILE_H)
    south = (v << _16) | (along << _8)
    north = (v >> _16) | (along >> _8)
    return west, (v << _8) | (v >> _8), east, south, ((h << _1) & _NOT_FILE_A) | ((h >> _1) & _NOT_FILE_H), north


@kernel
def at_least_two(a: Any, b: Any, c: Any) -> Any:
    """Return the bits that are in two or more of three words."""
    return (a & b) | (a & c) | (b & c)


@kernel
def risky_fences(rules: Any, state: Any) -> Any:
    """Return the anchors (horizontal, vertical) where a new fence could cut the board in two.

    It can only do so by joining two points of one connected piece of wall. All fences that hang together with the
    border are one piece; the others are taken for one as well, which is never too few.
    """
    h, v = np.uint64(state[HORIZONTAL]), np.uint64(state[VERTICAL])
    west_border, east_border = np.uint64(rules[WEST_ANCHORS]), np.uint64(rules[EAST_ANCHORS])
    south_border, north_border = np.uint64(rules[SOUTH_ANCHORS]), np.uint64(rules[NORTH_ANCHORS])
    outer_h, outer_v = h & (west_border | east_border), v & (south_border | north_border)
    while True:
        west, middle, east, south, centre, north = contacts(outer_h, outer_v)
        more_h, more_v = outer_h | (h & (west | middle | east)), outer_v | (v & (south | centre | north))
        if more_h == outer_h and more_v == outer_v:
            break
        outer_h, outer_v = more_h, more_v
    risky_h = at_least_two(west | west_border, middle, east | east_border)
    risky_v = at_least_two(south | south_border, centre, north | north_border)
    west, middle, east, south, centre, north = contacts(h & ~outer_h, v & ~outer_v)
    return risky_h | at_least_two(west, middle, east), risky_v | at_least_two(south, centre, north)


@kernel
def keeps_paths(rules: Any, state: Any, vertical: Any, anchor: Any, walls: Any) -> Any:
    """Return whether every pawn still has a path when a fence is added at `anchor`."""
    walls = with_fence(walls, vertical, anchor)
    for seat in range(rules[PLAYERS]):
        goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
        if not reaches(state[PAWN + seat], goal_low, goal_high, walls):
            return False
    return True


@kernel
def without_cutting(rules: Any, state: Any, anchors: Any, risky: Any, vertical: Any, walls: Any) -> Any:
    """Return `anchors` without those where a fence would cut a pawn off; only the `risky` ones are looked at."""
    to_check = anchors & risky
    while to_check:
        anchor = lowest_bit(to_check)
        if not keeps_paths(rules, state, vertical, anchor, walls):
            anchors ^= _1 << np.uint64(anchor)
        to_check &= to_check - _1
    return anchors


@kernel
def legal_fences(rules: Any, state: Any, walls: Any) -> Any:
    """Return the anchors (horizontal, vertical) of all legal fences of the seat to move."""
    if state[LEFT + state[SEAT]] == 0:
        return _0, _0
    free_h, free_v = fence_candidates(rules, state)
    risky_h, risky_v = risky_fences(rules, state)
    free_h = without_cutting(rules, state, free_h, risky_h, False, walls)
    return free_h, without_cutting(rules, state, free_v, risky_v, True, walls)


# --- pawns -----------------------------------------------------------------------------------------------------------


@kernel
def can_step(square: Any, direction: Any, walls: Any) -> Any:
    """Return whether the step from `square` is open; directions 0-3 are north, east, south, west."""
    n_low, n_high, e_low, e_high = walls
    if direction == 2:
        square -= 9
    elif direction == 3:
        square -= 1
    if square < 0:
        return False
    low, high = square_set(square)
    if direction & 1:
        return ((low & e_low) | (high & e_high)) != _0
    return ((low & n_low) | (high & n_high)) != _0


@kernel
def neighbour(square: Any, direction: Any) -> Any:
    """Return the square one step away; directions 0-3 are north, east, south, west."""
    if direction & 1:
        return square + 2 - direction
    return square + 9 * (1 - direction)


@kernel
def pawn_targets(rules: Any, state: Any, walls: Any) -> Any:
    """Return the set (low, high) of squares to which the pawn of the seat to move may go."""
    mover = state[SEAT]
    here_low, here_high = square_set(state[PAWN + mover])
    others_low, others_high = _0, _0
    for seat in range(rules[PLAYERS]):
        if seat != mover:
            low, high = square_set(state[PAWN + seat])
            others_low |= low
            others_high |= high
    low, high = grow(here_low, here_high, walls)
    low &= ~here_low
    high &= ~here_high
    if (low & others_low) | (high & others_high):
        over_low, over_high = jumps(rules, state[PAWN + mover], others_low, others_high, walls)
        low = (low & ~others_low) | over_low
        high = (high & ~others_high) | over_high
    return low, high


@kernel
def jumps(rules: Any, here: Any, others_low: Any, others_high: Any, walls: Any) -> Any:
    """Return the set (low, high) of squares that a pawn on `here` reaches over a neighbour of the set `others`."""
    targets_low, targets_high = _0, _0
    for direction in range(4):
        if not can_step(here, direction, walls):
            continue
        beside = neighbour(here, direction)
        low, high = square_set(beside)
        if not ((low & others_low) | (high & others_high)):
            continue
        sideways = True
        if can_step(beside, direction, walls):
            low, high = square_set(neighbour(beside, direction))
            if (low & others_low) | (high & others_high):
                sideways = rules[THIRD_PAWN_DIAGONAL] == 1
            else:
                targets_low |= low
                targets_high |= high
                sideways = False
        if sideways:
            for turn in (1, 3):
                side = (direction + turn) & 3
                if can_step(beside, side, walls):
                    low, high = square_set(neighbour(beside, side))
                    targets_low |= low & ~others_low
                    targets_high |= high & ~others_high
    return targets_low, targets_high


# --- the contract ----------------------------------------------------------------------------------------------------


@kernel
def reset(rules: Any, state: Any) -> None:
    """See `Kernels.reset`."""
    state[:] = 0
    for seat in range(rules[PLAYERS]):
        state[PAWN + seat] = rules[START + seat]
        state[LEFT + seat] = rules[FENCES]
    state[WINNER] = -1
    for word in range(4):
        state[WALLS + word] = rules[NORTH_LOW + word]


@kernel
def to_move(rules: Any, state: Any) -> Any:
    """See `Kernels.to_move`."""
    if state[WINNER] >= 0 or (rules[MAX_PLIES] > 0 and state[PLY] >= rules[MAX_PLIES]):
        return TERMINAL
    return state[SEAT]


@kernel
def write_anchors(anchors: Any, side: Any, mask: Any, start: Any) -> None:
    """Write a set of anchors of a board with `side` anchors a side into ``mask[start:]``, 1 where it has one."""
    for rank in range(side):
        row = np.uint8(anchors >> np.uint64(rank * 8))
        at = start + rank * side
        if side == 8:  # the common board: eight bytes at once
            for file in range(8):
                mask[at + file] = (row & np.uint8(1 << file)) != 0
        else:
            for file in range(side):
                mask[at + file] = (row >> file) & 1


@kernel
def legal(rules: Any, state: Any, mask: Any) -> Any:
    """See `Kernels.legal`."""
    mask[:] = 0
    if to_move(rules, state) == TERMINAL:
        return 0
    walls = walls_of(state)
    low, high = pawn_targets(rules, state, walls)
    count = popcount(low) + popcount(high)
    while low:
        mask[rules[ACTION + lowest_bit(low)]] = 1
        low &= low - _1
    while high:
        mask[rules[ACTION + 63 + lowest_bit(high)]] = 1
        high &= high - _1
    if state[LEFT + state[SEAT]] > 0:
        horizontal, vertical = legal_fences(rules, state, walls)
        count += popcount(horizontal) + popcount(vertical)
        side, start = rules[SIZE] - 1, rules[SIZE] * rules[SIZE]
        write_anchors(horizontal, side, mask, start)
        write_anchors(vertical, side, mask, start + side * side)
    if count == 0:
        mask[rules[ACTION + state[PAWN + state[SEAT]]]] = 1
        count = 1
    return count


@kernel
def chance(_rules: Any, _state: Any, _outcomes: Any, _probabilities: Any) -> Any:
    """See `Kernels.chance`: Quoridor has none."""
    return 0


@kernel
def sample(rules: Any, state: Any, rng: Any) -> Any:
    """See `Kernels.sample`: draws among the fences that fit first and tests the path of the drawn one after."""
    walls = walls_of(state)
    low, high = pawn_targets(rules, state, walls)
    count_low, pawn_moves = popcount(low), popcount(low) + popcount(high)
    free_h, free_v, risky_h, risky_v = _0, _0, _0, _0
    if state[LEFT + state[SEAT]] > 0:
        free_h, free_v = fence_candidates(rules, state)
        risky_h, risky_v = risky_fences(rules, state)
    while True:
        count_h = popcount(free_h)
        count = pawn_moves + count_h + popcount(free_v)
        if count == 0:
            return rules[ACTION + state[PAWN + state[SEAT]]]
        n = draw_below(rng, count)
        if n < count_low:
            return rules[ACTION + nth_bit(low, n)]
        if n < pawn_moves:
            return rules[ACTION + 63 + nth_bit(high, n - count_low)]
        n -= pawn_moves
        vertical = n >= count_h
        anchor = nth_bit(free_v, n - count_h) if vertical else nth_bit(free_h, n)
        bit = _1 << np.uint64(anchor)
        risky = (bit & (risky_v if vertical else risky_h)) != _0
        if not risky or keeps_paths(rules, state, vertical, anchor, walls):
            side = rules[SIZE] - 1
            action = rules[SIZE] * rules[SIZE] + (anchor >> 3) * side + (anchor & 7)
            return action + side * side if vertical else action
        if vertical:  # uniform among those left is uniform among the legal ones
            free_v ^= bit
        else:
            free_h ^= bit


@kernel
def apply(rules: Any, state: Any, action: Any) -> None:
    """See `Kernels.apply`."""
    seat, size = state[SEAT], rules[SIZE]
    bit = rules[BIT + action]
    if action < size * size:
        state[PAWN + seat] = bit
        low, high = square_set(bit)
        if (low & np.uint64(rules[GOAL_LOW + seat])) | (high & np.uint64(rules[GOAL_HIGH + seat])):
            state[WINNER] = seat
    else:
        place_fence(state, action >= size * size + (size - 1) * (size - 1), bit)
        state[LEFT + seat] -= 1
    state[SEAT] = seat + 1 if seat + 1 < rules[PLAYERS] else 0
    state[PLY] += 1


@kernel
def returns(rules: Any, state: Any, out: Any) -> None:
    """See `Kernels.returns`: the winner +1, the others -1/(players-1); a draw is 0 for all."""
    players, winner = rules[PLAYERS], state[WINNER]
    for seat in range(players):
        if winner < 0:
            out[seat] = 0.0
        else:
            out[seat] = 1.0 if seat == winner else -1.0 / (players - 1)


@kernel
def capped(rules: Any, state: Any) -> Any:
    """See `Kernels.capped`."""
    return np.int64(to_move(rules, state) == TERMINAL and state[WINNER] < 0)


@kernel
def hash(_rules: Any, state: Any) -> Any:  # noqa: A001  the name in the contract
    """See `Kernels.hash`: fences, pawns, fences in hand and seat to move."""
    value = np.uint64(0)
    for word in range(PLY):
        value = mix(value + np.uint64(state[word]) + np.uint64(word + 1) * np.uint64(0x9E3779B97F4A7C15))
    return value
