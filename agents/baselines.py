"""The simplest players: what everything else must beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from ..envs.core import Game, State
from ..envs.errors import AgentError
from ..envs.quoridor.rules import Quoridor, QuoridorState
from ..envs.tokaido.kernels import CROSSING, RESIGN
from ..envs.tokaido.rules import Tokaido
from .agent import Agent, Decision, require_decision


@dataclass
class RandomAgent(Agent):
    """Chooses among the legal actions, each equally likely."""

    samples_policy = True

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`."""
        require_decision(state)
        actions = state.legal_actions()
        return Decision(actions[rng.integers(len(actions))], policy=dict.fromkeys(actions, 1 / len(actions)))


@dataclass
class ShortestPathAgent(Agent):
    """Quoridor: always the pawn move that leaves the shortest way, jumps included; ties at random. Never a fence.

    Where the pawn cannot move (4 players), any legal action.
    """

    samples_policy = True

    def supports(self, game: Game) -> None:
        """See `Agent.supports`."""
        if not isinstance(game, Quoridor):
            raise AgentError(f"agent 'shortest_path' plays quoridor, not {game.name}")

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`."""
        self.supports(state.game)
        require_decision(state)
        board = cast(QuoridorState, state)
        actions = board.legal_actions()
        moves = [action for action in actions if action < board.game.board_size**2]
        if not moves:
            return Decision(int(rng.choice(actions)))
        steps = [board.child(action).distances()[board.seat] for action in moves]
        best = [action for action, left in zip(moves, steps, strict=True) if left == min(steps)]
        return Decision(int(rng.choice(best)), policy=dict.fromkeys(best, 1 / len(best)))


class _NumberAgent(Agent):
    """Tokaido: always the number at the place `which` of the ascending ones, and the crossing at every fork."""

    name: ClassVar[str]
    which: ClassVar[int]

    def supports(self, game: Game) -> None:
        """See `Agent.supports`."""
        if not isinstance(game, Tokaido):
            raise AgentError(f"agent {self.name!r} plays tokaido, not {game.name}")

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`."""
        self.supports(state.game)
        require_decision(state)
        actions = [action for action in state.legal_actions() if action != RESIGN]
        return Decision(CROSSING if CROSSING in actions else actions[self.which])


@dataclass
class LargerAgent(_NumberAgent):
    """Tokaido: always the larger number, the sum of a double, and the crossing at every fork."""

    name = "larger"
    which = -1


@dataclass
class SmallerAgent(_NumberAgent):
    """Tokaido: always the smaller number, one die of a double, and the crossing at every fork."""

    name = "smaller"
    which = 0
