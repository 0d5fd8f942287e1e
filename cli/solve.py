"""`sekisho solve`: hands the game to its own solver, ``cli/solve_GAME.py``."""

from __future__ import annotations

import dataclasses
import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from ..envs.errors import OptionError, RunError, shown
from ..envs.registry import game_class
from .common import Flag, GameWord, Rules, game_from_words, path_from_words

SOLVED = ("picture_sugoroku", "quoridor", "tokaido")
"""Games with a module ``solve_GAME`` in this folder; it has ``run(command, game)``, which solves and prints."""
_PICTURE = ("picture_sugoroku",)
_GAMES_OF = {
    "utility": ("tokaido",),
    "force": ("quoridor", "tokaido"),
    **dict.fromkeys(("board", "seconds_a_roll", "squares", "suggest"), _PICTURE),
    **dict.fromkeys(("minutes", "turns", "max_advantage", "edits"), _PICTURE),
}
"""Fields of the command that mean something for some games only."""


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
    """quoridor, tokaido: try a game that is too large all the same"""
    output: Annotated[str | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="(default: none)")] = None
    """file for the table of values, which else lies in the cache folder; picture_sugoroku: for the JSON document"""
    json: Flag = False
    """print one JSON document"""
    board: Annotated[str | None, tyro.conf.arg(metavar="BOARD", help_behavior_hint="(default: the game's)")] = None
    """picture_sugoroku: a shipped board's name or the path of a .json file"""
    seconds_a_roll: float = 5.0
    """picture_sugoroku: seconds that a throw takes at the table, for the minutes"""
    squares: Flag = False
    """picture_sugoroku: also show how much each square decides"""
    suggest: Flag = False
    """picture_sugoroku: try every change of a single square, and of the goal, for a wished game"""
    minutes: Annotated[float | None, tyro.conf.arg(metavar="FLOAT", help_behavior_hint="")] = None
    """for suggestions: the wished minutes to the first arrival"""
    turns: Annotated[float | None, tyro.conf.arg(metavar="FLOAT", help_behavior_hint="")] = None
    """for suggestions: the wished turns of all seats to the first arrival, instead of minutes"""
    max_advantage: Annotated[float | None, tyro.conf.arg(metavar="FLOAT", help_behavior_hint="")] = None
    """for suggestions: percentage points by which the first seat may win beyond its equal share, at most"""
    edits: int = 5
    """for suggestions: how many changes to show"""

    def run(self) -> None:
        """Solve and print."""
        game_class(self.game)  # an unknown game is named before anything else
        self._refuse_options_of_other_games()
        if self.game not in SOLVED:
            raise OptionError(f"there is no solver for {self.game}; there is one for: {', '.join(SOLVED)}")
        game = game_from_words(self.game, self.rules, self.players)
        solver: Any = importlib.import_module(f".solve_{self.game}", __package__)
        solver.run(self, game)

    def file(self) -> Path | None:
        """Return the file that ``--output`` names, if it does."""
        path = path_from_words("--output", self.output)
        try:
            folder = path is not None and path.is_dir()
        except OSError as error:  # a name that is too long, a folder that is closed
            raise RunError(f"cannot write {shown(self.output)}: {error.strerror or error}") from error
        if folder:
            raise OptionError(f"--output {str(path)!r} is a folder; name a file")
        return path

    def _refuse_options_of_other_games(self) -> None:
        default = {field.name: field.default for field in dataclasses.fields(self)}
        for name, games in _GAMES_OF.items():
            if self.game not in games and getattr(self, name) != default[name]:
                raise OptionError(
                    f"--{name.replace('_', '-')} is an option for {' and '.join(games)}, not for {self.game}"
                )
