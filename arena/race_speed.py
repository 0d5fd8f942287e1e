"""How fast races of Quoridor without fences are solved and looked up, on one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..agents.exact.quoridor_races import Races, race_plies
from ..envs.compiling import kernel
from ..envs.core import State

LOOK_UPS = 100_000


@kernel
def look_up(rules: Any, states: Any, layouts: Any, values: Any, times: Any) -> Any:
    """Ask for the race of each of `states` (int64 ``[positions, state_size]``), `times` times in all."""
    total = 0
    for number in range(times):
        total += race_plies(rules, states[number % states.shape[0]], layouts, values)
    return total


def layout_meter(states: Sequence[State]) -> Callable[[], float]:
    """Return a meter of the milliseconds that a layout of fences takes that has not been seen."""
    races, words, repeats = Races(states[0].game), np.array([state.words for state in states]), 20  # type: ignore[arg-type]

    def measure() -> float:
        spent = 0.0
        for _ in range(repeats):
            races.layouts[:] = -1
            begin = time.perf_counter()
            look_up(races.game.rules, words, races.layouts, races.values, len(states))
            spent += time.perf_counter() - begin
        return 1e3 * spent / (repeats * len(states))

    return measure


def look_up_meter(states: Sequence[State]) -> Callable[[], float]:
    """Return a meter of the nanoseconds that a layout takes that has been seen."""
    races, words = Races(states[0].game), np.array([state.words for state in states[:1]])  # type: ignore[arg-type]

    def measure() -> float:
        begin = time.perf_counter()
        look_up(races.game.rules, words, races.layouts, races.values, LOOK_UPS)
        return 1e9 * (time.perf_counter() - begin) / LOOK_UPS

    return measure
