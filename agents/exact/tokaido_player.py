"""Perfect play in Tokaido by its table."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ...envs.core import Game, State
from ...envs.errors import AgentError
from ...envs.tokaido.rules import Tokaido, TokaidoState
from ..agent import Decision
from ..choices import RETURN
from . import tokaido_library
from .tokaido_table import solved_game

MOST_PLAYERS = 4


class TokaidoPlayer:
    """See `agent.Player`."""

    @staticmethod
    def check(game: Game, utility: str) -> None:
        """See `agent.Player.check`."""
        if game.num_players > MOST_PLAYERS:
            raise AgentError(f"agent 'exact' plays with 2 to {MOST_PLAYERS} players, not {game.num_players}")
        tokaido_library.require_table(cast(Tokaido, game), utility)

    def __init__(self, game: Game, utility: str, file: Path | None) -> None:
        tokaido = cast(Tokaido, game)
        if file is not None:
            self.table = tokaido_library.load_file(file, tokaido, utility)
        else:
            self.table = tokaido_library.table_for(tokaido, utility)

    def serves(self, game: Game) -> bool:
        """See `agent.Player.serves`."""
        return isinstance(game, Tokaido) and solved_game(game) == self.table.game

    def unit(self) -> str:
        """See `agent.Player.unit`."""
        returns = self.table.game.num_players == 2 or self.table.utility == "place_points"
        return RETURN if returns else "chance to be first"

    def action_values(self, state: State) -> dict[int, float]:
        """See `agent.Player.action_values`: expected utilities."""
        after = self.table.action_values(cast(TokaidoState, state))
        return {action: float(values[state.current_player()]) for action, values in after.items()}

    def position_values(self, words: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the expected utility of every seat at positions; see `agent.ExactAgent.position_values`."""
        return np.array([self.table.seat_values(TokaidoState(self.table.game, row)) for row in words])

    def decide(self, state: State) -> Decision:
        """See `agent.Player.decide`; ``statistics["seats"]`` has the expected utility of every seat."""
        seat = state.current_player()
        values = self.table.action_values(cast(TokaidoState, state))
        action = self.table.choice(cast(TokaidoState, state), values)
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
