"""How often one agent wins Quoridor with four players against three of another: every opening from each seat.

    python benchmarks/one_against_three.py --agent mcts:seconds=1 --others heuristic --games 100

A tournament of two agents fills a table of four in all arrangements, two against two and three against one too; here the
agent is always alone. Par is a quarter of the wins.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import NamedTuple

from rich.progress import track
from wanted import count, told_in_words

from sekisho.agents import make_agent
from sekisho.agents.agent import Agent
from sekisho.arena.match import play_game, random_opening
from sekisho.envs import load_game


def interval(wins: float, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    z = 1.96
    middle = (wins + z * z / 2) / (games + z * z)
    half = z * math.sqrt(wins * (games - wins) / games + z * z / 4) / (games + z * z)
    return middle - half, middle + half


class Played(NamedTuple):
    """What came of the games of one against three.

    Attributes:
        wins: of the one, by its seat.
        draws: games that nobody has won.
        forfeits: games that the one lost because its program failed, and games that one of the three lost so; the
            latter count neither as won nor as drawn.
        milliseconds: of a move of the one, by the clock.
        processor: milliseconds of processor time of a move of the one, those of the others included.
        plies: of a game, on average.
    """

    wins: list[int]
    draws: int
    forfeits: tuple[int, int]
    milliseconds: float
    processor: float
    plies: float


def one_against_three(agent: str | Agent, others: str, games: int, openings: int, seed: int) -> Played:
    """Play games, each opening from each seat in turn.

    Args:
        agent: the one, or its spec string.
        others: the three, each with memory of its own.
        games: a multiple of four.
        openings: random plies before each game.
        seed: of the openings.
    """
    game = load_game("quoridor", players=4)
    one = make_agent(agent) if isinstance(agent, str) else agent
    three = [make_agent(others) for _ in range(3)]
    one.supports(game)
    wins, draws, forfeits, seconds, decisions, plies = [0] * 4, 0, [0, 0], 0.0, 0, 0
    processor = time.process_time()
    for number in track(range(games), description="games"):
        deal, seat = divmod(number, 4)
        start = random_opening(game, openings, [seed, deal])
        played = play_game(start, [*three[:seat], one, *three[seat:]], [0], [seed, deal, seat])
        returns = played.state.returns()
        if played.forfeit is not None:
            forfeits[played.forfeit.seat != seat] += 1
        else:
            wins[seat] += returns[seat] > 0
            draws += max(returns) <= 0
        seconds += played.seconds[seat]
        decisions += played.decisions[seat]
        plies += len(played.state.history())
    decisions = max(decisions, 1)
    processor = 1000 * (time.process_time() - processor) / decisions
    return Played(wins, draws, (forfeits[0], forfeits[1]), 1000 * seconds / decisions, processor, plies / games)


def add_match(parser: argparse.ArgumentParser, games: int) -> None:
    """Add the options of a match of one against three."""
    parser.add_argument("--others", default="heuristic")
    parser.add_argument("--games", type=count(4, 4), default=games, help="a multiple of four")
    parser.add_argument("--openings", type=count(0), default=4, help="random plies before each game")
    parser.add_argument("--seed", type=count(0), default=0)


def told_forfeits(found: Played) -> str:
    """Return words about games that a failing program has lost, none if there are none."""
    one, three = found.forfeits
    return f"{one} forfeited by the one and {three} by one of the three (not won); " if one or three else ""


def main() -> None:
    """Play, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--agent", default="mcts:seconds=1")
    add_match(parser, games=100)
    options = parser.parse_args()
    with told_in_words(parser):
        found = one_against_three(options.agent, options.others, options.games, options.openings, options.seed)
    won = sum(found.wins)
    low, high = interval(won, options.games)
    print(
        f"{options.agent} against three of {options.others}: {won} of {options.games} games won, "
        f"{won / options.games:.3f} ({low:.3f}..{high:.3f}); by seat {found.wins}; {found.draws} drawn; {told_forfeits(found)}"
        f"{found.milliseconds:.0f} ms a move ({found.processor:.0f} ms of processor time, those of the others included), "
        f"{found.plies:.0f} plies a game"
    )


if __name__ == "__main__":
    main()
