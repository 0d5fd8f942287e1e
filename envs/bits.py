"""Bit operations that processors have and numpy lacks, for compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from .compiling import intrinsic, kernel

_ONE = np.uint64(1)


@intrinsic
def popcount(_context: Any, word: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the number of bits of `word` (uint64), as int64."""
    return types.int64(types.uint64), lambda _c, builder, _s, arguments: builder.ctpop(arguments[0])


@intrinsic
def lowest_bit(_context: Any, word: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the index of the lowest bit of `word` (uint64), as int64; 64 if it has none."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@kernel
def nth_bit(word: Any, n: Any) -> Any:
    """Return the index of bit number `n` (from 0, lowest first) among the bits of `word` (uint64)."""
    base = np.int64(0)
    for width in (32, 16, 8):
        below = popcount((word >> np.uint64(base)) & ((_ONE << np.uint64(width)) - _ONE))
        if n >= below:
            n -= below
            base += width
    word >>= np.uint64(base)
    for _ in range(n):
        word &= word - _ONE
    return base + lowest_bit(word)
