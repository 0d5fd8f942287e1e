"""What star pruning would save `expectimax` with two players, beside what entering each position once saves already.

    python benchmarks/star_pruning.py --turns 1

Counts the positions that are judged in one lookahead: by the full tree, by Star1 (Ballard, "The *-minimax search
procedure for trees containing chance nodes", 1983: bounds of a throw from the outcomes that are known and the least and
most there is), by Star1 with the best choice tried first by the judgement of the position after it, and by layers in
which every position stands once. Plain Python over the rules.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from wanted import count, run_in_words

from sekisho.agents import make_agent
from sekisho.agents.search.expectimax import MOST_TURNS
from sekisho.agents.search.leaves import Race
from sekisho.envs import load_game
from sekisho.envs.core import State
from sekisho.envs.counter_rng import new_rng

LEAST, MOST = -1.0, 1.0


@dataclass
class Star:
    """A depth-first search of two players' values for seat 0."""

    leaf: Race
    prunes: bool
    orders: bool
    judged: int = 0

    def judge(self, state: State) -> float:
        """Judge a position; only the ones at the end of the lookahead count."""
        return float(self.leaf.position_values(state.game, state.words[None])[0, 0])

    def value(self, state: State, turns: int, low: float, high: float, begun: bool = False) -> float:
        """Return the value for seat 0, or a bound on it that is outside of `low` to `high`."""
        if state.is_terminal():
            return float(state.returns()[0])
        if state.pending == "turn" and not begun:
            if turns == 0:
                self.judged += 1
                return self.judge(state)
            return self.value(state, turns - 1, low, high, True)
        if state.is_chance_node():
            return self.mean(state, turns, low, high)
        sign = 1 if state.current_player() == 0 else -1
        children = [state.child(action) for action in state.legal_actions()]
        if self.orders:
            children.sort(key=lambda child: -sign * self.judge(child))
        best = -2.0 * sign
        for child in children:
            found = self.value(child, turns, low, high)
            best = max(best, found) if sign > 0 else min(best, found)
            if sign > 0:
                low = max(low, best)
            else:
                high = min(high, best)
            if self.prunes and low >= high:
                break
        return best

    def mean(self, state: State, turns: int, low: float, high: float) -> float:
        """Return the mean over a throw; Star1 leaves it when what is unknown cannot bring it back between the bounds."""
        known, left = 0.0, 1.0
        for outcome, chance in state.chance_outcomes():
            left -= chance
            least, most = (low - known - left * MOST) / chance, (high - known - left * LEAST) / chance
            bounds = (max(LEAST, least), min(MOST, most)) if self.prunes else (LEAST, MOST)
            found = self.value(state.child(outcome), turns, *bounds)
            known += chance * found
            if self.prunes and found <= least:
                return known + left * MOST
            if self.prunes and found >= most:
                return known + left * LEAST
        return known


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=count(0, most=MOST_TURNS), default=1)
    parser.add_argument("--positions", type=count(), default=10)
    options = parser.parse_args()
    game, rng, states = load_game("tokaido"), new_rng(5), []
    while len(states) < options.positions:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() == 0 and len(state.history()) % 23 == 0:
                states.append(state.clone())
            state.apply_action(int(game.kernels.sample(game.rules, state.words, rng)))
    states, leaf = states[: options.positions], Race(game, 0)
    counts: dict[str, int] = {}
    values = []
    for name, prunes, orders in (("full tree", False, False), ("Star1", True, False), ("Star1, ordered", True, True)):
        star = Star(leaf, prunes, orders)
        values.append([star.value(state, options.turns, LEAST, MOST) for state in states])
        counts[name] = star.judged
    agent = make_agent(f"expectimax:turns={options.turns}")
    decided = [agent.act(state, np.random.default_rng(0)) for state in states]
    if not np.allclose([*values, [decision.value for decision in decided]], values[0], atol=1e-9):
        raise SystemExit("the searches do not agree")
    counts["layers"] = sum(int(decision.statistics["judged"]) for decision in decided)
    for name, judged in counts.items():
        print(
            f"{name:>15}: {judged / len(states):>10,.0f} positions judged a decision, {judged / counts['full tree']:.3f}"
        )


if __name__ == "__main__":
    run_in_words(main)
