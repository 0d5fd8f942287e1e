"""OpenSpiel's Quoridor, driven the fastest way its Python package allows; needs the extra ``openspiel``."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import pyspiel

from ..envs.quoridor.notation import convert_moves

_MEGABYTES = 1000  # memory of a tree
NAME = f"open_spiel {version('open_spiel')}"


@functools.cache
def _game() -> Any:
    """Return the game; loading it prints a warning, so it is loaded once."""
    return pyspiel.load_game("quoridor(players=2,board_size=9,wall_count=10)")


def playouts_per_second(seconds: float = 0.5) -> float:
    """Return random games to the end per second: its uniform random bots in its C++ loop."""
    game = _game()
    bots = [pyspiel.make_uniform_random_bot(seat, seat + 1) for seat in range(2)]
    games, spent = 0, 0.0
    while spent < seconds:
        begin = time.perf_counter()
        for seed in range(games, games + 100):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        spent += time.perf_counter() - begin
        games += 100
    return games / spent


def _states(lines: Sequence[str]) -> list[Any]:
    """Return its states at the ends of the move sequences `lines`."""
    states = []
    for line in lines:
        state = _game().new_initial_state()
        for move in convert_moves(line, "standard", "openspiel").split():
            state.apply_action(state.string_to_action(move))
        states.append(state)
    return states


def legal_actions_meter(lines: Sequence[str], repeats: int = 100) -> Callable[[], float]:
    """Return a meter of its ``legal_actions``, in microseconds, at the ends of the move sequences `lines`."""
    states = _states(lines)

    def measure() -> float:
        begin = time.perf_counter()
        for _ in range(repeats):
            for state in states:
                state.legal_actions()
        return 1e6 * (time.perf_counter() - begin) / repeats / len(states)

    return measure


def simulations_meter(lines: Sequence[str], simulations: int, exploration: float) -> Callable[[], float]:
    """Return a meter of the simulations per second of its compiled ``MCTSBot``, one random game a leaf.

    Args:
        lines: moves that lead to the positions.
        simulations: for each position; a bot that has proven it stops earlier.
        exploration: its ``uct_c``.
    """
    states = _states(lines)

    def measure() -> float:
        done, spent = 0, 0.0
        for seed, state in enumerate(states):
            evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
            bot = pyspiel.MCTSBot(_game(), evaluator, exploration, simulations, _MEGABYTES, True, seed, False)
            begin = time.perf_counter()
            done += bot.mcts_search(state).explore_count
            spent += time.perf_counter() - begin
        return done / spent

    return measure
