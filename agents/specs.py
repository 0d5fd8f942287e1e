"""Spec strings: the text that names an agent anywhere, with its options.

``name``, ``name:key=value,key=value``. A value that itself has commas or colons stands in parentheses. What follows
``engine:`` is the command line of another program, as it is; options stand in parentheses before it:
``engine:(seconds=1)COMMAND``.
"""

from __future__ import annotations

import math
import typing
from dataclasses import dataclass, field
from typing import Any

from ..envs.errors import OptionError

ENGINE = "engine"
"""Name of the agent that is another program."""


@dataclass(frozen=True)
class Spec:
    """A spec string taken apart: the agent's name and its options as text."""

    name: str
    options: dict[str, str] = field(default_factory=dict)


def parse_spec(text: str) -> Spec:
    """Take a spec string apart.

    Raises:
        OptionError: naming the part that is not ``key=value``, the option given twice, or the parenthesis that is left
            open or encloses only a part of a value.
    """
    if not isinstance(text, str):
        raise OptionError(f"an agent is named by a text, not {text!r:.80}")
    name, colon, rest = text.strip().partition(":")
    if name.strip() == ENGINE:
        return _engine(rest.strip(), text)
    return Spec(name.strip(), options_of(rest, text) if colon else {})


def options_of(listing: str, whole: str) -> dict[str, str]:
    """Read ``key=value,key=value``.

    Args:
        listing: the options.
        whole: what they are a part of, for messages.

    Raises:
        OptionError: as `parse_spec` does.
    """
    options: dict[str, str] = {}
    for part in _split(listing, whole):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not key or not value:
            raise OptionError(f"agent {whole!r}: options are key=value apart by commas, not {part!r}")
        if key in options:
            raise OptionError(f"agent {whole!r}: option {key!r} is given twice")
        options[key] = _unwrapped(value, whole)
    return options


def _engine(rest: str, whole: str) -> Spec:
    """Take apart what follows ``engine:``: options in parentheses, if it begins with them, and the command line."""
    options: dict[str, str] = {}
    if rest.startswith("("):
        end = _closing(rest)
        if end is None:
            raise OptionError(f"agent {whole!r}: '(' without ')'")
        options, rest = options_of(rest[1:end], whole), rest[end + 1 :].strip()
    if "command" in options:
        raise OptionError(f"agent {whole!r}: the command stands behind the parentheses, not in them")
    if not rest:
        raise OptionError(f"agent {whole!r}: expected the command line of a program, as in engine:COMMAND")
    return Spec(ENGINE, {**options, "command": rest})


def _closing(text: str) -> int | None:
    """Return where the parenthesis that a text begins with is closed, None if it is not."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return at
    return None


def _split(text: str, whole: str) -> list[str]:
    """Split at commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            raise OptionError(f"agent {whole!r}: ')' without '('")
        if letter == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    if depth:
        raise OptionError(f"agent {whole!r}: '(' without ')'")
    return [*parts, text[start:]]


def _unwrapped(value: str, whole: str) -> str:
    """Return a value without the parentheses that it stands in, if it stands in some."""
    if not value.startswith("("):
        return value
    if _closing(value) != len(value) - 1:
        raise OptionError(f"agent {whole!r}: parentheses enclose a whole value, not only a part of {value!r}")
    if not value[1:-1].strip():
        raise OptionError(f"agent {whole!r}: nothing stands between the parentheses")
    return value[1:-1].strip()


def convert(value: str, kind: Any, name: str) -> Any:
    """Return the text of an option as `kind` (``int``, ``float`` or ``str``, or one of them ``| None``).

    Raises:
        OptionError: if it does not spell one.
    """
    kind = next((part for part in typing.get_args(kind) if part is not type(None)), kind)
    try:
        converted = kind(value)
        if kind is not float or math.isfinite(converted):
            return converted
        raise ValueError(value)
    except ValueError:
        words = {int: "a whole number", float: "a number"}.get(kind, "a text")
        raise OptionError(f"option {name!r} must be {words}, not {value!r}") from None
