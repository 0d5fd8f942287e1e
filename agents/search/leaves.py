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
from .judges import called, refusals_named
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
    """What judges positions; an agent that has this method can be the leaf of a lookahead.

    It judges in place points, unless its ``position_utility(game)``, or else its ``utility``, names another of `UTILITIES`.
    """

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


class Rescaled:
    """A leaf for two players in the other utility: place points (-1..1) are the chance to be first (0..1), scaled.

    Args:
        leaf: judges in one utility.
        utility: that is wanted.
    """

    def __init__(self, leaf: Leaf, utility: str) -> None:
        self._leaf, self._wants_chances = leaf, utility == UTILITIES[1]

    def position_values(self, game: Game, words: NDArray[np.int64]) -> NDArray[np.float64]:
        """See `Leaf`; a draw shares the first place."""
        values = np.asarray(self._leaf.position_values(game, words), dtype=np.float64)
        return (values + 1) / 2 if self._wants_chances else 2 * values - 1


def leaf_of(judge: Agent | str, game: Game, utility: int, name: str = "") -> Leaf:
    """Return what judges the positions of a game: an agent that can, or one of `OWN` by its name.

    Args:
        judge: the agent, or the name.
        game: what is played.
        utility: number of one of `UTILITIES`; with two players a leaf that judges by the other is rescaled.
        name: what to call the agent; by default by its class.

    Raises:
        AgentError: if the agent does not play the game or has no values for positions, if ``pairs`` cannot judge.
    """
    if isinstance(judge, str):
        return _own(resolved(judge, game, utility), game, utility)
    name = name or called(judge)
    if not isinstance(judge, Leaf):
        raise AgentError(no_leaf(name))
    with refusals_named("expectimax", name):
        judge.supports(game)
    own, wanted = _utility_of(judge, game), UTILITIES[utility]
    if own == wanted:
        return cast(Leaf, judge)
    if game.num_players == 2:
        return Rescaled(cast(Leaf, judge), wanted)
    raise AgentError(
        f"expectimax: leaf={name} judges by {own}, the lookahead by {wanted}: "
        "write both, as in utility=first_only,leaf=(exact:utility=first_only)"
    )


def no_leaf(name: str) -> str:
    """Return the words for an agent that cannot judge positions."""
    return (
        f"expectimax: leaf={name} cannot judge positions (it has no `position_values`); 'race', 'pairs', 'exact' and "
        "'net' can"
    )


def resolved(name: str, game: Game, utility: int) -> str:
    """Return which of `RACE` and `PAIRS` one of `OWN` stands for.

    `AUTO` is the pairs where three and more seats can be judged so and the table of two ships, so that nothing is solved
    for it and it plays alike on every machine; else the race. With two players it stays the player that knows no table.
    """
    if name != AUTO:
        return name
    from . import tokaido_pairs

    if game.num_players == 2 or tokaido_pairs.refusal(game, utility) is not None:
        return RACE
    return RACE if tokaido_pairs.shipped_table(tokaido_pairs.game_of_two(game)) is None else PAIRS


def _own(name: str, game: Game, utility: int) -> Leaf:
    """Return `RACE` or `PAIRS`."""
    if name == RACE:
        return Race(game, utility)
    from . import tokaido_pairs

    why = tokaido_pairs.refusal(game, utility)
    if why is not None:
        raise AgentError(f"expectimax: leaf=pairs cannot judge here: {why}; leaf=race can")
    pairs, wanted = tokaido_pairs.pairs_of(game), UTILITIES[utility]
    return pairs if wanted == UTILITIES[0] else Rescaled(pairs, wanted)


def _utility_of(judge: Agent, game: Game) -> str:
    """Return by which of `UTILITIES` an agent judges: as it says itself, place points where it says nothing."""
    says = getattr(judge, "position_utility", None)
    return str(says(game) if says is not None else getattr(judge, "utility", UTILITIES[0]))
