"""Checkpoints: all that a run needs to go on as if it had never stopped, at the end of an iteration.

A checkpoint is a folder that appears at once, whole, by being renamed. In it stand

* ``network.safetensors``: the network, as `net:checkpoint=` takes it; for a module of somebody's own just its weights;
* ``learner.safetensors``: what the optimiser remembers, and with self-play how often each position of the replay buffer was
  drawn, with value learning the weights of which the network is the running mean; and as JSON the counters of the run,
  the games of its evaluations, and the checksums of the files that it goes with.

The positions of each iteration of self-play are files beside the checkpoints, which several of them share. No random state is kept:
all random numbers follow from the seed and the iteration. Every file is safetensors with a checksum; nothing in them
can run.
"""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from torch import nn

from ..agents.exact.table_file import Form, digest, read_table, write_table
from ..agents.networks.config import NetworkConfig
from ..agents.networks.files import StoredNetwork, read_network, rules_of, version_of, write_network
from ..agents.networks.torch_backend import arrays_of
from ..envs.core import Game
from ..envs.errors import CheckpointError, NetworkError

LEARNER_FORM = Form("sekisho-learner-1", "learner of a training run", CheckpointError)
WEIGHTS_FORM = Form("sekisho-weights-1", "file of weights", CheckpointError)
NETWORK, LEARNER = "network.safetensors", "learner.safetensors"
_HALF = ".half-"
_NAME = re.compile(r"\d{6,}")
Arrays = dict[str, NDArray[Any]]


@dataclass
class Progress:
    """Where a run stands; JSON values.

    Attributes:
        iteration: that has been finished; 0 before the first.
        steps: training steps so far.
        games: of self-play so far.
        positions: of self-play so far.
        drawn: positions of self-play that were learned from so far, each use counted.
        buffer: positions of self-play that the last iteration has drawn from.
        seconds: that the run has taken so far, in all its sittings.
        window: iterations whose positions are in the replay buffer, and how many each has.
        position_files: checksums of their files, by iteration.
        oldest: for each of the newest checkpoints, by iteration, the first iteration in its replay buffer.
        measured: for each of them the iteration of the last evaluation, whose network it needs.
        best: iteration of the best network so far; -1 before the first evaluation.
        best_scores: its metrics.
        evaluated: iteration of the last evaluation; -1 before the first.
        strengths: the games of all evaluations, see `evaluation.Strengths`.
    """

    iteration: int = 0
    steps: int = 0
    games: int = 0
    positions: int = 0
    drawn: int = 0
    buffer: int = 0
    seconds: float = 0.0
    window: list[list[int]] = field(default_factory=list)
    position_files: dict[str, str] = field(default_factory=dict)
    oldest: dict[str, int] = field(default_factory=dict)
    measured: dict[str, int] = field(default_factory=dict)
    best: int = -1
    best_scores: dict[str, float] = field(default_factory=dict)
    evaluated: int = -1
    strengths: list[Any] = field(default_factory=list)

    @classmethod
    def from_dict(cls, data: Any, iteration: int) -> Self:
        """Read what `dataclasses.asdict` makes of one.

        Args:
            data: JSON values.
            iteration: of the checkpoint.

        Raises:
            ValueError: if it is something else.
        """
        if not isinstance(data, dict) or not data.keys() <= {part.name for part in fields(cls)}:
            raise ValueError("it has other fields")
        found, default = cls(**data), cls()
        for part in fields(cls):
            value, kind = getattr(found, part.name), type(getattr(default, part.name))
            if type(value) is not kind and not (kind is float and type(value) is int):
                raise ValueError(f"{part.name} is {value!r:.40}")
        counts = [found.steps, found.games, found.positions, found.drawn, found.buffer]
        if found.iteration != iteration or min(counts) < 0 or not math.isfinite(found.seconds):
            raise ValueError("its numbers are out of range")
        if not all(-1 <= number <= iteration for number in (found.best, found.evaluated)):
            raise ValueError("its best or its last evaluation is later than itself")
        whole = all(_are_whole(row) and len(row) == 2 for row in found.window)
        named = all(str(number) in found.position_files for number, _ in found.window) if whole else False
        if not named or not all(type(one) is str for one in found.position_files.values()):
            raise ValueError("its window is not one of iterations whose files it knows")
        if not all(
            _are_whole([int(name), value]) for part in (found.oldest, found.measured) for name, value in part.items()
        ):
            raise ValueError("what it says of other checkpoints is not in whole numbers")
        if not all(type(value) in (int, float) for value in found.best_scores.values()):
            raise ValueError("its best scores are no numbers")
        return found


def _are_whole(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int for value in values)


def write_weights(
    path: Path, game: Game, config: NetworkConfig | None, module: nn.Module, recipe: Mapping[str, Any],
    rules: Mapping[str, tuple[Any, ...]] | None = None,
) -> None:  # fmt: skip
    """Write a network of this package, or without a configuration the weights of another module."""
    arrays = arrays_of(module)
    if config is not None:
        write_network(path, game, config, arrays, recipe, rules)
        return
    about = {
        "game": game.name, "rules": {name: [value] for name, value in game.options.items()},
        "version": version_of(game.name), "recipe": dict(recipe),
    }  # fmt: skip
    write_table(path, arrays, about, WEIGHTS_FORM)


def read_weights(path: Path, game: Game, config: NetworkConfig | None) -> Arrays:
    """Return the weights that `write_weights` wrote.

    Raises:
        CheckpointError: if they are damaged, something else, or of another game, other rules or another network.
        OSError: if they cannot be read.
    """
    if config is None:
        arrays, about = read_table(path, form=WEIGHTS_FORM)
        wanted = {"game": game.name, "version": version_of(game.name)}
        if any(about.get(key) != value for key, value in wanted.items()):
            raise CheckpointError(f"{path} has the weights of a network for another game or an older observation")
        return {name: np.array(array) for name, array in arrays.items()}
    try:
        network: StoredNetwork = read_network(path)
        network.supports(game)
    except NetworkError as error:
        raise CheckpointError(str(error)) from error
    if network.config != config:
        raise CheckpointError(f"{path} is a network of another shape: {network.config}, not {config}")
    return {name: np.array(array) for name, array in network.arrays.items()}


class Checkpoints:
    """The checkpoints of a run.

    Args:
        folder: that holds them, each named by its iteration.
        game: that is learned.
        config: shape of the network; None for a module of somebody's own.
        method: of training.
        rules: that the network is for; default: just those of `game`.
    """

    def __init__(
        self, folder: Path, game: Game, config: NetworkConfig | None, method: str,
        rules: Mapping[str, tuple[Any, ...]] | None = None,
    ) -> None:  # fmt: skip
        self.folder, self._game, self._config, self._method = folder, game, config, method
        self._rules = rules or rules_of(game)

    def path(self, iteration: int) -> Path:
        """Return the folder of a checkpoint."""
        return self.folder / f"{iteration:06d}"

    def iterations(self) -> list[int]:
        """Return the iterations of which there is a checkpoint, ascending."""
        if not self.folder.is_dir():
            return []
        return sorted(int(path.name) for path in self.folder.iterdir() if _NAME.fullmatch(path.name))

    def write(self, module: nn.Module, arrays: Arrays, progress: Progress, recipe: Mapping[str, Any]) -> None:
        """Write the checkpoint of ``progress.iteration``; it is there whole or not at all."""
        half, whole = self.folder / f"{_HALF}{progress.iteration:06d}", self.path(progress.iteration)
        for path in (half, whole):  # of a run that was stopped
            shutil.rmtree(path, ignore_errors=True)
        half.mkdir(parents=True)
        write_weights(half / NETWORK, self._game, self._config, module, recipe, self._rules)
        about = {**self._identity(), "progress": asdict(progress), "weights": _digest_of_weights(arrays_of(module))}
        write_table(half / LEARNER, arrays, about, LEARNER_FORM)
        half.rename(whole)

    def read(self, iteration: int) -> tuple[Arrays, Arrays, Progress]:
        """Return weights, all else that the next iteration needs, and where the run stood.

        Raises:
            CheckpointError: if a file is damaged, or of another game, other rules, another network or version.
        """
        folder = self.path(iteration)
        try:
            weights = read_weights(folder / NETWORK, self._game, self._config)
            arrays, about = read_table(folder / LEARNER, form=LEARNER_FORM)
        except OSError as error:
            raise CheckpointError(f"{error.filename or folder} cannot be read: {error.strerror}") from error
        for key, value in self._identity().items():
            if about.get(key) != value:
                raise CheckpointError(f"{folder / LEARNER}: the {key} differ: {about.get(key)!r}, not {value!r}")
        if about.get("weights") != _digest_of_weights(weights):
            raise CheckpointError(f"{folder}: the network is not the one that the checkpoint was made with")
        try:
            progress = Progress.from_dict(about.get("progress"), iteration)
        except ValueError as error:
            raise CheckpointError(
                f"{folder / LEARNER} is damaged: it does not say where the run stood ({error})"
            ) from error
        return weights, {name: np.array(array) for name, array in arrays.items()}, progress

    def prune(self, keep: set[int]) -> None:
        """Remove all checkpoints but some, and what a stopped run left half done."""
        for iteration in self.iterations():
            if iteration not in keep:  # renamed first, so that nobody ever takes half of one for a checkpoint
                self.path(iteration).rename(self.folder / f"{_HALF}{iteration:06d}")
        for path in self.folder.glob(f"{_HALF}*"):
            shutil.rmtree(path, ignore_errors=True)

    def _identity(self) -> dict[str, Any]:
        return {
            "game": self._game.name,
            "method": self._method,
            "rules": {name: list(values) for name, values in self._rules.items()},
            "network": None if self._config is None else self._config.to_dict(),
            "version": version_of(self._game.name, self._config),
        }


def _digest_of_weights(arrays: Arrays) -> str:
    return digest(arrays, {})
