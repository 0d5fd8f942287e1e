"""Paranoid alpha-beta in Quoridor with four players, alone among three others: what `mcts` is compared with there.

    python benchmarks/paranoid.py --nodes 20000 --others heuristic --games 24

Everybody is taken to play against the one who searches (Sturtevant and Korf 2000), so the game has two sides and is cut
like one of two players. Values are the expected return of the searcher by the evaluation of `mcts`; moves are those that
`heuristic` finds worth a look, its favourite first, and at the root the best move of the iteration before. It looks one ply
further until its nodes, positions that it entered, are used up.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from one_against_three import add_match, interval, one_against_three, told_forfeits
from wanted import count, told_in_words

from sekisho.agents.agent import Agent, Decision
from sekisho.agents.heuristics.quoridor import score_actions
from sekisho.agents.search.quoridor_tools import evaluation
from sekisho.envs import State
from sekisho.envs.compiling import kernel
from sekisho.envs.kernels import TERMINAL
from sekisho.envs.quoridor.kernels import SEAT, WINNER, apply, to_move

_DEEPEST = 12
_DECIDED = 2.0  # more than any evaluation; a win that is nearer is worth more


@kernel(allocates=True)
def judge(rules: Any, state: Any, searcher: Any, depth: Any) -> Any:
    """Return what a position is worth to the searcher at a glance."""
    if to_move(rules, state) == TERMINAL:
        if state[WINNER] < 0:
            return -1.0
        return _DECIDED + depth if state[WINNER] == searcher else -_DECIDED - depth
    returns = np.empty(4)
    evaluation(rules, state, returns, returns)
    return returns[searcher]


@kernel(allocates=True)
def look_ahead(rules: Any, state: Any, searcher: Any, depth: Any, low: Any, high: Any, nodes: Any, best: Any) -> Any:
    """Return the worth of a position, as if everybody else were one opponent.

    Args:
        rules: of the game.
        state: the position.
        searcher: the seat whose worth it is.
        depth: plies to look ahead.
        low: what the searcher has already elsewhere.
        high: what its opponents can hold it to elsewhere.
        nodes: int64 ``[1]``: those that are left, counted down; below zero the value says nothing.
        best: int64 ``[_DEEPEST + 1]``: at ``depth`` the move to try first, or -1; receives the best one.
    """
    nodes[0] -= 1
    if depth == 0 or nodes[0] < 0 or to_move(rules, state) == TERMINAL:
        return judge(rules, state, searcher, depth)
    scores, mask, after = np.empty(209), np.zeros(209, np.int8), np.empty(state.size, np.int64)
    score_actions(rules, state, mask, scores)
    mine = state[SEAT] == searcher
    found, first, choice = -np.inf if mine else np.inf, best[depth], np.int64(-1)
    if first >= 0 and not np.isnan(scores[first]):
        scores[first] = np.inf
    for _ in range(scores.size):
        action = np.int64(-1)
        for other in range(scores.size):
            if not np.isnan(scores[other]) and (action < 0 or scores[other] > scores[action]):
                action = other
        if action < 0:
            break
        scores[action] = np.nan
        after[:] = state
        apply(rules, after, action)
        best[depth - 1] = -1
        value = look_ahead(rules, after, searcher, depth - 1, low, high, nodes, best)
        if (mine and value > found) or (not mine and value < found):
            found, choice = value, action
        if mine:
            low = max(low, found)
        else:
            high = min(high, found)
        if low >= high:
            break
    best[depth] = choice
    return found


class Paranoid(Agent):
    """Paranoid alpha-beta with so many nodes for a decision."""

    def __init__(self, nodes: int) -> None:
        self.nodes, self.depths = nodes, list[int]()

    def act(self, state: State, _rng: np.random.Generator, _deadline: float | None = None) -> Decision:
        """Decide, by the last iteration that was finished."""
        rules, nodes = state.game.rules, np.array([self.nodes])
        action, value, depth = -1, 0.0, 0
        while depth < _DEEPEST:
            best = np.full(_DEEPEST + 1, -1)
            best[depth + 1] = action
            found = look_ahead(rules, state.words, state.current_player(), depth + 1, -np.inf, np.inf, nodes, best)
            if nodes[0] < 0 and depth > 0:
                break
            depth, action, value = depth + 1, int(best[depth + 1]), float(found)
        self.depths.append(depth)
        return Decision(action, value=min(max(value, -1.0), 1.0))


def main() -> None:
    """Play, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument(
        "--nodes", type=count(most=10**12), default=20_000, help="positions it may enter for a decision"
    )
    add_match(parser, games=24)
    options = parser.parse_args()
    agent = Paranoid(options.nodes)
    with told_in_words(parser):
        found = one_against_three(agent, options.others, options.games, options.openings, options.seed)
    won = sum(found.wins)
    low, high = interval(won, options.games)
    print(
        f"paranoid alpha-beta, {options.nodes} nodes, against three of {options.others}: {won} of {options.games} games "
        f"won, {won / options.games:.3f} ({low:.3f}..{high:.3f}); by seat {found.wins}; {told_forfeits(found)}"
        f"{found.milliseconds:.0f} ms a move; depth {np.mean(agent.depths):.1f} on average"
    )


if __name__ == "__main__":
    main()
