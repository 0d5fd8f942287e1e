"""Games of a search against itself, and the positions that it asks about, each with what it is worth.

Positions of games alone do not teach an evaluation what it is asked inside a search, where most moves are bad ones. So
some positions that a search for a move asks about are drawn by lot and judged by a small search of their own. A position
of the game has the value of its search, and later the result of the game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...agents.networks.config import nnue_outputs
from ...agents.networks.files import StoredNetwork
from ...arena.match import random_opening
from ...envs.core import State
from ...envs.quoridor.kernels import LEFT, PLY
from ...envs.quoridor.rules import Quoridor
from ..sections import Searches
from ..tally import Tally
from .four_players import TreeSearcher
from .positions import UNKNOWN, Judged, places_of
from .searcher import NOBODY, Searcher
from .two_players import AlphaBetaSearcher

STREAM = 7
"""Sets the random numbers of these games apart from those of other parts of a run."""
_OPENING, _PLAY = 1, 2
_SHORTEST_OPENING = 2  # plies


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
    kind = AlphaBetaSearcher if task.game.num_players == 2 else TreeSearcher
    searcher: Searcher = kind(task.game, task.network, task.settings)
    parts, tally = [], Tally()
    for number in range(task.first, task.first + task.games):
        place = [STREAM, task.seed, task.iteration, number]
        rng = np.random.default_rng([*place, _OPENING])
        plies = int(rng.integers(_SHORTEST_OPENING, task.settings.opening + 1))
        start = random_opening(task.game, plies, [*place, _OPENING])
        parts.append(_play(task, searcher, start, number, np.random.default_rng([*place, _PLAY]), tally))
    return Judged.joined(task.game, parts), tally


class _Kept:
    """The positions of a game that are kept, in the order in which they were judged."""

    def __init__(self, players: int) -> None:
        self._hands = slice(LEFT, LEFT + players)
        self.words: list[NDArray[np.int64]] = []
        self.values: list[Any] = []
        self.movers: list[int] = []  # NOBODY for what only a search has looked at

    def add(self, words: NDArray[np.int64], value: Any, mover: int) -> None:
        """Keep a position if there is something to learn: there are fences to place."""
        if words[self._hands].any():
            self.words.append(words)
            self.values.append(value)
            self.movers.append(mover)

    def judged(self, game: Quoridor, winner: int, number: int) -> Judged:
        """Return them with the result of their game, which has a number."""
        nothing = Judged.none(game)
        if not self.words:
            return nothing
        movers = np.array(self.movers)
        seats = (movers[:, None] + np.arange(nnue_outputs(game.num_players))) % game.num_players
        results = np.where(seats == winner, 1, -1) if winner != NOBODY else np.zeros_like(seats)
        results = np.where(movers[:, None] == NOBODY, UNKNOWN, results)
        return Judged(
            places_of(game, np.array(self.words)),
            np.array(self.values, nothing.values.dtype),
            results.reshape(len(movers), *nothing.results.shape[1:]).astype(np.int8),
            np.full(len(movers), number, np.int32),
        )


def _play(
    task: GamesTask, searcher: Searcher, state: State, number: int, rng: np.random.Generator, tally: Tally
) -> Judged:
    """Play a game to its end, or until a search sees who wins; add to the sums, and return its positions."""
    kept, winner = _Kept(task.game.num_players), NOBODY
    searcher.begin(rng)
    while not state.is_terminal() and state.words[PLY] < task.settings.max_plies:
        if rng.random() < task.settings.explore:
            state.apply_action(int(rng.choice(state.legal_actions())))
            continue
        choice = searcher.decide(state, rng)
        for position in choice.looked_at:
            kept.add(position.words, position.value, NOBODY)
        if choice.value is not None:
            kept.add(state.words.copy(), choice.value, state.current_player())
        tally.decisions += 1
        winner = choice.winner
        if winner != NOBODY:
            break
        state.apply_action(choice.action)
    if state.is_terminal() and max(state.returns()) > 0:
        winner = int(np.argmax(state.returns()))
    tally.games += 1
    tally.plies += int(state.words[PLY])
    tally.first_wins += winner == 0
    tally.draws += winner == NOBODY
    tally.positions += len(kept.words)
    return kept.judged(task.game, winner, number)
