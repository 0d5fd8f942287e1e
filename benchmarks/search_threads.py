"""How much faster two threads search one tree than one does.

One and two threads take turns at the same positions, since the load of a machine changes from second to second; of each
the best run counts, which is the one that was disturbed least. On a machine whose second core is busy with something
else the ratio says little: the load average is printed beside it.

    python benchmarks/search_threads.py [--threads 2] [--seconds 1] [--rounds 7]
"""

from __future__ import annotations

import argparse
import os

import numpy as np
from wanted import amount, count, run_in_words

from sekisho.agents.search.mcts import MctsAgent
from sekisho.envs import load_game

KINDS = {
    "evaluation in place of rollouts": {},
    "uniform rollouts": {"selection": "uct", "rollouts": "uniform"},
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=count(most=64), default=2)
    parser.add_argument("--seconds", type=amount(), default=1.0)
    parser.add_argument("--rounds", type=count(), default=7)
    wanted = parser.parse_args()
    state = load_game("quoridor").new_initial_state()
    for kind, options in KINDS.items():
        agents = {
            threads: MctsAgent(seconds=wanted.seconds, threads=threads, tree="fresh", memory=1024, **options)
            for threads in (1, wanted.threads)
        }
        best = dict.fromkeys(agents, 0.0)
        for agent in agents.values():
            agent.supports(state.game)
        for number in range(wanted.rounds):
            for threads, agent in agents.items():
                found = agent.act(state, np.random.default_rng(number)).statistics
                best[threads] = max(best[threads], found["simulations"] / found["seconds"])
        one, several = best[1], best[wanted.threads]
        print(
            f"quoridor, {kind}: {one:,.0f} simulations/s with 1 thread, {several:,.0f} with {wanted.threads}: "
            f"{several / one:.2f} times as fast"
        )
    print("load average:", *(f"{load:.1f}" for load in os.getloadavg()))


if __name__ == "__main__":
    run_in_words(main)
