"""The pieces and dice in the picture of the Tokaido, and the ink and paper that everything in it shares."""

from __future__ import annotations

from ..svg import Element, Style, element, group, label
from .layout import CARD, DETOUR_CARD, Point
from .view import Piece, View

# The colours that Okabe and Ito chose for every kind of colour vision, the seats in this order.
SEAT_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
TURN_COLOUR = "#ffd23f"
CARD_PAPER, INK, FAINT_INK = "#fffaf0", "#33291f", "#7a6a58"
KANJI_FONT = "'Noto Serif CJK JP', 'Noto Serif JP', 'Hiragino Mincho ProN', 'Yu Mincho', serif"
PIECE, SMALL_PIECE = 11.0, 9.5  # radius of up to three pieces on a card, and of more


def kanji(words: str, x: float, y: float, size: float, romaji: str = "", **style: str | float) -> Element:
    """Return a line of Japanese, centred unless told otherwise; `romaji` stands in where no font can show it."""
    usual: Style = {"fill": INK, "font_family": KANJI_FONT, "font_weight": "bold", "text_anchor": "middle"}
    return label(words, x, y, size, **{**usual, **style, **in_japanese(romaji)})


def in_japanese(romaji: str) -> Style:
    """Return the attributes that mark a text as Japanese, with the Latin words that stand in for it."""
    return {"lang": "ja", "data_romaji": romaji}


def pieces_of(view: View, places: dict[str, Point]) -> list[Element]:
    """Return all pieces, and the traces of those that left in the last turn, given the centre of each card."""
    drawn: list[Element] = []
    for place, at in places.items():
        width, height = DETOUR_CARD if "d" in place else CARD
        ghosts, standing = view.left(place), view.standing(place)
        number = len(ghosts) + len(standing)
        radius = PIECE if number <= 3 and "d" not in place else SMALL_PIECE
        step = min(2 * radius + 5, (width - 2 * radius - 8) / max(number - 1, 1))
        y = at[1] + height / 2 - radius - 3
        for index, piece in enumerate([*ghosts, *standing]):
            spot = at[0] + step * (index - (number - 1) / 2), y
            drawn.append(ghost_at(piece, spot, radius) if index < len(ghosts) else piece_at(piece, spot, radius))
    return drawn


def ghost_at(piece: Piece, at: Point, radius: float) -> Element:
    """Return the trace of a piece that went away in the last turn."""
    colour = SEAT_COLOURS[piece.seat - 1]
    rim: Style = {"stroke": colour, "stroke_width": 1.8, "stroke_dasharray": "3.5 2.5"}
    return group(
        element("circle", r=radius - 1, fill="none", **rim),
        label(str(piece.seat), 0, 0, radius, fill=colour, text_anchor="middle"),
        at=at,
        class_="ghost",
    )


def piece_at(piece: Piece, at: Point, radius: float, plain: bool = False) -> Element:
    """Return a piece; `plain` leaves out the marks of its road and its rests."""
    halo = element("circle", r=radius + 2.2, fill=TURN_COLOUR, stroke=INK, stroke_width=0.8) if piece.moves else None
    owed = f"+{piece.rests}" if piece.rests else ""
    marks = [] if plain else [mark(piece.road, radius, -radius), mark(owed, radius, radius)]
    return group(
        halo,
        element("circle", r=radius, fill=SEAT_COLOURS[piece.seat - 1]),
        element("circle", r=radius, fill="url(#tokaido-shine)", stroke=INK, stroke_width=1),
        element("circle", r=radius * 0.64, fill=CARD_PAPER),
        label(str(piece.seat), 0, 0, radius * 1.05, fill=INK, font_weight="bold", text_anchor="middle"),
        *marks,
        at=at,
        class_="piece",
    )


def mark(words: str, radius: float, y: float) -> Element | None:
    """Return a small mark at a piece: the road that it has chosen, or the rests that it owes."""
    if not words:
        return None
    width = 6 + 5.5 * len(words)
    return group(
        element("rect", x=-width / 2, y=-5, width=width, height=10, rx=5, fill=INK),
        label(words, 0, 0, 8, fill="#ffffff", font_weight="bold", text_anchor="middle"),
        at=(radius * 0.95, y * 0.75),
    )


def die(face: int, at: Point) -> Element:
    """Return a die that shows a face."""
    spots = {1: "4", 2: "26", 3: "246", 4: "0268", 5: "02468", 6: "023568"}[face]
    pips = [
        element("circle", cx=(int(spot) % 3 - 1) * 9, cy=(int(spot) // 3 - 1) * 9, r=5 if face == 1 else 3.3)
        for spot in spots
    ]
    return group(
        element("rect", x=-17, y=-17, width=34, height=34, rx=7, fill="#ffffff", stroke=INK, stroke_width=1.5),
        group(*pips, fill="#c0392b" if face == 1 else INK),  # a Japanese die has a red one
        at=at,
        class_="die",
    )
