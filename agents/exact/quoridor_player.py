"""Perfect play on small boards of Quoridor by their tables."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from ...envs.core import Game, State
from ...envs.quoridor.rules import Quoridor, QuoridorState
from ..agent import Decision
from ..choices import RETURN
from . import quoridor_library
from .quoridor_table import outcome, solved_game


class QuoridorPlayer:
    """See `agent.Player`. Where it wins it hurries, where it loses it delays."""

    @staticmethod
    def check(game: Game, _utility: str) -> None:
        """See `agent.Player.check`."""
        quoridor_library.require_size(cast(Quoridor, game))

    def __init__(self, game: Game, _utility: str, file: Path | None) -> None:
        quoridor = cast(Quoridor, game)
        if file is not None:
            self.table = quoridor_library.load_file(file, quoridor)
        else:
            self.table = quoridor_library.table_for(quoridor)

    def serves(self, game: Game) -> bool:
        """See `agent.Player.serves`."""
        return isinstance(game, Quoridor) and solved_game(game) == self.table.game

    def unit(self) -> str:
        """See `agent.Player.unit`."""
        return RETURN

    def action_values(self, state: State) -> dict[int, float]:
        """See `agent.Player.action_values`: 1, 0 or -1; a win for which too few plies are left is a draw."""
        at = cast(QuoridorState, state)
        return {action: float(outcome(plies, at)) for action, plies in self.table.action_plies(at).items()}

    def decide(self, state: State) -> Decision:
        """See `agent.Player.decide`; ``statistics["plies"]`` has the signed plies to the end after each choice."""
        at = cast(QuoridorState, state)
        plies = self.table.action_plies(at)
        action = self.table.choice(plies)
        return Decision(
            action=action,
            value=float(outcome(plies[action], at)),
            policy={action: 1.0},
            line=(action,),
            statistics={
                "values": {state.action_to_string(a): float(outcome(signed, at)) for a, signed in plies.items()},
                "plies": {state.action_to_string(a): signed for a, signed in plies.items()},
            },
        )
