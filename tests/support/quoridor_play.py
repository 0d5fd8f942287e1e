"""Random games of Quoridor that seek what plain random games seldom meet: crowded pawns and many fences."""

from __future__ import annotations

import random
from dataclasses import dataclass

from sekisho.envs.quoridor.rules import QuoridorState, is_goal


@dataclass(frozen=True)
class Habit:
    """How the moves of one game are drawn.

    Attributes:
        fences: chance to place a fence when one can be placed.
        company: chance that a pawn goes where another pawn is nearest, and not just anywhere.
        walls: chance that a fence is one that stands close to a pawn, where paths get narrow.
        patience: chance that a pawn stays off its goal line if it can.
    """

    fences: float
    company: float
    walls: float
    patience: float


def random_habit(rng: random.Random) -> Habit:
    """Draw a habit: games with few fences, with some, and with as many as possible."""
    return Habit(
        fences=rng.choice((0.05, 0.3, 0.6, 0.9)),
        company=rng.choice((0.0, 0.5, 0.9)),
        walls=rng.choice((0.0, 0.5, 0.9)),
        patience=rng.choice((0.0, 1.0)),
    )


def biased_action(state: QuoridorState, rng: random.Random, habit: Habit) -> int:
    """Draw a legal action by a habit."""
    size = state.game.board_size
    legal = state.legal_actions()
    pawn_moves = [action for action in legal if action < size * size]
    fences = legal[len(pawn_moves) :]
    others = [pawn for seat, pawn in enumerate(state.pawns) if seat != state.seat]

    def to_others(action: int) -> int:
        file, rank = action % size, action // size
        return min(abs(file - f) + abs(rank - r) for f, r in others)

    def to_pawns(action: int) -> int:
        anchor = (action - size * size) % (size - 1) ** 2
        file, rank = anchor % (size - 1), anchor // (size - 1)
        return min(abs(file - f) + abs(rank - r) for f, r in state.pawns)

    if fences and (not pawn_moves or rng.random() < habit.fences):
        few = rng.sample(fences, min(6, len(fences)))
        return min(few, key=to_pawns) if rng.random() < habit.walls else few[0]
    rng.shuffle(pawn_moves)
    if rng.random() < habit.patience:
        goal = [a for a in pawn_moves if is_goal((a % size, a // size), state.seat, size, state.game.num_players)]
        pawn_moves = [action for action in pawn_moves if action not in goal] or goal
    return min(pawn_moves, key=to_others) if rng.random() < habit.company else pawn_moves[0]
