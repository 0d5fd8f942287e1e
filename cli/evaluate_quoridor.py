"""`sekisho evaluate quoridor`: how well an agent plays a board that is solved."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rich.table import Table

from ..agents.exact import quoridor_library, quoridor_solver, quoridor_table
from ..agents.exact.quoridor_quality import Share, against_perfect_play, share_of_reachable, share_of_self_play
from ..agents.exact.quoridor_table import outcome
from ..agents.exact.waiting import bar
from ..agents.registry import make_agent
from ..envs.errors import AgentError, OptionError
from ..envs.quoridor.rules import Quoridor
from .common import console, print_json
from .evaluate import Command

MOST_GAMES, MOST_POSITIONS = 1_000_000, 10**9


def is_solved(game: Quoridor) -> bool:
    """Return whether the game has a table or can quickly get one."""
    try:
        quoridor_table.solved_game(game)
    except AgentError:
        return False
    try:
        quoridor_solver.check_size(game, quoridor_library.MOST_ON_FIRST_USE)
    except AgentError:
        return quoridor_library.find(game) is not None
    return True


def run(command: Command, game: Quoridor) -> None:
    """Ask the agent about positions, let it play itself and perfect play, and print what came of it."""
    if command.against.strip() not in ("", "exact"):
        raise OptionError("--against: quoridor is measured against perfect play where it is solved")
    if not 0 <= command.positions <= MOST_POSITIONS:
        raise OptionError(f"--positions must be 0 (all) or up to {MOST_POSITIONS:,}, not {command.positions}")
    if not 2 <= command.games <= MOST_GAMES:
        raise OptionError(f"--games must be 2..{MOST_GAMES:,}, not {command.games}")
    if game.options["max_plies"] is None:  # games that neither side can win must end
        game = Quoridor(board_size=game.board_size, fences=game.options["fences"])
    begin = time.perf_counter()
    table = quoridor_library.table_for(game)
    agent, rng = make_agent(command.agent), np.random.default_rng(command.seed)
    with bar() as progress:
        reachable = share_of_reachable(table, game, agent, command.positions, rng, progress)
        self_play = share_of_self_play(table, game, agent, command.games, rng, progress)
        first, second = against_perfect_play(table, game, agent, (command.games + 1) // 2, rng, progress)
    start = game.new_initial_state()
    average = (first + second) / 2
    document: dict[str, Any] = {
        "game": game.name,
        "rules": dict(game.options),
        "agent": command.agent,
        "against": "exact",
        "exact": True,
        "value": outcome(table.plies(start), start),
        "kept": _share(reachable),
        "kept_in_self_play": _share(self_play),
        "win_against_exact": {"first": first, "second": second, "average": average},
        "exact_loss_pp": 50 - 100 * average,
        "games": command.games,
        "seconds": time.perf_counter() - begin,
    }
    if command.json:
        print_json(document)
        return
    _show(document, reachable, self_play)


def _share(share: Share) -> dict[str, Any]:
    return {
        "share": share.share,
        "margin": share.margin,
        "positions": share.asked,
        "of": share.total,
        "share_at_stake": share.share_at_stake,
        "positions_at_stake": share.at_stake,
    }


def _show(document: dict[str, Any], reachable: Share, self_play: Share) -> None:
    out = console()
    out.print(f"{document['agent']}, asked whether it keeps the value of the game:", highlight=False)
    table = Table("positions", "asked", "value kept", "value at stake", "and kept")
    table.add_row(f"all {reachable.total:,} that play can lead to", *_cells(reachable))
    table.add_row("its games with itself", *_cells(self_play))
    out.print(table)
    wins = document["win_against_exact"]
    winner = {1: "first player wins", -1: "second player wins", 0: "game is drawn"}[document["value"]]
    out.print(
        f"Against perfect play it scores {wins['first']:.3f} as first and {wins['second']:.3f} as second player (the "
        f"{winner}): {document['exact_loss_pp']:.1f} percentage points lost.",
        highlight=False,
    )
    out.print(f"{document['seconds']:.1f} s", highlight=False)


def _cells(share: Share) -> tuple[str, ...]:
    margin = f" ± {100 * share.margin:.2f}" if share.margin else ""
    kept = "-" if share.share_at_stake is None else f"{100 * share.share_at_stake:.2f} %"
    return f"{share.asked:,}", f"{100 * share.share:.2f}{margin} %", f"{share.at_stake:,}", kept
