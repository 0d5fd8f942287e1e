"""Where a drawing puts the squares: rows that run to and fro, from the start at the bottom left upwards."""

from __future__ import annotations

import math
from dataclasses import dataclass

COLUMNS = 10
"""Squares in a row, where there is room for them."""


@dataclass(frozen=True)
class Layout:
    """A winding path.

    Attributes:
        goal: number of the last square.
        columns: squares in a row.
    """

    goal: int
    columns: int = COLUMNS

    @property
    def rows(self) -> int:
        """Number of rows."""
        return math.ceil((self.goal + 1) / self.columns)

    def place(self, square: int) -> tuple[int, int]:
        """Return (column, row) of a square; row 0 is at the bottom."""
        row, step = divmod(square, self.columns)
        return (step if self.goes_right(row) else self.columns - 1 - step), row

    def square(self, column: int, row: int) -> int | None:
        """Return the square in a column and row, or None where the last row is shorter."""
        square = row * self.columns + (column if self.goes_right(row) else self.columns - 1 - column)
        return square if square <= self.goal else None

    def goes_right(self, row: int) -> bool:
        """Return whether the path runs from left to right in a row."""
        return row % 2 == 0
