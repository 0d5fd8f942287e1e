"""Lines for people, none wider than a terminal of 100 columns."""

from __future__ import annotations

import re
import textwrap
from typing import Any

from ..envs.core import Game
from ..envs.options import spell_value

WIDTH = 100


def say(text: str = "", indent: str = "") -> None:
    """Print a text, its long lines broken; what follows a break stands `indent` further in than its line."""
    for line in text.splitlines() or [""]:
        blanks = re.match(r" *", line)
        lead = blanks[0] if blanks else ""
        print(textwrap.fill(line, WIDTH, subsequent_indent=lead + indent, break_on_hyphens=False))


def rules_line(game: Game) -> str:
    """Return the title of a game with all of its rule options."""
    rules = ", ".join(f"{name}={_spelled(value)}" for name, value in game.options.items())
    return f"{game.title}. Rules: {rules}"


def _spelled(value: Any) -> str:
    return str(value.get("id", "…")) if isinstance(value, dict) else spell_value(value)
