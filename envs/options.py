"""Rule options: what a game can be configured with, checked in one place for Python, text and files."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from .errors import OptionError, UnknownNameError, nearest, shown

_NONE_WORDS = ("none", "off")
_TRUE_WORDS, _FALSE_WORDS = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


@dataclass(frozen=True)
class Option:
    """One rule option.

    Attributes:
        name: the keyword.
        default: its value when nobody chooses; or a function of the options before it that gives that value.
        help: one line for people.
        choices: the allowed values, if they can be listed.
        minimum: smallest allowed integer, if it is one.
        maximum: largest allowed integer.
        allow_none: whether ``None`` (in text: ``none`` or ``off``) is a value.
    """

    name: str
    default: Any
    help: str
    choices: tuple[Any, ...] = ()
    minimum: int = 0
    maximum: int = 1_000_000
    allow_none: bool = False

    @property
    def expected(self) -> str:
        """What values are allowed, in words."""
        if self.choices:
            return "one of " + ", ".join(_spell(choice) for choice in self.choices)
        words = f"an integer in {self.minimum}..{self.maximum}"
        return words + (" or none" if self.allow_none else "")

    def check(self, value: Any) -> Any:
        """Return `value` as the option keeps it; raise `OptionError` if the option cannot take it."""
        if value is None and self.allow_none:
            return None
        if self.choices:
            for choice in self.choices:
                if _is_choice(value, choice):
                    return choice
        elif not isinstance(value, bool):
            try:
                number = operator.index(value)
            except TypeError:
                number = self.minimum - 1
            if self.minimum <= number <= self.maximum:
                return number
        raise OptionError(f"option {self.name!r} must be {self.expected}, not {shown(value)}")

    def parse(self, text: str) -> Any:
        """Return the value that a word spells, as `check` does."""
        word = text.strip().lower()
        for choice in self.choices:
            if word in _words_for(choice):
                return choice
        if not self.choices:
            if self.allow_none and word in _NONE_WORDS:
                return None
            if re.fullmatch("[+-]?[0-9]{1,11}", word):
                return self.check(int(word))
        raise OptionError(f"option {self.name!r} must be {self.expected}, not {shown(text.strip())}")


def _is_choice(value: Any, choice: Any) -> bool:
    """Return whether `value` is `choice`, of the same kind: neither 2.0 nor True is a 2."""
    if isinstance(choice, int) and not isinstance(choice, bool):
        try:
            return not isinstance(value, bool) and operator.index(value) == choice
        except TypeError:
            return False
    return type(value) is type(choice) and bool(value == choice)


def _words_for(choice: Any) -> tuple[str, ...]:
    if choice is None:
        return _NONE_WORDS
    if isinstance(choice, bool):
        return _TRUE_WORDS if choice else _FALSE_WORDS
    return (str(choice).lower(),)


def _spell(choice: Any) -> str:
    return _words_for(choice)[0]


def spell_value(value: Any) -> str:
    """Return how a value is written in a list such as ``players=2,max_plies=none``."""
    return _spell(value)


def spell_options(values: Mapping[str, Any]) -> str:
    """Return options as ``key=value`` pairs apart by commas; as a JSON object if a value is one itself."""
    if any(isinstance(value, dict) for value in values.values()):
        return json.dumps(dict(values), ensure_ascii=False, separators=(",", ":"))
    return ",".join(f"{name}={spell_value(value)}" for name, value in values.items())


def one_of(choices: Sequence[Any], value: Any, name: str) -> Any:
    """Return `value`; raise `OptionError` unless it is one of the choices."""
    return Option(name, choices[0], "", choices=tuple(choices)).check(value)


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    """Return `value` as an int; raise `OptionError` unless it is a whole number in ``least..most``."""
    return int(Option(name, least, "", minimum=least, maximum=most).check(value))


def resolve(declared: Sequence[Option], given: Mapping[str, Any], game: str) -> Mapping[str, Any]:
    """Return all options of a game with their values.

    Args:
        declared: the options of the game, in order.
        given: the ones somebody chose.
        game: its name, for messages.

    Raises:
        UnknownNameError: for a name that the game does not have.
        OptionError: for a value that an option cannot take.
    """
    names = [option.name for option in declared]
    for name in given:
        if name not in names:
            raise UnknownNameError(f"{game} has no option {name!r}; {nearest(str(name), names)}")
    values: dict[str, Any] = {}
    for option in declared:
        if option.name in given:
            values[option.name] = option.check(given[option.name])
        else:
            default: Callable[..., Any] | Any = option.default
            values[option.name] = default(values) if callable(default) else default
    return MappingProxyType(values)


def parse_options(declared: Sequence[Option], text: str, game: str) -> dict[str, Any]:
    """Read ``key=value`` pairs apart by commas, e.g. ``board_size=5,fences=2``.

    Raises:
        UnknownNameError: for a name that the game does not have.
        OptionError: for a pair without ``=``, a comma with nothing before or behind it, a name given twice, or a value
            that an option cannot take.
    """
    known = {option.name: option for option in declared}
    values: dict[str, Any] = {}
    for pair in (part.strip() for part in text.split(",")) if text.strip() else ():
        if not pair:
            raise OptionError(f"rules are key=value pairs, a comma between two; {shown(text)} has a comma too many")
        name, equals, word = (part.strip() for part in pair.partition("="))
        if not equals:
            raise OptionError(f"rules are key=value pairs apart by commas; {pair!r} has no '='")
        if name not in known:
            raise UnknownNameError(f"{game} has no option {name!r}; {nearest(name, known)}")
        if name in values:
            raise OptionError(f"option {name!r} is given twice")
        values[name] = known[name].parse(word)
    return values
