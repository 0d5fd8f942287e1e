"""Random boards, for training and research on many of them."""

from __future__ import annotations

import itertools
from typing import Any

from ..counter_rng import draw_below, new_rng
from ..errors import OptionError
from .boards import KINDS, MAX_GOAL, MAX_REST, MIN_GOAL, Board, Instruction, shown
from .walks import trap, walk_table

_FAR = 12  # squares that `forward` and `back` go at most, as on printed boards


def random_board(goal: int, density: float, seed: int) -> Board:
    """Return a board that can be finished under every rule option.

    Args:
        goal: number of its last square, 5 to 500.
        density: share of the squares between start and goal that say something, 0 to 1. Instructions that would make
            the board impossible to finish are left out again, so that a very dense board may have fewer.
        seed: key of the random numbers, ``0 .. 2**64-1``; the same arguments give the same board everywhere.

    Raises:
        OptionError: for an argument out of range.
    """
    _check_arguments(goal, density, seed)
    rng = new_rng(seed)
    order = list(range(1, goal))
    for last in range(len(order) - 1, 0, -1):  # Fisher-Yates
        other = int(draw_below(rng, last + 1))
        order[last], order[other] = order[other], order[last]
    squares = {square: _instruction(square, goal, rng) for square in order[: round(density * len(order))]}
    identity = f"random-{goal}-{round(100 * density)}-{seed}"
    while True:
        board = Board(identity, {"en": f"Random board {seed}"}, goal, dict(sorted(squares.items())))
        trapped = _trap(board)
        if trapped is None:
            return board
        del squares[trapped + 1]  # it has an instruction, or a one would lead on from the trap nearest to the goal


def _check_arguments(goal: Any, density: Any, seed: Any) -> None:
    if type(goal) is not int or not MIN_GOAL <= goal <= MAX_GOAL:
        span = f"{MIN_GOAL}..{MAX_GOAL}"
        raise OptionError(f"the goal of a random board must be a whole number {span}, not {shown(goal)}")
    if not isinstance(density, int | float) or not 0 <= density <= 1:
        raise OptionError(f"the density of a random board must be a number 0..1, not {shown(density)}")
    if type(seed) is not int or not 0 <= seed < 1 << 64:
        raise OptionError(f"the seed of a random board must be a whole number 0..2**64-1, not {shown(seed)}")


def _trap(board: Board) -> int | None:
    """Return a square from which the board cannot be finished under some option, or None."""
    for chain, goal in itertools.product((True, False), ("over", "exact")):
        found = trap(walk_table(board, chain=chain, goal=goal))
        if found is not None:
            return found
    return None


def _instruction(square: int, goal: int, rng: object) -> Instruction:
    """Return a random instruction for a square, each kind equally likely."""
    kind = tuple(KINDS)[int(draw_below(rng, len(KINDS)))]
    number = 0
    if kind == "rest":
        number = 1 + int(draw_below(rng, MAX_REST))
    elif kind == "forward":
        number = 1 + int(draw_below(rng, min(_FAR, goal - square)))
    elif kind == "back":
        number = 1 + int(draw_below(rng, min(_FAR, square)))
    elif kind == "jump":
        number = int(draw_below(rng, goal - 1))
        number += number >= square  # any square but its own, short of the goal
    return Instruction(kind, number)
