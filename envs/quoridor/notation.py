"""Quoridor in writing: moves, positions, and the notations of other programs.

Ours is the common modern one: a pawn move is its target square (``e2``); a fence is the square nearest a1 of the four
that it touches, with ``h`` or ``v`` (``e3h``). Actions are numbered as in the rules: squares, horizontal anchors,
vertical anchors.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from ..errors import NotationError, OptionError, PositionError, UnknownNameError, nearest, shown

FILES = "abcdefghi"
_MOVE = re.compile(r"([a-z])([1-9][0-9]?)([hv]?)")
_SQUARE_LIST = re.compile(r"([a-z])([0-9])(h(?![0-9])|v)?")


def square_name(file: int, rank: int) -> str:
    """Return a square (or anchor), counted from 0 at a1, by name."""
    return f"{FILES[file]}{rank + 1}"


@functools.cache
def action_names(size: int) -> tuple[str, ...]:
    """Return the actions of a `size` x `size` board in notation, in the order of their numbers."""
    squares = [square_name(file, rank) for rank in range(size) for file in range(size)]
    anchors = [square_name(file, rank) for rank in range(size - 1) for file in range(size - 1)]
    return (*squares, *(name + "h" for name in anchors), *(name + "v" for name in anchors))


def action_number(text: str, size: int) -> int:
    """Return the action that `text` names on a `size` x `size` board.

    Raises:
        NotationError: if it names none.
    """
    word = text.strip().lower() if isinstance(text, str) else ""
    match = _MOVE.fullmatch(word)
    if match:
        letter, digits, orientation = match.groups()
        file, rank = ord(letter) - ord("a"), int(digits) - 1
        side = size - 1 if orientation else size
        if 0 <= file < side and 0 <= rank < side:
            if not orientation:
                return rank * size + file
            return size * size + "hv".index(orientation) * side * side + rank * side + file
    raise NotationError(f"{text!r} is no move; expected {_expected(size)}")


def _expected(size: int) -> str:
    last, anchor = square_name(size - 1, size - 1), square_name(size - 2, size - 2)
    return f"a square a1..{last} for the pawn or an anchor a1..{anchor} with h or v for a fence"


# --- positions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Position:
    """The fields of a position's text; squares and anchors are (file, rank) from 0, seats from 0."""

    horizontal: tuple[tuple[int, int], ...]
    vertical: tuple[tuple[int, int], ...]
    pawns: tuple[tuple[int, int], ...]
    left: tuple[int, ...]
    seat: int
    ply: int


def write_position(position: Position) -> str:
    """Return the one-line form of a position."""
    fields = (
        "".join(square_name(*anchor) for anchor in position.horizontal),
        "".join(square_name(*anchor) for anchor in position.vertical),
        " ".join(square_name(*square) for square in position.pawns),
        " ".join(map(str, position.left)),
        str(position.seat + 1),
        str(position.ply),
    )
    return re.sub(r" +", " ", " / ".join(fields)).strip()


def read_position(text: str, size: int, players: int) -> Position:
    """Read the one-line form of a position; only its form is checked, not whether the rules can reach it.

    Raises:
        PositionError: naming the field and what was expected.
    """
    if not isinstance(text, str):
        raise PositionError(f"a position is a text, not {text!r:.80}")
    fields = [field.strip().lower() for field in text.split("/")]
    if len(fields) not in (5, 6):
        raise PositionError(
            "a position is 'horizontal fences / vertical fences / pawns / fences left / seat to move / ply', the last "
            f"may be missing; {text!r:.80} has {len(fields)} fields"
        )
    pawns = _squares(fields[2], size, "pawns", "")
    if len(pawns) != players:
        raise PositionError(f"expected the pawns of {players} players, not {len(pawns)}: {fields[2]!r:.80}")
    left = tuple(_number(word, "fences left") for word in re.split(r"[\s,]+", fields[3]))
    if len(left) != players:
        raise PositionError(f"expected the fences left of {players} players, not {len(left)}: {fields[3]!r:.80}")
    seat = _number(fields[4], "seat to move")
    if not 1 <= seat <= players:
        raise PositionError(f"the seat to move must be 1..{players}, not {seat}")
    ply = _number(fields[5], "ply") if len(fields) == 6 else 0
    horizontal = _squares(fields[0], size - 1, "horizontal fences", "h")
    return Position(horizontal, _squares(fields[1], size - 1, "vertical fences", "v"), pawns, left, seat - 1, ply)


def _number(word: str, what: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise PositionError(f"{what}: expected a whole number, not {word!r:.80}")
    return int(word)


def _squares(text: str, side: int, what: str, suffix: str) -> tuple[tuple[int, int], ...]:
    """Read squares that run together or stand apart, each with or without its orientation."""
    squares, at = [], 0
    for match in re.finditer(r"[^\s,]+", text):
        at = match.start()
        while at < match.end():
            square = _SQUARE_LIST.match(text, at, match.end())
            if square is None or square.group(3) not in (None, suffix):
                raise PositionError(
                    f"{what}: expected squares a1..{square_name(side - 1, side - 1)}, not {text[at:]!r:.80}"
                )
            file, rank = ord(square.group(1)) - ord("a"), int(square.group(2)) - 1
            if not (0 <= file < side and 0 <= rank < side):
                raise PositionError(
                    f"{what}: {square.group()!r} is off the board; expected a1..{square_name(side - 1, side - 1)}"
                )
            squares.append((file, rank))
            at = square.end()
    return tuple(squares)


# --- other programs --------------------------------------------------------------------------------------------------

CONVERTERS = {
    "standard": "ranks from the bottom, a fence by the square nearest a1 of its four (ours)",
    "glendenning": "rows from the top, a fence by the north-west square of its four",
    "openspiel": "the action strings of OpenSpiel: rows from the top, a fence by the north-west square of its four",
}


def convert_moves(moves: str, source: str, target: str, size: int = 9) -> str:
    """Rewrite moves, apart by blanks, from one notation into another.

    Seats keep their sides: whoever moves towards the last rank in one notation does so in the other.

    Args:
        moves: such as ``e2 e8 e3h``.
        source: notation of `moves`, a name in `CONVERTERS`.
        target: notation of the result.
        size: squares on a side.

    Raises:
        UnknownNameError: for a notation that is not known.
        NotationError: for a word that is no move; its place is named.
    """
    for name in (source, target):
        if name not in CONVERTERS:
            raise UnknownNameError(f"there is no notation {name!r}; {nearest(str(name), CONVERTERS)}")
    if size not in range(3, 10):
        raise OptionError(f"boards have 3..9 squares on a side, not {shown(size)}")
    flip = (source == "standard") != (target == "standard")
    converted = []
    for number, word in enumerate(moves.split(), start=1):
        try:
            action = action_number(word, size)
        except NotationError as error:
            raise NotationError(f"move {number}: {error}") from error
        converted.append(action_names(size)[_flipped(action, size) if flip else action])
    return " ".join(converted)


def _flipped(action: int, size: int) -> int:
    """Return the action with ranks counted from the other side: size-1-rank for squares, size-2-rank for anchors."""
    squares, side = size * size, size - 1
    if action < squares:
        return (size - 1 - action // size) * size + action % size
    orientation, anchor = divmod(action - squares, side * side)
    return squares + orientation * side * side + (side - 1 - anchor // side) * side + anchor % side
