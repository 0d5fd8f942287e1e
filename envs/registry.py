"""The games by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from .core import Game, State
from .errors import PositionError, UnknownNameError, nearest

_games: dict[str, str | Callable[..., Game]] = {
    "picture_sugoroku": "sekisho.envs.picture_sugoroku.rules:PictureSugoroku",
    "quoridor": "sekisho.envs.quoridor.rules:Quoridor",
    "tokaido": "sekisho.envs.tokaido.rules:Tokaido",
}


def register_game(name: str, game: str | Callable[..., Game]) -> None:
    """Make a game of another package known to `load_game` and to every command of this process.

    Args:
        name: a new name; taking one that exists is an error.
        game: a subclass of `Game`, or where to find it, as ``"package.module:Class"``.
    """
    if name in _games:
        raise ValueError(f"a game named {name!r} is registered already")
    _games[name] = game


def game_names() -> list[str]:
    """Return the names that `load_game` knows, sorted."""
    return sorted(_games)


def game_class(name: str) -> Any:
    """Return the class behind a name, without choosing options.

    Raises:
        UnknownNameError: if there is no such game.
    """
    if not isinstance(name, str) or name not in _games:
        raise UnknownNameError(f"there is no game {name!r}; {nearest(str(name), _games)}")
    game = _games[name]
    if isinstance(game, str):
        module, _, attribute = game.partition(":")
        game = _games[name] = getattr(importlib.import_module(module), attribute)
    return game


def load_game(name: str, /, **options: Any) -> Game:
    """Return a game with its rule options.

    Args:
        name: ``quoridor``, ``tokaido``, ``picture_sugoroku``, or one that was registered.
        options: rule options of that game; ``sekisho games`` lists them.

    Raises:
        UnknownNameError: for a game or an option that does not exist; the nearest name is named.
        OptionError: for a value that an option cannot take.
    """
    game: Game = game_class(name)(**options)
    return game


def state_from_dict(data: Any) -> State:
    """Return the state whose dict form `data` is, whatever its game.

    Raises:
        PositionError: if it is malformed.
        UnknownNameError: if its game or one of its options does not exist.
    """
    if not isinstance(data, dict) or not isinstance(data.get("game"), str) or not isinstance(data.get("rules"), dict):
        raise PositionError(f"a state is a mapping with at least 'game' and 'rules', not {data!r:.200}")
    if not all(isinstance(name, str) for name in data["rules"]):
        raise PositionError(f"the names of rule options are texts, not {list(data['rules'])!r:.200}")
    return load_game(data["game"], **data["rules"]).from_dict(data)
