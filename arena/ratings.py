"""Maximum-likelihood ratings on the Elo scale for games with any number of seats.

Every agent has one strength ``theta`` in natural-log units; ``400 / ln 10`` Elo make one unit.  A finishing order is
read from the best place down: each place goes to one of the seats still in play, with probability proportional to
``exp(theta)`` (Plackett 1975, Luce 1959).  With two seats this is the Bradley-Terry model behind the Elo formula.

Ties
    A tie of ``k`` seats leaves ``k!`` orders open, and its likelihood is their geometric mean: a drawn two-player
    game is half a win for each side.  In a uniformly random order of the tied seats those not yet placed are a
    uniformly random subset, so the mean log-likelihood is a sum over subsets (``2**k`` terms or fewer, never ``k!``).

Shared last place
    Where a game only tells its winners from the rest, as Quoridor with four players does, the seats at the shared last
    place have not been compared: with ``losers_compared=False`` they lost to everyone above, and the tie itself says
    nothing.  A tie of the whole table is a draw and always counts as a tie.

Several seats of one agent
    Such seats share ``theta``; the agent is weighed once for each seat, and beating itself tells nothing.

Prior
    A Gaussian prior of standard deviation ``prior_sd`` Elo about the common mean keeps an agent that won every game
    finite, and places groups that never met about the same mean.  At its default of 1000 Elo it moves the distance
    between two agents by well under 1 % once they have met a few dozen times.

Intervals come from a bootstrap over clusters of games (Efron 1979), because games that share an opening or a dice
stream are not independent.

References:
    Plackett, R. L. (1975), The analysis of permutations, doi:10.2307/2346567.
    Luce, R. D. (1959), Individual Choice Behavior, Wiley.
    Bradley, R. A. and Terry, M. E. (1952), Rank analysis of incomplete block designs, doi:10.2307/2334029.
    Hunter, D. R. (2004), MM algorithms for generalized Bradley-Terry models, doi:10.1214/aos/1079120141.
    Sun, T. and Tran-Dinh, Q. (2019), Generalized self-concordant functions, doi:10.1007/s10107-018-1282-4.
    Efron, B. (1979), Bootstrap methods: another look at the jackknife, doi:10.1214/aos/1176344552.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..envs.errors import RatingError

__all__ = ["GameResult", "Rating", "RatingError", "expected_score", "fit_ratings", "rate"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Pattern: TypeAlias = tuple[tuple[int, ...], ...]

_ELO_PER_UNIT = 400.0 / math.log(10.0)
_RESIDUE = 1e-9
_ROUNDING = 1e-13
_MAX_STEPS = 500


@dataclass(frozen=True)
class GameResult:
    """How one game ended.

    Attributes:
        players: Agent name of each seat, in seat order; one agent may hold several seats.
        ranks: Rank of each seat, 1 for the best.  Equal numbers share a rank; only their order counts, so
            ``(1, 2, 2, 4)`` and ``(1, 2, 2, 3)`` mean the same.
        cluster: Games with the same number (say one opening with the seats rotated) are resampled together.
        losers_compared: Whether seats that share the last place tied there; False if nobody looked.

    Raises:
        RatingError: Fewer than two seats, a different number of ranks than seats, or a rank below 1.
    """

    players: tuple[str, ...]
    ranks: tuple[int, ...]
    cluster: int = 0
    losers_compared: bool = True

    def __post_init__(self) -> None:
        """Refuse results that cannot be read as a ranking."""
        if len(self.players) != len(self.ranks):
            raise RatingError(f"{len(self.players)} players but {len(self.ranks)} ranks")
        if len(self.players) < 2:
            raise RatingError("a game needs at least two seats")
        if not all(rank >= 1 for rank in self.ranks):
            raise RatingError(f"ranks start at 1, got {self.ranks}")


@dataclass(frozen=True)
class Rating:
    """Rating of one agent with its bootstrap interval.

    Attributes:
        name: Agent name.
        rating: Point estimate, Elo.
        low: Lower end of the interval, Elo; never above ``rating``.
        high: Upper end of the interval, Elo; never below ``rating``.
    """

    name: str
    rating: float
    low: float
    high: float


@dataclass(frozen=True)
class _Links:
    """A sparse linear map: ``value[i]`` times input ``source[i]`` is added to output ``target[i]``."""

    source: Ints
    target: Ints
    value: Floats
    size: int

    @classmethod
    def of(cls, columns: Sequence[Mapping[int, float]], size: int) -> Self:
        """Build the map whose input ``i`` feeds the outputs named in ``columns[i]``."""
        source = np.repeat(np.arange(len(columns)), [len(column) for column in columns])
        target = np.array([index for column in columns for index in column], dtype=np.intp)
        value = np.array([share for column in columns for share in column.values()], dtype=np.float64)
        return cls(source, target, value, size)

    def carry(self, weights: Floats) -> Floats:
        """Return the image of ``weights``."""
        image = np.bincount(self.target, weights=weights[self.source] * self.value, minlength=self.size)
        return image.astype(np.float64, copy=False)


@dataclass(frozen=True)
class _Design:
    """The distinct likelihood terms of a data set.

    With weight ``w`` on each pattern the log-likelihood is ``linear.carry(w) @ theta`` less the sum over rows of
    ``rows.carry(w)`` times the log of the summed ``exp(theta)`` of the row's seats.

    Attributes:
        names: Agent names, sorted; their positions are the agent indices.
        seats: For each seat position the agent index there in every row that is long enough; longest rows first.
        pairs: For each two positions ``i < j``, in the order of ``combinations``, the flat index in an agents by
            agents matrix of the agents there, in every row that is long enough.
        linear: Map from patterns to agents.
        rows: Map from patterns to rows.
    """

    names: tuple[str, ...]
    seats: tuple[Ints, ...]
    pairs: tuple[Ints, ...]
    linear: _Links
    rows: _Links


@dataclass(frozen=True)
class _Games:
    """A data set reduced to its distinct patterns.

    Attributes:
        design: Likelihood terms of the distinct patterns.
        pattern: Pattern index of every game.
        cluster: Cluster index of every game, numbered from 0 in the order of the given cluster numbers.
    """

    design: _Design
    pattern: Ints
    cluster: Ints

    @property
    def weights(self) -> Floats:
        """How many games show each pattern."""
        return np.bincount(self.pattern).astype(np.float64)


def expected_score(rating_a: float, rating_b: float) -> float:
    """Return the share of two-player games that ``a`` should score against ``b``, a draw counting half.

    Args:
        rating_a: Rating of the first player, Elo.
        rating_b: Rating of the second player, Elo.

    Returns:
        A score between 0 and 1; swapping the players gives its complement.

    Raises:
        RatingError: A rating is not finite.
    """
    _require_finite(rating_a=rating_a, rating_b=rating_b)
    return 0.5 + 0.5 * math.tanh((rating_a - rating_b) / (2.0 * _ELO_PER_UNIT))


def fit_ratings(results: Sequence[GameResult], *, center: float = 1500.0, prior_sd: float = 1000.0) -> dict[str, float]:
    """Fit one rating per agent to all the games.

    The outcome depends neither on the order of the games nor on the order of the seats.

    Args:
        results: Games of two or more seats.
        center: Mean of the returned ratings, Elo.
        prior_sd: Standard deviation of the prior about that mean, Elo.  Beyond about 1e6 it is too weak to separate
            from rounding where the games alone decide nothing.

    Returns:
        Rating of every agent in Elo, in name order.

    Raises:
        RatingError: No results, or parameters that are not finite or not positive.
    """
    precision = _precision(center, prior_sd)
    games = _read(results)
    theta = _maximise(games.design, games.weights, precision, np.zeros(len(games.design.names)))
    return dict(zip(games.design.names, _to_elo(theta, center).tolist(), strict=True))


def rate(
    results: Sequence[GameResult],
    *,
    center: float = 1500.0,
    prior_sd: float = 1000.0,
    resamples: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
    anchor: str | None = None,
) -> list[Rating]:
    """Fit one rating per agent and give each a bootstrap interval.

    Whole clusters are drawn with replacement; when all the games lie in a single cluster, single games are drawn
    instead.  The interval holds the central ``confidence`` share of the refitted ratings and is widened where needed
    to contain the estimate.  Two limits of the method: an agent that won (or lost) every game does so in every
    resample too, so its interval shows no more than how the prior and the other agents vary; and an agent left out of
    a resample stands at ``center`` there.

    Args:
        results: Games of two or more seats.
        center: Mean of the returned ratings, Elo.
        prior_sd: Standard deviation of the prior about that mean, Elo.
        resamples: Number of bootstrap refits.
        seed: Seed of the resampling; the same seed and games, in any order, give the same intervals.
        confidence: Coverage aimed at, between 0 and 1.
        anchor: Name of an agent that stands at ``center``, in every resample too, so that all intervals are those of the
            distance to it; default: the mean of all agents stands there.

    Returns:
        Ratings, best first; equal ones in name order.

    Raises:
        RatingError: No results, parameters outside their range, or an anchor that did not play.
    """
    precision = _precision(center, prior_sd)
    _check_bootstrap(resamples, confidence)
    games = _read(results)
    theta = _maximise(games.design, games.weights, precision, np.zeros(len(games.design.names)))
    refits = np.array([_maximise(games.design, w, precision, theta) for w in _resample(games, resamples, seed)])
    tails = [0.5 - confidence / 2.0, 0.5 + confidence / 2.0]
    point, drawn = _to_elo(theta, center), _to_elo(refits, center)
    if anchor is not None:
        if anchor not in games.design.names:
            raise RatingError(f"anchor {anchor!r} did not play; {', '.join(games.design.names)} did")
        place = games.design.names.index(anchor)
        point, drawn = point - point[place] + center, drawn - drawn[:, [place]] + center
    low, high = np.quantile(drawn, tails, axis=0)
    columns = (point.tolist(), np.minimum(low, point).tolist(), np.maximum(high, point).tolist())
    ratings = [Rating(*row) for row in zip(games.design.names, *columns, strict=True)]
    return sorted(ratings, key=lambda entry: (-entry.rating, entry.name))


def _require_finite(**values: float) -> None:
    """Raise for the first value that is not a finite number."""
    for name, value in values.items():
        if not math.isfinite(value):
            raise RatingError(f"{name} must be finite, got {value}")


def _precision(center: float, prior_sd: float) -> float:
    """Check the scale parameters and return the inverse prior variance in natural units."""
    _require_finite(center=center, prior_sd=prior_sd)
    if prior_sd <= 0.0:
        raise RatingError(f"prior_sd must be positive, got {prior_sd}")
    return (_ELO_PER_UNIT / prior_sd) ** 2


def _check_bootstrap(resamples: int, confidence: float) -> None:
    """Raise unless the bootstrap parameters lie in their ranges."""
    if resamples < 1:
        raise RatingError(f"resamples must be at least 1, got {resamples}")
    if not 0.0 < confidence < 1.0:
        raise RatingError(f"confidence must lie between 0 and 1, got {confidence}")


def _to_elo(theta: Floats, center: float) -> Floats:
    """Turn natural strengths into Elo ratings with mean ``center`` along the last axis."""
    centred: Floats = theta - theta.mean(axis=-1, keepdims=True)
    return center + _ELO_PER_UNIT * centred


def _read(results: Sequence[GameResult]) -> _Games:
    """Reduce games to distinct patterns, numbered independently of the order of games and seats."""
    if not results:
        raise RatingError("no results to rate")
    keys = [(tuple(game.players), tuple(game.ranks), game.losers_compared) for game in results]
    distinct = dict.fromkeys(keys)
    names = tuple(sorted({name for players, *_ in distinct for name in players}))
    agent = {name: index for index, name in enumerate(names)}
    shape = {key: _pattern([agent[name] for name in key[0]], *key[1:]) for key in distinct}
    patterns = sorted(set(shape.values()))
    number = {pattern: index for index, pattern in enumerate(patterns)}
    place = {key: number[pattern] for key, pattern in shape.items()}
    label = {cluster: index for index, cluster in enumerate(sorted({game.cluster for game in results}))}
    pattern = np.array([place[key] for key in keys], dtype=np.intp)
    cluster = np.array([label[game.cluster] for game in results], dtype=np.intp)
    return _Games(_design(names, patterns), pattern, cluster)


def _pattern(agents: Sequence[int], ranks: Sequence[int], losers_compared: bool) -> Pattern:
    """Group the agents by rank, best group first, each group sorted; the last group holds those never compared."""
    groups: dict[int, list[int]] = {}
    for agent, rank in zip(agents, ranks, strict=True):
        groups.setdefault(rank, []).append(agent)
    ordered = [tuple(sorted(groups[rank])) for rank in sorted(groups)]
    return (*ordered, ()) if losers_compared or len(ordered) == 1 else tuple(ordered)


def _design(names: tuple[str, ...], patterns: Sequence[Pattern]) -> _Design:
    """Collect the likelihood terms of all patterns into arrays."""
    terms = [_terms(pattern) for pattern in patterns]
    distinct = sorted({row for _, rows in terms for row in rows}, key=lambda row: (-len(row), row))
    number = {row: index for index, row in enumerate(distinct)}
    width = len(distinct[0]) if distinct else 0
    seats = tuple(np.array([row[i] for row in distinct if len(row) > i], dtype=np.intp) for i in range(width))
    pairs = tuple(left[: len(right)] * len(names) + right for left, right in combinations(seats, 2))
    linear = _Links.of([gain for gain, _ in terms], len(names))
    rows = _Links.of([{number[row]: share for row, share in rows.items()} for _, rows in terms], len(distinct))
    return _Design(names, seats, pairs, linear, rows)


def _terms(pattern: Pattern) -> tuple[dict[int, float], dict[tuple[int, ...], float]]:
    """Return the log-likelihood of one game as weights of ``theta`` and of log-sum-exp rows.

    A row of a single agent is its ``theta`` plus a constant, so it goes to the linear part.
    """
    gain: dict[int, float] = {}
    rows: dict[tuple[int, ...], float] = {}
    decided, below = pattern[:-1], pattern[-1]
    for group in reversed(decided):
        for agent in group:
            gain[agent] = gain.get(agent, 0.0) + 1.0
        for subset, share in _left_to_place(group):
            row = tuple(sorted(subset + below))
            if row[0] == row[-1]:
                gain[row[0]] = gain.get(row[0], 0.0) - share
            else:
                rows[row] = rows.get(row, 0.0) + share
        below += group
    return gain, rows


@lru_cache(maxsize=1024)
def _left_to_place(group: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], float], ...]:
    """Return what is left of a tied group while a random order of it is placed, with the expected number of times.

    Each size from the whole group down to one seat occurs once, all subsets of that size being equally likely;
    subsets that name the same agents are merged.
    """
    held = Counter(group)
    parts = []
    for kept in product(*(range(count + 1) for count in held.values())):
        if any(kept):
            ways = math.prod(math.comb(count, number) for count, number in zip(held.values(), kept, strict=True))
            subset = tuple(agent for agent, number in zip(held, kept, strict=True) for _ in range(number))
            parts.append((subset, ways / math.comb(len(group), len(subset))))
    return tuple(parts)


def _maximise(design: _Design, weights: Floats, precision: float, start: Floats) -> Floats:
    """Return the strengths that maximise the penalised log-likelihood, by damped Newton steps.

    Along a step of spread ``b`` (largest less smallest component) the curvature of a log-sum-exp changes by a factor
    of ``exp(b)`` at most, so the fraction ``log(1 + b) / b`` of the Newton step always gains: no line search is
    needed (Sun and Tran-Dinh 2019).  Such a step leaves at most about ``b`` times the Newton decrement, which is the
    distance to the maximum in posterior standard deviations; the iteration ends when that product falls below 1e-9,
    so that the gradient norm is below 1e-9 times the root of the largest curvature, or when the gradient itself is
    down to rounding.
    """
    linear, rows = design.linear.carry(weights), design.rows.carry(weights)
    rounding = _ROUNDING * max(1.0, float(rows.sum()))
    theta = start
    for _ in range(_MAX_STEPS):
        gradient, curvature = _derivatives(design, linear, rows, precision, theta)
        if float(np.linalg.norm(gradient)) <= rounding:
            return theta
        step = np.linalg.solve(curvature, gradient)
        step -= step.mean()
        spread = float(np.ptp(step))
        theta = theta + (math.log1p(spread) / spread if spread else 1.0) * step
        if spread * math.sqrt(max(0.0, float(gradient @ step))) <= _RESIDUE:
            return theta
    raise RatingError("the rating fit did not converge")


def _derivatives(
    design: _Design, linear: Floats, rows: Floats, precision: float, theta: Floats
) -> tuple[Floats, Floats]:
    """Return the gradient of the penalised log-likelihood and its negated Hessian.

    The games do not fix a common shift and the prior sets it to zero mean; the gradient is freed of its rounding
    along that direction and the curvature there is raised, which leaves the maximum where it is.
    """
    size = len(theta)
    shares = _shares(design.seats, theta)
    loads = [rows[: len(share)] * share for share in shares]
    gradient = linear - precision * theta
    for agents, load in zip(design.seats, loads, strict=True):
        gradient -= np.bincount(agents, weights=load, minlength=size)
    flat = np.zeros(size * size)
    for index, (i, j) in zip(design.pairs, combinations(range(len(shares)), 2), strict=True):
        flat += np.bincount(index, weights=loads[i][: len(index)] * shares[j], minlength=size * size)
    cross = flat.reshape(size, size) + flat.reshape(size, size).T
    np.fill_diagonal(cross, 0.0)
    curvature = np.diag(cross.sum(axis=1) + precision) - cross
    return gradient - gradient.mean(), curvature + np.trace(curvature) / size**2


def _shares(seats: Sequence[Ints], theta: Floats) -> list[Floats]:
    """Return for each seat position the probability that it is chosen out of its row."""
    powers = [theta[agents] for agents in seats]
    top = powers[0].copy() if powers else np.zeros(0)
    for power in powers:
        np.maximum(top[: len(power)], power, out=top[: len(power)])
    weights = [np.exp(power - top[: len(power)]) for power in powers]
    total = np.zeros(len(top))
    for weight in weights:
        total[: len(weight)] += weight
    return [weight / total[: len(weight)] for weight in weights]


def _resample(games: _Games, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield the pattern weights of each bootstrap resample."""
    rng = np.random.default_rng(seed)
    units = int(games.cluster.max()) + 1
    links = _Links(games.cluster, games.pattern, np.ones(len(games.pattern)), len(games.weights))
    for _ in range(resamples):
        if units == 1:
            draws = rng.multinomial(len(games.pattern), games.weights / len(games.pattern))
            yield draws.astype(np.float64)
        else:
            yield links.carry(rng.multinomial(units, np.full(units, 1.0 / units)).astype(np.float64))
