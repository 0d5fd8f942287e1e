"""What is known of a position without looking at its moves: by the rules, by its race, and by what stood before."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....envs.compiling import kernel
from ....envs.counter_rng import mix
from ....envs.kernels import TERMINAL
from ....envs.quoridor.kernels import (
    GOAL_HIGH,
    GOAL_LOW,
    LEFT,
    MAX_PLIES,
    PLY,
    SEAT,
    WINNER,
    pawn_targets,
    to_move,
    walls_of,
)
from ....envs.quoridor.kernels import (
    hash as hash_of,
)
from ...exact.quoridor_races import free_run, layout_slot, race_plies
from .frames import ALPHA, BARRED, BETA, DECIDED, DEPTH, DEPTH_LIMIT, DRAWS, KEYS, PAST, QUIET, SETTLED, STEPS, WON

_RACE_DEPTH = 2  # plies still to look ahead from which on a race that is not known yet is solved
_NEAR_CAP = 2 * DEPTH_LIMIT  # plies before the cap from which on they are part of what a position is


@kernel
def board_of(rules: Any, frame: Any) -> Any:
    """Return a key (int64) of what stands on the board and whose turn it is, by which repetitions are seen."""
    return np.int64(hash_of(rules, frame))


@kernel
def is_bound(control: Any, frame: Any, ply: Any) -> Any:
    """Return whether the rules may draw what comes next because of what stood on the board before the search."""
    return control[BARRED] != 0 and frame[QUIET] >= ply  # no fence since the root


@kernel
def key_of(rules: Any, frame: Any, control: Any, board: Any, ply: Any) -> Any:
    """Return the key (int64) of a position for the table.

    Close to the cap the plies that are left are part of it, and where the game's past counts, that is.
    """
    key = board
    if rules[MAX_PLIES] > 0 and rules[MAX_PLIES] - frame[PLY] < _NEAR_CAP:
        key = np.int64(mix(np.uint64(key) + np.uint64(frame[PLY])))
    if is_bound(control, frame, ply):
        key = np.int64(mix(np.uint64(key) ^ np.uint64(control[BARRED])))
    return key


@kernel
def is_beyond_cap(rules: Any, frame: Any, value: Any) -> Any:
    """Return whether a win or loss, counted from here, takes more plies than the cap leaves."""
    left = rules[MAX_PLIES] - frame[PLY]
    return rules[MAX_PLIES] > 0 and abs(value) > DECIDED and WON - abs(value) > left


@kernel
def is_repeated(control: Any, frame: Any, ply: Any) -> Any:
    """Return whether the position stood on the board before in the line that is looked at, the root included."""
    here = control[PAST] + ply
    for back in range(2, min(frame[QUIET], ply) + 1, 2):  # noqa: SIM110  kernels know no generators
        if control[KEYS + here - back] == control[KEYS + here]:
            return True
    return False


@kernel
def comes_back(control: Any, frame: Any, ply: Any) -> Any:
    """Return whether the position is one of those of the game that should not come back, see `search.barred_past`."""
    if frame[QUIET] < ply:  # a fence was placed since, or nobody moved
        return False
    for place in range(control[PAST]):  # noqa: SIM110
        if control[KEYS + place] == control[KEYS + control[PAST] + ply]:
            return True
    return False


@kernel
def wins_at_once(rules: Any, frame: Any) -> Any:
    """Return whether the side to move can step or jump onto its goal line."""
    seat = frame[SEAT]
    if frame[STEPS + seat] > 2:
        return False
    low, high = pawn_targets(rules, frame, walls_of(frame))
    return ((low & np.uint64(rules[GOAL_LOW + seat])) | (high & np.uint64(rules[GOAL_HIGH + seat]))) != np.uint64(0)


@kernel
def ahead(frame: Any) -> Any:
    """Return the seat that arrives first if both pawns walk and neither is in the other's way."""
    seat = frame[SEAT]
    return seat if frame[STEPS + seat] <= frame[STEPS + 1 - seat] else 1 - seat


@kernel
def race_value(rules: Any, frame: Any, control: Any, layouts: Any, races: Any, ply: Any) -> Any:
    """Return ``(known, value)`` of a position with two players if nobody places another fence."""
    left = rules[MAX_PLIES] - frame[PLY] if rules[MAX_PLIES] > 0 else WON
    is_kept, plies = layout_slot(frame, layouts)[1], 0
    if not is_kept:
        runner = ahead(frame)
        plies = free_run(rules, frame, runner)
        if runner != frame[SEAT]:
            plies = -plies
    if plies == 0 or abs(plies) > left:
        if not is_kept:
            if frame[DEPTH] < _RACE_DEPTH:
                return False, 0
            control[SETTLED] += 1
        plies = race_plies(rules, frame, layouts, races)
    if plies == 0 or abs(plies) > left:
        return True, 0
    return True, WON - ply - plies if plies > 0 else ply - plies - WON


@kernel
def judge(rules: Any, frame: Any, control: Any, layouts: Any, races: Any, ply: Any) -> Any:
    """Return ``(found, value)`` of a position below the root by the rules alone, the race of the pawns included.

    A position that stood before in the line counts as a draw: whoever wins can win without it. What is proven comes
    first, but where the rules know a draw by repetition.
    """
    if frame[WINNER] >= 0:
        return True, ply - WON  # it was the other's move
    repeated = is_repeated(control, frame, ply)
    if to_move(rules, frame) == TERMINAL or (control[DRAWS] and (repeated or comes_back(control, frame, ply))):
        return True, 0
    if wins_at_once(rules, frame):
        return True, WON - ply - 1
    # at best the next move but one wins, at worst the next one loses
    frame[ALPHA] = max(frame[ALPHA], ply + 2 - WON)
    frame[BETA] = min(frame[BETA], WON - ply - 3)
    if frame[ALPHA] >= frame[BETA]:
        return True, frame[ALPHA]
    if is_bound(control, frame, ply):
        return repeated, 0  # races know of no past
    mine, theirs = frame[LEFT + frame[SEAT]], frame[LEFT + 1 - frame[SEAT]]
    # who has fences need not place them: a race that such a seat wins is won
    if (mine == 0 and theirs == 0) or ((mine == 0 or theirs == 0) and frame[LEFT + ahead(frame)] > 0):
        known, value = race_value(rules, frame, control, layouts, races, ply)
        if known and (
            (mine == 0 and theirs == 0)
            or (mine > 0 and value > DECIDED and (value >= frame[BETA] or frame[DEPTH] <= 0))
            or (theirs > 0 and value < -DECIDED and (value <= frame[ALPHA] or frame[DEPTH] <= 0))
        ):
            return True, value
    return repeated, 0
