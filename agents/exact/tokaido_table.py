"""The solution of a game of Tokaido as a table, and what can be read from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.errors import RunError, TableError
from ...envs.tokaido.kernels import CROSSING, DICE, NUMBERS, OVER, ROLL, SEAT, TURNS, WAITS
from ...envs.tokaido.rules import Tokaido, TokaidoState
from . import tokaido_nodes
from .table_file import Arrays, read_table, write_table
from .table_identity import identity_of, require_identity

ENCODING = "tokaido-1"
"""Version of keys and choices; a new one whenever their meaning changes."""
EQUAL = 1e-9
"""Actions whose values differ by no more count as equal; of equals the lowest action number is taken."""
NO_CAP = 400
"""A `max_turns` from here on makes no difference to perfect play that a double could hold (a test computes it)."""

UTILITIES = ("place_points", "first_only")
"""What a seat plays for: the place points of `returns`, or 1 for the first and 0 for all others."""

_FACTS = frozenset({"states", "sweeps", "residual", "epsilon"})
"""What the facts of every table have; those of three or more players have ``gain`` too."""


@lru_cache(maxsize=64)
def solved_game(game: Tokaido) -> Tokaido:
    """Return the game whose table serves `game` too: without options that change nothing for perfect play.

    Resigning never gains anything, with two players both ways to finish are one, and no perfect game comes near a cap
    of `NO_CAP` turns.
    """
    options = dict(game.options) | {"allow_resign": False}
    if options["players"] == 2:
        options["finish"] = "all_places"
    if options["max_turns"] is not None and options["max_turns"] >= NO_CAP:
        options["max_turns"] = None
    return Tokaido(**options)


def solved_utility(game: Tokaido, utility: str) -> str:
    """Return the utility whose table serves `utility` too: with two players both are the chance to win, scaled."""
    return UTILITIES[0] if game.num_players == 2 else utility


def identity(game: Tokaido, utility: str) -> dict[str, Any]:
    """Return what a table must say of itself to serve a game (one of `solved_game`)."""
    return {**identity_of(game, ENCODING), "utility": solved_utility(game, utility)}


@dataclass
class TokaidoTable:
    """Values and choices of perfect play in every reachable node.

    Attributes:
        game: the rules, as `solved_game` gives them.
        utility: one of `UTILITIES`.
        keys: int64 ``[nodes]``, ascending.
        values: float64 ``[nodes, players]``: expected utility of each seat, the mover's first.
        choices: int32 ``[nodes]``, see `tokaido_sweeps`.
        facts: how it was solved: ``states``, ``nodes``, ``sweeps``, ``residual``, ``epsilon``, ``seconds``, ...
        solve_from: solves what can be reached from a state that play from the start cannot reach; None: refuse.
    """

    game: Tokaido
    utility: str
    keys: NDArray[np.int64]
    values: NDArray[np.float64]
    choices: NDArray[np.int32]
    facts: Mapping[str, Any]
    solve_from: Callable[[TokaidoState], TokaidoTable] | None = None
    _others: list[TokaidoTable] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write the table; see `write_table`."""
        arrays: Arrays = {"keys": self.keys, "values": self.values, "choices": self.choices}
        write_table(path, arrays, {**identity(self.game, self.utility), "facts": dict(self.facts)})

    def seat_values(self, state: TokaidoState) -> NDArray[np.float64]:
        """Return the expected utility of each seat, in seat order, under perfect play from any state.

        Raises:
            TableError: if play cannot reach the state and it cannot be solved on the spot.
        """
        return self._values(self._words(state))

    def action_values(self, state: TokaidoState) -> dict[int, NDArray[np.float64]]:
        """Return for each legal action of a decision the expected utility of each seat, in seat order, after it."""
        words = self._words(state)
        return {action: self._values(self._after(words, action)) for action in state.legal_actions()}

    def choice(self, state: TokaidoState, values: Mapping[int, NDArray[np.float64]]) -> int:
        """Return the action of perfect play at a state, given its `action_values`.

        With two players it is the lowest of those that are best to `EQUAL`. With more it is what the table has chosen,
        by which its values are worked out: another choice may gain as much as its `epsilon`.
        """
        return self._choice(self._words(state), values)

    def _choice(self, words: NDArray[np.int64], values: Mapping[int, NDArray[np.float64]]) -> int:
        if self.game.num_players > 2:
            before, roll = words.copy(), int(words[WAITS] - ROLL)
            if roll < 0:  # at a fork
                table, node = self._node(TokaidoState(self.game, before))
                return CROSSING + int(table.choices[node] & 1)
            before[WAITS] = DICE
            table, node = self._node(TokaidoState(self.game, before))
            return int(self.game.rules[NUMBERS + 2 * roll + (int(table.choices[node]) >> roll & 1)])
        seat = int(words[SEAT])
        best = max(after[seat] for after in values.values())
        return min(action for action, after in values.items() if after[seat] >= best - EQUAL)

    def _words(self, state: TokaidoState) -> NDArray[np.int64]:
        words = state.words.copy()
        if self.game.options["max_turns"] is None:
            words[TURNS] = 0
        return words

    def _after(self, words: NDArray[np.int64], action: int) -> NDArray[np.int64]:
        after = words.copy()
        self.game.kernels.apply(self.game.rules, after, action)
        return after

    def _values(self, words: NDArray[np.int64]) -> NDArray[np.float64]:
        state, seat = TokaidoState(self.game, words), int(words[SEAT])
        if words[WAITS] >= ROLL:
            values = {action: self._values(self._after(words, action)) for action in state.legal_actions()}
            return values[self._choice(words, values)]
        if words[WAITS] == OVER:
            return tokaido_nodes.end_values(self.game, tokaido_nodes.key_of(state), UTILITIES.index(self.utility))
        table, node = self._node(state)
        return np.roll(table.values[node], seat)

    def _node(self, state: TokaidoState) -> tuple[TokaidoTable, int]:
        """Return the table, this one or one that is made now, that has a state, and the node of the state in it."""
        key = tokaido_nodes.key_of(state)
        for table in (self, *self._others):
            node = tokaido_nodes.find_key(table.keys, key)
            if node >= 0:
                return table, node
        if self.solve_from is None:
            raise TableError(f"play from the start cannot reach {state.to_text()!r}, so the table has no value for it")
        try:
            self._others.append(self.solve_from(state))
        except RunError as error:
            raise TableError(
                f"play from the start cannot reach {state.to_text()!r}, and it is too far from the end to be solved now"
            ) from error
        return self._others[-1], tokaido_nodes.find_key(self._others[-1].keys, key)


def load(path: Path, game: Tokaido, utility: str) -> TokaidoTable:
    """Return the table in a file, the values mapped.

    Raises:
        TableError: if it is damaged, or for another game, other rules, another utility or another version.
        OSError: if it cannot be read.
    """
    arrays, description = read_table(path)
    require_identity(path, description, identity(game, utility))
    facts = description.get("facts")
    needed = _FACTS | ({"gain"} if game.num_players > 2 else set())
    if not isinstance(facts, dict) or needed - facts.keys() or not _whole(arrays, game.num_players):
        raise TableError(f"{path} is damaged: its arrays are not those of a table of {game.name}")
    return TokaidoTable(game, description["utility"], arrays["keys"], arrays["values"], arrays["choices"], facts)


def _whole(arrays: Arrays, players: int) -> bool:
    """Return whether arrays have the types, the shapes and the order of a table."""
    count = arrays["keys"].size if "keys" in arrays else 0
    forms = {"keys": (np.int64, (count,)), "values": (np.float64, (count, players)), "choices": (np.int32, (count,))}
    if {name: (array.dtype.type, array.shape) for name, array in arrays.items()} != forms or count == 0:
        return False
    return bool((arrays["keys"][1:] > arrays["keys"][:-1]).all() and np.isfinite(arrays["values"]).all())
