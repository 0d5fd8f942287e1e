"""Who arrives first, and who is placed where, if from here on everybody travelled alone.

Each seat's journey has a law: where it is after 0, 1, 2, ... turns of its own, worked out exactly for a traveller who is
alone (`laws_of`). Taken as independent of each other, the laws give each seat's expected utility: for places, pair by
pair; where the first arrival ends the game, moment by moment, the others by where they stand then.

A seat stands at a *row* of the law, its next turn about to begin, and first loses so many turns (its *delay*).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from .turns import FIRST_ONLY

MOST_TURNS = 1000
"""Turns that laws cover at most; then, as under a cap on turns, places count as they stand."""
MOST_PLACES = 20_000_000
"""Numbers that a law of places may have; it covers fewer turns where there are more."""
_SETTLED = 1e-12
ENDS_AT_FIRST, UTILITY = 0, 1  # words of `Laws.how`


class Laws(NamedTuple):
    """The journey of a lone traveller over R rows, over T turns of its own.

    Attributes:
        how: int64 ``[2]``: whether the first arrival ends the game, and the utility.
        arrives: float64 ``[R, T + 1]``: probability of arriving in that turn.
        left: float64 ``[R, T + 1]``: of being under way after it.
        at: float64 ``[R, T + 1, R]``: of being at a row then (short of the goal); empty where places are not compared.
        behind: float64, the same shape: of being at a row before this one, or here, which counts by half.
    """

    how: NDArray[np.int64]
    arrives: NDArray[np.float64]
    left: NDArray[np.float64]
    at: NDArray[np.float64]
    behind: NDArray[np.float64]


class Seats(NamedTuple):
    """How the seats stand; S of them.

    Attributes:
        level: int64 ``[S]``: 0 for those under way; who has a higher one is placed before who has a lower one.
        row: int64 ``[S]``: where those under way are.
        delay: int64 ``[S]``: turns that they lose first.
        order: int64 ``[S]``: how many of them take a turn before they do.
        turns: int64 ``[S]``: turns of their own that they have before the game is cut off.
        clock: int64 ``[S]``: scratch.
    """

    level: NDArray[np.int64]
    row: NDArray[np.int64]
    delay: NDArray[np.int64]
    order: NDArray[np.int64]
    turns: NDArray[np.int64]
    clock: NDArray[np.int64]


def new_seats(players: int) -> Seats:
    """Return room for how the seats stand."""
    return Seats(*np.zeros((len(Seats._fields), players), dtype=np.int64))


def laws_of(
    steps: NDArray[np.float64], goal: NDArray[np.bool_], place: NDArray[np.int64], how: tuple[int, int], compares: bool
) -> Laws:  # fmt: skip
    """Return the laws of a journey.

    Args:
        steps: float64 ``[rests + 1, R, R]``: at ``[r, a, b]`` the probability that a turn from row `a` ends on row `b`
            with `r` further turns lost.
        goal: bool ``[R]``: the rows in which a journey has ended.
        place: int64 ``[R]``: the row that stands for the place of each, where places are compared.
        how: see `Laws.how`.
        compares: whether places count of those who have not arrived.
    """
    rows = len(goal)
    most = min(MOST_TURNS, max(MOST_PLACES // rows**2, 1)) if compares else MOST_TURNS
    aim = np.eye(rows) if compares else goal[:, None].astype(np.float64)
    past = [aim]
    while len(past) <= most:
        past.append(sum(step @ past[max(len(past) - 1 - rests, 0)] for rests, step in enumerate(steps)))
        arrived = past[-1] @ goal if compares else past[-1][:, 0]
        if (1 - arrived[steps.any(axis=(0, 2))]).max() < _SETTLED:
            break
    law = np.ascontiguousarray(np.array(past).transpose(1, 0, 2))  # [R, T + 1, R or 1]
    arrived = law @ goal if compares else law[:, :, 0]
    at = behind = np.zeros((0, 0, 0))
    if compares:
        at = np.zeros_like(law)
        for row in np.flatnonzero(~goal):
            at[:, :, place[row]] += law[:, :, row]
        behind = np.cumsum(at, axis=2) - at / 2
    return Laws(np.array(how), np.diff(arrived, axis=1, prepend=0.0), 1 - arrived, at, behind)


@kernel
def order_seats(laws: Any, seats: Any, next_seat: Any, turns_left: Any) -> None:
    """Write the order of turns, and the turns of its own that each seat has if nobody drops out.

    Args:
        laws: see `Laws`.
        seats: with their levels.
        next_seat: whose turn begins.
        turns_left: of all seats together until the game is cut off; -1 for no cap.
    """
    players = seats.level.size
    travelling = 0
    for place in range(players):
        seat = next_seat + place if next_seat + place < players else next_seat + place - players
        seats.order[seat] = travelling
        travelling += seats.level[seat] == 0
    for seat in range(players):
        turns = laws.arrives.shape[1] - 1 + seats.delay[seat]
        if turns_left >= 0:
            turns = min(turns, (turns_left - seats.order[seat] + travelling - 1) // travelling)
        seats.turns[seat] = turns


@kernel
def after(law: Any, row: Any, turns: Any) -> Any:
    """Return the entry of a law after so many turns; before the first turn it is that of no turn, at the end the last."""
    last = law.shape[1] - 1
    return law[row, 0 if turns < 0 else last if turns > last else turns]


@kernel
def stands_before(laws: Any, seats: Any, one: Any, other: Any, turns: Any, others: Any) -> Any:
    """Return the probability that both are under way, `one` before `other`, after so many turns; level counts by half."""
    last = laws.at.shape[1] - 1
    mine, theirs = min(max(turns, 0), last), min(max(others, 0), last)
    here, there = seats.row[one], seats.row[other]
    chance = 0.0
    for place in range(laws.at.shape[2]):
        chance += laws.at[here, mine, place] * laws.behind[there, theirs, place]
    return chance


@kernel
def place_before(laws: Any, seats: Any, one: Any, other: Any) -> Any:
    """Return the probability that seat `one` is placed before seat `other` if all arrivals count."""
    if seats.level[one] != seats.level[other]:
        return 1.0 if seats.level[one] > seats.level[other] else 0.0
    if seats.level[one] != 0:
        return 0.5
    here, there, chance = seats.row[one], seats.row[other], 0.0
    mine, theirs = seats.turns[one] - seats.delay[one], seats.turns[other] - seats.delay[other]
    lead = seats.delay[one] - seats.delay[other]  # turns that the other has taken more when this one arrives
    if seats.order[one] < seats.order[other]:
        lead -= 1
    for turn in range(1, min(mine, laws.arrives.shape[1] - 1) + 1):
        chance += laws.arrives[here, turn] * after(laws.left, there, min(turn + lead, theirs))
    if laws.at.size > 0:
        return chance + stands_before(laws, seats, one, other, mine, theirs)
    return chance + after(laws.left, here, mine) * after(laws.left, there, theirs) / 2


@kernel
def value_places(laws: Any, seats: Any, out: Any) -> None:
    """Write the place points of each seat if all arrivals count."""
    players = seats.level.size
    for seat in range(players):
        out[seat] = 0.0
    for one in range(players):
        for other in range(one + 1, players):
            before = place_before(laws, seats, one, other)
            out[one] += (2.0 * before - 1.0) / (players - 1)
            out[other] += (1.0 - 2.0 * before) / (players - 1)


@kernel
def all_left(laws: Any, seats: Any, but: Any) -> Any:
    """Return the probability that by their clocks all seats but one that are under way have not arrived."""
    chance = 1.0
    for seat in range(seats.level.size):
        if seat != but and seats.level[seat] == 0:
            chance *= after(laws.left, seats.row[seat], seats.clock[seat])
    return chance


@kernel
def add_standing(laws: Any, seats: Any, winner: Any, chance: Any, out: Any) -> None:
    """Add the place points of an end with that probability: the winner (-1: none) first, the others as they stand.

    `chance` is divided by the probability that a pair is still under way where the pair is compared, which holds that.
    """
    players = seats.level.size
    for one in range(players):
        for other in range(one + 1, players):
            if one == winner or other == winner:
                before = 1.0 if one == winner else 0.0
            elif seats.level[one] != seats.level[other]:
                before = 1.0 if seats.level[one] > seats.level[other] else 0.0
            elif seats.level[one] != 0:
                before = 0.5
            else:
                both = after(laws.left, seats.row[one], seats.clock[one])
                both *= after(laws.left, seats.row[other], seats.clock[other])
                before = stands_before(laws, seats, one, other, seats.clock[one], seats.clock[other]) / both
            out[one] += chance * (2.0 * before - 1.0) / (players - 1)
            out[other] += chance * (1.0 - 2.0 * before) / (players - 1)


@kernel
def add_foremost(laws: Any, seats: Any, out: Any) -> None:
    """Add for each seat its share of standing foremost with nobody arrived, by the clocks.

    With K others on the same place it is 1 / (1 + K), the integral of ``u ** K`` over 0..1: so the others go in as the
    polynomial *behind this place + u times at it*, of degree 5 at most, which three points of Gauss and Legendre
    integrate exactly.
    """
    last, root = laws.at.shape[1] - 1, math.sqrt(0.15)
    for seat in range(seats.level.size):
        if seats.level[seat] != 0:
            continue
        mine = min(max(seats.clock[seat], 0), last)
        for place in range(laws.at.shape[2]):
            chance = laws.at[seats.row[seat], mine, place]
            if chance == 0.0:
                continue
            for point in range(-1, 2):
                share = chance * (8.0 if point == 0 else 5.0) / 18.0
                for other in range(seats.level.size):
                    if other != seat and seats.level[other] == 0:
                        row, turns = seats.row[other], min(max(seats.clock[other], 0), last)
                        share *= laws.behind[row, turns, place] + point * root * laws.at[row, turns, place]
                out[seat] += share


@kernel
def value_first(laws: Any, seats: Any, points: Any, out: Any) -> None:
    """Write what the first arrival is worth to each seat.

    Args:
        laws: see `Laws`.
        seats: how they stand.
        points: whether the game ends there and all get place points by where they stand; else 1 for the first.
        out: float64 ``[S]``.
    """
    players = seats.level.size
    most, foremost = 0, 0
    for seat in range(players):
        out[seat] = 0.0
        foremost = seat if seats.level[seat] > seats.level[foremost] else foremost
        if seats.level[seat] == 0:
            most = max(most, seats.turns[seat])
    if seats.level[foremost] > 0:  # somebody has arrived long ago
        out[foremost] = 1.0
        return
    for turn in range(1, most + 1):
        going = 0.0
        for place in range(players):
            mover = -1
            for seat in range(players):
                if seats.level[seat] == 0:
                    seats.clock[seat] = min(turn - (seats.order[seat] > place), seats.turns[seat]) - seats.delay[seat]
                    if seats.order[seat] == place:
                        mover = seat
            if mover < 0 or seats.clock[mover] < 1 or turn > seats.turns[mover]:
                going = 1.0
                continue
            others = all_left(laws, seats, mover)
            going = max(going, others)
            chance = laws.arrives[seats.row[mover], min(seats.clock[mover], laws.arrives.shape[1] - 1)] * others
            if not points:
                out[mover] += chance
            elif chance > 0.0:
                add_standing(laws, seats, mover, chance, out)
        if going < 1e-12:
            return
    for seat in range(players):
        seats.clock[seat] = seats.turns[seat] - seats.delay[seat]
    chance = all_left(laws, seats, -1)
    if laws.at.size > 0 and chance > 0.0:
        if points:
            add_standing(laws, seats, -1, chance, out)
        else:
            add_foremost(laws, seats, out)


@kernel
def value_seats(laws: Any, seats: Any, out: Any) -> None:
    """Write the expected utility of each seat (float64 ``[S]``)."""
    if laws.how[UTILITY] == FIRST_ONLY:
        value_first(laws, seats, False, out)
    elif laws.how[ENDS_AT_FIRST] and seats.level.size > 2:
        value_first(laws, seats, True, out)
    else:
        value_places(laws, seats, out)
