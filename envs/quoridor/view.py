"""What there is to show of a Quoridor position, in squares and words, for whatever kind of picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .notation import FILES, square_name

if TYPE_CHECKING:
    from .rules import QuoridorState

Square = tuple[int, int]
"""(file, rank), from 0 at a1."""
Fence = tuple[int, int, bool]
"""File and rank of the anchor, and whether it stands upright."""

DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Steps in (file, rank) to the four sides of the board: north, east, south, west."""


@dataclass(frozen=True)
class Seat:
    """What is to be shown of a seat.

    Attributes:
        number: counted from 1.
        square: where its pawn stands.
        side: of the board, to which it walks; an index of `DIRECTIONS`.
        goal: that side in words.
        fences: in hand.
        steps: to go.
        role: ``to move``, ``won`` or nothing.
    """

    number: int
    square: Square
    side: int
    goal: str
    fences: int
    steps: int
    role: str


@dataclass(frozen=True)
class LastMove:
    """The move that led to a position.

    Attributes:
        seat: number of the seat that played it.
        words: what it was.
        origin: the square that a pawn left.
        fence: the fence that was placed.
    """

    seat: int
    words: str
    origin: Square | None = None
    fence: Fence | None = None


@dataclass(frozen=True)
class View:
    """A position as the pictures need it.

    Attributes:
        size: squares on a side.
        seats: in seat order.
        fences: all on the board.
        last: the move that led here, None where none is known.
        last_words: the same in words.
        status: whose turn it is or how the game ended.
        plies: how many were played, in words.
        position: one-line form.
    """

    size: int
    seats: tuple[Seat, ...]
    fences: tuple[Fence, ...]
    last: LastMove | None
    last_words: str
    status: str
    plies: str
    position: str


def view_of(state: QuoridorState) -> View:
    """Return what there is to show of a state."""
    last = _last_move(state)
    flat = [(*anchor, False) for anchor in state.horizontal_fences]
    upright = [(*anchor, True) for anchor in state.vertical_fences]
    return View(
        size=state.game.board_size,
        seats=_seats(state),
        fences=(*flat, *upright),
        last=last,
        last_words=f"seat {last.seat}, {last.words}" if last else "none yet" if state.ply == 0 else "not known",
        status=_status(state),
        plies=f"{state.ply} {'ply' if state.ply == 1 else 'plies'} played",
        position=state.to_text(),
    )


def _seats(state: QuoridorState) -> tuple[Seat, ...]:
    size, players = state.game.board_size, state.game.num_players
    goals = (f"rank {size}", f"file {FILES[size - 1]}", "rank 1", "file a")
    roles = {state.winner: "won"} if state.is_terminal() else {state.seat: "to move"}
    shown = zip(state.pawns, state.fences_left, state.distances(), strict=True)
    return tuple(
        Seat(seat + 1, pawn, side := seat * 4 // players, goals[side], fences, steps, roles.get(seat, ""))
        for seat, (pawn, fences, steps) in enumerate(shown)
    )


def _last_move(state: QuoridorState) -> LastMove | None:
    if not state.history():
        return None
    before = state.clone()
    name = before.action_to_string(before.undo_action())
    mover = before.seat
    if name[-1] in "hv":
        return LastMove(mover + 1, f"fence {name}", fence=(FILES.index(name[0]), int(name[1]) - 1, name[-1] == "v"))
    origin = before.pawns[mover]
    if origin == state.pawns[mover]:
        return LastMove(mover + 1, "pass (no move)")
    return LastMove(mover + 1, f"pawn {square_name(*origin)} to {name}", origin=origin)


def _status(state: QuoridorState) -> str:
    if state.winner is not None:
        return f"Seat {state.winner + 1} has won"
    if state.is_terminal():
        return "Draw by repetition" if state.end_reason() == "repetition" else "Draw by ply limit"
    return f"Seat {state.seat + 1} to move"
