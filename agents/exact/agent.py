"""The agent that plays perfectly where the game is solved."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...envs.core import Game, State
from ...envs.errors import AgentError
from ..agent import Agent, Decision, require_decision
from ..batches import checked_words
from .quoridor_player import QuoridorPlayer
from .tokaido_player import TokaidoPlayer
from .tokaido_table import UTILITIES


class Player(Protocol):
    """What plays one game by its table; made with the game, the utility and a file for the table, or none."""

    @staticmethod
    def check(game: Game, utility: str) -> None:
        """Raise `AgentError` if the game cannot be played; nothing is solved for that."""

    def serves(self, game: Game) -> bool:
        """Return whether its table is that of a game."""

    def unit(self) -> str:
        """Return the unit of its values."""

    def action_values(self, state: State) -> dict[int, float]:
        """Return the value for the seat to move of each legal action, under perfect play from there on."""

    def decide(self, state: State) -> Decision:
        """Return the decision of perfect play."""


PLAYERS: dict[str, type[QuoridorPlayer] | type[TokaidoPlayer]] = {"quoridor": QuoridorPlayer, "tokaido": TokaidoPlayer}


@dataclass
class ExactAgent(Agent):
    """Perfect play from a table of exact values; of equal actions the lowest number.

    Attributes:
        utility: what it plays for with three or more players, ``place_points`` or ``first_only``.
        table: a file that ``sekisho solve --output`` has written; default: the table that ships or is cached.
    """

    utility: str = "place_points"
    table: str = ""
    _player: Player | None = field(default=None, init=False, repr=False, compare=False)

    def supports(self, game: Game) -> None:
        """See `Agent.supports`. The table is found, or made, when the agent first decides."""
        if game.name not in PLAYERS:
            raise AgentError(f"agent 'exact' plays {' and '.join(sorted(PLAYERS))}, not {game.name}")
        if self.utility not in UTILITIES:
            raise AgentError(
                f"option 'utility' of agent 'exact' must be one of {', '.join(UTILITIES)}, not {self.utility!r}"
            )
        if self.table:
            self._player_of(game)
        else:
            PLAYERS[game.name].check(game, self.utility)

    def choice_unit(self, game: Game) -> str:
        """Return the unit of `choice_values`."""
        return self._player_of(game).unit()

    def choice_values(self, state: State) -> NDArray[np.float64]:
        """Return what each action is worth to the seat to move, under perfect play from there on.

        Returns:
            float64 ``[num_actions]``, NaN where an action is illegal.
        """
        require_decision(state)
        self.supports(state.game)
        values = np.full(state.game.num_actions, np.nan)
        for action, value in self._player_of(state.game).action_values(state).items():
            values[action] = value
        return values

    def position_values(self, game: Game, words: NDArray[np.int64]) -> NDArray[np.float64]:
        """Judge beginnings of turns in Tokaido, as `search.leaves.Leaf` does.

        Args:
            game: what is played.
            words: int64 ``[B, state_size]``.

        Returns:
            The expected utility of every seat, in seat order, float64 ``[B, players]``.
        """
        player = self._player_of(game)
        if not isinstance(player, TokaidoPlayer):
            raise AgentError(f"agent 'exact' judges positions of tokaido, not of {game.name}")
        return player.position_values(checked_words(game, words))

    def position_utility(self, game: Game) -> str:
        """Return what `position_values` are in, one of `UTILITIES`: with two players place points, whatever is played for."""
        return UTILITIES[0] if game.num_players == 2 else self.utility

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`; ``statistics["values"]`` has the value of each choice by its notation."""
        self.supports(state.game)
        require_decision(state)
        return self._player_of(state.game).decide(state)

    def _player_of(self, game: Game) -> Player:
        if self._player is None or not self._player.serves(game):
            self._player = PLAYERS[game.name](game, self.utility, Path(self.table) if self.table else None)
        return self._player
