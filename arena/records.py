"""Records of games: one JSON line each, from which a game can be replayed and checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from ..envs.core import State
from ..envs.errors import RecordError, SekishoError
from ..envs.registry import load_game
from .places import FORFEIT, Forfeit, forfeit_returns
from .reading import json_values

RECORD_FORMAT = 1


@dataclass(frozen=True)
class GameRecord:
    """One finished game.

    Attributes:
        game: name of the game.
        rules: all rule options.
        agents: spec string of each seat's player, in seat order.
        seed: seed of the run that the game belongs to.
        table: which pairing (or table, with more seats) of the run.
        round: which opening of that table; games of one round share opening and dice, with the seats exchanged.
        opening: how many of the moves were random before the players took over.
        moves: everything played, throws of dice included, in notation.
        returns: what each seat was paid, in seat order.
        end: why the game was over, in the words of the game, or `FORFEIT`.
        format: version of this form.
        forfeit: the seat that lost by a failure of its program, and the reason; only such records have it in JSON.
    """

    game: str
    rules: Mapping[str, Any]
    agents: tuple[str, ...]
    seed: int
    table: int
    round: int
    opening: int
    moves: tuple[str, ...]
    returns: tuple[float, ...]
    end: str
    format: int = RECORD_FORMAT
    forfeit: Forfeit | None = None

    def to_json(self) -> str:
        """Return the record as one line of JSON, without the line's end."""
        data = asdict(self)
        if self.forfeit is None:
            del data["forfeit"]
        return json.dumps(data, ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> Self:
        """Read one line of JSON.

        Raises:
            RecordError: if it is not a record of this format; what is missing or wrong is named.
        """
        data = json_values(line)
        names = {field.name for field in fields(cls)} - {"forfeit"}
        if not isinstance(data, dict) or set(data) - {"forfeit"} != names:
            raise RecordError(f"a record has the keys {', '.join(sorted(names))}; got {_keys(data)}")
        if type(data["format"]) is not int or data["format"] != RECORD_FORMAT:
            raise RecordError(f"expected format {RECORD_FORMAT}, not {data['format']!r:.80}")
        for key, (fits, expected) in _FORMS.items():
            if key in data and not fits(data[key]):
                raise RecordError(f"{key!r} must be {expected}, not {data[key]!r:.80}")
        for key in ("agents", "moves", "returns"):
            data[key] = tuple(data[key])
        if data["opening"] > len(data["moves"]):
            raise RecordError(f"'opening' counts {data['opening']} of {len(data['moves'])} moves")
        if len(data["returns"]) != len(data["agents"]):
            raise RecordError(f"{len(data['agents'])} 'agents' but {len(data['returns'])} 'returns'")
        if "forfeit" in data:
            data["forfeit"] = Forfeit(**data["forfeit"])
        return cls(**data)

    def replay(self) -> State:
        """Play the record through the rules and return its last position; after a forfeit the game goes on there.

        Raises:
            RecordError: if a move is illegal where it stands or the result is not what the rules say; the place is
                named.
        """
        try:
            state = load_game(self.game, **self.rules).new_initial_state()
        except (SekishoError, TypeError) as error:
            raise RecordError(f"the record's game: {error}") from error
        for number, move in enumerate(self.moves, start=1):
            try:
                state.apply_action(state.string_to_action(move))
            except SekishoError as error:
                raise RecordError(f"move {number}, {move!r}: {error}") from error
        seats = state.game.num_players
        expected = (tuple(state.returns()), state.end_reason(), seats)
        if self.forfeit is not None:
            if state.is_terminal() or self.forfeit.seat >= seats:
                raise RecordError(f"seat {self.forfeit.seat + 1} of {seats} cannot forfeit where the moves end")
            expected = (tuple(forfeit_returns(seats, self.forfeit.seat)), FORFEIT, seats)
        if (self.returns, self.end, len(self.agents)) != expected:
            over = state.is_terminal()
            truth = f"the moves end in {expected[0]} ({expected[1]})" if over else "the moves do not end the game"
            raise RecordError(
                f"{truth} for {expected[2]} seats, but the record says {self.returns} ({self.end}) for {len(self.agents)}"
            )
        return state


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9


def _is_forfeit(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"seat", "reason"}
        and _is_count(value["seat"])
        and _is_text(value["reason"])
    )


def _list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


_FORMS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "game": (_is_text, "a name"),
    "rules": (lambda value: isinstance(value, dict), "a mapping"),
    "agents": (_list_of(_is_text), "a list of texts"),
    "seed": (_is_count, "a whole number, 0 or more"),
    "table": (_is_count, "a whole number, 0 or more"),
    "round": (_is_count, "a whole number, 0 or more"),
    "opening": (_is_count, "a whole number, 0 or more"),
    "moves": (_list_of(_is_text), "a list of texts"),
    "returns": (_list_of(_is_number), "a list of numbers"),
    "end": (_is_text, "a text"),
    "forfeit": (_is_forfeit, "a seat (from 0) and a reason"),
}
"""What each field of a record is in JSON, with words for it."""


def _keys(data: Any) -> str:
    return ", ".join(sorted(map(str, data))) if isinstance(data, dict) else repr(data)[:80]


def read_records(path: str | Path) -> Iterator[GameRecord]:
    """Yield the records of a file, one a line.

    Raises:
        RecordError: if the file cannot be read, or naming the line that is no record.
    """
    path = Path(path)
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield GameRecord.from_json(line)
                except RecordError as error:
                    raise RecordError(f"{path}, line {number}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"cannot read {path}: {error}") from error
