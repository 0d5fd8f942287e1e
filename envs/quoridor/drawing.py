"""Pictures of Quoridor positions: box characters for a terminal, SVG for a page; both seen by seat 0.

What they show is in `View`; here are only its measures and looks.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from .. import svg
from ..svg import Element, Style, element, group, label
from .notation import FILES, square_name
from .view import DIRECTIONS, Fence, Seat, Square, View, view_of

if TYPE_CHECKING:
    from .rules import QuoridorState

# --- box characters --------------------------------------------------------------------------------------------------

CELL_WIDTH, CELL_HEIGHT = 4, 2  # characters from a square to the next
PANEL_GAP = " " * 4
ARROWS = "↑→↓←"
FENCE, LAST_FENCE = "━┃", "═║"  # lying and upright


def draw_text(state: QuoridorState) -> str:
    """Return a position in box characters, at most 80 columns wide.

    Args:
        state: what to draw; it stays as it is.
    """
    view = view_of(state)
    board = _text_board(view)
    width = max(map(len, board))
    rows = itertools.zip_longest(board, _text_panel(view), fillvalue="")
    return "\n".join(f"{left:{width}}{PANEL_GAP}{right}".rstrip() for left, right in rows)


def _text_board(view: View) -> list[str]:
    rows = [list(row) for row in _text_grid(view.size)]
    for fence in view.fences:
        _put_fence(rows, fence, LAST_FENCE if view.last and fence == view.last.fence else FENCE)
    if view.last and view.last.origin:
        _put_pawn(rows, view.last.origin, " · ")
    for seat in view.seats:
        moved = view.last and view.last.origin and view.last.seat == seat.number
        _put_pawn(rows, seat.square, f"[{seat.number}]" if moved else f" {seat.number} ")
    numbers = [str(view.size - row // CELL_HEIGHT) if row % CELL_HEIGHT else " " for row in range(len(rows))]
    files = "    " + (" " * (CELL_WIDTH - 1)).join(FILES[: view.size])
    return [f"{number} {''.join(row)}" for number, row in zip(numbers, rows, strict=True)] + [files]


def _text_grid(size: int) -> list[str]:
    def row(left: str, line: str, between: str, right: str) -> str:
        return left + between.join([line * (CELL_WIDTH - 1)] * size) + right

    # Between the crossings the grid stays open: what is drawn there is a fence.
    inner = [row("│", " ", " ", "│"), row("├", " ", "┼", "┤")] * size
    return [row("┌", "─", "┬", "┐"), *inner[:-1], row("└", "─", "┴", "┘")]


def _put_pawn(rows: list[list[str]], square: Square, mark: str) -> None:
    file, rank = square
    start = CELL_WIDTH * file + 1
    rows[len(rows) - CELL_HEIGHT * (rank + 1)][start : start + len(mark)] = mark


def _put_fence(rows: list[list[str]], fence: Fence, lines: str) -> None:
    """Draw a fence from one crossing of the grid to the next but one, both left free to tell fences apart."""
    file, rank, upright = fence
    row, column = len(rows) - 1 - CELL_HEIGHT * (rank + 1), CELL_WIDTH * (file + 1)
    if upright:
        for y in range(row - CELL_HEIGHT + 1, row + CELL_HEIGHT):
            rows[y][column] = lines[1]
    else:
        for x in range(column - CELL_WIDTH + 1, column + CELL_WIDTH):
            rows[row][x] = lines[0]


def _text_panel(view: View) -> list[str]:
    table = [
        f"{'>' if seat.role else ' '} {seat.number}    {ARROWS[seat.side]} {seat.goal:6}  {seat.fences:6}  "
        f"{seat.steps:11}"
        for seat in view.seats
    ]
    heading = "  seat goal      fences  steps to go"
    return [heading, *table, "", view.status, f"Last move: {view.last_words}", view.plies]


# --- SVG -------------------------------------------------------------------------------------------------------------

SQUARE, GROOVE = 48, 12
PITCH = SQUARE + GROOVE
LABELS = 30  # width of the band with the coordinates
FRAME = LABELS + GROOVE  # from the edge of the board to its squares
MARGIN = 18
PAWN_RADIUS = 19
CARD_WIDTH, CARD_HEIGHT, CARD_PITCH = 290, 88, 100
HEADING = 88  # of the panel, above the cards
PLANK_WIDTH, PLANK_HEIGHT, PLANK_PITCH, MOST_PLANKS = 6, 26, 9, 10

# Blue, vermilion, bluish green and reddish purple of the palette that Okabe and Ito made for every kind of colour
# vision ("Color Universal Design", 2008), and its yellow for the winner.
SEAT_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
WINNER_COLOUR = "#F0E442"
TABLE, INK, FAINT_INK, PAPER, CARD_EDGE = "#f3eee4", "#2b2118", "#6d5f50", "#fffdf8", "#cfc3b0"
FRAME_WOOD, FRAME_EDGE, BED, LETTERS = ("#7d4d2a", "#5f3719"), "#3d220e", "#3f2412", "#f2dcb8"
SQUARE_WOODS = (("#d3a671", "#bd8d57"), ("#cc9d67", "#b6854f"))
GRAIN, BEVEL_LIGHT, BEVEL_DARK = "#7c4f25", "#f0cf9f", "#7a4f2a"
FENCE_WOOD, FENCE_EDGE = ("#fff6dc", "#e3c88f"), "#4a2d12"
GRAINS = (
    "M2 11C14 6 30 16 46 10M2 24C18 29 28 19 46 26M2 38C12 34 34 42 46 36",
    "M10 2C15 16 5 30 11 46M25 2C20 18 29 32 24 46M38 2C43 14 34 34 40 46",
)


def draw_svg(state: QuoridorState) -> str:
    """Return a position as an SVG document.

    Args:
        state: what to draw; it stays as it is.
    """
    view = view_of(state)
    board, panel = 2 * FRAME + PITCH * view.size - GROOVE, HEADING + CARD_PITCH * len(view.seats)
    width, height = 3 * MARGIN + board + CARD_WIDTH, 2 * MARGIN + max(board, panel)
    return svg.document(
        width,
        height,
        f"Quoridor on {view.size}x{view.size} squares: {view.status}",
        _description(view),
        _definitions(view),
        element("rect", width=width, height=height, fill=TABLE),
        group(*_frame(view, board), at=(MARGIN, (height - board) / 2)),
        group(*_field(view), at=(MARGIN + FRAME, (height - board) / 2 + FRAME)),
        group(*_panel(view), at=(2 * MARGIN + board, (height - panel) / 2)),
    )


def _description(view: View) -> str:
    seats = "; ".join(
        f"seat {seat.number} on {square_name(*seat.square)}, {seat.steps} steps to {seat.goal}, {seat.fences} fences"
        for seat in view.seats
    )
    return f"Position {view.position}. {seats}. Last move: {view.last_words}. {view.plies}."


def _colour(number: int) -> str:
    return SEAT_COLOURS[number - 1]


def _id(name: str) -> str:
    """Return a definition's id; the prefix keeps it apart from others where pictures share a page."""
    return f"quoridor-{name}"


def _paint(name: str) -> str:
    return f"url(#{_id(name)})"


def _top_left(size: int, square: Square) -> tuple[int, int]:
    """Return the corner of a square, counted from that of the field."""
    file, rank = square
    return PITCH * file, PITCH * (size - 1 - rank)


def _centre(size: int, square: Square) -> tuple[float, float]:
    x, y = _top_left(size, square)
    return x + SQUARE / 2, y + SQUARE / 2


def _definitions(view: View) -> Element:
    def wood(name: str, way: tuple[int, int, int, int], colours: tuple[str, str]) -> Element:
        return svg.linear_gradient(_id(name), way, (0, colours[0], 1), (1, colours[1], 1))

    return element(
        "defs",
        wood("frame", (0, 0, 1, 1), FRAME_WOOD),
        wood("lying", (0, 0, 0, 1), FENCE_WOOD),
        wood("upright", (0, 0, 1, 0), FENCE_WOOD),
        svg.radial_gradient(_id("shine"), (0.3, 0.25), (0, "#ffffff", 0.6), (0.6, "#ffffff", 0), (1, "#000000", 0.3)),
        *(wood(f"wood{shade}", (0, 0, 1, 1), colours) for shade, colours in enumerate(SQUARE_WOODS)),
        *(_bevelled_square(shade) for shade in range(len(SQUARE_WOODS))),
        *(_goal_gradient(seat) for seat in view.seats),
    )


def _bevelled_square(shade: int) -> Element:
    far = SQUARE - 1
    line: Style = {"fill": "none", "stroke_width": 2, "stroke_linejoin": "round"}
    return group(
        element("rect", width=SQUARE, height=SQUARE, rx=3, fill=_paint(f"wood{shade}")),
        element("path", d=GRAINS[shade], fill="none", stroke=GRAIN, stroke_opacity=0.16),
        element("path", d=f"M1 {far}V1H{far}", stroke=BEVEL_LIGHT, **line),
        element("path", d=f"M1 {far}H{far}V1", stroke=BEVEL_DARK, **line),
        id=_id(f"square{shade}"),
    )


def _goal_name(seat: Seat) -> str:
    return f"goal{seat.number}-{seat.side}"


def _goal_gradient(seat: Seat) -> Element:
    east, north = DIRECTIONS[seat.side]
    way = (int(east > 0), int(north < 0), int(east < 0), int(north > 0))  # from the rim inwards
    colour = _colour(seat.number)
    return svg.linear_gradient(_id(_goal_name(seat)), way, (0, colour, 0.75), (1, colour, 0.1))


def _frame(view: View, side: int) -> list[Element]:
    bed = side - 2 * LABELS
    plate = [
        element("rect", x=3, y=4, width=side, height=side, rx=12, fill="#000000", fill_opacity=0.22),
        element("rect", width=side, height=side, rx=12, fill=_paint("frame"), stroke=FRAME_EDGE, stroke_width=2),
        element("rect", x=LABELS, y=LABELS, width=bed, height=bed, rx=6, fill=BED, stroke=FRAME_EDGE, stroke_width=2),
    ]
    letters = []
    for index in range(view.size):
        x, y = (FRAME + at for at in _centre(view.size, (index, index)))
        letters += [label(FILES[index], x, edge, 15) for edge in (LABELS / 2, side - LABELS / 2)]
        letters += [label(str(index + 1), edge, y, 15) for edge in (LABELS / 2, side - LABELS / 2)]
    return [*plate, group(*letters, fill=LETTERS, text_anchor="middle", font_weight="bold")]


def _field(view: View) -> list[Element]:
    squares = []
    for file, rank in itertools.product(range(view.size), repeat=2):
        x, y = _top_left(view.size, (file, rank))
        name = f"square{(file + rank) % len(SQUARE_WOODS)}"
        squares.append(element("use", href=f"#{_id(name)}", x=x, y=y))
    goals = [group(*_goal(view.size, seat), class_="goal") for seat in view.seats]
    last = view.last.fence if view.last else None
    fences = [_fence(view, fence) for fence in sorted(view.fences, key=lambda fence: fence == last)]  # that on top
    pawns = [_pawn(seat, _centre(view.size, seat.square), PAWN_RADIUS) for seat in view.seats]
    return [group(*squares), *goals, *fences, *_way(view), *pawns]


def _goal(size: int, seat: Seat) -> list[Element]:
    """Tint the squares of a goal line and lay a strip of the seat's colour along it, in the outermost groove."""
    east, north = DIRECTIONS[seat.side]
    edge, length, inset, strip = size - 1, PITCH * size - GROOVE, 3, GROOVE - 6
    line = [(i, edge if north > 0 else 0) if north else (edge if east > 0 else 0, i) for i in range(size)]
    tints = [
        element("rect", x=x, y=y, width=SQUARE, height=SQUARE, rx=3, fill=_paint(_goal_name(seat)))
        for x, y in (_top_left(size, square) for square in line)
    ]
    across = length + inset if (east > 0 or north < 0) else -GROOVE + inset
    x, y, width, height = (0, across, length, strip) if north else (across, 0, strip, length)
    bar = element("rect", x=x, y=y, width=width, height=height, rx=strip / 2, fill=_colour(seat.number))
    return [*tints, bar]


def _fence(view: View, fence: Fence) -> Element:
    file, rank, upright = fence
    x, y = (at - GROOVE / 2 for at in _top_left(view.size, (file + 1, rank)))
    length, thickness = 2 * SQUARE + GROOVE - 2, GROOVE - 1
    width, height = (thickness, length) if upright else (length, thickness)
    box: Style = {"x": -width / 2, "y": -height / 2, "width": width, "height": height, "rx": 4}
    shadow = element("rect", **box, transform="translate(1.5 2.5)", fill="#000000", fill_opacity=0.4)
    plank = element("rect", **box, fill=_paint("upright" if upright else "lying"), stroke=FENCE_EDGE, stroke_width=1.2)
    if view.last is None or view.last.fence != fence:
        return group(shadow, plank, at=(x, y), class_="fence")
    halo = element("rect", **box, fill="none", stroke=PAPER, stroke_width=8)
    rim = element("rect", **box, fill="none", stroke=_colour(view.last.seat), stroke_width=4)
    return group(shadow, halo, plank, rim, at=(x, y), class_="fence last")


def _way(view: View) -> list[Element]:
    """Return the ghost of a pawn on the square that it left, and an arrow to where it went."""
    if view.last is None or view.last.origin is None:
        return []
    colour = _colour(view.last.seat)
    (x, y), (to_x, to_y) = (_centre(view.size, at) for at in (view.last.origin, view.seats[view.last.seat - 1].square))
    rim: Style = {"stroke": colour, "stroke_width": 3, "stroke_dasharray": "5 4"}
    ghost = element("circle", cx=x, cy=y, r=PAWN_RADIUS - 3, fill=PAPER, fill_opacity=0.45, **rim)
    tip, turn = math.hypot(to_x - x, to_y - y) - PAWN_RADIUS - 2, math.degrees(math.atan2(to_y - y, to_x - x))
    start, neck = PAWN_RADIUS - 8, tip - 14
    arrow = element(
        "path",
        d=f"M{start} -4H{neck:g}V-11L{tip:g} 0L{neck:g} 11V4H{start}Z",
        transform=f"translate({x:g} {y:g}) rotate({turn:g})",
        fill=colour,
        stroke=PAPER,
        stroke_width=2,
        stroke_linejoin="round",
    )
    return [group(ghost, arrow, class_="way")]


def _pawn(seat: Seat, at: tuple[float, float], radius: float) -> Element:
    halo = {"won": WINNER_COLOUR, "to move": PAPER}.get(seat.role)
    return group(
        element("circle", r=radius + 2.5, fill="none", stroke=halo, stroke_width=3) if halo else None,
        element("circle", cx=1.5, cy=2.5, r=radius, fill="#000000", fill_opacity=0.35),
        element("circle", r=radius, fill=_colour(seat.number)),
        element("circle", r=radius, fill=_paint("shine"), stroke=INK, stroke_width=1.2),
        element("circle", r=radius * 0.62, fill=PAPER, stroke=INK, stroke_width=0.8),
        label(str(seat.number), 0, 0, radius * 0.95, fill=INK, font_weight="bold", text_anchor="middle"),
        at=at,
        class_="pawn",
    )


def _panel(view: View) -> list[Element]:
    heading = [
        label(view.status, 0, 14, 21, fill=INK, font_weight="bold"),
        label(f"Last move: {view.last_words}", 0, 42, 13, fill=FAINT_INK),
        label(view.plies, 0, 62, 13, fill=FAINT_INK),
    ]
    return heading + [group(*_card(seat), at=(0, HEADING + CARD_PITCH * i)) for i, seat in enumerate(view.seats)]


def _card(seat: Seat) -> list[Element]:
    colour = _colour(seat.number)
    rim: Style = {"stroke": colour, "stroke_width": 4} if seat.role else {"stroke": CARD_EDGE, "stroke_width": 1.5}
    left, right, upper, lower = 68, CARD_WIDTH - 46, 24, 60
    arrow = f"translate({left + 7} {upper}) rotate({90 * seat.side})"
    planks = _planks(min(seat.fences, MOST_PLANKS))
    after = left + PLANK_PITCH * len(planks) + (4 if planks else 0)
    return [
        element("rect", width=CARD_WIDTH, height=CARD_HEIGHT, rx=10, fill=PAPER, **rim),
        _pawn(seat, (36, CARD_HEIGHT / 2), PAWN_RADIUS + 3),
        element("path", d="M0 -7L7 6H-7Z", fill=colour, transform=arrow),
        label(f"to {seat.goal}", left + 22, upper, 15, fill=INK, font_weight="bold"),
        group(*planks, at=(left, lower), fill=_paint("upright"), stroke=FENCE_EDGE, stroke_width=1),
        label(str(seat.fences or "no fences"), after, lower, 15, fill=INK),
        label(str(seat.steps), right, 34, 30, fill=INK, font_weight="bold", text_anchor="middle"),
        label("steps to go", right, 66, 11, fill=FAINT_INK, text_anchor="middle"),
    ]


def _planks(count: int) -> list[Element]:
    box: Style = {"y": -PLANK_HEIGHT / 2, "width": PLANK_WIDTH, "height": PLANK_HEIGHT, "rx": 2}
    return [element("rect", x=PLANK_PITCH * i, **box, class_="plank") for i in range(count)]
