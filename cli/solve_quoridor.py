"""`sekisho solve quoridor`."""

from __future__ import annotations

import time
from typing import Any, cast

from ..agents.exact import quoridor_library, quoridor_solver
from ..agents.exact.quoridor_table import QuoridorTable, outcome
from ..agents.exact.waiting import bar
from ..envs.core import Game
from ..envs.quoridor.rules import Quoridor
from .common import console, print_json
from .solve import Command


def run(command: Command, game: Game) -> None:
    """Solve the game, keep the table and print what it says of the start."""
    quoridor = cast(Quoridor, game)
    output, begin = command.file(), time.perf_counter()
    # Draws by repetition and boards that no table can hold are refused first, whatever their size.
    quoridor_solver.check_size(quoridor, float("inf"))
    table = quoridor_library.find(quoridor)
    if table is not None:
        command.take(table, known := quoridor_library.where(quoridor))
    else:
        known = quoridor_library.table_path(quoridor)
        if not command.force:
            quoridor_solver.check_size(quoridor, quoridor_solver.MOST_POSITIONS)
        with bar() as progress:
            table = quoridor_library.solve_and_keep(quoridor, output, progress)
    document = _document(quoridor, table)
    document.setdefault("seconds", time.perf_counter() - begin)  # the tables that ship do not say it
    if command.json:
        print_json(document)
        return
    path = output or known
    _show(quoridor, document, str(path) if path.is_file() else "")


def _document(game: Quoridor, table: QuoridorTable) -> dict[str, Any]:
    start = game.new_initial_state()
    plies = table.plies(start)
    value = outcome(plies, start)
    return {
        "game": game.name,
        "rules": dict(game.options),
        "value": value,
        "plies": abs(plies) if value else None,
        "line": _line(game, table) if value else [],
        **table.facts,
    }


def _line(game: Quoridor, table: QuoridorTable) -> list[str]:
    """Return the moves of perfect play from the start to the end, in notation."""
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(table.choice(table.action_plies(state)))
    return state.moves()


def _show(game: Quoridor, document: dict[str, Any], path: str) -> None:
    out = console()
    if document["value"]:
        winner = "first" if document["value"] > 0 else "second"
        out.print(
            f"{quoridor_solver.described(game)}: the {winner} player wins, in {document['plies']} plies:",
            highlight=False,
        )
        out.print(" ".join(document["line"]), highlight=False)
    else:
        out.print(f"{quoridor_solver.described(game)}: a draw.", highlight=False)
    out.print(
        f"{document['states']:,} positions, the longest win takes {document['longest']} plies, "
        f"{document['seconds']:.2f} s", highlight=False,
    )  # fmt: skip
    if path:
        out.print("Table:", path, soft_wrap=True, markup=False, emoji=False, highlight=False)
