"""What is measured for ``docs/strength.md``: games of two agents, exact losses, solved boards, chances."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from strength_results import Record, Results, timed

from sekisho.agents import make_agent
from sekisho.agents.exact import quoridor_library
from sekisho.agents.exact.picture_analysis import analyze
from sekisho.agents.exact.policies import Arena, Policy
from sekisho.agents.exact.quoridor_quality import against_perfect_play, share_of_reachable
from sekisho.agents.specs import parse_spec
from sekisho.arena.places import ranks
from sekisho.arena.tournament import Tournament, play, schedule
from sekisho.envs import load_game
from sekisho.envs.core import Game
from sekisho.envs.errors import AgentError, SekishoError
from sekisho.envs.picture_sugoroku.rules import PictureSugoroku
from sekisho.envs.quoridor.rules import Quoridor
from sekisho.envs.tokaido.rules import Tokaido

Rules = tuple[tuple[str, Any], ...]
"""Options of a game that are not the usual ones."""


class Cell(Protocol):
    """One thing that is measured at a time."""

    @property
    def agents(self) -> tuple[str, ...]:
        """Spec strings of who is measured."""

    def key(self) -> dict[str, Any]:
        """Return what tells it from all others, as JSON values."""

    def is_done(self, record: Record) -> bool:
        """Return whether nothing is left to be measured."""

    def measure(self, record: Record, results: Results) -> None:
        """Measure what is missing in a record, keeping it in `results`."""


@dataclass(frozen=True)
class Meeting:
    """Games of two agents: a tournament of these two with a seed of its own.

    Attributes:
        game: name.
        rules: its options.
        agents: the two.
        games: how many; those that a record has already are not played again.
    """

    game: str
    rules: Rules
    agents: tuple[str, ...]
    games: int = field(compare=False)

    def key(self) -> dict[str, Any]:
        """See `Cell.key`."""
        place = {"game": self.game, "rules": dict(self.rules), "agents": list(self.agents)}
        opening = _game(self.game, self.rules).opening_plies
        return {"kind": "games", **place, "openings": opening, "seed": zlib.crc32(json.dumps(place).encode())}

    def is_done(self, record: Record) -> bool:
        """See `Cell.is_done`."""
        return len(record.get("games", ())) >= self.games

    def measure(self, record: Record, results: Results) -> None:
        """Play what is missing; a game is kept as ``round seating ranks``, as in ``"0 AB 12"``."""
        key, game = self.key(), _game(self.game, self.rules)
        tournament = Tournament(game, self.agents, self.games, key["openings"], key["seed"])
        for name, empty in (("games", []), ("thinking", [0.0, 0.0]), ("decisions", [0, 0])):
            record.setdefault(name, empty)
        for pairing in list(schedule(tournament))[len(record["games"]) :]:
            result = timed(record, lambda pairing=pairing: play(tournament, pairing))
            seating = [self.agents.index(agent) for agent in pairing.seats]
            for seat, agent in enumerate(seating):
                record["thinking"][agent] = round(record["thinking"][agent] + result.seconds[seat], 6)
                record["decisions"][agent] += result.decisions[seat]
            letters = "".join("AB"[agent] for agent in seating)
            places = "".join(map(str, ranks(result.record.returns)))
            record["games"].append(f"{pairing.round} {letters} {places}")
            results.keep(record)


@dataclass(frozen=True)
class Loss:
    """What an agent loses against perfect play in a set of rules of Tokaido, exactly."""

    rules: Rules
    agent: str

    @property
    def agents(self) -> tuple[str, ...]:
        """See `Cell.agents`."""
        return (self.agent,)

    def key(self) -> dict[str, Any]:
        """See `Cell.key`."""
        return {"kind": "loss", "game": "tokaido", "rules": dict(self.rules), "agent": self.agent}

    def is_done(self, record: Record) -> bool:
        """See `Cell.is_done`."""
        return "loss" in record

    def measure(self, record: Record, results: Results) -> None:
        """Ask the agent for every decision; ``loss`` is in percentage points of the way from last to first."""
        arena, perfect, fair = _perfect_play(self.rules)
        policy = timed(record, lambda: arena.ask(make_agent(self.agent)))
        values = arena.meet(policy, perfect)[0]
        record |= {
            "loss": 50 * (fair - float(values.mean())),
            "values": values.tolist(),
            "decisions": arena.decisions(),
        }
        results.keep(record)


@dataclass(frozen=True)
class SolvedBoard:
    """How often an agent keeps the value of the game on a solved board of Quoridor, and its games with perfect play."""

    rules: Rules
    agent: str
    positions: int
    games: int

    @property
    def agents(self) -> tuple[str, ...]:
        """See `Cell.agents`."""
        return (self.agent,)

    def key(self) -> dict[str, Any]:
        """See `Cell.key`."""
        asked = {"positions": self.positions, "games": self.games}
        return {"kind": "board", "game": "quoridor", "rules": dict(self.rules), "agent": self.agent, **asked}

    def is_done(self, record: Record) -> bool:
        """See `Cell.is_done`."""
        return "kept" in record

    def measure(self, record: Record, results: Results) -> None:
        """Ask the agent about positions drawn at random, and let it meet perfect play."""
        game, agent = _game("quoridor", self.rules), make_agent(self.agent)
        if not isinstance(game, Quoridor):
            raise AgentError("only boards of Quoridor are solved")
        table, rng = quoridor_library.table_for(game), np.random.default_rng(0)
        share = timed(record, lambda: share_of_reachable(table, game, agent, self.positions, rng))
        first, second = timed(record, lambda: against_perfect_play(table, game, agent, self.games // 2, rng))
        record |= {**share._asdict(), "first": first, "second": second}
        results.keep(record)


@dataclass(frozen=True)
class Chances:
    """What each seat wins in picture sugoroku, where nobody has anything to decide."""

    rules: Rules
    agents: tuple[str, ...] = ()

    def key(self) -> dict[str, Any]:
        """See `Cell.key`."""
        return {"kind": "chances", "game": "picture_sugoroku", "rules": dict(self.rules)}

    def is_done(self, record: Record) -> bool:
        """See `Cell.is_done`."""
        return "win" in record

    def measure(self, record: Record, results: Results) -> None:
        """Work it out."""
        game = _game("picture_sugoroku", self.rules)
        if not isinstance(game, PictureSugoroku):
            raise AgentError("chances are worked out of picture sugoroku")
        record |= {"win": list(timed(record, lambda: analyze(game)).win), "board": game.board.title("en")}
        results.keep(record)


def plays(spec: str, game: str, rules: Rules) -> bool:
    """Return whether an agent plays a game."""
    try:
        make_agent(spec).supports(_game(game, rules))
    except SekishoError:
        return False
    return True


def seconds_of(spec: str) -> float:
    """Return the time for a move that a spec string asks for, 0 if none."""
    return float(parse_spec(spec).options.get("seconds", 0))


@lru_cache(maxsize=32)
def _game(name: str, rules: Rules) -> Game:
    return load_game(name, **dict(rules))


@lru_cache(maxsize=1)
def _perfect_play(rules: Rules) -> tuple[Arena, Policy, float]:
    """Return a game of Tokaido with all of its decisions, perfect play, and what that gets on average over the seats."""
    game = _game("tokaido", rules)
    if not isinstance(game, Tokaido):
        raise AgentError("exact losses are worked out of Tokaido")
    arena = Arena(game)
    perfect = arena.perfect()
    return arena, perfect, float(arena.meet(perfect, perfect)[0].mean())
