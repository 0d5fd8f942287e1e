"""How many place points one `expectimax` gains at a table of `heuristic`: the same dice with and without it.

    python benchmarks/expectimax_strength.py --players 5 --games 1000 --agent expectimax:turns=1

Each deal of dice is played by `heuristic` on all seats, and once for each seat with the agent there; every seat has the
same throws in all of these games. What the agent gains is its points less those of `heuristic` on that seat: with no
difference in their choices it is exactly 0, so the mean is far more precise than that of games with dice of their own.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from wanted import count, run_in_words

from sekisho.agents import make_agent
from sekisho.agents.agent import Agent, Decision
from sekisho.agents.search.tokaido_tools import evaluation, numbers
from sekisho.envs import load_game
from sekisho.envs.compiling import kernel
from sekisho.envs.core import Game, State
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.kernels import TERMINAL, bind

BATCH = 100  # deals that are played at a time


@kernel
def choose(table: Any, rules: Any, data: Any, words: Any, after: Any, mask: Any, out: Any, chosen: Any) -> None:
    """Choose at each of the positions as `heuristic` does, by its evaluation; of equals the lowest action."""
    game = bind(table)
    for row in range(words.shape[0]):
        seat = game.to_move(rules, words[row])
        game.legal(rules, words[row], mask)
        best = -np.inf
        for action in range(mask.size):
            if mask[action]:
                for word in range(after.size):
                    after[word] = words[row, word]
                game.apply(rules, after, action)
                if game.to_move(rules, after) == TERMINAL:
                    game.returns(rules, after, out)
                else:
                    evaluation(rules, after, data, out)
                if out[seat] > best + 1e-9:
                    best, chosen[row] = out[seat], action


class CompiledHeuristic(Agent):
    """What `heuristic` plays, many times as fast."""

    def __init__(self, game: Game) -> None:
        self.game, self.data = game, numbers(game)

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`."""
        return self.act_many([state], rng)[0]

    def act_many(self, states: Sequence[State], rng: np.random.Generator) -> list[Decision]:
        """See `Agent.act_many`."""
        words, chosen = np.array([state.words for state in states]), np.zeros(len(states), dtype=np.int64)
        mask, out = np.zeros(self.game.num_actions, dtype=np.int8), np.zeros(self.game.num_players)
        choose(self.game.table, self.game.rules, self.data, words, words[0].copy(), mask, out, chosen)
        return [Decision(int(action)) for action in chosen]


def play(game: Game, agents: Sequence[Agent], seats: list[list[int]], keys: list[int]) -> np.ndarray:
    """Play games side by side; `seats` names the agent on each seat, `keys` their dice. Return ``[games, players]``."""
    states = [game.new_initial_state() for _ in keys]
    dice = [[new_rng(key * 8 + seat) for seat in range(game.num_players)] for key in keys]
    known: list[dict[bytes, int]] = [{} for _ in agents]
    while any(not state.is_terminal() for state in states):
        asked: list[dict[bytes, State]] = [{} for _ in agents]
        deciding = []
        for number, state in enumerate(states):
            while state.is_chance_node():
                rng = dice[number][state.seat]
                state.apply_unchecked(int(game.kernels.sample(game.rules, state.words, rng)))
            if not state.is_terminal():
                agent, place = seats[number][state.seat], state.words.tobytes()
                deciding.append((state, agent, place))
                if place not in known[agent]:
                    asked[agent][place] = state
        for agent, places in enumerate(asked):
            if places:
                made = agents[agent].act_many(list(places.values()), np.random.default_rng(0))
                known[agent] |= {place: decision.action for place, decision in zip(places, made, strict=True)}
        for state, agent, place in deciding:
            state.apply_unchecked(known[agent][place])
    return np.array([state.returns() for state in states])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=count(2, most=6), default=5)
    parser.add_argument("--games", type=count(2), default=1000, help="deals of dice, 2 or more")
    parser.add_argument("--agent", default="expectimax:turns=1")
    parser.add_argument("--seed", type=count(0), default=1)
    options = parser.parse_args()
    game, players = load_game("tokaido", players=options.players), options.players
    agents = [CompiledHeuristic(game), make_agent(options.agent)]
    begin, gains = time.perf_counter(), []
    batches, bar = range(0, options.games, BATCH), Console(stderr=True)
    for first in track(batches, description=options.agent, console=bar, disable=not bar.is_terminal):
        keys = [options.seed << 32 | number for number in range(first, min(first + BATCH, options.games))]
        seats = [[int(seat == mine) for seat in range(players)] for mine in range(-1, players)]
        returns = play(game, agents, seats * len(keys), [key for key in keys for _ in seats])
        returns = returns.reshape(len(keys), players + 1, players)
        gains += [[deal[1 + seat, seat] - deal[0, seat] for seat in range(players)] for deal in returns]
    means = np.array(gains).mean(axis=1)  # the games of a deal belong together
    error = 1.96 * means.std(ddof=1) / np.sqrt(len(means))
    print(
        f"{options.agent} at a table of {players} among heuristic: {means.mean():+.4f} +- {error:.4f} place "
        f"points a game ({len(means) * players:,} games, {time.perf_counter() - begin:.0f} s)"
    )


if __name__ == "__main__":
    run_in_words(main)
