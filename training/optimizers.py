"""What an optimiser remembers, as arrays that can be kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ..envs.errors import CheckpointError


def optimizer_arrays(module: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, NDArray[Any]]:
    """Return what the optimiser of a network remembers, by ``parameter/what``."""
    found: dict[str, NDArray[Any]] = {}
    for name, parameter in module.named_parameters():
        for key, value in optimizer.state.get(parameter, {}).items():
            if value is not None:
                found[f"{name}/{key}"] = torch.as_tensor(value).detach().cpu().numpy().copy()
    return found


def restore_optimizer(module: nn.Module, optimizer: torch.optim.Optimizer, arrays: dict[str, NDArray[Any]]) -> None:
    """Have the optimiser of a network remember what `optimizer_arrays` returned.

    Raises:
        CheckpointError: if it is not that of this network.
    """
    parameters = dict(module.named_parameters())
    known: dict[str, set[str]] = {}
    for place in arrays:
        known.setdefault(place.rpartition("/")[0], set()).add(place.rpartition("/")[2])
    if len({frozenset(keys) for keys in known.values()}) > 1:
        raise CheckpointError(
            "the optimiser of the checkpoint is damaged: it remembers more of some weights than of others"
        )
    for place, array in arrays.items():
        name, _, key = place.rpartition("/")
        parameter = parameters.get(name)
        if parameter is None or (array.ndim and array.shape != tuple(parameter.shape)):
            raise CheckpointError(f"the optimiser of the checkpoint is that of another network ({place})")
        value = torch.from_numpy(np.array(array))
        optimizer.state[parameter][key] = value if key == "step" else value.to(parameter.device)
