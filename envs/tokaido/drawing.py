"""Pictures of Tokaido positions: text for a terminal, SVG for a page.

What they show is in `view`, the text in `terminal`, the measures of the picture in `layout`, what stands and lies on it
in `pieces` and `scenery`; here is the board.
"""

from __future__ import annotations

import itertools
import textwrap
from typing import TYPE_CHECKING

from .. import svg
from ..svg import Element, Style, element, group, label
from . import layout, scenery
from .layout import CARD, DETOUR_CARD, Point
from .pieces import (
    CARD_PAPER,
    FAINT_INK,
    INK,
    KANJI_FONT,
    SEAT_COLOURS,
    die,
    in_japanese,
    kanji,
    mark,
    piece_at,
    pieces_of,
)
from .road import ROAD, Fork, Name
from .terminal import text_of
from .view import EVENT_MEANINGS, Piece, View, names_of, view_of

if TYPE_CHECKING:
    from .rules import TokaidoState

PAPER, FRAME = "#f3e9d2", "#2f4a6d"
ROAD_COLOUR, ROAD_EDGE, DETOUR_COLOUR, DETOUR_EDGE = "#e2c88f", "#b3925a", "#cbd3ae", "#8d9c6b"
CROSSING_COLOUR = "#2f6f9f"
JOURNEY = ((0.0, "#b8432f"), (0.2, "#b9772b"), (0.4, "#5d8a4e"), (0.6, "#2f7f8f"), (0.8, "#3c5a96"), (1.0, "#71468a"))
"""Colour of a station by its share of the way: from the sunrise at Edo to the evening in Kyoto."""
EVENT_COLOURS = {
    "kago": "#d9ead0",
    "pass": "#f2cfc3",
    "barrier": "#d6dce8",
    "tororo": "#f7e2a1",
    "teahouse": "#f7e2a1",
    "river": "#cfe3ee",
    "tailwind": "#d9ead0",
    "rain": "#d6dce8",
    "bandit": "#f2cfc3",
    "courier": "#d9ead0",
    "festival": "#ecd3e6",
}
LINE = 168  # letters of a line of the last turn


def draw_text(state: TokaidoState, columns: int = 100, brief: bool = False) -> str:
    """Return a position as text for a terminal.

    Args:
        state: what to draw; it stays as it is.
        columns: of the terminal; see `text_of`.
        brief: whether only the part of the road on which the pieces travel is wanted, without the legends.
    """
    return text_of(view_of(state), columns, brief)


def draw_svg(state: TokaidoState) -> str:
    """Return a position as an SVG document: the winding road, its detours and crossings, the pieces, the last turn.

    Args:
        state: what to draw; it stays as it is.
    """
    view = view_of(state)
    places = layout.cards(view)
    detours = [
        _detour_card(view, place, name, fork, places[place])
        for fork in view.forks.values()
        for place, name in names_of(fork)
    ]
    return svg.document(
        layout.WIDTH,
        layout.HEIGHT,
        f"Tokaido sugoroku: {view.position}",
        ". ".join([view.status, *(f"Seat {piece.seat}: {piece.words}" for piece in view.pieces)]),
        _definitions(),
        *_ground(),
        *_roads(view),
        *(_card(view, station) for station in range(len(ROAD.stations))),
        *detours,
        *pieces_of(view, places),
        *_heading(view),
        *_footer(view),
    )


def colour_of(station: int) -> str:
    """Return the colour of a station's card, mixed from `JOURNEY`."""
    share = station / ROAD.goal
    (low, before), (high, after) = next(pair for pair in itertools.pairwise(JOURNEY) if share <= pair[1][0])
    part = (share - low) / (high - low)
    mixed = (
        round(int(before[i : i + 2], 16) * (1 - part) + int(after[i : i + 2], 16) * part)
        for i in range(1, len(before), 2)
    )
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _definitions() -> Element:
    return element(
        "defs",
        svg.linear_gradient("tokaido-fuji", (0, 0, 0, 1), (0, scenery.SLOPE, 1), (1, scenery.SLOPE_FOOT, 0.4)),
        svg.radial_gradient(
            "tokaido-shine", (0.3, 0.25), (0, "#ffffff", 0.6), (0.6, "#ffffff", 0), (1, "#000000", 0.3)
        ),
        element(
            "marker",
            element("path", d="M0 0L8 4L0 8Z", fill=CROSSING_COLOUR),
            id="tokaido-arrow",
            viewBox="0 0 8 8",
            refX=5,
            refY=4,
            markerWidth=5,
            markerHeight=5,
            orient="auto",
        ),
    )


# --- the land and its roads ------------------------------------------------------------------------------------------


def _ground() -> list[Element]:
    width, height = layout.WIDTH, layout.HEIGHT
    return [
        element("rect", width=width, height=height, fill=PAPER),
        element("rect", x=8, y=8, width=width - 16, height=height - 16, fill="none", stroke=FRAME, stroke_width=3),
        element("rect", x=14, y=14, width=width - 28, height=height - 28, fill="none", stroke=FRAME, stroke_width=1),
        scenery.fuji(560, 528),
        scenery.pines(760, 520, 6),
        scenery.sea(320, 662, 9, 6),
        scenery.pines(690, 736, 5),
    ]


def _roads(view: View) -> list[Element]:
    drawn = _road(layout.main_road(), 22, ROAD_COLOUR, ROAD_EDGE)
    for fork in view.forks.values():
        drawn = (
            _road(layout.detour_road(fork.station, view.rejoins[fork.station]), 13, DETOUR_COLOUR, DETOUR_EDGE) + drawn
        )
    for fork in view.forks.values():
        drawn += _crossing(fork)
    return drawn


def _road(path: str, width: float, colour: str, edge: str) -> list[Element]:
    style: Style = {"d": path, "fill": "none", "stroke_linecap": "round", "stroke_linejoin": "round"}
    return [
        element("path", stroke=edge, stroke_width=width + 3, **style),
        element("path", stroke=colour, stroke_width=width, **style),
    ]


def _crossing(fork: Fork) -> list[Element]:
    path, (x, y) = layout.crossing_way(fork.station)
    least, most = fork.faces
    words = f"{fork.crossing.romaji}: {least}–{most}"
    line: Style = {"fill": "none", "stroke": CROSSING_COLOUR, "stroke_width": 3, "stroke_dasharray": "7 5"}
    width = 13 * len(fork.crossing.kanji) + 6.3 * len(words) + 22
    return [
        element("path", d=path, marker_end="url(#tokaido-arrow)", **line),
        group(
            element(
                "rect", x=-width / 2, y=-10, width=width, height=20, rx=10, fill=CARD_PAPER, stroke=CROSSING_COLOUR
            ),
            element(
                "text",
                element(
                    "tspan",
                    f"{fork.crossing.kanji} ",
                    font_family=KANJI_FONT,
                    font_size=13,
                    font_weight="bold",
                    **in_japanese(""),
                ),
                element("tspan", words, font_size=10.5),
                y=4.5,
                fill=CROSSING_COLOUR,
                text_anchor="middle",
            ),
            at=(x, y),
            class_="crossing",
        ),
    ]


# --- stations --------------------------------------------------------------------------------------------------------


def _frame(size: tuple[float, float], band: float, colour: str) -> list[Element]:
    """Return an empty card around the origin: paper with a coloured band at its head."""
    width, height = size
    x, y, round_ = -width / 2, -height / 2, 7
    head = f"M{x} {y + band}V{y + round_}q0 {-round_} {round_} {-round_}H{-x - round_}q{round_} 0 {round_} {round_}V{y + band}Z"
    return [
        element("rect", x=x + 2, y=y + 3, width=width, height=height, rx=round_, fill="#000000", fill_opacity=0.18),
        element("rect", x=x, y=y, width=width, height=height, rx=round_, fill=CARD_PAPER),
        element("path", d=head, fill=colour),
        element("rect", x=x, y=y, width=width, height=height, rx=round_, fill="none", stroke=colour, stroke_width=1.6),
    ]


def _card(view: View, station: int) -> Element:
    name, colour, top = ROAD.stations[station], colour_of(station), -CARD[1] / 2
    return group(
        *_arrivals(view, str(station), CARD),
        *_frame(CARD, 21, colour),
        label(str(station), -CARD[0] / 2 + 8, top + 11, 13, fill="#ffffff", font_weight="bold"),
        _note(view, station, top + 11),
        kanji(name.kanji, 0, top + 35, 19),
        label(name.romaji, 0, top + 51, 11, fill=INK, text_anchor="middle"),
        *_event(station, top + 57),
        at=layout.centre(station),
        class_="station",
    )


def _note(view: View, station: int, y: float) -> Element | None:
    """Return what stands in the head of the card of the first and the last station and of the forks."""
    notes = {0: ("振出し", "start"), ROAD.goal: ("上がり", "goal")} | dict.fromkeys(view.forks, ("追分", "fork"))
    if station not in notes:
        return None
    words, romaji = notes[station]
    return kanji(words, CARD[0] / 2 - 7, y, 12, romaji, fill="#ffffff", text_anchor="end")


def _event(station: int, y: float) -> list[Element]:
    event = ROAD.events.get(station)
    if event is None:
        return []
    width = CARD[0] - 12
    kind, where = ROAD.kinds[event.kind], f" → {event.to}" if event.to is not None else ""
    return [
        element("rect", x=-width / 2, y=y, width=width, height=14, rx=7, fill=EVENT_COLOURS[event.kind]),
        kanji(kind.kanji + where, 0, y + 7, 11.5, kind.romaji + where),
    ]


def _arrivals(view: View, place: str, size: tuple[float, float]) -> list[Element]:
    """Return a border around the card to which the last turn brought pieces, in the colour of the first of them."""
    came = [piece for piece in view.standing(place) if piece.came_from]
    width, height = size[0] + 7, size[1] + 7
    box: Style = {"x": -width / 2, "y": -height / 2, "width": width, "height": height, "rx": 10}
    return [element("rect", fill=SEAT_COLOURS[piece.seat - 1], **box) for piece in came[:1]]


def _detour_card(view: View, place: str, name: Name, fork: Fork, at: Point) -> Element:
    top = -DETOUR_CARD[1] / 2
    return group(
        *_arrivals(view, place, DETOUR_CARD),
        *_frame(DETOUR_CARD, 16, DETOUR_EDGE),
        label(place, -DETOUR_CARD[0] / 2 + 7, top + 8.5, 10, fill="#ffffff", font_weight="bold"),
        kanji(fork.detour.kanji, DETOUR_CARD[0] / 2 - 6, top + 8.5, 10, fill="#ffffff", text_anchor="end"),
        kanji(name.kanji, 0, top + 29, 16),
        label(name.romaji, 0, top + 44, 10, fill=INK, text_anchor="middle"),
        at=at,
        class_="detour",
    )


# --- around the road -------------------------------------------------------------------------------------------------


def _heading(view: View) -> list[Element]:
    chips = [_chip(piece, (348 + 143 * index, 96)) for index, piece in enumerate(view.pieces)]
    dice = [die(face, (1196 - 44 * index, 50)) for index, face in enumerate(reversed(view.dice))]
    end = 1214 - 44 * len(dice)
    return [
        kanji("東海道双六", 34, 46, 34, text_anchor="start"),
        label("Tokaido sugoroku", 222, 50, 17, fill=FAINT_INK),
        label(view.status, end, 50, 18, fill=INK, font_weight="bold", text_anchor="end"),
        *dice,
        *chips,
    ]


def _chip(piece: Piece, at: Point) -> Element:
    rim: Style = {"stroke": SEAT_COLOURS[piece.seat - 1], "stroke_width": 3 if piece.moves else 1.4}
    where, _, road = piece.words.partition(", ")
    below = road or (f"from {piece.came_from}" if piece.came_from else "")
    owes = f"owes {piece.rests} rest{'s' if piece.rests > 1 else ''}" if piece.rests else ""
    return group(
        element("rect", y=-21, width=137, height=42, rx=8, fill=CARD_PAPER, **rim),
        piece_at(piece, (19, 0), 11, plain=True),
        label(where, 36, -7, 10.5, fill=INK, font_weight="bold"),
        label(", ".join(filter(None, (below, owes))), 36, 9, 9.5, fill=FAINT_INK),
        at=at,
        class_="seat",
    )


def _footer(view: View) -> list[Element]:
    english = textwrap.wrap(view.last[0], LINE, max_lines=2)
    japanese = textwrap.wrap(view.last[1], LINE // 2, max_lines=1)
    lines = [label(line, 34, 1026 + 16 * index, 11.5, fill=INK) for index, line in enumerate(english)]
    lines += [kanji(line, 34, 1026 + 16 * len(english), 12.5, text_anchor="start") for line in japanese]
    legend = [
        _legend(kind, (34 + 197 * (index % 6), 1090 + 28 * (index // 6))) for index, kind in enumerate(ROAD.kinds)
    ]
    signs = group(_piece_key(), at=(34 + 197 * 5, 1118))
    return [*lines, *legend, signs]


def _legend(kind: str, at: Point) -> Element:
    name, colour, meaning = ROAD.kinds[kind], EVENT_COLOURS[kind], EVENT_MEANINGS[kind]
    return group(
        element("rect", y=-9, width=56, height=18, rx=9, fill=colour),
        kanji(name.kanji, 28, 0, 11.5),
        label(name.romaji, 61, -5.5, 10, fill=INK, font_weight="bold"),
        label(meaning, 61, 6.5, 8.5, fill=FAINT_INK),
        at=at,
        class_="legend",
    )


def _piece_key() -> Element:
    return group(
        group(mark("c", 0, 0), at=(6, 0)),
        group(mark("d", 0, 0), at=(22, 0)),
        group(mark("+1", 0, 0), at=(42, 0)),
        label("road chosen, rests owed", 61, -5.5, 8.5, fill=FAINT_INK),
        label("broken ring: left last turn", 61, 6.5, 8.5, fill=FAINT_INK),
    )
