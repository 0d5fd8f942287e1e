"""The positions of the last iterations, in memory and in files beside the checkpoints."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...envs.errors import CheckpointError
from ...envs.quoridor.rules import Quoridor
from ..checkpoint import Progress
from .positions import Judged, read_judged, write_judged


class Window:
    """Positions to learn from.

    Args:
        game: what they are positions of.
        folder: for the files, one an iteration.
        most: how many positions are kept, at most; whole iterations leave, the oldest first, but the newest always stays.

    Attributes:
        positions: all of them, oldest first.
    """

    def __init__(self, game: Quoridor, folder: Path, most: int) -> None:
        self._game, self._folder, self._most = game, folder, most
        self.positions = Judged.none(game)

    def add(self, iteration: int, new: Judged, progress: Progress) -> None:
        """Take the positions of an iteration in, write them to a file, let old ones go, and note all that."""
        checksum = write_judged(self._path(iteration), self._game, iteration, new)
        window, leaving = [*progress.window, [iteration, len(new.values)]], 0
        while len(window) > 1 and sum(count for _, count in window) > self._most:
            leaving += window.pop(0)[1]
        kept = self.positions.chosen(np.arange(leaving, len(self.positions.values)))
        self.positions = Judged.joined(self._game, [kept, new])
        progress.window = window
        files = progress.position_files | {str(iteration): checksum}
        progress.position_files = {str(number): files[str(number)] for number, _ in window}
        progress.positions += len(new.values)
        progress.buffer = len(self.positions.values)

    def restore(self, progress: Progress) -> None:
        """Read the positions that a run had.

        Raises:
            CheckpointError: if a file is gone, damaged, or not the one that the checkpoint was made with.
        """
        parts = []
        for iteration, _ in progress.window:
            path = self._path(iteration)
            try:
                parts.append(read_judged(path, self._game, iteration, progress.position_files[str(iteration)]))
            except OSError as error:
                raise CheckpointError(
                    f"cannot read {path}, whose positions iteration {progress.iteration} learned from: {error.strerror}"
                ) from error
        self.positions = Judged.joined(self._game, parts)

    def _path(self, iteration: int) -> Path:
        return self._folder / f"{iteration:06d}.safetensors"
