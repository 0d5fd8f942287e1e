"""A real cluster of two nodes on this machine: the games of one process, whatever happens to a node meanwhile.

They need Ray (``pip install 'sekisho[ray]'``) and are skipped without it.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import secrets
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.agents.networks.files import read_network
from sekisho.arena import ray_team
from sekisho.arena.executors import make_executor
from sekisho.arena.records import read_records
from sekisho.arena.tournament import Tournament, play_all, schedule
from sekisho.envs import load_game
from sekisho.envs.errors import RunError
from sekisho.training.config import with_settings
from sekisho.training.presets import preset_config
from sekisho.training.train import train
from support import tasks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed"),
    pytest.mark.filterwarnings("default"),  # those of Ray are not ours
]
DUEL = load_game("quoridor", board_size=5, fences=2)
PLAYERS = ("heuristic", "random", "shortest_path")
COMMAND = (sys.executable, "-m", "sekisho.cli.main")
MARK = "SEKISHO_TEST_OF_RAY"


@pytest.fixture(scope="module", autouse=True)
def surroundings() -> Iterator[None]:
    """Have workers find the functions of these tests, and every cluster let in whoever knows a word of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        paths = [str(Path(tasks.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        for name, value in ray_team._QUIET.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def cluster(surroundings: None) -> Iterator[Any]:
    """A cluster of two nodes with a processor each."""
    from ray.cluster_utils import Cluster

    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    found.add_node(num_cpus=1)
    yield found
    found.shutdown()
    with warnings.catch_warnings():  # what it left open is not for the tests after these to find
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture
def executor(cluster: Any) -> Iterator[ray_team.RayWorkers]:
    with closing(ray_team.RayWorkers(2, cluster.address)) as joined:
        yield joined


def records(tournament: Tournament, executor: Any = None, meanwhile: Callable[[int], None] = lambda _n: None) -> Any:
    found = []
    for result in play_all(tournament, list(schedule(tournament)), executor):
        found.append(result.record.to_json())
        meanwhile(len(found))
    return found


def alive(cluster: Any) -> int:
    import ray

    return sum(node["Alive"] for node in ray.nodes())


def kill_a_node(cluster: Any) -> None:
    assert alive(cluster) == 2
    for node in cluster.worker_nodes.copy():
        cluster.remove_node(node, allow_graceful=False)


def until(holds: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.2)


def test_the_workers_are_on_both_nodes_and_answers_come_in_order(executor: Any) -> None:
    late_first = [(0, 1.0), *((number, 0.05) for number in range(1, 30))]
    assert list(executor.run(tasks.slowly, late_first)) == list(range(30))
    assert len({worker.place for worker in executor._ready.values()}) == 2
    assert len(set(executor.run(tasks.process_of, range(40)))) == 2


def test_shared_values_are_sent_once_and_may_be_written_to(executor: Any, tmp_path: Path) -> None:
    marked = tasks.Marked(str(tmp_path), b"x" * 5_000_000)
    assert list(executor.run(tasks.payload_of, range(30), marked)) == [(number, 5_000_000) for number in range(30)]
    assert set(Counter((tmp_path / "arrivals").read_text(encoding="utf-8").split()).values()) == {1}
    ((_, numbers),) = executor.run(tasks.echo, [0], np.arange(1e6))
    assert numbers.flags.writeable


def test_a_worker_that_dies_is_replaced_and_a_deadly_task_given_up(executor: Any, tmp_path: Path) -> None:
    accidents = [(number, 2 if number == 4 else 0, str(tmp_path)) for number in range(12)]
    assert list(executor.run(tasks.stumble, accidents)) == list(range(12))
    with pytest.raises(RunError, match="task 1 was given up: 3 workers"):
        list(executor.run(tasks.stumble, [(0, 0, str(tmp_path)), (20, 99, str(tmp_path))]))


def test_what_a_killed_node_had_to_do_is_given_again(cluster: Any, executor: Any) -> None:
    answers = executor.run(tasks.slowly, [(number, 1.0) for number in range(14)])
    first = next(answers)
    kill_a_node(cluster)
    assert [first, *answers] == list(range(14))
    assert executor.traffic.tasks > executor.traffic.answers == 14  # something was given twice
    cluster.add_node(num_cpus=1)
    until(lambda: alive(cluster) == 2)


def test_a_node_that_is_killed_in_the_middle_costs_time_and_nothing_else(cluster: Any, executor: Any) -> None:
    tournament = Tournament(DUEL, PLAYERS, 150, opening_plies=2, seed=4)
    places: list[int] = []

    def kill(played: int) -> None:
        if played == 20:
            kill_a_node(cluster)
        places.append(len({worker.place for worker in executor._ready.values()}))

    found = records(tournament, executor, kill)
    assert places[19] == 2  # both were playing
    assert found == records(tournament)
    until(lambda: alive(cluster) == 1)
    cluster.add_node(num_cpus=1)  # whoever comes back works again
    until(lambda: alive(cluster) == 2)
    answers = executor.run(tasks.slowly, ((number, 0.2) for number in range(10_000)))
    until(lambda: next(answers) >= 0 and len({worker.place for worker in executor._ready.values()}) == 2)
    answers.close()


def test_a_run_of_training_is_that_of_one_process(cluster: Any, tmp_path: Path) -> None:
    changes = {
        "iterations": 2, "selfplay.games": 6, "selfplay.tables": 2, "selfplay.simulations": 8, "selfplay.leaves": 2,
        "selfplay.fast_simulations": 4, "learning.batch_size": 8, "evaluation.games": 4, "evaluation.simulations": 4,
        "evaluation.mcts": 8, "evaluation.exact": False, "network.width": 8,
    }  # fmt: skip
    config = with_settings(preset_config("quoridor", "tiny", {"board_size": 3, "fences": 1}), changes)
    train(tmp_path / "one", config)
    apart = with_settings(config, {"workers": 2})
    train(tmp_path / "two", apart, executors=partial(make_executor, kind="ray", address=cluster.address))
    assert (tmp_path / "one" / "games" / "000002.jsonl").read_bytes() == (
        tmp_path / "two" / "games" / "000002.jsonl"
    ).read_bytes()
    arrays = [read_network(tmp_path / name / "best.safetensors").arrays for name in ("one", "two")]
    assert all(np.array_equal(arrays[0][name], arrays[1][name]) for name in arrays[0])


WORDS = (
    "tournament", "quoridor", "--rules", "board_size=5,fences=2", "--agents", "random", "heuristic", "--executor", "ray",
)  # fmt: skip


def test_the_command_joins_a_cluster_and_leaves_it_as_it_was(cluster: Any, tmp_path: Path) -> None:
    words = [*WORDS, "--games", "40", "--json", "--output"]
    joined = subprocess.run(
        [*COMMAND, *words, str(tmp_path / "two"), "--ray-address", cluster.address],
        capture_output=True, check=False, text=True, timeout=300,
    )  # fmt: skip
    assert (joined.returncode, joined.stderr) == (0, "")
    assert json.loads(joined.stdout)["agents"][0]["games"] == 40
    alone = Tournament(DUEL, ("random", "heuristic"), 40, opening_plies=DUEL.opening_plies)
    assert [record.to_json() for record in read_records(tmp_path / "two" / "games.jsonl")] == records(alone)
    with closing(ray_team.RayWorkers(None, cluster.address)) as again:
        assert again.workers == 2
        assert list(again.run(tasks.square, range(4))) == [0, 1, 4, 9]


@pytest.mark.parametrize("joined", [False, True])
def test_ctrl_c_ends_the_workers_and_keeps_the_games(
    tmp_path: Path, request: pytest.FixtureRequest, joined: bool
) -> None:
    """With a cluster of the command's own, which ends with it, and with one that was there before."""
    environment = os.environ | {MARK: "1"}
    where = ["--ray-address", request.getfixturevalue("cluster").address] if joined else []
    games = tmp_path / "games.jsonl"
    process = subprocess.Popen(
        [*COMMAND, *WORDS, "--workers", "2", "--games", "100000", "--output", str(tmp_path), *where],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True,
    )  # fmt: skip
    try:
        until(lambda: games.exists() and games.read_bytes().count(b"\n") > 20)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (-signal.SIGINT, "", "sekisho: interrupted\n")
    assert sum(1 for _ in read_records(games)) > 20
    until(lambda: not marked(MARK), 20)
    if joined:
        with closing(ray_team.RayWorkers(2, where[1])) as again:  # both processors are free
            assert list(again.run(tasks.slowly, [(number, 0.3) for number in range(12)])) == list(range(12))
            assert len(again._ready) == 2


def marked(name: str) -> list[str]:
    """The command lines of processes that were started with a variable."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{name}=1".encode() in path.read_bytes():
                found.append((path.parent / "cmdline").read_text(encoding="utf-8").replace("\0", " "))
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("address", "status", "message"),
    [("localhost:1", 1, "no cluster answers at localhost:1 ("), ("nowhere", 2, "expected the address of a cluster as")],
)
def test_an_address_that_is_none_is_named(address: str, status: int, message: str) -> None:
    done = subprocess.run(
        [*COMMAND, *WORDS, "--games", "4", "--ray-address", address], capture_output=True, check=False, text=True,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == status
    assert done.stderr.startswith(f"sekisho: {message}")
    assert len(done.stderr.splitlines()) == 1


def test_a_cluster_with_another_version_is_refused(executor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_team, "introduction", lambda: "another version")
    with pytest.raises(RunError, match=r"a machine of the cluster has sekisho .*, this one another version: install"):
        list(executor.run(tasks.square, range(3)))
