"""Lines for people, none wider than the terminal, or than 100 columns."""

from __future__ import annotations

import re
import shutil
import unicodedata
from typing import Any

from rich.cells import cell_len, chop_cells
from rich.text import Text

from ..envs.core import Game
from ..envs.options import spell_value

MOST_COLUMNS, LEAST_COLUMNS = 100, 40
UNITS = {
    "return": "return, which the mover expects at the end: -1 (lost) to 1 (won)",
    "steps": "steps of a pawn that a choice is worth to the mover: 20 where the win is in sight, -20 the loss",
}
"""What the values of choices are told in, for people; a unit that is not here speaks for itself."""
_LONGEST = 300  # letters of a word in a message; names of files are shorter
_UNTORN = re.compile(r"\s*\S+(?:(?<=\bseat) \d\S*|(?<=\d:) [-+\d]\S*|(?<=\d\.) \S+| -> \S+)*")
"""A word, with what belongs to it: the number of a seat, the number after it and a colon, what a number became,
the first move behind its number."""


def width() -> int:
    """Return how many columns lines may have: those of the terminal, or else `MOST_COLUMNS`, which is also the limit."""
    columns = shutil.get_terminal_size(fallback=(MOST_COLUMNS, 24)).columns
    return min(max(columns, LEAST_COLUMNS), MOST_COLUMNS)


def height() -> int:
    """Return how many rows the terminal has, 0 where there is none and nothing scrolls away."""
    return shutil.get_terminal_size(fallback=(MOST_COLUMNS, 0)).lines


def plain(text: str) -> str:
    """Return a foreign text as one line that does nothing to a terminal: what is no letter, mark or blank as a �."""
    return "".join("�" if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") else letter for letter in text)


def cut(text: str, columns: int) -> str:
    """Return a foreign text as `plain` does, no wider than so many columns: what is too much as …."""
    text = plain(text)
    return text if cell_len(text) <= columns else (chop_cells(text, columns - 1) or [""])[0] + "…"


def cell(text: str) -> Text:
    """Return a foreign text for a table: no markup, no control characters."""
    return Text(plain(text))


def message(text: str, wrap: bool = True) -> str:
    """Return what an error says as lines for people: no control characters, endless words cut.

    Args:
        text: the error.
        wrap: whether to break long lines; names of files stay whole.
    """
    lines = [
        plain(re.sub(rf"\S{{{_LONGEST},}}", lambda word: word[0][:_LONGEST] + "…", line)) for line in text.split("\n")
    ]
    return "\n".join(row for line in lines for row in (wrapped(line, "  ", break_words=False) if wrap else [line]))


def wrapped(line: str, indent: str = "", break_words: bool = True) -> list[str]:
    """Return a line broken between words, so that nothing is wider than `width` says.

    Args:
        line: of any letters; the ones of East Asia are two columns wide.
        indent: what follows a break begins so.
        break_words: whether a word that is too long is broken even if it looks like the name of a file.
    """
    rows, columns = [""], width()
    for word in _UNTORN.findall(plain(line)):
        if cell_len(rows[-1] + word) > columns and rows[-1].strip():
            rows.append(indent + word.lstrip())
        else:
            rows[-1] += word
        while cell_len(rows[-1]) > columns and (break_words or not re.search(r"[/\\]", rows[-1])):
            head = chop_cells(rows[-1], columns)[0]
            rows[-1:] = [head, indent + rows[-1][len(head) :]]
    return rows


def say(text: str = "", indent: str = "") -> None:
    """Print a text, its long lines broken; what follows a break stands `indent` further in than its line."""
    for line in text.split("\n"):
        blanks = re.match(r" *", line)
        lead = blanks[0][: width() // 2] if blanks else ""
        print("\n".join(wrapped(line, lead + indent)))


def rules_line(game: Game) -> str:
    """Return the title of a game with all of its rule options."""
    rules = ", ".join(f"{name}={_spelled(value)}" for name, value in game.options.items())
    return f"{game.title}. Rules: {rules}"


def _spelled(value: Any) -> str:
    return str(value.get("id", "…")) if isinstance(value, dict) else spell_value(value)
