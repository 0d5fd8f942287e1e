"""How fast rules and environments are: our own figures and, where peers are installed, theirs from the same run.

This machine's load changes from second to second, so ours and the peer's are measured in turn and the ratio that
counts is the median of the ratios of neighbours.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import resources
from typing import Any

import numpy as np

from ..envs.compiling import kernel
from ..envs.core import Game, State
from ..envs.kernels import bind
from ..envs.perft import perft
from ..envs.playouts import random_playouts
from ..envs.registration import NAMES
from ..envs.registry import load_game

Meter = Callable[[], float]
"""Runs something for a moment and returns the figure of it."""


@dataclass(frozen=True)
class Measure:
    """One figure.

    Attributes:
        name: what was measured.
        value: our median.
        unit: of both values.
        peer: name of the program compared with, or None.
        peer_value: its median in the same run, or None.
        ratio: how many times faster ours is (median over neighbouring runs), or None.
    """

    name: str
    value: float
    unit: str
    peer: str | None = None
    peer_value: float | None = None
    ratio: float | None = None


@dataclass(frozen=True)
class Contest:
    """A figure to measure: ours, and the peer's if there is one; `larger_is_faster` tells rates from times."""

    name: str
    unit: str
    ours: Meter
    peer: str | None = None
    theirs: Meter | None = None
    larger_is_faster: bool = True

    def run(self, repeats: int) -> Measure:
        """Measure ours and the peer's in turn, `repeats` times after one warm-up."""
        self.ours()
        if self.theirs is None:
            return Measure(self.name, statistics.median(self.ours() for _ in range(repeats)), self.unit)
        pairs = [(self.ours(), self.theirs()) for _ in range(repeats)]
        ratios = [a / b if self.larger_is_faster else b / a for a, b in pairs]
        ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
        return Measure(self.name, ours, self.unit, self.peer, theirs, statistics.median(ratios))


@kernel(allocates=True)
def fill_masks(table: Any, rules: Any, states: Any, num_actions: Any, repeats: Any) -> Any:
    """Compute the legal mask of every row of `states` (int64 ``[positions, state_size]``), `repeats` times."""
    game = bind(table)
    mask = np.zeros(num_actions, np.int8)
    total = 0
    for _ in range(repeats):
        for row in range(states.shape[0]):
            total += game.legal(rules, states[row], mask)
    return total


def playouts_per_second(game: Game, seconds: float = 0.5) -> float:
    """Return random games to the end per second, in compiled code on one core."""
    random_playouts(game, 10)
    games, spent, seed = 0, 0.0, 0
    while spent < seconds:
        begin = time.perf_counter()
        random_playouts(game, 500, seed)
        spent += time.perf_counter() - begin
        games, seed = games + 500, seed + 1
    return games / spent


def microseconds_per_mask(states: Sequence[State], repeats: int = 2000) -> float:
    """Return the time of a legal mask, in microseconds, as compiled code sees it."""
    game, words = states[0].game, np.array([state.words for state in states])
    fill_masks(game.table, game.rules, words, game.num_actions, 1)
    begin = time.perf_counter()
    fill_masks(game.table, game.rules, words, game.num_actions, repeats)
    return 1e6 * (time.perf_counter() - begin) / repeats / len(states)


def perft_seconds(game: Game, depth: int) -> float:
    """Return the time of a perft in seconds."""
    perft(game, 1)
    begin = time.perf_counter()
    perft(game, depth)
    return time.perf_counter() - begin


def quoridor_positions() -> dict[str, list[str]]:
    """Return moves that lead to 9x9 positions with 10 and with 18 fences, the mover having some left."""
    text = resources.files(__package__).joinpath("quoridor_positions.json").read_text(encoding="utf-8")
    positions: dict[str, list[str]] = json.loads(text)
    return positions


def contests(game_name: str) -> list[Contest]:
    """Return what is worth measuring for a game."""
    game = load_game(game_name)
    rules = _quoridor_contests(game) if game_name == "quoridor" else [_playouts(game)]
    return [*rules, *_environment_contests(game_name)]


def _environment_contests(game_name: str) -> list[Contest]:
    if game_name not in NAMES:  # a game of another package
        return []
    from . import environment_speed as speed  # the environment libraries are not needed for anything else here

    vector = Contest(
        f"{game_name}: {speed.VECTOR_GAMES} games, vector", "steps/s", partial(speed.vector_steps_per_second, game_name)
    )
    gymnasium = partial(speed.gymnasium_steps_per_second, game_name)
    aec = partial(speed.aec_steps_per_second, game_name)
    if game_name == "quoridor":
        from .quoridor_peers import with_peers

        return [vector, *with_peers(gymnasium, aec)]
    return [
        vector,
        Contest(f"{game_name}: Gymnasium", "steps/s", gymnasium),
        Contest(f"{game_name}: PettingZoo AEC", "steps/s", aec),
    ]


def _quoridor_contests(game: Game) -> list[Contest]:
    peer = _openspiel()
    playouts = _playouts(game)
    found = [replace(playouts, peer=peer.NAME, theirs=peer.playouts_per_second) if peer else playouts]
    for kind, lines in quoridor_positions().items():
        mask = Contest(f"quoridor: legal mask, {kind}", "us", _mask_meter(game, lines), larger_is_faster=False)
        found.append(replace(mask, peer=peer.NAME, theirs=peer.legal_actions_meter(lines)) if peer else mask)
    found.append(Contest("quoridor: perft 4", "s", lambda: perft_seconds(game, 4), larger_is_faster=False))
    return [*found, *_race_contests(game), *_search_contests(game, peer)]


def _race_contests(game: Game) -> list[Contest]:
    from . import race_speed as speed  # the solver is not needed for anything else here

    states = _states(game, quoridor_positions()["18 fences"])
    return [
        Contest("quoridor: race, new layout", "ms", speed.layout_meter(states), larger_is_faster=False),
        Contest("quoridor: race, look-up", "ns", speed.look_up_meter(states), larger_is_faster=False),
    ]


def _search_contests(game: Game, peer: Any) -> list[Contest]:
    from . import search_speed as speed  # the search is not needed for anything else here

    found = []
    for kind, all_lines in {"start": [""], **quoridor_positions()}.items():
        lines = all_lines[: speed.POSITIONS]
        meter = speed.simulations_meter(_states(game, lines))
        contest = Contest(f"quoridor: MCTS, uniform rollouts, {kind}", "simulations/s", meter)
        if peer:
            theirs = peer.simulations_meter(lines, speed.SIMULATIONS, speed.EXPLORATION)
            contest = replace(contest, peer=f"{peer.NAME} MCTSBot", theirs=theirs)
        found += [contest, Contest(f"quoridor: alpha-beta, {kind}", "nodes/s", speed.nodes_meter(_states(game, lines)))]
    return found


def _playouts(game: Game) -> Contest:
    return Contest(f"{game.name}: random playouts", "games/s", lambda: playouts_per_second(game))


def _mask_meter(game: Game, lines: Sequence[str]) -> Meter:
    states = _states(game, lines)
    return lambda: microseconds_per_mask(states)


def _states(game: Game, lines: Sequence[str]) -> list[State]:
    states = [game.new_initial_state() for _ in lines]
    for state, moves in zip(states, lines, strict=True):
        state.apply_moves(moves)
    return states


def _openspiel() -> Any:
    """Return the module that drives OpenSpiel, or None where OpenSpiel is not installed."""
    if importlib.util.find_spec("pyspiel") is None:
        return None
    return importlib.import_module(".openspiel_peer", __package__)
