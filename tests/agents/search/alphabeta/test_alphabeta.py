"""The agent `alphabeta`: right where the truth is known, repeatable, and the same however often it is stopped."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

from sekisho.agents import make_agent
from sekisho.agents.agent import Decision, Watch
from sekisho.agents.search.alphabeta import frames, search
from sekisho.agents.search.alphabeta.search import AlphaBetaSearch
from sekisho.envs import State, load_game
from sekisho.envs.errors import AgentError, OptionError, UnknownNameError
from sekisho.envs.quoridor.kernels import HORIZONTAL, LEFT, PLY, VERTICAL
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState
from support.plain_search import alpha_beta

RNG = np.random.default_rng(0)


def decide(spec: str, state: State) -> Decision:
    return make_agent(spec).act(state, np.random.default_rng(0))


def positions(count: int, seed: int, most_plies: int = 10, **options: Any) -> list[State]:
    game, rng = load_game("quoridor", **options), np.random.default_rng(seed)
    found: list[State] = []
    while len(found) < count:
        state = game.new_initial_state()
        for _ in range(rng.integers(most_plies)):
            if not state.is_terminal():
                state.apply_action(int(rng.choice(state.legal_actions())))
        if not state.is_terminal():
            found.append(state)
    return found


# --- what is known ----------------------------------------------------------------------------------------------------


def positions_of_runners(count: int, seed: int, **options: Any) -> list[State]:
    """Positions in which somebody is near the goal line."""
    game, rng, runner = load_game("quoridor", **options), np.random.default_rng(seed), make_agent("shortest_path")
    found: list[State] = []
    while len(found) < count:
        state = game.new_initial_state()
        while not state.is_terminal():
            if min(search.distance(game.rules, state.words, seat) for seat in range(2)) <= 2 and rng.random() < 0.3:
                found.append(state)
                break
            runs = rng.random() < 0.7
            action = runner.act(state, rng).action if runs else int(rng.choice(state.legal_actions()))
            state.apply_action(action)
    return found


@pytest.mark.parametrize("options", [{}, {"board_size": 6, "fences": 4}])
def test_wins_within_few_plies_are_found_and_none_is_made_up(options: dict[str, Any]) -> None:
    game = load_game("quoridor", **options)
    agent = make_agent("alphabeta:depth=3")
    seen = []
    for state in positions_of_runners(60, 8, **options):
        agent.reset()
        decision = agent.act(state, RNG)
        truth = int(alpha_beta(game.table, game.rules, state.words, game.num_actions, 3))
        seen.append(truth)
        if truth != 0:
            assert decision.statistics["proven"], state.to_text()
            assert decision.value == truth, state.to_text()
        elif decision.statistics["proven"]:  # a race may be seen further
            assert frames.WON - abs(decision.statistics["score"]) > 3, state.to_text()
    assert min(seen.count(1), seen.count(0)) > 3


def test_a_step_onto_the_goal_line_is_taken() -> None:
    decision = decide("alphabeta:nodes=100", load_game("quoridor").from_text(" / / e8 e5 / 10 10 / 1 / 30"))
    assert (decision.value, decision.statistics["score"]) == (1.0, frames.WON - 1)


def test_a_win_that_the_cap_forbids_is_none() -> None:
    game = load_game("quoridor", fences=0, max_plies=40)
    assert decide("alphabeta:depth=8", game.from_text(" / / e4 a4 / 0 0 / 1 / 10")).value == -1.0
    assert decide("alphabeta:depth=8", game.from_text(" / / e4 a6 / 0 0 / 1 / 20")).value == 1.0
    assert decide("alphabeta:depth=8", game.from_text(" / / e4 a6 / 0 0 / 1 / 32")).value == 0.0


# --- how it works -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"board_size": 5, "fences": 3}])
def test_a_search_that_is_stopped_after_every_few_nodes_finds_the_same(options: dict[str, Any]) -> None:
    game = Quoridor(**options)
    whole, pieces = AlphaBetaSearch(game, 4), AlphaBetaSearch(game, 4)
    for state in positions(3, 11, **options):
        found = whole.run(state, 5, None, None)
        pieces.begin(state, 5)
        nodes, rng, asked, done = 0, np.random.default_rng(2), 1, 1
        while asked == done:
            asked = int(rng.integers(1, 40))
            done = pieces.go_on(asked)
            nodes += done
        assert nodes == found.nodes
        assert pieces.found() == found


@pytest.mark.parametrize(
    "text",
    [
        "c1e1g1b4d4a5c5h6f7 / e3e7b8f8 / c3 d9 / 3 4 / 1 / 22",
        "g1c2e2d6a8c8 / f2e3e5b6c7e7 / d3 e8 / 5 3 / 1 / 28",
        "e1d2c4c5d6g6 / e4c6e6 / d6 f5 / 5 6 / 1 / 22",
    ],
)
def test_what_would_be_played_is_never_a_move_that_is_worse_than_the_one_before(text: str) -> None:
    """It looks worse than it did, so the root is searched again: what was best is judged first, or others seem best."""
    found, state = AlphaBetaSearch(load_game("quoridor"), 16), load_game("quoridor").from_text(text)
    found.begin(state)
    control, falls, windows = found._control, 0, dict[tuple[int, int], list[int]]()
    while control[frames.NODES] < 25_000:
        before = int(control[frames.ITERATION]), int(control[frames.WINDOW_LOW])
        found.go_on(20)
        window = int(control[frames.ITERATION]), int(control[frames.WINDOW_LOW])
        falls += window[0] == before[0] and window[1] < before[1]
        moves = windows.setdefault(window, [])
        if not moves or moves[-1] != control[frames.DONE_MOVE]:
            moves.append(int(control[frames.DONE_MOVE]))
    assert falls > 0
    for moves in windows.values():
        assert len(set(moves)) == len(moves)  # none comes back that was judged and left


def test_the_position_that_a_search_looks_at_is_one_of_the_game_after_its_root() -> None:
    game = Quoridor(board_size=5, fences=3)
    search, met = AlphaBetaSearch(game, 1), set()
    for state in positions(3, 11, board_size=5, fences=3):
        search.begin(state)
        for _ in range(30):
            search.go_on(37)
            words = search.looks_at()
            if words is None:
                continue
            ply = int(words[PLY])
            assert ply > state.words[PLY]
            met.add(ply - int(state.words[PLY]))
            text = QuoridorState(game, words).to_text()
            assert all(words[LEFT + seat] <= state.words[LEFT + seat] for seat in range(2))
            gone = sum(int(state.words[LEFT + seat] - words[LEFT + seat]) for seat in range(2))
            placed = [int(words[at]).bit_count() - int(state.words[at]).bit_count() for at in (HORIZONTAL, VERTICAL)]
            assert sum(placed) == gone
            assert game.from_text(text).to_text() == text  # the rules can reach it
    assert len(met) > 2


def test_a_bare_position_is_judged_as_a_search_would_that_knows_no_other() -> None:
    game = Quoridor(board_size=5, fences=3)
    judge = AlphaBetaSearch(game, 1)
    for state in positions(4, 11, board_size=5, fences=3):
        fresh = AlphaBetaSearch(game, 1).run(game.from_text(state.to_text()), 64, 300, None)
        judge.forget()
        assert judge.judge(state.words, 300) == fresh
        assert judge.judge(state.words, 10**4).nodes <= 10**4


def test_as_many_nodes_are_looked_at_as_were_asked_for() -> None:
    state = load_game("quoridor").new_initial_state()
    assert decide("alphabeta:nodes=12345", state).statistics["nodes"] == 12345


def test_decisions_repeat() -> None:
    for state in positions(4, 12):
        first, second = (decide("alphabeta:nodes=3000", state) for _ in range(2))
        assert (first.action, first.value, first.line) == (second.action, second.value, second.line)


def test_reset_forgets() -> None:
    agent, state = make_agent("alphabeta:nodes=2000"), positions(1, 13)[0]
    first = agent.act(state, RNG)
    agent.act(state.child(first.action), RNG)
    agent.reset()
    again = agent.act(state, RNG)
    assert (again.action, again.value, again.line) == (first.action, first.value, first.line)


def test_the_line_can_be_played() -> None:
    for state in positions(5, 14):
        decision = decide("alphabeta:nodes=5000", state)
        assert decision.line[0] == decision.action
        walk = state.clone()
        for action in decision.line:
            assert action in walk.legal_actions()
            walk.apply_action(action)
        assert len(decision.line) > 1


def test_time_is_kept() -> None:
    agent = make_agent("alphabeta:seconds=0.2")
    state = load_game("quoridor").new_initial_state()
    agent.supports(state.game)
    late = []
    for _ in range(5):
        begin = time.monotonic()
        agent.act(state, RNG)
        late.append(time.monotonic() - begin - 0.2)
    assert min(late) < 0.02
    begin = time.monotonic()
    agent.act(state, RNG, begin + 0.05)
    assert time.monotonic() - begin < 0.15


def test_a_decision_is_watched_and_stopped() -> None:
    agent, heard = make_agent("alphabeta:seconds=60"), []
    state = load_game("quoridor").new_initial_state()
    agent.supports(state.game)
    watch = agent.watch = Watch(heard.append, every=0.05)
    timer = threading.Timer(0.4, watch.stop)
    timer.start()
    decision = agent.act(state, RNG)
    timer.join()
    assert decision.statistics["seconds"] < 10
    assert len(heard) > 1
    assert all(told.action in state.legal_actions() for told in heard)


def test_a_deadline_in_the_past_still_gets_a_move() -> None:
    for state in positions(3, 15):
        decision = make_agent("alphabeta").act(state, RNG, time.monotonic() - 1)
        assert decision.action in state.legal_actions()


def test_it_beats_the_heuristic() -> None:
    game = load_game("quoridor")
    agent, other = make_agent("alphabeta:nodes=1500"), make_agent("heuristic")
    wins = 0
    rng = np.random.default_rng(16)
    for number in range(8):
        state = game.new_initial_state()
        for _ in range(4):
            state.apply_action(int(rng.choice(state.legal_actions())))
        agent.reset()
        seat = number % 2
        while not state.is_terminal():
            mover = agent if state.current_player() == seat else other
            state.apply_action(mover.act(state, rng).action)
        wins += state.returns()[seat] == 1
    assert wins >= 6


@pytest.mark.parametrize("limit", ["seconds=60", "nodes=300000", "seconds=60,depth=40", "nodes=300000,seconds=60"])
def test_the_only_legal_action_is_answered_at_once(limit: str) -> None:
    state = load_game("quoridor", fences=1).from_text("a1 / / a1 e9 / 0 1 / 1 / 40")
    (action,) = state.legal_actions()
    decision = decide(f"alphabeta:{limit}", state)
    assert (decision.action, decision.statistics["depth"]) == (action, 1)
    assert decision.statistics["nodes"] < 1000


def test_the_depth_alone_counts_where_one_action_is_legal_too() -> None:
    assert (
        decide(
            "alphabeta:depth=3", load_game("quoridor", fences=1).from_text("a1 / / a1 e9 / 0 1 / 1 / 40")
        ).statistics["depth"]
        == 3
    )


def test_no_more_nodes_are_worked_on_than_were_entered() -> None:
    for state in positions(3, 17):
        found = decide("alphabeta:nodes=5000", state).statistics
        assert 0.3 * found["nodes"] < found["worked"] < found["nodes"]


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    ["depth=0", "depth=65", "depth=x", "nodes=0", "nodes=-3", "nodes=9999999999999", "seconds=0", "seconds=-1",
     "seconds=nan", "seconds=inf", "seconds=1e6",
     "memory=0", "memory=99999999"],
)  # fmt: skip
def test_nonsense_limits_are_refused(spec: str) -> None:
    with pytest.raises(OptionError, match=spec.split("=")[0]):
        make_agent(f"alphabeta:{spec}")


def test_an_unknown_option_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="depth"):
        make_agent("alphabeta:dept=3")


def test_other_games_are_refused_in_words() -> None:
    with pytest.raises(AgentError, match="plays Quoridor, not tokaido"):
        make_agent("alphabeta").supports(load_game("tokaido"))


def test_four_players_are_refused_in_words() -> None:
    with pytest.raises(AgentError, match="two players, not 4: try 'mcts'"):
        make_agent("alphabeta").supports(load_game("quoridor", players=4))


def test_a_finished_game_is_refused() -> None:
    state = load_game("quoridor").from_text(" / / e8 e5 / 10 10 / 1 / 30")
    state.apply_action(state.string_to_action("e9"))
    with pytest.raises(AgentError, match="the game is over"):
        decide("alphabeta", state)
