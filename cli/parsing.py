"""From the words behind a subcommand to its fields, every mistake in them a line of ours."""

from __future__ import annotations

import contextlib
import io
import re
import textwrap
from collections.abc import Mapping
from typing import Any

import tyro

from ..envs.errors import OptionError

_LONGEST = 500  # letters of what is said about a mistake
_COLOURS = re.compile("\x1b\\[[0-9;]*m")
_RULES = re.compile("^[│ ]*(?:[─-]{3,}|[╭╰].*)[│ ]*$", re.MULTILINE)
"""The lines around and between the parts of a box; where such letters cannot be spelled, of minus signs and under a title."""


def parsed(command: Any, name: str, words: list[str]) -> Any:
    """Return a command with its fields set.

    Args:
        command: class of the command; its ``ALONE`` may say what an option stands for that is given without a value.
        name: as it is typed.
        words: what follows it.

    Raises:
        OptionError: for words that do not fit.
        SystemExit: with status 0, after help was printed.
    """
    words = _with_values(words, getattr(command, "ALONE", {}))
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            return tyro.cli(command, prog=f"sekisho {name}", description=command.__doc__, args=words)
    except SystemExit as stop:
        if not stop.code:
            raise
        raise OptionError(f"{_mistake(said.getvalue())}; see: sekisho {name} --help") from None


def _with_values(words: list[str], alone: Mapping[str, str]) -> list[str]:
    """Return words in which options that may stand alone have a value."""
    given = []
    for word, following in zip(words, [*words[1:], "--"], strict=False):
        given += [word, alone[word]] if word in alone and following.startswith("--") else [word]
    return given


def _mistake(box: str) -> str:
    """Return in a line what the parser says in a box: its first part, and of the others what fits or was meant."""
    parts = [" ".join(part.replace("│", " ").split()) for part in _RULES.split(_COLOURS.sub("", box))]
    _title, told, *more = [*parts, box]
    told, rest = told.partition(" Got errors:")[0].removesuffix("."), " ".join(more)
    wrong = re.match(r"Error parsing (\S+): .*'(.*)'", told)
    takes = re.match(r"Argument helptext: \S+ (\S+)", rest)
    meant = re.match(r"Perhaps you meant: (\S+)", rest)
    if wrong and takes:
        told = f"{wrong[1]} takes {takes[1]}, not {wrong[2]!r}"
    if meant:
        told = f"{told} (did you mean {meant[1]}?)"
    return textwrap.shorten(told[:1].lower() + told[1:], _LONGEST, placeholder=" …")
