"""What a seat sees of a Tokaido position, as a row of features padded to six seats."""

from __future__ import annotations

from typing import Any

from ..compiling import kernel
from ..observations import Part
from .kernels import (
    MAX_TURNS,
    NUMBERS,
    OVER,
    PLAYERS,
    RESTS,
    ROLL,
    SEAT,
    SPOT,
    TURNS,
    VARIANT,
    WAITS,
)  # fmt: skip

MAX_SEATS = 6
NUM_SPOTS = 76  # spots of the road as it ships; a test holds it against `tables.SPOT_NAMES`
MOST_RESTS = 8  # where the scale of rests owed ends
# Where the features stand.
SEEN_TURN = 0  # six: whose turn it is
SEEN_WAITS = SEEN_TURN + MAX_SEATS  # five: turn, road, crossing, dice, number
SEEN_NUMBERS = SEEN_WAITS + 5  # nine: the numbers that wait for the choice
SEEN_VARIANT = SEEN_NUMBERS + 9  # nine: rule options
SEEN_CAP = SEEN_VARIANT + 9  # share of the turns taken
SEEN_SEATS = SEEN_CAP + 1  # then for each seat:
SEEN_PRESENT, SEEN_RESTS, SEEN_SPOT = 0, 1, 2
SEEN_ROW = SEEN_SPOT + NUM_SPOTS
OBSERVATION_SIZE = SEEN_SEATS + MAX_SEATS * SEEN_ROW


@kernel
def observe(rules: Any, state: Any, seat: Any, out: Any) -> None:
    """See `Kernels.observe`; its parts as in `parts`."""
    players, waits = rules[PLAYERS], state[WAITS]
    out[:] = 0.0
    for number in range(players):
        other = (max(seat, 0) + number) % players
        row = SEEN_SEATS + number * SEEN_ROW
        out[row + SEEN_PRESENT] = 1.0
        out[row + SEEN_RESTS] = min(state[RESTS + other], MOST_RESTS) / MOST_RESTS
        out[row + SEEN_SPOT + state[SPOT + other]] = 1.0
        if other == state[SEAT] and waits != OVER:
            out[SEEN_TURN + number] = 1.0
    if waits >= ROLL:
        out[SEEN_WAITS + 4] = 1.0
        numbers = NUMBERS + 2 * (waits - ROLL)
        out[SEEN_NUMBERS + rules[numbers]] = out[SEEN_NUMBERS + rules[numbers + 1]] = 1.0
    elif waits != OVER:
        out[SEEN_WAITS + waits] = 1.0
    for option in range(9):
        out[SEEN_VARIANT + option] = rules[VARIANT + option]
    if rules[MAX_TURNS] > 0:
        out[SEEN_CAP] = state[TURNS] / rules[MAX_TURNS]


def parts() -> tuple[Part, ...]:
    """Return the features of an observation, in their order. Seats are counted from the one that looks."""
    seats = []
    for number in range(MAX_SEATS):
        who = f"seat +{number}"
        seats += [
            Part(f"{who}: present", 1, "1 if the table has such a seat; else the rest of its features is 0"),
            Part(f"{who}: rests", 1, f"rests owed, {MOST_RESTS} or more as 1"),
            Part(f"{who}: spot", NUM_SPOTS, "1 at the spot of its piece: `SPOT_NAMES`, in the order of the journey"),
        ]
    return (
        Part("seat to move", MAX_SEATS, "1 at the seat that decides; 0 when the game is over"),
        Part("waits for", 5, "turn, road, crossing, dice, or the choice of a number"),
        Part("numbers", 9, "1 at the actions 0 to 8 between which the roll leaves the choice"),
        Part("options", 9, "1 for each rule option that has not its default value: `VARIANT` names them"),
        Part("turns", 1, "share of `max_turns` that has been taken; 0 without a cap"),
        *seats,
    )
