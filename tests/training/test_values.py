"""Value learning: samples say what the tables say, targets are what they claim to be, and a tiny run learns."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sekisho.agents import make_agent
from sekisho.agents.exact import tokaido_library
from sekisho.agents.networks.config import NetworkConfig
from sekisho.agents.networks.files import read_network
from sekisho.agents.networks.modules import Mlp, build_network
from sekisho.agents.search.leaves import Race
from sekisho.agents.search.turns import PLACE_POINTS
from sekisho.envs import load_game
from sekisho.envs.core import Game
from sekisho.envs.errors import OptionError
from sekisho.envs.tokaido.rules import Tokaido, TokaidoState
from sekisho.training.config import with_settings
from sekisho.training.metrics import read_metrics
from sekisho.training.presets import preset_config
from sekisho.training.sections import Values
from sekisho.training.train import train
from sekisho.training.values import games
from sekisho.training.values.games import play
from sekisho.training.values.kernels import write_solved
from sekisho.training.values.network import answers
from sekisho.training.values.samples import Samples, samples_of
from sekisho.training.values.scope import games_of, rules_for
from sekisho.training.values.solved import SolvedGame

GAME = Tokaido(forks="miya", goal="over")


@pytest.fixture(scope="module")
def solved() -> SolvedGame:
    return SolvedGame(GAME, 0.5)


def dense(samples: Samples) -> np.ndarray:
    """Observations as the environments show them."""
    count = len(samples.places)
    seen = np.zeros((count, *GAME.observation_shape), np.float32)
    np.add.at(seen, (np.arange(count)[:, None], samples.places.astype(int)), samples.amounts)
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

    def keeping(game: Tokaido, words: np.ndarray, worth: np.ndarray, policies: np.ndarray | None = None) -> Samples:
        kept.append((words.copy(), worth.copy()))
        return samples_of(game, words, worth, policies)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "samples_of", keeping)
        settings = Values(games=3, explore=0.3, resigned=0)
        samples, tally = play(GAME, Truth(), settings, np.random.default_rng(5))
    words = np.concatenate([one for one, _ in kept])
    assert len(samples.places) == len(words) == tally.positions
    np.testing.assert_allclose(
        Truth().position_values(GAME, words), np.concatenate([worth for _, worth in kept]), atol=1e-9
    )
    assert {len(np.unique(one[:, 13])) for one, _ in kept} != {1}  # beginnings of turns, choices, and what lies within
    assert tally.games == 3
    assert 0 <= tally.first_wins <= 3
    assert tally.draws == 0  # somebody is always first
    assert 3 * 20 < tally.plies < 3 * 500


def test_games_end_with_somebody_resigned_from_the_start() -> None:
    game = Tokaido(players=4)
    samples, _ = play(game, Race(game, PLACE_POINTS), Values(games=4, resigned=1.0), np.random.default_rng(2))
    assert (np.abs(samples.targets[:, :4].sum(axis=1)) < 0.2).all()
    assert (samples.present.sum(axis=1) == 4).all()


def test_what_is_learned_is_every_table_and_the_usual_rules() -> None:
    config = preset_config("tokaido", "laptop", {"players": 3, "goal": "over"})
    learned = games_of(config)
    assert learned[0] == config.load_game()
    assert {(game.num_players, game.options["forks"], game.options["goal"]) for game in learned} == {
        (players, forks, goal) for players in range(2, 7) for forks in ("three", "miya") for goal in ("exact", "over")
    }
    rules = rules_for(learned)
    assert set(rules["players"]) == {2, 3, 4, 5, 6}
    assert "max_turns" not in rules
    with pytest.raises(OptionError, match="not rests_add_up=false"):
        games_of(preset_config("tokaido", "laptop", {"rests_add_up": False}))


def test_the_tiny_preset_learns_in_less_than_a_minute(tmp_path: Path) -> None:
    config = preset_config("tokaido", "tiny")
    begin = time.process_time()
    progress = train(tmp_path, config)
    assert time.process_time() - begin < 60  # of processor time, compiling left to other tests
    lines = read_metrics(tmp_path / "metrics.jsonl")
    errors = [line["loss/value_rmse_2"] for line in lines[1:]]
    assert errors[-1] < errors[0] < 0.6
    assert lines[-1]["eval/exact_loss"] < lines[0]["eval/exact_loss"] / 4
    assert lines[-1]["train/learning_rate"] < 1e-6 < lines[1]["train/learning_rate"]
    best = read_network(tmp_path / "best.safetensors")
    assert best.recipe["iteration"] == progress.best > 0
    assert (best.arrays["hidden.0.weight"][:, 6 + 5 + 9 + 8] == 0).all()  # resigning allowed: no network is told of it
    make_agent(f"net:checkpoint={tmp_path / 'best.safetensors'}").supports(load_game("tokaido", players=4))


@pytest.mark.slow
def test_three_players_are_learned_from_their_table(quick: Any, tmp_path: Path) -> None:
    train(tmp_path, quick("values", values__three=0.5, values__two=0.3, values__steps=60, network__width=32))
    errors = [line["loss/value_rmse_3"] for line in read_metrics(tmp_path / "metrics.jsonl")[1:]]
    assert errors[-1] < errors[0]


def test_a_run_can_go_on_from_a_network(quick: Any, tmp_path: Path) -> None:
    train(tmp_path / "first", quick("values"))
    start = tmp_path / "first" / "best.safetensors"
    config = quick("values", values__start=str(start), values__learning_rate=0.0, iterations=1)
    train(tmp_path / "second", config)
    before, after = read_network(start).arrays, read_network(tmp_path / "second" / "best.safetensors").arrays
    assert all(np.array_equal(before[name], after[name]) for name in before)
    with pytest.raises(OptionError, match="3 x 8 units"):
        train(tmp_path / "third", with_settings(config, {"network.depth": 3}))
    assert not (tmp_path / "third" / "config.json").exists()
    start.write_bytes(start.read_bytes()[:-9])
    with pytest.raises(OptionError, match=r"values\.start"):
        train(tmp_path / "third", config)


def test_a_module_of_ones_own_cannot_learn_values(quick: Any, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="learns from self-play"):
        train(tmp_path, quick("values"), build=lambda _game: torch.nn.Linear(1, 1))


def test_other_games_have_no_values_to_learn(tmp_path: Path) -> None:
    from sekisho.training.config import Config

    with pytest.raises(OptionError, match="for tokaido, not for quoridor"):
        train(tmp_path, Config(game="quoridor", method="values"))
