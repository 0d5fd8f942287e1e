"""Small boards of Quoridor solved completely: fences are only added, so level by level from the fullest board."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.errors import AgentError, RunError
from ...envs.quoridor.rules import Quoridor
from . import quoridor_levels as compiled
from .keeping import Checkpoint, Progress, Save
from .quoridor_layouts import LARGEST_BOARD, next_layouts
from .quoridor_table import Level, QuoridorTable, described, solved_game

MOST_POSITIONS = 4_000_000_000
"""Estimated positions, one byte each, beyond which a game is only tried when that is wished."""
CHUNK = 2_000
"""Positions of hands and layouts that compiled code solves before it says how far it is."""
SPEED = 10e6
"""Positions that are solved in a second, roughly."""
_CROWDING = 1.85
"""How the places for one more fence shrink with the share of anchors that are free; fitted to 4x4 and 5x5."""


def estimated_positions(game: Quoridor) -> float:
    """Return about how many positions a game has, by the usual number of places for the next fence."""
    game = solved_game(game)
    squares, anchors = game.board_size * (game.board_size - 1), (game.board_size - 1) ** 2
    layouts, positions = 1.0, 0.0
    for placed in range(2 * game.options["fences"] + 1):
        positions += layouts * int(compiled.hands(game.rules, placed)) * 2 * squares**2
        layouts *= 2 * anchors * max(0.0, 1 - placed / anchors) ** _CROWDING / (placed + 1)
    return positions


def check_size(game: Quoridor, most: float = MOST_POSITIONS) -> None:
    """Refuse a game that cannot be solved or that has more than `most` positions.

    Raises:
        AgentError: with the estimated size.
    """
    game = solved_game(game)
    what = described(game)
    if game.board_size > LARGEST_BOARD:
        raise AgentError(
            f"{what} cannot be solved; boards up to {LARGEST_BOARD}x{LARGEST_BOARD} can, with few fences "
            "(`--rules board_size=5,fences=2`)"
        )
    positions = estimated_positions(game)
    if positions > most:
        raise AgentError(
            f"{what} has about {positions:.1e} positions, a byte of memory each, and takes some "
            f"{positions / SPEED / 60:,.0f} minutes: insist with `sekisho solve quoridor "
            f"--rules board_size={game.board_size},fences={game.options['fences']} --force`"
        )


def enumerate_layouts(game: Quoridor, progress: Progress | None = None) -> Iterator[NDArray[np.int64]]:
    """Yield the layouts (int64, ascending) with 0, 1, 2, ... fences until nobody can place another."""
    layouts: NDArray[np.int64] = np.zeros(1, np.int64)
    for placed in range(2 * game.options["fences"] + 1):
        yield layouts
        if placed == 2 * game.options["fences"]:
            return
        layouts = next_layouts(game, layouts)
        if layouts.size == 0:
            return
        if progress:
            progress("layouts", layouts.size, None)


def solve(
    game: Quoridor, progress: Progress | None = None, resume: Checkpoint | None = None, save: Save | None = None
) -> QuoridorTable:
    """Solve every position of a game.

    Args:
        game: two players; see `solved_game`.
        progress: told how many layouts are solved.
        resume: what an earlier run has handed to `save`.
        save: told now and then how far the run is.

    Raises:
        RunError: if a win takes longer than a byte can tell, or the memory does not suffice.
    """
    _warm_up()
    begin = time.perf_counter()
    game = solved_game(game)
    try:
        layouts = list(enumerate_layouts(game, progress))
        levels = [Level(numbers, _empty_scores(game, placed, numbers)) for placed, numbers in enumerate(layouts)]
    except MemoryError as error:
        raise RunError(f"the memory does not suffice for about {estimated_positions(game):.1e} positions") from error
    facts: dict[str, Any] = {"level": len(levels) - 1, "layouts": 0, "longest": 0, "seconds": 0.0}
    if resume is not None:
        facts = {name: resume[1][name] for name in facts}
        for placed in range(facts["level"], len(levels)):
            levels[placed].scores[:] = resume[0][f"scores_{placed}"]
    earlier, total = facts["seconds"], sum(numbers.size for numbers in layouts)
    for placed, first, last in _chunks(levels, facts["level"], facts["layouts"]):
        level, after = levels[placed], levels[placed + 1] if placed + 1 < len(levels) else _nothing()
        longest = compiled.solve_layouts(
            game.rules, placed, level.layouts, after.layouts, after.scores, first, last, level.scores
        )
        facts |= {"level": placed, "layouts": last, "longest": max(facts["longest"], int(longest))}
        facts["seconds"] = earlier + time.perf_counter() - begin
        if facts["longest"] > compiled.LONGEST_WIN:
            raise RunError(f"a win takes more than {compiled.LONGEST_WIN} plies, which the table cannot tell")
        if progress:
            progress("layouts solved", last + sum(numbers.size for numbers in layouts[placed + 1 :]), total)
        if save:
            save({f"scores_{k}": levels[k].scores for k in range(placed, len(levels))}, dict(facts))
    states = sum(int(compiled.count_states(game.rules, placed, numbers)) for placed, numbers in enumerate(layouts))
    return QuoridorTable(
        game, levels, {"states": states, "longest": facts["longest"], "seconds": earlier + time.perf_counter() - begin}
    )


@cache
def _warm_up() -> None:
    """Have everything compiled by solving next to nothing: to compile is not to solve."""
    game = solved_game(Quoridor(board_size=3, fences=1))
    layouts = [numbers[:1] for numbers in enumerate_layouts(game)]
    for placed, numbers in enumerate(layouts):
        compiled.count_states(game.rules, placed, numbers)
        scores = _empty_scores(game, placed, numbers)
        compiled.solve_layouts(game.rules, placed, numbers, *_nothing(), 0, numbers.size, scores)


def _chunks(levels: Sequence[Level], placed: int, solved: int) -> Iterator[tuple[int, int, int]]:
    """Yield level, first and last layout of what is still to solve, when some of level `placed` is solved."""
    for number in range(placed, -1, -1):
        count, hands = levels[number].scores.shape[:2]
        step = max(1, CHUNK // hands)
        for first in range(solved if number == placed else 0, count, step):
            yield number, first, min(first + step, count)


def _empty_scores(game: Quoridor, placed: int, layouts: NDArray[np.int64]) -> NDArray[np.int8]:
    squares = game.board_size * (game.board_size - 1)
    return np.zeros((layouts.size, int(compiled.hands(game.rules, placed)), 2, squares * squares), np.int8)


def _nothing() -> Level:
    """Return the level after the last one."""
    return Level(np.zeros(0, np.int64), np.zeros((0, 1, 2, 1), np.int8))
