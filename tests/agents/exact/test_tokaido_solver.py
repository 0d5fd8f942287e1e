"""Perfect play in Tokaido: values known from outside, Bellman's equation over the public verbs, every option."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sekisho.agents.exact import tokaido_kernels as compiled
from sekisho.agents.exact import tokaido_solver, tokaido_table
from sekisho.agents.exact import tokaido_sweeps as sweeps
from sekisho.agents.exact.tokaido_nodes import enumerate_nodes, key_of, state_at
from sekisho.agents.exact.tokaido_solver import check_size, solve, solve_nodes, start_values
from sekisho.agents.exact.tokaido_table import EQUAL, TokaidoTable
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.errors import RunError, TableError
from sekisho.envs.tokaido.kernels import STATE_SIZE
from sekisho.envs.tokaido.rules import Tokaido, TokaidoState

# Two players, both perfect: from the rules' page and from an independent solver.
KNOWN = [
    ({}, 0.52637513, 3543),
    ({"forks": "miya"}, 0.52698995, 2345),
    ({"bounce_events": False}, 0.529073, None),
    ({"detour_rejoins": "shortcut_target"}, 0.527444, None),
    ({"after_crossing": "end_turn"}, 0.527829, None),
    ({"rechoice": "uses_turn"}, 0.525131, None),
]
OPTIONS: list[dict[str, Any]] = [
    *(options for options, _, _ in KNOWN),
    {"goal": "over"},
    {"goal": "over", "forks": "miya"},
    {"rests_add_up": False},
    {"max_turns": 25},
    {"after_crossing": "end_turn", "rechoice": "uses_turn", "detour_rejoins": "shortcut_target"},
]


def random_states(game: Tokaido, number: int, seed: int = 1) -> list[TokaidoState]:
    """Nodes of random games, spread over them."""
    rng, found = new_rng(seed), []
    while len(found) < number:
        state, plies = game.new_initial_state(), 0
        while not state.is_terminal():
            plies += 1
            if plies % 7 == 3:
                found.append(state.clone())
            state.apply_action(int(game.kernels.sample(game.rules, state.words, rng)))
    return found[:number]


def assert_bellman(table: TokaidoTable, states: list[TokaidoState], slack: float) -> None:
    """What a state is worth follows from what comes after it, by the verbs that everybody uses."""
    for state in states:
        here = table.seat_values(state)
        seat = state.current_player()
        if seat < 0:
            after = sum(chance * table.seat_values(state.child(outcome)) for outcome, chance in state.chance_outcomes())
            np.testing.assert_allclose(here, after, atol=slack, err_msg=state.to_text())
        else:
            values = [table.seat_values(state.child(action)) for action in state.legal_actions()]
            assert here[seat] == pytest.approx(max(value[seat] for value in values), abs=slack)
            assert min(np.abs(here - value).max() for value in values) <= slack


@pytest.mark.parametrize(("options", "chance", "states"), KNOWN)
def test_two_players_have_the_values_known_from_outside(
    options: dict[str, Any], chance: float, states: int | None
) -> None:
    table = solve(Tokaido(**options))
    digits = 8 if states else 6
    assert (1 + start_values(table)[0]) / 2 == pytest.approx(chance, abs=0.6 * 10**-digits)
    assert states in (None, table.facts["states"])
    assert table.facts["residual"] <= 1e-12


@pytest.mark.parametrize("options", OPTIONS)
def test_two_players_values_follow_from_those_after_them_under_every_option(options: dict[str, Any]) -> None:
    game = Tokaido(**options)
    table = solve(game)
    table.solve_from = None  # whatever random play reaches has been solved
    assert_bellman(table, random_states(game, 120), slack=1e-11)


def test_no_reachable_state_is_missing_with_three_players_and_all_values_sum_to_zero() -> None:
    game = Tokaido(players=3)
    table = solve(game)
    assert table.facts["states"] == pytest.approx(212_000, rel=0.05)
    assert np.abs(table.values.sum(axis=1)).max() < 1e-10
    assert table.facts["residual"] <= 1e-12
    assert table.facts["gain"] <= table.facts["epsilon"] == EQUAL
    assert_bellman(table, random_states(game, 150), slack=1e-8)
    first, second, third = start_values(table)
    assert first > second > third


def test_a_smaller_game_has_the_values_of_the_two_who_are_left() -> None:
    three, two = solve(Tokaido(players=3), start=late(3, "54#1 47 50 / 2 / turn")), solve(Tokaido())
    pair = two.seat_values(Tokaido().from_text("47 50 / 1 / turn"))
    values = three.seat_values(late(3, "54#1 47 50 / 2 / turn"))
    np.testing.assert_allclose(values, [1.0, (pair[0] - 1) / 2, (pair[1] - 1) / 2], atol=1e-9)


def late(players: int, position: str, **options: Any) -> TokaidoState:
    return Tokaido(players=players, **options).from_text(position)


@pytest.mark.parametrize("options", [{"finish": "first"}, {"goal": "over"}, {"max_turns": 12}, {"rests_add_up": False}])
@pytest.mark.parametrize("utility", tokaido_table.UTILITIES)
def test_the_end_of_a_game_of_three_is_an_equilibrium_under_every_option(options: dict[str, Any], utility: str) -> None:
    start = late(3, "47 46 48 / 1 / turn", **options)
    table = solve(start.game, utility, start)
    total = 1.0 if utility == "first_only" else 0.0
    np.testing.assert_allclose(table.values.sum(axis=1), total, atol=1e-9)
    states = [
        start,
        start.child(5),
        *(start.child(roll).child(action) for roll in (0, 20) for action in start.child(roll).legal_actions()),
    ]
    assert_bellman(table, states, slack=2 * table.facts["epsilon"] + 1e-9)


def test_nobody_prefers_never_to_arrive_to_arriving_late() -> None:
    start = late(4, "54#1 54#2 53 53 / 3 / turn")
    table = solve(start.game, start=start)
    values = table.seat_values(start)
    np.testing.assert_allclose(values[:2], [1.0, 1 / 3], atol=1e-9)
    assert values[2] + values[3] == pytest.approx(-4 / 3, abs=1e-9)
    assert values[2] > values[3]


def test_seats_are_alike() -> None:
    table = solve(Tokaido())
    one = table.seat_values(Tokaido().from_text("20 41c / 1 / turn"))
    other = table.seat_values(Tokaido().from_text("41c 20 / 2 / turn"))
    np.testing.assert_array_equal(one, other[::-1])


def test_a_node_is_the_state_that_its_key_says() -> None:
    for players in (2, 3, 4, 5, 6):
        game = Tokaido(players=players)
        for state in random_states(game, 60, seed=players):
            if state.pending.startswith("["):
                continue
            key = key_of(state)
            node = state_at(game, key)
            assert key_of(node) == key
            assert node.spots == [*state.spots[state.seat :], *state.spots[: state.seat]]
            assert node.rests == [*state.rests[state.seat :], *state.rests[: state.seat]]
            assert node.current_player() == (0 if state.current_player() >= 0 else -1)


def test_resigning_never_gains_anything() -> None:
    for players, start in ((2, "0 0 / 1 / turn"), (3, "49 47 50 / 1 / turn")):
        game = Tokaido(players=players, allow_resign=True)
        nodes = enumerate_nodes(game.from_text(start))
        values, _, _ = solve_nodes(game, nodes)
        assert sweeps.most_from_resigning(nodes.kinds, nodes.links, values) < 0
    assert start_values(solve(Tokaido(allow_resign=True))) == pytest.approx(start_values(solve(Tokaido())), abs=1e-12)


def test_a_cap_on_turns_is_solved_with_the_turns_counted() -> None:
    assert start_values(solve(Tokaido(max_turns=1)))[0] == pytest.approx(1.0)  # ahead when places count
    short, long = start_values(solve(Tokaido(max_turns=20)))[0], start_values(solve(Tokaido()))[0]
    assert short != pytest.approx(long, abs=1e-3)


@pytest.mark.slow
def test_a_cap_that_counts_as_none_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    cap = tokaido_table.NO_CAP
    monkeypatch.setattr(tokaido_table, "NO_CAP", cap + 1)
    tokaido_table.solved_game.cache_clear()
    table = solve(Tokaido(max_turns=cap))
    tokaido_table.solved_game.cache_clear()
    assert table.game.options["max_turns"] == cap
    assert start_values(table) == pytest.approx(start_values(solve(Tokaido())), abs=1e-12)


def test_first_only_is_reported_with_the_epsilon_that_it_needed() -> None:
    start = late(3, "30 29 31 / 1 / road")
    table = solve(start.game, "first_only", start)
    assert table.facts["epsilon"] >= EQUAL
    assert table.facts["gain"] <= table.facts["epsilon"]
    np.testing.assert_allclose(table.values.sum(axis=1), 1.0, atol=1e-9)


def test_epsilon_grows_beyond_the_least_gain_of_a_cycle_at_once() -> None:
    assert tokaido_solver._grown(1e-9, np.inf) == pytest.approx(4e-9)  # values drift, but no choice changes
    assert tokaido_solver._grown(1e-9, 1e-12) == pytest.approx(4e-9)
    for gained in (4e-9, 1.4e-5, 0.3):
        grown = tokaido_solver._grown(1e-9, gained)
        assert gained < grown <= 4 * gained * (1 + 1e-12)


def test_what_is_played_under_first_only_is_the_equilibrium_that_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play that took another choice wherever it gains a little would not have the values of the table."""
    monkeypatch.setattr(tokaido_solver, "EQUAL", 1e-3)  # the whole game needs some 1e-5, so late a position nothing
    start = late(3, "45 46 47 / 1 / turn")
    table = solve(start.game, "first_only", start)
    assert table.facts["gain"] > EQUAL  # somewhere what is chosen is not the best, by itself
    below_best = 0
    for node in range(0, table.keys.size, 5):
        key = int(table.keys[node])
        kind = int(compiled.state_of(start.game.rules, key, np.zeros(STATE_SIZE, np.int64)))
        if kind not in (compiled.THROW, compiled.CHOOSE_ROAD):
            continue
        state = state_at(table.game, key)
        children = [(1.0, state)]
        if kind == compiled.THROW:
            children = [(chance, state.child(roll)) for roll, chance in state.chance_outcomes()]
        mean = np.zeros(3)
        for chance, child in children:
            values = table.action_values(child)
            action = table.choice(child, values)
            below_best += values[action][0] < max(after[0] for after in values.values()) - EQUAL
            assert values[action][0] >= max(after[0] for after in values.values()) - table.facts["epsilon"]
            mean += chance * values[action]
        np.testing.assert_allclose(mean, table.values[node], atol=1e-11, err_msg=state.to_text())
        np.testing.assert_allclose(
            sum(chance * table.seat_values(child) for chance, child in children), table.values[node], atol=1e-11
        )
    assert below_best > 0


def test_resigning_is_never_the_choice_with_three_players() -> None:
    state = late(3, "52 51 53 / 1 / [1-2]", allow_resign=True)
    table = solve(Tokaido(players=3), "place_points", late(3, "50 51 53 / 1 / turn"))
    table.solve_from = tokaido_solver.solve_from(table.game, table.utility)
    values = table.action_values(state)
    assert table.choice(state, values) in (0, 1)


@pytest.mark.parametrize("players", [5, 6])
def test_games_that_are_too_large_are_refused_with_their_size(players: int) -> None:
    with pytest.raises(RunError, match=r"about [\d,]+ positions and needs about [\d,]+ GB"):
        check_size(Tokaido(players=players))
    check_size(Tokaido(players=players), force=True)
    check_size(Tokaido(players=4))
    check_size(Tokaido(max_turns=100_000))  # no perfect game comes near it
    with pytest.raises(RunError, match="max_turns=399"):
        check_size(Tokaido(players=3, max_turns=399))


def test_a_position_that_play_cannot_reach_is_solved_on_the_spot_or_refused() -> None:
    table = solve(Tokaido())
    state = Tokaido().from_text("0 53 / 1 / [1-2]")
    values = table.action_values(state)
    assert set(values) == {0, 1}
    assert_bellman(table, [state], slack=1e-11)
    strict = solve(Tokaido())
    strict.solve_from = None
    with pytest.raises(TableError, match="cannot reach"):
        strict.seat_values(state)


def test_a_run_that_was_stopped_goes_on_to_the_same_result() -> None:
    start = late(3, "49 47 50 / 1 / turn")
    whole = solve(start.game, start=start)
    kept: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def keep(arrays: dict[str, Any], facts: dict[str, Any]) -> None:
        kept.append(({name: array.copy() for name, array in arrays.items()}, dict(facts)))
        if len(kept) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(start.game, start=start, save=keep)
    again = solve(start.game, start=start, resume=kept[-1])
    np.testing.assert_array_equal(again.values, whole.values)
    np.testing.assert_array_equal(again.choices, whole.choices)
    assert again.facts["sweeps"] == whole.facts["sweeps"]


def test_the_solver_says_when_bounds_do_not_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokaido_solver, "GAP", -1.0)
    with pytest.raises(RunError, match="do not meet"):
        solve(Tokaido())
