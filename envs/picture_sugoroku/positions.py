"""Positions between their text and the kernels' words, and which of them the rules can never reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import PositionError
from . import kernels as compiled
from .notation import Piece, Position

if TYPE_CHECKING:
    from .rules import PictureSugoroku


def from_words(game: PictureSugoroku, words: NDArray[np.int64]) -> Position:
    """Return the fields of a compact state."""
    pieces = []
    for seat in range(game.num_players):
        place = int(words[compiled.PLACE + seat])
        square, rests = int(words[compiled.SQUARE + seat]), int(words[compiled.RESTS + seat])
        pieces.append(Piece(square, rests, max(place, 0), place == compiled.RESIGNED))
    return Position(
        tuple(pieces),
        int(words[compiled.SEAT]),
        bool(words[compiled.ROLLING]),
        int(words[compiled.EXTRA]),
        bool(compiled.is_over(game.rules, words)),
    )


def to_words(game: PictureSugoroku, position: Position) -> NDArray[np.int64]:
    """Return the compact state of a position; int64 ``[game.state_size]``."""
    words = np.zeros(game.state_size, dtype=np.int64)
    for seat, piece in enumerate(position.pieces):
        words[compiled.SQUARE + seat] = piece.square
        words[compiled.RESTS + seat] = piece.rests
        words[compiled.PLACE + seat] = compiled.RESIGNED if piece.resigned else piece.place
    words[compiled.SEAT] = position.seat
    words[compiled.ROLLING] = position.rolling
    words[compiled.EXTRA] = position.extra_rolls
    words[compiled.ARRIVED] = sum(piece.place > 0 for piece in position.pieces)
    words[compiled.UNDER_WAY] = sum(_is_under_way(piece) for piece in position.pieces)
    return words


def check(game: PictureSugoroku, position: Position) -> None:
    """Refuse a position that the rules can never reach.

    Raises:
        PositionError: saying what is impossible about it.
    """
    for seat, piece in enumerate(position.pieces):
        if _is_under_way(piece):
            _check_place(game, position, seat)
        elif piece.resigned and not game.options["allow_resign"]:
            raise PositionError(f"seat {seat + 1} cannot have resigned: allow_resign is False")
        elif piece.place and piece.square != game.board.goal:
            raise PositionError(
                f"seat {seat + 1} has arrived, so it stands on the goal, {game.board.goal}, not on {piece.square}"
            )
    arrived = _check_arrivals(game, position)
    under_way = sum(_is_under_way(piece) for piece in position.pieces)
    if under_way == 0:
        raise PositionError("nobody is left, but the game ends while one is")
    if under_way == 1 or (arrived and game.options["finish"] == "first"):
        if not position.over:
            raise PositionError("the game is over, so '- / over' is expected for the seat and for what is pending")
    elif position.over:
        raise PositionError("the game is not over: two or more are under way, and none has ended it by arriving")
    elif not _is_under_way(position.pieces[position.seat]):
        raise PositionError(f"seat {position.seat + 1} is out and cannot be to move while the game goes on")


def _is_under_way(piece: Piece) -> bool:
    return not piece.resigned and piece.place == 0


def _check_place(game: PictureSugoroku, position: Position, seat: int) -> None:
    """Refuse a piece under way that can never be where it is, owing what it owes."""
    piece, goal = position.pieces[seat], game.board.goal
    if piece.square > goal:
        raise PositionError(f"seat {seat + 1}: square {piece.square} is off the board, whose last square is {goal}")
    if piece.square == goal:
        raise PositionError(
            f"seat {seat + 1} stands on the goal, so it has arrived: write {goal}#k for the k-th arrival"
        )
    moves = seat == position.seat and not position.over
    if moves and piece.rests:
        raise PositionError(f"seat {seat + 1} owes {piece.rests} turns, so it cannot be to move")
    if moves and position.extra_rolls:
        if (piece.square, position.extra_rolls) not in game.places.within:
            raise PositionError(
                f"seat {seat + 1} cannot stand on square {piece.square} after {position.extra_rolls} extra rolls"
            )
    elif (piece.square, piece.rests) not in game.places.waiting:
        owing = f" owing {piece.rests} turns" if piece.rests else ""
        raise PositionError(
            f"seat {seat + 1} can never stand on square {piece.square}{owing} after a turn on this board"
        )


def _check_arrivals(game: PictureSugoroku, position: Position) -> int:
    """Return how many have arrived; refuse an order of arrivals that cannot be."""
    order = sorted(piece.place for piece in position.pieces if piece.place)
    if order != list(range(1, len(order) + 1)):
        raise PositionError(
            f"arrivals are numbered #1, #2 and so on, each once, not {', '.join(f'#{k}' for k in order)}"
        )
    if len(order) > 1 and game.options["finish"] == "first":
        raise PositionError("the game ends at the first arrival (finish='first'), so there is no second")
    return len(order)
