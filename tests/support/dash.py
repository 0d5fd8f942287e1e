"""Dash, the game of another package that the docs work out, with its values as one finds them on paper."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from dash_race import Dash, DashState

__all__ = ["Dash", "DashState", "paths", "value"]

# --- the same game on paper ------------------------------------------------------------------------------------------


@cache
def paths(mine: int, other: int, thrown: int, length: int, depth: int) -> int:
    """Return the number of paths of exactly `depth` plies; `thrown` 0 stands for a throw to come."""
    if depth == 0:
        return 1
    if mine >= length or other >= length:
        return 0
    if thrown == 0:
        return sum(paths(mine, other, face, length, depth - 1) for face in (1, 2, 3))
    return sum(paths(other, mine + steps, 0, length, depth - 1) for steps in {thrown, 1})


@cache
def value(mine: int, other: int, length: int) -> Fraction:
    """Return the mean return of the player about to throw when both choose at random."""
    if other >= length:
        return Fraction(-1)
    total = Fraction(0)
    for face, chances in ((1, 3), (2, 2), (3, 1)):
        choices = {face, 1}
        total += Fraction(chances, 6 * len(choices)) * sum(-value(other, mine + steps, length) for steps in choices)
    return total
