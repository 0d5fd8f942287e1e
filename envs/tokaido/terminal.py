"""Tokaido positions as text: a winding road for a terminal of 100 columns.

The road runs eight stations a row, to and fro. Below its number a station has its pieces, its names and its event.
"""

from __future__ import annotations

import unicodedata

from .road import ROAD
from .view import EVENT_MEANINGS, Piece, View, names_of

PER_ROW, CELL = 8, 12  # stations in a row; columns of a station
ROAD_LINE = 0  # of the five lines of a row the one with the numbers


def text_of(view: View) -> str:
    """Return the picture of a position as lines of at most 100 columns."""
    rows = range(0, len(ROAD.stations), PER_ROW)
    road = [line for number, first in enumerate(rows) for line in _row(view, number, first)]
    lines = ["東海道双六  Tokaido sugoroku", *road, "", *_legend(), "", *_detours(view), "", *_panel(view)]
    return "\n".join(line.rstrip() for line in lines)


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for a kanji."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _padded(text: str, width: int = CELL) -> str:
    return text + " " * (width - columns(text))


def _row(view: View, row: int, first: int) -> list[str]:
    """Return the lines of a row of stations; every other row runs from right to left."""
    stations = list(range(first, min(first + PER_ROW, len(ROAD.stations))))
    if row % 2:
        stations.reverse()
    lines = [
        [_on_road(view, station) for station in stations],
        [_padded(_marks(view.standing(str(station)), CELL - 1)) for station in stations],
        [_padded(ROAD.stations[station].kanji) for station in stations],
        [_padded(ROAD.stations[station].romaji) for station in stations],
        [_padded(_event(view, station)) for station in stations],
    ]
    return [_edged("".join(cells), row, line, ROAD.goal in stations) for line, cells in enumerate(lines)]


def _edged(cells: str, row: int, line: int, is_last: bool) -> str:
    """Put the bends of the road at the ends of a line: at the right behind even rows, at the left behind odd ones."""
    bends_away, bends_in = "│" if line > ROAD_LINE else " ", "│" if line < ROAD_LINE and row > 0 else " "
    if line == ROAD_LINE:
        bends_away, bends_in = ("╮", "╰") if row % 2 == 0 else ("╭", "╯")
    if is_last and line >= ROAD_LINE:
        bends_away = " "
    if row == 0:
        bends_in = " "
    left, right = (bends_in, bends_away) if row % 2 == 0 else (bends_away, bends_in)
    return f"{left}{'─' if left in '╭╰' else ' '}{cells}{right}"


def _on_road(view: View, station: int) -> str:
    number = f"<{station}>" if station in view.forks else str(station)
    return number + ("" if station == ROAD.goal else "─" * (CELL - len(number)))


def _marks(pieces: list[Piece], width: int) -> str:
    """Return pieces as they stand on the road: ``[1]``, with ``c`` or ``d`` for the road that was chosen."""
    marks = [f"{piece.seat}{piece.road}" for piece in pieces]
    spaced = " ".join(marks)
    return f"[{spaced if len(spaced) <= width - 2 else ''.join(marks)}]" if marks else ""


def _event(view: View, station: int) -> str:
    event = ROAD.events.get(station)
    if event is not None:
        return ROAD.kinds[event.kind].kanji + (f">{event.to}" if event.to is not None else "")
    return "fork" if station in view.forks else ""


def _legend() -> list[str]:
    """Return what the events do, two a line: the road has room for their kanji only."""
    told = [f"{ROAD.kinds[kind].kanji} {ROAD.kinds[kind].romaji}: {line}" for kind, line in EVENT_MEANINGS.items()]
    return [
        "".join(_padded(entry, PER_ROW * CELL // 2) for entry in told[at : at + 2]) for at in range(0, len(told), 2)
    ]


def _detours(view: View) -> list[str]:
    lines = []
    for fork in view.forks.values():
        stops = " - ".join(
            f"{name.kanji} {name.romaji}{_marks(view.standing(place), CELL)}" for place, name in names_of(fork)
        )
        least, most = fork.faces
        lines += [
            f"<{fork.station}> crossing: {fork.crossing.kanji} {fork.crossing.romaji}, {least}-{most}: {fork.far_side}",
            f"     detour: {fork.detour.kanji} {fork.detour.romaji}, {stops}: {view.rejoins[fork.station]}",
        ]
    return lines


def _panel(view: View) -> list[str]:
    lines = [view.status]
    for piece in view.pieces:
        came = f", from {piece.came_from}" if piece.came_from else ""
        rests = f", owes {piece.rests} rest{'s' if piece.rests > 1 else ''}" if piece.rests else ""
        lines.append(f"{'>' if piece.moves else ' '} seat {piece.seat}: {piece.words}{came}{rests}")
    return lines
