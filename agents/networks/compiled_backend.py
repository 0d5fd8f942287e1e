"""The compiled back end: networks small enough to be run by plain loops.

Weights lie with the outputs of a layer side by side, so that one input at a time is added to all of them, and an input
that is 0 costs nothing: of the features of a sugoroku and of the squares of a board nearly all are 0, and so is half of
what a hidden layer hands on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from .chances import write_returns
from .files import StoredNetwork
from .folded import FoldedMlp, FoldedSums, FoldedTower, Layer, folded
from .forward import Forward


@kernel
def add_dense(inputs: Any, weights: Any, bias: Any, out: Any) -> None:
    """Write ``bias + inputs @ weights`` (``[inputs, outputs]``) into `out`."""
    for unit in range(out.size):
        out[unit] = bias[unit]
    for at in range(inputs.size):
        amount = inputs[at]
        if amount != 0.0:
            row = weights[at]
            for unit in range(out.size):
                out[unit] += amount * row[unit]


@kernel
def rectify(units: Any) -> None:
    """Put 0 in the place of what is negative."""
    for at in range(units.size):
        if units[at] < 0.0:
            units[at] = 0.0


@kernel
def add_convolution(planes: Any, weights: Any, bias: Any, out: Any) -> None:
    """Write a convolution of 3 x 3 squares: squares ``[side, side, channels]``, weights ``[3, 3, inputs, outputs]``."""
    side = planes.shape[0]
    for rank in range(side):
        for file in range(side):
            square = out[rank, file]
            for channel in range(square.size):
                square[channel] = bias[channel]
            for up in range(max(rank - 1, 0), min(rank + 2, side)):
                for across in range(max(file - 1, 0), min(file + 2, side)):
                    source, taps = planes[up, across], weights[up - rank + 1, across - file + 1]
                    for at in range(source.size):
                        amount = source[at]
                        if amount != 0.0:
                            row = taps[at]
                            for channel in range(square.size):
                                square[channel] += amount * row[channel]


@kernel
def log_softmax(logits: Any, mask: Any) -> None:
    """Turn logits into the logarithm of the policy over what is legal, minus infinity elsewhere."""
    top, total = -np.inf, 0.0
    for action in range(logits.size):
        if mask[action] and logits[action] > top:
            top = logits[action]
    for action in range(logits.size):
        if mask[action]:
            total += np.exp(logits[action] - top)
    for action in range(logits.size):
        logits[action] = logits[action] - top - np.log(total) if mask[action] else -np.inf


@kernel(allocates=True)
def run_mlp(
    observations: Any, masks: Any, hidden: Any, biases: Any, first: Any, policy: Any, policy_bias: Any, value: Any,
    value_bias: Any, log_policies: Any, values: Any,
) -> None:  # fmt: skip
    """Run an mlp: ``first`` ``[inputs, width]``, ``hidden`` ``[depth - 1, width, width]``, ``biases`` ``[depth, width]``."""
    width = first.shape[1]
    units, others = np.zeros(width, np.float32), np.zeros(width, np.float32)
    for row in range(observations.shape[0]):
        add_dense(observations[row], first, biases[0], units)
        rectify(units)
        for layer in range(hidden.shape[0]):
            add_dense(units, hidden[layer], biases[layer + 1], others)
            rectify(others)
            units, others = others, units
        add_dense(units, policy, policy_bias, log_policies[row])
        log_softmax(log_policies[row], masks[row])
        add_dense(units, value, value_bias, values[row])
        for seat in range(values.shape[1]):
            values[row, seat] = np.tanh(values[row, seat])


@kernel
def clip(units: Any) -> None:
    """Put 0 in the place of what is negative, and 1 in the place of what is more."""
    for at in range(units.size):
        units[at] = min(max(units[at], np.float32(0.0)), np.float32(1.0))


@kernel(allocates=True)
def run_sums(
    observations: Any, masks: Any, sums: Any, sums_bias: Any, hidden: Any, hidden_bias: Any, value: Any, value_bias: Any,
    log_policies: Any, values: Any,
) -> None:  # fmt: skip
    """Run an nnue in full; see `modules.Sums`."""
    units, others, answers = (
        np.zeros(sums.shape[1], np.float32), np.zeros(hidden.shape[1], np.float32), np.zeros(value_bias.size, np.float32),
    )  # fmt: skip
    for row in range(observations.shape[0]):
        add_dense(observations[row], sums, sums_bias, units)
        clip(units)
        add_dense(units, hidden, hidden_bias, others)
        clip(others)
        add_dense(others, value, value_bias, answers)
        write_returns(answers, 0, values[row])
        log_policies[row] = 0.0
        log_softmax(log_policies[row], masks[row])


@kernel(allocates=True)
def run_tower(
    observations: Any, masks: Any, stem: Any, stem_bias: Any, blocks: Any, block_biases: Any, policy_conv: Any,
    policy_conv_bias: Any, policy: Any, policy_bias: Any, value_conv: Any, value_conv_bias: Any, value_hidden: Any,
    value_hidden_bias: Any, value: Any, value_bias: Any, log_policies: Any, values: Any,
) -> None:  # fmt: skip
    """Run a tower over squares ``[B, side, side, planes]``; see `modules.Tower`."""
    side, width, head = observations.shape[1], stem.shape[3], policy_conv.shape[3]
    planes, between, after = (
        np.zeros((side, side, width), np.float32),
        np.zeros((side, side, width), np.float32),
        np.zeros((side, side, width), np.float32),
    )
    maps, logits = np.zeros((side, side, head), np.float32), np.zeros(3, np.float32)
    seen, units = np.zeros((side, side, head), np.float32), np.zeros(value_hidden.shape[1], np.float32)
    area, anchors = side * side, (side - 1) * (side - 1)
    for row in range(observations.shape[0]):
        add_convolution(observations[row], stem, stem_bias, planes)
        rectify(planes.reshape(-1))
        for block in range(blocks.shape[0] // 2):
            add_convolution(planes, blocks[2 * block], block_biases[2 * block], between)
            rectify(between.reshape(-1))
            add_convolution(between, blocks[2 * block + 1], block_biases[2 * block + 1], after)
            flat, more = planes.reshape(-1), after.reshape(-1)
            for at in range(flat.size):
                flat[at] = max(flat[at] + more[at], np.float32(0.0))
        add_convolution(planes, policy_conv, policy_conv_bias, maps)
        rectify(maps.reshape(-1))
        out = log_policies[row]
        for rank in range(side):
            for file in range(side):
                add_dense(maps[rank, file], policy, policy_bias, logits)
                out[rank * side + file] = logits[0]
                if rank < side - 1 and file < side - 1:
                    anchor = rank * (side - 1) + file
                    out[area + anchor], out[area + anchors + anchor] = logits[1], logits[2]
                add_dense(planes[rank, file], value_conv, value_conv_bias, seen[rank, file])
        log_softmax(out, masks[row])
        rectify(seen.reshape(-1))
        add_dense(seen.reshape(-1), value_hidden, value_hidden_bias, units)
        rectify(units)
        add_dense(units, value, value_bias, values[row])
        for seat in range(values.shape[1]):
            values[row, seat] = np.tanh(values[row, seat])


def forward_of(network: StoredNetwork) -> Forward:
    """Return the network as a function; see `forward`."""
    layers = folded(network)
    if isinstance(layers, FoldedTower):
        run, weights = _tower(layers, network.shape.observation[1])
    else:
        run, weights = _mlp(layers) if isinstance(layers, FoldedMlp) else _sums(layers)
    shape = network.shape

    def forward(observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        count = len(observations)
        if isinstance(layers, FoldedTower):
            rows = np.ascontiguousarray(observations.transpose(0, 2, 3, 1), dtype=np.float32)
        else:
            rows = np.ascontiguousarray(observations.reshape(count, -1), dtype=np.float32)
        log_policies = np.empty((count, shape.actions), np.float32)
        values = np.empty((count, shape.seats), np.float32)
        run(rows, np.ascontiguousarray(masks, dtype=np.bool_), *weights, log_policies, values)
        return log_policies, values

    return forward


def _dense(layer: Layer) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return weights ``[inputs, outputs]`` and the bias; a convolution of one square is such a layer too."""
    outputs = len(layer.bias)
    return np.ascontiguousarray(layer.weights.reshape(outputs, -1).T), np.ascontiguousarray(layer.bias)


def _convolution(layer: Layer) -> tuple[NDArray[Any], NDArray[Any]]:
    return np.ascontiguousarray(layer.weights.transpose(2, 3, 1, 0)), np.ascontiguousarray(layer.bias)


def _mlp(layers: FoldedMlp) -> tuple[Any, tuple[NDArray[Any], ...]]:
    first, *rest = (_dense(layer) for layer in layers.hidden)
    width = first[0].shape[1]
    hidden = np.array([weights for weights, _ in rest], dtype=np.float32).reshape(len(rest), width, width)
    biases = np.array([first[1], *(bias for _, bias in rest)])
    return run_mlp, (hidden, biases, first[0], *_dense(layers.policy), *_dense(layers.value))


def _sums(layers: FoldedSums) -> tuple[Any, tuple[NDArray[Any], ...]]:
    return run_sums, (*_dense(layers.sums), *_dense(layers.hidden), *_dense(layers.value))


def _tower(layers: FoldedTower, side: int) -> tuple[Any, tuple[NDArray[Any], ...]]:
    blocks = [_convolution(layer) for layer in layers.blocks]
    head = len(layers.value_conv.bias)
    by_plane = layers.value_hidden.weights.reshape(-1, head, side * side)  # torch counts planes first, then squares
    value_hidden = np.ascontiguousarray(by_plane.transpose(2, 1, 0).reshape(side * side * head, -1))
    return run_tower, (
        *_convolution(layers.stem),
        np.array([weights for weights, _ in blocks]), np.array([bias for _, bias in blocks]),
        *_convolution(layers.policy_conv),
        *_dense(layers.policy), *_dense(layers.value_conv),
        value_hidden, layers.value_hidden.bias,
        *_dense(layers.value),
    )  # fmt: skip
