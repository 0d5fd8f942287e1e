"""The network of value learning: asked by short lists of features, its loss, and as the judge of its own games."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...agents.networks.modules import Mlp
from ...envs.tokaido.kernels import SEAT
from .samples import Samples, samples_of


def answers(network: Mlp, places: Tensor, amounts: Tensor) -> tuple[Tensor, Tensor]:
    """Return logits and values of a network that is shown lists of features; the same as its `forward`, but quicker."""
    first, *rest = (layer for layer in network.hidden if isinstance(layer, nn.Linear))
    units = nn.functional.embedding_bag(
        places, first.weight.t().contiguous(), per_sample_weights=amounts, mode="sum"
    )  # fmt: skip
    units = torch.relu(units + first.bias)
    for layer in rest:
        units = torch.relu(layer(units))
    return network.policy(units), torch.tanh(network.value(units))


class ValueLosses(NamedTuple):
    """Of a batch, each the mean over its positions; those of the policy over its decisions.

    Attributes:
        value: squared error of the values of all seats of the table.
        policy: cross-entropy of the network's policy, in nats.
        entropy: of the policies that are learned, in nats: the least that `policy` can be.
    """

    value: Tensor
    policy: Tensor
    entropy: Tensor


def losses_of(network: Mlp, samples: Samples) -> ValueLosses:
    """Return the losses of a network on samples."""
    device = next(network.parameters()).device
    places, amounts, targets, present, policies = (torch.from_numpy(part).to(device) for part in samples)
    logits, values = answers(network, places.long(), amounts)
    error = ((values - targets) ** 2 * present).sum() / present.sum()
    wanted = policies[policies.sum(dim=1) > 0]
    if not len(wanted):
        return ValueLosses(error, torch.zeros_like(error), torch.zeros_like(error))
    log_policy = torch.log_softmax(logits[policies.sum(dim=1) > 0].masked_fill(wanted == 0, -torch.inf), dim=1)
    cross_entropy = -(wanted * log_policy.masked_fill(wanted == 0, 0.0)).sum(dim=1).mean()
    entropy = -(wanted * wanted.clamp_min(1e-12).log()).sum(dim=1).mean()
    return ValueLosses(error, cross_entropy, entropy)


class NetworkLeaf:
    """A network as a `Leaf`: what says how good the positions are in which turns begin."""

    def __init__(self, network: Mlp) -> None:
        self._network = network

    def position_values(self, game: Any, words: NDArray[np.int64]) -> NDArray[np.float64]:
        """See `Leaf`."""
        samples = samples_of(game, words, np.zeros((len(words), game.num_players)))
        with torch.inference_mode():
            _, values = answers(
                self._network, torch.from_numpy(samples.places).long(), torch.from_numpy(samples.amounts)
            )
        back = (np.arange(game.num_players) - words[:, SEAT, None]) % game.num_players
        return np.take_along_axis(values.double().numpy(), back, axis=1)


def follow(mean: Mlp, network: Mlp, weight: float) -> None:
    """Move a running mean of the weights on: so much of it stays."""
    with torch.no_grad():
        for slow, quick in zip(mean.parameters(), network.parameters(), strict=True):
            slow.lerp_(quick, 1 - weight)
