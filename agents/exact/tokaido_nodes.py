"""The nodes of a game of Tokaido as arrays: enumerated once, in the order in which they are solved."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.errors import RunError
from ...envs.tokaido.kernels import STATE_SIZE
from ...envs.tokaido.rules import Tokaido, TokaidoState
from . import tokaido_kernels as compiled
from .keeping import Progress
from .tokaido_sweeps import fill_ends

LEAST_CHUNK, CHUNK = 4_000, 200_000
"""Nodes that compiled code looks at before it says how far it is: at first, and at most."""
OUT_OF_RANGE = {
    compiled.TOO_MANY_RESTS: "a piece owes more rests than a key can hold",
    compiled.TOO_MANY_TURNS: "max_turns is larger than a key can hold with so many players",
}


class Nodes(NamedTuple):
    """All nodes that can be reached, sorted by key.

    Attributes:
        keys: int64 ``[nodes]``, ascending; see `tokaido_kernels.key_of`.
        kinds: uint8 ``[nodes]``.
        links: int32 or int64 ``[nodes, 9 or 10]``: ``8 * node + seats to the next mover``, -1: none.
        begins: uint8 ``[nodes]``, 1 where a turn can begin (a turn that is skipped too).
    """

    keys: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    links: NDArray[Any]
    begins: NDArray[np.uint8]

    @property
    def turn_starts(self) -> int:
        """How many of the nodes are places in which a turn begins."""
        return int(self.begins.sum())

    def find(self, key: int) -> int:
        """Return the node of a key, or -1."""
        return find_key(self.keys, key)


def find_key(keys: NDArray[np.int64], key: int) -> int:
    """Return the place of a key among sorted ones, or -1."""
    at = int(np.searchsorted(keys, key))
    return at if at < keys.size and keys[at] == key else -1


def key_of(state: TokaidoState) -> int:
    """Return the key of the node at a state, seen from whoever moves.

    Raises:
        RunError: if a piece owes too many rests for a key.
    """
    key = int(compiled.key_of(state.game.rules, state.words))
    if key < 0:
        raise RunError(OUT_OF_RANGE[-key])
    return key


def end_values(game: Tokaido, key: int, utility: int) -> NDArray[np.float64]:
    """Return the utility of each seat, in seat order, at an end of the game with that key."""
    values: NDArray[np.float64] = np.zeros((1, game.num_players))
    fill_ends(game.rules, np.array([key]), np.array([compiled.END], np.uint8), utility, values)
    return values.reshape(-1)


def state_at(game: Tokaido, key: int) -> TokaidoState:
    """Return the state of the node of a key, the mover on seat 0."""
    words = np.zeros(STATE_SIZE, dtype=np.int64)
    compiled.state_of(game.rules, key, words)
    return TokaidoState(game, words)


def enumerate_nodes(start: TokaidoState, progress: Progress | None = None, most: int | None = None) -> Nodes:
    """Return all nodes that some play and some dice can lead to from a state.

    Args:
        start: a state that does not wait for the choice of a number.
        progress: told now and then how many nodes were looked at, and how many are known.
        most: give up beyond so many nodes.

    Raises:
        RunError: if a state does not fit into a key, or there are more than `most`.
    """
    rules = start.game.rules
    columns = compiled.NUMBERS_OF_A_THROW + bool(start.game.options["allow_resign"])
    link_type = np.int32 if start.game.num_players <= 4 else np.int64
    chunk, capacity = LEAST_CHUNK, 2 * columns * LEAST_CHUNK
    keys, kinds = np.zeros(capacity, np.int64), np.zeros(capacity, np.uint8)
    links, begins = np.full((capacity, columns), -1, link_type), np.zeros(capacity, np.uint8)
    slots = np.zeros(1 << (2 * capacity - 1).bit_length(), link_type)
    keys[0] = key_of(start)
    compiled.fill_slots(slots, keys, 1)
    counts = np.array([0, 1])
    begins[0] = 1
    while counts[0] < counts[1]:
        chunk = min(max(chunk, int(counts[1])), CHUNK)
        if counts[1] + columns * chunk > keys.size:
            more = max(keys.size, columns * chunk)
            keys, kinds, begins = (np.concatenate((a, np.zeros(more, a.dtype))) for a in (keys, kinds, begins))
            links = np.concatenate((links, np.full((more, columns), -1, link_type)))
            slots = np.zeros(1 << (2 * keys.size - 1).bit_length(), link_type)
            compiled.fill_slots(slots, keys, counts[1])
        error = compiled.expand(rules, keys, kinds, links, begins, slots, counts, counts[0] + chunk)
        if error != compiled.DONE:
            raise RunError(f"{start.game.name} cannot be solved under these rules: {OUT_OF_RANGE[error]}")
        if most is not None and counts[1] > most:
            raise RunError(f"more than {most:,} positions can be reached from {start.to_text()!r}")
        if progress:
            progress("positions", int(counts[0]), None)
    found = int(counts[1])
    return _sorted(keys[:found], kinds[:found], links[:found], begins[:found])


def _sorted(keys: NDArray[np.int64], kinds: NDArray[np.uint8], links: NDArray[Any], begins: NDArray[np.uint8]) -> Nodes:
    order = np.argsort(keys)
    new_numbers = np.empty(keys.size, np.int64)
    new_numbers[order] = np.arange(keys.size)
    links = links[order]
    compiled.renumber(links, new_numbers)
    return Nodes(keys[order], kinds[order], links, begins[order])
