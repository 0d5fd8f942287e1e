"""Alpha-beta as a machine that can be stopped anywhere and goes on where it stood.

Iterative deepening with aspiration windows; principal variation search (Marsland, Campbell 1982) with late move
reductions, null moves and a transposition table, in fail-soft negamax form. There is no recursion: what a call of a
function would keep stands in the frame of its ply, and ``control`` says what comes next. So the clock is read outside,
between calls of `run`, and nothing is lost by that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....envs.compiling import kernel
from ....envs.quoridor.kernels import (
    LEFT,
    MAX_PLIES,
    PAWN,
    PLY,
    SEAT,
    SIZE,
    STATE_SIZE,
    apply,
)
from .evaluation import evaluation_at
from .frames import (
    ACTIONS,
    AFTER,
    AGE,
    ALPHA,
    ATTEMPT,
    BEST,
    BEST_MOVE,
    BETA,
    COUNT,
    CURRENT,
    DECIDED,
    DEEPEST,
    DEPTH,
    DEPTH_LIMIT,
    DONE_DEPTH,
    DONE_LENGTH,
    DONE_LINE,
    DONE_MOVE,
    DONE_VALUE,
    EVALUATION,
    FINISHED,
    HISTORY,
    ITERATION,
    KEY,
    KEYS,
    KILLER,
    KILLERS,
    LINE,
    LINE_LENGTH,
    LIST,
    LOW,
    MAX_DEPTH,
    MODE,
    NEXT,
    NODES,
    OLDEST,
    ORDER,
    PAST,
    PLY_NOW,
    QUIET,
    REDUCTION,
    SETTLED,
    SKIPPED,
    STAGE,
    STEPS,
    SUMMED,
    TABLE_MOVE,
    VALUE,
    WIDTH,
    WINDOW_HIGH,
    WINDOW_LOW,
    WON,
    WORKED,
    WORKED_ON,
    pack_steps,
)  # fmt: skip
from .judging import board_of, comes_back, is_beyond_cap, judge, key_of
from .moves import ALL, HOSTILE, REST, UNKNOWN, generate, pick, steps_after
from .transpositions import EXACT, LEAST, MOST, from_here, from_root, probe, store

ENTER, ADVANCE, LEAVE = 0, 1, 2  # modes: a new position; its next move; its value is found
NEW, SKIP_TRIED, TABLE_TRIED, HALF_LISTED, LISTED = 0, 1, 2, 3, 4  # stages of a frame
REDUCED, SCOUT, FULL, SKIP = 0, 1, 2, 3  # attempts: less deep; is it better at all; how much; nobody moves
_INFINITE = 32_000
_ASPIRATION = 40
_SKIP_DEPTH, _SKIP_REDUCTION = 3, 2
_SKIP_ROOM = 8  # plies between the depth that is looked ahead and the cap
_NEAR, _FEW = 3, 3  # steps between the pawns; fences in hand
_QUIET_DEPTH = 3  # plies still to look ahead from which on quiet fences are looked at
_MOST_HISTORY = 1 << 16


@kernel
def run(
    rules: Any, frames: Any, control: Any, scratch: Any, entries: Any, layouts: Any, races: Any, data: Any, nodes: Any
) -> Any:
    """Search on for so many nodes, positions that were entered; return how many, fewer if nothing is left to search.

    Args:
        rules: of a game of Quoridor for two.
        frames: int64 ``[DEPTH_LIMIT + 1, FRAME_SIZE]``; see `frames`.
        control: int64 ``[CONTROL_SIZE]``.
        scratch: uint64 ``[SCRATCH_ROWS, 2]``.
        entries: uint64 ``[even, 2]``: the transposition table.
        layouts: see `race_plies`.
        races: likewise.
        data: float32: the numbers of the evaluation.
        nodes: to enter.
    """
    evaluation = evaluation_at(control[EVALUATION])
    end = control[NODES] + nodes
    while not control[FINISHED]:
        ply, mode = control[PLY_NOW], control[MODE]
        frame = frames[ply]
        if mode == ENTER:
            if control[NODES] >= end:
                break
            control[NODES] += 1
            found, value = enter(rules, frame, control, entries, layouts, races, ply)
            if not found and ply > 0 and frame[DEPTH] <= 0:
                found, value = True, evaluation(rules, frames, ply, scratch, data)
                control[WORKED] += 1
            control[VALUE], control[MODE] = value, LEAVE if found else ADVANCE
        elif mode == ADVANCE:
            if frame[STAGE] == NEW:
                frame[STAGE] = SKIP_TRIED
                if may_skip(rules, frame, ply):
                    count_work(frame, control)
                    if evaluation(rules, frames, ply, scratch, data) >= frame[BETA]:
                        skip(rules, frames, control, ply)
                        continue
            advance(rules, frames, control, scratch, entries, ply)
        elif ply == 0:
            end_iteration(frames, control)
        else:
            take(frames, control, entries, ply - 1)
    return nodes - (end - control[NODES])


# --- the root --------------------------------------------------------------------------------------------------------


@kernel
def start(frames: Any, control: Any) -> None:
    """Begin with the position in the first frame: state and steps; see `search` for the rest."""
    control[NODES] = control[WORKED] = control[SETTLED] = control[DEEPEST] = control[FINISHED] = 0
    control[DONE_DEPTH] = control[DONE_LENGTH] = control[DONE_VALUE] = 0
    control[DONE_MOVE] = -1
    control[WIDTH] = _ASPIRATION
    frames[0, SKIPPED] = frames[0, QUIET] = 0
    for i in range(2 * ACTIONS):
        control[HISTORY + i] >>= 3
    begin_iteration(frames, control, 1, -_INFINITE, _INFINITE)


@kernel
def begin_iteration(frames: Any, control: Any, depth: Any, low: Any, high: Any) -> None:
    """Search the root anew, `depth` plies deep, for values within a window."""
    root = frames[0]
    control[ITERATION], control[WINDOW_LOW], control[WINDOW_HIGH] = depth, low, high
    root[ALPHA], root[BETA], root[DEPTH] = low, high, depth
    control[PLY_NOW], control[MODE] = 0, ENTER


@kernel
def end_iteration(frames: Any, control: Any) -> None:
    """Take the value of the root; widen the window where it fell outside, else look one ply further."""
    depth, width, value = control[ITERATION], control[WIDTH], control[VALUE]
    low, high = control[WINDOW_LOW], control[WINDOW_HIGH]
    if value <= low or value >= high:  # never outside an infinite window
        control[WIDTH] = width * 4
        far = _INFINITE if width > 500 or abs(value) > DECIDED else width * 4
        if value <= low:
            begin_iteration(frames, control, depth, max(value - far, -_INFINITE), high)
        else:
            begin_iteration(frames, control, depth, low, min(value + far, _INFINITE))
        return
    control[DONE_DEPTH], control[WIDTH] = depth, _ASPIRATION
    decided = abs(value) > DECIDED
    if value < -DECIDED:
        note_root(frames, control, value)
    if depth >= control[MAX_DEPTH] or (decided and WON - abs(value) <= depth):
        control[FINISHED] = 1
    elif decided or depth < 3:
        begin_iteration(frames, control, depth + 1, -_INFINITE, _INFINITE)
    else:
        begin_iteration(frames, control, depth + 1, value - _ASPIRATION, value + _ASPIRATION)


@kernel
def note_root(frames: Any, control: Any, value: Any) -> None:
    """Keep the best move of the root as it is found: it holds even if the iteration is never finished.

    A move that loses is kept when all have been tried; until then the one that is looked at may be better.
    """
    root = frames[0]
    control[DONE_MOVE], control[DONE_VALUE] = root[BEST_MOVE], value
    control[DONE_LENGTH] = root[LINE_LENGTH]
    for i in range(root[LINE_LENGTH]):
        control[DONE_LINE + i] = root[LINE + i]


@kernel
def consider(control: Any, action: Any) -> None:
    """Let a move of the root of which nothing is known stand for those before it, all of which lose.

    The value stays that of the iteration before. If that was lost too, its move stays as well: it resists the longest.
    """
    if control[DONE_VALUE] >= -DECIDED:
        control[DONE_MOVE], control[DONE_LENGTH] = action, 1
        control[DONE_LINE] = action


# --- a position ------------------------------------------------------------------------------------------------------


@kernel
def enter(rules: Any, frame: Any, control: Any, entries: Any, layouts: Any, races: Any, ply: Any) -> Any:
    """Look at a new position; return ``(found, value)``: whether its value is known without looking at its moves."""
    frame[LINE_LENGTH] = frame[SUMMED] = 0
    frame[STAGE] = NEW
    frame[COUNT] = frame[NEXT] = frame[WORKED_ON] = 0
    frame[BEST], frame[BEST_MOVE], frame[TABLE_MOVE] = -_INFINITE, -1, -1
    board = board_of(rules, frame)
    control[KEYS + control[PAST] + ply] = board
    frame[KEY] = key_of(rules, frame, control, board, ply)
    control[DEEPEST] = max(control[DEEPEST], ply)
    if ply > 0:
        found, value = judge(rules, frame, control, layouts, races, ply)
        if found or frame[DEPTH] <= 0:
            return found, value
    frame[LOW] = frame[ALPHA]
    value, depth, kind, move = probe(entries, np.uint64(frame[KEY]), control[OLDEST])
    if kind != 0:
        frame[TABLE_MOVE] = move
        is_open = frame[BETA] - frame[ALPHA] > 1
        if ply > 0 and depth >= frame[DEPTH] and not is_open and not is_beyond_cap(rules, frame, value):
            value = from_root(value, ply)
            if kind == EXACT or (kind == LEAST and value >= frame[BETA]) or (kind == MOST and value <= frame[ALPHA]):
                return True, value
    # what would be played is judged first, or a worse move could take its place
    if ply == 0 and control[DONE_MOVE] >= 0:
        frame[TABLE_MOVE] = control[DONE_MOVE]
    return False, 0


# --- its moves -------------------------------------------------------------------------------------------------------


@kernel
def descend(rules: Any, frame: Any, child: Any, action: Any, packed: Any) -> None:
    """Write the position after an action, or after nobody moved (-1), into the frame below."""
    for word in range(STATE_SIZE):
        child[word] = frame[word]
    if action >= 0:
        apply(rules, child, action)
        child[QUIET] = frame[QUIET] + 1 if action < rules[SIZE] * rules[SIZE] else 0
    else:
        child[SEAT] = 1 - frame[SEAT]
        child[PLY] += 1
        child[QUIET] = 0  # what comes after it repeats nothing
    for seat in range(2):
        child[STEPS + seat] = packed >> (8 * seat) & 0xFF
    frame[CURRENT] = action


@kernel
def attempt(frames: Any, control: Any, ply: Any, kind: Any) -> None:
    """Begin to search the child below `ply` with the window and depth of a kind of attempt."""
    frame, child = frames[ply], frames[ply + 1]
    low, high, depth = frame[ALPHA], frame[BETA], frame[DEPTH] - 1
    if kind == SKIP:
        low = high - 1
    elif kind != FULL:
        high = low + 1
    if kind in (SKIP, REDUCED):
        depth -= frame[REDUCTION]
    frame[ATTEMPT] = kind
    child[ALPHA], child[BETA], child[DEPTH] = -high, -low, depth
    child[SKIPPED] = kind == SKIP
    control[PLY_NOW], control[MODE] = ply + 1, ENTER


@kernel
def count_work(frame: Any, control: Any) -> None:
    """Count a position on which the evaluation or the generation of moves runs, once."""
    if frame[WORKED_ON] == 0:
        frame[WORKED_ON] = 1
        control[WORKED] += 1


@kernel
def apart(frame: Any) -> Any:
    """Return the steps from one pawn to the other on a board without fences."""
    here, there = frame[PAWN], frame[PAWN + 1]
    return abs(here // 9 - there // 9) + abs(here % 9 - there % 9)


@kernel
def may_skip(rules: Any, frame: Any, ply: Any) -> Any:
    """Return whether it may be tried to let nobody move: what is good enough even then is good enough.

    It may not be good enough where having to move hurts: where the pawns are near each other, so that whoever comes
    closer is jumped over, and there are few fences to place instead; and where the cap is within reach, for there a ply
    that nobody uses is worth something.
    """
    return (
        ply > 0
        and (frame[LEFT + frame[SEAT]] > _FEW or apart(frame) > _NEAR)
        and (rules[MAX_PLIES] == 0 or rules[MAX_PLIES] - frame[PLY] > frame[DEPTH] + _SKIP_ROOM)
        and frame[SKIPPED] == 0
        and frame[DEPTH] >= _SKIP_DEPTH
        and frame[BETA] - frame[ALPHA] == 1
        and abs(frame[BETA]) < DECIDED
        and frame[LEFT + frame[SEAT]] > 0
    )


@kernel
def skip(rules: Any, frames: Any, control: Any, ply: Any) -> None:
    """Search the position in which nobody moved."""
    frame = frames[ply]
    frame[REDUCTION] = _SKIP_REDUCTION
    descend(rules, frame, frames[ply + 1], -1, pack_steps(frame))
    attempt(frames, control, ply, SKIP)


@kernel
def reduction_of(frame: Any, tried: Any, order: Any) -> Any:
    """Return by how many plies a move is searched less deep at first."""
    if frame[DEPTH] < 2 or tried < 3:
        return 0
    less = 1 if tried < 12 else 2
    if order < -1_500:
        less += 1
    return min(less, frame[DEPTH] - 1)


@kernel
def advance(rules: Any, frames: Any, control: Any, scratch: Any, entries: Any, ply: Any) -> None:
    """Begin to search the next move of a position, or find its value if there is none left."""
    frame = frames[ply]
    if frame[STAGE] == SKIP_TRIED:
        frame[STAGE] = TABLE_TRIED
        if frame[TABLE_MOVE] >= 0:
            packed = steps_after(rules, frame, frame[TABLE_MOVE])
            if packed != UNKNOWN:
                descend(rules, frame, frames[ply + 1], frame[TABLE_MOVE], packed)
                attempt(frames, control, ply, FULL)
                return
            frame[TABLE_MOVE] = -1  # of another position with the same key
    tried = np.int64(frame[TABLE_MOVE] >= 0)
    if frame[STAGE] == TABLE_TRIED:
        frame[STAGE] = LISTED if ply == 0 or frame[DEPTH] >= _QUIET_DEPTH else HALF_LISTED
        count_work(frame, control)
        generate(rules, frame, control, ply, scratch, ALL if frame[STAGE] == LISTED else HOSTILE)
    # that everything loses is only true if everything has been tried
    if frame[STAGE] == HALF_LISTED and frame[NEXT] >= frame[COUNT] and frame[BEST] < -DECIDED:
        frame[STAGE] = LISTED
        generate(rules, frame, control, ply, scratch, REST)
    if frame[NEXT] >= frame[COUNT]:
        kind = LEAST if frame[BEST] >= frame[BETA] else (EXACT if frame[BEST] > frame[LOW] else MOST)
        close(frame, control, entries, ply, kind)
        return
    place = pick(frame)
    frame[NEXT] = place + 1
    tried += place
    frame[REDUCTION] = reduction_of(frame, tried, frame[ORDER + place])
    descend(rules, frame, frames[ply + 1], frame[LIST + place], frame[AFTER + place])
    if ply == 0 and -_INFINITE < frame[BEST] < -DECIDED:
        consider(control, frame[CURRENT])
    attempt(frames, control, ply, FULL if frame[BEST] == -_INFINITE else (REDUCED if frame[REDUCTION] > 0 else SCOUT))


@kernel
def close(frame: Any, control: Any, entries: Any, ply: Any, kind: Any) -> None:
    """Leave a position with the best value that was found, and keep that in the table."""
    value, key = from_here(frame[BEST], ply), np.uint64(frame[KEY])
    if ply > 0 or control[PAST] == 0:  # else moves of the root may count as less than they are worth
        store(entries, key, value, frame[DEPTH], kind, frame[BEST_MOVE], control[AGE], control[OLDEST])
    control[VALUE], control[PLY_NOW], control[MODE] = frame[BEST], ply, LEAVE


@kernel
def take(frames: Any, control: Any, entries: Any, ply: Any) -> None:
    """Take the value of the child below `ply`: search it again if it may be better than it seemed, else go on."""
    frame, child = frames[ply], frames[ply + 1]
    value = -control[VALUE]
    if ply == 0 and value <= DECIDED and comes_back(control, child, 1):
        value = min(value, 0)  # who is ahead goes on to something else
    kind = frame[ATTEMPT]
    control[PLY_NOW], control[MODE] = ply, ADVANCE
    if kind == SKIP:
        if value >= frame[BETA]:
            # a win that was seen with a move less is not proven by that
            control[VALUE], control[MODE] = min(value, DECIDED), LEAVE
        return
    if kind == REDUCED and value > frame[ALPHA]:
        attempt(frames, control, ply, SCOUT)
        return
    if kind != FULL and frame[ALPHA] < value < frame[BETA]:
        attempt(frames, control, ply, FULL)
        return
    if value <= frame[BEST]:
        return
    frame[BEST] = value
    if value > frame[ALPHA]:
        frame[ALPHA], frame[BEST_MOVE] = value, frame[CURRENT]
        frame[LINE] = frame[CURRENT]
        length = min(child[LINE_LENGTH], DEPTH_LIMIT - 1)
        for i in range(length):
            frame[LINE + 1 + i] = child[LINE + i]
        frame[LINE_LENGTH] = length + 1
        if ply == 0 and value >= -DECIDED:
            note_root(frames, control, value)
    if value >= frame[BETA]:
        credit(frame, control, ply)
        close(frame, control, entries, ply, LEAST)


@kernel
def credit(frame: Any, control: Any, ply: Any) -> None:
    """Remember a move that refuted the one before it."""
    place = HISTORY + frame[SEAT] * ACTIONS + frame[CURRENT]
    control[place] = min(control[place] + frame[DEPTH] * frame[DEPTH] * 16, _MOST_HISTORY)
    first = KILLER + KILLERS * ply
    if control[first] != frame[CURRENT]:
        for i in range(KILLERS - 1, 0, -1):
            control[first + i] = control[first + i - 1]
        control[first] = frame[CURRENT]
