"""`sekisho solve tokaido`."""

from __future__ import annotations

import sys
import time
from typing import Any, cast

from rich.table import Table

from ..agents.exact import tokaido_library, tokaido_solver
from ..agents.exact.tokaido_table import UTILITIES, TokaidoTable
from ..agents.exact.waiting import bar
from ..envs.core import Game
from ..envs.errors import OptionError, RunError, nearest
from ..envs.tokaido.rules import Tokaido
from .common import console, print_json
from .solve import Command


def run(command: Command, game: Game) -> None:
    """Solve the game, keep the table and print what it says of the start."""
    tokaido = cast(Tokaido, game)
    if command.utility not in UTILITIES:
        raise OptionError(f"--utility {command.utility!r}: {nearest(command.utility, UTILITIES)}")
    output, begin = command.file(), time.perf_counter()
    table = tokaido_library.find(tokaido, command.utility)
    if table is not None:
        command.take(table, known := tokaido_library.where(tokaido, command.utility))
    else:
        known = tokaido_library.table_path(tokaido, command.utility)
        tokaido_solver.check_size(tokaido, command.force)
        _warn(tokaido)
        with bar() as progress:
            table = tokaido_library.solve_and_keep(tokaido, command.utility, output, progress)
    document = _document(tokaido, table)
    document.setdefault("seconds", time.perf_counter() - begin)  # the tables that ship do not say it
    if command.json:
        print_json(document)
        return
    path = output or known
    _show(tokaido, document, str(path) if path.is_file() else "")


def _warn(game: Tokaido) -> None:
    """Say what a game that only ``--force`` lets pass will need."""
    try:
        tokaido_solver.check_size(game)
    except RunError as error:
        print(f"sekisho: warning: {str(error).split(': refused')[0]}; trying it all the same", file=sys.stderr)


def _document(game: Tokaido, table: TokaidoTable) -> dict[str, Any]:
    values = [float(value) for value in tokaido_solver.start_values(table)]
    document: dict[str, Any] = {"game": game.name, "rules": dict(game.options), "utility": table.utility}
    document["values"] = values
    if game.num_players == 2:
        chance = (1 + values[0]) / 2 if table.utility == "place_points" else values[0]
        document["first_player_win_probability"] = chance
    return {**document, **table.facts}


def _show(game: Tokaido, document: dict[str, Any], path: str) -> None:
    out = console()
    rows = Table("seat", "chance to win" if game.num_players == 2 else f"expected {document['utility']}")
    for seat, value in enumerate(document["values"], start=1):
        won = (1 + value) / 2 if document["utility"] == "place_points" else value
        rows.add_row(str(seat), f"{won:.9f}" if game.num_players == 2 else f"{value:+.9f}")
    out.print(rows)
    out.print(
        f"{document['states']:,} places in which a turn starts, {document['sweeps']} sweeps, residual "
        f"{document['residual']:.1e}, {document['seconds']:.2f} s",
        highlight=False,
    )
    if game.num_players > 2:
        out.print(
            f"A stationary equilibrium: no other choice gains a seat more than {document['gain']:.1e} "
            f"(epsilon {document['epsilon']:.1e}).", highlight=False,
        )  # fmt: skip
    if path:
        out.print("Table:", path, soft_wrap=True, markup=False, emoji=False, highlight=False)
