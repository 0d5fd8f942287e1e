"""Records of games: one line a turn with its throws and moves, ``rest`` for a turn that was skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import RecordError, SekishoError
from .journal import turns

if TYPE_CHECKING:
    from .rules import Tokaido, TokaidoState


def write_record(state: TokaidoState) -> str:
    """Return the record of a game from the position that it began with; the last turn may be unfinished."""
    return "".join(f"{turn.record}\n" for turn in turns(state))


def read_record(game: Tokaido, text: str, start: str | None = None) -> TokaidoState:
    """Replay a record.

    Args:
        game: the rules it was played by.
        text: one turn a line; empty lines do not count.
        start: text of the position it began with; the start of the game if None.

    Returns:
        The last position, with the history of the game.

    Raises:
        RecordError: naming the line that is malformed, illegal, or not divided into turns as the rules do; also if
            `text` is no text.
        PositionError: if `start` is not a position.
    """
    if not isinstance(text, str):
        raise RecordError(f"a record is a text, not a {type(text).__name__}")
    state = game.new_initial_state() if start is None else game.from_text(start)
    lines = [(number, line.lower().split()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    for number, words in lines:
        for word in words if words != ["rest"] else []:
            try:
                state.apply_action(state.string_to_action(word))
            except SekishoError as error:
                raise RecordError(f"line {number}: {error}") from error
    expected = write_record(state).splitlines()
    for turn, (number, words) in enumerate(lines):
        wanted = expected[turn] if turn < len(expected) else "the end"
        if wanted.split() != words:
            raise RecordError(f"line {number}: turn {turn + 1} is {wanted!r}, not {' '.join(words)!r}")
    if len(expected) > len(lines):
        raise RecordError(f"turn {len(lines) + 1} is missing: {expected[len(lines)]!r}")
    return state
