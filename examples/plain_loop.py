"""Three plain loops: one game after another, a game with an agent for each seat, and many games side by side.

All players choose at random among the legal actions. Put your own choice where `sample` and `sample_legal` stand.

Run: python examples/plain_loop.py --game quoridor --games 20 --seed 0
"""

from __future__ import annotations

import sys
from typing import Literal

import gymnasium
import numpy as np
import tyro
from numpy.typing import NDArray

from sekisho.envs.pettingzoo_env import env as multi_agent_env
from sekisho.envs.vector_env import sample_legal

IDS = {
    "quoridor": "sekisho/Quoridor-v0",
    "tokaido": "sekisho/Tokaido-v0",
    "picture_sugoroku": "sekisho/PictureSugoroku-v0",
}


def one_after_another(game: str, games: int, seed: int) -> NDArray[np.float64]:
    """Play with Gymnasium, where every step acts for the seat to move; return the mean reward of each seat."""
    env = gymnasium.make(IDS[game])
    env.action_space.seed(seed)
    results = []
    for number in range(games):
        _, info = env.reset(seed=seed if number == 0 else None)  # later games go on with the same generator
        over = False
        while not over:
            action = env.action_space.sample(mask=info["action_mask"])
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        results.append(info["rewards"])
    return np.mean(results, axis=0)


def an_agent_a_seat(game: str, games: int, seed: int) -> NDArray[np.float64]:
    """Play with PettingZoo, where each seat is an agent; return the mean reward of each."""
    env = multi_agent_env(game)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for number, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + number)
    for number in range(games):
        env.reset(seed=seed if number == 0 else None)
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            totals[agent] += reward
            over = terminated or truncated
            env.step(None if over else env.action_space(agent).sample(mask=info["action_mask"]))
    return np.array(list(totals.values())) / games


def side_by_side(game: str, games: int, seed: int) -> NDArray[np.float64]:
    """Play all games at once in compiled code; return the mean reward of each seat."""
    envs = gymnasium.make_vec(IDS[game], num_envs=games, vectorization_mode="vector_entry_point")
    rng = np.random.default_rng(seed)
    _, infos = envs.reset(seed=seed)
    results = np.zeros_like(infos["rewards"])
    pending = np.ones(games, dtype=np.bool_)
    while pending.any():
        actions = sample_legal(infos["action_mask"], rng)
        _, _, terminated, truncated, infos = envs.step(actions)  # games that have ended begin anew by themselves
        ended = pending & (terminated | truncated)
        results[ended] = infos["rewards"][ended]
        pending &= ~ended
    return results.mean(axis=0)


def main(game: Literal["quoridor", "tokaido", "picture_sugoroku"] = "quoridor", games: int = 20, seed: int = 0) -> None:
    """Play with each loop.

    Args:
        game: the game.
        games: how many games each loop plays.
        seed: for everything random.
    """
    if games < 1 or seed < 0:
        sys.exit("--games must be at least 1, --seed at least 0")
    for loop in (one_after_another, an_agent_a_seat, side_by_side):
        rewards = ", ".join(f"{reward:+.3f}" for reward in loop(game, games, seed))
        print(f"{loop.__name__.replace('_', ' '):<18} mean reward of each seat: {rewards}")


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
