"""A wrapper that rewards a Quoridor player at each step for what its move changed in the shortest paths.

The reward of a game comes at its end, many decisions late. Shaping pays some of it on the way: a position has the
potential

    scale * (steps of the nearest opponent to its goal line - own steps to the own goal line)

and each step earns in addition ``discount * potential after - potential before``. The potential of a game that is over
is 0. Over a game the additions cancel out, all but the potential of the beginning, which no policy can change; so the
best policies remain the best (Ng, Harada and Russell, Policy invariance under reward transformations, ICML 1999,
theorem 1). The demonstration plays random games and shows that.

Run: python examples/path_length_rewards.py --games 5 --seed 0
"""

from __future__ import annotations

import sys
from typing import Any, Literal

import gymnasium
import tyro

import sekisho.envs  # noqa: F401  makes the environments known
from sekisho.agents.versus_env import QuoridorVsEnv


class PathLengthRewards(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds to the rewards of ``sekisho/QuoridorVs-v0`` the changes of a potential made of path lengths.

    ``info["unshaped_reward"]`` has what the step earned by the rules.

    Args:
        env: the environment; other wrappers may lie between.
        discount: that of the learner, 0..1; with another one the best policies may change.
        scale: reward for each step of a pawn by which the learner is ahead; keep it small beside 1, the reward of a win.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], discount: float = 1.0, scale: float = 0.02) -> None:
        if not isinstance(env.unwrapped, QuoridorVsEnv):
            raise TypeError(f"path lengths of a learner are known in sekisho/QuoridorVs-v0, not in {env}")
        super().__init__(env)
        self.discount = discount
        self.scale = scale
        self.potential = 0.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.potential = self._potential(info["seat"])
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action; the reward is the shaped one."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        before = self.potential
        # a game that was only cut short has a position that a learner goes on from in thought: it keeps its potential
        self.potential = 0.0 if terminated else self._potential(info["seat"])
        shaped = float(reward) + self.discount * self.potential - before
        return observation, shaped, terminated, truncated, {**info, "unshaped_reward": float(reward)}

    def _potential(self, seat: int) -> float:
        """Return how far the learner is ahead of its nearest opponent, in reward."""
        steps = self.env.unwrapped.state.distances()
        own = steps.pop(seat)
        return self.scale * (min(steps) - own)


def main(games: int = 5, seed: int = 0, board_size: Literal[3, 5, 7, 9] = 5) -> None:
    """Play random games with shaped rewards.

    Args:
        games: how many.
        seed: for everything random.
        board_size: squares a side.
    """
    if games < 1 or seed < 0:
        sys.exit("--games must be at least 1, --seed at least 0")
    env = PathLengthRewards(gymnasium.make("sekisho/QuoridorVs-v0", board_size=board_size, random_openings=8))
    env.action_space.seed(seed)
    print("game  decisions  sum of rewards  sum of shaped rewards  difference  potential of the start, less the end's")
    for number in range(games):
        _, info = env.reset(seed=seed if number == 0 else None)
        start, decisions, plain, shaped, over = env.potential, 0, 0.0, 0.0, False
        while not over:
            action = env.action_space.sample(mask=info["action_mask"])
            _, reward, terminated, truncated, info = env.step(action)
            decisions += 1
            plain += info["unshaped_reward"]
            shaped += reward
            over = terminated or truncated
        sums = plain, shaped, plain - shaped, start - env.potential
        plain, shaped, difference, potential = (round(value, 9) + 0.0 for value in sums)  # neither 1e-17 nor -0
        print(
            f"{number + 1:4}  {decisions:9}  {plain:+14.2f}  {shaped:+21.2f}  {difference:+10.2f}  {potential:+39.2f}"
        )


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
