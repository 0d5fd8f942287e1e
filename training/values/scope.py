"""Which tables and sets of rules value learning is about."""

from __future__ import annotations

import itertools
from typing import Any

from ...agents.networks.files import rules_of
from ...envs.errors import OptionError
from ...envs.options import spell_options
from ...envs.tokaido.rules import Tokaido
from ..config import Config

LEARNED = ("players", "forks", "goal")
"""Rule options that value learning knows more than one value of."""


def games_of(config: Config) -> list[Tokaido]:
    """Return the games that are learned, that of the run first.

    Raises:
        OptionError: if the game or its rules are not what value learning is for.
    """
    own = config.load_game()
    if not isinstance(own, Tokaido):
        raise OptionError(f"value learning is for tokaido, not for {config.game}: use method selfplay")
    others = {name: value for name, value in own.options.items() if name not in LEARNED}
    wrong = {name: value for name, value in others.items() if value != Tokaido().options[name]}
    if wrong:
        raise OptionError(
            f"value learning knows the usual rules with any of {', '.join(LEARNED)}, not {spell_options(wrong)}: take "
            "a preset that learns from self-play, --config selfplay_tiny, selfplay_laptop or selfplay_full"
        )
    most = config.values.most_players
    if own.num_players > most:
        raise OptionError(f"the run is measured with {own.num_players} players: raise values.most_players ({most})")
    forks, goals = (
        (("three", "miya"), ("exact", "over"))
        if config.values.all_rules
        else ((own.options["forks"],), (own.options["goal"],))
    )
    every = [
        Tokaido(players=players, forks=fork, goal=goal)
        for players, fork, goal in itertools.product(range(2, most + 1), forks, goals)
    ]
    return [own, *(game for game in every if game != own)]


def rules_for(games: list[Tokaido]) -> dict[str, tuple[Any, ...]]:
    """Return for which rules the network is: those of the games; a cap on turns is left to whoever sets one."""
    several = {name: tuple(sorted({game.options[name] for game in games})) for name in LEARNED}
    rules = rules_of(games[0], **several, allow_resign=(False, True))  # which makes no difference to good play
    del rules["max_turns"]
    return rules
