"""Evaluators: networks that judge positions of a game, for searches and for whoever else asks.

`NetworkEvaluator` satisfies `search.batch.Evaluator`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.errors import NetworkError
from ...envs.kernels import bind
from ...envs.quoridor.kernels import PLAYERS
from ..batches import checked_seats, checked_words
from .config import NNUE_INPUTS
from .files import StoredNetwork
from .forward import Forward, forward_of
from .quoridor_four_inputs import write_inputs as write_four_inputs
from .quoridor_inputs import write_inputs

BATCH = 4096
"""Positions that are handed to a back end at once, at most."""


@kernel
def look(table: Any, rules: Any, words: Any, seats: Any, observations: Any) -> None:
    """Write what seats see (float32 ``[B, features]``) of positions ``[B, state_size]``; who looks is in `seats` ``[B]``."""
    game = bind(table)
    for row in range(words.shape[0]):
        game.observe(rules, words[row], seats[row], observations[row])


@kernel
def look_at_inputs(rules: Any, words: Any, seats: Any, observations: Any) -> None:
    """Write what a network of kind ``nnue`` is given, float32 ``[B, inputs]``; see `look`."""
    for row in range(words.shape[0]):
        if rules[PLAYERS] == 2:
            write_inputs(rules, words[row], seats[row], observations[row])
        else:
            write_four_inputs(rules, words[row], seats[row], observations[row])


@kernel
def mark_legal(table: Any, rules: Any, words: Any, seats: Any, views: Any, legal: Any, masks: Any) -> None:
    """Write what is legal, as seats number it.

    Args:
        table: the kernel table of the game.
        rules: of the game.
        words: positions, ``[B, state_size]``.
        seats: who looks, ``[B]``.
        views: `Game.action_views`.
        legal: int8 ``[num_actions]``, scratch.
        masks: bool ``[B, num_actions]``: all of it where nothing is legal.
    """
    game = bind(table)
    for row in range(words.shape[0]):
        count = game.legal(rules, words[row], legal)
        for action in range(legal.size):
            masks[row, action] = count == 0 or legal[views[seats[row], action]] != 0


@kernel
def turn_back(policies: Any, values: Any, seats: Any, views: Any, masks: Any, priors: Any, returns: Any) -> None:
    """Write the answers of a network in the numbers of the game.

    Args:
        policies: logarithms, ``[B, num_actions]``, numbered as the seats see the actions.
        values: ``[B, seats]``, the one that looks first.
        seats: who looked, ``[B]``.
        views: `Game.action_views`.
        masks: as `mark_legal` wrote them.
        priors: float64 ``[B, num_actions]``.
        returns: float64 ``[B, players]``.
    """
    players = returns.shape[1]
    for row in range(policies.shape[0]):
        for action in range(policies.shape[1]):
            prior = np.exp(policies[row, action]) if masks[row, action] else 0.0
            priors[row, views[seats[row], action]] = prior
        for place in range(players):
            returns[row, (seats[row] + place) % players] = values[row, place]


class NetworkEvaluator:
    """A network with something that runs it.

    Args:
        network: what it is for and of what shape.
        forward: what runs it, see `forward.forward_of` and `torch_backend.forward_of_module`.
    """

    def __init__(self, network: StoredNetwork, forward: Forward) -> None:
        self.network = network
        self._forward = forward
        self._supported: Game | None = None

    @property
    def has_policy(self) -> bool:
        """Whether the priors tell actions apart; else what plays by the values of positions."""
        return self.network.config.kind != "nnue"

    def supports(self, game: Game) -> None:
        """Raise `NetworkError` unless the network is for this game and these rules."""
        self.network.supports(game)

    def evaluate(
        self, game: Game, words: NDArray[np.int64], seats: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See `search.batch.Evaluator`; `words` need not be decisions: elsewhere the priors mean nothing.

        Raises:
            NetworkError: if the network is for another game or other rules.
            PositionError: if `words` and `seats` are not as described there.
        """
        if game is not self._supported:
            self.supports(game)
            self._supported = game
        return evaluate(self._forward, game, words, seats, self.network.config.kind == "nnue")


def evaluate(
    forward: Forward, game: Game, words: NDArray[np.int64], seats: NDArray[np.int64], inputs: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Judge positions by a network; see `search.batch.Evaluator`.

    Args:
        forward: runs the network.
        game: what is played.
        words: the positions.
        seats: who looks at each.
        inputs: whether the network sees the inputs of the kind ``nnue`` in place of the game's observation.

    Raises:
        NetworkError: if the network answers with another shape than it was asked for.
        PositionError: if `words` and `seats` are not as described there.
    """
    words = checked_words(game, words)
    count = len(words)
    seats = checked_seats(game, seats, count)
    shape = (NNUE_INPUTS[game.num_players],) if inputs else tuple(game.observation_shape)
    features = math.prod(shape)
    priors, returns = np.zeros((count, game.num_actions)), np.zeros((count, game.num_players))
    legal = np.zeros(game.num_actions, np.int8)
    for first in range(0, count, BATCH):
        part = slice(first, first + BATCH)
        rows = len(seats[part])
        observations = np.empty((rows, features), np.float32)
        masks = np.empty((rows, game.num_actions), np.bool_)
        if inputs:
            look_at_inputs(game.rules, words[part], seats[part], observations)
        else:
            look(game.table, game.rules, words[part], seats[part], observations)
        mark_legal(game.table, game.rules, words[part], seats[part], game.action_views, legal, masks)
        policies, values = forward(observations.reshape(rows, *shape), masks)
        _check_answer(game, rows, policies, values)
        turn_back(policies, values, seats[part], game.action_views, masks, priors[part], returns[part])
    return priors, returns


def _check_answer(game: Game, rows: int, policies: NDArray[Any], values: NDArray[Any]) -> None:
    """Refuse an answer that compiled code would read past the end of."""
    fits = policies.shape == (rows, game.num_actions) and values.ndim == 2 and len(values) == rows
    if not fits or values.shape[1] < game.num_players:
        raise NetworkError(
            f"a network for {game.name} answers {rows} positions with a policy of shape [{rows}, {game.num_actions}] and "
            f"values of shape [{rows}, {game.num_players} or more], not {list(policies.shape)} and {list(values.shape)}"
        )


def make_evaluator(network: StoredNetwork, backend: str = "auto") -> NetworkEvaluator:
    """Return an evaluator that runs a network by a back end; see `forward.choose_backend`."""
    return NetworkEvaluator(network, forward_of(network, backend))
