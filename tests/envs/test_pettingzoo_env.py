"""The PettingZoo environments: the library's own tests, and the games of the Gymnasium environment."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from sekisho.envs.errors import EpisodeError, IllegalActionError, OptionError, PositionError, UnknownNameError
from sekisho.envs.pettingzoo_env import env, parallel_env
from sekisho.envs.registration import NAMES
from support.dash import Dash
from support.environments import ASKED, Asked, Step, choose

every_one = pytest.mark.parametrize("asked", ASKED, ids=str)
some = pytest.mark.parametrize("asked", ASKED[::3], ids=str)


def array_only(asked: Asked) -> dict[str, Any]:
    """The arguments without the dict form, about which PettingZoo's tests always warn."""
    return {name: value for name, value in asked.arguments.items() if name != "observation"}


@every_one
def test_the_api_test_of_pettingzoo_has_nothing_to_say(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(env(asked.game, **array_only(asked)), num_cycles=60)


@some
def test_the_other_tests_of_pettingzoo_have_nothing_to_say(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    seed_test(partial(env, asked.game, **array_only(asked)), num_cycles=20)
    parallel_api_test(parallel_env(asked.game, **array_only(asked)), num_cycles=60)
    parallel_api_test(turn_based_aec_to_parallel(env(asked.game, **array_only(asked))), num_cycles=60)


@pytest.mark.parametrize("game", NAMES)
def test_the_render_test_of_pettingzoo_has_nothing_to_say(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(partial(env, game))


@every_one
def test_the_games_are_those_of_the_gymnasium_environment(asked: Asked) -> None:
    aec, single = env(asked.game, **asked.arguments), gymnasium.make(asked.id, **asked.arguments)
    aec.reset(seed=6)
    observation, info = single.reset(seed=6)
    step = Step.of(observation, 0.0, False, False, info)
    for number in range(150):
        agent = aec.agent_selection
        seen, _, terminated, truncated, details = aec.last()
        assert agent == f"player_{step.seat}"
        rewards = [aec.rewards[name] for name in aec.possible_agents]
        assert Step.of(seen, step.reward, terminated, truncated, {**details, "rewards": rewards}) == step
        assert single.unwrapped.state == aec.position  # type: ignore[attr-defined]
        if terminated or truncated:
            aec.reset()
            observation, info = single.reset()
            step = Step.of(observation, 0.0, False, False, info)
            continue
        action = choose(details["action_mask"], number, 6)
        aec.step(action)
        observation, reward, terminated, truncated, info = single.step(action)  # type: ignore[assignment]
        step = Step.of(observation, float(reward), terminated, truncated, info)


@some
def test_each_agent_sees_its_own_side_and_only_the_mover_has_actions(asked: Asked) -> None:
    aec = env(asked.game, **asked.arguments)
    aec.reset(seed=2)
    turned = asked.arguments.get("perspective", "mover") == "mover"
    for number in range(40):
        if aec.terminations[aec.agent_selection] or aec.truncations[aec.agent_selection]:
            break
        for seat, agent in enumerate(aec.possible_agents):
            seen = aec.observe(agent)
            moves = agent == aec.agent_selection
            assert aec.infos[agent]["seat"] == seat
            assert aec.infos[agent]["action_mask"].any() == moves
            if isinstance(seen, dict):
                assert np.array_equal(seen["action_mask"], aec.infos[agent]["action_mask"])
                seen = seen["observation"]
            assert np.array_equal(seen, aec.position.observation_tensor(seat if turned else -1))
            assert aec.observation_space(agent).contains(aec.observe(agent))
            assert aec.observation_space(agent) is aec.observation_space(agent)
            assert aec.action_space(agent) is aec.action_space(agent)
        assert np.array_equal(aec.state(), aec.position.observation_tensor(-1))
        assert aec.state_space.contains(aec.state())
        aec.step(choose(aec.infos[aec.agent_selection]["action_mask"], number, 2))


@some
def test_rewards_come_once_at_the_end_to_everybody(asked: Asked) -> None:
    aec = env(asked.game, **asked.arguments)
    aec.reset(seed=8)
    totals = dict.fromkeys(aec.possible_agents, 0.0)
    returns: list[float] = []
    steps = 0
    for agent in aec.agent_iter(max_iter=5000):
        _, reward, terminated, truncated, info = aec.last()
        totals[agent] += reward
        if terminated or truncated:
            returns = returns or aec.position.returns()
            assert all({**aec.terminations, **aec.truncations}.values()) or all(aec.terminations.values())
            aec.step(None)
            continue
        assert set(aec.agents) == set(aec.possible_agents)  # also those that have finished
        aec.step(choose(info["action_mask"], steps, 8))
        steps += 1
    assert not aec.agents
    assert list(totals.values()) == returns
    assert sum(returns) == pytest.approx(0)


@pytest.mark.parametrize(
    "way", [copy.deepcopy, lambda aec: pickle.loads(pickle.dumps(aec))], ids=["deepcopy", "pickle"]
)
@some
def test_a_copy_goes_on_where_the_game_stands_and_apart_from_it(asked: Asked, way: Any) -> None:
    aec = env(asked.game, **asked.arguments)
    aec.reset(seed=4)

    def go_on(which: Any, first: int) -> list[Any]:
        seen = []
        for number in range(first, first + 60):
            observation, _, terminated, truncated, info = which.last()
            seen.append((which.agent_selection, np.asarray(info["action_mask"]).tobytes(), str(observation)))
            if terminated or truncated:
                which.reset()
            else:
                which.step(choose(info["action_mask"], number, 4))
        return [*seen, which.position.to_text(), which.position.history()]

    go_on(aec, 0)
    other = way(aec)
    before = aec.position.to_text(), aec.position.history()
    first = go_on(other, 60)
    assert (aec.position.to_text(), aec.position.history()) == before
    assert go_on(aec, 60) == first


def test_illegal_actions_end_the_game_for_all_and_say_why() -> None:
    aec = env("quoridor")
    aec.reset(seed=1)
    aec.step(13)
    aec.step(0)
    assert aec.rewards == {"player_0": 0.0, "player_1": -1.0}
    assert aec.terminations == {"player_0": True, "player_1": True}
    assert "cannot go there" in aec.infos["player_1"]["illegal_action"]
    assert "illegal_action" not in aec.infos["player_0"]
    assert aec.position.moves() == ["e2"]


def test_misuse_is_refused_and_changes_nothing() -> None:
    aec = env("quoridor")
    with pytest.raises(EpisodeError, match="call reset"):
        aec.step(13)
    aec.reset(seed=1, options={"options": 1, "position": "/ / e2 e9 / 10 10 / 2 / 1"})
    assert aec.agent_selection == "player_1"
    for action in (None, 1.5, 209, "e3", True):
        with pytest.raises(IllegalActionError):
            aec.step(action)
    with pytest.raises(PositionError):
        aec.reset(options={"position": "nowhere"})
    with pytest.raises(UnknownNameError, match="player_0, player_1"):
        aec.observe("player_2")
    assert aec.position.to_text() == "/ / e2 e9 / 10 10 / 2 / 1"
    aec.step(13)
    for arguments, error in (({"bord": 1}, UnknownNameError), ({"render_mode": "x"}, OptionError)):
        with pytest.raises(error):
            env("quoridor", **arguments)
    with pytest.raises(UnknownNameError, match="did you mean 'quoridor'"):
        env("quordor")


@pytest.mark.parametrize("game", NAMES)
def test_pettingzoo_knows_the_environments_by_their_ids(game: str) -> None:
    environment_id = f"sekisho/{NAMES[game]}-v0"
    aec = pettingzoo.make("aec", environment_id, players=4)
    aec.reset(seed=1)
    assert aec.max_num_agents == 4
    parallel = pettingzoo.make("parallel", environment_id, players=2)
    observations, _ = parallel.reset(seed=1)
    assert set(observations) == {"player_0", "player_1"}
    assert aec.metadata["is_parallelizable"] is False


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_pictures(mode: str) -> None:
    aec = env("tokaido", render_mode=mode)
    aec.reset(seed=1)
    expected = aec.position.draw() if mode == "ansi" else aec.position.draw_pixels()
    assert np.array_equal(aec.render(), expected)
    aec.close()


def test_a_foreign_game_is_an_environment_too() -> None:
    api_test(env(Dash(length=6)), num_cycles=20)
