"""The transposition table: what is known about positions that were searched before.

Two words a position in buckets of two: the first slot keeps the deeper search of an age, the second the newer one.
What is older than ``oldest`` is as if it were not there, so a table is forgotten without being cleared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....envs.compiling import kernel
from ....envs.errors import AgentError
from ..memory import fits
from .frames import DECIDED

EXACT, LEAST, MOST = 1, 2, 3  # what a value is: itself, or a bound from below or above
MOST_AGE = (1 << 15) - 1
_OFFSET = 32_768
_ENTRY_BYTES = 16


def new_table(memory: int) -> NDArray[np.uint64]:
    """Return an empty table of so many MiB, uint64 ``[even, 2]``.

    Raises:
        AgentError: if the machine has not as much.
    """
    refusal = f"this machine has no {memory} MiB for a table: give 'memory' a smaller value"
    if not fits(memory):
        raise AgentError(refusal)
    try:
        entries = np.empty((memory * 2**20 // _ENTRY_BYTES // 2 * 2, 2), np.uint64)
    except MemoryError:
        raise AgentError(refusal) from None
    entries[:] = 0  # writes to all of it, so that the system finds the memory now and not in thinking time
    return entries


@kernel
def pack(value: Any, depth: Any, kind: Any, move: Any, age: Any) -> Any:
    """Return what is known as one word (uint64)."""
    return np.uint64((value + _OFFSET) | (max(depth, 0) << 16) | (kind << 24) | ((move + 1) << 32) | (age << 48))


@kernel
def probe(entries: Any, key: Any, oldest: Any) -> Any:
    """Return ``(value, depth, kind, move)`` of a position, kind 0 if it is not known. A value is as `store` took it."""
    bucket = np.int64(key % np.uint64(entries.shape[0] // 2)) * 2
    for slot in (bucket, bucket + 1):
        word = np.int64(entries[slot, 1])
        if entries[slot, 0] == key and word >> 48 >= oldest:
            return (word & 0xFFFF) - _OFFSET, (word >> 16) & 0xFF, (word >> 24) & 0xFF, ((word >> 32) & 0xFFFF) - 1
    return 0, 0, 0, -1


@kernel
def store(entries: Any, key: Any, value: Any, depth: Any, kind: Any, move: Any, age: Any, oldest: Any) -> None:
    """Keep what a search of a position found; what a search of another `age` (1..`MOST_AGE`) found gives way to it.

    A search that found no move good enough (-1) has nothing against the one that was best before, so that stays.
    """
    bucket = np.int64(key % np.uint64(entries.shape[0] // 2)) * 2
    if move < 0:
        move = probe(entries, key, oldest)[3]
    kept = np.int64(entries[bucket, 1])
    stale = (kept >> 48) != age
    slot = bucket if entries[bucket, 0] == key or stale or depth >= (kept >> 16) & 0xFF else bucket + 1
    entries[slot, 0] = key
    entries[slot, 1] = pack(value, depth, kind, move, age)


@kernel
def from_here(value: Any, ply: Any) -> Any:
    """Return a value with wins counted from the position at `ply` in place of from the root."""
    if value > DECIDED:
        return value + ply
    return value - ply if value < -DECIDED else value


@kernel
def from_root(value: Any, ply: Any) -> Any:
    """Return what `from_here` was given."""
    if value > DECIDED:
        return value - ply
    return value + ply if value < -DECIDED else value
