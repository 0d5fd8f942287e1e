"""How long the quick agents take for a decision: the median of 300, in milliseconds of processor time.

Run it with ``python benchmarks/decision_times.py``.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from sekisho.agents import make_agent
from sekisho.envs import load_game

DECISIONS = 300
PAIRS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("random", "quoridor", {}),
    ("shortest_path", "quoridor", {}),
    ("heuristic", "quoridor", {}),
    ("exact", "quoridor", {"board_size": 4, "fences": 2}),
    ("larger", "tokaido", {}),
    ("pocket", "tokaido", {}),
    ("heuristic", "tokaido", {}),
    ("exact", "tokaido", {}),
    ("expectimax:turns=0", "tokaido", {}),
)


def median(spec: str, name: str, options: dict[str, Any]) -> float:
    """Return the median processor time of an agent's decisions in games against itself, in milliseconds."""
    game, agent, rng = load_game(name, **options), make_agent(spec), np.random.default_rng(0)
    agent.supports(game)
    state, spent = game.new_initial_state(), []
    while len(spent) < DECISIONS:
        if state.is_terminal():
            state = game.new_initial_state()
        elif state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
        else:
            begin = time.process_time()
            action = agent.act(state, rng).action
            spent.append(time.process_time() - begin)
            state.apply_action(action)
    return 1000 * float(np.median(spent))


if __name__ == "__main__":
    for spec, name, options in PAIRS:
        print(f"{spec:20} {name:10} {median(spec, name, options):6.2f} ms  {options or ''}")
