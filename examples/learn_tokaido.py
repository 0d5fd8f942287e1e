"""A learner from a library, MaskablePPO of sb3-contrib, learns Tokaido against random opponents.

What such a learner needs from an environment is what it asks for by itself: the method ``action_masks``. The last line
says how many games the learned policy wins, with a 95 % interval; a player that chooses at random wins half of them.

Run, after pip install -e ".[examples]": python examples/learn_tokaido.py --steps 50000 --seed 0
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import gymnasium
import torch
import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import DummyVecEnv

import sekisho.envs  # noqa: F401  makes the environments known

GAMES_AT_ONCE = 8
STEPS_PER_UPDATE = 256  # of each of these games


def games(seed: int, **options: Any) -> DummyVecEnv:
    """Return games of Tokaido side by side in which one seat, drawn for each game, learns.

    Args:
        seed: of the first game; the others get the numbers after it.
        options: arguments of the environment.
    """
    several = DummyVecEnv([lambda: gymnasium.make("sekisho/TokaidoVs-v0", **options)] * GAMES_AT_ONCE)
    several.seed(seed)
    return several


def learn(steps: int, seed: int, opponents: str = "random") -> MaskablePPO:
    """Return what has learned from at least `steps` decisions, its own ones; the same for the same seed."""
    torch.set_num_threads(1)  # several only get in each other's way with so small a network
    model = MaskablePPO(
        "MlpPolicy",
        games(seed, opponents=opponents),
        n_steps=STEPS_PER_UPDATE,
        batch_size=256,
        learning_rate=1e-3,
        gamma=1.0,  # the reward comes at the end, and a late win is as good as an early one
        ent_coef=0.01,
        seed=seed,
        device="cpu",
    )
    console = Console(stderr=True)
    columns = ("learning", BarColumn(), MofNCompleteColumn(), "decisions", TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=steps)

        def show(*_: Any) -> bool:
            bar.update(task, completed=model.num_timesteps)
            return True  # go on

        return model.learn(steps, callback=show)


def evaluate(model: MaskablePPO, number: int, seed: int, opponents: str = "random") -> tuple[float, float, float]:
    """Play games and return the share that the model won, and the ends of its 95 % interval (Wilson's)."""
    returns, _ = evaluate_policy(
        model, games(seed, opponents=opponents), n_eval_episodes=number, return_episode_rewards=True, warn=False
    )
    share = sum((value + 1) / 2 for value in returns) / number  # place points of two players: 1, -1, or 0 for a draw
    z = 1.96
    middle = (share + z**2 / (2 * number)) / (1 + z**2 / number)
    half = z / (1 + z**2 / number) * math.sqrt(share * (1 - share) / number + z**2 / (4 * number**2))
    return share, middle - half, middle + half


def main(steps: int = 50_000, seed: int = 0, eval_games: int = 1000, output: Path | None = None) -> None:
    """Learn, then play.

    Args:
        steps: decisions to learn from.
        seed: for everything random.
        eval_games: games that the learned policy plays at the end.
        output: file for the learned policy (a zip file as sb3 reads it); without one nothing is saved.
    """
    if steps < 1 or eval_games < 1 or seed < 0:
        sys.exit("--steps and --eval-games must be at least 1, --seed at least 0")
    model = learn(steps, seed)
    share, low, high = evaluate(model, eval_games, seed + 1_000_000)
    print(f"wins {share:.1%} of {eval_games} games against random, 95 % interval {low:.1%} .. {high:.1%}")
    if output is not None:
        model.save(output)


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
