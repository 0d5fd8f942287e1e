"""Dash: a game with dice as another package would bring it, small enough to be worked out by hand.

Two pawns race to square `length`. A turn is a throw of 1, 2 or 3 (chances 1/2, 1/3, 1/6) and then a choice: go as far
as thrown (action 0) or, after more than a 1, a single square (action 1). The first to arrive wins.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from sekisho.envs.compiling import kernel
from sekisho.envs.core import Game, Preview, State
from sekisho.envs.counter_rng import draw_below, mix
from sekisho.envs.errors import IllegalActionError, NotationError, PositionError
from sekisho.envs.kernels import CHANCE, TERMINAL, Kernels
from sekisho.envs.observations import Part
from sekisho.envs.options import Option

POSITION, SEAT, THROWN = 0, 2, 3  # two words for the pawns; THROWN is 0 before the throw


@kernel
def reset(_rules: Any, state: Any) -> None:
    state[:] = 0


@kernel
def to_move(rules: Any, state: Any) -> Any:
    if state[0] >= rules[0] or state[1] >= rules[0]:
        return TERMINAL
    return state[SEAT] if state[THROWN] else CHANCE


@kernel
def legal(rules: Any, state: Any, mask: Any) -> Any:
    mask[:] = 0
    if to_move(rules, state) < 0:
        return 0
    mask[0] = 1
    if state[THROWN] > 1:
        mask[1] = 1
    return np.int64(mask[0]) + np.int64(mask[1])


@kernel
def chance(rules: Any, state: Any, outcomes: Any, probabilities: Any) -> Any:
    if to_move(rules, state) != CHANCE:
        return 0
    for face in range(1, 4):
        outcomes[face - 1] = face
        probabilities[face - 1] = (4 - face) / 6.0
    return 3


@kernel
def sample(rules: Any, state: Any, rng: Any) -> Any:
    if to_move(rules, state) == CHANCE:
        ticket = draw_below(rng, 6)
        return 1 if ticket < 3 else 2 if ticket < 5 else 3
    return draw_below(rng, 2 if state[THROWN] > 1 else 1)


@kernel
def apply(_rules: Any, state: Any, action: Any) -> None:
    if state[THROWN] == 0:
        state[THROWN] = action
        return
    state[state[SEAT]] += 1 if action == 1 else state[THROWN]
    state[SEAT] = 1 - state[SEAT]
    state[THROWN] = 0


@kernel
def returns(rules: Any, state: Any, out: Any) -> None:
    for seat in range(2):
        out[seat] = np.float64(state[seat] >= rules[0]) - np.float64(state[1 - seat] >= rules[0])


@kernel
def capped(_rules: Any, _state: Any) -> Any:
    return 0


@kernel
def observe(rules: Any, state: Any, seat: Any, out: Any) -> None:
    view = max(seat, 0)
    out[0], out[1] = min(1.0, state[view] / rules[0]), min(1.0, state[1 - view] / rules[0])
    out[2], out[3] = state[THROWN] / 3.0, np.float32(state[SEAT] == view)


@kernel
def hash(_rules: Any, state: Any) -> Any:  # noqa: A001  the name in the contract
    value = np.uint64(0)
    for word in range(4):
        value = mix(value + np.uint64(state[word]) + np.uint64(word + 1))
    return value


class Dash(Game):
    """The race, as long as `length` says."""

    name = "dash"
    title = "Dash"
    OPTIONS = (Option("length", 5, "square of the goal", minimum=1, maximum=60),)
    observation_parts = (Part("pawns", 2, "way gone"), Part("thrown", 1, "pips"), Part("turn", 1, "1 if it is mine"))
    kernels = Kernels(reset, to_move, legal, chance, sample, apply, returns, capped, hash, observe)

    def __init__(self, /, **options: Any) -> None:
        super().__init__(**options)
        self.num_players, self.num_actions, self.max_chance_outcomes, self.state_size = 2, 2, 3, 4
        self.max_game_length = 4 * self.options["length"]
        self.rules = np.array([self.options["length"]], dtype=np.int64)

    def new_initial_state(self) -> DashState:
        return DashState(self, np.zeros(4, dtype=np.int64))

    def from_text(self, text: str) -> DashState:
        words = text.split()
        if len(words) != 4 or not all(word.isascii() and word.isdigit() and len(word) < 3 for word in words):
            raise PositionError(f"expected 'pawn pawn seat thrown', not {text!r}")
        return DashState(self, np.array(words, dtype=np.int64))


class DashState(State):
    """A position of Dash."""

    def end_reason(self) -> str | None:
        return "goal" if self.is_terminal() else None

    def action_to_string(self, action: int) -> str:
        return f"threw {action}" if self.is_chance_node() else ("all", "one")[action]

    def string_to_action(self, text: str) -> int:
        names = {"all": 0, "one": 1, "threw 1": 1, "threw 2": 2, "threw 3": 3}
        if text not in names:
            raise NotationError(f"expected one of {', '.join(names)}, not {text!r}")
        legal = [o for o, _ in self.chance_outcomes()] if self.is_chance_node() else self.legal_actions()
        if text.startswith("threw") != self.is_chance_node() or names[text] not in legal:
            raise IllegalActionError(f"{text} is not legal here")
        return names[text]

    def to_text(self) -> str:
        return " ".join(str(word) for word in self.words)

    def preview(self, action: int) -> Preview:
        return Preview(self.action_to_string(action), {"to": self.child(action).to_text()})

    def draw(self) -> str:
        return self.to_text()

    def draw_svg(self) -> str:
        return "<svg xmlns='http://www.w3.org/2000/svg'/>"


# --- the same game on paper ------------------------------------------------------------------------------------------


@cache
def paths(mine: int, other: int, thrown: int, length: int, depth: int) -> int:
    """Return the number of paths of exactly `depth` plies; `thrown` 0 stands for a throw to come."""
    if depth == 0:
        return 1
    if mine >= length or other >= length:
        return 0
    if thrown == 0:
        return sum(paths(mine, other, face, length, depth - 1) for face in (1, 2, 3))
    return sum(paths(other, mine + steps, 0, length, depth - 1) for steps in {thrown, 1})


@cache
def value(mine: int, other: int, length: int) -> Fraction:
    """Return the mean return of the player about to throw when both choose at random."""
    if other >= length:
        return Fraction(-1)
    total = Fraction(0)
    for face, chances in ((1, 3), (2, 2), (3, 1)):
        choices = {face, 1}
        total += Fraction(chances, 6 * len(choices)) * sum(-value(other, mine + steps, length) for steps in choices)
    return total
