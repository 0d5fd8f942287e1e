"""The recorded games that a command line names, and how they are listed."""

from __future__ import annotations

import contextlib
import os
import shlex
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from rich.table import Column, Table

from ..arena.folder import GAMES
from ..arena.recorded import RecordedGame, in_words, read_game, saved_in, texts_of_games
from ..arena.saved import games_folder, read_session
from ..arena.session import Session
from ..envs.errors import OptionError, RecordError, RunError
from .common import console, path_from_words, progress, require_there
from .words import cell, message, say

LATEST = 20
"""Games that are listed where no file is named."""
Numbered = tuple[int, RecordedGame]


def found_games(option: str, words: str) -> list[tuple[str, str]]:
    """Return the games of the file or folder that `words` names, unread; see `texts_of_games`.

    Raises:
        OptionError: if there is no such thing, or it is a folder without games.
        RunError: if it cannot be read or holds nothing.
    """
    path = require_there(_meant(option, words))
    if path.is_dir() and not (path / GAMES).exists() and not saved_in(path):
        raise OptionError(f"{words} holds no {GAMES} and no saved games; name a folder that does, or a file")
    try:
        return texts_of_games(path)
    except RecordError as error:
        raise RunError(str(error)) from error


def saved_game(option: str, words: str, listed: Sequence[str] | None = None) -> tuple[Path, Session]:
    """Return the saved game that was named, and its file.

    Args:
        option: behind which it was named.
        words: a file, or as in the list of the kept games: a bare name, or a number from 1.
        listed: the files of that list as it was shown; default: those of now.

    Raises:
        OptionError: if there is no such file, or it is a folder.
        RecordError: if it can be read, and no saved game is in it that the rules agree with.
    """
    path = _meant(option, words)
    if words.isascii() and words.isdigit() and not os.path.lexists(path):
        places = [place for place, _ in kept_games()] if listed is None else listed
        if not 1 <= int(words[:9]) <= len(places):
            known = f"1..{len(places)}" if places else "none"
            raise OptionError(f"no kept game has the number {words[:9]} (known: {known}), nor a file that name")
        path = Path(places[int(words) - 1])
    if require_there(path).is_dir():
        raise OptionError(f"{path} is a folder; play goes on with one saved game, a file")
    return path, read_session(path)


def _meant(option: str, words: str) -> Path:
    """Return the file that words name: as they are, or else the bare name of a kept game."""
    path = path_from_words(option, words) or Path()
    if not os.path.lexists(path) and path.name == words:
        for name in (words, f"{words}.json"):
            with contextlib.suppress(OSError):  # a name that is too long
                if (games_folder() / name).is_file():
                    return games_folder() / name
    return path


def kept_games() -> list[tuple[str, str]]:
    """Return the latest games that `sekisho play` has kept under names of its own, unread, the newest first.

    Raises:
        RunError: if the folder for them is there and cannot be read.
    """
    folder = games_folder()
    try:
        next(folder.iterdir(), None)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise RunError(f"cannot read {folder}, where games are kept: {error.strerror}") from error
    return saved_in(folder)[:LATEST]


def no_kept_games() -> str:
    """Return in words that no games are kept, and where they are to be; also if they cannot be there."""
    folder = games_folder()
    why = _unwritable(folder)
    if not why:
        return f"No games are kept in {folder} yet; sekisho play keeps there what --save gives no other name."
    return (
        f"No games are kept in {folder}, for it cannot be written ({why}): sekisho play says where it keeps a game "
        f"instead, in {tempfile.gettempdir()} if it can; name the file of one, or choose where by --save."
    )


def _unwritable(folder: Path) -> str:
    """Return why a folder takes, or will take, no files; empty if it does. Nothing is left of the attempt."""
    try:
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        tempfile.TemporaryDirectory(dir=folder).cleanup()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def one_game(words: str, found: list[tuple[str, str]], number: int | None) -> RecordedGame:
    """Return the game that was chosen, checked by the rules.

    Args:
        words: the file, as it was given.
        found: its games, unread.
        number: from 1; None for the only one.

    Raises:
        OptionError: if there is no such game, or one of several is to be chosen.
        RunError: if it is wrong: the file was named properly, what it says is not true.
    """
    if number is None and len(found) > 1:
        raise OptionError(f"{words} holds {len(found)} games; choose one by --game")
    chosen = 1 if number is None else number
    if not 1 <= chosen <= len(found):
        raise OptionError(f"--game must be 1..{len(found)}, not {chosen}")
    try:
        return read_game(*found[chosen - 1])
    except RecordError as error:
        raise RunError(str(error)) from error


def checked(found: list[tuple[str, str]]) -> tuple[list[Numbered], list[str]]:
    """Return the games that the rules agree with, each with its number from 1, and what is wrong with the others."""
    games: list[Numbered] = []
    wrong: list[str] = []
    with progress(wanted=len(found) > LATEST) as bar:
        for number, (place, text) in enumerate(bar.track(found, description="games"), start=1):
            try:
                games.append((number, read_game(place, text)))
            except RecordError as error:
                wrong.append(str(error))
    return games, wrong


def show_kept_games(command: str) -> list[str]:
    """List the latest kept games, say how a command goes on with one, and return their files in the order of the list."""
    found = kept_games()
    games, wrong = checked(found)
    if not games and not wrong:
        say(no_kept_games())
        return []
    say(f"The latest games in {games_folder()}:")
    console().print(table_of(games))
    for line in wrong:
        print(message(line))
    if games:
        number, newest = next((entry for entry in games if entry[1].end is None), games[0])
        print(f"Name one by its number or its file, as in: {command} {number}, which is\n{shlex.quote(newest.place)}")
    return [place for place, _ in found]


def table_of(games: Sequence[Numbered]) -> Table:
    """Return games in a table; those that have a file each with its name and when it was written."""
    if not games or not all(Path(game.place).is_file() for _, game in games):
        table = Table("game", "seats", "plies", "end", "returns")
        for number, game in games:
            points = " ".join(f"{value:+.2g}" for value in game.returns)
            table.add_row(str(number), cell(_seats(game)), str(game.length), cell(game.end or ""), points)
        return table
    paths = [Path(game.place) for _, game in games]
    told = all(path.name.startswith(game.state.game.name) for path, (_, game) in zip(paths, games, strict=True))
    table = Table("game", Column("file", no_wrap=True), box=None, pad_edge=False, header_style="")
    for heading in ["written", "seats", "result"] if told else ["of", "written", "seats", "result"]:
        table.add_column(heading, overflow="fold")
    for path, (number, game) in zip(paths, games, strict=True):
        written = datetime.fromtimestamp(path.stat().st_mtime).strftime("%m-%d %H:%M")
        of = [] if told else [cell(game.state.game.name)]
        table.add_row(str(number), cell(_bare(path)), *of, written, cell(_seats(game)), cell(_result(game)))
    return table


def _bare(path: Path) -> str:
    """Return the shortest name by which a file can be named: of a kept game the one without ``.json``."""
    return path.stem if path.suffix == ".json" and path.parent == games_folder() else path.name


def _seats(game: RecordedGame) -> str:
    return ", ".join(map(in_words, game.seats))


def _result(game: RecordedGame) -> str:
    if game.end is None:
        return f"goes on, ply {game.length}"
    best = [seat + 1 for seat, value in enumerate(game.returns) if value == max(game.returns) > min(game.returns)]
    if not best:
        return f"nobody wins ({game.end})"
    return f"seat {' and '.join(map(str, best))} {'wins' if len(best) == 1 else 'win'} ({game.end})"
