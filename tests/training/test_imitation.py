"""Runs of imitation: a network comes to play what its teacher plays, and it can be repeated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.files import StoredNetwork, rules_of, write_network
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.arena.records import read_records
from sekisho.envs import Game
from sekisho.envs.errors import OptionError, RunError
from sekisho.training.choice_learner import ChoiceLearner
from sekisho.training.config import with_settings
from sekisho.training.judging import NetworkPlayer, evaluator_of
from sekisho.training.learner import Learner
from sekisho.training.metrics import read_metrics
from sekisho.training.positions import Positions
from sekisho.training.presets import _OTHERS, preset_config
from sekisho.training.searching.fitting import new_network
from sekisho.training.sections import Learning
from sekisho.training.train import train
from support.lessons import FOUR, SMALL, THREE, decisions_of, played, states_of

# --- what is learned -----------------------------------------------------------------------------------------------


class Always(nn.Module):
    """Likes one action best wherever it is legal."""

    def __init__(self, game: Game, action: int) -> None:
        super().__init__()
        self.nothing = nn.Parameter(torch.zeros(1))
        self.scores = torch.nn.functional.one_hot(torch.tensor(action), game.num_actions).float()
        self.players = game.num_players

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scores = (self.scores + self.nothing).expand(len(masks), -1).masked_fill(~masks, -torch.inf)
        return torch.log_softmax(scores, 1), torch.zeros(len(masks), self.players)


def test_agreement_is_the_share_of_decisions_in_which_the_choice_is_the_same() -> None:
    positions = played(THREE, teacher="expectimax:turns=0", games=2).positions
    policies = positions.policies[positions.policies.any(axis=1)]
    action = int(policies.sum(axis=0).argmax())
    legal = [state.legal_actions() for state, *_ in decisions_of(THREE, positions)]
    liked = [action if action in actions else actions[0] for actions in legal]
    expected = np.mean([policy[one] == policy.max() for policy, one in zip(policies, liked, strict=True)])
    assert 0 < expected < 1
    learner = Learner(THREE, Always(THREE, action), Learning(), "cpu", 1)
    assert learner.agreement(positions) == pytest.approx(expected)
    assert learner.agreement(Positions.none(THREE)) == 0


@pytest.mark.parametrize("game", [SMALL, FOUR], ids=str)
def test_an_nnue_likes_best_what_the_agent_net_plays_by_it(game: Game) -> None:
    config, positions = NetworkConfig("nnue", 16), played(game, games=8, teacher="heuristic").positions
    module = new_network(game, config, 3)  # type: ignore[arg-type]
    learner = ChoiceLearner(game, module, Learning(), "cpu", 1)
    stored = StoredNetwork(config, shape_of(game, config), game.name, rules_of(game), arrays_of(module))
    player, alike = NetworkPlayer(evaluator_of(stored), 0), 0
    decisions = decisions_of(game, positions)
    for row, (state, _, policy, _) in enumerate(decisions):
        decision = player.act(state, np.random.default_rng(0))
        said = learner._log_policy(positions.chosen(np.array([row])), None)[0].detach().exp().numpy()
        assert sorted(np.flatnonzero(said)) == state.legal_actions()
        assert said.sum() == pytest.approx(1, abs=1e-5)
        assert said[decision.action] == pytest.approx(said.max(), rel=1e-3)
        alike += policy[decision.action] == policy.max()
    assert learner.agreement(positions) == pytest.approx(alike / len(decisions), abs=0.02)


def test_the_mirror_shows_what_stands_on_the_other_side() -> None:
    learner = ChoiceLearner(SMALL, new_network(SMALL, NetworkConfig("nnue", 16), 3), Learning(), "cpu", 1)  # type: ignore[arg-type]
    compared = 0
    for record in played(SMALL, games=8).records:
        state, other = SMALL.new_initial_state(), SMALL.new_initial_state()
        for move in record.moves:
            letters = "ab" if len(move) == 3 else "abc"
            turned = letters[-1 - letters.index(move[0])] + move[1:]
            state.apply_action(state.string_to_action(move))
            other.apply_action(other.string_to_action(turned))
            shown = learner._shown(state.words[None].copy(), np.array([True]))
            expected = learner._shown(other.words[None].copy(), np.array([False]))
            np.testing.assert_array_equal(np.sort(shown), np.sort(expected))
            compared += turned != move
    assert compared > 10


def test_an_nnue_comes_to_play_what_its_teacher_plays(quick: Any, tmp_path: Path) -> None:
    settings = {
        "network.kind": "nnue", "network.width": 16, "imitation.teacher": "alphabeta:nodes=200", "imitation.student": 0.5,
        "imitation.opponent": "heuristic", "iterations": 5, "learning.learning_rate": 0.01, "imitation.games": 30,
    }  # fmt: skip
    config = with_settings(preset_config("quoridor", "imitation_tiny"), settings | {"evaluation.games": 4})
    train(tmp_path / "run", config)
    agreed = [
        row["imitation/agreement"]
        for row in read_metrics(tmp_path / "run" / "metrics.jsonl")
        if "imitation/agreement" in row
    ]
    assert agreed[-1] > agreed[0] + 0.1


def test_weighed_mistakes_come_to_cost_less(quick: Any, tmp_path: Path) -> None:
    settings = {
        "imitation.teacher": "exact", "imitation.games": 60, "imitation.student": 1.0, "imitation.weigh": 4.0,
        "evaluation.every": 6, "evaluation.mcts": 0, "learning.window": 20_000,
    }  # fmt: skip
    config = with_settings(preset_config("quoridor", "imitation_tiny", {"board_size": 3, "fences": 1}), settings)
    train(tmp_path, config)
    first, *others = read_metrics(tmp_path / "metrics.jsonl")[1:]
    assert "imitation/cost" not in first  # it knew nothing and was not asked
    assert others[-1]["imitation/cost"] < 0.5 * others[0]["imitation/cost"]
    assert others[0]["imitation/cost"] <= 2


def test_a_network_that_begins_with_learned_weights_plays_at_once(quick: Any, tmp_path: Path) -> None:
    config = quick("imitation", iterations=1, imitation__student=1.0)
    network = build_network(config.load_game(), config.network, 99)
    write_network(tmp_path / "start", config.load_game(), config.network, arrays_of(network), {})
    train(tmp_path / "run", with_settings(config, {"learning.start": str(tmp_path / "start")}))
    records = list(read_records(tmp_path / "run" / "games" / "000001.jsonl"))
    assert {record.agents[0] for record in records} == {"iteration_0"}


def test_the_opponent_plays_its_seat_and_is_not_learned_from() -> None:
    options: dict[str, Any] = {"teacher": "shortest_path", "games": 40, "student": True, "explore": 0.0}
    against, alone = played(SMALL, opponent="random", **options), played(SMALL, **options)
    decisions = sum(len(state.legal_actions()) > 1 for record in against.records for state in states_of(record))
    assert len(against.positions.seats) < 0.9 * decisions
    assert {sum(agent == "random" for agent in record.agents) for record in against.records} == {0, 1}
    assert all("random" not in record.agents for record in alone.records)
    assert len(alone.positions.seats) == sum(
        len(state.legal_actions()) > 1 for record in alone.records for state in states_of(record)
    )


def test_a_network_comes_to_play_what_its_teacher_plays(tmp_path: Path) -> None:
    config = with_settings(
        preset_config("quoridor", "imitation_tiny", {"board_size": 3, "fences": 1}),
        {"imitation.teacher": "exact", "imitation.games": 60, "evaluation.every": 6, "evaluation.mcts": 0,
         "learning.window": 20_000},
    )  # fmt: skip
    train(tmp_path, config)
    lines = read_metrics(tmp_path / "metrics.jsonl")
    agreed = [line["imitation/agreement"] for line in lines[1:]]
    assert agreed[-1] > agreed[0] + 0.25
    assert lines[-1]["eval/exact_loss"] < lines[0]["eval/exact_loss"]
    assert lines[-1]["eval/score_vs_random"] > lines[0]["eval/score_vs_random"]


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("quoridor", {"imitation.teacher": "mcts:simulations=10"}),
        ("tokaido", {"imitation.teacher": "heuristic"}),
    ],
)
def test_other_games_and_tables_are_learned_too(game: str, settings: Mapping[str, Any], tmp_path: Path) -> None:
    rules = dict(FOUR.options) if game == "quoridor" else {"players": 3}
    changes = {
        "iterations": 2, "imitation.games": 2, "imitation.student": 1.0, "evaluation.games": 4, "evaluation.mcts": 0,
        "evaluation.every": 2, "network.width": 8, "imitation.max_plies": 60,
    }  # fmt: skip
    train(tmp_path, with_settings(preset_config(game, "imitation_tiny", rules), {**changes, **settings}))
    last = read_metrics(tmp_path / "metrics.jsonl")[-1]
    assert 0 < last["imitation/agreement"] < 1
    assert last["loss/total"] > 0


def test_records_of_a_run_tell_who_has_played(quick: Any, tmp_path: Path) -> None:
    train(tmp_path, quick("imitation", iterations=2, imitation__student=1.0))
    first, second = (list(read_records(tmp_path / "games" / f"00000{number}.jsonl")) for number in (1, 2))
    assert {record.agents[0] for record in first} == {"mcts:simulations=12"}  # the network has learned nothing yet
    assert {record.agents[0] for record in second} == {"iteration_1"}
    assert all(record.replay().is_terminal() for record in [*first, *second])


class Linear(nn.Module):
    def __init__(self, game: Game) -> None:
        super().__init__()
        size = int(np.prod(game.observation_shape))
        self.policy, self.value = nn.Linear(size, game.num_actions), nn.Linear(size, game.num_players)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        flat = observations.flatten(1)
        return torch.log_softmax(self.policy(flat).masked_fill(~masks, -torch.inf), 1), torch.tanh(self.value(flat))


def test_a_network_of_ones_own_imitates_too(quick: Any, tmp_path: Path) -> None:
    train(tmp_path, quick("imitation", iterations=2), build=Linear)
    assert "imitation/agreement" in read_metrics(tmp_path / "metrics.jsonl")[-1]


def test_a_teacher_in_a_file_reaches_the_processes_that_play(quick: Any, tmp_path: Path) -> None:
    train(tmp_path / "first", quick("imitation", iterations=1))
    teacher = f"net:checkpoint={tmp_path / 'first' / 'best.safetensors'}"
    arrays = []
    for workers in (1, 2):
        folder = tmp_path / f"by_{workers}"
        train(folder, quick("imitation", iterations=2, imitation__teacher=teacher, workers=workers))
        arrays.append((folder / "best.safetensors").read_bytes())
        assert read_metrics(folder / "metrics.jsonl")[1]["imitation/agreement"] > 0
    with pytest.raises(OptionError, match=r"imitation\.teacher"):
        train(tmp_path / "gone", quick("imitation", imitation__teacher=teacher + "x"))


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("teacher", "told"),
    [
        ("alphabet", "imitation.teacher: there is no agent 'alphabet'; did you mean 'alphabeta'"),
        ("mcts:simulation=3", "did you mean 'simulations'"),
        ("expectimax", "plays"),
        ("pocket", "imitation.teacher: agent 'pocket' plays tokaido, not quoridor"),
        ("mcts:seconds=1", "a limit of time does not let a run be repeated: limit it by nodes="),
        ("alphabeta:nodes=10,seconds=1", "leave seconds out"),
        ("mcts:simulations=10,threads=2", "leave threads out"),
        ("engine:sh", "a limit of time"),
        ("engine:(nodes=5)no-such-program", "no program"),
        ("net:checkpoint=nowhere.safetensors", "imitation.teacher: net: option 'checkpoint'"),
        ("", "imitation.teacher"),
    ],
)
def test_teachers_that_are_none_are_refused(teacher: str, told: str, quick: Any, tmp_path: Path) -> None:
    with pytest.raises(OptionError) as refused:
        train(tmp_path / "run", quick("imitation", imitation__teacher=teacher))
    assert told in str(refused.value)


def test_a_teacher_without_values_is_refused_before_anything_is_played(quick: Any, tmp_path: Path) -> None:
    wrong = r"'heuristic' does not say what a position is worth .* set imitation\.doubt=0 and imitation\.weigh=0"
    for setting in ({"imitation__doubt": 0.1}, {"imitation__weigh": 2.0}):
        with pytest.raises(OptionError, match=wrong):
            train(tmp_path / "run", quick("imitation", imitation__teacher="heuristic", **setting))


def test_throws_of_dice_are_not_doubted(tmp_path: Path) -> None:
    config = with_settings(preset_config("tokaido", "imitation_tiny"), {"imitation.weigh": 0.1})
    with pytest.raises(OptionError, match=r"imitation\.doubt, imitation\.weigh: .*set both to 0"):
        train(tmp_path / "run", config)


def test_games_that_leave_nothing_to_learn_are_an_error(tmp_path: Path) -> None:
    throws = {"imitation.max_plies": 1, "imitation.opening": 0, "evaluation.games": 2, "evaluation.mcts": 0}
    with pytest.raises(RunError, match=r"left no position to learn from: raise imitation.max_plies"):
        train(tmp_path / "run", with_settings(preset_config("tokaido", "imitation_tiny"), throws))


def test_games_of_other_packages_have_the_presets_too() -> None:
    assert {"imitation_tiny", "imitation_laptop"} <= _OTHERS.keys()
