"""Picture sugoroku positions in characters, for a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from .boards import Instruction
from .journal import last_roll
from .layout import COLUMNS, Layout
from .phrases import Phrases

if TYPE_CHECKING:
    from .rules import PictureState

_WIDTH = 100
_INNER = 8  # characters inside a cell
_SIDES = 3  # beside the cells: the last wall, and the arrow
_LEGEND = (
    "+4 forward", "-4 back", "z rest a turn", "zz two", "↻ roll again", "→31 leap", "→0 to the start", "[12] seats",
)  # fmt: skip


def draw_text(state: PictureState, columns: int = _WIDTH, legend: bool = True) -> str:
    """Return the path as a table, with the seats in brackets where their pieces stand.

    The path begins at the bottom left and winds upwards; arrows at the side show which way a row runs.

    Args:
        state: what to draw; it stays as it is.
        columns: of the terminal, of which at most 100 are used; in fewer a row has fewer squares, but two at least.
        legend: whether the signs of the squares are explained.
    """
    board, width = state.game.board, min(columns, _WIDTH)
    layout = Layout(board.goal, min(max((width - _SIDES) // (_INNER + 1), 2), COLUMNS))
    lines = [f"{state.game.title}: {board.title()}", ""]
    for row in reversed(range(layout.rows)):
        squares = [layout.square(column, row) for column in range(layout.columns)]
        above = [layout.square(column, row + 1) for column in range(layout.columns)]
        arrow = "→" if layout.goes_right(row) else "←"
        lines.append(_border(above, squares))
        lines.append(_cells([_label(state, square) for square in squares], squares) + f" {arrow}")
        lines.append(_cells([_seats(state, square) for square in squares], squares))
    lines.append(_border([layout.square(column, 0) for column in range(layout.columns)], [None] * layout.columns))
    lines += [
        *(_legend(width) if legend else []),
        "",
        *_standings(state),
        "",
        *textwrap.wrap(last_roll(state), width),
        status(state),
    ]
    return "\n".join(line.rstrip() for line in lines)


def status(state: PictureState, language: str = "en") -> str:
    """Return in words what the game is waiting for."""
    phrases = Phrases(language)
    if state.is_terminal():
        return phrases.say("over")
    player = phrases.say("player", seat=state.seat + 1)
    return phrases.say("rolling" if state.is_chance_node() else "to_roll", player=player)


def sign(instruction: Instruction) -> str:
    """Return an instruction in few characters, such as ``+4``, ``-3``, ``zz`` or ``→31``."""
    kind, number = instruction
    signs = {
        "forward": f"+{number}",
        "back": f"-{number}",
        "rest": "z" * number,
        "roll_again": "↻",
        "to_start": "→0",
        "jump": f"→{number}",
    }
    return signs[kind]


def _label(state: PictureState, square: int | None) -> str:
    if square is None:
        return ""
    board = state.game.board
    if square in (0, board.goal):
        return f"{square:>2} {'GOAL' if square else 'START'}"
    instruction = board.squares.get(square)
    label = f"{square:>2}"
    return f"{label}{sign(instruction):>{_INNER - 1 - len(label)}}" if instruction else label


def _seats(state: PictureState, square: int | None) -> str:
    seats = [str(seat + 1) for seat, here in enumerate(state.squares) if here is not None and here == square]
    return f"[{''.join(seats)}]" if seats else ""


def _cells(words: list[str], squares: list[int | None]) -> str:
    """Return one line of a row of cells; beyond the end of a short row there are none."""
    line = ""
    for column, (word, square) in enumerate(zip(words, squares, strict=True)):
        wall = "│" if square is not None or (column and squares[column - 1] is not None) else " "
        line += f"{wall}{word:<{_INNER}}"
    return line + ("│" if squares[-1] is not None else " ")


def _border(above: list[int | None], below: list[int | None]) -> str:
    line = ""
    for column in range(len(above) + 1):
        around = [cells[at] for cells in (above, below) for at in (column - 1, column) if 0 <= at < len(above)]
        line += "┼" if any(square is not None for square in around) else " "
        if column < len(above):
            line += ("─" if above[column] is not None or below[column] is not None else " ") * _INNER
    return line


def _legend(width: int) -> list[str]:
    """Return what the signs mean, as many on a line as have room."""
    lines = [_LEGEND[0]]
    for entry in _LEGEND[1:]:
        if len(lines[-1]) + 2 + len(entry) > width:
            lines.append(entry)
        else:
            lines[-1] += f"  {entry}"
    return lines


def _standings(state: PictureState) -> list[str]:
    lines = []
    for seat, piece in enumerate(state.position().pieces):
        where = f"square {piece.square}"
        if piece.resigned:
            where = "resigned"
        elif piece.place:
            where = f"arrived as number {piece.place}"
        owing = f", owes {piece.rests} turn{'s' if piece.rests > 1 else ''}" if piece.rests else ""
        lines.append(
            f"{'>' if seat == state.seat and not state.is_terminal() else ' '} seat {seat + 1}: {where}{owing}"
        )
    return lines
