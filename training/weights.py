"""Weights of networks at the two ends of learning: those to begin with, and those that it has come to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from ..agents.network_names import file_of
from ..agents.networks.config import NetworkConfig
from ..agents.networks.files import fault_of, read_network, weight_shapes
from ..agents.networks.torch_backend import arrays_of
from ..envs.core import Game
from ..envs.errors import NetworkError, OptionError, RunError


def network_to_start_from(
    setting: str, name: str, config: NetworkConfig, games: Sequence[Game]
) -> dict[str, torch.Tensor]:
    """Return the weights of the network that a setting names.

    Args:
        setting: by its name, for messages.
        name: of the file, or of a network that ships.
        config: the shape of the network that they are for.
        games: which it must all be for.

    Raises:
        OptionError: if there is no such file, it holds no network, or the network is for something else or of another
            shape.
    """
    try:
        path = file_of(name)
        network = read_network(path)
        for game in games:
            network.supports(game)
    except FileNotFoundError as error:
        raise OptionError(f"{setting}: there is no file {path}") from error
    except IsADirectoryError as error:
        raise OptionError(f"{setting}: {path} is a folder; name the file of a network in it") from error
    except NetworkError as error:
        raise OptionError(f"{setting}: {error}") from error
    except (OSError, ValueError) as error:  # the latter for a name with a null byte in it
        reason = error.strerror if isinstance(error, OSError) else None
        raise OptionError(f"{setting}: cannot read {path}: {reason or error}") from error
    if weight_shapes(network.shape, network.config) != weight_shapes(network.shape, config):
        raise OptionError(f"{setting}: {path} is a network of another shape, {network.config}; the run trains {config}")
    return {name: torch.from_numpy(np.array(array)) for name, array in network.arrays.items()}


def require_usable(module: nn.Module, setting: str) -> None:
    """Raise `RunError` if the weights that a network has come to are good for nothing.

    Args:
        module: the network, one of this package.
        setting: that is to be lowered then.
    """
    if fault := fault_of(arrays_of(module)):
        raise RunError(f"the network has {fault}: lower {setting}; the last checkpoint is whole")
