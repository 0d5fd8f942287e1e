"""A network of kind `nnue` inside the tree search: its sums are worked out in full at every leaf.

A tree jumps from leaf to leaf, so there is no position before whose sums could be followed, as there is in alpha-beta
(see `incremental`).

The numbers of the evaluation are float32 in the room of float64: the width of the first layer, then a row of weights for
each input, the bias of the sums, the weights of the second layer ``[width, LANES]``, its bias, the weights of the last
layer ``[outputs, LANES]`` and its bias.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.errors import NetworkError
from ...envs.quoridor.kernels import SEAT
from ..search.tree_evaluation import TreeEvaluation, lent_numbers
from .chances import write_returns
from .files import StoredNetwork, fault_of
from .folded import FoldedSums, folded
from .quoridor_four_inputs import INPUTS as FOUR_INPUTS
from .quoridor_four_inputs import MOST_AT_ONCE as FOUR_AT_ONCE
from .quoridor_four_inputs import list_inputs as list_four_inputs
from .quoridor_inputs import INPUTS, MOST_AT_ONCE, SQUARES, list_inputs
from .vectors import LANES, add_from, clip, copy_from, feed_from


@kernel(allocates=True)
def answer(data: Any, inputs: Any, listed: Any, count: Any, answers: Any) -> None:
    """Write what the last layer gives.

    Args:
        data: of the search, the numbers of the network behind all others.
        inputs: how many the network has.
        listed: int64: those that hold.
        count: how many do.
        answers: float32 ``[outputs]``.
    """
    weights, begin = data.view(np.float32), 2 * lent_numbers(data)
    width = np.int64(weights[begin])
    units = np.empty(width + LANES, np.float32)
    rows = begin + 1
    bias = rows + inputs * width
    copy_from(weights, units, 0, bias, width)
    for at in range(count):
        add_from(weights, units, 0, rows + listed[at] * width, width)
    clip(units, 0, 0, width)
    rows = bias + width
    bias = rows + width * LANES
    copy_from(weights, units, width, bias, LANES)
    feed_from(weights, units, width, 0, width, rows)
    clip(units, width, width, LANES)
    rows = bias + LANES
    bias = rows + LANES * answers.size
    for output in range(answers.size):
        answers[output] = weights[bias + output]
        for unit in range(LANES):
            answers[output] += units[width + unit] * weights[rows + unit]
        rows += LANES


@kernel(allocates=True)
def evaluate_two(rules: Any, state: Any, data: Any, out: Any) -> None:
    """See `search.leaf`; with two players."""
    listed, scratch = np.empty(MOST_AT_ONCE, np.int64), np.empty((SQUARES + 1, 2), np.uint64)
    answers = np.empty(1, np.float32)
    answer(data, INPUTS, listed, list_inputs(rules, state, state[SEAT], scratch, listed), answers)
    write_returns(answers, state[SEAT], out)


@kernel(allocates=True)
def evaluate_four(rules: Any, state: Any, data: Any, out: Any) -> None:
    """See `search.leaf`; with four players."""
    listed, scratch = np.empty(FOUR_AT_ONCE, np.int64), np.empty((SQUARES + 1, 2), np.uint64)
    answers = np.empty(4, np.float32)
    answer(data, FOUR_INPUTS, listed, list_four_inputs(rules, state, state[SEAT], scratch, listed), answers)
    write_returns(answers, state[SEAT], out)


def tree_evaluation_of(game: Game, network: StoredNetwork) -> TreeEvaluation:
    """Return a network as an evaluation of the tree search.

    Raises:
        NetworkError: if it is of another kind than ``nnue``, for something else, or has weights that no search can take.
    """
    network.supports(game)
    if fault := fault_of(network.arrays):
        raise NetworkError(f"the network has {fault}")
    layers = folded(network)
    if not isinstance(layers, FoldedSums):
        raise NetworkError(
            f"only a network of kind 'nnue' can be compiled into the tree search, not one of kind {network.config.kind!r}"
        )
    parts = [np.array([network.config.width])]
    for layer in layers[:2]:
        parts += [layer.weights.T.ravel(), layer.bias]
    parts += [layers.value.weights.ravel(), layers.value.bias]
    numbers = np.concatenate(parts).astype(np.float32)
    numbers = np.append(numbers, np.zeros(len(numbers) % 2, np.float32))  # whole numbers of float64
    return TreeEvaluation(evaluate_two if game.num_players == 2 else evaluate_four, numbers.view(np.float64))
