"""Simulations: down the tree, one leaf, and back up; in compiled code, for any game and any number of threads."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.core import Game, State
from ...envs.counter_rng import draw, new_rng
from ...envs.kernels import CHANCE, TERMINAL, bind
from .atomic import acquire, release
from .leaf import TABLE, rollout, table_of
from .tree import DEEPEST, EPSILON, LOCK, UNKNOWN, clear, expand, is_better, open_child, open_next, try_to_prove

MAX_DEPTH = 4096
"""Plies below the root at which a path ends; nodes there stay leaves."""
_WIDENING = 4
_INVERSE_2_53 = 1.0 / (1 << 53)
_S11 = np.uint64(11)


class Settings(NamedTuple):
    """How a simulation chooses.

    Attributes:
        puct: 1 for PUCT, 0 for UCT.
        exploration: the constant c of either formula.
        first_play: what an untried action counts as, in returns above its node's value; infinite: each is tried once
            before any is again.
        ranked: 1 if priors of actions differ, so that the most promising are tried first.
        wide: chance nodes with more outcomes than this open them progressively.
        min_utility: the least return of the game; an action that is proven to lead to it is not looked at again.
        max_utility: the largest return of the game; who has it proven has won.
        repetition: as in `Game.repetition`.
        virtual_loss: returns taken from a node for each simulation under way through it; 0 if there is only one.
        batched: 1 if leaves are evaluated in batches, see `batch`.
        yield_function: address for `acquire`, or 0 with one thread, which needs no lock.
        rivals: at decisions of other seats than the root's, the power of their priors, and a factor of `exploration`.
    """

    puct: int
    exploration: float
    first_play: float
    ranked: int
    wide: int
    min_utility: float
    max_utility: float
    repetition: int
    virtual_loss: float
    batched: int
    yield_function: int
    rivals: float = 1.0


class Work(NamedTuple):
    """What one thread works on: the root's position, the position at hand, and scratch.

    Attributes:
        root: int64 ``[state_size]``.
        state: the same; where the simulation stands.
        path: int32 ``[MAX_DEPTH]``: the nodes it came through.
        mask: int8, priors: float64, both ``[num_actions]``.
        outcomes: int64, probabilities: float64, both ``[max_chance_outcomes]``.
        out: float64 ``[players]``: what the leaf is worth.
        seen: uint64: hashes of the positions up to the root, with room for a path behind; used with repetition only.
        rng: uint64 ``[2]``, see `counter_rng`.
    """

    root: NDArray[np.int64]
    state: NDArray[np.int64]
    path: NDArray[np.int32]
    mask: NDArray[np.int8]
    priors: NDArray[np.float64]
    outcomes: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    out: NDArray[np.float64]
    seen: NDArray[np.uint64]
    rng: NDArray[np.uint64]


def new_work(state: State, key: int) -> Work:
    """Return what a thread needs to search from `state` with the random numbers of `key`."""
    game: Game = state.game
    past = state.seen_hashes()
    return Work(
        state.words.copy(),
        state.words.copy(),
        np.zeros(MAX_DEPTH, dtype=np.int32),
        np.zeros(game.num_actions, dtype=np.int8),
        np.zeros(game.num_actions),
        np.zeros(game.max_chance_outcomes, dtype=np.int64),
        np.zeros(game.max_chance_outcomes),
        np.zeros(game.num_players),
        np.concatenate((past, np.zeros(MAX_DEPTH if game.repetition else 0, dtype=np.uint64))),
        new_rng(key),
    )


@kernel
def draw_outcome(tree: Any, node: Any, settings: Any, rng: Any) -> Any:
    """Return a child of a chance node by the probabilities of the outcomes.

    Where there are many, only some are open at first (progressive widening, Couëtoux et al., "Continuous Upper
    Confidence Trees", 2011): twice the square root of the visits. They come in as they are drawn, and until another may
    come in the draw is among them alone.
    """
    first, tried, count = tree.first[node], tree.tried[node], tree.children[node]
    within = count
    if count > settings.wide and tried * tried >= _WIDENING * tree.visits[node]:
        within = tried
    total = 1.0
    if within < count:
        total = 0.0
        for child in range(first, first + within):
            total += tree.prior[child]
    ticket = np.float64(draw(rng) >> _S11) * _INVERSE_2_53 * total
    index = 0
    while index < within - 1:
        ticket -= tree.prior[first + index]
        if ticket < 0.0:
            break
        index += 1
    return first + index


@kernel
def choose_child(tree: Any, node: Any, settings: Any, rng: Any) -> Any:
    """Return the child with the highest upper bound for the seat to move.

    UCT (Kocsis and Szepesvári, 2006): value + c sqrt(ln visits of the node / visits). PUCT (Silver et al., "Mastering
    the game of Go without human knowledge", 2017): value + c prior sqrt(visits of the node) / (1 + visits). A proven
    child counts with its value alone: there is nothing left to find out; one that is lost does not count. Untried ones count as the node's own value plus
    `first_play` (first-play urgency, Gelly and Wang, "Modifications of UCT and sequence-like simulations", 2006). Other
    seats than the root's explore `rivals` times as much, which is to say: they follow their priors.
    """
    seat, first, tried = tree.seat[node], tree.first[node], tree.tried[node]
    parent_visits = np.float64(max(tree.visits[node], 1))
    untried = tried < tree.children[node]
    if untried and settings.first_play == np.inf:
        return open_next(tree, node, settings.ranked, rng)
    best, best_score = -1, -np.inf
    scale = settings.exploration * math.sqrt(parent_visits if settings.puct else math.log(parent_visits))
    if seat != tree.seat[0]:
        scale *= settings.rivals
    for child in range(first, first + tried):
        if tree.proven[child]:
            score = tree.value[child, seat]
            if score <= settings.min_utility + EPSILON:
                continue
        else:
            visits = np.float64(tree.visits[child])
            score = tree.value[child, seat] / visits
            if settings.puct:
                score += scale * tree.prior[child] / (1.0 + visits)
            else:
                score += scale * math.sqrt(1.0 / visits)
        if score > best_score:
            best, best_score = child, score
    if untried:
        score = settings.first_play + tree.value[node, seat] / max(parent_visits - 1.0, 1.0)  # this visit has none yet
        if settings.puct:
            score += scale * best_untried_prior(tree, node, settings)
        if score > best_score:
            return open_next(tree, node, settings.ranked, rng)
    return best if best >= 0 else first  # all are lost: no search comes here


@kernel
def best_untried_prior(tree: Any, node: Any, settings: Any) -> Any:
    """Return the highest prior among the children that were not tried."""
    first = tree.first[node]
    best = tree.prior[first + tree.tried[node]]
    if settings.ranked:
        for child in range(first + tree.tried[node] + 1, first + tree.children[node]):
            best = max(best, tree.prior[child])
    return best


@kernel
def pick(tree: Any, node: Any, settings: Any, rng: Any) -> Any:
    """Return the child of an expanded node to which a simulation goes on."""
    if tree.seat[node] != CHANCE:
        return choose_child(tree, node, settings, rng)
    child = draw_outcome(tree, node, settings, rng)
    if child >= tree.first[node] + tree.tried[node]:
        child = open_child(tree, node, child - tree.first[node])
    return child


@kernel
def repeats(game: Any, rules: Any, work: Any, depth: Any, settings: Any) -> Any:
    """Note the position that a path of `depth` plies leads to; return whether its repetition ends the game."""
    past = work.seen.size - work.path.size
    position = game.hash(rules, work.state)
    occurrences = 1
    for index in range(past + depth - 1):
        occurrences += work.seen[index] == position
    work.seen[past + depth - 1] = position
    return occurrences >= settings.repetition


@kernel
def identify(tree: Any, node: Any, tools: Any, data: Any, game: Any, rules: Any, work: Any, drawn: Any) -> None:
    """Find out what a new node is, and its exact value if the game is over there or the table knows it.

    For the root the table is not asked: what to play there takes a look at the children, see `settle_root`.
    """
    seat = game.to_move(rules, work.state)
    if seat == TERMINAL:
        game.returns(rules, work.state, work.out)
    elif drawn:
        seat = TERMINAL
        work.out[:] = 0.0
    tree.seat[node] = seat
    known = 1 if seat == TERMINAL else 0
    if not known and node > 0 and tools[TABLE] != 0:
        known = table_of(tools)(rules, work.state, data, work.out)
    if known:
        for player in range(work.out.size):
            tree.value[node, player] = work.out[player]
        tree.length[node] = known - 1
        tree.proven[node] = 1


@kernel
def descend(tree: Any, tools: Any, data: Any, game: Any, rules: Any, work: Any, settings: Any) -> Any:
    """Walk from the root to a leaf; return the depth of the leaf, whose position stands in ``work.state``.

    A leaf is a node that is new. If leaves are evaluated in batches it is a decision without children: throws are
    walked through, and only the evaluation gives a decision its children. Every node of the path, the leaf too, is counted as visited and has its virtual loss taken.
    """
    for word in range(work.root.size):
        work.state[word] = work.root[word]
    node, depth, drawn = 0, 0, False
    while True:
        work.path[depth] = node
        tree.visits[node] += 1
        if depth > 0 and settings.virtual_loss > 0.0:
            add_loss(tree, work.path, depth, -settings.virtual_loss)
        if tree.seat[node] == UNKNOWN:
            identify(tree, node, tools, data, game, rules, work, drawn)
            if depth > 0 and settings.batched == 0:
                break
        if tree.proven[node] or depth == work.path.size - 1:
            break
        if settings.batched and tree.seat[node] != CHANCE and tree.children[node] == 0:
            break
        if tree.children[node] == 0 and not expand(tree, node, tools, data, game, rules, work, settings.rivals):
            break
        child = pick(tree, node, settings, work.rng)
        game.apply(rules, work.state, tree.action[child])
        depth += 1
        if settings.repetition > 0:
            drawn = repeats(game, rules, work, depth, settings)
        node = child
    if depth > tree.head[DEEPEST]:
        tree.head[DEEPEST] = depth
    return depth


@kernel
def add_loss(tree: Any, path: Any, depth: Any, loss: Any) -> None:
    """Add `loss` to the value of a node for the seat that chose it, so that other threads look elsewhere."""
    node, mover = path[depth], tree.seat[path[depth - 1]]
    if mover >= 0 and not tree.proven[node]:
        tree.value[node, mover] += loss


@kernel
def back_up(tree: Any, work: Any, depth: Any, settings: Any) -> None:
    """Give ``work.out`` to all nodes of a path, proofs included; an exact value takes its place from where it holds."""
    leaf = work.path[depth]
    fresh = tree.proven[leaf] == 1 and tree.visits[leaf] == 1  # a proof that its parent does not know of
    for level in range(depth, -1, -1):
        node = work.path[level]
        if not tree.proven[node]:
            fresh = fresh and level < depth and try_to_prove(tree, node, settings.max_utility)
        elif level < depth:
            fresh = False
        if tree.proven[node]:
            for player in range(work.out.size):
                work.out[player] = tree.value[node, player]
        else:
            for player in range(work.out.size):
                tree.value[node, player] += work.out[player]
            if level > 0 and settings.virtual_loss > 0.0:
                add_loss(tree, work.path, level, settings.virtual_loss)


@kernel
def simulate(tree: Any, tools: Any, data: Any, rules: Any, work: Any, settings: Any, simulations: Any) -> Any:
    """Run simulations until there are as many as asked for or the root is proven; return how many were run.

    Several threads may do so in one tree at a time: all but the leaves' rollouts is done under a lock.
    """
    game = bind(tools)
    threads = settings.yield_function != 0
    done = 0
    while done < simulations and not tree.proven[0]:
        done += 1
        if threads:
            acquire(tree.head, LOCK, settings.yield_function)
        depth = descend(tree, tools, data, game, rules, work, settings)
        if not tree.proven[work.path[depth]]:
            if threads:
                release(tree.head, LOCK)
            rollout(tools, data, game, rules, work.state, work.rng, work.out)
            if threads:
                acquire(tree.head, LOCK, settings.yield_function)
        back_up(tree, work, depth, settings)
        if threads:
            release(tree.head, LOCK)
    return done


@kernel
def expand_root(tree: Any, tools: Any, data: Any, rules: Any, work: Any) -> None:
    """Make the children of a root that has none, so that its priors can be seen to before a search."""
    game = bind(tools)
    for word in range(work.root.size):
        work.state[word] = work.root[word]
    tree.seat[0] = game.to_move(rules, work.state)
    if tree.children[0] == 0:
        expand(tree, 0, tools, data, game, rules, work, 1.0)


@kernel
def settle_root(tree: Any, tools: Any, data: Any, rules: Any, work: Any, settings: Any) -> Any:
    """Prove an unvisited root that the table knows by the children that it knows; return how many were looked at.

    They are looked at until one is as good, and as near to the end, as the table says that the root is: so a won race
    is run, not only kept won. Nothing is changed, and the answer is 0, where the table does not know enough.
    """
    game = bind(tools)
    for word in range(work.root.size):
        work.state[word] = work.root[word]
    seat = game.to_move(rules, work.state)
    if seat < 0 or tools[TABLE] == 0:
        return 0
    known = 0
    for _ in range(2):  # a table may hold back the first time
        if known == 0:
            known = table_of(tools)(rules, work.state, data, work.out)
    if known == 0:
        return 0
    worth = work.out[seat]
    tree.seat[0] = seat
    if not expand(tree, 0, tools, data, game, rules, work, 1.0):
        return 0
    best = -1
    for index in range(tree.children[0]):
        child = open_child(tree, 0, index)
        for word in range(work.root.size):
            work.state[word] = work.root[word]
        game.apply(rules, work.state, tree.action[child])
        identify(
            tree,
            child,
            tools,
            data,
            game,
            rules,
            work,
            settings.repetition > 0 and repeats(game, rules, work, 1, settings),
        )
        if not tree.proven[child]:
            tree.seat[child], tree.tried[0] = UNKNOWN, tree.tried[0] - 1
            continue
        tree.visits[child] = 1
        if best < 0 or is_better(tree, child, best, seat):
            best = child
        if worth > EPSILON and tree.value[best, seat] >= worth - EPSILON and tree.length[best] + 1 < known:
            break
    if not try_to_prove(tree, 0, settings.max_utility):
        clear(tree)
        return 0
    tree.visits[0], tree.head[DEEPEST] = tree.tried[0], 1
    return tree.tried[0]
