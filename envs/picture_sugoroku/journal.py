"""The travel journal: who went where with which roll, and what happened there, one line a turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from . import kernels as compiled
from .phrases import Phrases
from .walks import MAX_EXTRA_ROLLS, Walk

if TYPE_CHECKING:
    from .rules import PictureState


class Event(NamedTuple):
    """One thing that happened in a turn.

    Attributes:
        seat: whose turn it was.
        kind: ``walk``, ``resign`` or ``skip``.
        walk: the roll and what followed from it, for ``walk``.
        number: for ``walk`` the place if the seat arrived (0: it did not), for ``skip`` the turns it still owes.
        cancelled: whether an extra roll was refused because the turn had had its share.
        ends_turn: whether the seat's turn was over then.
    """

    seat: int
    kind: str
    walk: Walk | None = None
    number: int = 0
    cancelled: bool = False
    ends_turn: bool = True


def journal(state: PictureState, language: str = "en", names: Sequence[str] | None = None) -> list[str]:
    """Return the journey since the position that the state began with, one line a turn, skipped turns too.

    Args:
        state: any state; the last line of a finished game is the ranking.
        language: ``en``, ``es``, ``bn`` or ``ja``.
        names: a name for each seat, in seat order; numbered players by default.

    Raises:
        UnknownNameError: for another language.
        ValueError: if there is not one name for each seat.
    """
    phrases, goal = Phrases(language), state.game.board.goal
    players = _names(phrases, state, names)
    turns: list[list[Event]] = [[]]
    for event in events(state):
        turns[-1].append(event)
        if event.ends_turn:
            turns.append([])
    lines = [
        phrases.say("turn", turn=number, player=players[turn[0].seat], events=_sentence(phrases, turn, goal))
        for number, turn in enumerate(filter(None, turns), start=1)
    ]
    if state.is_terminal():
        lines.append(phrases.say("end", ranking=phrases.say("join").join(_ranking(phrases, state, players))))
    return lines


def last_roll(state: PictureState, language: str = "en") -> str:
    """Return in words who rolled last and what happened; an empty text before the first roll."""
    phrases = Phrases(language)
    rolls = [event for event in events(state) if event.walk]
    if not rolls:
        return ""
    player = phrases.say("player", seat=rolls[-1].seat + 1)
    return phrases.say("told", player=player, events=_sentence(phrases, rolls[-1:], state.game.board.goal))


def events(state: PictureState) -> Iterator[Event]:
    """Yield what happened since the position that the state began with, in order."""
    now = state.clone()
    actions = now.history()
    while now.history():
        now.undo_action()
    for action in actions:
        before = now.clone()
        now.apply_action(action)
        seat = before.seat
        if before.is_chance_node():
            walk = before.walk(action)
            place = now.arrivals.index(seat) + 1 if seat in now.arrivals else 0
            cancelled = walk.again and before.extra_rolls == MAX_EXTRA_ROLLS
            passed = not walk.again or cancelled
            yield Event(seat, "walk", walk, place, cancelled, passed)
            if passed and not now.is_terminal():
                yield from _skips(before, now, seat, walk.rests)
        elif action == compiled.RESIGN:
            yield Event(seat, "resign")
            if not now.is_terminal():
                yield from _skips(before, now, seat, 0)


def _skips(before: PictureState, now: PictureState, seat: int, rests: int) -> Iterator[Event]:
    """Yield the turns that were skipped between the turn of `seat`, which owes `rests` since, and the one now."""
    owed = before.rests
    owed[seat] = rests
    out = {*now.arrivals, *now.resigned}
    while True:
        seat = (seat + 1) % len(owed)
        if seat in out:
            continue
        if not owed[seat]:
            return
        owed[seat] -= 1
        yield Event(seat, "skip", number=owed[seat])


def _sentence(phrases: Phrases, turn: Sequence[Event], goal: int) -> str:
    return phrases.say("join").join(words for event in turn for words in _words(phrases, event, goal))


def _words(phrases: Phrases, event: Event, goal: int) -> list[str]:
    if event.kind == "skip":
        return [phrases.say(f"skip_{event.number}")]
    if event.walk is None:
        return [phrases.say("resign")]
    words = []
    for step in event.walk.steps:
        key = f"{step.kind}_bounced" if step.bounced else step.kind
        if key == "rest":
            key = f"rest_{step.number}"
        elif key == "roll_again" and event.cancelled:
            key = "cancelled"
        words.append(phrases.say(key, number=step.number, place=phrases.place(step.end, goal)))
    if event.walk.unfollowed:
        words.append(phrases.say("stay"))
    if event.number:
        words.append(phrases.say("arrive", rank=event.number))
    return words


def _names(phrases: Phrases, state: PictureState, names: Sequence[str] | None) -> list[str]:
    seats = range(state.game.num_players)
    players = [phrases.say("player", seat=seat + 1) for seat in seats] if names is None else list(names)
    if len(players) != len(seats):
        raise ValueError(f"expected {len(seats)} names, one for each seat, not {len(players)}")
    return players


def _ranking(phrases: Phrases, state: PictureState, players: list[str]) -> list[str]:
    """Return the seats with their ranks, the best first; seats that share a rank all carry the better number."""
    ranks = state.ranks()
    order = sorted(range(len(ranks)), key=lambda seat: ranks[seat])
    shared = [1 + sum(other < ranks[seat] for other in ranks) for seat in order]
    return [phrases.say("ranked", rank=rank, player=players[seat]) for rank, seat in zip(shared, order, strict=True)]
