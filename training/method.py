"""What a run asks of the way in which it learns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from torch import nn

from ..agents.networks.config import NetworkConfig
from ..arena.records import GameRecord
from .checkpoint import Arrays, Progress
from .executors import Executor

Report = Callable[[str, int, int], None]
"""Told how far a part of an iteration is: its name, and how many of how many are done."""


class Method(Protocol):
    """A way to learn."""

    @property
    def network(self) -> NetworkConfig | None:
        """Shape of the network; None for a module of somebody's own."""
        ...

    @property
    def module(self) -> nn.Module:
        """The network that plays."""
        ...

    @property
    def rules(self) -> Mapping[str, tuple[Any, ...]]:
        """What the network is for, see `StoredNetwork`."""
        ...

    @property
    def play_device(self) -> str:
        """Where the network plays: ``cpu`` or ``cuda``."""
        ...

    def begin(self) -> None:
        """Make ready for the first iteration; called once, before it, and not when a run is resumed.

        Raises:
            OptionError: if a file that it is to begin with is no good.
        """
        ...

    def learn(
        self, executor: Executor, iteration: int, progress: Progress, report: Report
    ) -> tuple[dict[str, float], list[GameRecord]]:
        """Do the work of an iteration.

        Args:
            executor: who does what can be done apart.
            iteration: counted from 1; with the seed it decides all random numbers.
            progress: of the run; its counters are moved on.
            report: told how far it is.

        Returns:
            Metrics, and records of games.
        """
        ...

    def learning_rate(self, iteration: int, steps: int) -> float:
        """Return the learning rate of the first training step of an iteration, after so many steps in all."""
        ...

    def arrays(self) -> Arrays:
        """Return all that the next iteration needs beside the network."""
        ...

    def restore(self, arrays: Arrays, progress: Progress) -> None:
        """Stand where a run stood that had these arrays; the weights of the network are there already.

        Raises:
            CheckpointError: if something does not fit.
        """
        ...
