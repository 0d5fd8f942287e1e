"""What a ply does to whom: the facts behind a preview and a travel journal, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import kernels as compiled
from .road import ROAD, Event
from .tables import HOME, LAST, NUMBERS, SPOT_NAMES, Landing

if TYPE_CHECKING:
    from .rules import Tokaido, TokaidoState


@dataclass(frozen=True)
class Happening:
    """One thing that happens to one seat.

    Attributes:
        what: ``move`` by the dice, ``event`` that begins, ``carried`` by an event, ``owes`` more rests, ``again`` (it
            throws again), ``choose`` (it is to choose a road), ``chose``, ``crossed``, ``failed`` to cross, ``rest``
            (it rests and has paid one), ``arrived``, ``resigned``, ``over`` (the game ends, with `seat` 0).
        seat: to whom, from 0.
        start: where from, as a position's text names the place.
        end: where to.
        number: the number that was walked, or the face of the crossing die.
        kind: the kind of event, or the road: ``crossing``, ``detour``.
        rests: how many more rests are owed; of a ``rest``, how many are left.
        place: of an arrival, from 1.
        stopped: whether a move ended before its number was used up.
        bounced: whether a move was turned back at Kyoto.
    """

    what: str
    seat: int
    start: str | None = None
    end: str | None = None
    number: int | None = None
    kind: str | None = None
    rests: int | None = None
    place: int | None = None
    stopped: bool | None = None
    bounced: bool | None = None

    def data(self) -> dict[str, Any]:
        """Return the fields that say something, as JSON values."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def happenings(state: TokaidoState, action: int) -> list[Happening]:
    """Return what a legal action or an outcome of `state` does, in order; nothing for a throw of two dice."""
    game, before = state.game, state.words
    after = before.copy()
    turn_over = compiled.act(game.rules, after, action)
    if state.is_chance_node():
        found = _crossing(before, after, action) if action >= compiled.FACES else []
    elif action == compiled.RESIGN:
        found = [Happening("resigned", state.seat, start=state.places[state.seat])]
    elif action in (compiled.CROSSING, compiled.DETOUR):
        road = "crossing" if action == compiled.CROSSING else "detour"
        found = [Happening("chose", state.seat, start=state.places[state.seat], kind=road)]
    else:
        found = _advance(game, before, after, action)
    while turn_over and compiled.pass_on(game.rules, after):
        seat = int(after[compiled.SEAT])
        found.append(Happening("rest", seat, rests=int(after[compiled.RESTS + seat])))
    if after[compiled.WAITS] == compiled.OVER:
        found.append(Happening("over", 0))
    return found


def _place(words: NDArray[np.int64], seat: int) -> str:
    return SPOT_NAMES[int(words[compiled.SPOT + seat])]


def _crossing(before: NDArray[np.int64], after: NDArray[np.int64], outcome: int) -> list[Happening]:
    seat, face = int(before[compiled.SEAT]), outcome - compiled.FACES + 1
    start, end = _place(before, seat), _place(after, seat)
    what = "failed" if start == f"{end}c" else "crossed"
    return [Happening(what, seat, start=start, end=end, number=face), *_rests_owed(before, after, seat)]


def _advance(game: Tokaido, before: NDArray[np.int64], after: NDArray[np.int64], action: int) -> list[Happening]:
    seat, number = int(before[compiled.SEAT]), NUMBERS[action]
    start = _place(before, seat)
    landing = game.walker.landing(start, number)
    stopped = landing.event != compiled.ARRIVE and landing.used < number
    found = [
        Happening(
            "move", seat, start=start, end=landing.stop, number=number, stopped=stopped, bounced=landing.bounced
        )
    ]  # fmt: skip
    if landing.event == compiled.ARRIVE:
        return [*found, Happening("arrived", seat, place=HOME - int(after[compiled.SPOT + seat]) + 1)]
    event = _event(game, landing)
    if event is not None:
        found.append(Happening("event", seat, end=landing.stop, kind=event.kind))
    return [*found, *_carried(before, after, landing), *_rests_owed(before, after, seat), *_next(game, after, seat)]


def _event(game: Tokaido, landing: Landing) -> Event | None:
    silent = landing.bounced and not game.options["bounce_events"]
    return None if silent or not landing.stop.isdigit() else ROAD.events.get(int(landing.stop))


def _in_turn_order(words: NDArray[np.int64], first: int) -> list[int]:
    seats = [seat for seat in range(compiled.RESTS) if words[compiled.SPOT + seat]]
    return [seat for seat in seats if seat >= first] + [seat for seat in seats if seat < first]


def _carried(before: NDArray[np.int64], after: NDArray[np.int64], landing: Landing) -> list[Happening]:
    """Return who is somewhere else than the dice put it."""
    found, mover = [], int(before[compiled.SEAT])
    for seat in _in_turn_order(before, mover):
        start, end = landing.stop if seat == mover else _place(before, seat), _place(after, seat)
        if seat == mover and landing.spot not in (start, end):  # first by the event itself, then by a swap
            found.append(Happening("carried", seat, start=start, end=landing.spot))
            start = landing.spot
        if start != end:
            found.append(Happening("carried", seat, start=start, end=end))
    return found


def _rests_owed(before: NDArray[np.int64], after: NDArray[np.int64], mover: int) -> list[Happening]:
    more = (after - before)[compiled.RESTS :]
    return [
        Happening("owes", seat, rests=int(more[seat]))
        for seat in _in_turn_order(before, mover)
        if more[seat] > 0 and before[compiled.SPOT + seat] <= LAST
    ]


def _next(game: Tokaido, after: NDArray[np.int64], seat: int) -> list[Happening]:
    """Return what the mover has still to do in this turn."""
    found = []
    waits = after[compiled.WAITS]
    if waits in (compiled.ROAD, compiled.DICE) and compiled.to_move(game.rules, after) == seat:
        found.append(Happening("choose", seat, end=_place(after, seat)))
    if waits == compiled.DICE:
        found.append(Happening("again", seat))
    return found
