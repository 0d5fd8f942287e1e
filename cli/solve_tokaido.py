"""`sekisho solve tokaido`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

from rich.console import Console
from rich.table import Table

from ..agents.exact import tokaido_library, tokaido_solver
from ..agents.exact.keeping import Progress
from ..agents.exact.tokaido_table import UTILITIES, TokaidoTable, identity, solved_game
from ..envs.core import Game
from ..envs.errors import OptionError, RunError, nearest
from ..envs.tokaido.rules import Tokaido
from .solve import Command
from .solving import Solved, obtain, report


def run(command: Command, game: Game) -> None:
    """Solve the game, keep the table and print what it says of the start."""
    tokaido, utility = cast(Tokaido, game), command.utility
    if utility not in UTILITIES:
        raise OptionError(f"--utility {utility!r}: {nearest(utility, UTILITIES)}")

    def solve(output: Path | None, progress: Progress) -> TokaidoTable:
        tokaido_solver.check_size(tokaido, command.force)
        _warn(tokaido)
        return tokaido_library.solve_and_keep(tokaido, utility, output, progress)

    solved = obtain(
        command,
        lambda: tokaido_library.find(tokaido, utility),
        lambda: tokaido_library.where(tokaido, utility),
        solve,
        identity(solved_game(tokaido), utility),
    )
    document = _document(tokaido, utility, solved)
    report(command, document, solved.path, lambda out: _show(out, tokaido, document))


def _warn(game: Tokaido) -> None:
    """Say what a game that only ``--force`` lets pass will need."""
    try:
        tokaido_solver.check_size(game)
    except RunError as error:
        print(f"sekisho: warning: {str(error).split(': refused')[0]}; trying it all the same", file=sys.stderr)


def _document(game: Tokaido, utility: str, solved: Solved[TokaidoTable]) -> dict[str, Any]:
    values = tokaido_solver.start_values(solved.table)
    chances = (1 + values) / 2
    document: dict[str, Any] = {"game": game.name, "rules": dict(game.options), "utility": utility}
    if game.num_players == 2:  # one table serves both utilities
        document["values"] = (values if utility == "place_points" else chances).tolist()
        document["first_player_win_probability"] = float(chances[0])
    else:
        document["values"] = values.tolist()
    return {**document, **solved.table.facts, "seconds": solved.seconds}


def _show(out: Console, game: Tokaido, document: dict[str, Any]) -> None:
    two = game.num_players == 2
    rows = Table("seat", "chance to win" if two else f"expected {document['utility']}")
    first = document.get("first_player_win_probability", 0.0)
    for seat, value in enumerate((first, 1 - first) if two else document["values"], start=1):
        rows.add_row(str(seat), f"{value:.9f}" if two else f"{value:+.9f}")
    out.print(rows)
    out.print(
        f"{document['states']:,} places in which a turn starts, {document['sweeps']} sweeps, residual "
        f"{document['residual']:.1e}, {document['seconds']:.2f} s",
        highlight=False,
    )
    if not two:
        out.print(
            f"A stationary equilibrium: no other choice gains a seat more than {document['gain']:.1e} "
            f"(epsilon {document['epsilon']:.1e}).", highlight=False,
        )  # fmt: skip
