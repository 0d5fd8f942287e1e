"""Thinking in a thread of its own, so that whoever gave the order can be answered meanwhile."""

from __future__ import annotations

import dataclasses
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from ..agents.agent import Agent, Decision, Watch
from ..agents.registry import make_agent
from ..envs.core import Game, State
from .jobs import Job
from .limits import GoLimits
from .reports import info_lines

_REPORT_SECONDS = 0.5
_NODES, _DEPTH, _SECONDS = ("simulations", "nodes"), ("depth",), ("seconds",)  # options that agents have for limits


class Mind:
    """An agent for a game, loaded when that is needed, with its random numbers.

    Args:
        spec: of the agent.
        game: what it is to play.
        threads: for agents with an option of that name; 1 leaves it as it is.

    Raises:
        SekishoError: if there is no such agent.
    """

    def __init__(self, spec: str, game: Game, threads: int = 1) -> None:
        self.agent = make_agent(spec)
        if threads > 1 and _has(self.agent, "threads"):
            self.agent = dataclasses.replace(cast(Any, self.agent), threads=threads)
        self.game = game
        self._rng = np.random.default_rng(0)
        self._begins = False
        self._loading, self._loaded = threading.Lock(), False

    def new_game(self, seed: int) -> None:
        """Forget the last game before the next decision; random choices are those of `seed` from there on."""
        self._rng, self._begins = np.random.default_rng(seed), True

    def load(self) -> None:
        """Have the agent make a decision at the start, which loads, compiles or solves all it needs; once.

        Raises:
            SekishoError: if it does not play this game.
        """
        with self._loading:
            if self._loaded:
                return
            self.agent.supports(self.game)
            state = self.game.new_initial_state()
            while state.is_chance_node():
                state.apply_action(state.chance_outcomes()[0][0])
            self.agent.act(state, np.random.default_rng(0), time.monotonic())
            self.agent.reset()
            self._loaded = True

    def decide(self, state: State, limits: GoLimits, watch: Watch) -> Decision:
        """Return what the agent decides within limits, which are added to its own or, of the same kind, replace them."""
        if self._begins:
            self.agent.reset()
            self._begins = False
        deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
        changes: dict[str, Any] = {}
        if limits.infinite:
            deadline = math.inf
            changes = dict.fromkeys(self._known(*_NODES, *_DEPTH, *_SECONDS))
        for number, names in ((limits.nodes, _NODES), (limits.depth, _DEPTH)):
            if number is not None:
                changes |= dict.fromkeys(self._known(*names), number)
        self.agent.watch = watch
        with self._changed(changes):
            return self.agent.act(state, self._rng, deadline)

    def unheeded(self, limits: GoLimits) -> list[str]:
        """Return the limits that the agent knows nothing of."""
        kinds = (("nodes", limits.nodes, _NODES), ("depth", limits.depth, _DEPTH))
        return [kind for kind, number, names in kinds if number is not None and not self._known(*names)]

    def _known(self, *names: str) -> list[str]:
        return [name for name in names if _has(self.agent, name)]

    @contextmanager
    def _changed(self, changes: dict[str, Any]) -> Iterator[None]:
        before = {name: getattr(self.agent, name) for name in changes}
        for name, value in changes.items():
            setattr(self.agent, name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(self.agent, name, value)


def _has(agent: Agent, option: str) -> bool:
    """Return whether the agent, a dataclass as all that a spec string names, has an option."""
    found = getattr(agent, "__dataclass_fields__", {}).get(option)
    return found is not None and bool(found.init)


class Thinking(Job):
    """One decision under way.

    Args:
        mind: who decides.
        state: where; a copy of the caller's.
        limits: how long to think.
        lines: how many of the best moves are reported.
        say: is given lines of the protocol while it goes on.
        done: is given the last lines, ``bestmove`` among them, when it is over.
    """

    otherwise = ("bestmove (none)",)  # nobody may wait for an answer in vain

    def __init__(
        self, mind: Mind, state: State, limits: GoLimits, lines: int, say: Callable[[list[str]], None],
        done: Callable[[list[str]], None],
    ) -> None:  # fmt: skip
        super().__init__(done)
        self._mind, self._state, self._limits, self._lines, self._say = mind, state, limits, lines, say
        self._begin = time.monotonic()
        self._watch = Watch(self._tell, _REPORT_SECONDS, lines)
        self._told_to_stop = threading.Event()

    def stop(self) -> None:
        """Have it answer at once, or as soon as the agent can."""
        self._watch.stop()
        self._told_to_stop.set()

    def _tell(self, decision: Decision) -> None:
        self._say(info_lines(decision, self._state, time.monotonic() - self._begin, most=self._lines))

    def work(self) -> list[str]:
        """Return the last lines."""
        self._mind.load()
        self._begin = time.monotonic()
        for kind in self._mind.unheeded(self._limits):
            self._say([f"info string this agent has no limit of {kind}; it thinks as long as it does"])
        decision = self._mind.decide(self._state, self._limits, self._watch)
        seconds = time.monotonic() - self._begin
        lines = info_lines(decision, self._state, seconds, self._mind.agent, self._lines)
        if self._limits.infinite:
            self._told_to_stop.wait()
        return [*lines, f"bestmove {self._state.action_to_string(decision.action)}"]
