"""What is said at the table: who sits where, what can be chosen and where it leads, how it ended."""

from __future__ import annotations

from ..arena.resigning import resign_action
from ..arena.session import Session
from ..arena.telling import effect
from ..envs.core import State
from .words import cut, say

FEW = 12
"""Choices that are listed before each decision."""
_NAME = 40  # columns of a name


def seat_name(session: Session, seat: int) -> str:
    """Return a seat with who sits on it; people without names keep a number through a series of games."""
    player, people = session.players[seat], [p for p in session.players if p.is_human]
    who = cut(player.name or player.spec, _NAME)
    if player.is_human and not player.name:  # no "player 2": boards number players by their seats
        who = "you" if len(people) == 1 else f"person {session.entrant(seat)}"
    return f"seat {seat + 1} ({who})"


def decisions(session: Session) -> list[int]:
    """Return what may be played."""
    return [] if session.is_over else session.state.legal_actions()


def sensible(session: Session) -> list[int]:
    """Return what may be played, resigning left out."""
    resigning = resign_action(session.state)
    return [action for action in decisions(session) if action != resigning]


def show_choices(session: Session) -> None:
    """Say where each choice leads; where there are many, only the moves of a piece, and how to see the rest."""
    state, actions = session.state, sensible(session)
    told = actions
    if len(actions) > FEW:
        told = [action for action in actions if state.preview(action).data.get("kind") != "fence"][:FEW]
    for action in told:
        show_choice(state, action)
    if len(told) < len(actions):
        rest = [state.action_to_string(action) for action in actions if action not in told]
        say(f"  and {len(rest)} more, as {rest[0]}: moves lists them, look {rest[0]} says where that one leads")
    if len(actions) == 1:
        say(f"  (Enter plays {state.action_to_string(actions[0])})")


def show_choice(state: State, action: int) -> None:
    """Say where a choice leads."""
    first, *more = effect(state, action).splitlines() or [""]
    say(f"  {state.action_to_string(action):<9} {first}", indent=" " * 10)
    for line in more:
        say(" " * 12 + line, indent="   ")


def few_moves(session: Session) -> str:
    """Return the names of what may be played, of the first ones where there are many."""
    names = [session.state.action_to_string(action) for action in decisions(session)]
    return ", ".join(names[:FEW]) + (", …" if len(names) > FEW else "") if names else "none"


def result_line(session: Session) -> str:
    """Return how a finished game ended."""
    returns, end = session.returns(), session.end_reason()
    best = [seat for seat, value in enumerate(returns) if value == max(returns) and value > min(returns)]
    winners = " and ".join(seat_name(session, seat) for seat in best)
    points = ", ".join(f"seat {seat + 1}: {value:+.2g}" for seat, value in enumerate(returns))
    return f"{winners or 'Nobody'} {'wins' if len(best) < 2 else 'win'} ({end}). Returns: {points}"
