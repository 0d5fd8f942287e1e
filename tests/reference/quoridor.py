"""Reference rules of Quoridor for 2 or 4 players: slow and obvious on purpose.

Squares are (file, rank) pairs counted from 0 at a1. A fence is (file, rank, 'h' or 'v') where (file, rank) is the
square nearest a1 of the four it touches: 'h' runs above that square and the one to its right, 'v' runs to the right
of that square and the one above it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from typing import Any

Square = tuple[int, int]
Fence = tuple[int, int, str]
Step = tuple[Square, Square]
Position = tuple[frozenset[Fence], tuple[Square, ...], tuple[int, ...], int]

UP, DOWN, LEFT, RIGHT = (0, 1), (0, -1), (-1, 0), (1, 0)
SIDEWAYS = {UP: (LEFT, RIGHT), DOWN: (LEFT, RIGHT), LEFT: (UP, DOWN), RIGHT: (UP, DOWN)}
FILE_LETTERS = "abcdefghi"


def square_name(square: Square) -> str:
    """Write a square: (4, 1) is 'e2'."""
    return f"{FILE_LETTERS[square[0]]}{square[1] + 1}"


def moved(square: Square, direction: Square) -> Square:
    """Return the square one step away, on the board or not."""
    return square[0] + direction[0], square[1] + direction[1]


def barred_steps(fences: Iterable[Fence]) -> set[Step]:
    """Return every pair of neighbouring squares that a fence separates, in both orders."""
    barred = set()
    for file, rank, orientation in fences:
        along, across = (RIGHT, UP) if orientation == "h" else (UP, RIGHT)
        for near in ((file, rank), moved((file, rank), along)):  # a fence is two squares long
            far = moved(near, across)
            barred |= {(near, far), (far, near)}
    return barred


class Quoridor:
    """One game in progress."""

    def __init__(
        self,
        players: int = 2,
        board_size: int = 9,
        fences: int | None = None,
        max_plies: int | str | None = "default",
        third_pawn: str = "blocks",
        repetition: int | None = None,
    ) -> None:
        """Set up the start position; `fences` is the number in each player's hand."""
        fences = {2: 10, 4: 5}.get(players, 0) if fences is None else fences
        max_plies = 4 * board_size**2 if max_plies == "default" else max_plies
        if players not in (2, 4) or board_size not in range(3, 10) or fences < 0:
            raise ValueError("players must be 2 or 4, board_size 3..9, fences 0 or more")
        if max_plies is not None and (not isinstance(max_plies, int) or max_plies < 1):
            raise ValueError("max_plies must be 'default', None or a positive number")
        if third_pawn not in ("blocks", "diagonal") or repetition not in (None, 3):
            raise ValueError("third_pawn must be 'blocks' or 'diagonal', repetition None or 3")
        self.players, self.n = players, board_size
        self.max_plies, self.third_pawn, self.repetition = max_plies, third_pawn, repetition
        self.squares = {(file, rank) for file in range(board_size) for rank in range(board_size)}
        self.neighbours = {s: {moved(s, d) for d in SIDEWAYS} & self.squares for s in self.squares}
        self.named_squares = {square_name(s): s for s in self.squares}
        self.named_fences = {square_name(s) + way: (*s, way) for s in self.squares for way in "hv"}
        self.goals = [{s for s in self.squares if self._is_goal(seat, s)} for seat in range(players)]
        self.pawns: list[Square] = self._start_squares()
        self.fences: set[Fence] = set()
        self.left: list[int] = [fences] * players
        self.seat = 0  # "Rules states always begin with seat 0."
        self.ply = 0
        self.winner: int | None = None
        self.seen: Counter[Position] = Counter([self._position()])  # the start counts as an occurrence

    @classmethod
    def from_position(
        cls, pawns: Sequence[Square], fences: Iterable[Fence], left: Sequence[int], seat: int, ply: int, **options: Any
    ) -> Quoridor:
        """Set up a position without a history; `options` are those of the constructor, save `fences`.

        The number of players is taken from `pawns` when not given. The position is not checked for being reachable,
        but no more than one pawn may stand on its goal line: that one has won.
        """
        game = cls(**{"players": len(pawns), **options})
        if not (len(pawns) == len(left) == game.players and 0 <= seat < game.players):
            raise ValueError("pawns, fences left and the seat to move do not fit the number of players")
        game.pawns, game.fences, game.left = list(pawns), set(fences), list(left)
        game.seat, game.ply = seat, ply
        finished = [s for s in range(game.players) if game.pawns[s] in game.goals[s]]
        if len(finished) > 1:
            raise ValueError("more than one pawn stands on its goal line")
        game.winner = finished[0] if finished else None
        game.seen = Counter([game._position()])
        return game

    # ---- Board and seats ----

    def _start_squares(self) -> list[Square]:
        """Return the middle of each seat's side, in seat order."""
        # Even sizes: seat 0 takes the lower of the two middle files, the other seats are its rotations.
        turns = [((self.n - 1) // 2, 0)]
        for _ in range(3):
            # A clockwise quarter turn takes the bottom side to the left side, e1 to a5 at 9x9.
            file, rank = turns[-1]
            turns.append((rank, self.n - 1 - file))
        # 2 players sit opposite each other; 4 players sit clockwise: bottom, left, top, right.
        return turns if self.players == 4 else [turns[0], turns[2]]

    def _is_goal(self, seat: int, square: Square) -> bool:
        """Tell whether the square lies on the side of the board opposite to the seat's start."""
        file, rank = square
        last = self.n - 1
        if self.players == 2:
            return (rank == last, rank == 0)[seat]
        return (rank == last, file == last, rank == 0, file == 0)[seat]

    # ---- Pawn moves ----

    def _pawn_targets(self) -> set[Square]:
        """Return every square that the pawn of the seat to move may go to, the pass left out."""
        barred = barred_steps(self.fences)

        def is_open(square: Square, target: Square) -> bool:
            # The board's edge counts as a fence.
            return target in self.squares and (square, target) not in barred

        mine = self.pawns[self.seat]
        targets: set[Square] = set()  # a set: one square reached over two neighbours is one move
        for direction in SIDEWAYS:
            near = moved(mine, direction)
            if not is_open(mine, near):
                continue  # "never through a fence"
            if near not in self.pawns:
                targets.add(near)  # "one square orthogonally"
                continue
            # Face to face: neighbours with no fence between.
            behind = moved(near, direction)
            fence_behind = not is_open(near, behind)
            if not fence_behind and behind not in self.pawns:
                targets.add(behind)  # the straight jump, and then no diagonal
            elif fence_behind or self.third_pawn == "diagonal":
                # To the left or right of the neighbour: no fence between and no pawn there.
                for turn in SIDEWAYS[direction]:
                    beside = moved(near, turn)
                    if is_open(near, beside) and beside not in self.pawns:
                        targets.add(beside)
            # Else a third pawn is behind: "no jump over more than one pawn", and no diagonal either.
        return targets

    # ---- Fences ----

    def _fence_fits(self, fence: Fence) -> bool:
        """Tell whether the fence lies wholly on the board and neither overlaps nor crosses another."""
        file, rank, orientation = fence
        if not (0 <= file < self.n - 1 and 0 <= rank < self.n - 1):
            return False
        if orientation == "h":
            clashes = {(file - 1, rank, "h"), (file, rank, "h"), (file + 1, rank, "h"), (file, rank, "v")}
        else:
            clashes = {(file, rank - 1, "v"), (file, rank, "v"), (file, rank + 1, "v"), (file, rank, "h")}
        return not clashes & self.fences

    def _steps_to_goal(self, seat: int, barred: set[Step]) -> int | None:
        """Search breadth first for the seat's goal line; None when there is no path. Pawns do not block paths."""
        start = self.pawns[seat]
        steps = {start: 0}
        queue = deque([start])
        while queue:
            square = queue.popleft()
            if square in self.goals[seat]:
                return steps[square]
            for target in self.neighbours[square]:
                if target not in steps and (square, target) not in barred:
                    steps[target] = steps[square] + 1
                    queue.append(target)
        return None

    def _fence_is_legal(self, fence: Fence) -> bool:
        """Tell whether the seat to move may place this fence."""
        if self.left[self.seat] == 0 or not self._fence_fits(fence):
            return False
        # Every pawn, the mover's included, must keep a path to its own goal line.
        barred = barred_steps(self.fences | {fence})
        return all(self._steps_to_goal(seat, barred) is not None for seat in range(self.players))

    # ---- The game ----

    def legal_moves(self) -> set[str]:
        """Return every legal move in notation; empty when the game is over."""
        if self.is_over():
            return set()
        moves = {square_name(square) for square in self._pawn_targets()}
        moves |= {name for name, fence in self.named_fences.items() if self._fence_is_legal(fence)}
        # No legal move at all: the seat passes, written as the pawn's own square.
        return moves or {square_name(self.pawns[self.seat])}

    def play(self, move: str) -> None:
        """Make a move; ValueError when it is not legal."""
        word = move.strip().lower()  # upper case and surrounding blanks are accepted
        fence, square = self.named_fences.get(word), self.named_squares.get(word)
        if fence and not self.is_over() and self._fence_is_legal(fence):
            self.fences.add(fence)
            self.left[self.seat] -= 1
        elif square and not self.is_over() and (square in self._pawn_targets() or word in self.legal_moves()):
            self.pawns[self.seat] = square  # a forced pass, which only legal_moves() knows, leaves it where it is
            if square in self.goals[self.seat]:
                self.winner = self.seat  # "The first pawn on its goal line wins at once."
        else:
            raise ValueError(f"{move!r} is not a legal move for seat {self.seat} at ply {self.ply}")
        self.seat = (self.seat + 1) % self.players
        self.ply += 1
        self.seen[self._position()] += 1

    def _position(self) -> Position:
        """Return what is compared for repetition: fences, pawns, fences in hand, seat to move."""
        return frozenset(self.fences), tuple(self.pawns), tuple(self.left), self.seat

    def is_over(self) -> bool:
        """Tell whether a pawn has reached its goal line or the game is a draw (ply cap, third occurrence)."""
        capped = self.max_plies is not None and self.ply >= self.max_plies
        repeated = self.repetition is not None and self.seen[self._position()] >= self.repetition
        return self.winner is not None or capped or repeated

    def returns(self) -> list[float]:
        """Return +1 for the winner and -1/(players-1) for the others; zeros for a draw or while not over."""
        if self.winner is None:
            return [0.0] * self.players
        return [1.0 if seat == self.winner else -1.0 / (self.players - 1) for seat in range(self.players)]

    def distance(self, seat: int) -> int:
        """Return the fewest pawn steps, ignoring other pawns, from the seat's pawn to its goal line."""
        steps = self._steps_to_goal(seat, barred_steps(self.fences))
        if steps is None:
            raise ValueError(f"seat {seat} has no path to its goal line")
        return steps
