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
QUICK_VALUES = {
    "iterations": 4, "values.games": 2, "values.steps": 12, "values.batch_size": 32, "evaluation.games": 2,
    "evaluation.mcts": 0, "evaluation.exact": False, "network.width": 8,
}  # fmt: skip
QUICK_SEARCH = {
    "iterations": 4, "search.games": 6, "search.nodes": 60, "search.judging_nodes": 30, "search.stops": 3,
    "search.passes": 2, "search.batch_size": 16, "search.held_back": 3, "evaluation.games": 2, "evaluation.nodes": 20,
    "evaluation.every": 1, "evaluation.exact": False,
}  # fmt: skip
QUICK_FOUR = {
    **QUICK_SEARCH, "search.nodes": 20, "search.judging_nodes": 10, "search.stops": 1, "evaluation.games": 4,
}  # fmt: skip
QUICK_IMITATION = {
    "iterations": 4, "imitation.teacher": "mcts:simulations=12", "imitation.games": 10, "imitation.student": 0.5,
    "learning.batch_size": 8, "learning.window": 100, "learning.reuse": 2.0, "evaluation.games": 4, "evaluation.mcts": 0,
    "evaluation.exact": False, "evaluation.every": 1, "network.width": 8,
}  # fmt: skip


@pytest.fixture
def quick() -> Any:
    """Returns a function that makes the configuration of a very short run.

    It takes a game, or "values", "search", "four" (search, with four players) or "imitation" for these ways to learn.
    """

    def config(game: str = "quoridor", **changes: Any) -> Config:
        named = {name.replace("__", "."): value for name, value in changes.items()}
        if game == "values":
            return with_settings(preset_config("tokaido", "tiny"), QUICK_VALUES | named)
        if game == "search":
            return with_settings(preset_config("quoridor", "search_tiny"), QUICK_SEARCH | named)
        if game == "four":
            return with_settings(preset_config("quoridor", "search_four_tiny"), QUICK_FOUR | named)
        if game == "imitation":
            small = preset_config("quoridor", "imitation_tiny", {"board_size": 3, "fences": 1})
            return with_settings(small, QUICK_IMITATION | named)
        rules = {"board_size": 3, "fences": 1} if game == "quoridor" else {}
        preset = "tiny" if game == "quoridor" else "selfplay_tiny"
        return with_settings(preset_config(game, preset, rules), QUICK | named)

    return config
