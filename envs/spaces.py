"""What all environments have in common: how one is asked for, its spaces, the form of an observation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .core import Game, as_index
from .errors import IllegalActionError, OptionError, UnknownNameError, nearest, shown
from .registry import game_class, load_game

FORMS = ("array", "dict")
"""The forms of an observation: the array alone, or a dict of ``observation`` and ``action_mask``."""


def environment_game(game: str | Game, rules: Mapping[str, Any], arguments: Iterable[str]) -> Game:
    """Return the game of an environment.

    Args:
        game: its name, or the game itself, which then has its rules.
        rules: rule options; those that environments set otherwise than the rules do (a cap on turns) come on top.
        arguments: what else the environment can be given, for the message about an unknown name.

    Raises:
        UnknownNameError: for a game or an option that does not exist; the nearest name is named.
        OptionError: for a value that an option cannot take.
    """
    if isinstance(game, Game):
        if rules:
            raise OptionError(f"{game!r} has its rules already, so {', '.join(rules)} cannot be chosen")
        return game
    kind = game_class(game)
    known = [*(option.name for option in kind.OPTIONS), *arguments]
    for name in rules:
        if name not in known:
            raise UnknownNameError(f"environments of {game} have no option {name!r}; {nearest(str(name), known)}")
    return load_game(game, **{**kind.environment_options, **rules})


def check_choice(value: Any, name: str, choices: Iterable[Any]) -> None:
    """Raise `OptionError` unless `value` is one of the choices."""
    known = list(choices)
    if not any(type(value) is type(choice) and value == choice for choice in known):
        raise OptionError(f"{name} must be one of {', '.join(map(repr, known))}, not {shown(value)}")


def observation_space(game: Game, form: str) -> spaces.Space[Any]:
    """Return the space of the observations of a game in one of the `FORMS`.

    Raises:
        OptionError: if there is no such form.
    """
    check_choice(form, "observation", FORMS)
    box = spaces.Box(0.0, 1.0, game.observation_shape, np.float32)
    if form == "array":
        return box
    return spaces.Dict({"action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8), "observation": box})


def shaped(observation: NDArray[np.float32], mask: NDArray[np.int8], form: str) -> Any:
    """Return an observation in one of the `FORMS`."""
    if form == "array":
        return observation
    return {"action_mask": mask.copy(), "observation": observation}


def as_action(action: Any, game: Game) -> int:
    """Return an action that an environment was given as an int.

    Raises:
        IllegalActionError: if it is not a whole number, or no action of the game.
    """
    try:
        number = as_index(action)
    except TypeError:
        raise IllegalActionError(f"an action is an integer, not {shown(action)}") from None
    if not 0 <= number < game.num_actions:
        raise IllegalActionError(f"actions of {game.name} are 0..{game.num_actions - 1}, not {shown(number)}")
    return number
