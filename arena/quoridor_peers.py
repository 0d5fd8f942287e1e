"""Quoridor environments of other packages, driven as their own documents show it; each is used if it is installed."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import random
import time
from importlib.metadata import version
from typing import Any

from .environment_speed import aec_loop
from .speed import Contest, Meter

_STEPS_A_GAME = 40  # after which games of `quoridor-env` are begun anew, see below


def with_peers(gymnasium_meter: Meter, aec_meter: Meter) -> list[Contest]:
    """Return the contests of our environments of Quoridor, each against what is installed of its kind."""
    env, rl = _installed("quoridor_sim", "quoridor-env"), _installed("quoridor_rl", "quoridor-rl")
    return [
        Contest("quoridor: Gymnasium", "steps/s", gymnasium_meter, env, quoridor_env_steps_per_second if env else None),
        Contest("quoridor: PettingZoo AEC", "steps/s", aec_meter, rl, quoridor_rl_steps_per_second if rl else None),
    ]


def _installed(module: str, distribution: str) -> str | None:
    """Return name and version of a package, or None if it is not installed."""
    return f"{distribution} {version(distribution)}" if importlib.util.find_spec(module) else None


def quoridor_rl_steps_per_second(seconds: float = 1.0) -> float:
    """Return the steps of the AEC environment of ``quoridor-rl`` per second, its masks used."""
    env = importlib.import_module("quoridor_rl").env()
    return aec_loop(env, lambda observation, _info: observation["action_mask"], seconds)


def quoridor_env_steps_per_second(seconds: float = 2.0) -> float:
    """Return the steps of the Gymnasium environment of ``quoridor-env`` per second.

    It has no mask; its list of legal moves takes its place. It refuses the pawn moves of that list (as of 0.2.6), so
    fences alone are played, and a game is begun anew after some of them.
    """
    logging.getLogger("quoridor_sim").setLevel(logging.ERROR)
    env: Any = importlib.import_module("quoridor_sim.quoridor_env").QuoridorEnv()
    rng = random.Random(0)  # noqa: S311  not a secret
    env.reset(seed=0)
    steps, begin, spent = 0, time.perf_counter(), 0.0
    while spent < seconds:
        fences = [move for move in env.game.legal_moves() if move[0] == "wall"]
        if not fences or steps % _STEPS_A_GAME == _STEPS_A_GAME - 1:
            env.reset()
        else:
            _, file, rank, way = rng.choice(fences)
            env.step(4 + 64 * (way == "v") + 8 * file + rank)
        steps += 1
        spent = time.perf_counter() - begin
    return steps / spent
