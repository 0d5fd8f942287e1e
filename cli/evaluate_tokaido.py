"""`sekisho evaluate tokaido`: the exact value of an agent."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from rich.table import Table

from ..agents.exact import tokaido_library
from ..agents.exact.policies import Arena, decisions_about, is_solved
from ..agents.exact.tokaido_table import UTILITIES
from ..agents.exact.waiting import bar
from ..agents.registry import make_agent
from ..agents.specs import parse_spec
from ..envs.errors import OptionError, nearest
from ..envs.tokaido.rules import Tokaido
from .common import console, print_json
from .evaluate import Command

__all__ = ["is_solved", "perfect_rung", "playing_for", "run", "why_not"]

MANY_DECISIONS = 1_000_000
"""Decisions from which on it is said that asking takes a while."""


def playing_for(command: Command, spec: str) -> str:
    """Return the spec string of an agent; `exact` plays for what is measured, unless its spec says for what."""
    if command.utility not in UTILITIES:
        raise OptionError(f"--utility {command.utility!r}: {nearest(command.utility, UTILITIES)}")
    if command.utility == UTILITIES[0] or not spec or (parsed := parse_spec(spec)).name != "exact":
        return spec
    if "utility" in parsed.options:
        return spec
    return f"{spec},utility={command.utility}" if parsed.options else f"exact:utility={command.utility}"


def why_not(game: Tokaido) -> str:
    """Return why no exact value of an agent is worked out."""
    return (
        f"tokaido with {game.num_players} players has about {decisions_about(game):,.0f} decisions here, too many to "
        "ask an agent for each"
    )


def perfect_rung(command: Command, game: Tokaido) -> tuple[str, ...]:
    """Return the spec string of perfect play where its table is there, for a ladder."""
    if not tokaido_library.where(game, command.utility).is_file():
        return ()
    return (playing_for(command, "exact"),)


def run(command: Command, game: Tokaido) -> None:
    """Ask the agent for every decision, work out what that is worth, and print it."""
    if command.against:
        make_agent(command.against)  # one that there is not is named before anybody is asked
    begin = time.perf_counter()
    perfect_spec = parse_spec(playing_for(command, "exact"))
    known = game.num_players > 2 and parse_spec(command.agent) == perfect_spec  # it would be asked for half an hour
    if not known and decisions_about(game) >= MANY_DECISIONS:
        print(
            f"sekisho: asking for each of about {decisions_about(game):,.0f} decisions: some minutes for a quick agent, "
            "half an hour and more for one that thinks",
            file=sys.stderr,
        )
    with bar() as progress:
        arena = Arena(game, progress)
        perfect = not command.against or parse_spec(command.against) == perfect_spec
        best = arena.perfect(command.utility, progress) if perfect or known else None
        policy = best if known and best else arena.ask(make_agent(command.agent), command.seed, progress)
        others = best if perfect and best else arena.ask(make_agent(command.against), command.seed + 1, progress)
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
