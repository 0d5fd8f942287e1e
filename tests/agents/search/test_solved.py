"""Positions whose value is known: by plain minimax over the rules, or by hand."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from sekisho.agents import make_agent
from sekisho.agents.agent import Decision
from sekisho.envs import State, load_game
from support.dash import Dash


def decide(spec: str, state: State, seed: int = 0) -> Decision:
    return make_agent(spec).act(state, np.random.default_rng(seed))


def minimax(state: State, known: dict[str, float]) -> float:
    """The return of the seat to move with best play of two seats; by the rules alone."""
    text = state.to_text()
    if text not in known:
        seat = state.current_player()
        values = []
        for action in state.legal_actions():
            child = state.child(action)
            values.append(child.returns()[seat] if child.is_terminal() else -minimax(child, known))
            if values[-1] == 1.0:
                break
        known[text] = max(values)
    return known[text]


def quoridor_positions(count: int, **options: Any) -> list[State]:
    """Positions on the way of random games, no two alike."""
    game, rng, found = load_game("quoridor", **options), random.Random(4), {}
    while len(found) < count:
        state = game.new_initial_state()
        for _ in range(rng.randrange(2, 9)):
            if not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
        if not state.is_terminal():
            found[state.to_text()] = state
    return list(found.values())


SMALL = quoridor_positions(12, board_size=3, fences=1, max_plies=12)


@pytest.mark.parametrize("state", SMALL, ids=[state.to_text() for state in SMALL])
@pytest.mark.parametrize("options", ["", ",selection=puct,first_play=0", ",rollouts=none", ",threads=2"])
def test_small_quoridor_is_proven_to_be_worth_what_minimax_says(state: State, options: str) -> None:
    known: dict[str, float] = {}
    decision = decide(f"mcts:simulations=200000{options}", state)
    assert decision.statistics["proven"]
    assert decision.value == minimax(state, known)
    child = state.child(decision.action)
    after = child.returns()[state.current_player()] if child.is_terminal() else -minimax(child, known)
    assert after == decision.value


def test_the_small_positions_are_not_all_of_one_kind() -> None:
    assert {minimax(state, {}) for state in SMALL} >= {1.0, -1.0}


@pytest.mark.parametrize("selection", ["uct", "puct"])
def test_a_step_onto_the_goal_line_is_taken_and_proven(selection: str) -> None:
    state = load_game("quoridor").from_text(" / / e8 e5 / 10 10 / 1 / 30")
    decision = decide(f"mcts:simulations=2000,selection={selection}", state)
    assert state.action_to_string(decision.action) in ("e9", "d9", "f9")
    assert (decision.value, decision.statistics["proven"]) == (1.0, True)
    assert decision.policy == {decision.action: 1.0}
    assert decision.statistics["simulations"] < 2000


def test_a_pawn_one_step_from_its_goal_is_stopped() -> None:
    game = load_game("quoridor", board_size=5, fences=1)
    state = game.from_text(" / / c3 a2 / 1 1 / 1 / 10")
    decision = decide("mcts:simulations=20000", state)
    child = state.child(decision.action)
    assert not any(child.child(action).is_terminal() for action in child.legal_actions())


# --- dice --------------------------------------------------------------------------------------------------------------


@cache
def best(mine: int, other: int, length: int) -> Fraction:
    """The return of the seat about to throw when both choose best, on paper."""
    if other >= length:
        return Fraction(-1)
    total = Fraction(0)
    for face, chances in ((1, 3), (2, 2), (3, 1)):
        total += Fraction(chances, 6) * chosen(mine, other, face, length)
    return total


@cache
def chosen(mine: int, other: int, thrown: int, length: int) -> Fraction:
    """The same when `thrown` lies on the table."""
    return max(-best(other, mine + steps, length) for steps in {thrown, 1})


@pytest.mark.parametrize("thrown", [2, 3])
@pytest.mark.parametrize(("mine", "other"), [(0, 0), (1, 2), (2, 1), (3, 0), (0, 3)])
def test_a_short_dash_is_proven_to_be_worth_what_paper_says(mine: int, other: int, thrown: int) -> None:
    game = Dash(length=4)
    decision = decide("mcts:simulations=300000,exploration=20", game.from_text(f"{mine} {other} 0 {thrown}"))
    assert decision.statistics["proven"]
    assert decision.value == pytest.approx(float(chosen(mine, other, thrown, 4)), abs=1e-9)


@pytest.mark.parametrize("options", ["", ",selection=puct,first_play=0", ",wide=1", ",threads=2"])
def test_a_long_dash_is_valued_about_right(options: str) -> None:
    state = Dash(length=20).from_text("6 8 0 3")
    decision = decide(f"mcts:simulations=60000,exploration=0.5{options}", state)
    assert not decision.statistics["proven"]
    assert decision.value == pytest.approx(float(chosen(6, 8, 3, 20)), abs=0.06)


def test_an_arrival_in_kyoto_is_proven() -> None:
    game = load_game("tokaido")
    state, rng = game.new_initial_state(), random.Random(1)
    while True:  # a random game up to its last decision
        options = [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        wins = [a for a in options if state.child(a).is_terminal()]
        if wins and not state.is_chance_node() and state.child(wins[0]).returns()[state.current_player()] == 1.0:
            break
        state.apply_action(rng.choice(options))
    decision = decide("mcts:simulations=500", state)
    assert decision.action in wins
    assert (decision.value, decision.statistics["proven"]) == (1.0, True)


def test_a_third_occurrence_is_known_to_be_a_draw() -> None:
    state = load_game("quoridor", board_size=5, fences=0, repetition=3).new_initial_state()
    state.apply_moves("b1 b5 c1 c5 b1 b5 c1")
    drawing = state.string_to_action("c5")
    assert state.child(drawing).is_repetition()
    agent = make_agent("mcts:simulations=3000")
    decision = agent.act(state, np.random.default_rng(0))
    assert decision.statistics["values"].get(drawing, 0.0) == 0.0
    assert decision.value == minimax_with_history(state)


def minimax_with_history(state: State) -> float:
    """The value of a race on an empty 5x5 board: who is to move and no farther away wins (no fences, no meeting)."""
    mine, theirs = state.distances()[state.current_player()], state.distances()[1 - state.current_player()]  # type: ignore[attr-defined]
    return 1.0 if mine <= theirs else -1.0
