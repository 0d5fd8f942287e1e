"""The Tokaido as data: stations, events and forks, loaded from ``road.json`` and checked once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

KINDS_WITH_TARGET = ("kago", "pass", "tailwind", "bandit")
KINDS_WITH_RESTS = ("barrier", "rain")


@dataclass(frozen=True)
class Name:
    """A name in Japanese and in Latin letters."""

    kanji: str
    romaji: str


@dataclass(frozen=True)
class Event:
    """What happens to a piece that ends its move on a station.

    Attributes:
        station: where.
        kind: one of `Road.kinds`.
        to: station to which the mover goes; None for kinds that send it nowhere fixed.
        rests: turns of rest that it costs.
    """

    station: int
    kind: str
    to: int | None = None
    rests: int = 0


@dataclass(frozen=True)
class Fork:
    """A station where the road divides.

    Attributes:
        station: where.
        crossing: name of the crossing.
        faces: least and greatest face of the die that crosses.
        far_side: station that a crossing leads to.
        failure_rests: turns of rest that a failure costs.
        detour: name of the other road.
        detour_stations: the stations of that road.
        rejoins: the station after them, by the value of the option ``detour_rejoins``.
    """

    station: int
    crossing: Name
    faces: tuple[int, int]
    far_side: int
    failure_rests: int
    detour: Name
    detour_stations: tuple[Name, ...]
    rejoins: Mapping[str, int]


@dataclass(frozen=True)
class Road:
    """The whole road.

    Attributes:
        stations: name of each station; the last is the goal.
        kinds: name of each kind of event.
        events: by station.
        forks: by station.
        active_forks: stations of the forks that divide the road, by the value of the option ``forks``.
        rain_reach: how many stations away rain still falls.
    """

    stations: tuple[Name, ...]
    kinds: Mapping[str, Name]
    events: Mapping[int, Event]
    forks: Mapping[int, Fork]
    active_forks: Mapping[str, tuple[int, ...]]
    rain_reach: int

    @property
    def goal(self) -> int:
        """Number of the last station."""
        return len(self.stations) - 1


def read_road(data: Mapping[str, Any]) -> Road:
    """Return the road that `data` (the content of ``road.json``) describes.

    Raises:
        ValueError: if it contradicts itself; the message says where.
    """
    road = Road(
        tuple(Name(**station) for station in data["stations"]),
        {kind: Name(names["kanji"], names["english"]) for kind, names in data["kinds"].items()},
        {event["station"]: Event(**event) for event in data["events"]},
        {fork["station"]: _read_fork(fork) for fork in data["forks"]},
        {name: tuple(stations) for name, stations in data["active_forks"].items()},
        data["rain_reach"],
    )
    if len(road.events) < len(data["events"]) or set(road.events) & set(road.forks):
        raise ValueError("a station has two events, or an event and a fork")
    for event in road.events.values():
        _check_event(road, event)
    for fork in road.forks.values():
        if not fork.station < fork.rejoins["next_station"] <= fork.rejoins["shortcut_target"] < road.goal:
            raise ValueError(f"the roads of the fork {fork.station} must lead forward")
    return road


def _read_fork(data: Mapping[str, Any]) -> Fork:
    crossing, detour = data["crossing"], data["detour"]
    least, most = crossing["faces"]
    return Fork(
        data["station"],
        Name(crossing["kanji"], crossing["romaji"]),
        (least, most),
        crossing["to"],
        crossing["failure_rests"],
        Name(detour["kanji"], detour["romaji"]),
        tuple(Name(**station) for station in detour["stations"]),
        {way: detour[way] for way in ("next_station", "shortcut_target")},
    )


def _check_event(road: Road, event: Event) -> None:
    if event.kind not in road.kinds or not 0 < event.station < road.goal:
        raise ValueError(f"there is no event {event.kind!r}, or no station {event.station} for it")
    if (event.to is not None) != (event.kind in KINDS_WITH_TARGET) or not 0 <= (event.to or 0) < road.goal:
        raise ValueError(f"the event {event.kind!r} on {event.station} has no proper target: {event.to}")
    if (event.rests > 0) != (event.kind in KINDS_WITH_RESTS):
        raise ValueError(f"the event {event.kind!r} on {event.station} has no proper number of rests: {event.rests}")


ROAD = read_road(json.loads(resources.files(__package__).joinpath("road.json").read_text(encoding="utf-8")))
"""The road of the game."""
