"""What there is to show of a Tokaido position, in places and words, for whatever kind of picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import kernels as compiled
from .journal import Turn, last_turn
from .phrases import place_name, tell
from .road import ROAD, Fork, Name
from .tables import HOME, RESIGNED, ROLLS

if TYPE_CHECKING:
    from .rules import TokaidoState

EVENT_MEANINGS = {
    "kago": "on to the station named",
    "pass": "back to the station named",
    "barrier": "rest one turn",
    "tororo": "throw again",
    "teahouse": "throw again",
    "river": "stops all who would pass",
    "tailwind": "on, and throw again",
    "rain": "all within a station rest",
    "bandit": "back, swap with the rearmost",
    "courier": "on to the foremost",
    "festival": "everyone one station on",
}
"""What each kind of event does."""


@dataclass(frozen=True)
class Piece:
    """A piece.

    Attributes:
        seat: number of its seat, from 1.
        place: where it stands, as a position's text names it, without a road; ``R`` if it has resigned.
        road: ``c`` or ``d`` for the crossing or the detour that it has chosen, else nothing.
        rests: that it owes.
        arrived: its place in Kyoto, None on the way.
        moves: whether it is its turn.
        came_from: where it stood before the last turn, if that was elsewhere.
        words: where it is, for people.
    """

    seat: int
    place: str
    road: str
    rests: int
    arrived: int | None
    moves: bool
    came_from: str | None
    words: str


@dataclass(frozen=True)
class View:
    """A position as the pictures need it.

    Attributes:
        pieces: in seat order.
        forks: the forks that divide the road under these rules, by station.
        rejoins: station at which each detour ends, by the station of its fork.
        dice: faces that lie on the table: two, one, or none.
        status: whose turn it is and for what, or how the game ended.
        last: the last turn that was played, in English and in Japanese; empty at the start.
        position: one-line form.
    """

    pieces: tuple[Piece, ...]
    forks: dict[int, Fork]
    rejoins: dict[int, int]
    dice: tuple[int, ...]
    status: str
    last: tuple[str, str]
    position: str

    def standing(self, place: str) -> list[Piece]:
        """Return the pieces that stand on a place."""
        return [piece for piece in self.pieces if piece.place == place]

    def left(self, place: str) -> list[Piece]:
        """Return the pieces that left a place in the last turn."""
        return [piece for piece in self.pieces if piece.came_from == place]


def view_of(state: TokaidoState) -> View:
    """Return what is to be shown of `state`."""
    walker = state.game.walker
    last = last_turn(state)
    way = walker.options["detour_rejoins"]
    return View(
        pieces=tuple(_pieces(state, last)),
        forks={fork.station: fork for fork in walker.forks.values()},
        rejoins={fork.station: fork.rejoins[way] for fork in walker.forks.values()},
        dice=_dice(state),
        status=_status(state),
        last=_told(last) if last else ("", ""),
        position=state.to_text(),
    )


def _pieces(state: TokaidoState, last: Turn | None) -> Iterable[Piece]:
    came_from: dict[int, str] = {}
    for happening in last.happenings if last else ():
        if happening.what in ("move", "carried", "crossed", "resigned") and happening.start:
            came_from.setdefault(happening.seat, bare(happening.start))
    for seat, (name, rests) in enumerate(zip(state.places, state.rests, strict=True)):
        place, _, arrived = name.partition("#")
        here = bare(place)
        left = came_from.get(seat)
        moves = seat == state.seat and not state.is_terminal()
        road = place.removeprefix(here)
        words = _piece_words(here, road, int(arrived or 0))
        yield Piece(
            seat + 1, here, road, rests, int(arrived or 0) or None, moves, left if left != here else None, words
        )


def bare(place: str) -> str:
    """Return a place without the road that was chosen there."""
    return place.rstrip("cd")


def _piece_words(place: str, road: str, arrived: int) -> str:
    if place == "R":
        return "resigned"
    if arrived:
        return f"{place} {place_name(place, 'en')}, number {arrived}"
    words = f"{place} {place_name(place, 'en')}"
    if road:
        fork = ROAD.forks[int(place)]
        words += f", {(fork.crossing if road == 'c' else fork.detour).romaji}"
    return words


def _dice(state: TokaidoState) -> tuple[int, ...]:
    roll = int(state.words[compiled.WAITS]) - compiled.ROLL
    return ROLLS[roll] if roll >= 0 else ()


def _status(state: TokaidoState) -> str:
    if state.is_terminal():
        return f"Over: {_ending(state)}"
    if state.is_chance_node():
        crossing = state.places[state.seat].endswith("c")
        return f"Seat {state.seat + 1} throws {'the crossing die' if crossing else 'two dice'}"
    legal = [state.action_to_string(action) for action in state.legal_actions() if action != compiled.RESIGN]
    return f"Seat {state.seat + 1} chooses {' or '.join(legal)}"


def _ending(state: TokaidoState) -> str:
    if state.end_reason() == "max_turns":
        return "no turns are left"
    if state.end_reason() == "goal" and state.game.options["finish"] == "first":
        return f"seat {state.spots.index(HOME) + 1} is the first in Kyoto"
    return "one is left" if RESIGNED in state.places else "all places are taken"


def _told(turn: Turn) -> tuple[str, str]:
    throws = " ".join(move for move in turn.moves if move.startswith("["))
    return f"{throws} {tell(turn.happenings, 'en')}".strip(), tell(turn.happenings, "ja")


def names_of(fork: Fork) -> list[tuple[str, Name]]:
    """Return the places of a detour with their names, in walking order."""
    return [(f"{fork.station}d{number}", name) for number, name in enumerate(fork.detour_stations, start=1)]
