"""What happens in a game, told in English and Japanese."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import UnknownNameError, nearest
from .happenings import Happening
from .road import ROAD, Name
from .tables import station_of

LANGUAGES = ("en", "ja")

_PHRASES = {
    "en": {
        "move": "goes {number} from {start} to {end}",
        "move-stopped": "sets out {number} from {start} and is stopped at {end}",
        "move-bounced": "overshoots Kyoto with {number} from {start} and comes back to {end}",
        "event": "{kind} at {end}",
        "carried": "is taken to {end}",
        "owes": "must rest {rests}",
        "again": "throws again",
        "choose": "must choose a road",
        "chose": "takes the {kind} at {start}",
        "crossed": "throws {number} and crosses by the {kind} to {end}",
        "failed": "throws {number} and stays at {end}: no passage by the {kind}",
        "rest": "rests",
        "arrived": "arrives as number {place}",
        "resigned": "resigns at {start}",
        "over": "the game is over",
    },
    "ja": {
        "move": "{number}進み{start}から{end}へ",
        "move-stopped": "{start}から{number}のところ{end}で止まる",
        "move-bounced": "{start}から{number}で京を行き過ぎ{end}へ戻る",
        "event": "{end}にて{kind}",
        "carried": "{end}へ移る",
        "owes": "{rests}回休み",
        "again": "もう一度振る",
        "choose": "道を選ぶ",
        "chose": "{start}にて{kind}を選ぶ",
        "crossed": "賽の目{number}、{kind}を越えて{end}へ",
        "failed": "賽の目{number}、{kind}を越えられず{end}に留まる",
        "rest": "休み",
        "arrived": "{place}番に上がり",
        "resigned": "{start}にて投了",
        "over": "これにて勝負あり",
    },
}
_SEATS = {"en": "seat {} ", "ja": "{}番手、"}
_STOPS = {"en": (", ", ""), "ja": ("、", "。")}
_NOBODY = ("event", "over")


def check_language(language: str) -> None:
    """Refuse a language in which there are no phrases.

    Raises:
        UnknownNameError: naming those that there are.
    """
    if language not in LANGUAGES:
        raise UnknownNameError(f"there are no phrases in {language!r:.40}; {nearest(str(language)[:40], LANGUAGES)}")


def spelled(name: Name, language: str) -> str:
    """Return a name in a language."""
    return name.kanji if language == "ja" else name.romaji


def place_name(place: str, language: str) -> str:
    """Return the name of the station of a place, given as a position's text has it (``9d2``: Hatajuku)."""
    station, _, detour = place.partition("d")
    if detour:
        return spelled(ROAD.forks[int(station)].detour_stations[int(detour) - 1], language)
    return spelled(ROAD.stations[station_of(place)], language)


def _kind_name(happening: Happening, language: str) -> str:
    """Return the name of the event or of the road that a happening is about."""
    if happening.what == "event":
        return spelled(ROAD.kinds[happening.kind or ""], language)
    if happening.start is None or station_of(happening.start) not in ROAD.forks:
        return ""
    fork = ROAD.forks[station_of(happening.start)]
    return spelled(fork.detour if happening.kind == "detour" else fork.crossing, language)


def tell_one(happening: Happening, language: str) -> str:
    """Return one happening in words, without the seat."""
    what = happening.what
    if what == "move":
        what += "-bounced" if happening.bounced else "-stopped" if happening.stopped else ""
    rests = happening.rests or 0
    return _PHRASES[language][what].format(
        start=place_name(happening.start, language) if happening.start else "",
        end=place_name(happening.end, language) if happening.end else "",
        number=happening.number,
        kind=_kind_name(happening, language) if what in ("event", "chose", "crossed", "failed") else "",
        rests=rests if language == "ja" else "one turn" if rests == 1 else f"{rests} turns",
        place=happening.place,
    )


def tell(told: Sequence[Happening], language: str = "en") -> str:
    """Return happenings as one sentence; a seat is named when it is another than before.

    Args:
        told: in order.
        language: ``en`` or ``ja``.

    Raises:
        UnknownNameError: for another one.
    """
    check_language(language)
    parts, seat = [], None
    for happening, following in zip(told, (*told, None)[1:], strict=True):
        if happening.what in ("choose", "again") and following is not None and following.seat == happening.seat:
            continue  # what was chosen or thrown is told next
        named = happening.what not in _NOBODY and happening.seat != seat
        parts.append((_SEATS[language].format(happening.seat + 1) if named else "") + tell_one(happening, language))
        seat = happening.seat if named else seat
    between, end = _STOPS[language]
    return between.join(parts) + end if parts else ""
