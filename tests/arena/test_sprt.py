"""The sequential test against closed forms, its error rates by simulation, and the command."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.arena.sprt import SequentialTest
from sekisho.envs.errors import OptionError


def test_without_draws_it_is_walds_test_of_a_coin() -> None:
    test = SequentialTest(0.45, 0.55)
    scores = [1.0] * 130 + [0.0] * 100
    closed = 130 * math.log(0.55 / 0.45) + 100 * math.log(0.45 / 0.55)
    assert test.log_ratio(scores) == pytest.approx(closed, abs=0.01)


def test_wins_alone_are_answered_when_wald_says() -> None:
    test = SequentialTest(0.8, 0.95)
    needed = math.ceil(test.bound / math.log(0.95 / 0.8))
    assert needed == 18
    assert test.answer([1.0] * (needed - 1)) is None
    assert test.answer([1.0] * needed) == 0.95
    assert test.answer([]) is None


@given(wins=st.integers(0, 40), draws=st.integers(0, 40), losses=st.integers(0, 40))
def test_it_is_symmetric_and_grows_with_the_score(wins: int, draws: int, losses: int) -> None:
    test = SequentialTest(0.4, 0.6)
    scores = [1.0] * wins + [0.5] * draws + [0.0] * losses
    ratio = test.log_ratio(scores)
    assert test.log_ratio([1 - score for score in scores]) == pytest.approx(-ratio, abs=1e-6)
    assert test.log_ratio([*scores, 1.0]) > ratio


def test_draws_tell_more_than_their_number_of_wins_and_losses() -> None:
    """With the same mean, results that spread less answer sooner."""
    test = SequentialTest(0.5, 0.6)
    drawn = [0.5] * 80 + [1.0] * 20
    decided = [1.0] * 60 + [0.0] * 40
    assert test.log_ratio(drawn) > 2 * test.log_ratio(decided) > 0


@pytest.mark.parametrize("truth", [0.45, 0.55])
def test_it_is_rarely_wrong(truth: float) -> None:
    test, rng, wrong, tries = SequentialTest(0.45, 0.55), np.random.default_rng(5), 0, 120
    for _ in range(tries):
        scores: list[float] = []
        while (answer := test.answer(scores)) is None:
            drawn = rng.random(20) < 0.2  # a fifth of the games, and of the rest the share that makes the mean
            won = rng.random(20) < (truth - 0.1) / 0.8
            scores += np.where(drawn, 0.5, won).tolist()
        wrong += answer != truth
    assert wrong / tries < 0.05 + 3 * math.sqrt(0.05 * 0.95 / tries)


@pytest.mark.parametrize("scores", [(0.5, 0.5), (0.6, 0.5), (0.0, 0.5), (0.5, 1.0), (math.nan, 0.5), (-1.0, 2.0)])
def test_scores_that_make_no_test_are_refused(scores: tuple[float, float]) -> None:
    with pytest.raises(OptionError, match="0 < low < high < 1"):
        SequentialTest(*scores)
