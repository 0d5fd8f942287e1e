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

from ...envs import files
from ...envs.claims import claimed
from ...envs.compiling import cache_folder
from ...envs.errors import OptionError, RunError, TableError
from .table_file import HALF, Arrays, description_of, read_table, write_table

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
    """Return the table in a file of the cache folder, or None; one that is damaged or closed is not used but said."""
    try:
        return load(path) if path.is_file() else None
    except TableError as error:
        _log.warning("sekisho: a table in the cache folder cannot be used: %s", error)
    except OSError as error:
        _log.warning("sekisho: a table in the cache folder cannot be used: %s: %s", path, error.strerror or error)
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
        OptionError: if the file is there and is no table of this game.
        RunError: if another process is solving the game, if the file cannot be written, or if memory does not suffice.
    """
    if not may_fail:
        require_replaceable(path, wanted)
    path = files.behind_links(path)
    with _alone(path.with_name(f".{path.name}.sekisho-lock"), may_fail, waits=find is not None):
        found = find() if find is not None else None
        if found is not None:
            return found
        part = path.with_name(path.name + ".sekisho-part")
        for file in (path, part):
            _sweep_up(file)
        unfinished = Unfinished(part, wanted, overwrites=may_fail)
        try:
            table = solve(unfinished.read(), unfinished.write)
        except MemoryError as error:
            raise RunError("the memory of this machine does not suffice to solve this game") from error
        try:
            save_as(table, path)
        except RunError as error:
            if not may_fail:
                raise
            _log.warning("sekisho: %s", error)
            return table
        unfinished.remove()
    return table


def save_as(table: Table, path: Path) -> None:
    """Write a table; raise `RunError` if it cannot be written."""
    try:
        table.save(path)
    except OSError as error:
        raise RunError(f"cannot write the table, which is solved, to {path}: {error.strerror or error}") from error


def require_replaceable(path: Path, wanted: Mapping[str, Any]) -> None:
    """Refuse a file for a table if what is there already is not a table of the same game.

    Args:
        path: of the file.
        wanted: what the new table says of itself.

    Raises:
        OptionError: if it is something else.
        RunError: if that cannot be seen.
    """
    try:
        if not path.exists():
            return
        there = description_of(path) if path.is_file() else None
        if there is not None:
            files.require_replaceable(path)
    except OSError as error:
        raise RunError(f"cannot write to {path}: {error.strerror or error}") from error
    if there is None:
        raise OptionError(f"{path} is there already and is no table of sekisho: name another file, or remove it")
    if any(there.get(key) != wanted[key] for key in {"game", "rules", "utility"} & wanted.keys()):
        raise OptionError(f"{path} is there already and is a table of another game: name another file, or remove it")


@contextlib.contextmanager
def _alone(path: Path, may_fail: bool, waits: bool) -> Iterator[None]:
    """Keep other processes from solving the same game into the same file, or wait for one that does."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = claimed(path, waits)
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
    """Remove the half-written files of a run that was killed; see `table_file.write_table` for their names."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.????????{HALF}"):
        with contextlib.suppress(OSError):
            left.unlink()


class Unfinished:
    """What a run that takes minutes leaves behind, so that the next one goes on from there.

    A file of its name that is something else stays as it is, unless the run `overwrites` it (in the cache folder).
    """

    def __init__(
        self, path: Path, wanted: Mapping[str, Any], overwrites: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._path = path
        self._overwrites = self._ours = overwrites
        self._wanted = {**wanted, "unfinished": True}
        self._clock = clock
        self._next = clock() + CHECKPOINT_SECONDS
        self._has_complained = False

    def read(self) -> Checkpoint | None:
        """Return what was left, or None; what is damaged or belongs to something else is not used."""
        try:
            arrays, description = read_table(self._path)
        except (FileNotFoundError, NotADirectoryError):
            self._ours = True
            return None
        except (TableError, OSError) as error:
            self._say_unused(str(error))
            return None
        facts = description.pop("facts", {})
        if description != self._wanted:
            self._say_unused(f"{self._path} belongs to a run for other rules")
            return None
        self._ours = True
        _log.warning("sekisho: going on from what a stopped run has left in %s", self._path)
        return arrays, facts

    def _say_unused(self, reason: str) -> None:
        stays = "" if self._overwrites else "; it stays as it is, and until it is removed nothing is kept on the way"
        _log.warning(
            "sekisho: what a stopped run has left cannot be used, so it starts from nothing%s: %s", stays, reason
        )

    def write(self, arrays: Arrays, facts: dict[str, Any]) -> None:
        """Keep how far a run is, once a minute."""
        if not self._ours or self._clock() < self._next:
            return
        try:
            write_table(self._path, arrays, {**self._wanted, "facts": facts})
        except OSError as error:
            if not self._has_complained:
                _log.warning("sekisho: cannot keep how far the run is in %s: %s", self._path, error.strerror or error)
            self._has_complained = True
        self._next = self._clock() + CHECKPOINT_SECONDS

    def remove(self) -> None:
        """Forget it: the run is done."""
        if not self._ours:
            return
        with contextlib.suppress(OSError):
            self._path.unlink()
