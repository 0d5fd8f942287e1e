"""Whatever file holds recorded games: a tournament's folder or its lines, a saved game, the dict form of a state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..envs.core import State
from ..envs.errors import RecordError, SekishoError
from ..envs.registry import state_from_dict
from .folder import GAMES
from .records import GameRecord
from .saved import from_document, is_saved_game

_STATE_KEYS = {"game", "rules", "start", "moves", "position"}


@dataclass(frozen=True)
class RecordedGame:
    """A game that was read, every move of it checked by the rules.

    Attributes:
        place: where it was found, in words.
        seats: who played, in seat order; empty where the file does not say.
        state: the last position, with the way there.
        returns: what each seat was paid, in seat order; zeros while the game goes on.
        end: why it was over, None while it goes on.
        opening: how many plies at its beginning were random.
        notes: what the moves do not tell, each with its ply.
    """

    place: str
    seats: tuple[str, ...]
    state: State
    returns: tuple[float, ...]
    end: str | None
    opening: int = 0
    notes: tuple[tuple[int, str], ...] = ()

    def seat_name(self, seat: int) -> str:
        """Return a seat with its player, such as ``seat 1 (heuristic)``."""
        return f"seat {seat + 1} ({self.seats[seat]})" if self.seats else f"seat {seat + 1}"

    @property
    def length(self) -> int:
        """How many plies it has, throws included."""
        return len(self.state.history())

    def position(self, ply: int) -> State:
        """Return the position after so many plies, ``0 .. length``."""
        walk = self.state.clone()
        for _ in range(self.length - ply):
            walk.undo_action()
        return walk

    def plies(self) -> Iterator[tuple[State, int]]:
        """Yield every action with the state in which it was played; clone a state that is to be kept."""
        walk = self.position(0)
        for action in self.state.history():
            yield walk, action
            walk.apply_action(action)

    def data(self) -> dict[str, Any]:
        """Return the game as JSON values."""
        state = self.state
        return {
            "place": self.place, "game": state.game.name, "rules": dict(state.game.options), "seats": list(self.seats),
            "plies": self.length, "moves": state.moves(), "position": state.to_text(),
            "returns": list(self.returns), "end": self.end, "opening": self.opening,
            "notes": [{"ply": ply, "text": text} for ply, text in self.notes],
        }  # fmt: skip


def texts_of_games(path: Path) -> list[tuple[str, str]]:
    """Return the games of a file or a tournament's folder unread: where each stands, in words, and its JSON.

    Raises:
        RecordError: if there is nothing to read.
    """
    file = path / GAMES if path.is_dir() else path
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # a ValueError for other letters than UTF-8
        reason = getattr(error, "strerror", None) or str(error)
        raise RecordError(f"cannot read {file}: {reason}") from error
    if not text.strip():
        raise RecordError(f"{file} is empty")
    lines = [(f"{file}, line {number}", line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    return [(str(file), text)] if len(lines) > 1 and _is_one_document(text, lines[0][1]) else lines


def _is_one_document(text: str, first_line: str) -> bool:
    """Return whether a text is one JSON document laid out over many lines, also one that breaks off."""
    try:
        json.loads(first_line)
        return False
    except (ValueError, RecursionError):
        pass
    try:
        json.loads(text)
        return True
    except (ValueError, RecursionError):
        return first_line.strip() in ("{", "[")


def read_game(place: str, text: str) -> RecordedGame:
    """Return the game that a text holds, checked move by move.

    Raises:
        RecordError: saying where it stands and what is wrong: the first illegal move, or what contradicts the moves.
    """
    try:
        return _read(place, text)
    except SekishoError as error:
        raise RecordError(f"{place}: {error}") from error


def _read(place: str, text: str) -> RecordedGame:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not JSON: {error}") from error
    if is_saved_game(data):
        session = from_document(data)
        return RecordedGame(
            place, tuple(player.spec for player in session.players), session.state, tuple(session.returns()),
            session.end_reason(), notes=tuple(session.notes),
        )  # fmt: skip
    if isinstance(data, dict) and set(data) >= _STATE_KEYS:
        state = state_from_dict(data)
        return RecordedGame(place, (), state, tuple(state.returns()), state.end_reason())
    record = GameRecord.from_json(text)
    state, forfeit = record.replay(), record.forfeit
    reason = () if forfeit is None else ((len(record.moves), f"seat {forfeit.seat + 1} forfeits: {forfeit.reason}"),)
    return RecordedGame(place, record.agents, state, record.returns, record.end, record.opening, reason)


def read_games(path: Path) -> Iterator[RecordedGame]:
    """Yield the games of a file or a tournament's folder, each checked; see `read_game`."""
    for place, text in texts_of_games(path):
        yield read_game(place, text)
