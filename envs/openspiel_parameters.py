"""Rule options as the parameters of an OpenSpiel game.

A parameter of OpenSpiel has one fixed type, a default of that type, and no None. So an option of numbers is an integer
in which the largest number up to 0 that the option cannot take stands for None (``max_plies=0``), and the one below
all of these for "what the game chooses" where a default depends on other options (``fences=-1``). An option of words is
a text; a value that is neither, such as a board of one's own, is JSON in letters that mean nothing to OpenSpiel.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from .core import Game
from .errors import OptionError, shown
from .options import Option, spell_value

_JSON = "json:"
_BY_THE_GAME, _NONE = "default", "none"


def specification(game: Game) -> dict[str, bool | int | str]:
    """Return the parameters of a game by name, each with its default."""
    return {option.name: _default(option) for option in game.OPTIONS}


def to_parameters(game: Game) -> dict[str, bool | int | str]:
    """Return the parameters that make a game what it is: those that differ from its defaults."""
    parameters = {}
    for option in game.OPTIONS:
        default, value = option.default, game.options[option.name]
        if value != (default(game.options) if callable(default) else default):
            parameters[option.name] = _to_parameter(option, value)
    return parameters


def to_options(game: Game, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rule options that parameters stand for.

    Args:
        game: any game of the kind.
        parameters: by name, each of the type of its default.

    Raises:
        OptionError: for a value that an option cannot take.
    """
    return {
        option.name: _from_parameter(option, parameters[option.name])
        for option in game.OPTIONS
        if option.name in parameters and not _left_to_the_game(option, parameters[option.name])
    }


def _kind(option: Option) -> type:
    if not option.choices:
        return int
    kinds = {type(choice) for choice in option.choices if choice is not None}
    if kinds == {int} or (kinds == {bool} and None not in option.choices and not callable(option.default)):
        return kinds.pop()
    return str


def _allows_none(option: Option) -> bool:
    return option.allow_none or None in option.choices


def _none_number(option: Option) -> int:
    """Return the largest number up to 0 that an option of numbers cannot take."""
    lowest = min((choice for choice in option.choices if choice is not None), default=option.minimum)
    return min(0, int(lowest) - 1)


def _default(option: Option) -> bool | int | str:
    if not callable(option.default):
        return _to_parameter(option, option.default)
    return _none_number(option) - _allows_none(option) if _kind(option) is int else _BY_THE_GAME


def _left_to_the_game(option: Option, parameter: Any) -> bool:
    return callable(option.default) and parameter == _default(option)


def _to_parameter(option: Option, value: Any) -> bool | int | str:
    if value is None:
        return _none_number(option) if _kind(option) is int else _NONE
    if isinstance(value, bool | int | str) and isinstance(value, _kind(option)):
        return value
    return spell_value(value) if isinstance(value, int | float) else _pack(value)


def _from_parameter(option: Option, parameter: Any) -> Any:
    if _kind(option) is not str:
        none = _kind(option) is int and _allows_none(option) and parameter == _none_number(option)
        return None if none else option.check(parameter)
    return option.check(_unpack(option, parameter)) if parameter.startswith(_JSON) else option.parse(parameter)


def _pack(value: Any) -> str:
    """Return JSON values as letters, digits, ``-`` and ``_``: commas, brackets and ``=`` part OpenSpiel's texts."""
    text = json.dumps(value, separators=(",", ":"), sort_keys=True)
    return _JSON + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _unpack(option: Option, parameter: str) -> Any:
    letters = parameter.removeprefix(_JSON)
    try:
        return json.loads(base64.b64decode(letters + "=" * (-len(letters) % 4), altchars=b"-_", validate=True))
    except (ValueError, RecursionError) as error:
        raise OptionError(
            f"option {option.name!r} must be {option.expected}; {shown(parameter)} is no JSON in base 64 "
            "(str of an OpenSpiel game writes it)"
        ) from error
