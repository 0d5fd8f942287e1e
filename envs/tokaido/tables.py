"""The tables of the kernels: every spot of the road, and what every number does from there under a set of options."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import kernels as compiled
from .road import ROAD, Event, Fork, Road

NUMBERS = (1, 2, 3, 4, 5, 6, 8, 10, 12)
"""The number that each of the first nine actions advances by."""
ROLLS = tuple(itertools.combinations_with_replacement(range(1, 7), 2))
"""The two dice, smaller first, of each of the first 21 outcomes."""
MAX_PLAYERS = 6
RESIGNED = "R"


def spot_names(road: Road) -> tuple[str, ...]:
    """Return the name of every spot, in the order of the kernels; a name is what a position's text says of a piece."""
    names = [RESIGNED]
    for station in range(road.goal):
        names.append(str(station))
        if station in road.forks:
            stations = range(1, len(road.forks[station].detour_stations) + 1)
            names += [f"{station}c", f"{station}d", *(f"{station}d{number}" for number in stations)]
    return (*names, *(f"{road.goal}#{place}" for place in range(MAX_PLAYERS, 0, -1)))


SPOT_NAMES = spot_names(ROAD)
SPOTS = {name: spot for spot, name in enumerate(SPOT_NAMES)}
"""The number of each spot by its name."""
HOME = len(SPOT_NAMES) - 1
"""Spot of the piece that arrived first."""
LAST = HOME - MAX_PLAYERS
"""Last spot of the road; the ones behind it are in Kyoto."""


VARIANT = {
    "forks": "miya",
    "goal": "over",
    "bounce_events": False,
    "rests_add_up": False,
    "detour_rejoins": "shortcut_target",
    "after_crossing": "end_turn",
    "rechoice": "uses_turn",
    "finish": "first",
    "allow_resign": True,
}
"""The options that an observation shows, in this order, each with the value that it shows as 1."""


class Landing(NamedTuple):
    """Where a number leads.

    Attributes:
        stop: name of the spot where the dice put the piece; the goal's number for an arrival.
        spot: name of the spot to which a fixed event takes it from there.
        event: one of the events of the kernels, `NOTHING` if the move ends quietly.
        rests: turns of rest that it costs.
        used: how much of the number was walked, what was walked back included; less than the number when stopped.
        bounced: whether it was turned back at the goal.
    """

    stop: str
    spot: str
    event: int
    rests: int
    used: int
    bounced: bool


def station_of(name: str) -> int:
    """Return the number of the station at, or before, a spot of the road or of the goal."""
    return int(name.partition("#")[0].partition("d")[0].rstrip("c"))


class Walker:
    """Moves pieces over the road under a set of options."""

    def __init__(self, options: Mapping[str, Any], road: Road = ROAD) -> None:
        self.options = options
        self.road = road
        self.forks: dict[str, Fork] = {str(at): road.forks[at] for at in road.active_forks[options["forks"]]}
        self.stops = {str(event.station) for event in road.events.values() if event.kind == "river"} | set(self.forks)
        self.next = {str(station): str(station + 1) for station in range(road.goal)}
        for name, fork in self.forks.items():
            detour = [f"{name}d{number}" for number in range(1, len(fork.detour_stations) + 1)]
            rejoins = str(fork.rejoins[options["detour_rejoins"]])
            self.next |= itertools.pairwise([f"{name}d", *detour, rejoins])

    def landing(self, name: str, number: int) -> Landing:
        """Return what a number does for a piece on the spot `name`."""
        goal, place = str(self.road.goal), name
        for used in range(1, number + 1):
            place = self.next[place]
            if place == goal:
                if used == number or self.options["goal"] == "over":
                    return Landing(goal, goal, compiled.ARRIVE, 0, used, False)
                back = str(self.road.goal - (number - used))
                return self._happening(back, number, bounced=True)
            if place in self.stops:
                break
        return self._happening(place, used, bounced=False)

    def _happening(self, place: str, used: int, bounced: bool) -> Landing:
        if place in self.forks:
            return Landing(place, place, compiled.CHOOSE, 0, used, bounced)
        event = self.road.events.get(int(place)) if place.isdigit() else None
        if event is None or (bounced and not self.options["bounce_events"]):
            return Landing(place, place, compiled.NOTHING, 0, used, bounced)
        spot = place if event.to is None else str(event.to)
        return Landing(place, spot, self._event_code(event, spot), event.rests, used, bounced)

    def _event_code(self, event: Event, spot: str) -> int:
        if event.kind in ("kago", "pass"):
            return compiled.CHOOSE if spot in self.forks else compiled.NOTHING
        return _EVENT_CODES[event.kind]

    def along(self, name: str) -> str:
        """Return where a festival takes a piece on the spot `name`."""
        if name in self.forks or name == str(self.road.goal - 1):
            return name
        if name.endswith("c"):
            return str(self.forks[name[:-1]].rejoins["next_station"])
        return self.next[name]


_EVENT_CODES = {
    "barrier": compiled.REST,
    "tororo": compiled.AGAIN,
    "teahouse": compiled.AGAIN,
    "tailwind": compiled.AGAIN,
    "river": compiled.NOTHING,
    "rain": compiled.RAIN,
    "bandit": compiled.BANDIT,
    "courier": compiled.COURIER,
    "festival": compiled.FESTIVAL,
}


def rules_vector(options: Mapping[str, Any], road: Road = ROAD) -> NDArray[np.int64]:
    """Return the rules vector of the kernels for a set of options."""
    vector = np.zeros(compiled.SPOTS + len(SPOT_NAMES) * compiled.ROW, dtype=np.int64)
    vector[: compiled.NUMBERS] = [
        options["players"],
        options["rests_add_up"],
        options["after_crossing"] == "roll",
        options["rechoice"] == "uses_turn",
        options["finish"] == "first",
        options["allow_resign"],
        options["max_turns"] or 0,
        road.rain_reach,
        SPOTS["0"],
        LAST,
        HOME,
    ]
    for roll, (low, high) in enumerate(ROLLS):
        numbers = (low, 2 * low if low == high else high)
        vector[compiled.NUMBERS + 2 * roll :][:2] = [NUMBERS.index(number) for number in numbers]
        vector[compiled.WEIGHTS + roll] = 1 if low == high else 2
        for first, second in {(low, high), (high, low)}:
            vector[compiled.PAIRS + 6 * (first - 1) + second - 1] = roll
    vector[compiled.VARIANT : compiled.SPOTS] = [options[name] == value for name, value in VARIANT.items()]
    walker = Walker(options, road)
    for spot, name in enumerate(SPOT_NAMES):
        row = vector[compiled.SPOTS + spot * compiled.ROW :][: compiled.ROW]
        row[compiled.BARE], row[compiled.STATION], row[compiled.ALONG] = spot, -9, spot
        if 0 < spot <= LAST:
            _fill_row(row, name, walker)
    return vector


def _fill_row(row: NDArray[np.int64], name: str, walker: Walker) -> None:
    """Fill in the row of a spot of the road; those of forks that do not divide it stay as they are."""
    bare = name.rstrip("cd")
    if bare not in walker.next or (bare != name and bare not in walker.forks):
        return
    row[compiled.BARE] = SPOTS[bare]
    row[compiled.STATION] = int(bare) if bare.isdigit() else -9
    row[compiled.ALONG] = SPOTS[walker.along(name)]
    if name in walker.forks:
        row[compiled.KIND] = compiled.FORK
        row[compiled.WITH_CROSSING], row[compiled.WITH_DETOUR] = SPOTS[f"{name}c"], SPOTS[f"{name}d"]
    elif name.endswith("c"):
        fork = walker.forks[bare]
        row[compiled.KIND] = compiled.CROSSING_CHOSEN
        row[compiled.LEAST_FACE], row[compiled.MOST_FACE] = fork.faces
        row[compiled.FAR_SIDE], row[compiled.FAILURE_RESTS] = SPOTS[str(fork.far_side)], fork.failure_rests
    else:
        for action, number in enumerate(NUMBERS):
            landing = walker.landing(name, number)
            spot = SPOTS.get(landing.spot, 0)  # the kernel finds the place of an arrival itself
            row[compiled.LANDING + action] = compiled.landing_word(spot, landing.event, landing.rests)
