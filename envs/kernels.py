"""The kernel contract: what a game hands to all compiled code, and how that code reaches it.

A game is ten compiled functions over two vectors of 64-bit integers:

* ``rules``, int64, never written to: the options and whatever tables the game derives from them;
* ``state``, int64, fixed length: one node of the game. Where bits are shifted a game reads a word as uint64.

They are reached through a *kernel table*: an int64 vector with the addresses of the functions in the order of
`Kernels`. Generic code takes the table as an ordinary argument, calls ``game = bind(table)`` and then
``game.apply(rules, state, action)``. Because a table is plain data, generic code is compiled once for all games, the
result is cached, and a game from another package works like one of ours. (No vector is flagged read only: numba would
compile a second version of everything for it.) See ``docs/kernels.md`` for the alternatives
and what they cost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba.experimental.function_type  # noqa: F401  teaches numba to call functions by address
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from .compiling import intrinsic

CHANCE = -1
"""`Kernels.to_move` where a die is to be thrown."""
TERMINAL = -4
"""`Kernels.to_move` where the game is over."""

_words = types.Array(types.int64, 1, "C")
_keys = types.Array(types.uint64, 1, "C")
_mask = types.Array(types.int8, 1, "C")
_floats = types.Array(types.float64, 1, "C")
_features = types.Array(types.float32, 1, "C")


class Kernels(NamedTuple):
    """The functions of one game; all take ``rules`` and ``state`` first, and none allocates what outlives the call.

    Attributes:
        reset: ``(rules, state)`` writes the start position.
        to_move: ``(rules, state) -> seat``, 0-based, or `CHANCE`, or `TERMINAL`.
        legal: ``(rules, state, mask) -> count`` fills ``mask`` (int8 ``[num_actions]``, 1 = legal) at a decision;
            all zero, and count 0, at any other node.
        chance: ``(rules, state, outcomes, probabilities) -> count`` writes the outcomes (int64) of a chance node and
            their probabilities (float64, sum 1); count 0 at any other node.
        sample: ``(rules, state, rng) -> action`` draws a legal action uniformly at a decision, or an outcome by its
            probability at a chance node. ``rng`` as in `counter_rng`.
        apply: ``(rules, state, action)`` plays a legal action or, at a chance node, an outcome.
        returns: ``(rules, state, out)`` writes the return of every seat (float64 ``[players]``); zero while the game
            goes on.
        capped: ``(rules, state) -> 1`` if the game is over only because a cap on its length was reached, else 0.
        hash: ``(rules, state) -> uint64`` of the position without its ply count.
        observe: ``(rules, state, seat, out)`` writes what ``seat`` sees (float32, 0..1, the size of the game's
            ``observation_shape``): everything that matters, the seats counted from its own; seat -1 stands for
            nobody's view, the board as it lies with the seats in their order.
    """

    reset: Any
    to_move: Any
    legal: Any
    chance: Any
    sample: Any
    apply: Any
    returns: Any
    capped: Any
    hash: Any
    observe: Any


SIGNATURES = Kernels(
    reset=types.void(_words, _words),
    to_move=types.int64(_words, _words),
    legal=types.int64(_words, _words, _mask),
    chance=types.int64(_words, _words, _words, _floats),
    sample=types.int64(_words, _words, _keys),
    apply=types.void(_words, _words, types.int64),
    returns=types.void(_words, _words, _floats),
    capped=types.int64(_words, _words),
    hash=types.uint64(_words, _words),
    observe=types.void(_words, _words, types.int64, _features),
)

_bound_type = types.NamedTuple([types.FunctionType(signature) for signature in SIGNATURES], Kernels)


def kernel_table(kernels: Kernels) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the addresses of a game's functions, compiling or loading them as needed.

    Args:
        kernels: functions decorated with `kernel`. They must stay alive as long as the table is used.

    Returns:
        int64 ``[len(Kernels)]``.
    """
    return np.array([_address(f, s) for f, s in zip(kernels, SIGNATURES, strict=True)], dtype=np.int64)


def _address(function: Any, signature: Any) -> int:
    function.compile(signature.args)
    result = function.overloads[signature.args]
    if types.unliteral(result.signature.return_type) != signature.return_type:
        raise TypeError(
            f"the kernel {function.py_func.__qualname__} must return {signature.return_type}, "
            f"not {result.signature.return_type}"
        )
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


@intrinsic
def bind(_context: Any, table: Any) -> tuple[Any, Callable[..., Any]]:
    """Turn a kernel table into a `Kernels` tuple of callable functions (compiled code only; costs nothing)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        functions = []
        for index, function_type in enumerate(_bound_type.types):
            address = builder.load(builder.gep(data, [ir.Constant(ir.IntType(64), index)]))
            function = cgutils.create_struct_proxy(function_type)(context, builder)
            function.jit_addr = builder.inttoptr(address, context.get_value_type(types.voidptr))
            functions.append(function._getvalue())
        return context.make_tuple(builder, signature.return_type, functions)

    return _bound_type(table), generate
