"""`sekisho play`."""

from __future__ import annotations

import secrets
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import tyro

from ..agents.registry import ENGINE_USAGE, agent_names
from ..agents.specs import parse_spec
from ..arena.health import narrowness, spells_boards
from ..arena.players import HUMAN
from ..arena.session import STAND_IN, Session
from ..envs.core import Game
from ..envs.errors import OptionError, RecordError, RunError
from ..envs.options import Option, parse_options
from ..envs.registry import game_class
from .common import GameWord, Rules, game_from_words, path_from_words
from .recorded_games import saved_game, show_kept_games
from .shelf import Shelf, require_free
from .table import Table

_SEATS = (
    "who plays each seat, in seat order: "
    + ", ".join(["human, human:name=Aki", *agent_names(), ENGINE_USAGE])
    + "; one that searches is compiled at its first use, some seconds to a minute before the board appears"
)
_WHICH = "?"
"""Given in the place of a saved game: which there are."""
_MOST_FRESH_SEED = 10**6  # short enough to be typed again


@dataclass
class Command:
    """Play in the terminal, against CPU players or people beside you; ? explains what can be typed."""

    ALONE: ClassVar = {"--load": _WHICH}
    game: GameWord = ""
    """name of the game; not needed with --load"""
    seats: Annotated[
        tuple[str, ...] | None,
        tyro.conf.arg(
            metavar="SPEC SPEC …", help=_SEATS, help_behavior_hint=f"(default: {HUMAN}, then {STAND_IN} everywhere)"
        ),
    ] = None
    players: Annotated[int | None, tyro.conf.arg(metavar="INT", help_behavior_hint="(default: the game's)")] = None
    """seats at the table"""
    rules: Rules = ""
    """rule options, e.g. board_size=7,fences=5"""
    seed: Annotated[int | None, tyro.conf.arg(metavar="INT", help_behavior_hint="(default: a fresh one)")] = None
    """of the dice and the CPU players; the same seed and moves give the same game"""
    load: Annotated[str | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="(default: a new game)")] = None
    """go on with a saved game, a file or a number of the list; without FILE the latest are listed"""
    save: Annotated[str | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="(default: one of its own)")] = None
    """new file to keep the game in; it is written at once and after every decision"""

    def run(self) -> None:
        """Play."""
        if self.seats == ():
            raise OptionError("--seats names nobody: name who plays each seat, as in: --seats human heuristic")
        if self.load == _WHICH:
            show_kept_games("sekisho play --load")
            return
        save = path_from_words("--save", self.save)
        if save is not None:
            require_free(save)
        load, saved = (None, None) if self.load is None else _read(self.load)
        session = self._new() if saved is None else self._loaded(saved)
        shelf = Shelf(save or load)
        if save is not None:
            shelf.probe(session)
        if not spells_boards(sys.stdout.encoding):
            print("sekisho: boards have letters that this output cannot spell; see: sekisho doctor", file=sys.stderr)
        if narrowness():
            print(f"sekisho: {narrowness()}", file=sys.stderr)
        Table(session, shelf).play()

    def _loaded(self, session: Session) -> Session:
        given = {"--rules": self.rules, "--players": self.players, "--seed": self.seed}
        for option, value in given.items():
            if value not in (None, ""):
                raise OptionError(f"the saved game decides what {option} would; leave it out")
        if self.game not in ("", session.game.name):
            raise OptionError(f"the saved game is one of {session.game.name}, not of {self.game}")
        if self.seats and len(self.seats) != len(session.players):
            raise OptionError(f"the saved game has {len(session.players)} seats, but --seats names {len(self.seats)}")
        if not self.seats:
            session.require_no_programs()
        for seat, spec in enumerate(self.seats or ()):
            if spec.strip() != session.players[seat].spec:
                session.take_over(seat, spec)
        return session

    def _new(self) -> Session:
        if not self.game:
            raise OptionError("name a game, as in: sekisho play quoridor; sekisho games lists them")
        game = self._game()
        seats = self.seats or (HUMAN, *[STAND_IN] * (game.num_players - 1))
        seed = secrets.randbelow(_MOST_FRESH_SEED) if self.seed is None else self.seed
        return Session(game.new_initial_state(), seats, seed)

    def _game(self) -> Game:
        """Return the game: as many players as seats are named, and with resigning where a person can decide to."""
        options = game_class(self.game).OPTIONS
        chosen = parse_options(options, self.rules, self.game)
        known = [option.name for option in options]
        named = len(self.seats) if self.seats and "players" in known and "players" not in chosen else None
        if named is not None and self.players is None:
            _check_seats(named, options[known.index("players")], self.game)
        players = self.players if self.players is not None else named
        if self.seats and players is not None and len(self.seats) != players:
            raise OptionError(f"--players {players}, but --seats names {len(self.seats)}")
        rules = self.rules
        if self._person_plays() and "allow_resign" not in chosen and "allow_resign" in known:
            rules = ",".join(filter(None, (rules.strip(), "allow_resign=true")))
        return game_from_words(self.game, rules, players)

    def _person_plays(self) -> bool:
        return not self.seats or any(parse_spec(spec).name == HUMAN for spec in self.seats)


def _check_seats(named: int, players: Option, game: str) -> None:
    """Raise `OptionError` if a game has no table for so many as `--seats` names."""
    try:
        players.check(named)
    except OptionError as error:
        people = f"{named} player{'' if named == 1 else 's'}"
        known = " or ".join(map(str, players.choices)) or f"{players.minimum} to {players.maximum}"
        raise OptionError(f"--seats names {people}; {game} has {known}") from error


def _read(words: str) -> tuple[Path, Session]:
    """Return a saved game; one that is wrong is a failure (status 1), a file that is not there wrong use (2)."""
    try:
        return saved_game("--load", words)
    except RecordError as error:
        raise RunError(str(error)) from error
