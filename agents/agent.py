"""What an agent is: something that decides for one seat, and says why."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..envs.core import Game, State
from ..envs.errors import AgentError


@dataclass(frozen=True)
class Decision:
    """What an agent chose.

    Attributes:
        action: a legal action of the state it was asked about.
        value: expected return of the seat to move, -1..1, or None if the agent has no opinion.
        policy: probability of each action that it considered.
        line: the actions it expects, its own first.
        statistics: anything else worth showing (nodes, seconds, visit counts), by name.
    """

    action: int
    value: float | None = None
    policy: Mapping[int, float] = field(default_factory=dict)
    line: tuple[int, ...] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)


class Watch:
    """A decision that is under way, for another thread that wants to stop it or to hear of it.

    Args:
        tell: called in the thread that decides, with what it would play so far; None for nobody.
        every: seconds between two such calls, at least.
        best: how many of the best choices are told with their lines, in ``statistics["best"]``.
    """

    def __init__(self, tell: Callable[[Decision], None] | None = None, every: float = 0.5, best: int = 1) -> None:
        self.stopped = False
        self.best = best
        self._tell, self._every, self._last = tell, every, time.monotonic()

    def stop(self) -> None:
        """Have the decision made soon, with what is known by then; before it has begun or after its end too."""
        self.stopped = True

    @property
    def is_due(self) -> bool:
        """Whether somebody listens and has not heard anything for long enough."""
        return self._tell is not None and time.monotonic() - self._last >= self._every

    def look(self, decide: Callable[[], Decision]) -> None:
        """Tell what `decide` returns, unless it is too early for that or nobody listens."""
        if self._tell is not None and self.is_due:
            self._last = time.monotonic()
            self._tell(decide())


class Agent(ABC):
    """A CPU player. It keeps nothing about a game between two calls unless its class says so.

    Attributes:
        samples_policy: whether the action of a decision is drawn from its policy; else the action is what it plays,
            and the policy, if there is one, only tells what it thought.
        watch: who looks on; agents that think for long heed it, the others are done before anybody could ask.
    """

    samples_policy: ClassVar[bool] = False
    watch: Watch | None = None

    def supports(self, game: Game) -> None:
        """Raise `AgentError`, in words, if the agent cannot play this game under these rules."""

    def reset(self) -> None:
        """Forget whatever is kept about a game; called before each one."""

    @abstractmethod
    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """Decide for the seat to move.

        Args:
            state: a decision node; it is not changed.
            rng: where all randomness comes from; the same generator state gives the same decision unless time limits
                the agent.
            deadline: moment of `time.monotonic` by which to answer, in seconds; None for no limit, infinite for one that
                somebody who watches will set.

        Raises:
            AgentError: if there is nothing to decide, or the agent does not play this game.
        """

    def act_many(self, states: Sequence[State], rng: np.random.Generator) -> list[Decision]:
        """Decide at several states that have nothing to do with each other; networks do so in one batch."""
        return [self.act(state, rng) for state in states]


def require_decision(state: State) -> None:
    """Raise `AgentError` unless somebody is to decide at `state`."""
    if state.current_player() < 0:
        node = "the game is over" if state.is_terminal() else "a die is to be thrown"
        raise AgentError(f"there is nothing to decide here: {node}")


def end_of(begin: float, seconds: float | None, deadline: float | None) -> float | None:
    """Return the moment of `time.monotonic` at which a decision is to end, infinite for never; None if nothing says.

    Args:
        begin: moment at which it began.
        seconds: that it may take.
        deadline: as in `Agent.act`.

    Raises:
        AgentError: if the deadline is no number.
    """
    if deadline is not None and math.isnan(deadline):
        raise AgentError("a deadline is a moment of time.monotonic, in seconds, not nan")
    ends = [end for end in (deadline, None if seconds is None else begin + seconds) if end is not None]
    return min(ends, default=None)
