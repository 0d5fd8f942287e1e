"""The exceptions of the package; every message says what was expected, what came and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SekishoError(Exception):
    """Base of all errors that this package raises on purpose."""


class UnknownNameError(SekishoError, LookupError):
    """A game, agent, option or converter of that name does not exist."""


class OptionError(SekishoError, ValueError):
    """An option has a value that it cannot take, or options contradict each other."""


class NotationError(SekishoError, ValueError):
    """A move, a square or a list of moves is not written in the notation of the game."""


class PositionError(SekishoError, ValueError):
    """A position is malformed, or the rules can never reach it."""


class IllegalActionError(SekishoError, ValueError):
    """An action or a move is well formed but not legal here."""


class EpisodeError(SekishoError, RuntimeError):
    """An environment was stepped before its game had begun, or after it had ended."""


class RecordError(SekishoError, ValueError):
    """A record of a game is malformed or contradicts the rules."""


class AgentError(SekishoError, RuntimeError):
    """An agent cannot play what it was asked to play, or answered with nonsense."""


class RatingError(SekishoError, ValueError):
    """A set of game results cannot be rated."""


class TableError(SekishoError, ValueError):
    """A table of values is damaged, unfinished, or made for another game, other rules or another version."""


class NetworkError(SekishoError, ValueError):
    """A file of a network is damaged or something else, or its network is for another game or another observation."""


class CheckpointError(SekishoError, ValueError):
    """A checkpoint of a training run, or a file that belongs to it, is damaged, something else, or of another run."""


class RunError(SekishoError, RuntimeError):
    """A run was asked for properly and failed on the way (a dead worker, a full disk)."""


class EngineFault(RunError):  # noqa: N818  the fault is the program's, not ours
    """Another program that plays a seat has failed; in a match it loses the game.

    Attributes:
        kind: what it did: one of `KINDS`.
        reason: the kind, with what is known about it.
    """

    KINDS = ("handshake", "crashed", "hung", "overstepped", "illegal move")

    def __init__(self, engine: str, kind: str, detail: str) -> None:
        super().__init__(engine, kind, detail)
        self.kind = kind
        self.reason = f"{kind}: {detail}"

    def __str__(self) -> str:
        return f"engine {shown(self.args[0])}: {self.reason}"


def shown(value: object) -> str:
    """Return a foreign value for a message, however long or broken its own text is."""
    try:
        text = repr(value)
    except Exception:  # a number of ten thousand digits, a list that nests too deep
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown name: the nearest known one, and the list of all.

    Args:
        name: what was asked for.
        known: the names that exist.

    Returns:
        A phrase such as ``did you mean 'quoridor'? (known: quoridor, tokaido)``, or ``known: quoridor, tokaido``.
    """
    names = sorted(known)
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    listing = f"known: {', '.join(names)}" if names else "none are known"
    return f"did you mean {close[0]!r}? ({listing})" if close else listing
