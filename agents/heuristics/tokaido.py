"""Tokaido by turns: how many each seat still needs, were it alone on the road.

The expected turns to Kyoto of a lone traveller are computed once for a set of rules, from the very tables that the
kernels move by: events, rests, extra rolls, crossings and exact arrivals are all in them. What others do to a piece
is not: a bandit finds nobody behind, a courier nobody ahead. After one's own move the turns of everybody are compared.
"""

from __future__ import annotations

from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ...envs.core import State
from ...envs.tokaido import kernels as compiled
from ...envs.tokaido.rules import Tokaido

_TURNS_PER_NAT = 1.0
"""Turns ahead that multiply the odds of arriving first by e; only with three or more players does it matter."""
_PRECISION = 1e-10


@lru_cache(maxsize=32)
def turns_to_goal(game: Tokaido) -> NDArray[np.float64]:
    """Return the expected own turns to Kyoto from each spot, at the start of a turn with no rest owed.

    Value iteration over the spots of the road for a traveller who is alone and wants to arrive soon.

    Returns:
        float64 ``[spots]``; 0 for the spots in Kyoto and for the resigned.
    """
    rules = game.rules
    spots = int(rules[compiled.HOME]) + 1
    rows = rules[compiled.SPOTS :].reshape(-1, compiled.ROW)[:spots]
    landing = rows[:, compiled.LANDING :]
    event, rests = landing >> 8 & 0xFF, landing >> 16
    target = landing & 0xFF
    target = np.where(event == compiled.FESTIVAL, rows[target, compiled.ALONG], target)
    target = np.where(event == compiled.ARRIVE, rules[compiled.HOME], target)
    cost = rests - (event == compiled.AGAIN)  # thrown again: the next throw costs no turn
    numbers = rules[compiled.NUMBERS : compiled.NUMBERS + 42].reshape(21, 2)
    weights = rules[compiled.WEIGHTS : compiled.WEIGHTS + 21] / 36
    walking = (rows[:, compiled.KIND] == compiled.PLAIN) & (np.arange(spots) > 0)
    walking &= np.arange(spots) <= rules[compiled.LAST]
    turns = np.zeros(spots)
    while True:
        after = cost + turns[target]
        new = np.where(walking, 1 + after[:, numbers].min(axis=2) @ weights, 0.0)
        _fill_forks(new, turns, rows, bool(rules[compiled.ROLL_AFTER_CROSSING]))
        if np.abs(new - turns).max() < _PRECISION:
            return new
        turns = new


def _fill_forks(new: NDArray[np.float64], turns: NDArray[np.float64], rows: NDArray[np.int64], goes_on: bool) -> None:
    """Set the turns of pieces that have chosen a crossing, then of those that have yet to choose."""
    for spot in np.flatnonzero(rows[:, compiled.KIND] == compiled.CROSSING_CHOSEN):
        row = rows[spot]
        success = (row[compiled.MOST_FACE] - row[compiled.LEAST_FACE] + 1) / 6
        across = turns[row[compiled.FAR_SIDE]] + (0 if goes_on else 1)
        stayed = 1 + row[compiled.FAILURE_RESTS] + turns[row[compiled.BARE]]
        new[spot] = success * across + (1 - success) * stayed
    for spot in np.flatnonzero(rows[:, compiled.KIND] == compiled.FORK):
        new[spot] = min(new[rows[spot, compiled.WITH_CROSSING]], new[rows[spot, compiled.WITH_DETOUR]])


def worth(state: State, seat: int) -> float:
    """Return the chance of `seat` to arrive before a random other one, by turns alone, in 0..1."""
    game = cast(Tokaido, state.game)
    if state.is_terminal():
        return (state.returns()[seat] + 1) / 2
    players, words = game.num_players, state.words
    spots, rests = words[compiled.SPOT :][:players], words[compiled.RESTS :][:players]
    to_move = words[compiled.SEAT]
    turns = turns_to_goal(game)[spots] + rests + (np.arange(players) - to_move) % players / players
    turns[to_move] -= words[compiled.WAITS] in (compiled.DICE, compiled.CROSS)  # a go that belongs to this turn
    on_the_way = (spots > 0) & (spots <= game.rules[compiled.LAST])
    others = np.delete(np.where(on_the_way, turns, np.where(spots > 0, -np.inf, np.inf)), seat)
    if not on_the_way[seat]:
        return float(np.mean(others > -np.inf)) if spots[seat] > 0 else 0.0
    with np.errstate(over="ignore"):
        return float(np.mean(1 / (1 + np.exp((turns[seat] - others) / _TURNS_PER_NAT))))


def scores(state: State) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the legal actions but resigning, and the worth of each for the seat to move, 0..1."""
    seat = state.current_player()
    actions = [action for action in state.legal_actions() if action != compiled.RESIGN]
    return np.array(actions), np.array([worth(state.child(action), seat) for action in actions])
