"""How a network plays on the way: games against fixed opponents and its former self, and one rating for all of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from statistics import NormalDist, stdev
from typing import Any, NamedTuple

from ..agents.agent import Agent
from ..agents.networks.files import StoredNetwork
from ..agents.registry import make_agent
from ..agents.search.alphabeta.agent import AlphaBetaAgent
from ..agents.search.mcts import MctsAgent
from ..arena.match import Played, play_game, random_opening
from ..arena.places import ranks
from ..arena.ratings import GameResult, fit_ratings
from ..arena.records import GameRecord
from ..envs.core import Game
from ..envs.errors import AgentError
from .executors import Executor
from .judging import Judge, NetworkPlayer, evaluator_of
from .sections import Evaluation

STREAM, _OPENING, _DICE, _PLAYERS = 3, 1, 2, 3
_GAMES_A_TASK = 10
PREVIOUS = "previous"


class Match(NamedTuple):
    """Some games of a network against an opponent on all other seats; a task for an executor.

    Attributes:
        game: the rules.
        opponent: a spec string; None for its former self.
        settings: of the evaluation.
        backend: what runs the network.
        seed: of the run.
        iteration: of the network.
        first: number of the first game.
        games: how many.
        records: games whose number is below this are kept as records.
        threads, device: see `evaluator_of`.
    """

    game: Game
    opponent: str | None
    settings: Evaluation
    backend: str
    seed: int
    iteration: int
    first: int
    games: int
    records: int = 0
    threads: int = 1
    device: str = "cpu"


class Result(NamedTuple):
    """A game of a match: the seat of the network, what each seat was paid, and the record if it is kept."""

    seat: int
    returns: tuple[float, ...]
    record: GameRecord | None = None


def player_of(judge: Judge, settings: Evaluation, backend: str, threads: int, device: str) -> Agent:
    """Return the player whose strength is measured: the network, or alpha-beta with it, or with four players mcts."""
    player = NetworkPlayer(evaluator_of(judge, backend, threads, device), settings.simulations)
    if settings.nodes and isinstance(judge, StoredNetwork) and judge.config.kind == "nnue":
        if judge.shape.seats == 2:
            return AlphaBetaAgent(nodes=settings.nodes, leaf=player)
        return MctsAgent(simulations=settings.nodes, leaf=player)
    return player


def play_match(match: Match, judge: Judge, former: Judge) -> list[Result]:
    """Play the games of a match; games of one round have the same opening and dice, the network on each seat in turn.

    Args:
        match: which games.
        judge: the network.
        former: its former self.
    """
    game, seats = match.game, match.game.num_players
    own = player_of(judge, match.settings, match.backend, match.threads, match.device)
    others: list[Agent] = []
    for _ in range(seats - 1):
        if match.opponent is None:
            others.append(player_of(former, match.settings, match.backend, match.threads, match.device))
        else:
            others.append(make_agent(match.opponent))
    results = []
    for number in range(match.first, match.first + match.games):
        seat, place = number % seats, [STREAM, match.seed, number // seats]
        start = random_opening(game, game.opening_plies, [*place, _OPENING])
        table = [*others[:seat], own, *others[seat:]]
        played = play_game(start, table, [*place, _DICE], [*place, _PLAYERS, match.iteration])
        record = _record_of(match, played, number, seat) if number < match.records else None
        results.append(Result(seat, tuple(played.state.returns()), record))
    return results


def _record_of(match: Match, played: Played, number: int, seat: int) -> GameRecord:
    """Return the record of a game, the network named by its iteration."""
    names = [match.opponent or PREVIOUS] * match.game.num_players
    names[seat] = name_of(match.iteration)
    return GameRecord(
        game=match.game.name, rules=dict(match.game.options), agents=tuple(names), seed=match.seed,
        table=match.iteration, round=number, opening=played.opening, moves=tuple(played.state.moves()),
        returns=tuple(played.state.returns()), end=played.state.end_reason() or "",
    )  # fmt: skip


def reference_opponents(game: Game, settings: Evaluation) -> dict[str, str]:
    """Return the spec strings of the fixed opponents that play this game, by the metric that says the score."""
    wanted = {"eval/score_vs_random": "random", "eval/score_vs_heuristic": "heuristic"}
    if settings.mcts:
        wanted[f"eval/score_vs_mcts_{settings.mcts}"] = f"mcts:simulations={settings.mcts}"
    if settings.nodes and game.num_players == 2:
        wanted[f"eval/score_vs_alphabeta_{settings.nodes}"] = f"alphabeta:nodes={settings.nodes}"
    elif settings.nodes and game.name == "quoridor":
        wanted[f"eval/score_vs_mcts_{settings.nodes}"] = f"mcts:simulations={settings.nodes}"
    found = {}
    for metric, spec in wanted.items():
        try:
            make_agent(spec).supports(game)
        except AgentError:
            continue
        found[metric] = spec
    return found


class Strengths:
    """All games of all evaluations of a run, and the ratings that fit them best, all of them at once.

    Differences of scores from one evaluation to the next would add their errors up; one fit does not.
    """

    def __init__(self) -> None:
        self._games: Counter[tuple[tuple[str, ...], tuple[int, ...]]] = Counter()

    def add(self, own: str, opponent: str, results: list[Result]) -> None:
        """Take the games of a match in."""
        for result in results:
            names = tuple(own if seat == result.seat else opponent for seat in range(len(result.returns)))
            self._games[names, ranks(result.returns)] += 1

    def ratings(self, losers_compared: bool) -> dict[str, float]:
        """Return the rating of everybody in Elo, `heuristic` at 0, or `random` where nobody met that."""
        games = [
            GameResult(names, places, cluster, losers_compared)
            for cluster, ((names, places), count) in enumerate(sorted(self._games.items()))
            for _ in range(count)
        ]
        if not games:
            return {}
        found = fit_ratings(games, center=0.0)
        anchor = found.get("heuristic", found.get("random", 0.0))
        return {name: rating - anchor for name, rating in found.items()}

    def to_list(self) -> list[Any]:
        """Return all games as JSON values: who sat where, who came where, how often."""
        return [[list(names), list(places), count] for (names, places), count in sorted(self._games.items())]

    @classmethod
    def from_list(cls, rows: list[Any]) -> Strengths:
        """Read what `to_list` returned."""
        strengths = cls()
        for names, places, count in rows:
            strengths._games[tuple(map(str, names)), tuple(map(int, places))] = int(count)
        return strengths


def name_of(iteration: int) -> str:
    """Return the name by which the network of an iteration is rated."""
    return f"iteration_{iteration}"


class Evaluator:
    """Measures the networks of a run.

    Args:
        game: what they play.
        settings: how they are measured.
        backend: what runs them.
        seed: of the run.
        records: games of each evaluation that are kept, the first ones against the last of the fixed opponents.
        threads, device: see `evaluator_of`.

    Attributes:
        records: those of the last evaluation.
    """

    def __init__(
        self, game: Game, settings: Evaluation, backend: str, seed: int, records: int = 0, threads: int = 1,
        device: str = "cpu",
    ) -> None:  # fmt: skip
        self._kept, self.records = records, list[GameRecord]()
        self.game, self._settings, self._backend, self._seed = game, settings, backend, seed
        self._threads, self._device = threads, device
        self._opponents = reference_opponents(game, settings)

    def measure(
        self, executor: Executor, strengths: Strengths, iteration: int, judge: Judge,
        previous: tuple[int, Judge] | None, report: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> dict[str, float]:  # fmt: skip
        """Play all opponents; return the scores and the rating by the names of `metrics`.

        Args:
            executor: who plays.
            strengths: all games so far; those of this evaluation are added.
            iteration: of the network.
            judge: the network.
            previous: the iteration of the last evaluation and its network, if there was one.
            report: told how many of how many games are played.
        """
        opponents: dict[str, tuple[str, str | None]] = {
            metric: (spec, spec) for metric, spec in self._opponents.items()
        }
        former = judge
        if previous is not None:
            opponents["eval/score_vs_previous"] = name_of(previous[0]), None
            former = previous[1]
        tasks, owners = [], []
        shown = ([*self._opponents] or [*opponents] or [""])[-1]
        for metric, (_, opponent) in opponents.items():
            for first in range(0, self._settings.games, _GAMES_A_TASK):
                count = min(_GAMES_A_TASK, self._settings.games - first)
                tasks.append(
                    Match(
                        self.game, opponent, self._settings, self._backend, self._seed, iteration, first, count,
                        self._kept if metric == shown else 0, self._threads, self._device,
                    )
                )  # fmt: skip
                owners.append(metric)
        results: dict[str, list[Result]] = {metric: [] for metric in opponents}
        done, total = 0, self._settings.games * len(opponents)
        for metric, played in zip(owners, executor.run(play_match, tasks, judge, former), strict=True):
            results[metric] += played
            done += len(played)
            report(done, total)
        self.records = [result.record for found in results.values() for result in found if result.record is not None]
        for metric, (name, _) in opponents.items():
            strengths.add(name_of(iteration), name, results[metric])
        measured = {metric: score_of(found) for metric, found in results.items()}
        for metric in [name for name in measured if "alphabeta" in name]:
            measured[metric.replace("score", "interval")] = half_interval(results[metric])
        measured["eval/elo"] = strengths.ratings(self.game.ranks_losers)[name_of(iteration)]
        return measured


def score_of(results: list[Result]) -> float:
    """Return the mean score of the network, 0..1: a win 1, a draw 0.5; with more seats place points mapped to that."""
    return sum((result.returns[result.seat] + 1) / 2 for result in results) / len(results)


def half_interval(results: list[Result]) -> float:
    """Return half the width of the 95 % interval of the mean score.

    Games of a round, the network on each seat in turn, share an opening: the means of rounds vary, by a normal law.
    """
    seats = len(results[0].returns)
    rounds = [score_of(results[first : first + seats]) for first in range(0, len(results), seats)]
    if len(rounds) < 2:
        return 1.0
    return NormalDist().inv_cdf(0.975) * stdev(rounds) / math.sqrt(len(rounds))


def better(new: Mapping[str, float], old: Mapping[str, float]) -> bool:
    """Return whether a network is at least as strong as another: by exact loss where both have one, else by rating."""
    if "eval/exact_loss" in new and "eval/exact_loss" in old:
        return new["eval/exact_loss"] <= old["eval/exact_loss"]
    return new["eval/elo"] >= old["eval/elo"]
