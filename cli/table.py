"""The table at which people play: shows the game, asks whoever is to decide, and does what is typed."""

from __future__ import annotations

import contextlib
import difflib
import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..agents.agent import Agent
from ..agents.choices import can_value, choice_unit, choice_values
from ..agents.registry import make_agent
from ..arena.saved import read_session
from ..arena.session import STAND_IN, Session, resign_action, without_resigning
from ..arena.telling import effect, ply_line, seat_at
from ..envs.core import CHANCE, State
from ..envs.errors import NotationError, OptionError, RunError, SekishoError, nearest
from .common import interruptible, path_from_words
from .keyboard import GoneError, Keyboard, ended_in_order, undisturbed
from .shelf import Shelf
from .words import rules_line, say

_FEW = 12  # choices that are listed before each decision
_BEST = 3  # choices that a hint names


class Help(NamedTuple):
    """What a word does: how it is written, in a line, and in full."""

    usage: str
    line: str
    more: str = ""


HELP = {
    "?": Help("? [WORD]", "this list, or more about one word", "help is the same."),
    "look": Help("look MOVE …", "where a move would lead, without playing it", "As in: look e3h e4v"),
    "moves": Help("moves", "everything you may play now"),
    "show": Help("show", "the board again"),
    "hint": Help(
        "hint [SPEC]",
        "what a CPU player would play",
        f"SPEC names it, as in: hint random; without one it is {STAND_IN}. It plays nothing for you.",
    ),
    "undo": Help(
        "undo",
        "take your last decision back, and what followed",
        "The dice do not change by it: the same throw comes at the same place.",
    ),
    "resign": Help(
        "resign",
        "give the game up",
        "By the rules where they know it. In Quoridor a game of two is lost then; in one of four a CPU player plays "
        "your pawn on, so that the others can finish.",
    ),
    "seat": Help(
        "seat NUMBER SPEC",
        "give a seat to a CPU player, or to a person",
        "As in: seat 1 heuristic, and back: seat 1 human. It counts from now on; the game goes on where it stands.",
    ),
    "journal": Help("journal", "what has happened so far, turn by turn"),
    "position": Help("position", "the position as a line of text, and the seed"),
    "save": Help(
        "save [FILE]",
        "say where the game is kept, or keep it in another file from now on",
        "It is written after every move anyway.",
    ),
    "load": Help("load FILE", "leave this game, which stays saved, and go on with another"),
    "rematch": Help(
        "rematch",
        "a new game of the same players, everybody one seat further",
        "Whoever had the second seat begins. The game before stays saved.",
    ),
    "quit": Help("quit", "leave; the game is saved and can be gone on with", "Ctrl-D does the same."),
}
_ALIASES = {"help": "?", "h": "?", "exit": "quit", "q": "quit", "board": "show", "preview": "look"}


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
        self._shown = False  # whether the board was, since it last changed
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
            RunError: if the terminal was closed, or the process told to end.
        """
        with ended_in_order():
            try:
                self._welcome()
                while not self._leaving:
                    self._step()
            except GoneError:
                raise RunError("the terminal is gone, or somebody ended the game") from None
            finally:
                with undisturbed():
                    self._farewell()

    def _farewell(self) -> None:
        """Save, and say where, on stderr if stdout is gone."""
        self.shelf.keep(self.session)
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
            say(f"  {self._name(seat)}")
        again = f"game {session.round + 1}" if session.round else f"--seed {session.seed} gives the same dice again"
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
                action = interruptible(session.decide).action
                session.play(action)
            self._tell(before, action)

    def _tell(self, before: State, action: int) -> None:
        seat = seat_at(before)
        say(f"{self._name(seat) if seat >= 0 else 'somebody'} {ply_line(before, action)}", indent="  ")
        self._shown = False

    def _ask_for_a_move(self) -> None:
        session = self.session
        if not self._shown:
            self.shelf.keep(session)
            say()
            self._show([])
            say()
            self._choices()
        line = self._keyboard.ask(f"{self._name(session.mover)}> ")
        if line is None:
            self._leaving = True
            return
        sensible = self._sensible()
        if not line and len(sensible) == 1:  # to throw a die needs no more than a key
            line = session.state.action_to_string(sensible[0])
        self._obey(line, self._play_move)

    def _after_the_end(self) -> None:
        session = self.session
        if not self._shown:
            self.shelf.keep(session)
            if session.conceded is None:  # else the board would say whose turn it is
                say()
                self._show([])
                say()
            say(self._result())
            self._shown = True
        if not any(player.is_human for player in session.players):
            self._leaving = True
            return
        line = self._keyboard.ask("rematch, undo, journal or quit> ")
        if line is None:
            self._leaving = True
            return
        self._obey(line, lambda _: say("The game is over. Type rematch, undo, journal or quit; ? lists everything."))

    def _obey(self, line: str, otherwise: Callable[[str], None]) -> None:
        """Do what a line says; complain in words where it cannot be done, and change nothing then."""
        words = line.split()
        if not words:
            return
        name = _ALIASES.get(words[0].lower(), words[0].lower())
        try:
            if name in self._does:
                self._does[name](words[1:])
            else:
                otherwise(line)
        except SekishoError as error:
            say(str(error), indent="  ")

    def _play_move(self, line: str) -> None:
        state = self.session.state
        try:
            action = state.string_to_action(line)
        except NotationError as error:
            first = line.split()[0]
            hint = difflib.get_close_matches(first.lower(), self._does, n=1, cutoff=0.7)
            more = f"did you mean {hint[0]!r}? " if hint else ""
            raise NotationError(f"{error}; {more}? lists what can be typed") from error
        before = state.clone()
        self.session.play(action)
        self._tell(before, action)
        self.shelf.keep(self.session)

    # --- what can be typed -------------------------------------------------------------------------------------------

    def _help(self, words: list[str]) -> None:
        if not words:
            width = max(len(entry.usage) for entry in HELP.values())
            say("Type a move in the notation of the game, or:")
            for entry in HELP.values():
                say(f"  {entry.usage:<{width}}  {entry.line}")
            say(f"Moves now: {self._few_moves()}", indent="  ")
            return
        name = _ALIASES.get(words[0].lower(), words[0].lower())
        if name not in HELP:
            raise OptionError(f"there is no word {words[0]!r:.80}; {nearest(name, HELP)}")
        entry = HELP[name]
        say(f"{entry.usage}: {entry.line}. {entry.more}".strip())

    def _look(self, words: list[str]) -> None:
        if not words:
            raise OptionError("name a move, as in: look " + self._few_moves().split(",")[0])
        state = self.session.state
        for word in words:
            action = state.string_to_action(word)
            self._line_of(action)

    def _moves(self, _words: list[str]) -> None:
        state, actions = self.session.state, self._decisions()
        if len(actions) > _FEW:
            say(" ".join(map(state.action_to_string, actions)), indent="  ")
        else:
            for action in actions:
                self._line_of(action)

    def _show(self, _words: list[str]) -> None:
        print(self.session.state.draw())
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
        self._best_by(adviser, state)

    def _best_by(self, adviser: Agent, state: State) -> None:
        if not can_value(adviser, state.game):
            return
        values, unit = choice_values(adviser, state), choice_unit(adviser, state.game)
        best = [int(action) for action in np.argsort(-values, kind="stable") if not np.isnan(values[action])]
        rated = ", ".join(f"{state.action_to_string(action)} {values[action]:+.2f}" for action in best[:_BEST])
        say(f"its best of {len(best)} ({unit}): {rated}", indent="  ")

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
        number = int(words[0])
        self.session.take_over(number - 1, " ".join(words[1:]))
        say(f"{self._name(number - 1)} plays on")
        self._shown = False

    def _journal(self, _words: list[str]) -> None:
        say(self.session.state.journal_text() or "nothing was played yet", indent="     ")
        for note in self.session.notes:
            say(f"after ply {note.ply}: {note.text}")

    def _position(self, _words: list[str]) -> None:
        say(f"{self.session.state.to_text()}\nseed {self.session.seed}, game {self.session.round + 1}")

    def _save(self, words: list[str]) -> None:
        path = path_from_words("save", " ".join(words)) if words else self.shelf.path
        if path is not None:
            self.shelf.move_to(path, self.session)
        else:
            self.shelf.keep(self.session)
        say_path(self.shelf)

    def _load(self, words: list[str]) -> None:
        path = path_from_words("load", " ".join(words))
        session = read_session(Path(path or ""))
        self._take_up(session, Shelf(path))

    def _rematch(self, _words: list[str]) -> None:
        self._take_up(self.session.rematch(), self.shelf.next())

    def _take_up(self, session: Session, shelf: Shelf) -> None:
        """Leave this game, which stays saved, for another."""
        self.shelf.keep(self.session)
        say_path(self.shelf)
        self.session, self.shelf, self._shown = session, shelf, False
        say()
        self._welcome()

    def _quit(self, _words: list[str]) -> None:
        self._leaving = True

    # --- words -------------------------------------------------------------------------------------------------------

    def _name(self, seat: int) -> str:
        player, people = self.session.players[seat], [p for p in self.session.players if p.is_human]
        if player.name:
            return f"seat {seat + 1} ({player.name})"
        if not player.is_human:
            return f"seat {seat + 1} ({player.spec})"
        who = "you" if len(people) == 1 else f"player {self.session.entrant(seat)}"
        return f"seat {seat + 1} ({who})"

    def _decisions(self) -> list[int]:
        return [] if self.session.is_over else self.session.state.legal_actions()

    def _sensible(self) -> list[int]:
        """Return what may be played, resigning left out."""
        resigning = resign_action(self.session.state)
        return [action for action in self._decisions() if action != resigning]

    def _choices(self) -> None:
        """Say where each choice leads; where there are many, only the moves of a piece, and how to see the rest."""
        state, actions = self.session.state, self._sensible()
        told = actions
        if len(actions) > _FEW:
            told = [action for action in actions if state.preview(action).data.get("kind") != "fence"][:_FEW]
        for action in told:
            self._line_of(action)
        if len(told) < len(actions):
            rest = [state.action_to_string(action) for action in actions if action not in told]
            say(f"  and {len(rest)} more, as {rest[0]}: moves lists them, look {rest[0]} says where that one leads")
        if len(actions) == 1:
            say(f"  (Enter plays {state.action_to_string(actions[0])})")

    def _line_of(self, action: int) -> None:
        state = self.session.state
        first, *more = effect(state, action).splitlines() or [""]
        say(f"  {state.action_to_string(action):<9} {first}", indent=" " * 10)
        for line in more:
            say(" " * 12 + line, indent="   ")

    def _few_moves(self) -> str:
        names = [self.session.state.action_to_string(action) for action in self._decisions()]
        return ", ".join(names[:_FEW]) + (", …" if len(names) > _FEW else "") if names else "none"

    def _result(self) -> str:
        session = self.session
        returns, end = session.returns(), session.end_reason()
        best = [seat for seat, value in enumerate(returns) if value == max(returns) and value > min(returns)]
        winners = " and ".join(self._name(seat) for seat in best)
        points = ", ".join(f"seat {seat + 1}: {value:+.2g}" for seat, value in enumerate(returns))
        return f"{winners or 'Nobody'} {'wins' if len(best) < 2 else 'win'} ({end}). Returns: {points}"

    def _typable(self) -> list[str]:
        return [*map(self.session.state.action_to_string, self._decisions()), *self._does]


def say_path(shelf: Shelf) -> None:
    """Say where a game is kept; the name stands on a line of its own, so that it can be copied."""
    print(f"The game is kept in\n{shlex.quote(str(shelf.path))}" if shelf.path else "Nothing was played yet.")
