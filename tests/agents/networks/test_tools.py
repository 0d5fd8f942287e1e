"""A network compiled into a search says what its evaluator says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.evaluator import make_evaluator
from sekisho.agents.networks.files import StoredNetwork, rules_of
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.tools import network_tools, numbers_of
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.agents.search.search import Rules, Search
from sekisho.envs import load_game
from sekisho.envs.core import Game
from sekisho.envs.errors import NetworkError
from support.positions import random_decisions

CASES: list[tuple[str, dict[str, Any]]] = [
    ("tokaido", {"players": 3}),
    ("picture_sugoroku", {"players": 2, "finish": "all_places"}),
    ("quoridor", {"board_size": 5, "fences": 2}),
]
RULES = Rules(puct=True, exploration=1.0, first_play=0.0, rollouts="none", cutoff=None, priors="uniform", wide=32,
              threads=1, memory=8, noise=0.0, alpha=0.3)  # fmt: skip


def network_for(game: Game, config: NetworkConfig) -> StoredNetwork:
    return StoredNetwork(config, shape_of(game), game.name, rules_of(game), arrays_of(build_network(game, config, 2)))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_the_tools_say_what_the_evaluator_says(name: str, options: dict[str, Any]) -> None:
    game = load_game(name, **options)
    network = network_for(game, NetworkConfig("mlp", 24, 2))
    tools, data = network_tools(game, network), numbers_of(network)
    words, seats = random_decisions(game, 30, 8)
    priors, values = make_evaluator(network, "torch").evaluate(game, words, seats)
    mask, out, policy = np.zeros(game.num_actions, np.int8), np.zeros(game.num_players), np.zeros(game.num_actions)
    for row, position in enumerate(words):
        tools.evaluation(game.rules, position, data, out)
        np.testing.assert_allclose(out, values[row], atol=1e-4)
        if tools.priors is not None:
            game.kernels.legal(game.rules, position, mask)
            tools.priors(game.rules, position, data, mask, policy)
            np.testing.assert_allclose(policy / policy.sum(), priors[row], atol=1e-4)


def test_a_search_runs_with_a_network_compiled_into_it() -> None:
    game = load_game("tokaido")
    network = network_for(game, NetworkConfig("mlp", 24, 2))
    search = Search(game, RULES, brought=network_tools(game, network))
    state = game.from_text("15 15 / 1 / [1-2]")
    assert search.run(state, np.random.default_rng(1), 50, None) == 50
    assert sum(child.visits for child in search.children()) >= 49


def test_a_tower_is_too_large_for_that() -> None:
    game = load_game("quoridor", board_size=5, fences=2)
    with pytest.raises(NetworkError, match="only an mlp"):
        network_tools(game, network_for(game, NetworkConfig("tower", 4, 1, 2)))
