"""The search tree as a handful of flat arrays, with the kernels that grow, read and prune it.

Node 0 is the root. The children of a node are one block of consecutive nodes, made at once when the node is expanded;
a child's block always lies behind its parent. No position is kept: a search replays the actions from the root.

A proven node (Winands, Björnsson, Saito, "Monte-Carlo Tree Search Solver", 2008, here with a value for every seat)
holds its exact value where the others hold sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.counter_rng import draw_below
from ...envs.kernels import CHANCE
from .leaf import PRIORS, priors_of

UNKNOWN = -9
"""`Tree.seat` of a node that no simulation has reached."""
USED, LOCK, FULL, DEEPEST = 0, 1, 2, 3  # words of `Tree.head`
EPSILON = 1e-9


class Tree(NamedTuple):
    """All nodes; N of them fit.

    Attributes:
        head: int64 ``[4]``: nodes in use, the lock, whether a node had to be left without children for want of room,
            and the most plies below the root that a simulation has come.
        seat: int8 ``[N]``: who decides; CHANCE, TERMINAL, or UNKNOWN.
        proven: int8 ``[N]``: 1 where `value` is the exact one.
        length: int16 ``[N]``: plies from a proven node to the end if the winner hurries, as far as that is known.
        action: int32 ``[N]``: the action or outcome that leads to the node.
        visits: int32 ``[N]``: simulations through the node.
        first: int32 ``[N]``: its first child.
        children: int32 ``[N]``: how many it has; 0 before it is expanded.
        tried: int32 ``[N]``: its children that have been visited; they are the first ones.
        prior: float64 ``[N]``: probability of an outcome, or how promising an action looked beforehand (sum 1).
        value: float64 ``[N, players]``: sum of the returns of each seat, or its exact return if the node is proven.
        moved: int32 ``[N]``: scratch of `keep_subtree`.
    """

    head: NDArray[np.int64]
    seat: NDArray[np.int8]
    proven: NDArray[np.int8]
    length: NDArray[np.int16]
    action: NDArray[np.int32]
    visits: NDArray[np.int32]
    first: NDArray[np.int32]
    children: NDArray[np.int32]
    tried: NDArray[np.int32]
    prior: NDArray[np.float64]
    value: NDArray[np.float64]
    moved: NDArray[np.int32]


def node_bytes(players: int) -> int:
    """Return the memory of one node."""
    return 2 + 2 + 6 * 4 + 8 + 8 * players


def new_tree(capacity: int, players: int) -> Tree:
    """Return a tree with an unvisited root. The system hands out its memory as nodes are used, not before."""
    tree = Tree(
        head=np.zeros(4, dtype=np.int64),
        seat=np.empty(capacity, dtype=np.int8),
        proven=np.empty(capacity, dtype=np.int8),
        length=np.empty(capacity, dtype=np.int16),
        action=np.empty(capacity, dtype=np.int32),
        visits=np.empty(capacity, dtype=np.int32),
        first=np.empty(capacity, dtype=np.int32),
        children=np.empty(capacity, dtype=np.int32),
        tried=np.empty(capacity, dtype=np.int32),
        prior=np.empty(capacity),
        value=np.empty((capacity, players)),
        moved=np.empty(capacity, dtype=np.int32),
    )
    clear(tree)
    return tree


@kernel
def clear(tree: Any) -> None:
    """Leave nothing but an unvisited root."""
    tree.head[:] = 0
    make_nodes(tree, 1)


@kernel
def make_nodes(tree: Any, count: Any) -> Any:
    """Take `count` nodes into use, unvisited and without action or prior; return the first."""
    begin = tree.head[USED]
    for node in range(begin, begin + count):
        tree.seat[node], tree.proven[node], tree.length[node] = UNKNOWN, 0, 0
        tree.visits[node], tree.children[node], tree.tried[node] = 0, 0, 0
        for seat in range(tree.value.shape[1]):
            tree.value[node, seat] = 0.0
    tree.head[USED] = begin + count
    return begin


@kernel
def add_children(tree: Any, node: Any, count: Any) -> Any:
    """Give `node` a block of `count` children and return the first; -1, and a note of it, if there is no room."""
    if tree.head[USED] + count > tree.seat.size:
        tree.head[FULL] = 1
        return -1
    first = make_nodes(tree, count)
    tree.first[node], tree.children[node] = first, count
    return first


@kernel
def expand(tree: Any, node: Any, tools: Any, data: Any, game: Any, rules: Any, work: Any, rivals: Any) -> Any:
    """Make the children of a node whose position stands in ``work.state``; return whether there was room.

    Outcomes carry their probabilities, actions the priors that the game brings, or equal ones; for `rivals` see
    `add_actions`.
    """
    if tree.seat[node] == CHANCE:
        count = game.chance(rules, work.state, work.outcomes, work.probabilities)
        first = add_children(tree, node, count)
        if first < 0:
            return False
        for index in range(count):
            tree.action[first + index], tree.prior[first + index] = work.outcomes[index], work.probabilities[index]
        return True
    count = game.legal(rules, work.state, work.mask)
    if tools[PRIORS] != 0:
        priors_of(tools)(rules, work.state, data, work.mask, work.priors)
    return add_actions(tree, node, count, work, tools[PRIORS] != 0, rivals)


@kernel
def add_actions(tree: Any, node: Any, count: Any, work: Any, weighted: Any, rivals: Any) -> Any:
    """Make a child for each of the `count` actions of ``work.mask``; return whether there was room.

    Their priors are proportional to ``work.priors`` if `weighted`, where another seat than the root's decides to their
    power `rivals`; else they are equal.
    """
    first = add_children(tree, node, count)
    if first < 0:
        return False
    if weighted and rivals != 1.0 and tree.seat[node] != tree.seat[0]:
        sharpen(work.mask, work.priors, rivals)
    total = 0.0
    for action in range(work.mask.size):
        if work.mask[action] and weighted:
            total += work.priors[action]
    child = first
    for action in range(work.mask.size):
        if work.mask[action]:
            tree.action[child] = action
            tree.prior[child] = work.priors[action] / total if total > 0.0 else 1.0 / count
            child += 1
    return True


@kernel
def sharpen(mask: Any, priors: Any, power: Any) -> None:
    """Raise the priors of the actions in `mask` to a power, the highest one counting as 1."""
    highest = 0.0
    for action in range(mask.size):
        if mask[action]:
            highest = max(highest, priors[action])
    if highest > 0.0:
        for action in range(mask.size):
            priors[action] = (priors[action] / highest) ** power


@kernel
def open_child(tree: Any, node: Any, index: Any) -> Any:
    """Make child number `index`, not tried before, the next of the tried ones; return it."""
    first, place = tree.first[node], tree.tried[node]
    child, other = first + place, first + index
    tree.action[child], tree.action[other] = tree.action[other], tree.action[child]
    tree.prior[child], tree.prior[other] = tree.prior[other], tree.prior[child]
    tree.tried[node] = place + 1
    return child


@kernel
def open_next(tree: Any, node: Any, ranked: Any, rng: Any) -> Any:
    """Open a child that was not tried before, drawn among those with the highest prior if `ranked`, else among all."""
    first, tried, count = tree.first[node], tree.tried[node], tree.children[node]
    if not ranked:
        return open_child(tree, node, tried + draw_below(rng, count - tried))
    best, ties = first + tried, 1
    for child in range(first + tried + 1, first + count):
        if tree.prior[child] > tree.prior[best]:
            best, ties = child, 1
        elif tree.prior[child] == tree.prior[best]:
            ties += 1
            if draw_below(rng, ties) == 0:
                best = child
    return open_child(tree, node, best - first)


@kernel
def try_to_prove(tree: Any, node: Any, max_utility: Any) -> Any:
    """Prove a node from its children if they allow it; return whether they did.

    A decision is proven by a child that gives its seat the most there is, or by all children; a chance node by all of
    its outcomes. Where a seat has several best children, the one tried first counts that wins soonest or loses latest.
    """
    first, count, seat = tree.first[node], tree.children[node], tree.seat[node]
    if seat >= 0:
        best = -1
        for child in range(first, first + tree.tried[node]):
            if tree.proven[child] and (best < 0 or is_better(tree, child, best, seat)):
                best = child
        if best >= 0 and tree.value[best, seat] >= max_utility - EPSILON:
            copy_value(tree, node, best)
            return True
    if tree.tried[node] < count:
        return False
    for child in range(first, first + count):
        if not tree.proven[child]:
            return False
    if seat >= 0:
        copy_value(tree, node, best)
        return True
    for player in range(tree.value.shape[1]):
        total = 0.0
        for child in range(first, first + count):
            total += tree.prior[child] * tree.value[child, player]
        tree.value[node, player] = total
    tree.length[node] = 1
    for child in range(first, first + count):
        tree.length[node] = max(tree.length[node], tree.length[child] + 1)
    tree.proven[node] = 1
    return True


@kernel
def is_better(tree: Any, one: Any, other: Any, seat: Any) -> Any:
    """Return whether `seat` would rather have the proven node `one`: worth more, or as much but won sooner, lost later."""
    gain = tree.value[one, seat] - tree.value[other, seat]
    if abs(gain) > EPSILON:
        return gain > 0.0
    if tree.value[one, seat] > EPSILON:
        return tree.length[one] < tree.length[other]
    return tree.value[one, seat] < -EPSILON and tree.length[one] > tree.length[other]


@kernel
def copy_value(tree: Any, node: Any, child: Any) -> None:
    """Prove `node` by the exact value of `child`."""
    for player in range(tree.value.shape[1]):
        tree.value[node, player] = tree.value[child, player]
    tree.length[node] = tree.length[child] + 1
    tree.proven[node] = 1


@kernel
def find_child(tree: Any, node: Any, action: Any) -> Any:
    """Return the visited child that an action leads to, or -1."""
    first = tree.first[node]
    for child in range(first, first + min(tree.tried[node], tree.children[node])):
        if tree.action[child] == action:
            return child
    return -1


@kernel
def keep_subtree(tree: Any, root: Any) -> None:
    """Make the visited node `root` the root and give back the room of all that does not lie below it.

    Nodes slide towards the front in their order, so a block stays a block, in one pass over what is in use.
    """
    used, moved = tree.head[USED], tree.moved
    moved[:used] = -1
    moved[root] = 0
    kept = 0
    for node in range(root, used):
        if moved[node] < 0:
            continue
        moved[node] = kept
        kept += 1
        for child in range(tree.first[node], tree.first[node] + tree.children[node]):
            moved[child] = 0
    for node in range(root, used):
        to = moved[node]
        if to < 0:
            continue
        tree.seat[to], tree.proven[to], tree.action[to] = tree.seat[node], tree.proven[node], tree.action[node]
        tree.length[to] = tree.length[node]
        tree.visits[to], tree.tried[to], tree.prior[to] = tree.visits[node], tree.tried[node], tree.prior[node]
        for seat in range(tree.value.shape[1]):
            tree.value[to, seat] = tree.value[node, seat]
        count = tree.children[node]
        tree.children[to] = count
        if count > 0:
            tree.first[to] = moved[tree.first[node]]
    tree.head[USED], tree.head[FULL], tree.head[DEEPEST] = kept, 0, 0
