"""How much quicker towers for Quoridor are with 8-bit weights and activations, by onnxruntime on one thread.

    python benchmarks/eight_bit_speed.py

The weights are drawn at random, which changes no speed. Both forms of a network take turns in one run, batches of 1, 8 and
64; the quicker of the rounds counts. Statically quantized (`onnxruntime.quantization`), a scale for each channel, the
ranges of the activations taken from positions of random games.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from network_speed import positions
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from wanted import amount, count, run_in_words

from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.files import StoredNetwork, rules_of
from sekisho.agents.networks.forward import Forward
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.onnx_backend import forward_of_model
from sekisho.agents.networks.onnx_graph import model_of
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.envs import load_game
from sekisho.envs.core import Game

TOWERS = ((32, 4), (64, 6))  # channels, residual blocks
BATCHES = (1, 8, 64)
CALIBRATION = 64  # positions


class Observed(CalibrationDataReader):
    """One batch of inputs, as the quantizer asks for them."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self._batches = iter([inputs])

    def get_next(self) -> dict[str, Any] | None:
        """Return the next batch; None after the last one."""
        return next(self._batches, None)


def inputs_of(game: Game, batch: int) -> dict[str, Any]:
    """Return what a network is told of so many positions of random games."""
    states = [game.state_of(words) for words in positions(game, batch)[0]]
    return {
        "observations": np.array([state.observation_tensor() for state in states], np.float32),
        "masks": np.array([state.legal_actions_mask() for state in states], bool),
    }


def both_forms(game: Game, width: int, depth: int) -> dict[str, Forward]:
    """Return a tower with numbers of 32 bits, and the same one with 8."""
    config = NetworkConfig("tower", width, depth)
    weights = arrays_of(build_network(game, config, 0))
    model = model_of(StoredNetwork(config, shape_of(game), game.name, rules_of(game), weights)).SerializeToString()
    with tempfile.TemporaryDirectory() as folder:
        plain, small = Path(folder) / "plain.onnx", Path(folder) / "small.onnx"
        plain.write_bytes(model)
        quantize_static(
            str(plain), str(small), Observed(inputs_of(game, CALIBRATION)), quant_format=QuantFormat.QDQ, per_channel=True,
            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, op_types_to_quantize=["Conv", "Gemm", "MatMul"],
        )  # fmt: skip
        return {"32 bits": forward_of_model(model), "8 bits": forward_of_model(small.read_bytes())}


def speed(forward: Forward, inputs: dict[str, Any], seconds: float) -> float:
    """Return positions per second of processor time."""
    forward(**inputs)
    done, begin = 0, time.process_time()
    while time.process_time() - begin < seconds:
        forward(**inputs)
        done += len(inputs["masks"])
    return done / (time.process_time() - begin)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=count(), default=3, help="the quickest counts")
    parser.add_argument("--seconds", type=amount(), default=0.5, help="of a measurement")
    options = parser.parse_args()
    logging.disable(logging.WARNING)  # advice of the quantizer on other kinds of networks
    game = load_game("quoridor")
    for width, depth in TOWERS:
        forms = both_forms(game, width, depth)
        for batch in BATCHES:
            inputs, best = inputs_of(game, batch), dict.fromkeys(forms, 0.0)
            for _ in range(options.rounds):
                for name, forward in forms.items():
                    best[name] = max(best[name], speed(forward, inputs, options.seconds))
            told = ", ".join(f"{rate:,.0f} a second with {name}" for name, rate in best.items())
            print(
                f"tower {depth} x {width}, batches of {batch}: {told}: {best['8 bits'] / best['32 bits']:.2f} times as fast",
                flush=True,
            )


if __name__ == "__main__":
    run_in_words(main)
