"""Tokaido sugoroku over the kernel contract, compiled.

Where a piece can be is a *spot*: a number that grows along the journey. A fork has three of them, without a road
chosen, with the crossing, and with the detour; behind it come its detour stations, then the next main station. Spot 0
is a piece that has resigned, the last six are pieces in Kyoto, the first to arrive highest. So one number a piece says
all but its rests.

The road itself is nowhere in here. `tables.rules_vector` works out once, for a set of options, what every number does
from every spot, and a move is a look-up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiling import kernel
from ..counter_rng import draw_below, mix
from ..kernels import CHANCE, TERMINAL

# --- the state vector ------------------------------------------------------------------------------------------------
SPOT = 0  # six words: spot of each seat's piece
RESTS = 6  # six words: rests each seat owes
SEAT, WAITS, TURNS = 12, 13, 14  # TURNS: taken so far, the last one too; counted only under a cap
STATE_SIZE = 15

# What the game waits for. In all but the last of these the seat at a fork without a road chooses it first.
TURN, ROAD, CROSS, DICE, OVER = 0, 1, 2, 3, 4  # ROAD: the choice ends the turn; CROSS, DICE: the turn has begun
ROLL = 5  # plus 0..20: this roll waits for its number

# --- the rules vector ------------------------------------------------------------------------------------------------
PLAYERS, RESTS_ADD_UP, ROLL_AFTER_CROSSING, CHOICE_USES_TURN, ENDS_AT_FIRST = 0, 1, 2, 3, 4
ALLOW_RESIGN, MAX_TURNS, RAIN_REACH = 5, 6, 7  # MAX_TURNS 0: no cap
START, LAST, HOME = 8, 9, 10  # first and last spot of the road, and the spot of the first in Kyoto
NUMBERS = 11  # 42 words: the two actions of each roll
WEIGHTS = NUMBERS + 42  # 21 words: chances in 36 of each roll
PAIRS = WEIGHTS + 21  # 36 words: the roll of each pair of dice
VARIANT = PAIRS + 36  # nine words: 1 for each option that has not its default value, in the order of `tables.VARIANT`
SPOTS = VARIANT + 9  # then a row for each spot:
KIND, BARE, STATION, ALONG = 0, 1, 2, 3  # BARE: without a road; STATION: -9 off the main road; ALONG: one festival on
WITH_CROSSING, WITH_DETOUR = 4, 5  # of a fork: the spots after the choice
LEAST_FACE, MOST_FACE, FAR_SIDE, FAILURE_RESTS = 6, 7, 8, 9  # of a crossing
LANDING = 10  # nine words, one a number: where it leads and what happens there, see `landing_word`
ROW = 19

PLAIN, FORK, CROSSING_CHOSEN = 0, 1, 2  # kinds of spots

NOTHING, ARRIVE, CHOOSE, REST, AGAIN, RAIN, BANDIT, COURIER, FESTIVAL = range(9)  # what happens at a landing

# --- actions and outcomes --------------------------------------------------------------------------------------------
CROSSING, DETOUR, RESIGN = 9, 10, 11  # below them the nine numbers
NUM_ACTIONS = 12
FACES = 21  # outcomes: 21 rolls, then the six faces of the crossing die


def landing_word(spot: int, event: int, rests: int) -> int:
    """Pack a landing: where the piece comes to stand, what happens then, and how many rests that costs."""
    return spot | event << 8 | rests << 16


@kernel
def field(rules: Any, spot: Any, column: Any) -> Any:
    """Return an entry of the row of a spot."""
    return rules[SPOTS + spot * ROW + column]


@kernel
def travels(rules: Any, spot: Any) -> Any:
    """Return whether a piece there is still on its way, neither in Kyoto nor resigned."""
    return 0 < spot <= rules[LAST]


@kernel
def owe(rules: Any, state: Any, seat: Any, rests: Any) -> None:
    """Make a seat owe rests, on top of those it owes or, without adding up, one at most."""
    if rules[RESTS_ADD_UP]:
        state[RESTS + seat] += rests
    elif rests > 0:
        state[RESTS + seat] = 1


# --- the end ---------------------------------------------------------------------------------------------------------


@kernel
def end_game(rules: Any, state: Any) -> None:
    """Mark the game as over with the turn that is being taken; a finished game is nobody's turn."""
    state[SEAT], state[WAITS] = 0, OVER
    state[TURNS] += rules[MAX_TURNS] > 0


@kernel
def travellers(rules: Any, state: Any) -> Any:
    """Return how many pieces are still on their way."""
    count = 0
    for seat in range(rules[PLAYERS]):
        count += travels(rules, state[SPOT + seat])
    return count


@kernel
def arrivals(rules: Any, state: Any) -> Any:
    """Return how many pieces are in Kyoto."""
    count = 0
    for seat in range(rules[PLAYERS]):
        count += state[SPOT + seat] > rules[LAST]
    return count


@kernel
def arrive(rules: Any, state: Any, seat: Any) -> None:
    """Put a piece in Kyoto, behind those that are there."""
    state[SPOT + seat] = rules[HOME] - arrivals(rules, state)
    if rules[ENDS_AT_FIRST] or travellers(rules, state) < 2:
        end_game(rules, state)


@kernel
def resign(rules: Any, state: Any, seat: Any) -> None:
    """Take a piece off the road."""
    state[SPOT + seat] = 0
    if travellers(rules, state) < 2:
        end_game(rules, state)


# --- events ----------------------------------------------------------------------------------------------------------


@kernel
def shelter(rules: Any, state: Any, seat: Any, rests: Any) -> None:
    """Rain: the mover rests, and so does everyone on that station and beside it."""
    here = field(rules, state[SPOT + seat], STATION)
    for other in range(rules[PLAYERS]):
        if abs(field(rules, state[SPOT + other], STATION) - here) <= rules[RAIN_REACH]:
            owe(rules, state, other, rests)


@kernel
def swap_with_rearmost(rules: Any, state: Any, seat: Any) -> None:
    """Bandit: the mover swaps places with the rearmost piece, of several the next in turn order, if it is behind."""
    rearmost, least = seat, field(rules, state[SPOT + seat], BARE)
    other = seat
    for _ in range(rules[PLAYERS] - 1):
        other = other + 1 if other + 1 < rules[PLAYERS] else 0
        spot = state[SPOT + other]
        if travels(rules, spot) and field(rules, spot, BARE) < least:
            rearmost, least = other, field(rules, spot, BARE)
    if rearmost != seat:
        state[SPOT + rearmost] = state[SPOT + seat]
        state[SPOT + seat] = least


@kernel
def catch_up(rules: Any, state: Any, seat: Any) -> None:
    """Courier: the mover goes to the foremost piece on the main road, if that is ahead."""
    foremost = state[SPOT + seat]
    for other in range(rules[PLAYERS]):
        spot = state[SPOT + other]
        if field(rules, spot, STATION) >= 0 and field(rules, spot, BARE) > foremost:
            foremost = field(rules, spot, BARE)
    state[SPOT + seat] = foremost


@kernel
def move_all(rules: Any, state: Any) -> None:
    """Festival: everyone goes one station on along its own road."""
    for seat in range(rules[PLAYERS]):
        state[SPOT + seat] = field(rules, state[SPOT + seat], ALONG)


# --- a turn ----------------------------------------------------------------------------------------------------------
# These return whether the turn is over.


@kernel
def advance(rules: Any, state: Any, seat: Any, number: Any) -> Any:
    """Move by a number (an action) and let happen what happens there."""
    landing = field(rules, state[SPOT + seat], LANDING + number)
    event, rests = (landing >> 8) & 0xFF, landing >> 16
    state[SPOT + seat] = landing & 0xFF
    if event == NOTHING:
        return True
    if event == AGAIN:
        state[WAITS] = DICE
        return False
    if event == ARRIVE:
        arrive(rules, state, seat)
        return True
    if event == REST:
        owe(rules, state, seat, rests)
        return True
    if event == RAIN:
        shelter(rules, state, seat, rests)
        return True
    if event == FESTIVAL:
        move_all(rules, state)
        return True
    if event == BANDIT:
        swap_with_rearmost(rules, state, seat)
    elif event == COURIER:
        catch_up(rules, state, seat)
    if field(rules, state[SPOT + seat], KIND) == FORK:
        state[WAITS] = ROAD
        return False
    return True


@kernel
def choose_road(rules: Any, state: Any, seat: Any, road: Any) -> Any:
    """Choose the crossing or the detour, for the next turn or for this one."""
    spot = state[SPOT + seat]
    state[SPOT + seat] = field(rules, spot, WITH_CROSSING if road == CROSSING else WITH_DETOUR)
    if state[WAITS] == ROAD or (state[WAITS] == TURN and rules[CHOICE_USES_TURN]):
        return True
    state[WAITS] = CROSS if road == CROSSING else DICE
    return False


@kernel
def cross(rules: Any, state: Any, seat: Any, face: Any) -> Any:
    """Cross with a face of the die, or stay and choose again next time."""
    spot = state[SPOT + seat]
    if field(rules, spot, LEAST_FACE) <= face <= field(rules, spot, MOST_FACE):
        state[SPOT + seat] = field(rules, spot, FAR_SIDE)
        state[WAITS] = DICE
        return rules[ROLL_AFTER_CROSSING] == 0
    state[SPOT + seat] = field(rules, spot, BARE)
    owe(rules, state, seat, field(rules, spot, FAILURE_RESTS))
    return True


@kernel
def act(rules: Any, state: Any, action: Any) -> Any:
    """Play an action or an outcome without passing the turn on; return whether the turn is over."""
    seat, waits = state[SEAT], state[WAITS]
    node = to_move(rules, state)
    if node == CHANCE:
        if action >= FACES:
            return cross(rules, state, seat, action - FACES + 1)
        state[WAITS] = ROLL + action
        return False
    if action == RESIGN:
        resign(rules, state, seat)
        return True
    if waits >= ROLL:
        return advance(rules, state, seat, action)
    return choose_road(rules, state, seat, action)


@kernel
def pass_on(rules: Any, state: Any) -> Any:
    """Give the turn to the next seat on its way; return whether it rests: it has then paid, and its turn is over too."""
    if state[WAITS] == OVER:
        return False
    if rules[MAX_TURNS] > 0:
        if state[TURNS] + 1 >= rules[MAX_TURNS]:
            end_game(rules, state)
            return False
        state[TURNS] += 1
    seat = state[SEAT]
    while True:
        seat = seat + 1 if seat + 1 < rules[PLAYERS] else 0
        if travels(rules, state[SPOT + seat]):
            break
    state[SEAT], state[WAITS] = seat, TURN
    if state[RESTS + seat] == 0:
        return False
    state[RESTS + seat] -= 1
    return True


# --- the contract ----------------------------------------------------------------------------------------------------


@kernel
def reset(rules: Any, state: Any) -> None:
    """See `Kernels.reset`."""
    state[:] = 0
    for seat in range(rules[PLAYERS]):
        state[SPOT + seat] = rules[START]


@kernel
def to_move(rules: Any, state: Any) -> Any:
    """See `Kernels.to_move`."""
    waits, seat = state[WAITS], state[SEAT]
    if waits >= ROLL:
        return seat
    if waits == OVER:
        return TERMINAL
    return seat if field(rules, state[SPOT + seat], KIND) == FORK else CHANCE


@kernel
def legal(rules: Any, state: Any, mask: Any) -> Any:
    """See `Kernels.legal`."""
    mask[:] = 0
    if to_move(rules, state) < 0:
        return 0
    if state[WAITS] >= ROLL:
        numbers = NUMBERS + 2 * (state[WAITS] - ROLL)
        mask[rules[numbers]] = mask[rules[numbers + 1]] = 1
    else:
        mask[CROSSING] = mask[DETOUR] = 1
    mask[RESIGN] = rules[ALLOW_RESIGN]
    return 2 + rules[ALLOW_RESIGN]


@kernel
def chance(rules: Any, state: Any, outcomes: Any, probabilities: Any) -> Any:
    """See `Kernels.chance`."""
    if to_move(rules, state) != CHANCE:
        return 0
    if field(rules, state[SPOT + state[SEAT]], KIND) == CROSSING_CHOSEN:
        for face in range(6):
            outcomes[face], probabilities[face] = FACES + face, 1 / 6
        return 6
    for roll in range(FACES):
        outcomes[roll], probabilities[roll] = roll, rules[WEIGHTS + roll] / 36
    return FACES


@kernel
def sample(rules: Any, state: Any, rng: Any) -> Any:
    """See `Kernels.sample`; one draw gives both dice."""
    waits, spot = state[WAITS], state[SPOT + state[SEAT]]
    if waits < ROLL and field(rules, spot, KIND) != FORK:
        if field(rules, spot, KIND) == CROSSING_CHOSEN:
            return FACES + draw_below(rng, 6)
        return rules[PAIRS + draw_below(rng, 36)]
    choice = draw_below(rng, 2 + rules[ALLOW_RESIGN])
    if choice == 2:
        return RESIGN
    return rules[NUMBERS + 2 * (waits - ROLL) + choice] if waits >= ROLL else CROSSING + choice


@kernel
def apply(rules: Any, state: Any, action: Any) -> None:
    """See `Kernels.apply`; no state is left at a seat that rests."""
    if act(rules, state, action):
        while pass_on(rules, state):
            pass


@kernel
def returns(rules: Any, state: Any, out: Any) -> None:
    """See `Kernels.returns`: 1 for the first, -1 for the last, evenly between; equal places share."""
    players = rules[PLAYERS]
    for seat in range(players):
        place = field(rules, state[SPOT + seat], BARE)
        ahead = 0.0  # seats before this one, those on its place by half
        for other in range(players):
            if other != seat and state[WAITS] == OVER:
                others = field(rules, state[SPOT + other], BARE)
                ahead += 1.0 if others > place else 0.5 if others == place else 0.0
        out[seat] = 1.0 - 2.0 * ahead / (players - 1) if state[WAITS] == OVER else 0.0


@kernel
def capped(rules: Any, state: Any) -> Any:
    """See `Kernels.capped`: whether pieces are still on their way that would have gone on."""
    if state[WAITS] != OVER or (rules[ENDS_AT_FIRST] and arrivals(rules, state) > 0):
        return 0
    return np.int64(travellers(rules, state) > 1)


@kernel
def hash(rules: Any, state: Any) -> Any:  # noqa: A001  the name in the contract
    """See `Kernels.hash`: pieces, rests, seat and what it waits for."""
    value = mix(np.uint64(state[SEAT] << 8 | state[WAITS]) + np.uint64(1))
    for seat in range(rules[PLAYERS]):
        value = mix(value + np.uint64(state[RESTS + seat] << 8 | state[SPOT + seat]))
    return value
