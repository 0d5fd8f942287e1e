"""What the positions at the end of a lookahead are worth: by lone travellers, by pairs of them, or by some other judge."""

from __future__ import annotations

import importlib
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...envs.core import Game
from ...envs.errors import AgentError
from ..agent import Agent
from ..batches import checked_words
from ..exact.tokaido_table import UTILITIES
from .race import new_seats

AUTO, RACE, PAIRS = "auto", "race", "pairs"
OWN = (AUTO, RACE, PAIRS)
"""Names of judges that are no agents; `AUTO` stands for one of the others, by the game."""

_GAMES = {"picture_sugoroku": "picture_race", "tokaido": "tokaido_race"}
"""The games whose turns can be walked, each with the module beside this one that knows its race.

It has ``PENDING``, the words of a state that are all 0 where a turn begins, ``laws(game, utility)`` and the kernel
``judge(rules, laws, seats, words, out)``.
"""


@runtime_checkable
class Leaf(Protocol):
    """What judges positions; an agent that has this method can be the leaf of a lookahead."""

    def position_values(self, game: Game, words: NDArray[np.int64]) -> NDArray[np.float64]:
        """Judge positions in which a turn begins.

        Args:
            game: what is played.
            words: the positions, int64 ``[B, state_size]``; the array is used again after the call.

        Returns:
            The expected utility of every seat, in seat order, float64 ``[B, players]``.
        """
        ...


def module_of(game: Game) -> Any:
    """Return what is known of a game with dice and turns.

    Raises:
        AgentError: if nothing is.
    """
    if game.name not in _GAMES:
        why = "there are no dice in it" if game.max_chance_outcomes == 0 else "nobody has told it where turns begin"
        raise AgentError(
            f"agent 'expectimax' does not play {game.name}: {why}; it plays {' and '.join(sorted(_GAMES))}. "
            "'mcts' searches every game"
        )
    return importlib.import_module(f".{_GAMES[game.name]}", __package__)


class Race:
    """The leaf ``race``: everybody travels alone from there on."""

    def __init__(self, game: Game, utility: int) -> None:
        self._judge, self._laws = module_of(game).judge, module_of(game).laws(game, utility)
        self._seats = new_seats(game.num_players)

    def position_values(self, game: Game, words: NDArray[np.int64]) -> NDArray[np.float64]:
        """See `Leaf`."""
        words = checked_words(game, words)
        values = np.zeros((len(words), game.num_players))
        self._judge(game.rules, self._laws, self._seats, words, values)
        return values


def leaf_of(judge: Agent | str, game: Game, utility: int) -> Leaf:
    """Return what judges the positions of a game: an agent that can, or one of `OWN` by its name.

    Raises:
        AgentError: if the agent does not play the game or has no values for positions, if ``pairs`` cannot judge.
    """
    if isinstance(judge, str):
        return _own(judge, game, utility)
    judge.supports(game)
    if not isinstance(judge, Leaf):
        raise AgentError(
            f"{type(judge).__name__} has no values for positions (`position_values`), so it cannot be a leaf; "
            "'race', 'pairs' and 'exact' can"
        )
    if (own := getattr(judge, "utility", UTILITIES[0])) != UTILITIES[utility] and game.num_players > 2:
        raise AgentError(
            f"{type(judge).__name__} judges by {own}, the lookahead by {UTILITIES[utility]}: "
            "write both, as in utility=first_only,leaf=(exact:utility=first_only)"
        )
    return cast(Leaf, judge)


def _own(name: str, game: Game, utility: int) -> Leaf:
    """Return one of `OWN`.

    `AUTO` is the pairs where three and more seats can be judged so and the table of two ships, so that nothing is solved
    for it and it plays alike on every machine; else the race. With two players it stays the player that knows no table.
    """
    if name == RACE:
        return Race(game, utility)
    from . import tokaido_pairs

    why = tokaido_pairs.refusal(game, utility)
    if name == PAIRS:
        if why is not None:
            raise AgentError(f"expectimax: leaf=pairs cannot judge here: {why}; leaf=race can")
        return tokaido_pairs.pairs_of(game)
    table = None
    if why is None and game.num_players > 2:
        table = tokaido_pairs.shipped_table(tokaido_pairs.game_of_two(game))
    return Race(game, utility) if table is None else tokaido_pairs.Pairs(game, table)
