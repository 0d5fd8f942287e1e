"""`sekisho perft`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

import tyro
from rich.table import Table

from ..envs.errors import OptionError
from ..envs.perft import divide, perft
from .common import Flag, GameWord, Rules, console, game_from_words, interruptible, print_json

_MOST_PLIES = 1000


@dataclass
class Command:
    """Count the sequences of exactly DEPTH plies; finished games are not extended. A check of the rules' speed."""

    game: GameWord
    """name of the game"""
    depth: int
    """length of the sequences in plies"""
    rules: Rules = ""
    """rule options, e.g. board_size=5,fences=2"""
    position: Annotated[str | None, tyro.conf.arg(metavar="TEXT", help_behavior_hint="(default: the game's start)")] = (
        None
    )
    """position text to start from"""
    divide: Flag = False
    """show the count of each first ply"""
    json: Flag = False
    """print one JSON document"""

    def run(self) -> None:
        """Count and print."""
        least = 1 if self.divide else 0
        if not least <= self.depth <= _MOST_PLIES:
            raise OptionError(f"--depth must be {least}..{_MOST_PLIES}, not {self.depth}")
        game = game_from_words(self.game, self.rules)
        state = game.from_text(self.position) if self.position is not None else game.new_initial_state()
        perft(state, 0)  # whatever must be compiled is compiled before the clock starts
        begin = time.perf_counter()
        parts = interruptible(lambda: divide(state, self.depth)) if self.divide else {}
        nodes = sum(parts.values()) if self.divide else interruptible(lambda: perft(state, self.depth))
        seconds = time.perf_counter() - begin
        if self.json:
            document = {"game": game.name, "depth": self.depth, "nodes": nodes, "seconds": seconds}
            print_json(document | ({"divide": parts} if self.divide else {}))
            return
        out = console()
        if self.divide:
            table = Table("ply", "nodes")
            for move, count in parts.items():
                table.add_row(move, f"{count}")
            out.print(table)
        rate = f", {nodes / seconds / 1e6:.1f} M nodes/s" if seconds > 0 else ""
        out.print(f"depth {self.depth}: {nodes} nodes ({seconds:.2f} s{rate})", highlight=False)
