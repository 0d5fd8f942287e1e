"""Quoridor after the last fence: the race of the pawns, exact, ready for the leaves of a search.

A race is solved once for its layout of fences and kept; after that a value is a look-up. The functions are compiled,
for use inside compiled searches; `Races` is their form for Python. Caps on plies and repetition are left aside: under
a cap, a side that needs more plies than are left gets a draw.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.compiling import kernel
from ...envs.counter_rng import mix
from ...envs.errors import AgentError
from ...envs.quoridor.kernels import (
    GOAL_HIGH,
    GOAL_LOW,
    HORIZONTAL,
    LEFT,
    PAWN,
    SEAT,
    VERTICAL,
    beside,
    grow,
    square_set,
    walls_of,
)
from ...envs.quoridor.rules import Quoridor, QuoridorState
from .quoridor_pawns import SQUARES, settle

SLOTS = 256
"""Layouts that are kept at a time, 26 kB each."""
_LONGEST_RUN = 2 * SQUARES  # plies; nobody walks over more squares than there are
_EMPTY = -1  # no layout has a fence at every anchor


@kernel
def layout_hash(state: Any) -> Any:
    """Return a uint64 that tells layouts of fences apart."""
    return mix(np.uint64(state[HORIZONTAL]) + mix(np.uint64(state[VERTICAL])))


@kernel
def layout_slot(state: Any, layouts: Any) -> Any:
    """Return the slot in which the layout of a state is kept, if it is, and whether it is."""
    slot = np.int64(layout_hash(state) % np.uint64(layouts.shape[0]))
    return slot, layouts[slot, 0] == state[HORIZONTAL] and layouts[slot, 1] == state[VERTICAL]


@kernel
def race_plies(rules: Any, state: Any, layouts: Any, values: Any) -> Any:
    """Return how a position ends if nobody places another fence, solving its layout if it is not kept.

    Args:
        rules: of a game with two players.
        state: that is not over.
        layouts: int64 ``[slots, 2]``: the fences of each layout that is kept; -1 in empty slots.
        values: int16 ``[slots, 2, 81, 81]``: its `settle`-d values.

    Returns:
        Signed plies: d if the side to move wins in d, -d if it loses in d, 0 if neither ever arrives.
    """
    slot, is_kept = layout_slot(state, layouts)
    if not is_kept:
        settle(rules, walls_of(state), False, values[slot], values[slot])
        layouts[slot, 0], layouts[slot, 1] = state[HORIZONTAL], state[VERTICAL]
    return np.int64(values[slot, state[SEAT], state[PAWN], state[PAWN + 1]])


@kernel
def free_run(rules: Any, state: Any, runner: Any) -> Any:
    """Return plies in which `runner` wins a race without ever meeting the other pawn, 0 if that is not sure.

    The runner follows a path, chosen before, of which no square can be reached or stepped at by the other pawn at that
    moment, whatever that one does; so neither is ever in the other's way, there are no jumps, and counting steps is
    enough. It takes two floods and no memory. A runner that lets the other come near may win sooner, never later.

    Args:
        rules: of a game with two players.
        state: that is not over; without fences in hand, or with fences that nobody places.
        runner: seat 0 or 1.
    """
    walls, other = walls_of(state), 1 - runner
    goal_low, goal_high = np.uint64(rules[GOAL_LOW + runner]), np.uint64(rules[GOAL_HIGH + runner])
    theirs_low, theirs_high = np.uint64(rules[GOAL_LOW + other]), np.uint64(rules[GOAL_HIGH + other])
    low, high = square_set(state[PAWN + runner])  # where the runner may be
    near_low, near_high = square_set(state[PAWN + other])  # all squares where the other pawn can be
    plies, runs = 0, state[SEAT] == runner
    while low | high and plies < _LONGEST_RUN:
        plies += 1
        if runs:
            low, high = beside(low, high, walls)
            low, high = low & ~near_low, high & ~near_high
            if (low & goal_low) | (high & goal_high):
                return plies
        else:
            near_low, near_high = grow(near_low, near_high, walls)
            low, high = low & ~near_low, high & ~near_high  # it could be jumped over
            if (near_low & theirs_low) | (near_high & theirs_high):
                break
        runs = not runs
    return 0


@kernel
def race_bounds(rules: Any, state: Any, layouts: Any, values: Any) -> Any:
    """Return proven bounds (low, high) on the outcome for the side to move: 1 won, 0 drawn, -1 lost.

    Without fences in hand both are the outcome. Where one side only has some, it need not place them, so the race is
    the least that it gets; and a side that arrives with its next move has won, whoever has fences. Where both have some
    nothing else is proven: (-1, 1), for which no race is solved. For the arguments see `race_plies`.
    """
    mine, theirs = state[LEFT + state[SEAT]], state[LEFT + 1 - state[SEAT]]
    if mine > 0 and theirs > 0:
        return -1, 1
    plies = race_plies(rules, state, layouts, values)
    if plies == 1:
        return 1, 1
    outcome = 1 if plies > 0 else (0 if plies == 0 else -1)
    return -1 if theirs > 0 else outcome, 1 if mine > 0 else outcome


class Races:
    """The races of a game with two players, solved as they come.

    Attributes:
        layouts: which are kept, for `race_plies`.
        values: their values, for `race_plies`.

    Raises:
        AgentError: for a game of more players.
    """

    def __init__(self, game: Quoridor, slots: int = SLOTS) -> None:
        if game.num_players != 2:
            raise AgentError(f"races are solved for two players, not {game.num_players}")
        self.game = game
        self.layouts = np.full((slots, 2), _EMPTY, np.int64)
        self.values = np.zeros((slots, 2, SQUARES, SQUARES), np.int16)

    def plies(self, state: QuoridorState) -> int:
        """Return the signed plies of the side to move if nobody places another fence; see `race_plies`."""
        return int(race_plies(self.game.rules, self._going(state), self.layouts, self.values))

    def bounds(self, state: QuoridorState) -> tuple[int, int]:
        """Return proven bounds on the outcome for the side to move; see `race_bounds`."""
        low, high = race_bounds(self.game.rules, self._going(state), self.layouts, self.values)
        return int(low), int(high)

    def _going(self, state: QuoridorState) -> Any:
        if state.game.board_size != self.game.board_size or state.game.num_players != 2:
            raise AgentError(
                f"these are the races of two on {self.game.board_size}x{self.game.board_size}, not of "
                f"{state.game.num_players} on {state.game.board_size}x{state.game.board_size}"
            )
        if state.winner is not None:
            raise AgentError("the race is over: a pawn has arrived")
        return state.words
