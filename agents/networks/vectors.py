"""Sixteen numbers at a time: what a small network does for a position, in machine code that is sure to be vectors.

A compiler that sees two parts of one array does not know that they lie apart, and tests that anew for every loop; for
loops of sixteen or thirty-two rounds that costs more than their work. So these operations are written as vectors.
All of them work on contiguous arrays of float32, at places that the caller vouches for: on one array, or where ``from`` is
in the name on one that is written to, with numbers from another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from ...envs.compiling import intrinsic, kernel

LANES = 16
"""Numbers that are worked on at a time: widths of layers are multiples of it."""
_AT_ONCE = 8
"""Inputs of a layer that are taken together, so that the outputs are loaded and kept once for all of them."""
_VECTOR = ir.VectorType(ir.FloatType(), LANES)


def _operation(arguments: int, write: Callable[[Any, Any, Any, list[Any]], None], apart: bool = False) -> Any:
    """Return an intrinsic whose code `write` (builder, base, base of what is taken from, places) writes.

    Its arguments are the array and places in it, or with `apart` two arrays: one that is written to and one with weights.
    """

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = 1 + apart
        bases = [context.make_array(signature.args[at])(context, builder, values[at]).data for at in range(arrays)]
        write(builder, bases[0], bases[-1], list(values[arrays:]))
        return context.get_dummy_value()

    if apart and arguments == 2:

        @intrinsic
        def two_apart(_context: Any, array: Any, weights: Any, _to: Any, _source: Any) -> tuple[Any, Any]:
            return types.void(array, weights, types.int64, types.int64), code

        return two_apart
    if apart:

        @intrinsic
        def three_apart(
            _context: Any, array: Any, weights: Any, _to: Any, _source: Any, _other: Any
        ) -> tuple[Any, Any]:
            return types.void(array, weights, types.int64, types.int64, types.int64), code

        return three_apart
    if arguments == 2:

        @intrinsic
        def two(_context: Any, array: Any, _to: Any, _source: Any) -> tuple[Any, Any]:
            return types.void(array, types.int64, types.int64), code

        return two

    @intrinsic
    def three(_context: Any, array: Any, _to: Any, _source: Any, _other: Any) -> tuple[Any, Any]:
        return types.void(array, types.int64, types.int64, types.int64), code

    return three


def _place(builder: Any, base: Any, index: Any) -> Any:
    """Return a pointer to the vector that begins at an index."""
    return builder.bitcast(builder.gep(base, [index]), _VECTOR.as_pointer())


def _load(builder: Any, base: Any, index: Any) -> Any:
    vector = builder.load(_place(builder, base, index))
    vector.align = 4
    return vector


def _keep(builder: Any, vector: Any, base: Any, index: Any) -> None:
    builder.store(vector, _place(builder, base, index)).align = 4


def _all(value: float) -> Any:
    return ir.Constant(_VECTOR, [value] * LANES)


def _write_add(builder: Any, base: Any, weights: Any, places: list[Any]) -> None:
    to, source = places
    _keep(builder, builder.fadd(_load(builder, base, to), _load(builder, weights, source)), base, to)


def _write_exchange(builder: Any, base: Any, weights: Any, places: list[Any]) -> None:
    to, gone, come = places
    sums = builder.fadd(_load(builder, base, to), _load(builder, weights, come))
    _keep(builder, builder.fsub(sums, _load(builder, weights, gone)), base, to)


def _write_clip(builder: Any, base: Any, weights: Any, places: list[Any]) -> None:
    to, source = places
    vector, low, high = _load(builder, weights, source), _all(0.0), _all(1.0)
    vector = builder.select(builder.fcmp_ordered(">", vector, low), vector, low)
    _keep(builder, builder.select(builder.fcmp_ordered("<", vector, high), vector, high), base, to)


def _write_copy(builder: Any, base: Any, weights: Any, places: list[Any]) -> None:
    to, source = places
    _keep(builder, _load(builder, weights, source), base, to)


def _write_feed(builder: Any, base: Any, weights: Any, places: list[Any]) -> None:
    to, inputs, rows = places
    sums, index = _load(builder, base, to), ir.IntType(64)
    for i in range(_AT_ONCE):
        amount = builder.load(builder.gep(base, [builder.add(inputs, ir.Constant(index, i))]))
        first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), amount, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        spread = builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), zeros)
        row = _load(builder, weights, builder.add(rows, ir.Constant(index, i * LANES)))
        sums = builder.fadd(sums, builder.fmul(spread, row))
    _keep(builder, sums, base, to)


_add, _clip, _copy = (_operation(2, write) for write in (_write_add, _write_clip, _write_copy))
_exchange, _feed = _operation(3, _write_exchange), _operation(3, _write_feed)
_add_from, _copy_from = _operation(2, _write_add, apart=True), _operation(2, _write_copy, apart=True)
_feed_from = _operation(3, _write_feed, apart=True)


@kernel
def copy(data: Any, to: Any, source: Any, width: Any) -> None:
    """Copy `width` numbers (a multiple of `LANES`, as everywhere here) from `source` to `to`."""
    for lane in range(0, width, LANES):
        _copy(data, to + lane, source + lane)


@kernel
def add(data: Any, to: Any, source: Any, width: Any) -> None:
    """Add the numbers at `source` to those at `to`."""
    for lane in range(0, width, LANES):
        _add(data, to + lane, source + lane)


@kernel
def exchange(data: Any, to: Any, gone: Any, come: Any, width: Any) -> None:
    """Add the numbers at `come` to those at `to`, and take those at `gone` away."""
    for lane in range(0, width, LANES):
        _exchange(data, to + lane, gone + lane, come + lane)


@kernel
def clip(data: Any, to: Any, source: Any, width: Any) -> None:
    """Write the numbers at `source` to `to`, at least 0 and at most 1."""
    for lane in range(0, width, LANES):
        _clip(data, to + lane, source + lane)


@kernel
def feed(data: Any, to: Any, inputs: Any, count: Any, weights: Any) -> None:
    """Add to the `LANES` numbers at `to` what `count` inputs (a multiple of `LANES`) add, by weights ``[count, LANES]``."""
    for first in range(0, count, _AT_ONCE):
        _feed(data, to, inputs + first, weights + first * LANES)


@kernel
def copy_from(weights: Any, units: Any, to: Any, source: Any, width: Any) -> None:
    """Copy `width` numbers from `source` of the weights to `to` of the units."""
    for lane in range(0, width, LANES):
        _copy_from(units, weights, to + lane, source + lane)


@kernel
def add_from(weights: Any, units: Any, to: Any, source: Any, width: Any) -> None:
    """Add the weights at `source` to the units at `to`."""
    for lane in range(0, width, LANES):
        _add_from(units, weights, to + lane, source + lane)


@kernel
def feed_from(weights: Any, units: Any, to: Any, inputs: Any, count: Any, rows: Any) -> None:
    """Add to the `LANES` units at `to` what `count` units at `inputs` add, by weights ``[count, LANES]`` at `rows`."""
    for first in range(0, count, _AT_ONCE):
        _feed_from(units, weights, to, inputs + first, rows + first * LANES)
