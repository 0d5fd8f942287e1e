"""The recorded games that a command line names."""

from __future__ import annotations

from pathlib import Path

from ..arena.folder import GAMES
from ..arena.recorded import RecordedGame, read_game, texts_of_games
from ..envs.errors import OptionError, RecordError, RunError
from .common import path_from_words, require_there


def found_games(option: str, words: str) -> list[tuple[str, str]]:
    """Return the games of the file or folder that `words` names, unread; see `texts_of_games`.

    Raises:
        OptionError: if there is no such thing, or it is a folder without games.
        RunError: if it cannot be read or holds nothing.
    """
    path = require_there(path_from_words(option, words) or Path())
    if path.is_dir() and not (path / GAMES).exists():
        raise OptionError(f"{words} holds no {GAMES}; name the folder of a tournament, or a file")
    try:
        return texts_of_games(path)
    except RecordError as error:
        raise RunError(str(error)) from error


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
