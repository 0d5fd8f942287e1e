"""What a seat sees of a picture sugoroku position, as a row of features padded to six seats."""

from __future__ import annotations

from typing import Any

from ..compiling import kernel
from ..kernels import TERMINAL
from ..observations import Part
from .kernels import (
    AGAIN,
    CHAIN,
    EXACT,
    EXTRA,
    FIRST_ENDS,
    GOAL,
    LANDINGS,
    MAX_EXTRA,
    MAX_PLAYERS,
    MAY_RESIGN,
    NUM_FACES,
    PLACE,
    PLAYERS,
    RESIGNED,
    RESTS,
    SEAT,
    SQUARE,
    to_move,
)  # fmt: skip

# Where the features stand.
SEEN_TURN = 0  # six: whose turn it is
SEEN_EXTRA = SEEN_TURN + MAX_PLAYERS  # share of the extra rolls of a turn that are spent
SEEN_OPTIONS = SEEN_EXTRA + 1  # four: chain, exact goal, over at the first arrival, resigning allowed
SEEN_SEATS = SEEN_OPTIONS + 4  # then for each seat:
SEEN_PRESENT, SEEN_SQUARE, SEEN_RESTS, SEEN_PLACE, SEEN_RESIGNED = 0, 1, 2, 3, 9
SEEN_FACES = 10  # for each face: the square it leads to, the rests it costs, and whether it grants another roll
SEEN_ROW = SEEN_FACES + 3 * NUM_FACES
OBSERVATION_SIZE = SEEN_SEATS + MAX_PLAYERS * SEEN_ROW


@kernel
def observe_seat(rules: Any, state: Any, seat: Any, row: Any) -> None:
    """Write what there is to see of a seat."""
    square, goal = state[SQUARE + seat], rules[GOAL]
    row[SEEN_PRESENT] = 1.0
    if state[PLACE + seat] == RESIGNED:
        row[SEEN_RESIGNED] = 1.0
        return
    row[SEEN_SQUARE] = square / goal
    row[SEEN_RESTS] = state[RESTS + seat] / 2
    if state[PLACE + seat] > 0:
        row[SEEN_PLACE + state[PLACE + seat] - 1] = 1.0
        return
    for face in range(NUM_FACES):
        landing = rules[LANDINGS + NUM_FACES * square + face]
        target, event = landing >> 2, landing & 3
        row[SEEN_FACES + 3 * face] = target / goal
        if event == AGAIN:
            row[SEEN_FACES + 3 * face + 2] = 1.0
        else:
            row[SEEN_FACES + 3 * face + 1] = event / 2


@kernel
def observe(rules: Any, state: Any, seat: Any, out: Any) -> None:
    """See `Kernels.observe`; its parts as in `parts`."""
    players = rules[PLAYERS]
    out[:] = 0.0
    for number in range(players):
        other = (max(seat, 0) + number) % players
        row = SEEN_SEATS + number * SEEN_ROW
        observe_seat(rules, state, other, out[row : row + SEEN_ROW])
        if other == state[SEAT] and to_move(rules, state) != TERMINAL:
            out[SEEN_TURN + number] = 1.0
    out[SEEN_EXTRA] = state[EXTRA] / rules[MAX_EXTRA]
    out[SEEN_OPTIONS], out[SEEN_OPTIONS + 1] = rules[CHAIN], rules[EXACT]
    out[SEEN_OPTIONS + 2], out[SEEN_OPTIONS + 3] = rules[FIRST_ENDS], rules[MAY_RESIGN]


def parts() -> tuple[Part, ...]:
    """Return the features of an observation, in their order. Seats are counted from the one that looks."""
    seats = []
    for number in range(MAX_PLAYERS):
        who = f"seat +{number}"
        seats += [
            Part(f"{who}: present", 1, "1 if the table has such a seat; else the rest of its features is 0"),
            Part(f"{who}: square", 1, "square of its piece as a share of the way to the goal"),
            Part(f"{who}: rests", 1, "rests owed, two as 1"),
            Part(f"{who}: place", MAX_PLAYERS, "1 at its place in the order of arrivals"),
            Part(f"{who}: resigned", 1, "1 if it has resigned"),
            Part(f"{who}: faces", 3 * NUM_FACES, "for 1 to 6 pips: the square that it leads to, as a share of the way; "
                 "the rests that it costs, two as 1; 1 if it grants another roll"),
        ]  # fmt: skip
    return (
        Part("seat to move", MAX_PLAYERS, "1 at the seat that rolls; 0 when the game is over"),
        Part("extra rolls", 1, "share of the extra rolls of a turn that have been granted"),
        Part("options", 4, '1 for `chain`, `goal="exact"`, `finish="first"` and `allow_resign`'),
        *seats,
    )
