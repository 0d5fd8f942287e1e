"""A lock for threads in compiled code."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from ...envs.compiling import intrinsic, kernel

_SPINS = 200
"""Attempts at a lock before the rest of the time slice is given to other threads."""


def yield_address() -> int:
    """Return the address of the system's function that lets another thread run, for `acquire`."""
    library: Any = ctypes.windll.kernel32 if os.name == "nt" else ctypes.CDLL(None)  # type: ignore[attr-defined,unused-ignore]
    function = library.SwitchToThread if os.name == "nt" else library.sched_yield
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


def _word_pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return builder.gep(data, [arguments[1]])


@intrinsic
def compare_exchange(_context: Any, words: Any, index: Any, expected: Any, new: Any) -> tuple[Any, Callable[..., Any]]:
    """Write `new` to ``words[index]`` (int64) if it is `expected`, as one step; return whether it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _word_pointer(context, builder, signature, arguments)
        pair = builder.cmpxchg(pointer, arguments[2], arguments[3], "acq_rel", "acquire")
        return builder.extract_value(pair, 1)

    return types.boolean(words, types.int64, types.int64, types.int64), generate


@intrinsic
def call_address(_context: Any, address: Any) -> tuple[Any, Callable[..., Any]]:
    """Call the C function ``int f(void)`` at `address` (int64)."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [])
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [])

    return types.int32(types.int64), generate


@kernel
def acquire(words: Any, index: Any, yield_function: Any) -> None:
    """Wait until ``words[index]`` is 0 and make it 1."""
    spins = 0
    while not compare_exchange(words, index, 0, 1):
        spins += 1
        if spins >= _SPINS:
            call_address(yield_function)
            spins = 0


@kernel
def release(words: Any, index: Any) -> None:
    """Make ``words[index]`` 0 again."""
    compare_exchange(words, index, 1, 0)
