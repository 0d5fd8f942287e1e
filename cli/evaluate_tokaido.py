"""`sekisho evaluate tokaido`: the exact value of an agent."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rich.table import Table

from ..agents.exact.policies import Arena, is_solved
from ..agents.exact.tokaido_table import UTILITIES
from ..agents.exact.waiting import bar
from ..agents.registry import make_agent
from ..envs.errors import OptionError, nearest
from ..envs.tokaido.rules import Tokaido
from .common import console, print_json
from .evaluate import Command

__all__ = ["is_solved", "run"]


def run(command: Command, game: Tokaido) -> None:
    """Ask the agent for every decision, work out what that is worth, and print it."""
    if command.utility not in UTILITIES:
        raise OptionError(f"--utility {command.utility!r}: {nearest(command.utility, UTILITIES)}")
    against = make_agent(command.against) if command.against else None
    begin = time.perf_counter()
    with bar() as progress:
        arena = Arena(game, progress)
        policy = arena.ask(make_agent(command.agent), command.seed, progress)
        perfect = against is None or command.against.strip() == "exact"
        if against is None or perfect:
            others = arena.perfect(command.utility, progress)
        else:
            others = arena.ask(against, command.seed + 1, progress)
        seats, residual = arena.meet(policy, others, command.utility)
        fair = arena.meet(others, others, command.utility)[0] if perfect else seats
    points = command.utility == "place_points"
    wins = (1 + seats) / 2 if points else seats
    document: dict[str, Any] = {
        "game": game.name,
        "rules": dict(game.options),
        "agent": command.agent,
        "against": command.against or "exact",
        "exact": True,
        "utility": command.utility,
        "decisions": arena.decisions(),
        "values": seats.tolist(),
    }
    if game.num_players == 2:
        result = {"first": float(wins[0]), "second": float(wins[1]), "average": float(wins.mean())}
        document["win_against_exact" if perfect else "win_against"] = result
    if perfect:
        loss = float(fair.mean() - seats.mean())
        document["exact_loss_pp"] = 100 * loss * (0.5 if points else 1.0)
    document |= {"residual": residual, "seconds": time.perf_counter() - begin}
    if command.json:
        print_json(document)
        return
    _show(document, seats, wins, perfect)


def _show(document: dict[str, Any], seats: Any, wins: Any, perfect: bool) -> None:
    out = console()
    opponent = "perfect play" if perfect else document["against"]
    two = len(seats) == 2
    table = Table("seat", f"chance to win against {opponent}" if two else f"{document['utility']} against {opponent}")
    for seat, (value, chance) in enumerate(zip(seats, wins, strict=True), start=1):
        table.add_row(str(seat), f"{chance:.6f}" if two else f"{value:+.6f}")
    table.add_row("mean", f"{np.mean(wins):.6f}" if two else f"{np.mean(seats):+.6f}")
    out.print(table)
    if perfect:
        span = "of the way from last to first" if document["utility"] == "place_points" else "of the chance to be first"
        what = "of the chance to win" if two else span
        out.print(
            f"{document['agent']} loses {document['exact_loss_pp']:.3f} percentage points {what}.", highlight=False
        )
    out.print(
        f"{document['decisions']:,} decisions asked for, {document['seconds']:.1f} s; nothing was sampled.",
        highlight=False,
    )
