"""Picture sugoroku analysed without sampling: who wins, who comes in which place, and how long it takes.

Seats are independent copies of one journey (`picture_chain`). The seat that arrives first in its turn ``k`` has, with
``alive(k)`` the probability of being under way after ``k`` turns, the seats before it after ``k`` turns and those
behind it after ``k - 1``: so all figures are sums over ``k`` of products of one-seat probabilities.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from math import comb

import numpy as np

from ...envs.picture_sugoroku.rules import PictureSugoroku
from .picture_chain import Floats, Law, chain_of, law_of


@dataclass(frozen=True)
class Analysis:
    """What a game of picture sugoroku comes to if nobody resigns.

    Attributes:
        win: probability of arriving first, by seat.
        places: probability of each rank, best first, by seat; seats that share ranks have equal parts of each.
        own_turns: expected turns of one seat to the goal, those it skips included.
        turns: expected turns of all seats up to and with the first arrival, skipped ones included.
        rolled_turns: the same without the skipped ones.
        rolls: expected throws of the die up to and with the first arrival.
    """

    win: list[float]
    places: list[list[float]]
    own_turns: float
    turns: float
    rolled_turns: float
    rolls: float

    @property
    def advantage(self) -> float:
        """The first seat's probability of winning beyond an equal share."""
        return self.win[0] - 1 / len(self.win)


def analyze(game: PictureSugoroku) -> Analysis:
    """Return the exact figures of a game, under its options; resigning, where allowed, is left out.

    Raises:
        RunError: if a journey over the board takes too long to be tabled.
    """
    return analyze_law(law_of(chain_of(game.walks)), game.num_players, game.options["finish"])


def analyze_law(law: Law, players: int, finish: str) -> Analysis:
    """Return the exact figures from the law of one journey; see `analyze`."""
    win = wins(law, players)
    places = _places_by_square(law, win) if finish == "first" else _places_by_arrival(law, players)
    before, chain = law.laws[:-1], law.chain
    return Analysis(
        win,
        places,
        law.total(law.alive[:-1], 1),
        until_first_arrival(law, law.alive[:-1], players),
        until_first_arrival(law, before @ (chain.rests == 0), players),
        until_first_arrival(law, before @ chain.throws, players),
    )


def nobody_before(law: Law, seat: int, players: int) -> Floats:
    """Return the probability that no other seat has arrived before a seat's turn 1, 2, ...; float64 ``[turns]``."""
    return law.alive[1:] ** seat * law.alive[:-1] ** (players - 1 - seat)


def wins(law: Law, players: int) -> list[float]:
    """Return each seat's probability of arriving first."""
    return [law.total(law.arrivals * nobody_before(law, seat, players), players) for seat in range(players)]


def until_first_arrival(law: Law, own: Floats, players: int) -> float:
    """Return the expected sum, over all turns of all seats up to the first arrival, of something that turns hold.

    Args:
        law: of one journey.
        own: what a seat's turn 1, 2, ... is expected to hold, 0 once it has arrived; float64 ``[turns]``.
        players: number of seats.
    """
    return sum(law.total(own * nobody_before(law, seat, players), players) for seat in range(players))


# --- finish="all_places": ranked by arrival --------------------------------------------------------------------------


def _places_by_arrival(law: Law, players: int) -> list[list[float]]:
    """Return ``places`` when play goes on: the rank tells how many of the others are under way at the arrival."""
    before, after = law.alive[:-1], law.alive[1:]

    @functools.cache
    def moment(early: int, late: int) -> float:
        """That a seat arrives and that many given seats before it, and behind it, are still under way then."""
        return law.total(law.arrivals * after**early * before**late, 1 + early + late)

    places = []
    for seat in range(players):
        others = players - 1
        subsets = [  # expected number of sets of so many others that are all under way
            sum(
                comb(seat, early) * comb(others - seat, size - early) * moment(early, size - early)
                for early in range(max(0, size - others + seat), min(seat, size) + 1)
            )
            for size in range(players)
        ]
        exactly = [  # inclusion and exclusion
            sum((-1) ** (size - left) * comb(size, left) * subsets[size] for size in range(left, players))
            for left in range(players)
        ]
        places.append(exactly[::-1])
    return places


# --- finish="first": the others ranked by square ---------------------------------------------------------------------


def _places_by_square(law: Law, win: list[float]) -> list[list[float]]:
    """Return ``places`` when the first arrival ends the game.

    Seats on one square share ranks, each with equal parts: as if a lot decided. So let every seat draw a lot in 0..1;
    a seat with lot ``u`` on square ``x`` is behind another with probability ``P(farther) + u P(on x)``. The integral
    over ``u`` of products of these, polynomials of degree ``players - 2``, is a Gauss-Legendre sum without error.
    """
    players = len(win)
    ahead = _Ahead(law, players)
    places = [[probability] + [0.0] * (players - 1) for probability in win]
    for winner in range(players):
        for seat in range(players):
            if seat != winner:
                early = winner - (seat < winner)
                for rank, probability in enumerate(ahead(seat < winner, early), start=1):
                    places[seat][rank] += probability
    return places


class _Ahead:
    """How many seats stand ahead of a seat when another arrives.

    Args:
        law: of one journey.
        players: number of seats.
    """

    def __init__(self, law: Law, players: int) -> None:
        self._law, self._others = law, players - 2
        chain = law.chain
        on = np.zeros((len(law.laws), chain.goal))
        np.add.at(on.T, chain.squares, law.laws.T)
        used = on.any(axis=0)
        on = on[:, used]
        farther = np.cumsum(on[:, ::-1], axis=1)[:, ::-1] - on
        lots, weights = np.polynomial.legendre.leggauss(self._others // 2 + 1)
        self._on = on
        self._lots = [  # weight; for each turn and square: that a seat is ahead, that it is under way and not ahead
            (weight / 2, front := farther + (1 + lot) / 2 * on, law.alive[:, None] - front)
            for lot, weight in zip(lots, weights, strict=True)
        ]
        self._known: dict[tuple[bool, int], list[float]] = {}

    def __call__(self, is_early: bool, early: int) -> list[float]:
        """Return the probabilities that the winner arrives, and 0, 1, ... others are ahead of the seat.

        Args:
            is_early: whether the seat has had its turn in the round already, so that it comes before the winner.
            early: how many of the others but the winner have.
        """
        if (is_early, early) not in self._known:
            self._known[is_early, early] = self._count(is_early, early)
        return self._known[is_early, early]

    def _count(self, is_early: bool, early: int) -> list[float]:
        late = self._others - early
        own = self._on[1:] if is_early else self._on[:-1]
        terms = np.zeros((self._others + 1, len(own)))
        for weight, front, back in self._lots:
            for first in range(early + 1):
                of_early = comb(early, first) * front[1:] ** first * back[1:] ** (early - first)
                for second in range(late + 1):
                    of_late = comb(late, second) * front[:-1] ** second * back[:-1] ** (late - second)
                    terms[first + second] += weight * np.einsum("kx,kx,kx->k", own, of_early, of_late)
        return [self._law.total(row * self._law.arrivals, self._others + 2) for row in terms]
