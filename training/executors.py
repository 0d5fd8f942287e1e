"""Who does the work of a run that can be done apart: this process, or several.

Work is a function and a list of tasks; the answers come in the order of the tasks. A task holds all that its function
needs, so any executor gives the same answers: one that reaches other machines has these two methods to offer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol, TypeVar

from ..arena.workers import WorkerPool
from ..envs.errors import RunError

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class Executor(Protocol):
    """Calls functions of tasks."""

    def run(self, function: Callable[[Task], Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
        """Yield the answers in the order of the tasks.

        Raises:
            RunError: if somebody who worked is gone.
        """
        ...

    def close(self) -> None:
        """Let go of whatever works here; what it still does is of no use."""
        ...


class Serial:
    """Works in this process, one task after the other."""

    def run(self, function: Callable[[Task], Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
        """See `Executor.run`."""
        for task in tasks:
            yield function(task)

    def close(self) -> None:
        """See `Executor.close`."""


class Processes:
    """Works in processes of this machine, which stay from one call to the next. The first task of all is done here.

    So whatever is compiled is compiled once, before several processes would all do so.

    Args:
        workers: how many processes.
    """

    def __init__(self, workers: int) -> None:
        self._pool: WorkerPool | None = WorkerPool(workers)
        self._warm: set[object] = set()

    def run(self, function: Callable[[Task], Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
        """See `Executor.run`."""
        if self._pool is None:
            raise RunError("the processes of this executor were closed")
        here = 0 if function in self._warm else 1
        for task in tasks[:here]:
            self._warm.add(function)
            yield function(task)
        waiting = [self._pool.submit(function, task) for task in tasks[here:]]
        try:
            for answer in waiting:
                yield answer.result()
        except BrokenProcessPool as error:
            raise RunError("a process that worked for the run died (out of memory, or killed)") from error

    def close(self) -> None:
        """See `Executor.close`."""
        if self._pool is not None:
            self._pool.close(finished=False)
            self._pool = None


def make_executor(workers: int) -> Executor:
    """Return what works with so many processes; 1 stands for this one."""
    return Serial() if workers == 1 else Processes(workers)
