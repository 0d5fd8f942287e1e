"""Games side by side, stepped in compiled code; `episodes` has the reason and what goes round it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compiling import kernel
from .counter_rng import draw_below
from .kernels import CHANCE, TERMINAL, bind

MAX_TRIES = 1000
"""Openings that are tried until one leaves the game unfinished."""
OVER, NO_ACTION = -1, -2
_REPEATED = -5  # like `TERMINAL`: the position has occurred too often


class Setting(NamedTuple):
    """What is the same for all games.

    Attributes:
        table: the kernel table.
        rules: the rules vector.
        views: the action that each seat means by a number, int64 ``[players, actions]``.
        turned: whether observations are those of the mover's own view.
        repetition: occurrence of a position that makes a draw, 0 for none.
    """

    table: Any
    rules: Any
    views: Any
    turned: Any
    repetition: Any


class Rows(NamedTuple):
    """Where the games stand, a row for each.

    Attributes:
        states: int64 ``[rows, state_size]``.
        rngs: uint64 ``[rows, 2]``, a generator of `counter_rng` for each.
        counts: plies played, int64 ``[rows]``.
        log: the plies, int64 ``[rows, room]``; no room where nobody wants to know.
        hashes: of the positions, uint64 ``[rows, room]``; no room where repetition does not count.
        seats: who decides or, at the end, who ended it, int64 ``[rows]``.
        actors: who made the last step, int64 ``[rows]``.
        over: whether the game has ended or never begun, bool ``[rows]``.
        ends: how the last step ended it: terminated, truncated, by an illegal action; bool ``[rows, 3]``.
        legal: mask of the legal actions in the numbers of the rules, int8 ``[rows, actions]``.
    """

    states: Any
    rngs: Any
    counts: Any
    log: Any
    hashes: Any
    seats: Any
    actors: Any
    over: Any
    ends: Any
    legal: Any


class Shown(NamedTuple):
    """What the outside gets to see, a row for each game.

    Attributes:
        masks: int8 ``[rows, actions]``, in the view of the seat.
        observations: float32 ``[rows, size]``.
        rewards: of all seats in the last step, float64 ``[rows, players]``.
    """

    masks: Any
    observations: Any
    rewards: Any


# Compiled code takes the fields of these one by one, in their order: handing tuples of arrays from function to function
# makes it half as fast.


@kernel
def note_position(game: Any, rules: Any, state: Any, repetition: Any, hashes: Any, plies: Any) -> Any:
    """Return who is to move at `state`, which `plies` plies have led to; `_REPEATED` if it has occurred too often."""
    node = game.to_move(rules, state)
    if repetition == 0 or plies >= hashes.size:
        return node
    position = game.hash(rules, state)
    hashes[plies] = position
    occurrences = 0
    for earlier in range(plies + 1):
        occurrences += hashes[earlier] == position
    return _REPEATED if occurrences >= repetition and node != TERMINAL else node


@kernel
def play_ply(game: Any, rules: Any, state: Any, ply: Any, repetition: Any, row: Any, counts: Any, log: Any,
             hashes: Any) -> Any:  # fmt: skip
    """Apply an action or outcome to game `row` and note it; return who is to move then, as `note_position` does."""
    game.apply(rules, state, ply)
    if counts[row] < log.shape[1]:
        log[row, counts[row]] = ply
    counts[row] += 1
    return note_position(game, rules, state, repetition, hashes[row], counts[row])


@kernel
def show(game: Any, rules: Any, state: Any, seat: Any, decides: Any, turned: Any, views: Any, legal: Any, mask: Any,
         observation: Any) -> None:  # fmt: skip
    """Write the mask and the observation of `seat`, which `decides` or has just ended the game."""
    if decides:
        game.legal(rules, state, legal)
        for action in range(mask.size):
            mask[action] = legal[views[seat, action]]
    else:
        legal[:] = 0
        mask[:] = 0
    game.observe(rules, state, seat if turned else np.int64(-1), observation)


@kernel
def begin_games(table: Any, rules: Any, views: Any, turned: Any, repetition: Any,
                states: Any, rngs: Any, counts: Any, log: Any, hashes: Any, seats: Any, _actors: Any, over: Any,
                ends: Any, legal: Any,
                masks: Any, observations: Any, rewards: Any,
                where: Any, starts: Any, plies: Any, shows_all: Any) -> Any:  # fmt: skip
    """Begin a game in each row of `where` from its row of `starts`, with `plies` random plies, up to a decision.

    With `shows_all` the other rows are shown too, as they are, with rewards of zero. Returns the first row in which no
    game could begin, or -1; that row and the chosen ones after it are over then.
    """
    game = bind(table)
    failed = -1
    for row in range(where.size):
        state = states[row]
        if not where[row] and not shows_all:
            continue
        rewards[row] = 0.0
        if not where[row]:
            show(game, rules, state, seats[row], legal[row].any(), turned, views, legal[row], masks[row],
                 observations[row])  # fmt: skip
            continue
        over[row] = True
        ends[row] = False
        node = np.int64(TERMINAL)
        for _ in range(MAX_TRIES if failed < 0 else 0):
            counts[row] = 0
            for word in range(state.size):  # numba would copy a slice by way of a third array
                state[word] = starts[row, word]
            node = note_position(game, rules, state, repetition, hashes[row], 0)
            while node == CHANCE or (node >= 0 and counts[row] < plies):
                ply = game.sample(rules, state, rngs[row])
                node = play_ply(game, rules, state, ply, repetition, row, counts, log, hashes)
            if node >= 0:
                break
        if node >= 0:
            seats[row] = node
            over[row] = False
        elif failed < 0:
            failed = row
        show(game, rules, state, seats[row], node >= 0, turned, views, legal[row], masks[row], observations[row])
    return failed


@kernel
def step_games(table: Any, rules: Any, views: Any, turned: Any, repetition: Any,
               states: Any, rngs: Any, counts: Any, log: Any, hashes: Any, seats: Any, actors: Any, over: Any,
               ends: Any, legal: Any,
               masks: Any, observations: Any, rewards: Any,
               where: Any, actions: Any) -> Any:  # fmt: skip
    """Play an action in each row of `where` and throw whatever dice follow; nothing is shown of the other rows.

    Returns the most plies of a game; or, having done nothing, `OVER` if one of the games is over or `NO_ACTION` if a
    number is no action.
    """
    game = bind(table)
    for row in range(where.size):
        if where[row] and over[row]:
            return OVER
        if where[row] and not 0 <= actions[row] < masks.shape[1]:
            return NO_ACTION
    longest = 0
    for row in range(where.size):
        if not where[row]:
            continue
        state, seat = states[row], seats[row]
        action = views[seat, actions[row]]
        actors[row] = seat
        rewards[row] = 0.0
        ends[row] = False
        if not legal[row, action]:
            rewards[row, seat] = -1.0
            over[row] = ends[row, 0] = ends[row, 2] = True
            show(game, rules, state, seat, False, turned, views, legal[row], masks[row], observations[row])
            continue
        node = play_ply(game, rules, state, action, repetition, row, counts, log, hashes)
        while node == CHANCE:
            outcome = game.sample(rules, state, rngs[row])
            node = play_ply(game, rules, state, outcome, repetition, row, counts, log, hashes)
        if node >= 0:
            seat = node
        else:
            ends[row, 1] = node == TERMINAL and game.capped(rules, state) != 0
            ends[row, 0] = not ends[row, 1]
            over[row] = True
            if node == TERMINAL:
                game.returns(rules, state, rewards[row])
        seats[row] = seat
        show(game, rules, state, seat, node >= 0, turned, views, legal[row], masks[row], observations[row])
        longest = max(longest, counts[row])
    return longest


@kernel
def draw_actions(masks: Any, rng: Any, actions: Any) -> None:
    """Draw an action of each row of `masks` (int8 ``[rows, actions]``) uniformly into `actions`; 0 if none is legal."""
    for row in range(actions.size):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[row, action]
        actions[row] = 0
        if count:
            left = draw_below(rng, count)
            for action in range(masks.shape[1]):
                if masks[row, action]:
                    if left == 0:
                        actions[row] = action
                        break
                    left -= 1
