"""Where tables of Tokaido are found: those that ship, those in the user's cache folder, and those made on first use."""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path

from ...envs.errors import AgentError
from ...envs.options import spell_value
from ...envs.tokaido.rules import Tokaido
from .. import store
from . import tokaido_solver, tokaido_table
from .keeping import Progress, cache_path, kept, named, solve_into
from .tokaido_table import TokaidoTable, identity, solved_game
from .waiting import bar

MOST_PLAYERS_ON_FIRST_USE = 3

_log = logging.getLogger("sekisho")


def table_path(game: Tokaido, utility: str) -> Path:
    """Return where the user's cache folder has, or would have, the table of a game."""
    return cache_path(f"tokaido-{game.num_players}", identity(solved_game(game), utility))


def find(game: Tokaido, utility: str = "place_points", shipped_only: bool = False) -> TokaidoTable | None:
    """Return the table of a game if it ships or, unless `shipped_only`, is in the cache folder; else None.

    A table in the cache folder that is damaged is not used, which is said in a warning.
    """
    solved = solved_game(game)
    path = store.shipped_table("tokaido", identity(solved, utility))
    if path is not None:
        return _load(path, solved, utility)
    if shipped_only:
        return None
    return kept(table_path(game, utility), lambda path: _load(path, solved, utility))


def where(game: Tokaido, utility: str = "place_points") -> Path:
    """Return the file in which `find` looks: one that ships, or else in the cache folder."""
    return store.shipped_table("tokaido", identity(solved_game(game), utility)) or table_path(game, utility)


def load_file(path: Path, game: Tokaido, utility: str = "place_points") -> TokaidoTable:
    """Return the table in a file that somebody names; see `keeping.named`."""
    return named(path, lambda path: _load(path, solved_game(game), utility))


def _load(path: Path, game: Tokaido, utility: str) -> TokaidoTable:
    table = tokaido_table.load(path, game, utility)
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
    _require_small(game, utility)
    tokaido_solver.check_size(solved_game(game))
    _log.warning("sekisho: solving %s (only the first time, up to a minute) ...", described(game))
    with bar() as progress:
        return solve_and_keep(game, utility, progress=progress, waits=True)


def require_table(game: Tokaido, utility: str) -> None:
    """Raise `AgentError`, which says what to do, if the game is too large to be solved on first use and is not solved."""
    if not table_path(game, utility).is_file():
        _require_small(game, utility)


def _require_small(game: Tokaido, utility: str) -> None:
    if game.num_players > MOST_PLAYERS_ON_FIRST_USE:
        raise AgentError(f"there is no table yet for {described(game)}: make it once with `{command(game, utility)}`")


def described(game: Tokaido) -> str:
    """Return a game in words, with the options that are not the usual ones."""
    usual = Tokaido(players=game.num_players).options
    other = [f"{name}={spell_value(value)}" for name, value in game.options.items() if value != usual[name]]
    return f"tokaido with {game.num_players} players" + (f" ({', '.join(other)})" if other else "")


def command(game: Tokaido, utility: str) -> str:
    """Return the command that solves a game."""
    solved = solved_game(game)
    usual = Tokaido(players=game.num_players).options
    rules = ",".join(
        f"{name}={spell_value(value)}" for name, value in solved.options.items() if value != usual[name]
    )  # fmt: skip
    words = f"sekisho solve tokaido --players {game.num_players}" + (f" --rules {rules}" if rules else "")
    return words + (f" --utility {utility}" if utility != "place_points" else "")


def solve_and_keep(
    game: Tokaido,
    utility: str = "place_points",
    output: Path | None = None,
    progress: Progress | None = None,
    waits: bool = False,
) -> TokaidoTable:
    """Solve a game, going on where a run that was stopped has left off, and write the table.

    Args:
        game: the rules.
        utility: one of `UTILITIES`.
        output: file for the table; default: in the cache folder, where one that cannot be written is only said.
        progress: told how far it is.
        waits: whether to wait for another process that is solving the game, and then to take its table.

    Raises:
        RunError: if it cannot be solved, if another process is solving it, or if `output` cannot be written.
    """
    return solve_into(
        output or table_path(game, utility), output is None, identity(solved_game(game), utility),
        lambda resume, save: tokaido_solver.solve(game, utility, progress=progress, resume=resume, save=save),
        (lambda: find(game, utility)) if waits else None,
    )  # fmt: skip
