"""Handing tasks out to workers that may die, and answers back in order: what is the same for processes and clusters."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, NamedTuple, Protocol, TypeVar

from ..envs.errors import RunError
from .wire import Encode, Failure, Job, decode, digest_of

Answer = TypeVar("Answer")

DEATHS = 3
"""Workers that a task may end before it is given up, and that may end in a row before they have begun."""
_AHEAD = 4
"""Tasks for each worker that are taken ahead of the answer that is waited for."""
_SHORT_SECONDS = 0.5
"""Tasks shorter than this are given before a worker has done the last one, so that it never waits; longer ones would
wait behind each other while somebody else is free."""


class What(Enum):
    """What has happened to a worker."""

    READY = auto()
    DONE = auto()
    GONE = auto()


class Event(NamedTuple):
    """Something that has happened.

    Attributes:
        worker: to whom.
        what: it was.
        content: where it works, once it is ready (workers of one place share what is compiled); the answer to the
            oldest job that it was given and has not answered; or why it is gone, in words.
    """

    worker: int
    what: What
    content: Any


class Team(Protocol):
    """Workers of one kind, known by numbers. Each does its jobs in the order in which it was given them."""

    def encode(self, value: Any, /) -> bytes:
        """Return a value as the bytes that are sent."""
        ...

    def hire(self) -> int:
        """Begin to start a worker, and return its number; an event tells when it is ready, or that it is gone."""
        ...

    def give(self, worker: int, job: Job) -> None:
        """Give a job to a worker that is ready; nothing happens if it has gone meanwhile."""
        ...

    def events(self) -> list[Event]:
        """Wait until something has happened, and return all that has; nothing more comes of who is gone.

        Raises:
            RunError: if nothing can happen any more.
        """
        ...

    def close(self) -> None:
        """Let all workers go, at once."""
        ...


@dataclass
class _Task:
    """A task of a run, with the number of workers that it has ended."""

    run: int
    number: int
    function: Any
    job: Job
    deaths: int = 0
    begun: float = 0.0


@dataclass
class _Worker:
    """A worker that is ready."""

    place: Any
    tasks: deque[_Task] = field(default_factory=deque)


@dataclass
class Traffic:
    """What has been sent so far.

    Attributes:
        tasks: how many, those that were sent again included.
        task_bytes: of all of them.
        shared_bytes: of all shared values, once for each run that brought a new one.
        answers: how many came back.
        answer_bytes: of all of them.
    """

    tasks: int = 0
    task_bytes: int = 0
    shared_bytes: int = 0
    answers: int = 0
    answer_bytes: int = 0


class Crew:
    """An executor that works with a team.

    A worker that dies is replaced, and what it was given is given again; since a task always has the same answer,
    nobody can tell afterwards. The first task of a function is done by one worker of each place alone: what it
    compiles there is compiled once.

    Args:
        team: the workers.
        workers: how many of them.

    Attributes:
        workers: how many work.
        traffic: what was sent.
    """

    def __init__(self, team: Team, workers: int) -> None:
        self.workers = workers
        self.traffic = Traffic()
        self._team: Team | None = team
        self._starting: set[int] = set()
        self._ready: dict[int, _Worker] = {}
        self._loaded: tuple[dict[int, None], ...] = {}, {}  # those who have nothing to do, and one task
        self._failed_starts = 0
        self._warm: set[tuple[Any, Any]] = set()
        self._warming: dict[tuple[Any, Any], int] = {}
        self._seconds = 0.0
        self._runs = 0
        self._known: set[str] = set()

    def run(self, function: Callable[..., Answer], tasks: Iterable[Any], *shared: Any) -> Iterator[Answer]:
        """See `Executor.run`."""
        team = self._open()
        self._runs += 1
        run = _Run(self._runs, function, tasks, self._contents(team, shared), team.encode, self.workers * _AHEAD)
        while True:
            self._hand_out(team, run)
            if run.over:
                return
            while not run.has_answer:
                for event in team.events():
                    self._hear(run, event)
                self._hand_out(team, run)
            yield run.next_answer()

    def close(self) -> None:
        """See `Executor.close`."""
        if self._team is not None:
            team, self._team = self._team, None
            team.close()

    def _open(self) -> Team:
        if self._team is None:
            raise RunError("this executor was closed: make a new one")
        return self._team

    def _contents(self, team: Team, values: tuple[Any, ...]) -> list[tuple[str, bytes]]:
        """Return shared values as digest and content."""
        contents = [team.encode(value) for value in values]
        found = [(digest_of(content), content) for content in contents]
        self.traffic.shared_bytes += sum(len(content) for digest, content in set(found) if digest not in self._known)
        self._known = {digest for digest, _ in found}
        return found

    # --- giving ------------------------------------------------------------------------------------------------------

    def _hand_out(self, team: Team, run: _Run) -> None:
        """Hire who is missing, and give tasks to those who have too few."""
        run.take_tasks()
        while len(self._starting) + len(self._ready) < min(self.workers, run.open_tasks):
            self._starting.add(team.hire())
        for load in range(2 if self._seconds < _SHORT_SECONDS else 1):
            for number in list(self._loaded[load]) if run.to_give else ():
                worker = self._ready[number]
                if run.to_give and self._may_begin(run, number, worker):
                    task = run.to_give.popleft()
                    task.begun = time.monotonic()
                    worker.tasks.append(task)
                    self._sort(number, worker)
                    self.traffic.tasks += 1
                    self.traffic.task_bytes += len(task.job.content)
                    team.give(number, task.job)

    def _sort(self, number: int, worker: _Worker | None) -> None:
        """Note how many tasks a worker has; None for one that is gone."""
        for load, numbers in enumerate(self._loaded):
            if worker is not None and len(worker.tasks) == load:
                numbers[number] = None
            else:
                numbers.pop(number, None)

    def _may_begin(self, run: _Run, number: int, worker: _Worker) -> bool:
        """Return whether a worker may do a task: what is still to be compiled at its place is left to one."""
        key = run.function, worker.place
        return key in self._warm or (not worker.tasks and self._warming.setdefault(key, number) == number)

    # --- hearing -----------------------------------------------------------------------------------------------------

    def _hear(self, run: _Run, event: Event) -> None:
        if event.what is What.READY:
            self._starting.discard(event.worker)
            self._ready[event.worker] = worker = _Worker(event.content)
            self._sort(event.worker, worker)
            self._failed_starts = 0
        elif event.what is What.DONE:
            self._take(run, event.worker, event.content)
        else:
            self._mourn(run, event.worker, str(event.content))

    def _take(self, run: _Run, number: int, content: bytes) -> None:
        """Take an answer in."""
        worker = self._ready[number]
        task, now = worker.tasks.popleft(), time.monotonic()
        self._sort(number, worker)
        self._seconds = now - task.begun
        if worker.tasks:
            worker.tasks[0].begun = now
        key = task.function, worker.place
        self._warm.add(key)
        self._warming.pop(key, None)
        self.traffic.answers += 1
        self.traffic.answer_bytes += len(content)
        if task.run == run.number:
            run.answers[task.number] = content

    def _mourn(self, run: _Run, number: int, why: str) -> None:
        """Have the tasks of a worker that is gone done by others."""
        self._warming = {key: other for key, other in self._warming.items() if other != number}
        if number in self._starting:
            self._starting.discard(number)
            self._failed_starts += 1
            if self._failed_starts >= DEATHS:
                raise RunError(f"workers end before they have begun: {why}")
            return
        left = self._ready.pop(number).tasks
        self._sort(number, None)
        if left:  # the others it had not begun
            left[0].deaths += 1
            if left[0].deaths >= DEATHS and left[0].run == run.number:
                raise RunError(
                    f"task {left[0].number} was given up: {DEATHS} workers that began it have died, the last one of "
                    f"this: {why}"
                )
        run.to_give.extendleft(task for task in reversed(left) if task.run == run.number)


class _Run:
    """The tasks of one run: which are to be given, and which answers are there."""

    def __init__(
        self, number: int, function: Any, tasks: Iterable[Any], shared: list[tuple[str, bytes]], encoder: Encode,
        ahead: int,
    ) -> None:  # fmt: skip
        self.number, self.function = number, function
        self._tasks, self._encode, self._ahead = enumerate(tasks), encoder, ahead
        self._shared, self._digests = dict(shared), tuple(digest for digest, _ in shared)
        self.to_give: deque[_Task] = deque()
        self.answers: dict[int, bytes] = {}
        self._taken = self._fetched = 0
        self._exhausted = False

    def take_tasks(self) -> None:
        """Take tasks from whoever makes them, as many as may be taken ahead."""
        while not self._exhausted and self._taken - self._fetched < self._ahead:
            number, task = next(self._tasks, (-1, None))
            if number < 0:
                self._exhausted = True
                return
            self._taken += 1
            content = self._encode((self.function, task))
            self.to_give.append(_Task(self.number, number, self.function, Job(content, self._digests, self._shared)))

    @property
    def open_tasks(self) -> int:
        """How many tasks have been taken and not answered."""
        return self._taken - self._fetched - len(self.answers)

    @property
    def over(self) -> bool:
        """Whether all tasks have been answered, and the answers fetched."""
        return self._exhausted and self._fetched == self._taken

    @property
    def has_answer(self) -> bool:
        """Whether the next answer is there."""
        return self._fetched in self.answers

    def next_answer(self) -> Any:
        """Return the next answer, or raise what the function has raised."""
        answer = decode(self.answers.pop(self._fetched))
        self._fetched += 1
        if isinstance(answer, Failure):
            raise answer.error
        return answer
