"""Random games to the end, in compiled code, for any game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compiling import kernel
from .core import Game, State
from .counter_rng import new_rng
from .errors import OptionError
from .kernels import TERMINAL, bind


@kernel(allocates=True)
def play_randomly(table: Any, rules: Any, start: Any, seen: Any, repetition: Any, rng: Any, totals: Any, squares: Any,
                  plies: Any) -> None:  # fmt: skip
    """Play one random game from `start` for each entry of `plies` (int64) and record how they end.

    `totals` and `squares` (float64 ``[players]``) receive the sums of the returns and of their squares. `seen`
    (uint64) holds the hashes of the positions before and at `start`; with `repetition` > 0 a position that occurs that
    often ends the game as a draw.
    """
    game = bind(table)
    state = np.empty_like(start)
    returns = np.empty_like(totals)
    history = np.empty(64, np.uint64)
    for number in range(plies.size):
        state[:] = start
        length = 0
        drawn = False
        while not drawn and game.to_move(rules, state) != TERMINAL:
            game.apply(rules, state, game.sample(rules, state, rng))
            if repetition > 0:
                position = game.hash(rules, state)
                occurrences = 1 + np.sum(seen == position) + np.sum(history[:length] == position)
                drawn = occurrences >= repetition and game.to_move(rules, state) != TERMINAL
                if length == history.size:
                    history = np.concatenate((history, np.empty_like(history)))
                history[length] = position
            length += 1
        plies[number] = length
        if not drawn:
            game.returns(rules, state, returns)
            totals += returns
            squares += returns * returns


class Playouts(NamedTuple):
    """What random games from one position came to.

    Attributes:
        mean_returns: mean return of each seat, float64 ``[players]``.
        standard_errors: standard errors of these means, float64 ``[players]``.
        plies: length of each game in plies (a throw of the dice is one), int64 ``[games]``.
    """

    mean_returns: np.ndarray[Any, np.dtype[np.float64]]
    standard_errors: np.ndarray[Any, np.dtype[np.float64]]
    plies: np.ndarray[Any, np.dtype[np.int64]]


def random_playouts(start: Game | State, games: int, seed: int = 0) -> Playouts:
    """Play random games to their end: every legal action equally likely, chance by its probabilities.

    Args:
        start: a game, or any state of one, from which each game begins.
        games: how many, at least 1.
        seed: key of the random numbers, ``0 .. 2**64-1``; the same key gives the same games.

    Returns:
        The mean returns, their errors, and the length of every game.

    Raises:
        OptionError: for a number of games or a seed out of range.
    """
    if games < 1:
        raise OptionError(f"games must be at least 1, not {games}")
    if not 0 <= seed < 2**64:
        raise OptionError(f"seed must be in 0..2**64-1, not {seed}")
    state = start.new_initial_state() if isinstance(start, Game) else start
    game = state.game
    plies = np.zeros(games, dtype=np.int64)
    totals, squares = np.zeros(game.num_players), np.zeros(game.num_players)
    if not state.is_terminal():
        play_randomly(
            game.table, game.rules, state.words, state.seen_hashes(), game.repetition, new_rng(seed), totals, squares,
            plies,
        )  # fmt: skip
    else:
        totals += games * np.asarray(state.returns())
        squares += games * np.asarray(state.returns()) ** 2
    mean = totals / games
    variance = np.maximum(squares / games - mean**2, 0.0)
    return Playouts(mean, np.sqrt(variance / games), plies)
