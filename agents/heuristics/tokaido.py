"""Tokaido as a race of lone travellers: who is likely to need fewer turns from here.

For a set of rules the law of the number of turns to Kyoto is computed once from every spot, for a traveller who is
alone on the road and always takes the way with the fewest expected turns. It comes from the very tables that the
kernels move by, so events, rests, extra rolls, crossings and exact arrivals are all in it. What others do to a piece is
not: a bandit finds nobody behind, a courier nobody ahead. An action is worth the chance, after it, to arrive before
another seat, as if from there on everybody travelled alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ...envs.core import State
from ...envs.tokaido import kernels as compiled
from ...envs.tokaido.rules import Tokaido

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_TURNS = 128
"""Turns that a law covers; later arrivals, less likely than 1e-6, count as the last."""
_PRECISION = 1e-10
UNIT = "return"


class LoneRoad(NamedTuple):
    """The road for one traveller, spot by spot.

    Attributes:
        rows: the kernels' table of spots, ``[spots, columns]``.
        walking: which spots are on the road and no fork, bool ``[spots]``.
        target: spot to which each number leads, ``[spots, 9]``.
        delay: turns that it takes, the one of the throw included: 0 for a throw again, ``[spots, 9]``.
        choices: the two numbers of each roll, ``[21, 2]``.
        weights: probability of each roll, ``[21]``.
        goes_on: whether two dice are thrown in the turn of a crossing.
        choice_turns: turns that a choice of road at the start of a turn uses up, 0 or 1.
    """

    rows: Ints
    walking: NDArray[np.bool_]
    target: Ints
    delay: Ints
    choices: Ints
    weights: Floats
    goes_on: bool
    choice_turns: int


def lone_road(game: Tokaido) -> LoneRoad:
    """Return the road for one traveller under the rules of `game`."""
    rules = game.rules
    spots = np.arange(rules[compiled.HOME] + 1)
    rows = rules[compiled.SPOTS :].reshape(-1, compiled.ROW)[: spots.size]
    landing = rows[:, compiled.LANDING :]
    event, target = landing >> 8 & 0xFF, landing & 0xFF
    target = np.where(event == compiled.FESTIVAL, rows[target, compiled.ALONG], target)
    return LoneRoad(
        rows=rows,
        walking=(rows[:, compiled.KIND] == compiled.PLAIN) & landing.any(axis=1),
        target=np.where(event == compiled.ARRIVE, rules[compiled.HOME], target),
        delay=1 + (landing >> 16) - (event == compiled.AGAIN),
        choices=rules[compiled.NUMBERS : compiled.WEIGHTS].reshape(21, 2),
        weights=rules[compiled.WEIGHTS : compiled.PAIRS] / 36,
        goes_on=bool(rules[compiled.ROLL_AFTER_CROSSING]),
        choice_turns=int(rules[compiled.CHOICE_USES_TURN]),
    )


def expected_turns(road: LoneRoad) -> Floats:
    """Return the least expected turns to Kyoto from each spot, at the start of a turn, float64 ``[spots]``."""
    turns = np.zeros(len(road.rows))
    while True:
        after = road.delay + turns[road.target]
        new = np.where(road.walking, after[:, road.choices].min(axis=2) @ road.weights, 0.0)
        for crossing, across, stayed, success, on, back in _crossings(road):
            new[crossing] = success * (on + turns[across]) + (1 - success) * (back + turns[stayed])
        for fork, roads in _forks(road):
            new[fork] = new[roads].min()
        if np.abs(new - turns).max() < _PRECISION:
            return new
        turns = new


@lru_cache(maxsize=32)
def turn_steps(game: Tokaido) -> Floats:
    """Return where a turn takes a lone traveller who takes the way with the fewest expected turns.

    Returns:
        float64 ``[rests + 1, spots, spots]``: at ``[r, a, b]`` the probability that a turn that begins at `a` ends at `b`
        with `r` further turns lost. A piece in Kyoto stays where it is.
    """
    road = lone_road(game)
    turns, spots, on_road = expected_turns(road), len(road.rows), np.arange(1, game.rules[compiled.LAST] + 1)
    ends = np.zeros((int((road.delay.max() + 3)), spots, spots))
    goes_on = np.zeros((spots, spots))  # within the turn

    def lead(spot: int, target: int, delay: int, chance: float) -> None:
        (goes_on if delay == 0 else ends[delay - 1])[spot, target] += chance

    best = (road.delay + turns[road.target])[:, road.choices].argmin(axis=2)  # [spots, rolls]
    for spot in on_road[road.walking[on_road]]:
        for roll, weight in enumerate(road.weights):
            number = road.choices[roll, best[spot, roll]]
            lead(spot, road.target[spot, number], road.delay[spot, number], weight)
    for crossing, across, stayed, success, on, back in _crossings(road):
        lead(crossing, across, on, success)
        lead(crossing, stayed, back, 1 - success)
    for fork, roads in _forks(road):
        lead(fork, roads[turns[roads].argmin()], 0, 1.0)
    home = np.arange(game.rules[compiled.LAST] + 1, spots)
    ends[0, home, home] = 1.0
    most = int(np.flatnonzero(ends.any(axis=(1, 2))).max())
    steps: Floats = np.linalg.solve(np.eye(spots) - goes_on, ends[: most + 1]).astype(np.float64, copy=False)
    return steps


@lru_cache(maxsize=32)
def turns_law(game: Tokaido) -> Floats:
    """Return the probability to need exactly k own turns from each spot, at the start of a turn with no rest owed.

    Returns:
        float64 ``[spots, MAX_TURNS + 1]``; a piece in Kyoto needs 0.
    """
    steps = turn_steps(game)
    arrived = np.zeros((MAX_TURNS + 1, steps.shape[1]))  # after so many turns
    arrived[:, game.rules[compiled.LAST] + 1 :] = 1.0
    for turn in range(1, MAX_TURNS + 1):
        arrived[turn] = sum(step @ arrived[max(turn - 1 - rests, 0)] for rests, step in enumerate(steps))
    law = np.diff(arrived, axis=0, prepend=0.0).T
    law[:, -1] += steps.sum(axis=(0, 2)) - arrived[-1]  # 0 or 1: whether there is such a spot
    return np.ascontiguousarray(np.maximum(law, 0.0))  # rounding must not make chances below 0


def _crossings(road: LoneRoad) -> list[tuple[int, int, int, float, int, int]]:
    """Return each crossing: its spot, the far side, the spot of failure, the chance of success, the delay of each."""
    found = []
    for spot in np.flatnonzero(road.rows[:, compiled.KIND] == compiled.CROSSING_CHOSEN):
        row = road.rows[spot]
        success = (row[compiled.MOST_FACE] - row[compiled.LEAST_FACE] + 1) / 6
        back = int(1 + row[compiled.FAILURE_RESTS]) + road.choice_turns
        on = 0 if road.goes_on else 1
        found.append((int(spot), int(row[compiled.FAR_SIDE]), int(row[compiled.BARE]), float(success), on, back))
    return found


def _forks(road: LoneRoad) -> list[tuple[int, Ints]]:
    """Return the spot of each fork with the spots of its two roads."""
    forks = np.flatnonzero(road.rows[:, compiled.KIND] == compiled.FORK)
    return [(int(spot), road.rows[spot, [compiled.WITH_CROSSING, compiled.WITH_DETOUR]]) for spot in forks]


def _later(law: Floats, turns: int) -> Floats:
    """Return a law moved to `turns` later; what falls off the end stays at the end."""
    if turns == 0:
        return law
    moved = np.zeros_like(law)
    moved[:, turns:] = law[:, :-turns]
    moved[:, -1] += law[:, -turns:].sum(axis=1)
    return moved


def worth(state: State, seat: int) -> float:
    """Return the chance of `seat` to arrive before another seat, meant over the others, in 0..1."""
    game = cast(Tokaido, state.game)
    if state.is_terminal():
        return (state.returns()[seat] + 1) / 2
    players, words, law = game.num_players, state.words, turns_law(game)
    next_to_throw = words[compiled.SEAT] + (words[compiled.WAITS] == compiled.ROAD)  # that choice ends the turn
    order = (np.arange(players) - next_to_throw) % players

    def turns_of(who: int) -> Floats:
        spot, rests = words[compiled.SPOT + who], int(words[compiled.RESTS + who])
        return _later(law[spot : spot + 1], rests).ravel()

    if words[compiled.SPOT + seat] > game.rules[compiled.LAST]:
        ahead = words[compiled.SPOT :][:players] > words[compiled.SPOT + seat]
        return 1.0 - float(ahead.sum()) / (players - 1)
    mine = turns_of(seat)
    chances = []
    for other in range(players):
        if other != seat:
            theirs = np.cumsum(turns_of(other))  # chance that they need at most k
            before = 1 - theirs if order[other] < order[seat] else 1 - theirs + np.diff(theirs, prepend=0.0)
            chances.append(float(mine @ before) if words[compiled.SPOT + other] > 0 else 1.0)
    return sum(chances) / len(chances)


def scores(state: State) -> tuple[Ints, Floats]:
    """Return the legal actions but resigning, and the worth of each for the seat to move, 0..1."""
    seat = state.current_player()
    actions = [action for action in state.legal_actions() if action != compiled.RESIGN]
    return np.array(actions), np.array([worth(state.child(action), seat) for action in actions])


def values(state: State) -> Floats:
    """Return the worth of each legal action but resigning as a return, -1..1, float64 ``[num_actions]``, else NaN."""
    found = np.full(state.game.num_actions, np.nan)
    actions, worths = scores(state)
    found[actions] = 2 * worths - 1
    return found
