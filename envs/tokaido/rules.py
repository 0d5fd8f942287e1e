"""Tokaido sugoroku: the `Game` and its `State`. Rules: ``docs/rules/tokaido.md``."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core import Game, Preview, State, name_of
from ..errors import IllegalActionError
from ..kernels import Kernels
from ..options import Option
from . import drawing, journal, notation, observation, positions
from . import kernels as compiled
from .previews import preview
from .tables import LAST, SPOT_NAMES, Walker, rules_vector

PLIES_PER_TURN = 9
"""Most plies of one turn: on this road an extra go never leads to another (a test counts)."""

OPTIONS = (
    Option("players", 2, "seats at the table", minimum=2, maximum=6),
    Option("forks", "three", "forks that divide the road: three, or only Miya", choices=("three", "miya")),
    Option("goal", "exact", "Kyoto needs the exact number, or takes whatever leads over it", choices=("exact", "over")),
    Option("bounce_events", True, "events happen after bouncing back from Kyoto too", choices=(True, False)),
    Option("rests_add_up", True, "rests owed add up; else one at most", choices=(True, False)),
    Option(
        "detour_rejoins",
        "next_station",
        "where a detour ends: the station after the fork, or the one that the crossing leads to",
        choices=("next_station", "shortcut_target"),
    ),
    Option(
        "after_crossing",
        "roll",
        "after a crossing the turn goes on with two dice, or ends",
        choices=("roll", "end_turn"),
    ),
    Option(
        "rechoice",
        "same_turn",
        "after choosing a road at the start of a turn that turn goes on, or is used up",
        choices=("same_turn", "uses_turn"),
    ),
    Option(
        "finish", "all_places", "play until one is left, or until the first arrives", choices=("all_places", "first")
    ),
    Option("allow_resign", False, "a seat may resign at its own decisions", choices=(False, True)),
    Option(
        "max_turns", None, "turns of all seats together after which places count as they stand", minimum=1,
        allow_none=True,
    ),
)  # fmt: skip


KERNELS = Kernels(
    compiled.reset, compiled.to_move, compiled.legal, compiled.chance, compiled.sample, compiled.apply,
    compiled.returns, compiled.capped, compiled.hash, observation.observe,
)  # fmt: skip
"""The contract of the game."""


class Tokaido(Game):
    """Walk from Nihonbashi to Kyoto by one of two dice, choosing the road at the forks.

    Actions: ``0..5`` advance by 1..6; ``6, 7, 8`` by 8, 10, 12; ``9`` crossing; ``10`` detour; ``11`` resign.
    Outcomes: ``0..20`` the rolls of two dice in lexicographic order, smaller first; ``21..26`` the crossing die.

    Args:
        options: see `OPTIONS`.
    """

    name = "tokaido"
    title = "Tokaido sugoroku"
    move_notation = (
        "A number, as 5, is the die by which you go; crossing or detour is the road that you take from a fork. Throws "
        "stand in brackets: [2-5] two dice, [3] the die of a crossing."
    )
    OPTIONS = OPTIONS
    kernels = KERNELS
    num_actions = compiled.NUM_ACTIONS
    max_chance_outcomes = compiled.FACES
    state_size = compiled.STATE_SIZE
    observation_parts = observation.parts()
    environment_options: ClassVar = {"max_turns": 1000}

    def __init__(self, /, **options: Any) -> None:
        super().__init__(**options)
        self.num_players = self.options["players"]
        cap = self.options["max_turns"]
        self.max_game_length = None if cap is None else PLIES_PER_TURN * cap
        self.rules = rules_vector(self.options)
        self.walker = Walker(self.options)

    def new_initial_state(self) -> TokaidoState:
        """Return the start: all pieces on Nihonbashi, seat 0 about to throw."""
        words = np.zeros(self.state_size, dtype=np.int64)
        self.kernels.reset(self.rules, words)
        return TokaidoState(self, words)

    def from_text(self, text: str) -> TokaidoState:
        """Read ``pieces in seat order / seat to move / what is pending``, under a cap also ``/ turns taken so far``.

        Without the last field the cap counts from here.

        Raises:
            PositionError: if it is malformed or the rules can never reach it; the message says which.
        """
        position = notation.read_position(text, self.num_players)
        positions.check_position(position, self.options)
        words = np.zeros(self.state_size, dtype=np.int64)
        words[compiled.SPOT :][: self.num_players] = position.spots
        words[compiled.RESTS :][: self.num_players] = position.rests
        words[compiled.SEAT], words[compiled.WAITS] = position.seat, position.pending
        words[compiled.TURNS] = positions.turns_taken(position, self.options)
        return TokaidoState(self, words)


class TokaidoState(State):
    """A position of Tokaido sugoroku with the plies that led to it."""

    game: Tokaido

    @property
    def spots(self) -> list[int]:
        """Spot of each seat's piece, an index of `tables.SPOT_NAMES`; it grows along the journey."""
        spots: list[int] = self.words[compiled.SPOT :][: self.game.num_players].tolist()
        return spots

    @property
    def rests(self) -> list[int]:
        """Rests that each seat owes."""
        rests: list[int] = self.words[compiled.RESTS :][: self.game.num_players].tolist()
        return rests

    @property
    def places(self) -> list[str]:
        """Where each piece is, as a position's text says it, without rests."""
        return [SPOT_NAMES[spot] for spot in self.spots]

    @property
    def seat(self) -> int:
        """The seat whose turn it is, also at a chance node; 0 when the game is over."""
        return int(self.words[compiled.SEAT])

    @property
    def pending(self) -> str:
        """What the position waits for: ``turn``, ``road``, ``cross``, ``dice``, ``over`` or a roll as ``[2-5]``."""
        return notation.PENDING_NAMES[int(self.words[compiled.WAITS])]

    @property
    def turns(self) -> int:
        """Turns of all seats so far where ``max_turns`` caps them, else 0."""
        return int(self.words[compiled.TURNS])

    def end_reason(self) -> str | None:
        """Return ``goal``, ``resigned`` (nobody did arrive) or ``max_turns``; None while the game goes on."""
        if not self.is_terminal():
            return None
        if not positions.is_over(tuple(self.spots), self.game.options):
            return "max_turns"
        return "goal" if max(self.spots) > LAST else "resigned"

    def action_to_string(self, action: int) -> str:
        """Return a move such as ``5`` or ``crossing``; at a chance node a throw such as ``[2-5]`` or ``[3]``."""
        return name_of(action, notation.OUTCOME_NAMES if self.is_chance_node() else notation.ACTION_NAMES)

    def string_to_action(self, text: str) -> int:
        """Return the legal action or possible outcome that `text` names; see `State.string_to_action`."""
        if self.is_chance_node():
            if not notation.is_outcome(text):
                notation.action_number(text)  # what is no notation at all is refused as that
                raise IllegalActionError(f"{text.strip()}: {self._expected()}")
            outcome = notation.outcome_number(text)
            if outcome not in [number for number, _ in self.chance_outcomes()]:
                raise IllegalActionError(f"{text.strip()}: {self._expected()}")
            return outcome
        if notation.is_outcome(text):
            raise IllegalActionError(f"{text.strip()}: {self._expected()}")
        action = notation.action_number(text)
        if not self._legal()[action]:
            raise IllegalActionError(f"{text.strip()}: {self.explain_illegal(action)}")
        return action

    def _expected(self) -> str:
        """Return in words what is due here."""
        if self.is_terminal():
            return f"the game is over ({self.end_reason()})"
        who = f"seat {self.seat + 1}"
        if not self.is_chance_node():
            return f"{who} chooses: {', '.join(map(self.action_to_string, self.legal_actions()))}"
        if self.places[self.seat].endswith("c"):
            return f"{who} throws the crossing die, written as [3]"
        return f"{who} throws two dice, written as [2-5]"

    def explain_illegal(self, action: int) -> str:
        """Return in words why a well-formed action is not legal here."""
        if self.is_terminal() or self.is_chance_node():
            return self._expected()
        if action == compiled.RESIGN:
            return "resigning is not allowed under these rules (allow_resign)"
        if action in (compiled.CROSSING, compiled.DETOUR):
            return f"no road is to be chosen now; {self._expected()}"
        if self.pending.startswith("["):
            return f"the dice show {self.pending}; {self._expected()}"
        return f"a road is to be chosen first; {self._expected()}"

    def to_text(self) -> str:
        """Return ``pieces in seat order / seat to move / what is pending``, under a cap also ``/ turns so far``."""
        waits, turns = int(self.words[compiled.WAITS]), self.turns if self.game.options["max_turns"] else None
        return notation.write_position(notation.Position(tuple(self.spots), tuple(self.rests), self.seat, waits, turns))

    def preview(self, action: int) -> Preview:
        """Return where an action or an outcome leads and what happens there, to everybody.

        The data has ``move`` (notation), ``seat`` (from 0), ``happenings`` (see `happenings.Happening`), ``position``
        (text) and ``end`` (the reason if it ends the game, else None). Before a throw of two dice is chosen from,
        ``numbers`` has the same for each of its numbers.
        """
        return preview(self, action)

    def journal_text(self) -> str:
        """Return the travel journal in English; see `journal.journal_text` for other languages."""
        return journal.journal_text(self)

    def draw(self, columns: int = 100) -> str:
        """Return the road as text for a terminal of so many columns."""
        return drawing.draw_text(self, columns)

    def draw_briefly(self, columns: int = 100) -> str:
        """Return the part of the road on which the pieces travel, without the legends."""
        return drawing.draw_text(self, columns, brief=True)

    def draw_svg(self) -> str:
        """Return the road as an SVG document."""
        return drawing.draw_svg(self)

    def draw_pixels(self, width: int = 1200) -> NDArray[np.uint8]:
        """Return the drawing as pixels, see `State.draw_pixels`; in Latin letters where no Japanese font is found."""
        from ..pixels import rasterise  # few callers want pictures, and none of the others should wait for it
        from .romaji import has_japanese_font, romaji_only

        document = self.draw_svg()
        return rasterise(document if has_japanese_font() else romaji_only(document), width)
