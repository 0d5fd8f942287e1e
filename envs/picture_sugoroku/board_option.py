"""The rule option that takes a board."""

from __future__ import annotations

from typing import Any

from ..options import Option
from .boards import SHIPPED, load_board


class BoardOption(Option):
    """An option whose value is a shipped board's name, or a board of one's own as a mapping.

    A path is read at once and kept as what stands in the file: a game must not change when the file does.
    """

    @property
    def expected(self) -> str:
        """What values are allowed, in words."""
        return f"{super().expected}, the path of a .json file, or a board as a mapping"

    def check(self, value: Any) -> Any:
        """Return `value` as the option keeps it: a name, or the board as fresh JSON values in their one form."""
        if isinstance(value, str) and value in self.choices:
            return value
        board = load_board(value)
        if board.id in SHIPPED and load_board(board.id) == board:
            return board.id  # however a shipped board was given, the games are equal
        return board.to_dict()

    def parse(self, text: str) -> Any:
        """Return the value that a word spells, as `check` does."""
        word = text.strip()
        return self.check(word.lower() if word.lower() in self.choices else word)
