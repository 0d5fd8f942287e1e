"""The travel journal: who went where with which roll, and what happened there, one line a turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import OptionError
from . import kernels as compiled
from .phrases import LANGUAGES, Phrases
from .walks import MAX_EXTRA_ROLLS, Step, Walk

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
        record: what was played for it, in notation; ``rest`` for a turn that was skipped.
    """

    seat: int
    kind: str
    walk: Walk | None = None
    number: int = 0
    cancelled: bool = False
    ends_turn: bool = True
    record: str = "rest"


def turns(state: PictureState) -> list[list[Event]]:
    """Return the turns since the position that the state began with, skipped ones too; the last may still go on."""
    found: list[list[Event]] = [[]]
    for event in events(state):
        found[-1].append(event)
        if event.ends_turn:
            found.append([])
    return [turn for turn in found if turn]


def journal(state: PictureState) -> list[dict[str, Any]]:
    """Return the journey since the position that the state began with as JSON values, one mapping a turn.

    Each has ``seat`` (from 0), ``record`` (what was played, ``rest`` for a skipped turn), ``happenings`` and ``text``
    (the turn in words by language). A happening has ``what``: ``move`` by the die, ``carried`` by an instruction,
    ``owes`` more rests, ``again`` (another roll), ``cancelled`` (no fourth extra roll), ``stays`` (enough instructions
    were followed), ``rest``, ``arrived`` or ``resigned``; ``seat``; and those that say something of ``start``, ``end``,
    ``number``, ``kind`` (of the instruction), ``rests`` (of a ``rest``: left to pay), ``place`` and ``bounced``.
    """
    spoken, goal = [Phrases(language) for language in LANGUAGES], state.game.board.goal
    return [
        {
            "seat": turn[0].seat,
            "record": " ".join(event.record for event in turn),
            "happenings": [happening for event in turn for happening in _happenings(event)],
            "text": {phrases.language: _told(phrases, turn, goal) for phrases in spoken},
        }
        for turn in turns(state)
    ]


def journal_text(state: PictureState, language: str = "en", names: Sequence[str] | None = None) -> str:
    """Return the journey since the position that the state began with as text, one numbered line a turn.

    Args:
        state: any state; the last line of a finished game is the ranking.
        language: ``en``, ``es``, ``bn`` or ``ja``.
        names: a name for each seat, in seat order; numbered players by default.

    Raises:
        UnknownNameError: for another language.
        OptionError: if there is not one name for each seat.
    """
    phrases, goal = Phrases(language), state.game.board.goal
    players = _names(phrases, state, names)
    lines = [
        phrases.say("turn", turn=number, player=players[turn[0].seat], events=_sentence(phrases, turn, goal))
        for number, turn in enumerate(turns(state), start=1)
    ]
    if state.is_terminal():
        lines.append(phrases.say("end", ranking=phrases.say("join").join(_ranking(phrases, state, players))))
    return "\n".join(lines)


def last_roll(state: PictureState, language: str = "en") -> str:
    """Return in words who rolled last and what happened; an empty text before the first roll."""
    phrases = Phrases(language)
    rolls = [event for event in events(state) if event.walk]
    return _told(phrases, rolls[-1:], state.game.board.goal) if rolls else ""


def events(state: PictureState) -> Iterator[Event]:
    """Yield what happened since the position that the state began with, in order."""
    now = state.clone()
    actions = now.history()
    while now.history():
        now.undo_action()
    said = ""  # the decision to roll, if it was made since
    for action in actions:
        before = now.clone()
        now.apply_action(action)
        seat = before.seat
        if before.is_chance_node():
            walk = before.walk(action)
            place = now.arrivals.index(seat) + 1 if seat in now.arrivals else 0
            cancelled = walk.again and before.extra_rolls == MAX_EXTRA_ROLLS
            passed = not walk.again or cancelled
            yield Event(seat, "walk", walk, place, cancelled, passed, said + before.action_to_string(action))
            said = ""
            if passed and not now.is_terminal():
                yield from _skips(before, now, seat, walk.rests)
        elif action == compiled.RESIGN:
            yield Event(seat, "resign", record=before.action_to_string(action))
            if not now.is_terminal():
                yield from _skips(before, now, seat, 0)
        else:
            said = f"{before.action_to_string(action)} "


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


def _happenings(event: Event) -> list[dict[str, Any]]:
    """Return the facts of an event, see `journal`."""
    if event.kind == "skip":
        return [{"what": "rest", "seat": event.seat, "rests": event.number}]
    if event.walk is None:
        return [{"what": "resigned", "seat": event.seat}]
    found = [_step_data(step, event) for step in event.walk.steps]
    if event.walk.unfollowed:
        found.append({"what": "stays", "seat": event.seat, "end": event.walk.square})
    if event.number:
        found.append({"what": "arrived", "seat": event.seat, "place": event.number})
    return found


def _step_data(step: Step, event: Event) -> dict[str, Any]:
    if step.kind == "rest":
        return {"what": "owes", "seat": event.seat, "rests": step.number}
    if step.kind == "roll_again":
        return {"what": "cancelled" if event.cancelled else "again", "seat": event.seat}
    way = {"start": step.start, "end": step.end, "bounced": step.bounced}
    if step.kind == "roll":
        return {"what": "move", "seat": event.seat, "number": step.number, **way}
    by = {"number": step.number} if step.kind in ("forward", "back") else {}
    return {"what": "carried", "seat": event.seat, "kind": step.kind, **by, **way}


def _told(phrases: Phrases, turn: Sequence[Event], goal: int) -> str:
    """Return what happened in a turn, with its player, as a sentence."""
    player = phrases.say("player", seat=turn[0].seat + 1)
    return phrases.say("told", player=player, events=_sentence(phrases, turn, goal))


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
        raise OptionError(f"expected {len(seats)} names, one for each seat, not {len(players)}")
    return players


def _ranking(phrases: Phrases, state: PictureState, players: list[str]) -> list[str]:
    """Return the seats with their ranks, the best first; seats that share a rank all carry the better number."""
    ranks = state.ranks()
    order = sorted(range(len(ranks)), key=lambda seat: ranks[seat])
    shared = [1 + sum(other < ranks[seat] for other in ranks) for seat in order]
    return [phrases.say("ranked", rank=rank, player=players[seat]) for rank, seat in zip(shared, order, strict=True)]
