"""Whoever works, the answers are the same: in order, whatever dies, and no more taken than can be done."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.agents import network_names
from sekisho.agents.networks.config import NetworkConfig
from sekisho.agents.networks.files import write_network
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.arena.crew import DEATHS, Crew, Event, What
from sekisho.arena.executors import Executor, Serial, check_executor, make_executor
from sekisho.arena.processes import Processes
from sekisho.arena.tournament import Tournament, _player, play_all, schedule
from sekisho.arena.wire import Desk, Failure, Job, decode, digest_of, encode
from sekisho.envs import load_game
from sekisho.envs.errors import OptionError, RunError, SekishoError
from sekisho.training import executors as public
from support import tasks


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with closing(Processes(2)) as executor:
        yield executor
    assert not multiprocessing.active_children()


@pytest.fixture(params=["serial", "processes"])
def executor(request: pytest.FixtureRequest, processes: Processes) -> Executor:
    return Serial() if request.param == "serial" else processes


def taken_from(numbers: range, taken: list[int]) -> Iterator[int]:
    for number in numbers:
        taken.append(number)
        yield number


# --- any executor ----------------------------------------------------------------------------------------------------


def test_answers_come_in_the_order_of_the_tasks(executor: Executor) -> None:
    assert list(executor.run(tasks.square, range(50))) == [number * number for number in range(50)]
    late_first = [(0, 0.3), *((number, 0.0) for number in range(1, 12))]
    assert list(executor.run(tasks.slowly, late_first)) == list(range(12))
    assert list(executor.run(tasks.square, [])) == []


def test_shared_values_arrive_whole_and_may_be_written_to(executor: Executor) -> None:
    numbers = np.arange(6.0)
    for task, first, second, again in executor.run(tasks.echo, range(3), numbers, "words", numbers):
        assert task in (0, 1, 2)
        assert second == "words"
        assert np.array_equal(first, numbers)
        assert np.array_equal(again, numbers)
        assert first.flags.writeable


def test_an_error_of_a_task_comes_in_its_place(executor: Executor) -> None:
    answers = executor.run(tasks.refuse, range(9))
    assert [next(answers) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(OptionError, match="anything but 3"):
        next(answers)
    assert list(executor.run(tasks.square, range(4))) == [0, 1, 4, 9]  # it can go on


def test_a_run_that_is_left_leaves_nothing_to_the_next(executor: Executor) -> None:
    answers = executor.run(tasks.square, range(100))
    assert next(answers) == 0
    answers.close()  # type: ignore[attr-defined]
    assert list(executor.run(tasks.echo, range(5))) == [(number,) for number in range(5)]


# --- processes -------------------------------------------------------------------------------------------------------


def test_the_work_is_done_by_that_many_other_processes(processes: Processes) -> None:
    found = set(processes.run(tasks.process_of, range(40)))
    assert len(found) == processes.workers == 2
    assert found == {child.pid for child in multiprocessing.active_children()}


def test_only_a_few_tasks_are_taken_ahead_of_the_answer_that_is_waited_for(processes: Processes) -> None:
    taken: list[int] = []
    for number, answer in enumerate(processes.run(tasks.echo, taken_from(range(100), taken))):
        assert answer == (number,)
        assert len(taken) <= number + 4 * processes.workers
    assert taken == list(range(100))


def test_a_shared_value_is_sent_to_each_worker_once_and_again_when_it_has_changed(
    processes: Processes, tmp_path: Path
) -> None:
    def arrivals() -> Counter[str]:
        return Counter((tmp_path / "arrivals").read_text(encoding="utf-8").split())

    marked = tasks.Marked(str(tmp_path), b"x" * 5_000_000)  # more than fits into a pipe at once
    before = processes.traffic.shared_bytes
    for _ in range(2):
        assert list(processes.run(tasks.payload_of, range(30), marked)) == [(n, 5_000_000) for n in range(30)]
    assert set(arrivals().values()) == {1}
    assert len(arrivals()) == 2
    assert 5_000_000 < processes.traffic.shared_bytes - before < 5_001_000
    other = tasks.Marked(str(tmp_path), b"y")
    assert list(processes.run(tasks.payload_of, range(30), other)) == [(n, 1) for n in range(30)]
    assert set(arrivals().values()) == {2}


def test_what_a_dead_process_was_to_do_is_done_by_others(processes: Processes, tmp_path: Path) -> None:
    accidents = [(number, 2 if number in (4, 5, 11) else 0, str(tmp_path)) for number in range(16)]
    assert list(processes.run(tasks.stumble, accidents)) == list(range(16))
    assert [len((tmp_path / str(number)).read_bytes()) for number in (4, 5, 11)] == [2, 2, 2]


def test_a_task_that_ends_every_process_is_given_up_in_words(processes: Processes, tmp_path: Path) -> None:
    deadly = [(number, 99 if number == 2 else 0, str(tmp_path)) for number in range(6)]
    answers = processes.run(tasks.stumble, deadly)
    assert [next(answers), next(answers)] == [0, 1]
    with pytest.raises(RunError, match=r"task 2 was given up: 3 workers .* signal 9 \(9: killed, or out of memory\)"):
        next(answers)
    assert len((tmp_path / "2").read_bytes()) == DEATHS
    assert list(processes.run(tasks.square, range(4))) == [0, 1, 4, 9]


def test_a_mistake_in_a_function_says_where_it_is(processes: Processes) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        list(processes.run(tasks.fail, [0]))
    assert "in fail" in "".join(caught.value.__notes__)
    with pytest.raises(RuntimeError, match="UnsendableError: 1 and 2"):
        list(processes.run(tasks.fail_oddly, [0]))


def test_processes_that_are_let_go_leave_at_once_and_do_no_more() -> None:
    others = set(multiprocessing.active_children())
    executor = Processes(2)
    answers = executor.run(tasks.slowly, [(0, 0.0), (1, 0.0), *((number, 60.0) for number in range(2, 9))])
    assert [next(answers), next(answers)] == [0, 1]
    begin = time.monotonic()
    executor.close()
    assert time.monotonic() - begin < 5
    assert set(multiprocessing.active_children()) == others
    with pytest.raises(RunError, match="was closed"):
        list(executor.run(tasks.square, [1]))
    executor.close()  # nothing is left to close


@pytest.mark.skipif(sys.platform == "win32", reason="starts another program in the place of Python")
def test_processes_that_cannot_begin_end_the_run_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiprocessing.spawn._python_exe", b"/bin/false")
    with (
        closing(Processes(2)) as executor,
        pytest.raises(RunError, match="end before they have begun: a process ended with status 1"),
    ):
        list(executor.run(tasks.square, range(3)))


# --- the order of events ---------------------------------------------------------------------------------------------


class MadeUpTeam:
    """Workers in this process to whom things happen as somebody has drawn; each lives at one of two places."""

    encode = staticmethod(encode)

    def __init__(self, draw: Any) -> None:
        self._draw, self._hired = draw, 0
        self._jobs: dict[int, deque[Job]] = {}
        self._ready: set[int] = set()
        self._accidents = 6
        self.most_jobs = 0

    def hire(self) -> int:
        self._hired += 1
        self._jobs[self._hired] = deque()
        return self._hired

    def give(self, worker: int, job: Job) -> None:
        assert worker in self._ready
        self._jobs[worker].append(job)
        self.most_jobs = max(self.most_jobs, len(self._jobs[worker]))

    def events(self) -> list[Event]:
        able = sorted(worker for worker, jobs in self._jobs.items() if jobs or worker not in self._ready)
        assert able, "everybody waits for ever"
        return [self._happen(worker) for worker in self._draw(st.lists(st.sampled_from(able), min_size=1, unique=True))]

    def _happen(self, worker: int) -> Event:
        if worker not in self._ready:
            self._ready.add(worker)
            return Event(worker, What.READY, worker % 2)
        if self._accidents and self._draw(st.booleans()):
            self._accidents -= 1
            self._ready.discard(worker)
            del self._jobs[worker]
            return Event(worker, What.GONE, "somebody wanted it so")
        job = self._jobs[worker].popleft()
        return Event(worker, What.DONE, Desk().work(job.content, job.digests, job.shared.__getitem__))

    def close(self) -> None:
        self._jobs.clear()


@given(st.data(), st.integers(1, 5), st.integers(0, 20))
def test_whatever_happens_in_whatever_order_the_answers_are_the_same(data: Any, workers: int, count: int) -> None:
    team = MadeUpTeam(data.draw)
    crew = Crew(team, workers)
    taken: list[int] = []
    found: list[Any] = []
    given_up = ""
    try:
        for answer in crew.run(tasks.echo, taken_from(range(count), taken), "shared"):
            found.append(answer)
            assert len(taken) < len(found) + 4 * workers
    except RunError as error:  # one task has met with accidents alone
        given_up = str(error)
    assert ("given up" in given_up) == (len(found) < count)
    assert found == [(number, "shared") for number in range(len(found))]
    assert given_up or crew.traffic.answers == count
    assert team.most_jobs <= 2


class OpenTeam(MadeUpTeam):
    """All workers are ready at once; then the oldest job is done first."""

    def __init__(self) -> None:
        super().__init__(None)
        self.given: list[list[int]] = []

    def events(self) -> list[Event]:
        self.given.append([worker for worker, jobs in sorted(self._jobs.items()) if jobs])
        fresh = [worker for worker in self._jobs if worker not in self._ready]
        self._ready.update(fresh)
        if fresh:
            return [Event(worker, What.READY, worker % 2) for worker in fresh]
        worker = min(worker for worker, jobs in self._jobs.items() if jobs)
        job = self._jobs[worker].popleft()
        return [Event(worker, What.DONE, Desk().work(job.content, job.digests, job.shared.__getitem__))]


def test_what_is_to_be_compiled_at_a_place_is_left_to_one_worker_there() -> None:
    team = OpenTeam()
    crew = Crew(team, 6)
    assert list(crew.run(tasks.square, range(30))) == [number * number for number in range(30)]
    assert team.given[1] == [1, 2]  # one of the odd ones, one of the even ones
    assert team.given[2] == [1, 2, 3, 5]  # the first place is ready
    assert team.given[3] == [1, 2, 3, 5]


def test_no_more_workers_are_hired_than_there_are_tasks() -> None:
    team = OpenTeam()
    assert list(Crew(team, 50).run(tasks.square, range(3))) == [0, 1, 4]
    assert team._hired == 3


# --- what travels with a tournament ----------------------------------------------------------------------------------


class Elsewhere:
    """Another machine, on which there are no files of this one."""

    workers = 3

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, function: Callable[..., Any], work: Iterable[Any], *shared: Any) -> Iterator[Any]:
        contents = {digest_of(content): content for content in map(encode, shared)}
        jobs = [encode((function, task)) for task in work]
        self._folder.rename(self._folder.with_name("hidden"))
        desk = Desk()
        for job in jobs:
            answer = decode(desk.work(job, tuple(contents), contents.__getitem__))
            if isinstance(answer, Failure):
                raise answer.error
            yield answer
        self._folder.with_name("hidden").rename(self._folder)

    def close(self) -> None: ...


def test_networks_in_files_travel_with_the_games(tmp_path: Path) -> None:
    game, config, folder = load_game("quoridor", board_size=3, fences=1), NetworkConfig("mlp", 8, 1), tmp_path / "nets"
    folder.mkdir()
    for seed in (0, 1):
        arrays = arrays_of(build_network(game, config, seed))
        write_network(folder / f"{seed}.safetensors", game, config, arrays, {})
    nets = [f"net:checkpoint={folder / name}.safetensors" for name in ("0", "1")]
    tournament = Tournament(game, (*nets, "random"), 4, opening_plies=2)
    pairings = list(schedule(tournament))
    here = [result.record for result in play_all(tournament, pairings)]
    _player.cache_clear()
    assert [result.record for result in play_all(tournament, pairings, Elsewhere(folder))] == here
    (folder / "0.safetensors").write_bytes((folder / "1.safetensors").read_bytes())
    network_names._lent.clear()
    again = [result.record.moves for result in play_all(tournament, pairings, Elsewhere(folder))]
    assert again != [record.moves for record in here]  # the new file is the one that plays
    network_names._lent.clear()
    _player.cache_clear()


def test_the_files_of_networks_are_found_wherever_specs_name_them(tmp_path: Path) -> None:
    game, config, path = load_game("tokaido"), NetworkConfig("mlp", 8, 1), tmp_path / "mine.safetensors"
    write_network(path, game, config, arrays_of(build_network(game, config, 0)), {})
    specs = (f"expectimax:turns=1,leaf=(net:checkpoint={path})", "net:checkpoint=tokaido", "net", "engine:a b:c")
    assert list(network_names.networks_of(specs)) == [str(path)]
    with pytest.raises(OptionError, match="must be a file or the name of a network"):
        network_names.networks_of(["net:checkpoint=nowhere"])


# --- which executor --------------------------------------------------------------------------------------------------


def test_the_executor_is_the_one_that_is_asked_for() -> None:
    assert isinstance(make_executor(), Serial)
    assert isinstance(make_executor(1), Serial)
    for workers, kind in ((2, None), (1, "processes"), (3, "processes")):
        with closing(make_executor(workers, kind)) as executor:
            assert isinstance(executor, Processes)
            assert executor.workers == workers
    assert public.Processes is Processes
    assert public.make_executor is make_executor


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, "proceses", None), "there is no executor 'proceses'; did you mean 'processes'?"),
        ((2, "serial", None), "the executor serial is this process alone: 2 workers need processes or ray"),
        ((0, None, None), r"workers must be 1..256, not 0"),
        ((257, "processes", None), r"workers must be 1..256, not 257"),
        ((2, "processes", "head:6379"), "the address of a cluster is for the executor ray"),
    ],
)
def test_what_no_executor_can_be_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(SekishoError, match=message.replace("?", r"\?")):
        check_executor(*arguments)


def test_ray_that_is_not_installed_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(OptionError, match=r"not installed: pip install 'sekisho\[ray\]'"):
        make_executor(2, "ray")
