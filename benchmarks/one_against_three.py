"""How often one agent wins Quoridor with four players against three of another: every opening from each seat.

    python benchmarks/one_against_three.py --agent mcts:seconds=1 --others heuristic --games 100

A tournament of two agents fills a table of four in all arrangements, two against two and three against one too; here the
agent is always alone. Par is a quarter of the wins.
"""

from __future__ import annotations

import argparse
import math
import time

from rich.progress import track

from sekisho.agents import make_agent
from sekisho.arena.match import play_game, random_opening
from sekisho.envs import load_game


def interval(wins: float, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    z = 1.96
    middle = (wins + z * z / 2) / (games + z * z)
    half = z * math.sqrt(wins * (games - wins) / games + z * z / 4) / (games + z * z)
    return middle - half, middle + half


def main() -> None:
    """Play, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--agent", default="mcts:seconds=1")
    parser.add_argument("--others", default="heuristic")
    parser.add_argument("--games", type=int, default=100, help="a multiple of four")
    parser.add_argument("--openings", type=int, default=4, help="random plies before each game")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    game = load_game("quoridor", players=4)
    agent, others = make_agent(options.agent), [make_agent(options.others) for _ in range(3)]
    agent.supports(game)
    wins, draws, seconds, decisions, plies = [0] * 4, 0, 0.0, 0, 0
    processor = time.process_time()
    for number in track(range(options.games), description="games"):
        deal, seat = divmod(number, 4)
        start = random_opening(game, options.openings, [options.seed, deal])
        seated = [*others[:seat], agent, *others[seat:]]
        played = play_game(start, seated, [0], [options.seed, deal, seat])
        returns = played.state.returns()
        wins[seat] += returns[seat] > 0
        draws += max(returns) <= 0
        seconds += played.seconds[seat]
        decisions += played.decisions[seat]
        plies += len(played.state.history())
    low, high = interval(sum(wins), options.games)
    print(
        f"{options.agent} against three of {options.others}: {sum(wins)} of {options.games} games won, "
        f"{sum(wins) / options.games:.3f} ({low:.3f}..{high:.3f}); by seat {wins}; {draws} drawn; "
        f"{1000 * seconds / max(decisions, 1):.0f} ms a move "
        f"({1000 * (time.process_time() - processor) / max(decisions, 1):.0f} ms of processor time, those of the others "
        f"included), {plies / options.games:.0f} plies a game"
    )


if __name__ == "__main__":
    main()
