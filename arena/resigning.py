"""Resigning: a choice of people, which CPU players are not asked about."""

from __future__ import annotations

import contextlib
import functools

from ..envs.core import Game, State
from ..envs.errors import SekishoError


def resign_action(state: State) -> int | None:
    """Return the action by which the seat to move resigns, None where the rules have none."""
    with contextlib.suppress(SekishoError):
        return state.string_to_action("resign")
    return None


@functools.lru_cache(maxsize=8)
def game_without_resigning(game: Game) -> Game:
    """Return the same rules but for resigning, which nobody can."""
    if not game.options.get("allow_resign"):
        return game
    return type(game)(**dict(game.options) | {"allow_resign": False})


def without_resigning(state: State) -> State:
    """Return a state in which nobody can resign: what CPU players are asked about, none of whom should give up.

    The option decides only what is legal, so the compact state is the same under both. The history is left behind
    where there was one to take away.
    """
    if not state.game.options.get("allow_resign"):
        return state
    return type(state)(game_without_resigning(state.game), state.words)
