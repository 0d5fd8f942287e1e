"""Work in a thread of its own, so that whoever gave the order can be answered meanwhile."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from ..envs.core import State
from ..envs.errors import SekishoError
from ..envs.perft import perft

_UNBROKEN_PLIES = 2
"""Plies that are counted without looking up."""


class Job(ABC):
    """Something under way that ends with lines of the protocol.

    Args:
        done: is given these lines.
    """

    otherwise: ClassVar[tuple[str, ...]] = ()
    """Lines that follow the error if the work fails."""

    def __init__(self, done: Callable[[list[str]], None]) -> None:
        self._done = done
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait until it is over, or so long."""
        self._thread.join(seconds)

    @abstractmethod
    def stop(self) -> None:
        """Have it end soon."""

    @abstractmethod
    def work(self) -> list[str]:
        """Do it and return the last lines."""

    def _run(self) -> None:
        try:
            lines = self.work()
        except Exception as error:  # whatever an agent raises
            kind = "" if isinstance(error, SekishoError) else f"{type(error).__name__}: "
            lines = [f"info string error {kind}{error}", *self.otherwise]
        with contextlib.suppress(OSError):  # nobody listens any more; whoever reads the orders will find out
            self._done(lines)


class Counting(Job):
    """The paths of a number of plies through the tree below a position, for each first ply and all together."""

    def __init__(self, state: State, plies: int, done: Callable[[list[str]], None]) -> None:
        super().__init__(done)
        self._state, self._plies, self._stopped = state, plies, False

    def stop(self) -> None:
        """Count no further first ply."""
        self._stopped = True

    def _count(self, state: State, plies: int) -> int | None:
        """Return the paths below a position; None if it was stopped: it looks up every few plies from the end."""
        if plies <= _UNBROKEN_PLIES or state.is_terminal():
            return perft(state, plies)
        total = 0
        for action in [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions():
            count = None if self._stopped else self._count(state.child(action), plies - 1)
            if count is None:
                return None
            total += count
        return total

    def work(self) -> list[str]:
        """Return a line for each first ply and their sum."""
        state = self._state
        first = [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        nodes, lines = 0, list[str]()
        for action in first:
            if self._stopped:
                return [*lines, "info string stopped before all was counted"]
            count = self._count(state.child(action), self._plies - 1)
            if count is None:
                return [*lines, "info string stopped before all was counted"]
            lines.append(f"{state.action_to_string(action)}: {count}")
            nodes += count
        return [*lines, f"nodes {nodes}"]
