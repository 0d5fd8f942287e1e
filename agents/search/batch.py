"""Leaves evaluated many at a time by something that lives in Python, such as a network.

Simulations go down until a batch of leaves is found, with a virtual loss on their ways, so that they differ; one that
ends in an exact value is backed up at once. Then the evaluator is asked about all of them, and they are given their
children and backed up in the order in which they were found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.errors import AgentError
from ...envs.kernels import bind
from .leaf import rollout
from .simulate import MAX_DEPTH, Settings, Work, add_loss, back_up, descend
from .tree import Tree, add_actions

PENDING = -1
"""`Tree.tried` of a leaf that waits for its evaluation."""
FOUND, FINISHED = 0, 1  # words of `Leaves.counts`


class Evaluator(Protocol):
    """What knows how promising actions look and what positions are worth."""

    def evaluate(
        self, game: Game, words: NDArray[np.int64], seats: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Judge decisions.

        Args:
            game: what is played.
            words: the positions, int64 ``[B, state_size]``; what a seat sees of them is written by ``observe`` of the
                game's kernels. The array is used again for the next batch.
            seats: whose decision each is, int64 ``[B]``.

        Returns:
            How promising each action looks, float64 ``[B, num_actions]``, 0 or more, illegal ones are left out; and
            the expected return of every seat, in seat order, float64 ``[B, players]``.
        """
        ...


class Leaves(NamedTuple):
    """The leaves of a batch, one a row; B fit.

    Attributes:
        counts: int64 ``[2]``: leaves found, and simulations that were finished without a leaf.
        depth: int64 ``[B]``: plies below the root.
        path: int32 ``[B, MAX_DEPTH]``: the nodes that lead to each.
        words: int64 ``[B, state_size]``: their positions.
        seats: int64 ``[B]``: whose decision each is.
    """

    counts: NDArray[np.int64]
    depth: NDArray[np.int64]
    path: NDArray[np.int32]
    words: NDArray[np.int64]
    seats: NDArray[np.int64]


def new_leaves(game: Game, size: int) -> Leaves:
    """Return an empty batch with room for `size` leaves."""
    return Leaves(
        counts=np.zeros(2, dtype=np.int64),
        depth=np.zeros(size, dtype=np.int64),
        path=np.zeros((size, MAX_DEPTH), dtype=np.int32),
        words=np.zeros((size, game.state_size), dtype=np.int64),
        seats=np.zeros(size, dtype=np.int64),
    )


@kernel
def gather(
    tree: Any, tools: Any, data: Any, rules: Any, work: Any, settings: Any, leaves: Any, simulations: Any
) -> None:
    """Begin at most so many simulations and keep their leaves, until the batch is full or a leaf is met twice."""
    game = bind(tools)
    found, finished = 0, 0
    while found < leaves.depth.size and found + finished < simulations and not tree.proven[0]:
        depth = descend(tree, tools, data, game, rules, work, settings)
        leaf = work.path[depth]
        if tree.proven[leaf] or tree.seat[leaf] < 0:
            if not tree.proven[leaf]:  # a throw for which there was no room
                rollout(tools, data, game, rules, work.state, work.rng, work.out)
            back_up(tree, work, depth, settings)
            finished += 1
            continue
        if tree.tried[leaf] == PENDING:
            take_back(tree, work, depth, settings)
            break
        tree.tried[leaf] = PENDING
        leaves.depth[found], leaves.seats[found] = depth, tree.seat[leaf]
        for level in range(depth + 1):
            leaves.path[found, level] = work.path[level]
        for word in range(work.state.size):
            leaves.words[found, word] = work.state[word]
        found += 1
    leaves.counts[FOUND], leaves.counts[FINISHED] = found, finished


@kernel
def take_back(tree: Any, work: Any, depth: Any, settings: Any) -> None:
    """Undo a walk down to a leaf that is already being evaluated."""
    for level in range(depth, -1, -1):
        tree.visits[work.path[level]] -= 1
        if level > 0:
            add_loss(tree, work.path, level, settings.virtual_loss)


@kernel
def settle(tree: Any, tools: Any, rules: Any, work: Any, settings: Any, leaves: Any, priors: Any, values: Any) -> None:
    """Give the leaves of a batch their children, by `priors`, and back their `values` up."""
    game = bind(tools)
    for row in range(leaves.counts[FOUND]):
        depth = leaves.depth[row]
        for level in range(depth + 1):
            work.path[level] = leaves.path[row, level]
        for word in range(work.state.size):
            work.state[word] = leaves.words[row, word]
        for action in range(work.priors.size):
            work.priors[action] = priors[row, action]
        for seat in range(work.out.size):
            work.out[seat] = values[row, seat]
        leaf = work.path[depth]
        tree.tried[leaf] = 0
        count = game.legal(rules, work.state, work.mask)
        if tree.children[leaf] == 0:
            add_actions(tree, leaf, count, work, True, settings.rivals)
        back_up(tree, work, depth, settings)


def simulate_in_batches(
    evaluator: Evaluator, leaves: Leaves, game: Game, tree: Tree, tools: NDArray[np.int64],
    data: NDArray[np.float64], work: Work, settings: Settings, simulations: int,
    goes_on: Callable[[int], bool] = lambda _done: True,
) -> int:  # fmt: skip
    """Run simulations as `simulate.simulate` does, with leaves judged by `evaluator`.

    Whether to stop is asked between batches, not by handing simulations out bit by bit: where the clock was read would
    cut batches short, and the same seed would give another tree.

    Args:
        evaluator: judges the leaves.
        leaves: room for a batch.
        game: what is played.
        tree: grows.
        tools: see `tools.choose_tools`.
        data: likewise.
        work: what the search works on.
        settings: how it chooses.
        simulations: how many at most.
        goes_on: told after each batch how many have been run; false ends the search.

    Returns:
        How many were run.

    Raises:
        AgentError: if its answer has the wrong shape or holds what is no number or less than no promise.
    """
    done = 0
    while done < simulations and not tree.proven[0]:
        gather(tree, tools, data, game.rules, work, settings, leaves, simulations - done)
        found = int(leaves.counts[FOUND])
        if found:
            try:
                priors, values = evaluator.evaluate(game, leaves.words[:found], leaves.seats[:found])
                checked = _checked(priors, (found, game.num_actions)), _checked(values, (found, game.num_players))
                if (checked[0] < 0).any():
                    raise AgentError("an evaluator answered with a negative prior; expected 0 or more")
            except BaseException:  # nothing may stay half done in a tree that is kept
                checked = np.ones((found, game.num_actions)), np.zeros((found, game.num_players))
                settle(tree, tools, game.rules, work, settings, leaves, *checked)
                raise
            settle(tree, tools, game.rules, work, settings, leaves, *checked)
        done += found + int(leaves.counts[FINISHED])
        if not goes_on(done):
            break
    return done


def _checked(answer: object, shape: tuple[int, int]) -> NDArray[np.float64]:
    array = np.array(answer, dtype=np.float64, order="C")
    if array.shape != shape or not np.isfinite(array).all():
        raise AgentError(f"an evaluator must answer with finite numbers of shape {shape}, not {array.shape}")
    return array
