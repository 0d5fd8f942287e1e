"""An evaluation that somebody lends to the tree search, such as a small network, in the place of the one of the game.

It is a compiled function as in `leaf`, with numbers of its own. The tools of a game share one array of numbers, ``data``.
So those that are lent come behind those of the game, whose tools must find theirs from the front (the one that does not, the
exact values of solved Tokaido, is an evaluation itself, which a lent one replaces). The last number of all says how many they
are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.core import Game
from .tools import GameTools


class TreeEvaluation(NamedTuple):
    """An evaluation: the compiled function (see `leaf`) and its numbers, float64, which it finds by `lent_numbers`."""

    function: Any
    numbers: NDArray[np.float64]


@runtime_checkable
class TreeEvaluator(Protocol):
    """What has an evaluation of its own; an agent that has this method can be the leaf of `mcts`."""

    def tree_evaluation(self, game: Game) -> TreeEvaluation:
        """Return the evaluation of positions of a game.

        Raises:
            AgentError: if it has none for this game.
        """
        ...


@kernel
def lent_numbers(data: Any) -> Any:
    """Return the place in the ``data`` of a search where the numbers of an evaluation that was lent begin."""
    return data.size - 1 - np.int64(data[data.size - 1])


@dataclass(frozen=True)
class _Numbers:
    """The ``data`` with the numbers of an evaluation behind those of the game."""

    of_game: Callable[[Game], NDArray[np.float64]]
    lent: NDArray[np.float64]

    def __call__(self, game: Game) -> NDArray[np.float64]:
        return np.concatenate([self.of_game(game), self.lent, [float(self.lent.size)]])


def judged_by(evaluation: TreeEvaluation, brought: GameTools) -> GameTools:
    """Return the tools of a game with an evaluation in the place of theirs; tables and priors stay."""
    return replace(
        brought, evaluation=evaluation.function, rollouts="none",
        numbers=_Numbers(brought.numbers, evaluation.numbers),
    )  # fmt: skip
