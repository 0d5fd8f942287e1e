"""Whatever holds recorded games: a tournament's folder or its lines, saved games, the dict form of a state."""

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
from .players import make_player
from .reading import MOST_BYTES, json_values, text_of
from .records import GameRecord
from .saved import from_document, is_saved_game
from .session import Before

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
        before: who sat on seats that were taken over, in the order of the plies.
    """

    place: str
    seats: tuple[str, ...]
    state: State
    returns: tuple[float, ...]
    end: str | None
    opening: int = 0
    notes: tuple[tuple[int, str], ...] = ()
    before: tuple[Before, ...] = ()

    def seat_name(self, seat: int, ply: int | None = None) -> str:
        """Return a seat with its player, such as ``seat 1 (heuristic)``.

        Args:
            seat: from 0.
            ply: whose player counts, from 1; default: the last.
        """
        if not self.seats:
            return f"seat {seat + 1}"
        others = [entry.spec for entry in self.before if entry.seat == seat and ply is not None and entry.ply >= ply]
        return f"seat {seat + 1} ({[*others, self.seats[seat]][0]})"

    def seat_history(self, seat: int) -> str:
        """Return a seat with all its players, such as ``seat 1 (random, since ply 12; before: a person)``."""
        earlier = [entry for entry in self.before if entry.seat == seat]
        if not earlier:
            return self.seat_name(seat)
        told = ", ".join(
            in_words(entry.spec) + (f" since ply {previous.ply + 1}" if previous else "")
            for previous, entry in zip([None, *earlier], earlier, strict=False)
        )
        return f"seat {seat + 1} ({in_words(self.seats[seat])}, since ply {earlier[-1].ply + 1}; before: {told})"

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
            "before": [entry._asdict() for entry in self.before],
        }  # fmt: skip


def in_words(spec: str) -> str:
    """Return a player as people call it: a person by name, if there is one, a CPU player by its spec string."""
    try:
        player = make_player(spec)
    except SekishoError:  # of a record from elsewhere, whose agents are not ours
        return spec
    return (player.name or "a person") if player.is_human else spec


def texts_of_games(path: Path) -> list[tuple[str, str]]:
    """Return the games of a file, a tournament's folder or one of saved games unread: the place of each, and its JSON.

    Raises:
        RecordError: if there is nothing to read.
    """
    if path.is_dir() and not (path / GAMES).exists() and (saved := saved_in(path)):
        return saved
    file = path / GAMES if path.is_dir() else path
    text = text_of(file, pipes=True)
    lines = [(f"{file}, line {number}", line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    return [(str(file), text)] if len(lines) > 1 and _is_one_document(text, lines[0][1]) else lines


def saved_in(folder: Path) -> list[tuple[str, str]]:
    """Return the saved games of a folder unread, the one that was written last first: the file of each, and its JSON.

    A file with ``.json`` at its end that is no JSON at all counts as one, so that whoever reads it says what is wrong.
    """
    try:
        files = [file for file in folder.glob("*.json") if file.is_file() and not file.name.startswith(".")]
        files.sort(key=lambda file: (-file.stat().st_mtime_ns, file.name))
        files = [file for file in files if file.stat().st_size <= MOST_BYTES]  # no game is longer
        texts = [(str(file), file.read_text(encoding="utf-8", errors="replace")) for file in files]
    except OSError:  # no such folder, or one that is closed to us
        return []
    return [(place, text) for place, text in texts if _may_be_saved(text)]


def _may_be_saved(text: str) -> bool:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return True
    return is_saved_game(data) or (isinstance(data, dict) and set(data) >= _STATE_KEYS)


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
    data = json_values(text)
    if is_saved_game(data):
        session = from_document(data)
        return RecordedGame(
            place, tuple(player.spec for player in session.players), session.state, tuple(session.returns()),
            session.end_reason(), notes=tuple(session.notes), before=tuple(session.before),
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
