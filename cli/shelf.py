"""Where games that people play are kept: a file each, written again after every decision."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from ..arena.saved import games_folder, is_saved_game, read_json, write_session
from ..arena.session import Session
from ..envs.errors import OptionError, RecordError, RunError


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
            raise OptionError(f"{path.parent} is no folder; make it, or name another file")
    except OSError as error:
        raise OptionError(f"cannot use {path}: {error.strerror}") from error


def _holds_a_game(path: Path) -> bool:
    try:
        return is_saved_game(read_json(path))
    except RecordError:
        return False


class Shelf:
    """Keeps one game in a file.

    Args:
        path: of the file; None for one of its own in the user's folder.

    Attributes:
        path: of the file; None as long as nothing was written and nobody has named one.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._chosen = path is not None
        self._warned = False

    def keep(self, session: Session) -> None:
        """Write the game, if anything was played; say once, on stderr, where that fails, for the game can go on."""
        if not session.ply and session.conceded is None:
            return
        try:
            self._write(session)
        except RunError as error:
            if not self._warned:
                print(f"sekisho: {error}; it is tried again after every move", file=sys.stderr)
            self._warned = True

    def _write(self, session: Session) -> None:
        if self.path is not None:
            write_session(self.path, session)
            return
        name = f"{session.game.name}-{datetime.now().strftime('%Y%m%d-%H%M%S')}.json"
        failed: RunError | None = None
        for folder in (games_folder(), Path(tempfile.gettempdir())):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                path = free_path(folder / name)
                write_session(path, session)
                self.path = path
                return
            except (OSError, RunError) as error:
                failed = error if isinstance(error, RunError) else RunError(f"cannot use {folder}: {error.strerror}")
        raise failed or RunError("no folder to save the game in")

    def move_to(self, path: Path, session: Session) -> None:
        """Keep the game in another file from now on; the one before stays as it is.

        Raises:
            OptionError: if something of that name exists already.
            RunError: if it cannot be written.
        """
        if path != self.path:
            require_free(path)
        write_session(path, session)
        self.path, self._chosen, self._warned = path, True, False

    def next(self) -> Shelf:
        """Return where a rematch is kept: beside the game before, under a name of its own."""
        return Shelf(free_path(self.path) if self.path is not None and self._chosen else None)

    def farewell(self, session: Session) -> str:
        """Return in words where the game is, and how to go on."""
        if self.path is None:
            return "Nothing was played, so nothing was saved."
        path = shlex.quote(str(self.path))
        if session.is_over:
            return f"The game is in {path}\nLook at it: sekisho replay {path}"
        return f"The game is saved in {path}\nGo on:     sekisho play --load {path}"
