"""Quoridor: the `Game` and its `State`. Rules: ``docs/rules/quoridor.md``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import Game, Preview, State, name_of
from ..errors import IllegalActionError, PositionError
from ..kernels import Kernels
from ..observations import total
from ..options import Option
from . import drawing, notation, observation
from . import kernels as compiled

OPTIONS = (
    Option("players", 2, "seats at the table", choices=(2, 4)),
    Option("board_size", 9, "squares on a side", minimum=3, maximum=9),
    Option(
        "fences",
        lambda chosen: 10 if chosen["players"] == 2 else 5,
        "fences of each player; 10 with 2 players, 5 with 4",
        maximum=1000,
    ),
    Option(
        "max_plies",
        lambda chosen: 4 * chosen["board_size"] ** 2,
        "plies after which the game is a draw; four a square",
        minimum=1,
        allow_none=True,
    ),
    Option(
        "third_pawn",
        "blocks",
        "a pawn behind the jumped one: no jump at all, or the diagonals",
        choices=("blocks", "diagonal"),
    ),
    Option("repetition", None, "occurrence of a position that makes a draw", choices=(None, 3)),
)


def start_squares(size: int, players: int) -> list[tuple[int, int]]:
    """Return (file, rank) of the pawns at the start, in seat order: the middle of each side, by rotation."""
    file, rank = (size - 1) // 2, 0
    quarters = []
    for _ in range(4):
        quarters.append((file, rank))
        file, rank = rank, size - 1 - file  # a quarter turn clockwise
    return quarters if players == 4 else quarters[::2]


def is_goal(square: tuple[int, int], seat: int, size: int, players: int) -> bool:
    """Return whether (file, rank) is on the goal line of a seat."""
    file, rank = square
    side = seat if players == 4 else 2 * seat
    return (rank == size - 1, file == size - 1, rank == 0, file == 0)[side]


def rules_vector(options: Mapping[str, Any]) -> NDArray[np.int64]:
    """Return the rules vector of the kernels for a set of options."""
    size, players = options["board_size"], options["players"]
    side = size - 1
    bits: dict[int, int] = {
        compiled.SIZE: size,
        compiled.PLAYERS: players,
        compiled.FENCES: options["fences"],
        compiled.MAX_PLIES: options["max_plies"] or 0,
        compiled.THIRD_PAWN_DIAGONAL: int(options["third_pawn"] == "diagonal"),
    }

    def add_anchor(field: int, file: int, rank: int) -> None:
        bits[field] = bits.get(field, 0) | 1 << (rank * 8 + file)

    def add_square(low_field: int, high_field: int, file: int, rank: int) -> None:
        index = rank * 9 + file
        field = low_field if index < 63 else high_field
        bits[field] = bits.get(field, 0) | 1 << (index if index < 63 else index - 63)

    for anchor in range(side * side):
        rank, file = divmod(anchor, side)
        add_anchor(compiled.ANCHORS, file, rank)
        for field, at_border in (
            (compiled.WEST_ANCHORS, file == 0),
            (compiled.EAST_ANCHORS, file == side - 1),
            (compiled.SOUTH_ANCHORS, rank == 0),
            (compiled.NORTH_ANCHORS, rank == side - 1),
        ):
            if at_border:
                add_anchor(field, file, rank)
        for orientation in range(2):
            bits[compiled.BIT + size * size + orientation * side * side + anchor] = rank * 8 + file
    for square in range(size * size):
        rank, file = divmod(square, size)
        bits[compiled.BIT + square] = rank * 9 + file
        bits[compiled.ACTION + rank * 9 + file] = square
        if rank < size - 1:
            add_square(compiled.NORTH_LOW, compiled.NORTH_HIGH, file, rank)
        if file < size - 1:
            add_square(compiled.EAST_LOW, compiled.EAST_HIGH, file, rank)
        for seat in range(players):
            if is_goal((file, rank), seat, size, players):
                add_square(compiled.GOAL_LOW + seat, compiled.GOAL_HIGH + seat, file, rank)
    for seat, (file, rank) in enumerate(start_squares(size, players)):
        bits[compiled.START + seat] = rank * 9 + file
    vector = np.zeros(compiled.RULES_SIZE, dtype=np.uint64)
    for field, value in bits.items():
        vector[field] = value
    return vector.view(np.int64)


KERNELS = Kernels(
    compiled.reset, compiled.to_move, compiled.legal, compiled.chance, compiled.sample, compiled.apply,
    compiled.returns, compiled.capped, compiled.hash, observation.observe,
)  # fmt: skip
"""The contract of the game."""


class Quoridor(Game):
    """Move the pawn to the far side, or place a fence; nobody may be cut off.

    Actions on a board of n squares a side, with m = n - 1: ``0 .. n*n-1`` pawn to square ``rank*n + file``; then m*m
    horizontal fences by anchor ``rank*m + file``; then m*m vertical ones. A pass is the pawn's own square and legal
    only where nothing else is.

    Args:
        options: ``players``, ``board_size``, ``fences``, ``max_plies``, ``third_pawn``, ``repetition``; see `OPTIONS`.
    """

    name = "quoridor"
    title = "Quoridor"
    move_notation = (
        "c2 is the pawn to c2. A fence, h or v, covers two squares: b2h lies between ranks 2 and 3 over files b and c, "
        "b2v between files b and c along ranks 2 and 3."
    )  # true on every size of board
    OPTIONS = OPTIONS
    kernels = KERNELS
    opening_plies = 4
    ranks_losers = False
    state_size = compiled.STATE_SIZE

    def __init__(self, /, **options: Any) -> None:
        super().__init__(**options)
        self.num_players = self.options["players"]
        self.board_size: int = self.options["board_size"]
        self.num_actions = self.board_size**2 + 2 * (self.board_size - 1) ** 2
        self.max_game_length = self.options["max_plies"]
        self.min_utility = -1.0
        self.max_utility = 1.0
        self.repetition = self.options["repetition"] or 0
        self.rules = rules_vector(self.options)
        self.observation_parts = observation.parts(self.num_players)

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Planes of squares, ``(planes, rank, file)``."""
        return (total(self.observation_parts), self.board_size, self.board_size)

    @functools.cached_property
    def action_views(self) -> NDArray[np.int64]:
        """The action that each seat means by a number on the board turned so that it walks north."""
        views = np.zeros((self.num_players, self.num_actions), dtype=np.int64)
        for seat in range(self.num_players):
            quarters = int(observation.quarters_of(self.rules, seat))
            for action in range(self.num_actions):
                views[seat, observation.turned_action(action, self.board_size, quarters)] = action
        return views

    def new_initial_state(self) -> QuoridorState:
        """Return the start position."""
        return QuoridorState(self, self._empty_words())

    def from_text(self, text: str) -> QuoridorState:
        """Read ``horizontal fences / vertical fences / pawns / fences left / seat to move / ply``.

        Raises:
            PositionError: if it is malformed or the rules can never reach it; the message says which.
        """
        position = notation.read_position(text, self.board_size, self.num_players)
        words = self._empty_words()
        words[compiled.SEAT], words[compiled.PLY] = position.seat, position.ply
        words[compiled.WINNER] = self._checked_winner(position)
        for seat, (file, rank) in enumerate(position.pawns):
            words[compiled.PAWN + seat] = rank * 9 + file
            words[compiled.LEFT + seat] = position.left[seat]
        cap = self.options["max_plies"]
        if cap is not None and position.ply > cap:
            raise PositionError(f"the game ends after {cap} plies, so none has {position.ply}")
        self._place_fences(position, words)
        for seat in range(self.num_players):
            if compiled.distance(self.rules, words, seat) < 0:
                raise PositionError(f"the pawn of seat {seat + 1} has no path to its goal line")
        return QuoridorState(self, words)

    def _empty_words(self) -> NDArray[np.int64]:
        words = np.zeros(self.state_size, dtype=np.int64)
        self.kernels.reset(self.rules, words)
        return words

    def _checked_winner(self, position: notation.Position) -> int:
        """Return the seat that stands on its goal, or -1; refuse pawns that no game can bring there."""
        if len(set(position.pawns)) < self.num_players:
            raise PositionError("two pawns stand on the same square")
        arrived = [
            seat
            for seat, square in enumerate(position.pawns)
            if is_goal(square, seat, self.board_size, self.num_players)
        ]
        if len(arrived) > 1:
            raise PositionError(f"seats {' and '.join(str(s + 1) for s in arrived)} both stand on their goal lines")
        if arrived and position.seat != (arrived[0] + 1) % self.num_players:
            raise PositionError(
                f"seat {arrived[0] + 1} stands on its goal line, so it has just moved and the seat after it is to "
                f"move, not seat {position.seat + 1}"
            )
        return arrived[0] if arrived else -1

    def _place_fences(self, position: notation.Position, words: NDArray[np.int64]) -> None:
        """Put the fences into the state vector one by one, as the rules would; refuse what does not fit."""
        hands, placed = self.options["fences"], len(position.horizontal) + len(position.vertical)
        if any(left > hands for left in position.left):
            raise PositionError(f"nobody has more than {hands} fences in hand, not {max(position.left)}")
        if placed + sum(position.left) != hands * self.num_players:
            raise PositionError(
                f"{placed} fences on the board and {sum(position.left)} in hand do not add up to "
                f"{hands} for each of {self.num_players} players"
            )
        for orientation, anchors in enumerate((position.horizontal, position.vertical)):
            for file, rank in anchors:
                if not int(compiled.fence_candidates(self.rules, words)[orientation]) >> (rank * 8 + file) & 1:
                    name = notation.square_name(file, rank) + "hv"[orientation]
                    raise PositionError(f"the fence {name} overlaps or crosses another")
                compiled.place_fence(words, bool(orientation), rank * 8 + file)


class QuoridorState(State):
    """A position of Quoridor with the moves that led to it."""

    game: Quoridor

    @property
    def pawns(self) -> list[tuple[int, int]]:
        """(file, rank) of each seat's pawn, from 0 at a1."""
        squares = self.words[compiled.PAWN : compiled.PAWN + self.game.num_players].tolist()
        return [(square % 9, square // 9) for square in squares]

    @property
    def fences_left(self) -> list[int]:
        """Fences in hand, in seat order."""
        left: list[int] = self.words[compiled.LEFT : compiled.LEFT + self.game.num_players].tolist()
        return left

    @property
    def horizontal_fences(self) -> list[tuple[int, int]]:
        """(file, rank) of the anchors of all horizontal fences, by rank, then file."""
        return _anchors(self.words[compiled.HORIZONTAL])

    @property
    def vertical_fences(self) -> list[tuple[int, int]]:
        """(file, rank) of the anchors of all vertical fences, by rank, then file."""
        return _anchors(self.words[compiled.VERTICAL])

    @property
    def seat(self) -> int:
        """The seat whose turn it is, or would be if the game were not over."""
        return int(self.words[compiled.SEAT])

    @property
    def ply(self) -> int:
        """Plies played since the start of the game."""
        return int(self.words[compiled.PLY])

    @property
    def winner(self) -> int | None:
        """The seat whose pawn has arrived, or None."""
        winner = int(self.words[compiled.WINNER])
        return winner if winner >= 0 else None

    def distances(self) -> list[int]:
        """Return the fewest steps of each pawn to its goal line, other pawns ignored, in seat order."""
        return [int(compiled.distance(self.game.rules, self.words, s)) for s in range(self.game.num_players)]

    def end_reason(self) -> str | None:
        """Return ``goal``, ``repetition`` or ``max_plies``; None while the game goes on."""
        if self.winner is not None:
            return "goal"
        if self.is_repetition():
            return "repetition"
        return "max_plies" if self.is_terminal() else None

    def action_to_string(self, action: int) -> str:
        """Return ``e2`` for a pawn move, ``e3h`` or ``e3v`` for a fence."""
        return name_of(action, notation.action_names(self.game.board_size))

    def string_to_action(self, text: str) -> int:
        """Return the legal action that `text` names; see `State.string_to_action`."""
        action = notation.action_number(text, self.game.board_size)
        if not self._legal()[action]:
            raise IllegalActionError(f"{self.action_to_string(action)}: {self.explain_illegal(action)}")
        return action

    def explain_illegal(self, action: int) -> str:
        """Return in words why a well-formed action is not legal here."""
        if self.is_terminal():
            return f"the game is over ({self.end_reason()})"
        if self._legal()[action]:
            return "it is legal"
        size = self.game.board_size
        if action < size * size:
            targets = [self.action_to_string(a) for a in self.legal_actions() if a < size * size]
            where = f"it may go to {', '.join(targets)}" if targets else "it cannot move"
            return f"the pawn on {notation.square_name(*self.pawns[self.seat])} cannot go there; {where}"
        if self.fences_left[self.seat] == 0:
            return f"seat {self.seat + 1} has no fences left"
        vertical, anchor = divmod(action - size * size, (size - 1) ** 2)
        bit = anchor // (size - 1) * 8 + anchor % (size - 1)
        if not int(compiled.fence_candidates(self.game.rules, self.words)[vertical]) >> bit & 1:
            return "the fence overlaps or crosses another"
        return f"the fence cuts seat {self._first_cut_off(vertical, bit) + 1} off from its goal line"

    def _first_cut_off(self, orientation: int, bit: int) -> int:
        words = self.words.copy()
        compiled.place_fence(words, bool(orientation), bit)
        seats = range(self.game.num_players)
        return next(seat for seat in seats if compiled.distance(self.game.rules, words, seat) < 0)

    def to_text(self) -> str:
        """Return ``horizontal fences / vertical fences / pawns / fences left / seat to move / ply``."""
        return notation.write_position(
            notation.Position(
                tuple(self.horizontal_fences),
                tuple(self.vertical_fences),
                tuple(self.pawns),
                tuple(self.fences_left),
                self.seat,
                self.ply,
            )
        )

    def preview(self, action: int) -> Preview:
        """Return what an action does to everybody's way.

        The data has ``move`` (notation), ``kind`` (``pawn``, ``fence`` or ``pass``), ``paths_before`` and
        ``paths_after`` (steps of each seat to its goal line, in seat order), ``fences_left`` after the move, and
        ``end`` (the reason if it ends the game, else None).
        """
        after = self.child(action)
        name, size = self.action_to_string(action), self.game.board_size
        kind = "fence" if action >= size * size else "pass" if after.pawns == self.pawns else "pawn"
        before, behind = self.distances(), after.distances()
        changes = [f"{old} -> {new}" if old != new else str(old) for old, new in zip(before, behind, strict=True)]
        what = {"pawn": f"pawn to {name}", "fence": f"fence {name}", "pass": "no move is possible: pass"}[kind]
        end = after.end_reason()
        ending = {None: "", "goal": "; wins"}.get(end, f"; draw ({end})")
        return Preview(
            text=f"{what}{ending}; steps to go by seat: {', '.join(changes)}",
            data={
                "move": name,
                "kind": kind,
                "paths_before": before,
                "paths_after": behind,
                "fences_left": after.fences_left,
                "end": end,
            },
        )

    def draw(self, columns: int = 100) -> str:
        """Return the board in box characters, seen by seat 0, with fences in hand and steps to go; 79 columns suffice."""
        return drawing.draw_text(self)

    def draw_svg(self) -> str:
        """Return the board as an SVG document, seen by seat 0."""
        return drawing.draw_svg(self)


def _anchors(word: np.int64) -> list[tuple[int, int]]:
    bits = int(word) & (1 << 64) - 1
    return [(bit % 8, bit // 8) for bit in range(64) if bits >> bit & 1]
