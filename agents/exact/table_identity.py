"""What a table says of itself: for which game, rules and version it was made; and words for one that is another."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...envs.core import Game
from ...envs.errors import TableError
from ...envs.options import spell_value


def identity_of(game: Game, encoding: str) -> dict[str, Any]:
    """Return what a table must say of itself to serve a game.

    Args:
        game: the rules; their options and what the compiled rules read of them both count.
        encoding: version of the arrays.
    """
    return {
        "game": game.name,
        "encoding": encoding,
        "rules": dict(game.options),
        "rules_sha256": hashlib.sha256(game.rules.tobytes()).hexdigest(),
    }


def require_identity(path: Path, description: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuse a table that says other things of itself than are `wanted`, or that is not finished.

    Raises:
        TableError: with what differs, in words.
    """
    for name, expected in wanted.items():
        if (found := description.get(name)) != expected:
            raise TableError(f"{path} is a table for {_difference(name, expected, found)}")
    if description.get("unfinished"):
        raise TableError(f"{path} is unfinished: continue with `sekisho solve {wanted['game']}`")


def _difference(name: str, expected: Any, found: Any) -> str:
    if name == "rules_sha256":
        return "another version of the rules, although all options are the same: solve the game again"
    if name == "rules" and isinstance(found, dict):
        others = [
            f"{key}={_spelt(found.get(key))} instead of {_spelt(expected.get(key))}"
            for key in dict.fromkeys([*expected, *found])
            if found.get(key) != expected.get(key)
        ]
        return f"other rules: {', '.join(others)}"
    return f"another {name}: {_spelt(found)} instead of {_spelt(expected)}"


def _spelt(value: Any) -> str:
    """Return a value as it is typed on a command line, cut where it is long."""
    return f"{spell_value(value):.40}" if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
