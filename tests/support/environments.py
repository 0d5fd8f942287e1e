"""What the tests of all environments share: which ones there are, and games that are played the same way in each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sekisho.envs import load_game
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.kernels import CHANCE
from sekisho.envs.registration import NAMES
from support.option_sets import OPTION_SETS

FORMS: list[dict[str, Any]] = [
    {},
    {"observation": "dict"},
    {"perspective": "board"},
    {"observation": "dict", "perspective": "board", "random_openings": 5},
    {"random_openings": 12},
]
"""What an environment can be asked for, beside the rules."""


@dataclass(frozen=True)
class Asked:
    """An environment to test: a game and what it is asked for."""

    game: str
    arguments: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.game}({', '.join(f'{name}={value}' for name, value in self.arguments.items())})"[:90]

    @property
    def id(self) -> str:
        return f"sekisho/{NAMES[self.game]}-v0"

    @property
    def versus_id(self) -> str:
        return f"sekisho/{NAMES[self.game]}Vs-v0"

    @property
    def rules(self) -> dict[str, Any]:
        given = {"observation", "perspective", "random_openings"}
        return {name: value for name, value in self.arguments.items() if name not in given}


ASKED = [
    Asked(game, {**options, **FORMS[(number + first) % len(FORMS)]})
    for game, sets in OPTION_SETS.items()
    for first in (0, 2)
    for number, options in enumerate(sets)
]


def choose(mask: np.ndarray[Any, Any], step: int, salt: int) -> int:
    """A legal action that depends on nothing but its arguments."""
    legal = np.flatnonzero(mask)
    number = int.from_bytes(hashlib.sha256(f"{step} {salt}".encode()).digest()[:8], "big")
    return int(legal[number % legal.size])


@dataclass
class Step:
    """What one step of one game showed, arrays as bytes."""

    observation: bytes
    mask: bytes
    seat: int
    rewards: tuple[float, ...]
    reward: float
    terminated: bool
    truncated: bool

    @classmethod
    def of(cls, observation: Any, reward: float, terminated: bool, truncated: bool, info: dict[str, Any]) -> Step:
        if isinstance(observation, dict):
            assert np.array_equal(observation["action_mask"], info["action_mask"])
            observation = observation["observation"]
        return cls(
            np.asarray(observation).tobytes(),
            np.asarray(info["action_mask"]).tobytes(),
            int(info["seat"]),
            tuple(np.asarray(info["rewards"]).tolist()),
            float(reward),
            bool(terminated),
            bool(truncated),
        )


def by_the_rules(asked: Asked, seed: int, steps: int, pick: Callable[[Any, int], int]) -> Iterator[Step]:
    """Play games one after the other with `State` alone, drawing dice as environments say they do."""
    turned = asked.arguments.get("perspective", "mover") == "mover"
    cap = {"max_turns": 1000} if asked.game == "tokaido" else {}
    game = load_game(asked.game, **{**cap, **asked.rules})
    key = int(np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed))).integers(2**64, dtype=np.uint64))
    rng = new_rng(key)
    step = 0
    views = game.action_views if turned else np.tile(np.arange(game.num_actions), (game.num_players, 1))

    def throw(state: Any) -> None:
        while state.current_player() == CHANCE:
            state.apply_action(int(game.kernels.sample(game.rules, state.words, rng)))

    def begin() -> Any:
        while True:
            state = game.new_initial_state()
            while not state.is_terminal() and len(state.history()) < asked.arguments.get("random_openings", 0):
                state.apply_action(int(game.kernels.sample(game.rules, state.words, rng)))
            throw(state)
            if not state.is_terminal():
                return state

    def seen(state: Any, seat: int, rewards: list[float], reward: float, ends: tuple[bool, bool]) -> Step:
        over = any(ends)
        mask = state.legal_actions_mask()[views[seat]] if not over else np.zeros(game.num_actions, dtype=np.int8)
        observation = state.observation_tensor(seat if turned else -1)
        return Step(observation.tobytes(), mask.tobytes(), seat, tuple(rewards), reward, *ends)

    nothing = [0.0] * game.num_players
    state = begin()
    yield seen(state, state.current_player(), nothing, 0.0, (False, False))
    while step < steps:
        seat = state.current_player()
        number = pick(state.legal_actions_mask()[views[seat]], step)
        step += 1
        state.apply_action(int(views[seat][number]))
        throw(state)
        if state.is_terminal():
            capped = state.end_reason() in {"max_plies", "max_turns"}
            yield seen(state, seat, state.returns(), state.returns()[seat], (not capped, capped))
            state = begin()
            yield seen(state, state.current_player(), nothing, 0.0, (False, False))
        else:
            yield seen(state, state.current_player(), nothing, 0.0, (False, False))
