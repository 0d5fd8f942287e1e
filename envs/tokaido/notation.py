"""Tokaido sugoroku in writing: moves, rolls and the one-line form of positions.

A move is the number, ``crossing``, ``detour`` or ``resign``; a roll is ``[2-5]``, smaller first, and a crossing die
``[3]``. A position is ``pieces in seat order / seat to move / what is pending``, such as
``23 41c 9d2 31+1 54#1 / 1 / [2-5]``, and, only where ``max_turns`` caps the game, ``/ turns taken so far``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import NotationError, PositionError
from . import kernels as compiled
from .tables import NUMBERS, ROLLS, SPOT_NAMES, SPOTS

ACTION_NAMES = (*map(str, NUMBERS), "crossing", "detour", "resign")
OUTCOME_NAMES = (*(f"[{low}-{high}]" for low, high in ROLLS), *(f"[{face}]" for face in range(1, 7)))
PENDING_NAMES = ("turn", "road", "cross", "dice", "over", *OUTCOME_NAMES[: compiled.FACES])
"""What a position waits for, in the order of the kernels."""
MOST_RESTS = 99
"""Rests that can be written; play owes a handful."""

_ACTIONS = {name: action for action, name in enumerate(ACTION_NAMES)}
_OUTCOMES = {name: outcome for outcome, name in enumerate(OUTCOME_NAMES)}
_PENDING = {name: pending for pending, name in enumerate(PENDING_NAMES)}
_SPOTS = {name.lower(): spot for name, spot in SPOTS.items()}
_TURNS = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_PIECE = re.compile(r"([^+]+)(?:\+([1-9][0-9]?))?", re.ASCII)


def _word(text: str) -> str:
    return text.strip().lower() if isinstance(text, str) else ""


def is_outcome(text: str) -> bool:
    """Return whether `text` is a roll or a crossing die."""
    return _word(text) in _OUTCOMES


def action_number(text: str) -> int:
    """Return the action that `text` names.

    Raises:
        NotationError: if it names none.
    """
    if _word(text) not in _ACTIONS:
        raise NotationError(f"{text!r} is no move; expected one of {', '.join(ACTION_NAMES)}")
    return _ACTIONS[_word(text)]


def outcome_number(text: str) -> int:
    """Return the outcome that `text` names.

    Raises:
        NotationError: if it names none.
    """
    if _word(text) not in _OUTCOMES:
        raise NotationError(
            f"{text!r} is no throw; expected two dice, the smaller first, as [2-5], or a crossing die as [3]"
        )
    return _OUTCOMES[_word(text)]


@dataclass(frozen=True)
class Position:
    """The fields of a position's text.

    Attributes:
        spots: spot of each seat's piece, see `tables.SPOT_NAMES`.
        rests: rests each seat owes.
        seat: seat to move, from 0; 0 when the game is over.
        pending: what it waits for, an index of `PENDING_NAMES`.
        turns: taken so far by all seats; None where they are not written.
    """

    spots: tuple[int, ...]
    rests: tuple[int, ...]
    seat: int
    pending: int
    turns: int | None = None


def write_piece(spot: int, rests: int) -> str:
    """Return a piece as a position's text has it."""
    return SPOT_NAMES[spot] + (f"+{rests}" if rests else "")


def write_position(position: Position) -> str:
    """Return the one-line form of a position."""
    pieces = " ".join(map(write_piece, position.spots, position.rests))
    seat = "-" if position.pending == compiled.OVER else str(position.seat + 1)
    turns = "" if position.turns is None else f" / {position.turns}"
    return f"{pieces} / {seat} / {PENDING_NAMES[position.pending]}{turns}"


def read_position(text: str, players: int) -> Position:
    """Read the one-line form of a position; only its form is checked, not whether the rules can reach it.

    Raises:
        PositionError: naming the field and what was expected.
    """
    if not isinstance(text, str):
        raise PositionError(f"a position is a text, not {text!r:.80}")
    fields = [_word(field) for field in text.split("/")]
    if len(fields) not in (3, 4):
        raise PositionError(
            "a position is 'pieces in seat order / seat to move / what is pending', with '/ turns taken' where "
            f"max_turns caps them; {text!r:.80} has {len(fields)} fields apart by '/'"
        )
    pieces = [_read_piece(piece) for piece in fields[0].split()]
    if len(pieces) != players:
        raise PositionError(f"expected the pieces of {players} players, not {len(pieces)}: {fields[0]!r:.80}")
    if fields[2] not in _PENDING:
        raise PositionError(
            "what is pending must be turn, road, cross, dice, over, or a roll that waits for its number, as [2-5] with "
            f"the smaller first, not {fields[2]!r:.80}"
        )
    spots, rests = zip(*pieces, strict=True)
    pending = _PENDING[fields[2]]
    turns = _read_turns(fields[3]) if len(fields) == 4 else None
    return Position(spots, rests, _read_seat(fields[1], pending, players), pending, turns)


def _read_piece(word: str) -> tuple[int, int]:
    match = _PIECE.fullmatch(word)
    if match is None or match[1] not in _SPOTS:
        raise PositionError(
            f"{word!r:.80} is no piece; expected a station 0..53, with rests owed as 31+1 (at most {MOST_RESTS}), a fork "
            "with its road as 41c or 41d, a detour station as 9d2, 54#1 for the first in Kyoto, or R"
        )
    return _SPOTS[match[1]], int(match[2] or 0)


def _read_seat(word: str, pending: int, players: int) -> int:
    if pending == compiled.OVER:
        if word != "-":
            raise PositionError(f"a game that is over has '-' for the seat to move, not {word!r:.80}")
        return 0
    if word not in map(str, range(1, players + 1)):
        raise PositionError(f"the seat to move must be 1..{players}, not {word!r:.80}")
    return int(word) - 1


def _read_turns(word: str) -> int:
    if _TURNS.fullmatch(word) is None:
        raise PositionError(f"the turns taken so far must be a whole number, not {word!r:.80}")
    return int(word)
