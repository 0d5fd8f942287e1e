"""A network as what judges the leaves of `mcts`: the same numbers as elsewhere, beside the races, and refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.agents import make_agent
from sekisho.agents.learned import NetAgent
from sekisho.agents.networks.config import NetworkConfig
from sekisho.agents.networks.evaluator import make_evaluator
from sekisho.agents.networks.files import read_network, write_network
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.agents.search.mcts import MctsAgent
from sekisho.agents.search.tools import game_tools
from sekisho.agents.search.tree_evaluation import judged_by
from sekisho.envs import load_game
from sekisho.envs.core import Game
from sekisho.envs.errors import AgentError, OptionError
from sekisho.envs.quoridor.kernels import SEAT
from support.positions import random_decisions

NNUE = NetworkConfig("nnue", 48, 1, 16)
TABLES: list[dict[str, Any]] = [{}, {"players": 4}, {"players": 4, "board_size": 5, "fences": 3}]


def written(folder: Path, game: Game, config: NetworkConfig = NNUE) -> Path:
    arrays, rng = arrays_of(build_network(game, config, 1)), np.random.default_rng(1)
    for array in arrays.values():
        array += rng.normal(0, 0.2, array.shape).astype(np.float32)
    write_network(folder / "net.safetensors", game, config, arrays, {})
    return folder / "net.safetensors"


@pytest.mark.parametrize("options", TABLES)
def test_leaves_are_judged_as_the_back_ends_do_behind_whatever_numbers_the_game_has(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    game = load_game("quoridor", **options)
    path = written(tmp_path, game)
    words, _ = random_decisions(game, 60, seed=5)
    seats = np.ascontiguousarray(words[:, SEAT])
    _, expected = make_evaluator(read_network(path), "compiled").evaluate(game, words, seats)
    evaluation = NetAgent(str(path)).tree_evaluation(game)
    for exact in ("off", "auto"):
        data, out = judged_by(evaluation, game_tools(game, exact, 10**7)).numbers(game), np.zeros(game.num_players)
        for row, position in enumerate(words):
            evaluation.function(game.rules, position, data, out)
            np.testing.assert_allclose(out, expected[row], atol=1e-5)
    assert np.ptp(expected) > 0.05


@pytest.mark.parametrize("options", TABLES[:2])
def test_a_first_simulation_is_worth_what_the_network_says_of_its_leaf(tmp_path: Path, options: dict[str, Any]) -> None:
    game = load_game("quoridor", **options)
    path, state = written(tmp_path, game), game.new_initial_state()
    decision = make_agent(f"mcts:simulations=1,leaf=(net:checkpoint={path})").act(state, np.random.default_rng(0))
    ((action, visits),) = decision.statistics["visits"].items()
    assert visits == 1
    after = state.child(action).words[None].copy()
    (expected,) = NetAgent(str(path)).position_values(game, after)
    assert decision.statistics["values"][action] == pytest.approx(expected[state.current_player()], abs=1e-5)


def test_a_seed_gives_the_same_search_and_the_leaf_makes_it_another(tmp_path: Path) -> None:
    game = load_game("quoridor", players=4)
    path, state = written(tmp_path, game), game.new_initial_state()
    spec = f"mcts:simulations=400,leaf=(net:checkpoint={path})"
    one, two, other = (
        make_agent(spec).act(state, np.random.default_rng(0)).statistics
        for spec in (spec, spec + ",rollouts=none", "mcts:simulations=400")
    )
    assert (one["visits"], one["values"]) == (two["visits"], two["values"])
    assert one["values"] != other["values"]
    lent = MctsAgent(simulations=400, leaf=NetAgent(str(path))).act(state, np.random.default_rng(0))
    assert lent.statistics["visits"] == one["visits"]


def test_several_threads_ask_it_at_once(tmp_path: Path) -> None:
    game = load_game("quoridor", players=4)
    path, state = written(tmp_path, game), game.new_initial_state()
    agent = MctsAgent(simulations=3000, threads=3, leaf=NetAgent(str(path)))
    decision = agent.act(state, np.random.default_rng(0))
    assert decision.statistics["simulations"] == 3000
    assert decision.action in state.legal_actions()
    assert sum(decision.statistics["returns"]) == pytest.approx(0, abs=1e-4)
    assert all(-0.34 < value < 1 for value in decision.statistics["returns"])


def test_races_are_still_proven_and_what_they_note_harms_no_weights(tmp_path: Path) -> None:
    game = load_game("quoridor", board_size=5, fences=1, max_plies=None)
    path, state = written(tmp_path, game), game.new_initial_state()
    agent = MctsAgent(simulations=1500, leaf=NetAgent(str(path)))
    agent.act(state, np.random.default_rng(0))
    search, words = agent._search, random_decisions(game, 20, seed=6)[0]
    assert search is not None
    assert search.tree.proven[: search.nodes].sum() > 20  # races on the way
    evaluation = NetAgent(str(path)).tree_evaluation(game)
    lent = evaluation.numbers.view(np.int64)
    assert (search._data[-1 - lent.size : -1].view(np.int64) == lent).all()
    for position in words:
        out, fresh = np.zeros(2), np.zeros(2)
        evaluation.function(game.rules, position, search._data, out)
        evaluation.function(game.rules, position, judged_by(evaluation, game_tools(game)).numbers(game), fresh)
        assert (out == fresh).all()
    race = load_game("quoridor", fences=0, max_plies=None)
    path = written(tmp_path, race)
    for exact, proven in (("auto", True), ("on", True), ("off", False)):
        spec = f"mcts:simulations=50,exact={exact},leaf=(net:checkpoint={path})"
        decision = make_agent(spec).act(race.new_initial_state(), np.random.default_rng(0))
        assert decision.statistics["proven"] == proven


def test_what_cannot_be_a_leaf_is_said(tmp_path: Path) -> None:
    game = load_game("quoridor", board_size=5, fences=2)
    path = written(tmp_path, game)
    for wrong, words in (
        ("leaf=heuristic", "'leaf' must be 'own' or an agent with an evaluation"),
        ("leaf=nett", "there is no agent 'nett'"),
        (f"leaf=(net:checkpoint={path}),rollouts=guided", "'rollouts' must be none, or left out, with a leaf"),
        (f"leaf=(net:checkpoint={path}),rollouts=uniform", "'rollouts' must be none, or left out, with a leaf"),
        (f"leaf=(net:checkpoint={path}),cutoff=3", "'cutoff' must be left out with a leaf"),
        (f"leaf=(net:checkpoint={path}.none)", "must be a file"),
    ):
        with pytest.raises(OptionError, match=words):
            make_agent(f"mcts:{wrong}")
    with pytest.raises(AgentError, match=r"^mcts: leaf=\(net:checkpoint=.*\) cannot judge here: .*board_size=5"):
        make_agent(f"mcts:leaf=(net:checkpoint={path})").supports(load_game("quoridor"))
    mlp = written(tmp_path, game, NetworkConfig("mlp", 16, 1))
    with pytest.raises(AgentError, match=r"no leaf of mcts: only a network of kind 'nnue'.*'mlp'"):
        make_agent(f"mcts:leaf=(net:checkpoint={mlp})").supports(game)


def test_the_network_that_ships_is_a_leaf() -> None:
    state = load_game("quoridor").new_initial_state()
    decision = make_agent("mcts:simulations=100,leaf=(net:checkpoint=quoridor)").act(state, np.random.default_rng(0))
    assert decision.action in state.legal_actions()
