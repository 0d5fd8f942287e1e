"""What the games bring for the leaves of a search: fast playouts, policies, evaluations."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from dash_race import returns as dash_returns
from scipy import stats

from sekisho.agents import make_agent
from sekisho.agents.heuristics import quoridor as quoridor_heuristic
from sekisho.agents.heuristics import tokaido as lone_travellers
from sekisho.agents.search import quoridor_tools, tokaido_tools
from sekisho.agents.search.tools import GameTools, register_tools
from sekisho.envs import State, load_game
from sekisho.envs.compiling import kernel
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.playouts import random_playouts
from sekisho.envs.quoridor.kernels import PLY
from sekisho.envs.quoridor.playout import playout
from support.dash import Dash
from support.quoridor_play import biased_action, random_habit

NOTHING = np.zeros(1)


def states_on_the_way(name: str, seed: int, count: int, plies: int, **options: Any) -> list[State]:
    game, rng, found = load_game(name, **options), random.Random(seed), []
    while len(found) < count:
        state, habit = game.new_initial_state(), random_habit(rng)
        for _ in range(rng.randrange(plies)):
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
            elif not state.is_terminal():
                crowd = name == "quoridor"
                state.apply_action(biased_action(state, rng, habit) if crowd else rng.choice(state.legal_actions()))  # type: ignore[arg-type]
        if not state.is_terminal():
            found.append(state)
    return found


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"board_size": 5, "fences": 2},
        {"board_size": 3, "fences": 0, "max_plies": 9},
        {"board_size": 5, "fences": 1, "max_plies": None},
        {"players": 4, "board_size": 5, "fences": 1},
        {"players": 4, "board_size": 4, "fences": 0, "third_pawn": "diagonal"},
    ],
)
def test_fast_playouts_of_quoridor_end_as_those_by_the_rules_do(options: dict[str, Any]) -> None:
    games = 1000
    for state in states_on_the_way("quoridor", 7, 3, 30, **options):
        slow = random_playouts(state, games, seed=1)
        rng, out = new_rng(2), np.zeros(state.game.num_players)
        returns, plies = np.zeros((games, out.size)), np.zeros(games)
        for number in range(games):
            words = state.words.copy()
            playout(state.game.rules, words, rng, out)
            returns[number], plies[number] = out, words[PLY] - state.words[PLY]
        errors = np.sqrt(returns.var(axis=0) / games + slow.standard_errors**2) + 1e-9
        assert (np.abs(returns.mean(axis=0) - slow.mean_returns) < 5 * errors).all()
        assert stats.ks_2samp(plies, slow.plies).pvalue > 1e-4


@pytest.mark.parametrize("options", [{}, {"board_size": 5, "fences": 3}, {"players": 4, "board_size": 5, "fences": 1}])
def test_the_policy_of_quoridor_plays_legal_moves_and_runs_when_it_has_no_fences(options: dict[str, Any]) -> None:
    rng = new_rng(1)
    for state in states_on_the_way("quoridor", 3, 30, 60, **options):
        for _ in range(10):
            action = quoridor_tools.policy(state.game.rules, state.words, NOTHING, rng)
            assert action in state.legal_actions()
        moves = [a for a in state.legal_actions() if a < state.game.options["board_size"] ** 2]
        if state.fences_left[state.seat] == 0 and len(moves) > 1:  # type: ignore[attr-defined]
            steps = {a: state.child(a).distances()[state.seat] for a in moves}  # type: ignore[attr-defined]
            assert steps[action] == min(steps.values())


@pytest.mark.parametrize("options", [{}, {"board_size": 5, "fences": 3}, {"players": 4, "board_size": 5, "fences": 1}])
def test_the_priors_of_quoridor_prefer_what_the_heuristic_prefers(options: dict[str, Any]) -> None:
    for state in states_on_the_way("quoridor", 8, 20, 40, **options):
        out = np.zeros(state.game.num_actions)
        mask = np.zeros(state.game.num_actions, dtype=np.int8)
        quoridor_tools.priors(state.game.rules, state.words, NOTHING, mask, out)
        assert (out[state.legal_actions()] > 0).all()
        actions, worths = quoridor_heuristic.scores(state)
        assert set(np.flatnonzero(out == out.max())) == set(actions[worths == worths.max()])


def test_guided_priors_decide_what_is_looked_at_first() -> None:
    state = load_game("quoridor").new_initial_state()
    decision = make_agent("mcts:simulations=1").act(state, np.random.default_rng(0))
    assert state.action_to_string(next(iter(decision.statistics["visits"]))) == "e2"


def test_evaluations_are_returns_of_all_seats_and_know_who_is_ahead() -> None:
    game = load_game("quoridor")
    out = np.zeros(2)
    values = []
    for pawns in ("e2 e8", "e5 e8", "e8 d8", "e2 e3"):
        state = game.from_text(f" / / {pawns} / 10 10 / 1 / 20")
        quoridor_tools.evaluation(game.rules, state.words, NOTHING, out)
        assert out.sum() == pytest.approx(0.0)
        assert -1 <= out.min() <= out.max() <= 1
        values.append(out[0])
    assert values[3] < values[0] < values[1] < values[2]


@pytest.mark.parametrize("options", [{}, {"players": 4, "forks": "three"}, {"players": 3, "rests_add_up": True}])
def test_the_evaluation_of_tokaido_is_that_of_lone_travellers(options: dict[str, Any]) -> None:
    states = states_on_the_way("tokaido", 5, 40, 40, **options)
    data, out = tokaido_tools.numbers(states[0].game), np.zeros(states[0].game.num_players)
    for state in states:
        tokaido_tools.evaluation(state.game.rules, state.words, data, out)
        worth = [lone_travellers.worth(state, seat) for seat in range(out.size)]
        assert out == pytest.approx(2 * np.array(worth) - 1, abs=2e-3)


def test_the_policy_of_tokaido_plays_legal_moves_and_does_not_resign() -> None:
    for options in ({"forks": "three"}, {"allow_resign": True}):
        rng = new_rng(1)
        for state in states_on_the_way("tokaido", 6, 60, 60, **options):
            if state.current_player() >= 0:
                action = tokaido_tools.policy(state.game.rules, state.words, tokaido_tools.numbers(state.game), rng)
                assert state.action_to_string(action) != "resign"
                assert action in state.legal_actions()


# --- a game of another package brings its own ---------------------------------------------------------------------------


@kernel
def knows_late_positions(rules: Any, state: Any, data: Any, out: Any) -> Any:
    """Claims, for the test, that who leads by two has won."""
    if abs(state[0] - state[1]) < 2:
        return 0
    out[0] = data[0] if state[0] > state[1] else -data[0]
    out[1] = -out[0]
    return 1


@kernel
def always_even(rules: Any, state: Any, _data: Any, out: Any) -> None:
    dash_returns(rules, state, out)


@kernel
def small_steps(_rules: Any, state: Any, _data: Any, _rng: Any) -> Any:
    return np.int64(state[2] * 0 + (1 if state[3] > 1 else 0))


class ToolDash(Dash):
    name = "tool_dash"


def test_tools_of_another_package_are_used() -> None:
    register_tools("tool_dash", GameTools(policy=small_steps, evaluation=always_even, table=knows_late_positions,
                                          numbers=lambda game: np.array([1.0])))  # fmt: skip
    with pytest.raises(ValueError, match="registered already"):
        register_tools("tool_dash", GameTools())
    state = ToolDash(length=50).from_text("0 0 0 3")
    for options in ("", ",rollouts=guided", ",rollouts=none", ",rollouts=guided,cutoff=4"):
        decision = make_agent(f"mcts:simulations=400{options}").act(state, np.random.default_rng(0))
        assert decision.statistics["proven"]  # going three ahead is a win that the table knows
        assert (decision.action, decision.value) == (0, 1.0)


class EvenDash(Dash):
    name = "even_dash"


def test_an_evaluation_in_place_of_rollouts_sees_nothing_far_from_the_end() -> None:
    register_tools("even_dash", GameTools(evaluation=always_even))
    state = EvenDash(length=50).from_text("20 20 0 1")
    for options in ("rollouts=none", "cutoff=2"):
        decision = make_agent(f"mcts:simulations=50,{options}").act(state, np.random.default_rng(0))
        assert decision.value == 0.0
