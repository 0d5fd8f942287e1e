"""The agent `mcts`: Monte-Carlo tree search for every game."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import numpy as np

from ...envs.core import Game, State
from ...envs.errors import OptionError, SekishoError
from ..agent import Agent, Decision, Watch, end_of, require_decision
from ..registry import make_agent
from .judges import called, refusals_named
from .search import Child, Rules, Search
from .tools import GameTools, game_tools
from .tree_evaluation import TreeEvaluation, TreeEvaluator

DEFAULT_SIMULATIONS = 1000
"""Where neither simulations nor seconds are given."""
MOST_SIMULATIONS, MOST_SECONDS = 10**12, 86_400
OWN = "own"
"""What the game brings to judge leaves by."""
_FORCED_SIMULATIONS = 64
"""Enough for an opinion where only one action is legal."""


@dataclass
class MctsAgent(Agent):
    """Monte-Carlo tree search.

    It keeps the tree of a game from one decision to the next (`tree`), so its decisions depend on its earlier ones;
    `reset` forgets them. The first use in a process, and of a game, loads compiled code; `seconds` count from after it.

    Args:
        simulations: for a decision, 1..10^12; on top of those that the kept tree already holds.
        seconds: for a decision, above 0, at most a day. With both, what comes first; with neither, 1000 simulations.
        selection: ``uct`` or ``puct``; by default ``puct`` where priors are guided.
        exploration: the constant of either formula, in returns (-1..1), 0..10^6; by default 1, or what the game brings
            with its priors.
        rivals: how closely the other seats are expected to follow the priors, 1..1000: at their decisions priors are
            taken to this power, and `exploration` times this. 1: they search as this seat does. By default what was
            measured to be the strongest for the game; with ``uct`` it is 1.
        first_play: what an untried action counts as, in returns above its node's value; by default 0 with ``puct``,
            while with ``uct`` each action is tried once before any is again.
        rollouts: ``uniform``, ``guided`` (by a quick policy that the game brings), or ``none`` (its evaluation); by
            default what was measured to be the strongest for the game, ``uniform`` for a game that brings nothing.
        cutoff: plies after which a rollout stops and is evaluated; never by default.
        priors: ``uniform`` or ``guided`` (the game brings them): which actions look promising before they are tried;
            by default guided where the game brings them, unless ``uct`` is asked for.
        threads: that search in one tree, 1..64. More than one thread is not repeatable.
        memory: MiB that the tree may take; when they are used up it grows no more, and the statistics say ``full``.
        tree: ``keep`` what it holds of the next position, or begin each decision ``fresh``.
        temperature: actions are drawn by visits ** (1 / temperature); 0 takes the most visited.
        noise: share of Dirichlet noise in the root's priors, 0..1; for ``puct``.
        alpha: concentration of that noise.
        wide: chance nodes with more outcomes than this open them progressively.
        exact: ``auto``: where the game is solved, leaves get its exact values (see `tools.game_tools`), as far as every
            installation has them; ``on``: those of tables in the cache folder too, and refuse a game without any;
            ``off``: never.
        leaf: what judges leaves: ``own``, what the game brings, or an agent that has an evaluation for this search, a
            network of kind ``nnue`` as in ``leaf=(net:checkpoint=FILE)``, by its spec string or itself; without rollouts.
    """

    simulations: int | None = None
    seconds: float | None = None
    selection: str = "auto"
    exploration: float | None = None
    rivals: float | None = None
    first_play: float | None = None
    rollouts: str = "auto"
    cutoff: int | None = None
    priors: str = "auto"
    threads: int = 1
    memory: int = 256
    tree: str = "keep"
    temperature: float = 0.0
    noise: float = 0.0
    alpha: float = 0.3
    wide: int = 32
    exact: str = "auto"
    leaf: str | Agent = OWN
    _judge: Agent | None = field(default=None, init=False, repr=False, compare=False)
    _search: Search | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_range("simulations", self.simulations, 1, MOST_SIMULATIONS)
        _check(
            self.seconds is None or 0 < self.seconds <= MOST_SECONDS,
            "seconds", f"above 0 and at most {MOST_SECONDS} (a day)", self.seconds,
        )  # fmt: skip
        _check(self.selection in ("auto", "uct", "puct"), "selection", "uct or puct", self.selection)
        _check_range("exploration", self.exploration, 0, 1e6)
        _check_range("rivals", self.rivals, 1, 1000)
        _check(self.rivals in (None, 1) or self.selection != "uct", "rivals", "1 with selection=uct", self.rivals)
        _check_range("first_play", self.first_play, -1e6, 1e6)
        kinds = ("auto", "uniform", "guided", "none")
        _check(self.rollouts in kinds, "rollouts", "uniform, guided or none", self.rollouts)
        _check_range("cutoff", self.cutoff, 0, 10**6)
        _check(self.cutoff is None or self.rollouts != "none", "cutoff", "left out with rollouts=none", self.cutoff)
        _check(self.priors in ("auto", "uniform", "guided"), "priors", "uniform or guided", self.priors)
        _check_range("threads", self.threads, 1, 64)
        _check_range("memory", self.memory, 1, 2**20)
        _check(self.tree in ("keep", "fresh"), "tree", "keep or fresh", self.tree)
        _check(
            self.temperature == 0 or 1e-3 <= self.temperature <= 1e3,
            "temperature",
            "0, or 0.001..1000",
            self.temperature,
        )
        _check_range("noise", self.noise, 0, 1)
        _check(self.noise == 0 or self.selection != "uct", "noise", "0 with selection=uct", self.noise)
        _check_range("alpha", self.alpha, 1e-3, 1e3)
        _check_range("wide", self.wide, 1, 10**6)
        _check(self.exact in ("auto", "on", "off"), "exact", "auto, on or off", self.exact)
        if isinstance(self.leaf, Agent):
            self._judge = self.leaf
        elif self.leaf != OWN:
            try:
                self._judge = make_agent(self.leaf)
            except SekishoError as error:
                raise OptionError(f"mcts: option 'leaf' must be 'own' or name an agent: {error}") from error
        if self._judge is None:
            return
        if not isinstance(self._judge, TreeEvaluator):
            raise OptionError(
                f"mcts: option 'leaf' must be 'own' or an agent with an evaluation for this search, as "
                f"(net:checkpoint=FILE) is with a network of kind 'nnue', not {self.leaf!r:.80}"
            )
        _check(self.rollouts in ("auto", "none"), "rollouts", "none, or left out, with a leaf", self.rollouts)
        _check(self.cutoff is None, "cutoff", "left out with a leaf", self.cutoff)

    def supports(self, game: Game) -> None:
        """See `Agent.supports`; any game with compiled kernels is played. Loads what that takes."""
        self._search_for(game)

    def reset(self) -> None:
        """See `Agent.reset`."""
        if self._search is not None:
            self._search.forget()

    def _search_for(self, game: Game) -> Search:
        if self._search is None or self._search.game != game:
            evaluation: TreeEvaluation | None = None
            if self._judge is not None:
                with refusals_named("mcts", called(self.leaf)):
                    evaluation = cast(TreeEvaluator, self._judge).tree_evaluation(game)
            self._search = Search(game, self._rules(game), evaluation=evaluation)
        return self._search

    def _rules(self, game: Game) -> Rules:
        """Return the options with what is left to the game filled in."""
        brought = game_tools(game)
        rollouts = self.rollouts
        if rollouts == "auto":
            played_out = "uniform" if brought.policy is None else "guided"
            rollouts = brought.rollouts if self.cutoff is None else played_out
        if self._judge is not None:
            rollouts = "none"
        priors = self.priors
        if priors == "auto":
            priors = "uniform" if brought.priors is None or self.selection == "uct" else "guided"
        puct = self.selection == "puct" or (self.selection == "auto" and (priors == "guided" or self.noise > 0))
        tuned = brought if puct and priors == "guided" else GameTools()
        return Rules(
            puct=puct,
            exploration=tuned.exploration if self.exploration is None else self.exploration,
            rivals=tuned.rivals if self.rivals is None else self.rivals,
            first_play=self.first_play if self.first_play is not None else 0.0 if puct else math.inf,
            rollouts=rollouts,
            cutoff=self.cutoff,
            priors=priors,
            wide=self.wide,
            threads=self.threads,
            memory=self.memory,
            noise=self.noise,
            alpha=self.alpha,
            exact=self.exact,
        )

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`; at least one simulation is run, however late it is.

        The statistics are ``simulations`` and ``seconds`` of this decision, ``visits`` and ``values`` (for the seat to
        move) of each action that was tried, ``kept`` (visits that the tree already held), ``nodes`` and ``depth``
        (plies) of the tree, ``proven`` (the value is exact), ``full`` (the memory is used up), ``returns`` (of every
        seat), and where somebody watches ``best``: action, values of all seats and line of the best choices.
        """
        search = self._search_for(state.game)
        require_decision(state)
        begin = time.monotonic()
        if self.tree == "fresh":
            search.forget()
        seat = state.current_player()
        limits = self._simulations(state, deadline), end_of(begin, self.seconds, deadline)
        watch = self.watch
        between = None if watch is None else partial(self._look, watch, seat, search, begin)
        stopped = None if watch is None else lambda: watch.stopped
        done = search.run(state, rng, *limits, between, stopped)
        return self._decision(self._choose(search.children(), seat, search, rng), seat, search, begin, done)

    def _look(self, watch: Watch, seat: int, search: Search, begin: float, done: int) -> None:
        """Tell who watches what would be played now."""
        if watch.is_due and not watch.stopped:
            with search.alone():
                watch.look(lambda: self._decision(_most_visited(search.children(), seat), seat, search, begin, done))

    def _decision(self, chosen: Child, seat: int, search: Search, begin: float, done: int) -> Decision:
        """Return `chosen` with what the search found out in `done` simulations."""
        children = search.children()
        total = sum(child.visits for child in children)
        policy = {child.action: child.visits / total for child in children}
        best = () if self.watch is None else _ranked(children, chosen, seat)[: self.watch.best]
        return Decision(
            action=chosen.action,
            value=chosen.values[seat],
            policy={chosen.action: 1.0} if search.is_proven else policy,
            line=search.line(chosen.action),
            statistics={
                "simulations": done,
                "seconds": time.monotonic() - begin,
                "visits": {child.action: child.visits for child in children},
                "values": {child.action: child.values[seat] for child in children},
                "kept": search.visits - done,
                "nodes": search.nodes,
                "depth": search.depth,
                "proven": search.is_proven,
                "full": search.is_full,
                "returns": chosen.values,
                "best": [(child.action, child.values, search.line(child.action)) for child in best],
            },
        )

    def _simulations(self, state: State, deadline: float | None) -> int | None:
        wanted = self.simulations
        if wanted is None and self.seconds is None and deadline is None:
            wanted = DEFAULT_SIMULATIONS
        if len(state.legal_actions()) == 1:
            return min(_FORCED_SIMULATIONS, wanted or _FORCED_SIMULATIONS)
        return wanted

    def _choose(self, children: list[Child], seat: int, search: Search, rng: np.random.Generator) -> Child:
        """Return what to play: by visits, but a proven win at once and a proven loss never where there is a choice.

        Of proven wins the nearest known one, of losses the farthest.
        """
        if search.is_proven:
            exact = [child for child in children if child.proven]
            return max(exact, key=lambda child: (child.values[seat], -np.sign(child.values[seat]) * child.plies))
        lost = search.game.min_utility
        hopeful = [child for child in children if not (child.proven and child.values[seat] <= lost)] or children
        if self.temperature == 0:
            return _most_visited(hopeful, seat)
        weights = np.log([child.visits for child in hopeful]) / self.temperature
        chances = np.exp(weights - weights.max())
        return hopeful[int(rng.choice(len(hopeful), p=chances / chances.sum()))]


def _most_visited(children: list[Child], seat: int) -> Child:
    return max(children, key=lambda child: (child.visits, child.values[seat]))


def _ranked(children: list[Child], chosen: Child, seat: int) -> list[Child]:
    """Return the children by visits, what is played before all others."""
    return sorted(children, key=lambda child: (child.action != chosen.action, -child.visits, -child.values[seat]))


def _check_range(name: str, value: float | None, least: float, most: float) -> None:
    """Refuse what is below `least` or above `most`; None stands for the default."""
    _check(value is None or least <= value <= most, name, f"{least:,}..{most:,}".replace(",", "_"), value)


def _check(holds: bool, name: str, expected: str, value: object) -> None:
    if not holds:
        raise OptionError(f"mcts: option {name!r} must be {expected}, not {value}")
