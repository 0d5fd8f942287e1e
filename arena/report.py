"""Standings as a table for people and as a document for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table
from rich.text import Text

from .sprt import SequentialTest
from .tournament import Result, Standing, Tournament, scores_of_first, unbalanced


def standings_document(tournament: Tournament, lines: Sequence[Standing], results: Sequence[Result]) -> dict[str, Any]:
    """Return the standings as JSON values: the tournament's own keys and ``agents``, best first."""
    agents = []
    for line in lines:
        row = asdict(line)
        row["milliseconds"] = None if math.isnan(line.milliseconds) else round(line.milliseconds, 4)
        agents.append(row)
    return {
        **tournament.to_dict(),
        "players": tournament.game.num_players,
        "agents": agents,
        "games_played": len(results),
        "balanced_multiple": unbalanced(tournament) or None,
        "mean_plies": sum(len(r.record.moves) for r in results) / len(results),
        "ends": _count([r.record.end for r in results]),
    }


def forfeit_lines(results: Sequence[Result]) -> list[str]:
    """Return for each agent whose program failed a line that says how often and in which way."""
    kinds: dict[str, list[str]] = {}
    for result in results:
        forfeit = result.record.forfeit
        if forfeit is not None:
            kinds.setdefault(result.record.agents[forfeit.seat], []).append(forfeit.reason.partition(":")[0])
    return [
        f"{agent} forfeited {len(found)} games: {', '.join(f'{kind} {n}' for kind, n in _count(found).items())}"
        for agent, found in sorted(kinds.items())
    ]


def test_document(tournament: Tournament, test: SequentialTest, results: Sequence[Result]) -> dict[str, Any]:
    """Return what a sequential test says of the first agent's score, as JSON values."""
    scores = scores_of_first(tournament, results)
    return {
        "low": test.low,
        "high": test.high,
        "log_ratio": round(test.log_ratio(scores), 4),
        "bound": round(test.bound, 4),
        "answer": {test.low: "low", test.high: "high", None: None}[test.answer(scores)],
    }


def test_line(tournament: Tournament, test: SequentialTest, results: Sequence[Result]) -> str:
    """Return the same in words."""
    scores = scores_of_first(tournament, results)
    answer = test.answer(scores)
    said = {
        test.low: f"at most {test.low:g}",
        test.high: f"at least {test.high:g}",
        None: f"open between {test.low:g} and {test.high:g}: play more --games",
    }[answer]
    ratio = f"log-likelihood ratio {test.log_ratio(scores):.2f}, answered at {test.bound:.2f} either way"
    return f"Score of {tournament.agents[0]} by the sequential test: {said} ({ratio})"


def _count(words: Sequence[str]) -> dict[str, int]:
    return {word: words.count(word) for word in sorted(set(words))}


def standings_table(tournament: Tournament, lines: Sequence[Standing], results: Sequence[Result]) -> Table:
    """Return the standings as a table for a terminal."""
    game = tournament.game
    two = game.num_players == 2
    score = "win 1, draw 0.5" if two else "place points mapped to 0..1, first 1, last 0"
    table = Table(
        title=f"{game.title}, {game.num_players} players, {len(results)} games",
        caption=f"rating: Elo (mean of the field 1500); score: {score}",
        title_justify="left",
        caption_justify="left",
    )
    for name in ("#", "agent", "rating", "95 % interval", "score", "wins", "games" if two else "seats", "ms/move"):
        table.add_column(name, justify="left" if name == "agent" else "right", overflow="fold")
    for place, line in enumerate(lines, start=1):
        time = "" if math.isnan(line.milliseconds) else f"{line.milliseconds:.2f}"
        interval = f"{line.rating_low:.0f} .. {line.rating_high:.0f}"
        table.add_row(
            str(place), Text(line.agent), f"{line.rating:.0f}", interval, f"{100 * line.score:.1f} %", str(line.wins),
            str(line.games), time,
        )  # fmt: skip
    return table
