"""Imitation: what a teacher says is what is learned, whoever plays, and it can be repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from sekisho.agents import Agent, Decision, make_agent
from sekisho.agents.choices import choice_values
from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.files import StoredNetwork, rules_of, write_network
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.arena.records import GameRecord, read_records
from sekisho.envs import Game, State, load_game
from sekisho.envs.errors import OptionError, RunError
from sekisho.envs.kernels import CHANCE
from sekisho.training import imitation
from sekisho.training.choice_learner import ChoiceLearner
from sekisho.training.config import with_settings
from sekisho.training.imitation import Lessons, play_lessons
from sekisho.training.judging import NetworkPlayer, evaluator_of
from sekisho.training.learner import Learner
from sekisho.training.metrics import read_metrics
from sekisho.training.positions import Positions
from sekisho.training.presets import _OTHERS, preset_config
from sekisho.training.searching.fitting import new_network
from sekisho.training.sections import Imitation, Learning
from sekisho.training.selfplay import Numbers, Played
from sekisho.training.train import train

SMALL = load_game("quoridor", board_size=3, fences=1)
FOUR = load_game("quoridor", board_size=5, fences=2, players=4, repetition=3)
THREE = load_game("tokaido", players=3, max_turns=60)


def network_of(game: Game, seed: int = 0) -> StoredNetwork:
    config = NetworkConfig("mlp", 8, 1)
    arrays = arrays_of(build_network(game, config, seed))
    return StoredNetwork(config, shape_of(game), game.name, rules_of(game), arrays)


def played(game: Game, first: int = 0, games: int = 6, student: bool = False, **settings: Any) -> Played:
    chosen = replace(Imitation(teacher="random", games=games, student=float(student)), **settings)
    judge = network_of(game) if student else None
    return play_lessons(Lessons(game, chosen, Numbers(5, 2, first, games), 100, 1, "cpu"), judge, {})


def states_of(record: GameRecord) -> list[State]:
    """The decisions of a game of SMALL after its opening."""
    state, states = SMALL.new_initial_state(), []
    for ply, move in enumerate(record.moves):
        if ply >= record.opening:
            states.append(state.clone())
        state.apply_action(state.string_to_action(move))
    return states


def decisions_of(game: Game, positions: Positions) -> list[tuple[State, int, np.ndarray, np.ndarray]]:
    """The decisions among positions: state, seat, policy and values of each."""
    return [
        (game.state_of(words.copy()), int(seat), policy, values)
        for words, seat, policy, values in zip(*positions, strict=True)
        if game.kernels.to_move(game.rules, words) != CHANCE
    ]


# --- what there is to learn ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "teacher"),
    [(SMALL, "exact"), (SMALL, "mcts:simulations=20"), (FOUR, "mcts:simulations=10"), (THREE, "expectimax:turns=0")],
    ids=str,
)
@pytest.mark.parametrize("student", [False, True])
def test_what_is_learned_is_what_the_teacher_says(game: Game, teacher: str, student: bool) -> None:
    found = played(game, teacher=teacher, student=student, opening=4, games=4, max_plies=120)
    decisions, mask = decisions_of(game, found.positions), np.zeros(game.num_actions, np.int8)
    assert found.tally.games == 4
    assert len(decisions) == found.tally.decisions > 0
    assert len(found.positions.seats) == found.tally.positions
    assert (found.tally.positions > found.tally.decisions) == (game.max_chance_outcomes > 0)
    assert np.abs(found.positions.values).max() <= 1
    again, rng = make_agent(teacher), np.random.default_rng(0)
    for state, seat, policy, _ in decisions:
        assert seat == state.current_player()
        assert game.kernels.legal(game.rules, state.words, mask) > 1  # where there is no choice nothing is learned
        assert policy.sum() == pytest.approx(1)
        assert not policy[mask == 0].any()
        if "mcts" not in teacher:  # it remembers what it has searched before
            assert policy[again.act(state, rng).action] == 1
    if game is FOUR:
        assert max((policy > 0).sum() for _, _, policy, _ in decisions) > 1  # visits, not only what is played


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_values_are_shared_between_the_teacher_and_the_result(share: float) -> None:
    found = played(SMALL, teacher="exact", explore=0.3, teacher_value=share)
    exact, rng = make_agent("exact"), np.random.default_rng(0)
    results = {0: set(), 1: set()}
    for state, seat, _, values in decisions_of(SMALL, found.positions):
        worth = exact.act(state, rng).value
        assert worth is not None
        assert values.sum() == pytest.approx(0)
        rest = float(values[seat]) - share * worth
        if share < 1:
            results[seat].add(round(rest / (1 - share), 3))
        else:
            assert rest == pytest.approx(0)
    if share < 1:
        assert results[0] | results[1] == {-1.0, 1.0}


def test_the_result_says_nothing_where_the_network_has_played() -> None:
    found = played(SMALL, teacher="exact", student=True, teacher_value=0.0)
    exact, rng = make_agent("exact"), np.random.default_rng(0)
    for state, seat, _, values in decisions_of(SMALL, found.positions):
        assert values[seat] == exact.act(state, rng).value
    assert {record.agents for record in found.records} == {("iteration_1",) * 2}


def test_a_teacher_without_values_leaves_the_result() -> None:
    for student in (False, True):
        found = played(SMALL, teacher="heuristic", student=student, opening=0)
        assert set(np.unique(found.positions.values)) <= {-1.0, 0.0, 1.0}
        assert found.positions.values.any()


def test_where_dice_are_thrown_next_every_choice_of_two_players_has_its_value() -> None:
    game = load_game("tokaido")
    found = played(game, teacher="expectimax:turns=0", games=2)
    teacher, words = make_agent("expectimax:turns=0"), found.positions.words
    throws = {bytes(row): values for row, values in zip(words, found.positions.values, strict=True)}
    count = 0
    for state, seat, _, _ in decisions_of(game, found.positions):
        for action, value in enumerate(choice_values(teacher, state)):
            if not np.isnan(value) and state.child(action).is_chance_node():
                assert throws[bytes(state.child(action).words)][seat] == pytest.approx(value, abs=1e-6)
                count += 1
    assert count > found.tally.decisions


def test_where_dice_are_thrown_next_is_seen_as_the_agent_net_sees_it() -> None:
    found = played(THREE, teacher="expectimax:turns=0", games=2)
    rows = [
        (words, seat) for words, seat in zip(found.positions.words, found.positions.seats, strict=True)
        if THREE.kernels.to_move(THREE.rules, words) == CHANCE
    ]  # fmt: skip
    assert rows
    assert all(THREE.state_of(words).seat == seat for words, seat in rows)  # type: ignore[attr-defined]


class Wavering(Agent):
    """Says what a position is worth only at its first decision; later the next ones, or the end, are to tell."""

    def __init__(self) -> None:
        self.asked = 0

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        self.asked += 1
        return Decision(state.legal_actions()[0], 0.5 if self.asked == 3 else None)


def test_what_is_not_said_is_said_later_or_by_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imitation, "make_agent", lambda _spec: Wavering())
    found = played(SMALL, games=1, opening=0, explore=0.0, teacher_value=1.0)
    decisions = decisions_of(SMALL, found.positions)
    worth = [float(values[seat]) for _, seat, _, values in decisions]
    assert worth[:3] == [0.5, -0.5, 0.5]
    returns = found.records[0].returns
    assert worth[3:] == [returns[seat] for _, seat, _, _ in decisions[3:]]


def test_what_is_played_explores_and_what_is_learned_does_not() -> None:
    calm = played(SMALL, teacher="exact", opening=0, explore=0.0)
    assert len({record.moves for record in calm.records}) == 1
    wild = played(SMALL, teacher="exact", opening=0, explore=1.0)
    assert len({record.moves for record in wild.records}) > 1
    opened = played(SMALL, teacher="exact", opening=3, explore=0.0)
    assert {record.opening for record in opened.records} > {0, 1}
    for record in [*wild.records, *opened.records]:
        assert record.replay().is_terminal()
        assert record.agents == ("exact", "exact")


def test_a_game_that_is_broken_off_is_a_draw_without_a_record() -> None:
    found = played(load_game("quoridor"), teacher="heuristic", max_plies=12)
    assert found.tally.broken_off == found.tally.draws == 6
    assert found.tally.plies == 6 * 12
    assert len(found.positions.seats) > 6
    assert not found.positions.values.any()
    assert found.records == []


@pytest.mark.parametrize("student", [False, True])
@pytest.mark.parametrize("game", [SMALL, THREE], ids=str)
def test_a_game_is_the_same_in_whatever_task_it_is_played(game: Game, student: bool) -> None:
    teacher = {"teacher": "mcts:simulations=10", "student": student, "max_plies": 100}
    whole = played(game, games=4, **teacher)
    parts = [played(game, first=first, games=2, **teacher) for first in (0, 2)]
    joined = Positions.joined(game, [part.positions for part in parts])
    assert all(np.array_equal(one, two) for one, two in zip(whole.positions, joined, strict=True))
    assert whole.records == [record for part in parts for record in part.records]


@pytest.mark.parametrize(("doubt", "weigh"), [(1e-9, 0.0), (0.5, 0.0), (2.0, 3.0), (0.0, 8.0)])
def test_a_choice_is_doubted_and_weighed_by_what_the_teacher_thinks_of_both(doubt: float, weigh: float) -> None:
    found = played(SMALL, teacher="exact", student=True, opening=4, games=12, doubt=doubt, weigh=weigh)
    exact, rng = make_agent("exact"), np.random.default_rng(0)
    student = NetworkPlayer(evaluator_of(network_of(SMALL)), 0)

    def worth(state: State, action: int) -> float:
        after = state.child(action)
        return after.returns()[state.current_player()] if after.is_terminal() else -(exact.act(after, rng).value or 0.0)

    ahead, same = [], 0
    for state, _, policy, _ in decisions_of(SMALL, found.positions):
        named, liked = exact.act(state, rng).action, student.act(state, rng).action
        expected = np.zeros(SMALL.num_actions)
        if named == liked or (worth(state, named) == worth(state, liked) and abs(worth(state, named)) == 1):
            same += named != liked
            expected[named] = 1
        else:
            ahead.append(worth(state, named) - worth(state, liked))
            expected[named] = 1 / (1 + np.exp(min(700.0, -ahead[-1] / doubt))) if doubt else 1
            expected[liked] = 1 - expected[named]
            expected *= 1 + weigh * ahead[-1]
        assert policy == pytest.approx(expected, abs=1e-6)
    assert same > 0
    assert {2.0} <= set(ahead)  # the other one loses


class Torn(Agent):
    """Shares its policy between two choices, and thinks the same of every position."""

    def __init__(self, share: float) -> None:
        self.share = share

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        first, *_, second = [*state.legal_actions(), state.legal_actions()[-1]]
        return Decision(first, 0.5, {second: self.share, first: 1 - self.share})


def test_a_policy_is_not_doubted_and_a_single_choice_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for share, shares in ((0.25, {(0.25, 0.75)}), (0.0, {(0.5, 0.5), (1.0,)})):
        monkeypatch.setattr(imitation, "make_agent", lambda _spec, share=share: Torn(share))
        found = decisions_of(SMALL, played(SMALL, student=True, doubt=1.0).positions)
        told = {tuple(np.sort(policy[policy > 0])) for _, _, policy, _ in found}
        assert told == shares if share else told > shares  # other shares where a choice ends the game


def test_doubts_are_put_to_another_one_who_remembers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Listening] = []

    class Listening(Torn):
        def __init__(self) -> None:
            super().__init__(0.0)
            self.words: list[str] = []
            made.append(self)

        def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
            self.words.append(f"asked {state.to_text()}")
            return super().act(state, rng)

        def reset(self) -> None:
            self.words.append("reset")

    monkeypatch.setattr(imitation, "make_agent", lambda _spec: Listening())
    found = played(SMALL, games=2, student=True, doubt=1.0)
    teacher, second = made
    decisions = [f"asked {state.to_text()}" for state, *_ in decisions_of(SMALL, found.positions)]
    assert [word for word in teacher.words if word != "reset"] == decisions
    assert len(teacher.words) == len(decisions) + 2  # forgetting between the games alone
    asked = [place for place, word in enumerate(second.words) if word != "reset"]
    assert asked
    assert all(second.words[place - 1] == "reset" for place in asked)


class Cheat(Agent):
    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        return Decision(next(action for action in range(99) if action not in state.legal_actions()))


def test_a_teacher_that_plays_what_is_illegal_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imitation, "make_agent", lambda _spec: Cheat())
    with pytest.raises(RunError, match="teacher 'random' answered with the illegal action"):
        played(SMALL)


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
