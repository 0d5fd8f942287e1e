"""An mlp as tools of the compiled search (see `search.leaf`).

It judges leaves, and says which actions look promising, without leaving compiled code; the smaller it is, the more that
is worth.

The ``data`` of the tools are the numbers of features, units, hidden layers, actions and seats, and then layer by layer
the weights ``[inputs, outputs]`` and the bias: the hidden layers, the policy, the value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.errors import NetworkError
from ...envs.picture_sugoroku import kernels as picture
from ...envs.picture_sugoroku import observation as picture_seen
from ...envs.quoridor import kernels as quoridor
from ...envs.quoridor import observation as quoridor_seen
from ...envs.tokaido import kernels as tokaido
from ...envs.tokaido import observation as tokaido_seen
from ..search.tools import GameTools, game_tools
from .files import StoredNetwork
from .folded import FoldedMlp, folded

INPUTS, WIDTH, DEPTH, ACTIONS, SEATS, WEIGHTS = 0, 1, 2, 3, 4, 5  # places in the data; the weights follow


@kernel
def add_layer(data: Any, at: Any, inputs: Any, count: Any, out: Any) -> Any:
    """Write the bias and what `count` inputs add to it into `out`; return where the next layer begins."""
    width = out.size
    bias = at + count * width
    for unit in range(width):
        out[unit] = data[bias + unit]
    for source in range(count):
        amount = inputs[source]
        if amount != 0.0:
            row = at + source * width
            for unit in range(width):
                out[unit] += amount * data[row + unit]
    return bias + width


@kernel(allocates=True)
def run_hidden(data: Any, seen: Any, units: Any) -> Any:
    """Write the last hidden layer for what is seen into `units`; return where the layer of the policy begins."""
    count = np.int64(data[INPUTS])
    below = np.zeros(max(count, units.size))
    for feature in range(count):
        below[feature] = seen[feature]
    at = np.int64(WEIGHTS)
    for _ in range(np.int64(data[DEPTH])):
        at = add_layer(data, at, below, count, units)
        count = units.size
        for unit in range(count):
            units[unit] = max(units[unit], 0.0)
            below[unit] = units[unit]
    return at


@kernel(allocates=True)
def judge(data: Any, seen: Any, seat: Any, out: Any) -> None:
    """Write the values of all seats for what `seat` sees."""
    units, values = np.zeros(np.int64(data[WIDTH])), np.zeros(np.int64(data[SEATS]))
    at = run_hidden(data, seen, units) + np.int64((data[WIDTH] + 1) * data[ACTIONS])
    add_layer(data, at, units, units.size, values)
    for place in range(out.size):
        out[(seat + place) % out.size] = np.tanh(values[place])


@kernel(allocates=True)
def prefer(data: Any, seen: Any, mask: Any, out: Any) -> None:
    """Write how promising the legal actions look, as the seat that looks numbers them; of any sum."""
    units, logits = np.zeros(np.int64(data[WIDTH])), np.zeros(np.int64(data[ACTIONS]))
    add_layer(data, run_hidden(data, seen, units), units, units.size, logits)
    top = -np.inf
    for action in range(logits.size):
        if mask[action]:
            top = max(top, logits[action])
    for action in range(logits.size):
        out[action] = np.exp(logits[action] - top) if mask[action] else 0.0


@kernel(allocates=True)
def tokaido_evaluation(rules: Any, state: Any, data: Any, out: Any) -> None:
    """See `search.leaf`."""
    seen = np.zeros(np.int64(data[INPUTS]), np.float32)
    tokaido_seen.observe(rules, state, state[tokaido.SEAT], seen)
    judge(data, seen, state[tokaido.SEAT], out)


@kernel(allocates=True)
def tokaido_priors(rules: Any, state: Any, data: Any, mask: Any, out: Any) -> None:
    """See `search.leaf`."""
    seen = np.zeros(np.int64(data[INPUTS]), np.float32)
    tokaido_seen.observe(rules, state, state[tokaido.SEAT], seen)
    prefer(data, seen, mask, out)


@kernel(allocates=True)
def picture_evaluation(rules: Any, state: Any, data: Any, out: Any) -> None:
    """See `search.leaf`."""
    seen = np.zeros(np.int64(data[INPUTS]), np.float32)
    picture_seen.observe(rules, state, state[picture.SEAT], seen)
    judge(data, seen, state[picture.SEAT], out)


@kernel(allocates=True)
def quoridor_evaluation(rules: Any, state: Any, data: Any, out: Any) -> None:
    """See `search.leaf`."""
    seen = np.zeros(np.int64(data[INPUTS]), np.float32)
    quoridor_seen.observe(rules, state, state[quoridor.SEAT], seen)
    judge(data, seen, state[quoridor.SEAT], out)


_EVALUATIONS: dict[str, Any] = {
    "tokaido": tokaido_evaluation, "picture_sugoroku": picture_evaluation, "quoridor": quoridor_evaluation,
}  # fmt: skip
_PRIORS: dict[str, Any] = {"tokaido": tokaido_priors}
"""Of games whose actions every seat numbers alike; the others keep the priors that they bring."""


def numbers_of(network: StoredNetwork) -> NDArray[np.float64]:
    """Return the ``data`` of the tools.

    Raises:
        NetworkError: for a tower.
    """
    layers = folded(network)
    if not isinstance(layers, FoldedMlp):
        raise NetworkError("only an mlp is small enough to be compiled into a search; a tower is an evaluator's")
    shape, config = network.shape, network.config
    parts = [np.array([np.prod(shape.observation), config.width, config.depth, shape.actions, shape.seats])]
    for layer in (*layers.hidden, layers.policy, layers.value):
        parts += [layer.weights.T.ravel(), layer.bias]
    return np.concatenate(parts).astype(np.float64)


def network_tools(game: Game, network: StoredNetwork) -> GameTools:
    """Return the tools of a game with an mlp in the place of its evaluation and, where that is possible, its priors.

    Raises:
        NetworkError: if the network is for something else, or a tower.
    """
    network.supports(game)
    if game.name not in _EVALUATIONS:
        raise NetworkError(f"no network can be compiled into a search of {game.name} yet")
    data, brought = numbers_of(network), game_tools(game)
    return replace(
        brought, policy=None, table=None, solved=None, evaluation=_EVALUATIONS[game.name],
        priors=_PRIORS.get(game.name), rollouts="none", numbers=lambda _game: data.copy(),
    )  # fmt: skip
