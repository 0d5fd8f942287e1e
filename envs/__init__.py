"""Rules of the games: compiled kernels, `Game` and `State`, text and drawings."""

from .core import CHANCE, TERMINAL, Game, Preview, State
from .errors import SekishoError
from .perft import divide, perft
from .playouts import Playouts, random_playouts
from .registry import game_names, load_game, register_game, state_from_dict

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Game",
    "Playouts",
    "Preview",
    "SekishoError",
    "State",
    "divide",
    "game_names",
    "load_game",
    "perft",
    "random_playouts",
    "register_game",
    "state_from_dict",
]
