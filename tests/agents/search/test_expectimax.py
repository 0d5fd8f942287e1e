"""The agent `expectimax`: its tree against plain recursion over the rules, its strength, its limits, its refusals."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sekisho.agents import Agent, Decision, make_agent
from sekisho.agents.agent import Watch
from sekisho.agents.choices import RETURN, can_value, choice_unit, choice_values
from sekisho.agents.exact.policies import Arena
from sekisho.agents.search.expectimax import ExpectimaxAgent
from sekisho.agents.search.leaves import Leaf, leaf_of
from sekisho.envs import Game, State, load_game
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.errors import AgentError, OptionError, UnknownNameError
from sekisho.envs.tokaido.rules import Tokaido

POSITIONS = [
    ("tokaido", {}, "15 15 / 1 / [1-2]"),
    ("tokaido", {}, "44 48 / 1 / [3-6]"),  # further throws on 47
    ("tokaido", {}, "7 10+1 / 1 / [2-5]"),  # ends at a fork
    ("tokaido", {"rechoice": "uses_turn"}, "9 9c / 1 / turn"),
    ("tokaido", {"allow_resign": True}, "50 53 / 2 / [1-1]"),
    ("tokaido", {"players": 3}, "52 10+1 18 / 3 / [1-3]"),  # a festival, a bandit's victim
    ("tokaido", {"players": 3, "finish": "first"}, "47 50 53 / 1 / [2-4]"),
    ("tokaido", {"players": 3}, "53 54#1 51 / 1 / [2-3]"),
    ("tokaido", {"players": 4, "max_turns": 50}, "40 39 30d 33 / 1 / [1-2] / 47"),
    ("picture_sugoroku", {"players": 3, "finish": "all_places"}, "40 44 30 / 2 / turn"),
]
BY_PAIRS = [
    ("tokaido", {}, "7 10+1 / 1 / [2-5]"),
    ("tokaido", {"players": 3}, "52 10+1 18 / 3 / [1-3]"),
    ("tokaido", {"players": 3}, "53 54#1 51 / 1 / [2-3]"),
    ("tokaido", {"players": 4, "allow_resign": True}, "40 39 R 33 / 1 / [1-2]"),
    ("tokaido", {"players": 5, "forks": "miya"}, "38 39 30 33+1 41 / 1 / [2-3]"),
]


def decisions(game: Game, count: int, seed: int = 1, every: int = 5) -> list[State]:
    """Decisions on the way of random games."""
    found: list[State] = []
    rng = new_rng(seed)
    while len(found) < count:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() >= 0 and len(state.history()) % every == 0:
                found.append(state.clone())
            state.apply_action(int(game.kernels.sample(game.rules, state.words, rng)))
    return found[:count]


def begins_turn(state: Any) -> bool:
    if state.game.name == "tokaido":
        return bool(state.pending == "turn")
    return bool(state.current_player() >= 0 and state.extra_rolls == 0)


def plain(state: State, turns: int, leaf: Leaf, begun: bool) -> NDArray[np.float64]:
    """What every seat gets by max^n, turn after turn, without any table."""
    if state.is_terminal():
        return np.array(state.returns())
    if begins_turn(state) and not begun:
        if turns == 0:
            return leaf.position_values(state.game, state.words[None])[0]
        return plain(state, turns - 1, leaf, True)
    if state.is_chance_node():
        return sum(
            chance * plain(state.child(outcome), turns, leaf, False) for outcome, chance in state.chance_outcomes()
        )  # type: ignore[return-value]
    seat = state.current_player()
    best: Any = None
    for action in state.legal_actions():
        values = plain(state.child(action), turns, leaf, False)
        if best is None or values[seat] > best[seat] + 1e-12:
            best = values
    return best  # type: ignore[no-any-return]


@pytest.mark.parametrize("turns", [0, 1])
@pytest.mark.parametrize(
    ("by", "name", "options", "position"),
    [*(("race", *position) for position in POSITIONS), *(("pairs", *position) for position in BY_PAIRS)],
)
def test_the_tree_agrees_with_plain_recursion(
    by: str, name: str, options: dict[str, Any], position: str, turns: int
) -> None:
    state = load_game(name, **options).from_text(position)
    agent, leaf = make_agent(f"expectimax:turns={turns},leaf={by}"), leaf_of(by, state.game, 0)
    seat, found = state.current_player(), choice_values(agent, state)
    for action in state.legal_actions():
        child = state.child(action)
        expected = plain(child, turns, leaf, False)[seat]
        assert found[action] == pytest.approx(expected, abs=1e-12), state.action_to_string(action)
    decision = agent.act(state, np.random.default_rng(0))
    assert decision.value == pytest.approx(np.nanmax(found), abs=1e-12)
    assert decision.action == int(np.flatnonzero(found >= np.nanmax(found) - 1e-12)[0])


def loss(arena: Arena, spec: str) -> float:
    """Percentage points that an agent loses against perfect play."""
    perfect = arena.perfect()
    fair = arena.meet(perfect, perfect)[0].mean()
    return float(50 * (fair - arena.meet(arena.ask(make_agent(spec)), perfect)[0].mean()))


def test_a_short_game_is_played_perfectly_to_its_end() -> None:
    arena = Arena(Tokaido(max_turns=2))
    assert loss(arena, "expectimax:turns=2") == pytest.approx(0.0, abs=1e-9)
    assert loss(arena, "smaller") > 1
    state = load_game("tokaido", max_turns=2).new_initial_state()
    state.apply_action(5)
    decision = make_agent("expectimax:turns=20").act(state, np.random.default_rng(0))
    assert decision.statistics["exact"]
    assert decision.statistics["turns"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(("turns", "bound"), [(0, 0.30), (2, 0.05)])
def test_the_exact_loss_is_within_its_bound(turns: int, bound: float) -> None:
    assert 0 < loss(Arena(Tokaido()), f"expectimax:turns={turns}") <= bound


@pytest.mark.slow
def test_over_the_exact_table_the_own_move_is_perfect() -> None:
    assert loss(Arena(Tokaido()), "expectimax:turns=0,leaf=exact") == pytest.approx(0.0, abs=1e-9)


def test_over_the_exact_table_values_are_those_of_perfect_play() -> None:
    for state in decisions(load_game("tokaido"), 20):
        exact = choice_values(make_agent("exact"), state)
        for turns in (0, 1):
            found = choice_values(make_agent(f"expectimax:turns={turns},leaf=exact"), state)
            np.testing.assert_allclose(found, exact, atol=1e-9)


@pytest.mark.parametrize(("name", "players"), [("tokaido", 2), ("tokaido", 5), ("picture_sugoroku", 3)])
def test_many_decisions_at_once_are_those_made_one_by_one(name: str, players: int) -> None:
    agent, states = make_agent("expectimax:turns=1"), decisions(load_game(name, players=players), 40)
    together = agent.act_many(states, np.random.default_rng(0))
    for state, one in zip(states, together, strict=True):
        alone = make_agent("expectimax:turns=1").act(state, np.random.default_rng(1))
        assert (alone.action, alone.value) == (one.action, one.value)
        assert sum(one.statistics["seats"]) == pytest.approx(0, abs=1e-12)
    assert agent.act_many([], np.random.default_rng(0)) == []


def test_the_line_is_what_the_seat_does_before_the_next_throw() -> None:
    state = load_game("tokaido").from_text("7 3 / 1 / [2-5]")
    decision = make_agent("expectimax:turns=1").act(state, np.random.default_rng(0))
    assert decision.line == (state.string_to_action("2"), 9)  # to the fork of Odawara, and across
    assert decision.policy == {decision.action: 1.0}


def test_choices_are_valued_in_the_unit_of_the_utility() -> None:
    state = decisions(load_game("tokaido", players=3), 1, every=30)[0]
    points, first = make_agent("expectimax:turns=1"), make_agent("expectimax:turns=1,utility=first_only")
    assert can_value(points, state.game)
    assert choice_unit(points, state.game) == RETURN
    assert choice_unit(first, state.game) == "chance to be first"
    values = choice_values(first, state)
    assert (values[~np.isnan(values)] >= 0).all()
    assert sum(first.act(state, np.random.default_rng(0)).statistics["seats"]) == pytest.approx(1)


def test_an_end_within_reach_counts_as_what_it_pays_under_both_utilities() -> None:
    state = load_game("tokaido", players=3).from_text("50 53 53 / 1 / [4-6]")
    assert choice_values(make_agent("expectimax:turns=0"), state)[state.string_to_action("4")] == 1
    assert choice_values(make_agent("expectimax:turns=0,utility=first_only"), state)[3] == 1


def test_nobody_resigns() -> None:
    for name in ("tokaido", "picture_sugoroku"):
        for state in decisions(load_game(name, allow_resign=True), 10):
            decision = make_agent("expectimax:turns=0").act(state, np.random.default_rng(0))
            assert state.action_to_string(decision.action) != "resign"


def test_time_is_kept_and_deepens_the_lookahead() -> None:
    state = load_game("tokaido", players=6).new_initial_state()
    state.apply_action(5)
    agent = make_agent("expectimax:seconds=0.2")
    agent.supports(state.game)
    decision, begin = agent.act(state, np.random.default_rng(0)), time.monotonic()
    assert decision.statistics["seconds"] < 0.2 + 0.1  # 0.02 on a machine that has nothing else to do
    assert decision.statistics["turns"] >= 2
    at_once = agent.act(state, np.random.default_rng(0), deadline=begin - 1)
    assert at_once.statistics["turns"] == 0
    assert make_agent("expectimax:seconds=9,turns=1").act(state, np.random.default_rng(0)).statistics["turns"] == 1


@pytest.mark.parametrize("spec", ["expectimax:seconds=60", "expectimax:turns=20"])
def test_a_decision_is_stopped_by_another_thread(spec: str) -> None:
    state = load_game("tokaido", players=6).new_initial_state()
    state.apply_action(5)
    agent = make_agent(spec)
    agent.supports(state.game)
    agent.watch = Watch()
    timer = threading.Timer(0.1, agent.watch.stop)
    timer.start()
    decision = agent.act(state, np.random.default_rng(0))
    timer.join()
    assert decision.statistics["seconds"] < 5
    assert decision.action in state.legal_actions()


class Judge(Agent):
    """Thinks that seat 0 gets what its piece's spot is."""

    seats: int | None = None

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        return Decision(state.legal_actions()[0])

    def position_values(self, game: Game, words: NDArray[np.int64]) -> NDArray[np.float64]:
        values = np.zeros((len(words), game.num_players))
        values[:, 0] = words[:, 0]
        return values[:, : self.seats]


def test_any_agent_that_judges_positions_can_be_the_leaf() -> None:
    state = load_game("tokaido").from_text("0 0 / 1 / [1-2]")
    agent = ExpectimaxAgent(turns=0)
    agent._judge = Judge()
    values = choice_values(agent, state)
    assert values[1] - values[0] == 1
    agent._judge.seats = 1
    with pytest.raises(AgentError, match=r"finite numbers of shape \(2, 2\), not \(2, 1\)"):
        agent.act(state, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("turns=-1", r"'turns' must be 0\.\.20, not -1"),
        ("turns=99", r"'turns' must be 0\.\.20, not 99"),
        ("turns=two", "'turns' must be a whole number"),
        ("seconds=0", "'seconds' must be above 0"),
        ("leaf=foo", "'leaf' must be 'auto', 'race', 'pairs' or name an agent: there is no agent 'foo'"),
        *((f"leaf={name}", f"leaf={name} cannot judge positions") for name in ("random", "expectimax", "mcts")),
        ("leaf=(mcts:simulations=5)", r"leaf=\(mcts:simulations=5\) cannot judge positions"),
        ("utility=fame", "'utility' must be place_points or first_only"),
    ],
)
def test_nonsense_options_are_refused_in_words(spec: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        make_agent(f"expectimax:{spec}")


def test_an_unknown_option_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="turns"):
        make_agent("expectimax:turn=1")


@pytest.mark.parametrize(
    ("spec", "game", "words"),
    [
        ("expectimax", load_game("quoridor"), "does not play quoridor: there are no dice in it.*'mcts'"),
        ("expectimax:leaf=exact", load_game("picture_sugoroku"), "plays quoridor and tokaido, not picture_sugoroku"),
        (
            "expectimax:leaf=exact",
            load_game("tokaido", players=5),
            "^expectimax: leaf=exact cannot judge here: agent 'exact' plays with 2 to 4 players, not 5",
        ),
        ("expectimax:leaf=exact,utility=first_only", load_game("tokaido", players=3), "leaf=.exact:utility=first_only."),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_refused_in_words(spec: str, game: Game, words: str) -> None:
    with pytest.raises(AgentError, match=words):
        make_agent(spec).supports(game)


def test_a_lookahead_that_does_not_fit_into_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sekisho.agents.search.lookahead.MOST_BYTES", 1 << 20)
    state = load_game("tokaido", players=6).new_initial_state()
    state.apply_action(5)
    with pytest.raises(AgentError, match="smaller 'turns', or 'seconds'"):
        make_agent("expectimax:turns=12").act(state, np.random.default_rng(0))
    assert make_agent("expectimax:seconds=2").act(state, np.random.default_rng(0)).statistics["turns"] >= 1


def test_an_agent_of_ones_own_judges_the_leaves() -> None:
    state = load_game("tokaido", players=3).from_text("23 41c 30 / 1 / [2-5]")
    agent = ExpectimaxAgent(turns=1, leaf=Judge())
    assert agent.act(state, np.random.default_rng(0)).action in state.legal_actions()


@pytest.mark.parametrize("name", ["expectimax:turns=0", "mcts:simulations=10"])
def test_a_deadline_that_is_no_number_is_refused(name: str) -> None:
    state = load_game("tokaido").from_text("23 41c / 1 / [2-5]")
    with pytest.raises(AgentError, match="not nan"):
        make_agent(name).act(state, np.random.default_rng(0), float("nan"))


class Chances(Judge):
    """Judges by the chance to be first, and says so."""

    utility = "first_only"

    def position_values(self, game: Game, words: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.tile([0.9, 0.1], (len(words), 1))


class Unwilling(Agent):
    """Judges nothing, and must not be asked what it plays."""

    def supports(self, game: Game) -> None:
        raise AssertionError("loaded")

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        return Decision(state.legal_actions()[0])


TWO_FAR, TWO_NEAR = "7 10+1 / 1 / [2-5]", "50 53 / 1 / [4-6]"


@pytest.mark.parametrize("leaf", ["exact", "(exact:utility=first_only)", "pairs", "net"])
@pytest.mark.parametrize("position", [TWO_FAR, TWO_NEAR])
def test_with_two_players_the_chance_to_be_first_is_place_points_scaled(leaf: str, position: str) -> None:
    state = load_game("tokaido").from_text(position)
    points = make_agent(f"expectimax:turns=1,leaf={leaf}").act(state, np.random.default_rng(0))
    chances = make_agent(f"expectimax:turns=1,utility=first_only,leaf={leaf}").act(state, np.random.default_rng(0))
    assert chances.action == points.action
    seats = np.array(chances.statistics["seats"])
    np.testing.assert_allclose(seats, (np.array(points.statistics["seats"]) + 1) / 2, atol=1e-6)
    assert seats.sum() == pytest.approx(1, abs=1e-6 if leaf != "net" else 0.01)  # a network need not be fair


def test_a_leaf_that_judges_by_chances_itself_is_rescaled_only_for_place_points() -> None:
    game = load_game("tokaido")
    words = game.new_initial_state().words[None]
    np.testing.assert_allclose(leaf_of(Chances(), game, 1).position_values(game, words), [[0.9, 0.1]])
    np.testing.assert_allclose(leaf_of(Chances(), game, 0).position_values(game, words), [[0.8, -0.8]])


def test_what_cannot_judge_is_refused_before_it_is_loaded() -> None:
    with pytest.raises(AgentError, match="leaf=Unwilling cannot judge positions"):
        ExpectimaxAgent(leaf=Unwilling()).supports(load_game("tokaido"))


@pytest.mark.parametrize(
    ("spec", "players", "leaf"),
    [
        ("", 2, "race"),
        ("", 5, "pairs"),
        (",utility=first_only", 5, "race"),
        (",leaf=pairs", 2, "pairs"),
        (",leaf=(exact:utility=place_points)", 3, "exact:utility=place_points"),
    ],
)
def test_the_statistics_name_what_judged(spec: str, players: int, leaf: str) -> None:
    state = decisions(load_game("tokaido", players=players), 1)[0]
    agent = make_agent(f"expectimax:turns=0{spec}")
    assert agent.act(state, np.random.default_rng(0)).statistics["leaf"] == leaf
    assert agent.act_many([state], np.random.default_rng(0))[0].statistics["leaf"] == leaf
