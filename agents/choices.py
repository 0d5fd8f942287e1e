"""Agents that can say what every choice of a position is worth, not only which they would take."""

from __future__ import annotations

from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..envs.core import Game, State
from ..envs.errors import AgentError
from .agent import Agent, require_decision

RETURN = "return"
"""Unit of values that are expected returns of the seat to move, -1..1."""


@runtime_checkable
class ValuesChoices(Protocol):
    """What such an agent has beside the methods of `Agent`. It may have ``choice_unit(game) -> str`` too."""

    def choice_values(self, state: State) -> NDArray[np.float64]:
        """Return what each action is worth to the seat to move, float64 ``[num_actions]``, NaN where it is illegal."""
        ...


def can_value(agent: Agent, game: Game) -> bool:
    """Return whether `agent` plays `game` and can say what its choices are worth."""
    if not isinstance(agent, ValuesChoices):
        return False
    try:
        agent.supports(game)
    except AgentError:
        return False
    return choice_unit(agent, game) != ""


def choice_unit(agent: Agent, game: Game) -> str:
    """Return the unit of an agent's values: `RETURN`, or a word of its own such as ``steps``; empty if it has none."""
    unit: str = agent.choice_unit(game) if hasattr(agent, "choice_unit") else RETURN
    return unit


def choice_values(agent: Agent, state: State) -> NDArray[np.float64]:
    """Return what each action is worth to the seat to move by the view of `agent`; see `ValuesChoices`.

    Raises:
        AgentError: if it cannot value choices, does not play this game, or there is nothing to decide.
    """
    require_decision(state)
    agent.supports(state.game)
    if not can_value(agent, state.game):
        raise AgentError(f"{type(agent).__name__} has no values for the choices of {state.game.name}")
    values = np.asarray(cast(ValuesChoices, agent).choice_values(state), dtype=np.float64)
    if values.shape != (state.game.num_actions,):
        raise AgentError(
            f"{type(agent).__name__} gave values of shape {values.shape}, expected ({state.game.num_actions},)"
        )
    return np.where(state.legal_actions_mask() == 1, values, np.nan)
