"""Perft: the number of paths of a given length through the tree of any game, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiling import kernel
from .core import Game, State
from .errors import OptionError
from .kernels import CHANCE, TERMINAL, bind


@kernel(allocates=True)
def count_paths(table: Any, rules: Any, start: Any, depth: Any, num_actions: Any, max_outcomes: Any) -> Any:
    """Return the number of paths of exactly `depth` plies from `start`; finished games are not extended.

    The last ply is counted without being played. The tree is walked with one row of arrays for each depth.
    """
    game = bind(table)
    if depth == 0:
        return 1
    states = np.empty((depth, start.size), np.int64)
    masks = np.zeros((depth, num_actions), np.int8)
    outcomes = np.empty((depth, max_outcomes), np.int64)
    probabilities = np.empty(max_outcomes, np.float64)
    tried = np.zeros(depth, np.int64)  # next action or outcome to look at
    width = np.zeros(depth, np.int64)  # at a chance node its outcomes, at a decision the actions to look through
    is_chance = np.zeros(depth, np.bool_)
    nodes, level = 0, 0
    states[0] = start
    entering = True
    while level >= 0:
        if entering:
            entering = False
            mover = game.to_move(rules, states[level])
            is_chance[level] = mover == CHANCE
            if mover == TERMINAL:
                count = 0
            elif mover == CHANCE:
                count = game.chance(rules, states[level], outcomes[level], probabilities)
            else:
                count = game.legal(rules, states[level], masks[level])
            if level == depth - 1 or count == 0:
                nodes += count if level == depth - 1 else 0
                level -= 1
                continue
            tried[level] = 0
            width[level] = count if is_chance[level] else num_actions
        at = tried[level]
        if not is_chance[level]:
            while at < num_actions and masks[level, at] == 0:
                at += 1
        if at >= width[level]:
            level -= 1
            continue
        tried[level] = at + 1
        states[level + 1] = states[level]
        game.apply(rules, states[level + 1], outcomes[level, at] if is_chance[level] else at)
        level += 1
        entering = True
    return nodes


def perft(start: Game | State, depth: int) -> int:
    """Count the sequences of exactly `depth` plies from a position; finished games are not extended.

    Every decision, every outcome of a throw and every forced pass is a ply. Draws by repetition on the way are not
    looked at.

    Args:
        start: a game, or any state of one.
        depth: length of the sequences in plies, 0 or more.

    Returns:
        The number of such sequences; 1 at depth 0.
    """
    if not isinstance(depth, int) or depth < 0:
        raise OptionError(f"depth must be a whole number, 0 or more, not {depth!r}")
    state = start.new_initial_state() if isinstance(start, Game) else start
    game = state.game
    if state.is_terminal() and depth > 0:
        return 0
    return int(count_paths(game.table, game.rules, state.words, depth, game.num_actions, game.max_chance_outcomes))


def divide(start: Game | State, depth: int) -> dict[str, int]:
    """Return the perft of each first ply, by its notation; the values add up to ``perft(start, depth)``."""
    if not isinstance(depth, int) or depth < 1:
        raise OptionError(f"depth must be a whole number, 1 or more, not {depth!r}")
    state = start.new_initial_state() if isinstance(start, Game) else start
    plies = [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
    return {state.action_to_string(action): perft(state.child(action), depth - 1) for action in plies}
