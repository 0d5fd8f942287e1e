"""The memory of the search: one row of 64-bit integers for each ply of the line that is looked at.

A row, a *frame*, begins with the state of its position, so that the game's kernels work on it as it is. The other
columns are named here, as are the words of ``control``, in which the search keeps where it stands between two calls,
what it has found, and what it has learnt about moves.
"""

from __future__ import annotations

from typing import Any

from ....envs.compiling import kernel
from ....envs.quoridor.kernels import STATE_SIZE

DEPTH_LIMIT = 64
"""Plies that a search looks ahead at most."""
MAX_MOVES = 256
ACTIONS = 209
KILLERS = 2
"""Moves that are remembered for a ply because they refuted something there."""

# --- a frame ---------------------------------------------------------------------------------------------------------
STEPS = STATE_SIZE  # two words: fewest steps of each seat to its goal line, pawns ignored
ALPHA, BETA, DEPTH = STEPS + 2, STEPS + 3, STEPS + 4  # the window, for the side to move; plies still to look ahead
LOW = STEPS + 5  # alpha as it was at the beginning
BEST, BEST_MOVE = STEPS + 6, STEPS + 7  # best value so far, and its action or -1
STAGE, COUNT, NEXT = STEPS + 8, STEPS + 9, STEPS + 10  # see `machine.advance`; moves in the list, and those tried
KEY = STEPS + 11
ATTEMPT, REDUCTION, CURRENT = STEPS + 12, STEPS + 13, STEPS + 14  # how the child below is searched; its action
TABLE_MOVE = STEPS + 15  # what the transposition table proposes, or -1
QUIET = STEPS + 16  # plies since the last fence, or since the root if there was none
SKIPPED = STEPS + 17  # whether nobody moved on the way here
LINE_LENGTH = STEPS + 18
SUMMED = STEPS + 19  # whether an evaluation has kept something of this position for those after its moves
WORKED_ON = STEPS + 20  # whether it counts as `WORKED` already
LIST = STEPS + 21  # the moves
ORDER = LIST + MAX_MOVES  # how promising each is
AFTER = ORDER + MAX_MOVES  # steps of both seats after it, a byte each
LINE = AFTER + MAX_MOVES  # the best line from here
FRAME_SIZE = LINE + DEPTH_LIMIT

# --- control ---------------------------------------------------------------------------------------------------------
NODES, MODE, PLY_NOW, VALUE = 0, 1, 2, 3  # nodes so far; what comes next, at which ply, with which value
ITERATION, WINDOW_LOW, WINDOW_HIGH, WIDTH = 4, 5, 6, 7  # depth of the iteration and the window at its root
DONE_DEPTH, DONE_MOVE, DONE_VALUE, DONE_LENGTH = 8, 9, 10, 11  # what the search has found so far
MAX_DEPTH, FINISHED = 12, 13  # depth to stop at; whether there is nothing left to search
PAST = 14  # boards of the game that have a key: those that should not come back
SETTLED, DEEPEST, AGE = 15, 16, 17  # races solved; plies looked ahead; age of what is written to the table
EVALUATION = 18  # address of the evaluation
WORKED = 19  # nodes on which the evaluation or the generation of moves ran
DRAWS = 20  # whether the rules count repeated positions
BARRED = 21  # 0, or a key of those positions before the search to which the rules let nobody come back without a draw
OLDEST = 22  # age from which on what is written in the table counts
DONE_LINE = 23  # the best line
KEYS = (
    DONE_LINE + DEPTH_LIMIT
)  # of boards that should not come back, then of the line that is looked at, its root first
MAX_PAST = 512
HISTORY = KEYS + MAX_PAST + DEPTH_LIMIT + 1  # for each seat and action: how often it refuted a line, weighted
KILLER = HISTORY + 2 * ACTIONS  # `KILLERS` words a ply
CONTROL_SIZE = KILLER + KILLERS * DEPTH_LIMIT

# --- scratch: uint64 [., 2] ------------------------------------------------------------------------------------------
ACROSS = 82  # two rows: the fences across the shortest paths of each seat; rows before: squares by distance
KNOWN = ACROSS + 2  # rows from here on: what evaluations have worked out, by key
KNOWN_ROWS = 1 << 15
SCRATCH_ROWS = KNOWN + KNOWN_ROWS

# --- values ----------------------------------------------------------------------------------------------------------
WON = 30_000
"""Value of a win at the root; one in n plies is worth n less."""
DECIDED = WON - 2_000
"""Values above it, or below its negative, are proven wins or losses."""


@kernel
def pack_steps(frame: Any) -> Any:
    """Return the steps of both seats in one word, a byte each."""
    return frame[STEPS] | frame[STEPS + 1] << 8
