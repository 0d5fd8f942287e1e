"""The positions after each choice at many decisions, each of them once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.kernels import TERMINAL, bind
from ..batches import checked_words


@kernel
def list_choices(
    table: Any, rules: Any, words: Any, left_out: Any, mask: Any, after: Any, rows: Any, actions: Any
) -> Any:
    """Write what follows each legal action of decisions.

    Args:
        table: the kernel table of the game.
        rules: of the game.
        words: decisions, int64 ``[B, state_size]``.
        left_out: an action that is not looked at where there are others; -1 for none.
        mask: int8 ``[num_actions]``, scratch.
        after: int64 ``[N, state_size]``: the positions.
        rows: int64 ``[N]``: the decision that each comes from.
        actions: int64 ``[N]``: and the action.

    Returns:
        How many there are.
    """
    game = bind(table)
    count = 0
    for row in range(words.shape[0]):
        legal = game.legal(rules, words[row], mask)
        for action in range(mask.size):
            if mask[action] and (action != left_out or legal == 1):
                for word in range(words.shape[1]):
                    after[count, word] = words[row, word]
                game.apply(rules, after[count], action)
                rows[count], actions[count] = row, action
                count += 1
    return count


@kernel
def settle(table: Any, rules: Any, words: Any, values: Any, over: Any) -> None:
    """Write the returns (``[N, players]``) of the positions in which the game is over, and mark them in `over`."""
    game = bind(table)
    for row in range(words.shape[0]):
        over[row] = game.to_move(rules, words[row]) == TERMINAL
        if over[row]:
            game.returns(rules, words[row], values[row])


@kernel
def movers(table: Any, rules: Any, words: Any, seats: Any) -> None:
    """Write who decides at positions."""
    game = bind(table)
    for row in range(words.shape[0]):
        seats[row] = game.to_move(rules, words[row])


class Choices:
    """The choices at some decisions and the positions after them.

    Args:
        game: what is played.
        words: the decisions, int64 ``[B, state_size]``.
        left_out: an action that is not looked at where there are others; -1 for none.

    Attributes:
        rows: int64 ``[N]``: the decision, by its number, that each choice belongs to; ascending.
        actions: int64 ``[N]``: its action; ascending at each decision.
        positions: int64 ``[M, state_size]``: the positions that follow, each once.
        where: int64 ``[N]``: which of them follows each choice.

    Raises:
        PositionError: if `words` has another shape or kind.
    """

    def __init__(self, game: Game, words: NDArray[np.int64], left_out: int = -1) -> None:
        words = checked_words(game, words)
        room = len(words) * game.num_actions
        after = np.empty((room, game.state_size), np.int64)
        rows, actions = np.empty(room, np.int64), np.empty(room, np.int64)
        mask = np.zeros(game.num_actions, np.int8)
        count = list_choices(game.table, game.rules, words, left_out, mask, after, rows, actions)
        self.rows, self.actions = rows[:count], actions[:count]
        whole = np.ascontiguousarray(after[:count]).view(np.dtype((np.void, 8 * game.state_size))).ravel()
        _, first, self.where = np.unique(whole, return_index=True, return_inverse=True)
        self.positions = np.ascontiguousarray(after[first])
