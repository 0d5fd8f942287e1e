"""What a ply does in a line of words, whatever the game."""

from __future__ import annotations

from ..envs.core import CHANCE, State


def seat_at(state: State) -> int:
    """Return the seat whose turn it is; while dice fall what the state's own `seat` says, `CHANCE` if it has none."""
    seat: int = getattr(state, "seat", state.current_player())
    return seat


def effect(state: State, action: int) -> str:
    """Return what a legal action or an outcome leads to, in words, without its name; empty where nothing is to be said.

    Of a throw that the seat has to choose from nothing: its choices are told when it chooses.
    """
    preview = state.preview(action)
    if "numbers" in preview.data:
        return ""
    return preview.text.removeprefix(f"{state.action_to_string(action)}: ")


def ply_line(state: State, action: int) -> str:
    """Return a ply as ``throws [2-5]`` or ``plays e2: what it leads to``, to stand behind the name of its seat."""
    verb = "throws" if state.current_player() == CHANCE else "plays"
    words = effect(state, action)
    told = "" if not words or "\n" in words else f": {words}"  # several lines tell what may come, not what did
    return f"{verb} {state.action_to_string(action)}{told}"
