"""The folder of a tournament: what it is, its games as they are played, its standings; it can be resumed."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import filelock

from ..envs.claims import claimed
from ..envs.errors import OptionError, RecordError, RunError
from ..envs.files import write_text_atomically
from .records import GameRecord, read_records
from .tournament import Pairing, Result, Tournament, schedule

DESCRIPTION, GAMES, STANDINGS = "tournament.json", "games.jsonl", "standings.json"
_LOCK = ".lock"

_log = logging.getLogger("sekisho")


@contextmanager
def _errors_in_words(path: Path) -> Iterator[None]:
    """Turn what the system says about the folder `path` into errors of ours."""
    if "\0" in str(path):
        raise OptionError(f"no folder can be named {str(path)!r}")
    try:
        yield
    except FileExistsError as error:
        raise OptionError(f"{path} is a file; name a folder for the output") from error
    except OSError as error:
        raise RunError(f"cannot use {error.filename or path}: {error.strerror}") from error


@contextmanager
def alone_in(path: Path, works: str = "plays") -> Iterator[None]:
    """Keep other processes from playing into the folder `path`.

    It is made if it does not exist, and goes again if nothing was put there.

    Args:
        path: the folder.
        works: what such a process does there, in one word for people.

    Raises:
        OptionError: if another process does so already, or it is no folder.
        RunError: if it cannot be written.
    """
    with _errors_in_words(path):
        made = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True)
        try:
            lock = claimed(path / _LOCK)
        except filelock.Timeout as error:
            raise OptionError(f"another process {works} into {path}; wait for it or choose another folder") from error
    try:
        yield
    finally:
        lock.release()
        if made and [entry.name for entry in path.iterdir()] == [_LOCK]:
            with suppress(OSError):
                (path / _LOCK).unlink()
                for folder in made:
                    folder.rmdir()


class TournamentFolder:
    """A folder with ``tournament.json`` (what is played), ``games.jsonl`` (a record a line), ``standings.json``.

    Args:
        path: made if it does not exist. If it already holds the same tournament, that one is continued.
        tournament: what is to be played.

    Raises:
        OptionError: if it holds another tournament, or is no folder. What it holds is not changed then.
        RecordError: if its games are not the first of this tournament's schedule, or break the rules.
        RunError: if it cannot be written.
    """

    def __init__(self, path: Path, tournament: Tournament) -> None:
        self.path = path
        description = json.dumps(tournament.to_dict(), indent=1, ensure_ascii=False) + "\n"
        with _errors_in_words(path):
            path.mkdir(parents=True, exist_ok=True)
            for name in (DESCRIPTION, GAMES):
                if (path / name).exists() and not (path / name).is_file():
                    raise OptionError(f"{path / name} is no ordinary file; choose another folder")
            described = (path / DESCRIPTION).exists()
            if described:
                self._require_same(json.loads(description))
            self.finished = self._read_games(tournament)
            if not described:
                write_text_atomically(path / DESCRIPTION, description)

    def _require_same(self, wanted: Mapping[str, Any]) -> None:
        try:
            found = json.loads((self.path / DESCRIPTION).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise OptionError(f"{self.path / DESCRIPTION} is damaged ({error}); choose another folder") from error
        if found != wanted:
            found = found if isinstance(found, dict) else {}
            differing = ", ".join(sorted(key for key in wanted if found.get(key) != wanted[key])) or "its form"
            raise OptionError(
                f"{self.path} holds another tournament (it differs in: {differing}); choose another folder"
            )

    def _read_games(self, tournament: Tournament) -> list[Result]:
        """Return the games already played; drop a last line that a stopped run left unfinished."""
        path = self.path / GAMES
        if not path.exists():
            return []
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        finished: list[Result] = []
        pairings = schedule(tournament)
        for number, record in enumerate(islice(read_records(path), content.count(b"\n")), start=1):
            pairing = next(pairings, None)
            if pairing is None or not _belongs(record, pairing, tournament):
                raise RecordError(f"{path}, line {number}: not game {number} of this tournament; choose another folder")
            try:
                record.replay()
            except RecordError as error:
                raise RecordError(f"{path}, line {number}: {error}") from error
            finished.append(Result(pairing, record))
        if whole < len(content):
            _log.warning("sekisho: the last game in %s was not written to its end; it is played again.", path)
            with path.open("r+b") as file:
                file.truncate(whole)
        return finished

    def remaining(self, tournament: Tournament) -> list[Pairing]:
        """Return the games that are still to be played."""
        return list(islice(schedule(tournament), len(self.finished), None))

    def add(self, result: Result) -> None:
        """Append one game.

        Raises:
            RunError: if it cannot be written.
        """
        try:
            with (self.path / GAMES).open("a", encoding="utf-8") as file:
                file.write(result.record.to_json() + "\n")
        except OSError as error:
            raise RunError(f"cannot write to {self.path / GAMES}: {error.strerror}") from error
        self.finished.append(result)

    def write_standings(self, document: Mapping[str, Any]) -> None:
        """Write the standings, replacing older ones."""
        try:
            write_text_atomically(self.path / STANDINGS, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
        except OSError as error:
            raise RunError(f"cannot write to {self.path / STANDINGS}: {error.strerror}") from error


def _belongs(record: GameRecord, pairing: Pairing, tournament: Tournament) -> bool:
    game = tournament.game
    return (
        (record.game, dict(record.rules), record.agents) == (game.name, dict(game.options), pairing.seats)
        and (record.seed, record.table, record.round) == (tournament.seed, pairing.table, pairing.round)
        and record.opening == tournament.opening_plies
    )
