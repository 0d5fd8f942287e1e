"""`sekisho tournament`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from typing import Annotated, Any

import tyro

from ..agents.registry import ENGINE_USAGE, agent_names
from ..arena.executors import Executor, make_executor
from ..arena.folder import TournamentFolder, alone_in
from ..arena.report import forfeit_lines, standings_document, standings_table, test_document, test_line
from ..arena.sprt import SequentialTest
from ..arena.tournament import (
    Result,
    Tournament,
    num_games,
    play_all,
    schedule,
    scores_of_first,
    standings,
    unbalanced,
)
from ..envs.errors import OptionError
from .common import (
    Address,
    ExecutorWord,
    Flag,
    GameWord,
    Rules,
    check_workers,
    console,
    game_from_words,
    path_from_words,
    print_json,
    processors,
    progress,
)

_AGENTS = "; ".join(
    [
        "spec strings of two or more agents: " + ENGINE_USAGE,
        *(f"{name} ({line})" for name, line in agent_names().items()),
    ]
)


_GAMES_WORTH_A_WORKER = 50  # starting a process takes about as long as playing so many quick games


def _number(default: str, metavar: str = "INT") -> Any:
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=f"(default: {default})")


@dataclass
class Command:
    """Let CPU players meet, each pairing (or table) with the seats exchanged, and rate them."""

    game: GameWord
    """name of the game"""
    agents: Annotated[tuple[str, ...], tyro.conf.arg(metavar="SPEC SPEC …", help=_AGENTS)]
    games: int = 100
    """games of each pairing or, with more than two seats, of each table"""
    players: Annotated[int | None, _number("the game's")] = None
    """seats at the table"""
    rules: Rules = ""
    """rule options, e.g. board_size=7,fences=5"""
    openings: Annotated[int | None, _number("the game's", "PLIES")] = None
    """random plies before the agents take over, the same for every seating"""
    seed: int = 0
    """the same seed gives the same games"""
    workers: Annotated[int | None, _number("one for each processor, where there are games enough")] = None
    """how many play at the same time; fewer are fairer to agents limited by time"""
    executor: ExecutorWord = None
    """who they are: this process alone, processes of this machine, or a cluster of machines by Ray; the games are the
    same"""
    ray_address: Address = None
    """the head of the cluster, or auto for the one that this machine belongs to; see ray start"""
    sprt: Annotated[
        tuple[float, float] | None,
        tyro.conf.arg(metavar="LOW HIGH", help_behavior_hint="(default: play all games)"),
    ] = None
    """with two agents and two seats: stop as soon as the games tell whether the first agent's score is at most LOW or at
    least HIGH, as in 0.45 0.55, with a chance of 5 % to be wrong either way; --games is the most that are played"""
    output: Annotated[str | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="(default: keep nothing)")] = None
    """folder for the games and standings; the same command continues a tournament that was stopped"""
    json: Flag = False
    """print one JSON document"""

    def run(self) -> None:
        """Play, then print the standings."""
        output = path_from_words("--output", self.output, "folder")
        game = game_from_words(self.game, self.rules, self.players)
        openings = game.opening_plies if self.openings is None else self.openings
        check_workers(self.workers, self.executor, self.ray_address)
        tournament = Tournament(game, self.agents, self.games, openings, self.seed)
        test = None if self.sprt is None else _test(tournament, *self.sprt)
        with alone_in(output) if output is not None else nullcontext():
            folder = TournamentFolder(output, tournament) if output is not None else None
            results = _play(tournament, folder, self._executor, test)
            lines = standings(tournament, results)
            document = standings_document(tournament, lines, results)
            if test:
                document["sprt"] = test_document(tournament, test, results)
            if folder:
                folder.write_standings(document)
        if self.json:
            print_json(document)
            return
        out = console()
        out.print(standings_table(tournament, lines, results))
        if test:
            out.print(test_line(tournament, test, results), soft_wrap=True, markup=False, emoji=False, highlight=False)
        for line in forfeit_lines(results):
            out.print(line, soft_wrap=True, markup=False, emoji=False, highlight=False)
        if multiple := unbalanced(tournament):
            out.print(f"Not every agent had every seat equally often: choose --games as a multiple of {multiple}.")
        if output is not None:
            out.print("Games and standings:", repr(str(output)), soft_wrap=True, markup=False, emoji=False)

    def _executor(self) -> Executor:
        workers = self.workers
        if workers is None and self.executor != "ray":
            several = self.executor != "serial"
            workers = max(min(processors(), 1 + self.games // _GAMES_WORTH_A_WORKER), 1) if several else 1
        return make_executor(workers, self.executor, self.ray_address)


def _test(tournament: Tournament, low: float, high: float) -> SequentialTest:
    """Return the test of the first agent's score against the second."""
    if len(tournament.agents) != 2 or tournament.game.num_players != 2:
        raise OptionError("--sprt compares two agents at a table of two seats: name two --agents, and no --players")
    return SequentialTest(low, high)


def _play(
    tournament: Tournament,
    folder: TournamentFolder | None,
    executors: Callable[[], Executor],
    test: SequentialTest | None,
) -> list[Result]:
    """Play what is still to be played, with a progress bar, and return all games.

    With a test it ends after the first opening, played with both colours, at which that is answered.
    """
    pairings = folder.remaining(tournament) if folder else list(schedule(tournament))
    results = list(folder.finished) if folder else []

    def answered() -> bool:
        whole = results and len(results) % tournament.game.num_players == 0
        return bool(test and whole and test.answer(scores_of_first(tournament, results)) is not None)

    if answered() or not pairings:
        return results
    with (
        progress() as bar,
        closing(executors()) as executor,
        closing(play_all(tournament, pairings, executor)) as games,
    ):
        task = bar.add_task("games", total=num_games(tournament), completed=len(results))
        for result in games:
            if folder:
                folder.add(result)
            results.append(result)
            bar.advance(task)
            if answered():
                break
    return results
