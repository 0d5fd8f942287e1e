"""The adapters that make other people's programs opponents (`benchmarks/peers`)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.agents import make_agent
from sekisho.envs import load_game

PEERS = Path(__file__).resolve().parents[2] / "benchmarks" / "peers"
pytest.importorskip("pyspiel")


@pytest.fixture(scope="module")
def openspiel_mcts() -> Any:
    spec = importlib.util.spec_from_file_location("openspiel_mcts", PEERS / "openspiel_mcts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_rate_between_two_that_were_measured_is_read_off_between_them(openspiel_mcts: Any) -> None:
    measured = {0: 1000.0, 10: 4000.0, 18: 16000.0}
    assert openspiel_mcts.simulations_at(measured, 0, 2.0) == 2000
    assert openspiel_mcts.simulations_at(measured, 5, 1.0) == 2000
    assert openspiel_mcts.simulations_at(measured, 20, 0.5) == 8000
    assert openspiel_mcts.simulations_at(measured, 0, 1e-9) == 1


def test_mctsbot_plays_legal_moves_where_pawns_meet_and_fences_stand() -> None:
    game = load_game("quoridor")
    agent = make_agent(f"engine:(seconds=60)'{sys.executable}' '{PEERS / 'openspiel_mcts.py'}' --seconds 0.02")
    agent.supports(game)
    state = game.new_initial_state()
    state.apply_moves("e2 e8 e3 e7 e4 e6 e5 a3h e4v")
    rng = np.random.default_rng(0)
    for _ in range(4):
        action = agent.act(state, rng).action
        assert action in state.legal_actions()
        state.apply_action(action)
