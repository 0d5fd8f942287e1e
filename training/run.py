"""A run of training in a folder: iteration after iteration, each ended by a checkpoint from which the run can go on."""

from __future__ import annotations

import copy
import importlib.metadata
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch
from torch import nn

from .. import __version__
from ..agents.networks.config import NetworkConfig, shape_of
from ..agents.networks.files import StoredNetwork, rules_of
from ..agents.networks.modules import build_network
from ..agents.networks.torch_backend import arrays_of
from ..arena.records import GameRecord
from ..envs.core import Game
from ..envs.errors import CheckpointError
from ..envs.files import write_text_atomically
from .board import Board
from .checkpoint import NETWORK, Checkpoints, Progress, read_weights, write_weights
from .config import Config, SelfPlay
from .evaluation import Evaluator, Strengths, better, name_of, player_of
from .exact_loss import Gauge, gauge_of
from .executors import Executor, Serial
from .judging import Judge, evaluator_of
from .learner import Learner
from .metrics import MetricsLog, selfplay_metrics
from .positions import Positions
from .replay import Replay, read_positions, write_positions
from .selfplay import Numbers, Played, SelfPlayers, Tally

BEST = "best.safetensors"
CHECKPOINTS, POSITIONS, GAMES, METRICS, BOARD = "checkpoints", "positions", "games", "metrics.jsonl", "tensorboard"
"""Names in the folder of a run, see `docs/training.md`."""


class Watcher(Protocol):
    """Somebody who looks on."""

    def begins(self, first: int, last: int) -> None:
        """Be told which iterations are to come."""
        ...

    def phase(self, iteration: int, name: str, done: int, total: int) -> None:
        """Be told how far a part of an iteration is; `iteration` 0 is the measuring of the untrained network."""
        ...

    def finished(self, iteration: int, metrics: Mapping[str, float]) -> None:
        """Be told that an iteration is over and its checkpoint is written."""
        ...


class Nobody:
    """A watcher that looks away."""

    def begins(self, first: int, last: int) -> None:
        """See `Watcher.begins`."""

    def phase(self, iteration: int, name: str, done: int, total: int) -> None:
        """See `Watcher.phase`."""

    def finished(self, iteration: int, metrics: Mapping[str, float]) -> None:
        """See `Watcher.finished`."""


class Batch(NamedTuple):
    """Games of self-play for one process; a task for an executor."""

    game: Game
    settings: SelfPlay
    numbers: Numbers
    records: int
    threads: int
    device: str


def play_batch(batch: Batch, judge: Judge) -> Played:
    """Play the games of a batch with a network."""
    evaluator = evaluator_of(judge, batch.settings.backend, batch.threads, batch.device)
    return SelfPlayers(batch.game, evaluator, batch.settings, batch.numbers, batch.records).play()


class Run:
    """A run of training.

    Args:
        config: what it is told.
        folder: where it is kept; nothing else may be written there meanwhile.
        module: somebody's own network in the place of one that ``config.network`` describes: called and answering as
            those of `agents.networks.modules`.
        watcher: who looks on.

    Attributes:
        progress: where the run stands.
    """

    def __init__(
        self, config: Config, folder: Path, module: nn.Module | None = None, watcher: Watcher | None = None
    ) -> None:
        self.config, self.folder = config, folder
        self.game = config.load_game()
        self._watcher: Watcher = watcher or Nobody()
        self._network: NetworkConfig | None = config.network if module is None else None
        self._module = build_network(self.game, config.network, config.seed) if module is None else module
        self._learner = Learner(self.game, self._module, config.learning, config.device, config.iterations)
        self._replay = Replay(self.game, config.learning.window, config.learning.reuse_limit)
        self._strengths = Strengths()
        self._checkpoints = Checkpoints(folder / CHECKPOINTS, self.game, self._network)
        self._play_device = "cpu"
        self._gauge: Gauge | None = None
        self._previous: Judge | None = None
        self.progress = Progress()

    @property
    def done(self) -> bool:
        """Whether all iterations have been run."""
        return self.progress.iteration >= self.config.iterations and self.progress.evaluated >= 0

    def restore(self) -> bool:
        """Go back to the newest checkpoint; return whether there was one.

        Raises:
            CheckpointError: if something that belongs to it is damaged or gone.
        """
        iterations = self._checkpoints.iterations()
        if not iterations:
            return False
        weights, optimizer, uses, progress = self._checkpoints.read(iterations[-1])
        self._load(self._module, weights)
        self._learner.restore_optimizer(optimizer)
        self._learner.steps, self.progress = progress.steps, progress
        self._strengths = Strengths.from_list(progress.strengths)
        parts = []
        for iteration, _ in progress.window:
            path = self._positions_path(iteration)
            try:
                parts.append(read_positions(path, self.game, iteration, progress.position_files[str(iteration)]))
            except OSError as error:
                raise CheckpointError(
                    f"cannot read {path}, which the replay buffer of iteration {progress.iteration} needs: "
                    f"{error.strerror}"
                ) from error
        self._replay.positions = Positions.joined(self.game, parts)
        self._replay.counts = [(iteration, count) for iteration, count in progress.window]
        self._replay.uses, self._replay.added, self._replay.drawn = uses, progress.positions, progress.drawn
        if len(self._replay) != len(self._replay.positions.seats):
            raise CheckpointError(f"the positions in {self.folder / POSITIONS} are not those of the checkpoint")
        if progress.evaluated >= 0:
            self._previous = self._judge_of(progress.evaluated)
        if progress.best == progress.iteration:  # the run may have been stopped just before this
            self._keep_best()
        return True

    def go(self, executor: Executor) -> None:
        """Run all iterations that are left.

        Args:
            executor: who plays. This process may use the GPU for that; others leave it to the learner.

        Raises:
            RunError: if training goes astray, a process dies, or something cannot be written.
        """
        torch.set_num_threads(self.config.threads)
        here = isinstance(executor, Serial) and self._learner.device.type == "cuda"
        self._play_device = "cuda" if here and self.config.selfplay.backend != "compiled" else "cpu"
        fresh = self.progress.evaluated < 0
        last = -1 if fresh else self.progress.iteration
        log, board = MetricsLog(self.folder / METRICS, last), Board(self.folder / BOARD, last + 1)
        self._watcher.begins(last + 1, self.config.iterations)
        try:
            if fresh:
                board.configuration(self.config)
            for iteration in range(last + 1, self.config.iterations + 1):
                begin = time.monotonic()
                metrics, records = self._iterate(executor, iteration)
                self.progress.seconds += time.monotonic() - begin
                log.add(iteration, metrics)
                board.metrics(iteration, metrics)
                board.games(iteration, records)
                self._write(iteration, records)
                self._watcher.finished(iteration, metrics)
        finally:
            board.close()

    def _iterate(self, executor: Executor, iteration: int) -> tuple[dict[str, float], list[GameRecord]]:
        """Play, learn and measure; in iteration 0 measure only."""
        metrics: dict[str, float] = {"train/learning_rate": self._learner.learning_rate(max(iteration, 1))}
        records: list[GameRecord] = []
        if iteration > 0:
            begin = time.monotonic()
            played = self._play(executor, iteration)
            records = played.records
            between = time.monotonic()
            new = len(played.positions.seats)
            self._replay.add(iteration, played.positions)
            self.progress.position_files[str(iteration)] = write_positions(
                self._positions_path(iteration), self.game, iteration, played.positions
            )
            steps = self._learner.steps
            metrics |= self._learner.learn(
                self._replay, new, self.config.seed, iteration,
                lambda done, total: self._watcher.phase(iteration, "learning", done, total),
            )  # fmt: skip
            learned = max(time.monotonic() - between, 1e-9)
            metrics |= selfplay_metrics(played.tally, between - begin)
            metrics["speed/train_steps_per_second"] = (self._learner.steps - steps) / learned
            self.progress.games += played.tally.games
        metrics |= {
            "selfplay/games_total": self.progress.games,
            "selfplay/positions_total": self._replay.added,
            "train/buffer_size": len(self._replay),
            "train/sample_reuse": self._replay.drawn / max(self._replay.added, 1),
        }
        if iteration % self.config.evaluation.every == 0 or iteration == self.config.iterations:
            metrics |= self._measure(executor, iteration)
        return metrics, records

    def _play(self, executor: Executor, iteration: int) -> Played:
        settings, judge = self.config.selfplay, self._judge()
        tasks = []
        for first in range(0, settings.games, settings.tables):
            count = min(settings.tables, settings.games - first)
            numbers = Numbers(self.config.seed, iteration, first, count)
            tasks.append(
                Batch(
                    self.game, settings, numbers, self.config.keeping.records, self.config.threads, self._play_device
                )
            )  # fmt: skip
        parts, records, tally = [], [], Tally()
        self._watcher.phase(iteration, "self-play", 0, settings.games)
        for played in executor.run(play_batch, tasks, judge):
            parts.append(played.positions)
            records += played.records
            tally.add(played.tally)
            self._watcher.phase(iteration, "self-play", tally.games, settings.games)
        return Played(Positions.joined(self.game, parts), records, tally)

    def _measure(self, executor: Executor, iteration: int) -> dict[str, float]:
        """Let the network play its opponents, and note if it is the best so far."""
        progress, settings = self.progress, self.config.evaluation
        judge = self._judge(frozen=True)
        previous = None if self._previous is None else (progress.evaluated, self._previous)
        backend, threads = self.config.selfplay.backend, self.config.threads
        evaluator = Evaluator(self.game, settings, backend, self.config.seed, threads, self._play_device)
        metrics = evaluator.measure(
            executor, self._strengths, iteration, judge, previous,
            lambda done, total: self._watcher.phase(iteration, "evaluation", done, total),
        )  # fmt: skip
        if settings.exact:
            self._gauge = self._gauge or gauge_of(self.game)
            if self._gauge is not None:
                player = player_of(judge, settings, backend, threads, self._play_device)
                metrics["eval/exact_loss"] = self._gauge(player, self.config.seed)
        if progress.best >= 0:
            ratings = self._strengths.ratings(self.game.ranks_losers)
            progress.best_scores["eval/elo"] = ratings[name_of(progress.best)]
        if progress.best < 0 or better(metrics, progress.best_scores):
            progress.best = iteration
            progress.best_scores = {name: value for name, value in metrics.items() if name.startswith("eval/")}
        progress.evaluated, self._previous = iteration, judge
        return metrics

    # --- files -------------------------------------------------------------------------------------------------------

    def _write(self, iteration: int, records: list[GameRecord]) -> None:
        """End an iteration with its checkpoint, and remove what is not needed any more."""
        progress, keeping = self.progress, self.config.keeping
        progress.iteration, progress.steps = iteration, self._learner.steps
        progress.positions, progress.drawn = self._replay.added, self._replay.drawn
        progress.window = [[number, count] for number, count in self._replay.counts]
        held = [number for number, _ in self._replay.counts]
        progress.position_files = {str(number): progress.position_files[str(number)] for number in held}
        newest = [*self._checkpoints.iterations(), iteration][-keeping.last :]
        progress.oldest[str(iteration)] = min(held, default=0)
        progress.oldest = {name: first for name, first in progress.oldest.items() if int(name) in newest}
        progress.strengths = self._strengths.to_list()
        if records:
            path = self.folder / GAMES / f"{iteration:06d}.jsonl"
            path.parent.mkdir(exist_ok=True)
            write_text_atomically(path, "".join(record.to_json() + "\n" for record in records))
        optimizer = self._learner.optimizer_arrays()
        self._checkpoints.write(self._module, optimizer, self._replay.uses, progress, self._recipe(iteration))
        if progress.best == iteration:
            self._keep_best()
        there = self._checkpoints.iterations()
        for_good = {number for number in there if keeping.every and number and number % keeping.every == 0}
        self._checkpoints.prune({*there[-keeping.last :], *for_good, progress.best, progress.evaluated})
        for path in (self.folder / POSITIONS).glob("*.safetensors"):
            if int(path.stem) < min(progress.oldest.values()):
                path.unlink()

    def _keep_best(self) -> None:
        """Put the network of the newest checkpoint in the place of the best one."""
        path = self.folder / BEST
        recipe = self._recipe(self.progress.iteration) | {"scores": self.progress.best_scores}
        write_weights(path, self.game, self._network, self._module, recipe)

    def _positions_path(self, iteration: int) -> Path:
        return self.folder / POSITIONS / f"{iteration:06d}.safetensors"

    def _recipe(self, iteration: int) -> dict[str, Any]:
        """Return how the network came about, without times: the same run writes the same file."""
        versions = {"sekisho": __version__, "torch": importlib.metadata.version("torch")}
        return {"iteration": iteration, "config": self.config.to_dict(), "versions": versions}

    # --- networks ----------------------------------------------------------------------------------------------------

    def _judge(self, frozen: bool = False) -> Judge:
        """Return the network as it is now; a module of somebody's own is handed out as it is unless it is to stay so."""
        if self._network is None:
            return copy.deepcopy(self._module) if frozen else self._module
        arrays = arrays_of(self._module)
        return StoredNetwork(self._network, shape_of(self.game), self.game.name, rules_of(self.game), arrays)

    def _judge_of(self, iteration: int) -> Judge:
        """Return the network of a checkpoint."""
        try:
            arrays = read_weights(self._checkpoints.path(iteration) / NETWORK, self.game, self._network)
        except OSError as error:
            raise CheckpointError(
                f"the network of iteration {iteration}, the last that was measured, cannot be read: {error.strerror}"
            ) from error
        if self._network is None:
            module = copy.deepcopy(self._module)
            self._load(module, arrays)
            return module
        return StoredNetwork(self._network, shape_of(self.game), self.game.name, rules_of(self.game), arrays)

    def _load(self, module: nn.Module, arrays: Mapping[str, Any]) -> None:
        try:
            module.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
        except RuntimeError as error:
            raise CheckpointError(f"the checkpoint has the weights of another network: {error}") from error
