"""Tokaido positions as text: a winding road for a terminal.

The road runs eight stations a row, fewer where there is no room, to and fro. Below its number a station has its pieces,
its names and its event.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from .road import ROAD, Fork
from .view import EVENT_MEANINGS, Piece, View, names_of

MOST_PER_ROW, LEAST_PER_ROW = 8, 4  # stations in a row
CELL = 12  # columns of a station
SIDES = 3  # beside the stations, for the bends of the road
ROAD_LINE = 0  # of the five lines of a row the one with the numbers


def text_of(view: View, columns: int = 100, brief: bool = False) -> str:
    """Return the picture of a position as lines.

    Args:
        view: what there is to show.
        columns: of the terminal, of which at most 100 are used; the road needs 51 of them, the lines below it up to 80.
        brief: leave out the legends, the detours that nobody is on, and the rows of the road behind the last piece
            and beyond the one ahead of the first.
    """
    per_row = min(max((columns - SIDES) // CELL, LEAST_PER_ROW), MOST_PER_ROW)
    rows = list(enumerate(range(0, len(ROAD.stations), per_row)))
    wide, forks = per_row == MOST_PER_ROW, list(view.forks.values())
    if brief:
        forks = [fork for fork in forks if _has_travellers(view, fork)]
        taken = [station for station in range(len(ROAD.stations)) if view.standing(str(station))]
        taken += [fork.station for fork in forks]
        rows = rows[min(taken, default=0) // per_row : max(taken, default=0) // per_row + 2]
    road = [line for number, first in rows for line in _row(view, number, first, per_row)]
    below = _detours(view, forks, wide)
    if not brief:
        below = [*_legend(2 if wide else 1), "", *below]
    below = ["", *below, *([""] if below else []), *_panel(view)]
    lines = ["東海道双六  Tokaido sugoroku", *road, *below]
    return "\n".join(line.rstrip() for line in lines)


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for a kanji."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _padded(text: str, width: int = CELL) -> str:
    return text + " " * (width - columns(text))


def _row(view: View, row: int, first: int, per_row: int) -> list[str]:
    """Return the lines of a row of stations; every other row runs from right to left, and ends there if it is short."""
    stations = list(range(first, min(first + per_row, len(ROAD.stations))))
    blank = " " * CELL * (per_row - len(stations) if row % 2 else 0)
    if row % 2:
        stations.reverse()
    lines = [
        [_on_road(view, station, bool(row % 2)) for station in stations],
        [_padded(_marks(view.standing(str(station)), CELL - 1)) for station in stations],
        [_padded(ROAD.stations[station].kanji) for station in stations],
        [_padded(ROAD.stations[station].romaji) for station in stations],
        [_padded(_event(view, station)) for station in stations],
    ]
    return [_edged(blank + "".join(cells), row, line, ROAD.goal in stations) for line, cells in enumerate(lines)]


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


def _on_road(view: View, station: int, leftwards: bool) -> str:
    number = f"<{station}>" if station in view.forks else str(station)
    return number + ("" if station == ROAD.goal and not leftwards else "─" * (CELL - len(number)))


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


def _legend(entries: int) -> list[str]:
    """Return what the events do, so many a line: the road has room for their kanji only."""
    told = [f"{ROAD.kinds[kind].kanji} {ROAD.kinds[kind].romaji}: {line}" for kind, line in EVENT_MEANINGS.items()]
    return [
        "".join(_padded(entry, MOST_PER_ROW * CELL // 2) for entry in told[at : at + entries])
        for at in range(0, len(told), entries)
    ]


def _has_travellers(view: View, fork: Fork) -> bool:
    """Return whether a piece is on the detour of a fork."""
    return any(view.standing(place) for place, _ in names_of(fork))


def _detours(view: View, forks: Iterable[Fork], wide: bool) -> list[str]:
    """Return both ways of forks and where they come back to the road."""
    lines = []
    for fork in forks:
        stops = " - ".join(
            f"{name.kanji} {name.romaji}{_marks(view.standing(place), CELL)}" for place, name in names_of(fork)
        )
        least, most = fork.faces
        crossing, detour = (f"{road.kanji} {road.romaji}" for road in (fork.crossing, fork.detour))
        rejoins = view.rejoins[fork.station]
        lines.append(f"<{fork.station}> crossing: {crossing}, {least}-{most}: {fork.far_side}")
        lines += (
            [f"     detour: {detour}, {stops}: {rejoins}"]
            if wide
            else [f"     detour: {detour}: {rejoins}", f"       {stops}"]
        )
    return lines


def _panel(view: View) -> list[str]:
    lines = [view.status]
    for piece in view.pieces:
        came = f", from {piece.came_from}" if piece.came_from else ""
        rests = f", owes {piece.rests} rest{'s' if piece.rests > 1 else ''}" if piece.rests else ""
        lines.append(f"{'>' if piece.moves else ' '} seat {piece.seat}: {piece.words}{came}{rests}")
    return lines
