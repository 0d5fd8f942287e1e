"""Learning from games: positions go to a replay buffer, and training steps are taken on what is drawn from it.

What `selfplay_learning` and `imitation_learning` share; they differ in who plays.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from ..agents.networks.config import NetworkConfig, shape_of
from ..agents.networks.files import StoredNetwork, rules_of
from ..agents.networks.modules import build_network
from ..agents.networks.torch_backend import arrays_of
from ..arena.records import GameRecord
from ..envs.errors import CheckpointError, OptionError, RunError
from .checkpoint import Arrays, Progress
from .config import Config
from .executors import Executor, Serial
from .judging import Judge
from .learner import Learner
from .method import Report
from .metrics import games_metrics
from .positions import Positions
from .replay import Replay, read_positions, write_positions
from .selfplay import Played
from .tally import Tally
from .weights import network_to_start_from, require_usable

_USES = "replay/uses"


class GamesLearning(ABC):
    """A `Method` whose games leave positions with a policy and values.

    Args:
        config: of the run.
        positions: folder for the positions of each iteration.
        module: somebody's own network in the place of one that ``config.network`` describes.
    """

    no_policy: str
    """What is said of a network that has no policy."""
    more_positions: str
    """The settings of which one is to be raised where games leave no position."""

    def __init__(self, config: Config, positions: Path, module: nn.Module | None = None) -> None:
        self.game = config.load_game()
        self.config = config
        self.network: NetworkConfig | None = config.network if module is None else None
        self.module = self.new_module() if module is None else module
        self.rules: Mapping[str, tuple[Any, ...]] = rules_of(self.game)
        self._folder = positions
        self._learner = self.new_learner()
        self._replay = Replay(self.game, config.learning.window, config.learning.reuse_limit)

    def play_device(self, executor: Executor) -> str:
        """See `Method.play_device`: on a GPU if it learns there and nobody else plays."""
        here = isinstance(executor, Serial) and self._learner.device.type == "cuda"
        return "cuda" if here and self.config.selfplay.backend != "compiled" else "cpu"

    def begin(self) -> None:
        """See `Method.begin`: take the weights of the network to begin with, if there is to be one."""
        if not self.config.learning.start:
            return
        if self.network is None:
            raise OptionError("learning.start is for networks of this package: load the weights into your own yourself")
        start = network_to_start_from("learning.start", self.config.learning.start, self.network, [self.game])
        self.module.load_state_dict(start)

    def learning_rate(self, iteration: int, steps: int) -> float:
        """See `Method.learning_rate`."""
        self._learner.steps = steps
        return self._learner.learning_rate(iteration)

    def learn(
        self, executor: Executor, iteration: int, progress: Progress, report: Report
    ) -> tuple[dict[str, float], list[GameRecord]]:
        """See `Method.learn`."""
        begin = time.monotonic()
        played = self.play(executor, iteration, report)
        between = time.monotonic()
        if not len(self._replay) + len(played.positions.seats):
            raise RunError(
                f"the {played.tally.games:,} games of iteration {iteration} left no position to learn from: raise "
                f"{self.more_positions}"
            )
        measured = self.measured(played, between - begin)
        between = time.monotonic()
        self._replay.add(iteration, played.positions)
        checksum = write_positions(self._path(iteration), self.game, iteration, played.positions)
        steps = self._learner.steps
        metrics = self._learner.learn(
            self._replay, len(played.positions.seats), self.config.seed, iteration,
            lambda done, total: report("learning", done, total),
        )  # fmt: skip
        if self.network is not None:
            require_usable(self.module, "learning.learning_rate")
        learned = max(time.monotonic() - between, 1e-9)
        progress.games += played.tally.games
        progress.steps, progress.positions = self._learner.steps, self._replay.added
        progress.drawn, progress.buffer = self._replay.drawn, len(self._replay)
        progress.window = [[number, count] for number, count in self._replay.counts]
        files = progress.position_files | {str(iteration): checksum}
        progress.position_files = {str(number): files[str(number)] for number, _ in self._replay.counts}
        metrics |= measured
        metrics["speed/train_steps_per_second"] = (self._learner.steps - steps) / learned
        return metrics, played.records

    def new_module(self) -> nn.Module:
        """Return the network that the run describes, with the weights of its seed."""
        if self.config.network.kind == "nnue":
            raise OptionError(self.no_policy)
        return build_network(self.game, self.config.network, self.config.seed)

    def new_learner(self) -> Learner:
        """Return what trains the network."""
        return Learner(self.game, self.module, self.config.learning, self.config.device, self.config.iterations)

    @abstractmethod
    def play(self, executor: Executor, iteration: int, report: Report) -> Played:
        """Play the games of an iteration; see `Method.learn`."""

    def gathered(self, answers: Iterable[Played], report: Callable[[int], None]) -> Played:
        """Return what the tasks of an iteration have played as one.

        Args:
            answers: of the tasks, in their order.
            report: told how many games are done, 0 at the beginning.
        """
        parts, records, tally = list[Positions](), list[GameRecord](), Tally()
        report(0)
        for played in answers:
            parts.append(played.positions)
            records += played.records
            tally.add(played.tally)
            report(tally.games)
        return Played(Positions.joined(self.game, parts), records, tally)

    def measured(self, played: Played, seconds: float) -> dict[str, float]:
        """Return the metrics of games that took some seconds, before anything is learned from them."""
        return games_metrics(played.tally, seconds)

    def judge(self) -> Judge:
        """Return the network as it is now."""
        if self.network is None:
            return self.module
        return StoredNetwork(
            self.network, shape_of(self.game, self.network), self.game.name, self.rules, arrays_of(self.module)
        )

    # --- at rest -----------------------------------------------------------------------------------------------------

    def arrays(self) -> Arrays:
        """See `Method.arrays`."""
        return {**self._learner.arrays(), _USES: self._replay.uses}

    def restore(self, arrays: Arrays, progress: Progress) -> None:
        """See `Method.restore`."""
        if _USES not in arrays:
            raise CheckpointError("the checkpoint does not say how often positions were drawn: it is damaged")
        self._learner.restore({name: array for name, array in arrays.items() if name != _USES}, progress.steps)
        parts = []
        for iteration, _ in progress.window:
            path = self._path(iteration)
            try:
                parts.append(read_positions(path, self.game, iteration, progress.position_files[str(iteration)]))
            except OSError as error:
                raise CheckpointError(
                    f"cannot read {path}, which the replay buffer of iteration {progress.iteration} needs: "
                    f"{error.strerror}"
                ) from error
        self._replay.positions = Positions.joined(self.game, parts)
        self._replay.counts = [(iteration, count) for iteration, count in progress.window]
        self._replay.uses = np.array(arrays[_USES])
        if self._replay.uses.dtype != np.int8 or (self._replay.uses < 0).any():
            raise CheckpointError("the checkpoint is damaged: how often positions were drawn is not in whole numbers")
        self._replay.added, self._replay.drawn = progress.positions, progress.drawn
        if len(self._replay) != len(self._replay.positions.seats):
            raise CheckpointError(f"the positions in {self._folder} are not those of the checkpoint")

    def _path(self, iteration: int) -> Path:
        return self._folder / f"{iteration:06d}.safetensors"
