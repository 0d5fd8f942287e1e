"""The replay buffer and the learner."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sekisho.agents.networks.config import NetworkConfig
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.symmetries import symmetries_of
from sekisho.envs import Game, load_game
from sekisho.envs.errors import CheckpointError, RunError
from sekisho.training.learner import Learner, losses_of
from sekisho.training.positions import Positions, seen, shuffled_views
from sekisho.training.replay import Replay, read_positions, write_positions
from sekisho.training.sections import Learning

GAME = load_game("quoridor", board_size=3, fences=1)


def some_positions(count: int, game: Game = GAME, seed: int = 0) -> Positions:
    """Decisions of random games, with policies that prefer one action and results that favour a seat."""
    rng, rows = np.random.default_rng(seed), []
    while len(rows) < count:
        state = game.new_initial_state()
        while not state.is_terminal() and len(rows) < count:
            if state.is_chance_node():
                state.apply_action(int(rng.choice([outcome for outcome, _ in state.chance_outcomes()])))
                continue
            policy = np.zeros(game.num_actions, dtype=np.float32)
            legal = state.legal_actions()
            policy[legal] = 0.1 / len(legal)
            policy[legal[0]] += 0.9
            values = np.full(game.num_players, -1 / (game.num_players - 1))
            values[len(state.history()) % game.num_players] = 1
            rows.append((state.words.copy(), state.current_player(), policy, values))
            state.apply_action(int(rng.choice(legal)))
    words, seats, policies, results = map(np.array, zip(*rows, strict=True))
    return Positions(words, seats.astype(np.int8), policies, results.astype(np.float32))


def learner_of(game: Game = GAME, iterations: int = 10, **settings: Any) -> Learner:
    torch.set_num_threads(1)
    module = build_network(game, NetworkConfig("mlp", 32, 1), seed=1)
    return Learner(game, module, Learning(**{"batch_size": 16, "warmup_steps": 0, **settings}), "cpu", iterations)


# --- the buffer ----------------------------------------------------------------------------------------------------


def test_old_iterations_leave_and_the_newest_stays() -> None:
    replay = Replay(GAME, window=25, limit=3)
    for iteration in range(1, 5):
        replay.add(iteration, some_positions(10, seed=iteration))
    assert replay.counts == [(3, 10), (4, 10)]
    assert len(replay) == 20
    assert replay.added == 40
    newest = some_positions(10, seed=4)
    assert np.array_equal(replay.positions.words[10:], newest.words)
    replay.add(5, some_positions(30, seed=5))
    assert replay.counts == [(5, 30)]


def test_no_position_is_drawn_more_often_than_the_limit() -> None:
    replay = Replay(GAME, window=100, limit=3)
    replay.add(1, some_positions(10))
    rng = np.random.default_rng(0)
    drawn = [len(replay.draw(4, rng).seats) for _ in range(20)]
    assert sum(drawn) == 30 == replay.drawn
    assert (replay.uses == 3).all()
    assert replay.left() == 0
    replay.add(2, some_positions(5))
    assert replay.left() == 15
    assert len(replay.draw(100, rng).seats) == 5


def test_a_draw_has_no_position_twice() -> None:
    replay = Replay(GAME, window=100, limit=100)
    replay.add(1, some_positions(20))
    replay.draw(15, np.random.default_rng(0))
    assert replay.uses.max() == 1
    assert replay.uses.sum() == 15


def test_positions_survive_a_file(tmp_path: Path) -> None:
    positions, path = some_positions(20), tmp_path / "positions.safetensors"
    checksum = write_positions(path, GAME, 3, positions)
    again = read_positions(path, GAME, 3, checksum)
    assert all(np.array_equal(one, two) for one, two in zip(positions, again, strict=True))
    assert [part.dtype for part in again] == [part.dtype for part in positions]
    for game, iteration, sha in ((GAME, 4, checksum), (load_game("tokaido"), 3, checksum), (GAME, 3, "0" * 64)):
        with pytest.raises(CheckpointError):
            read_positions(path, game, iteration, sha)


# --- what is shown to the network ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [load_game("quoridor", players=4, board_size=5), load_game("tokaido", players=3)])
def test_positions_are_shown_as_their_seats_see_them(game: Game) -> None:
    positions = some_positions(30, game)
    batch = seen(game, positions)
    for row in range(30):
        seat = int(positions.seats[row])
        state = game.state_of(positions.words[row])
        assert np.array_equal(batch.observations[row], state.observation_tensor(seat))
        for action in range(game.num_actions):
            meant = game.action_views[seat, action]
            assert batch.masks[row, action] == state.legal_actions_mask()[meant]
            assert batch.policies[row, action] == positions.policies[row, meant]
        for place in range(game.num_players):
            assert batch.values[row, place] == positions.values[row, (seat + place) % game.num_players]


def test_shuffled_views_are_looks_of_the_same_positions() -> None:
    batch, symmetries = seen(GAME, some_positions(40)), symmetries_of(GAME)
    shuffled = shuffled_views(batch, symmetries, np.random.default_rng(0))
    (mirror,) = symmetries
    turned = [not np.array_equal(one, two) for one, two in zip(batch.policies, shuffled.policies, strict=True)]
    assert 5 < sum(turned) < 40
    mirrored = mirror.observations(batch.observations)
    for row in range(40):
        plain = np.array_equal(shuffled.observations[row], batch.observations[row])
        assert plain or np.array_equal(shuffled.observations[row], mirrored[row])
        assert not shuffled.policies[row][~shuffled.masks[row]].any()
        assert np.array_equal(shuffled.values[row], batch.values[row])


# --- the learner ---------------------------------------------------------------------------------------------------


def test_losses_are_those_of_the_formula() -> None:
    module = learner_of().module
    batch = seen(GAME, some_positions(12))
    weights = np.linspace(0.5, 3, 12, dtype=np.float32)
    batch = batch._replace(policies=batch.policies * weights[:, None])
    with torch.no_grad():
        losses = losses_of(module, tuple(map(torch.from_numpy, batch)), 0.5)
        log_policy, values = module(torch.from_numpy(batch.observations), torch.from_numpy(batch.masks))
    policy = value = entropy = 0.0
    for row in range(12):
        for action in np.flatnonzero(batch.masks[row]):
            share = float(batch.policies[row, action])
            policy -= share * float(log_policy[row, action]) / weights.sum()
            entropy -= share * math.log(share / weights[row]) / weights.sum()
        value += float(((values[row].numpy() - batch.values[row]) ** 2).mean()) / 12
    assert float(losses.policy) == pytest.approx(policy, rel=1e-5)
    assert float(losses.value) == pytest.approx(value, rel=1e-5)
    assert float(losses.entropy) == pytest.approx(entropy, rel=1e-5)
    assert float(losses.total) == pytest.approx(policy + 0.5 * value, rel=1e-5)
    assert entropy < policy


@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
def test_a_network_learns_what_it_is_shown(optimizer: str) -> None:
    rate = 1e-2 if optimizer == "adamw" else 0.05
    learner = learner_of(optimizer=optimizer, learning_rate=rate, schedule="constant", reuse=100, reuse_limit=120)
    replay = Replay(GAME, 1000, 120)
    replay.add(1, some_positions(48))
    first = learner.learn(replay, 1, 0, 1)
    for iteration in range(2, 5):
        last = learner.learn(replay, 48, 0, iteration)
    assert last["loss/policy"] - last["loss/policy_target_entropy"] < 0.4 * (
        first["loss/policy"] - first["loss/policy_target_entropy"]
    )
    assert last["loss/total"] < 0.6 * first["loss/total"]


def test_steps_follow_the_reuse_and_its_limit() -> None:
    learner, replay = learner_of(reuse=4, reuse_limit=6), Replay(GAME, 1000, 6)
    replay.add(1, some_positions(40))
    assert learner.planned_steps(replay, 40) == 10
    learner.learn(replay, 40, 0, 1)
    assert learner.steps == 10
    assert learner.planned_steps(replay, 40) == 5  # two more draws of each are allowed
    replay.uses[:] = 6
    assert learner.planned_steps(replay, 40) == 0
    assert learner.learn(replay, 40, 0, 2)["loss/total"] == 0


@pytest.mark.parametrize("schedule", ["constant", "cosine"])
def test_the_learning_rate_warms_up_and_falls(schedule: str) -> None:
    learner = learner_of(learning_rate=0.1, warmup_steps=4, schedule=schedule, iterations=11)
    assert learner.learning_rate(1) == pytest.approx(0.025)
    learner.steps = 100
    assert learner.learning_rate(1) == pytest.approx(0.1)
    assert learner.learning_rate(11) == pytest.approx(0.1 if schedule == "constant" else 0.005)
    assert learner.learning_rate(6) == pytest.approx(0.1 if schedule == "constant" else 0.0525)


@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
def test_an_optimiser_that_was_put_away_goes_on_to_the_bit(optimizer: str) -> None:
    def weights(learner: Learner) -> list[Any]:
        return [tensor.numpy().copy() for tensor in learner.module.state_dict().values()]

    def replay_of() -> Replay:
        replay = Replay(GAME, 1000, 100)
        replay.add(1, some_positions(40))
        return replay

    straight, broken = learner_of(optimizer=optimizer), learner_of(optimizer=optimizer)
    for learner in (straight, broken):
        learner.learn(replay_of(), 40, 0, 1)
    other = learner_of(optimizer=optimizer)
    other.module.load_state_dict(broken.module.state_dict())
    other.restore(broken.arrays(), broken.steps)
    for learner in (straight, other):
        learner.learn(replay_of(), 40, 0, 2)
    assert all(np.array_equal(one, two) for one, two in zip(weights(straight), weights(other), strict=True))


def test_an_optimiser_of_another_network_is_refused() -> None:
    learner = learner_of()
    with pytest.raises(CheckpointError, match="another network"):
        learner.restore({"nothing.weight/exp_avg": np.zeros(3, np.float32)}, 0)
    with pytest.raises(CheckpointError, match="another network"):
        learner.restore({"policy.weight/exp_avg": np.zeros((2, 2), np.float32)}, 0)


def test_training_that_goes_astray_stops_in_words() -> None:
    learner = learner_of()
    with torch.no_grad():
        next(learner.module.parameters()).fill_(float("nan"))
    replay = Replay(GAME, 1000, 100)
    replay.add(1, some_positions(40))
    with pytest.raises(RunError, match="learning_rate"):
        learner.learn(replay, 40, 0, 1)


def test_bfloat16_computes_nearly_the_same() -> None:
    batch = tuple(map(torch.from_numpy, seen(GAME, some_positions(32))))
    module = learner_of().module
    with torch.no_grad():
        exact = losses_of(module, batch, 1.0)
        with torch.autocast("cpu", torch.bfloat16):
            rough = losses_of(module, batch, 1.0)
    assert float(rough.total) == pytest.approx(float(exact.total), rel=0.02)
