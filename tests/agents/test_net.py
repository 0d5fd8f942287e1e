"""The agent `net`: what it plays is what its network says, however it is asked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.agents import make_agent, store
from sekisho.agents.exact.policies import Arena
from sekisho.agents.learned import NetAgent
from sekisho.agents.networks.config import NetworkConfig
from sekisho.agents.networks.files import read_network, rules_of, write_network
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.cli.main import main
from sekisho.envs import load_game
from sekisho.envs.core import State
from sekisho.envs.errors import AgentError, OptionError, UnknownNameError
from support.positions import random_decisions

SHIPPED = read_network(store.require_listed(store.shipped_networks()["tokaido"]))
MODES = [{"forks": forks, "goal": goal} for forks in ("three", "miya") for goal in ("exact", "over")]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Networks with random weights, by game."""
    folder, found = tmp_path_factory.mktemp("networks"), {}
    for name, options, config in (
        ("tokaido", {}, NetworkConfig("mlp", 16, 1)),
        ("picture_sugoroku", {"allow_resign": True}, NetworkConfig("mlp", 16, 1)),
        ("quoridor", {"board_size": 5, "fences": 2}, NetworkConfig("tower", 8, 1, 4)),
    ):
        game = load_game(name, **options)
        several = {"players": (2, 3, 4, 5, 6)} if name != "quoridor" else {}
        network = arrays_of(build_network(game, config, 4))
        found[name] = folder / f"{name}.safetensors"
        write_network(found[name], game, config, network, {}, rules_of(game, **several))
    return found


def states_of(name: str, number: int = 30, **options: Any) -> list[State]:
    game = load_game(name, **options)
    return [game.state_of(words.copy()) for words in random_decisions(game, number, 6)[0]]


@pytest.mark.parametrize("players", [2, 3, 6])
def test_in_games_with_dice_it_takes_the_choice_after_which_it_stands_best(
    files: dict[str, Path], players: int
) -> None:
    agent = NetAgent(str(files["tokaido"]))
    states = states_of("tokaido", players=players)
    for state, decision in zip(states, agent.act_many(states, np.random.default_rng(0)), strict=True):
        seat, worth = state.current_player(), {}
        for action in state.legal_actions():
            after = state.child(action)
            known = after.returns() if after.is_terminal() else None
            values = known or agent.position_values(state.game, after.words[None])[0].tolist()
            worth[state.action_to_string(action)] = values[seat]
        assert decision.statistics["values"] == pytest.approx(worth, abs=1e-6)
        assert worth[state.action_to_string(decision.action)] == pytest.approx(max(worth.values()), abs=1e-6)
        assert decision.value == pytest.approx(max(worth.values()), abs=1e-6)
        assert decision.action == agent.act(state, np.random.default_rng(1)).action
        choices = agent.choice_values(state)
        assert choices[state.legal_actions()] == pytest.approx(list(worth.values()), abs=1e-6)


def test_it_resigns_never(files: dict[str, Path]) -> None:
    for state in states_of("picture_sugoroku", players=3, allow_resign=True):
        assert NetAgent(str(files["picture_sugoroku"])).act(state, np.random.default_rng(0)).action == 0


def test_in_quoridor_it_takes_what_its_policy_likes_best(files: dict[str, Path]) -> None:
    agent = NetAgent(str(files["quoridor"]))
    for state in states_of("quoridor", 10, board_size=5, fences=2):
        decision = agent.act(state, np.random.default_rng(0))
        policy = decision.statistics["policy"]
        assert set(policy) == {state.action_to_string(action) for action in state.legal_actions()}
        assert sum(policy.values()) == pytest.approx(1)
        assert state.action_to_string(decision.action) == max(policy, key=policy.__getitem__)


@pytest.mark.parametrize("name", ["tokaido", "quoridor", "picture_sugoroku"])
def test_a_search_asks_the_network(files: dict[str, Path], name: str) -> None:
    options = read_network(files[name]).rules
    game = {key: value for key, (value, *_) in options.items()}
    (state,) = states_of(name, 1, **game)
    decisions = [NetAgent(str(files[name]), 60).act(state, np.random.default_rng(3)) for _ in range(2)]
    assert decisions[0].action == decisions[1].action
    assert decisions[0].statistics["visits"] == decisions[1].statistics["visits"]
    if not decisions[0].statistics["proven"]:
        assert sum(decisions[0].statistics["visits"].values()) >= 50
    assert decisions[0].action in state.legal_actions()


def test_choices_are_drawn_by_temperature(files: dict[str, Path]) -> None:
    (state,) = states_of("tokaido", 1)
    agent = NetAgent(str(files["tokaido"]), temperature=0.5)
    assert agent.samples_policy
    assert not NetAgent(str(files["tokaido"])).samples_policy
    decision = agent.act(state, np.random.default_rng(0))
    values = np.array(list(decision.statistics["values"].values()))
    expected = np.exp(2 * values) / np.exp(2 * values).sum()
    assert list(decision.policy.values()) == pytest.approx(expected.tolist())


def test_the_game_that_is_over_has_its_exact_value(files: dict[str, Path]) -> None:
    state = load_game("tokaido").new_initial_state()
    rng = np.random.default_rng(1)
    while not state.is_terminal():
        outcomes = [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(int(rng.choice(outcomes)))
    values = NetAgent(str(files["tokaido"])).position_values(state.game, state.words[None])
    assert values[0].tolist() == state.returns()


def test_deciding_at_many_positions_at_once_is_deciding_at_each() -> None:
    agent = NetAgent("tokaido")
    states = states_of("tokaido", 200, players=3)
    actions = agent.choose_many(states[0].game, np.array([state.words for state in states]))
    assert actions is not None
    assert actions.tolist() == [one.action for one in agent.act_many(states, np.random.default_rng(0))]


@pytest.mark.slow
def test_asked_for_many_decisions_at_once_it_has_the_same_exact_value() -> None:
    arena, agent = Arena(load_game("tokaido", forks="miya", goal="over")), NetAgent("tokaido")  # type: ignore[arg-type]
    quick = arena.ask(agent)
    agent.choose_many = lambda game, words: None  # type: ignore[method-assign]
    np.testing.assert_array_equal(quick.second, arena.ask(agent).second)


def test_what_does_not_fit_is_refused_in_words(files: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="did you mean 'tokaido'"):
        make_agent("net:checkpoint=tokaid")
    with pytest.raises(OptionError, match="did you mean 'torch'"):
        make_agent("net:backend=troch")
    with pytest.raises(OptionError, match="simulations"):
        make_agent("net:simulations=-1")
    with pytest.raises(OptionError, match="temperature"):
        make_agent("net:temperature=1e9")
    with pytest.raises(UnknownNameError, match="simulations"):
        make_agent("net:simulation=3")
    with pytest.raises(AgentError, match="for tokaido, not for quoridor"):
        make_agent("net:checkpoint=tokaido").supports(load_game("quoridor"))
    with pytest.raises(AgentError, match="finish=all_places, not finish=first"):
        make_agent("net").supports(load_game("tokaido", players=3, finish="first"))
    (tmp_path / "text").write_text("no network at all")
    with pytest.raises(AgentError, match="no network of sekisho"):
        make_agent(f"net:checkpoint={tmp_path / 'text'}").supports(load_game("tokaido"))


# --- the network that ships -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_network_that_ships_plays_all_tables(players: int) -> None:
    for mode in MODES:
        agent = make_agent("net:checkpoint=tokaido")
        for state in states_of("tokaido", 3, players=players, allow_resign=True, max_turns=1000, **mode):
            agent.act(state, np.random.default_rng(0))


@pytest.mark.parametrize("backend", ["onnx", "compiled"])
def test_the_network_that_ships_plays_without_torch(backend: str) -> None:
    program = f"""
import sys
import numpy as np
from sekisho.agents import make_agent
from sekisho.envs import load_game
state = load_game("tokaido").from_text("15 15 / 1 / [1-2]")
decision = make_agent("net:checkpoint=tokaido,backend={backend}").act(state, np.random.default_rng(0))
print(decision.value)
sys.exit("torch" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


def test_the_back_ends_judge_alike_with_the_network_that_ships() -> None:
    game = load_game("tokaido", players=5)
    words, _ = random_decisions(game, 300, 7)
    one, *others = (
        NetAgent("tokaido", backend=name).position_values(game, words) for name in ("torch", "onnx", "compiled")
    )
    for other in others:
        np.testing.assert_allclose(other, one, atol=1e-4)


def test_its_rests_are_those_of_the_rules_it_was_made_for() -> None:
    assert set(SHIPPED.rules["players"]) == {2, 3, 4, 5, 6}
    assert SHIPPED.rules["finish"] == ("all_places",)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_the_network_alone_loses_at_most_so_much(mode: dict[str, str]) -> None:
    arena = Arena(load_game("tokaido", **mode))  # type: ignore[arg-type]
    perfect = arena.perfect()
    seats, _ = arena.meet(arena.ask(make_agent("net:checkpoint=tokaido")), perfect)
    assert -50 * seats.mean() <= 0.15


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_turn_of_expectimax_on_it_loses_at_most_so_much(mode: dict[str, str]) -> None:
    arena = Arena(load_game("tokaido", **mode))  # type: ignore[arg-type]
    agent = make_agent("expectimax:turns=1,leaf=(net:checkpoint=tokaido)")
    seats, _ = arena.meet(arena.ask(agent), arena.perfect())
    assert -50 * seats.mean() <= 0.05


# --- several networks that ship for one game --------------------------------------------------------------------------


def test_without_a_name_the_network_is_the_one_for_the_rules() -> None:
    agent, rng = make_agent("net"), np.random.default_rng(0)
    for options, name in (
        ({"board_size": 5, "fences": 1}, "quoridor_5x5_1"),
        ({"board_size": 5, "fences": 2}, "quoridor_5x5_2"),
        ({}, "quoridor"),
        ({"players": 4}, "quoridor_four"),
        ({"board_size": 5, "fences": 1}, "quoridor_5x5_1"),
    ):
        for state in states_of("quoridor", 3, **options):
            named = make_agent(f"net:checkpoint={name}").act(state, rng)
            found = agent.act(state, rng)
            assert found.action == named.action
            assert found.statistics["seats"] == named.statistics["seats"]
    with pytest.raises(AgentError, match="not board_size=7"):
        agent.supports(load_game("quoridor", board_size=7))


@pytest.mark.slow
@pytest.mark.parametrize("fences", [1, 2])
def test_on_5x5_the_value_of_the_game_is_kept_with_100_simulations(
    fences: int, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = f"net:checkpoint=quoridor_5x5_{fences},simulations=100"
    words = [
        "--rules",
        f"board_size=5,fences={fences}",
        "--positions",
        "1000",
        "--games",
        "100",
        "--seed",
        "3",
        "--json",
    ]
    assert main(["evaluate", "quoridor", "--agent", spec, *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["kept_in_self_play"]["share"] >= 0.995
    assert found["kept"]["share"] >= 0.99
    assert found["exact_loss_pp"] == 0
