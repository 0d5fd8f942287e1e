"""What a seat sees of a Quoridor position, as planes of squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..bits import lowest_bit
from ..compiling import kernel
from ..kernels import TERMINAL
from ..observations import Part
from .kernels import FENCES, HORIZONTAL, LEFT, MAX_PLIES, PAWN, PLAYERS, PLY, SEAT, SIZE, VERTICAL, to_move

_1 = np.uint64(1)


@kernel
def turned(file: Any, rank: Any, side: Any, quarters: Any) -> Any:
    """Return (file, rank) after turning a board of `side` rows anticlockwise by some quarter turns."""
    for _ in range(quarters):
        file, rank = side - 1 - rank, file
    return file, rank


@kernel
def quarters_of(rules: Any, seat: Any) -> Any:
    """Return by how many quarter turns the board is turned for a seat, so that it walks north; none for seat -1."""
    return max(seat, 0) * (4 // rules[PLAYERS])


@kernel
def observe_anchors(anchors: Any, side: Any, quarters: Any, width: Any, plane: Any) -> None:
    """Write a 1 into a plane of `width` columns for each of a set of anchors of a board with `side` a side."""
    while anchors:
        anchor = lowest_bit(anchors)
        file, rank = turned(anchor & 7, anchor >> 3, side, quarters)
        plane[rank * width + file] = 1.0
        anchors &= anchors - _1


@kernel
def observe(rules: Any, state: Any, seat: Any, out: Any) -> None:
    """See `Kernels.observe`; planes of squares ``[plane, rank, file]``, their order as in `parts`."""
    size, players = rules[SIZE], rules[PLAYERS]
    area, quarters = size * size, quarters_of(rules, seat)
    fences, hands, turn = players * area, (players + 2) * area, (2 * players + 2) * area
    out[:] = 0.0
    for number in range(players):
        other = (max(seat, 0) + number) % players
        file, rank = turned(state[PAWN + other] % 9, state[PAWN + other] // 9, size, quarters)
        out[number * area + rank * size + file] = 1.0
        if state[LEFT + other] > 0:
            out[hands + number * area : hands + (number + 1) * area] = state[LEFT + other] / rules[FENCES]
        if other == state[SEAT] and to_move(rules, state) != TERMINAL:
            out[turn + number * area : turn + (number + 1) * area] = 1.0
    across = quarters & 1  # a quarter turn lays upright fences flat
    observe_anchors(np.uint64(state[HORIZONTAL + across]), size - 1, quarters, size, out[fences : fences + area])
    observe_anchors(np.uint64(state[VERTICAL - across]), size - 1, quarters, size, out[fences + area : hands])
    if rules[MAX_PLIES] > 0:
        out[turn + players * area :] = min(1.0, state[PLY] / rules[MAX_PLIES])


def turned_action(action: int, size: int, quarters: int) -> int:
    """Return the number of an action after turning a board of `size` rows anticlockwise by some quarter turns."""
    squares, anchors = size * size, (size - 1) * (size - 1)
    if action < squares:
        file, rank = turned(action % size, action // size, size, quarters)
        return int(rank * size + file)
    upright, anchor = divmod(action - squares, anchors)
    file, rank = turned(anchor % (size - 1), anchor // (size - 1), size - 1, quarters)
    return int(squares + (upright ^ (quarters & 1)) * anchors + rank * (size - 1) + file)


def parts(players: int) -> tuple[Part, ...]:
    """Return the planes of an observation, in their order. Seats are counted from the one that looks."""
    return (
        Part("pawns", players, "1 where the pawn of the seat stands; a plane for each seat"),
        Part("horizontal fences", 1, "1 at the anchor of each, the square to the south-west of its middle"),
        Part("vertical fences", 1, "1 at the anchor of each"),
        Part("fences in hand", players, "share of its fences that the seat still has, all over its plane"),
        Part("seat to move", players, "1 all over the plane of the seat to move; 0 when the game is over"),
        Part("plies", 1, "share of `max_plies` that has been played, all over; 0 without a cap"),
    )
