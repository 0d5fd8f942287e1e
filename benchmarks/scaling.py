"""What more workers are worth, what is sent for a game, and what that comes to with a thousand of them.

Self-play by one worker and by two takes turns in one run, with the same games, since the load of a machine changes from
minute to minute. Beside the seconds stands what does not depend on who else uses the processors: the processor time of a
game, and the share of the time in which a worker had work. On a machine whose second core is busy with something else
the ratio of the seconds says little; the load average is printed beside it.

    python benchmarks/scaling.py [--game tokaido] [--config selfplay_laptop] [--executor processes] [--repeats 5]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from contextlib import closing
from typing import Any, NamedTuple

import torch
from wanted import count, run_in_words

from sekisho.agents.networks.config import shape_of
from sekisho.agents.networks.files import StoredNetwork, rules_of
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.arena.crew import Crew
from sekisho.arena.executors import make_executor
from sekisho.arena.tournament import Chunk, Tournament, play_chunk, schedule
from sekisho.arena.wire import encode
from sekisho.training.config import Config, with_settings
from sekisho.training.learner import Learner
from sekisho.training.positions import Positions
from sekisho.training.presets import preset_config, presets_of
from sekisho.training.replay import Replay
from sekisho.training.selfplay import Numbers, Played
from sekisho.training.selfplay_learning import Batch, play_batch

WORKERS = (2, 16, 100, 1000)


class Timed(NamedTuple):
    """A task that was done, with its seconds and its processor seconds."""

    played: Played
    seconds: float
    processor: float


def timed_batch(batch: Batch, judge: StoredNetwork) -> Timed:
    """Play a batch; threads that only wait cost no processor time."""
    begin, busy = time.perf_counter(), time.process_time()
    played = play_batch(batch, judge)
    return Timed(played, time.perf_counter() - begin, time.process_time() - busy)


class Measured(NamedTuple):
    """All batches, by so many workers.

    Attributes:
        seconds: from the first task to the last answer.
        processor: seconds of all workers.
        busy: share of their time in which the workers had a task, those at the end included who found none.
        here: processor seconds of this process, which hands out and takes in.
        done: what came back.
    """

    seconds: float
    processor: float
    busy: float
    here: float
    done: list[Timed]


def measure(executor: Any, batches: list[Batch], judge: StoredNetwork) -> Measured:
    """Play all batches."""
    begin, here = time.perf_counter(), time.process_time()
    done = list(executor.run(timed_batch, batches, judge))
    seconds, here = time.perf_counter() - begin, time.process_time() - here
    return Measured(
        seconds,
        sum(one.processor for one in done),
        sum(one.seconds for one in done) / (seconds * executor.workers),
        here,
        done,
    )


def network_of(config: Config) -> StoredNetwork:
    """Return the untrained network of a configuration."""
    game = config.load_game()
    arrays = arrays_of(build_network(game, config.network, config.seed))
    return StoredNetwork(config.network, shape_of(game), game.name, rules_of(game), arrays)


def batches_of(config: Config, games: int, tables: int) -> list[Batch]:
    """Return the tasks of an iteration."""
    game = config.load_game()
    return [
        Batch(game, config.selfplay, Numbers(config.seed, 1, first, min(tables, games - first)), 2, 1, "cpu")
        for first in range(0, games, tables)
    ]


def learning_rate_of(config: Config, played: list[Played], seconds: float) -> float:
    """Return the positions that one thread of this machine learns from in a second of processor time."""
    torch.set_num_threads(1)
    game = config.load_game()
    learner = Learner(game, build_network(game, config.network, config.seed), config.learning, "cpu", 1)
    positions = Positions.joined(game, [one.positions for one in played])
    learned, spent = 0, 0.0
    while spent < seconds:
        replay = Replay(game, config.learning.window, config.learning.reuse_limit)
        replay.add(1, positions)
        steps, begin = learner.steps, time.process_time()
        learner.learn(replay, len(positions.seats), 0, 1)
        spent += time.process_time() - begin
        learned += (learner.steps - steps) * config.learning.batch_size
    return learned / spent


def bytes_of_tournament(game: Any) -> tuple[float, float]:
    """Return the bytes of a game of a tournament, there and back."""
    tournament = Tournament(game, ("random", "heuristic"), 16)
    chunk = Chunk(list(schedule(tournament)))
    return len(encode((play_chunk, chunk))) / 16, len(encode(play_chunk(chunk, tournament, {}))) / 16


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="tokaido")
    parser.add_argument("--config", help="a preset that learns from self-play; default: its laptop one")
    parser.add_argument("--executor", default="processes")
    parser.add_argument("--address", help="of a cluster of Ray")
    parser.add_argument("--games", type=count(), default=64)
    parser.add_argument("--tables", type=count(), default=4, help="games of a task, side by side")
    parser.add_argument("--simulations", type=count(), help="of a full search (default: the preset's)")
    parser.add_argument("--repeats", type=count(), default=5)
    wanted = parser.parse_args()
    changes: dict[str, Any] = {"selfplay.games": wanted.games, "selfplay.tables": wanted.tables}
    if wanted.simulations:
        changes["selfplay.simulations"] = wanted.simulations
    preset = wanted.config or ("selfplay_laptop" if "selfplay_laptop" in presets_of(wanted.game) else "laptop")
    config = with_settings(preset_config(wanted.game, preset), changes)
    judge, batches = network_of(config), batches_of(config, wanted.games, wanted.tables)

    if wanted.executor == "ray" and wanted.address is None:  # room for one worker and for two
        import ray

        ray.init(address="local", num_cpus=3, include_dashboard=False, log_to_driver=False)
    found: dict[int, list[Measured]] = {1: [], 2: []}
    with (
        closing(make_executor(1, wanted.executor, wanted.address)) as one,
        closing(make_executor(2, wanted.executor, wanted.address)) as two,
    ):
        for executor in (one, two):  # both have compiled and loaded everything before the clock runs
            list(executor.run(timed_batch, batches[:2], judge))
        for number in range(wanted.repeats):
            for executor in (one, two) if number % 2 == 0 else (two, one):
                found[executor.workers].append(measure(executor, batches, judge))
        shared = two.traffic.shared_bytes if isinstance(two, Crew) else 0
    _tell(wanted, config, found, batches, shared)


def _tell(wanted: Any, config: Config, found: dict[int, list[Measured]], batches: list[Batch], shared: int) -> None:
    played = [one.played for one in found[1][0].done]
    games = sum(one.tally.games for one in played)
    same = all(
        [one.played.records for one in measured.done] == [one.records for one in played]
        for measured in found[1] + found[2]
    )
    print(f"{wanted.game}, {config.preset}, {wanted.executor}: {games} games in {len(batches)} tasks; the same: {same}")
    print("times as fast with two workers, each repeat:", *(f"{a.seconds / b.seconds:.2f}" for a, b in _pairs(found)))
    speed = statistics.median(a.seconds / b.seconds for a, b in _pairs(found))
    dearer = statistics.median(b.processor / a.processor for a, b in _pairs(found))
    busy = {workers: statistics.median(one.busy for one in many) for workers, many in found.items()}
    got = {workers: statistics.median(o.processor / o.seconds for o in many) for workers, many in found.items()}
    print(f"median {speed:.2f}, {speed / 2:.3f} of ideal")
    print(
        f"processors that the workers got: {got[1]:.2f} of 1, {got[2]:.2f} of 2; load average {os.getloadavg()[0]:.1f}"
    )
    print(f"processor time of a game with two workers: {dearer:.3f} times that with one")
    print(f"share of the time in which workers had work: {busy[1]:.3f} with one, {busy[2]:.3f} with two")
    print(f"of ideal, had each worker a processor: {busy[2] / busy[1] / dearer:.3f}")

    best = min(found[1] + found[2], key=lambda one: one.processor)
    each, here = best.processor / games, min(one.here for one in found[2]) / games
    positions = sum(one.tally.positions for one in played) / games
    task, answer = len(encode((play_batch, batches[0]))) / wanted.tables, len(encode(played)) / games
    print(f"a game: {each:.2f} processor seconds, {positions:.0f} positions; here {1000 * here:.2f} ms to hand it out")
    print(f"bytes of a game of self-play: {task:.0f} there, {answer:,.0f} back; the network, once: {shared:,}")
    there, back = bytes_of_tournament(config.load_game())
    print(f"bytes of a game of a tournament: {there:.0f} there, {back:,.0f} back")
    learned = learning_rate_of(config, played, 10.0)
    print(f"learned here by one thread: {learned:,.0f} positions in a second of processor time")
    print("workers, games/s, positions/s, MB/s back, MB of the network for each to fetch, share of this process, ")
    print("  positions/s to learn from at the reuse of the configuration")
    for workers in WORKERS:
        rate = workers / each
        print(
            f"  {workers:5d} {rate:9.1f} {rate * positions:9,.0f} {rate * answer / 1e6:8.2f} {workers * shared / 1e6:8.0f} "
            f"{rate * here:8.3f} {rate * positions * config.learning.reuse:9,.0f}"
        )


def _pairs(found: dict[int, list[Measured]]) -> list[tuple[Measured, Measured]]:
    return list(zip(found[1], found[2], strict=True))


if __name__ == "__main__":
    run_in_words(main)
