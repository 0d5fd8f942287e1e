"""The kernels against the slow independent rule book on random games."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from reference.quoridor import SIDEWAYS, Quoridor, Square, barred_steps, moved
from sekisho.envs import TERMINAL, State, load_game
from sekisho.envs.quoridor.rules import QuoridorState
from support.quoridor_play import biased_action, random_habit

OPTION_SETS: list[dict[str, Any]] = [
    {"board_size": 3},
    {"board_size": 3, "players": 4, "fences": 2, "max_plies": 60},
    {"board_size": 3, "players": 4, "fences": 0, "third_pawn": "diagonal"},
    {"board_size": 3, "fences": 0, "repetition": 3, "max_plies": None},
    {"board_size": 4, "fences": 3},
    {"board_size": 4, "players": 4, "fences": 2, "repetition": 3},
    {"board_size": 4, "players": 4, "third_pawn": "diagonal", "max_plies": 100},
    {"board_size": 5, "fences": 10, "max_plies": 33},
    {"board_size": 5, "players": 4, "fences": 3},
    {"board_size": 5, "players": 4, "third_pawn": "diagonal", "repetition": 3},
    {"board_size": 6, "fences": 6, "repetition": 3},
    {"board_size": 6, "players": 4},
    {"board_size": 7, "fences": 8},
    {"board_size": 7, "players": 4, "fences": 4, "third_pawn": "diagonal"},
    {"board_size": 8, "fences": 9, "third_pawn": "diagonal"},
    {"board_size": 8, "players": 4},
    {"board_size": 9},
    {"board_size": 9, "players": 4},
    {"board_size": 9, "players": 4, "fences": 10, "third_pawn": "diagonal"},
]
EVENTS = {
    "straight jump",
    "side step",
    "third pawn",
    "pass",
    "cut off",
    "goal",
    "repetition",
    "max_plies",
    "hands empty",
}


def events_before(game: Quoridor, targets: set[Square], legal: set[str]) -> set[str]:
    """Name what is rare about a position, by the reference alone."""
    mine, barred, found = game.pawns[game.seat], barred_steps(game.fences), set()
    if legal and not targets and not any(name[2:] for name in legal):
        found.add("pass")
    if game.left[game.seat] == 0:
        found.add("hands empty")
    for file, rank in targets:
        across = abs(file - mine[0]) + abs(rank - mine[1])
        if across == 2:
            found.add("straight jump" if file == mine[0] or rank == mine[1] else "side step")
    for direction in SIDEWAYS:
        near = moved(mine, direction)
        behind = moved(near, direction)
        if near in game.pawns and behind in game.pawns and not {(mine, near), (near, behind)} & barred:
            found.add("third pawn")
    return found


def fences_agree(state: State, game: Quoridor, ours: set[str], rng: random.Random, full: bool) -> bool:
    """Compare legal fences; unless `full`, the path rule is asked only for those we refuse and a few that we allow.

    Returns:
        Whether a fence was refused for its path.
    """
    in_hand = game.left[game.seat] > 0 and not game.is_over()
    fitting = {name for name, fence in game.named_fences.items() if in_hand and game._fence_fits(fence)}
    assert ours <= fitting, state.to_text()
    to_ask = fitting if full else fitting - ours | set(rng.sample(sorted(ours), min(6, len(ours))))
    for name in sorted(to_ask):
        assert game._fence_is_legal(game.named_fences[name]) == (name in ours), (state.to_text(), name)
    return fitting != ours


def compare(state: QuoridorState, game: Quoridor, rng: random.Random, full: bool) -> set[str]:
    """Compare everything about one position; return what is rare about it."""
    ours = {state.action_to_string(action) for action in state.legal_actions()}
    targets = set() if game.is_over() else game._pawn_targets()
    if full:
        legal = game.legal_moves()
    else:  # what legal_moves() puts together, with our fences for the ones that are not asked for
        legal = {name for name, square in game.named_squares.items() if square in targets}
        legal |= {name for name in ours if name[2:]}
        if not legal and not game.is_over():
            legal = {name for name, square in game.named_squares.items() if square == game.pawns[game.seat]}
    assert ours == legal, state.to_text()
    assert int(state.legal_actions_mask().sum()) == len(ours)
    cut_off = fences_agree(state, game, {name for name in ours if name[2:]}, rng, full)
    assert state.current_player() == (TERMINAL if game.is_over() else game.seat)
    assert state.is_terminal() == game.is_over()
    assert state.returns() == pytest.approx(game.returns(), abs=1e-15)
    assert state.winner == game.winner
    assert state.distances() == [game.distance(seat) for seat in range(game.players)]
    assert (state.pawns, state.fences_left, state.seat, state.ply) == (game.pawns, game.left, game.seat, game.ply)
    fences = {(*anchor, "h") for anchor in state.horizontal_fences} | {
        (*anchor, "v") for anchor in state.vertical_fences
    }
    assert fences == game.fences
    found = events_before(game, targets, legal)
    if cut_off:
        found.add("cut off")
    if state.is_terminal():
        found.add(state.end_reason() or "")
    return found


def play_and_compare(options: dict[str, Any], positions: int, seed: int, full_share: float) -> Counter[str]:
    """Play biased random games until `positions` positions have been compared; count what was met."""
    rules = load_game("quoridor", **options)
    reference_options = {"max_plies": "default", **options}
    rng, counts = random.Random(seed), Counter[str]()
    while counts["positions"] < positions:
        state, game, habit = rules.new_initial_state(), Quoridor(**reference_options), random_habit(rng)
        while True:
            counts["positions"] += 1
            counts.update(compare(state, game, rng, rng.random() < full_share))
            if state.is_terminal():
                break
            action = biased_action(state, rng, habit)
            game.play(state.action_to_string(action))
            state.apply_action(action)
    return counts


def option_name(options: dict[str, Any]) -> str:
    return ",".join(f"{name}={value}" for name, value in options.items())


@pytest.mark.parametrize("options", OPTION_SETS, ids=option_name)
def test_every_position_of_random_games_is_as_in_the_reference(options: dict[str, Any]) -> None:
    small = options["board_size"] <= 5
    counts = play_and_compare(options, positions=110 if small else 50, seed=1, full_share=1.0 if small else 0.1)
    assert counts["positions"] >= 50


def test_the_random_games_meet_every_rare_event() -> None:
    crowded = {"board_size": 3, "players": 4, "fences": 3}
    met = play_and_compare(crowded, positions=1000, seed=2, full_share=0.1)
    for options in OPTION_SETS[1:8]:
        met += play_and_compare(options, positions=200, seed=2, full_share=0.1)
    assert {event for event in EVENTS if met[event] >= 3} == EVENTS, met


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 106))
@pytest.mark.parametrize("options", OPTION_SETS, ids=option_name)
def test_many_positions_of_random_games_are_as_in_the_reference(options: dict[str, Any], seed: int) -> None:
    positions = {3: 5000, 4: 2500, 5: 1200, 6: 600, 7: 600, 8: 500, 9: 1200}[options["board_size"]]
    full_share = {3: 1.0, 4: 0.5, 5: 0.25}.get(options["board_size"], 0.05)
    counts = play_and_compare(options, positions, seed, full_share)
    assert counts["positions"] >= positions
