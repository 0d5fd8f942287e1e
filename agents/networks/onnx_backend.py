"""The onnxruntime back end."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from .files import StoredNetwork
from .forward import Forward
from .onnx_graph import model_of


def forward_of(network: StoredNetwork, threads: int = 1) -> Forward:
    """Return the network as a function; see `forward`. On small batches a second thread makes it slower."""
    return forward_of_model(model_of(network).SerializeToString(), threads)


def forward_of_model(model: bytes, threads: int = 1) -> Forward:
    """Return a serialised model with the inputs and outputs of `onnx_graph` as a function."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def forward(observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        log_policy, values = session.run(["log_policy", "values"], {"observations": observations, "masks": masks})
        return log_policy, values

    return forward
