"""From a network at rest, or somebody's own module, to what judges positions and to a player."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

from ..agents.learned import NetAgent
from ..agents.networks.evaluator import NetworkEvaluator, evaluate
from ..agents.networks.files import StoredNetwork
from ..agents.networks.forward import Forward, choose_backend, forward_of
from ..agents.search.batch import Evaluator
from ..envs.core import Game

if TYPE_CHECKING:  # a process that only plays does without torch
    from torch import nn

Judge: TypeAlias = Union[StoredNetwork, "nn.Module"]
"""What knows how to play: a network of this package, or a module of somebody's own."""


class ModuleEvaluator:
    """A module as an `Evaluator`."""

    has_policy = True

    def __init__(self, forward: Forward) -> None:
        self._forward = forward

    def evaluate(
        self, game: Game, words: NDArray[np.int64], seats: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See `Evaluator.evaluate`."""
        return evaluate(self._forward, game, words, seats)

    def supports(self, game: Game) -> None:
        """Take every game: whoever brings a module knows what it is for."""


def evaluator_of(judge: Judge, backend: str = "auto", threads: int = 1, device: str = "cpu") -> Evaluator:
    """Return what judges positions by a network.

    Args:
        judge: the network.
        backend: as in `choose_backend`; a module of somebody's own is run by torch, and so is all that runs on a GPU.
        threads: of torch, if it is what runs the network; no other back end takes more than one.
        device: ``cpu`` or ``cuda``.
    """
    if isinstance(judge, StoredNetwork) and device == "cpu" and (chosen := choose_backend(judge, backend)) != "torch":
        return NetworkEvaluator(judge, forward_of(judge, chosen))
    import torch

    from ..agents.networks.torch_backend import forward_of_module, load_module

    torch.set_num_threads(threads)
    module = load_module(judge) if isinstance(judge, StoredNetwork) else judge
    forward = forward_of_module(module.to(device))
    return NetworkEvaluator(judge, forward) if isinstance(judge, StoredNetwork) else ModuleEvaluator(forward)


class NetworkPlayer(NetAgent):
    """The agent `net` with a network that stands in no file.

    Args:
        evaluator: judges positions.
        simulations: of the search for a move; 0 for none.
    """

    def __init__(self, evaluator: Evaluator, simulations: int) -> None:
        super().__init__(simulations=simulations)
        self._judge = evaluator

    def _evaluator_for(self, game: Game) -> Any:
        return self._judge
