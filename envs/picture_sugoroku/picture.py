"""Picture sugoroku positions as an SVG document: a path through the four seasons, from the bottom left upwards."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from . import icons
from .boards import Instruction
from .drawing import status
from .journal import Event, events, last_roll
from .layout import COLUMNS, Layout
from .phrases import Phrases

if TYPE_CHECKING:
    from .rules import PictureState

_PITCH_X, _PITCH_Y = 108, 164
_CARD_W, _CARD_H = 92, 114
_MARGIN, _HEADER, _FOOTER = 62, 94, 136
_WIDTH = 2 * _MARGIN + COLUMNS * _PITCH_X
_TINTS = ("#fbe6e6", "#e0f0ec", "#fbeccd", "#e6ecf7")  # spring, summer, autumn, winter
_EDGES = ("#d58a94", "#6aa3a0", "#cf9a45", "#8097c0")


def draw_svg(state: PictureState, language: str = "en") -> str:
    """Return the board with its pieces and the last move as an SVG document.

    Args:
        state: any state.
        language: of the captions: ``en``, ``es``, ``bn`` or ``ja``.

    Raises:
        UnknownNameError: for another language.
    """
    picture = _Picture(state, language)
    height = _HEADER + picture.layout.rows * _PITCH_Y + _FOOTER
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="{icons.FONT}">',
        _paper(height),
        picture.header(),
        picture.road(),
        *picture.arrows(),
        picture.trail(),
        *(picture.card(square) for square in range(state.game.board.goal + 1)),
        *picture.pieces(),
        picture.footer(height),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part)


def _paper(height: int) -> str:
    frame = "".join(
        f'<rect x="{inset}" y="{inset}" width="{_WIDTH - 2 * inset}" height="{height - 2 * inset}" rx="14" fill="none" '
        f'stroke="{colour}" stroke-width="{width}"/>'
        for inset, colour, width in ((12, "#27406b", 5), (20, "#c2412d", 1.5))
    )
    return f'<rect width="{_WIDTH}" height="{height}" fill="#f8f1df"/>{frame}'


class _Picture:
    """The parts of one drawing."""

    def __init__(self, state: PictureState, language: str) -> None:
        self.state, self.board = state, state.game.board
        self.layout = Layout(self.board.goal)
        self.phrases = Phrases(language)
        self.language = language
        walks = [event for event in events(state) if event.walk]
        self.last: Event | None = walks[-1] if walks else None

    def centre(self, square: int) -> tuple[float, float]:
        """Return (x, y) of the middle of a square's card."""
        column, row = self.layout.place(square)
        up = self.layout.rows - 1 - row
        return _MARGIN + (column + 0.5) * _PITCH_X, _HEADER + (up + 0.5) * _PITCH_Y + 16

    def header(self) -> str:
        """Return the board's name, what the game waits for and the die that fell last."""
        title = self.board.title(self.language)
        parts = [
            icons.text(_MARGIN, 74, icons.fitting(title, 36, 640), title, colour="#27406b", anchor="start", bold=True),
            icons.text(_WIDTH - _MARGIN - 62, 72, 22, status(self.state, self.language), anchor="end"),
        ]
        if self.state.is_chance_node():
            parts.append(icons.moved(_WIDTH - _MARGIN - 24, 64, icons.die(0, icons.SEAT_COLOURS[self.state.seat]), 1.3))
        elif self.last and self.last.walk:
            face = icons.die(self.last.walk.steps[0].number, icons.SEAT_COLOURS[self.last.seat])
            parts.append(icons.moved(_WIDTH - _MARGIN - 24, 64, face, 1.4))
        return "".join(parts)

    # --- the way -----------------------------------------------------------------------------------------------------

    def road(self) -> str:
        """Return the road on which the cards lie."""
        line = self._way(0, self.board.goal)
        return (
            f'<g fill="none" stroke-linecap="round" stroke-linejoin="round">'
            f'<path d="{line}" stroke="#d9c08c" stroke-width="46"/>'
            f'<path d="{line}" stroke="#efdfb6" stroke-width="38"/>'
            f'<path d="{line}" stroke="#c9ab6b" stroke-width="2" stroke-dasharray="2 9"/></g>'
        )

    def _way(self, first: int, last: int) -> str:
        """Return the path data of the road from a square to a later one; it swings out where a row ends."""
        x, y = self.centre(first)
        data = f"M{x:.1f} {y:.1f}"
        for square in range(first + 1, last + 1):
            x, y = self.centre(square)
            if self.layout.place(square)[1] == self.layout.place(square - 1)[1]:
                data += f" L{x:.1f} {y:.1f}"
            else:
                side = 1 if self.layout.place(square)[0] else -1
                bulge = x + side * 66
                data += f" C{bulge:.1f} {y + _PITCH_Y:.1f} {bulge:.1f} {y:.1f} {x:.1f} {y:.1f}"
        return data

    def trail(self) -> str:
        """Return the stretch of road that the last roll went along."""
        if not (self.last and self.last.walk):
            return ""
        step = self.last.walk.steps[0]
        end = self.board.goal if step.bounced else step.end
        colour = icons.SEAT_COLOURS[self.last.seat]
        return (
            f'<path d="{self._way(step.start, end)}" fill="none" stroke="{colour}" stroke-width="9" '
            f'stroke-linecap="round" opacity=".75"/>'
        )

    def arrows(self) -> list[str]:
        """Return a curve for each square that sends a piece elsewhere, except back to the start."""
        curves = []
        for square, (kind, number) in self.board.squares.items():
            targets = {"forward": square + number, "back": max(0, square - number), "jump": number}
            if kind in targets:
                target = min(targets[kind], self.board.goal)
                curves.append(self._arrow(square, target, icons.GOOD if target > square else icons.BAD))
        return curves

    def _arrow(self, start: int, end: int, colour: str) -> str:
        (x1, y1), (x2, y2) = self.centre(start), self.centre(end)
        half = _CARD_H / 2
        if y1 == y2:  # along the row: an arch over the cards
            lean = 14 if x2 > x1 else -14
            x1, x2, y1 = x1 + lean, x2 - lean, y1 - half
            height = min(56, 22 + 0.055 * abs(x2 - x1))
            return _curve((x1, y1 + 4), (x1, y1 - height), (x2, y1 - height), (x2, y1 - 2), colour)
        way = -1 if y2 < y1 else 1  # to another row: leaves by one edge, enters by the facing one
        x1, y1, x2, y2 = x1 + 26, y1 + way * half, x2 - 26, y2 - way * half
        middle = (y1 + y2) / 2 + (7 if colour == icons.BAD else -7)  # so that two ways do not run in one line
        return _curve((x1, y1 - 4 * way), (x1, middle + 30 * way), (x2, middle - 30 * way), (x2, y2 - 2 * way), colour)

    # --- the squares -------------------------------------------------------------------------------------------------

    def card(self, square: int) -> str:
        """Return the card of a square: its number, what it says, an ornament if it says nothing."""
        x, y = self.centre(square)
        quarter = min(3, 4 * square // (self.board.goal + 1))
        is_end = square in (0, self.board.goal)
        fill, edge, width = (_TINTS[quarter], _EDGES[quarter], 2.0) if not is_end else ("#fff8e2", "#c2412d", 3.5)
        if self.last and self.last.walk and square == self.last.walk.square:
            edge, width = icons.SEAT_COLOURS[self.last.seat], 5
        left, top = -_CARD_W / 2, -_CARD_H / 2
        parts = [
            f"<title>{escape(self._tooltip(square))}</title>",
            f'<rect x="{left + 2}" y="{top + 4}" width="{_CARD_W}" height="{_CARD_H}" rx="13" '
            f'fill="#6b5a36" opacity=".25"/>',
            f'<rect x="{left}" y="{top}" width="{_CARD_W}" height="{_CARD_H}" rx="13" fill="{fill}" stroke="{edge}" '
            f'stroke-width="{width}"/>',
        ]
        instruction = self.board.squares.get(square)
        if is_end:
            colour = "#c2412d" if square else "#27406b"
            caption = self.phrases.caption("goal" if square else "start")
            gate = icons.torii(colour) if square else icons.instruction_icon("to_start", 0, colour, 1)
            parts += [icons.moved(0, -29, gate, 0.95), icons.text(0, 6, 15, caption, bold=True, colour=colour)]
        else:
            parts.append(icons.text(left + 8, top + 18, 15, str(square), anchor="start", colour="#6a6152"))
        if instruction:
            parts.append(self._instruction(square, instruction))
        elif not is_end:
            parts.append(f'<g opacity=".55">{icons.moved(0, -6, icons.season(quarter), 0.9)}</g>')
        return icons.moved(x, y, "".join(parts))

    def _instruction(self, square: int, instruction: Instruction) -> str:
        kind, number = instruction
        colour = icons.KIND_COLOURS.get(kind) or (icons.GOOD if number > square else icons.BAD)
        ahead = 1 if self.layout.goes_right(self.layout.place(square)[1]) else -1
        icon = icons.instruction_icon(kind, number, colour, ahead)
        return icons.moved(0, -19, icon) + icons.text(0, 10, 11.5, self.phrases.caption(kind), colour=colour)

    def _tooltip(self, square: int) -> str:
        place = self.phrases.place(square, self.board.goal)
        instruction = self.board.squares.get(square)
        if not instruction:
            return place
        number = f" {instruction.number}" if instruction.number else ""
        return f"{place}: {self.phrases.caption(instruction.kind)}{number}"

    # --- the pieces --------------------------------------------------------------------------------------------------

    def pieces(self) -> list[str]:
        """Return the pieces on their squares, side by side; those that owe turns carry their number."""
        drawn = []
        pieces = self.state.position().pieces
        for square in sorted({piece.square for piece in pieces if not piece.resigned}):
            x, y = self.centre(square)
            here = [seat for seat, piece in enumerate(pieces) if piece.square == square and not piece.resigned]
            gap = min(27.0, 66 / max(1, len(here) - 1))
            for place, seat in enumerate(here):
                at = x + (place - (len(here) - 1) / 2) * gap
                drawn.append(icons.moved(at, y + _CARD_H / 2 - 4, icons.pawn(seat) + self._badge(seat)))
        return drawn

    def _badge(self, seat: int) -> str:
        piece = self.state.position().pieces[seat]
        if not (piece.rests or piece.place):
            return ""
        words, colour = (f"z{piece.rests}", icons.CALM) if piece.rests else (f"#{piece.place}", "#b0791a")
        return (
            f'<circle cx="10" cy="-31" r="8.5" fill="{colour}" stroke="#fff" stroke-width="1.2"/>'
            f"{icons.text(10, -27.7, 9.5, words, colour='#fff', bold=True)}"
        )

    def footer(self, height: int) -> str:
        """Return the seats with where they are, and the last line of the journal."""
        parts = []
        seats = self.state.game.num_players
        for seat, piece in enumerate(self.state.position().pieces):
            x = _MARGIN + 20 + seat * (_WIDTH - 2 * _MARGIN) / max(4, seats)
            where = (
                self.phrases.say("resigned") if piece.resigned else self.phrases.place(piece.square, self.board.goal)
            )
            name = self.phrases.say("player", seat=seat + 1)
            is_next = seat == self.state.seat and not self.state.is_terminal()
            parts.append(icons.moved(x, height - 76, icons.pawn(seat, out=piece.resigned)))
            parts.append(icons.text(x + 20, height - 96, 16, name, anchor="start", bold=is_next))
            parts.append(icons.text(x + 20, height - 77, 14, where, anchor="start", colour="#6a6152"))
        words = last_roll(self.state, self.language)
        size = icons.fitting(words, 15, _WIDTH - 2 * _MARGIN)
        parts.append(icons.text(_MARGIN, height - 42, size, words, anchor="start", colour="#6a6152"))
        return "".join(parts)


def _curve(start: tuple[float, float], bend1: tuple[float, float], bend2: tuple[float, float],
           end: tuple[float, float], colour: str) -> str:  # fmt: skip
    """Return a cubic curve with an arrowhead that points along its last stretch, which is vertical."""
    way = 1 if end[1] > bend2[1] else -1
    data = " ".join(f"{x:.1f} {y:.1f}" for x, y in (bend1, bend2, (end[0], end[1] - 7 * way)))
    head = f"M{end[0]:.1f} {end[1]:.1f} l-6.5 {-11 * way} h13 z"
    return (
        f'<g opacity=".7"><path d="M{start[0]:.1f} {start[1]:.1f} C{data}" fill="none" stroke="{colour}" '
        f'stroke-width="3.4" stroke-linecap="round"/><path d="{head}" fill="{colour}"/></g>'
    )
