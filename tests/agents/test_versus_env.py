"""The environments in which agents play along: whose decisions are whose, and that it is the same game."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from sekisho.agents.agent import Agent, Decision
from sekisho.agents.versus_env import VersusEnv
from sekisho.envs import State
from sekisho.envs.errors import AgentError, OptionError, UnknownNameError
from support.environments import ASKED, Asked, choose

every_one = pytest.mark.parametrize("asked", ASKED[::2], ids=str)


class Spy(Agent):
    """Plays by `choose` and keeps what it was asked about."""

    def __init__(self) -> None:
        self.asked: list[State] = []
        self.calls = 0

    def reset(self) -> None:
        self.asked = []

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        self.asked.append(state)
        self.calls += 1
        return Decision(choose(state.legal_actions_mask(), self.calls, 1))


class Cheat(Agent):
    """Answers with an action that is not legal."""

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        return Decision(int(np.flatnonzero(state.legal_actions_mask() == 0)[0]))


@every_one
def test_the_checker_of_gymnasium_has_nothing_to_say(asked: Asked) -> None:
    check_env(gymnasium.make(asked.versus_id, **asked.arguments).unwrapped, skip_render_check=True)


@every_one
def test_the_learner_decides_at_its_own_turns_alone_and_the_others_at_theirs(asked: Asked) -> None:
    players = gymnasium.make(asked.id, **asked.arguments).unwrapped.game.num_players  # type: ignore[attr-defined]
    for seat in range(players):
        spies = [Spy() for _ in range(players - 1)]
        env: Any = gymnasium.make(asked.versus_id, opponents=spies, seat=seat, **asked.arguments).unwrapped
        turned = asked.arguments.get("perspective", "mover") == "mover"
        observation, info = env.reset(seed=seat)
        decided = dict.fromkeys(range(players), 0)
        for step in range(400):
            state = env.state
            assert info["seat"] == seat == state.current_player()
            seen = observation["observation"] if isinstance(observation, dict) else observation
            assert np.array_equal(seen, state.observation_tensor(seat if turned else -1))
            decided[seat] += 1
            observation, reward, terminated, truncated, info = env.step(choose(info["action_mask"], step, seat))
            if terminated or truncated:
                break
        end = env.state
        assert end.is_terminal()
        assert reward == end.returns()[seat]
        assert info["rewards"].tolist() == end.returns()
        assert info["end_reason"] == end.end_reason()
        seen = observation["observation"] if isinstance(observation, dict) else observation
        assert np.array_equal(seen, end.observation_tensor(seat if turned else -1))
        for number, spy in enumerate(spies, start=1):
            assert {state.current_player() for state in spy.asked} <= {(seat + number) % players}
            decided[(seat + number) % players] += len(spy.asked)
        # every decision of the game was somebody's, in the order of play
        walk, turns = end.clone(), dict.fromkeys(range(players), 0)
        opening = asked.arguments.get("random_openings", 0)
        while len(walk.history()) > opening:
            walk.undo_action()
            if walk.current_player() >= 0:
                turns[walk.current_player()] += 1
        assert turns == decided


def test_the_others_play_on_when_the_learner_has_finished() -> None:
    played_on = 0
    for seed in range(20):
        env: Any = gymnasium.make("sekisho/TokaidoVs-v0", players=4, seat=1, opponents="smaller").unwrapped
        _, info = env.reset(seed=seed)
        for _ in range(500):
            action = int(np.flatnonzero(info["action_mask"])[-1])
            _, reward, terminated, truncated, info = env.step(action)
            if terminated or truncated:
                break
        walk = env.state
        last = None
        while last is None:
            walk.undo_action()
            last = walk.current_player() if walk.current_player() >= 0 else None
        played_on += last != 1
        assert reward == info["rewards"][1]
    assert played_on > 5


def test_seats_are_drawn_evenly_and_repeat_with_the_seed() -> None:
    def seats(seed: int) -> list[int]:
        env: Any = gymnasium.make("sekisho/TokaidoVs-v0", players=3)
        drawn = [env.reset(seed=seed)[1]["seat"]]
        return [*drawn, *(env.reset()[1]["seat"] for _ in range(89))]

    first = seats(1)
    assert first == seats(1) != seats(2)
    assert min(np.bincount(first, minlength=3)) > 15


def test_games_repeat_with_the_seed_whatever_the_opponents_draw() -> None:
    def play(seed: int) -> list[str]:
        env: Any = gymnasium.make("sekisho/QuoridorVs-v0", opponents="random", players=4, board_size=5).unwrapped
        _, info = env.reset(seed=seed)
        for step in range(40):
            _, _, terminated, truncated, info = env.step(choose(info["action_mask"], step, seed))
            if terminated or truncated:
                _, info = env.reset()
        return [*env.state.moves(), env.state.to_text()]

    assert play(3) == play(3) != play(4)


def test_an_illegal_action_of_the_learner_ends_the_game_at_its_cost() -> None:
    env: Any = gymnasium.make("sekisho/QuoridorVs-v0", seat=1).unwrapped
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated) == (-1.0, True)
    assert info["rewards"].tolist() == [0.0, -1.0]
    assert "cannot go there" in info["illegal_action"]


def test_opponents_of_several_kinds_sit_in_turn_order_after_the_learner() -> None:
    env: Any = gymnasium.make("sekisho/TokaidoVs-v0", players=3, seat=2, opponents=["larger", "smaller"]).unwrapped
    _, info = env.reset(seed=3)
    for step in range(200):
        _, _, terminated, truncated, info = env.step(choose(info["action_mask"], step, 3))
        if terminated or truncated:
            break
    walk = env.state.game.new_initial_state()
    for ply in env.state.history():
        seat, legal = walk.current_player(), walk.legal_actions()
        if seat in {0, 1} and legal[-1] < 9:
            assert ply == (legal[-1] if seat == 0 else legal[0])
        walk.apply_action(ply)


def test_a_learner_that_never_comes_to_decide_is_told_so() -> None:
    env = gymnasium.make("sekisho/QuoridorVs-v0", board_size=3, fences=0, seat=1, opponents="shortest_path")
    with pytest.raises(OptionError, match="never comes to decide"):
        env.reset(seed=1, options={"position": "/ / a2 c2 / 0 0 / 1"})


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"opponents": "randm"}, UnknownNameError, "did you mean 'random'"),
        ({"opponents": ["random", "random"]}, OptionError, "1 other seats here, but 2 opponents"),
        ({"opponents": []}, OptionError, "0 opponents"),
        ({"opponents": [3]}, OptionError, "spec string"),
        ({"opponents": 3}, OptionError, "spec string"),
        ({"opponents": "larger"}, AgentError, "quoridor"),
        ({"seat": 2}, OptionError, "'random', 0, 1"),
        ({"seat": True}, OptionError, "'random', 0, 1"),
        ({"seat": 1.0}, OptionError, "'random', 0, 1"),
        ({"seat": "first"}, OptionError, "'random', 0, 1"),
        ({"oponents": "random"}, UnknownNameError, "did you mean 'opponents'"),
    ],
)
def test_an_argument_that_cannot_be_is_refused_in_words(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        gymnasium.make("sekisho/QuoridorVs-v0", **arguments)


def test_an_agent_that_answers_with_nonsense_is_named() -> None:
    env = gymnasium.make("sekisho/QuoridorVs-v0", opponents=Cheat(), seat=1)
    with pytest.raises(AgentError, match="Cheat on seat 0 answered with"):
        env.reset(seed=1)


def test_a_copy_keeps_a_game_in_progress() -> None:
    env: Any = gymnasium.make("sekisho/TokaidoVs-v0", players=3).unwrapped
    _, info = env.reset(seed=5)
    for step in range(10):
        _, _, _, _, info = env.step(choose(info["action_mask"], step, 5))
    other = pickle.loads(pickle.dumps(env))
    action = choose(info["action_mask"], 10, 5)
    assert np.array_equal(env.step(action)[0], other.step(action)[0])
    assert isinstance(other, VersusEnv)
