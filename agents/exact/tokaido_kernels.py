"""Every place in which a game of Tokaido can stand, and what leads where: enumeration in compiled code.

A *node* is a state in which the game waits for something other than the choice of a number: the mover is to throw two
dice, to throw the crossing die, to choose a road or to pay a rest, or the game is over. Between a throw and the next
node lies one choice among two numbers, so nine links, one a number, say all that can follow a throw of two dice.

Nodes are seen from the mover, who is seat 0: the rules treat all seats alike, so one node stands for as many states as
there are seats. A node is one word, its *key*; keys sort by the turns taken (where they are capped) and then by how far
all pieces together are, which makes sweeps from the last to the first converge quickly: pieces rarely go back.

All moves are made by the game's own kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.compiling import kernel
from ...envs.counter_rng import mix
from ...envs.tokaido.kernels import (
    BARE,
    CHOICE_USES_TURN,
    CROSSING,
    CROSSING_CHOSEN,
    DETOUR,
    DICE,
    FACES,
    FORK,
    KIND,
    LEAST_FACE,
    MOST_FACE,
    OVER,
    PLAYERS,
    RESIGN,
    RESTS,
    ROAD,
    ROLL,
    SEAT,
    SPOT,
    STATE_SIZE,
    TURN,
    TURNS,
    WAITS,
    act,
    field,
    pass_on,
)

THROW, CROSS_OVER, CHOOSE_ROAD, REST, END = 0, 1, 2, 3, 4  # kinds of nodes
NUMBERS_OF_A_THROW = 9
FAILS, CROSSES = 0, 1  # links of a node of kind CROSS_OVER
BY_CROSSING, BY_DETOUR = 0, 1  # links of a node of kind CHOOSE_ROAD
RESIGNS = 9  # the tenth link, only where resigning is allowed
SHIFTS = 8  # a link is SHIFTS * node + how many seats after the mover the next one sits

SPOT_BITS = 7
SPOT_MASK = 127
FIRST_RANK = 100  # in the key of an end: where spots would stand, FIRST_RANK + 2 * (seats ahead)

# errors of `expand`
DONE, TOO_MANY_RESTS, TOO_MANY_TURNS = 0, 1, 2


@kernel
def piece_bits(players: Any) -> Any:
    """Return how many bits of a key a piece takes: its spot, above it its rests (15 at most, with 5 or 6 players 7)."""
    return SPOT_BITS + (4 if players <= 4 else 3)


@kernel
def key_of(rules: Any, state: Any) -> Any:
    """Return the key of the node at a state that does not wait for a number; -1, -2: it has too many rests, turns.

    From the lowest bit: the pieces, the mover's last, so that what follows neighbours lies in one neighbourhood of memory;
    whether a choice of road ends the turn; progress; turns.
    """
    players, mover = rules[PLAYERS], state[SEAT]
    width = piece_bits(players)
    key, progress = np.int64(0), np.int64(0)
    if state[WAITS] == OVER:
        for seat in range(players):
            place, ahead = field(rules, state[SPOT + seat], BARE), 0
            for other in range(players):
                others = field(rules, state[SPOT + other], BARE)
                ahead += (others > place) * 2 + (others == place and other != seat)
            key |= (FIRST_RANK + ahead) << (width * (players - 1 - seat))
            progress += FIRST_RANK
    else:
        for place in range(players):
            seat = mover + place if mover + place < players else mover + place - players
            spot, rests = state[SPOT + seat], state[RESTS + seat]
            if rests >= 1 << (width - SPOT_BITS):
                return -1
            key |= (rests << SPOT_BITS | spot) << (width * (players - 1 - place))
            progress += spot
        waits = state[WAITS]
        if field(rules, state[SPOT + mover], KIND) == FORK:
            key |= np.int64(waits == ROAD or (waits == TURN and rules[CHOICE_USES_TURN] != 0)) << (width * players)
    at = width * players + 1
    if players > 5:
        return key | progress >> 7 << at
    turns = state[TURNS] if state[WAITS] != OVER else 0
    if turns >= np.int64(1) << (63 - at - 9):
        return -2
    return key | progress << at | turns << (at + 9)


@kernel
def spot_in(key: Any, seat: Any, players: Any) -> Any:
    """Return the spot of a seat in a key (seats count from the mover) or, in an end, `FIRST_RANK` + 2 * seats ahead."""
    return key >> (piece_bits(players) * (players - 1 - seat)) & SPOT_MASK


@kernel
def state_of(rules: Any, key: Any, state: Any) -> Any:
    """Write the state of a key, the mover on seat 0, and return the kind of its node; an end has no state."""
    state[:] = 0
    players = rules[PLAYERS]
    if spot_in(key, 0, players) >= FIRST_RANK:
        return END
    width = piece_bits(players)
    for seat in range(players):
        piece = key >> (width * (players - 1 - seat)) & ((1 << width) - 1)
        state[SPOT + seat], state[RESTS + seat] = piece & SPOT_MASK, piece >> SPOT_BITS
    at = width * players
    state[WAITS] = ROAD if key >> at & 1 else DICE
    if players <= 5:
        state[TURNS] = key >> (at + 10)
    if state[RESTS] > 0:
        state[WAITS] = TURN
        return REST
    kind = field(rules, state[SPOT], KIND)
    return CHOOSE_ROAD if kind == FORK else CROSS_OVER if kind == CROSSING_CHOSEN else THROW


@kernel
def follow(rules: Any, state: Any, kind: Any, link: Any) -> Any:
    """Play what a link of a node of that kind stands for; return whether a turn of somebody begins.

    A seat that rests is left before it pays, unlike what the contract's `apply` does.
    """
    over = True
    if kind == REST:
        state[RESTS] -= 1
    elif kind == CROSS_OVER:
        spot = state[SPOT]
        face = field(rules, spot, MOST_FACE) if link == CROSSES else field(rules, spot, LEAST_FACE) - 1
        over = act(rules, state, FACES + face - 1)
    elif link == RESIGNS:
        state[WAITS] = ROLL if kind == THROW else state[WAITS]
        over = act(rules, state, RESIGN)
    elif kind == CHOOSE_ROAD:
        over = act(rules, state, CROSSING if link == BY_CROSSING else DETOUR)
    else:
        state[WAITS] = ROLL  # with whatever throw: a number does the same after each
        over = act(rules, state, link)
    if not over:
        return False
    if pass_on(rules, state):
        state[RESTS + state[SEAT]] += 1
    return state[WAITS] != OVER


@kernel
def links_of(kind: Any) -> Any:
    """Return how many links a node of that kind has, resigning left out."""
    if kind == THROW:
        return NUMBERS_OF_A_THROW
    return 0 if kind == END else 1 if kind == REST else 2


@kernel
def decides(kind: Any) -> Any:
    """Return whether the mover decides something at a node of that kind."""
    return kind in (THROW, CHOOSE_ROAD)


@kernel
def find_slot(slots: Any, keys: Any, key: Any) -> Any:
    """Return the slot of a hash table (1 + node, 0: free; its size is a power of two) in which a key is or would be."""
    mask = slots.size - 1
    slot = np.int64(mix(np.uint64(key)) & np.uint64(mask))
    while slots[slot] != 0 and keys[slots[slot] - 1] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def fill_slots(slots: Any, keys: Any, count: Any) -> None:
    """Enter `count` keys into an empty hash table."""
    for node in range(count):
        slots[find_slot(slots, keys, keys[node])] = node + 1


@kernel(allocates=True)
def expand(rules: Any, keys: Any, kinds: Any, links: Any, begins: Any, slots: Any, progress: Any, limit: Any) -> Any:
    """Find what follows the next nodes and enter what is new, until `limit` nodes have been looked at; return an error.

    `progress` (int64 ``[2]``) has how many nodes were looked at and how many are known. The arrays have room for all
    that can be found, `links` (``[nodes, 9 or 10]``) holds -1 where there is none. `begins` marks the nodes in which a
    turn can begin.
    """
    state, after = np.zeros(STATE_SIZE, np.int64), np.zeros(STATE_SIZE, np.int64)
    columns = links.shape[1]
    done, known = progress[0], progress[1]
    error = DONE
    while done < known and done < limit and error == DONE:
        kind = state_of(rules, keys[done], state)
        kinds[done] = kind
        count = links_of(kind)
        for link in range(columns):
            links[done, link] = -1
            if link >= count and not (link == RESIGNS and decides(kind)):
                continue
            after[:] = state
            begin = follow(rules, after, kind, link)
            key = key_of(rules, after)
            if key < 0:
                error = TOO_MANY_RESTS if key == -1 else TOO_MANY_TURNS
                break
            slot = find_slot(slots, keys, key)
            if slots[slot] == 0:
                slots[slot] = known + 1
                keys[known] = key
                begins[known] = 0
                known += 1
            node = slots[slot] - 1
            begins[node] |= begin
            links[done, link] = SHIFTS * node + after[SEAT]
        done += 1
    progress[0], progress[1] = done, known
    return error


@kernel
def renumber(links: Any, new_numbers: Any) -> None:
    """Write into links the new numbers of their nodes."""
    for row in range(links.shape[0]):
        for column in range(links.shape[1]):
            link = links[row, column]
            if link >= 0:
                links[row, column] = SHIFTS * new_numbers[link // SHIFTS] + link % SHIFTS
