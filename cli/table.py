"""The table at which people play: shows the game, asks whoever is to decide, and does what is typed."""

from __future__ import annotations

import contextlib
import difflib
import os
import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from ..agents.agent import Agent
from ..agents.choices import can_value, choice_unit, choice_values
from ..agents.registry import make_agent
from ..arena.resigning import without_resigning
from ..arena.session import STAND_IN, Session
from ..arena.telling import effect, ply_line, seat_at
from ..envs.core import CHANCE, State
from ..envs.errors import EngineFault, NotationError, OptionError, RunError, SekishoError, nearest, shown
from .common import interruptible, path_from_words
from .keyboard import Keyboard, ended_in_order, undisturbed
from .recorded_games import saved_game, show_kept_games
from .shelf import Shelf
from .table_help import ALIASES, EACH_ALONE, HELP, in_full, look_example
from .table_view import FEW, decisions, few_moves, result_line, seat_name, sensible, show_choice, show_choices
from .words import height, message, rules_line, say, width

_BEST = 3  # choices that a hint names
_PLACES = 9  # decimal places in which values are compared
_CLOSE = 0.7  # how much alike a word of the table is that was meant, 0..1
_WITH_FILE = ("save", "load")  # words behind which the rest of the line is the name of a file


class Table:
    """A table, with a game on it.

    Args:
        session: the game.
        shelf: where it is kept.
    """

    def __init__(self, session: Session, shelf: Shelf) -> None:
        self.session, self.shelf = session, shelf
        self._keyboard = Keyboard(self._typable)
        self._leaving = False
        self._somebody = False  # whether a person has been asked anything: no table to be left unasked then
        self._listed: list[str] | None = None  # the files of the kept games, as numbered on the screen
        self._shown = False  # whether the board was, since it last changed
        self._seen_whole = False  # whether the whole of it was, in this game
        self._does: dict[str, Callable[[list[str]], None]] = {
            "?": self._help, "look": self._look, "moves": self._moves, "show": self._show, "hint": self._hint,
            "undo": self._undo, "resign": self._resign, "seat": self._seat, "journal": self._journal,
            "position": self._position, "save": self._save, "load": self._load, "rematch": self._rematch,
            "quit": self._quit,
        }  # fmt: skip

    def play(self) -> None:
        """Play until somebody leaves. Whatever ends it, the game is saved then, and where is said.

        Raises:
            KeyboardInterrupt: after a Ctrl-C.
            GoneError: if the terminal was closed, or the process told to end.
            RunError: if the game is not where it was to be kept.
        """
        with ended_in_order():
            try:
                self._welcome()
                while not self._leaving:
                    self._step()
            finally:
                with undisturbed():
                    self._farewell()
        if self.shelf.trouble:
            raise RunError(self.shelf.trouble)

    def _farewell(self) -> None:
        """Save, and say where or that it failed; on stderr if stdout is gone."""
        self.shelf.keep(self.session)
        self.shelf.release()
        words = self.shelf.farewell(self.session)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                print(f"\n{words}", file=stream, flush=True)
                return

    # --- the course of the game --------------------------------------------------------------------------------------

    def _welcome(self) -> None:
        session = self.session
        say(rules_line(session.game), indent="  ")
        for seat in range(len(session.players)):
            say(f"  {seat_name(self.session, seat)}")
        same = "dice" if session.game.max_chance_outcomes else "choices of CPU players"
        again = f"game {session.round + 1}" if session.round else f"--seed {session.seed} gives the same {same} again"
        say(f"Seed {session.seed} ({again}).")
        if any(player.is_human for player in session.players):
            say("Type a move, or ? for help.")

    def _step(self) -> None:
        session = self.session
        if session.is_over:
            self._after_the_end()
        elif session.asks_a_person:
            self._ask_for_a_move()
        else:
            before = session.state.clone()
            if session.mover == CHANCE:
                action = session.throw()
            else:
                try:
                    action = interruptible(session.decide).action
                except EngineFault as fault:
                    self._after_a_fault(fault)
                    return
                session.play(action)
            self._tell(before, action)
            self.shelf.keep_now_and_then(session)

    def _after_a_fault(self, fault: EngineFault) -> None:
        """Say that a program has failed, and let somebody say who goes on."""
        self.shelf.keep(self.session)
        print(message(str(fault)))
        seat = self.session.mover + 1
        say(f"Enter asks it again; seat {seat} {STAND_IN} has another player go on, seat {seat} human yourself.")
        line = self._keyboard.ask(f"{seat_name(self.session, seat - 1)}> ")
        if line is None:
            self._leaving = True
        else:
            not_yours = "This seat is not yours: {}press Enter, or name who plays it with seat."
            self._obey(line, lambda line: say(not_yours.format(self._meant(line))))

    def _tell(self, before: State, action: int) -> None:
        seat = seat_at(before)
        say(f"{seat_name(self.session, seat) if seat >= 0 else 'somebody'} {ply_line(before, action)}", indent="  ")
        self._shown = False

    def _ask_for_a_move(self) -> None:
        session = self.session
        if not self._shown:
            self.shelf.keep(session)
            say()
            self._draw()
            say()
            show_choices(session)
        self._somebody = True
        line = self._keyboard.ask(f"{seat_name(session, session.mover)}> ")
        if line is None:
            self._leaving = True
            return
        only = sensible(session)
        if not line and len(only) == 1:  # to throw a die needs no more than a key
            line = session.state.action_to_string(only[0])
        if line:
            self._obey(line, self._play_move)
        else:
            say(f"There is a choice. Type one: {few_moves(session)}; or ? for help.", indent="  ")

    def _after_the_end(self) -> None:
        session = self.session
        if not self._shown:
            self.shelf.keep(session)
            if session.conceded is None:  # else the board would say whose turn it is
                say()
                self._draw()
                say()
            say(result_line(session))
            self._shown = True
        if not session.has_people and not self._somebody:
            self._leaving = True
            return
        line = self._keyboard.ask("rematch, undo, journal or quit> ")
        if line is None:
            self._leaving = True
            return
        over = "The game is over: {}type rematch, undo, journal or quit; ? lists everything."
        self._obey(line, lambda line: say(over.format(self._meant(line))))

    def _obey(self, line: str, otherwise: Callable[[str], None]) -> None:
        """Do what a line says; complain in words where it cannot be done, and change nothing then."""
        self._somebody = True
        words = line.split()
        if not words:
            return
        name = ALIASES.get(words[0].lower(), words[0].lower())
        try:
            if name in self._does:
                if len(words) > 1 and " " not in HELP[name].usage:
                    raise OptionError(f"{name} stands alone: type no more than that")
                self._does[name](_file_name(line) if name in _WITH_FILE else words[1:])
            else:
                otherwise(line)
        except SekishoError as error:
            print(message(str(error)))

    def _play_move(self, line: str) -> None:
        state = self.session.state
        try:
            action = state.string_to_action(line)
        except NotationError as error:
            raise NotationError(f"{error}; {self._meant(line)}? lists what can be typed") from error
        before = state.clone()
        self.session.play(action)
        self._tell(before, action)
        self.shelf.keep(self.session)

    def _meant(self, line: str) -> str:
        """Return the word, or other spelling of one, that a line may have been meant to begin with, as a question."""
        close = difflib.get_close_matches(line.split()[0].lower(), [*self._does, *ALIASES], n=1, cutoff=_CLOSE)
        return f"did you mean {close[0]!r}? " if close else ""

    # --- what can be typed -------------------------------------------------------------------------------------------

    def _help(self, words: list[str]) -> None:
        if not words:
            width_of_usage = max(len(entry.usage) for entry in HELP.values())
            say("Type a move in the notation of the game, or:")
            for entry in HELP.values():
                say(f"  {entry.usage:<{width_of_usage}}  {entry.line}", indent=" " * (width_of_usage + 2))
            say(f"Moves now: {few_moves(self.session)}", indent="  ")
            if self.session.game.move_notation:
                say(f"Notation: {self.session.game.move_notation}", indent="  ")
            return
        name = ALIASES.get(words[0].lower(), words[0].lower())
        if name not in HELP:
            raise OptionError(f"there is no word {shown(words[0])}; {nearest(name, [*HELP, *ALIASES])}")
        say(in_full(name, self.session))

    def _look(self, words: list[str]) -> None:
        if not words:
            example = look_example(self.session)
            raise OptionError(f"name a move, {example}" if example else "there is nothing to decide here")
        seen = 0
        for word in words:
            try:
                show_choice(self.session.state, self.session.state.string_to_action(word))
                seen += 1
            except SekishoError as error:  # the others are looked at all the same
                print(message(str(error)))
        if seen > 1:
            say(f"  ({EACH_ALONE})")

    def _moves(self, _words: list[str]) -> None:
        state, actions = self.session.state, decisions(self.session)
        if len(actions) > FEW:
            say(" ".join(map(state.action_to_string, actions)), indent="  ")
        else:
            for action in actions:
                show_choice(state, action)

    def _show(self, _words: list[str]) -> None:
        print(self.session.state.draw(width()))
        self._shown = self._seen_whole = True

    def _draw(self) -> None:
        """Show the board: once whole, then briefly where the whole of it would scroll off the terminal."""
        whole, brief = self.session.state.draw(width()), self.session.state.draw_briefly(width())
        if brief == whole or not (self._seen_whole and 0 < height() <= whole.count("\n") + 1):
            self._show([])
            return
        print(brief)
        say("(show tells the whole board)")
        self._shown = True

    def _hint(self, words: list[str]) -> None:
        if not self.session.asks_a_person:
            raise OptionError("there is nothing to decide here")
        state = without_resigning(self.session.state)
        spec = " ".join(words) or STAND_IN
        adviser = make_agent(spec)
        decision = interruptible(partial(self.session.decide, adviser))
        move = state.action_to_string(decision.action)
        words_of_it = effect(state, decision.action)
        say(f"{spec} would play {move}" + ("" if "\n" in words_of_it else f": {words_of_it}"), indent="  ")
        self._best_by(adviser, state, decision.action)

    def _best_by(self, adviser: Agent, state: State, chosen: int) -> None:
        """Say what an adviser thinks of the best choices: the chosen one before its equals, and which are equal."""
        if not can_value(adviser, state.game):
            return
        values, unit = choice_values(adviser, state), choice_unit(adviser, state.game)
        valued = [int(action) for action in np.flatnonzero(~np.isnan(values))]
        rounded = {action: round(float(values[action]), _PLACES) for action in valued}
        best = sorted(valued, key=lambda action: (-rounded[action], action != chosen))
        shown = best[:_BEST] + [action for action in best[_BEST:] if action == chosen]
        rated = ", ".join(f"{state.action_to_string(action)} {values[action]:+.2f}" for action in shown)
        equal = sum(rounded[action] == rounded[best[0]] for action in best)
        which = f"the first {equal}" if equal <= _BEST else f"the first {_BEST} and {equal - _BEST} more"
        told = f"; {which} are equal to it" if equal > 1 else ""
        say(f"its best of {len(best)} ({unit}): {rated}{told}", indent="  ")

    def _undo(self, _words: list[str]) -> None:
        taken = self.session.undo()
        say(f"taken back: {' '.join(taken)}", indent="  ")
        self._shown = False

    def _resign(self, _words: list[str]) -> None:
        say(self.session.resign(), indent="  ")
        self._shown = False

    def _seat(self, words: list[str]) -> None:
        if len(words) < 2 or not words[0].isascii() or not words[0].isdigit() or len(words[0]) > 2:
            raise OptionError("expected a number and who plays, as in: seat 1 heuristic")
        number, session = int(words[0]), self.session
        session.take_over(number - 1, " ".join(words[1:]))
        if session.is_over:  # nothing to be shown again
            self.shelf.keep(session)
            following = (number - 2) % len(session.players) + 1
            say(
                f"The game is over: {seat_name(session, number - 1)} plays from the rematch on, and has seat {following} there."
            )
        else:
            say(f"{seat_name(session, number - 1)} plays on")
            self._shown = False

    def _journal(self, _words: list[str]) -> None:
        say(self.session.state.journal_text() or "nothing was played yet", indent="     ")
        for note in self.session.notes:
            say(f"after ply {note.ply}: {note.text}")

    def _position(self, _words: list[str]) -> None:
        say(f"{self.session.state.to_text()}\nseed {self.session.seed}, game {self.session.round + 1}")

    def _save(self, words: list[str]) -> None:
        path = path_from_words("save", words[0]) if words else None
        if path is not None:
            self.shelf.move_to(path, self.session)
        else:
            self.shelf.keep(self.session)
        print(self.shelf.where())

    def _load(self, words: list[str]) -> None:
        if not words:
            self._listed = show_kept_games("load")
            return
        path, session = saved_game("load", words[0], self._listed)
        session.require_no_programs()
        if self.shelf.path is not None and os.path.realpath(self.shelf.path) == os.path.realpath(path):
            self._take_up(session, lambda: self.shelf)
        else:
            self._take_up(session, lambda: Shelf(path))

    def _rematch(self, _words: list[str]) -> None:
        self._take_up(self.session.rematch(), self.shelf.next)

    def _take_up(self, session: Session, find_shelf: Callable[[], Shelf]) -> None:
        """Leave this game for another.

        Raises:
            RunError: if it cannot be written; it is not left then.
        """
        if not self.shelf.keep(self.session):
            raise RunError(f"this game would be lost: {self.shelf.trouble}; name another file, as in: save other.json")
        shelf = find_shelf()
        print(self.shelf.where("The game" if shelf is self.shelf else "The game you leave"))
        if shelf is not self.shelf:
            self.shelf.release()
        self.session, self.shelf, self._shown, self._seen_whole = session, shelf, False, False
        say()
        self._welcome()

    def _quit(self, _words: list[str]) -> None:
        self._leaving = True

    def _typable(self) -> list[str]:
        return [*map(self.session.state.action_to_string, decisions(self.session)), *self._does]


def _file_name(line: str) -> list[str]:
    """Return the name that follows the first word of a line, if one does: bare, or in quotes as this program prints it."""
    rest = line.split(maxsplit=1)[1:]
    if not rest:
        return []
    if rest[0][0] in "'\"":
        with contextlib.suppress(ValueError):  # a quote that is left open belongs to the name
            words = shlex.split(rest[0])
            if len(words) == 1:
                return words
    with contextlib.suppress(RuntimeError):  # a ~ of somebody who has no home here
        return [str(Path(rest[0]).expanduser())]
    return rest
