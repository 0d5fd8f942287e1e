"""Networks between torch and files, and the torch back end."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from .files import StoredNetwork
from .forward import Forward
from .modules import build_module


def arrays_of(module: nn.Module) -> dict[str, NDArray[Any]]:
    """Return copies of the weights of a network by their names, for `files.write_network`."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def load_module(network: StoredNetwork) -> nn.Module:
    """Return a network as a torch module with its weights, ready to be evaluated (``.train()`` to go on training)."""
    module = build_module(network.shape, network.config, seed=0)
    module.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in network.arrays.items()})
    return module.eval()


def forward_of(network: StoredNetwork) -> Forward:
    """Return the network as a function; see `forward`."""
    return forward_of_module(load_module(network))


def forward_of_module(module: nn.Module) -> Forward:
    """Return a module, which may still be trained elsewhere, as a function; it is put into evaluation while it runs."""

    def forward(observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        device = next(module.parameters()).device
        training = module.training
        if training:  # setting it takes a quarter of the time of a tower on a small batch
            module.eval()
        try:
            with torch.inference_mode():
                log_policy, values = module(
                    torch.from_numpy(observations).to(device), torch.from_numpy(masks).to(device)
                )
        finally:
            if training:
                module.train()
        return log_policy.float().cpu().numpy(), values.float().cpu().numpy()

    return forward
