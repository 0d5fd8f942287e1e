"""The exact loss of a player on the way, where the game is solved and small enough to ask for all of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..agents.agent import Agent
from ..envs.core import Game
from ..envs.quoridor.rules import Quoridor
from ..envs.tokaido.rules import Tokaido

_QUICKLY_SOLVED = 1e7  # positions of a board of Quoridor
_QUICKLY_ASKED = 1e6  # decisions of Tokaido
_GAMES = 10  # of Quoridor against perfect play, on each seat

Gauge = Callable[[Agent, int], float]
"""Returns what a player, given the seed of its random choices, loses against perfect play: percentage points."""


def gauge_of(game: Game) -> Gauge | None:
    """Return what measures players of a game exactly; None where that cannot be done quickly."""
    if isinstance(game, Quoridor) and game.num_players == 2 and game.options["max_plies"] is not None:
        return _quoridor(game)
    if isinstance(game, Tokaido) and game.num_players == 2:
        return _tokaido(game)
    return None


def _quoridor(game: Quoridor) -> Gauge | None:
    from ..agents.exact import quoridor_library, quoridor_solver
    from ..agents.exact.quoridor_quality import against_perfect_play
    from ..envs.errors import AgentError

    try:
        known = quoridor_library.find(game) is not None or quoridor_solver.estimated_positions(game) <= _QUICKLY_SOLVED
    except AgentError:
        return None
    if not known:
        return None

    def loss(agent: Agent, seed: int) -> float:
        table = quoridor_library.table_for(game)
        first, second = against_perfect_play(table, game, agent, _GAMES, np.random.default_rng(seed))
        return 50 - 100 * (first + second) / 2

    return loss


def _tokaido(game: Tokaido) -> Gauge | None:
    from ..agents.exact.policies import Arena, decisions_about

    if decisions_about(game) > _QUICKLY_ASKED or game.options["allow_resign"]:
        return None
    arena = Arena(game)
    best = arena.perfect()
    fair = float(arena.meet(best, best)[0].mean())

    def loss(agent: Agent, seed: int) -> float:
        seats, _ = arena.meet(arena.ask(agent, seed), best)
        return 50 * (fair - float(seats.mean()))

    return loss
