"""Tournaments: which agents meet in which seats, playing it all on several processes, and the standings."""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..agents.agent import Agent
from ..agents.network_names import lend, networks_of
from ..agents.networks.files import StoredNetwork
from ..agents.registry import make_agent
from ..agents.specs import parse_spec
from ..envs.core import Game
from ..envs.errors import EngineFault, OptionError
from .executors import Executor, Serial
from .match import play_game, random_opening
from .places import FORFEIT, forfeit_returns, ranks
from .ratings import GameResult, rate
from .records import GameRecord

_OPENING, _DICE, _AGENTS = 1, 2, 3  # separate the random streams that one seed feeds
_MOST = 1_000_000
_MOST_IN_A_CHUNK = 16  # games; those of a chunk that is not finished are lost when a tournament is stopped


@dataclass(frozen=True)
class Tournament:
    """What is to be played. The same values give the same games.

    Attributes:
        game: the rules.
        agents: spec strings, each once.
        games: games of each pairing or, with more than two seats, of each table; 1 to 1,000,000.
        opening_plies: random plies before the agents take over; 0 to 1,000,000.
        seed: 0 or more.

    Raises:
        OptionError: for fewer than two agents, one agent named twice, or a number out of its range.
        UnknownNameError: for an agent that does not exist.
        AgentError: for an agent that does not play this game.
    """

    game: Game
    agents: tuple[str, ...]
    games: int
    opening_plies: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise OptionError(f"a tournament needs at least two agents, apart by blanks, not {len(self.agents)}")
        for agent, other in itertools.combinations(self.agents, 2):
            if parse_spec(agent) == parse_spec(other):
                spelled = "" if agent == other else f", once as {other!r}"
                raise OptionError(
                    f"agent {agent!r} is named twice{spelled}; an agent needs no second entry to meet all others"
                )
        for name, value, least, most in (
            ("games", self.games, 1, _MOST),
            ("openings", self.opening_plies, 0, _MOST),
            ("seed", self.seed, 0, math.inf),
        ):
            if not least <= value <= most:
                expected = f"{least}..{most}" if most < math.inf else f"{least} or more"
                raise OptionError(f"{name} must be {expected}, not {value}")
        for agent in self.agents:
            make_agent(agent).supports(self.game)

    def to_dict(self) -> dict[str, Any]:
        """Return the tournament as JSON values."""
        return {
            "game": self.game.name,
            "rules": dict(self.game.options),
            "agents": list(self.agents),
            "games": self.games,
            "openings": self.opening_plies,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Pairing:
    """One game of the schedule.

    Attributes:
        table: which meeting of agents it belongs to.
        number: which game of that table.
        round: which opening; games of a round differ in the seating alone.
        seats: the agent on each seat.
    """

    table: int
    number: int
    round: int
    seats: tuple[str, ...]


def seatings(agents: tuple[str, ...], seats: int) -> list[tuple[str, ...]]:
    """Return every way to seat `agents` at a table, each agent at least once, in an order that rotates early.

    With as many agents as seats these are all orders, the plain rotations first. With fewer, agents fill several
    seats: all arrangements in which nobody is missing. Each agent has each seat equally often.
    """
    if len(agents) == seats:
        everything = list(itertools.permutations(agents))
    else:
        everything = [s for s in itertools.product(agents, repeat=seats) if len(set(s)) == len(agents)]
    ordered: dict[tuple[str, ...], None] = {}
    for seating in everything:
        for turn in range(seats):
            ordered[seating[turn:] + seating[:turn]] = None
    return list(ordered)


def schedule(tournament: Tournament) -> Iterator[Pairing]:
    """Yield all games: every choice of agents that a table can hold, each with its seats exchanged round by round."""
    seats = tournament.game.num_players
    tables = itertools.combinations(tournament.agents, min(seats, len(tournament.agents)))
    for table, agents in enumerate(tables):
        ways = seatings(agents, seats)
        for number in range(tournament.games):
            yield Pairing(table, number, number // len(ways), ways[number % len(ways)])


def num_games(tournament: Tournament) -> int:
    """Return how many games the schedule has."""
    return tournament.games * math.comb(
        len(tournament.agents), min(tournament.game.num_players, len(tournament.agents))
    )


def unbalanced(tournament: Tournament) -> int:
    """Return the games a table needs to be a multiple of for every seating to occur equally often; 0 if it is one."""
    seats = tournament.game.num_players
    ways = len(seatings(tournament.agents[:seats], seats))
    return ways if tournament.games % ways else 0


@dataclass(frozen=True)
class Result:
    """A game of the schedule with what became of it: the record, and each seat's seconds and decisions."""

    pairing: Pairing
    record: GameRecord
    seconds: tuple[float, ...] = ()
    decisions: tuple[int, ...] = ()


@lru_cache(maxsize=256)
def _player(spec: str, game: Game, _seat: int) -> Agent:
    """Return a seat's own player, which has made one decision: what it compiles or loads is not on its clock."""
    agent = make_agent(spec)
    state = random_opening(game, 0, [0])
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    with suppress(EngineFault):  # a program that fails does so in a game again, and loses that
        agent.act(state, np.random.default_rng(0))
    return agent


def play(tournament: Tournament, pairing: Pairing) -> Result:
    """Play one game of the schedule."""
    game, place = tournament.game, [tournament.seed, pairing.table, pairing.round]
    start = random_opening(game, tournament.opening_plies, [_OPENING, *place])
    agents = [_player(spec, game, seat) for seat, spec in enumerate(pairing.seats)]
    played = play_game(start, agents, [_DICE, *place], [_AGENTS, *place, pairing.number])
    forfeit = played.forfeit
    returns = played.state.returns() if forfeit is None else forfeit_returns(game.num_players, forfeit.seat)
    record = GameRecord(
        game=game.name,
        rules=dict(game.options),
        agents=pairing.seats,
        seed=tournament.seed,
        table=pairing.table,
        round=pairing.round,
        opening=played.opening,
        moves=tuple(played.state.moves()),
        returns=tuple(returns),
        end=(played.state.end_reason() or "") if forfeit is None else FORFEIT,
        forfeit=forfeit,
    )
    return Result(pairing, record, played.seconds, played.decisions)


def play_all(
    tournament: Tournament, pairings: Sequence[Pairing], executor: Executor | None = None
) -> Generator[Result, None, None]:
    """Yield the games in the order of `pairings`, whoever plays them.

    Args:
        tournament: what they belong to.
        pairings: a part of its schedule.
        executor: who plays; None for this process.

    Raises:
        RunError: if a game ends every process that plays it.
    """
    if executor is None or isinstance(executor, Serial):
        for pairing in pairings:
            yield play(tournament, pairing)
        return
    size = min(max(len(pairings) // (executor.workers * 32), 1), _MOST_IN_A_CHUNK)
    first = [Chunk(pairings[:1], tournament.agents)] if pairings else []
    chunks = (Chunk(pairings[begin : begin + size]) for begin in range(1, len(pairings), size))
    tasks = itertools.chain(first, chunks)
    for results in executor.run(play_chunk, tasks, tournament, networks_of(tournament.agents)):
        yield from results


class Chunk(NamedTuple):
    """Some games of the schedule; a task for an executor.

    Attributes:
        pairings: the games.
        agents: who is to have decided something before they begin, so that whatever they compile is there for all.
    """

    pairings: Sequence[Pairing]
    agents: tuple[str, ...] = ()


def play_chunk(chunk: Chunk, tournament: Tournament, networks: Mapping[str, StoredNetwork]) -> list[Result]:
    """Play some games of the schedule.

    Args:
        chunk: which.
        tournament: what they belong to.
        networks: those in the files that its agents name, which are on the machine of whoever has asked.
    """
    if networks and lend(networks):
        _player.cache_clear()
    for agent in chunk.agents:
        _player(agent, tournament.game, 0)
    return [play(tournament, pairing) for pairing in chunk.pairings]


@dataclass
class Standing:
    """How one agent did.

    Attributes:
        agent: its spec string.
        games: seats it played; two in a game against itself at one table.
        wins: games that it won alone.
        score: mean of its results, 0..1: a win 1, a draw 0.5, with more seats place points mapped to 0..1.
        rating: Elo, the mean of the field at 1500.
        rating_low: lower end of its 95 % interval.
        rating_high: upper end.
        milliseconds: mean time of a decision, NaN if it was not measured.
        forfeits: games that it lost because its program failed.
    """

    agent: str
    games: int
    wins: int
    score: float
    rating: float
    rating_low: float
    rating_high: float
    milliseconds: float
    forfeits: int = 0


def scores_of_first(tournament: Tournament, results: Sequence[Result]) -> list[float]:
    """Return what the first agent of a tournament scored in each game, 0..1."""
    first = tournament.agents[0]
    return [(result.record.returns[result.record.agents.index(first)] + 1) / 2 for result in results]


def standings(tournament: Tournament, results: Sequence[Result]) -> list[Standing]:
    """Return how every agent did, best rating first."""
    cluster_of: dict[tuple[int, int], int] = {}
    outcomes = []
    tally = {agent: Standing(agent, 0, 0, 0.0, math.nan, math.nan, math.nan, math.nan) for agent in tournament.agents}
    seconds, decisions = dict.fromkeys(tournament.agents, 0.0), dict.fromkeys(tournament.agents, 0)
    for result in results:
        record, places = result.record, ranks(result.record.returns)
        cluster = cluster_of.setdefault((record.table, record.round), len(cluster_of))
        outcomes.append(GameResult(record.agents, places, cluster, tournament.game.ranks_losers))
        for seat, agent in enumerate(record.agents):
            tally[agent].games += 1
            tally[agent].forfeits += record.forfeit is not None and record.forfeit.seat == seat
            tally[agent].wins += places[seat] == 1 and places.count(1) == 1
            tally[agent].score += (record.returns[seat] + 1) / 2
            if result.seconds:
                seconds[agent] += result.seconds[seat]
                decisions[agent] += result.decisions[seat]
    for rating in rate(outcomes, seed=tournament.seed):
        line = tally[rating.name]
        line.rating, line.rating_low, line.rating_high = rating.rating, rating.low, rating.high
    for line in tally.values():
        line.score = line.score / line.games if line.games else math.nan
        if decisions[line.agent]:
            line.milliseconds = 1000 * seconds[line.agent] / decisions[line.agent]
    return sorted(tally.values(), key=lambda line: (-line.rating, line.agent))
