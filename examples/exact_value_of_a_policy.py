"""What any policy for Tokaido is worth, exactly: no games, no error bars.

A policy is a function from a position to an action, or a network in the file of `sekisho train` (`--network FILE`). It
is asked for every decision of the game once, and what comes of that on average over all dice is worked out.

Run: python examples/exact_value_of_a_policy.py --seed 0 --greed 1
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tyro

from sekisho.agents import make_agent
from sekisho.agents.agent import Agent, Decision
from sekisho.agents.exact.policies import Arena
from sekisho.envs import State, load_game
from sekisho.envs.errors import SekishoError


class Greedy(Agent):
    """Takes the larger number, but now and then, by the `greed` it lacks, any other action. Put your own in its place."""

    samples_policy = True  # all of its policy counts, not the one action that it happens to draw

    def __init__(self, greed: float) -> None:
        self.greed = greed

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`."""
        legal = state.legal_actions()
        policy = {action: (1 - self.greed) / len(legal) for action in legal}
        policy[legal[-1]] += self.greed
        return Decision(int(rng.choice(legal, p=list(policy.values()))), policy=policy)


def main(
    greed: float = 0.8, network: Path | None = None, forks: str = "three", goal: str = "exact", seed: int = 0
) -> None:
    """Print what the policy gets on each seat against perfect play.

    Args:
        greed: how often the larger number is taken, 0..1.
        network: a network to measure in place of that policy.
        forks: rule option of the game.
        goal: rule option of the game.
        seed: of the random numbers that the policy is given.
    """
    try:
        agent = Greedy(greed) if network is None else make_agent(f"net:checkpoint={network}")
        arena = Arena(load_game("tokaido", forks=forks, goal=goal))
        perfect = arena.perfect()
        policy = arena.ask(agent, seed)
    except SekishoError as error:
        raise SystemExit(f"exact_value_of_a_policy: {error}") from error
    against_perfect, _ = arena.meet(policy, perfect)
    with_itself, _ = arena.meet(policy, policy)
    fair = arena.meet(perfect, perfect)[0].mean()
    wins = (1 + against_perfect) / 2
    print(f"decisions asked for        {arena.decisions():,}")
    print(f"wins against perfect play  {100 * wins[0]:.3f} % as first, {100 * wins[1]:.3f} % as second player")
    print(f"lost against perfect play  {50 * (fair - against_perfect.mean()):.3f} percentage points")
    print(f"the first player wins      {50 * (1 + with_itself[0]):.3f} % where both play so")


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
