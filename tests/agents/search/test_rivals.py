"""What the search expects of the other seats: that they follow the priors, more or less closely."""

from __future__ import annotations

import numpy as np
import pytest

from sekisho.agents import make_agent
from sekisho.agents.search import quoridor_tools
from sekisho.agents.search.mcts import MctsAgent
from sekisho.agents.search.search import Search
from sekisho.arena.match import play_game, random_opening
from sekisho.envs import load_game

FOUR = load_game("quoridor", players=4)


def searched(spec: str, simulations: int) -> Search:
    agent = make_agent(f"mcts:simulations={simulations},{spec}")
    assert isinstance(agent, MctsAgent)
    agent.act(FOUR.new_initial_state(), np.random.default_rng(0))
    assert agent._search is not None
    return agent._search


def priors_below(search: Search, node: int) -> dict[int, float]:
    tree = search.tree
    block = slice(int(tree.first[node]), int(tree.first[node] + tree.children[node]))
    return dict(zip(tree.action[block].tolist(), tree.prior[block].tolist(), strict=True))


@pytest.mark.parametrize("rivals", [1.0, 2.5])
def test_priors_of_other_seats_are_raised_to_a_power_and_those_of_the_root_are_not(rivals: float) -> None:
    search = searched(f"rivals={rivals}", 300)
    state, tree = FOUR.new_initial_state(), search.tree
    child = int(tree.first[0])
    assert tree.children[child] > 0
    after = state.child(int(tree.action[child]))
    for position, node, power in ((state, 0, 1.0), (after, child, rivals)):
        mask, expected = position.legal_actions_mask().astype(np.int8), np.zeros(FOUR.num_actions)
        quoridor_tools.priors(FOUR.rules, position.words.copy(), np.zeros(1), mask, expected)
        expected = np.where(mask, expected**power, 0.0)
        expected /= expected.sum()
        found = priors_below(search, node)
        assert sorted(found) == position.legal_actions()
        assert [found[action] for action in sorted(found)] == pytest.approx(expected[mask == 1].tolist(), abs=1e-12)


def test_the_more_closely_they_are_expected_to_follow_the_more_they_do() -> None:
    shares = []
    for rivals in (1, 10, 1000):
        tree = searched(f"rivals={rivals},exploration=0.15", 2000).tree
        child = int(tree.first[0]) + int(np.argmax(tree.visits[tree.first[0] : tree.first[0] + tree.tried[0]]))
        block = slice(int(tree.first[child]), int(tree.first[child] + tree.tried[child]))
        likely = tree.prior[block] >= tree.prior[block].max() - 1e-9
        shares.append(tree.visits[block][likely].sum() / tree.visits[block].sum())
    assert shares[0] < shares[1] <= shares[2]
    assert shares[2] > 0.99


def test_a_table_of_four_has_defaults_of_its_own_and_each_can_be_chosen() -> None:
    def chosen(players: int, **options: object) -> tuple[float, float]:
        rules = MctsAgent(**options)._rules(load_game("quoridor", players=players))  # type: ignore[arg-type]
        return rules.exploration, rules.rivals

    assert chosen(2) == (1.0, 1.0)
    assert chosen(4) == (quoridor_tools.EXPLORATION_FOUR, quoridor_tools.RIVALS_FOUR)
    assert chosen(4, exploration=2.0, rivals=1.0) == (2.0, 1.0)
    assert chosen(2, rivals=3.0) == (1.0, 3.0)
    assert chosen(4, selection="uct") == chosen(4, priors="uniform") == (1.0, 1.0)


@pytest.mark.parametrize(("rivals", "keeps"), [(1, True), (10, False)])
def test_what_was_expected_of_others_is_not_kept_for_them(rivals: int, keeps: bool) -> None:
    state, rng = FOUR.new_initial_state(), np.random.default_rng(0)
    agent = make_agent(f"mcts:simulations=500,rivals={rivals}")
    line = agent.act(state, rng).line
    assert len(line) > 4
    assert (agent.act(state.child(line[0]), rng).statistics["kept"] > 0) == keeps  # another seat is to move there


def test_the_tree_is_kept_for_the_same_seat() -> None:
    state, rng = FOUR.new_initial_state(), np.random.default_rng(0)
    agent = make_agent("mcts:simulations=500,rivals=10")
    line = agent.act(state, rng).line
    for action in line[:4]:
        state = state.child(action)
    assert agent.act(state, rng).statistics["kept"] > 0


@pytest.mark.slow
def test_one_search_wins_most_games_against_three_of_the_heuristic() -> None:
    wins, games = 0, 24
    for number in range(games):
        seat = number % 4
        agents = [make_agent("heuristic") for _ in range(4)]
        agents[seat] = make_agent("mcts:simulations=1000")
        played = play_game(random_opening(FOUR, 4, [5, number // 4]), agents, [0], [5, number])
        wins += played.state.returns()[seat] > 0
    assert wins >= 12  # par is 6
