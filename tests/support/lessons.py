"""Games with a teacher, for the tests of imitation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.files import StoredNetwork, rules_of
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.arena.records import GameRecord
from sekisho.envs import Game, State, load_game
from sekisho.envs.kernels import CHANCE
from sekisho.training.imitation import Lessons, play_lessons
from sekisho.training.positions import Positions
from sekisho.training.sections import Imitation
from sekisho.training.selfplay import Numbers, Played

SMALL = load_game("quoridor", board_size=3, fences=1)
FOUR = load_game("quoridor", board_size=5, fences=2, players=4, repetition=3)
THREE = load_game("tokaido", players=3, max_turns=60)


def network_of(game: Game, seed: int = 0) -> StoredNetwork:
    config = NetworkConfig("mlp", 8, 1)
    arrays = arrays_of(build_network(game, config, seed))
    return StoredNetwork(config, shape_of(game), game.name, rules_of(game), arrays)


def played(game: Game, first: int = 0, games: int = 6, student: bool = False, **settings: Any) -> Played:
    chosen = replace(Imitation(teacher="random", games=games, student=float(student)), **settings)
    judge = network_of(game) if student else None
    return play_lessons(Lessons(game, chosen, Numbers(5, 2, first, games), 100, 1, "cpu"), judge, {})


def states_of(record: GameRecord) -> list[State]:
    """The decisions of a game of SMALL after its opening."""
    state, states = SMALL.new_initial_state(), []
    for ply, move in enumerate(record.moves):
        if ply >= record.opening:
            states.append(state.clone())
        state.apply_action(state.string_to_action(move))
    return states


def decisions_of(game: Game, positions: Positions) -> list[tuple[State, int, np.ndarray, np.ndarray]]:
    """The decisions among positions: state, seat, policy and values of each."""
    return [
        (game.state_of(words.copy()), int(seat), policy, values)
        for words, seat, policy, values in zip(*positions, strict=True)
        if game.kernels.to_move(game.rules, words) != CHANCE
    ]
