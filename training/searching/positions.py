"""Positions to learn from, as short lists of what a network sees of them, in memory and in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...agents.batches import checked_words
from ...agents.exact.table_file import Form, digest, read_table, write_table
from ...agents.networks.config import NNUE_INPUTS
from ...agents.networks.files import FOUR_INPUTS_VERSION, INPUTS_VERSION
from ...envs.errors import CheckpointError, RunError
from ...envs.quoridor.rules import Quoridor
from .kernels import list_inputs

FORM = Form("sekisho-searched-1", "file of searched positions", CheckpointError)
UNKNOWN = 2
"""The result of a game that a position has no part in."""
_ALWAYS = {2: 14, 4: 29}  # inputs that hold whatever fences stand on the board, by the seats at the table


class Judged(NamedTuple):
    """Positions with what was found out about them; N of them.

    With two players the side to move speaks for both. With four there is a column for every seat, the one to move first,
    then in the order of turns.

    Attributes:
        places: int16 ``[N, L]``: the inputs that hold for the side to move, see `quoridor_inputs` and
            `quoridor_four_inputs`; the number of inputs fills a row.
        values: what a search says: int32 ``[N]``, in hundredths of log-odds, or float32 ``[N, 4]``, chances to win, sum 1.
        results: int8 ``[N]`` or ``[N, 4]``: what the game came to, -1, 0 (for everybody) or 1; `UNKNOWN` for positions
            that only a search has looked at.
        games: int32 ``[N]``: number in its iteration of the game that each belongs to.
    """

    places: NDArray[np.int16]
    values: NDArray[Any]
    results: NDArray[np.int8]
    games: NDArray[np.int32]

    @classmethod
    def none(cls, game: Quoridor) -> Self:
        """Return no positions of a game."""
        places, games = np.zeros((0, length_of(game)), np.int16), np.zeros(0, np.int32)
        if game.num_players == 2:
            return cls(places, np.zeros(0, np.int32), np.zeros(0, np.int8), games)
        return cls(places, np.zeros((0, 4), np.float32), np.zeros((0, 4), np.int8), games)

    @classmethod
    def joined(cls, game: Quoridor, parts: list[Judged]) -> Self:
        """Return the positions of all `parts`, in their order."""
        columns: Any = zip(cls.none(game), *parts, strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def chosen(self, rows: NDArray[Any]) -> Judged:
        """Return the positions of some rows."""
        columns: Any = (column[rows] for column in self)
        return Judged(*columns)


def length_of(game: Quoridor) -> int:
    """Return the most inputs that can hold for a position of a game."""
    anchors = (game.board_size - 1) ** 2
    return _ALWAYS[game.num_players] + min(game.num_players * int(game.options["fences"]), anchors)


def places_of(game: Quoridor, words: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return the inputs that hold for positions (int64 ``[N, state_size]``), see `Judged`."""
    words = checked_words(game, words)
    places = np.zeros((len(words), length_of(game)), np.int16)
    seen = np.zeros(NNUE_INPUTS[game.num_players], np.float32)
    if list_inputs(game.rules, words, seen, places) > places.shape[1]:
        raise RunError(f"a position has more than {places.shape[1]} inputs")
    return places


def write_judged(path: Path, game: Quoridor, iteration: int, positions: Judged) -> str:
    """Write the positions of an iteration; return the checksum of the file's content."""
    arrays, about = positions._asdict(), _about(game, iteration)
    write_table(path, arrays, about, FORM)
    return digest(arrays, about)


def read_judged(path: Path, game: Quoridor, iteration: int, checksum: str) -> Judged:
    """Return what `write_judged` wrote.

    Raises:
        CheckpointError: if it is something else, damaged, or of another game or iteration.
        OSError: if it cannot be read.
    """
    arrays, about = read_table(path, form=FORM)
    wanted = _about(game, iteration)
    if about != wanted:
        differing = ", ".join(sorted(key for key in wanted if about.get(key) != wanted[key])) or "its form"
        raise CheckpointError(f"{path} holds other positions than this run's (they differ in: {differing})")
    if digest(arrays, about) != checksum:
        raise CheckpointError(f"{path} is not the file that the checkpoint was made with")
    return Judged(**{name: np.array(array) for name, array in arrays.items()})


def _about(game: Quoridor, iteration: int) -> dict[str, Any]:
    version = INPUTS_VERSION if game.num_players == 2 else FOUR_INPUTS_VERSION
    return {"game": game.name, "rules": dict(game.options), "iteration": iteration, "version": version}
