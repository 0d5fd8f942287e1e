"""Where games that are played at a table are kept: a file each, written again after every decision of a person."""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

import filelock

from ..arena.saved import games_folder, is_saved_game, read_json, write_session
from ..arena.session import Session
from ..envs.claims import claimed
from ..envs.errors import OptionError, RecordError, RunError
from ..envs.files import behind_links, require_replaceable
from .words import message

_SECONDS = 1.0  # between two times that a game is written while CPU players play


def free_path(wanted: Path) -> Path:
    """Return `wanted`, or the first of its name with a number that does not exist yet."""
    number, path = 1, wanted
    while os.path.lexists(path):
        number += 1
        path = wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}")
    return path


def require_free(path: Path) -> None:
    """Refuse to write over what is there.

    Raises:
        OptionError: if something of that name exists already, or its folder does not.
    """
    if "\0" in str(path):
        raise OptionError(f"no file can be named {str(path)!r}")
    try:
        if os.path.lexists(path):
            kind = "holds a game" if path.is_file() and _holds_a_game(path) else "exists already"
            hint = f"go on with it by --load {shlex.quote(str(path))}, or name" if "game" in kind else "name"
            raise OptionError(f"{path} {kind}; {hint} another file")
        if not path.parent.is_dir():
            kind = "is a file, no folder" if os.path.lexists(path.parent) else "does not exist"
            raise OptionError(f"the folder {path.parent} {kind}; make it, or name another file")
    except OSError as error:
        raise OptionError(f"cannot use {path}: {error.strerror}") from error


def _holds_a_game(path: Path) -> bool:
    try:
        return is_saved_game(read_json(path))
    except RecordError:
        return False


class Shelf:
    """Keeps one game in a file, which no other process keeps a game in meanwhile.

    Args:
        path: of the file; None for one of its own in the user's folder.

    Attributes:
        path: of the file that holds the game or is to hold it; None as long as nobody has named one and nothing was
            written.
        trouble: why the game is not kept in the file that somebody named, or could not be written at all; else empty.

    Raises:
        OptionError: if another process keeps a game in the file, or nothing may be written to it.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.trouble = ""
        self._named = path
        self._lost = False  # whether the last attempt to write the game has failed everywhere
        self._told = ""
        self._written_at = -math.inf
        self._lock = None if path is None else _claimed_to_write(path)

    def probe(self, session: Session) -> None:
        """Write the game for the first time, to find out now whether the file that was named can be written.

        Raises:
            OptionError: if it cannot.
        """
        if self.path is not None:
            try:
                write_session(self.path, session)
            except RunError as error:
                self.release()
                raise OptionError(f"{error}; name another file") from error

    def keep(self, session: Session) -> bool:
        """Write the game and return whether it is safe; a game without a file and a move needs no writing.

        Where its file cannot be written another is found, in the user's folder or that for temporary files; that is
        said on stderr, once.
        """
        if self.path is None and not session.ply and session.conceded is None and not self._lost:
            return True
        failures: list[str] = []
        self._lost = not (self._write_where_it_is(session, failures) or self._write_elsewhere(session, failures))
        self._written_at = time.monotonic()
        if failures:
            going_on = "it is tried again after every move" if self._lost else f"the game is kept in {self.path} now"
            self._say_once(f"{failures[0]}; {going_on}")
        if failures and (self._lost or self._named is not None):
            self.trouble = failures[0]
        elif not self._lost and self._named in (None, self.path):
            self.trouble = ""
        return not self._lost

    def keep_now_and_then(self, session: Session) -> None:
        """Write the game unless that was done within the last second: for CPU players, who may play hundreds of plies."""
        if time.monotonic() - self._written_at >= _SECONDS:
            self.keep(session)

    def _say_once(self, what: str) -> None:
        if what != self._told:
            with contextlib.suppress(OSError, ValueError):  # a terminal that is gone
                print(message(f"sekisho: {what}", wrap=False), file=sys.stderr)
        self._told = what

    def _write_where_it_is(self, session: Session, failures: list[str]) -> bool:
        if self.path is None:
            return False
        try:
            write_session(self.path, session)
        except RunError as error:
            failures.append(str(error))
            return False
        return True

    def _write_elsewhere(self, session: Session, failures: list[str]) -> bool:
        """Write the game into a new file of its own, and stay there; add why folders failed."""
        name = f"{session.game.name}-{datetime.now().strftime('%Y%m%d-%H%M%S')}.json"
        for folder in (games_folder(), Path(tempfile.gettempdir())):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                path, lock = _claimed_free(folder / name)
                self._settle_in(path, lock, session)
                return True
            except RunError as error:
                failures.append(str(error))
            except OSError as error:
                failures.append(f"cannot use the folder {folder}: {error.strerror or error}")
        return False

    def move_to(self, path: Path, session: Session) -> None:
        """Keep the game in another file from now on; the one before stays as it is.

        Raises:
            OptionError: if something of that name exists already.
            RunError: if it cannot be written.
        """
        if path == self.path:
            write_session(path, session)
        else:
            require_free(path)
            self._settle_in(path, _claimed(path), session)
        self._named, self.trouble, self._lost, self._told = path, "", False, ""

    def _settle_in(self, path: Path, lock: filelock.BaseFileLock | None, session: Session) -> None:
        """Write the game to a file that has been claimed, and keep it there from then on."""
        try:
            write_session(path, session)
        except BaseException:
            _released(path, lock)
            raise
        self.release()
        self.path, self._lock = path, lock

    def next(self) -> Shelf:
        """Return where a rematch is kept: beside the game before, under a name of its own."""
        if self._named is None or self.path != self._named:
            following = Shelf(None)
            following._named, following.trouble = self._named, self.trouble
            return following
        return Shelf(free_path(self._named))

    def release(self) -> None:
        """Let other processes keep a game in the file."""
        if self.path is not None and self._lock is not None:
            _released(self.path, self._lock)
            self._lock = None

    def where(self, game: str = "The game") -> str:
        """Return in words where the game is kept; the name stands on a line of its own, so that it can be copied.

        Args:
            game: what to call it.
        """
        if self._lost:
            return f"{game} is not saved: {self.trouble}. Name another file, as in: save other.json"
        return "Nothing was played yet." if self.path is None else f"{game} is kept in\n{shlex.quote(str(self.path))}"

    def farewell(self, session: Session) -> str:
        """Return in words where the game is, and how to go on; where it could not be written, its moves instead."""
        if self._lost:
            moves = " ".join(session.state.moves())
            return f"The game could not be saved: {self.trouble}.\nIts moves, with seed {session.seed}: {moves}"
        if self.path is None:
            return "Nothing was played, so nothing was saved."
        path = shlex.quote(str(self.path))
        if session.is_over:
            return f"The game is in {path}\nLook at it: sekisho replay {path}"
        seats = f" {session.named_seats()}" if session.programs else ""
        return f"The game is saved in {path}\nGo on:     sekisho play --load {path}{seats}"


# --- one process a file ----------------------------------------------------------------------------------------------


def _lock_file(path: Path) -> Path:
    """Return the file of the lock; however many links lead to a file, it has one."""
    place = behind_links(path)
    return place.with_name(f".{place.name}.lock")


def _claimed_to_write(path: Path) -> filelock.BaseFileLock | None:
    """Keep other processes off a file in which a game is to be kept, if it may be written.

    Raises:
        OptionError: if it may not, or another process is there already.
    """
    try:
        require_replaceable(path)
    except OSError as error:
        raise OptionError(
            f"no game can be kept in {path}: {error.strerror}; name another file to go on in, as in: "
            "sekisho play --load FILE --save other.json"
        ) from error
    return _claimed(path)


def _claimed(path: Path) -> filelock.BaseFileLock | None:
    """Keep other processes off a file; None where no lock can be made, for there no game can be written either.

    Raises:
        OptionError: if another process is there already.
    """
    try:
        return claimed(_lock_file(path))
    except filelock.Timeout as error:
        raise OptionError(f"another sekisho keeps its game in {path}; end it first, or name another file") from error
    except (OSError, ValueError):
        return None


def _claimed_free(wanted: Path) -> tuple[Path, filelock.BaseFileLock | None]:
    """Return `wanted` or the first of its name with a number that nobody has or is about to make, and its lock."""
    while True:
        path = free_path(wanted)
        try:
            lock = _claimed(path)
        except OptionError:  # somebody begins a game in this very second
            wanted = path.with_name(f"{path.stem}-{os.getpid()}{path.suffix}")
            continue
        if not os.path.lexists(path):
            return path, lock
        _released(path, lock)


def _released(path: Path, lock: filelock.BaseFileLock | None) -> None:
    if lock is not None:
        with contextlib.suppress(OSError):
            _lock_file(path).unlink(missing_ok=True)  # while it is ours still
        lock.release()
