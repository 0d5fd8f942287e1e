"""The random numbers of compiled code: SplitMix64 as a counter-based generator.

A generator is a uint64 vector ``[key, counter]``. Number ``i`` of a key is a fixed function of ``(key, i)``, so a game
can be continued, repeated or moved to another process by copying two words, and the same key gives the same game in
every adapter. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), with the
constants of its SplitMix64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiling import kernel

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_ONE = np.uint64(1)


@kernel
def mix(word: Any) -> Any:
    """Return a uint64 in which every bit depends on every bit of `word` (uint64)."""
    word = (word ^ (word >> _S30)) * _MIX1
    word = (word ^ (word >> _S27)) * _MIX2
    return word ^ (word >> _S31)


@kernel
def draw(rng: Any) -> Any:
    """Return the next 64 random bits (uint64) and advance the counter of `rng`."""
    rng[1] += _ONE
    return mix(mix(rng[0]) + rng[1] * _GAMMA)


@kernel
def draw_below(rng: Any, bound: Any) -> Any:
    """Return an int64 in ``0 .. bound-1`` (bound at most 2**31); its bias is below ``bound / 2**32``."""
    return np.int64(((draw(rng) >> _S32) * np.uint64(bound)) >> _S32)


def new_rng(key: int, counter: int = 0) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Return a generator for `key`, an integer in ``0 .. 2**64-1``, that has already given `counter` numbers."""
    return np.array([key, counter], dtype=np.uint64)
