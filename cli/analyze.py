"""`sekisho analyze`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import tyro
from rich.table import Table

from ..arena.analysis import (
    Judge,
    MoveLoss,
    PlayoutJudge,
    SeatSummary,
    analyze,
    default_judge,
    document,
    judge_of,
    summaries,
)
from ..arena.recorded import RecordedGame
from ..envs.core import Game
from ..envs.errors import OptionError
from .common import Flag, console, interruptible, print_json, progress
from .recorded_games import found_games, one_game
from .words import UNITS, cell, say


@dataclass
class Command:
    """Say what each move of a recorded game lost, by the view of an agent or of random playouts.

    RECORD is what sekisho replay reads: a saved game, a file with a record a line, a tournament's folder, ...
    """

    record: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RECORD")]
    """what to read"""
    game: Annotated[int | None, tyro.conf.arg(metavar="NUMBER", help_behavior_hint="(default: the only one)")] = None
    """which game of a file with several, counted from 1"""
    agent: Annotated[
        str | None,
        tyro.conf.arg(metavar="SPEC", help_behavior_hint="(default: exact for two where it is known, else heuristic)"),
    ] = None
    """whose view counts; one that can value choices, or in Quoridor for two a search"""
    playouts: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="(default: an agent's view)")] = None
    """value each choice by so many random games instead"""
    json: Flag = False
    """print one JSON document"""

    def run(self) -> None:
        """Analyze and print."""
        game = one_game(self.record, found_games("RECORD", self.record), self.game)
        judge = self._judge(game.state.game)
        with progress() as bar:
            task = bar.add_task("plies", total=game.length)
            moves = interruptible(lambda: list(analyze(game, judge, partial(bar.advance, task))))
        if self.json:
            print_json(document(game, judge, moves))
        else:
            _show(game, judge, moves)

    def _judge(self, game: Game) -> Judge:
        if self.agent is not None and self.playouts is not None:
            raise OptionError("--agent and --playouts are two views; choose one")
        if self.playouts is not None:
            return PlayoutJudge(self.playouts)
        return default_judge(game) if self.agent is None else judge_of(self.agent, game)


def _show(game: RecordedGame, judge: Judge, moves: Sequence[MoveLoss]) -> None:
    estimated = any(move.error for move in moves)
    table = Table("ply", "seat", "move", "best", "value", "loss", "choices")
    for move in moves:
        value = "" if move.value is None else f"{move.value:+.3f}"
        best = "" if move.best == move.move else move.best
        table.add_row(
            str(move.ply), str(move.seat + 1), cell(move.move), cell(best), value, _loss(move, estimated),
            str(move.choices),
        )  # fmt: skip
    if not any(move.choices > 1 for move in moves):
        say(f"Nobody had anything to choose in this game (plies: {game.length}), so no move has lost anything.")
        return
    console().print(table)
    say(f"By the view of {judge.name}; values of the seat to move, unit: {UNITS.get(judge.unit, judge.unit)}.")
    for line in summaries(game, moves):
        say(f"{game.seat_history(line.seat)}: {_summary(line, estimated)}", indent="  ")


def _loss(move: MoveLoss, estimated: bool) -> str:
    if move.loss is None:
        return "?"
    if move.best == move.move:
        return "0"
    return f"{move.loss:.3f}" + (f" ± {move.error:.3f}" if estimated else "")


def _summary(line: SeatSummary, estimated: bool) -> str:
    if line.mean_loss is None:
        return "nothing to choose"
    error = f" ± {line.error:.4f}" if estimated else ""
    worst = ", ".join(f"{move.move} at ply {move.ply} ({_loss(move, estimated)})" for move in line.worst)
    return f"mean loss {line.mean_loss:.4f}{error} over {line.decisions} choices" + (
        f"; worst: {worst}" if worst else ""
    )
