"""How much single squares of a picture sugoroku board decide.

The *swing* of a square: how much what it says changes the chance of winning of the seat whose piece the die brings
there, against the same square if it said nothing this once; the mean over all such moments while nobody has arrived,
of all seats. Exact, like the rest.
"""

from __future__ import annotations

import numpy as np

from ...envs.picture_sugoroku.rules import PictureSugoroku
from ...envs.picture_sugoroku.walks import FACES, MAX_EXTRA_ROLLS, Table, Walk
from .picture_analysis import nobody_before
from .picture_chain import Chain, Floats, Law, Turn, chain_of, law_of, turns_of

_NEGLIGIBLE = 1e-13
_MOST_TURNS = 20_000


def swings(game: PictureSugoroku) -> dict[int, float] | None:
    """Return the swing, -1 to 1, of each square that says something and that the die can bring a piece to.

    Returns:
        The swings in the order of the squares; None for a board so long that the moments do not fit into a table.

    Raises:
        RunError: if even the journey of one seat takes too long to be tabled.
    """
    turns = turns_of(game.walks)
    chain = chain_of(game.walks, turns)
    law = law_of(chain).extended(_NEGLIGIBLE ** (1 / game.num_players), _MOST_TURNS)
    if law is None:
        return None
    places, shares = _throws(game.walks)
    thrown = law.laws[:-1, : chain.goal] @ shares
    worth = np.zeros((len(places), len(chain.squares) + 1))
    for seat in range(game.num_players):
        worth += thrown.T @ _values(law, nobody_before(law, seat, game.num_players))
    change = dict.fromkeys(game.board.squares, 0.0)
    weight = dict.fromkeys(game.board.squares, 0.0)
    for (square, extra), values in zip(places, worth, strict=True):
        for walk in game.walks[square]:
            met = walk.steps[0].end
            if met in change:
                change[met] += _after(chain, turns, walk, extra, values) - values[met]
                weight[met] += values[-1]
    return {square: float(change[square] / weight[square]) for square in change if weight[square]}


def _throws(table: Table) -> tuple[list[tuple[int, int]], Floats]:
    """Return the moments in a turn at which the die can fall, and how likely they are.

    Returns:
        The moments as (square, extra rolls so far), and for each square on which a turn can begin the probability that
        it comes to each of them, float64 ``[squares, moments]``.
    """
    step = np.zeros((len(table), len(table)))
    for square, row in enumerate(table):
        for walk in row:
            if walk.again:
                step[square, walk.square] += 1 / len(FACES)
    here = np.eye(len(table))
    places, shares = [], []
    for extra in range(MAX_EXTRA_ROLLS + 1):
        for square in np.flatnonzero(here.any(axis=0)).tolist():
            places.append((square, extra))
            shares.append(here[:, square])
        here = here @ step
    return places, np.array(shares).T


def _values(law: Law, nobody: Floats) -> Floats:
    """Return how likely a seat is to win, by where it stands after its turn 1, 2, ...

    Args:
        law: of one journey, long enough.
        nobody: probability that no other has arrived before that turn of the seat, float64 ``[turns]``.

    Returns:
        For each turn and node the probability that from there it arrives, and before it no other; in the last column
        that of having arrived in this turn: `nobody` itself. float64 ``[turns, nodes + 1]``.
    """
    chain = law.chain
    values = np.zeros((len(nobody), len(chain.squares) + 1))
    values[:, -1] = nobody
    for turn in range(len(nobody) - 2, -1, -1):
        onward = chain.weights * values[turn + 1, chain.targets]
        values[turn, :-1] = np.bincount(chain.sources, onward, len(chain.squares)) + chain.arrives * nobody[turn + 1]
    return values


def _after(chain: Chain, turns: list[dict[int, Turn]], walk: Walk, extra: int, values: Floats) -> float:
    """Return the worth of where a walk leads, by the worth of every node at the end of the turn and of the goal."""
    if walk.square == chain.goal:
        return float(values[-1])
    if not walk.again or extra == MAX_EXTRA_ROLLS:
        return float(values[chain.index[walk.square, walk.rests]])
    turn = turns[extra + 1][walk.square]
    onward = sum(probability * values[chain.index[place]] for place, probability in turn.after.items())
    return float(onward + turn.arrives * values[-1])
