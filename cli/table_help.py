"""What can be typed at the table beside moves, and what it does."""

from __future__ import annotations

from typing import NamedTuple

from ..arena.session import STAND_IN


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
        "your pawn on, so that the others can finish; undo takes it back, and in a rematch you play again.",
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
        "It is written after every decision anyway.",
    ),
    "load": Help("load FILE", "leave this game, once it is saved, and go on with another"),
    "rematch": Help(
        "rematch",
        "a new game of the same players, everybody one seat further",
        "Whoever had the second seat begins. The game before stays saved.",
    ),
    "quit": Help("quit", "leave; the game is saved and can be gone on with", "Ctrl-D does the same."),
}
ALIASES = {"help": "?", "h": "?", "exit": "quit", "q": "quit", "board": "show", "preview": "look"}
"""Other spellings."""
