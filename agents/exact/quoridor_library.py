"""Where tables of Quoridor are found: those that ship, those in the user's cache folder, and those made on first use."""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path

from ...envs.quoridor.rules import Quoridor
from .. import store
from . import quoridor_solver, quoridor_table
from .keeping import Progress, cache_path, kept, named, solve_into
from .quoridor_table import QuoridorTable, described, identity, solved_game
from .waiting import bar

MOST_ON_FIRST_USE = 1e9
"""Positions of a game, about, that an agent solves when it is first asked to play it."""

_log = logging.getLogger("sekisho")


def table_path(game: Quoridor) -> Path:
    """Return where the user's cache folder has, or would have, the table of a game."""
    return cache_path(f"quoridor-{game.board_size}", identity(solved_game(game)))


def find(game: Quoridor) -> QuoridorTable | None:
    """Return the table of a game if it ships or is in the cache folder; else None; see `keeping.kept`."""
    solved = solved_game(game)
    path = store.shipped_table("quoridor", identity(solved))
    if path is not None:
        return quoridor_table.load(path, solved)
    return kept(table_path(game), lambda path: quoridor_table.load(path, solved))


def where(game: Quoridor) -> Path:
    """Return the file in which `find` looks: one that ships, or else in the cache folder."""
    return store.shipped_table("quoridor", identity(solved_game(game))) or table_path(game)


def load_file(path: Path, game: Quoridor) -> QuoridorTable:
    """Return the table in a file that somebody names; see `keeping.named`."""
    return named(path, lambda path: quoridor_table.load(path, solved_game(game)))


@lru_cache(maxsize=8)
def table_for(game: Quoridor) -> QuoridorTable:
    """Return the table of a game, which is solved on first use if it is not too large.

    Raises:
        AgentError: if it cannot be solved or is too large.
    """
    table = find(game)
    if table is not None:
        return table
    quoridor_solver.check_size(game, MOST_ON_FIRST_USE)
    _log.warning("sekisho: solving %s (only the first time) ...", described(game))
    with bar() as progress:
        return solve_and_keep(game, progress=progress, waits=True)


def require_size(game: Quoridor) -> None:
    """Raise `AgentError` if the game cannot be solved, or is too large for that on first use and has no table yet."""
    if not table_path(game).is_file():
        quoridor_solver.check_size(game, MOST_ON_FIRST_USE)


def solve_and_keep(
    game: Quoridor, output: Path | None = None, progress: Progress | None = None, waits: bool = False
) -> QuoridorTable:
    """Solve a game and write the table; see `keeping.solve_into`.

    Args:
        game: the rules.
        output: file for the table; default: in the cache folder, where one that cannot be written is only said.
        progress: told how far it is.
        waits: whether to wait for another process that is solving the game, and then to take its table.
    """
    return solve_into(
        output or table_path(game), output is None, identity(solved_game(game)),
        lambda resume, save: quoridor_solver.solve(game, progress, resume, save),
        (lambda: find(game)) if waits else None,
    )  # fmt: skip
