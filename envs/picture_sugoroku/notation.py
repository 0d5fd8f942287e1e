"""Picture sugoroku in writing: moves and positions.

A move is ``roll`` or ``resign``, a fall of the die ``[4]``. A position is
``pieces in seat order / seat to move counted from 1 / what is pending``, such as ``12+1 0 49#1 / 2 / turn``: ``+n``
turns owed, ``#k`` arrived as k-th, ``R`` resigned; pending is ``turn`` or ``dice``, with ``x1`` to ``x3`` after it
when the seat has had so many extra rolls in its turn. A game that is over ends with ``/ - / over``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import NotationError, PositionError

MOVES = ("roll", "resign")
FACES = ("[1]", "[2]", "[3]", "[4]", "[5]", "[6]")
"""The actions by number."""
_ROLL = re.compile(r"\[([1-6])\]")
_PIECE = re.compile(r"(0|[1-9][0-9]{0,2})(?:\+([12])|#([1-6]))?|(R)", re.IGNORECASE)
_PENDING = re.compile(r"(turn|dice)(?:\s+x([1-3]))?")


def read_move(text: str) -> tuple[bool, int]:
    """Return whether `text` is a fall of the die, and its outcome or action.

    Raises:
        NotationError: if it is neither a move nor a fall of the die.
    """
    word = text.strip().lower() if isinstance(text, str) else ""
    face = _ROLL.fullmatch(word)
    if face:
        return True, int(face.group(1)) - 1
    if word in MOVES:
        return False, MOVES.index(word)
    raise NotationError(f"{text!r:.80} is no move; expected roll or resign, or [1] to [6] for a fall of the die")


# --- positions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Piece:
    """One seat's piece: its square, the turns it owes, and k when it was the k-th to arrive (0: it was not)."""

    square: int = 0
    rests: int = 0
    place: int = 0
    resigned: bool = False


@dataclass(frozen=True)
class Position:
    """The fields of a position's text; the seat is counted from 0, and is 0 when the game is over."""

    pieces: tuple[Piece, ...]
    seat: int
    rolling: bool
    extra_rolls: int
    over: bool = False


def write_position(position: Position) -> str:
    """Return the one-line form of a position."""
    pieces = " ".join(_write_piece(piece) for piece in position.pieces)
    if position.over:
        return f"{pieces} / - / over"
    extra = f" x{position.extra_rolls}" if position.extra_rolls else ""
    return f"{pieces} / {position.seat + 1} / {'dice' if position.rolling else 'turn'}{extra}"


def _write_piece(piece: Piece) -> str:
    if piece.resigned:
        return "R"
    if piece.place:
        return f"{piece.square}#{piece.place}"
    return f"{piece.square}+{piece.rests}" if piece.rests else str(piece.square)


def read_position(text: str, players: int) -> Position:
    """Read the one-line form of a position; only its form is checked, not whether the rules can reach it.

    Raises:
        PositionError: naming the field and what was expected.
    """
    if not isinstance(text, str):
        raise PositionError(f"a position is a text, not {text!r:.80}")
    fields = [field.strip() for field in text.split("/")]
    if len(fields) != 3:
        raise PositionError(
            f"a position is 'pieces / seat to move / what is pending', such as '12+1 0 / 2 / turn'; {text!r:.80} has "
            f"{len(fields)} fields"
        )
    words = fields[0].split()
    if len(words) != players:
        raise PositionError(f"expected the pieces of {players} players, not {len(words)}: {fields[0]!r:.80}")
    pieces = tuple(_read_piece(word, number) for number, word in enumerate(words, start=1))
    if fields[2].lower() == "over":
        if fields[1] != "-":
            raise PositionError(f"a game that is over has '-' for the seat to move, not {fields[1]!r:.80}")
        return Position(pieces, seat=0, rolling=False, extra_rolls=0, over=True)
    if not (len(fields[1]) == 1 and fields[1] in "123456"[:players]):
        raise PositionError(f"the seat to move must be 1..{players}, not {fields[1]!r:.80}")
    pending = _PENDING.fullmatch(fields[2].lower())
    if not pending:
        raise PositionError(
            f"what is pending must be turn or dice, perhaps with x1, x2 or x3, or over, not {fields[2]!r:.80}"
        )
    return Position(pieces, int(fields[1]) - 1, pending.group(1) == "dice", int(pending.group(2) or 0))


def _read_piece(word: str, number: int) -> Piece:
    match = _PIECE.fullmatch(word)
    if not match:
        raise PositionError(
            f"seat {number}: expected a square such as 12, with +1 or +2 for turns owed or #1 to #6 for an arrival, "
            f"or R; not {word!r:.80}"
        )
    square, rests, place, resigned = match.groups()
    if resigned:
        return Piece(resigned=True)
    return Piece(int(square), int(rests or 0), int(place or 0))
