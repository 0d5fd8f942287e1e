"""How proofs spread in a tree, on trees made by hand, and which children a simulation leaves alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sekisho.agents.search.search import Rules, Search
from sekisho.agents.search.simulate import Settings, choose_child, new_work
from sekisho.agents.search.tree import Tree, add_children, new_tree, open_child, try_to_prove
from sekisho.envs import load_game
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.kernels import CHANCE

SETTINGS = Settings(
    puct=0, exploration=0.0, first_play=np.inf, ranked=0, wide=32, min_utility=-1.0, max_utility=1.0, repetition=0,
    virtual_loss=0.0, batched=0, yield_function=0,
)  # fmt: skip


def family(seat: int, players: int, *children: tuple[float, ...] | None, length: tuple[int, ...] = ()) -> Tree:
    """A root and its children: the exact values of a child, an empty tuple for an open one, None for one not tried."""
    tree = new_tree(32, players)
    tree.seat[0] = seat
    first = add_children(tree, 0, len(children))
    for index, values in enumerate(children):
        child = first + index
        tree.action[child], tree.prior[child] = index, 1 / len(children)
        if values is None:
            continue
        open_child(tree, 0, index)
        tree.visits[child] = 1
        if values:
            tree.value[child], tree.proven[child] = values, 1
            tree.length[child] = length[index] if length else 0
    return tree


@pytest.mark.parametrize(
    ("seat", "players", "children"),
    [
        (0, 2, [(), (1.0, -1.0), None]),
        (1, 2, [(1.0, -1.0), (), (-1.0, 1.0)]),
        (2, 3, [None, (), (-1.0, 0.0, 1.0)]),
        (1, 4, [(0.0, 1.0, -1.0, 0.0), (), ()]),
    ],
)
def test_one_child_that_gives_the_mover_all_there_is_proves_a_decision_at_once(
    seat: int, players: int, children: list[Any]
) -> None:
    children = sorted(children, key=lambda child: child is None)  # tried ones stand first
    tree = family(seat, players, *children)
    assert try_to_prove(tree, 0, 1.0)
    assert tree.value[0, seat] == 1.0
    assert tree.value[0].tolist() in [list(child) for child in children if child]


@pytest.mark.parametrize("open_one", [(), None])
def test_less_than_all_there_is_proves_nothing_as_long_as_something_is_open(open_one: Any) -> None:
    tree = family(0, 3, (0.0, 1.0, -1.0), open_one)
    assert not try_to_prove(tree, 0, 1.0)
    assert not tree.proven[0]


def test_a_decision_with_exact_children_only_is_worth_the_best_of_them_for_its_seat() -> None:
    tree = family(1, 3, (1.0, -1.0, 0.0), (-1.0, 0.0, 1.0), (0.0, -1.0, 1.0))
    assert try_to_prove(tree, 0, 1.0)
    assert tree.value[0].tolist() == [-1.0, 0.0, 1.0]


def test_a_throw_is_proven_by_all_outcomes_and_worth_their_mean() -> None:
    tree = family(CHANCE, 2, (1.0, -1.0), (-1.0, 1.0))
    tree.prior[1:3] = 0.75, 0.25
    assert try_to_prove(tree, 0, 1.0)
    assert tree.value[0].tolist() == [0.5, -0.5]
    for open_one in ((), None):
        assert not try_to_prove(family(CHANCE, 2, (1.0, -1.0), open_one), 0, 1.0)


def test_the_nearest_win_counts_and_the_farthest_loss() -> None:
    won = family(0, 2, (1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), length=(8, 4, 0))
    lost = family(0, 2, (-1.0, 1.0), (-1.0, 1.0), length=(3, 7))
    assert try_to_prove(won, 0, 1.0)
    assert try_to_prove(lost, 0, 1.0)
    assert (won.length[0], lost.length[0]) == (5, 8)


@pytest.mark.parametrize("puct", [0, 1])
@pytest.mark.parametrize("exploration", [0.0, 1.0])
def test_a_lost_child_is_left_alone_however_bad_the_others_look(puct: int, exploration: float) -> None:
    tree = family(0, 2, (-1.0, 1.0), (), ())
    tree.visits[:4] = 12, 1, 5, 5
    tree.value[2], tree.value[3] = (-25.0, 25.0), (-5.0, 5.0)  # one with the virtual losses of other threads
    settings = SETTINGS._replace(puct=puct, exploration=exploration)
    assert {choose_child(tree, 0, settings, new_rng(key)) for key in range(5)} == {3}


def test_lost_actions_get_no_visits_after_their_proof() -> None:
    game = load_game("quoridor", board_size=5, fences=1)
    rules = Rules(
        puct=False, exploration=1.0, first_play=np.inf, rollouts="uniform", cutoff=None, priors="uniform", wide=32,
        threads=1, memory=64, noise=0.0, alpha=0.3, exact="off",
    )  # fmt: skip
    search = Search(game, rules)
    state = game.from_text(" / / c3 a2 / 1 1 / 1 / 10")  # whoever does not stop the other pawn has lost
    search.run(state, np.random.default_rng(0), 400, None)
    before = {child.action: child.visits for child in search.children() if child.proven and child.values[0] == -1.0}
    assert len(before) > 5
    assert not search.is_proven
    (run,) = search._searches([new_work(state, 5)])
    assert run(1000) == 1000
    after = {child.action: child.visits for child in search.children()}
    assert all(after[action] == visits for action, visits in before.items())


def test_nothing_is_simulated_below_a_proven_root() -> None:
    game = load_game("quoridor")
    rules = Rules(
        puct=True, exploration=1.0, first_play=0.0, rollouts="none", cutoff=None, priors="guided", wide=32, threads=1,
        memory=16, noise=0.0, alpha=0.3,
    )  # fmt: skip
    search = Search(game, rules)
    state = game.from_text(" / / e8 e5 / 10 10 / 1 / 30")
    assert search.run(state, np.random.default_rng(0), 2000, None) < 2000
    assert search.is_proven
    assert search._searches([new_work(state, 5)])[0](100) == 0
