"""What positions of small boards are worth, the cap and the past included: every line is played to its end."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from sekisho.envs.kernels import TERMINAL
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState


class Truth:
    """The outcomes of a game with a cap, by trying everything.

    Args:
        game: with two players.
    """

    def __init__(self, game: Quoridor) -> None:
        self._game = game
        self._known = dict[tuple[bytes, frozenset[tuple[int, int]]], int]()

    def of(self, state: QuoridorState) -> int:
        """Return 1 if the seat to move wins (or would be to move, at the end), 0 for a draw, -1 if it loses."""
        fences = state.words[:2].tolist()
        boards = [words for words in [*state.past_words(), state.words] if words[:2].tolist() == fences]
        return self._of(state.words, Counter(self._board(words) for words in boards))

    def after(self, state: QuoridorState, action: int) -> int:
        """Return what an action is worth for the seat that plays it."""
        return -self.of(state.child(action))

    def _board(self, words: NDArray[np.int64]) -> int:
        return int(self._game.kernels.hash(self._game.rules, words))

    def _of(self, words: NDArray[np.int64], stood: Counter[int]) -> int:
        kernels, rules = self._game.kernels, self._game.rules
        out = np.zeros(2)
        kernels.returns(rules, words, out)
        if out[0] != 0:
            return -1  # it was the other's move
        drawn = self._game.repetition and stood[self._board(words)] >= self._game.repetition
        if drawn or kernels.to_move(rules, words) == TERMINAL:
            return 0
        key = words.tobytes(), frozenset(stood.items()) if self._game.repetition else frozenset()
        if key not in self._known:
            self._known[key] = self._best(words, stood)
        return self._known[key]

    def _best(self, words: NDArray[np.int64], stood: Counter[int]) -> int:
        best, mask = -1, np.zeros(self._game.num_actions, np.int8)
        self._game.kernels.legal(self._game.rules, words, mask)
        for action in np.flatnonzero(mask):
            child = words.copy()
            self._game.kernels.apply(self._game.rules, child, action)
            is_fence = action >= self._game.board_size**2  # what stood before it never comes back
            best = max(best, -self._of(child, (Counter() if is_fence else stood) + Counter([self._board(child)])))
            if best == 1:
                break
        return best
