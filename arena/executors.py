"""Who does the work that can be done apart: this process, several of this machine, or a cluster of machines.

Work is a function and tasks; the answers come in the order of the tasks. A task and the values that all tasks share hold
everything that the function needs, the seeds too, so every executor gives the same answers. A task is large, whole
games: nothing that is asked for thousands of times a second crosses from one process to another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from ..envs.errors import OptionError, nearest

Answer = TypeVar("Answer")

EXECUTORS = ("serial", "processes", "ray")
MOST_PROCESSES, MOST_WORKERS = 256, 100_000


class Executor(Protocol):
    """Calls functions of tasks.

    Attributes:
        workers: how many tasks it works at.
    """

    @property
    def workers(self) -> int:
        """How many tasks are worked at at the same time."""
        ...

    def run(self, function: Callable[..., Answer], tasks: Iterable[Any], *shared: Any) -> Iterator[Answer]:
        """Yield ``function(task, *shared)`` of each task, in the order of the tasks.

        Only some tasks more than there are workers are taken ahead of the answer that is waited for. What is left
        when the iterator is closed is not done; one run at a time.

        Args:
            function: one at the top level of a module.
            tasks: plain data; small.
            shared: values that all tasks need, networks for instance. A worker is sent each of them once, and again
                only when it differs from those of the run before.

        Raises:
            RunError: if a task ends everybody who works at it, or nobody is left to work.
            Exception: whatever the function raises, where the answer would come.
        """
        ...

    def close(self) -> None:
        """Let go of whatever works here; what it still does is of no use."""
        ...


class Serial:
    """Works in this process, one task after the other."""

    workers = 1

    def run(self, function: Callable[..., Answer], tasks: Iterable[Any], *shared: Any) -> Iterator[Answer]:
        """See `Executor.run`."""
        for task in tasks:
            yield function(task, *shared)

    def close(self) -> None:
        """See `Executor.close`."""


def make_executor(workers: int | None = None, kind: str | None = None, address: str | None = None) -> Executor:
    """Return an executor.

    Args:
        workers: how many work. None: 1, and with ray as many as the cluster has processors.
        kind: one of `EXECUTORS`. None: this process for one worker, else processes.
        address: of the cluster of ray to join, ``auto`` for the one that this machine belongs to. None: a cluster of
            this machine alone, which lasts as long as the executor.

    Raises:
        OptionError: for a kind that does not exist or is not installed, or numbers that do not go with it.
        RunError: if the cluster does not answer.
    """
    check_executor(workers, kind, address)
    if kind == "ray":
        from .ray_team import RayWorkers

        return RayWorkers(workers, address)
    if kind == "serial" or (kind is None and workers in (None, 1)):
        return Serial()
    from .processes import Processes

    return Processes(workers or 1)


def check_executor(workers: int | None, kind: str | None, address: str | None) -> None:
    """Raise `OptionError` if no executor can be what is asked for; starts nothing."""
    if kind is not None and kind not in EXECUTORS:
        raise OptionError(f"there is no executor {kind!r}; {nearest(kind, EXECUTORS)}")
    most = MOST_WORKERS if kind == "ray" else MOST_PROCESSES
    if workers is not None and not 1 <= workers <= most:
        raise OptionError(f"workers must be 1..{most}, not {workers}")
    if kind == "serial" and workers not in (None, 1):
        raise OptionError(f"the executor serial is this process alone: {workers} workers need processes or ray")
    if address is not None and kind != "ray":
        raise OptionError("the address of a cluster is for the executor ray")
    if kind == "ray":
        from .ray_team import require_ray

        require_ray()
