"""A network as a function of numpy arrays, whatever runs it."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...envs.errors import AgentError, NetworkError, OptionError, nearest, shown
from .files import StoredNetwork

BACKENDS = ("auto", "compiled", "onnx", "torch")


class Forward(Protocol):
    """Answers as the modules of `modules` do."""

    def __call__(
        self, observations: NDArray[np.float32], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the logarithm of the policy, float32 ``[B, A]``, and the values, float32 ``[B, seats]``.

        Args:
            observations: float32 ``[B, *observation_shape]``.
            masks: bool ``[B, A]``, True where legal, at least one in every row; numbered as the seat that looks does.
        """
        ...


def has_onnx() -> bool:
    """Return whether the packages of the extra ``onnx`` are installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("onnx", "onnxruntime"))


def choose_backend(network: StoredNetwork, backend: str) -> str:
    """Return which back end runs a network: the one that is named, or for ``auto`` the quickest that is installed.

    An mlp or nnue is quickest in compiled code, which looks at nothing that is 0 and needs no other package; a tower in
    onnxruntime (``docs/networks.md`` has the figures).

    Raises:
        OptionError: for a back end that does not exist.
        AgentError: for one whose packages are not installed.
    """
    if backend not in BACKENDS:
        raise OptionError(f"option 'backend': there is no {shown(backend)}; {nearest(str(backend), BACKENDS)}")
    if backend == "onnx" and not has_onnx():
        raise AgentError(
            "the back end 'onnx' needs packages that are not installed: `pip install 'sekisho[onnx]'`, or take "
            "backend=torch or backend=compiled"
        )
    if backend != "auto":
        return backend
    if network.config.kind in ("mlp", "nnue"):
        return "compiled"
    return "onnx" if has_onnx() else "torch"


def forward_of(network: StoredNetwork, backend: str = "auto") -> Forward:
    """Return a network as a function; see `choose_backend`. Only ``torch`` imports torch."""
    module = importlib.import_module(f".{choose_backend(network, backend)}_backend", __package__)
    run: Forward = module.forward_of(network)
    observation, actions = network.shape.observation, network.shape.actions

    def forward(observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        count = len(observations)
        if observations.shape != (count, *observation) or masks.shape != (count, actions):
            raise NetworkError(
                f"the network is shown observations of shape [B, {', '.join(map(str, observation))}] with masks of shape "
                f"[B, {actions}], not {list(observations.shape)} with {list(masks.shape)}"
            )
        return run(observations, masks)

    return forward
