"""Known values of random play, and that random games repeat."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from sekisho.envs import load_game
from sekisho.envs.core import CHANCE, Game
from sekisho.envs.perft import perft
from sekisho.envs.playouts import random_playouts
from sekisho.envs.tokaido import kernels

RANDOM_FIRST = 0.50427
"""Chance that the first player arrives first when both choose at random (``docs/rules/tokaido.md``)."""


@pytest.mark.slow
def test_value_of_random_play() -> None:
    played = random_playouts(load_game("tokaido"), 1_000_000, seed=1)
    first = (1 + played.mean_returns[0]) / 2
    assert first == pytest.approx(RANDOM_FIRST, abs=4 * played.standard_errors[0] / 2)


def test_random_play_is_repeatable_and_zero_sum() -> None:
    for players in (2, 3, 6):
        game = load_game("tokaido", players=players)
        one, two = random_playouts(game, 500, seed=5), random_playouts(game, 500, seed=5)
        assert np.array_equal(one.plies, two.plies)
        assert one.mean_returns.sum() == pytest.approx(0.0, abs=1e-12)


def test_throws_have_the_chances_of_the_dice() -> None:
    state = load_game("tokaido").new_initial_state()
    counts = np.zeros(21)
    rng = np.array([11, 0], dtype=np.uint64)
    for _ in range(36_000):
        counts[state.game.kernels.sample(state.game.rules, state.words, rng)] += 1
    expected = 36_000 * np.array([chance for _, chance in state.chance_outcomes()])
    assert ((counts - expected) ** 2 / expected).sum() < 50  # chi-squared with 20 degrees of freedom: p < 0.0003


def test_perft() -> None:
    game = load_game("tokaido")
    assert [perft(game, depth) for depth in range(4)] == [1, 21, 42, 40 * 21 + 2 * 2]  # 10 and 12 run into a fork


def turn_starts(game: Game, words: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the starts of all turns that can follow a turn that starts with `words`, skipped turns included."""
    rules, nodes = game.rules, [words]
    mask, outcomes, chances = np.zeros(12, np.int8), np.zeros(21, np.int64), np.zeros(21)
    while nodes:
        node = nodes.pop()
        if kernels.to_move(rules, node) == CHANCE:
            actions = outcomes[: kernels.chance(rules, node, outcomes, chances)].tolist()
        else:
            kernels.legal(rules, node, mask)
            actions = np.flatnonzero(mask).tolist()
        for action in actions:
            after = node.copy()
            if not kernels.act(rules, after, action):
                nodes.append(after)
                continue
            while kernels.pass_on(rules, after):
                skipped = after.copy()
                skipped[kernels.RESTS + skipped[kernels.SEAT]] += 1
                yield skipped
            if after[kernels.WAITS] == kernels.TURN:
                yield after


@pytest.mark.slow
@pytest.mark.parametrize(("forks", "states"), [("three", 3543), ("miya", 2345)])
def test_number_of_turn_starts(forks: str, states: int) -> None:
    game = load_game("tokaido", forks=forks)
    start = game.new_initial_state().words
    seen, front = set(), [start]
    while front:
        words = front.pop()
        mover = int(words[kernels.SEAT])
        view = tuple(int(words[field + seat]) for field in (kernels.SPOT, kernels.RESTS) for seat in (mover, 1 - mover))
        if view in seen:
            continue
        seen.add(view)
        if not words[kernels.RESTS + mover]:  # what follows a skipped turn was yielded with it
            front += turn_starts(game, words)
    assert len(seen) == states
