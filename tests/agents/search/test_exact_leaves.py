"""Exact values at the leaves: races of Quoridor and solved Tokaido, held against the rules and against the solver."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from sekisho.agents import make_agent
from sekisho.agents.exact import tokaido_library
from sekisho.agents.exact.quoridor_races import Races
from sekisho.agents.search import quoridor_races_tool as races
from sekisho.agents.search import tokaido_table_tool as solved
from sekisho.agents.search.mcts import MctsAgent
from sekisho.envs import Game, State, load_game
from sekisho.envs.errors import AgentError
from support.dash import Dash


def places(game: Game, seed: int, games: int, fenced: float = 0.5) -> list[State]:
    """Undecided states of random games; in Quoridor a fence is placed in that share of moves, while there are any."""
    rng, found = random.Random(seed), []
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            found.append(state.clone())
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
                continue
            actions = [action for action in state.legal_actions() if state.action_to_string(action) != "resign"]
            fences = [action for action in actions if state.action_to_string(action)[-1] in "hv"]
            others = [action for action in actions if action not in fences]
            state.apply_action(rng.choice(fences if fences and rng.random() < fenced else others))
    return found


def asked(state: State, data: Any) -> tuple[int, float]:
    out = np.zeros(2)
    known = 0
    for _ in range(2):  # a layout that is new is only marked
        known = known or int(races.table(state.game.rules, state.words.copy(), data, out))
    assert not known or out.sum() == 0.0
    return known, float(out[state.current_player()])


# --- races -------------------------------------------------------------------------------------------------------------


def minimax(state: State, known: dict[str, float]) -> float:
    """The return of the seat to move, by the rules alone; every move, to the last."""
    text = state.to_text()
    if text not in known:
        seat = state.current_player()
        after = (state.child(action) for action in state.legal_actions())
        known[text] = max(c.returns()[seat] if c.is_terminal() else -minimax(c, known) for c in after)
    return known[text]


@pytest.mark.parametrize(
    "options",
    [
        {"board_size": 3, "fences": 1, "max_plies": 11},
        {"board_size": 3, "fences": 2, "max_plies": 9},
        {"board_size": 4, "fences": 0, "max_plies": 9},  # too short for some wins
    ],
)
def test_what_the_table_knows_is_what_minimax_finds_under_the_cap(options: dict[str, Any]) -> None:
    game = load_game("quoridor", **options)
    data, values, seen = races.numbers(10**7, game), {}, {-1.0: 0, 0.0: 0, 1.0: 0}
    for state in places(game, 1, 60):
        known, value = asked(state, data)
        if known:
            assert value == minimax(state, values), state.to_text()
            seen[value] += 1
    assert min(seen[-1.0], seen[1.0]) > 5
    assert seen[0.0] > 3 or game.options["fences"]


@pytest.mark.parametrize("slots", [1, 3, 1000])
def test_the_table_says_what_races_says_however_few_layouts_it_keeps(slots: int) -> None:
    game = load_game("quoridor", fences=3, max_plies=None)
    room = slots * races.SLOT_BYTES + 8 * races.MARKS
    data, solver = races.numbers(room, game), Races(game)
    assert data.nbytes <= room + 16
    kinds = set()
    for state in places(game, 2, 40):
        if len(state.history()) > 30:
            continue
        known, value = asked(state, data)
        low, high = solver.bounds(state)  # type: ignore[arg-type]
        assert bool(known) == (low == high)
        if known:
            assert value == low
            assert known - 1 == abs(solver.plies(state))  # type: ignore[arg-type]
            kinds.add((value, sum(state.fences_left) > 0))  # type: ignore[attr-defined]
    assert kinds >= {(1.0, True), (-1.0, True), (1.0, False), (-1.0, False)}  # with fences in one hand, and without


@pytest.mark.parametrize("tree", ["keep", "fresh"])
@pytest.mark.parametrize("spec", ["mcts:simulations=50", "mcts:simulations=50,selection=uct,rollouts=uniform"])
def test_a_won_race_is_run_to_its_end_as_soon_as_it_can_be(spec: str, tree: str) -> None:
    game = load_game("quoridor", fences=4, max_plies=None)
    solver, rng, checked = Races(game), np.random.default_rng(0), 0
    for start in places(game, 3, 8, fenced=1.0)[8::25]:
        if sum(start.fences_left) > 0 or (plies := solver.plies(start)) == 0:  # type: ignore[attr-defined, arg-type]
            continue
        state, winner = start.clone(), start.current_player() if plies > 0 else 1 - start.current_player()
        agents = [make_agent(f"{spec},tree={tree}"), make_agent(f"{spec},tree={tree}")]
        for _ in range(abs(plies)):
            assert not state.is_terminal()
            decision = agents[state.current_player()].act(state, rng)
            assert decision.statistics["proven"]
            assert decision.value == (1.0 if state.current_player() == winner else -1.0)
            state.apply_action(decision.action)
        assert state.returns()[winner] == 1.0
        checked += 1
    assert checked > 2


def test_a_seat_that_alone_has_fences_runs_a_won_race_too() -> None:
    game = load_game("quoridor", board_size=5, fences=2, max_plies=None)
    state = game.new_initial_state()
    state.apply_moves("c2 a1h b2 c1h")  # seat 1 has spent its fences, seat 0 none
    plies = Races(game).plies(state)  # type: ignore[arg-type]
    assert plies > 0
    agent, rng = make_agent("mcts:simulations=200"), np.random.default_rng(0)
    for _ in range(plies):
        decision = agent.act(state, rng)
        assert abs(decision.value or 0.0) == 1.0
        state.apply_action(decision.action)
    assert state.returns()[0] == 1.0


def test_exact_races_can_be_left_out_and_are_no_proof_where_rules_forbid_it() -> None:
    start = next(s for s in places(load_game("quoridor"), 4, 1, fenced=1.0) if not sum(s.fences_left))  # type: ignore[attr-defined]
    found = {
        exact: make_agent(f"mcts:simulations=200,exact={exact}").act(start, np.random.default_rng(0)).statistics
        for exact in ("auto", "on", "off")
    }
    assert {exact: statistics["proven"] for exact, statistics in found.items()} == {
        "auto": True,
        "on": True,
        "off": False,
    }
    for options, word in (({"players": 4}, "two players"), ({"repetition": 3}, "repetition")):
        game = load_game("quoridor", **options)
        with pytest.raises(AgentError, match=word):
            make_agent("mcts:exact=on").supports(game)
        make_agent("mcts").supports(game)


def test_races_take_their_part_of_the_memory() -> None:
    agent = MctsAgent(simulations=5, memory=1)
    agent.act(load_game("quoridor").new_initial_state(), np.random.default_rng(0))
    assert agent._search is not None
    held = agent._search._data.nbytes + sum(array.nbytes for array in agent._search.tree)
    assert held <= 2**20 + 100


# --- solved Tokaido ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"forks": "miya", "goal": "over", "allow_resign": True, "max_turns": 1000, "finish": "first"}]
)
def test_the_evaluation_of_solved_tokaido_is_the_value_of_its_table(options: dict[str, Any]) -> None:
    game = load_game("tokaido", **options)
    table, out = solved.find_table(game, shipped_only=True), np.zeros(2)
    numbers = solved.Numbers(table)
    data = numbers(game)
    for state in places(game, 5, 8):
        before = state.words.copy()
        solved.evaluation(game.rules, state.words, data, out)
        assert out == pytest.approx(table.seat_values(state), abs=1e-12)  # type: ignore[arg-type]
        assert (state.words == before).all()


def test_a_search_with_the_table_chooses_as_perfect_play_does_where_it_matters() -> None:
    game, rng = load_game("tokaido"), np.random.default_rng(0)
    table, checked = solved.find_table(game, shipped_only=True), 0
    agent = make_agent("mcts:simulations=400,tree=fresh")
    for state in [s for s in places(game, 6, 40) if s.current_player() >= 0 and len(s.legal_actions()) > 1][::17]:
        values = {a: v[state.current_player()] for a, v in table.action_values(state).items()}  # type: ignore[arg-type]
        if max(values.values()) - min(values.values()) < 0.1:
            continue
        decision = agent.act(state, rng)
        assert decision.action == max(values, key=lambda action: values[action])
        assert decision.value == pytest.approx(values[decision.action], abs=0.1)
        checked += 1
    assert checked > 10


def test_a_table_is_never_solved_by_a_search_and_one_that_others_may_lack_only_counts_if_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("looked for in the cache folder, or solved")

    game = load_game("tokaido", players=3)
    with monkeypatch.context() as patched:
        patched.setattr(tokaido_library, "kept", refuse)
        patched.setattr(tokaido_library, "solve_and_keep", refuse)
        make_agent("mcts:simulations=5").supports(game)
    with monkeypatch.context() as patched:
        patched.setattr(tokaido_library, "kept", lambda *_: None)
        patched.setattr(tokaido_library, "solve_and_keep", refuse)
        with pytest.raises(AgentError, match="sekisho solve tokaido --players 3"):
            make_agent("mcts:exact=on").supports(game)


@pytest.mark.parametrize("game", [load_game("picture_sugoroku"), Dash()], ids=["picture_sugoroku", "dash"])
def test_exact_values_that_nobody_brings_are_refused_in_words(game: Game) -> None:
    with pytest.raises(AgentError, match=f"{game.name} brings no exact values"):
        make_agent("mcts:exact=on").supports(game)
