"""What ``docs/strength.md`` says, from the results that are there; its words are in ``docs/strength.template``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from strength_cells import Cell, Loss, Meeting, Rules, SolvedBoard
from strength_results import Record, Results

from sekisho.agents.exact.quoridor_quality import Share
from sekisho.arena.ratings import GameResult, Rating, rate
from sekisho.envs import load_game

TEMPLATE = Path(__file__).resolve().parent.parent / "docs" / "strength.template"
ANCHOR = "heuristic"
"""Who stands at 0 Elo."""


class Ladder(NamedTuple):
    """Agents that meet for a rating: game, its options, games of every meeting, and who, from the weakest on."""

    game: str
    rules: Rules
    games: int
    agents: tuple[str, ...]


class Quality(NamedTuple):
    """Agents that are measured where the truth is known, under some sets of rules."""

    rules: tuple[Rules, ...]
    agents: tuple[str, ...]


class Plan(NamedTuple):
    """All that the page tells of, by words that stand for its parts, and the cells of each part."""

    ladders: Mapping[str, Ladder]
    losses: Mapping[str, Quality]
    boards: Mapping[str, Quality]
    cells: Mapping[str, Sequence[Cell]]


def page_of(plan: Plan, results: Results) -> str:
    """Return the page."""
    parts: dict[str, str] = {}
    for word, ladder in plan.ladders.items():
        parts[word] = ladder_part(ladder, [c for c in plan.cells[word] if isinstance(c, Meeting)], results)
    for word, asked in plan.losses.items():
        parts[word] = loss_part(asked, results)
    for word, asked in plan.boards.items():
        parts[word] = board_part(asked, [c for c in plan.cells[word] if isinstance(c, SolvedBoard)], results)
    parts["picture_sugoroku"] = chances_part(plan.cells["picture_sugoroku"], results)
    found = [record for cells in plan.cells.values() for cell in cells if (record := results.find(cell.key()))]
    return TEMPLATE.read_text(encoding="utf-8").format(**parts, measured=measured_part(found))


def measured_part(records: Sequence[Record]) -> str:
    """Return on what it was all measured, and with what load."""
    machines = sorted({f"{record['machine']}, sekisho {record['version']}" for record in records})
    processor, seconds = (sum(record[name] for record in records) for name in ("processor", "seconds"))
    if not machines:
        return "Nothing is measured yet."
    return (
        f"Measured on: {'; '.join(machines)}. It took {processor / 3600:.2f} hours of processor time in {seconds / 3600:.2f} "
        f"hours by the clock: the one process had a core for {processor / max(seconds, 1e-9):.0%} of the time, the rest went to "
        "other programs."
    )


# --- ratings -------------------------------------------------------------------------------------------------------


def ladder_part(ladder: Ladder, meetings: Sequence[Meeting], results: Results) -> str:
    """Return the ratings of a ladder as a table, and who is missing in it."""
    records = [record for cell in meetings if (record := results.find(cell.key())) and record["games"]]
    compared = load_game(ladder.game, **dict(ladder.rules)).ranks_losers
    games = [game for number, record in enumerate(records) for game in games_of(record, number, compared)]
    met = met_by(ANCHOR, games)
    games = [game for game in games if set(game.players) <= met]
    lines = [_missing([agent for agent in ladder.agents if agent not in met])]
    if games:
        level = on_both_ways(ANCHOR, games)
        rows = [
            [f"`{line.name}`", f"{line.rating:+.0f}", _interval(line, level), *_play_of(line.name, records)]
            for line in rate(games, center=0.0, anchor=ANCHOR)
        ]
        head = ["agent", "rating", "95 % interval", "games", "ms a move", "of processor time"]
        lines.insert(0, _table(head, rows))
    return "\n\n".join(line for line in lines if line)


def games_of(record: Record, number: int, compared: bool) -> list[GameResult]:
    """Return the games of the record of a meeting; those of a round hang together.

    Args:
        record: of the meeting.
        number: of the meeting among all of the ladder.
        compared: whether the game ranks those who lose.
    """
    agents, games = record["cell"]["agents"], []
    for game in record["games"]:
        round_, letters, places = game.split()
        players = tuple(agents["AB".index(letter)] for letter in letters)
        games.append(GameResult(players, tuple(map(int, places)), number * 1_000_000 + int(round_), compared))
    return games


def met_by(agent: str, games: Sequence[GameResult]) -> set[str]:
    """Return who has met an agent, or somebody who has, and so on; nobody if it has met nobody."""
    return _reached(agent, {(a, b) for game in games for a in game.players for b in game.players if a != b})


def on_both_ways(agent: str, games: Sequence[GameResult]) -> set[str]:
    """Return who has won points from an agent and lost points to it, itself or by way of others.

    To all others the distance has no bound: one of the two sides has never won anything from the other.
    """
    scored = set()
    for game in games:
        last, tied = max(game.ranks), len(set(game.ranks)) == 1
        for player, rank in zip(game.players, game.ranks, strict=True):
            for other, place in zip(game.players, game.ranks, strict=True):
                level = rank == place and (tied or rank < last or game.losers_compared)
                if player != other and (rank < place or level):
                    scored.add((player, other))
    return _reached(agent, scored) & _reached(agent, {(b, a) for a, b in scored})


def _reached(start: str, steps: set[tuple[str, str]]) -> set[str]:
    """Return where steps lead from a start that has any."""
    found = {start} if any(start in step for step in steps) else set()
    while more := {b for a, b in steps if a in found} - found:
        found |= more
    return found


def _interval(line: Rating, level: set[str]) -> str:
    if line.name == ANCHOR:
        return "by definition"
    return f"{line.low:+.0f} .. {line.high:+.0f}" if line.name in level else "no bound"


def _play_of(agent: str, records: Sequence[Record]) -> list[str]:
    """Return the games of an agent, its time for a move, and how much of that it had a processor core for."""
    games, decisions, seconds, processor = 0, 0, 0.0, 0.0
    for record in records:
        if agent in record["cell"]["agents"]:
            place = record["cell"]["agents"].index(agent)
            games += len(record["games"])
            decisions += record["decisions"][place]
            seconds += record["thinking"][place]
            processor += record["thinking"][place] * min(record["processor"] / record["seconds"], 1)
    return [f"{games}", *(_milliseconds(1000 * spent / max(decisions, 1)) for spent in (seconds, processor))]


def _milliseconds(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


# --- where the truth is known --------------------------------------------------------------------------------------


def loss_part(asked: Quality, results: Results) -> str:
    """Return the exact losses as a table, a column a set of rules, and who is missing."""
    found = {(rules, agent): results.find(Loss(rules, agent).key()) for rules in asked.rules for agent in asked.agents}
    there = [agent for agent in asked.agents if any(found[rules, agent] for rules in asked.rules)]
    rows = [[f"`{agent}`", *(_loss(found[rules, agent]) for rules in asked.rules)] for agent in there]
    head = ["agent", *(_rules(rules) for rules in asked.rules)]
    lines = [_table(head, rows) if rows else "", _missing([agent for agent in asked.agents if agent not in there])]
    return "\n\n".join(line for line in lines if line)


def _loss(record: Record | None) -> str:
    if record is None:
        return "not yet"
    return f"{record['loss']:.3f}" if record["loss"] < 10 else f"{record['loss']:.2f}"


def board_part(asked: Quality, cells: Sequence[SolvedBoard], results: Results) -> str:
    """Return what agents keep of the value of the solved boards as a table, and who is missing."""
    rows, missing = [], []
    for cell in cells:
        record = results.find(cell.key())
        if record is None:
            missing.append(cell.agent)
            continue
        share = Share(*(record[name] for name in Share._fields))
        staked = "" if share.share_at_stake is None else f"{100 * share.share_at_stake:.2f} % of {share.at_stake:,}"
        scores = f"{record['first']:.2f} / {record['second']:.2f}"
        row = [
            f"`{cell.agent}`",
            f"{share.asked:,}",
            f"{100 * share.share:.2f} ± {100 * share.margin:.2f} %",
            staked,
            scores,
        ]
        rows.append([_rules(cell.rules), *row] if len(asked.rules) > 1 else row)
    head = ["agent", "positions", "value kept", "where it was at stake", "score against perfect play, first / second"]
    lines = [_table(["board", *head] if len(asked.rules) > 1 else head, rows) if rows else "", _missing(missing)]
    return "\n\n".join(line for line in lines if line)


def chances_part(cells: Sequence[Cell], results: Results) -> str:
    """Return the chances of every seat in picture sugoroku, as one sentence."""
    records = [record for cell in cells if (record := results.find(cell.key()))]
    if not records:
        return "Not measured yet."
    tables = [f"with {len(r['win'])} players {_listed([f'{100 * win:.2f} %' for win in r['win']])}" for r in records]
    return f"On {records[0]['board']} the seats win, in the order in which they roll: {'; '.join(tables)}."


# --- words ---------------------------------------------------------------------------------------------------------


def _missing(agents: Sequence[str]) -> str:
    return f"Not measured yet: {_listed([f'`{agent}`' for agent in agents])}." if agents else ""


def _listed(words: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def _rules(rules: Rules) -> str:
    return ", ".join(f"{name}={value}" for name, value in rules)


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows)]
    return "\n".join(f"| {line} |" for line in lines)
