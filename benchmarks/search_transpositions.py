"""How often a search comes to the same position in two ways, and what a table of transpositions could therefore share.

A tree is grown from positions on the way of games between quick players; then its visited nodes are walked through and
the positions counted that stand at more than one node. Two nodes count as the same only if their ply counts, and so
what is left of a cap, are the same too.

    python benchmarks/search_transpositions.py [--simulations 10000 100000] [--positions 3]
"""

from __future__ import annotations

import argparse
import statistics
from collections import Counter

import numpy as np
from wanted import count, run_in_words

from sekisho.agents import make_agent
from sekisho.agents.search.mcts import MctsAgent
from sekisho.agents.search.tree import Tree
from sekisho.envs import State, load_game

GAMES = {
    "quoridor": ({}, "mcts:simulations=40,priors=guided"),
    "quoridor, 4 players": ({"players": 4}, "heuristic"),
    "tokaido": ({}, "heuristic"),
    "tokaido, 3 players": ({"players": 3}, "heuristic"),
    "picture_sugoroku": ({}, "random"),
}
PLIES = (0, 12, 30, 46)
"""Of the games, after which a tree is grown."""


def on_the_way(state: State, spec: str, plies: int) -> State:
    """Return a decision about so many plies later, some of them random."""
    rng, agent = np.random.default_rng(plies), make_agent(spec)
    while len(state.history()) < plies or state.is_chance_node():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
        elif rng.random() < 0.2:
            state.apply_action(int(rng.choice(state.legal_actions())))
        else:
            state.apply_action(agent.act(state, rng).action)
        if state.is_terminal():
            return on_the_way(state.game.new_initial_state(), spec, plies // 2)
    return state


def visited_positions(root: State, tree: Tree) -> Counter[tuple[int, int]]:
    """Return how many visited nodes stand at each position, by the hash of the position and its depth."""
    game, found = root.game, Counter[tuple[int, int]]()
    ahead = [(0, root.words.copy(), 0)]
    while ahead:
        node, words, depth = ahead.pop()
        found[int(game.kernels.hash(game.rules, words)), depth] += 1
        first = int(tree.first[node])
        for child in range(first, first + int(tree.tried[node]) if tree.children[node] else first):
            after = words.copy()
            game.kernels.apply(game.rules, after, int(tree.action[child]))
            ahead.append((child, after, depth + 1))
    return found


def main() -> None:
    """Grow the trees and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=count(), nargs="+", default=[10_000, 100_000])
    parser.add_argument("--positions", type=count(most=len(PLIES)), default=len(PLIES))
    wanted = parser.parse_args()
    print(f"{'game':22} {'simulations':>11} {'nodes':>9} {'of which double':>16}")
    for name, (options, spec) in GAMES.items():
        for simulations in wanted.simulations:
            nodes, shares = [], []
            for plies in PLIES[: wanted.positions]:
                state = on_the_way(load_game(name.partition(",")[0], **options).new_initial_state(), spec, plies)
                agent = MctsAgent(simulations=simulations, exact="off", memory=1024)
                agent.act(state, np.random.default_rng(1))
                if agent._search is None:
                    raise SystemExit(f"{name}: the search has grown no tree")
                found = visited_positions(state, agent._search.tree)
                nodes.append(found.total())
                shares.append(1 - len(found) / found.total())
            print(f"{name:22} {simulations:11,} {statistics.median(nodes):9,.0f} {statistics.median(shares):15.1%} "
                  f"({min(shares):.0%}..{max(shares):.0%})", flush=True)  # fmt: skip


if __name__ == "__main__":
    run_in_words(main)
