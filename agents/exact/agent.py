"""The agent that plays perfectly where the game is solved."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ...envs.core import Game, State
from ...envs.errors import AgentError
from ...envs.tokaido.rules import Tokaido, TokaidoState
from ..agent import Agent, Decision, require_decision
from ..choices import RETURN
from . import tokaido_library, tokaido_table
from .tokaido_table import UTILITIES, TokaidoTable

_MOST_PLAYERS = 4


@dataclass
class ExactAgent(Agent):
    """Perfect play from a table of exact values; of equal actions the lowest number.

    Attributes:
        utility: what it plays for with three or more players, ``place_points`` or ``first_only``.
        table: a file that ``sekisho solve --output`` has written; default: the table that ships or is cached.
    """

    utility: str = "place_points"
    table: str = ""
    _table: TokaidoTable | None = field(default=None, init=False, repr=False, compare=False)

    def supports(self, game: Game) -> None:
        """See `Agent.supports`."""
        if not isinstance(game, Tokaido):
            raise AgentError(f"agent 'exact' plays tokaido, not {game.name}")
        if game.num_players > _MOST_PLAYERS:
            raise AgentError(f"agent 'exact' plays with 2 to {_MOST_PLAYERS} players, not {game.num_players}")
        if self.utility not in UTILITIES:
            raise AgentError(
                f"option 'utility' of agent 'exact' must be one of {', '.join(UTILITIES)}, not {self.utility!r}"
            )
        if not self.table:
            tokaido_library.require_table(tokaido_table.solved_game(game), self.utility)

    def table_for(self, game: Tokaido) -> TokaidoTable:
        """Return the table that the agent plays by; it is found, or made, on the first call."""
        solved = tokaido_table.solved_game(game)
        if self._table is None or self._table.game != solved:
            if self.table:
                self._table = tokaido_library.load_file(Path(self.table), game, self.utility)
            else:
                self._table = tokaido_library.table_for(game, self.utility)
        return self._table

    def choice_unit(self, game: Game) -> str:
        """Return the unit of `choice_values`."""
        return RETURN if game.num_players == 2 or self.utility == "place_points" else "chance to be first"

    def choice_values(self, state: State) -> NDArray[np.float64]:
        """Return the expected utility of the seat to move after each action, under perfect play from there on.

        Returns:
            float64 ``[num_actions]``, NaN where an action is illegal.
        """
        after = self._checked(state).action_values(cast(TokaidoState, state))
        values = np.full(state.game.num_actions, np.nan)
        for action, utilities in after.items():
            values[action] = utilities[state.current_player()]
        return values

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`; ``statistics["values"]`` has the value of each choice by its notation."""
        table = self._checked(state)
        seat = state.current_player()
        values = table.action_values(cast(TokaidoState, state))
        action = table.choice(values, seat)
        return Decision(
            action=action,
            value=float(values[action][seat]),
            policy={action: 1.0},
            line=(action,),
            statistics={
                "values": {state.action_to_string(a): float(after[seat]) for a, after in values.items()},
                "seats": [float(value) for value in values[action]],
            },
        )

    def _checked(self, state: State) -> TokaidoTable:
        self.supports(state.game)
        require_decision(state)
        return self.table_for(cast(Tokaido, state.game))
