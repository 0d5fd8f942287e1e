"""`sekisho replay`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from ..arena.places import FORFEIT
from ..arena.recorded import RecordedGame
from ..arena.saved import games_folder
from ..arena.session import CONCEDED
from ..arena.telling import ply_line, seat_at
from ..envs.errors import OptionError, RunError
from .common import PICTURES, Flag, console, path_from_words, print_json, require_picture_name, write_picture
from .keyboard import Keyboard
from .recorded_games import checked, found_games, kept_games, no_kept_games, one_game, table_of
from .words import plain, rules_line, say, width

_FILE = tyro.conf.arg(metavar="FILE", help_behavior_hint="(default: list the latest kept games)")
_ONE = tyro.conf.arg(metavar="NUMBER", help_behavior_hint="(default: check and list all)")
_LAST = tyro.conf.arg(metavar="NUMBER", help_behavior_hint="(default: the last)")
_NO_PICTURE = tyro.conf.arg(metavar="OUT", help_behavior_hint="(default: no picture)")


@dataclass
class Command:
    """Show recorded games and check every move and result by the rules; exit status 1 if one is wrong.

    FILE is a saved game, a file with a record a line, a state in its dict form, the folder of a tournament, or one with
    saved games. Without FILE the latest games are listed that sekisho play has kept under names of its own.
    """

    file: Annotated[str | None, tyro.conf.Positional, _FILE] = None
    """what to read"""
    game: Annotated[int | None, _ONE] = None
    """which game of a file with several, counted from 1"""
    ply: Annotated[int | None, _LAST] = None
    """position to show: after so many plies (throws count), 0 the start"""
    step: Flag = False
    """go through the game: Enter, back, a number, quit"""
    svg: Annotated[str | None, _NO_PICTURE] = None
    """draw the position into an SVG file"""
    png: Annotated[str | None, _NO_PICTURE] = None
    """draw the position into a PNG file"""
    json: Flag = False
    """print one JSON document"""

    def run(self) -> None:
        """Check and show."""
        if self.step and self.json:
            raise OptionError("--step and --json are two ways to look at a game; choose one")
        pictures = path_from_words("--svg", self.svg), path_from_words("--png", self.png)
        for path, kind in zip(pictures, PICTURES, strict=True):
            require_picture_name(path, kind)
        found = kept_games() if self.file is None else found_games("FILE", self.file)
        looks_closer = self.game is not None or self.ply is not None or self.step or any(pictures)
        if (len(found) > 1 or self.file is None) and not looks_closer:
            self._list(found)
        else:
            self._show(one_game(self.file or str(games_folder()), found, self.game), *pictures)

    def _list(self, found: list[tuple[str, str]]) -> None:
        """Check all games and list them."""
        games, wrong = checked(found)
        if self.json:
            print_json({"games": [{"number": number, **game.data()} for number, game in games], "wrong": wrong})
        elif not found:
            say(no_kept_games())
        else:
            if self.file is None:
                say(f"The latest games in {games_folder()}:")
            console().print(table_of(games))
            print(f"{len(games)} of {len(found)} games agree with the rules. --game NUMBER shows one.")
        if wrong:
            raise RunError("\n".join([*wrong[:20], *(["…"] if len(wrong) > 20 else [])]))

    def _show(self, game: RecordedGame, svg: Path | None, png: Path | None) -> None:
        ply = game.length if self.ply is None else self.ply
        if not 0 <= ply <= game.length:
            raise OptionError(f"--ply must be 0..{game.length}, not {ply}")
        state = game.position(ply)
        written = []
        if svg is not None:
            written.append(write_picture(svg, state.draw_svg().encode("utf-8")))
        if png is not None:
            from ..envs.pixels import to_png

            written.append(write_picture(png, to_png(state.draw_pixels())))
        if not self.json:
            print(*written, sep="\n", end="\n" if written else "")
        if self.json:
            print_json({**game.data(), "verified": True, "shown": {"ply": ply, "position": state.to_text()}})
        elif self.step:
            _step_through(game, 0 if self.ply is None else ply)
        elif self.ply is not None:
            _show_ply(game, ply)
        else:
            _introduce(game)
            say(_moves(game), indent="     ")
            say()
            _show_ply(game, ply)
            say(_ending(game))


def _introduce(game: RecordedGame) -> None:
    print(plain(game.place))
    say(rules_line(game.state.game), indent="  ")
    for seat in range(game.state.game.num_players):
        say(f"  {game.seat_history(seat)}", indent="    ")
    if game.opening:
        say(f"The first {game.opening} plies were random.")
    say()


def _moves(game: RecordedGame) -> str:
    """Return the moves: in words where dice and events need them, else one after the other."""
    state = game.state
    if state.game.max_chance_outcomes:
        return state.journal_text()
    turns, seats = state.moves(), state.game.num_players
    rows = [turns[first : first + seats] for first in range(0, len(turns), seats)]
    return "  ".join(f"{number}. {' '.join(row)}" for number, row in enumerate(rows, start=1))


def _show_ply(game: RecordedGame, ply: int) -> None:
    if ply:
        before, action = game.position(ply - 1), game.state.history()[ply - 1]
        seat = seat_at(before)
        who = game.seat_name(seat, ply) if seat >= 0 else "somebody"
        say(f"Ply {ply} of {game.length}: {who} {ply_line(before, action)}", indent="  ")
    else:
        say(f"The start; {game.length} plies follow.")
    say()
    print(game.position(ply).draw(width()))
    say()


def _ending(game: RecordedGame) -> str:
    notes = "".join(f"after ply {ply}: {plain(text)}\n" for ply, text in game.notes)
    if game.end is None:
        return f"{notes}Every move is legal. The game goes on."
    points = ", ".join(f"{game.seat_name(seat)} {value:+.2g}" for seat, value in enumerate(game.returns))
    if game.end == CONCEDED:
        return f"{notes}Every move is legal; a person gave up: {points}."
    if game.end == FORFEIT:
        return f"{notes}Every move is legal; the game was forfeited: {points}."
    return f"{notes}Every move is legal, and the result is theirs: {game.end}; {points}."


def _step_through(game: RecordedGame, ply: int) -> None:
    last = game.length
    keyboard = Keyboard(lambda: ["next", "back", "quit"])
    _introduce(game)
    _show_ply(game, ply)
    while True:
        if ply == last:
            say(_ending(game))
        answer = keyboard.ask(f"ply {ply} of {last} (Enter: next, back, a number, quit)> ")
        if answer is None or answer.lower() in ("q", "quit", "exit"):
            return
        wanted = {"": ply + 1, "next": ply + 1, "n": ply + 1, "back": ply - 1, "b": ply - 1}.get(answer.lower())
        if wanted is None and answer.isascii() and answer.isdigit() and len(answer) < 9:
            wanted = int(answer)
        if wanted == last + 1 and not answer.isdigit():
            say("This is the end.")
            continue
        if wanted is None or not 0 <= wanted <= last:
            say(f"expected Enter, back, 0..{last} or quit")
            continue
        ply = wanted
        _show_ply(game, ply)
        sys.stdout.flush()
