"""The travel journal of a game: turn by turn who went where, with which throw, and what happened to whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .happenings import Happening, happenings
from .phrases import LANGUAGES, check_language, tell

if TYPE_CHECKING:
    from .rules import TokaidoState

    _Ply = tuple[TokaidoState, int, TokaidoState]


@dataclass(frozen=True)
class Turn:
    """One turn of a game; the last may still go on.

    Attributes:
        seat: whose, from 0.
        moves: its throws and moves in notation; none for a turn that was skipped.
        happenings: what happened, in order.
    """

    seat: int
    moves: tuple[str, ...]
    happenings: tuple[Happening, ...]

    @property
    def record(self) -> str:
        """The line of the turn in a record, ``rest`` if it was skipped."""
        return " ".join(self.moves) if self.moves else "rest"

    def data(self) -> dict[str, Any]:
        """Return the turn as JSON values: ``seat``, ``record``, ``happenings``, and the text in each language."""
        texts = {language: tell(self.happenings, language) for language in LANGUAGES}
        told = [happening.data() for happening in self.happenings]
        return {"seat": self.seat, "record": self.record, "happenings": told, "text": texts}


def turns(state: TokaidoState) -> list[Turn]:
    """Return the turns from the position that `state` began with to where it stands."""
    return _divided([*_plies_back(state)][::-1])


def last_turn(state: TokaidoState) -> Turn | None:
    """Return the last turn in which anything happened, the present one included; None at the start."""
    plies = []
    for before, action, after in _plies_back(state):
        plies.append((before, action, after))
        if before.pending == "turn":
            told = [turn for turn in _divided(plies[::-1]) if turn.moves and turn.happenings]
            if told:
                return told[-1]
    return next((turn for turn in _divided(plies[::-1]) if turn.happenings), None)


def _divided(plies: list[_Ply]) -> list[Turn]:
    """Return the turns that plies make up, in order."""
    found: list[Turn] = []
    moves: list[str] = []
    happened: list[Happening] = []
    for before, action, after in plies:
        moves.append(before.action_to_string(action))
        told = happenings(before, action)
        rests = [happening for happening in told if happening.what == "rest"]
        happened += [happening for happening in told if happening.what != "rest"]
        if after.pending not in ("turn", "over"):
            continue
        ending = [happened.pop()] if after.is_terminal() and rests else []  # a cap was reached by the last rest
        found.append(Turn(before.seat, tuple(moves), tuple(happened)))
        found += [Turn(rest.seat, (), (rest,)) for rest in rests]
        if ending:
            found[-1] = Turn(found[-1].seat, (), (*found[-1].happenings, *ending))
        moves, happened = [], []
    if moves:
        found.append(Turn(plies[-1][0].seat, tuple(moves), tuple(happened)))
    return found


def _plies_back(state: TokaidoState) -> Iterator[_Ply]:
    """Yield every ply, the last first, as the state before it, the action, and the state after it."""
    after = state
    for action in reversed(state.history()):
        before = after.clone()
        before.undo_action()
        yield before, action, after
        after = before


def journal(state: TokaidoState) -> list[dict[str, Any]]:
    """Return the travel journal as JSON values, see `Turn.data`."""
    return [turn.data() for turn in turns(state)]


def journal_text(state: TokaidoState, language: str = "en") -> str:
    """Return the travel journal as text, one numbered line a turn.

    Args:
        state: a game at any point.
        language: ``en`` or ``ja``.

    Raises:
        UnknownNameError: for another one.
    """
    check_language(language)
    lines = []
    for number, turn in enumerate(turns(state), start=1):
        throws = " ".join(move for move in turn.moves if move.startswith("["))
        told = tell(turn.happenings, language)
        lines.append(f"{number:>3}. " + " ".join(filter(None, (throws, told))))
    return "\n".join(lines)
