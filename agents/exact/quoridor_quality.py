"""How well an agent plays a solved board of Quoridor: where it keeps the value of the game, and against perfect play."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.errors import RunError
from ...envs.quoridor.rules import Quoridor, QuoridorState
from ..agent import Agent
from .keeping import Progress
from .quoridor_reach import reachable
from .quoridor_table import QuoridorTable, outcome

BATCH = 256
"""Positions that an agent is asked about at once."""


class Share(NamedTuple):
    """In how many positions an agent kept the value of the game.

    Attributes:
        kept: positions in which its action led to a position of the same outcome.
        asked: positions that it was asked about.
        at_stake: those in which some action would have lost the value.
        total: positions from which those were drawn; as many as `asked` if it was asked about all.
    """

    kept: int
    asked: int
    at_stake: int
    total: int

    @property
    def share(self) -> float:
        """The share in which it kept the value."""
        return self.kept / self.asked

    @property
    def share_at_stake(self) -> float | None:
        """The share of those in which the value was at stake; None if it never was."""
        return 1 - (self.asked - self.kept) / self.at_stake if self.at_stake else None

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval of the share, 0 if it was asked about all."""
        if self.asked == self.total:
            return 0.0
        smoothed = (self.kept + 2) / (self.asked + 4)  # Agresti and Coull 1998
        return 1.96 * math.sqrt(smoothed * (1 - smoothed) / (self.asked + 4))


class _Count:
    """Counts decisions that keep the value: won, drawn or lost for the seat to move."""

    def __init__(self, table: QuoridorTable) -> None:
        self._table = table
        self.kept = self.asked = self.at_stake = 0

    def add(self, state: QuoridorState, action: int) -> None:
        """Look at one decision."""
        after = self._table.action_plies(state)
        if action not in after:
            raise RunError(f"an agent answers {state.to_text()!r} with {action!r:.80}, which is not legal")
        outcomes = {outcome(plies, state) for plies in after.values()}
        self.asked += 1
        self.kept += outcome(after[action], state) == max(outcomes)
        self.at_stake += len(outcomes) > 1

    def share(self, total: int) -> Share:
        """Return what was counted, out of so many positions."""
        return Share(self.kept, self.asked, self.at_stake, total)


def share_of_reachable(
    table: QuoridorTable, game: Quoridor, agent: Agent, most: int, rng: np.random.Generator,
    progress: Progress | None = None,
) -> Share:  # fmt: skip
    """Ask an agent about the positions that play from the start can lead to, each as likely as any other.

    Args:
        table: of the game.
        game: the rules under which it is asked, at ply 0.
        agent: who is asked.
        most: ask about so many positions, drawn without replacement; 0: about all.
        rng: of the draw and of the agent.
        progress: told how many positions it was asked about.
    """
    reached = reachable(table)
    counts = [int(level.sum()) for level in reached]
    total = sum(counts)
    chosen = np.arange(total) if not 0 < most < total else np.sort(rng.choice(total, most, replace=False))
    count = _Count(table)
    agent.reset()
    for batch in _batches(_states(table, game, reached, counts, chosen)):
        for state, decision in zip(batch, agent.act_many(batch, rng), strict=True):
            count.add(state, int(decision.action))
        if progress:
            progress("positions", count.asked, int(chosen.size))
    return count.share(total)


def _states(
    table: QuoridorTable, game: Quoridor, reached: Sequence[NDArray[np.uint8]], counts: Sequence[int],
    chosen: NDArray[np.int64],
) -> Iterator[QuoridorState]:  # fmt: skip
    """Yield the chosen ones among all reached positions."""
    first = 0
    for placed, (level, count) in enumerate(zip(reached, counts, strict=True)):
        places = np.flatnonzero(level)[chosen[(chosen >= first) & (chosen < first + count)] - first]
        for place, hand, seat, pair in zip(*np.unravel_index(places, level.shape), strict=True):
            yield table.state_at(game, placed, int(place), int(hand), int(seat), int(pair))
        first += count


def _batches(states: Iterator[QuoridorState]) -> Iterator[list[QuoridorState]]:
    batch: list[QuoridorState] = []
    for state in states:
        batch.append(state)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def share_of_self_play(
    table: QuoridorTable, game: Quoridor, agent: Agent, games: int, rng: np.random.Generator,
    progress: Progress | None = None,
) -> Share:  # fmt: skip
    """Let an agent play itself, each game after `opening_plies` random plies, and look at all of its decisions."""
    count = _Count(table)
    for number in range(games):
        state = _opened(game, rng)
        agent.reset()
        while not state.is_terminal():
            action = int(agent.act(state, rng).action)
            count.add(state, action)
            state.apply_action(action)
        if progress:
            progress("games with itself", number + 1, games)
    return count.share(count.asked)


def _opened(game: Quoridor, rng: np.random.Generator) -> QuoridorState:
    """Return a position after random plies in which the game goes on."""
    cap = game.options["max_plies"]
    plies = game.opening_plies if cap is None else min(game.opening_plies, cap - 1)
    while True:
        state = game.new_initial_state()
        for _ in range(plies):
            if not state.is_terminal():
                state.apply_action(int(rng.choice(state.legal_actions())))
        if not state.is_terminal():
            return state


def against_perfect_play(
    table: QuoridorTable, game: Quoridor, agent: Agent, games: int, rng: np.random.Generator,
    progress: Progress | None = None,
) -> tuple[float, float]:  # fmt: skip
    """Let an agent play perfect play from the start.

    Args:
        table: of the game.
        game: the rules; it must have a cap on plies, or games need not end.
        agent: who plays.
        games: as many on each seat.
        rng: of the agent.
        progress: told how many games are played.

    Returns:
        Its mean score as first and as second player: a win 1, a draw 0.5.
    """
    scores = []
    for seat in range(2):
        score = 0.0
        for number in range(games):
            state = game.new_initial_state()
            agent.reset()
            while not state.is_terminal():
                if state.seat == seat:
                    action = int(agent.act(state, rng).action)
                else:
                    action = table.choice(table.action_plies(state))
                state.apply_action(action)
            score += (1 + state.returns()[seat]) / 2
            if progress:
                progress("games with perfect play", seat * games + number + 1, 2 * games)
        scores.append(score / games)
    return scores[0], scores[1]
