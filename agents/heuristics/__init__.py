"""Quick players that look one ply ahead, one file a game."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...envs.core import Game, State
from ...envs.errors import AgentError
from ..agent import Agent, Decision, require_decision

_GAMES = ("picture_sugoroku", "quoridor", "tokaido")
"""Games with a module of that name in this folder; it has ``scores(state) -> (actions, scores)``."""


@dataclass
class HeuristicAgent(Agent):
    """Looks one ply ahead with an evaluation of its own for each game and takes the best; ties at random."""

    samples_policy = True

    def supports(self, game: Game) -> None:
        """See `Agent.supports`."""
        if game.name not in _GAMES:
            raise AgentError(f"agent 'heuristic' does not play {game.name}; it plays {', '.join(_GAMES)}")

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`."""
        self.supports(state.game)
        require_decision(state)
        module: Any = importlib.import_module(f".{state.game.name}", __package__)
        actions, scores = module.scores(state)
        best = [int(action) for action in actions[scores >= scores.max() - 1e-9]]
        return Decision(
            action=int(rng.choice(best)),
            policy=dict.fromkeys(best, 1 / len(best)),
            statistics={"score": float(scores.max()), "considered": len(actions)},
        )
