"""What can be typed at the table beside moves, and what it does."""

from __future__ import annotations

from typing import NamedTuple

from ..arena.session import STAND_IN, Session
from .table_view import sensible
from .words import UNITS


class Help(NamedTuple):
    """What a word does: how it is written, in a line, and in full."""

    usage: str
    line: str
    more: str = ""


EACH_ALONE = "each is looked at alone, from the position on the board"
HELP = {
    "?": Help("? [WORD]", "this list, or more about one word", "help is the same."),
    "look": Help(
        "look MOVE …",
        "where a move would lead, without playing it",
        f"Of several moves {EACH_ALONE}; one that is not legal is told why.",
    ),
    "moves": Help("moves", "everything you may play now"),
    "show": Help(
        "show",
        "the whole board again",
        "On a terminal with too few rows for it only the part in play is shown before a decision, once the whole was.",
    ),
    "hint": Help(
        "hint [SPEC]",
        "what a CPU player would play",
        f"SPEC names it, as in: hint random; without one it is {STAND_IN}. It plays nothing for you. What the choices are "
        f"worth is told in {'; or in '.join(UNITS.values())}.",
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
        "your pawn on, so that the others can finish; undo takes it back, and in a rematch you play again.",
    ),
    "seat": Help(
        "seat NUMBER SPEC",
        "give a seat to a CPU player, or to a person",
        "As in: seat 1 heuristic, and back: seat 1 human. It counts from now on; the game goes on where it stands. A "
        "player that searches is compiled at its first use ever, which takes some seconds to a minute.",
    ),
    "journal": Help("journal", "what has happened so far, turn by turn"),
    "position": Help("position", "the position as a line of text, and the seed"),
    "save": Help(
        "save [FILE]",
        "say where the game is kept, or keep it in another file from now on",
        "It is written after every decision anyway.",
    ),
    "load": Help(
        "load [FILE]",
        "leave this game, once it is saved, and go on with another",
        "Without FILE the latest games are listed; load 2 then takes the second of them, as does its name in the list.",
    ),
    "rematch": Help(
        "rematch",
        "a new game of the same players, everybody one seat further",
        "Whoever had the second seat begins. The game before stays saved.",
    ),
    "quit": Help("quit", "leave; the game is saved and can be gone on with", "Ctrl-D does the same."),
}
ALIASES = {"help": "?", "h": "?", "exit": "quit", "q": "quit", "board": "show", "preview": "look"}
"""Other spellings."""


def look_example(session: Session) -> str:
    """Return how `look` could be used now, by the first moves of the position; empty where nothing is to be decided."""
    names = [session.state.action_to_string(action) for action in sensible(session)[:2]]
    return f"as in: look {' '.join(names)}" if names else ""


def in_full(name: str, session: Session) -> str:
    """Return everything about a word of `HELP`; its examples are those of the game and the position."""
    entry = HELP[name]
    example = look_example(session).replace("as", "As", 1) if name == "look" else ""
    notation = session.game.move_notation if name == "moves" else ""
    told = [f"{entry.usage}: {entry.line}.", f"{example}." if example else "", notation, entry.more]
    return " ".join(filter(None, told))
