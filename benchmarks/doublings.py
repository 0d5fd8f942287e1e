"""What twice the time is worth: every rung of a ladder of times against the one below it.

    python benchmarks/doublings.py --agent "alphabeta:seconds={}" --output runs/doublings-alphabeta

Each match is a tournament of its own folder, so a run that was stopped goes on where it was. Share: of the games won by
twice the time (a draw is a half), with its 95 % interval (Wilson 1927) and the difference in Elo that it means.
"""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path

from one_against_three import interval
from rich.progress import track
from wanted import amount, count, told_in_words

from sekisho.arena.folder import TournamentFolder
from sekisho.arena.tournament import Tournament, play_all, scores_of_first
from sekisho.envs import load_game


def elo(score: float) -> float:
    """Return the difference in Elo at which a score is expected; infinite at 0 and 1."""
    return -400 * math.log10(1 / score - 1) if 0 < score < 1 else math.copysign(math.inf, score - 0.5)


def folder_name(spec: str) -> str:
    """Return the name of the folder of the games against an agent."""
    return re.sub(r"[:/\\]", "-", spec)


def main() -> None:
    """Play the matches from the shortest time up; print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--agent", default="alphabeta:seconds={}", help="with {} where the seconds belong")
    parser.add_argument("--most", type=amount(), default=2.0, help="the longest time, in seconds")
    parser.add_argument("--doublings", type=count(most=30), default=8, help="how many")
    parser.add_argument("--games", type=count(2, 2), default=40, help="of each match; an even number")
    parser.add_argument("--openings", type=count(0), default=4, help="random plies before each game")
    parser.add_argument("--seed", type=count(0), default=1)
    parser.add_argument("--output", type=Path, required=True, help="folder for the games; the same words go on in it")
    options = parser.parse_args()
    if options.agent.count("{}") != 1:
        parser.error("--agent needs one {} where the seconds belong")
    with told_in_words(parser):
        play(options)


def play(options: argparse.Namespace) -> None:
    """Play the matches."""
    for rung in range(options.doublings, 0, -1):
        more, less = (options.agent.replace("{}", f"{options.most / 2**step:g}") for step in (rung - 1, rung))
        tournament = Tournament(load_game("quoridor"), (more, less), options.games, options.openings, options.seed)
        folder = TournamentFolder(options.output / folder_name(less), tournament)
        remaining = folder.remaining(tournament)
        for result in track(play_all(tournament, remaining), description=more, total=len(remaining)):
            folder.add(result)
        won = sum(scores_of_first(tournament, folder.finished))
        score, (low, high) = won / options.games, interval(won, options.games)
        print(f"{more} against {less}: {score:.3f} ({low:.2f} to {high:.2f}), {elo(score):+.0f} Elo", flush=True)


if __name__ == "__main__":
    main()
