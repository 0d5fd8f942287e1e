"""Games of alpha-beta against itself, and the positions that its searches look at, each with what it is worth.

Positions of games alone do not teach an evaluation what it is asked inside a search, where most moves are bad ones. So
each search for a move is stopped a few times, by lot, and the position that it looks at just then is judged by a small
search of its own, whose table is small too and empty at its beginning. A position of the game has the value of its search,
and later the result of the game.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...agents.networks.files import StoredNetwork
from ...agents.networks.incremental import evaluation_of
from ...agents.search.alphabeta.search import AlphaBetaSearch, Found
from ...arena.match import random_opening
from ...envs.core import State
from ...envs.kernels import TERMINAL
from ...envs.quoridor.kernels import LEFT, PLY, to_move
from ...envs.quoridor.rules import Quoridor
from ..sections import Searches
from ..tally import Tally
from .positions import UNKNOWN, Judged, places_of

STREAM = 7
"""Sets the random numbers of these games apart from those of other parts of a run."""
_OPENING, _PLAY = 1, 2
_SHORTEST_OPENING = 2  # plies
_MEMORY = 1  # MiB of the tables: clearing more would take longer than a small search


class GamesTask(NamedTuple):
    """Some games of an iteration; a task for an executor.

    Attributes:
        game: what is played.
        network: that judges inside the searches; None for the evaluation made by hand.
        settings: how to play.
        seed: of the run.
        iteration: whose games they are.
        first: number of the first one.
        games: how many.
    """

    game: Quoridor
    network: StoredNetwork | None
    settings: Searches
    seed: int
    iteration: int
    first: int
    games: int


def play_games(task: GamesTask) -> tuple[Judged, Tally]:
    """Play the games of a task; return positions with what they are worth, and sums."""
    players = _Players(task.game, task.network, task.settings)
    parts, tally = [], Tally()
    for number in range(task.first, task.first + task.games):
        place = [STREAM, task.seed, task.iteration, number]
        rng = np.random.default_rng([*place, _OPENING])
        plies = int(rng.integers(_SHORTEST_OPENING, task.settings.opening + 1))
        start = random_opening(task.game, plies, [*place, _OPENING])
        parts.append(players.play(start, number, np.random.default_rng([*place, _PLAY]), tally))
    return Judged.joined(task.game, parts), tally


class _Kept:
    """The positions of a game that are kept, in the order in which they were judged."""

    def __init__(self) -> None:
        self.words: list[NDArray[np.int64]] = []
        self.values: list[int] = []
        self.movers: list[int] = []  # -1 for what only a search has looked at

    def add(self, words: NDArray[np.int64], found: Found, mover: int) -> None:
        """Keep a position if there is something to learn: its end is not seen, and there are fences to place."""
        if not found.is_decided and words[LEFT : LEFT + 2].any():
            self.words.append(words)
            self.values.append(found.value)
            self.movers.append(mover)


class _Players:
    """Both sides of the games, by the same evaluation."""

    def __init__(self, game: Quoridor, network: StoredNetwork | None, settings: Searches) -> None:
        self._game, self._settings = game, settings
        self._moves, self._judge = (
            AlphaBetaSearch(game, _MEMORY, None if network is None else evaluation_of(game, network)) for _ in range(2)
        )

    def play(self, state: State, number: int, rng: np.random.Generator, tally: Tally) -> Judged:
        """Play a game to its end, or until a search sees its end; add to the sums, and return its positions."""
        self._moves.forget()
        self._judge.forget()
        kept, winner = _Kept(), -1  # the seat that wins
        while not state.is_terminal() and state.words[PLY] < self._settings.max_plies:
            if rng.random() < self._settings.explore:
                state.apply_action(int(rng.choice(state.legal_actions())))
                continue
            mover = state.current_player()
            found = self._search(state, rng, kept)
            kept.add(state.words.copy(), found, mover)
            tally.decisions += 1
            if found.is_decided:
                winner = mover if found.value > 0 else 1 - mover
                break
            state.apply_action(found.action)
        if state.is_terminal() and max(state.returns()) > 0:
            winner = int(np.argmax(state.returns()))
        tally.games += 1
        tally.plies += int(state.words[PLY])
        tally.first_wins += winner == 0
        tally.draws += winner < 0
        tally.positions += len(kept.words)
        return self._judged(kept, winner, number)

    def _search(self, state: State, rng: np.random.Generator, kept: _Kept) -> Found:
        """Search a decision, and judge positions that the search looks at."""
        search, done = self._moves, 0
        search.begin(state)
        for stop in self._stops(rng):
            done += search.go_on(stop - done)
            if done < stop:
                break
            words = search.looks_at()
            if words is not None and to_move(self._game.rules, words) != TERMINAL:
                kept.add(words, self._judge.judge(words, self._settings.judging_nodes), -1)
        search.go_on(self._settings.nodes - done)
        return search.concluded()

    def _stops(self, rng: np.random.Generator) -> Iterator[int]:
        """Yield the numbers of nodes after which a search is stopped; the first few nodes are always the same ones."""
        nodes, stops = self._settings.nodes, self._settings.stops
        yield from np.sort(rng.integers(max(nodes // 20, 1), nodes, stops)).tolist()

    def _judged(self, kept: _Kept, winner: int, number: int) -> Judged:
        """Return positions with the result of their game."""
        if not kept.words:
            return Judged.none(self._game)
        movers = np.array(kept.movers)
        results = np.where(movers == winner, 1, -1) if winner >= 0 else np.zeros(movers.size)
        return Judged(
            places_of(self._game, np.array(kept.words)),
            np.array(kept.values, np.int32),
            np.where(movers < 0, UNKNOWN, results).astype(np.int8),
            np.full(movers.size, number, np.int32),
        )
