"""Many positions at once, as compiled code takes them: looked over where they come in, once, for no kernel asks again.

A kernel reads as many rows and words as it was promised. What is checked here are shapes and kinds of numbers, and that
seats sit at the table; that a row is a position that the game can reach is left to whoever made it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs.core import Game
from ..envs.errors import PositionError

_WHOLE = np.dtype(np.int64)


def checked_words(game: Game, words: Any) -> NDArray[np.int64]:
    """Return positions as kernels take them, the array itself if it is so already.

    Args:
        game: what is played.
        words: the positions, int64 ``[B, state_size]``; other whole numbers are converted.

    Raises:
        PositionError: if they have another shape or are no whole numbers.
    """
    given = _array(words)
    if given.ndim != 2 or given.shape[1] != game.state_size or not _are_whole(given):
        raise PositionError(
            f"positions of {game.name} are whole numbers (int64) of shape [B, {game.state_size}], each row the `words` "
            f"of a state, not {_described(given)}"
        )
    return _for_kernels(given)


def checked_seats(game: Game, seats: Any, count: int) -> NDArray[np.int64]:
    """Return the seats that look at so many positions as kernels take them, the array itself if it is so already.

    Args:
        game: what is played.
        seats: one for each position, int64 ``[B]``; other whole numbers are converted.
        count: of the positions.

    Raises:
        PositionError: if there are more or fewer, they are no whole numbers, or one does not sit at the table.
    """
    given = _array(seats)
    if given.shape != (count,) or not _are_whole(given):
        raise PositionError(
            f"{count} positions are looked at by as many seats, whole numbers (int64) of shape [{count}], not "
            f"{_described(given)}"
        )
    numbers = given.tolist()  # quicker than two reductions for the few that a search asks about
    if numbers and not 0 <= min(numbers) <= max(numbers) < game.num_players:
        wrong = next(number for number in numbers if not 0 <= number < game.num_players)
        raise PositionError(f"the seats of this {game.name} are 0..{game.num_players - 1}, not {wrong}")
    return _for_kernels(given)


def _array(given: Any) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError:  # rows of several lengths
        return np.asarray(None)


def _are_whole(array: NDArray[Any]) -> bool:
    return array.dtype == _WHOLE or (array.dtype.kind in "iu" and np.can_cast(array.dtype, _WHOLE))


def _for_kernels(array: NDArray[Any]) -> NDArray[np.int64]:
    """Return an array that compiled code has one form for: contiguous, and not closed to writing."""
    if array.dtype == _WHOLE and array.flags.carray:
        return array
    return np.array(array, dtype=_WHOLE, order="C")


def _described(array: NDArray[Any]) -> str:
    return f"{array.dtype} of shape {list(array.shape)}"
