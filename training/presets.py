"""Configurations by name: for each game a tiny one, one for a laptop and a full one.

Quoridor has one more for small boards, and some that learn from searches what the same search then judges by.
Tokaido has three more too: its own three learn values alone, which gets further in minutes than learning from self-play with
a search does in hours (`docs/training.md`); the others learn from self-play, as for every other game. In every game some
imitate a teacher.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..envs.errors import OptionError, UnknownNameError, nearest
from ..envs.registry import game_class
from .config import IMITATION, SEARCH, SELFPLAY, VALUES, Config, with_settings

DEFAULT_PRESET = "laptop"
NOTHING_TO_LEARN = {
    "picture_sugoroku": "its players only roll, so there is no choice to learn, and what a position is worth is known "
    "exactly: see `sekisho solve picture_sugoroku`"
}
"""Games that training refuses, with the reason."""


@dataclass(frozen=True)
class Preset:
    """What a preset sets.

    Attributes:
        help: what it is good for, in one line.
        settings: what it changes of the defaults, by the names of `config.settings_of`.
        rules: rule options, unless others are chosen.
        method: how it learns, see `Config.method`.
    """

    help: str
    settings: Mapping[str, Any]
    rules: Mapping[str, Any] = field(default_factory=dict)
    method: str = SELFPLAY

    def rules_with(self, rules: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the rule options of a run for which others are chosen, or None; see `preset_config`."""
        if rules is None:
            return dict(self.rules)
        return {name: value for name, value in self.rules.items() if name == "players"} | dict(rules)


_TINY = {
    "iterations": 6,
    "selfplay.games": 32,
    "selfplay.simulations": 32,
    "selfplay.fast_simulations": 8,
    "selfplay.full_share": 0.5,
    "selfplay.temperature_decisions": 6,
    "selfplay.max_plies": 200,
    "learning.batch_size": 64,
    "learning.learning_rate": 3e-3,
    "learning.warmup_steps": 10,
    "learning.window": 4000,
    "learning.reuse": 8.0,
    "learning.reuse_limit": 24,
    "evaluation.every": 2,
    "evaluation.simulations": 0,
    "evaluation.mcts": 25,
    "network.width": 64,
    "network.depth": 2,
}
_TINY_HELP = "to see that everything works: less than a minute once all is compiled, and no good player"
_LAPTOP_HELP = "self-play: hours on two cores"
_FULL_HELP = "self-play: days, on many cores or with a GPU that learns"
_FULL = {
    "iterations": 300,
    "selfplay.games": 256,
    "selfplay.tables": 32,
    "selfplay.simulations": 600,
    "selfplay.fast_simulations": 100,
    "learning.batch_size": 512,
    "learning.window": 500_000,
    "evaluation.every": 5,
    "evaluation.games": 100,
    "evaluation.simulations": 100,
    "evaluation.mcts": 1000,
    "keeping.every": 20,
}

_VALUES = {
    "iterations": 14,
    "evaluation.every": 2,
    "evaluation.games": 40,
    "evaluation.simulations": 0,
    "evaluation.mcts": 0,
    "network.depth": 3,
}

_SEARCH = {
    "iterations": 12,
    "evaluation.every": 3,
    "evaluation.games": 60,
    "evaluation.simulations": 0,
    "evaluation.mcts": 0,
    "evaluation.nodes": 1000,
    "network.kind": "nnue",
    "network.width": 32,
    "network.depth": 1,
    "network.head": 16,
}

_SEARCH_TINY = {
    **_SEARCH,
    "iterations": 4,
    "search.games": 80,
    "search.nodes": 300,
    "search.judging_nodes": 100,
    "search.opening": 4,
    "search.passes": 12,
    "search.batch_size": 64,
    "search.held_back": 4,
    "evaluation.every": 2,
    "evaluation.games": 20,
    "evaluation.nodes": 100,
    "network.width": 16,
}

_IMITATION_TINY = {
    **{name: value for name, value in _TINY.items() if not name.startswith("selfplay.")},
    "imitation.teacher": "mcts:simulations=100",
    "imitation.games": 32,
    "imitation.opening": 4,
    "imitation.student": 0.25,
    "imitation.max_plies": 200,
}
_IMITATION = {
    "iterations": 40,
    "imitation.student": 0.25,
    "learning.window": 400_000,
    "learning.learning_rate": 2e-3,
    "evaluation.every": 5,
    "evaluation.games": 40,
    "evaluation.simulations": 0,
}

PRESETS: dict[str, dict[str, Preset]] = {
    "quoridor": {
        "tiny": Preset(_TINY_HELP, {**_TINY, "iterations": 16, "evaluation.every": 4}, {"board_size": 4, "fences": 2}),
        "small": Preset(
            "self-play on a board of 5x5, unless another is named: ten minutes on a core",
            {
                "iterations": 40,
                "selfplay.games": 64,
                "selfplay.simulations": 64,
                "selfplay.fast_simulations": 16,
                "selfplay.temperature_decisions": 8,
                "selfplay.max_plies": 80,
                "learning.batch_size": 128,
                "learning.learning_rate": 3e-3,
                "learning.window": 40_000,
                "evaluation.every": 5,
                "evaluation.simulations": 100,
                "evaluation.mcts": 0,
                "network.kind": "tower",
                "network.width": 16,
                "network.depth": 3,
                "network.head": 8,
            },
            {"board_size": 5, "fences": 2},
        ),
        "laptop": Preset(
            _LAPTOP_HELP,
            {
                "iterations": 60,
                "selfplay.games": 64,
                "selfplay.simulations": 160,
                "selfplay.fast_simulations": 32,
                "evaluation.every": 5,
                "network.kind": "tower",
                "network.width": 32,
                "network.depth": 4,
                "network.head": 8,
            },
        ),
        "full": Preset(
            _FULL_HELP,
            {**_FULL, "network.kind": "tower", "network.width": 64, "network.depth": 6, "network.head": 16},
        ),
        "search_tiny": Preset(_TINY_HELP, _SEARCH_TINY, {"board_size": 5, "fences": 3}, method=SEARCH),
        "search_laptop": Preset(
            "an evaluation for alpha-beta: about an hour on two cores", {**_SEARCH, "search.games": 500}, method=SEARCH
        ),
        "search_full": Preset(
            "a better one: a day on a few cores",
            {
                **_SEARCH,
                "iterations": 30,
                "search.games": 1000,
                "search.nodes": 3000,
                "search.judging_nodes": 500,
                "search.window": 5_000_000,
                "evaluation.games": 200,
                "evaluation.nodes": 3000,
            },
            method=SEARCH,
        ),
        "search_four_tiny": Preset(
            _TINY_HELP,
            {
                **_SEARCH_TINY,
                "search.games": 40,
                "search.nodes": 60,
                "search.stops": 1,
                "search.judging_nodes": 40,
                "evaluation.nodes": 30,
            },
            {"players": 4, "board_size": 5, "fences": 3},
            method=SEARCH,
        ),
        "search_four_laptop": Preset(
            "an evaluation for mcts with four players: hours on two cores",
            {
                **_SEARCH,
                "iterations": 4,
                "search.games": 400,
                "search.nodes": 300,
                "search.stops": 1,
                "search.judging_nodes": 150,
                "search.opening": 12,
                "search.max_plies": 260,
                "search.window": 400_000,
                "evaluation.every": 2,
                "evaluation.games": 40,
                "evaluation.nodes": 500,
            },
            {"players": 4},
            method=SEARCH,
        ),
        "imitation_tiny": Preset(
            _TINY_HELP,
            {**_IMITATION_TINY, "imitation.teacher": "alphabeta:nodes=200"},
            {"board_size": 5, "fences": 3},
            method=IMITATION,
        ),
        "imitation_laptop": Preset(
            "the choice of alpha-beta without a search: half an hour on a core",
            {
                **_IMITATION,
                "iterations": 10,
                "imitation.teacher": "alphabeta:nodes=1000,leaf=(net:checkpoint=quoridor)",
                "imitation.games": 200,
                "imitation.student": 0.75,
                "imitation.opponent": "heuristic",
                "learning.batch_size": 64,
                "learning.start": "quoridor",
                "evaluation.every": 2,
                "evaluation.games": 200,
                "network.kind": "nnue",
                "network.width": 32,
                "network.depth": 1,
                "network.head": 16,
            },
            method=IMITATION,
        ),
    },
    "tokaido": {
        "tiny": Preset(
            _TINY_HELP,
            {
                "iterations": 4,
                "values.games": 4,
                "values.steps": 200,
                "values.batch_size": 256,
                "values.two": 0.6,
                "values.three": 0.0,
                "values.most_players": 4,
                "values.all_rules": False,
                "values.average": 0.98,
                "evaluation.every": 2,
                "evaluation.simulations": 0,
                "evaluation.mcts": 25,
                "network.width": 64,
            },
            method=VALUES,
        ),
        "laptop": Preset("values of all tables: half an hour on a core", _VALUES, method=VALUES),
        "full": Preset(
            "the same with ten times the games: five hours on a core",
            {**_VALUES, "iterations": 60, "values.games": 100, "values.steps": 4000, "evaluation.every": 6},
            method=VALUES,
        ),
        "selfplay_tiny": Preset(_TINY_HELP, {**_TINY, "evaluation.exact": False}),
        "selfplay_laptop": Preset(
            _LAPTOP_HELP,
            {
                "iterations": 60,
                "selfplay.games": 256,
                "selfplay.simulations": 64,
                "selfplay.fast_simulations": 16,
                "selfplay.full_share": 0.5,
                "selfplay.late_temperature": 1.0,
                "evaluation.every": 5,
                "evaluation.games": 100,
                "evaluation.simulations": 0,
                "network.width": 128,
            },
        ),
        "selfplay_full": Preset(
            _FULL_HELP,
            {**_FULL, "selfplay.simulations": 200, "selfplay.late_temperature": 1.0, "evaluation.simulations": 0},
        ),
        "imitation_tiny": Preset(
            _TINY_HELP,
            {**_IMITATION_TINY, "imitation.teacher": "expectimax:turns=0", "evaluation.exact": False},
            method=IMITATION,
        ),
        "imitation_laptop": Preset(
            "a network that imitates expectimax: minutes on a core",
            {**_IMITATION, "imitation.teacher": "expectimax:turns=1", "network.width": 128},
            method=IMITATION,
        ),
    },
}
_OTHERS = {
    "tiny": Preset(_TINY_HELP, {**_TINY, "evaluation.exact": False}),
    "laptop": Preset(_LAPTOP_HELP, {"iterations": 60, "evaluation.every": 5}),
    "full": Preset(_FULL_HELP, _FULL),
    "imitation_tiny": Preset(_TINY_HELP, {**_IMITATION_TINY, "evaluation.exact": False}, method=IMITATION),
    "imitation_laptop": Preset("a network that imitates mcts: hours on two cores", _IMITATION, method=IMITATION),
}


def presets_of(game: str) -> Mapping[str, Preset]:
    """Return the presets of a game by their names; those of other packages share theirs.

    Raises:
        UnknownNameError: for a game that does not exist.
        OptionError: for a game in which there is nothing to learn.
    """
    game_class(game)
    if game in NOTHING_TO_LEARN:
        raise OptionError(f"{game} is not trained: {NOTHING_TO_LEARN[game]}")
    return PRESETS.get(game, _OTHERS)


def preset_config(game: str, preset: str = DEFAULT_PRESET, rules: Mapping[str, Any] | None = None) -> Config:
    """Return the configuration that a preset stands for.

    Args:
        game: its name.
        preset: the name of one of `presets_of`.
        rules: rule options in the place of those of the preset; None for those of the preset. The number of players of
            a preset that names one stays where they do not say it.

    Raises:
        UnknownNameError: for a game, a preset or a rule option that does not exist.
        OptionError: for a game in which there is nothing to learn, or a value that an option cannot take.
    """
    known = presets_of(game)
    if preset not in known:
        raise UnknownNameError(f"there is no preset {preset!r} for {game}; {nearest(preset, known)}")
    chosen = known[preset]
    config = Config(game, chosen.method, chosen.rules_with(rules), preset)
    config.load_game()
    return with_settings(config, chosen.settings)
