"""What to change on a board of picture sugoroku for games of a wished length and fairness: single edits, all tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...envs.errors import OptionError, RunError
from ...envs.picture_sugoroku.boards import KINDS, MAX_GOAL, MIN_GOAL, Board, Instruction, read_board
from ...envs.picture_sugoroku.rules import PictureSugoroku
from ...envs.picture_sugoroku.walks import trap, walk_table
from .picture_analysis import until_first_arrival, wins
from .picture_chain import chain_of, law_of

_FAR = 12  # squares that an edit sends a piece, at most; a leap in either direction is a `forward` or a `back`
_LONGER = 10  # squares that an edit of the goal adds or takes away, at most


@dataclass(frozen=True)
class Figures:
    """What an edit is judged by.

    Attributes:
        turns: expected turns of all seats up to the first arrival, skipped ones included.
        rolls: expected throws of the die up to the first arrival.
        advantage: the first seat's probability of winning beyond an equal share.
    """

    turns: float
    rolls: float
    advantage: float


@dataclass(frozen=True)
class Edit:
    """One change of a board.

    Attributes:
        square: whose instruction it changes; None if it changes the goal.
        words: what it does, for people.
        board: the board afterwards.
    """

    square: int | None
    words: str
    board: Board


@dataclass(frozen=True)
class Wish:
    """What a game should be like; at least one of the three.

    Attributes:
        turns: expected turns of all seats up to the first arrival.
        rolls: expected throws up to the first arrival, instead.
        advantage: the first seat's advantage, at most: what keeps to it comes before all that does not.
    """

    turns: float | None = None
    rolls: float | None = None
    advantage: float | None = None

    def excess(self, figures: Figures) -> float:
        """Return by what share of the wished advantage figures exceed it; 0 where they keep to it."""
        return 0.0 if self.advantage is None else max(0.0, figures.advantage / self.advantage - 1)

    def off(self, figures: Figures) -> float:
        """Return by what factor the length of a game is off the wished one, as a share: 0.1 for 10 % too long."""
        if self.rolls is None and self.turns is None:
            return 0.0
        return figures.rolls / self.rolls - 1 if self.rolls is not None else figures.turns / (self.turns or 1.0) - 1

    def miss(self, figures: Figures, present: Figures) -> tuple[float, float]:
        """Return how far figures are from the wish, (0, 0) being what was wished for: advantage first, then length.

        Without a wished length the present one counts: it should change as little as can be.
        """
        if self.rolls is not None:
            length = figures.rolls / self.rolls
        else:
            length = figures.turns / (present.turns if self.turns is None else self.turns)
        return self.excess(figures), abs(float(np.log(length)))


def figures_of(board: Board, game: PictureSugoroku) -> Figures | None:
    """Return the figures of another board under a game's options; None if it may not or practically never be finished.

    Args:
        board: to be judged.
        game: whose players, chain and goal count.
    """
    table = walk_table(board, chain=game.options["chain"], goal=game.options["goal"])
    if trap(table) is not None:
        return None
    try:
        law = law_of(chain_of(table))
    except RunError:
        return None
    players, before = game.num_players, law.laws[:-1]
    return Figures(
        until_first_arrival(law, law.alive[:-1], players),
        until_first_arrival(law, before @ law.chain.throws, players),
        wins(law, players)[0] - 1 / players,
    )


def suggest(
    game: PictureSugoroku, wish: Wish, count: int, tried: Callable[[int, int], None] = lambda done, total: None
) -> list[tuple[Edit, Figures]]:
    """Return the edits that come nearest to a wish, best first, one a square.

    Args:
        game: its board is edited.
        wish: what the game should be like.
        count: edits at most. Those that are no nearer than the board as it stands are left out.
        tried: is told after each edit how many have been tried, and of how many.
    """
    present = figures_of(game.board, game)
    if present is None:
        raise RunError(f"games on board {game.board.id!r} take too long to be analysed")
    edits = list(edits_of(game.board))
    best: dict[int | None, tuple[tuple[float, float], Edit, Figures]] = {}
    for done, edit in enumerate(edits, start=1):
        figures = figures_of(edit.board, game)
        if figures is not None:
            miss = wish.miss(figures, present)
            if miss < wish.miss(present, present) and (edit.square not in best or miss < best[edit.square][0]):
                best[edit.square] = (miss, edit, figures)
        tried(done, len(edits))
    return [(edit, figures) for _, edit, figures in sorted(best.values(), key=lambda entry: entry[0])[:count]]


def edits_of(board: Board) -> Iterator[Edit]:
    """Yield every single edit that is tried: another goal, and for each square another or no instruction."""
    for goal in range(max(MIN_GOAL, board.goal - _LONGER), min(MAX_GOAL, board.goal + _LONGER) + 1):
        if goal != board.goal:
            try:
                edited = read_board(board.to_dict() | {"goal": goal})
            except OptionError:  # an instruction stands on or behind it, or leads there
                continue
            yield Edit(None, f"goal {goal} instead of {board.goal}", edited)
    for square in range(1, board.goal):
        now = board.squares.get(square)
        for instruction in instructions(board, square):
            if instruction != now:
                squares = {**board.squares, square: instruction}
                was = f" instead of {spelt(now)}" if now else ""
                words = f"square {square}: {spelt(instruction)}{was}"
                yield Edit(square, words, replace(board, squares=dict(sorted(squares.items()))))
        if now:
            squares = {other: what for other, what in board.squares.items() if other != square}
            yield Edit(square, f"square {square}: nothing instead of {spelt(now)}", replace(board, squares=squares))


def instructions(board: Board, square: int) -> Iterator[Instruction]:
    """Yield the instructions that are tried on a square."""
    yield from (Instruction("forward", by) for by in range(1, min(_FAR, board.goal - 1 - square) + 1))
    yield from (Instruction("back", by) for by in range(1, min(_FAR, square - 1) + 1))
    yield from (Instruction("rest", 1), Instruction("rest", 2), Instruction("roll_again"), Instruction("to_start"))


def spelt(instruction: Instruction) -> str:
    """Return an instruction in words, such as ``back 3`` or ``roll_again``."""
    return f"{instruction.kind} {instruction.number}" if KINDS[instruction.kind] else instruction.kind
