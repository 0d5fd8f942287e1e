"""Processes that work for this one: started anew, deaf to Ctrl-C, replaced when they die, and never left behind."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from ..agents.engine_process import close_engines
from .crew import Crew, Event, What
from .wire import Desk, Job, decode, encode

_FAREWELL_SECONDS = 3.0  # for a process that is told to leave
_DEADLY = getattr(signal, "SIGKILL", signal.SIGTERM)
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_PLACE = "here"


class Processes(Crew):
    """An executor of processes of this machine, which stay from one run to the next.

    Args:
        workers: how many processes.
    """

    def __init__(self, workers: int) -> None:
        super().__init__(ProcessTeam(), workers)


class _Process(NamedTuple):
    """A process, this end of the line to it, and the shared values that it has."""

    process: Any
    line: Connection
    has: set[str]


class ProcessTeam:
    """See `crew.Team`."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._processes: dict[int, _Process] = {}
        self._begun: set[int] = set()
        self._hired = 0

    def encode(self, value: Any, /) -> bytes:
        """See `Team.encode`."""
        return encode(value)

    def hire(self) -> int:
        """See `Team.hire`."""
        with _interrupts_held():  # a process inherits that they are held
            line, theirs = self._context.Pipe()
            process = self._context.Process(target=_work_for, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
        self._hired += 1
        self._processes[self._hired] = _Process(process, line, set())
        return self._hired

    def give(self, worker: int, job: Job) -> None:
        """See `Team.give`."""
        one = self._processes[worker]
        missing = {digest: content for digest, content in job.shared.items() if digest not in one.has}
        one.has.clear()
        one.has.update(job.shared)
        with suppress(OSError):  # it is gone; that is heard of in `events`
            one.line.send_bytes(encode((job.content, job.digests, missing)))

    def events(self) -> list[Event]:
        """See `Team.events`."""
        numbers: dict[Any, int] = {one.line: number for number, one in self._processes.items()}
        return [self._event(numbers[line]) for line in wait(list(numbers))]

    def _event(self, number: int) -> Event:
        try:
            content = self._processes[number].line.recv_bytes()
        except (EOFError, OSError):
            return Event(number, What.GONE, self._farewell(number))
        if number in self._begun:
            return Event(number, What.DONE, content)
        self._begun.add(number)
        return Event(number, What.READY, _PLACE)

    def _farewell(self, number: int) -> str:
        """Forget a process that is gone, and return what ended it."""
        process, line, _ = self._processes.pop(number)
        line.close()
        process.join(_FAREWELL_SECONDS)
        process.kill()
        process.join()
        if process.exitcode < 0:
            return f"a process was ended by signal {-process.exitcode} (9: killed, or out of memory)"
        started = "" if number in self._begun else "; a script that starts some needs `if __name__ == '__main__':`"
        return f"a process ended with status {process.exitcode}{started}"

    def close(self) -> None:
        """See `Team.close`; whoever waits for work or is deep in it leaves at once."""
        with _interrupts_held():
            for _, line, _ in self._processes.values():
                line.close()
            until = time.monotonic() + _FAREWELL_SECONDS
            for process, _, _ in self._processes.values():
                process.join(max(until - time.monotonic(), 0.0))
                process.kill()
                process.join()
            self._processes.clear()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back for a moment where the system can; it arrives at the end."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work_for(line: Connection) -> None:
    """Work until the other end of the line is closed, or its process ends; leave Ctrl-C to that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda _number, _frame: threading.Thread(target=_leave).start())
    for name in _ONE_THREAD:  # one processor is what a worker has
        os.environ.setdefault(name, "1")
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(line, jobs), daemon=True).start()
    desk = Desk()
    with contextlib.suppress(OSError):
        line.send_bytes(b"ready")
        while True:
            content, digests, missing = decode(jobs.get())
            line.send_bytes(desk.work(content, digests, missing.__getitem__))
    _leave()


def _listen(line: Connection, jobs: queue.SimpleQueue[bytes]) -> None:
    """Take jobs in; leave when the other end is closed, however deep in compiled code this process is."""
    with suppress(EOFError, OSError):
        while True:
            jobs.put(line.recv_bytes())
    _leave()


def _leave() -> None:
    close_engines()
    os.kill(os.getpid(), _DEADLY)
