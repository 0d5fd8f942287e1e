"""Compiled parts of value learning: what is seen as a short list, samples of solved games, and turns of many games."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...agents.exact.tokaido_kernels import CHOOSE_ROAD, CROSS_OVER, THROW, state_of
from ...agents.exact.tokaido_sweeps import after_link
from ...agents.search.turns import find_slot, turn_is_over, walk
from ...envs.compiling import kernel
from ...envs.counter_rng import draw_below
from ...envs.kernels import CHANCE, TERMINAL, bind
from ...envs.tokaido.kernels import CROSS, CROSSING, DETOUR, DICE, NUMBERS, ROLL, WAITS

_1000 = 1000


@kernel
def look_short(table: Any, rules: Any, words: Any, seats: Any, seen: Any, places: Any, amounts: Any) -> Any:
    """Write what seats see as lists of the features that are not 0.

    Args:
        table: the kernel table of the game.
        rules: of the game.
        words: positions, ``[B, state_size]``.
        seats: who looks, ``[B]``.
        seen: float32 ``[features]``, scratch.
        places: int64 ``[B, L]``: numbers of features; the rest of a row is 0.
        amounts: float32 ``[B, L]``: what they show; the rest of a row is 0.

    Returns:
        The most features that a row has; more than L means that some were left out.
    """
    game = bind(table)
    most = 0
    for row in range(words.shape[0]):
        game.observe(rules, words[row], seats[row], seen)
        count = 0
        for feature in range(seen.size):
            if seen[feature] != 0.0:
                if count < places.shape[1]:
                    places[row, count], amounts[row, count] = feature, seen[feature]
                count += 1
        for rest in range(count, places.shape[1]):
            places[row, rest], amounts[row, rest] = 0, 0.0
        most = max(most, count)
    return most


@kernel
def prefer(own: Any, count: Any, sharpness: Any) -> None:
    """Turn the values of `count` choices into a policy: a softmax of `sharpness` times the value."""
    top, total = own[0], 0.0
    for choice in range(1, count):
        top = max(top, own[choice])
    for choice in range(count):
        own[choice] = np.exp(sharpness * (own[choice] - top))
        total += own[choice]
    for choice in range(count):
        own[choice] /= total


@kernel(allocates=True)
def write_solved(
    rules: Any, keys: Any, kinds: Any, links: Any, values: Any, nodes: Any, rng: Any, sharpness: Any, words: Any,
    targets: Any, policies: Any,
) -> None:  # fmt: skip
    """Write positions of a solved game of Tokaido, the mover on seat 0, with what they are worth.

    A node of a throw is shown, by lot, before the throw or with one of the 21 rolls waiting for the choice; all of them,
    by lot, as the beginning of a turn or within one, which is worth the same.

    Args:
        rules: of the game.
        keys: of the nodes, see `tokaido_nodes.Nodes`.
        kinds: likewise.
        links: likewise.
        values: ``[nodes, players]``, the mover's first.
        nodes: ``[B]``: which to write.
        rng: see `counter_rng`.
        sharpness: of the policy, see `prefer`.
        words: ``[B, state_size]``.
        targets: ``[B, seats]``: what each seat gets.
        policies: ``[B, actions]``: how good the choices are; all 0 where nothing is chosen.
    """
    players = values.shape[1]
    own = np.zeros(2)
    for row in range(nodes.size):
        node = nodes[row]
        kind = state_of(rules, keys[node], words[row])
        policies[row, :] = 0.0
        for seat in range(players):
            targets[row, seat] = values[node, seat]
        one, two, first, second = 0, 0, 0, 0
        if kind == CHOOSE_ROAD:
            first, second, one, two = CROSSING, DETOUR, 0, 1
            if words[row, WAITS] == DICE and draw_below(rng, 2) == 0:
                words[row, WAITS] = 0
        elif kind == THROW and draw_below(rng, 2) == 0:
            roll = draw_below(rng, 21)
            first, second = rules[NUMBERS + 2 * roll], rules[NUMBERS + 2 * roll + 1]
            one, two = first, second
            words[row, WAITS] = ROLL + roll
        else:
            lot = draw_below(rng, 4)
            words[row, WAITS] = DICE if lot == 0 else CROSS if lot == 1 and kind == CROSS_OVER else 0
            continue
        own[0], own[1] = after_link(links[node, one], 0, values), after_link(links[node, two], 0, values)
        best = two if own[1] > own[0] else one
        for seat in range(players):
            targets[row, seat] = after_link(links[node, best], seat, values)
        prefer(own, 2, sharpness)
        policies[row, first], policies[row, second] = own[0], own[1]


@kernel(allocates=True)
def draw_back_keeping(
    table: Any, rules: Any, turn: Any, layer: Any, after: Any, rng: Any, inner: Any, inner_values: Any, kept: Any
) -> None:
    """Give the positions of a layer their values, and keep of each walk one position within the turn, drawn by lot.

    Args:
        table: the kernel table of the game.
        rules: of the game.
        turn: scratch.
        layer: positions in which a turn begins, with their edges.
        after: the next layer, with values.
        rng: see `counter_rng`.
        inner: int64 ``[N, state_size]``: positions after a choice from which the same seat goes on.
        inner_values: float64 ``[N, players]``: what they are worth.
        kept: int8 ``[N]``: 1 where a walk has such a position.
    """
    game = bind(table)
    for position in range(layer.counts[0]):
        kept[position] = 0
        if layer.over[position]:
            continue
        turn.words[0, :] = layer.words[position]
        walk(game, rules, turn, False, after, layer.begins[position], False)
        layer.values[position, :] = turn.values[0]
        found = 0
        for met in range(turn.met.counts[0]):
            words = turn.met.words[met]
            if words[turn.pending[0]] == 0 or game.to_move(rules, words) == TERMINAL:
                continue
            found += 1
            if draw_below(rng, found) == 0:
                inner[position, :] = words
                inner_values[position, :] = turn.met.values[met]
                kept[position] = 1


@kernel(allocates=True)
def weigh_choices(
    game: Any, rules: Any, turn: Any, after: Any, state: Any, mask: Any, actions: Any, outcomes: Any, worth: Any
) -> Any:
    """Write what follows each legal action of a decision within a turn, and what that is worth.

    Args:
        game: its kernels.
        rules: of the game.
        turn: scratch.
        after: the layer of the ends of turns, with values, and with room for the edges of one more walk.
        state: the decision.
        mask: int8 ``[num_actions]``, scratch.
        actions: int64 ``[num_actions]``: the legal actions, ascending.
        outcomes: int64 ``[num_actions, state_size]``: what follows them.
        worth: float64 ``[num_actions, players]``: what that is worth to each seat.

    Returns:
        How many there are.
    """
    count = 0
    game.legal(rules, state, mask)
    for action in range(mask.size):
        if mask[action]:
            outcomes[count, :] = state
            game.apply(rules, outcomes[count], action)
            turn.words[0, :] = outcomes[count]
            walk(game, rules, turn, True, after, after.counts[1], True)
            worth[count, :] = turn.values[0]
            actions[count] = action
            count += 1
    return count


@kernel(allocates=True)
def play_turns(
    table: Any, rules: Any, turn: Any, layer: Any, after: Any, rng: Any, explore: Any, sharpness: Any, words: Any,
    strayed: Any, plies: Any, met: Any, choices: Any, choice_values: Any, policies: Any,
) -> None:  # fmt: skip
    """Play a turn in each of many games by the values of the positions in which it can end.

    Args:
        table: the kernel table of the game.
        rules: of the game.
        turn: scratch.
        layer: positions in which a turn begins, one a game.
        after: the next layer, with values, and with room for the edges of one more walk.
        rng: see `counter_rng`.
        explore: choices out of 1,000 that are drawn at random.
        sharpness: of the policies, see `prefer`.
        words: ``[N, state_size]``: where the turn has ended.
        strayed: int8 ``[N]``: 1 where something else than the best was chosen.
        plies: int64 ``[N]``: throws and choices of the turn.
        met: int8 ``[N]``: 1 where something was to be chosen.
        choices: ``[N, state_size]``: the last such position.
        choice_values: ``[N, players]``: what it is worth.
        policies: ``[N, num_actions]``: how good its choices are, as the game numbers them.
    """
    game = bind(table)
    actions = policies.shape[1]
    state = np.zeros_like(turn.words[0])
    mask, listed, own = np.zeros(actions, np.int8), np.zeros(actions, np.int64), np.zeros(actions)
    outcomes, worth = np.zeros((actions, words.shape[1]), np.int64), np.zeros((actions, choice_values.shape[1]))
    for position in range(layer.counts[0]):
        state[:] = layer.words[position]
        strayed[position] = plies[position] = met[position] = 0
        begun = layer.over[position] != 0
        while not begun:
            mover = game.to_move(rules, state)
            if mover == CHANCE:
                game.apply(rules, state, game.sample(rules, state, rng))
            else:
                count = weigh_choices(game, rules, turn, after, state, mask, listed, outcomes, worth)
                best = 0
                for choice in range(count):
                    own[choice] = worth[choice, mover]
                    if own[choice] > own[best]:
                        best = choice
                met[position] = 1
                choices[position, :] = state
                choice_values[position, :] = worth[best]
                prefer(own, count, sharpness)
                policies[position, :] = 0.0
                for choice in range(count):
                    policies[position, listed[choice]] = own[choice]
                if draw_below(rng, _1000) < explore:
                    drawn = draw_below(rng, count)
                    strayed[position] |= drawn != best
                    best = drawn
                state[:] = outcomes[best]
            plies[position] += 1
            turn.words[0, :] = state
            begun = turn_is_over(game, rules, turn, 0, True)
        words[position, :] = state


@kernel
def find_all(after: Any, words: Any, places: Any) -> None:
    """Write the number in a layer of each position, -1 where it is not there."""
    for row in range(words.shape[0]):
        places[row] = after.slots[find_slot(after, words[row])] - 1
