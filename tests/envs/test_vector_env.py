"""The vector environment: the games of the single environment, step for step, in all three autoreset modes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import sekisho.envs  # noqa: F401  registers the environments
from sekisho.envs.errors import EpisodeError, IllegalActionError, OptionError, UnknownNameError
from sekisho.envs.vector_env import GameVectorEnv, sample_legal
from support.dash import Dash
from support.environments import ASKED, Asked, choose

GAMES = 5
MODES = list(AutoresetMode)

every_one = pytest.mark.parametrize("asked", ASKED[::2], ids=str)


def make(asked: Asked, mode: AutoresetMode = AutoresetMode.NEXT_STEP, **arguments: Any) -> Any:
    return gymnasium.make_vec(asked.id, num_envs=GAMES, autoreset_mode=mode, **{**asked.arguments, **arguments})


def make_singles(asked: Asked, mode: AutoresetMode, **arguments: Any) -> Any:
    """Gymnasium's own vector environment over single ones, which says what is to come out."""

    def single() -> Any:
        return gymnasium.make(asked.id, **{**asked.arguments, **arguments})

    return SyncVectorEnv([single] * GAMES, autoreset_mode=mode)


def actions_for(masks: np.ndarray[Any, Any], step: int, illegal: bool = False) -> np.ndarray[Any, Any]:
    """A legal action of each game, for some steps an illegal one of one game; 0 where nothing is legal."""
    actions = [choose(mask, step, game) if mask.any() else 0 for game, mask in enumerate(masks)]
    if illegal and step % 11 == 10 and not masks[2].all():
        actions[2] = int(np.flatnonzero(masks[2] == 0)[0])
    return np.array(actions)


def equal(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, dict):
        return set(ours) == set(theirs) and all(equal(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, np.ndarray) and theirs.dtype == object:
        return all((a is None) == (b is None) and (a is None or equal(a, b)) for a, b in zip(ours, theirs, strict=True))
    return bool(np.array_equal(ours, theirs)) if isinstance(theirs, np.ndarray) else bool(ours == theirs)


def without_reasons(infos: dict[str, Any]) -> dict[str, Any]:
    """What both have: the vector environment does not say why games ended."""
    hidden = {"end_reason", "_end_reason"}
    return {
        key: without_reasons(value) if isinstance(value, dict) else value
        for key, value in infos.items()
        if key not in hidden
    }


@every_one
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_every_step_is_that_of_single_environments_side_by_side(asked: Asked, mode: AutoresetMode) -> None:
    ours, theirs = make(asked, mode), make_singles(asked, mode)
    (seen, infos), (their_seen, their_infos) = ours.reset(seed=11), theirs.reset(seed=11)
    assert equal(seen, their_seen)
    assert equal(infos, their_infos)
    ends = 0
    for step in range(160):
        actions = actions_for(infos["action_mask"], step, illegal=True)
        result, expected = ours.step(actions), theirs.step(actions)
        assert all(equal(mine, other) for mine, other in zip(result[:4], expected[:4], strict=True))
        assert [mine.dtype for mine in result[1:4]] == [other.dtype for other in expected[1:4]]
        infos = result[4]
        # Gymnasium names only games that gave an info in this step; all of ours always do
        assert equal(infos, without_reasons(expected[4]))
        over = result[2] | result[3]
        ends += over.sum()
        if mode == AutoresetMode.DISABLED and over.any():
            (seen, fresh), (their_seen, _) = (env.reset(options={"reset_mask": over}) for env in (ours, theirs))
            assert equal(seen, their_seen)
            infos = fresh
    assert ends > 1
    assert [ours.state(game).to_text() for game in range(GAMES)] == [
        env.unwrapped.state.to_text() for env in theirs.envs
    ]


def test_seeds_may_be_given_one_by_one_and_games_without_one_go_on() -> None:
    asked = ASKED[-1]
    ours, theirs = make(asked), make_singles(asked, AutoresetMode.NEXT_STEP)
    for seeds in ([5, 3, 9, 1, 4], [None, 8, None, None, 2], None):
        assert equal(ours.reset(seed=seeds)[0], theirs.reset(seed=seeds)[0])
    with pytest.raises(OptionError, match="a seed for each of 5 games"):
        ours.reset(seed=[1, 2])


def test_all_games_can_begin_at_one_position() -> None:
    envs: Any = gymnasium.make_vec("sekisho/Quoridor-v0", num_envs=3)
    envs.reset(seed=1, options={"position": "e3c5 / d4 / e4 f6 / 8 9 / 1 / 6"})
    assert [envs.state(game).to_text() for game in range(3)] == ["e3c5 / d4 / e4 f6 / 8 9 / 1 / 6"] * 3
    envs.reset(options={"reset_mask": np.array([True, False, True])})
    assert [envs.state(game).ply for game in range(3)] == [0, 6, 0]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_a_cap_on_steps_truncates_as_the_time_limit_of_gymnasium_does(mode: AutoresetMode) -> None:
    asked = ASKED[0]
    ours = make(asked, mode, max_episode_steps=7)
    theirs = make_singles(asked, mode, max_episode_steps=7)
    _, infos = ours.reset(seed=2)
    theirs.reset(seed=2)
    for step in range(30):
        actions = actions_for(infos["action_mask"], step)
        result, expected = ours.step(actions), theirs.step(actions)
        assert all(equal(mine, other) for mine, other in zip(result[:4], expected[:4], strict=True))
        infos = result[4]
        if mode == AutoresetMode.DISABLED and result[3].any():
            _, infos = ours.reset(options={"reset_mask": result[3]})
            theirs.reset(options={"reset_mask": expected[3]})
    assert step == 29


def arrays_in(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from arrays_in(part)


@pytest.mark.parametrize("mode", MODES[:2], ids=lambda mode: mode.value)
def test_what_a_step_returned_is_never_changed_by_a_later_one(mode: AutoresetMode) -> None:
    envs = make(ASKED[1], mode)
    results = [envs.reset(seed=1)]
    before = [array.copy() for array in arrays_in(results[0])]
    for step in range(60):
        results.append(envs.step(actions_for(results[-1][-1]["action_mask"], step)))
        before += [array.copy() for array in arrays_in(results[-1])]
    after = [array for result in results for array in arrays_in(result)]
    assert all(equal(now, then) for now, then in zip(after, before, strict=True))


def test_without_copies_the_same_arrays_come_back_with_the_same_contents() -> None:
    fresh, reused = make(ASKED[0]), make(ASKED[0], copy=False)
    _, infos = fresh.reset(seed=1)
    first, _ = reused.reset(seed=1)
    for step in range(40):
        actions = actions_for(infos["action_mask"], step)
        expected, result = fresh.step(actions), reused.step(actions)
        assert all(equal(mine, other) for mine, other in zip(result, expected, strict=True))
        assert np.shares_memory(first, result[0])
        infos = expected[4]


def test_spaces_and_metadata_are_what_gymnasium_asks_for() -> None:
    for asked in ASKED[::4]:
        envs, singles = make(asked), make_singles(asked, AutoresetMode.NEXT_STEP)
        assert envs.num_envs == GAMES
        assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
        assert envs.single_observation_space == singles.single_observation_space
        assert envs.single_action_space == singles.single_action_space
        assert envs.observation_space == singles.observation_space
        assert envs.action_space == singles.action_space
        observations, _ = envs.reset(seed=1)
        assert envs.observation_space.contains(observations)
        envs.step(envs.action_space.sample())
        envs.close()


def test_wrappers_of_gymnasium_fit() -> None:
    envs: Any = gymnasium.wrappers.vector.RecordEpisodeStatistics(make(ASKED[0], board_size=3, fences=0))
    _, infos = envs.reset(seed=1)
    lengths = []
    for step in range(80):
        _, _, terminated, truncated, infos = envs.step(actions_for(infos["action_mask"], step))
        if "episode" in infos:
            lengths += infos["episode"]["l"][terminated | truncated].tolist()
    assert lengths
    assert all(length >= 2 for length in lengths)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"num_env": 3}, UnknownNameError, "did you mean 'num_envs'"),
        ({"autoreset": "x"}, UnknownNameError, "did you mean 'autoreset_mode'"),
        ({"autoreset_mode": "never"}, OptionError, "NextStep"),
        ({"num_envs": 0}, OptionError, "num_envs"),
        ({"num_envs": 2.0}, OptionError, "num_envs"),
        ({"max_episode_steps": 0}, OptionError, "max_episode_steps"),
        ({"render_mode": "human"}, OptionError, "'ansi', 'rgb_array'"),
        ({"board_size": 10}, OptionError, "board_size"),
    ],
)
def test_an_argument_that_cannot_be_is_refused_in_words(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        GameVectorEnv(game="quoridor", **arguments)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([13, 13], "5 integers"),
        ([13.0] * 5, "5 integers"),
        ([True] * 5, "5 integers"),
        (None, "5 integers"),
        ([13, 13, 209, 13, 13], r"0\.\.208, not 209"),
        ([-1, 13, 13, 13, 13], r"0\.\.208, not -1"),
        ([[13] * 5], "5 integers"),
        ([2**63] * 5, r"0\.\.208|5 integers"),
    ],
)
def test_what_are_no_actions_is_refused_and_changes_nothing(actions: Any, message: str) -> None:
    envs = make(Asked("quoridor", {}))
    with pytest.raises(EpisodeError, match="call reset"):
        envs.step([13] * 5)
    envs.reset(seed=1)
    with pytest.raises(IllegalActionError, match=message):
        envs.step(actions)
    assert [envs.state(game).ply for game in range(5)] == [0] * 5
    envs.step([13] * 5)
    assert [envs.state(game).ply for game in range(5)] == [1] * 5


def test_a_game_that_is_over_must_be_begun_anew_where_nothing_does_so() -> None:
    envs = make(Asked("quoridor", {}), AutoresetMode.DISABLED)
    envs.reset(seed=1)
    envs.step([13, 0, 13, 13, 13])  # the second goes nowhere: illegal
    with pytest.raises(EpisodeError, match=r"games \[1\] are over"):
        envs.step([13] * 5)
    for mask in ([True] * 5, np.ones(4, dtype=bool), np.zeros(5, dtype=bool), np.ones(5)):
        with pytest.raises(OptionError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})


def test_pictures_of_all_games() -> None:
    envs = make(ASKED[0], render_mode="ansi")
    envs.reset(seed=1)
    assert envs.render() == tuple(envs.state(game).draw() for game in range(GAMES))
    assert make(ASKED[0]).render() is None


def test_legal_actions_are_drawn_evenly_and_repeatably() -> None:
    masks = np.tile(np.array([0, 1, 1, 0, 1], dtype=np.int8), (60_000, 1))
    masks[0] = 0
    drawn = sample_legal(masks, np.random.default_rng(3))
    assert drawn[0] == 0
    counts = np.bincount(drawn[1:], minlength=5)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert np.abs(counts[[1, 2, 4]] - 20_000).max() < 5 * np.sqrt(20_000)
    assert np.array_equal(drawn, sample_legal(masks, np.random.default_rng(3)))
    assert not np.array_equal(drawn, sample_legal(masks, np.random.default_rng(4)))


def test_a_foreign_game_is_stepped_too() -> None:
    envs = GameVectorEnv(8, Dash(length=5))
    _, infos = envs.reset(seed=1)
    total = np.zeros(2)
    for step in range(50):
        _, _, terminated, _, infos = envs.step(sample_legal(infos["action_mask"], np.random.default_rng(step)))
        total += infos["rewards"][terminated].sum(axis=0)
    assert total.sum() == 0
    assert total.any()
