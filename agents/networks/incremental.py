"""A small network inside alpha-beta: its first layer is updated by what a move changed, in the way of NNUE (Nasu 2018).

The sums of the first layer are kept for the position before the last move, from the point of view of the seat that is
to move now; those of the position itself follow by some additions of rows of weights. They are worked out in full just
once for each position whose moves are tried.

The ``data`` of the evaluation (float32) are the width of the first layer, then room for sums, then the weights: a row for
each input of `quoridor_inputs`, the bias of the sums, the weights of the second layer ``[width, LANES]``, its bias, the
weights of the last layer and its bias. The units of both hidden layers are cut off below 0 and above 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.bits import lowest_bit
from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.counter_rng import mix
from ...envs.errors import NetworkError
from ...envs.quoridor.kernels import HORIZONTAL, LEFT, PAWN, SEAT, VERTICAL
from ..search.alphabeta.evaluation import Evaluation
from ..search.alphabeta.frames import DECIDED, DEPTH_LIMIT, KNOWN, KNOWN_ROWS, STEPS, SUMMED
from .files import StoredNetwork, fault_of
from .folded import FoldedSums, folded
from .quoridor_inputs import (
    INPUTS,
    count_input,
    fence_input,
    hand_input,
    hands_input,
    lead_input,
    most_input,
    pawn_input,
    steps_input,
    threat_to,
    total_input,
)
from .vectors import LANES, add, clip, copy, exchange, feed

_HEAD = LANES  # numbers before the sums, the width among them
_SCALE = 100.0  # hundredths of log-odds


@kernel
def evaluate_sums(rules: Any, frames: Any, ply: Any, scratch: Any, data: Any) -> Any:
    """See `search.alphabeta.evaluation`."""
    frame, before = frames[ply], frames[ply - 1]
    viewer, width = frame[SEAT], np.int64(data[0])
    known = _HEAD + (ply - 1) * width
    sums = _HEAD + DEPTH_LIMIT * width
    hidden = sums + width
    weights = hidden + LANES
    if before[SUMMED] == 0:
        sum_up(rules, before, viewer, scratch, data, known, weights, width)
        before[SUMMED] = 1
    copy(data, sums, known, width)
    follow(rules, before, frame, viewer, scratch, data, sums, weights, width)
    clip(data, sums, sums, width)
    second = weights + (INPUTS + 1) * width
    copy(data, hidden, second + width * LANES, LANES)
    feed(data, hidden, sums, width, second)
    last = second + (width + 1) * LANES
    value = data[last + LANES]
    for unit in range(LANES):
        value += min(max(data[hidden + unit], np.float32(0.0)), np.float32(1.0)) * data[last + unit]
    return np.int64(min(max(_SCALE * value, -DECIDED), DECIDED))  # what lies beyond would pass for a proven end


@kernel
def known_threat(rules: Any, frame: Any, seat: Any, scratch: Any) -> Any:
    """Return `threat_to`, from memory if the fences and the pawn were seen before."""
    place = np.uint64(frame[PAWN + seat] << 1 | seat)
    key = mix(np.uint64(frame[HORIZONTAL]) + mix(np.uint64(frame[VERTICAL]) + mix(place)))
    row = KNOWN + np.int64(key % np.uint64(KNOWN_ROWS))
    if scratch[row, 0] != key:
        scratch[row, 0] = key
        scratch[row, 1] = np.uint64(threat_to(rules, frame, seat, frame[STEPS + seat], scratch))
    return np.int64(scratch[row, 1])


@kernel
def sum_up(rules: Any, frame: Any, viewer: Any, scratch: Any, data: Any, to: Any, weights: Any, width: Any) -> None:
    """Write the sums of the first layer for a position."""
    copy(data, to, weights + INPUTS * width, width)
    for seat in range(2):
        add(data, to, weights + width * pawn_input(rules, seat, viewer, frame[PAWN + seat]), width)
        add(data, to, weights + width * hand_input(seat, viewer, frame[LEFT + seat]), width)
        add(data, to, weights + width * steps_input(seat, viewer, frame[STEPS + seat]), width)
        threat = known_threat(rules, frame, seat, scratch)
        add(data, to, weights + width * count_input(seat, viewer, threat), width)
        add(data, to, weights + width * most_input(seat, viewer, threat), width)
        add(data, to, weights + width * total_input(seat, viewer, threat), width)
        fences = np.uint64(frame[VERTICAL if seat else HORIZONTAL])
        while fences:
            add(data, to, weights + width * fence_input(rules, viewer, seat, lowest_bit(fences)), width)
            fences &= fences - np.uint64(1)
    add(data, to, weights + width * hands_input(frame[LEFT] + frame[LEFT + 1]), width)
    add(data, to, weights + width * lead_input(frame[STEPS + 1 - viewer] - frame[STEPS + viewer]), width)


@kernel
def follow(
    rules: Any, before: Any, frame: Any, viewer: Any, scratch: Any, data: Any, sums: Any, weights: Any, width: Any
) -> None:
    """Change the sums of the position before a move, or before nobody moved, to those of the position after it."""
    for seat in range(2):
        old, new = before[PAWN + seat], frame[PAWN + seat]
        if old != new:
            gone, come = pawn_input(rules, seat, viewer, old), pawn_input(rules, seat, viewer, new)
            exchange(data, sums, weights + width * gone, weights + width * come, width)
        old, new = before[LEFT + seat], frame[LEFT + seat]
        if old != new:
            gone, come = hand_input(seat, viewer, old), hand_input(seat, viewer, new)
            exchange(data, sums, weights + width * gone, weights + width * come, width)
            total = frame[LEFT] + frame[LEFT + 1]
            gone, come = hands_input(total + old - new), hands_input(total)
            exchange(data, sums, weights + width * gone, weights + width * come, width)
        old, new = before[STEPS + seat], frame[STEPS + seat]
        if old != new:
            gone, come = steps_input(seat, viewer, old), steps_input(seat, viewer, new)
            exchange(data, sums, weights + width * gone, weights + width * come, width)
        old, new = known_threat(rules, before, seat, scratch), known_threat(rules, frame, seat, scratch)
        if old != new:
            gone, come = count_input(seat, viewer, old), count_input(seat, viewer, new)
            exchange(data, sums, weights + width * gone, weights + width * come, width)
            gone, come = most_input(seat, viewer, old), most_input(seat, viewer, new)
            exchange(data, sums, weights + width * gone, weights + width * come, width)
            gone, come = total_input(seat, viewer, old), total_input(seat, viewer, new)
            exchange(data, sums, weights + width * gone, weights + width * come, width)
        word = VERTICAL if seat else HORIZONTAL
        if before[word] != frame[word]:
            fence = lowest_bit(np.uint64(before[word] ^ frame[word]))
            add(data, sums, weights + width * fence_input(rules, viewer, seat, fence), width)
    old = before[STEPS + 1 - viewer] - before[STEPS + viewer]
    new = frame[STEPS + 1 - viewer] - frame[STEPS + viewer]
    if old != new:
        exchange(data, sums, weights + width * lead_input(old), weights + width * lead_input(new), width)


def evaluation_of(game: Game, network: StoredNetwork) -> Evaluation:
    """Return a network as an evaluation of alpha-beta.

    Raises:
        NetworkError: if it is of another kind than ``nnue``, for something else, or has weights that no search can take.
    """
    network.supports(game)
    if game.num_players != 2:
        raise NetworkError(f"alpha-beta looks ahead with two players, not {game.num_players}: let mcts ask the network")
    if fault := fault_of(network.arrays):
        raise NetworkError(f"the network has {fault}")
    layers = folded(network)
    if not isinstance(layers, FoldedSums):
        raise NetworkError(
            f"only a network of kind 'nnue' can be compiled into alpha-beta, not one of kind {network.config.kind!r}"
        )
    width = network.config.width
    room = np.zeros(_HEAD + (DEPTH_LIMIT + 1) * width + LANES, np.float32)
    room[0] = width
    weights = [array for layer in layers for array in (layer.weights.T.ravel(), layer.bias)]
    return Evaluation(evaluate_sums, np.concatenate([room, *weights]).astype(np.float32))
