"""A run of training in a folder: iteration after iteration, each ended by a checkpoint from which the run can go on."""

from __future__ import annotations

import copy
import importlib.metadata
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from .. import __version__
from ..agents.networks.config import shape_of
from ..agents.networks.files import StoredNetwork
from ..agents.networks.torch_backend import arrays_of
from ..arena.records import GameRecord
from ..envs.errors import CheckpointError, OptionError
from ..envs.files import write_text_atomically
from .board import Board
from .checkpoint import NETWORK, Arrays, Checkpoints, Progress, read_weights, write_weights
from .config import IMITATION, SEARCH, SELFPLAY, Config
from .evaluation import Evaluator, Strengths, better, name_of, player_of
from .exact_loss import Gauge, gauge_of
from .executors import Executor
from .judging import Judge
from .method import Method
from .metrics import MetricsLog
from .selfplay_learning import SelfPlayLearning
from .watching import Nobody, Watcher

BEST = "best.safetensors"
CHECKPOINTS, POSITIONS, GAMES, METRICS, BOARD = "checkpoints", "positions", "games", "metrics.jsonl", "tensorboard"
"""Names in the folder of a run, see `docs/training.md`."""


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
        self._method = _method_of(config, folder / POSITIONS, module)
        self._strengths = Strengths()
        self._checkpoints = Checkpoints(
            folder / CHECKPOINTS, self.game, self._method.network, config.method, self._method.rules
        )
        self._gauge: Gauge | None = None
        self._previous: Judge | None = None
        self.progress = Progress()

    @property
    def done(self) -> bool:
        """Whether all iterations have been run."""
        return self.progress.iteration >= self.config.iterations and self.progress.evaluated >= 0

    def begin(self) -> None:
        """Make ready for the first iteration of a new run.

        Raises:
            OptionError: if a file that it is to begin with is no good.
        """
        self._method.begin()

    def restore(self) -> bool:
        """Go back to the newest checkpoint; return whether there was one.

        Raises:
            CheckpointError: if something that belongs to it is damaged or gone.
        """
        iterations = self._checkpoints.iterations()
        if not iterations:
            self._require_young()
            return False
        try:
            self._restore(iterations[-1])
        except CheckpointError as error:
            raise CheckpointError(f"{error}; {self._way_out(iterations)}") from error
        if self.progress.best >= 0 and not self._best_is_kept():
            self._keep_best()
        return True

    def _restore(self, iteration: int) -> None:
        """Stand where the run stood at the end of an iteration."""
        weights, arrays, progress = self._checkpoints.read(iteration)
        self._load(self._method.module, weights)
        self._method.restore(arrays, progress)
        try:
            self._strengths = Strengths.from_list(progress.strengths)
        except (TypeError, ValueError) as error:
            path = self._checkpoints.path(iteration)
            raise CheckpointError(f"{path} is damaged: the games of its evaluations are not in it") from error
        self.progress = progress
        self._previous = self._judge_of(progress.evaluated) if progress.evaluated >= 0 else None

    def _require_young(self) -> None:
        """Refuse to begin anew where a run has got somewhere, whose checkpoints are gone."""
        path = self._checkpoints.folder
        if path.exists() and not path.is_dir():
            raise CheckpointError(f"{path} is no folder, so there is no checkpoint to go on from")
        left = [self.folder / BEST, *(self.folder / POSITIONS).glob("*.safetensors")]
        if any(one.exists() for one in left):
            raise CheckpointError(
                f"there is no checkpoint in {path}, but the run had got somewhere: put its checkpoints back, or begin anew "
                f"in another folder"
            )

    def _way_out(self, iterations: Sequence[int]) -> str:
        """Return from where the run can go on if not from its newest checkpoint, in words."""
        for older in reversed(iterations[:-1]):
            try:
                self._restore(older)
            except CheckpointError:
                continue
            later = ", ".join(str(self._checkpoints.path(one)) for one in iterations if one > older)
            return f"to go on from iteration {older}, move away {later}"
        return "there is no older checkpoint from which the run can go on: begin a new one"

    def go(self, executor: Executor) -> None:
        """Run all iterations that are left.

        Args:
            executor: who plays. This process may use the GPU for that; others leave it to the learner.

        Raises:
            RunError: if training goes astray, a process dies, or something cannot be written.
        """
        torch.set_num_threads(self.config.threads)
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
        """Learn and measure; in iteration 0 measure only."""
        progress = self.progress
        metrics = {"train/learning_rate": self._method.learning_rate(max(iteration, 1), progress.steps)}
        records: list[GameRecord] = []
        if iteration > 0:
            learned, records = self._method.learn(
                executor, iteration, progress,
                lambda name, done, total: self._watcher.phase(iteration, name, done, total),
            )  # fmt: skip
            metrics |= learned
        metrics |= {
            "selfplay/games_total": progress.games,
            "selfplay/positions_total": progress.positions,
            "train/buffer_size": progress.buffer,
            "train/sample_reuse": progress.drawn / max(progress.positions, 1),
        }
        if iteration % self.config.evaluation.every == 0 or iteration == self.config.iterations:
            measured, games = self._measure(executor, iteration)
            metrics |= measured
            records = records or games
        return metrics, records

    def _measure(self, executor: Executor, iteration: int) -> tuple[dict[str, float], list[GameRecord]]:
        """Let the network play its opponents, and note if it is the best so far."""
        progress, settings = self.progress, self.config.evaluation
        judge, device = self._judge(), self._method.play_device(executor)
        previous = None if self._previous is None else (progress.evaluated, self._previous)
        backend, threads = self.config.selfplay.backend, self.config.threads
        evaluator = Evaluator(
            self.game, settings, backend, self.config.seed, self.config.keeping.records, threads, device
        )
        metrics = evaluator.measure(
            executor, self._strengths, iteration, judge, previous,
            lambda done, total: self._watcher.phase(iteration, "evaluation", done, total),
        )  # fmt: skip
        if settings.exact:
            self._gauge = self._gauge or gauge_of(self.game)
            if self._gauge is not None:
                player = player_of(judge, settings, backend, threads, device)
                metrics["eval/exact_loss"] = self._gauge(player, self.config.seed)
        if progress.best >= 0:
            ratings = self._strengths.ratings(self.game.ranks_losers)
            progress.best_scores["eval/elo"] = ratings[name_of(progress.best)]
        if progress.best < 0 or better(metrics, progress.best_scores):
            progress.best = iteration
            progress.best_scores = {name: value for name, value in metrics.items() if name.startswith("eval/")}
        progress.evaluated, self._previous = iteration, judge
        return metrics, evaluator.records

    # --- files -------------------------------------------------------------------------------------------------------

    def _write(self, iteration: int, records: list[GameRecord]) -> None:
        """End an iteration with its checkpoint, and remove what is not needed any more."""
        progress, keeping = self.progress, self.config.keeping
        progress.iteration = iteration
        newest = [*self._checkpoints.iterations(), iteration][-keeping.last :]
        progress.oldest[str(iteration)] = min((number for number, _ in progress.window), default=0)
        progress.measured[str(iteration)] = progress.evaluated
        progress.oldest = {name: first for name, first in progress.oldest.items() if int(name) in newest}
        progress.measured = {name: last for name, last in progress.measured.items() if int(name) in newest}
        progress.strengths = self._strengths.to_list()
        if records:
            path = self.folder / GAMES / f"{iteration:06d}.jsonl"
            path.parent.mkdir(exist_ok=True)
            write_text_atomically(path, "".join(record.to_json() + "\n" for record in records))
        self._checkpoints.write(self._method.module, self._method.arrays(), progress, self._recipe(iteration))
        if progress.best == iteration:
            self._keep_best()
        there = self._checkpoints.iterations()
        for_good = {number for number in there if keeping.every and number and number % keeping.every == 0}
        self._checkpoints.prune({*there[-keeping.last :], *for_good, progress.best, *progress.measured.values()})
        for path in (self.folder / POSITIONS).glob("*.safetensors"):
            if path.stem.isdecimal() and int(path.stem) < min(progress.oldest.values()):
                path.unlink()

    def _keep_best(self) -> None:
        """Put the network of the best checkpoint in its place."""
        path, best = self.folder / BEST, self.progress.best
        if path.exists() and not path.is_file():
            raise CheckpointError(f"{path} is in the place of the best network: move it away")
        recipe = self._recipe(best) | {"scores": self.progress.best_scores}
        method, module = self._method, self._method.module
        if best != self.progress.iteration:
            module = copy.deepcopy(module)
            self._load(module, self._weights_of(best, "the best so far"))
        write_weights(path, self.game, method.network, module, recipe, method.rules)

    def _best_is_kept(self) -> bool:
        """Return whether the best network is in its place: a run may have been stopped just before it got there."""
        try:
            kept = read_weights(self.folder / BEST, self.game, self._method.network)
        except (CheckpointError, OSError):
            return False
        try:
            wanted = self._weights_of(self.progress.best, "the best so far")
        except CheckpointError:  # what is in its place is all that is left of it
            return True
        return kept.keys() == wanted.keys() and all(np.array_equal(kept[name], wanted[name]) for name in wanted)

    def _recipe(self, iteration: int) -> dict[str, Any]:
        """Return how the network came about, without times: the same run writes the same file."""
        versions = {"sekisho": __version__, "torch": importlib.metadata.version("torch")}
        return {"iteration": iteration, "config": self.config.to_dict(), "versions": versions}

    # --- networks ----------------------------------------------------------------------------------------------------

    def _judge(self) -> Judge:
        """Return the network as it is now, whatever becomes of it."""
        if self._method.network is None:
            return copy.deepcopy(self._method.module)
        return self._stored(arrays_of(self._method.module))

    def _judge_of(self, iteration: int) -> Judge:
        """Return the network of a checkpoint that was measured."""
        arrays = self._weights_of(iteration, "the last that was measured")
        if self._method.network is None:
            module = copy.deepcopy(self._method.module)
            self._load(module, arrays)
            return module
        return self._stored(arrays)

    def _weights_of(self, iteration: int, which: str) -> Arrays:
        """Return the weights of a checkpoint; `which` it is, for messages."""
        path = self._checkpoints.path(iteration) / NETWORK
        try:
            return read_weights(path, self.game, self._method.network)
        except OSError as error:
            raise CheckpointError(
                f"the network of iteration {iteration}, {which}, cannot be read: {path}: {error.strerror}"
            ) from error

    def _stored(self, arrays: Mapping[str, Any]) -> StoredNetwork:
        method, game = self._method, self.game
        config = method.network or self.config.network
        return StoredNetwork(config, shape_of(game, config), game.name, method.rules, arrays)

    def _load(self, module: nn.Module, arrays: Mapping[str, Any]) -> None:
        try:
            module.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
        except RuntimeError as error:
            raise CheckpointError(f"the checkpoint has the weights of another network: {error}") from error


def _method_of(config: Config, positions: Path, module: nn.Module | None) -> Method:
    """Return the way of learning that a configuration names."""
    if config.method == SELFPLAY:
        return SelfPlayLearning(config, positions, module)
    if config.method == IMITATION:
        from .imitation_learning import ImitationLearning

        return ImitationLearning(config, positions, module)
    if module is not None:
        raise OptionError(
            f"the method {config.method!r} trains a network of this package: a network of your own learns from self-play "
            "or from a teacher (imitation)"
        )
    if config.method == SEARCH:
        from .searching.learning import SearchLearning

        return SearchLearning(config, positions)
    from .values.learning import ValueLearning

    return ValueLearning(config)
