"""Playing with a network of your own: a module that `train` was given, with the weights that a run has left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ..agents.agent import Agent
from ..envs.core import Game
from ..envs.errors import CheckpointError, RunError
from .checkpoint import read_weights
from .judging import NetworkPlayer, evaluator_of

if TYPE_CHECKING:
    from torch import nn


def own_player(path: Path, game: Game, build: Callable[[Game], nn.Module], simulations: int = 0) -> Agent:
    """Return a player that goes by a network of your own.

    Args:
        path: ``best.safetensors`` of the run, or ``network.safetensors`` of one of its checkpoints.
        game: what it was trained for.
        build: what `train` was given: returns the module, whose weights are replaced.
        simulations: of the search for a move; 0 plays as the agent `net` does without a search.

    Raises:
        CheckpointError: if the file is damaged or something else, or has the weights of another module or game.
        RunError: if it cannot be read.
    """
    try:
        arrays = read_weights(path, game, None)
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror or error}") from error
    module = build(game)
    try:
        module.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    except RuntimeError as error:
        raise CheckpointError(f"{path} has the weights of another module: {error}") from error
    return NetworkPlayer(evaluator_of(module.eval()), simulations)
