"""A cluster of machines that works for this process, by Ray: one actor for each processor, whole games out.

A value that all tasks of a run share goes into Ray's object store once, from where every machine fetches it once.
Nothing here starts Ray on other machines: that is ``ray start`` there, see ``docs/scaling.md``.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import queue
import signal
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from .. import __version__
from ..agents.engine_process import close_engines
from ..envs.compiling import sources_hash
from ..envs.errors import OptionError, RunError
from .crew import Crew, Event, What
from .wire import Desk, Job

_ANSWER_SECONDS = 10.0  # of the head of a cluster
_LONELY_SECONDS = 60.0
"""How long a cluster without any worker is waited for: machines may come back."""
_FAREWELL_SECONDS = 3.0
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


def require_ray() -> None:
    """Raise `OptionError` if Ray is not installed."""
    if importlib.util.find_spec("ray") is None:
        raise OptionError("the executor ray needs a package that is not installed: pip install 'sekisho[ray]'")


class RayWorkers(Crew):
    """An executor of the processors of a cluster.

    Args:
        workers: how many; None for all processors that the cluster has now.
        address: of its head, ``HOST:PORT``, or ``auto`` for the cluster that this machine belongs to. None starts a
            cluster of this machine alone, unless this process is connected to one already.

    Raises:
        OptionError: if Ray is not installed.
        RunError: if the cluster does not answer.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        require_ray()
        team = RayTeam(workers, address)
        super().__init__(team, workers or team.processors)


class RayTeam:
    """See `crew.Team`.

    Attributes:
        processors: of the cluster, when it was joined.
    """

    def __init__(self, workers: int | None, address: str | None) -> None:
        import ray

        self._ray = ray
        self._joined_here = not ray.is_initialized()
        if self._joined_here:
            _connect(ray, workers, address)
        self.processors = int(ray.cluster_resources().get("CPU", 0))
        self._class = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(RayWorker)
        self._actors: dict[int, Any] = {}
        self._ready: set[int] = set()
        self._stored: dict[str, Any] = {}
        self._heard: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._hired = 0

    def encode(self, value: Any, /) -> bytes:
        """See `Team.encode`; what is defined in a script travels with its definition."""
        content: bytes = self._ray.cloudpickle.dumps(value)
        return content

    def hire(self) -> int:
        """See `Team.hire`."""
        self._hired += 1
        actor = self._actors[self._hired] = self._class.remote()
        self._expect(self._hired, actor.introduce.remote())
        return self._hired

    def give(self, worker: int, job: Job) -> None:
        """See `Team.give`."""
        if self._stored.keys() != job.shared.keys():
            self._stored = {
                digest: self._stored[digest] if digest in self._stored else self._ray.put(content)
                for digest, content in job.shared.items()
            }
        self._expect(worker, self._actors[worker].work.remote(job.content, job.digests, self._stored))

    def _expect(self, worker: int, reference: Any) -> None:
        """Have an answer put into the queue when it comes."""
        reference.future().add_done_callback(lambda future: self._heard.put((worker, future)))

    def events(self) -> list[Event]:
        """See `Team.events`."""
        found: list[Event] = []
        waited = 0.0
        while not found:
            try:
                worker, future = self._heard.get(timeout=1.0)
            except queue.Empty:
                waited += 1.0
                if not self._ready and waited > _LONELY_SECONDS:
                    raise RunError(self._nobody()) from None
                continue
            if worker in self._actors:
                found.append(self._event(worker, future))
        return found

    def _event(self, worker: int, future: Any) -> Event:
        try:
            answer = future.result()
        except self._ray.exceptions.RayError as error:
            return self._gone(worker, _in_words(error))
        if worker in self._ready:
            return Event(worker, What.DONE, answer)
        place, told = answer
        if told != (own := introduction()):
            return self._gone(worker, f"a machine of the cluster has {told}, this one {own}: install the same there")
        self._ready.add(worker)
        return Event(worker, What.READY, place)

    def _gone(self, worker: int, why: str) -> Event:
        self._ready.discard(worker)
        self._ray.kill(self._actors.pop(worker))
        return Event(worker, What.GONE, why)

    def _nobody(self) -> str:
        total = int(self._ray.cluster_resources().get("CPU", 0))
        free = int(self._ray.available_resources().get("CPU", 0))
        return (
            f"no worker of the cluster has begun in {_LONELY_SECONDS:.0f} seconds: it has {total} processors, {free} of "
            "them free (`ray status` shows them)"
        )

    def close(self) -> None:
        """See `Team.close`; a cluster that was there before is left as it was."""
        actors = list(self._actors.values())
        self._actors.clear()
        with suppress(self._ray.exceptions.RayError):
            goodbyes = [actor.say_goodbye.remote() for actor in actors]
            if goodbyes:
                self._ray.wait(goodbyes, num_returns=len(goodbyes), timeout=_FAREWELL_SECONDS)
        for actor in actors:
            self._ray.kill(actor)
        self._stored.clear()
        if self._joined_here:
            self._ray.shutdown()


class RayWorker:
    """What works in a process of the cluster."""

    def __init__(self) -> None:
        import ray

        self._desk = Desk(ray.cloudpickle.dumps)

    def introduce(self) -> tuple[str, str]:
        """Return on which machine this is, and what is installed there."""
        import ray

        return ray.get_runtime_context().get_node_id(), introduction()

    def work(self, content: bytes, digests: tuple[str, ...], stored: dict[str, Any]) -> bytes:
        """See `Desk.work`."""
        import ray

        return self._desk.work(content, digests, lambda digest: ray.get(stored[digest]))

    def say_goodbye(self) -> None:
        """End the programs that play here."""
        close_engines()


def introduction() -> str:
    """Return what must be the same on all machines for their games to be so."""
    return f"sekisho {__version__} with the compiled code {sources_hash(Path(__file__).resolve().parent.parent)}"


def _connect(ray: Any, workers: int | None, address: str | None) -> None:
    """Join the cluster of an address, or start one; a polite kill still means what it meant before."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    if address not in (None, "auto"):
        _require_answer(str(address))
    on_main_thread = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL, "configure_logging": True}
    try:
        if address is None:
            ray.init(address="local", num_cpus=workers, include_dashboard=False, **options)
        else:
            ray.init(address=address, **options)
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        where = address or "of this machine"
        raise RunError(
            f"the cluster {where} cannot be joined ({_first_line(error)}); it needs `ray start --head` on one machine, "
            "and `ray start --address=HOST:PORT` on every other, this one too"
        ) from error
    finally:
        if on_main_thread:
            signal.signal(signal.SIGTERM, before)


def _require_answer(address: str) -> None:
    """Refuse an address at which nobody listens: Ray itself would try for a minute."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "://" in address:
        raise OptionError(f"expected the address of a cluster as HOST:PORT or auto, not {address!r}")
    try:
        socket.create_connection((host, int(port)), timeout=_ANSWER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise RunError(
            f"no cluster answers at {address} ({error}); `ray start --head` starts one and says its address"
        ) from error


def _in_words(error: BaseException) -> str:
    if "No module named 'sekisho" in str(error):
        return "sekisho is not installed on a machine of the cluster"
    return _first_line(error)


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
