"""A tree of turns, for games with dice: which positions stand where a turn ends, and what they are worth.

Between the beginning of a turn and its end lie throws and choices, which are walked through by the game's own kernels
and never kept. Kept are only the positions in which turns end, a layer for each turn of the lookahead, each position
once in its layer however many ways lead to it. So

* a layer is *grown* from the one before by walking the rest of the turn from each of its positions,
* the positions of the last layer are judged, all at once if somebody likes that better,
* and values are *drawn back* layer by layer, by the same walks: the mean over throws, the best for whoever decides.

With more than two seats each decides for itself (max^n: Luckhardt and Irani, "An algorithmic solution of N-person
games", 1986); of equals, to `EQUAL`, the lowest action is taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.compiling import kernel
from ...envs.core import Game
from ...envs.counter_rng import mix
from ...envs.kernels import CHANCE, TERMINAL, bind

EQUAL = 1e-12
PLACE_POINTS, FIRST_ONLY = 0, 1  # utilities
MOST_PLIES = 64
"""Plies of one turn."""
NO_ROOM, TOO_LONG = -1, -2  # errors of `walk`
_MOST_MET = 128
COUNT, EDGES = 0, 1  # words of `Layer.counts`


class Layer(NamedTuple):
    """Positions in which a turn has ended; N of them, and E edges that lead to them, fit.

    Attributes:
        counts: int64 ``[2]``: positions, and edges, in use.
        words: int64 ``[N, state_size]``.
        over: int8 ``[N]``: 1 where the game is over, and the value is the exact one.
        values: float64 ``[N, players]``: what each position is worth to each seat.
        begins: int64 ``[N]``: the first edge, in the next layer, of the walk that begins at each position.
        edges: int32 ``[E]``: the positions in the order in which the walks from the layer before meet them.
        slots: int32, a power of two: hash table of the positions, 1 + number, 0 for free.
    """

    counts: NDArray[np.int64]
    words: NDArray[np.int64]
    over: NDArray[np.int8]
    values: NDArray[np.float64]
    begins: NDArray[np.int64]
    edges: NDArray[np.int32]
    slots: NDArray[np.int32]


class Turn(NamedTuple):
    """How turns are walked, and the scratch for it; P is `MOST_PLIES`, C the most outcomes or actions.

    Attributes:
        pending: int64: the words of a state that are all 0 where a turn begins.
        utility: `PLACE_POINTS` or `FIRST_ONLY`.
        words: int64 ``[P, state_size]``: the position at each ply.
        seat: int64 ``[P]``: who decides there, or CHANCE.
        number: int64 ``[P]``: how many outcomes or actions there are.
        chosen: int64 ``[P]``: the one that is being walked.
        options: int64 ``[P, C]``: the outcomes or actions.
        chances: float64 ``[P, C]``: probabilities of outcomes.
        values: float64 ``[P, players]``: what is known of the worth so far.
        mask: int8 ``[num_actions]``.
        met: a layer that holds, during one walk, what came of each choice: many throws offer the same.
    """

    pending: NDArray[np.int64]
    utility: int
    words: NDArray[np.int64]
    seat: NDArray[np.int64]
    number: NDArray[np.int64]
    chosen: NDArray[np.int64]
    options: NDArray[np.int64]
    chances: NDArray[np.float64]
    values: NDArray[np.float64]
    mask: NDArray[np.int8]
    met: Layer


def new_layer(game: Game, positions: int, edges: int) -> Layer:
    """Return an empty layer with room for so many positions and edges."""
    return Layer(
        counts=np.zeros(2, dtype=np.int64),
        words=np.zeros((positions, game.state_size), dtype=np.int64),
        over=np.zeros(positions, dtype=np.int8),
        values=np.zeros((positions, game.num_players)),
        begins=np.zeros(positions, dtype=np.int64),
        edges=np.zeros(edges, dtype=np.int32),
        slots=np.zeros(1 << (2 * positions - 1).bit_length(), dtype=np.int32),
    )


def new_turn(game: Game, pending: tuple[int, ...], utility: int) -> Turn:
    """Return what it takes to walk the turns of a game."""
    widest = max(game.num_actions, game.max_chance_outcomes)
    return Turn(
        pending=np.array(pending, dtype=np.int64),
        utility=utility,
        words=np.zeros((MOST_PLIES, game.state_size), dtype=np.int64),
        seat=np.zeros(MOST_PLIES, dtype=np.int64),
        number=np.zeros(MOST_PLIES, dtype=np.int64),
        chosen=np.zeros(MOST_PLIES, dtype=np.int64),
        options=np.zeros((MOST_PLIES, widest), dtype=np.int64),
        chances=np.zeros((MOST_PLIES, widest)),
        values=np.zeros((MOST_PLIES, game.num_players)),
        mask=np.zeros(game.num_actions, dtype=np.int8),
        met=new_layer(game, _MOST_MET, 0),
    )


def enlarged(layer: Layer, game: Game) -> Layer:
    """Return a copy of a layer with room for twice as much."""
    larger = new_layer(game, 2 * len(layer.words), 2 * len(layer.edges))
    for name in Layer._fields[:-1]:
        old = getattr(layer, name)
        getattr(larger, name)[: len(old)] = old
    fill_slots(larger)
    return larger


# --- the positions of a layer ----------------------------------------------------------------------------------------


@kernel
def find_slot(layer: Any, words: Any) -> Any:
    """Return the slot in which a position is or would be."""
    key = np.uint64(0)
    for word in range(words.size):
        key = mix(key + np.uint64(words[word]))
    last = layer.slots.size - 1
    slot: Any = np.int64(key & np.uint64(last))
    while layer.slots[slot] != 0:
        position, word = layer.slots[slot] - 1, 0
        while word < words.size and layer.words[position, word] == words[word]:
            word += 1
        if word == words.size:
            break
        slot = slot + 1 if slot < last else 0
    return slot


@kernel
def fill_slots(layer: Any) -> None:
    """Enter all positions into an empty hash table."""
    for position in range(layer.counts[COUNT]):
        layer.slots[find_slot(layer, layer.words[position])] = position + 1


@kernel
def empty_slots(layer: Any, least: Any) -> None:
    """Take the positions from number `least` on out of the hash table: they are the ones that were entered last."""
    for position in range(layer.counts[COUNT] - 1, least - 1, -1):
        layer.slots[find_slot(layer, layer.words[position])] = 0
    layer.counts[COUNT] = least


@kernel
def enter(game: Any, rules: Any, layer: Any, words: Any, utility: Any) -> Any:
    """Return the number of a position, which is entered if it is new; `NO_ROOM` if there is none for it."""
    slot = find_slot(layer, words)
    if layer.slots[slot] != 0:
        return np.int64(layer.slots[slot] - 1)
    position = layer.counts[COUNT]
    if position == layer.over.size:
        return NO_ROOM
    layer.counts[COUNT] = position + 1
    layer.slots[slot] = position + 1
    for word in range(words.size):
        layer.words[position, word] = words[word]
    layer.over[position] = game.to_move(rules, words) == TERMINAL
    if layer.over[position]:
        game.returns(rules, words, layer.values[position])
        if utility == FIRST_ONLY:
            share_first(layer.values[position])
    return position


@kernel
def share_first(values: Any) -> None:
    """Turn returns into 1 for the first and 0 for the others; who share the first rank share the 1."""
    best, sharing = values[0], 0
    for seat in range(values.size):
        best = max(best, values[seat])
    for seat in range(values.size):
        sharing += values[seat] == best
    for seat in range(values.size):
        values[seat] = 1.0 / sharing if values[seat] == best else 0.0


# --- a walk through a turn -------------------------------------------------------------------------------------------


@kernel
def turn_is_over(game: Any, rules: Any, turn: Any, ply: Any, inside: Any) -> Any:
    """Return whether the position at a ply is one in which a turn begins, or the game is over."""
    words = turn.words[ply]
    if game.to_move(rules, words) == TERMINAL:
        return True
    if ply == 0 and not inside:
        return False
    waiting = 0
    for index in range(turn.pending.size):
        waiting |= words[turn.pending[index]]
    return waiting == 0


@kernel
def list_options(game: Any, rules: Any, turn: Any, ply: Any) -> None:
    """Write down what can happen at the position of a ply."""
    words = turn.words[ply]
    turn.seat[ply], turn.chosen[ply] = game.to_move(rules, words), 0
    turn.values[ply, :] = 0.0
    if turn.seat[ply] == CHANCE:
        turn.number[ply] = game.chance(rules, words, turn.options[ply], turn.chances[ply])
        return
    game.legal(rules, words, turn.mask)
    count = 0
    for action in range(turn.mask.size):
        if turn.mask[action]:
            turn.options[ply, count] = action
            count += 1
    turn.number[ply] = count


@kernel
def fold(turn: Any, ply: Any) -> None:
    """Take the values of the ply below into those of a ply, for the outcome or action that led there."""
    seat, index = turn.seat[ply], turn.chosen[ply]
    if seat == CHANCE:
        for player in range(turn.values.shape[1]):
            turn.values[ply, player] += turn.chances[ply, index] * turn.values[ply + 1, player]
    elif index == 0 or turn.values[ply + 1, seat] > turn.values[ply, seat] + EQUAL:
        for player in range(turn.values.shape[1]):
            turn.values[ply, player] = turn.values[ply + 1, player]


@kernel
def recall(turn: Any, ply: Any) -> Any:
    """Write the values of the position at a ply if this walk has met it after a choice before; return whether it has."""
    if ply == 0 or turn.seat[ply - 1] == CHANCE:
        return False
    met = turn.met.slots[find_slot(turn.met, turn.words[ply])] - 1
    if met < 0:
        return False
    for player in range(turn.values.shape[1]):
        turn.values[ply, player] = turn.met.values[met, player]
    return True


@kernel
def remember(turn: Any, ply: Any) -> None:
    """Note what came of the position at a ply for `recall`, if it is one after a choice and there is room."""
    met = turn.met.counts[COUNT]
    if ply == 0 or turn.seat[ply - 1] == CHANCE or met == turn.met.over.size:
        return
    slot = find_slot(turn.met, turn.words[ply])
    if turn.met.slots[slot] != 0:
        return
    turn.met.slots[slot], turn.met.counts[COUNT] = met + 1, met + 1
    for word in range(turn.words.shape[1]):
        turn.met.words[met, word] = turn.words[ply, word]
    for player in range(turn.values.shape[1]):
        turn.met.values[met, player] = turn.values[ply, player]


@kernel
def walk(game: Any, rules: Any, turn: Any, inside: Any, after: Any, edge: Any, growing: Any) -> Any:
    """Walk what is left of a turn from ``turn.words[0]``; its values are then in ``turn.values[0]``.

    Args:
        game: bound kernels.
        rules: of the game.
        turn: scratch.
        inside: whether the turn has begun; if not, the first position is one in which it begins.
        after: the layer of the positions in which the turn ends.
        edge: number of the walk's first edge.
        growing: whether the positions and edges are entered, without values; else both are there.

    Returns:
        The number of the next edge, or `NO_ROOM` or `TOO_LONG`.
    """
    ply = 0
    turn.met.slots[:] = 0
    turn.met.counts[COUNT] = 0
    while True:
        known = recall(turn, ply)
        if not known and turn_is_over(game, rules, turn, ply, inside):
            if growing:
                if edge == after.edges.size:
                    return NO_ROOM
                position = enter(game, rules, after, turn.words[ply], turn.utility)
                if position == NO_ROOM:
                    return NO_ROOM
                after.edges[edge] = position
            for player in range(turn.values.shape[1]):
                turn.values[ply, player] = after.values[after.edges[edge], player]
            edge += 1
            known = True
        if known:
            while True:  # up to the last ply that has something left to walk
                remember(turn, ply)
                ply -= 1
                if ply < 0:
                    return edge
                fold(turn, ply)
                turn.chosen[ply] += 1
                if turn.chosen[ply] < turn.number[ply]:
                    break
        else:
            if ply == MOST_PLIES - 1:
                return TOO_LONG
            list_options(game, rules, turn, ply)
        for word in range(turn.words.shape[1]):
            turn.words[ply + 1, word] = turn.words[ply, word]
        game.apply(rules, turn.words[ply + 1], turn.options[ply, turn.chosen[ply]])
        ply += 1


@kernel
def grow(table: Any, rules: Any, turn: Any, layer: Any, first: Any, last: Any, inside: Any, after: Any) -> Any:
    """Enter what follows the positions `first` to `last` - 1 of a layer into the next one.

    Returns:
        The first position that was not done: `last`, or less for want of room; `TOO_LONG` for a turn that never ends.
    """
    game = bind(table)
    for position in range(first, last):
        layer.begins[position] = after.counts[EDGES]
        if layer.over[position]:
            continue
        for word in range(turn.words.shape[1]):
            turn.words[0, word] = layer.words[position, word]
        known = after.counts[COUNT]
        edge = walk(game, rules, turn, inside, after, after.counts[EDGES], True)
        if edge < 0:
            empty_slots(after, known)
            return position if edge == NO_ROOM else TOO_LONG
        after.counts[EDGES] = edge
    return last


@kernel
def draw_back(table: Any, rules: Any, turn: Any, layer: Any, first: Any, last: Any, inside: Any, after: Any) -> None:
    """Give the positions `first` to `last` - 1 of a layer their values, by those of the next layer."""
    game = bind(table)
    for position in range(first, last):
        if layer.over[position]:
            continue
        for word in range(turn.words.shape[1]):
            turn.words[0, word] = layer.words[position, word]
        walk(game, rules, turn, inside, after, layer.begins[position], False)
        for player in range(turn.values.shape[1]):
            layer.values[position, player] = turn.values[0, player]
