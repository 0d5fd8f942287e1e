"""One agent among others at a table of Tokaido, with most of the luck of the dice taken out.

    python benchmarks/tokaido_tables.py --players 5 --agent net:checkpoint=tokaido --others expectimax:turns=0,leaf=race

The agent sits on every seat equally often, all games at once. What is reported is its mean place points, where 0 is par,
with the standard error; and the same with a control variate: at every throw a judge says what each outcome would be worth
to the agent, and what the outcome that came was better than the mean is taken from the result (as in AIVAT: Burch et al.
2018, "AIVAT: A new variance reduction technique for agent evaluation in imperfect information games"). That changes no
expectation, whatever the judge says, since nobody chooses the dice; the better it judges the less noise is left.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
from numpy.typing import NDArray
from wanted import count, run_in_words

from sekisho.agents import make_agent
from sekisho.agents.networks.afterstates import Choices, movers
from sekisho.envs import load_game
from sekisho.envs.core import Game, State
from sekisho.envs.errors import AgentError
from sekisho.envs.kernels import CHANCE, TERMINAL
from sekisho.envs.options import parse_options


def outcome_values(judge, game: Game, states: list[State], seats: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """Return for each chance node what its outcomes are worth to a seat if whoever moves then chooses by the judge."""
    words, owners, counts = [], [], []
    for state, seat in zip(states, seats, strict=True):
        outcomes = state.chance_outcomes()
        counts.append(len(outcomes))
        for outcome, _ in outcomes:
            after = state.words.copy()
            game.kernels.apply(game.rules, after, outcome)
            words.append(after)
            owners.append(seat)
    positions, owners = np.array(words), np.array(owners)
    deciders = np.zeros(len(positions), np.int64)
    movers(game.table, game.rules, positions, deciders)
    worth = np.zeros(len(positions))
    decides = np.flatnonzero(deciders >= 0)
    if decides.size:
        choices = Choices(game, positions[decides])
        values = judge.position_values(game, choices.positions)[choices.where]
        own = values[np.arange(len(values)), deciders[decides][choices.rows]]
        best = np.full(decides.size, -np.inf)
        np.maximum.at(best, choices.rows, own)
        chosen = np.flatnonzero(own == best[choices.rows])
        worth[decides[choices.rows[chosen]]] = values[chosen, owners[decides[choices.rows[chosen]]]]
    others = np.flatnonzero(deciders < 0)
    if others.size:
        worth[others] = judge.position_values(game, positions[others])[np.arange(others.size), owners[others]]
    return np.split(worth, np.cumsum(counts)[:-1])


def play(game: Game, agent, others, judge, games: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the place points of the agent in each game, and its luck by the judge."""
    rng = np.random.default_rng(seed)
    seats = np.arange(games) % game.num_players
    states = [game.new_initial_state() for _ in range(games)]
    luck, points = np.zeros(games), np.zeros(games)
    live = list(range(games))
    while live:
        chance = [at for at in live if states[at].is_chance_node()]
        if chance:
            worth = outcome_values(judge, game, [states[at] for at in chance], seats[chance])
            for at, values in zip(chance, worth, strict=True):
                outcomes, chances = zip(*states[at].chance_outcomes(), strict=True)
                drawn = int(rng.choice(len(outcomes), p=np.array(chances) / sum(chances)))
                luck[at] += values[drawn] - float(np.dot(values, chances))
                states[at] = states[at].child(outcomes[drawn])
        mine = [at for at in live if states[at].current_player() == seats[at]]
        theirs = [at for at in live if states[at].current_player() not in (seats[at], CHANCE, TERMINAL)]
        for who, rows in ((agent, mine), (others, theirs)):
            for at, decision in zip(rows, who.act_many([states[at] for at in rows], rng), strict=True):
                states[at] = game.state_of(states[at].child(decision.action).words)
        for at in live:
            if states[at].is_terminal():
                points[at] = states[at].returns()[seats[at]]
        live = [at for at in live if not states[at].is_terminal()]
    return points, luck


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=count(2, most=6), default=5)
    parser.add_argument("--rules", default="")
    parser.add_argument("--agent", default="net:checkpoint=tokaido")
    parser.add_argument("--others", default="expectimax:turns=0,leaf=race")
    parser.add_argument("--judge", default="net:checkpoint=tokaido")
    parser.add_argument("--games", type=count(), default=2000)
    parser.add_argument("--batch", type=count(most=100_000), default=400, help="games side by side")
    parser.add_argument("--seed", type=count(0), default=1)
    words = parser.parse_args()
    options = parse_options(load_game("tokaido").OPTIONS, words.rules, "tokaido")
    game = load_game("tokaido", players=words.players, **options)
    agent, others, judge = make_agent(words.agent), make_agent(words.others), make_agent(words.judge)
    for one in (agent, others, judge):
        one.supports(game)
    if not hasattr(judge, "position_values"):
        raise AgentError(f"{words.judge} has no opinion of many positions: --judge wants a network")
    begin, raw, luck = time.process_time(), [], []
    for number in range(math.ceil(words.games / words.batch)):
        found = play(game, agent, others, judge, words.batch, 1000 * words.seed + number)
        raw.append(found[0])
        luck.append(found[1])
        told, seats = np.concatenate(raw), np.tile(np.arange(words.batch) % words.players, len(raw))
        clean = told - np.concatenate(luck)
        print(
            f"{len(told)} games: place points {mean_and_error(told, seats)}, without luck "
            f"{mean_and_error(clean, seats)}; {time.process_time() - begin:.0f} s",
            flush=True,
        )


def mean_and_error(points: NDArray[np.float64], seats: NDArray[np.int64]) -> str:
    """Return the mean over the seats and its standard error; what a seat is worth by itself is no error."""
    parts = [points[seats == seat] for seat in np.unique(seats)]
    error = math.sqrt(sum(part.var() / len(part) for part in parts)) / len(parts)
    return f"{np.mean([part.mean() for part in parts]):+.5f} ± {error:.5f}"


if __name__ == "__main__":
    run_in_words(main)
