"""A network as it is evaluated: the normalisation of its convolutions folded into their weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .files import StoredNetwork

EPSILON = 1e-5
"""Of torch's batch normalisation."""
Weights = NDArray[np.float32]


class Layer(NamedTuple):
    """A layer: weights ``[outputs, inputs]`` or ``[outputs, inputs, 3 or 1, 3 or 1]``, and a bias ``[outputs]``."""

    weights: Weights
    bias: Weights


class FoldedMlp(NamedTuple):
    """The layers of `modules.Mlp`."""

    hidden: tuple[Layer, ...]
    policy: Layer
    value: Layer


class FoldedSums(NamedTuple):
    """The layers of `modules.Sums`."""

    sums: Layer
    hidden: Layer
    value: Layer


class FoldedTower(NamedTuple):
    """The layers of `modules.Tower`; `blocks` has two a block."""

    stem: Layer
    blocks: tuple[Layer, ...]
    policy_conv: Layer
    policy: Layer
    value_conv: Layer
    value_hidden: Layer
    value: Layer


def folded(network: StoredNetwork) -> FoldedMlp | FoldedSums | FoldedTower:
    """Return the layers of a network as evaluation applies them."""
    arrays, depth = network.arrays, network.config.depth
    if network.config.kind == "mlp":
        hidden = tuple(_plain(arrays, f"hidden.{layer}") for layer in range(depth))
        return FoldedMlp(hidden, _plain(arrays, "policy"), _plain(arrays, "value"))
    if network.config.kind == "nnue":
        return FoldedSums(*(_plain(arrays, name) for name in ("sums", "hidden", "value")))
    blocks = tuple(_normal(arrays, f"blocks.{block}.{part}") for block in range(depth) for part in ("first", "second"))
    return FoldedTower(
        _normal(arrays, "stem"),
        blocks,
        _normal(arrays, "policy_conv"),
        *(_plain(arrays, name) for name in ("policy", "value_conv", "value_hidden", "value")),
    )


def _plain(arrays: Mapping[str, NDArray[Any]], name: str) -> Layer:
    return Layer(arrays[f"{name}.weight"].astype(np.float32), arrays[f"{name}.bias"].astype(np.float32))


def _normal(arrays: Mapping[str, NDArray[Any]], name: str) -> Layer:
    """Return a convolution with its normalisation as one convolution."""
    part = {
        key: arrays[f"{name}.norm.{key}"].astype(np.float64)
        for key in ("weight", "bias", "running_mean", "running_var")
    }
    scale = part["weight"] / np.sqrt(part["running_var"] + EPSILON)
    weights = arrays[f"{name}.conv.weight"].astype(np.float64) * scale[:, None, None, None]
    bias = part["bias"] - part["running_mean"] * scale
    return Layer(weights.astype(np.float32), bias.astype(np.float32))
