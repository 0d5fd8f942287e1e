"""The agent `alphabeta`: Quoridor by looking ahead as far as time allows, the fences that matter first."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import numpy as np

from ....envs.core import Game, State
from ....envs.errors import AgentError, OptionError, SekishoError
from ....envs.quoridor.rules import Quoridor
from ...agent import Agent, Decision, Watch, end_of, require_decision
from ...registry import make_agent
from ..judges import called, refusals_named
from .evaluation import Evaluation, Evaluator
from .frames import DECIDED, DEPTH_LIMIT
from .search import AlphaBetaSearch, Found

DEFAULT_NODES = 100_000
"""Where no limit is given."""
MOST_NODES, MOST_SECONDS = 10**12, 86_400.0
HAND = "hand"
"""The evaluation made by hand."""


@dataclass
class AlphaBetaAgent(Agent):
    """Alpha-beta search for Quoridor with two players.

    It keeps its table of positions from one decision of a game to the next, so its decisions depend on its earlier ones;
    `reset` forgets them, and so does another game. The first use in a process loads compiled code; `seconds` count from after it.

    Args:
        depth: plies to look ahead, 1..64.
        nodes: positions to look at, at least 1.
        seconds: for a decision, above 0. Of several limits the first that is reached counts; with none, 100,000 nodes.
        memory: MiB of the table of positions, 1..65536.
        leaf: what judges positions: ``hand``, an evaluation made by hand, or an agent that has one for this search, a
            network of kind ``nnue`` as in ``leaf=(net:checkpoint=FILE)``, by its spec string or itself.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    memory: int = 64
    leaf: str | Agent = HAND
    _judge: Agent | None = field(default=None, init=False, repr=False, compare=False)
    _search: AlphaBetaSearch | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self.depth is None or 1 <= self.depth <= DEPTH_LIMIT, "depth", f"1..{DEPTH_LIMIT}", self.depth)
        _check(self.nodes is None or 1 <= self.nodes <= MOST_NODES, "nodes", f"1..{MOST_NODES}", self.nodes)
        _check(
            self.seconds is None or 0 < self.seconds <= MOST_SECONDS,
            "seconds",
            f"above 0, at most {MOST_SECONDS:.0f}",
            self.seconds,
        )
        _check(1 <= self.memory <= 2**16, "memory", "1..65536 (MiB)", self.memory)
        if isinstance(self.leaf, Agent):
            self._judge = self.leaf
        elif self.leaf != HAND:
            try:
                self._judge = make_agent(self.leaf)
            except SekishoError as error:
                raise OptionError(f"alphabeta: option 'leaf' must be 'hand' or name an agent: {error}") from error
        if self._judge is not None and not isinstance(self._judge, Evaluator):
            raise OptionError(
                f"alphabeta: option 'leaf' must be 'hand' or an agent with an evaluation for this search, as "
                f"(net:checkpoint=FILE) is with a network of kind 'nnue', not {self.leaf!r:.80}"
            )

    def supports(self, game: Game) -> None:
        """See `Agent.supports`; Quoridor with two players only. Loads what that takes."""
        self._search_for(game)

    def reset(self) -> None:
        """See `Agent.reset`."""
        if self._search is not None:
            self._search.forget()

    def _search_for(self, game: Game) -> AlphaBetaSearch:
        if not isinstance(game, Quoridor):
            raise AgentError(f"agent 'alphabeta' plays Quoridor, not {game.name}: try 'expectimax' or 'mcts'")
        if game.num_players != 2:
            raise AgentError(f"agent 'alphabeta' plays with two players, not {game.num_players}: try 'mcts'")
        if self._search is None or self._search.game != game:
            evaluation: Evaluation | None = None
            if self._judge is not None:
                with refusals_named("alphabeta", called(self.leaf)):
                    evaluation = cast(Evaluator, self._judge).frame_evaluation(game)
            self._search = AlphaBetaSearch(game, self.memory, evaluation)
        return self._search

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`; at least one move is judged, however late it is. It draws nothing from `rng`.

        Where only one action is legal it looks one ply ahead, unless depth alone limits it.

        The statistics are ``depth`` (plies that were looked ahead to the full), ``deepest``, ``nodes``, ``worked``
        (those of them on which the evaluation or the generation of moves ran), ``races`` (layouts of fences whose races
        were solved), ``seconds``, ``proven`` (the value is a win or loss, seen to its end) and ``score`` (hundredths of
        log-odds).
        """
        search = self._search_for(state.game)
        require_decision(state)
        begin = time.monotonic()
        end = end_of(begin, self.seconds, deadline)
        unlimited = end is None and self.nodes is None and self.depth is None
        nodes = DEFAULT_NODES if unlimited else self.nodes
        by_depth_alone = self.depth is not None and end is None and nodes is None
        is_forced = not by_depth_alone and len(state.legal_actions()) == 1
        depth = 1 if is_forced else self.depth or DEPTH_LIMIT
        watch = self.watch
        between = None if watch is None else partial(self._look, watch, search, begin)
        stopped = None if watch is None else lambda: watch.stopped
        found = search.run(state, depth, nodes, end, between, stopped)
        return _decision(found, begin)

    @staticmethod
    def _look(watch: Watch, search: AlphaBetaSearch, begin: float, _nodes: int) -> None:
        """Tell who watches what would be played now."""
        if search.has_found:
            watch.look(lambda: _decision(search.found(), begin))


def _decision(found: Found, begin: float) -> Decision:
    return Decision(
        action=found.action,
        value=_expected_return(found),
        line=found.line,
        statistics={
            "depth": found.depth,
            "deepest": found.deepest,
            "nodes": found.nodes,
            "worked": found.worked,
            "races": found.races,
            "seconds": time.monotonic() - begin,
            "proven": found.is_decided,
            "score": found.value,
        },
    )


def _expected_return(found: Found) -> float:
    """Return -1..1 for a value in hundredths of log-odds."""
    return math.copysign(1.0, found.value) if abs(found.value) > DECIDED else math.tanh(found.value / 200)


def _check(good: bool, name: str, expected: str, value: object) -> None:
    if not good:
        raise OptionError(f"option {name!r} of agent 'alphabeta' must be {expected}, not {value!r}")
