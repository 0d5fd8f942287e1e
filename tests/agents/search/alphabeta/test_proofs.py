"""What `alphabeta` claims and plays, against what is known: exact tables, every line played out, and the races."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from sekisho.agents import make_agent
from sekisho.agents.agent import Decision
from sekisho.agents.exact.quoridor_races import Races
from sekisho.agents.search.alphabeta import frames
from sekisho.agents.search.alphabeta.judging import is_beyond_cap
from sekisho.agents.search.alphabeta.search import AlphaBetaSearch, barred_past
from sekisho.envs import load_game
from sekisho.envs.quoridor.kernels import PLY
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState
from support.quoridor_play import Habit, biased_action
from support.quoridor_truth import Truth

RNG = np.random.default_rng(0)
SHUFFLER = Habit(fences=0.15, company=0.5, walls=0.0, patience=1.0)
"""Steps to and fro, stays off the goal line, and places a fence now and then."""


def decide(spec: str, state: QuoridorState) -> Decision:
    return make_agent(spec).act(state, np.random.default_rng(0))


def shuffled(game: Quoridor, count: int, seed: int, plies: int) -> list[QuoridorState]:
    """Positions that so many plies led to."""
    rng = random.Random(seed)
    found: list[QuoridorState] = []
    while len(found) < count:
        state = game.new_initial_state()
        for _ in range(plies):
            if not state.is_terminal():
                state.apply_action(biased_action(state, rng, SHUFFLER))
        if not state.is_terminal():
            found.append(state)
    return found


# --- without a past --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("board_size", "fences"), [(3, 1), (3, 2), (4, 1), (4, 2)])
@pytest.mark.parametrize(("nodes", "least"), [(30_000, 45), (150, 10), (40, 6), (7, 2)])
def test_what_it_claims_to_be_decided_is_so_by_the_exact_tables(
    board_size: int, fences: int, nodes: int, least: int
) -> None:
    exact, agent = make_agent("exact"), make_agent(f"alphabeta:nodes={nodes},memory=1")
    game, decided = Quoridor(board_size=board_size, fences=fences, max_plies=None), 0
    for plies in range(1, 13):
        for state in shuffled(game, 5, plies, plies):
            agent.reset()
            decision, truth = agent.act(state, RNG), exact.act(state, RNG)
            if decision.statistics["proven"]:
                decided += 1
                assert decision.value == np.sign(truth.value), state.to_text()
                child = state.child(decision.action)
                after = child.returns()[state.current_player()]
                if not child.is_terminal():
                    after = -np.sign(exact.act(child, RNG).value)
                assert after == decision.value, (state.to_text(), state.action_to_string(decision.action))
    assert decided > least


def test_a_search_that_is_stopped_before_a_second_move_is_judged_claims_no_loss() -> None:
    """The first move looks lost after a few nodes; that says nothing of the others, one of which does not lose."""
    text = "b1e1g1f2h2g3e4d5 / c2d2a3f3c4d4f5a6b7f7e8 / h2 h9 / 1 0 / 1 / 50"
    state, claims = load_game("quoridor").from_text(text), list[bool]()
    for nodes in range(90, 200):
        decision = decide(f"alphabeta:nodes={nodes},memory=1", state)
        assert not (decision.statistics["proven"] and decision.value < 0)
        claims.append(state.action_to_string(decision.action) != "b5h")
    assert not claims[0]  # what looked best with one ply
    assert all(claims[50:])


def test_a_loss_is_met_with_the_move_that_puts_it_off_longest() -> None:
    state = load_game("quoridor", fences=0).from_text(" / / e4 a4 / 0 0 / 1 / 10")
    decision = decide("alphabeta:depth=12", state)
    assert (decision.value, decision.statistics["proven"]) == (-1.0, True)
    assert decision.statistics["score"] == -frames.WON - Races(state.game).plies(state)
    assert Races(state.game).plies(state.child(decision.action)) == -Races(state.game).plies(state) - 1


@pytest.mark.parametrize("options", [{"board_size": 3, "fences": 3}, {"board_size": 4, "fences": 2}])
def test_no_value_is_lost_where_having_to_move_hurts(options: dict[str, Any]) -> None:
    game, exact = Quoridor(**options, max_plies=None), make_agent("exact")
    agent, undecided = make_agent("alphabeta:depth=8,memory=1"), 0
    for plies in range(2, 10):
        for state in shuffled(game, 30, plies, plies):
            agent.reset()
            decision = agent.act(game.from_text(state.to_text()), RNG)
            child = state.child(decision.action)
            after = child.returns()[state.current_player()]
            if not child.is_terminal():
                after = -np.sign(exact.act(child, RNG).value)
            truth = np.sign(exact.act(state, RNG).value)
            assert after == truth, (state.to_text(), state.action_to_string(decision.action))
            undecided += not decision.statistics["proven"]
    assert undecided > 5


# --- a cap -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("left", "count"), [(4, 150), (6, 100), (8, 40)])
def test_what_the_cap_leaves_room_for_is_found(left: int, count: int) -> None:
    game = Quoridor(board_size=3, fences=2, max_plies=12)
    agent, truth, values = make_agent("alphabeta:depth=14,memory=1"), Truth(game), list[int]()
    for state in shuffled(game, count, left, 12 - left):
        agent.reset()
        values.append(truth.of(state))
        decision = agent.act(state, RNG)
        assert truth.after(state, decision.action) == values[-1], (state.to_text(), state.history())
    assert set(values) >= ({-1, 0, 1} if left < 8 else {-1, 1})


@pytest.mark.parametrize(("ply", "value", "is_beyond"), [
    (90, frames.WON - 10, False), (90, frames.WON - 11, True), (90, 10 - frames.WON, False), (90, 11 - frames.WON, True),
    (90, 500, False), (99, frames.WON - 1, False), (99, frames.WON - 3, True),
])  # fmt: skip
def test_a_win_of_the_table_counts_where_the_cap_leaves_room_for_it(ply: int, value: int, is_beyond: bool) -> None:
    frame = np.zeros(frames.FRAME_SIZE, np.int64)
    frame[PLY] = ply
    assert is_beyond_cap(Quoridor(max_plies=100).rules, frame, value) == is_beyond
    assert not is_beyond_cap(Quoridor(max_plies=None).rules, frame, value)


# --- a past ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "plies", "count", "least"),
    [
        ({"board_size": 3, "fences": 0, "max_plies": 18}, 10, 300, 5),
        ({"board_size": 3, "fences": 1, "max_plies": 16}, 10, 100, 1),
        ({"board_size": 3, "fences": 2, "max_plies": 13}, 8, 60, 0),
        ({"board_size": 4, "fences": 0, "max_plies": 24}, 16, 60, 1),
    ],
)
def test_where_repetition_draws_no_value_is_lost_and_no_claim_is_wrong(
    options: dict[str, Any], plies: int, count: int, least: int
) -> None:
    """In `least` of the positions and more, what stood before decides."""
    game, plain = Quoridor(**options, repetition=3), Quoridor(**options)
    agent, truth, blind = make_agent("alphabeta:depth=18,memory=1"), Truth(game), Truth(plain)
    differing, claims = 0, 0
    for state in shuffled(game, count, 4, plies):
        agent.reset()
        value, decision = truth.of(state), agent.act(state, RNG)
        assert truth.after(state, decision.action) == value, (state.to_text(), state.history())
        if decision.statistics["proven"]:
            assert decision.value == value, (state.to_text(), state.history())
            claims += value != 0
        differing += value != blind.of(plain.from_text(state.to_text()))
    assert claims > 5
    assert differing >= least


def test_a_second_occurrence_is_no_draw_and_a_win_at_once_comes_first() -> None:
    game = Quoridor(board_size=3, fences=0, max_plies=8, repetition=3)
    state = game.new_initial_state()
    for action in (0, 4, 1, 7, 0):
        state.apply_action(action)
    decision = decide("alphabeta:depth=12", state)
    assert state.action_to_string(decision.action) == "b2"
    assert decision.value == Truth(game).of(state)


def test_the_table_is_not_asked_about_another_past() -> None:
    """A search goes on in a game in which a board has come back meanwhile: what it knew of others is no longer true."""
    game, changed = Quoridor(board_size=3, fences=0, max_plies=20, repetition=3), 0
    truth, kept = Truth(game), make_agent("alphabeta:depth=20,memory=1")
    rng = random.Random(6)
    for _ in range(60):
        state, before = game.new_initial_state(), 0
        kept.reset()
        for _ in range(12):
            if state.is_terminal():
                break
            value = truth.of(state)
            assert truth.after(state, kept.act(state, RNG).action) == value, (state.to_text(), state.history())
            changed += value != before
            before = value
            state.apply_action(biased_action(state, rng, SHUFFLER))
    assert changed > 20


@pytest.mark.parametrize(
    ("options", "moves"),
    [
        ({"board_size": 3, "fences": 3}, (11, 8, 2, 10, 1, 5, 2, 8, 1, 7, 0, 6, 3, 7, 4, 6, 3, 7, 4, 6, 3, 7)),
        ({"board_size": 3, "fences": 1}, (2, 4, 1, 7, 2, 4, 1, 7, 2)),
    ],
)
def test_a_win_that_leads_over_a_board_that_stood_twice_is_found(
    options: dict[str, int], moves: tuple[int, ...]
) -> None:
    state = Quoridor(**options, max_plies=None).new_initial_state()
    for action in moves:
        state.apply_action(action)
    decision = decide("alphabeta:nodes=20000,memory=1", state)
    assert (decision.value, decision.statistics["proven"]) == (1.0, True)
    assert make_agent("exact").act(state, RNG).value == 1.0


@pytest.mark.parametrize("options", [{"board_size": 3, "fences": 3}, {"board_size": 4, "fences": 1}])
def test_no_value_is_lost_whatever_stood_on_the_board_before(options: dict[str, int]) -> None:
    game, exact, agent = (
        Quoridor(**options, max_plies=None),
        make_agent("exact"),
        make_agent("alphabeta:nodes=20000,memory=1"),
    )
    barred = 0
    for plies in range(12, 30, 2):
        for state in shuffled(game, 12, plies, plies):
            agent.reset()
            barred += bool(barred_past(state))
            child = state.child(agent.act(state, RNG).action)
            after = child.returns()[state.current_player()]
            if not child.is_terminal():
                after = -np.sign(exact.act(child, RNG).value)
            assert after == np.sign(exact.act(state, RNG).value), (state.to_text(), state.history())
    assert barred > 20


@pytest.mark.parametrize(
    ("text", "depth", "move"),
    [("d1a4 / b2c2 / c1 c5 / 2 0 / 1 / 6", 4, "c4h"), ("b1a2 / a1b3 / e2 d5 / 2 0 / 1 / 12", 1, "d4v")],
)
def test_a_race_that_a_side_with_fences_wins_is_seen_where_nothing_is_left_to_look_ahead(
    text: str, depth: int, move: str
) -> None:
    state = Quoridor(board_size=5, fences=3, max_plies=None).from_text(text)
    decision = decide(f"alphabeta:depth={depth},memory=1", state)
    assert (state.action_to_string(decision.action), decision.value) == (move, 1.0)
    assert decision.statistics["proven"]


@pytest.mark.parametrize("size", [3, 4, 5])
def test_a_race_is_exact_whatever_stood_on_the_board_before(size: int) -> None:
    """Without a rule of repetition a position that comes back is worth what it is worth."""
    game, rng = Quoridor(board_size=size, fences=0, max_plies=None), np.random.default_rng(size)
    races, memory, outcomes = Races(game), AlphaBetaSearch(game, 1), set()
    for _ in range(60):
        state = game.new_initial_state()
        for _ in range(int(rng.integers(2, 14))):
            if not state.is_terminal():
                state.apply_action(int(rng.choice(state.legal_actions())))
        if state.is_terminal():
            continue
        plies, value = races.plies(state), memory.run(state, 64, 20_000, None).value
        assert np.sign(plies) == (value > frames.DECIDED) - (value < -frames.DECIDED), state.to_text()
        outcomes.add(np.sign(plies))
    assert outcomes >= {-1, 1}
