"""`sekisho solve`: hands the game to its own solver, ``cli/solve_GAME.py``."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from ..envs.errors import OptionError
from .common import Flag, GameWord, Rules, game_from_words

SOLVED = ("quoridor", "tokaido")
"""Games with a module ``solve_GAME`` in this folder; it has ``run(command, game)``, which solves and prints."""


@dataclass
class Command:
    """Solve a game exactly, with no sampling."""

    game: GameWord
    """name of the game"""
    players: Annotated[int | None, tyro.conf.arg(metavar="INT", help_behavior_hint="(default: the game's)")] = None
    """seats at the table"""
    rules: Rules = ""
    """rule options, e.g. forks=miya,goal=over"""
    utility: str = "place_points"
    """tokaido: what three or more players play for, place_points or first_only"""
    force: Flag = False
    """try a game that is too large all the same"""
    output: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="(default: the cache folder)")] = (
        None
    )
    """file for the table of values"""
    json: Flag = False
    """print one JSON document"""

    def run(self) -> None:
        """Solve and print."""
        game = game_from_words(self.game, self.rules, self.players)
        if self.game not in SOLVED:
            raise OptionError(f"there is no solver for {self.game}; there is one for: {', '.join(SOLVED)}")
        solver: Any = importlib.import_module(f".solve_{self.game}", __package__)
        solver.run(self, game)
