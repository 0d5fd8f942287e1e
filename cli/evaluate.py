"""`sekisho evaluate`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import tyro

from ..agents.registry import agent_names, make_agent
from ..arena.report import standings_document, standings_table
from ..arena.tournament import Tournament, play_all, schedule, standings
from ..envs.core import Game
from ..envs.errors import AgentError, OptionError
from ..envs.quoridor.rules import Quoridor
from ..envs.tokaido.rules import Tokaido
from .common import Flag, GameWord, Rules, console, game_from_words, print_json, progress

LADDER: tuple[str, ...] = ("random", "shortest_path", "larger", "heuristic")
"""Agents that stand on the ladder of a game that is not solved, where they play it."""


@dataclass
class Command:
    """Measure a CPU player: exactly where the game is solved (small Quoridor, Tokaido), else on a ladder."""

    game: GameWord
    """name of the game"""
    agent: Annotated[str, tyro.conf.arg(metavar="SPEC")]
    """spec string of the agent"""
    against: Annotated[str, tyro.conf.arg(metavar="SPEC", help_behavior_hint="(default: exact, or the ladder)")] = ""
    """spec string of the agent on all other seats"""
    players: Annotated[int | None, tyro.conf.arg(metavar="INT", help_behavior_hint="(default: the game's)")] = None
    """seats at the table"""
    rules: Rules = ""
    """rule options, e.g. forks=miya,goal=over"""
    utility: str = "place_points"
    """tokaido: what is measured with three or more players, and what `exact` plays for: place_points or first_only"""
    games: int = 40
    """games of each pairing on a ladder; quoridor: with itself and with perfect play; no use where tokaido is solved"""
    positions: int = 10_000
    """quoridor: positions to ask about, drawn from all that play can lead to; 0: all"""
    seed: int = 0
    """of the random choices of the agents and, on a ladder, of the dice"""
    json: Flag = False
    """print one JSON document"""

    def run(self) -> None:
        """Measure and print."""
        game = game_from_words(self.game, self.rules, self.players)
        why, rungs = f"{game.name} is not solved under these rules", LADDER
        if isinstance(game, Tokaido):
            from . import evaluate_tokaido  # no other game should wait for it

            self.agent, self.against = (evaluate_tokaido.playing_for(self, spec) for spec in (self.agent, self.against))
            make_agent(self.agent).supports(game)
            if evaluate_tokaido.is_solved(game):
                self.say_unused("no game is played, all of them count", "games", "positions")
                evaluate_tokaido.run(self, game)
                return
            why, rungs = evaluate_tokaido.why_not(game), (*LADDER, *evaluate_tokaido.perfect_rung(self, game))
            self.say_unused("only quoridor is measured by positions", "positions")
            self.say_unused("a ladder measures place points", "utility")
        else:
            make_agent(self.agent).supports(game)
            self.say_unused("only tokaido has utilities", "utility")
        if isinstance(game, Quoridor):
            from . import evaluate_quoridor

            if evaluate_quoridor.is_solved(game):
                evaluate_quoridor.run(self, game)
                return
            self.say_unused("this board is not solved", "positions")
        self._ladder(game, rungs, why)

    def say_unused(self, why: str, *names: str) -> None:
        """Say on stderr which of the named options were given and change nothing here."""
        default = {field.name: field.default for field in dataclasses.fields(self)}
        unused = [f"--{name}" for name in names if getattr(self, name) != default[name]]
        if unused:
            print(f"sekisho: {' and '.join(unused)} not used: {why}", file=sys.stderr)

    def _ladder(self, game: Game, rungs: Sequence[str], why: str) -> None:
        """Let the agent meet the baselines; `why` says why it is not measured exactly."""
        if self.games < 2:
            raise OptionError(f"--games must be 2 or more, not {self.games}")
        rungs = [self.against] if self.against else [spec for spec in rungs if spec.partition(":")[0] in agent_names()]
        agents = (self.agent, *(name for name in rungs if name != self.agent and (self.against or _plays(name, game))))
        if len(agents) < 2:
            raise AgentError(f"{self.agent!r} stands on the ladder of {game.name} alone: name another with --against")
        tournament = Tournament(game, agents, self.games, game.opening_plies, self.seed)
        results = []
        with progress() as bar:
            pairings = list(schedule(tournament))
            task = bar.add_task("games", total=len(pairings))
            for result in play_all(tournament, pairings):
                results.append(result)
                bar.advance(task)
        lines = standings(tournament, results)
        if self.json:
            document: dict[str, Any] = {"agent": self.agent, "exact": False, "why": why}
            print_json({**document, "ladder": standings_document(tournament, lines, results)})
            return
        out = console()
        out.print(f"{why}; {self.agent} among other CPU players:", highlight=False)
        out.print(standings_table(tournament, lines, results))


def _plays(name: str, game: Game) -> bool:
    try:
        make_agent(name).supports(game)
    except AgentError:
        return False
    return True
