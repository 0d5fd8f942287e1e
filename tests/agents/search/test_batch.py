"""Leaves judged in batches from Python."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from sekisho.agents.search import quoridor_tools
from sekisho.agents.search.batch import PENDING
from sekisho.agents.search.search import Rules, Search
from sekisho.envs import Game, load_game
from sekisho.envs.errors import AgentError
from support.dash import Dash

RULES = Rules(
    puct=True, exploration=1.0, first_play=0.0, rollouts="none", cutoff=None, priors="guided", wide=32, threads=1,
    memory=16, noise=0.0, alpha=0.3,
)  # fmt: skip


@dataclass
class Judge:
    """Says the same everywhere, and remembers how many leaves it was asked about at a time."""

    values: tuple[float, ...] = (0.0, 0.0)
    favourite: int | None = None
    sizes: list[int] = field(default_factory=list)

    def evaluate(self, game: Game, words: Any, seats: Any) -> Any:
        self.sizes.append(len(words))
        assert words.shape[1] == game.state_size
        for row, seat in zip(words, seats, strict=True):
            assert game.kernels.to_move(game.rules, row) == seat >= 0
        priors = np.ones((len(words), game.num_actions))
        if self.favourite is not None:
            priors[:, self.favourite] = 1000.0
        return priors, np.tile(self.values, (len(words), 1))


class LikeCompiled:
    """The compiled priors and evaluation of Quoridor, from Python."""

    def evaluate(self, game: Game, words: Any, seats: Any) -> Any:
        priors, values = np.zeros((len(words), game.num_actions)), np.zeros((len(words), game.num_players))
        mask, nothing = np.zeros(game.num_actions, dtype=np.int8), np.zeros(1)
        for row, state in enumerate(words):
            quoridor_tools.priors(game.rules, state.copy(), nothing, mask, priors[row])
            quoridor_tools.evaluation(game.rules, state.copy(), nothing, values[row])
        return priors, values


def test_batches_are_filled_and_sums_are_right() -> None:
    game, judge = load_game("quoridor", board_size=5, fences=2), Judge((0.25, -0.25))
    search = Search(game, RULES, judge, batch=8)
    judge.sizes.clear()
    assert search.run(game.new_initial_state(), np.random.default_rng(0), 500, None) == 500
    assert max(judge.sizes) == 8
    assert sum(judge.sizes) <= 500
    assert sum(child.visits for child in search.children()) == 499
    tree, used = search.tree, search.nodes
    assert not (tree.tried[:used] == PENDING).any()
    visited = (tree.visits[:used] > 0) & (tree.proven[:used] == 0)
    assert np.abs(tree.value[:used][visited].sum(axis=1)).max() < 1e-6
    for child in search.children():
        assert child.proven or child.values[0] == pytest.approx(0.25, abs=0.2)


def test_batches_are_the_same_however_slow_the_evaluator_is() -> None:
    """When the clock is read between batches must not decide how they are made up: seeds would not repeat searches."""

    class Slow(LikeCompiled):
        def __init__(self, seconds: list[float]) -> None:
            self.seconds, self.sizes = seconds, list[int]()

        def evaluate(self, game: Game, words: Any, seats: Any) -> Any:
            time.sleep(self.seconds[len(self.sizes) % len(self.seconds)])
            self.sizes.append(len(words))
            return super().evaluate(game, words, seats)

    game, found = load_game("quoridor", board_size=3, fences=1), []
    for seconds in ([0.0], [0.004, 0.0, 0.001]):
        judge = Slow(seconds)
        search = Search(game, RULES, judge, batch=8)
        judge.sizes.clear()
        search.run(game.new_initial_state(), np.random.default_rng(0), 150, time.monotonic() + 600)
        found.append((judge.sizes, search.children()))
    assert found[0] == found[1]


def test_priors_lead_the_search() -> None:
    game = load_game("quoridor", board_size=5, fences=2)
    favourite = game.new_initial_state().string_to_action("c2")
    search = Search(game, RULES, Judge(favourite=favourite), batch=1)
    search.run(game.new_initial_state(), np.random.default_rng(0), 100, None)
    assert max(search.children(), key=lambda child: child.visits).action == favourite


def test_one_leaf_at_a_time_gives_the_tree_of_the_compiled_search_nearly() -> None:
    game = load_game("quoridor")
    found = []
    for evaluator in (None, LikeCompiled()):
        search = Search(game, RULES, evaluator, batch=1)
        search.run(game.new_initial_state(), np.random.default_rng(0), 400, None)
        found.append(max(search.children(), key=lambda child: child.visits))
    assert found[0].action == found[1].action
    assert found[0].values == pytest.approx(found[1].values, abs=0.1)


def test_throws_are_walked_through_and_never_judged() -> None:
    game, judge = Dash(length=12), Judge()
    search = Search(game, RULES, judge, batch=4)
    search.run(game.from_text("0 0 0 3"), np.random.default_rng(0), 600, None)  # the judge looks at each seat
    assert search.visits == 600
    solved = Search(Dash(length=4), RULES, Judge(), batch=4)
    solved.run(solved.game.from_text("3 0 0 3"), np.random.default_rng(0), 600, None)
    assert solved.is_proven


def test_noise_is_mixed_into_the_priors_of_the_judge() -> None:
    game = load_game("quoridor", board_size=5, fences=2)
    noisy = Rules(**{**RULES.__dict__, "noise": 0.5})
    search = Search(game, noisy, Judge(), batch=4)
    search.run(game.new_initial_state(), np.random.default_rng(0), 50, None)
    first, count = search.tree.first[0], search.tree.children[0]
    priors = search.tree.prior[first : first + count]
    assert priors.sum() == pytest.approx(1.0)
    assert priors.min() >= 0.5 / count - 1e-12
    assert priors.std() > 0.001


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda b, a: (np.ones((b, a)), np.full((b, 2), math.nan)), "finite"),
        (lambda b, a: (np.ones((b, a + 1)), np.zeros((b, 2))), "shape"),
        (lambda b, a: (-np.ones((b, a)), np.zeros((b, 2))), "negative"),
    ],
)
def test_a_nonsense_answer_is_refused_and_leaves_the_tree_whole(answer: Any, words: str) -> None:
    game = load_game("quoridor", board_size=5, fences=2)
    judge = Judge()
    search = Search(game, RULES, judge, batch=4)
    search.run(game.new_initial_state(), np.random.default_rng(0), 50, None)
    judge.evaluate = lambda game, words, seats: answer(len(words), game.num_actions)  # type: ignore[method-assign]
    with pytest.raises(AgentError, match=words):
        search.run(game.new_initial_state(), np.random.default_rng(0), 50, None)
    assert not (search.tree.tried[: search.nodes] == PENDING).any()
