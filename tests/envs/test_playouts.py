"""Random playouts: uniform choices, repeatable games, and the same games as through `State`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from sekisho.envs import Game, State, load_game
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.playouts import random_playouts
from support import dash

CAGE = "e2 e8 e3 e7 e4 e6 c3h e7h e3h c7h f4 g7h f5 h8h f6 b6v g3h h7v a3h"  # a5h would shut White in
OPTION_SETS: list[dict[str, Any]] = [
    {"board_size": 3, "fences": 1},
    {"board_size": 3, "fences": 0, "repetition": 3, "max_plies": None},
    {"board_size": 4, "players": 4, "fences": 2, "repetition": 3},
    {"board_size": 5, "players": 4, "max_plies": 20, "third_pawn": "diagonal"},
    {"board_size": 9, "repetition": 3},
    {"board_size": 9, "players": 4},
]


def played_by_hand(start: State, games: int, seed: int) -> tuple[list[int], np.ndarray[Any, Any]]:
    """Play the games of `random_playouts` through `State`; return their lengths and the sums of returns."""
    rng, kernels, lengths, totals = new_rng(seed), start.game.kernels, [], np.zeros(start.game.num_players)
    for _ in range(games):
        state = start.clone()
        while not state.is_terminal():
            state.apply_action(kernels.sample(state.game.rules, state.words, rng))
        lengths.append(len(state.history()) - len(start.history()))
        totals += state.returns()
    return lengths, totals


def sampled(state: State, draws: int, seed: int) -> dict[int, int]:
    rng, counts = new_rng(seed), dict[int, int]()
    for _ in range(draws):
        action = int(state.game.kernels.sample(state.game.rules, state.words, rng))
        counts[action] = counts.get(action, 0) + 1
    return counts


def quoridor_positions() -> dict[str, State]:
    full, small = load_game("quoridor"), load_game("quoridor", board_size=3, fences=2)
    start, cage, near, walled = (g.new_initial_state() for g in (full, full, full, small))
    cage.apply_moves(CAGE)
    near.apply_moves("e2 e8 e3 e7 e4 e6 e5 e6h")
    walled.apply_moves("a1h a2h")
    return {"start": start, "cage": cage, "pawns meet": near, "small and walled": walled}


@pytest.mark.parametrize("name", ["start", "cage", "pawns meet", "small and walled"])
def test_every_legal_action_is_drawn_equally_often(name: str) -> None:
    state = quoridor_positions()[name]
    legal = state.legal_actions()
    counts = sampled(state, 200 * len(legal), seed=11)
    assert counts.keys() == set(legal)
    assert chisquare(list(counts.values())).pvalue > 1e-4


def test_positions_of_the_uniformity_test_hold_fences_that_only_their_path_forbids() -> None:
    for name in ("cage", "small and walled"):
        state = quoridor_positions()[name]
        reasons = [state.explain_illegal(a) for a in np.flatnonzero(state.legal_actions_mask() == 0).tolist()]
        assert any("cuts seat" in reason for reason in reasons), name


def test_without_fences_in_hand_only_pawn_moves_are_drawn() -> None:
    state = load_game("quoridor").new_initial_state()
    state.apply_moves("a1h c1h e1h g1h a2h c2h e2h g2h a3h c3h e3h g3h a4h c4h e4h g4h a5h c5h e5h g5h")
    counts = sampled(state, 2000, seed=5)
    assert {state.action_to_string(action) for action in counts} == {"d1", "f1"}
    assert chisquare(list(counts.values())).pvalue > 1e-4


def test_a_forced_pass_is_drawn_and_played() -> None:
    state = load_game("quoridor", players=4, fences=1).from_text("a1 / / a1 b1 e8 c1 / 0 1 1 1 / 1 / 20")
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["a1"]
    assert sampled(state, 100, seed=5) == {0: 100}
    state.apply_action(0)
    assert state.current_player() == 1


def test_outcomes_of_chance_are_drawn_by_their_probabilities() -> None:
    counts = sampled(dash.Dash().new_initial_state(), 6000, seed=3)
    assert chisquare([counts[face] for face in (1, 2, 3)], [3000, 2000, 1000]).pvalue > 1e-4


@pytest.mark.parametrize("options", OPTION_SETS, ids=lambda options: ",".join(f"{k}={v}" for k, v in options.items()))
def test_playouts_are_the_games_that_state_plays_with_the_same_key(options: dict[str, Any]) -> None:
    start = load_game("quoridor", **options).new_initial_state()
    games = 40 if options["board_size"] < 6 else 5
    playouts = random_playouts(start, games, seed=77)
    lengths, totals = played_by_hand(start, games, seed=77)
    assert playouts.plies.tolist() == lengths
    assert playouts.mean_returns == pytest.approx(totals / games, abs=1e-12)


def test_playouts_of_a_game_with_dice_are_the_games_that_state_plays() -> None:
    start = dash.Dash(length=6).new_initial_state()
    playouts = random_playouts(start, 50, seed=8)
    lengths, totals = played_by_hand(start, 50, seed=8)
    assert playouts.plies.tolist() == lengths
    assert playouts.mean_returns == pytest.approx(totals / 50, abs=1e-12)


@pytest.mark.parametrize("length", [1, 3, 8])
def test_mean_returns_of_a_game_with_dice_are_as_on_paper(length: int) -> None:
    playouts = random_playouts(dash.Dash(length=length), 20_000, seed=1)
    exact = float(dash.value(0, 0, length))
    assert abs(playouts.mean_returns[0] - exact) <= 4 * max(playouts.standard_errors[0], 1e-12)
    assert playouts.mean_returns[1] == pytest.approx(-playouts.mean_returns[0])


def test_the_same_key_gives_the_same_games_and_another_key_others() -> None:
    game = load_game("quoridor", board_size=5)
    first, again, other = (random_playouts(game, 200, seed) for seed in (2**64 - 1, 2**64 - 1, 4))
    assert (first.plies == again.plies).all()
    assert (first.mean_returns == again.mean_returns).all()
    assert not (first.plies == other.plies).all()


def test_the_ply_cap_ends_playouts_as_draws() -> None:
    playouts = random_playouts(load_game("quoridor", max_plies=7), 50)  # no pawn is home in four moves
    assert set(playouts.plies.tolist()) == {7}
    assert playouts.mean_returns.tolist() == [0.0, 0.0]
    uncapped = random_playouts(load_game("quoridor", max_plies=None), 50)
    assert uncapped.plies.min() > 7


def test_plies_before_the_start_of_playouts_count_for_the_cap_and_for_repetition() -> None:
    capped = load_game("quoridor", max_plies=10).new_initial_state()
    capped.apply_moves("e2 e8 e3")
    assert set(random_playouts(capped, 20).plies.tolist()) == {7}
    game = load_game("quoridor", board_size=3, fences=0, repetition=3, max_plies=None)
    state = game.new_initial_state()
    state.apply_moves("a1 a3 b1 b3 a1 a3 b1")
    lengths, _ = played_by_hand(state, 60, seed=9)
    assert random_playouts(state, 60, seed=9).plies.tolist() == lengths
    assert 1 in lengths  # the third occurrence of the start: b3


def test_a_finished_game_is_paid_at_once() -> None:
    won = load_game("quoridor", board_size=3, fences=0).new_initial_state()
    won.apply_moves("a1 a3 a2 b3 a3")
    playouts = random_playouts(won, 3)
    assert (playouts.mean_returns.tolist(), playouts.plies.tolist()) == ([1.0, -1.0], [0, 0, 0])
    drawn = load_game("quoridor", max_plies=1).new_initial_state()
    drawn.apply_moves("e2")
    assert random_playouts(drawn, 3).mean_returns.tolist() == [0.0, 0.0]


def test_returns_of_playouts_are_zero_sum_and_their_errors_are_those_of_a_mean() -> None:
    start: Game = load_game("quoridor", players=4, board_size=5, max_plies=None)
    playouts = random_playouts(start, 400, seed=6)
    assert playouts.mean_returns.sum() == pytest.approx(0.0, abs=1e-9)
    share = (playouts.mean_returns + 1 / 3) / (4 / 3)  # of wins; without a cap there are no draws
    assert playouts.standard_errors == pytest.approx(4 / 3 * np.sqrt(share * (1 - share) / 400), rel=1e-9)


@pytest.mark.parametrize("games", [0, -1])
def test_no_games_at_all_are_refused(games: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1, not {games}"):
        random_playouts(load_game("quoridor"), games)
