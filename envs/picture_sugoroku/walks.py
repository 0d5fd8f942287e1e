"""Where a roll leads: the piece's steps, by the die and by the instructions of the squares.

Pieces never meet, so this depends on nothing but the board, the square and the die. The kernels read it from a table,
previews and the journal tell it in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .boards import Board, Instruction

FACES = range(1, 7)
MAX_INSTRUCTIONS = 5
"""Instructions followed after one roll, at most."""
MAX_EXTRA_ROLLS = 3
"""Extra rolls in one turn, at most."""


class Step(NamedTuple):
    """One thing that happens to the piece.

    Attributes:
        kind: ``roll``, or the kind of the instruction that is followed.
        number: pips, or the number of the instruction.
        start: square before.
        end: square after; the same for ``rest`` and ``roll_again``.
        bounced: whether it came back from the goal.
    """

    kind: str
    number: int
    start: int
    end: int
    bounced: bool = False


class Walk(NamedTuple):
    """All that one roll does.

    Attributes:
        steps: the roll, then the instructions that are followed.
        square: where the piece stands in the end.
        rests: turns it owes now.
        again: whether the square grants another roll (the turn may have had its share already).
        unfollowed: the instruction of the last square when it is not followed, because enough were; else None.
    """

    steps: tuple[Step, ...]
    square: int
    rests: int
    again: bool
    unfollowed: Instruction | None


def walk(board: Board, square: int, number: int, *, chain: bool, goal: str) -> Walk:
    """Follow one roll.

    Args:
        board: the board.
        square: where the piece stands, short of the goal.
        number: pips, 1 to 6.
        chain: whether the instruction of a square that an instruction leads to is followed too.
        goal: ``over`` or ``exact``; see the rules.
    """
    steps = [_advance(board.goal, "roll", square, number, goal)]
    limit = MAX_INSTRUCTIONS if chain else 1
    rests, again = 0, False
    instruction = board.squares.get(steps[0].end)
    while instruction and len(steps) <= limit and not rests and not again:
        step = _follow(board, instruction, steps[-1].end, goal)
        steps.append(step)
        rests = step.number if step.kind == "rest" else 0
        again = step.kind == "roll_again"
        instruction = board.squares.get(step.end)
    return Walk(tuple(steps), steps[-1].end, rests, again, None if rests or again else instruction)


def _follow(board: Board, instruction: Instruction, square: int, goal: str) -> Step:
    kind, number = instruction
    if kind == "forward":
        return _advance(board.goal, kind, square, number, goal)
    end = {"back": max(0, square - number), "to_start": 0, "jump": number}.get(kind, square)
    return Step(kind, number, square, end)


def _advance(last: int, kind: str, square: int, number: int, goal: str) -> Step:
    end = square + number
    if end <= last or goal == "over":
        return Step(kind, number, square, min(end, last))
    return Step(kind, number, square, 2 * last - end, bounced=True)


Table = Sequence[Sequence[Walk]]
"""All walks of a board: ``table[square][pips - 1]`` for every square short of the goal."""


def walk_table(board: Board, *, chain: bool, goal: str) -> Table:
    """Return every walk of a board under the two options that matter for it; see `walk`."""
    return tuple(
        tuple(walk(board, square, number, chain=chain, goal=goal) for number in FACES) for square in range(board.goal)
    )


# --- where a piece can ever be ---------------------------------------------------------------------------------------


class Places(NamedTuple):
    """Where a piece can come to be, the goal left out.

    Attributes:
        waiting: (square, rests owed) between its turns.
        within: (square, extra rolls so far, at least 1) in the middle of its turn.
    """

    waiting: frozenset[tuple[int, int]]
    within: frozenset[tuple[int, int]]


def places(table: Table) -> Places:
    """Return every place in which a piece that starts on 0 can come to be."""
    seen: set[tuple[int, int, int]] = set()  # square, rests owed, extra rolls
    to_visit = [(0, 0, 0)]
    while to_visit:
        node = to_visit.pop()
        if node not in seen:
            seen.add(node)
            to_visit += _next_places(table, *node)
    waiting = frozenset((square, rests) for square, rests, extra in seen if not extra)
    return Places(waiting, frozenset((square, extra) for square, _, extra in seen if extra))


def _next_places(table: Table, square: int, rests: int, extra: int) -> Iterator[tuple[int, int, int]]:
    if rests:
        yield square, rests - 1, 0
        return
    for after in table[square]:
        if after.square < len(table):
            yield after.square, after.rests, extra + 1 if after.again and extra < MAX_EXTRA_ROLLS else 0


def trap(table: Table) -> int | None:
    """Return the square nearest to the goal that a piece can come to and never finish from; None if there is none."""
    found = places(table)
    squares = {square for square, _ in found.waiting | found.within}
    finishing: set[int] = {len(table)}
    growing = True
    while growing:
        more = {square for square in squares - finishing if any(after.square in finishing for after in table[square])}
        finishing |= more
        growing = bool(more)
    return max(squares - finishing, default=None)
