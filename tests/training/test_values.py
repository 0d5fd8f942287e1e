"""Value learning: samples say what the tables say, targets are what they claim to be, and a tiny run learns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from sekisho.agents.exact import tokaido_library
from sekisho.agents.networks.config import NetworkConfig
from sekisho.agents.networks.files import read_network
from sekisho.agents.networks.modules import Mlp, build_network
from sekisho.agents.search.leaves import Race
from sekisho.agents.search.turns import PLACE_POINTS
from sekisho.envs.core import Game
from sekisho.envs.errors import OptionError
from sekisho.envs.tokaido.rules import Tokaido, TokaidoState
from sekisho.training import values
from sekisho.training.value_kernels import write_solved
from sekisho.training.values import Samples, SolvedGame, ValuesConfig, answers, play, samples_of, train_values

GAME = Tokaido(forks="miya", goal="over")
TINY = ValuesConfig(
    width=32, depth=2, generations=2, games=2, steps=60, batch=128, rate=4e-3, solved=(0.5, 0.0), played=(4,),
    forks=("miya",), goals=("over",),
)  # fmt: skip


@pytest.fixture(scope="module")
def solved() -> SolvedGame:
    return SolvedGame(GAME, 0.5)


def dense(samples: Samples) -> np.ndarray:
    """Observations as the environments show them."""
    seen = np.zeros((len(samples), *GAME.observation_shape), np.float32)
    np.add.at(seen, (np.arange(len(samples))[:, None], samples.places.astype(int)), samples.amounts)
    return seen


def test_samples_of_a_solved_game_are_worth_what_its_table_says(solved: SolvedGame) -> None:
    table, rng = tokaido_library.table_for(GAME), np.random.default_rng(3)
    nodes = solved._open[rng.integers(solved._open.size, size=200)]
    words, targets = np.zeros((200, GAME.state_size), np.int64), np.zeros((200, 2))
    policies = np.zeros((200, 12))
    write_solved(
        GAME.rules, *solved._nodes[:3], solved._values, nodes, np.array([1, 0], np.uint64), 25.0, words, targets, policies
    )  # fmt: skip
    decided = 0
    for position, target, policy in zip(words, targets, policies, strict=True):
        state = TokaidoState(GAME, position)
        assert target == pytest.approx(table.seat_values(state), abs=1e-9)
        if state.current_player() < 0:
            assert policy.sum() == 0
            continue
        if policy.sum() > 0:
            decided += 1
            assert policy.sum() == pytest.approx(1)
            worth = table.action_values(state)
            assert set(np.flatnonzero(policy)) <= set(worth)
            best = max(worth, key=lambda action: worth[action][0])
            assert worth[int(policy.argmax())][0] == pytest.approx(worth[best][0], abs=1e-9)
    assert decided > 50


def test_a_list_of_features_is_the_observation(solved: SolvedGame) -> None:
    samples = solved.draw(100, np.random.default_rng(1), 25.0)
    network = build_network(GAME, NetworkConfig("mlp", 16, 2), 1)
    assert isinstance(network, Mlp)
    with torch.inference_mode():
        logits, found = answers(network, torch.from_numpy(samples.places).long(), torch.from_numpy(samples.amounts))
        policy, expected = network(torch.from_numpy(dense(samples)), torch.ones(100, 12, dtype=torch.bool))
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(torch.log_softmax(logits, 1), policy)


class Truth:
    """Judges by the table."""

    def position_values(self, game: Game, words: np.ndarray) -> np.ndarray:
        table = tokaido_library.table_for(GAME)
        return np.array([table.seat_values(TokaidoState(GAME, row)) for row in words])


def test_the_targets_of_games_judged_by_the_truth_are_the_truth() -> None:
    kept: list[tuple[np.ndarray, np.ndarray]] = []

    def keeping(game: Tokaido, words: np.ndarray, worth: np.ndarray, policies: np.ndarray) -> Samples:
        kept.append((words.copy(), worth.copy()))
        return samples_of(game, words, worth, policies)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "samples_of", keeping)
        config = ValuesConfig(games=3, explore=300, resigned=0)
        samples = play(GAME, Truth(), config, np.random.default_rng(5))
    words = np.concatenate([one for one, _ in kept])
    assert len(samples) == len(words)
    np.testing.assert_allclose(
        Truth().position_values(GAME, words), np.concatenate([worth for _, worth in kept]), atol=1e-9
    )
    assert {len(np.unique(one[:, 13])) for one, _ in kept} != {1}  # beginnings of turns, choices, and what lies within


def test_games_end_with_somebody_resigned_from_the_start() -> None:
    game = Tokaido(players=4)
    samples = play(game, Race(game, PLACE_POINTS), ValuesConfig(games=4, resigned=1000), np.random.default_rng(2))
    assert (np.abs(samples.targets[:, :4].sum(axis=1)) < 0.2).all()
    assert (samples.present.sum(axis=1) == 4).all()


def test_a_tiny_run_learns_and_is_repeatable(tmp_path: Path) -> None:
    told: list[tuple[str, dict[str, float]]] = []
    first = train_values(TINY, tmp_path / "one", lambda name, figures: told.append((name, figures)))
    second = train_values(TINY, tmp_path / "two")
    one, two = read_network(first), read_network(second)
    assert all(np.array_equal(one.arrays[name], two.arrays[name]) for name in one.arrays)
    assert one.recipe["config"]["seed"] == 1
    assert one.recipe["generations"] == 2
    errors = [figures["rmse_2"] for name, figures in told if name == "errors"]
    assert errors[1] < errors[0] < 0.6
    before = one.arrays["hidden.0.weight"]
    assert (before[:, 6 + 5 + 9 + 8] == 0).all()  # resigning allowed: no network is told of it


def test_a_run_that_is_stopped_keeps_what_it_has(tmp_path: Path) -> None:
    calls = iter(range(1000))
    path = train_values(TINY, tmp_path, stopped=lambda: next(calls) > 70)
    assert read_network(path).recipe["generations"] == 1


@pytest.mark.parametrize("wrong", [{"solved": (0.5, 0.6)}, {"generations": 0}, {"games": 0}])
def test_a_config_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        ValuesConfig(**wrong)  # type: ignore[arg-type]
