"""Plain alpha-beta over the rules of a game for two, to compare solvers with: no tables, no move ordering."""

from __future__ import annotations

from typing import Any

import numpy as np

from sekisho.envs.compiling import kernel
from sekisho.envs.kernels import TERMINAL, bind


@kernel(allocates=True)
def alpha_beta(table: Any, rules: Any, start: Any, actions: Any, depth: Any) -> Any:
    """Return 1 if the side to move at `start` can force a win within `depth` plies, -1 if the other side can, else 0."""
    game = bind(table)
    states, masks = np.empty((depth + 1, start.size), np.int64), np.zeros((depth + 1, actions), np.int8)
    best, alpha, beta = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    following, out = np.zeros(depth + 1, np.int64), np.zeros(2)
    states[0] = start
    alpha[0], beta[0], level, value, entering = -1, 1, 0, 0, True
    while level >= 0:
        if entering:
            mover = game.to_move(rules, states[level])
            leaf = mover == TERMINAL or level == depth
            if leaf:
                value = 0
                if mover == TERMINAL:  # two seats take turns: the one after the mover of the ply before
                    game.returns(rules, states[level], out)
                    value = np.int64(out[(game.to_move(rules, start) + level) % 2])
                level -= 1
                entering = False
                continue
            game.legal(rules, states[level], masks[level])
            best[level], following[level], entering = -2, 0, False
        else:
            best[level] = max(best[level], -value)
            alpha[level] = max(alpha[level], best[level])
        action = following[level]
        while action < actions and masks[level, action] == 0:
            action += 1
        if action == actions or alpha[level] >= beta[level]:
            value = best[level]
            level -= 1
            continue
        following[level] = action + 1
        states[level + 1] = states[level]
        game.apply(rules, states[level + 1], action)
        alpha[level + 1], beta[level + 1], entering = -beta[level], -alpha[level], True
        level += 1
    return value
