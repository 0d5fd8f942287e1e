"""Tokaido judged pair by pair, for `pairs`: any two seats as if only they travelled, by perfect play of that game.

Place points are a sum over the other seats of "placed before that one or not". So what a position is worth to a seat is
the mean, over the others, of what it is worth in the game of these two, as far as third seats leave the two alone. That
game is solved: unlike lone travellers these two meet, rob, follow and rain upon each other, and choose by it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.tokaido.kernels import RESTS, SEAT, SPOT, STATE_SIZE
from ...envs.tokaido.rules import Tokaido
from ..batches import checked_words
from ..exact import tokaido_library
from ..exact.tokaido_kernels import key_of
from ..exact.tokaido_table import NO_CAP, UTILITIES, TokaidoTable, solved_game
from .race import new_seats, order_seats, place_before
from .tokaido_race import laws, stand


def refusal(game: Game, utility: int) -> str | None:
    """Return why positions of a game cannot be judged pair by pair, or None if they can."""
    if game.name != "tokaido":
        return f"the game of two is solved for tokaido, not for {game.name}"
    if UTILITIES[utility] != "place_points" and game.num_players > 2:
        return f"it judges by place_points, a sum over pairs of seats, and {UTILITIES[utility]} is none"
    if game.options["finish"] != "all_places" and game.num_players > 2:
        return f"places are made pair by pair where finish=all_places, not where finish={game.options['finish']}"
    cap = game.options["max_turns"]
    if cap is not None and cap < NO_CAP:
        return f"turns of two are not counted as those of a table are, and max_turns={cap} is below {NO_CAP}"
    return None


def game_of_two(game: Game) -> Tokaido:
    """Return the game of any two of the seats, as `solved_game` has it."""
    return solved_game(Tokaido(**(dict(game.options) | {"players": 2})))


@lru_cache(maxsize=8)
def shipped_table(two: Tokaido) -> TokaidoTable | None:
    """Return the table of a game of two if it ships; else None, and nothing is solved."""
    return tokaido_library.find(two, shipped_only=True)


class Pairs:
    """The leaf ``pairs``: every two seats travel alone with each other from there on, and perfectly; in place points.

    Where play from the start cannot bring two pieces to where they stand (third ones have moved them), the race of two lone
    travellers answers for that pair.

    Args:
        game: what is played; `refusal` has nothing against it.
        table: of its `game_of_two`.
    """

    def __init__(self, game: Game, table: TokaidoTable) -> None:
        self._rules, self._laws = table.game.rules, laws(table.game, UTILITIES.index("place_points"))
        self._keys, self._values = _closed(table.keys), _closed(table.values)
        self._seats, self._pair = new_seats(game.num_players), np.zeros(STATE_SIZE, dtype=np.int64)

    def position_values(self, game: Game, words: NDArray[np.int64]) -> NDArray[np.float64]:
        """See `leaves.Leaf`."""
        words = checked_words(game, words)
        values = np.zeros((len(words), game.num_players))
        judge(self._rules, self._laws, self._keys, self._values, self._seats, self._pair, words, values)
        return values


def pairs_of(game: Game) -> Pairs:
    """Return the judge of a game; a table of two that is not there yet is solved now, in up to a minute.

    Raises:
        RunError: if it cannot be solved.
    """
    two = game_of_two(game)
    table = shipped_table(two)
    return Pairs(game, tokaido_library.table_for(two) if table is None else table)


def _closed(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array closed to writing, as it is when it is mapped: compiled code then has one form for both."""
    view = np.require(array, requirements=["C", "A"]).view()
    view.flags.writeable = False
    return view


@kernel
def node_at(keys: Any, key: Any) -> Any:
    """Return the number of a key among those that ascend, or -1."""
    first, end = np.int64(0), np.int64(keys.size)
    while first < end:
        middle = (first + end) >> 1
        if keys[middle] < key:
            first = middle + 1
        else:
            end = middle
    return first if first < keys.size and keys[first] == key else np.int64(-1)


@kernel
def against(
    rules: Any, laws: Any, keys: Any, values: Any, seats: Any, pair: Any, words: Any, row: Any, one: Any, other: Any
) -> Any:
    """Return the expected return, -1..1, of seat `one` in the game in which only it and seat `other` travel.

    Whoever of them comes first in turn order begins, or pays a rest first, as the rules have it; see `judge`.
    """
    if seats.level[one] == 0 and seats.level[other] == 0:
        pair[SPOT], pair[SPOT + 1] = words[row, SPOT + one], words[row, SPOT + other]
        pair[RESTS], pair[RESTS + 1] = words[row, RESTS + one], words[row, RESTS + other]
        mover = 0 if seats.order[one] < seats.order[other] else 1
        while pair[RESTS + mover] > 0:
            pair[RESTS + mover] -= 1
            mover = 1 - mover
        pair[SEAT] = mover
        node = node_at(keys, key_of(rules, pair))
        if node >= 0:
            return values[node, mover]  # the mover's comes first, and `one` is seat 0
    return 2.0 * place_before(laws, seats, one, other) - 1.0


@kernel
def judge(
    rules: Any, laws: Any, keys: Any, values: Any, seats: Any, pair: Any, words: Any, out: Any
) -> None:  # fmt: skip
    """Write the place points of each seat (``out``, ``[B, players]``) at beginnings of turns (``[B, state_size]``).

    Args:
        rules: of the game of two, whose road is that of the game.
        laws: of its lone travellers.
        keys: int64 ``[nodes]``, of its table.
        values: float64 ``[nodes, 2]``, the mover's first.
        seats: room for how the seats stand.
        pair: scratch, int64 ``[state_size]``, zeros: a state of the game of two.
        words: the positions.
        out: the answer.
    """
    players = seats.level.size
    for row in range(words.shape[0]):
        stand(rules, seats, words, row)
        order_seats(laws, seats, words[row, SEAT], -1)
        for seat in range(players):
            out[row, seat] = 0.0
        for one in range(players):
            for other in range(one + 1, players):
                points = against(rules, laws, keys, values, seats, pair, words, row, one, other) / (players - 1)
                out[row, one] += points
                out[row, other] -= points
