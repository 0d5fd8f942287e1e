"""Boards of picture sugoroku: what a board is, and how one is read and checked.

A board is data: a JSON file, or a mapping of the same form. Whoever writes one learns which square is wrong and why.
"""

from __future__ import annotations

import functools
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import OptionError, nearest

MIN_GOAL, MAX_GOAL = 5, 500
"""The goal's number lies between these, so a board has 6 to 501 squares."""
MAX_REST = 2
MAX_FILE_BYTES = 256 * 1024
KINDS: Mapping[str, str | None] = {
    "forward": "by",
    "back": "by",
    "rest": "turns",
    "roll_again": None,
    "to_start": None,
    "jump": "to",
}
"""Each kind of instruction with the name of its number, if it has one."""
SHIPPED = ("round_the_seasons", "a_short_walk", "treasure_hunt")
"""Names of the boards that come with the package."""

_FOLDER = Path(__file__).parent / "boards"
_KEYS = ("id", "name", "goal", "squares")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control characters, lone surrogates, line separators
_MAX_TITLE = 80


def shown(value: Any, length: int = 80) -> str:
    """Return what came, for a message; some values are too large or too deep to be written."""
    try:
        return repr(value)[:length]
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too large to be shown"


class Instruction(NamedTuple):
    """What a square says.

    Attributes:
        kind: a key of `KINDS`.
        number: squares for ``forward`` and ``back``, turns for ``rest``, the target for ``jump``, otherwise 0.
    """

    kind: str
    number: int = 0


@dataclass(frozen=True)
class Board:
    """A path from 0 to `goal` with instructions on some squares between.

    Attributes:
        id: a short name without blanks.
        names: its name by language code, at least one.
        goal: number of the last square.
        squares: the instructions by square, in ascending order.
    """

    id: str
    names: Mapping[str, str]
    goal: int
    squares: Mapping[int, Instruction]

    def title(self, language: str = "en") -> str:
        """Return the board's name in a language; in English or whatever there is if it has none."""
        return self.names.get(language) or self.names.get("en") or next(iter(self.names.values()))

    def to_dict(self) -> dict[str, Any]:
        """Return the board as fresh JSON values, always in the same form."""
        squares: dict[str, dict[str, Any]] = {}
        for square, (kind, number) in self.squares.items():
            key = KINDS[kind]
            squares[str(square)] = {"kind": kind, key: number} if key else {"kind": kind}
        return {"id": self.id, "name": dict(self.names), "goal": self.goal, "squares": squares}


def load_board(source: Any) -> Board:
    """Return a checked board.

    Args:
        source: the name of a shipped board, the path of a JSON file (a text that ends in ``.json`` or names a
            folder, or a path object), a mapping of the same form, or a `Board`.

    Raises:
        OptionError: if there is no such board, or it has a mistake; the message names the square and the mistake.
    """
    if isinstance(source, Board):
        return read_board(source.to_dict())
    if isinstance(source, Mapping):
        return read_board(source)
    if isinstance(source, str) and source in SHIPPED:
        return _shipped_board(source)
    if isinstance(source, os.PathLike):
        source = os.fspath(source)
    elif isinstance(source, str) and not (source.endswith(".json") or "/" in source or os.sep in source):
        hint = nearest(source, SHIPPED)
        raise OptionError(
            f"there is no board {shown(source)}; {hint}; a board of your own is a path that ends in .json"
        )
    if not isinstance(source, str):
        raise OptionError(f"a board is a name, a path or a mapping, not {shown(source)}")
    return _read_file(source)


@functools.cache
def _shipped_board(name: str) -> Board:
    return _read_file(str(_FOLDER / f"{name}.json"))


def _read_file(path: str) -> Board:
    try:
        if not os.path.isfile(path):  # noqa: PTH113  (takes texts that no path can hold); no device, no pipe
            raise OptionError(f"there is no board file {shown(path, 200)}")
        with open(path, "rb") as file:  # noqa: PTH123
            content = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(f"the board file {shown(path, 200)} cannot be read: {error}") from error
    if len(content) > MAX_FILE_BYTES:
        raise OptionError(
            f"the board file {shown(path, 200)} is too large: a board takes at most {MAX_FILE_BYTES} bytes"
        )
    try:
        data = json.loads(content.decode("utf-8"), object_pairs_hook=_without_duplicates)
    except OptionError:
        raise
    except (ValueError, RecursionError) as error:
        raise OptionError(f"the board file {shown(path, 200)} is not valid JSON in UTF-8: {error}") from error
    return read_board(data)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict; refuse a key that stands there twice, of which JSON would drop one."""
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        what = f"square {twice}" if twice.isdigit() else f"the key {shown(twice, 40)}"
        raise OptionError(f"the board has {what} twice; keep one")
    return data


# --- the checks ------------------------------------------------------------------------------------------------------


def read_board(data: Any) -> Board:
    """Return the board that a mapping describes.

    Raises:
        OptionError: naming the square and the mistake.
    """
    if not isinstance(data, Mapping):
        raise OptionError(f"a board is a mapping with the keys {', '.join(_KEYS)}, not {shown(data)}")
    for key in data:
        if key not in _KEYS:
            raise OptionError(f"the board has an unknown key {shown(key, 40)}; {_hint(key, _KEYS)}")
    missing = [key for key in _KEYS if key not in data]
    if missing:
        raise OptionError(f"the board lacks the key {missing[0]!r}; it has the keys {', '.join(_KEYS)}")
    identity = data["id"]
    if not (isinstance(identity, str) and _ID.fullmatch(identity)):
        raise OptionError(
            f"the board's 'id' must be 1 to 64 letters, digits, '_' or '-', beginning with a letter or digit, "
            f"not {shown(identity)}"
        )
    names = _names(data["name"], identity)
    goal = _number(data["goal"], MIN_GOAL, MAX_GOAL, f"board {identity!r}: 'goal'")
    if not isinstance(data["squares"], Mapping):
        raise OptionError(f"board {identity!r}: 'squares' must be a mapping of squares, not {shown(data['squares'])}")
    squares = {}
    for key, instruction in data["squares"].items():
        square = _square(key, goal, identity)
        squares[square] = _instruction(instruction, square, goal, f"board {identity!r}, square {square}")
    return Board(identity, names, goal, dict(sorted(squares.items())))


def _hint(came: Any, known: Iterable[str]) -> str:
    return nearest(came[:40] if isinstance(came, str) else "", known)


def _names(names: Any, identity: str) -> dict[str, str]:
    where = f"board {identity!r}: 'name'"
    if not isinstance(names, Mapping) or not names:
        raise OptionError(
            f'{where} must give at least one name by language, such as {{"en": "My board"}}, not {shown(names)}'
        )
    for language, title in names.items():
        if not (isinstance(language, str) and _LANGUAGE.fullmatch(language)):
            raise OptionError(f"{where}: expected a language code such as 'en', not {shown(language, 40)}")
        if not (isinstance(title, str) and title.strip() and len(title) <= _MAX_TITLE and _is_printable(title)):
            raise OptionError(
                f"{where} in {language!r} must be a line of 1 to {_MAX_TITLE} printable characters, not {shown(title)}"
            )
    return dict(sorted(names.items()))


def _is_printable(text: str) -> bool:
    return not any(unicodedata.category(letter) in _UNPRINTABLE or letter in "\ufffe\uffff" for letter in text)


def _square(key: Any, goal: int, identity: str) -> int:
    """Return the square that a key of ``squares`` names; only squares between start and goal may say something."""
    where = f"board {identity!r}"
    if not (isinstance(key, str) and key.isascii() and key.isdigit() and len(key) <= 9):
        raise OptionError(f'{where}: a square is its number as a text, such as "12", not {shown(key, 40)}')
    square = int(key)
    if str(square) != key:
        raise OptionError(f"{where}: the square {key!r} must be written {str(square)!r}")
    if square == 0:
        raise OptionError(f"{where}, square 0: the start has no instruction")
    if square == goal:
        raise OptionError(f"{where}, square {square}: the goal has no instruction")
    if square > goal:
        raise OptionError(f"{where}, square {square}: it is off the board, whose last square is {goal}")
    return square


def _instruction(data: Any, square: int, goal: int, where: str) -> Instruction:
    if not isinstance(data, Mapping):
        raise OptionError(f'{where}: expected an instruction such as {{"kind": "back", "by": 3}}, not {shown(data)}')
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        came = f"an unknown kind {shown(kind, 40)}" if "kind" in data else "no 'kind'"
        raise OptionError(f"{where} has {came}; {_hint(kind, KINDS)}")
    name = KINDS[kind]
    for key in data:
        if key not in ("kind", name):
            expects = f"'kind' and {name!r}" if name else "'kind' alone"
            raise OptionError(f"{where}: {kind!r} takes {expects}, not the key {shown(key, 40)}")
    if name is None:
        return Instruction(kind)
    if name not in data:
        raise OptionError(f"{where}: {kind!r} needs the key {name!r}")
    if name == "to":
        return Instruction(kind, _jump_target(data[name], square, goal, where))
    return Instruction(kind, _number(data[name], 1, goal if name == "by" else MAX_REST, f"{where}: {name!r}"))


def _jump_target(value: Any, square: int, goal: int, where: str) -> int:
    target = _number(value, 0, goal - 1, f"{where}: a jump must stay on the board and short of the goal: 'to'")
    if target == square:
        raise OptionError(f"{where}: it jumps to itself; choose another square")
    return target


def _number(value: Any, minimum: int, maximum: int, what: str) -> int:
    if type(value) is not int or not minimum <= value <= maximum:  # neither True nor 3.0 is a number of squares
        raise OptionError(f"{what} must be a whole number {minimum}..{maximum}, not {shown(value, 40)}")
    return value
