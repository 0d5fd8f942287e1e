"""`sekisho solve`."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

from ..envs.errors import OptionError
from ..envs.registry import game_class
from .common import Flag, GameWord, Rules

_PARTS = {"picture_sugoroku": "solve_picture"}
"""Solved games, each with the module whose `solve` takes the command's options."""


@dataclass
class Command:
    """Work out what a game comes to, exactly and without sampling."""

    game: GameWord
    """name of the game"""
    players: int | None = None
    """number of seats; default: the game's"""
    rules: Rules = ""
    """rule options, e.g. goal=exact,finish=all_places"""
    output: Path | None = None
    """also write the JSON document to this file"""
    json: Flag = False
    """print one JSON document"""
    board: str | None = None
    """picture_sugoroku: a shipped board's name or the path of a .json file"""
    seconds_a_roll: float = 5.0
    """picture_sugoroku: how long a throw takes at the table, for the minutes"""
    squares: Flag = False
    """picture_sugoroku: also show how much each square decides"""
    suggest: Flag = False
    """picture_sugoroku: try every change of a single square, and of the goal, for a wished game"""
    minutes: float | None = None
    """for --suggest: the wished minutes to the first arrival"""
    turns: float | None = None
    """for --suggest: the wished turns of all seats to the first arrival, instead of minutes"""
    max_advantage: float | None = None
    """for --suggest: by how many percentage points at most the first seat may win more often than its equal share"""
    edits: int = 5
    """for --suggest: how many changes to show"""

    def run(self) -> None:
        """Solve and print."""
        if self.game not in _PARTS:
            name = game_class(self.game).name
            raise OptionError(f"there is no solver for {name}; solved games: {', '.join(_PARTS)}")
        importlib.import_module(f".{_PARTS[self.game]}", __package__).solve(self)
