"""Processes that work for this one: started anew, deaf to Ctrl-C, and never left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import ParamSpec, TypeVar

from ..agents.engine_process import close_engines

_FAREWELL_SECONDS = 3.0  # for a process that is told to leave
_DEADLY = getattr(signal, "SIGKILL", signal.SIGTERM)
Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


class WorkerPool:
    """A number of processes that are handed functions to call.

    Args:
        workers: how many.
    """

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._wanted, self._goodbye = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_prepare_worker, initargs=(self._wanted,)
        )

    def submit(
        self, function: Callable[Parameters, Answer], *arguments: Parameters.args, **named: Parameters.kwargs
    ) -> Future[Answer]:
        """Have a process call a function; a process that died shows as `BrokenProcessPool` in the answer."""
        with _interrupts_held():  # submitting may start a process, which inherits that they are held
            return self._pool.submit(function, *arguments, **named)

    def close(self, finished: bool) -> None:
        """End the processes.

        Args:
            finished: whether all answers are there; else what they still work on is of no use, and they leave at once.
        """
        with _interrupts_held():
            processes = [] if finished else list((self._pool._processes or {}).values())
            if not finished:
                self._goodbye.close()  # nobody wants what they still do: they leave
            until = time.monotonic() + _FAREWELL_SECONDS
            for process in processes:
                process.join(max(until - time.monotonic(), 0.0))
                process.kill()
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._goodbye.close()
            self._wanted.close()


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


def _prepare_worker(wanted: Connection) -> None:
    """Leave Ctrl-C to the process that started this one, do not outlive it, and leave no program behind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda _number, _frame: threading.Thread(target=_leave).start())
    threading.Thread(target=_leave_when_told, args=(wanted,), daemon=True).start()


def _leave_when_told(wanted: Connection) -> None:
    """Leave when the other end is closed or its process ends, however deep in compiled code this one is."""
    with suppress(EOFError, OSError):
        wanted.recv_bytes()
    _leave()


def _leave() -> None:
    close_engines()
    os.kill(os.getpid(), _DEADLY)
