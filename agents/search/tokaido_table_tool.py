"""Tokaido's evaluation for the search where the game is solved: the expected returns of perfect play.

The ``data`` are those of `tokaido_tools`, then four words: the addresses of the keys and of the values of the table,
how many nodes it has, and whether turns are not counted in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numba import types
from numpy.typing import NDArray

from ...envs.compiling import intrinsic, kernel
from ...envs.core import Game
from ...envs.errors import AgentError
from ...envs.tokaido.kernels import NUMBERS, OVER, PLAYERS, ROLL, SEAT, TURNS, WAITS, apply, returns
from ...envs.tokaido.rules import Tokaido
from ..exact.tokaido_kernels import key_of
from ..exact.tokaido_table import TokaidoTable
from . import tokaido_tools

_TAIL = 4


def find_table(game: Game, shipped_only: bool) -> TokaidoTable:
    """Return the table of a game that is there already.

    Raises:
        AgentError: if there is none; it says how to make one.
    """
    from ..exact import tokaido_library

    table = tokaido_library.find(cast(Tokaido, game), shipped_only=shipped_only)
    if table is None:
        raise AgentError(
            f"there is no table of {tokaido_library.described(cast(Tokaido, game))}: make it once with "
            f"`{tokaido_library.command(cast(Tokaido, game), 'place_points')}`, or leave option 'exact' out"
        )
    return table


class Numbers:
    """Makes the ``data``; keeps the arrays alive whose addresses are in them."""

    def __init__(self, table: TokaidoTable) -> None:
        self._keys = np.require(table.keys, requirements=["C", "A"])
        self._values = np.require(table.values, requirements=["C", "A"])
        self._counts_turns = table.game.options["max_turns"] is not None

    def __call__(self, game: Game) -> NDArray[np.float64]:
        """Return the ``data`` of a game."""
        addresses = self._keys.ctypes.data, self._values.ctypes.data
        tail = np.array([*addresses, self._keys.size, not self._counts_turns], dtype=np.int64)
        return np.concatenate((tokaido_tools.numbers(game), tail.view(np.float64)))


def _number_at(kind: Any) -> Any:
    """Return an intrinsic ``(address, index) -> number`` that reads an array of a kind of numbers."""

    @intrinsic
    def read(_context: Any, _address: Any, _index: Any) -> tuple[Any, Callable[..., Any]]:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], context.get_value_type(types.CPointer(kind)))
            return builder.load(builder.gep(pointer, [arguments[1]]))

        return kind(types.int64, types.int64), generate

    return read


_word_at, _float_at = _number_at(types.int64), _number_at(types.float64)


@kernel(allocates=True)
def evaluation(rules: Any, state: Any, data: Any, out: Any) -> None:
    """Write the expected returns of perfect play, or those of lone travellers where play from the start never comes."""
    words = state.copy()
    if state[WAITS] < ROLL:
        if not node_returns(rules, words, data, out):
            tokaido_tools.evaluation(rules, state, data, out)
        return
    seat, after = state[SEAT], np.empty(out.size)
    for choice in range(2):
        words[:] = state
        apply(rules, words, rules[NUMBERS + 2 * (state[WAITS] - ROLL) + choice])
        if not node_returns(rules, words, data, after):
            tokaido_tools.evaluation(rules, state, data, out)
            return
        if choice == 0 or after[seat] > out[seat]:
            out[:] = after


@kernel
def node_returns(rules: Any, words: Any, data: Any, out: Any) -> Any:
    """Write what the table holds for a state that does not wait for a number; return whether it has it."""
    if words[WAITS] == OVER:
        returns(rules, words, out)
        return True
    tail = data[data.size - _TAIL :].view(np.int64)
    if tail[3]:
        words[TURNS] = 0
    players, key = rules[PLAYERS], key_of(rules, words)
    node, end = np.int64(0), tail[2]  # the first one whose key is no less lies in node .. end
    while node < end:
        middle = (node + end) >> 1
        if _word_at(tail[0], middle) < key:
            node = middle + 1
        else:
            end = middle
    if node == tail[2] or _word_at(tail[0], node) != key:
        return False
    for place in range(players):
        out[(words[SEAT] + place) % players] = _float_at(tail[1], node * players + place)
    return True
