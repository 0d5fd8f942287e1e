"""Both seats of a game by alpha-beta.

Each search for a move is stopped a few times, by lot, and the position that it looks at just then is judged by a small
search of its own, whose table is small too and empty at its beginning.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...agents.networks.files import StoredNetwork
from ...agents.networks.incremental import evaluation_of
from ...agents.search.alphabeta.search import AlphaBetaSearch
from ...envs.core import State
from ...envs.kernels import TERMINAL
from ...envs.quoridor.kernels import to_move
from ...envs.quoridor.rules import Quoridor
from ..sections import Searches
from .searcher import NOBODY, Choice, Valued

_MEMORY = 1  # MiB of the tables: small searches meet no more positions, and so little stays in the processor's cache


class AlphaBetaSearcher:
    """A `Searcher` of games with two players.

    Args:
        game: what is played.
        network: that judges inside the searches; None for the evaluation made by hand.
        settings: how to search.
    """

    def __init__(self, game: Quoridor, network: StoredNetwork | None, settings: Searches) -> None:
        self._game, self._settings = game, settings
        self._moves, self._judge = (
            AlphaBetaSearch(game, _MEMORY, None if network is None else evaluation_of(game, network)) for _ in range(2)
        )

    def begin(self, _rng: np.random.Generator) -> None:
        """See `Searcher.begin`."""
        self._moves.forget()
        self._judge.forget()

    def decide(self, state: State, rng: np.random.Generator) -> Choice:
        """See `Searcher.decide`."""
        search, done, looked_at = self._moves, 0, list[Valued]()
        search.begin(state)
        for stop in self._stops(rng):
            done += search.go_on(stop - done)
            if done < stop:
                break
            words = search.looks_at()
            if words is not None and to_move(self._game.rules, words) != TERMINAL:
                judged = self._judge.judge(words, self._settings.judging_nodes)
                if not judged.is_decided:
                    looked_at.append(Valued(words, judged.value))
        search.go_on(self._settings.nodes - done)
        found, mover = search.concluded(), state.current_player()
        if found.is_decided:
            return Choice(found.action, None, mover if found.value > 0 else 1 - mover, looked_at)
        return Choice(found.action, found.value, NOBODY, looked_at)

    def _stops(self, rng: np.random.Generator) -> Iterator[int]:
        """Yield the numbers of nodes after which a search is stopped; the first few nodes are always the same ones."""
        nodes, stops = self._settings.nodes, self._settings.stops
        yield from np.sort(rng.integers(max(nodes // 20, 1), nodes, stops)).tolist()
