"""Which tools the games bring for the leaves of a search (see `leaf`), and how they are chosen."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from ...envs.core import Game
from ...envs.errors import AgentError
from .leaf import CUTOFF, EVALUATION, PLAYOUT, POLICY, PRIORS, SIGNATURES, TABLE, TOOLS_SIZE


def no_numbers(_game: Game) -> NDArray[np.float64]:
    """Return the data of tools that need none."""
    return np.zeros(1)


@dataclass(frozen=True)
class GameTools:
    """What a game brings: compiled functions with the signatures of `leaf`, None for what it has not.

    Attributes:
        policy: for guided rollouts.
        evaluation: for rollouts that are cut off.
        playout: for uniform rollouts; without one they are played by the game's own kernels.
        table: exact values, asked at every new node unless nobody wants them.
        priors: which actions look promising.
        rollouts: the kind that is strongest for the game, if nobody asks for another.
        exploration: the constant of PUCT that is strongest with the priors.
        rivals: how closely other seats are best expected to follow the priors, see `simulate.Settings`.
        numbers: gives the ``data`` of these functions for a game, float64; new ones for every search.
        solved: gives what serves in the place of these tools where the game is solved, told the game, the tools,
            whether only solutions count that every installation has, and the bytes that solutions made on the way may
            take; an `AgentError` says why there are none.
    """

    policy: Any = None
    evaluation: Any = None
    playout: Any = None
    table: Any = None
    priors: Any = None
    rollouts: str = "uniform"
    exploration: float = 1.0
    rivals: float = 1.0
    numbers: Callable[[Game], NDArray[np.float64]] = field(default=no_numbers)
    solved: Callable[[Game, GameTools, bool, int], GameTools] | None = None


def _quoridor(game: Game) -> GameTools:
    from ...envs.quoridor.playout import playout
    from . import quoridor_tools as own

    tools = GameTools(
        policy=own.policy, evaluation=own.evaluation, playout=playout, priors=own.priors, rollouts="none",
        solved=_races,
    )  # fmt: skip
    return tools if game.num_players == 2 else replace(tools, exploration=own.EXPLORATION_FOUR, rivals=own.RIVALS_FOUR)


def _races(game: Game, tools: GameTools, _shipped_only: bool, room: int) -> GameTools:
    from . import quoridor_races_tool as own

    own.require_races(game)
    return replace(tools, table=own.table, numbers=functools.partial(own.numbers, room))


def _tokaido(_game: Game) -> GameTools:
    from . import tokaido_tools as own

    return GameTools(
        policy=own.policy, evaluation=own.evaluation, rollouts="none", numbers=own.numbers, solved=_solved_tokaido
    )


def _solved_tokaido(game: Game, tools: GameTools, shipped_only: bool, _room: int) -> GameTools:
    from . import tokaido_table_tool as own

    return replace(tools, evaluation=own.evaluation, numbers=own.Numbers(own.find_table(game, shipped_only)))


def _picture_sugoroku(_game: Game) -> GameTools:
    from . import picture_sugoroku_tools as own

    return GameTools(policy=own.policy, rollouts="guided")


_TOOLS: dict[str, Callable[[Game], GameTools]] = {
    "picture_sugoroku": _picture_sugoroku,
    "quoridor": _quoridor,
    "tokaido": _tokaido,
}


def register_tools(game: str, tools: GameTools) -> None:
    """Give a game of another package tools for the search.

    Args:
        game: its name, as in `Game.name`.
        tools: its compiled functions.
    """
    if game in _TOOLS:
        raise ValueError(f"the tools of {game!r} are registered already")
    _TOOLS[game] = lambda _game: tools


def game_tools(game: Game, exact: str = "off", room: int = 0) -> GameTools:
    """Return what a game brings; nothing is compiled by that.

    Args:
        game: the rules.
        exact: ``auto``: with the exact values that every installation has; ``on``: with those that were made here too,
            and not without any; ``off``: without.
        room: bytes that exact values which are worked out on the way may take.

    Raises:
        AgentError: if they are asked for and there are none.
    """
    brought = _TOOLS[game.name](game) if game.name in _TOOLS else GameTools()
    if exact == "off":
        return replace(brought, table=None)
    if brought.solved is not None:
        try:
            return brought.solved(game, brought, exact == "auto", room)
        except AgentError:
            if exact == "on":
                raise
    elif exact == "on" and brought.table is None:
        raise AgentError(f"{game.name} brings no exact values for a search: leave option 'exact' out")
    return brought


def choose_tools(
    game: Game, brought: GameTools, rollouts: str, cutoff: int | None, priors: str
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the vector of tools and their data for a kind of rollouts.

    Args:
        game: the rules.
        brought: what it brings, see `game_tools`; to be kept as long as the data are used.
        rollouts: ``uniform``, ``guided`` or ``none`` (an evaluation in their place).
        cutoff: plies after which a rollout stops and the evaluation is asked; None for never.
        priors: ``uniform`` or ``guided``.

    Raises:
        AgentError: if the game brings no tool for that.
    """
    needed = {
        "policy": rollouts == "guided",
        "evaluation": rollouts == "none" or cutoff is not None,
        "priors": priors == "guided",
    }
    for name, is_needed in needed.items():
        if is_needed and getattr(brought, name) is None:
            raise AgentError(f"{game.name} brings no {name} for a search: use uniform rollouts and priors, no cutoff")
    tools = np.zeros(TOOLS_SIZE, dtype=np.int64)
    tools[: game.table.size] = game.table
    tools[CUTOFF] = 0 if rollouts == "none" else -1 if cutoff is None else cutoff
    if rollouts == "guided":
        tools[POLICY] = _address(brought.policy, POLICY)
    if tools[CUTOFF] >= 0:
        tools[EVALUATION] = _address(brought.evaluation, EVALUATION)
    elif rollouts == "uniform" and brought.playout is not None:
        tools[PLAYOUT] = _address(brought.playout, PLAYOUT)
    if priors == "guided":
        tools[PRIORS] = _address(brought.priors, PRIORS)
    if brought.table is not None:
        tools[TABLE] = _address(brought.table, TABLE)
    return tools, brought.numbers(game)


@functools.cache
def _address(function: Any, place: int) -> int:
    """Return the address of a compiled tool, compiling or loading it as needed; the cache keeps the function alive."""
    signature = SIGNATURES[place]
    function.compile(signature.args)
    result = function.overloads[signature.args]
    if types.unliteral(result.signature.return_type) != signature.return_type:
        raise TypeError(f"{function.py_func.__qualname__} must return {signature.return_type}")
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
