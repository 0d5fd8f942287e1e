"""Nodes that `alphabeta` looks at in a second of processor time, at the start and in the middle of games of Quoridor.

The positions in the middle come from games of `heuristic` against itself after a few random moves, at the moment when so
many fences stand. A node is a position that the search entered. On some of them its work was done at once: by the rules
(somebody has won, or steps onto the goal line, or the position is repeated), by a race without fences, by the table of
positions, or by a move of that table; ``worked`` are the others, on which the evaluation or the generation of moves ran.

    python benchmarks/alphabeta_speed.py [--nodes 2000000] [--rounds 3] [--seed 1]
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
from wanted import count, run_in_words

from sekisho.agents import make_agent
from sekisho.envs import State, load_game
from sekisho.envs.quoridor.kernels import LEFT

FENCES = (0, 8, 14)
_RANDOM_PLIES = 4


def position(fences: int, seed: int) -> State:
    """Return the first position with so many fences on the board in games by a seed."""
    rng, player = np.random.default_rng(seed), make_agent("heuristic")
    while True:
        state = load_game("quoridor").new_initial_state()
        ply = 0
        while not state.is_terminal():
            if 20 - int(state.words[LEFT : LEFT + 2].sum()) == fences:
                return state
            random = ply < _RANDOM_PLIES
            state.apply_action(int(rng.choice(state.legal_actions())) if random else player.act(state, rng).action)
            ply += 1


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=count(), default=2_000_000)
    parser.add_argument("--rounds", type=count(), default=3, help="the quickest counts")
    parser.add_argument("--seed", type=count(0), default=1)
    wanted = parser.parse_args()
    agent = make_agent(f"alphabeta:nodes={wanted.nodes}")
    for fences in FENCES:
        state = position(fences, wanted.seed)
        agent.supports(state.game)
        quickest = float("inf")
        for _ in range(wanted.rounds):
            agent.reset()
            begin = time.process_time()
            found = agent.act(state, np.random.default_rng(0)).statistics
            quickest = min(quickest, time.process_time() - begin)
        nodes, worked = found["nodes"], found["worked"]
        print(
            f"{fences:2} fences: {nodes:,} nodes in {quickest:.2f} s of processor time, {nodes / quickest:,.0f} a second; "
            f"{worked / nodes:.1%} worked on, {worked / quickest:,.0f} a second; depth {found['depth']}; {state.to_text()}"
        )
    print("load average:", *(f"{load:.1f}" for load in os.getloadavg()))


if __name__ == "__main__":
    run_in_words(main)
