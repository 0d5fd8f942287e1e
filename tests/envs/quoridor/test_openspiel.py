"""Legal actions against OpenSpiel on random games.

Of OpenSpiel only what is sound up to 2.0.2 is believed: not its forced pass (the game is left there), not its returns
with more than two players, and not its end of a game that is won on the last ply before the cap.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from sekisho.envs import load_game
from sekisho.envs.quoridor.notation import action_names, convert_moves
from support.quoridor_play import biased_action, random_habit

pyspiel = pytest.importorskip("pyspiel")

OUR_SEAT = {2: {0: 0, 1: 1}, 4: {0: 0, 2: 1, 1: 2, 3: 3}}  # its players by side: bottom, top, left, right


@cache
def their_names(size: int) -> list[str]:
    """OpenSpiel's string of each of our actions."""
    ours = " ".join(action_names(size)[action] for action in range(size * size + 2 * (size - 1) ** 2))
    return convert_moves(ours, "standard", "openspiel", size).split()


def compare_games(players: int, size: int, fences: int, positions: int, seed: int) -> int:
    """Play random games and compare what is legal in each position; return the number of positions."""
    rules = load_game("quoridor", players=players, board_size=size, fences=fences)
    theirs = pyspiel.load_game("quoridor", {"players": players, "board_size": size, "wall_count": fences})
    names, rng, compared = their_names(size), random.Random(seed), 0
    while compared < positions:
        state, other, habit = rules.new_initial_state(), theirs.new_initial_state(), random_habit(rng)
        while not state.is_terminal():
            assert OUR_SEAT[players][other.current_player()] == state.current_player(), state.to_text()
            legal = state.legal_actions()
            if legal == [state.pawns[state.seat][1] * size + state.pawns[state.seat][0]]:
                break  # a forced pass
            by_name = {other.action_to_string(action): action for action in other.legal_actions()}
            assert by_name.keys() == {names[action] for action in legal}, state.to_text()
            compared += 1
            action = biased_action(state, rng, habit)
            state.apply_action(action)
            other.apply_action(by_name[names[action]])
        else:
            assert other.is_terminal(), state.to_text()
            if players == 2 and state.ply < theirs.max_game_length():
                assert other.returns() == state.returns()
    return compared


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize(
    ("size", "fences", "positions"), [(3, 1, 150), (5, 3, 200), (7, 6, 150), (9, 10, 150), (9, 5, 150)]
)
def test_legal_actions_agree(players: int, size: int, fences: int, positions: int) -> None:
    assert compare_games(players, size, fences, positions, seed=3) >= positions


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300, 304))
@pytest.mark.parametrize(("players", "fences"), [(2, 10), (4, 5)])
def test_legal_actions_of_many_positions_of_the_full_board_agree(players: int, fences: int, seed: int) -> None:
    assert compare_games(players, 9, fences, 20_000, seed) >= 20_000


def test_the_ply_cap_of_openspiel_is_our_default() -> None:
    options: dict[str, Any] = {"board_size": 5}
    assert load_game("quoridor", **options).max_game_length == pyspiel.load_game("quoridor", options).max_game_length()
