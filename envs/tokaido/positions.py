"""Which positions the rules can reach: the checks of a position that somebody wrote down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import PositionError
from . import kernels as compiled
from .notation import PENDING_NAMES, Position, write_piece
from .tables import HOME, LAST, RESIGNED, SPOT_NAMES, SPOTS, Walker, station_of


def check_position(position: Position, options: Mapping[str, Any]) -> None:
    """Refuse a position that the rules can never reach.

    Args:
        position: with as many pieces as there are players.
        options: all options of the game.

    Raises:
        PositionError: naming the seat and what is impossible.
    """
    walker = Walker(options)
    for seat, (spot, rests) in enumerate(zip(position.spots, position.rests, strict=True)):
        _check_piece(f"seat {seat + 1}, {write_piece(spot, rests)}", SPOT_NAMES[spot], rests, walker)
    _check_arrivals(position.spots, options)
    _check_turns(position, options)
    over = is_over(position.spots, options)
    if position.pending == compiled.OVER:
        if not over and not options["max_turns"]:
            raise PositionError("the game is not over: pieces are still on their way and max_turns sets no cap")
    elif over:
        raise PositionError(f"the game is over, so '- / over' is expected, not {PENDING_NAMES[position.pending]!r}")
    else:
        _check_mover(position, walker)


def is_over(spots: tuple[int, ...], options: Mapping[str, Any]) -> bool:
    """Return whether the pieces stand as at an end of the game that is not brought by a cap on turns."""
    travelling = sum(0 < spot <= LAST for spot in spots)
    return travelling < 2 or (options["finish"] == "first" and HOME in spots)


def turns_taken(position: Position, options: Mapping[str, Any]) -> int:
    """Return the turns taken so far: none where a position does not say, all of them where the cap has ended it."""
    if position.turns is not None:
        return position.turns
    by_cap = position.pending == compiled.OVER and not is_over(position.spots, options)
    return int(options["max_turns"]) if by_cap else 0


def _check_turns(position: Position, options: Mapping[str, Any]) -> None:
    turns, cap = position.turns, options["max_turns"]
    if turns is None:
        return
    if cap is None:
        raise PositionError("turns are counted only where max_turns caps them, so '/ turns taken' must be left out")
    if turns > cap or (turns == cap and position.pending != compiled.OVER):
        raise PositionError(f"the game ends after {cap} turns (max_turns), so {turns} cannot have been taken here")
    if position.pending == compiled.OVER and turns < cap and not is_over(position.spots, options):
        raise PositionError(f"the game is not over: pieces are still on their way after {turns} of {cap} turns")


def _check_piece(who: str, name: str, rests: int, walker: Walker) -> None:
    if name == RESIGNED:
        if not walker.options["allow_resign"]:
            raise PositionError(f"{who}: nobody can resign under these rules (allow_resign)")
    elif SPOTS[name] <= LAST and name not in walker.next and name.removesuffix("c") not in walker.forks:
        forks = ", ".join(walker.forks)
        raise PositionError(f"{who}: the road does not divide at {station_of(name)}; its forks are {forks}")
    if rests and not 0 < SPOTS[name] <= LAST:
        raise PositionError(f"{who}: a piece that is off the road owes no rests")
    if rests and name not in resting_places(walker):
        raise PositionError(f"{who}: {_no_rests_at(name, walker)}")
    if rests > 1 and not walker.options["rests_add_up"]:
        raise PositionError(f"{who}: rests do not add up under these rules, so at most one is owed")


def resting_places(walker: Walker) -> set[str]:
    """Return the names of the spots on which a piece can owe rests.

    They are those where rests are to be had, and those to which others take a piece that owes some: a festival along
    its road, a bandit from the rear to where the mover was left. Both lead forward. By itself it moves nowhere, and it
    chooses no road.
    """
    found = _places_of_rests(walker)
    events = walker.road.events.values()
    has_festival = any(event.kind == "festival" for event in events)
    swaps = {str(event.to) for event in events if event.kind == "bandit"}
    while True:
        more = {walker.along(name) for name in found} if has_festival else set()
        rearmost = min(map(SPOTS.__getitem__, found), default=HOME)
        more |= {place for place in swaps if rearmost < SPOTS[place]}
        if more <= found:
            return found
        found |= more


def _places_of_rests(walker: Walker) -> set[str]:
    """Return the names of the spots on which rests are to be had: barriers, in and beside rain, failed crossings."""
    road = walker.road
    found = {name for name, fork in walker.forks.items() if fork.failure_rests}
    for event in road.events.values():
        reach = {"barrier": 0, "rain": road.rain_reach}.get(event.kind, -1)
        near = map(str, range(max(event.station - reach, 0), min(event.station + reach, road.goal - 1) + 1))
        for name in near:
            found |= {name, f"{name}c", f"{name}d"} if name in walker.forks else {name}
    return found


def _no_rests_at(name: str, walker: Walker) -> str:
    first = min(_places_of_rests(walker), key=SPOTS.__getitem__)
    if SPOTS[name] < SPOTS[first]:
        return f"nobody can owe rests before {first}, the first place where any are to be had"
    return "nobody can owe rests there: none are to be had, and neither a festival nor a bandit takes a resting piece there"


def _check_arrivals(spots: tuple[int, ...], options: Mapping[str, Any]) -> None:
    arrived = sorted(HOME - spot + 1 for spot in spots if spot > LAST)
    if arrived != list(range(1, len(arrived) + 1)):
        raise PositionError(f"the pieces in Kyoto must have the places 1, 2, ... each once, not {arrived}")
    if len(arrived) > 1 and options["finish"] == "first":
        raise PositionError("the first arrival ends the game under these rules, so only one piece can be in Kyoto")
    if not any(0 < spot <= LAST for spot in spots):
        raise PositionError("at least one piece is still on the road: the last one never arrives and never resigns")


def _check_mover(position: Position, walker: Walker) -> None:
    spot, rests = position.spots[position.seat], position.rests[position.seat]
    pending, name = PENDING_NAMES[position.pending], SPOT_NAMES[spot]
    who = f"seat {position.seat + 1}, {write_piece(spot, rests)}, is to move"
    if not 0 < spot <= LAST:
        raise PositionError(f"{who}, but it is off the road")
    if rests:
        raise PositionError(f"{who}, but it owes a rest: its turn would be skipped")
    expected = _places_for(pending, walker)
    if expected is not None and name not in expected:
        raise PositionError(
            f"{who}: {pending!r} can be pending only on {', '.join(sorted(expected, key=SPOT_NAMES.index))}"
        )
    if pending.startswith("[") and (name in walker.forks or name.endswith("c")):
        raise PositionError(f"{who}: two dice are thrown only when a road is chosen and a crossing is done")


def _places_for(pending: str, walker: Walker) -> set[str] | None:
    """Return the names of the spots on which the mover can be, None for all."""
    forks = set(walker.forks)
    targets = {str(e.to) for e in walker.road.events.values() if e.kind == "tailwind"}
    chosen_in_turn = forks if walker.options["rechoice"] == "same_turn" else forks & targets
    if pending == "road":
        return forks
    if pending == "cross":
        return {f"{name}c" for name in chosen_in_turn}
    if pending == "dice":
        again = {str(e.station) for e in walker.road.events.values() if e.kind in ("tororo", "teahouse")}
        crossed = {str(fork.far_side) for fork in walker.forks.values()}
        return (
            again
            | targets
            | {f"{name}d" for name in chosen_in_turn}
            | (crossed if walker.options["after_crossing"] == "roll" else set())
        )
    return None
