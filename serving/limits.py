"""What follows ``go``: how long to think."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..envs.errors import OptionError, nearest, shown

MOST = 10**12
"""Largest number that a limit may have."""
_TIMES = {"wtime": "p1time", "btime": "p2time", "winc": "p1inc", "binc": "p2inc"}
_LEAST = {"movetime": 0, "nodes": 1, "depth": 1, "movestogo": 1}
_MOVES_TO_GO = 30
_OVERHEAD = 0.02
"""Seconds of a move that are not for thinking: the answer has to be found, written and read."""


@dataclass(frozen=True)
class GoLimits:
    """How long to think about a move; what comes first ends it. Without any limit the agent's own hold.

    Attributes:
        seconds: for the move.
        nodes: simulations, or nodes, whichever the agent counts.
        depth: plies.
        infinite: think until told to stop.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    infinite: bool = False


def read_limits(words: Sequence[str], seat: int, players: int) -> GoLimits:
    """Read the words behind ``go``.

    Args:
        words: such as ``movetime 500``, or a clock: ``p1time 60000 p2time 60000 p1inc 1000`` (milliseconds).
        seat: to move, from 0; its clock counts.
        players: at the table.

    Raises:
        OptionError: for a word that is no limit, one given twice, one whose value is missing or no number or less than
            makes sense, or a clock that is not that of the seat to move.
    """
    clocks = [f"p{player}{kind}" for player in range(1, players + 1) for kind in ("time", "inc")]
    known = ("movetime", "nodes", "depth", "movestogo", *clocks)
    found: dict[str, int] = {}
    infinite, at = False, 0
    while at < len(words):
        name = _TIMES.get(words[at], words[at])
        at += 1
        if name == "infinite":
            infinite = True
            continue
        if name not in known:
            raise OptionError(f"go has no limit {shown(name)}; {nearest(name, [*known, 'infinite'])}")
        if name in found:
            raise OptionError(f"go: {name} is given twice")
        found[name] = _number(name, words[at] if at < len(words) else "")
        at += 1
    seconds, own = [found["movetime"] / 1000] if "movetime" in found else [], f"p{seat + 1}time"
    if own in found:
        seconds.append(_share(found, seat))
    elif of_clocks := [name for name in (*clocks, "movestogo") if name in found]:
        raise OptionError(f"go: it is seat {seat + 1}'s turn, and {of_clocks[0]} says nothing without {own}")
    limits = {name: found[name] for name in ("nodes", "depth") if name in found}
    if infinite and (seconds or limits):
        raise OptionError("go infinite has no other limits")
    return GoLimits(max(min(seconds) - _OVERHEAD, 0.001) if seconds else None, **limits, infinite=infinite)


def _share(found: dict[str, int], seat: int) -> float:
    """Return the seconds for a move of what is left on a seat's clock: an equal share, and most of the increment."""
    left, gain = found[f"p{seat + 1}time"] / 1000, found.get(f"p{seat + 1}inc", 0) / 1000
    share = left / (found.get("movestogo", _MOVES_TO_GO) + 1) + 0.8 * gain
    return max(min(share, left / 2), 0.0)


def _number(name: str, word: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,12}", word, re.ASCII):
        raise OptionError(f"go: {name} wants a whole number up to {MOST - 1}, not {shown(word)}")
    number, least = int(word), _LEAST.get(name)
    if least is not None and number < least:
        raise OptionError(f"go: {name} is {least} or more, not {number}")
    return max(number, 0)  # clocks that have run out are below 0
