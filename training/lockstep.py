"""Trees of many games side by side, so that one question to an evaluator serves the leaves of all of them.

Each array of a `Tree`, `Work` or `Leaves` is stacked: it has one more axis in front, the table at which a game is
played. The kernels below cut the arrays of one table out of the stack, which copies nothing, and hand them to those of
the search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..agents.search.batch import FINISHED, FOUND, Leaves, gather, new_leaves, settle
from ..agents.search.simulate import MAX_DEPTH, Work, new_work
from ..agents.search.tree import Tree, clear, find_child, keep_subtree, new_tree
from ..envs.compiling import kernel
from ..envs.core import Game
from ..envs.kernels import CHANCE, bind


class Tables(NamedTuple):
    """Where all games stand; T tables, N nodes and B leaves each.

    Attributes:
        trees: a `Tree` of stacked arrays.
        works: a `Work` of stacked arrays; ``root`` is where the game stands, ``seen`` begins with the hashes of its
            positions.
        leaves: `Leaves` of stacked arrays.
        seen: int64 ``[T]``: positions of the game so far, the root included, where repetition counts; else 0.
        dice: uint64 ``[T, 2]``: the throws of the game; the search has its own random numbers in ``works.rng``.
        goals: int64 ``[T]``: visits that the root is to get, those that it has included; 0 where no game is played.
    """

    trees: Tree
    works: Work
    leaves: Leaves
    seen: NDArray[np.int64]
    dice: NDArray[np.uint64]
    goals: NDArray[np.int64]


def new_tables(game: Game, tables: int, nodes: int, leaves: int, plies: int) -> Tables:
    """Return empty tables.

    Args:
        game: what is played.
        tables: how many.
        nodes: room of each tree.
        leaves: of a tree that may wait for one evaluation.
        plies: most of a game, for the positions that repetition looks back at.
    """
    past = plies + 1 + MAX_DEPTH if game.repetition else 0
    work = new_work(game.new_initial_state(), 0)._replace(seen=np.zeros(past, dtype=np.uint64))
    return Tables(
        trees=Tree(*_stacked(new_tree(nodes, game.num_players), tables)),
        works=Work(*_stacked(work, tables)),
        leaves=Leaves(*_stacked(new_leaves(game, leaves), tables)),
        seen=np.zeros(tables, dtype=np.int64),
        dice=np.zeros((tables, 2), dtype=np.uint64),
        goals=np.zeros(tables, dtype=np.int64),
    )


def _stacked(arrays: Iterable[NDArray[Any]], tables: int) -> Iterator[NDArray[Any]]:
    """Yield for each array one of zeros that has room for it at every table."""
    for array in arrays:
        yield np.zeros((tables, *array.shape), dtype=array.dtype)


@kernel
def tree_at(trees: Any, table: Any) -> Any:
    """Return the tree of a table."""
    return Tree(
        trees.head[table], trees.seat[table], trees.proven[table], trees.length[table], trees.action[table],
        trees.visits[table], trees.first[table], trees.children[table], trees.tried[table], trees.prior[table],
        trees.value[table], trees.moved[table],
    )  # fmt: skip


@kernel
def work_at(works: Any, table: Any, seen: Any) -> Any:
    """Return what a search of a table works on, with room for a path behind the `seen` positions of its game."""
    return Work(
        works.root[table], works.state[table], works.path[table], works.mask[table], works.priors[table],
        works.outcomes[table], works.probabilities[table], works.out[table],
        works.seen[table][: min(seen + MAX_DEPTH, works.seen.shape[1])], works.rng[table],
    )  # fmt: skip


@kernel
def leaves_at(leaves: Any, table: Any) -> Any:
    """Return the leaves of a table."""
    return Leaves(
        leaves.counts[table], leaves.depth[table], leaves.path[table], leaves.words[table], leaves.seats[table]
    )


@kernel
def gather_all(tables: Any, tools: Any, data: Any, rules: Any, settings: Any, words: Any, seats: Any) -> Any:
    """Walk down the tree of each table that has not reached its goal; return how many leaves wait in all.

    Args:
        tables: `Tables`.
        tools: as in `batch.gather`.
        data: likewise.
        rules: likewise.
        settings: likewise.
        words: int64 ``[T * B, state_size]``, filled with the positions of the leaves, table by table.
        seats: int64 ``[T * B]``, whose decision each is.
    """
    total = 0
    for table in range(tables.goals.size):
        leaves = leaves_at(tables.leaves, table)
        leaves.counts[FOUND], leaves.counts[FINISHED] = 0, 0
        wanted = tables.goals[table] - tables.trees.visits[table, 0]
        if wanted <= 0:
            continue
        work = work_at(tables.works, table, tables.seen[table])
        gather(tree_at(tables.trees, table), tools, data, rules, work, settings, leaves, wanted)
        for row in range(leaves.counts[FOUND]):
            for word in range(words.shape[1]):
                words[total, word] = leaves.words[row, word]
            seats[total] = leaves.seats[row]
            total += 1
    return total


@kernel
def settle_all(tables: Any, tools: Any, rules: Any, settings: Any, priors: Any, values: Any, ready: Any) -> None:
    """Give the leaves that `gather_all` found what an evaluator says, and mark the tables whose search is done.

    Args:
        tables: `Tables`.
        tools: as in `batch.settle`.
        rules: likewise.
        settings: likewise.
        priors: float64 ``[leaves, num_actions]``, in the order of `gather_all`.
        values: float64 ``[leaves, players]``.
        ready: int8 ``[T]``, set to 1 where the root has the visits it was to get, or is proven.
    """
    begin = 0
    for table in range(tables.goals.size):
        leaves, tree = leaves_at(tables.leaves, table), tree_at(tables.trees, table)
        found = leaves.counts[FOUND]
        if found > 0:
            work = work_at(tables.works, table, tables.seen[table])
            end = begin + found
            settle(tree, tools, rules, work, settings, leaves, priors[begin:end], values[begin:end])
            begin = end
        done = tree.proven[0] == 1 or tree.visits[0] >= tables.goals[table]
        ready[table] = 1 if tables.goals[table] > 0 and done else 0


@kernel
def plant(tables: Any, table: Any) -> None:
    """Leave nothing but an unvisited root in the tree of a table."""
    clear(tree_at(tables.trees, table))


@kernel
def advance(tables: Any, table: Any, tools: Any, rules: Any, repetition: Any, action: Any, played: Any) -> Any:
    """Play an action, and the throws that follow it; the part of the tree that is still of use is kept.

    Args:
        tables: `Tables`.
        table: where.
        tools: a vector that begins with the kernel table of the game.
        rules: of the game.
        repetition: as in `Game.repetition`.
        action: legal at the root; or an outcome.
        played: int64 ``[room]``, filled with the action and the throws.

    Returns:
        How many were played, negative if the last of them ended the game as a draw by repetition.
    """
    game, work = bind(tools), work_at(tables.works, table, tables.seen[table])
    tree = tree_at(tables.trees, table)
    node, count, move, drawn = 0, 0, action, False
    while True:
        if node >= 0:
            node = find_child(tree, node, move)
        game.apply(rules, work.root, move)
        played[count] = move
        count += 1
        if repetition > 0:
            drawn = has_recurred(tables, table, game.hash(rules, work.root), repetition)
        if drawn or count == played.size or game.to_move(rules, work.root) != CHANCE:
            break
        move = game.sample(rules, work.root, tables.dice[table])
    if node > 0 and tree.visits[node] > 0 and tree.tried[node] > 0:
        keep_subtree(tree, node)
    else:
        clear(tree)
    return -count if drawn else count


@kernel
def has_recurred(tables: Any, table: Any, position: Any, repetition: Any) -> Any:
    """Note a position of a game by its hash; return whether its repetition ends the game."""
    seen, occurrences = tables.works.seen[table], 1
    for index in range(tables.seen[table]):
        occurrences += seen[index] == position
    seen[tables.seen[table]] = position
    tables.seen[table] += 1
    return occurrences >= repetition
