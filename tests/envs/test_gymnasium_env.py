"""The Gymnasium environments: the library's own checks, and that they play by the rules, step for step."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from sekisho.envs import environment_ids, load_game
from sekisho.envs.errors import EpisodeError, IllegalActionError, OptionError, PositionError, UnknownNameError
from sekisho.envs.gymnasium_env import GameEnv
from support.dash import Dash
from support.environments import ASKED, Asked, Step, by_the_rules, choose

every_one = pytest.mark.parametrize("asked", ASKED, ids=str)


def played(asked: Asked, seed: int, steps: int) -> Iterator[Step]:
    """Play games in the environment; what `by_the_rules` does with the rules alone."""
    env: Any = gymnasium.make(asked.id, **asked.arguments)
    observation, info = env.reset(seed=seed)
    yield Step.of(observation, 0.0, False, False, info)
    for step in range(steps):
        observation, reward, terminated, truncated, info = env.step(choose(info["action_mask"], step, seed))
        yield Step.of(observation, reward, terminated, truncated, info)
        if terminated or truncated:
            assert info["end_reason"] == env.unwrapped.state.end_reason()
            observation, info = env.reset()
            yield Step.of(observation, 0.0, False, False, info)
    env.close()


@pytest.mark.parametrize("environment_id", environment_ids())
def test_the_checker_of_gymnasium_has_nothing_to_say(environment_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_env(gymnasium.make(environment_id).unwrapped)


@pytest.mark.parametrize("asked", ASKED[::2], ids=str)
def test_the_checker_has_nothing_to_say_whatever_is_asked_for(asked: Asked) -> None:
    check_env(gymnasium.make(asked.id, **asked.arguments).unwrapped, skip_render_check=True)


@every_one
def test_the_environment_plays_by_the_rules_step_for_step(asked: Asked) -> None:
    expected = list(by_the_rules(asked, 7, 250, lambda mask, step: choose(mask, step, 7)))
    assert list(played(asked, 7, 250)) == expected


@every_one
def test_observations_and_actions_are_in_their_spaces(asked: Asked) -> None:
    env: Any = gymnasium.make(asked.id, **asked.arguments)
    observation, info = env.reset(seed=1)
    for step in range(100):
        assert env.observation_space.contains(observation)
        assert (info["action_mask"].dtype, info["action_mask"].shape) == (np.int8, (env.action_space.n,))
        assert info["action_mask"].any()
        assert np.array_equal(env.unwrapped.action_masks(), info["action_mask"])
        action = env.action_space.sample(info["action_mask"])
        assert action == choose(info["action_mask"], step, 1) or info["action_mask"][action]
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            assert not info["action_mask"].any()
            observation, info = env.reset()


@pytest.mark.parametrize("asked", ASKED[::3], ids=str)
def test_every_masked_out_action_ends_the_game_for_its_seat_alone_and_says_why(asked: Asked) -> None:
    env: Any = gymnasium.make(asked.id, **asked.arguments)
    _, info = env.reset(seed=3)
    for step in range(30):
        if step in {0, 1, 4, 29}:
            copy = pickle.loads(pickle.dumps(env.unwrapped))
            for action in np.flatnonzero(info["action_mask"] == 0)[:40].tolist():
                trial = pickle.loads(pickle.dumps(copy))
                before = trial.state
                observation, reward, terminated, truncated, after = trial.step(action)
                assert (reward, terminated, truncated) == (-1.0, True, False)
                expected = [0.0] * trial.game.num_players
                expected[info["seat"]] = -1.0
                assert after["rewards"].tolist() == expected
                assert after["seat"] == info["seat"]
                assert not after["action_mask"].any()
                assert ": " in after["illegal_action"]
                assert "end_reason" not in after
                assert trial.state == before
                assert trial.observation_space.contains(observation)
                with pytest.raises(EpisodeError, match=r"call reset\(\)"):
                    trial.step(action)
        _, _, terminated, truncated, info = env.step(choose(info["action_mask"], step, 3))
        assert "illegal_action" not in info
        if terminated or truncated:
            _, info = env.reset()


def test_the_history_of_the_state_is_the_whole_game() -> None:
    for asked in ASKED[::2]:
        env: Any = gymnasium.make(asked.id, **asked.arguments).unwrapped
        _, info = env.reset(seed=5)
        assert len(env.state.history()) >= asked.arguments.get("random_openings", 0)
        plies = []
        for step in range(700):
            state = env.state
            again = env.game.from_dict(json.loads(json.dumps(state.to_dict()))) if step % 64 == 0 else state
            assert again == state
            plies.append(len(state.history()))
            _, _, terminated, truncated, info = env.step(choose(info["action_mask"], step, 5))
            if terminated or truncated:
                assert env.state.is_terminal()
                break
        assert plies == sorted(plies)


def test_a_copy_of_the_state_is_nobody_elses() -> None:
    env: Any = gymnasium.make("sekisho/Quoridor-v0").unwrapped
    env.reset(seed=1)
    state = env.state
    state.apply_action(state.legal_actions()[0])
    assert env.state.history() == []


@pytest.mark.parametrize(
    ("game", "position"),
    [
        ("quoridor", "e3c5 / d4 / e4 f6 / 8 9 / 1 / 6"),
        ("tokaido", "23 41c / 2 / turn"),
        ("tokaido", "23 12 / 1 / [2-5]"),
        ("picture_sugoroku", "10 4 / 2 / turn"),
    ],
)
def test_a_game_can_begin_anywhere(game: str, position: str) -> None:
    env: Any = gymnasium.make(next(asked.id for asked in ASKED if asked.game == game), random_openings=9).unwrapped
    _, info = env.reset(seed=2, options={"position": position})
    state = env.state
    assert state.game.from_text(position).to_text() == env.game.from_dict(state.to_dict()).to_dict()["start"]
    assert len(state.history()) <= 2  # dice, but no random opening
    assert info["seat"] == state.current_player()
    env.reset()
    assert len(env.state.history()) >= 9  # only once


@pytest.mark.parametrize(
    ("game", "position", "message"),
    [
        ("Quoridor", "e3c5 / d4", "has 2 fields"),
        ("Quoridor", "/ / e9 e8 / 10 10 / 2 / 17", "game is over"),
        ("Tokaido", "60 1 / 1 / turn", "60"),
        ("Quoridor", 7, "text"),
    ],
)
def test_a_position_that_cannot_begin_is_refused_and_changes_nothing(game: str, position: Any, message: str) -> None:
    env: Any = gymnasium.make(f"sekisho/{game}-v0").unwrapped
    _, info = env.reset(seed=1)
    before = env.state
    with pytest.raises(PositionError, match=message):
        env.reset(options={"position": position})
    assert env.state == before
    env.step(choose(info["action_mask"], 0, 0))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"borad_size": 5}, UnknownNameError, "did you mean 'board_size'"),
        ({"random_opening": 5}, UnknownNameError, "did you mean 'random_openings'"),
        ({"opponents": "random"}, UnknownNameError, "no option 'opponents'"),
        ({"board_size": 1}, OptionError, "board_size"),
        ({"perspective": "player"}, OptionError, "mover, board"),
        ({"observation": "image"}, OptionError, "'array', 'dict'"),
        ({"random_openings": -1}, OptionError, "random_openings"),
        ({"random_openings": 2.5}, OptionError, "random_openings"),
        ({"random_openings": True}, OptionError, "random_openings"),
        ({"perspective": ["mover"]}, OptionError, "perspective"),
    ],
)
def test_an_argument_that_cannot_be_is_refused_in_words(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        gymnasium.make("sekisho/Quoridor-v0", **arguments)


def test_openings_that_always_end_the_game_are_refused() -> None:
    env = gymnasium.make("sekisho/Quoridor-v0", board_size=3, fences=0, max_plies=12, random_openings=12)
    with pytest.raises(OptionError, match="choose fewer plies"):
        env.reset(seed=1)


@pytest.mark.parametrize("action", ["e2", None, 1.0, 209, -1, 2**80, True, [3]])
def test_what_is_no_action_at_all_is_refused_and_changes_nothing(action: Any) -> None:
    env: Any = gymnasium.make("sekisho/Quoridor-v0").unwrapped
    _, info = env.reset(seed=1)
    before = env.state
    with pytest.raises(IllegalActionError, match=r"an action is an integer|0\.\.208"):
        env.step(action)
    assert env.state == before
    assert np.array_equal(env.action_masks(), info["action_mask"])


@pytest.mark.parametrize("kind", [int, np.int64, np.uint8, np.array])
def test_integers_of_any_kind_are_actions(kind: Any) -> None:
    env: Any = gymnasium.make("sekisho/Quoridor-v0").unwrapped
    env.reset(seed=1)
    env.step(kind(13))
    assert env.state.moves() == ["e2"]


def test_options_of_reset_that_do_not_exist_are_refused() -> None:
    env = gymnasium.make("sekisho/Quoridor-v0")
    with pytest.raises(UnknownNameError, match="did you mean 'position'"):
        env.reset(options={"postion": "x"})


def test_a_step_before_the_first_game_is_refused() -> None:
    env: Any = gymnasium.make("sekisho/Tokaido-v0").unwrapped
    with pytest.raises(EpisodeError, match=r"call reset\(\)"):
        env.step(0)


def test_a_seed_repeats_the_games_after_it_too_and_without_one_they_differ() -> None:
    env: Any = gymnasium.make("sekisho/Tokaido-v0").unwrapped
    games = []
    for seed in (4, 4, 5):
        first = env.reset(seed=seed)[0].tobytes()
        games.append((first, *(env.reset()[0].tobytes() for _ in range(5))))
    assert games[0] == games[1] != games[2]
    assert len(set(games[0])) > 1
    fresh = {gymnasium.make("sekisho/Tokaido-v0").reset()[0].tobytes() for _ in range(8)}
    assert len(fresh) > 1


def test_the_same_seed_gives_the_same_game_in_another_process() -> None:
    code = (
        "import gymnasium, hashlib, sys; sys.path.insert(0, sys.argv[1])\n"
        "import sekisho.envs\n"
        "from support.environments import ASKED, choose\n"
        "for asked in ASKED[::4]:\n"
        "    env = gymnasium.make(asked.id, **asked.arguments); _, info = env.reset(seed=9)\n"
        "    digest = hashlib.sha256()\n"
        "    for step in range(250):\n"
        "        _, r, t, c, info = env.step(choose(info['action_mask'], step, 9))\n"
        "        digest.update(info['action_mask'].tobytes() + bytes([info['seat']]))\n"
        "        if t or c: _, info = env.reset()\n"
        "    print(asked, digest.hexdigest())\n"
    )
    tests = str(Path(__file__).resolve().parent.parent)
    runs = [
        subprocess.run([sys.executable, "-c", code, tests], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert runs[0].count("\n") == len(ASKED[::4])


def test_global_generators_are_not_touched() -> None:
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002  the old global generator is what must not be touched
    before = random.getstate(), str(np.random.get_state())  # noqa: NPY002
    for asked in ASKED[::5]:
        for environment_id in (asked.id, asked.versus_id):
            env: Any = gymnasium.make(environment_id, **asked.arguments)
            _, info = env.reset(seed=1)
            env.step(choose(info["action_mask"], 0, 1))
    assert before == (random.getstate(), str(np.random.get_state()))  # noqa: NPY002


def test_a_cap_on_the_length_truncates() -> None:
    env: Any = gymnasium.make("sekisho/Quoridor-v0", board_size=5, fences=0, max_plies=6).unwrapped
    _, info = env.reset(seed=1)
    for action in (3, 21, 2, 22, 3, 21):  # sideways, to and fro; each sees the board turned its way
        assert info["action_mask"][2] or info["action_mask"][1]
        legal = np.flatnonzero(info["action_mask"])
        _, reward, terminated, truncated, info = env.step(int(legal[0]) if action not in legal else action)
        if terminated or truncated:
            break
    assert (terminated, truncated, info["end_reason"], reward) == (False, True, "max_plies", 0.0)
    capped: Any = gymnasium.make("sekisho/Tokaido-v0").unwrapped
    assert capped.game.options["max_turns"] == 1000
    assert gymnasium.make("sekisho/Tokaido-v0", max_turns=None).unwrapped.game.options["max_turns"] is None  # type: ignore[attr-defined]


def test_the_third_occurrence_of_a_position_terminates_as_a_draw() -> None:
    env: Any = gymnasium.make("sekisho/Quoridor-v0", repetition=3, perspective="board").unwrapped
    env.reset(seed=1)
    names = ["d1", "d9", "e1", "e9"] * 2
    for number, name in enumerate(names):
        action = env.state.string_to_action(name)
        _, reward, terminated, truncated, info = env.step(action)
        assert terminated == (number == len(names) - 1)
    assert (reward, truncated, info["end_reason"]) == (0.0, False, "repetition")


def test_a_long_game_with_repetition_keeps_all_its_positions() -> None:
    env: Any = gymnasium.make("sekisho/Quoridor-v0", repetition=3, board_size=9, max_plies=4000).unwrapped
    for seed in range(12):
        _, info = env.reset(seed=seed)
        for step in range(4000):
            _, _, terminated, truncated, info = env.step(choose(info["action_mask"], step, seed))
            if terminated or truncated:
                break
        assert env.state.end_reason() == info["end_reason"]
        assert env.state.game.from_dict(env.state.to_dict()) == env.state


@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "human"])
@pytest.mark.parametrize("environment_id", environment_ids()[::2])
def test_pictures(environment_id: str, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    env: Any = gymnasium.make(environment_id, render_mode=mode)
    _, info = env.reset(seed=1)
    env.step(choose(info["action_mask"], 0, 1))
    picture = env.render()
    state = env.unwrapped.state
    if mode == "ansi":
        assert picture == state.draw()
    elif mode == "rgb_array":
        assert np.array_equal(picture, state.draw_pixels())
        assert picture.dtype == np.uint8
    else:
        assert picture is None
        assert capsys.readouterr().out.count(state.draw()) == 2  # after the step, and when asked for
    env.close()
    env.close()


def test_a_picture_without_a_mode_is_a_warning() -> None:
    env: Any = gymnasium.make("sekisho/Quoridor-v0").unwrapped
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
    with pytest.raises(OptionError, match="'human', 'ansi', 'rgb_array'"):
        GameEnv("quoridor", render_mode="svg")


def test_a_foreign_game_is_an_environment_too() -> None:
    env = GameEnv(Dash(length=4))
    check_env(env, skip_render_check=True, skip_close_check=True)
    _, info = env.reset(seed=1)
    rewards = np.zeros(2)
    for step in range(20):
        _, _, terminated, _, info = env.step(choose(info["action_mask"], step, 1))
        rewards += info["rewards"]
        if terminated:
            break
    assert sorted(rewards) == [-1, 1]
    with pytest.raises(OptionError, match="has its rules already"):
        GameEnv(load_game("quoridor"), board_size=5)
