"""A search of one position after the other in a tree that is kept between them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...envs.core import Game, State
from ...envs.errors import AgentError, IllegalActionError
from ...envs.kernels import CHANCE
from .atomic import acquire, release, yield_address
from .batch import Evaluator, new_leaves, simulate_in_batches
from .limits import Limits
from .simulate import Settings, Work, expand_root, new_work, settle_root, simulate
from .tools import GameTools, choose_tools, game_tools
from .tree import DEEPEST, FULL, LOCK, USED, Tree, clear, find_child, keep_subtree, new_tree, node_bytes
from .tree_evaluation import TreeEvaluation, judged_by

_SECONDS_TO_KEEP_A_NODE = 2e-8
_SHARE_OF_SOLUTIONS = 8  # one part in so many of the memory is for exact values that are worked out on the way
_VIRTUAL_LOSS = 1.0
_MAX_NODES = 2**31 - 1
_MOST_SIMULATIONS = 1 << 62


@dataclass(frozen=True)
class Rules:
    """How a `Search` goes about it; the options of `mcts.MctsAgent` in the words of the kernels.

    Attributes:
        puct: PUCT in place of UCT.
        exploration: the constant c.
        first_play: what an untried action counts as, in returns above its node's value; infinite: tried once first.
        rollouts, cutoff, priors: see `tools.choose_tools`.
        wide: chance nodes with more outcomes open them progressively.
        threads: that work in one tree.
        memory: MiB that the tree may take.
        noise, alpha: share and concentration of the Dirichlet noise in the priors of the root.
        exact: see `tools.game_tools`.
        rivals: see `simulate.Settings`.
    """

    puct: bool
    exploration: float
    first_play: float
    rollouts: str
    cutoff: int | None
    priors: str
    wide: int
    threads: int
    memory: int
    noise: float
    alpha: float
    exact: str = "auto"
    rivals: float = 1.0


@dataclass(frozen=True)
class Child:
    """What a search found out about an action at the root.

    Attributes:
        action: the action.
        visits: simulations through it.
        values: mean return of each seat.
        proven: whether they are exact.
        plies: to the end if they are, as far as that is known.
    """

    action: int
    visits: int
    values: tuple[float, ...]
    proven: bool
    plies: int


class Search:
    """A tree and the position at its root.

    Args:
        game: what is played.
        rules: how to search.
        evaluator: judges the leaves in place of rollouts and priors; one thread then.
        batch: leaves that it is asked about at a time, at most.
        brought: tools for the leaves in the place of those that the game brings.
        evaluation: in the place of the one that the game brings.

    Raises:
        AgentError: if the game has no compiled kernels or lacks a tool that the rules ask for.
    """

    def __init__(
        self, game: Game, rules: Rules, evaluator: Evaluator | None = None, batch: int = 8,
        brought: GameTools | None = None, evaluation: TreeEvaluation | None = None,
    ) -> None:  # fmt: skip
        if not all(hasattr(function, "compile") for function in game.kernels):
            raise AgentError(f"agent 'mcts' does not play {game.name}: the game's kernels are not compiled")
        self.game = game
        self._rules = rules if evaluator is None else replace(rules, rollouts="uniform", cutoff=None, priors="uniform")
        self._evaluator, self._leaves = evaluator, new_leaves(game, 1 if evaluator is None else batch)
        room = rules.memory * 2**20
        self._brought = brought or game_tools(game, rules.exact, room // _SHARE_OF_SOLUTIONS)
        if evaluation is not None:
            self._brought = judged_by(evaluation, self._brought)
        self._tools, self._data = choose_tools(
            game, self._brought, self._rules.rollouts, self._rules.cutoff, self._rules.priors
        )
        capacity = min((room - self._data.nbytes) // node_bytes(game.num_players), _MAX_NODES)
        try:
            self.tree: Tree = new_tree(max(capacity, 1), game.num_players)
        except MemoryError:
            raise AgentError(
                f"this machine has no {rules.memory} MiB for a tree: give 'memory' a smaller value"
            ) from None
        self._settings = Settings(
            puct=int(rules.puct),
            exploration=float(rules.exploration),
            first_play=float(rules.first_play),
            ranked=int(rules.noise > 0 or rules.priors == "guided" or evaluator is not None),
            wide=rules.wide,
            min_utility=float(game.min_utility),
            max_utility=float(game.max_utility),
            repetition=game.repetition,
            virtual_loss=_VIRTUAL_LOSS if rules.threads > 1 or evaluator is not None else 0.0,
            batched=int(evaluator is not None),
            yield_function=yield_address() if rules.threads > 1 else 0,
            rivals=float(rules.rivals),
        )
        self._root: State | None = None
        self._warm_up()

    def _warm_up(self) -> None:
        """Load the compiled code now, so that no thinking time is spent on it."""
        work = new_work(self.game.new_initial_state(), 0)
        self._searches([work])[0](1)
        keep_subtree(self.tree, 0)
        find_child(self.tree, 0, -1)
        clear(self.tree)
        self._settle_root(work)
        clear(self.tree)
        expand_root(self.tree, self._tools, self._data, self.game.rules, work)
        with self.alone():
            pass
        clear(self.tree)

    def _searches(self, works: list[Work]) -> list[Callable[[int], int]]:
        """Return for each thread the function that runs simulations in it."""
        common = self.tree, self._tools, self._data
        if self._evaluator is None:
            return [partial(simulate, *common, self.game.rules, work, self._settings) for work in works]
        judged = partial(simulate_in_batches, self._evaluator, self._leaves, self.game, *common)
        return [partial(judged, works[0], self._settings)]

    def forget(self) -> None:
        """Leave nothing of what was searched."""
        self._root = None
        clear(self.tree)

    def run(
        self, state: State, rng: np.random.Generator, simulations: int | None, end: float | None,
        between: Callable[[int], None] | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> int:  # fmt: skip
        """Search a decision of this game; what the tree holds of it is kept and added to.

        Args:
            state: where somebody is to decide.
            rng: gives the keys of the random numbers, and the noise.
            simulations: how many at most; None for no bound.
            end: moment of `time.monotonic` to stop at; None for no bound.
            stopped: asked every few milliseconds whether to stop.
            between: called every few milliseconds with the simulations so far. It may look at
                the tree where it is `alone`.

        Returns:
            The simulations that were run: fewer than asked for if time was up, somebody asked for the end, or the value
            of the root is proven.
        """
        self._move_root(state, end)
        keys = rng.integers(2**64, size=self._rules.threads, dtype=np.uint64)
        works = [new_work(state, int(key)) for key in keys]
        searches = self._searches(works)
        settled = self._settle_root(works[0]) if self.tree.visits[0] == 0 else 0
        if self._rules.noise > 0 and not settled:
            if self._evaluator is None:
                expand_root(self.tree, self._tools, self._data, self.game.rules, works[0])
            elif self.tree.children[0] == 0:
                searches[0](1)
            self._add_noise(rng)
        if self._evaluator is not None:
            return settled + self._judged(self._evaluator, works[0], simulations, end, between, stopped)
        limits = Limits(simulations, end, between, stopped)
        limits.run(searches)
        return settled + limits.done

    def _judged(
        self, evaluator: Evaluator, work: Work, simulations: int | None, end: float | None,
        between: Callable[[int], None] | None, stopped: Callable[[], bool] | None,
    ) -> int:  # fmt: skip
        """Run simulations whose leaves the evaluator judges, until one of the limits is reached; see `run`."""

        def goes_on(done: int) -> bool:
            if between is not None:
                between(done)
            return not (stopped is not None and stopped()) and (end is None or time.monotonic() < end)

        return simulate_in_batches(
            evaluator, self._leaves, self.game, self.tree, self._tools, self._data, work, self._settings,
            _MOST_SIMULATIONS if simulations is None else simulations, goes_on,
        )  # fmt: skip

    def _settle_root(self, work: Work) -> int:
        return int(settle_root(self.tree, self._tools, self._data, self.game.rules, work, self._settings))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Have other threads wait while somebody looks at the tree."""
        if self._rules.threads == 1:
            yield
            return
        acquire(self.tree.head, LOCK, self._settings.yield_function)
        try:
            yield
        finally:
            release(self.tree.head, LOCK)

    def _move_root(self, state: State, end: float | None) -> None:
        """Make `state` the root and keep what lies below it, if it follows from the last root and there is time."""
        node = -1 if self._root is None else self._node_of(state, self._root)
        if self._rules.rivals != 1 and node >= 0 and self.tree.seat[node] != self.tree.seat[0]:
            node = -1  # what others were expected to do in the tree was expected for another root
        room = math.inf if end is None else end - time.monotonic()
        if node > 0 and self.tree.tried[node] > 0 and self.tree.head[USED] * _SECONDS_TO_KEEP_A_NODE < room:
            keep_subtree(self.tree, node)
        else:
            clear(self.tree)
        self._root = state.clone()

    def _node_of(self, state: State, root: State) -> int:
        """Return the node of a position that was reached from the last root, or -1."""
        before, now = root.history(), state.history()
        if now[: len(before)] != before:
            return -1
        node, walk = 0, root
        for action in now[len(before) :]:
            node = find_child(self.tree, node, action)
            if node < 0:
                return -1
            try:
                walk = walk.child(action)
            except IllegalActionError:  # the two games began at different positions
                return -1
        return int(node) if walk == state else -1

    def _add_noise(self, rng: np.random.Generator) -> None:
        first, count = self.tree.first[0], self.tree.children[0]
        share = self._rules.noise
        drawn = rng.dirichlet(np.full(count, self._rules.alpha))
        priors = self.tree.prior[first : first + count]  # a root is new to noise: it was no root before
        priors *= 1 - share
        priors += share * drawn

    # --- what was found ----------------------------------------------------------------------------------------------

    def children(self) -> list[Child]:
        """Return the actions that were tried at the root, by ascending number."""
        tree, first = self.tree, int(self.tree.first[0])
        block = slice(first, first + int(tree.tried[0]))
        proven, visits = tree.proven[block] == 1, tree.visits[block]
        values = np.where(proven[:, None], tree.value[block], tree.value[block] / visits[:, None])
        columns = (tree.action[block], visits, values, proven, tree.length[block])
        rows = zip(*(column.tolist() for column in columns), strict=True)
        found = [Child(action, n, tuple(means), exact, plies) for action, n, means, exact, plies in rows]
        return sorted(found, key=lambda child: child.action)

    @property
    def is_proven(self) -> bool:
        """Whether the value of the root is exact."""
        return bool(self.tree.proven[0])

    @property
    def is_full(self) -> bool:
        """Whether some node had to stay a leaf because the memory is used up."""
        return bool(self.tree.head[FULL])

    @property
    def visits(self) -> int:
        """Simulations through the root, those of earlier searches included."""
        return int(self.tree.visits[0])

    @property
    def nodes(self) -> int:
        """Nodes of the tree, those that no simulation has reached included."""
        return int(self.tree.head[USED])

    @property
    def depth(self) -> int:
        """Most plies below the root that a simulation has come."""
        return int(self.tree.head[DEEPEST])

    def line(self, action: int) -> tuple[int, ...]:
        """Return `action` and the decisions that were visited most after it, up to a throw of the dice or a leaf."""
        tree, node = self.tree, int(find_child(self.tree, 0, action))
        actions = [action]
        while tree.seat[node] > CHANCE and tree.tried[node] > 0:
            first = int(tree.first[node])
            node = first + int(np.argmax(tree.visits[first : first + int(tree.tried[node])]))
            actions.append(int(tree.action[node]))
        return tuple(actions)

    def drawn_line(self, rng: np.random.Generator) -> tuple[int, ...]:
        """Return the actions, throws included, to the position that a simulation in the tree has come to, drawn by lot.

        Every simulation is as likely as any other; where nothing lies below the root there are no actions.
        """
        tree, node, actions = self.tree, 0, list[int]()
        while tree.tried[node] > 0:
            first = int(tree.first[node])
            sums = np.cumsum(tree.visits[first : first + int(tree.tried[node])])
            own = int(node > 0)  # the simulation that came to the node when it was new
            drawn = int(np.searchsorted(sums, rng.integers(int(sums[-1]) + own), side="right"))
            if drawn == len(sums):
                break
            node = first + drawn
            actions.append(int(tree.action[node]))
        return tuple(actions)
