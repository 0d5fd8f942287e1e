"""How fast the searches are, on one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from ..agents.search.alphabeta.agent import AlphaBetaAgent
from ..agents.search.mcts import MctsAgent
from ..envs.core import State

POSITIONS = 5
SIMULATIONS = 1000
"""For each of so many positions of a kind."""
NODES = 50_000
"""Of alpha-beta, for each of so many positions of a kind."""
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


def nodes_meter(states: Sequence[State]) -> Callable[[], float]:
    """Return a meter of the nodes of alpha-beta per second of processor time over `states`, each searched from nothing.

    A node is a position that is entered: its moves are generated, or it is evaluated, or found in the table or proven.

    Args:
        states: where to search, positions of Quoridor for two.
    """
    agent = AlphaBetaAgent(nodes=NODES)
    agent.supports(states[0].game)

    def measure() -> float:
        nodes, seconds = 0, 0.0
        for state in states:
            agent.reset()
            begin = time.thread_time()
            nodes += agent.act(state, np.random.default_rng(0)).statistics["nodes"]
            seconds += time.thread_time() - begin
        return nodes / seconds

    return measure
