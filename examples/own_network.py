"""Your own network in the trainer: a module and one call.

Run: python examples/own_network.py --iterations 4 --seed 0 --output runs/own
"""

from __future__ import annotations

import math
from pathlib import Path

import torch
import tyro
from torch import Tensor, nn

from sekisho.envs import Game
from sekisho.envs.errors import SekishoError
from sekisho.training.config import with_settings
from sekisho.training.presets import preset_config
from sekisho.training.train import train


class TwoLayers(nn.Module):
    """Answers as every network of the package does: logarithms of the policy, and a value for each seat."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(math.prod(game.observation_shape), 64), nn.SiLU())
        self.policy, self.value = nn.Linear(64, game.num_actions), nn.Linear(64, game.num_players)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Take float32 ``[B, *observation_shape]`` and bool ``[B, actions]``, True where an action is legal."""
        units = self.body(observations)
        logits = self.policy(units).masked_fill(~masks, -torch.inf)
        return torch.log_softmax(logits, dim=1), torch.tanh(self.value(units))


def main(output: Path, game: str = "quoridor", iterations: int = 4, seed: int = 0) -> None:
    """Train it. A run that was stopped goes on with `train(output, build=TwoLayers)`; play: `training.own_network`."""
    torch.manual_seed(seed)  # the weights of a module of your own are yours to draw
    try:
        config = with_settings(preset_config(game, "tiny"), {"iterations": iterations, "seed": seed})
        print(train(output, config, build=TwoLayers).best_scores)
    except SekishoError as error:
        raise SystemExit(f"own_network: {error}") from error


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
