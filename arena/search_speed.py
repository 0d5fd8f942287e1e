"""How fast the tree search is, on one core."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..agents.search.mcts import MctsAgent
from ..envs.core import State

POSITIONS = 5
SIMULATIONS = 1000
"""For each of so many positions of a kind."""
EXPLORATION = 2.0
"""The constant of UCT, the same for us and for a peer."""


def simulations_meter(states: Sequence[State]) -> Callable[[], float]:
    """Return a meter of simulations per second over `states`, with UCT, uniform rollouts and a new tree for each.

    Args:
        states: where to search.
    """
    agent = MctsAgent(
        simulations=SIMULATIONS, selection="uct", exploration=EXPLORATION, rollouts="uniform", tree="fresh", exact="off"
    )
    agent.supports(states[0].game)

    def measure() -> float:
        found = [agent.act(state, np.random.default_rng(seed)).statistics for seed, state in enumerate(states)]
        return float(sum(f["simulations"] for f in found) / sum(f["seconds"] for f in found))

    return measure
