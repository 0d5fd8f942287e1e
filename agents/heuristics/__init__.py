"""Quick players that look one ply ahead, one file a game."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.core import Game, State
from ...envs.errors import AgentError
from ..agent import Agent, Decision, require_decision

_GAMES = ("picture_sugoroku", "quoridor", "tokaido")
"""Games with a module of that name in this folder.

It has ``scores(state) -> (actions, scores)``: the actions worth a look; where its scores mean something also ``UNIT``
and ``values(state) -> [num_actions]``: every legal action in that unit.
"""


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
        actions, scores = _module(state.game).scores(state)
        best = [int(action) for action in actions[scores >= scores.max() - 1e-9]]
        return Decision(
            action=int(rng.choice(best)),
            policy=dict.fromkeys(best, 1 / len(best)),
            statistics={"score": float(scores.max()), "considered": len(actions)},
        )

    def choice_unit(self, game: Game) -> str:
        """Return the unit of `choice_values`; empty where a game leaves nothing to value."""
        unit: str = getattr(_module(game), "UNIT", "")
        return unit

    def choice_values(self, state: State) -> NDArray[np.float64]:
        """Return what each action is worth to the seat to move, float64 ``[num_actions]``, NaN where illegal."""
        values: NDArray[np.float64] = _module(state.game).values(state)
        return values


def _module(game: Game) -> Any:
    return importlib.import_module(f".{game.name}", __package__)
