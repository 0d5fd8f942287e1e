"""Quick players that look one ply ahead, one file a game."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...envs.core import Game, State
from ...envs.errors import AgentError
from ..agent import Agent, Decision, require_decision

_BY_GAME = {"quoridor": "quoridor"}
"""Module in this folder that knows each game; it has ``scores(state) -> (actions, scores)``."""


@dataclass
class HeuristicAgent(Agent):
    """Looks one ply ahead with an evaluation of its own for each game and takes the best; ties at random."""

    def supports(self, game: Game) -> None:
        """See `Agent.supports`."""
        if game.name not in _BY_GAME:
            raise AgentError(f"agent 'heuristic' does not play {game.name}; it plays {', '.join(_BY_GAME)}")

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`."""
        self.supports(state.game)
        require_decision(state)
        module: Any = importlib.import_module(f".{_BY_GAME[state.game.name]}", __package__)
        actions, scores = module.scores(state)
        best = actions[scores >= scores.max() - 1e-9]
        return Decision(int(rng.choice(best)), statistics={"score": float(scores.max()), "considered": len(actions)})
