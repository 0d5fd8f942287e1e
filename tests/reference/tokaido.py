"""Slow and obvious rule book for Tokaido sugoroku, kept apart from the library so that the two can be compared.

Places are named: ``('main', 30)`` is a station of the main road, ``('detour', 9, 2)`` the second detour station after
Odawara. There is one function per event. The comments in quotation marks cite the rules of the project.

What the pending words of the position text mean here:

* ``turn``: the turn of the seat starts (a seat at a fork without a road chooses first);
* ``road``: a road is chosen and the turn ends with it (arrival by dice, bandit, courier);
* ``cross``: the crossing die is thrown, the turn has already begun;
* ``dice``: two dice are thrown, the turn has already begun; a mover whom the tailwind has put on an active fork still
  chooses its road first, and goes on;
* ``[2-5]``: this roll waits for its number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

Place = tuple[str, int] | tuple[str, int, int]

KYOTO = 54
SHIMADA = 23  # "Passing 23 Shimada [...] the move stops there"
MAISAKA = 30
FORKS = {"three": (9, 30, 41), "miya": (41,)}
NEEDED = {9: 2, 30: 3, 41: 2}  # "9: 2-6 [...]; 30: 3-6 [...]; 41: 2-6": the smallest face that crosses
FAR_SIDE = {9: 11, 30: 32, 41: 42}  # "Mishima 11", "Shirasuka 32", "Kuwana 42"
AFTER_FORK = {9: 10, 30: 31, 41: 42}  # "the next main station (Hakone 10, Arai 31, Kuwana 42)"
EVENTS = {
    **dict.fromkeys((5, 29), "kago"),
    **dict.fromkeys((16, 48), "pass"),
    **dict.fromkeys((10, 31), "barrier"),
    **dict.fromkeys((20, 28, 47), "throw_again"),  # tororo; teahouse  # tororo and teahouse
    23: "river",
    **dict.fromkeys((27, 45), "tailwind"),
    **dict.fromkeys((25, 49), "rain"),
    **dict.fromkeys((34, 52), "bandit"),
    **dict.fromkeys((21, 44), "courier"),
    **dict.fromkeys((19, 43), "festival"),
}
VALUES: dict[str, tuple[object, ...]] = {
    "forks": ("three", "miya"),
    "goal": ("exact", "over"),
    "bounce_events": (True, False),
    "rests_add_up": (True, False),
    "detour_rejoins": ("next_station", "shortcut_target"),
    "after_crossing": ("roll", "end_turn"),
    "rechoice": ("same_turn", "uses_turn"),
    "finish": ("all_places", "first"),
    "allow_resign": (False, True),
}


def main(station: int) -> Place:
    return ("main", station)


def order(place: Place) -> tuple[int, int]:
    """Along the journey: "fork < its three detour stations < next main station"."""
    return (place[1], place[2]) if len(place) == 3 else (place[1], 0)


@dataclass
class Piece:
    place: Place = ("main", 0)
    road: str | None = None  # chosen and not yet used: "crossing" or "detour"
    rests: int = 0
    finished: int | None = None  # 1 for the first who reached Kyoto, and so on
    resigned: bool = False

    def in_play(self) -> bool:
        return self.finished is None and not self.resigned

    def on_main_road(self) -> bool:
        return self.place[0] == "main"

    def move_to(self, place: Place) -> None:
        """Any move, its own or not, uses up or voids the road chosen before."""
        self.place, self.road = place, None


class Tokaido:
    def __init__(
        self,
        players: int = 2,
        forks: str = "three",
        goal: str = "exact",
        bounce_events: bool = True,
        rests_add_up: bool = True,
        detour_rejoins: str = "next_station",
        after_crossing: str = "roll",
        rechoice: str = "same_turn",
        finish: str = "all_places",
        allow_resign: bool = False,
        max_turns: int | None = None,
    ) -> None:
        if not 2 <= players <= 6:
            raise ValueError(f"players must be 2 to 6, not {players!r}")
        if max_turns is not None and max_turns < 1:
            raise ValueError(f"max_turns must be at least 1, not {max_turns!r}")
        self.forks, self.goal, self.bounce_events, self.rests_add_up = forks, goal, bounce_events, rests_add_up
        self.detour_rejoins, self.after_crossing, self.rechoice = detour_rejoins, after_crossing, rechoice
        self.finish, self.allow_resign, self.max_turns = finish, allow_resign, max_turns
        for name, allowed in VALUES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, not {getattr(self, name)!r}")
        self.pieces = [Piece() for _ in range(players)]
        self.mover = 0
        self.pending = "turn"
        self.roll: tuple[int, int] | None = None  # the two dice that wait for a number
        self.turns = 0  # turns of all seats together that have ended, skipped ones too

    def kind(self) -> str:
        if self._is_over():
            return "over"
        return "decision" if self.roll or self._must_choose_road() else "chance"

    def seat(self) -> int:
        if self._is_over():
            raise ValueError("the game is over: it is nobody's turn")
        return self.mover

    def legal_moves(self) -> list[str]:
        if self.kind() != "decision":
            return []
        if self.roll:
            low, high = self.roll
            # "The seat advances by one of the two numbers; on a double d,d by d or by 2d."
            moves = [str(low), str(2 * low if low == high else high)]
        else:
            moves = ["crossing", "detour"]
        # "legal at each own decision, of a road or of a number"
        return [*moves, "resign"] if self.allow_resign else moves

    def chance_outcomes(self) -> dict[str, Fraction]:
        if self.kind() != "chance":
            return {}
        if self._me().road == "crossing":  # step 3: "one die is thrown"
            return {f"[{face}]": Fraction(1, 6) for face in range(1, 7)}
        rolls = [(low, high) for low in range(1, 7) for high in range(low, 7)]
        return {f"[{low}-{high}]": Fraction(1, 36 if low == high else 18) for low, high in rolls}

    def returns(self) -> list[float]:
        """Place points `1 - 2*(rank-1)/(players-1)`; "players who share ranks get their average"."""
        if not self._is_over():
            raise ValueError("returns are paid once, at the end of the game")
        count = len(self.pieces)
        points = [1 - Fraction(2 * (rank - 1), count - 1) for rank in range(1, count + 1)]
        keys = [self._rank_key(piece) for piece in self.pieces]
        result = []
        for key in keys:
            better, equal = sum(other < key for other in keys), keys.count(key)
            result.append(float(sum(points[better : better + equal]) / equal))
        return result

    @staticmethod
    def _rank_key(piece: Piece) -> tuple[int, ...]:
        """Smaller is better; equal keys share their ranks."""
        if piece.resigned:  # "ranked last, shared"
            return (2,)
        if piece.finished is not None:  # those in Kyoto, in the order of arrival
            return (0, piece.finished)
        station, step = order(piece.place)
        return (1, -station, -step)  # "ranked by their place on the journey, equal places share the rank"

    def _is_over(self) -> bool:
        left = sum(piece.in_play() for piece in self.pieces)
        return (
            left <= 1  # "play until one piece is left"; after resigning "play goes on while two are left"
            or (self.finish == "first" and any(piece.finished is not None for piece in self.pieces))
            or (self.max_turns is not None and self.turns >= self.max_turns)
        )

    def _me(self) -> Piece:
        return self.pieces[self.mover]

    def _others(self) -> Iterator[Piece]:
        """The other pieces still in play, in turn order after the mover. "Finished pieces take part in no event"."""
        for step in range(1, len(self.pieces)):
            piece = self.pieces[(self.mover + step) % len(self.pieces)]
            if piece.in_play():
                yield piece

    def _at_active_fork(self, piece: Piece) -> bool:
        return piece.on_main_road() and piece.place[1] in FORKS[self.forks]

    def _must_choose_road(self) -> bool:
        return self._at_active_fork(self._me()) and self._me().road is None

    def play(self, text: str) -> None:
        kind = self.kind()
        if text not in (self.chance_outcomes() if kind == "chance" else self.legal_moves()):
            raise ValueError(f"{text!r} cannot be played in {self.to_text()!r}")
        if kind == "chance":
            faces = [int(face) for face in text.strip("[]").split("-")]
            if len(faces) == 1:
                self._throw_crossing_die(faces[0])
            else:
                self.roll = (faces[0], faces[1])
        elif text == "resign":
            self._resign()
        elif text in ("crossing", "detour"):
            self._choose_road(text)
        else:
            self._advance(int(text))

    def _choose_road(self, road: str) -> None:
        self._me().road = road
        if self.pending == "road":
            self._end_turn()  # "the player chooses on arrival, in its own turn, and the turn ends"
        elif self.pending == "turn" and self.rechoice == "uses_turn":
            self._end_turn()  # "any road chosen at the start of a turn uses that turn up, whoever put the piece there"
        else:
            # Step 2: "it chooses now, and the turn goes on"; tailwind: "choose, then the extra go is a full go: the
            # detour throws two dice, the crossing throws its die now".
            self.pending = "cross" if road == "crossing" else "dice"

    def _throw_crossing_die(self, face: int) -> None:
        piece = self._me()
        fork = piece.place[1]
        piece.road = None
        if face < NEEDED[fork]:
            # "the piece stays at the fork, its road is void, the turn ends; at Maisaka it also owes one rest"
            if fork == MAISAKA:
                self._owe_a_rest(piece)
            self._end_turn()
            return
        piece.move_to(main(FAR_SIDE[fork]))  # "The landing of a crossing starts no event."
        if self.after_crossing == "end_turn":
            self._end_turn()  # "it ends an extra go too"
        else:
            self.pending = "dice"  # "The turn then goes on with two dice from there"

    def _advance(self, number: int) -> None:
        piece = self._me()
        self.roll = None
        bounced = self._walk(piece, number)
        if piece.place == main(KYOTO):  # "54 exactly: finished"
            piece.finished = 1 + sum(other.finished is not None for other in self.pieces)
            self._end_turn()
        elif self._at_active_fork(piece):
            self.pending = "road"
        elif bounced and not self.bounce_events:
            self._end_turn()
        else:  # "Then the event of the station happens, also after bouncing back"
            self._happen(piece)

    def _walk(self, piece: Piece, number: int) -> bool:
        """A move by dice; true if it bounced back from Kyoto (from 53 by 12 to 43, never as far as a fork)."""
        for left in reversed(range(number)):
            piece.move_to(self._next_place(piece))
            if piece.place == main(KYOTO):
                if left and self.goal == "exact":  # "back from Kyoto by the excess"
                    piece.move_to(main(KYOTO - left))
                    return True
                return False
            # "Passing 23 Shimada or an active fork: the move stops there and the rest of the number is lost."
            if piece.place == main(SHIMADA) or self._at_active_fork(piece):
                return False
        return False

    def _next_place(self, piece: Piece) -> Place:
        """One station on along the piece's own road, for every piece that has not chosen the crossing."""
        if len(piece.place) == 3:
            _, fork, number = piece.place
            if number < 3:
                return ("detour", fork, number + 1)
            return main((AFTER_FORK if self.detour_rejoins == "next_station" else FAR_SIDE)[fork])
        if piece.road == "detour":
            return ("detour", piece.place[1], 1)
        return main(piece.place[1] + 1)

    def _resign(self) -> None:
        """Rule: "its piece is out like a finished one"."""
        self._me().resigned = True  # a seat that decides owes no rests
        self.roll = None
        self._end_turn()

    def _end_turn(self) -> None:
        """Count this turn and pass on to the next seat in play that owes no rest; the rests on the way are paid."""
        self.pending = "turn"
        while True:
            self.turns += 1
            if self._is_over():
                return
            self.mover = self._next_mover()  # "Finished pieces are skipped"; those that have resigned too
            if not self._me().rests:
                return
            self._me().rests -= 1  # step 1: "A seat that owes rests skips and one rest is paid."

    def _next_mover(self) -> int:
        seats = [(self.mover + step) % len(self.pieces) for step in range(1, len(self.pieces) + 1)]
        return next(seat for seat in seats if self.pieces[seat].in_play())

    # Events: "A move made by an event starts no other event (for anyone), but a piece put on an active fork will have
    # to choose its road." Each one returns how the turn goes on: "end", "road" (choose, then the turn ends) or "dice".

    def _happen(self, piece: Piece) -> None:
        name = EVENTS.get(piece.place[1]) if piece.on_main_road() else None
        event: Callable[[Piece], str] | None = getattr(self, f"_{name}", None)
        follows = event(piece) if event else "end"
        self.pending = follows
        if follows == "end":
            self._end_turn()

    def _kago(self, piece: Piece) -> str:
        """Rule: "on to 7; on to 32 (main road, without stopping at the fork 30)"."""
        piece.move_to(main({5: 7, 29: 32}[piece.place[1]]))
        return "end"

    def _river(self, piece: Piece) -> str:
        """Rule: "stop when passing; nothing else"."""
        return "end"

    def _pass(self, piece: Piece) -> str:
        """Rule: "back to 14; back to 46"."""
        piece.move_to(main({16: 14, 48: 46}[piece.place[1]]))
        return "end"

    def _barrier(self, piece: Piece) -> str:
        """Rule: "rest one turn"."""
        self._owe_a_rest(piece)
        return "end"

    def _throw_again(self, piece: Piece) -> str:
        """Rule: "throw again (must; no limit is needed)"."""
        return "dice"

    def _tailwind(self, piece: Piece) -> str:
        """ "on to 30; on to 48; and throw again" (on an active fork 30 the road is chosen before the throw)."""
        piece.move_to(main({27: 30, 45: 48}[piece.place[1]]))
        return "dice"

    def _rain(self, piece: Piece) -> str:
        """Rule: "the mover rests [...], and so does everyone on that station and on the one before and [...] after"."""
        station = piece.place[1]
        self._owe_a_rest(piece)
        for other in self._others():
            if other.place in (main(station - 1), main(station), main(station + 1)):
                self._owe_a_rest(other)
        return "end"

    def _bandit(self, piece: Piece) -> str:
        """Rule: "back to 33; to 51; then swap places with the rearmost piece"."""
        piece.move_to(main(piece.place[1] - 1))
        # min() keeps the first of equals: "Ties: the next in turn order after the mover."
        rearmost = min(self._others(), key=lambda other: order(other.place))
        if order(rearmost.place) >= order(piece.place):
            return "end"  # "No swap if the mover is (or shares) the rearmost place."
        # "Places only: owed rests stay with their owner; a road already chosen is void for a piece that is moved".
        mine, theirs = piece.place, rearmost.place
        piece.move_to(theirs)
        rearmost.move_to(mine)
        return self._choose_at_once(piece)

    def _courier(self, piece: Piece) -> str:
        """Rule: "to the station of the foremost piece on the main road (a fork station is on the main road)"."""
        stations = [other.place[1] for other in self._others() if other.on_main_road()]
        foremost = max(stations, default=0)
        if foremost <= piece.place[1]:
            return "end"  # "nothing if no piece on the main road is ahead of the mover"
        piece.move_to(main(foremost))
        return self._choose_at_once(piece)

    def _choose_at_once(self, piece: Piece) -> str:
        """Bandit and courier: "a mover who lands on a fork chooses at once, for its next turn"."""
        return "road" if self._at_active_fork(piece) else "end"

    def _festival(self, piece: Piece) -> str:
        """Rule: "everyone, the mover and resting pieces too, goes one station on along its own road"."""
        for each in [piece, *self._others()]:
            if each.place == main(KYOTO - 1):
                continue  # "except finished pieces, pieces on 53 ..."
            if self._at_active_fork(each) and each.road is None:
                continue  # "... and pieces on an active fork that have not chosen"
            if each.road == "crossing":  # "goes to 10, 31 or 42 under every option"
                each.move_to(main(AFTER_FORK[each.place[1]]))
            else:
                each.move_to(self._next_place(each))
        return "end"

    def _owe_a_rest(self, piece: Piece) -> None:
        """Rule: "Rests owed add up (option; else at most one)"."""
        piece.rests = piece.rests + 1 if self.rests_add_up else 1

    def to_text(self) -> str:
        """The position text; a game that is over has `-` for the seat and `over` for what is pending."""
        pieces = " ".join(map(self._piece_text, self.pieces))
        if self._is_over():
            return f"{pieces} / - / over"
        pending = f"[{self.roll[0]}-{self.roll[1]}]" if self.roll else self.pending
        return f"{pieces} / {self.mover + 1} / {pending}"

    @staticmethod
    def _piece_text(piece: Piece) -> str:
        if piece.resigned:
            return "R"
        if piece.finished is not None:
            return f"{KYOTO}#{piece.finished}"
        place = f"{piece.place[1]}d{piece.place[2]}" if len(piece.place) == 3 else str(piece.place[1])
        road = piece.road[0] if piece.road else ""
        return place + road + (f"+{piece.rests}" if piece.rests else "")

    @classmethod
    def from_text(cls, text: str, **options: Any) -> Tokaido:
        """Read a position text (the number of pieces is the number of players). Turns are counted from here."""
        pieces, seat, pending = (part.strip() for part in text.split("/"))
        game = cls(players=len(pieces.split()), **options)
        game.pieces = [cls._read_piece(piece) for piece in pieces.split()]
        if pending == "over":
            game.max_turns = 0  # over as it stands, also where only a cap on turns has ended the game
            return game
        game.mover = int(seat) - 1
        if pending.startswith("["):
            low, high = pending.strip("[]").split("-")
            game.roll, game.pending = (int(low), int(high)), "dice"
        else:
            game.pending = pending
        if pending == "turn" and not game._is_over() and game._me().rests:
            game._me().rests -= 1  # step 1 of a turn, as in _end_turn
            game._end_turn()
        return game

    @staticmethod
    def _read_piece(text: str) -> Piece:
        if text == "R":
            return Piece(resigned=True)
        if text.startswith(f"{KYOTO}#"):
            return Piece(main(KYOTO), finished=int(text.partition("#")[2]))
        if (found := re.fullmatch(r"(\d+)(?:d([123])|([cd]))?(?:\+(\d+))?", text)) is None:
            raise ValueError(f"{text!r} is not a piece")
        station, detour, road, rests = found.groups()
        place: Place = ("detour", int(station), int(detour)) if detour else main(int(station))
        return Piece(place, {"c": "crossing", "d": "detour", None: None}[road], int(rests or 0))

    def clone(self) -> Tokaido:
        other = object.__new__(Tokaido)
        other.__dict__.update(self.__dict__)
        other.pieces = [replace(piece) for piece in self.pieces]
        return other
