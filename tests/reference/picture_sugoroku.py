"""Picture sugoroku with one die: a slow, plain reference of the rules, for comparison only.

It is written from the rule text alone and shares nothing with the library. Quotations in the comments are from
`picture_sugoroku.md`, or from `tokaido.md` where that is named.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

MAX_INSTRUCTIONS_PER_ROLL = 5  # "up to five instructions in all per roll"
MAX_EXTRA_ROLLS_PER_TURN = 3  # "at most three extra rolls a turn"
FACES = ("[1]", "[2]", "[3]", "[4]", "[5]", "[6]")


@dataclass
class Piece:
    """One seat's piece. `place` is k for the k-th to arrive, and 0 while it has not arrived."""

    square: int = 0
    rests: int = 0
    place: int = 0
    resigned: bool = False

    @property
    def in_game(self) -> bool:
        """Still under way: neither arrived nor resigned."""
        return self.place == 0 and not self.resigned


class PictureSugoroku:
    """One game. Decisions and die rolls are both fed to `play` as text, in the order in which they happen."""

    def __init__(
        self,
        board: dict[str, Any],
        players: int = 2,
        chain: bool = True,
        goal: str = "over",
        finish: str = "first",
        allow_resign: bool = False,
    ) -> None:
        if not 2 <= players <= 6:  # "2 to 6 players"
            raise ValueError(f"2 to 6 players, not {players}")
        if goal not in ("over", "exact"):
            raise ValueError(f"goal is 'over' or 'exact', not {goal!r}")
        if finish not in ("first", "all_places"):
            raise ValueError(f"finish is 'first' or 'all_places', not {finish!r}")
        self.chain = chain
        self.goal_rule = goal
        self.finish = finish
        self.allow_resign = allow_resign
        self.last_square: int = board["goal"]  # "start 0 to the goal, the last square"
        self.instructions: dict[int, dict[str, Any]] = {int(n): what for n, what in board["squares"].items()}
        self.pieces = [Piece() for _ in range(players)]
        self.mover = 0  # the seat whose turn it is, counted from 0
        self.waiting_for_die = False  # the mover has said 'roll', the die has not fallen yet
        self.extra_rolls = 0  # extra rolls already granted in this turn

    def kind(self) -> str:
        """Say what comes next: "decision", "chance" or "over"."""
        if self._is_over():
            return "over"
        return "chance" if self.waiting_for_die else "decision"

    def seat(self) -> int:
        """The seat whose turn it is, from 0; when the game is over, the seat whose move ended it."""
        return self.mover

    def legal_moves(self) -> list[str]:
        """The moves of the seat that decides; none while a die is awaited or when the game is over."""
        if self.kind() != "decision":
            return []
        # "Every throw, an extra one too, is a decision of its seat with `roll` (and `resign` where allowed) legal"
        return ["roll", "resign"] if self.allow_resign else ["roll"]

    def chance_outcomes(self) -> dict[str, Fraction]:
        """The six faces with their probabilities while a die is awaited, otherwise nothing."""
        if self.kind() != "chance":
            return {}
        return {face: Fraction(1, 6) for face in FACES}

    def play(self, text: str) -> None:
        """Carry out a decision or a fall of the die; ValueError when it cannot happen here."""
        if text not in self.legal_moves() and text not in self.chance_outcomes():
            raise ValueError(f"{text!r} is not possible in {self.to_text()!r}")
        if text == "roll":
            self.waiting_for_die = True
        elif text == "resign":
            self._resign()
        else:
            self.waiting_for_die = False
            self._move_by_die(int(text[1]))

    def _resign(self) -> None:
        # tokaido.md: "its piece is out like a finished one"
        self.pieces[self.mover] = Piece(resigned=True)
        self._end_turn()

    def _move_by_die(self, number: int) -> None:
        """Go "forward by that number", follow the instructions, then go on with the turn or pass it."""
        piece = self.pieces[self.mover]
        self._advance(piece, number)

        roll_again = False
        followed = 0  # "The count restarts with each roll"
        # `chain=False`: "only that of the square reached by the die"
        limit = MAX_INSTRUCTIONS_PER_ROLL if self.chain else 1
        # "a sixth is not followed, whatever its kind"
        while followed < limit and piece.in_game:
            # "Start has no instruction": boards have none on 0, so a piece on 0 stops like on any empty square.
            instruction = self.instructions.get(piece.square)
            if instruction is None:
                break
            followed += 1
            kind = instruction["kind"]
            if kind == "rest":
                piece.rests += instruction["turns"]
                break  # "`rest` and `roll_again` end the chain"
            if kind == "roll_again":
                roll_again = True
                break
            if kind == "forward":
                self._advance(piece, instruction["by"])
            elif kind == "back":
                piece.square = max(0, piece.square - instruction["by"])  # "`back` (not below 0)"
            elif kind == "to_start":
                piece.square = 0
            elif kind == "jump":
                piece.square = instruction["to"]
            else:
                raise ValueError(f"square {piece.square}: unknown kind {kind!r}")

        # "at most three extra rolls a turn; the fourth is cancelled and the turn passes (the piece stays)"
        if roll_again and self.extra_rolls < MAX_EXTRA_ROLLS_PER_TURN:
            self.extra_rolls += 1
        else:
            self._end_turn()

    def _advance(self, piece: Piece, number: int) -> None:
        """Forward by a die or by an instruction: the goal rule is the same for both.

        After a bounce "by the die the square reached counts as reached by the die", after one "by an instruction,
        as reached by that instruction": so the caller simply looks at the square where the piece ends.
        """
        target = piece.square + number
        if target < self.last_square:
            piece.square = target
        elif target == self.last_square or self.goal_rule == "over":
            # "over": "reaching or passing the goal finishes, also by an instruction"
            piece.place = 1 + sum(other.place > 0 for other in self.pieces)
            piece.square = self.last_square
        else:
            # "exact": "back from the goal by the excess"
            excess = target - self.last_square
            piece.square = self.last_square - excess

    def _end_turn(self) -> None:
        """Pass the turn to the next seat that can roll."""
        self.extra_rolls = 0
        if self._is_over():
            return
        while True:
            self.mover = (self.mover + 1) % len(self.pieces)
            piece = self.pieces[self.mover]
            if not piece.in_game:  # tokaido.md: "Finished pieces are skipped", and resigned ones with them
                continue
            if piece.rests == 0:
                return
            # "A seat that owes rests skips and pays one"; "If all rest, turns go round, each paying one, until
            # somebody can roll": the loop comes back to the mover too.
            piece.rests -= 1

    def _is_over(self) -> bool:
        # "over at the first arrival"
        if self.finish == "first" and any(piece.place > 0 for piece in self.pieces):
            return True
        # "`all_places`: until one is left"; after a resignation "play goes on while two are left"
        return sum(piece.in_game for piece in self.pieces) < 2

    def returns(self) -> list[float]:
        """Place points of each seat once the game is over; tokaido.md: paid "once, at the end of the game"."""
        players = len(self.pieces)
        if not self._is_over():
            return [0.0] * players
        seats = range(players)  # they go into groups from the best rank to the last; a group shares its rank
        arrived = sorted((s for s in seats if self.pieces[s].place > 0), key=lambda s: self.pieces[s].place)
        groups = [[s] for s in arrived]
        # "the others ranked by their square, equal squares share"; with `all_places` there is only one other.
        under_way = [s for s in seats if self.pieces[s].in_game]
        for square in sorted({self.pieces[s].square for s in under_way}, reverse=True):
            groups.append([s for s in under_way if self.pieces[s].square == square])
        # "those who resign share the last rank"
        resigned = [s for s in seats if self.pieces[s].resigned]
        if resigned:
            groups.append(resigned)

        # tokaido.md: "1 - 2*(rank-1)/(players-1), players who share ranks get their average"
        points = [0.0] * players
        rank = 1
        for group in groups:
            shared = [1 - Fraction(2 * (r - 1), players - 1) for r in range(rank, rank + len(group))]
            for seat in group:
                points[seat] = float(sum(shared) / len(group))
            rank += len(group)
        return points

    def to_text(self) -> str:
        """`pieces in seat order / seat to move counted from 1 / what is pending`."""
        words = []
        for piece in self.pieces:
            if piece.resigned:
                words.append("R")
            elif piece.place > 0:
                words.append(f"{piece.square}#{piece.place}")
            else:
                words.append(f"{piece.square}+{piece.rests}" if piece.rests else f"{piece.square}")
        if self._is_over():
            return f"{' '.join(words)} / - / over"
        pending = "dice" if self.waiting_for_die else "turn"
        # "with the rolls already repeated in the turn as `x1`..`x3` after the pending field"
        repeated = f" x{self.extra_rolls}" if self.extra_rolls else ""
        return f"{' '.join(words)} / {self.mover + 1} / {pending}{repeated}"

    @classmethod
    def from_text(cls, text: str, board: dict[str, Any], **options: Any) -> PictureSugoroku:
        """The game in the position of `text`, which is taken on trust. The text fixes the number of players."""
        pieces_text, seat_text, pending_text = text.split(" / ")
        words = pieces_text.split()
        game = cls(board, **{**options, "players": len(words)})
        for piece, word in zip(game.pieces, words, strict=True):
            if word == "R":
                piece.resigned = True
            elif "#" in word:
                piece.square, piece.place = (int(part) for part in word.split("#"))
            elif "+" in word:
                piece.square, piece.rests = (int(part) for part in word.split("+"))
            else:
                piece.square = int(word)
        game.mover = 0 if seat_text == "-" else int(seat_text) - 1  # a text does not say who ended the game
        pending, *repeated = pending_text.split()
        game.waiting_for_die = pending == "dice"
        game.extra_rolls = int(repeated[0].removeprefix("x")) if repeated else 0
        return game

    def clone(self) -> PictureSugoroku:
        """An independent copy."""
        return copy.deepcopy(self)
