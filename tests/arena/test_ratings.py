"""Ratings against closed forms, published estimates and a brute-force likelihood."""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from sekisho.arena.ratings import GameResult, RatingError, expected_score, fit_ratings, rate

ELO = 400.0 / math.log(10.0)
FLAT = 1e6


def duels(first: str, second: str, wins: int, losses: int, draws: int = 0) -> list[GameResult]:
    """Two-player games seen from the first player."""
    ranks = [(1, 2)] * wins + [(2, 1)] * losses + [(1, 1)] * draws
    return [GameResult((first, second), entry) for entry in ranks]


def winner_only(table: Sequence[str], wins: Sequence[int]) -> list[GameResult]:
    """Games of one table in which only the winning seat is known."""
    games = []
    for seat, count in enumerate(wins):
        ranks = tuple(1 if other == seat else 2 for other in range(len(table)))
        games += [GameResult(tuple(table), ranks, losers_compared=False)] * count
    return games


def simulate(theta: Sequence[float], games: int, seats: int, seed: int) -> list[GameResult]:
    """Plackett-Luce games among random tables, drawn as an order of Gumbel-shifted strengths."""
    rng = np.random.default_rng(seed)
    results = []
    for index in range(games):
        table = rng.choice(len(theta), size=seats, replace=False)
        order = np.argsort(-(np.asarray(theta)[table] + rng.gumbel(size=seats)))
        ranks = np.empty(seats, dtype=int)
        ranks[order] = np.arange(1, seats + 1)
        results.append(GameResult(tuple(f"p{agent}" for agent in table), tuple(ranks.tolist()), index))
    return results


def log_sum(values: Iterable[float]) -> float:
    """Logarithm of the summed exponentials."""
    return math.log(sum(map(math.exp, values)))


def order_log_probability(theta: Sequence[float]) -> float:
    """Log-probability that the given strengths finish in the given order."""
    return sum(theta[i] - log_sum(theta[i:]) for i in range(len(theta)))


@cache
def orders(ranks: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every order of the seats that agrees with the ranks."""
    found = permutations(range(len(ranks)))
    return [order for order in found if all(ranks[i] <= ranks[j] for i, j in pairwise(order))]


def brute_game(theta: dict[str, float], game: GameResult) -> float:
    """Log-likelihood of one game by listing every order of the seats.

    The orders of an unobserved last group are summed over, those of other ties are averaged on the log scale.
    """
    bottom = game.ranks.count(max(game.ranks))
    hidden = bottom if len(set(game.ranks)) > 1 and not game.losers_compared else 0
    upper: dict[tuple[int, ...], list[float]] = {}
    for order in orders(game.ranks):
        value = order_log_probability([theta[game.players[seat]] for seat in order])
        upper.setdefault(order[: len(order) - hidden], []).append(value)
    return sum(map(log_sum, upper.values())) / len(upper)


def brute_objective(theta: dict[str, float], results: Sequence[GameResult], prior_sd: float) -> float:
    """Penalised log-likelihood of natural strengths about zero."""
    prior = sum(value**2 for value in theta.values()) * (ELO / prior_sd) ** 2 / 2.0
    return sum(brute_game(theta, game) for game in results) - prior


def brute_fit(results: Sequence[GameResult], prior_sd: float) -> dict[str, float]:
    """Ratings about zero from a general-purpose optimiser."""
    names = sorted({name for game in results for name in game.players})

    def loss(values: np.ndarray) -> float:
        return -brute_objective(dict(zip(names, values, strict=True)), results, prior_sd)

    found = minimize(loss, np.zeros(len(names)), method="BFGS", options={"gtol": 1e-7}).x
    return dict(zip(names, ELO * (found - found.mean()), strict=True))


@st.composite
def game_results(draw: st.DrawFn) -> GameResult:
    """One small game, with ties and repeated agents."""
    seats = draw(st.integers(2, 4))
    players = draw(st.lists(st.sampled_from("abcde"), min_size=seats, max_size=seats))
    ranks = draw(st.lists(st.integers(1, seats), min_size=seats, max_size=seats))
    return GameResult(tuple(players), tuple(ranks), draw(st.integers(0, 3)), draw(st.booleans()))


small_sets = st.lists(game_results(), min_size=1, max_size=8)


class TestClosedForms:
    """Maximum-likelihood estimates known in closed form."""

    def test_three_wins_of_four(self) -> None:
        ratings = fit_ratings(duels("a", "b", 3, 1), prior_sd=FLAT)
        assert ratings["a"] - ratings["b"] == pytest.approx(400.0 * math.log10(3.0), abs=1e-4)

    def test_a_draw_is_half_a_win_each(self) -> None:
        ratings = fit_ratings(duels("a", "b", 3, 1, draws=2), prior_sd=FLAT)
        assert ratings["a"] - ratings["b"] == pytest.approx(400.0 * math.log10(2.0), abs=1e-4)

    def test_only_draws_give_equal_ratings(self) -> None:
        assert fit_ratings(duels("a", "b", 0, 0, draws=7)) == {"a": 1500.0, "b": 1500.0}

    def test_winner_only_games_share_by_wins(self) -> None:
        ratings = fit_ratings(winner_only("abcd", (5, 3, 2, 10)), prior_sd=FLAT)
        assert ratings["a"] - ratings["b"] == pytest.approx(400.0 * math.log10(5 / 3), abs=1e-3)
        assert ratings["d"] - ratings["c"] == pytest.approx(400.0 * math.log10(5.0), abs=1e-3)

    def test_two_seats_of_one_agent_double_its_weight(self) -> None:
        games = winner_only(("a", "a", "b"), (3, 1, 1))
        ratings = fit_ratings(games, prior_sd=FLAT)
        assert ratings["a"] - ratings["b"] == pytest.approx(400.0 * math.log10(2.0), abs=1e-4)

    def test_a_cycle_is_level(self) -> None:
        games = [GameResult(("a", "b", "c"), ranks) for ranks in ((1, 2, 3), (3, 1, 2), (2, 3, 1))]
        assert list(fit_ratings(games).values()) == pytest.approx([1500.0] * 3, abs=1e-9)

    def test_every_game_won_stops_where_the_prior_balances(self) -> None:
        ratings = fit_ratings(duels("a", "b", 30, 0), prior_sd=1000.0)
        gap = (ratings["a"] - ratings["b"]) / ELO
        assert 30.0 / (1.0 + math.exp(gap)) == pytest.approx(gap / 2.0 * (ELO / 1000.0) ** 2, rel=1e-6)
        assert 500.0 < ratings["a"] - ratings["b"] < 1500.0

    def test_journal_citations(self) -> None:
        """Stigler's citation counts (Agresti 2002, p. 448); estimates as in the BradleyTerry2 vignette."""
        names = ("Biometrika", "Comm Statist", "JASA", "JRSS-B")
        pairs = {(0, 1): (730, 33), (0, 2): (498, 320), (0, 3): (221, 284)}
        pairs |= {(1, 2): (68, 813), (1, 3): (17, 276), (2, 3): (142, 325)}
        games = [game for (i, j), score in pairs.items() for game in duels(names[i], names[j], *score)]
        ratings = fit_ratings(games, prior_sd=FLAT)
        relative = [(ratings[name] - ratings["Biometrika"]) / ELO for name in names]
        assert relative == pytest.approx([0.0, -2.94907, -0.47957, 0.26895], abs=1e-5)


class TestBruteForce:
    """Agreement with a likelihood that lists all finishing orders."""

    @pytest.mark.parametrize(
        "games",
        [
            [("abcd", (1, 2, 3, 4)), ("bacd", (1, 2, 2, 4)), ("cdab", (1, 1, 3, 4)), ("dabc", (1, 2, 3, 3))],
            [("abcd", (1, 1, 1, 1)), ("abcd", (1, 2, 2, 2)), ("bacd", (1, 1, 3, 3)), ("dc", (1, 2))],
            [("aabb", (1, 2, 2, 4)), ("abab", (1, 1, 1, 4)), ("bca", (1, 2, 3)), ("cab", (1, 1, 1))],
            [("abcdef", (1, 2, 2, 2, 2, 6)), ("fedcba", (1, 1, 1, 4, 5, 6)), ("ace", (2, 1, 3))],
        ],
    )
    @pytest.mark.parametrize("compared", [True, False])
    def test_same_maximum_as_a_general_optimiser(
        self, games: list[tuple[str, tuple[int, ...]]], compared: bool
    ) -> None:
        results = [GameResult(tuple(players), ranks, losers_compared=compared) for players, ranks in games]
        expected = brute_fit(results, 400.0)
        assert fit_ratings(results, center=0.0, prior_sd=400.0) == pytest.approx(expected, abs=0.02)

    @settings(max_examples=30, deadline=None)
    @given(small_sets, st.integers(0, 1000))
    def test_no_nearby_strengths_are_better(self, results: list[GameResult], seed: int) -> None:
        ratings = fit_ratings(results, center=0.0, prior_sd=300.0)
        theta = {name: value / ELO for name, value in ratings.items()}
        best = brute_objective(theta, results, 300.0)
        rng = np.random.default_rng(seed)
        for size in (1e-3, 0.1):
            moved = {name: value + size * rng.normal() for name, value in theta.items()}
            assert brute_objective(moved, results, 300.0) <= best + 1e-12 * len(results)


class TestTies:
    """Which ties carry information."""

    def test_seats_never_compared_are_not_pulled_together(self) -> None:
        base = duels("b", "c", 9, 3)
        plain = fit_ratings(base, prior_sd=FLAT)
        more = fit_ratings(base + winner_only("abc", (8, 0, 0)) + winner_only("abc", (0, 3, 1)), prior_sd=FLAT)
        assert more["b"] - more["c"] == pytest.approx(plain["b"] - plain["c"], abs=1e-4)

    @pytest.mark.parametrize(
        ("players", "ranks"), [("bc", (1, 1)), ("abcd", (1, 2, 2, 4)), ("abcd", (1, 1, 1, 1)), ("abc", (1, 2, 2))]
    )
    def test_observed_ties_pull_together(self, players: str, ranks: tuple[int, ...]) -> None:
        base = duels("b", "c", 9, 3) + duels("a", "b", 2, 2) + duels("d", "c", 2, 2)
        plain = fit_ratings(base)
        more = fit_ratings(base + [GameResult(tuple(players), ranks)] * 5)
        assert more["b"] - more["c"] < plain["b"] - plain["c"] - 10.0

    def test_only_the_order_of_ranks_counts(self) -> None:
        close = [GameResult(tuple("abcd"), (1, 2, 2, 3)), GameResult(tuple("acbd"), (4, 1, 2, 3))]
        wide = [GameResult(tuple("abcd"), (2, 5, 5, 9)), GameResult(tuple("acbd"), (40, 10, 20, 30))]
        assert fit_ratings(close) == fit_ratings(wide)

    def test_a_draw_of_eight_is_level(self) -> None:
        ratings = fit_ratings([GameResult(tuple("abcdefgh"), (1,) * 8)])
        assert list(ratings.values()) == pytest.approx([1500.0] * 8, abs=1e-9)

    def test_games_against_oneself_carry_nothing(self) -> None:
        base = duels("a", "b", 5, 3)
        own = [GameResult(("a", "a"), (1, 2)), GameResult(("b", "b", "b"), (1, 1, 3))]
        assert fit_ratings(base + own) == pytest.approx(fit_ratings(base), abs=1e-9)

    def test_a_lone_agent_stands_at_the_center(self) -> None:
        assert fit_ratings([GameResult(("a", "a"), (1, 2))], center=1000.0) == {"a": 1000.0}


class TestFit:
    """Behaviour of the fit as a whole."""

    def test_recovers_simulated_strengths(self) -> None:
        theta = np.array([1.2, 0.7, 0.2, -0.1, -0.6, -1.4])
        ratings = fit_ratings(simulate(theta, 3000, 4, seed=1))
        errors = [ratings[f"p{i}"] - 1500.0 - ELO * theta[i] for i in range(len(theta))]
        assert max(map(abs, errors)) < 20.0

    def test_the_prior_hardly_moves_ordinary_ratings(self) -> None:
        games = duels("a", "b", 27, 9)
        gap = {sd: np.ptp(list(fit_ratings(games, prior_sd=sd).values())) for sd in (1000.0, FLAT)}
        assert 0.99 < gap[1000.0] / gap[FLAT] < 1.0

    def test_groups_that_never_met_share_the_mean(self) -> None:
        ratings = fit_ratings(duels("a", "b", 8, 2) + duels("c", "d", 5, 5))
        assert ratings["a"] + ratings["b"] == pytest.approx(3000.0, abs=1e-6)
        assert ratings["c"] == pytest.approx(1500.0, abs=1e-6)

    def test_a_chain_of_clean_scores_stays_finite(self) -> None:
        chain = "abcdefghijklmnopqrstuvwxyz"
        games = [game for pair in pairwise(chain) for game in duels(*pair, 50, 0)]
        for prior_sd in (1.0, 1000.0, FLAT):
            values = list(fit_ratings(games, prior_sd=prior_sd).values())
            assert np.all(np.isfinite(values))
            assert values == sorted(values, reverse=True)

    def test_many_games_agree_with_few_of_the_same_shares(self) -> None:
        few = fit_ratings(duels("a", "b", 3, 1) + duels("b", "c", 2, 2), prior_sd=FLAT)
        many = fit_ratings((duels("a", "b", 3, 1) + duels("b", "c", 2, 2)) * 5000, prior_sd=FLAT)
        assert many == pytest.approx(few, abs=1e-3)

    @settings(max_examples=30, deadline=None)
    @given(small_sets, st.randoms(use_true_random=False))
    def test_order_of_games_and_seats_is_irrelevant(self, results: list[GameResult], rng: random.Random) -> None:
        shuffled = []
        for game in rng.sample(results, len(results)):
            seats = rng.sample(range(len(game.ranks)), len(game.ranks))
            players, ranks = tuple(game.players[i] for i in seats), tuple(game.ranks[i] for i in seats)
            shuffled.append(replace(game, players=players, ranks=ranks))
        assert fit_ratings(shuffled) == fit_ratings(results)
        assert rate(shuffled, resamples=5) == rate(results, resamples=5)

    @settings(max_examples=30, deadline=None)
    @given(small_sets, st.floats(-5000, 5000), st.floats(50, 5000))
    def test_mean_is_the_center(self, results: list[GameResult], center: float, prior_sd: float) -> None:
        ratings = fit_ratings(results, center=center, prior_sd=prior_sd)
        assert np.mean(list(ratings.values())) == pytest.approx(center, abs=1e-6)
        base = fit_ratings(results, center=0.0, prior_sd=prior_sd)
        assert ratings == pytest.approx({name: value + center for name, value in base.items()}, abs=1e-6)

    @settings(max_examples=30, deadline=None)
    @given(small_sets, st.permutations("abcde"))
    def test_names_do_not_matter(self, results: list[GameResult], names: list[str]) -> None:
        rename = dict(zip("abcde", names, strict=True))
        renamed = [replace(game, players=tuple(rename[name] for name in game.players)) for game in results]
        expected = {rename[name]: value for name, value in fit_ratings(results).items()}
        assert fit_ratings(renamed) == pytest.approx(expected, abs=1e-5)

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.tuples(st.permutations("abcd"), st.sampled_from([(1, 2), (1, 1)])), min_size=1, max_size=12))
    def test_turned_round_duels_mirror_the_ratings(self, games: list[tuple[list[str], tuple[int, int]]]) -> None:
        forward = [GameResult((table[0], table[1]), ranks) for table, ranks in games]
        backward = [GameResult((table[1], table[0]), ranks) for table, ranks in games]
        expected = {name: -value for name, value in fit_ratings(forward, center=0.0).items()}
        assert fit_ratings(backward, center=0.0) == pytest.approx(expected, abs=1e-5)

    @settings(max_examples=30, deadline=None)
    @given(small_sets, st.sampled_from("abcd"))
    def test_a_further_win_never_lowers_the_winner(self, results: list[GameResult], winner: str) -> None:
        base = [*results, *duels(winner, "e", 1, 1)]
        before, after = fit_ratings(base, center=0.0), fit_ratings([*base, *duels(winner, "e", 1, 0)], center=0.0)
        assert after[winner] - after["e"] > before[winner] - before["e"]


class TestRate:
    """Bootstrap intervals."""

    def test_points_equal_the_fit_and_lie_inside(self) -> None:
        results = simulate((1.0, 0.5, 0.0, -0.5), 80, 3, seed=2)
        ratings = rate(results, resamples=50)
        assert {entry.name: entry.rating for entry in ratings} == fit_ratings(results)
        assert all(entry.low < entry.rating < entry.high for entry in ratings)
        assert [entry.name for entry in ratings] == sorted(
            (entry.name for entry in ratings), key=fit_ratings(results).__getitem__, reverse=True
        )

    def test_same_seed_same_intervals(self) -> None:
        results = simulate((1.0, 0.0, -0.5), 60, 2, seed=3)
        assert rate(results, resamples=20, seed=5) == rate(results, resamples=20, seed=5)
        assert rate(results, resamples=20, seed=5) != rate(results, resamples=20, seed=6)

    @pytest.mark.parametrize("clustered", [True, False])
    def test_width_matches_the_binomial_error(self, clustered: bool) -> None:
        """Half the standard error of a log-odds falls on each player; a single cluster resamples single games."""
        games = duels("a", "b", 300, 100)
        if clustered:
            games = [GameResult(game.players, game.ranks, index) for index, game in enumerate(games)]
        top = rate(games, resamples=400)[0]
        assert top.high - top.low == pytest.approx(1.96 * ELO / math.sqrt(400 * 0.75 * 0.25), rel=0.1)

    def test_repeated_games_in_a_cluster_add_no_certainty(self) -> None:
        outcomes = [(1, 2) if index % 3 else (2, 1) for index in range(60)]
        grouped = [GameResult(("a", "b"), ranks, i) for i, ranks in enumerate(outcomes) for _ in range(9)]
        apart = [GameResult(game.players, game.ranks, index) for index, game in enumerate(grouped)]
        wide, narrow = (rate(games, resamples=300)[0] for games in (grouped, apart))
        assert (wide.high - wide.low) / (narrow.high - narrow.low) == pytest.approx(3.0, rel=0.15)

    def test_higher_confidence_is_wider(self) -> None:
        results = simulate((0.5, 0.0, -0.5), 100, 2, seed=4)
        half, most = (rate(results, confidence=level)[0] for level in (0.5, 0.95))
        assert most.low < half.low < half.high < most.high

    def test_intervals_cover_the_truth_about_as_often_as_they_claim(self) -> None:
        theta = np.array([0.8, 0.1, -0.9])
        inside = []
        for seed in range(25):
            for entry in rate(simulate(theta, 150, 2, seed=100 + seed), resamples=60, seed=seed):
                inside.append(entry.low <= 1500.0 + ELO * theta[int(entry.name[1])] <= entry.high)
        assert 0.85 <= np.mean(inside) <= 0.99

    def test_a_clean_score_has_a_finite_interval(self) -> None:
        best = rate(duels("a", "b", 12, 0) + duels("b", "c", 7, 5), resamples=50)[0]
        assert best.name == "a"
        assert math.isfinite(best.low)
        assert math.isfinite(best.high)

    def test_an_anchor_stands_still_and_intervals_are_those_of_the_distance(self) -> None:
        games = duels("a", "b", 60, 40)
        free, anchored = rate(games), rate(games, anchor="b", center=0.0)
        assert [(anchored[1].name, anchored[1].rating, anchored[1].low, anchored[1].high)] == [("b", 0.0, 0.0, 0.0)]
        assert anchored[0].rating == pytest.approx(free[0].rating - free[1].rating)
        # half of the distance on each side of the mean: the distance varies twice as much as each of them
        assert anchored[0].high - anchored[0].low == pytest.approx(2 * (free[0].high - free[0].low))

    def test_an_anchor_must_have_played(self) -> None:
        with pytest.raises(RatingError, match="'c' did not play"):
            rate(duels("a", "b", 1, 1), anchor="c")

    def test_equal_ratings_come_in_name_order(self) -> None:
        assert [entry.name for entry in rate(duels("z", "y", 0, 0, draws=4), resamples=3)] == ["y", "z"]


class TestExpectedScore:
    """The Elo curve."""

    @pytest.mark.parametrize(("gap", "score"), [(0.0, 0.5), (400.0, 10 / 11), (-400.0, 1 / 11), (800.0, 100 / 101)])
    def test_known_points(self, gap: float, score: float) -> None:
        assert expected_score(1500.0 + gap, 1500.0) == pytest.approx(score, rel=1e-12)

    @given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
    def test_swapping_gives_the_complement(self, first: float, second: float) -> None:
        assert expected_score(first, second) + expected_score(second, first) == pytest.approx(1.0, abs=1e-12)

    def test_fit_reproduces_the_score(self) -> None:
        ratings = fit_ratings(duels("a", "b", 13, 7), prior_sd=FLAT)
        assert expected_score(ratings["a"], ratings["b"]) == pytest.approx(13 / 20, abs=1e-6)


class TestBadInput:
    """Input that cannot be rated."""

    @pytest.mark.parametrize(
        ("players", "ranks"),
        [(("a", "b"), (1,)), (("a",), (1,)), ((), ()), (("a", "b"), (0, 1)), (("a", "b"), (1, -2))],
    )
    def test_bad_games(self, players: tuple[str, ...], ranks: tuple[int, ...]) -> None:
        with pytest.raises(RatingError):
            GameResult(players, ranks)

    def test_no_games(self) -> None:
        with pytest.raises(RatingError):
            fit_ratings([])
        with pytest.raises(RatingError):
            rate([])

    @pytest.mark.parametrize("name", ["center", "prior_sd"])
    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_parameters_that_are_not_finite(self, name: str, value: float) -> None:
        with pytest.raises(RatingError, match=name):
            fit_ratings(duels("a", "b", 1, 1), **{name: value})

    @pytest.mark.parametrize(
        "parameters", [{"prior_sd": 0.0}, {"prior_sd": -1.0}, {"resamples": 0}, {"confidence": 1.0}, {"confidence": 0}]
    )
    def test_parameters_out_of_range(self, parameters: dict[str, float]) -> None:
        with pytest.raises(RatingError, match=next(iter(parameters))):
            rate(duels("a", "b", 1, 1), **parameters)

    def test_expected_score_of_nothing(self) -> None:
        with pytest.raises(RatingError):
            expected_score(math.nan, 1500.0)
