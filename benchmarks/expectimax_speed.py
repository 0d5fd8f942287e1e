"""Processor time of a decision of `expectimax` in Tokaido, by players and turns, in milliseconds.

Run as ``python benchmarks/expectimax_speed.py``, with ``--leaf race`` for one judge at all tables.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from wanted import run_in_words

from sekisho.agents import make_agent
from sekisho.envs import load_game
from sekisho.envs.counter_rng import new_rng

DECISIONS = 60


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--leaf", default="auto", help="what judges, see the agent's option")
    leaf = parser.parse_args().leaf
    print("players  turns   median  longest  positions")
    for players in range(2, 7):
        game, rng, states = load_game("tokaido", players=players), new_rng(5), []
        while len(states) < DECISIONS:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.current_player() >= 0 and len(state.history()) % 37 == 0:
                    states.append(state.clone())
                state.apply_action(int(game.kernels.sample(game.rules, state.words, rng)))
        for turns in range(3):
            agent, taken, positions = make_agent(f"expectimax:turns={turns},leaf={leaf}"), [], []
            agent.supports(game)
            for state in states[:DECISIONS]:
                begin = time.process_time()
                positions.append(agent.act(state, np.random.default_rng(0)).statistics["positions"])
                taken.append(1000 * (time.process_time() - begin))
            print(f"{players:>7} {turns:>6} {np.median(taken):>8.1f} {max(taken):>8.1f} {np.median(positions):>10,.0f}")


if __name__ == "__main__":
    run_in_words(main)
