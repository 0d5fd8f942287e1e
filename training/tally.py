"""Sums over games that were played to learn from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Tally:
    """Sums over games, from which the means of an iteration are made.

    Attributes:
        games: that were played.
        plies: of all of them, throws included.
        first_wins: games that the seat which began has won alone.
        draws: games that nobody has won alone.
        broken_off: games that reached the cap on plies of the configuration.
        decisions: searches, quick ones too.
        simulations: of all searches.
        root_values: sum over full searches of the absolute value that the search gave to the position.
        entropies: sum over full searches of the entropy of their visits, in nats.
        positions: to learn from: decisions of full searches, and the throws that follow them.
        searches: full ones.
        judged: decisions at which a teacher compared the network's own choice with its own, alike ones too.
        costs: sum over these of the return that the network's choice costs, as the teacher sees it.
    """

    games: int = 0
    plies: int = 0
    first_wins: int = 0
    draws: int = 0
    broken_off: int = 0
    decisions: int = 0
    simulations: int = 0
    root_values: float = 0.0
    entropies: float = 0.0
    positions: int = 0
    searches: int = 0
    judged: int = 0
    costs: float = 0.0

    def add(self, other: Tally) -> None:
        """Add the sums of other games."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
