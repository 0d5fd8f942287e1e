"""Runs that take a second or two."""

from __future__ import annotations

from typing import Any

import pytest

from sekisho.training.config import Config, with_settings
from sekisho.training.presets import preset_config

QUICK = {
    "iterations": 4, "selfplay.games": 4, "selfplay.tables": 2, "selfplay.simulations": 8, "selfplay.leaves": 2,
    "selfplay.fast_simulations": 4, "learning.batch_size": 8, "learning.window": 40, "evaluation.games": 4,
    "evaluation.simulations": 4, "evaluation.mcts": 8, "evaluation.exact": False, "network.width": 8,
}  # fmt: skip


@pytest.fixture
def quick() -> Any:
    """Returns a function that makes the configuration of a very short run."""

    def config(game: str = "quoridor", **changes: Any) -> Config:
        rules = {"board_size": 3, "fences": 1} if game == "quoridor" else {}
        named = {name.replace("__", "."): value for name, value in changes.items()}
        return with_settings(preset_config(game, "tiny", rules), QUICK | named)

    return config
