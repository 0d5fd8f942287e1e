"""What an agent has found out, in lines of the text protocol."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..agents.agent import Agent, Decision
from ..agents.choices import RETURN, can_value, choice_unit, choice_values
from ..envs.core import State
from ..envs.errors import SekishoError


def info_lines(
    decision: Decision, state: State, seconds: float, agent: Agent | None = None, most: int = 1
) -> list[str]:
    """Return an ``info`` line for the decision and, where the agent can tell, for the next best choices.

    Args:
        decision: what was found.
        state: where it is to be played.
        seconds: spent so far.
        agent: who decided, asked for the values of all choices if more than one is wanted; it is not asked if None.
        most: how many lines, at most.
    """
    statistics = decision.statistics
    nodes = statistics.get("simulations", statistics.get("nodes"))
    head = f"info depth {statistics.get('depth', max(len(decision.line), 1))}"
    if nodes is not None:
        head += f" nodes {nodes}"
    head += f" time {int(1000 * seconds)}"
    if nodes is not None:
        head += f" nps {int(nodes / max(seconds, 1e-3))}"
    return [
        f"{head}{_score(values, state)} multipv {number} pv {' '.join(pv(state, line))}"
        for number, (values, line) in enumerate(_best(decision, state, agent, most), start=1)
    ]


def _best(
    decision: Decision, state: State, agent: Agent | None, most: int
) -> list[tuple[Sequence[float] | None, tuple[int, ...]]]:
    """Return the values for all seats, if they are known, and the line of each of the best choices."""
    if decision.statistics.get("best"):
        return [(values, line) for _, values, line in decision.statistics["best"]][:most]
    returns = decision.statistics.get("returns") or _of_all_seats(decision.value, state)
    found = [(returns, decision.line or (decision.action,))]
    if most > 1 and agent is not None and can_value(agent, state.game) and choice_unit(agent, state.game) == RETURN:
        values = choice_values(agent, state)
        order = [int(action) for action in np.argsort(-values, kind="stable") if not np.isnan(values[action])]
        others = [action for action in order if action != decision.action][: most - 1]
        found += [(_of_all_seats(float(values[action]), state), (action,)) for action in others]
    return found


def _of_all_seats(value: float | None, state: State) -> Sequence[float] | None:
    """Return the value of the seat to move as values of all, as far as it tells them: two share what there is."""
    if value is None:
        return None
    seat, players = state.current_player(), state.game.num_players
    others = -value if players == 2 else np.nan
    return [value if other == seat else others for other in range(players)]


def _score(values: Sequence[float] | None, state: State) -> str:
    """Return returns (-1..1) as chances (0..1), first that of the seat to move, then those of all in seat order."""
    if values is None:
        return ""
    chances = [min(max((value + 1) / 2, 0.0), 1.0) for value in values if value == value]
    mine = min(max((values[state.current_player()] + 1) / 2, 0.0), 1.0)
    every = f" wps {' '.join(f'{chance:.4f}' for chance in chances)}" if len(chances) == len(values) else ""
    return f" score wp {mine:.4f}{every}"


def pv(state: State, line: Sequence[int]) -> list[str]:
    """Return a line of actions in notation, as far as the rules go with it."""
    walk, names = state.clone(), []
    for action in line:
        try:
            name = walk.action_to_string(action)
            walk.apply_action(action)
        except SekishoError:  # a search may think beyond a draw by repetition
            break
        names.append(name)
    return names
