"""Picture sugoroku over the kernel contract, compiled.

Pieces never meet, so all that a roll does, instructions included, depends on the square and the die alone: the rules
vector carries it as a table, and a roll is one look-up.

A roll is two plies: the decision (action `ROLL`), then the die. Outcome ``k`` of the die is ``k + 1`` pips.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiling import kernel
from ..counter_rng import draw_below, mix
from ..kernels import CHANCE, TERMINAL

ROLL, RESIGN = 0, 1
NUM_ACTIONS, NUM_FACES = 2, 6
MAX_PLAYERS = 6
RESIGNED = -1

# --- the state vector ------------------------------------------------------------------------------------------------
SQUARE = 0  # six words: square of each seat's piece; 0 if it has resigned
RESTS = 6  # six words: turns that each seat owes
PLACE = 12  # six words: k if the seat was the k-th to arrive, 0 under way, or RESIGNED
SEAT, ROLLING, EXTRA = 18, 19, 20  # whose turn; 1 while its die falls; extra rolls granted in this turn
ARRIVED, UNDER_WAY = 21, 22  # number of seats; they follow from PLACE
STATE_SIZE = 23

# --- the rules vector ------------------------------------------------------------------------------------------------
PLAYERS, GOAL, FIRST_ENDS, MAY_RESIGN, MAX_EXTRA, CHAIN, EXACT = 0, 1, 2, 3, 4, 5, 6  # the last two only to be seen
LANDINGS = 7  # six words for each square short of the goal, by face: square reached * 4 + event there
AGAIN = 3  # the event of a square that grants another roll; 1 and 2 are rests of that many turns, 0 is nothing


@kernel
def reset(rules: Any, state: Any) -> None:
    """See `Kernels.reset`."""
    state[:] = 0
    state[UNDER_WAY] = rules[PLAYERS]


@kernel
def is_over(rules: Any, state: Any) -> Any:
    """Return whether the game has ended: at the first arrival, or when one seat is left."""
    return state[UNDER_WAY] < 2 or (state[ARRIVED] > 0 and rules[FIRST_ENDS] == 1)


@kernel
def to_move(rules: Any, state: Any) -> Any:
    """See `Kernels.to_move`."""
    if state[ROLLING]:
        return np.int64(CHANCE)
    if is_over(rules, state):
        return np.int64(TERMINAL)
    return state[SEAT]


@kernel
def legal(rules: Any, state: Any, mask: Any) -> Any:
    """See `Kernels.legal`."""
    mask[:] = 0
    if to_move(rules, state) < 0:
        return 0
    mask[ROLL] = 1
    mask[RESIGN] = rules[MAY_RESIGN]
    return 1 + rules[MAY_RESIGN]


@kernel
def chance(_rules: Any, state: Any, outcomes: Any, probabilities: Any) -> Any:
    """See `Kernels.chance`."""
    if not state[ROLLING]:
        return 0
    for face in range(NUM_FACES):
        outcomes[face] = face
        probabilities[face] = 1 / NUM_FACES
    return NUM_FACES


@kernel
def sample(rules: Any, state: Any, rng: Any) -> Any:
    """See `Kernels.sample`."""
    if state[ROLLING]:
        return draw_below(rng, NUM_FACES)
    return draw_below(rng, NUM_ACTIONS) if rules[MAY_RESIGN] else np.int64(ROLL)


@kernel
def pass_turn(rules: Any, state: Any) -> None:
    """Give the turn to the next seat that can roll; those that owe a rest pay one as it comes by."""
    state[EXTRA] = 0
    if is_over(rules, state):
        state[SEAT] = 0  # a finished game is nobody's turn
        return
    seat = state[SEAT]
    while True:
        seat = seat + 1 if seat + 1 < rules[PLAYERS] else 0
        if state[PLACE + seat] == 0:
            if state[RESTS + seat] == 0:
                break
            state[RESTS + seat] -= 1
    state[SEAT] = seat


@kernel
def move_by_die(rules: Any, state: Any, face: Any) -> None:
    """Move the piece of the seat whose die shows `face` (from 0) and go on with the turn or pass it."""
    seat = state[SEAT]
    landing = rules[LANDINGS + NUM_FACES * state[SQUARE + seat] + face]
    square, event = landing >> 2, landing & 3
    state[ROLLING] = 0
    state[SQUARE + seat] = square
    if square == rules[GOAL]:
        state[ARRIVED] += 1
        state[UNDER_WAY] -= 1
        state[PLACE + seat] = state[ARRIVED]
    elif event == AGAIN:
        if state[EXTRA] < rules[MAX_EXTRA]:
            state[EXTRA] += 1
            return
    else:
        state[RESTS + seat] = event
    pass_turn(rules, state)


@kernel
def apply(rules: Any, state: Any, action: Any) -> None:
    """See `Kernels.apply`."""
    if state[ROLLING]:
        move_by_die(rules, state, action)
    elif action == ROLL:
        state[ROLLING] = 1
    else:
        seat = state[SEAT]
        state[SQUARE + seat] = 0
        state[PLACE + seat] = RESIGNED
        state[UNDER_WAY] -= 1
        pass_turn(rules, state)


@kernel
def standing(rules: Any, state: Any, seat: Any) -> Any:
    """Return a number by which seats are ranked: arrivals by their order, then by square, those who resigned last."""
    place = state[PLACE + seat]
    if place == RESIGNED:
        return np.int64(-1)
    return rules[GOAL] + MAX_PLAYERS - place if place > 0 else state[SQUARE + seat]


@kernel
def returns(rules: Any, state: Any, out: Any) -> None:
    """See `Kernels.returns`: ``1 - 2*(rank-1)/(players-1)``; seats that share ranks get the average."""
    out[:] = 0
    if to_move(rules, state) != TERMINAL:
        return
    players = rules[PLAYERS]
    for seat in range(players):
        own = standing(rules, state, seat)
        ahead, behind = 0, 0
        for other in range(players):
            theirs = standing(rules, state, other)
            ahead += theirs > own
            behind += theirs < own
        out[seat] = (behind - ahead) / (players - 1)


@kernel
def capped(_rules: Any, _state: Any) -> Any:
    """See `Kernels.capped`: there is no cap."""
    return 0


@kernel
def hash(_rules: Any, state: Any) -> Any:  # noqa: A001  (the contract's name)
    """See `Kernels.hash`."""
    value = np.uint64(0)
    for word in range(ARRIVED):
        value = mix(value + np.uint64(state[word]) + np.uint64(word + 1) * np.uint64(0x9E3779B97F4A7C15))
    return value
