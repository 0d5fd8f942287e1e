"""Who looks on while a run goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Watcher(Protocol):
    """Somebody who looks on."""

    def begins(self, first: int, last: int) -> None:
        """Be told which iterations are to come."""
        ...

    def phase(self, iteration: int, name: str, done: int, total: int) -> None:
        """Be told how far a part of an iteration is; `iteration` 0 is the measuring of the untrained network."""
        ...

    def finished(self, iteration: int, metrics: Mapping[str, float]) -> None:
        """Be told that an iteration is over and its checkpoint is written."""
        ...


class Nobody:
    """A watcher that looks away."""

    def begins(self, first: int, last: int) -> None:
        """See `Watcher.begins`."""

    def phase(self, iteration: int, name: str, done: int, total: int) -> None:
        """See `Watcher.phase`."""

    def finished(self, iteration: int, metrics: Mapping[str, float]) -> None:
        """See `Watcher.finished`."""
