"""Networks as ONNX models, built node by node from their weights: neither torch nor its exporter is needed.

Inputs ``observations`` (float32 ``[batch, *observation_shape]``) and ``masks`` (bool ``[batch, actions]``), outputs
``log_policy`` (float32 ``[batch, actions]``) and ``values`` (float32 ``[batch, seats]``), as in `modules`.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, checker, helper, numpy_helper

from .files import StoredNetwork
from .folded import FoldedMlp, FoldedSums, FoldedTower, Layer, folded

OPSET = 17
"""Old enough for every runtime of the last years, browsers included; nothing newer is needed."""
IR_VERSION = 8


class _Graph:
    """Nodes and weights, as they are added."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []

    def constant(self, array: NDArray[Any]) -> str:
        name = f"weights_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, kind: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        out = out or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], name=f"node_{len(self.nodes)}", **attributes))
        return out

    def dense(self, units: str, layer: Layer) -> str:
        return self.add("Gemm", units, self.constant(layer.weights), self.constant(layer.bias), transB=1)

    def convolution(self, planes: str, layer: Layer) -> str:
        side = layer.weights.shape[2]
        weights, bias = self.constant(layer.weights), self.constant(layer.bias)
        return self.add("Conv", planes, weights, bias, kernel_shape=[side, side], pads=[side // 2] * 4)

    def relu(self, units: str) -> str:
        return self.add("Relu", units)

    def clip(self, units: str) -> str:
        low, high = (self.constant(np.array(bound, dtype=np.float32)) for bound in (0.0, 1.0))
        return self.add("Clip", units, low, high)

    def slice(self, units: str, starts: list[int], ends: list[int], axes: list[int]) -> str:
        places = (self.constant(np.array(part, dtype=np.int64)) for part in (starts, ends, axes))
        return self.add("Slice", units, *places)


def _mlp(graph: _Graph, layers: FoldedMlp) -> str:
    """Add an mlp and its values; return the name of its logits."""
    units = graph.add("Flatten", "observations", axis=1)
    for layer in layers.hidden:
        units = graph.relu(graph.dense(units, layer))
    graph.add("Tanh", graph.dense(units, layers.value), out="values")
    return graph.dense(units, layers.policy)


def _sums(graph: _Graph, layers: FoldedSums) -> str:
    """Add an nnue; see `_mlp`."""
    units = graph.clip(graph.dense(graph.clip(graph.dense("observations", layers.sums)), layers.hidden))
    logits = graph.add("Mul", graph.add("Cast", "masks", to=TensorProto.FLOAT), graph.constant(np.zeros(1, np.float32)))
    seats = len(layers.value.bias)
    if seats == 1:  # tanh(log-odds / 2) for the seat that looks, its negative for the other
        sides = np.array([[0.5], [-0.5]], np.float32)
        halves = Layer(sides * layers.value.weights, sides[:, 0] * layers.value.bias)
        graph.add("Tanh", graph.dense(units, halves), out="values")
    else:  # chance - (1 - chance) / (seats - 1)
        chances = graph.add("Softmax", graph.dense(units, layers.value), axis=1)
        scale, loss = (graph.constant(np.array([part / (seats - 1)], np.float32)) for part in (seats, 1))
        graph.add("Sub", graph.add("Mul", chances, scale), loss, out="values")
    return logits


def _tower(graph: _Graph, layers: FoldedTower) -> str:
    """Add a tower; see `_mlp`."""
    planes = graph.relu(graph.convolution("observations", layers.stem))
    for first, second in zip(layers.blocks[::2], layers.blocks[1::2], strict=True):
        change = graph.convolution(graph.relu(graph.convolution(planes, first)), second)
        planes = graph.relu(graph.add("Add", planes, change))
    maps = graph.convolution(graph.relu(graph.convolution(planes, layers.policy_conv)), layers.policy)
    squares = graph.add("Flatten", graph.slice(maps, [0], [1], [1]), axis=1)
    anchors = graph.add("Flatten", graph.slice(maps, [1, 0, 0], [3, -1, -1], [1, 2, 3]), axis=1)
    logits = graph.add("Concat", squares, anchors, axis=1)
    units = graph.add("Flatten", graph.relu(graph.convolution(planes, layers.value_conv)), axis=1)
    units = graph.relu(graph.dense(units, layers.value_hidden))
    graph.add("Tanh", graph.dense(units, layers.value), out="values")
    return logits


def model_of(network: StoredNetwork) -> ModelProto:
    """Return a network as a model; its metadata say what it is for."""
    graph, layers, shape = _Graph(), folded(network), network.shape
    if isinstance(layers, FoldedTower):
        logits = _tower(graph, layers)
    else:
        logits = _mlp(graph, layers) if isinstance(layers, FoldedMlp) else _sums(graph, layers)
    nothing = graph.constant(np.array(-np.inf, dtype=np.float32))
    graph.add("LogSoftmax", graph.add("Where", "masks", logits, nothing), out="log_policy", axis=1)
    inputs = [
        helper.make_tensor_value_info("observations", TensorProto.FLOAT, ["batch", *shape.observation]),
        helper.make_tensor_value_info("masks", TensorProto.BOOL, ["batch", shape.actions]),
    ]
    outputs = [
        helper.make_tensor_value_info("log_policy", TensorProto.FLOAT, ["batch", shape.actions]),
        helper.make_tensor_value_info("values", TensorProto.FLOAT, ["batch", shape.seats]),
    ]
    model = helper.make_model(
        helper.make_graph(graph.nodes, "sekisho", inputs, outputs, graph.weights),
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="sekisho",
        ir_version=IR_VERSION,
    )
    helper.set_model_props(model, {"sekisho": json.dumps(_about(network), sort_keys=True)})
    checker.check_model(model)
    return model


def _about(network: StoredNetwork) -> dict[str, Any]:
    return {
        "game": network.game,
        "observation": {
            "version": network.version, "shape": network.shape.observation, "actions": network.shape.actions,
            "seats": network.shape.seats,
        },
        "rules": {name: list(values) for name, values in network.rules.items()},
        "config": network.config.to_dict(),
        "recipe": dict(network.recipe),
    }  # fmt: skip


__all__ = ["IR_VERSION", "OPSET", "model_of"]
