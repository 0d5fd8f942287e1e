"""Rules of the games and their environments; importing this makes the environments known by their ids."""

from .core import CHANCE, TERMINAL, Game, Preview, State
from .errors import SekishoError
from .perft import divide, perft
from .playouts import Playouts, random_playouts
from .registration import environment_ids, register_environments
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
    "environment_ids",
    "game_names",
    "load_game",
    "perft",
    "random_playouts",
    "register_game",
    "state_from_dict",
]

register_environments()
