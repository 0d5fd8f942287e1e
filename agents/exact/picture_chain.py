"""One seat's journey in picture sugoroku as a Markov chain, and its law turn by turn.

Pieces never meet, so the law of one seat's journey is that of every seat, and seats are independent of each other. A
step of the chain is a turn of the seat's own; a turn that is skipped to pay a rest is one too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.errors import RunError
from ...envs.picture_sugoroku.walks import FACES, MAX_EXTRA_ROLLS, Table, Walk

Floats = NDArray[np.float64]

_BLOCK = 12  # turns; a multiple of the periods that rests bring about (2 and 3)
_SETTLED = 1e-13
_NOBODY = 1e-30
_MOST_ENTRIES = 10_000_000  # numbers that a law may keep, 80 MB


class Turn(NamedTuple):
    """What comes of a turn, from some moment in it at which the die is about to fall.

    Attributes:
        after: probabilities of (square, rests owed) after the turn, the goal left out.
        arrives: probability of arriving at the goal in it.
        throws: expected throws of the die from this moment on.
    """

    after: dict[tuple[int, int], float]
    arrives: float
    throws: float


def turns_of(table: Table) -> list[dict[int, Turn]]:
    """Return what comes of a turn: ``[extra rolls so far][square]``, for the squares on which the die can fall then.

    Args:
        table: see `walks.walk_table`.
    """
    granting = {walk.square for row in table for walk in row if walk.again}
    by_extra: list[dict[int, Turn]] = [{}]
    for extra in reversed(range(MAX_EXTRA_ROLLS + 1)):
        squares = sorted(granting) if extra else range(len(table))
        by_extra.insert(0, {square: _turn(table[square], len(table), by_extra[0]) for square in squares})
    return by_extra[:-1]


def _turn(row: Sequence[Walk], goal: int, further: Mapping[int, Turn]) -> Turn:
    """Return what comes of a throw; `further` tells what comes of another, and is empty if none would be granted."""
    after: dict[tuple[int, int], float] = {}
    arrives, throws = 0.0, 1.0
    share = 1 / len(FACES)
    for walk in row:
        if walk.square == goal:
            arrives += share
        elif walk.again and further:
            on = further[walk.square]
            arrives += share * on.arrives
            throws += share * on.throws
            for place, probability in on.after.items():
                after[place] = after.get(place, 0.0) + share * probability
        else:
            place = (walk.square, walk.rests)
            after[place] = after.get(place, 0.0) + share
    return Turn(after, arrives, throws)


@dataclass(frozen=True)
class Chain:
    """Where a piece goes in a turn of its own.

    Attributes:
        goal: number of the last square.
        squares: square of each node, int64 ``[nodes]``; node ``i`` is square ``i`` with no rest owed while
            ``i < goal``, whether or not a piece can come to be there; the others owe rests.
        rests: turns owed at each node, int64 ``[nodes]``.
        index: the number of each node by (square, rests).
        sources: start of each possible step, int64 ``[steps]``, ascending.
        targets: end of each step, int64 ``[steps]``.
        weights: probability of each step, float64 ``[steps]``.
        arrives: probability of arriving in the turn, float64 ``[nodes]``.
        throws: expected throws of the die in the turn, float64 ``[nodes]``; 0 where a rest is paid.
    """

    goal: int
    squares: NDArray[np.int64]
    rests: NDArray[np.int64]
    index: dict[tuple[int, int], int]
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    weights: Floats
    arrives: Floats
    throws: Floats

    def step(self, law: Floats) -> Floats:
        """Return the law (``[nodes]``) a turn later; who has arrived is lost from it."""
        later = np.bincount(self.targets, law[self.sources] * self.weights, len(self.squares))
        return later.astype(np.float64, copy=False)  # for the type checker: with weights they are floats already


def chain_of(table: Table, turns: list[dict[int, Turn]] | None = None) -> Chain:
    """Return the chain of a board's walks.

    Args:
        table: see `walks.walk_table`.
        turns: `turns_of` the table, where they are known already.
    """
    first_throw = (turns or turns_of(table))[0]
    goal = len(table)
    index = {(square, 0): square for square in range(goal)}
    for turn in first_throw.values():
        for square, rests in turn.after:
            for owed in range(rests, 0, -1):
                index.setdefault((square, owed), len(index))
    steps: list[tuple[int, int, float]] = []
    arrives, throws = np.zeros(len(index)), np.zeros(len(index))
    for (square, rests), node in index.items():
        if rests:
            steps.append((node, index[square, rests - 1], 1.0))
            continue
        turn = first_throw[square]
        arrives[node], throws[node] = turn.arrives, turn.throws
        steps += [(node, index[place], probability) for place, probability in turn.after.items()]
    sources, targets, weights = (np.array(column) for column in zip(*steps, strict=True))
    places = np.array(list(index))
    return Chain(goal, places[:, 0], places[:, 1], index, sources, targets, weights, arrives, throws)


@dataclass(frozen=True)
class Law:
    """The law of one seat's journey after each number of turns of its own.

    It is kept until it has settled: from then on, what is left under way after `_BLOCK` more turns has the same shape
    as before and is smaller by a factor. So sums over all turns to come are geometric series, and nothing is cut off.

    Attributes:
        chain: the chain.
        laws: probability of each node after 0, 1, ... turns; float64 ``[turns + 1, nodes]``. Rows sum to `alive`.
        alive: probability of being under way after 0, 1, ... turns; float64 ``[turns + 1]``.
        arrivals: probability of arriving in turn 1, 2, ...; float64 ``[turns]``.
        loss: share of those under way that arrives within the next `_BLOCK` turns once it has settled; 1 if all do.
    """

    chain: Chain
    laws: Floats
    alive: Floats
    arrivals: Floats
    loss: float

    def total(self, terms: Floats, degree: int) -> float:
        """Return the sum over all turns, those after the last that is kept included.

        Args:
            terms: of turn 1, 2, ...; float64 ``[turns]``. Each is homogeneous in the law of the journey: products of
                `degree` probabilities of (sets of) nodes, arrivals, or being under way.
            degree: at least 1.
        """
        if self.loss == 1:
            return float(terms.sum())
        log = degree * np.log1p(-self.loss)  # of the factor by which the terms of a block shrink to those of the next
        return float(terms.sum() - terms[-_BLOCK:].sum() * np.exp(log) / np.expm1(log))

    def extended(self, below: float, most: int) -> Law | None:
        """Return the law with as many turns as it takes until `alive` is below a bound; None for more than `most`."""
        laws = [self.laws]
        kept, factor = len(self.alive), 1.0
        while self.loss < 1 and factor * self.alive[-1] >= below:
            factor *= 1 - self.loss
            kept += _BLOCK
            if kept > most:
                return None
            laws.append(factor * self.laws[-_BLOCK:])
        rows = np.concatenate(laws)
        return Law(self.chain, rows, rows.sum(axis=1), rows[:-1] @ self.chain.arrives, self.loss)


def law_of(chain: Chain) -> Law:
    """Return the law of a journey that begins on square 0.

    Raises:
        RunError: if it takes so long to settle that no table holds it.
    """
    law = np.zeros(len(chain.squares))
    law[0] = 1.0
    laws, loss = [law], 0.0
    while True:
        for _ in range(_BLOCK):
            laws.append(chain.step(laws[-1]))
        block = np.array(laws[-_BLOCK - 1 :])
        before, after = float(block[0].sum()), float(block[-1].sum())
        if after < _NOBODY:
            loss = 1.0
            break
        loss, earlier = float((block[:-1] @ chain.arrives).sum()) / before, loss
        moved = float(np.abs(block[-1] / after - block[0] / before).sum())
        if moved < _SETTLED and abs(loss - earlier) <= _SETTLED * 10 * loss and loss > 0:
            break
        if len(laws) * len(law) > _MOST_ENTRIES:
            raise RunError(
                f"a journey over this board takes too long to be analysed: after {len(laws) - 1} turns "
                f"{100 * after:.3g} % are still under way; give it fewer squares that lead back"
            )
    rows = np.array(laws)
    return Law(chain, rows, rows.sum(axis=1), rows[:-1] @ chain.arrives, loss)
