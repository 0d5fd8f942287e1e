"""Imitation: what a teacher says is what is learned, whoever plays."""

from __future__ import annotations

import numpy as np
import pytest

from sekisho.agents import Agent, Decision, make_agent
from sekisho.agents.choices import choice_values
from sekisho.envs import Game, State, load_game
from sekisho.envs.errors import RunError
from sekisho.envs.kernels import CHANCE
from sekisho.training import imitation
from sekisho.training.judging import NetworkPlayer, evaluator_of
from sekisho.training.positions import Positions
from support.lessons import FOUR, SMALL, THREE, decisions_of, network_of, played

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


class Cheat(Agent):
    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        return Decision(next(action for action in range(99) if action not in state.legal_actions()))


def test_a_teacher_that_plays_what_is_illegal_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imitation, "make_agent", lambda _spec: Cheat())
    with pytest.raises(RunError, match="teacher 'random' answered with the illegal action"):
        played(SMALL)


# --- what the network's own choices cost ----------------------------------------------------------------------


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
    assert found.tally.judged == found.tally.decisions
    assert found.tally.costs == pytest.approx(sum(ahead))
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
