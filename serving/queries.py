"""The answers to ``query``: what a referee that knows no rules asks about a position.

Seats count from 1, as everywhere in the protocol; ``none`` is said where there is nothing to say.
"""

from __future__ import annotations

from collections.abc import Callable

from ..arena.places import ranks
from ..arena.telling import seat_at
from ..envs.core import State
from ..envs.errors import OptionError, nearest, shown


def answer(question: str, state: State) -> str:
    """Return the answer to a query about a position.

    Raises:
        OptionError: if there is no such query.
    """
    if question not in QUERIES:
        raise OptionError(f"there is no query {shown(question)}; {nearest(question, QUERIES)}")
    return QUERIES[question](state)


def _truth(holds: bool) -> str:
    return "true" if holds else "false"


def _player(state: State) -> str:
    if state.is_chance_node():
        return "chance"
    return "none" if state.is_terminal() else str(state.current_player() + 1)


def _result(state: State) -> str:
    if not state.is_terminal():
        return "none"
    places = ranks(state.returns())
    return f"p{places.index(1) + 1}win" if places.count(1) == 1 else "draw"


def _moves(state: State) -> str:
    return " ".join(map(state.action_to_string, state.legal_actions())) or "none"


def _chance(state: State) -> str:
    if not state.is_chance_node():
        return "none"
    return " ".join(f"{state.action_to_string(action)} {chance:.6f}" for action, chance in state.chance_outcomes())


def _ranks(state: State) -> str:
    return " ".join(map(str, ranks(state.returns()))) if state.is_terminal() else "none"


QUERIES: dict[str, Callable[[State], str]] = {
    "p1turn": lambda state: _truth(not state.is_terminal() and seat_at(state) == 0),
    "gameover": lambda state: _truth(state.is_terminal()),
    "result": _result,
    "player": _player,
    "players": lambda state: str(state.game.num_players),
    "legalmoves": _moves,
    "position": lambda state: state.to_text(),
    "chance": _chance,
    "ranks": _ranks,
}
"""What can be asked."""
