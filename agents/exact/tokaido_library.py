"""Where tables of Tokaido are found: those that ship, those in the user's cache folder, and those made on first use."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import filelock

from ...envs.compiling import cache_folder
from ...envs.errors import AgentError, RunError, TableError
from ...envs.tokaido.rules import Tokaido
from .. import store
from . import tokaido_solver, tokaido_table
from .table_file import read_table, write_table
from .tokaido_nodes import Progress
from .tokaido_table import TokaidoTable, identity, solved_game
from .waiting import bar

MOST_PLAYERS_ON_FIRST_USE = 3
CHECKPOINT_SECONDS = 60.0

_log = logging.getLogger("sekisho")


def table_path(game: Tokaido, utility: str) -> Path:
    """Return where the user's cache folder has, or would have, the table of a game."""
    words = json.dumps(identity(solved_game(game), utility), sort_keys=True)
    name = f"tokaido-{game.num_players}-{hashlib.sha256(words.encode()).hexdigest()[:16]}.safetensors"
    return cache_folder() / "tables" / name


def find(game: Tokaido, utility: str = "place_points") -> TokaidoTable | None:
    """Return the table of a game if it ships or is in the cache folder; else None.

    A table in the cache folder that is damaged is not used, which is said in a warning.
    """
    solved = solved_game(game)
    wanted = identity(solved, utility)
    path = store.shipped_table("tokaido", wanted)
    if path is not None:
        return _ready(tokaido_table.load(path, solved, utility))
    path = table_path(game, utility)
    if not path.is_file():
        return None
    try:
        return _ready(tokaido_table.load(path, solved, utility))
    except TableError as error:
        _log.warning("sekisho: a table in the cache folder cannot be used, so it is made again: %s", error)
        return None


def load_file(path: Path, game: Tokaido, utility: str = "place_points") -> TokaidoTable:
    """Return the table in a file that somebody names.

    Raises:
        TableError: if it cannot be read, is damaged, or belongs to another game, other rules or another version.
    """
    try:
        return _ready(tokaido_table.load(path, solved_game(game), utility))
    except OSError as error:
        raise TableError(f"cannot read the table {path}: {error.strerror or error}") from error


def _ready(table: TokaidoTable) -> TokaidoTable:
    table.solve_from = tokaido_solver.solve_from(table.game, table.utility)
    return table


@lru_cache(maxsize=8)
def table_for(game: Tokaido, utility: str = "place_points") -> TokaidoTable:
    """Return the table of a game; up to three players it is solved on first use.

    Raises:
        AgentError: with more players as long as nobody has solved the game; it says how.
    """
    table = find(game, utility)
    if table is not None:
        return table
    if game.num_players > MOST_PLAYERS_ON_FIRST_USE:
        raise AgentError(f"there is no table yet for {described(game)}: make it once with `{command(game, utility)}`")
    tokaido_solver.check_size(solved_game(game))
    _log.warning("sekisho: solving %s (only the first time, up to a minute) ...", described(game))
    with bar() as progress:
        return solve_and_keep(game, utility, progress=progress)


def described(game: Tokaido) -> str:
    """Return a game in words, with the options that are not the usual ones."""
    usual = Tokaido(players=game.num_players).options
    other = [f"{name}={value}" for name, value in game.options.items() if value != usual[name]]
    return f"tokaido with {game.num_players} players" + (f" ({', '.join(other)})" if other else "")


def command(game: Tokaido, utility: str) -> str:
    """Return the command that solves a game."""
    solved = solved_game(game)
    usual = Tokaido(players=game.num_players).options
    rules = ",".join(
        f"{name}={str(value).lower()}" for name, value in solved.options.items() if value != usual[name]
    )  # fmt: skip
    words = f"sekisho solve tokaido --players {game.num_players}" + (f" --rules {rules}" if rules else "")
    return words + (f" --utility {utility}" if utility != "place_points" else "")


def solve_and_keep(
    game: Tokaido, utility: str = "place_points", output: Path | None = None, progress: Progress | None = None
) -> TokaidoTable:
    """Solve a game, going on where a run that was stopped has left off, and write the table.

    Args:
        game: the rules.
        utility: one of `UTILITIES`.
        output: file for the table; default: in the cache folder, where one that cannot be written is only said.
        progress: told how far it is.

    Raises:
        RunError: if it cannot be solved, if another process is solving it, or if `output` cannot be written.
    """
    path = output or table_path(game, utility)
    with _alone(path.with_name(path.name + ".lock"), may_fail=output is None):
        _sweep_up(path)
        checkpoint = _Checkpoint(path.with_name(path.name + ".part"), identity(solved_game(game), utility))
        table = tokaido_solver.solve(
            game, utility, progress=progress, resume=checkpoint.read(), save=checkpoint.write
        )  # fmt: skip
        try:
            table.save(path)
        except OSError as error:
            message = f"the table is solved but cannot be written to {path}: {error.strerror or error}"
            if output is not None:
                raise RunError(message) from error
            _log.warning("sekisho: %s", message)
            return table
        checkpoint.remove()
    return table


@contextlib.contextmanager
def _alone(path: Path, may_fail: bool) -> Iterator[None]:
    """Keep other processes from solving the same game into the same file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(path, timeout=0)
        lock.acquire()
    except filelock.Timeout as error:
        raise RunError(f"another process is solving this game into {path.parent}: wait for it to end") from error
    except OSError as error:
        if not may_fail:
            raise RunError(f"cannot write to {path.parent}: {error.strerror or error}") from error
        yield
        return
    try:
        yield
    finally:
        lock.release()
        with contextlib.suppress(OSError):
            path.unlink()


def _sweep_up(path: Path) -> None:
    """Remove the half-written files of a run that was killed."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*"):
        with contextlib.suppress(OSError):
            left.unlink()


class _Checkpoint:
    """What a run that takes minutes leaves behind, so that the next one goes on from there."""

    def __init__(self, path: Path, wanted: dict[str, Any], clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._wanted = {**wanted, "unfinished": True}
        self._clock = clock
        self._next = clock() + CHECKPOINT_SECONDS

    def read(self) -> tokaido_solver.Checkpoint | None:
        """Return what was left, or None; what is damaged or belongs to something else is not used."""
        try:
            arrays, description = read_table(self._path)
        except FileNotFoundError:
            return None
        except (TableError, OSError) as error:
            _log.warning("sekisho: what a stopped run has left cannot be used, so it starts from nothing: %s", error)
            return None
        facts = description.pop("facts", {})
        return (arrays, facts) if description == self._wanted else None

    def write(self, arrays: dict[str, Any], facts: dict[str, Any]) -> None:
        """Keep how far a run is, once a minute."""
        if self._clock() < self._next:
            return
        try:
            write_table(self._path, arrays, {**self._wanted, "facts": facts})
        except OSError as error:
            _log.warning("sekisho: cannot keep how far the run is in %s: %s", self._path, error.strerror or error)
        self._next = self._clock() + CHECKPOINT_SECONDS

    def remove(self) -> None:
        """Forget it: the run is done."""
        with contextlib.suppress(OSError):
            self._path.unlink()
