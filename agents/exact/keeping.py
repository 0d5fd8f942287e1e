"""How every solver keeps its tables: where they lie, who may write them, what a stopped run leaves, what is damaged."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import filelock

from ...envs.compiling import cache_folder
from ...envs.errors import RunError, TableError
from .table_file import Arrays, read_table, write_table

CHECKPOINT_SECONDS = 60.0

Progress = Callable[[str, int, int | None], None]
"""Told what is done (``positions``, ``sweeps``), how much of it, and of how much, if that is known."""
Checkpoint = tuple[Arrays, dict[str, Any]]
"""What a run has found so far, and how far it was."""
Save = Callable[[Arrays, dict[str, Any]], None]
"""Told by a run how far it is, as often as it likes."""

_log = logging.getLogger("sekisho")


class Table(Protocol):
    """What a solver makes."""

    def save(self, path: Path) -> None:
        """Write the table."""


AnyTable = TypeVar("AnyTable", bound=Table)


def cache_path(name: str, wanted: Mapping[str, Any]) -> Path:
    """Return where the user's cache folder has, or would have, the table that says `wanted` of itself."""
    words = json.dumps(wanted, sort_keys=True)
    return cache_folder() / "tables" / f"{name}-{hashlib.sha256(words.encode()).hexdigest()[:16]}.safetensors"


def kept(path: Path, load: Callable[[Path], AnyTable]) -> AnyTable | None:
    """Return the table in a file of the cache folder, or None; a damaged one is not used, which a warning says."""
    if not path.is_file():
        return None
    try:
        return load(path)
    except TableError as error:
        _log.warning("sekisho: a table in the cache folder cannot be used, so it is made again: %s", error)
        return None


def named(path: Path, load: Callable[[Path], AnyTable]) -> AnyTable:
    """Return the table in a file that somebody names.

    Raises:
        TableError: if it cannot be read, is damaged, or belongs to another game, other rules or another version.
    """
    try:
        return load(path)
    except OSError as error:
        raise TableError(f"cannot read the table {path}: {error.strerror or error}") from error


def solve_into(
    path: Path,
    may_fail: bool,
    wanted: Mapping[str, Any],
    solve: Callable[[Checkpoint | None, Save], AnyTable],
    find: Callable[[], AnyTable | None] | None = None,
) -> AnyTable:
    """Solve a game, going on where a run that was stopped has left off, and write the table.

    Args:
        path: file for the table.
        may_fail: whether a table that cannot be written is only worth a warning.
        wanted: what the table says of itself.
        solve: makes the table, given what a stopped run has left (or None) and whom to tell how far it is.
        find: looks for the table again after another process that was solving the game has been waited for; without
            it nobody waits.

    Raises:
        RunError: if another process is solving the game, or if the file cannot be written.
    """
    with _alone(path.with_name(path.name + ".lock"), may_fail, waits=find is not None):
        found = find() if find is not None else None
        if found is not None:
            return found
        _sweep_up(path)
        unfinished = Unfinished(path.with_name(path.name + ".part"), wanted)
        table = solve(unfinished.read(), unfinished.write)
        try:
            table.save(path)
        except OSError as error:
            message = f"the table is solved but cannot be written to {path}: {error.strerror or error}"
            if not may_fail:
                raise RunError(message) from error
            _log.warning("sekisho: %s", message)
            return table
        unfinished.remove()
    return table


@contextlib.contextmanager
def _alone(path: Path, may_fail: bool, waits: bool) -> Iterator[None]:
    """Keep other processes from solving the same game into the same file, or wait for one that does."""
    lock = filelock.FileLock(path, timeout=-1 if waits else 0)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
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
        if not may_fail:  # beside a file of the user's nothing is left; those who wait for the cache need it
            with contextlib.suppress(OSError):
                path.unlink()


def _sweep_up(path: Path) -> None:
    """Remove the half-written files of a run that was killed."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*"):
        with contextlib.suppress(OSError):
            left.unlink()


class Unfinished:
    """What a run that takes minutes leaves behind, so that the next one goes on from there."""

    def __init__(self, path: Path, wanted: Mapping[str, Any], clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._wanted = {**wanted, "unfinished": True}
        self._clock = clock
        self._next = clock() + CHECKPOINT_SECONDS

    def read(self) -> Checkpoint | None:
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

    def write(self, arrays: Arrays, facts: dict[str, Any]) -> None:
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
