"""Rules of the games: compiled kernels, `Game` and `State`, text and drawings."""

from .core import CHANCE, TERMINAL, Game, State
from .registry import game_names, load_game

__all__ = ["CHANCE", "TERMINAL", "Game", "State", "game_names", "load_game"]
