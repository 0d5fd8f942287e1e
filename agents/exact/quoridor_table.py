"""The solution of a small board of Quoridor as a table, and what can be read from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.errors import AgentError, TableError
from ...envs.quoridor.kernels import LEFT, PAWN, SEAT
from ...envs.quoridor.rules import Quoridor, QuoridorState
from . import quoridor_lookups
from .quoridor_layouts import lay_out
from .quoridor_levels import fewest_of_first, square_of
from .table_file import Arrays, read_table, write_table
from .table_identity import identity_of, require_identity

ENCODING = "quoridor-1"
"""Version of layouts and scores; a new one whenever their meaning changes."""


class Level(NamedTuple):
    """All positions with a given number of fences on the board; see `quoridor_levels`.

    Attributes:
        layouts: int64 ``[layouts]``, ascending.
        scores: int8 ``[layouts, hands, 2, squares * squares]``.
    """

    layouts: NDArray[np.int64]
    scores: NDArray[np.int8]


@lru_cache(maxsize=64)
def solved_game(game: Quoridor) -> Quoridor:
    """Return the game whose table serves `game` too: without a cap on plies, and with no fences beyond one an anchor.

    A cap changes nothing but that a win for which too few plies are left is a draw: the plies of a win tell.

    Raises:
        AgentError: for a game that has no table: four players, or draws by repetition, which depend on the history.
    """
    options = dict(game.options)
    if options["players"] != 2:
        raise AgentError(f"quoridor is solved for two players, not {options['players']}")
    if options["repetition"] is not None:
        raise AgentError(
            "quoridor is solved with repetition=none: with draws by repetition the value depends on the history"
        )
    fences = min(options["fences"], (options["board_size"] - 1) ** 2)
    return Quoridor(board_size=options["board_size"], fences=fences, max_plies=None)


def described(game: Quoridor) -> str:
    """Return a game of two players in words."""
    return f"quoridor on {game.board_size}x{game.board_size} with {game.options['fences']} fences each"


def identity(game: Quoridor) -> dict[str, Any]:
    """Return what a table must say of itself to serve a game (one of `solved_game`)."""
    return identity_of(game, ENCODING)


@dataclass
class QuoridorTable:
    """The value of every position of a game, for the side to move.

    Attributes:
        game: the rules, as `solved_game` gives them.
        levels: by fences on the board.
        facts: how it was solved: ``states``, ``longest`` (plies), ``seconds``.
    """

    game: Quoridor
    levels: Sequence[Level]
    facts: Mapping[str, Any]

    def save(self, path: Path) -> None:
        """Write the table; see `write_table`."""
        arrays: Arrays = {}
        for placed, level in enumerate(self.levels):
            arrays |= {f"layouts_{placed}": level.layouts, f"scores_{placed}": level.scores}
        write_table(path, arrays, {**identity(self.game), "facts": dict(self.facts)})

    def plies(self, state: QuoridorState) -> int:
        """Return the signed plies of the side to move, a cap on plies left aside.

        Returns:
            d if it wins in d plies, -d if it loses in d, 0 for play without end.

        Raises:
            TableError: if the table has no such position.
        """
        words, level, _ = self._at(state)
        plies = int(quoridor_lookups.plies_at(self.game.rules, words, level.layouts, level.scores))
        if plies == quoridor_lookups.NO_STATE:
            raise TableError(f"no game leads to {state.to_text()!r}, so the table has no value for it")
        return plies

    def action_plies(self, state: QuoridorState) -> dict[int, int]:
        """Return for each legal action the signed plies of the side to move if it plays it; see `plies`."""
        words, level, after = self._at(state)
        plies = np.empty(self.game.num_actions, np.int64)
        quoridor_lookups.write_action_plies(self.game.rules, words, *level, *after, plies)
        return {int(action): int(plies[action]) for action in np.flatnonzero(plies != quoridor_lookups.NO_STATE)}

    def choice(self, plies: Mapping[int, int]) -> int:
        """Return the action of perfect play given `action_plies`: of equals the lowest number."""
        return max(plies, key=lambda action: (preference(plies[action]), -action))

    def state_at(self, game: Quoridor, placed: int, place: int, hand: int, seat: int, pair: int) -> QuoridorState:
        """Return the position of a place in the scores of a level, at ply 0 of a game that the table serves."""
        words = game.new_initial_state().words
        lay_out(game.rules, self.levels[placed].layouts[place], words)
        by_first = int(fewest_of_first(self.game.rules, placed)) + hand
        near, far = divmod(pair, game.board_size * (game.board_size - 1))
        words[PAWN], words[PAWN + 1] = square_of(game.board_size, 0, near), square_of(game.board_size, 1, far)
        words[LEFT] -= by_first
        words[LEFT + 1] -= placed - by_first
        words[SEAT] = seat
        return QuoridorState(game, words)

    def _at(self, state: QuoridorState) -> tuple[NDArray[np.int64], Level, Level]:
        """Return a state's words as the table has them, its level, and the one with one fence more."""
        if state.game != self.game and solved_game(state.game) != self.game:
            raise TableError(f"the table is for {described(self.game)}, not for {described(state.game)}")
        words = state.words.copy()
        words[LEFT : LEFT + 2] -= state.game.options["fences"] - self.game.options["fences"]
        placed = int(2 * self.game.options["fences"] - words[LEFT : LEFT + 2].sum())
        if state.winner is not None or placed >= len(self.levels):
            raise TableError(f"the table has no value for {state.to_text()!r}: expected a game that goes on")
        return words, self.levels[placed], self.levels[min(placed + 1, len(self.levels) - 1)]


def preference(plies: int) -> float:
    """Return a number that is the larger, the better signed plies are: win soon, else draw, else lose late."""
    return 0.0 if plies == 0 else 1.0 / plies


def outcome(plies: int, state: QuoridorState) -> int:
    """Return what signed plies come to at a state under its cap on plies: 1 won, 0 drawn, -1 lost."""
    cap = state.game.options["max_plies"]
    if cap is not None and abs(plies) > cap - state.ply:
        return 0
    return (plies > 0) - (plies < 0)


def load(path: Path, game: Quoridor) -> QuoridorTable:
    """Return the table in a file, the values mapped.

    Raises:
        TableError: if it is damaged, or for another game, other rules or another version.
        OSError: if it cannot be read.
    """
    arrays, description = read_table(path, private=True)
    require_identity(path, description, identity(game))
    facts = description.get("facts")
    levels = []
    for placed in range(len(arrays) // 2):
        level = arrays.get(f"layouts_{placed}"), arrays.get(f"scores_{placed}")
        if level[0] is None or level[1] is None or not _whole(game, placed, level[0], level[1]):
            raise TableError(f"{path} is damaged: its arrays are not those of a table of {game.name}")
        levels.append(Level(level[0], level[1]))
    if not levels or len(arrays) % 2 or not isinstance(facts, dict) or not {"states", "longest"} <= facts.keys():
        raise TableError(f"{path} is damaged: its arrays are not those of a table of {game.name}")
    return QuoridorTable(game, levels, facts)


def _whole(game: Quoridor, placed: int, layouts: NDArray[Any], scores: NDArray[Any]) -> bool:
    """Return whether arrays have the types, the shapes and the order of a level."""
    squares, fences = game.board_size * (game.board_size - 1), game.options["fences"]
    hands = min(fences, placed) - max(0, placed - fences) + 1  # in plain Python: nothing is compiled to open a table
    shape = (layouts.size, hands, 2, squares * squares)
    if layouts.dtype != np.int64 or scores.dtype != np.int8 or layouts.ndim != 1 or scores.shape != shape:
        return False
    return layouts.size > 0 and bool((layouts[1:] > layouts[:-1]).all())
