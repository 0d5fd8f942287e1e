"""A race with dice in plain Python, for what needs a game with chance and no compiled code.

A die with `sides` sides is thrown; the seat to move then goes that far or stays where it is. Who first stands on `goal`
or beyond wins. Words of a state: pips of the throw (0 where a die is to be thrown), seat to move, steps of each seat.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sekisho.envs.core import CHANCE, TERMINAL, Game, NotationError, Option, PositionError, Preview, State
from sekisho.envs.counter_rng import draw_below
from sekisho.envs.kernels import Kernels

SIDES, GOAL, PLAYERS = range(3)
PIPS, SEAT, STEPS = range(3)
STAY, GO = range(2)


def reset(rules: Any, state: Any) -> None:
    state[:] = 0


def finished(rules: Any, state: Any) -> bool:
    return bool((state[STEPS:] >= rules[GOAL]).any())


def to_move(rules: Any, state: Any) -> int:
    if finished(rules, state):
        return TERMINAL
    return int(state[SEAT]) if state[PIPS] else CHANCE


def legal(rules: Any, state: Any, mask: Any) -> int:
    mask[:] = 1 if to_move(rules, state) >= 0 else 0
    return int(mask.sum())


def chance(rules: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    if to_move(rules, state) != CHANCE:
        return 0
    sides = int(rules[SIDES])
    outcomes[:sides], probabilities[:sides] = np.arange(sides), 1 / sides
    return sides


def sample(rules: Any, state: Any, rng: Any) -> int:
    return int(draw_below(rng, rules[SIDES] if to_move(rules, state) == CHANCE else 2))


def apply(rules: Any, state: Any, action: int) -> None:
    if not state[PIPS]:
        state[PIPS] = action + 1
        return
    if action == GO:
        state[STEPS + state[SEAT]] += state[PIPS]
    state[PIPS], state[SEAT] = 0, (state[SEAT] + 1) % rules[PLAYERS]


def returns(rules: Any, state: Any, out: Any) -> None:
    out[:] = 0
    if finished(rules, state):
        out[:] = np.where(state[STEPS:] >= rules[GOAL], 1.0, -1.0 / (rules[PLAYERS] - 1))


def capped(rules: Any, state: Any) -> int:
    return 0


def observe(rules: Any, state: Any, seat: int, out: Any) -> None:
    out[:] = 0


def state_hash(rules: Any, state: Any) -> int:
    return hash(state.tobytes()) & (2**64 - 1)


class DiceRace(Game):
    name = "dice_race"
    title = "Dice race"
    OPTIONS = (
        Option("players", 2, "seats", minimum=2, maximum=4),
        Option("goal", 12, "steps to go", minimum=1),
        Option("sides", 6, "of the die", minimum=1, maximum=6),
    )
    kernels = Kernels(reset, to_move, legal, chance, sample, apply, returns, capped, state_hash, observe)

    def __init__(self, /, **options: Any) -> None:
        super().__init__(**options)
        self.num_players, self.num_actions = self.options["players"], 2
        self.max_chance_outcomes = self.options["sides"]
        self.state_size = STEPS + self.num_players
        self.rules = np.array([self.options[key] for key in ("sides", "goal", "players")], dtype=np.int64)

    def new_initial_state(self) -> DiceRaceState:
        return DiceRaceState(self, np.zeros(self.state_size, dtype=np.int64))

    def from_text(self, text: str) -> DiceRaceState:
        raise PositionError("positions of this game are not read")


class DiceRaceState(State):
    def end_reason(self) -> str | None:
        return "goal" if self.is_terminal() else None

    def action_to_string(self, action: int) -> str:
        return f"throw{action + 1}" if self.is_chance_node() else ("stay", "go")[action]

    def string_to_action(self, text: str) -> int:
        if text.startswith("throw") and text[5:].isdigit():
            return int(text[5:]) - 1
        if text in ("stay", "go"):
            return ("stay", "go").index(text)
        raise NotationError(f"{text!r} is no move")

    def to_text(self) -> str:
        return " ".join(map(str, self.words.tolist()))

    def preview(self, action: int) -> Preview:
        return Preview("", {})

    def draw(self, columns: int = 100) -> str:
        return self.to_text()

    def draw_svg(self) -> str:
        return ""
