"""Spec strings: the text that names an agent anywhere, with its options.

``name``, ``name:key=value,key=value``. A value that itself has commas or colons stands in parentheses.
"""

from __future__ import annotations

import math
import typing
from dataclasses import dataclass, field
from typing import Any

from ..envs.errors import OptionError


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
    options: dict[str, str] = {}
    for part in _split(rest, text) if colon else ():
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not key or not value:
            raise OptionError(f"agent {text!r}: options are key=value apart by commas, not {part!r}")
        if key in options:
            raise OptionError(f"agent {text!r}: option {key!r} is given twice")
        options[key] = _unwrapped(value, text)
    return Spec(name.strip(), options)


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
    depth = 0
    for at, letter in enumerate(value):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and at < len(value) - 1:
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
