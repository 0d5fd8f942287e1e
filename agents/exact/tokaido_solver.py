"""Perfect play in Tokaido by value iteration.

Two players: the chance to win is bounded from below and above until the bounds meet. More players: each maximises its
own utility, and a solution is a stationary equilibrium, one choice at every node that no seat can better by more than
`epsilon` there. Such an iteration can cycle near choices between which a seat is indifferent but others are not; so
what is chosen stays unless another choice gains more than `epsilon`, and `epsilon` grows until the choices stand still,
each time beyond the least gain that any change of the cycle has brought, for with less the cycle would go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.errors import RunError
from ...envs.tokaido.rules import Tokaido, TokaidoState
from . import tokaido_kernels as compiled
from . import tokaido_sweeps as sweeps
from .keeping import Checkpoint, Progress, Save
from .tokaido_nodes import Nodes, enumerate_nodes, key_of
from .tokaido_table import EQUAL, UTILITIES, TokaidoTable, solved_game, solved_utility

GAP = 1e-13
"""The bounds on a chance to win have met when they are nowhere farther apart."""
PRECISION = 1e-12
"""Values stand still when a sweep changes none by more."""
PATIENCE = 25
"""Sweeps without any progress after which `epsilon` grows."""
PROGRESS = 0.9
"""A sweep has made progress when no value changed by more than this part of the least that was seen before."""
GROWTH = 4.0
"""Factor by which it grows, as often as it takes to be beyond that gain."""
ALL_SECOND = (1 << 21) - 1
WHOLE_SWEEPS_FROM = 40
"""Sweep from which on all nodes are swept."""
BLOCK = 500_000
"""Nodes swept before it is said how far a sweep is."""
MOST_FROM_A_POSITION = 400_000
"""Nodes that are solved on the spot for a position that play from the start cannot reach."""
ESTIMATED_NODES = {2: 4e3, 3: 2.4e5, 4: 1.4e7, 5: 8e8, 6: 4.5e10}
"""Nodes from the start by players; for 5 and 6 from the growth up to 4."""


def estimated_nodes(game: Tokaido) -> float:
    """Return about how many nodes a game has."""
    return ESTIMATED_NODES[game.num_players] * float(game.options["max_turns"] or 1)


def check_size(game: Tokaido, force: bool = False) -> None:
    """Refuse a game with more states than can be solved, with the estimated size.

    Raises:
        RunError: unless it is forced.
    """
    game = solved_game(game)
    nodes = estimated_nodes(game)
    gigabytes = nodes * (16 + 40 + 12 + 8 * game.num_players) / 1e9
    if nodes > 4e7 and not force:
        cap = game.options["max_turns"]
        capped = f" and max_turns={cap} (each turn count multiplies the states)" if cap else ""
        raise RunError(
            f"tokaido with {game.num_players} players{capped} has about {nodes:,.0f} positions and needs about "
            f"{gigabytes:,.0f} GB of memory: refused; fewer players{' or max_turns=none' if cap else ''} can be solved "
            "(--force tries it all the same)"
        )


def solve(
    game: Tokaido, utility: str = UTILITIES[0], start: TokaidoState | None = None, progress: Progress | None = None,
    resume: Checkpoint | None = None, save: Save | None = None, most: int | None = None,
) -> TokaidoTable:  # fmt: skip
    """Return the table of perfect play.

    Args:
        game: the rules; what is solved is `solved_game` of them.
        utility: one of `UTILITIES`.
        start: where play begins; default: the start of the game. It must not wait for the choice of a number.
        progress: told how far it is.
        resume: arrays and facts that `save` was given by a run for the same game that was stopped.
        save: called after every sweep with what `resume` needs; it decides whether to keep it.
        most: nodes beyond which to give up.

    Raises:
        RunError: if it cannot be solved.
    """
    _warm_up(game.num_players)
    begin = time.perf_counter()
    game = solved_game(game) if start is None else game
    state = start if start is not None else game.new_initial_state()
    nodes = enumerate_nodes(state, progress, most)
    values, choices, facts = solve_nodes(game, nodes, utility, progress, resume, save)
    utility = solved_utility(game, utility)
    facts = {"states": nodes.turn_starts, "nodes": int(nodes.keys.size), "equal": EQUAL, **facts}
    facts["seconds"] = time.perf_counter() - begin + float(resume[1]["seconds"] if resume else 0)
    return TokaidoTable(game, utility, nodes.keys, values, choices, facts, solve_from=solve_from(game, utility))


@cache
def _warm_up(players: int) -> None:
    """Have everything compiled by solving a game of a single turn: to compile is not to solve."""
    game = Tokaido(players=players, max_turns=1)
    solve_nodes(game, enumerate_nodes(game.new_initial_state()))


def solve_nodes(
    game: Tokaido, nodes: Nodes, utility: str = UTILITIES[0], progress: Progress | None = None,
    resume: Checkpoint | None = None, save: Save | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int32], dict[str, Any]]:  # fmt: skip
    """Return the values and choices of perfect play in all `nodes`, and how they were found; see `solve`."""
    utility = solved_utility(game, utility)
    # The worst of all ends to begin with: from anything better, never to arrive can look better than to arrive late.
    values = np.full((nodes.keys.size, game.num_players), -1.0 if utility == "place_points" else 0.0)
    choices = np.zeros(nodes.keys.size, np.int32)
    sweeps.fill_ends(game.rules, nodes.keys, nodes.kinds, UTILITIES.index(utility), values)
    if game.num_players == 2:
        facts = _solve_two(game, nodes, values, progress)
        choices[nodes.kinds == compiled.THROW] = ALL_SECOND
        choices[nodes.kinds == compiled.CHOOSE_ROAD] = 1
        _lower_choices(game, nodes, values, choices)
    else:
        facts = _solve_many(game, nodes, values, choices, progress, resume, save)
        facts["sum_error"] = float(np.abs(values.sum(axis=1) - (utility == "first_only")).max())
    return values, choices, facts


def solve_from(game: Tokaido, utility: str) -> Callable[[TokaidoState], TokaidoTable]:
    """Return a function that solves what can be reached from a position; see `TokaidoTable.solve_from`."""
    return lambda state: solve(game, utility, state, most=MOST_FROM_A_POSITION)


def _solve_two(game: Tokaido, nodes: Nodes, values: NDArray[np.float64], progress: Progress | None) -> dict[str, Any]:
    """Fill in the place points of two players; return the facts."""
    low = (values[:, 0] + 1) / 2
    high = low.copy()
    going = nodes.kinds != compiled.END
    low[going], high[going] = 0.0, 1.0
    number, gap = 0, 1.0
    while gap > GAP:
        before, gap = gap, float(sweeps.sweep_bounds(game.rules, *nodes[:3], low, high))
        number += 1
        if number > 10_000 or (number % 1000 == 0 and gap == before):
            raise RunError(f"the bounds on the chance to win do not meet: {gap:.1e} is left after {number} sweeps")
        if progress:
            progress("sweeps", number, None)
    chance = (low + high) / 2
    values[:, 0], values[:, 1] = 2 * chance - 1, 1 - 2 * chance
    return {"sweeps": number, "residual": gap, "epsilon": EQUAL}


def _solve_many(
    game: Tokaido, nodes: Nodes, values: NDArray[np.float64], choices: NDArray[np.int32], progress: Progress | None,
    resume: Checkpoint | None, save: Save | None,
) -> dict[str, Any]:  # fmt: skip
    """Fill in the values and choices of three or more players; return the facts."""
    begin = time.perf_counter()
    number, epsilon, stalled, least, gained = 0, EQUAL, 0, np.inf, np.inf
    earlier = 0.0
    if resume is not None and np.array_equal(resume[0]["keys"], nodes.keys):
        values[:], choices[:] = resume[0]["values"], resume[0]["choices"]
        number, epsilon, earlier = (resume[1][name] for name in ("sweeps", "epsilon", "seconds"))
    while True:
        change, changed, least_gain = _sweep(game, nodes, values, choices, epsilon, number, progress)
        number += 1
        if save:
            facts = {"sweeps": number, "epsilon": epsilon, "seconds": earlier + time.perf_counter() - begin}
            save({"keys": nodes.keys, "values": values, "choices": choices}, facts)
        if change <= PRECISION and not changed:
            gain, lowered = _lower_choices(game, nodes, values, choices)
            if lowered == 0:
                return {"sweeps": number, "residual": change, "epsilon": epsilon, "gain": gain}
        if number >= WHOLE_SWEEPS_FROM:
            stalled, least, gained = (
                (0, change, np.inf) if change < PROGRESS * least else (stalled + 1, least, min(gained, least_gain))
            )
        if stalled >= PATIENCE:
            epsilon, stalled, least, gained = _grown(epsilon, gained), 0, np.inf, np.inf


def _grown(epsilon: float, gained: float) -> float:
    """Return the next `epsilon`: beyond the least that a change of choice has gained since any progress was made."""
    epsilon *= GROWTH
    while epsilon <= gained < np.inf:
        epsilon *= GROWTH
    return epsilon


def _lower_choices(
    game: Tokaido, nodes: Nodes, values: NDArray[np.float64], choices: NDArray[np.int32]
) -> tuple[float, int]:
    """Let the lower of two equal actions be chosen; return what another choice gains at most, and how many changed."""
    out = np.zeros(2)
    sweeps.lower_choices(game.rules, nodes.kinds, nodes.links, values, choices, EQUAL, np.zeros(9), out)
    return float(out[0]), int(out[1])


def _sweep(
    game: Tokaido, nodes: Nodes, values: NDArray[np.float64], choices: NDArray[np.int32], epsilon: float, number: int,
    progress: Progress | None,
) -> tuple[float, int, float]:  # fmt: skip
    """Sweep over nodes in blocks; return the largest change, how many choices changed and the least that one gained.

    The first sweeps end early, each a little later than the one before: as long as the values at the end of the road are
    far from right, those at its beginning are not worth working out.
    """
    out, count = np.array([0.0, 0.0, np.inf]), nodes.keys.size
    least = count - count * (number + 1) // WHOLE_SWEEPS_FROM if number < WHOLE_SWEEPS_FROM else 0
    for last in range(count, least, -BLOCK):
        first = max(last - BLOCK, least)
        sweeps.sweep_values(game.rules, *nodes[:3], values, choices, epsilon, first, last, out)
        if progress:
            progress(f"sweep {number + 1}", count - first, count)
    return (float(out[0]) if least == 0 else np.inf), int(out[1]), float(out[2])


def start_values(table: TokaidoTable) -> NDArray[np.float64]:
    """Return the expected utility of each seat at the start of the game."""
    return table.seat_values(table.game.new_initial_state())


__all__ = ["check_size", "key_of", "solve", "start_values"]
