"""The names under which Gymnasium and PettingZoo know the environments."""

from __future__ import annotations

import gymnasium
import pettingzoo

NAMES = {"quoridor": "Quoridor", "tokaido": "Tokaido", "picture_sugoroku": "PictureSugoroku"}
"""The name of each game in an id such as ``sekisho/Quoridor-v0``."""
VERSION = 0
"""Grows when behaviour changes that can change what is learned."""


def environment_ids() -> list[str]:
    """Return the ids of all Gymnasium environments of this package."""
    return [f"sekisho/{name}{kind}-v{VERSION}" for name in NAMES.values() for kind in ("", "Vs")]


def register_environments() -> None:
    """Make the environments known to `gymnasium.make`, `gymnasium.make_vec` and `pettingzoo.make`."""
    for game, name in NAMES.items():
        gymnasium.register(
            f"sekisho/{name}-v{VERSION}",
            entry_point=f"sekisho.envs.{game}.environment:{name}Env",
            vector_entry_point=f"sekisho.envs.vector_env:{name}VectorEnv",
        )
        gymnasium.register(
            f"sekisho/{name}Vs-v{VERSION}",
            entry_point=f"sekisho.agents.versus_env:{name}VsEnv",
        )
        pettingzoo.register(
            "aec", f"sekisho/{name}-v{VERSION}", "sekisho.envs.pettingzoo_env:env", kwargs={"game": game}
        )
        pettingzoo.register(
            "parallel", f"sekisho/{name}-v{VERSION}", "sekisho.envs.pettingzoo_env:parallel_env", kwargs={"game": game}
        )
