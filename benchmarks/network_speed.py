"""Positions per second of processor time of networks by back end, batches of 1, 8 and 64, one thread."""

from __future__ import annotations

import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch

from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.evaluator import NetworkEvaluator, make_evaluator
from sekisho.agents.networks.files import StoredNetwork, rules_of
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.envs import load_game
from sekisho.envs.core import Game

CASES = [
    ("tokaido", 4, NetworkConfig("mlp", 256, 3)),
    ("quoridor", 2, NetworkConfig("mlp", 256, 2)),
    ("quoridor", 2, NetworkConfig("tower", 32, 4)),
    ("quoridor", 2, NetworkConfig("tower", 64, 6)),
]
SECONDS = 0.5


def positions(game: Game, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return decisions of random games, and who decides."""
    rng, words, seats = np.random.default_rng(1), [], []
    while len(words) < count:
        state = game.new_initial_state()
        while not state.is_terminal() and len(words) < count:
            if state.is_chance_node():
                state.apply_action(int(rng.choice([outcome for outcome, _ in state.chance_outcomes()])))
                continue
            words.append(state.words)
            seats.append(state.current_player())
            state.apply_action(int(rng.choice(state.legal_actions())))
    return np.array(words), np.array(seats)


def speed(evaluator: NetworkEvaluator, game: Game, batch: int) -> float:
    """Return positions per second."""
    words, seats = positions(game, batch)
    evaluator.evaluate(game, words, seats)
    done, begin = 0, time.process_time()
    while time.process_time() - begin < SECONDS:
        evaluator.evaluate(game, words, seats)
        done += batch
    return done / (time.process_time() - begin)


def main() -> None:
    """Measure and print a table."""
    torch.set_num_threads(1)
    print("| network | compiled | onnx | torch |\n|---|---|---|---|")
    for name, players, config in CASES:
        game = load_game(name, players=players)
        weights = arrays_of(build_network(game, config, 0))
        network = StoredNetwork(config, shape_of(game), name, rules_of(game), weights)
        cells = []
        for backend in ("compiled", "onnx", "torch"):
            evaluator = make_evaluator(network, backend)
            cells.append(" / ".join(f"{speed(evaluator, game, batch):,.0f}" for batch in (1, 8, 64)))
        print(f"| {name}, {config.kind} {config.depth} x {config.width} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
