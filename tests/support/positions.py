"""Positions of random games, for what is tested over all games."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.envs.core import Game


def random_decisions(game: Game, number: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return decisions of random games, int64 ``[number, state_size]``, each with the seat that is to decide."""
    rng, words, seats = np.random.default_rng(seed), [], []
    while len(words) < number:
        state = game.new_initial_state()
        while not state.is_terminal() and len(words) < number:
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(outcomes, p=np.array(chances) / sum(chances))))
                continue
            if rng.random() < 0.3:
                words.append(state.words.copy())
                seats.append(state.current_player())
            state.apply_action(int(rng.choice(state.legal_actions())))
    return np.array(words), np.array(seats)
