"""What a position is worth at a glance: the ways that are left, and the fences in hand.

An evaluation is a compiled function ``(rules, frame, data) -> value``, given by its address, so that another one, a
network for instance, can take the place of the one here without the search being compiled again. It reads the state
and the steps of every seat from the frame (see `frames`), and whatever numbers it works with from ``data`` (float64).
The value is for the side to move, in hundredths of the natural logarithm of its odds to win.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba.experimental.function_type  # noqa: F401  teaches numba to call functions by address
import numpy as np
from numba import types
from numba.core import cgutils
from numpy.typing import NDArray

from ....envs.compiling import intrinsic, kernel
from ....envs.quoridor.kernels import LEFT, PLAYERS, SEAT
from .frames import STEPS

PHASES = 21
"""Kinds of positions that have weights of their own, by the fences in hand of both sides together, at most 20."""
LEAD, FENCES, TURN, WEIGHTS = 0, 1, 2, 3  # columns of the weights

_words = types.Array(types.int64, 1, "C")
_floats = types.Array(types.float64, 1, "C")
SIGNATURE = types.int64(_words, _words, _floats)


@intrinsic
def evaluation_at(_context: Any, address: Any) -> tuple[Any, Callable[..., Any]]:
    """Make the evaluation at an address callable (compiled code only)."""
    kind = types.FunctionType(SIGNATURE)

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        function = cgutils.create_struct_proxy(kind)(context, builder)
        function.jit_addr = builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
        return function._getvalue()

    return kind(types.int64), generate


@kernel
def evaluate(rules: Any, frame: Any, data: Any) -> Any:
    """Evaluate by the lead in steps and in fences, weighted by how many fences are still to come.

    With four players the side to move is measured against the foremost of the others, with the others' lead over it.
    """
    seat, players = frame[SEAT], rules[PLAYERS]
    steps, fences = frame[STEPS + seat], frame[LEFT + seat]
    if players == 2:
        lead = frame[STEPS + 1 - seat] - steps
        phase = min(fences + frame[LEFT + 1 - seat], PHASES - 1) * WEIGHTS
        more = fences - frame[LEFT + 1 - seat]
        return np.int64(data[phase + LEAD] * lead + data[phase + FENCES] * more + data[phase + TURN])
    return 0


def hand_made() -> NDArray[np.float64]:
    """Return weights for `evaluate`, float64 ``[PHASES * WEIGHTS]``."""
    phase = np.arange(PHASES) / 20
    late = np.exp(-np.arange(PHASES) / 3)
    table = np.empty((PHASES, WEIGHTS))
    table[:, LEAD] = 100 * (0.293 - 0.113 * phase + 0.256 * late)
    table[:, FENCES] = 100 * (0.903 - 0.758 * phase - 0.519 * late)
    table[:, TURN] = 100 * (0.18 * phase + 0.492 * late - 0.059 + 0.1)
    table[0] = (200, 0, 100)
    return table.ravel()
