"""Tokaido's tools for the search: travellers in a hurry, and who is likely to arrive first.

Both rest on the race of lone travellers (`heuristics.tokaido`), whose laws are the ``data``: the expected turns from
each spot, then the law of the turns from each spot, `MAX_TURNS` + 1 numbers a spot.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.counter_rng import draw_below
from ...envs.tokaido.kernels import (
    AGAIN,
    ARRIVE,
    CROSSING,
    DETOUR,
    HOME,
    LANDING,
    LAST,
    NUMBERS,
    PLAYERS,
    RESTS,
    ROAD,
    ROLL,
    SEAT,
    SPOT,
    WAITS,
    WITH_CROSSING,
    WITH_DETOUR,
    field,
)  # fmt: skip

_TURNS = 129  # numbers in a law: 0 .. MAX_TURNS turns
_UNIFORM_ODDS = 8  # one choice in so many is drawn at random


def numbers(game: Game) -> NDArray[np.float64]:
    """Return the ``data`` of the tools for a set of rules."""
    from ..heuristics.tokaido import expected_turns, lone_road, turns_law

    return np.concatenate((expected_turns(lone_road(game)), turns_law(game).ravel()))  # type: ignore[arg-type]


@kernel
def turns_after(rules: Any, data: Any, spot: Any, number: Any) -> Any:
    """Return the expected turns of a lone traveller who moves by a number, this turn counted."""
    landing = field(rules, spot, LANDING + number)
    event, rests = (landing >> 8) & 0xFF, landing >> 16
    target = rules[HOME] if event == ARRIVE else landing & 0xFF
    return 1.0 + rests - (event == AGAIN) + data[target]


@kernel
def policy(rules: Any, state: Any, data: Any, rng: Any) -> Any:
    """Draw a move: mostly what leaves a lone traveller the fewest turns; never resigns."""
    spot = state[SPOT + state[SEAT]]
    if state[WAITS] >= ROLL:
        low = rules[NUMBERS + 2 * (state[WAITS] - ROLL)]
        high = rules[NUMBERS + 2 * (state[WAITS] - ROLL) + 1]
        first_is_better = turns_after(rules, data, spot, low) < turns_after(rules, data, spot, high)
    else:
        low, high = np.int64(CROSSING), np.int64(DETOUR)
        first_is_better = data[field(rules, spot, WITH_CROSSING)] < data[field(rules, spot, WITH_DETOUR)]
    if draw_below(rng, _UNIFORM_ODDS) == 0:
        first_is_better = draw_below(rng, 2) == 0
    return low if first_is_better else high


@kernel
def chance_before(rules: Any, state: Any, data: Any, one: Any, other: Any, goes_first: Any) -> Any:
    """Return the chance of seat `one` to be placed before seat `other`; `goes_first`: whether it throws before it."""
    here, there = state[SPOT + one], state[SPOT + other]
    if here > rules[LAST] or there > rules[LAST] or here == 0 or there == 0:
        return 1.0 if here > there else 0.0 if here < there else 0.5
    laws = rules[HOME] + 1  # the laws lie behind one expectation for each spot
    mine, theirs = laws + here * _TURNS, laws + there * _TURNS
    later = state[RESTS + one] - state[RESTS + other]  # turns by which their count of turns is ahead of mine
    chance, arrived = 0.0, 0.0
    done = 0  # of their turns that `arrived` covers
    for turns in range(_TURNS):
        last = turns + later - (1 if goes_first else 0)  # their turns that end before this one of mine
        while done <= last and done < _TURNS:
            arrived += data[theirs + done]
            done += 1
        chance += data[mine + turns] * (1.0 - arrived)
    return chance


@kernel
def evaluation(rules: Any, state: Any, data: Any, out: Any) -> None:
    """Write the expected returns if from here on everybody travelled alone."""
    players = rules[PLAYERS]
    thrower = state[SEAT] + (1 if state[WAITS] == ROAD else 0)  # that choice ends the turn
    for seat in range(players):
        out[seat] = 1.0
    for one in range(players):
        for other in range(one + 1, players):
            goes_first = (one - thrower) % players < (other - thrower) % players
            ahead = chance_before(rules, state, data, one, other, goes_first)
            out[one] -= 2.0 * (1.0 - ahead) / (players - 1)
            out[other] -= 2.0 * ahead / (players - 1)
