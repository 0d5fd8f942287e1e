"""Sweeps over the nodes of a game of Tokaido, compiled: values of perfect play and of any policy.

Each goes from the last node to the first and uses new values at once (Gauss-Seidel); pieces rarely go back, so a few
dozen sweeps do. The values of a node are those of all seats, the mover's first.

What is chosen at a node is a word: bit ``r`` says that after roll ``r`` the second of its two numbers is taken, bit 0
at a fork that the detour is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.compiling import kernel
from ...envs.tokaido.kernels import FACES, LEAST_FACE, MOST_FACE, NUMBERS, PLAYERS, WEIGHTS, field
from .tokaido_kernels import (
    CHOOSE_ROAD,
    CROSS_OVER,
    CROSSES,
    END,
    FAILS,
    FIRST_RANK,
    NUMBERS_OF_A_THROW,
    RESIGNS,
    REST,
    SHIFTS,
    THROW,
    decides,
    links_of,
    spot_in,
)

PLACE_POINTS, FIRST_ONLY = 0, 1  # utilities


@kernel
def success(rules: Any, key: Any) -> Any:
    """Return the chance of the crossing of a node's mover."""
    spot = spot_in(key, 0, rules[PLAYERS])
    return (field(rules, spot, MOST_FACE) - field(rules, spot, LEAST_FACE) + 1) / 6


@kernel
def fill_ends(rules: Any, keys: Any, kinds: Any, utility: Any, values: Any) -> None:
    """Write the values (``[nodes, players]``) of the nodes in which the game is over."""
    players = rules[PLAYERS]
    for node in range(keys.size):
        if kinds[node] != END:
            continue
        best, sharing = 2 * players, 0
        for seat in range(players):
            ahead = spot_in(keys[node], seat, players) - FIRST_RANK
            sharing = 1 if ahead < best else sharing + (ahead == best)
            best = min(best, ahead)
        for seat in range(players):
            ahead = spot_in(keys[node], seat, players) - FIRST_RANK
            if utility == FIRST_ONLY:
                values[node, seat] = 1 / sharing if ahead == best else 0.0
            else:
                values[node, seat] = 1 - ahead / (players - 1)


# --- two players: bounds from both sides -----------------------------------------------------------------------------


@kernel(allocates=True)
def sweep_bounds(rules: Any, keys: Any, kinds: Any, links: Any, low: Any, high: Any) -> Any:
    """Draw the bounds on the mover's chance to win together; return the widest gap that is left.

    A lower bound for the next mover, if that is the other seat, is an upper bound for this one. From 0 and 1 every step
    keeps them bounds, whatever the order of the nodes.
    """
    q_low, q_high = np.zeros(NUMBERS_OF_A_THROW), np.zeros(NUMBERS_OF_A_THROW)
    gap = 0.0
    for node in range(keys.size - 1, -1, -1):
        kind = kinds[node]
        if kind == END:
            continue
        for link in range(NUMBERS_OF_A_THROW):
            word = links[node, link]
            if word >= 0:
                after = word // SHIFTS
                same = word % SHIFTS == 0
                q_low[link] = low[after] if same else 1 - high[after]
                q_high[link] = high[after] if same else 1 - low[after]
        if kind == THROW:
            new_low, new_high = 0.0, 0.0
            for roll in range(FACES):
                one, two = rules[NUMBERS + 2 * roll], rules[NUMBERS + 2 * roll + 1]
                new_low += rules[WEIGHTS + roll] * max(q_low[one], q_low[two])
                new_high += rules[WEIGHTS + roll] * max(q_high[one], q_high[two])
            new_low, new_high = new_low / 36, new_high / 36
        elif kind == CROSS_OVER:
            chance = success(rules, keys[node])
            new_low = chance * q_low[CROSSES] + (1 - chance) * q_low[FAILS]
            new_high = chance * q_high[CROSSES] + (1 - chance) * q_high[FAILS]
        elif kind == REST:
            new_low, new_high = q_low[0], q_high[0]
        else:
            new_low, new_high = max(q_low[0], q_low[1]), max(q_high[0], q_high[1])
        low[node], high[node] = max(low[node], new_low), min(high[node], new_high)
        gap = max(gap, high[node] - low[node])
    return gap


# --- any number of players -------------------------------------------------------------------------------------------


@kernel
def after_link(word: Any, seat: Any, values: Any) -> Any:
    """Return what a link leads to is worth (`values`, ``[nodes, players]``) to who sits `seat` after the mover."""
    there = seat - word % SHIFTS
    return values[word // SHIFTS, there if there >= 0 else there + values.shape[1]]


@kernel
def mean_after(links: Any, weights: Any, seat: Any, values: Any) -> Any:
    """Return the mean of `after_link` over the links of a node, each as likely as `weights` says."""
    total = 0.0
    for link in range(weights.size):
        if weights[link] > 0.0:
            total += weights[link] * after_link(links[link], seat, values)
    return total


@kernel
def write_own(kind: Any, links: Any, values: Any, own: Any) -> None:
    """Write what each link of a node at which the mover decides is worth to it, resigning left out."""
    for link in range(links_of(kind)):
        own[link] = after_link(links[link], 0, values)


@kernel
def write_undecided(rules: Any, key: Any, kind: Any, weights: Any) -> None:
    """Write the probability of each link of a node at which nobody decides, the others being 0 already."""
    if kind == CROSS_OVER:
        weights[CROSSES] = success(rules, key)
        weights[FAILS] = 1 - weights[CROSSES]
    elif kind == REST:
        weights[0] = 1.0


@kernel
def mean_links(rules: Any, key: Any, kind: Any, choice: Any, weights: Any) -> None:
    """Write the probability (``weights``, ``[9]``) of each link of a node under what is chosen there."""
    weights[:] = 0.0
    if kind == THROW:
        for roll in range(FACES):
            weights[rules[NUMBERS + 2 * roll + (choice >> roll & 1)]] += rules[WEIGHTS + roll] / 36
    elif kind == CHOOSE_ROAD:
        weights[choice & 1] = 1.0
    else:
        write_undecided(rules, key, kind, weights)


@kernel
def better_choice(rules: Any, kind: Any, choice: Any, own: Any, epsilon: Any) -> Any:
    """Return what to choose given the mover's value of each link: what is chosen unless other gains over `epsilon`."""
    if kind == CHOOSE_ROAD:
        taken = choice & 1
        return 1 - taken if own[1 - taken] > own[taken] + epsilon else taken
    if kind != THROW:
        return choice
    for roll in range(FACES):
        one, two = own[rules[NUMBERS + 2 * roll]], own[rules[NUMBERS + 2 * roll + 1]]
        if choice >> roll & 1:
            if one > two + epsilon:
                choice ^= 1 << roll
        elif two > one + epsilon:
            choice ^= 1 << roll
    return choice


@kernel
def least_gain(rules: Any, kind: Any, before: Any, choice: Any, own: Any) -> Any:
    """Return the least that the mover gains by any part of a change of what it chooses, from `before` to `choice`."""
    if kind == CHOOSE_ROAD:
        return abs(own[1] - own[0])
    least = np.inf
    for roll in range(FACES):
        if (before ^ choice) >> roll & 1:
            least = min(least, abs(own[rules[NUMBERS + 2 * roll]] - own[rules[NUMBERS + 2 * roll + 1]]))
    return least


@kernel(allocates=True)
def sweep_values(
    rules: Any, keys: Any, kinds: Any, links: Any, values: Any, choices: Any, epsilon: Any, first: Any, last: Any,
    out: Any,
) -> None:  # fmt: skip
    """Sweep over the nodes ``first .. last-1``: choose anew where that gains more than `epsilon`, and take the mean.

    `values` are ``[nodes, players]``. ``out[0]`` becomes the largest change of a value if that is larger than what
    stands there, the number of choices that changed is added to ``out[1]``, and ``out[2]`` becomes the least that any
    of them gained if that is less.
    """
    players = rules[PLAYERS]
    own, weights, new = np.zeros(NUMBERS_OF_A_THROW), np.zeros(NUMBERS_OF_A_THROW), np.zeros(players)
    for node in range(last - 1, first - 1, -1):
        kind = kinds[node]
        if kind == END:
            continue
        if decides(kind):
            write_own(kind, links[node], values, own)
            choice = better_choice(rules, kind, choices[node], own, epsilon)
            if choice != choices[node]:
                out[1] += 1
                out[2] = min(out[2], least_gain(rules, kind, choices[node], choice, own))
                choices[node] = choice
        mean_links(rules, keys[node], kind, choices[node], weights)
        for seat in range(players):  # all of them before any is written: a link can lead back here
            new[seat] = mean_after(links[node], weights, seat, values)
        for seat in range(players):
            out[0] = max(out[0], abs(new[seat] - values[node, seat]))
            values[node, seat] = new[seat]


@kernel
def lower_choices(
    rules: Any, kinds: Any, links: Any, values: Any, choices: Any, equal: Any, own: Any, out: Any
) -> None:
    """Choose the lower action wherever the higher one is chosen but gains no more than `equal`.

    ``out[0]`` becomes the most that another choice gains anywhere (0 at least), ``out[1]`` the number of nodes changed.
    """
    for node in range(kinds.size):
        kind = kinds[node]
        if not decides(kind):
            continue
        write_own(kind, links[node], values, own)
        choice = choices[node]
        for roll in range(FACES if kind == THROW else 1):
            one = own[rules[NUMBERS + 2 * roll]] if kind == THROW else own[0]
            two = own[rules[NUMBERS + 2 * roll + 1]] if kind == THROW else own[1]
            if choice >> roll & 1 and two <= one + equal:
                choice ^= 1 << roll
            out[0] = max(out[0], one - two if choice >> roll & 1 else two - one)
        out[1] += choice != choices[node]
        choices[node] = choice


@kernel
def most_from_resigning(kinds: Any, links: Any, values: Any) -> Any:
    """Return how much the mover gains where resigning gains it most; negative where it always loses."""
    most = -np.inf
    for node in range(kinds.size):
        if links.shape[1] > RESIGNS and links[node, RESIGNS] >= 0:
            resigned = after_link(links[node, RESIGNS], 0, values)
            for link in range(2):
                most = max(most, resigned - after_link(links[node, link], 0, values))
    return most


# --- policies --------------------------------------------------------------------------------------------------------


@kernel
def policy_links(rules: Any, key: Any, kind: Any, second: Any, resigning: Any, weights: Any) -> None:
    """Write the probability of each link (``weights``, ``[10]``) under a policy.

    `second` (``[21]``) has the chance of the second number after each roll, ``second[0]`` at a fork that of the detour;
    `resigning`, ``[21]`` or empty, that of resigning there.
    """
    weights[:] = 0.0
    if kind == THROW:
        for roll in range(FACES):
            chance = rules[WEIGHTS + roll] / 36
            gone = resigning[roll] if resigning.size else 0.0
            weights[rules[NUMBERS + 2 * roll]] += chance * (1 - second[roll] - gone)
            weights[rules[NUMBERS + 2 * roll + 1]] += chance * second[roll]
            weights[RESIGNS] += chance * gone
    elif kind == CHOOSE_ROAD:
        weights[RESIGNS] = resigning[0] if resigning.size else 0.0
        weights[0], weights[1] = 1 - second[0] - weights[RESIGNS], second[0]
    else:
        write_undecided(rules, key, kind, weights)


@kernel(allocates=True)
def sweep_policies(
    rules: Any, keys: Any, kinds: Any, links: Any, second: Any, resigning: Any, others_second: Any,
    others_resigning: Any, values: Any,
) -> Any:  # fmt: skip
    """Work out what one seat gets that plays a policy while all others play another; return the largest change.

    ``values[node, d]`` is what the seat gets that sits `d` seats after the mover. Policies as in `policy_links`, one
    row a node.
    """
    players = rules[PLAYERS]
    mine, theirs = np.zeros(RESIGNS + 1), np.zeros(RESIGNS + 1)
    change = 0.0
    for node in range(keys.size - 1, -1, -1):
        kind = kinds[node]
        if kind == END:
            continue
        policy_links(rules, keys[node], kind, second[node], resigning[node], mine)
        policy_links(rules, keys[node], kind, others_second[node], others_resigning[node], theirs)
        for seat in range(players):
            new = mean_after(links[node], mine if seat == 0 else theirs, seat, values)
            change = max(change, abs(new - values[node, seat]))
            values[node, seat] = new
    return change


@kernel(allocates=True)
def sweep_visits(rules: Any, keys: Any, kinds: Any, links: Any, second: Any, resigning: Any, source: Any, visits: Any,
                 order: Any) -> Any:  # fmt: skip
    """Spread visits from node to node until none are left to spread; return how many were spread.

    `source` (``[nodes]``) has visits that still have to be passed on, `visits` collects all of them; `order` goes from
    the start of the road to its end.
    """
    weights = np.zeros(RESIGNS + 1)
    spread = 0.0
    for node in order:
        amount = source[node]
        if amount == 0.0:
            continue
        source[node] = 0.0
        visits[node] += amount
        spread += amount
        if kinds[node] == END:
            continue
        policy_links(rules, keys[node], kinds[node], second[node], resigning[node], weights)
        for link in range(links.shape[1]):
            if weights[link] > 0.0:
                source[links[node, link] // SHIFTS] += amount * weights[link]
    return spread
