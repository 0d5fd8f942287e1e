"""Tokaido by a few rules that a person can remember and apply at the table: count stations.

Found by searching small numbers for the least exact loss against perfect play (``benchmarks/search_pocket_rules.py``);
what it loses stands in ``docs/tokaido_solved.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from ..envs.core import Game, State
from ..envs.errors import AgentError
from ..envs.tokaido.kernels import CROSS, CROSSING, DICE, RESIGN, TURN, WAITS
from ..envs.tokaido.rules import Tokaido, TokaidoState
from ..envs.tokaido.tables import LAST, SPOT_NAMES, station_of
from .agent import Agent, Decision, require_decision

FAR_ENOUGH = 50
"""Stations beyond it count as this one: from there on Kyoto needs an exact number anyway."""
AGAIN, REST = 4, 6
"""What a further throw, and a turn of rest, are worth in stations."""
BETTER = {"44": 4}
"""Stations that are worth more than their number says."""
ARRIVAL = 1000


def stations(spot: int, far_enough: int = FAR_ENOUGH) -> float:
    """Return how far a piece is, in stations, at most `far_enough`; a detour's three lie between two main ones."""
    name = SPOT_NAMES[spot]
    detour = int(name.partition("d")[2] or 0) if "d" in name else 0
    return min(station_of(name) + detour / 4 if spot else 0, far_enough)


def lead(state: TokaidoState, seat: int) -> float:
    """Return by how many stations `seat` leads its rivals on the road after its move, all things counted."""
    spots, rests = state.spots, state.rests
    if spots[seat] > LAST:
        return ARRIVAL
    again = state.words[WAITS] in (DICE, CROSS)
    mine = stations(spots[seat]) - REST * rests[seat] + AGAIN * again + BETTER.get(SPOT_NAMES[spots[seat]], 0)
    rivals = [other for other, spot in enumerate(spots) if other != seat and 0 < spot <= LAST]
    paid = (state.seat - seat - 1) % len(spots) if state.words[WAITS] == TURN else 0  # seats skipped to the next mover
    skipped = {(seat + step) % len(spots) for step in range(1, paid + 1)}
    theirs = [stations(spots[other]) - REST * (rests[other] + (other in skipped)) for other in rivals]
    return mine - sum(theirs) / max(len(theirs), 1)


@dataclass
class PocketAgent(Agent):
    """Takes the number after which it leads by most stations, a rest and a further throw counted; always crosses."""

    def supports(self, game: Game) -> None:
        """See `Agent.supports`."""
        if not isinstance(game, Tokaido):
            raise AgentError(f"agent 'pocket' plays tokaido, not {game.name}")

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`; of equal numbers the larger."""
        self.supports(state.game)
        require_decision(state)
        seat = state.current_player()
        actions = [action for action in state.legal_actions() if action != RESIGN]
        if CROSSING in actions:
            return Decision(CROSSING)
        scores = {action: lead(cast(TokaidoState, state.child(action)), seat) for action in actions}
        best = max(scores.values())
        return Decision(
            max(action for action, score in scores.items() if score >= best - 1e-9),
            statistics={"lead": {state.action_to_string(action): score for action, score in scores.items()}},
        )
