"""How the agent behaves: repeatable, in time, in memory, in threads, and in words where it refuses."""

from __future__ import annotations

import ast
import math
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sekisho.agents.search
from sekisho.agents import make_agent
from sekisho.agents.agent import Decision
from sekisho.agents.search.mcts import MctsAgent
from sekisho.agents.search.tree import node_bytes
from sekisho.arena.match import play_game
from sekisho.envs import Game, State, load_game
from sekisho.envs.errors import AgentError, OptionError
from support.dash import Dash
from support.dice_race import DiceRace

GAMES: list[Game] = [
    load_game("quoridor", board_size=5, fences=2),
    load_game("quoridor", players=4, board_size=5, fences=1),
    load_game("tokaido", players=3, forks="three"),
    load_game("tokaido", players=6),
    load_game("picture_sugoroku", board="treasure_hunt", players=4),
    Dash(length=12),
]
each_game = pytest.mark.parametrize("game", GAMES, ids=[f"{game.name}-{game.num_players}" for game in GAMES])


def first_decision(game: Game) -> State:
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[-1][0])
    return state


def decide(spec: str, state: State, seed: int = 0) -> Decision:
    return make_agent(spec).act(state, np.random.default_rng(seed))


def without_time(decision: Decision) -> tuple[Any, ...]:
    statistics = {key: value for key, value in decision.statistics.items() if key != "seconds"}
    return decision.action, decision.value, decision.policy, decision.line, statistics


@each_game
def test_a_line_that_is_drawn_is_that_of_a_simulation(game: Game) -> None:
    state, agent = first_decision(game), MctsAgent(simulations=200)
    assert agent.drawn_line(np.random.default_rng(0)) == ()
    visits = agent.act(state, np.random.default_rng(0)).statistics["visits"]
    rng, total, firsts, ends = np.random.default_rng(1), sum(visits.values()), Counter[int](), set[int]()
    for _ in range(1000):
        line, there = agent.drawn_line(rng), state.clone()
        for action in line:
            assert not there.is_terminal()
            there.apply_action(action)  # refuses what is not legal
        firsts[line[0]] += 1
        ends.add(len(line))
    for action, count in visits.items():
        share = count / total
        assert firsts[action] / 1000 == pytest.approx(share, abs=5 * math.sqrt(share * (1 - share) / 1000) + 1e-9)
    assert min(ends) == 1
    assert len(ends) > 1


# --- what a decision says ----------------------------------------------------------------------------------------------


@each_game
def test_visits_values_and_line_belong_together(game: Game) -> None:
    state = first_decision(game)
    decision = decide("mcts:simulations=300", state)
    statistics, several = decision.statistics, len(state.legal_actions()) > 1
    assert sum(statistics["visits"].values()) == statistics["simulations"] == (300 if several else 64)
    assert set(statistics["visits"]) == set(statistics["values"]) <= set(state.legal_actions())
    assert decision.action == max(statistics["visits"], key=lambda action: statistics["visits"][action])
    assert decision.value == statistics["values"][decision.action]
    assert game.min_utility <= decision.value <= game.max_utility
    assert decision.policy == {a: n / sum(statistics["visits"].values()) for a, n in statistics["visits"].items()}
    assert decision.line[0] == decision.action
    for action in decision.line:
        assert state.current_player() >= 0
        state.apply_action(action)


@each_game
def test_a_seed_and_a_count_give_the_same_search_and_another_seed_another(game: Game) -> None:
    state = first_decision(game)
    for spec in ("mcts:simulations=200", "mcts:simulations=200,selection=puct,first_play=0,noise=0.25,temperature=1"):
        assert without_time(decide(spec, state)) == without_time(decide(spec, state))
        assert without_time(decide(spec, state)) != without_time(decide(spec, state, seed=1))


def test_values_of_all_seats_are_kept_and_add_up_to_what_the_game_pays() -> None:
    for game in GAMES:
        agent = MctsAgent(simulations=200)
        agent.act(first_decision(game), np.random.default_rng(0))
        assert agent._search is not None
        for child in agent._search.children():
            assert len(child.values) == game.num_players
            assert sum(child.values) == pytest.approx(0.0, abs=1e-9)


# --- limits ------------------------------------------------------------------------------------------------------------


def overrun(spec: str, state: State, seconds: float, deadline: bool) -> float:
    """Seconds beyond the limit that the process had a core for."""
    agent = make_agent(spec)
    agent.supports(state.game)
    rng = np.random.default_rng(0)
    begin, cpu = time.monotonic(), time.process_time()
    agent.act(state, rng, begin + seconds if deadline else None)
    wall, used = time.monotonic() - begin, time.process_time() - cpu
    return wall - seconds - max(0.0, wall - used)


@pytest.mark.parametrize("seconds", [0.005, 0.03, 0.3])
@pytest.mark.parametrize("name", ["quoridor", "tokaido"])
def test_a_time_limit_is_kept(name: str, seconds: float) -> None:
    state = first_decision(load_game(name))
    assert overrun(f"mcts:seconds={seconds}", state, seconds, deadline=False) < 0.02
    assert overrun("mcts:simulations=100000000", state, seconds, deadline=True) < 0.02
    assert overrun("mcts:seconds=60", state, seconds, deadline=True) < 0.02  # the earlier one counts


def test_the_time_is_used_and_a_count_stops_earlier() -> None:
    state = first_decision(load_game("quoridor"))
    assert decide("mcts:seconds=0.2", state).statistics["seconds"] > 0.19
    both = decide("mcts:seconds=60,simulations=50", state).statistics
    assert both["simulations"] == 50
    assert both["seconds"] < 10


def test_a_deadline_that_has_passed_still_gets_a_legal_answer() -> None:
    state = first_decision(load_game("quoridor"))
    decision = make_agent("mcts").act(state, np.random.default_rng(0), time.monotonic() - 5)
    assert decision.action in state.legal_actions()
    assert decision.statistics["simulations"] == 1


def test_without_limits_a_thousand_simulations_are_run() -> None:
    assert decide("mcts", first_decision(GAMES[0])).statistics["simulations"] == 1000


def test_memory_is_bounded_and_it_is_said_when_it_is_used_up() -> None:
    state = first_decision(load_game("quoridor"))
    decision = decide("mcts:simulations=20000,memory=1,rollouts=uniform", state)
    assert decision.statistics["full"]
    assert decision.statistics["simulations"] == 20000
    assert decision.statistics["nodes"] * node_bytes(2) <= 2**20
    assert not decide("mcts:simulations=2000", state).statistics["full"]


# --- threads -----------------------------------------------------------------------------------------------------------


@each_game
def test_threads_leave_a_tree_in_which_all_sums_are_right(game: Game) -> None:
    agent = MctsAgent(simulations=4000, threads=4)
    decision = agent.act(first_decision(game), np.random.default_rng(0))
    assert agent._search is not None
    tree = agent._search.tree
    assert sum(decision.statistics["visits"].values()) == tree.visits[0] == decision.statistics["simulations"]
    for node in range(decision.statistics["nodes"]):
        below = slice(tree.first[node], tree.first[node] + tree.children[node])
        if tree.children[node] and not tree.proven[node]:
            assert tree.visits[node] - tree.visits[below].sum() == (1 if node else 0)  # the rollout of the node itself
            assert (tree.visits[below] > 0).sum() == tree.tried[node]
        if tree.visits[node]:  # no virtual loss is left
            assert tree.value[node].sum() == pytest.approx(0.0, abs=1e-6)


# --- the tree between moves --------------------------------------------------------------------------------------------


def test_the_tree_is_kept_from_one_decision_to_the_next() -> None:
    state, rng = first_decision(load_game("quoridor", board_size=5, fences=2)), np.random.default_rng(0)
    agent = make_agent("mcts:simulations=3000")
    decision = agent.act(state, rng)
    line = decision.line
    assert len(line) > 2
    assert decision.statistics["kept"] == 0
    later = state.child(line[0]).child(line[1])
    second = agent.act(later, rng)
    assert 0 < second.statistics["kept"] < 3000
    assert second.statistics["simulations"] == 3000
    assert sum(second.statistics["visits"].values()) == second.statistics["kept"] + 3000 - 1  # one was its own rollout
    agent.reset()
    assert agent.act(later, rng).statistics["kept"] == 0


@pytest.mark.parametrize("spec", ["mcts:simulations=500,tree=fresh", "mcts:simulations=500"])
def test_nothing_is_kept_of_other_positions(spec: str) -> None:
    game = load_game("quoridor", board_size=5, fences=2)
    agent, rng = make_agent(spec), np.random.default_rng(0)
    start = game.new_initial_state()
    action = agent.act(start, rng).action
    assert agent.act(start, rng).statistics["kept"] == 0  # the same once more
    elsewhere = game.from_text(" / / b2 d4 / 2 2 / 1 / 0")
    other = next(a for a in elsewhere.legal_actions() if a in start.legal_actions())
    agent.act(start, rng)
    assert agent.act(elsewhere.child(other), rng).statistics["kept"] == 0
    agent.act(start, rng)
    kept = agent.act(start.child(action), rng).statistics["kept"]
    assert (kept == 0) == ("fresh" in spec)


@each_game
def test_a_whole_game_with_a_kept_tree_keeps_its_sums(game: Game) -> None:
    state, rng, agent = game.new_initial_state(), np.random.default_rng(3), MctsAgent(simulations=150)
    while not state.is_terminal() and len(state.history()) < 60:
        if state.is_chance_node():
            state.apply_action(state.chance_outcomes()[int(rng.integers(len(state.chance_outcomes())))][0])
            continue
        decision = agent.act(state, rng)
        statistics = decision.statistics
        missing = statistics["simulations"] + statistics["kept"] - sum(statistics["visits"].values())
        assert statistics["proven"] or missing == (1 if statistics["kept"] else 0)  # a node's first is its own rollout
        state.apply_action(decision.action)


# --- chance ------------------------------------------------------------------------------------------------------------


def test_outcomes_are_visited_by_their_probabilities() -> None:
    agent = MctsAgent(simulations=30_000)
    agent.act(Dash(length=40).from_text("0 0 0 2"), np.random.default_rng(0))
    assert agent._search is not None
    tree = agent._search.tree
    node = max(range(tree.first[0], tree.first[0] + 2), key=lambda child: tree.visits[child])
    first = tree.first[node]
    assert tree.children[node] == 3
    shares = {int(tree.action[c]): tree.visits[c] / tree.visits[node] for c in range(first, first + 3)}
    for face, chance in ((1, 1 / 2), (2, 1 / 3), (3, 1 / 6)):
        assert abs(shares[face] - chance) < 5 * math.sqrt(chance / tree.visits[node])


def test_many_outcomes_are_opened_progressively() -> None:
    state = first_decision(load_game("tokaido"))
    opened = {}
    for wide in (5, 32):
        agent = MctsAgent(simulations=60, wide=wide)
        agent.act(state, np.random.default_rng(0))
        assert agent._search is not None
        tree = agent._search.tree
        throws = [n for n in range(tree.head[0]) if tree.seat[n] == -1 and tree.children[n] > 5 and tree.visits[n] > 10]
        assert throws
        opened[wide] = max(int(tree.tried[n]) for n in throws)
        if wide == 5:
            assert all(tree.tried[n] <= 2 * math.sqrt(tree.visits[n]) + 1 for n in throws)
    assert opened[5] <= opened[32]


# --- strength ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "games", "least"),
    [("quoridor", {"board_size": 5, "fences": 3}, 20, 18), ("tokaido", {}, 60, 33)],
)
def test_random_play_is_beaten(name: str, options: dict[str, Any], games: int, least: int) -> None:
    game, wins = load_game(name, **options), 0
    agents = [make_agent("mcts:simulations=100"), make_agent("random")]
    for number in range(games):
        seat = number % 2
        played = play_game(game.new_initial_state(), agents[:: 1 - 2 * seat], [1, number], [2, number])
        wins += played.state.returns()[seat] > 0
    assert wins >= least


# --- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "option",
    [
        "simulations=0", "simulations=-1", "simulations=9999999999999999999999", "seconds=0", "seconds=-1", "seconds=1e9",
        "selection=best", "exploration=-1", "exploration=1e300", "first_play=-1e300", "cutoff=9999999999999999999999",
        "temperature=1e-300", "alpha=1e-300", "wide=9999999999999999999999", "threads=-1", "exact=maybe", "memory=99999999",
        "rollouts=wild", "cutoff=-1", "cutoff=3,rollouts=none", "threads=0", "threads=1000", "memory=0", "tree=maybe", "temperature=-1",
        "noise=2", "noise=0.5,selection=uct", "priors=wise", "alpha=0", "wide=0", "rivals=0.5", "rivals=1001",
        "rivals=2,selection=uct",
    ],
)  # fmt: skip
def test_nonsense_is_refused_with_the_name_of_the_option(option: str) -> None:
    with pytest.raises(OptionError, match=f"'{option.partition('=')[0]}' must be"):
        make_agent(f"mcts:{option}")


@pytest.mark.parametrize("option", ["simulations=many", "simulations=None", "seconds=inf", "seconds=nan", "memory=1.5"])
def test_what_is_no_number_is_refused(option: str) -> None:
    with pytest.raises(OptionError, match="must be a"):
        make_agent(f"mcts:{option}")


@pytest.mark.parametrize("deadline", [math.nan])
def test_a_deadline_that_is_no_moment_is_refused(deadline: float) -> None:
    with pytest.raises(AgentError, match="a deadline is a moment"):
        make_agent("mcts").act(first_decision(GAMES[0]), np.random.default_rng(0), deadline)


def test_no_function_of_the_search_calls_itself() -> None:
    files = list(Path(sekisho.agents.search.__file__).parent.glob("*.py"))
    assert len(files) > 8
    for path in files:
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                calls = {ast.unparse(call.func) for call in ast.walk(function) if isinstance(call, ast.Call)}
                assert not calls & {function.name, f"self.{function.name}"}, f"{path.name}: {function.name}"


def test_a_game_without_compiled_kernels_is_refused() -> None:
    with pytest.raises(AgentError, match="not compiled"):
        make_agent("mcts").supports(DiceRace())


def test_a_game_without_an_evaluation_is_refused_where_one_is_needed() -> None:
    for option in ("rollouts=none", "cutoff=3"):
        with pytest.raises(AgentError, match="picture_sugoroku brings no evaluation"):
            make_agent(f"mcts:{option}").supports(load_game("picture_sugoroku"))
    for option, tool in (("rollouts=guided", "policy"), ("priors=guided", "priors"), ("rollouts=none", "evaluation")):
        with pytest.raises(AgentError, match=f"dash brings no {tool}"):
            make_agent(f"mcts:{option}").supports(Dash())


@each_game
@pytest.mark.parametrize(
    "options", ["selection=uct", "selection=puct", "rollouts=uniform", "priors=uniform", "noise=0.3"]
)
def test_any_part_of_the_defaults_can_be_chosen_for_any_game(game: Game, options: str) -> None:
    state = first_decision(game)
    assert decide(f"mcts:simulations=40,{options}", state).action in state.legal_actions()


def test_a_throw_and_a_finished_game_are_refused() -> None:
    with pytest.raises(AgentError, match="a die is to be thrown"):
        decide("mcts", load_game("tokaido").new_initial_state())
    with pytest.raises(AgentError, match="the game is over"):
        decide("mcts", Dash(length=3).from_text("3 0 1 0"))
