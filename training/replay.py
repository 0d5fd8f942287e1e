"""The replay buffer: positions of the last iterations, each learned from a limited number of times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..agents.exact.table_file import Form, digest, read_table, write_table
from ..agents.networks.files import version_of
from ..envs.core import Game
from ..envs.errors import CheckpointError
from .positions import Positions

FORM = Form("sekisho-positions-1", "file of positions", CheckpointError)


class Replay:
    """Positions to learn from.

    Args:
        game: what they are positions of.
        window: how many are kept, at most; whole iterations leave, the oldest first, but the newest always stays.
        limit: how often one is drawn, at most.

    Attributes:
        positions: all of them, oldest first.
        uses: int8, how often each was drawn.
        counts: of each iteration that is held, oldest first, its number and its positions.
        added: positions of the whole run.
        drawn: how many were drawn in the whole run.
    """

    def __init__(self, game: Game, window: int, limit: int) -> None:
        self.game, self._window, self._limit = game, window, limit
        self.positions = Positions.none(game)
        self.uses: NDArray[np.int8] = np.zeros(0, dtype=np.int8)
        self.counts: list[tuple[int, int]] = []
        self.added = self.drawn = 0

    def __len__(self) -> int:
        return len(self.uses)

    def add(self, iteration: int, new: Positions) -> None:
        """Take the positions of an iteration in, and let old ones go."""
        self.counts.append((iteration, len(new.seats)))
        self.added += len(new.seats)
        leaving = 0
        while len(self.counts) > 1 and sum(count for _, count in self.counts) > self._window:
            leaving += self.counts.pop(0)[1]
        kept = self.positions.chosen(np.arange(leaving, len(self)))
        self.positions = Positions.joined(self.game, [kept, new])
        self.uses = np.concatenate([self.uses[leaving:], np.zeros(len(new.seats), dtype=np.int8)])

    def left(self) -> int:
        """Return how often positions may still be drawn, all together."""
        return int((self._limit - np.minimum(self.uses, self._limit)).sum())

    def draw(self, count: int, rng: np.random.Generator) -> Positions:
        """Return different positions, each of those below the limit equally likely; fewer than `count` if there are."""
        free = np.flatnonzero(self.uses < self._limit)
        rows = free if free.size <= count else np.sort(rng.choice(free, count, replace=False))
        self.uses[rows] += 1
        self.drawn += len(rows)
        return self.positions.chosen(rows)


def write_positions(path: Path, game: Game, iteration: int, positions: Positions) -> str:
    """Write the positions of an iteration; return the checksum of the file's content.

    Of the policies only what is not 0 is kept: how many actions of each position, which, and their shares.
    """
    rows, actions = np.nonzero(positions.policies)
    arrays: dict[str, NDArray[Any]] = {
        "words": positions.words,
        "seats": positions.seats,
        "values": positions.values,
        "counts": np.bincount(rows, minlength=len(positions.seats)).astype(np.int32),
        "actions": actions.astype(np.int32),
        "shares": positions.policies[rows, actions],
    }
    about = {"game": game.name, "rules": dict(game.options), "iteration": iteration, "version": version_of(game.name)}
    write_table(path, arrays, about, FORM)
    return digest(arrays, about)


def read_positions(path: Path, game: Game, iteration: int, checksum: str) -> Positions:
    """Return what `write_positions` wrote.

    Raises:
        CheckpointError: if it is something else, damaged, or of another game or iteration.
        OSError: if it cannot be read.
    """
    arrays, about = read_table(path, form=FORM)
    wanted = {"game": game.name, "rules": dict(game.options), "iteration": iteration, "version": version_of(game.name)}
    if about != wanted:
        differing = ", ".join(sorted(key for key in wanted if about.get(key) != wanted[key])) or "its form"
        raise CheckpointError(f"{path} holds other positions than this run's (they differ in: {differing})")
    if digest(arrays, about) != checksum:
        raise CheckpointError(f"{path} is not the file that the checkpoint was made with")
    policies = np.zeros((len(arrays["seats"]), game.num_actions), dtype=np.float32)
    policies[np.repeat(np.arange(len(policies)), arrays["counts"]), arrays["actions"]] = arrays["shares"]
    return Positions(np.array(arrays["words"]), np.array(arrays["seats"]), policies, np.array(arrays["values"]))
