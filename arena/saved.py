"""Saved games: one JSON file each, from which a game goes on as if nothing had happened."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import platformdirs

from ..envs.errors import RecordError, RunError, SekishoError
from ..envs.files import write_text_atomically
from ..envs.registry import state_from_dict
from .players import make_player
from .reading import json_values, text_of
from .session import MAX_SEED, Before, Note, Resignation, Session

KIND, FORMAT = "sekisho game", 1
_KEYS = {"kind", "format", "seats", "seed", "round", "conceded", "notes", "state", "returns", "end"}
_LATER_KEYS = {"before", "given_up"}
"""Keys that files of the first versions lack."""
_MOST_ROUNDS = 10**6


def games_folder() -> Path:
    """Return the folder of the user for games whose file nobody named."""
    try:
        return Path(platformdirs.user_state_dir("sekisho", appauthor=False)).expanduser() / "games"
    except RuntimeError:  # nobody's home
        return Path(tempfile.gettempdir(), "sekisho-games")


def to_document(session: Session) -> dict[str, Any]:
    """Return a game as JSON values.

    ``kind`` and ``format`` name the form; ``seats`` are spec strings in seat order; ``seed`` and ``round`` give the dice;
    ``conceded`` is the seat that gave up where the rules know no resigning (from 0, or null); ``notes`` are ply and text
    of what the moves do not tell; ``given_up`` are seat (from 0), ply and spec string of each person for whom a CPU player
    plays on; ``before`` are seat (from 0), ply and spec string of each player whose seat another took over; ``state`` is the dict form of the state, with all moves; ``returns`` and ``end`` are
    null while the game goes on.
    """
    over = session.is_over
    return {
        "kind": KIND,
        "format": FORMAT,
        "seats": [player.spec for player in session.players],
        "seed": session.seed,
        "round": session.round,
        "conceded": session.conceded,
        "notes": [list(note) for note in session.notes],
        "before": [list(entry) for entry in session.before],
        "given_up": [[seat, *how] for seat, how in session.given_up.items()],
        "state": session.state.to_dict(),
        "returns": session.returns() if over else None,
        "end": session.end_reason() if over else None,
    }


def write_session(path: Path, session: Session) -> None:
    """Write a game to a file, replacing what the file held.

    Raises:
        RunError: if it cannot be written; the file is as it was then.
    """
    try:
        write_text_atomically(path, json.dumps(to_document(session), indent=1, ensure_ascii=False) + "\n")
    except (OSError, ValueError) as error:  # a ValueError for a name with a zero in it
        raise RunError(f"cannot save the game in {path}: {getattr(error, 'strerror', None) or error}") from error


def is_saved_game(data: Any) -> bool:
    """Return whether JSON values claim to be a saved game."""
    return isinstance(data, dict) and data.get("kind") == KIND


def from_document(data: Any) -> Session:
    """Return the game that JSON values hold; every move is checked by the rules.

    Raises:
        RecordError: naming what is missing, malformed, illegal, or contradicts the moves.
    """
    if not is_saved_game(data):
        raise RecordError("this is no saved game of sekisho")
    if set(data) - _LATER_KEYS != _KEYS:
        names = ", ".join(sorted(_KEYS | _LATER_KEYS))
        raise RecordError(f"a saved game has the keys {names}; got {', '.join(sorted(data)):.200}")
    if type(data["format"]) is not int or data["format"] != FORMAT:
        raise RecordError(f"expected a saved game of format {FORMAT}, not {data['format']!r:.80}")
    for key, most in (("seed", MAX_SEED), ("round", _MOST_ROUNDS)):
        if type(data[key]) is not int or not 0 <= data[key] <= most:
            raise RecordError(f"{key!r} must be a whole number in 0..{most}, not {data[key]!r:.80}")
    if not isinstance(data["seats"], list) or not all(isinstance(spec, str) for spec in data["seats"]):
        raise RecordError(f"'seats' must be a list of spec strings, not {data['seats']!r:.80}")
    try:
        state = state_from_dict(data["state"])
        start = state.game.from_text(data["state"]["start"])
        session = Session(start, data["seats"], data["seed"], data["round"])
    except RecordError:
        raise
    except (SekishoError, TypeError) as error:
        raise RecordError(str(error)) from error
    session.state = state
    session.notes = _notes(data["notes"], session.ply)
    session.before = _before(data.get("before", []), session)
    session.given_up = _given_up(data.get("given_up", []), session)
    session.conceded = _conceded(data["conceded"], session)
    found = (data["returns"], data["end"])
    expected = (session.returns(), session.end_reason()) if session.is_over else (None, None)
    if found != expected:
        truth = (
            f"the moves end in {expected[0]} ({expected[1]})" if session.is_over else "the moves do not end the game"
        )
        claim = "that it goes on" if found == (None, None) else f"{found[0]!r:.80} ({found[1]!s:.80})"
        raise RecordError(f"{truth}, but the file says {claim}")
    return session


def _notes(data: Any, plies: int) -> list[Note]:
    if not isinstance(data, list):
        raise RecordError(f"'notes' must be a list, not {data!r:.80}")
    for note in data:
        if not (isinstance(note, list) and len(note) == 2 and type(note[0]) is int and isinstance(note[1], str)):
            raise RecordError(f"a note is a ply and a text, not {note!r:.80}")
        if not 0 <= note[0] <= plies:
            raise RecordError(f"a note belongs to ply 0..{plies}, not {note[0]!r:.80}")
    return [Note(*note) for note in data]


def _before(data: Any, session: Session) -> list[Before]:
    if not isinstance(data, list):
        raise RecordError(f"'before' must be a list, not {data!r:.80}")
    found: list[Before] = []
    for entry in data:
        if not (isinstance(entry, list) and [type(value) for value in entry] == [int, int, str]):
            raise RecordError(f"who sat on a seat before is a seat, a ply and a spec string, not {entry!r:.80}")
        seat, ply, spec = entry
        if not (0 <= seat < len(session.players) and 0 < ply <= session.ply):
            raise RecordError(f"nobody can have taken over seat {seat!r:.80} (from 0) after {ply!r:.80} plies")
        try:
            make_player(spec)
        except SekishoError as error:
            raise RecordError(str(error)) from error
        found.append(Before(seat, ply, spec))
    return sorted(found, key=lambda entry: entry.ply)


def _given_up(data: Any, session: Session) -> dict[int, Resignation]:
    if not isinstance(data, list):
        raise RecordError(f"'given_up' must be a list, not {data!r:.80}")
    found: dict[int, Resignation] = {}
    for entry in data:
        if not (isinstance(entry, list) and [type(value) for value in entry] == [int, int, str]):
            raise RecordError(f"who has given up is a seat, a ply and a spec string, not {entry!r:.80}")
        seat, ply, spec = entry
        if seat in found or not (0 <= seat < len(session.players) and 0 <= ply <= session.ply):
            raise RecordError(f"nobody on seat {seat!r:.80} (from 0) can have given up after {ply!r:.80} plies")
        try:
            person = make_player(spec).is_human
        except SekishoError as error:
            raise RecordError(str(error)) from error
        if not person or session.players[seat].is_human:
            raise RecordError(f"only a person for whom a CPU player plays on has given up, not {spec!r:.80}")
        found[seat] = Resignation(ply, spec)
    return found


def _conceded(data: Any, session: Session) -> int | None:
    if data is None:
        return None
    if type(data) is not int or data not in (0, 1) or session.game.num_players != 2 or session.state.is_terminal():
        raise RecordError(f"'conceded' is a seat (0 or 1) of an unfinished game of two, or null, not {data!r:.80}")
    return data


def read_json(path: Path) -> Any:
    """Return the JSON values of a file.

    Raises:
        RecordError: naming the file, if it cannot be read or is no JSON.
    """
    text = text_of(path)
    try:
        return json_values(text)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from error


def read_session(path: Path) -> Session:
    """Return the game that a file holds.

    Raises:
        RecordError: if it cannot be read, or as `from_document` does; the file is named.
    """
    try:
        return from_document(read_json(path))
    except RecordError as error:
        text = str(error)
        raise RecordError(text if str(path) in text else f"{path}: {text}") from error
