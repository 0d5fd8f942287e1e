"""Picture sugoroku: the `Game` and its `State`. Rules: ``docs/rules/picture_sugoroku.md``."""

from __future__ import annotations

import copy
import functools
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import Game, Preview, State, name_of
from ..errors import IllegalActionError, OptionError
from ..kernels import Kernels
from ..options import Option
from . import drawing, journal, notation, observation, picture, positions, previews
from . import kernels as compiled
from .board_option import BoardOption
from .boards import SHIPPED, load_board
from .walks import MAX_EXTRA_ROLLS, Places, Table, Walk, places, trap, walk_table

OPTIONS = (
    Option("players", 2, "seats at the table", choices=(2, 3, 4, 5, 6)),
    BoardOption("board", SHIPPED[0], "the path and what its squares say", choices=SHIPPED),
    Option("chain", True, "follow the instruction of a square that an instruction leads to", choices=(True, False)),
    Option("goal", "over", "a roll too many at the goal: arrive, or go back by the excess", choices=("over", "exact")),
    Option("finish", "first", "play to the first arrival, or until one is left", choices=("first", "all_places")),
    Option("allow_resign", False, "whether a seat may resign instead of rolling", choices=(True, False)),
)


KERNELS = Kernels(
    compiled.reset, compiled.to_move, compiled.legal, compiled.chance, compiled.sample, compiled.apply,
    compiled.returns, compiled.capped, compiled.hash, observation.observe,
)  # fmt: skip
"""The contract of the game."""


class PictureSugoroku(Game):
    """Roll, go forward, do what the square says; the first at the goal wins.

    Actions: ``0`` roll, ``1`` resign. Outcome ``k`` of the die is ``k + 1`` pips.

    Args:
        options: ``players``, ``board``, ``chain``, ``goal``, ``finish``, ``allow_resign``; see `OPTIONS`.

    Attributes:
        board: the board that is played on.
        walks: where each roll leads, ``walks[square][pips - 1]``.

    Raises:
        OptionError: also for a board with a square from which nobody could ever finish.
    """

    name = "picture_sugoroku"
    title = "Picture sugoroku"
    move_notation = "roll throws the die, and your piece goes as far. A throw stands in brackets, as [4]."
    OPTIONS = OPTIONS
    kernels = KERNELS
    num_actions = compiled.NUM_ACTIONS
    max_chance_outcomes = compiled.NUM_FACES
    state_size = compiled.STATE_SIZE
    observation_parts = observation.parts()

    def __init__(self, /, **options: Any) -> None:
        super().__init__(**options)
        self.num_players = self.options["players"]
        self.board = load_board(self.options["board"])
        self.walks: Table = walk_table(self.board, chain=self.options["chain"], goal=self.options["goal"])
        self._refuse_a_trap()
        self.rules = self._rules_vector()

    def _refuse_a_trap(self) -> None:
        square = trap(self.walks)
        if square is not None:
            raise OptionError(
                f"board {self.board.id!r} might never be finished: a piece can come to square {square}, and from there "
                f"no rolls lead to the goal under chain={self.options['chain']} and goal={self.options['goal']!r}; "
                f"change what the squares after {square} say, or these options"
            )

    def _rules_vector(self) -> NDArray[np.int64]:
        vector = np.zeros(compiled.LANDINGS + compiled.NUM_FACES * self.board.goal, dtype=np.int64)
        vector[compiled.PLAYERS] = self.num_players
        vector[compiled.GOAL] = self.board.goal
        vector[compiled.FIRST_ENDS] = self.options["finish"] == "first"
        vector[compiled.MAY_RESIGN] = self.options["allow_resign"]
        vector[compiled.MAX_EXTRA] = MAX_EXTRA_ROLLS
        vector[compiled.CHAIN] = self.options["chain"]
        vector[compiled.EXACT] = self.options["goal"] == "exact"
        vector[compiled.LANDINGS :] = [
            walk.square << 2 | (compiled.AGAIN if walk.again else walk.rests) for row in self.walks for walk in row
        ]
        return vector

    @functools.cached_property
    def places(self) -> Places:
        """Where a piece can come to be."""
        return places(self.walks)

    def new_initial_state(self) -> PictureState:
        """Return the start position."""
        words = np.zeros(self.state_size, dtype=np.int64)
        self.kernels.reset(self.rules, words)
        return PictureState(self, words)

    def from_text(self, text: str) -> PictureState:
        """Read ``pieces / seat to move / what is pending``, such as ``12+1 0 49#1 / 2 / turn``.

        Raises:
            PositionError: if it is malformed or the rules can never reach it; the message says which. Each piece is
                looked at by itself: whether all of them can be where they are after the same number of turns is not.
        """
        position = notation.read_position(text, self.num_players)
        positions.check(self, position)
        return PictureState(self, positions.to_words(self, position))

    def __hash__(self) -> int:
        return hash((self.name, json.dumps(dict(self.options), sort_keys=True)))  # a board may be a dict


class PictureState(State):
    """A position of picture sugoroku with the moves that led to it."""

    game: PictureSugoroku

    @property
    def squares(self) -> list[int | None]:
        """Square of each seat's piece, in seat order; None where the seat has resigned."""
        return [None if piece.resigned else piece.square for piece in self.position().pieces]

    @property
    def rests(self) -> list[int]:
        """Turns that each seat owes, in seat order."""
        return [piece.rests for piece in self.position().pieces]

    @property
    def arrivals(self) -> list[int]:
        """The seats that have arrived, in the order of their arrival."""
        pieces = self.position().pieces
        return sorted((seat for seat, piece in enumerate(pieces) if piece.place), key=lambda seat: pieces[seat].place)

    @property
    def resigned(self) -> list[int]:
        """The seats that have resigned, in seat order."""
        return [seat for seat, piece in enumerate(self.position().pieces) if piece.resigned]

    @property
    def seat(self) -> int:
        """The seat whose turn it is, also while its die falls; 0 when the game is over."""
        return int(self.words[compiled.SEAT])

    @property
    def extra_rolls(self) -> int:
        """Extra rolls that the seat has been granted in its turn."""
        return int(self.words[compiled.EXTRA])

    def position(self) -> notation.Position:
        """Return the fields of the position."""
        return positions.from_words(self.game, self.words)

    def ranks(self) -> list[float]:
        """Return the rank of each seat as things stand, 1 the best, in seat order; equal seats share the average."""
        standings = [int(compiled.standing(self.game.rules, self.words, s)) for s in range(self.game.num_players)]
        return [1 + sum(other > own for other in standings) + (standings.count(own) - 1) / 2 for own in standings]

    def walk(self, outcome: int) -> Walk:
        """Return where an outcome of the die (0 to 5) leads the piece of the seat whose turn it is."""
        return self.game.walks[int(self.words[compiled.SQUARE + self.seat])][outcome]

    def end_reason(self) -> str | None:
        """Return why the game is over, None while it goes on.

        ``goal``: by arrivals, whatever ``finish`` says; ``resigned``: all but one did, and nobody had arrived.
        """
        if not self.is_terminal():
            return None
        return "goal" if self.words[compiled.ARRIVED] else "resigned"

    def action_to_string(self, action: int) -> str:
        """Return ``roll`` or ``resign``; at a chance node ``[1]`` to ``[6]``."""
        return name_of(action, notation.FACES if self.is_chance_node() else notation.MOVES)

    def string_to_action(self, text: str) -> int:
        """Return the legal action that `text` names; see `State.string_to_action`."""
        is_face, number = notation.read_move(text)
        if is_face != self.is_chance_node() or not (is_face or self._legal()[number]):
            word = (notation.FACES if is_face else notation.MOVES)[number]
            raise IllegalActionError(f"{word}: {self._explain(is_face)}")
        return number

    def explain_illegal(self, action: int) -> str:
        """Return in words why a well-formed action is not legal here."""
        return self._explain(is_face=False)

    def _explain(self, is_face: bool) -> str:
        if self.is_terminal():
            return f"the game is over ({self.end_reason()})"
        if is_face:
            return f"no die is falling; seat {self.seat + 1} must say roll first"
        if self.is_chance_node():
            return "the die is falling; expected [1] to [6]"
        return "resigning is not allowed in this game (allow_resign=False)"

    def to_text(self) -> str:
        """Return ``pieces / seat to move / what is pending``."""
        return notation.write_position(self.position())

    def to_dict(self) -> dict[str, Any]:
        """Return the state with its history as JSON values of its own; ``game.from_dict`` reads it back."""
        return copy.deepcopy(super().to_dict())

    def preview(self, action: int) -> Preview:
        """Return what an action does; for ``roll`` what each of the six faces would do; see `previews`."""
        self._checked(action)
        return previews.preview(self, action)

    def journal_text(self) -> str:
        """Return the travel journal in English; see `journal.journal_text` for other languages."""
        return journal.journal_text(self)

    def draw(self, columns: int = 100) -> str:
        """Return the path in characters, with what its squares say and where the pieces stand."""
        return drawing.draw_text(self, columns)

    def draw_briefly(self, columns: int = 100) -> str:
        """Return the path without the legend of its signs."""
        return drawing.draw_text(self, columns, legend=False)

    def draw_svg(self) -> str:
        """Return the board as an SVG document."""
        return picture.draw_svg(self)
