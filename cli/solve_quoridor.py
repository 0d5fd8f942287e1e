"""`sekisho solve quoridor`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from rich.console import Console

from ..agents.exact import quoridor_library, quoridor_solver
from ..agents.exact.keeping import Progress
from ..agents.exact.quoridor_table import QuoridorTable, described, identity, outcome, solved_game
from ..envs.core import Game
from ..envs.errors import AgentError, RunError
from ..envs.quoridor.rules import Quoridor
from .solve import Command
from .solving import Solved, obtain, report


def run(command: Command, game: Game) -> None:
    """Solve the game, keep the table and print what it says of the start."""
    quoridor = cast(Quoridor, game)
    # Draws by repetition and boards that no table can hold are refused first, whatever their size.
    quoridor_solver.check_size(quoridor, float("inf"))

    def solve(output: Path | None, progress: Progress) -> QuoridorTable:
        if not command.force:
            try:
                quoridor_solver.check_size(quoridor, quoridor_solver.MOST_POSITIONS)
            except AgentError as error:
                raise RunError(str(error)) from error
        return quoridor_library.solve_and_keep(quoridor, output, progress)

    solved = obtain(
        command,
        lambda: quoridor_library.find(quoridor),
        lambda: quoridor_library.where(quoridor),
        solve,
        identity(solved_game(quoridor)),
    )
    document = _document(quoridor, solved)
    report(command, document, solved.path, lambda out: _show(out, quoridor, document))


def _document(game: Quoridor, solved: Solved[QuoridorTable]) -> dict[str, Any]:
    start, table = game.new_initial_state(), solved.table
    plies = table.plies(start)
    value = outcome(plies, start)
    return {
        "game": game.name,
        "rules": dict(game.options),
        "value": value,
        "plies": abs(plies) if value else None,
        "line": _line(game, table) if value else [],
        "capped": plies != 0 and value == 0,
        **table.facts,
        "seconds": solved.seconds,
    }


def _line(game: Quoridor, table: QuoridorTable) -> list[str]:
    """Return the moves of perfect play from the start to the end, in notation."""
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(table.choice(table.action_plies(state)))
    return state.moves()


def _show(out: Console, game: Quoridor, document: dict[str, Any]) -> None:
    if document["value"]:
        winner = "first" if document["value"] > 0 else "second"
        out.print(
            f"{described(game)}: the {winner} player wins, in {document['plies']} plies:",
            highlight=False,
        )
        out.print(" ".join(document["line"]), highlight=False)
    else:
        capped = f": under the cap of {game.options['max_plies']} plies neither side wins" if document["capped"] else ""
        out.print(f"{described(game)}: a draw{capped}.", highlight=False)
    out.print(
        f"{document['states']:,} positions, the longest win takes {document['longest']} plies, "
        f"{document['seconds']:.2f} s", highlight=False,
    )  # fmt: skip
