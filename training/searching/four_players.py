"""All seats of a game with four players by `mcts`.

After each search for a move some simulations in its tree are drawn by lot, and the positions that they came to are judged
by a small search of their own, whose tree is empty at its beginning.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...agents.networks.files import StoredNetwork
from ...agents.search.mcts import OWN, MctsAgent
from ...envs.core import State
from ...envs.quoridor.rules import Quoridor
from ..judging import NetworkPlayer, evaluator_of
from ..sections import Searches
from .searcher import NOBODY, Choice, Valued

STYLES: tuple[tuple[float, float | None], ...] = ((1.0, 1.0), (2.0, 0.3), (3.0, None), (10.0, None))
"""How a seat may search: `rivals` and `exploration` of `mcts`, drawn by lot for each seat of each game. What is best depends
on who sits at the table, and the evaluation is to serve with all of them and against any kind of rival."""
_JUDGING = 2.0, 0.3  # likewise of the searches that judge: they take their rivals for neither quick nor all-knowing
_MEMORY = 64  # MiB of a tree: more than thousands of simulations take


class TreeSearcher:
    """A `Searcher` of games with four players.

    Args:
        game: what is played.
        network: that judges inside the searches; None for the evaluation made by hand.
        settings: how to search; its nodes are simulations.
    """

    def __init__(self, game: Quoridor, network: StoredNetwork | None, settings: Searches) -> None:
        self._game, self._settings = game, settings
        leaf = OWN if network is None else NetworkPlayer(evaluator_of(network), simulations=0)
        self._players = [  # each seat has trees of its own, since who searches in one expects things of the others
            [
                MctsAgent(settings.nodes, rivals=rivals, exploration=exploration, memory=_MEMORY, leaf=leaf)
                for rivals, exploration in STYLES
            ]
            for _ in range(game.num_players)
        ]
        rivals, exploration = _JUDGING
        self._judge = MctsAgent(
            settings.judging_nodes, rivals=rivals, exploration=exploration, memory=_MEMORY, tree="fresh", leaf=leaf
        )
        self._seats = [styles[0] for styles in self._players]

    def begin(self, rng: np.random.Generator) -> None:
        """See `Searcher.begin`; who sits where is drawn."""
        self._seats = [styles[int(rng.integers(len(styles)))] for styles in self._players]
        for player in self._seats:
            player.reset()

    def decide(self, state: State, rng: np.random.Generator) -> Choice:
        """See `Searcher.decide`."""
        mover = state.current_player()
        player = self._seats[mover]
        found = player.act(state, rng)
        returns = found.statistics["returns"]
        looked_at = list[Valued]()
        for _ in range(self._settings.stops):
            looked_at += self._looked_at(state, player, rng)
        if not found.statistics["proven"]:
            return Choice(found.action, chances_of(returns, mover), NOBODY, looked_at)
        # who else wins is not sure: of choices that lose alike none is better
        winner = mover if returns[mover] >= self._game.max_utility else NOBODY
        return Choice(found.action, None, winner, looked_at)

    def _looked_at(self, state: State, player: MctsAgent, rng: np.random.Generator) -> list[Valued]:
        """Return a position that a player's last search has come to, or none if its end is seen."""
        line, there = player.drawn_line(rng), state.clone()
        for action in line:
            there.apply_action(action)
        if not line or there.is_terminal():
            return []
        found = self._judge.act(there, rng).statistics
        return [] if found["proven"] else [Valued(there.words, chances_of(found["returns"], there.current_player()))]


def chances_of(returns: tuple[float, ...], mover: int) -> NDArray[np.float32]:
    """Return the chance of each seat to win, the one to move first, float32 ``[players]``; their sum is 1.

    Args:
        returns: expected, by seat: who wins gets 1, and what the others lose to it is shared alike.
        mover: the seat to move.
    """
    others = len(returns) - 1
    chances = np.clip((others * np.roll(returns, -mover) + 1) / (others + 1), 0, 1)
    shares: NDArray[np.float32] = (chances / chances.sum()).astype(np.float32)
    return shares
