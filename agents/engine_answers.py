"""What a program has said by UGI or UCI, as far as it is of use."""

from __future__ import annotations

import contextlib
import itertools

from ..envs.core import State
from ..envs.errors import SekishoError
from .lines import in_one_line

_MOST_OPTIONS = 10_000


class Told:
    """What was heard.

    Attributes:
        options: by their names in lower case, what each may be where that is a list of words.
        speaks: ``ugiok`` or ``uciok``.
        best: the move of the last ``bestmove``, empty if none stood there.
        complaint: the last error that the program complained of since it was last asked.
    """

    def __init__(self) -> None:
        self.options: dict[str, list[str]] = {}
        self.speaks = self.best = self.complaint = ""
        self._info: dict[str, list[str]] = {}

    def begin(self) -> None:
        """Forget what was said about earlier decisions."""
        self.best = self.complaint = ""
        self._info = {}

    def hear(self, line: str) -> str:
        """Take a line in and return its first word."""
        words = line.split()
        if not words:
            return ""
        if words[0] in ("ugiok", "uciok"):
            self.speaks = self.speaks or words[0]  # one that was slow may answer both greetings
        elif words[0] == "option" and len(words) > 3 and len(self.options) < _MOST_OPTIONS:
            if words[1] == "name" and "type" in words[3:]:
                kind = words.index("type", 3)
                variants = [value for word, value in itertools.pairwise(words[kind + 2 :]) if word == "var"]
                self.options[" ".join(words[2:kind]).lower()] = variants
        elif words[0] == "bestmove":
            self.best = words[1] if len(words) > 1 else ""
        elif words[:3] == ["info", "string", "error"]:
            self.complaint = in_one_line(" ".join(words[3:]))
        elif words[0] == "info" and "string" not in words and _first_line(words):
            self._note(words[1:])
        return words[0]

    def _note(self, words: list[str]) -> None:
        for at, word in enumerate(words):
            if word in ("depth", "nodes"):
                self._info[word] = words[at + 1 : at + 2]
            elif word == "score" and words[at + 1 : at + 2] == ["wp"]:
                self._info["wp"] = words[at + 2 : at + 3]
            elif word == "pv":
                self._info["pv"] = words[at + 1 :]
                return

    def value(self) -> float | None:
        """Return the expected return of the seat to move, -1..1, if the program said what its chance is."""
        chance = _number(self._info.get("wp", []))
        return None if chance is None or not 0 <= chance <= 1 else 2 * chance - 1

    def statistics(self) -> dict[str, float]:
        """Return the depth and the nodes that the program has told."""
        told = {name: _number(self._info.get(name, [])) for name in ("depth", "nodes")}
        return {name: int(number) for name, number in told.items() if number is not None}

    def line(self, state: State, action: int) -> tuple[int, ...]:
        """Return the line that the program expects as actions, as far as it is one; `action` alone if it is another."""
        walk, line = state.clone(), []
        with contextlib.suppress(SekishoError):
            for move in self._info.get("pv", []):
                number = walk.string_to_action(move)
                walk.apply_action(number)
                line.append(number)
        return tuple(line) if line[:1] == [action] else (action,)


def _first_line(words: list[str]) -> bool:
    """Return whether an ``info`` is about the best line, not about others."""
    if "multipv" not in words:
        return True
    at = words.index("multipv")
    return words[at + 1 : at + 2] == ["1"]


def _number(words: list[str]) -> float | None:
    with contextlib.suppress(ValueError, OverflowError):
        number = float(words[0]) if words else float("nan")
        return number if abs(number) < 1e18 else None
    return None
