"""What a position is worth at a glance: the ways that are left, the fences in hand, and what a fence could do.

An evaluation is a compiled function ``(rules, frames, ply, scratch, data) -> value``, given by its address, so that
another one, a network for instance, can take the place of the one here without the search being compiled again. It reads
the state, the steps of every seat and the window from the frame of the position (see `frames`); the one before is that of
the position before, and ``ply`` is 1 or more. Whatever numbers it works with are in ``data`` (float32); ``scratch`` is
there to be written to. The value is for the side to move, in hundredths of the natural logarithm of its odds to win.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numba.experimental.function_type  # noqa: F401  teaches numba to call functions by address
import numpy as np
from numba import types
from numba.core import cgutils
from numpy.typing import NDArray

from ....envs.bits import lowest_bit
from ....envs.compiling import intrinsic, kernel
from ....envs.core import Game
from ....envs.counter_rng import mix
from ....envs.quoridor.kernels import (
    GOAL_HIGH,
    GOAL_LOW,
    HORIZONTAL,
    LEFT,
    PAWN,
    SEAT,
    VERTICAL,
    fence_candidates,
    steps_between,
    walls_of,
    with_fence,
)
from ...heuristics.quoridor_paths import fences_across_shortest
from .frames import ALPHA, BETA, KNOWN, KNOWN_ROWS, STEPS

PHASES = 21
"""Kinds of positions that have weights of their own, by the fences in hand of both sides together, at most 20."""
LEAD, FENCES, TURN, COLUMNS = 0, 1, 2, 3  # weights of a phase: of a step ahead, of a fence more, of having the move
WORST, MEAN = PHASES * COLUMNS, PHASES * COLUMNS + 1  # weights of the harm that one fence could do, at most, on average
WEIGHTS_SIZE = MEAN + 1
_LAZY = 150.0
"""What the harm of fences can come to: where the value lies further outside the window than that, it is left aside."""

_words = types.Array(types.int64, 1, "C")
_frames = types.Array(types.int64, 2, "C")
_floats = types.Array(types.float32, 1, "C")
_sets = types.Array(types.uint64, 2, "C")
SIGNATURE = types.int64(_words, _frames, types.int64, _sets, _floats)


class Evaluation(NamedTuple):
    """An evaluation: the compiled function and its ``data``, an array of its own that is written to."""

    function: Any
    data: NDArray[np.float32]


@runtime_checkable
class Evaluator(Protocol):
    """What has an evaluation of its own; an agent that has this method can be the leaf of `alphabeta`."""

    def frame_evaluation(self, game: Game) -> Evaluation:
        """Return the evaluation of positions of a game.

        Raises:
            AgentError: if it has none for this game.
        """
        ...


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
def evaluate(rules: Any, frames: Any, ply: Any, scratch: Any, data: Any) -> Any:
    """Evaluate by the lead in steps and in fences, by whose move it is, and by the harm that one fence could do."""
    frame = frames[ply]
    seat = frame[SEAT]
    rival = 1 - seat
    fences, theirs = frame[LEFT + seat], frame[LEFT + rival]
    phase = min(fences + theirs, PHASES - 1) * COLUMNS
    lead = frame[STEPS + rival] - frame[STEPS + seat]
    value = data[phase + LEAD] * lead + data[phase + FENCES] * (fences - theirs) + data[phase + TURN]
    if frame[ALPHA] < value + _LAZY and value - _LAZY < frame[BETA]:
        if theirs > 0:
            value -= known_harm(rules, frame, seat, scratch, data)
        if fences > 0:
            value += known_harm(rules, frame, rival, scratch, data)
    return np.int64(value)


@kernel
def known_harm(rules: Any, frame: Any, seat: Any, scratch: Any, data: Any) -> Any:
    """Return `harm` (int64), from memory if the fences and the pawn were seen before."""
    place = np.uint64(frame[PAWN + seat] << 1 | seat)
    key = mix(np.uint64(frame[HORIZONTAL]) + mix(np.uint64(frame[VERTICAL]) + mix(place)))
    row = KNOWN + np.int64(key % np.uint64(KNOWN_ROWS))
    if scratch[row, 0] != key:
        scratch[row, 0], scratch[row, 1] = key, np.uint64(harm(rules, frame, seat, scratch, data))
    return np.int64(scratch[row, 1])


@kernel
def harm(rules: Any, frame: Any, seat: Any, scratch: Any, data: Any) -> Any:
    """Return what it costs `seat` that a fence may be placed across its shortest paths, 0 or more."""
    walls = walls_of(frame)
    goal_low, goal_high = np.uint64(rules[GOAL_LOW + seat]), np.uint64(rules[GOAL_HIGH + seat])
    across_h, across_v = fences_across_shortest(frame[PAWN + seat], goal_low, goal_high, walls, scratch)
    free_h, free_v = fence_candidates(rules, frame)
    most, total, count = 0, 0, 0
    for vertical in range(2):
        fences = across_v & free_v if vertical else across_h & free_h
        while fences:
            fenced = with_fence(walls, vertical == 1, lowest_bit(fences))
            fences &= fences - np.uint64(1)
            steps = steps_between(frame[PAWN + seat], goal_low, goal_high, fenced)
            if steps >= 0:
                longer = steps - frame[STEPS + seat]
                most = max(most, longer)
                total += longer
                count += 1
    return data[WORST] * most + data[MEAN] * total / count if count else 0.0


def weights() -> NDArray[np.float32]:
    """Return the weights of `evaluate`, float32 ``[WEIGHTS_SIZE]``.

    Those of two players with fences are a logistic fit to the results of games that the search played against itself;
    ``benchmarks/tune_quoridor_evaluation.py`` makes both. Each is a + b * phase + c * exp(-fences / 3), fences those in
    hand of both together and phase their share of 20. Without a fence in hand the lead decides nearly always.
    """
    fences = np.arange(PHASES)
    forms = np.stack([np.ones(PHASES), fences / 20, np.exp(-fences / 3)], axis=1)
    table = 100 * forms @ np.array(_FITTED).T
    table[0] = (200, 0, 100)
    return np.concatenate([table.ravel(), 100 * np.array(_HARM)]).astype(np.float32)


_FITTED = ((0.20, 0.06, 0.72), (0.594, -0.306, 1.09), (0.109, 0.002, 0.328))  # LEAD, FENCES, TURN
_HARM = (0.10, 0.20)  # WORST, MEAN
