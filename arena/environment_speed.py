"""How fast the environments are, from Python, with observations, masks and random legal actions, on one core."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pettingzoo

from ..envs.registration import NAMES, VERSION
from ..envs.vector_env import sample_legal

VECTOR_GAMES = 256


def environment_id(game: str) -> str:
    """Return the id of the environment in which every step acts for the seat to move."""
    return f"sekisho/{NAMES[game]}-v{VERSION}"


def vector_steps_per_second(game: str, seconds: float = 0.5) -> float:
    """Return the steps of all games of a vector environment together, per second; drawing the actions counts."""
    envs = gymnasium.make_vec(environment_id(game), num_envs=VECTOR_GAMES)
    rng = np.random.default_rng(0)
    _, infos = envs.reset(seed=0)
    steps, begin, spent = 0, time.perf_counter(), 0.0
    while spent < seconds:
        _, _, _, _, infos = envs.step(sample_legal(infos["action_mask"], rng))
        steps += VECTOR_GAMES
        spent = time.perf_counter() - begin
    envs.close()
    return steps / spent


def gymnasium_steps_per_second(game: str, seconds: float = 0.5) -> float:
    """Return the steps of the Gymnasium environment per second, new games included."""
    env: Any = gymnasium.make(environment_id(game))
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    steps, begin, spent = 0, time.perf_counter(), 0.0
    while spent < seconds:
        _, _, terminated, truncated, info = env.step(random_action(info["action_mask"], rng))
        if terminated or truncated:
            _, info = env.reset()
        steps += 1
        spent = time.perf_counter() - begin
    env.close()
    return steps / spent


def aec_steps_per_second(game: str, seconds: float = 0.5) -> float:
    """Return the steps of the PettingZoo environment per second, new games included."""
    env = pettingzoo.make("aec", environment_id(game))
    return aec_loop(env, lambda _observation, info: info["action_mask"], seconds)


def aec_loop(env: Any, mask_of: Callable[[Any, Any], Any], seconds: float) -> float:
    """Return the steps of an AEC environment per second, new games included.

    Args:
        env: the environment.
        mask_of: returns the mask of legal actions, given the observation and the info of the agent to move.
        seconds: how long to step.
    """
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    steps, begin, spent = 0, time.perf_counter(), 0.0
    while spent < seconds:
        observation, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            env.reset()
        else:
            env.step(random_action(mask_of(observation, info), rng))
            steps += 1
        spent = time.perf_counter() - begin
    env.close()
    return steps / spent


def random_action(mask: np.ndarray[Any, Any], rng: np.random.Generator) -> int:
    """Return an action of a mask, each equally likely, as quickly as plain numpy does it."""
    legal = np.flatnonzero(mask)
    return int(legal[rng.integers(legal.size)])
