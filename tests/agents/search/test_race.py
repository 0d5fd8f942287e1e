"""The race of lone travellers: its laws against journeys that are played, its values against games that are drawn."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sekisho.agents.exact.picture_analysis import analyze
from sekisho.agents.heuristics.tokaido import expected_turns, lone_road, turn_steps, turns_law
from sekisho.agents.search.leaves import Race
from sekisho.envs import State, load_game
from sekisho.envs.compiling import kernel
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.kernels import bind
from sekisho.envs.tokaido.kernels import LAST, NUM_ACTIONS, OVER, RESTS, SEAT, SPOT, TURNS, WAITS

OPTIONS: list[dict[str, Any]] = [
    {},
    {"goal": "over"},
    {"after_crossing": "end_turn"},
    {"rechoice": "uses_turn"},
    {"forks": "miya", "detour_rejoins": "shortcut_target", "bounce_events": False},
]


@kernel(allocates=True)
def lone_journeys(table: Any, rules: Any, start: Any, turns: Any, rng: Any, taken: Any) -> None:
    """Write the turns that a traveller takes who has the road to himself (the rival has resigned), journey by journey.

    The rules play, and count the turns; all that is taken from the solution are the expected turns from each spot.
    """
    game, mask = bind(table), np.zeros(NUM_ACTIONS, np.int8)
    for journey in range(taken.size):
        words, after, best = start.copy(), start.copy(), start.copy()
        words[SPOT + 1] = 0
        while words[WAITS] != OVER:
            if game.to_move(rules, words) < 0:
                game.apply(rules, words, game.sample(rules, words, rng))
                continue
            game.legal(rules, words, mask)
            least = np.inf
            for action in range(NUM_ACTIONS):
                if mask[action]:
                    after[:] = words
                    game.apply(rules, after, action)
                    expected = after[TURNS] + (0.0 if after[SPOT] > rules[LAST] else turns[after[SPOT]])
                    if expected < least - 1e-9:
                        least = expected
                        best[:] = after
            words[:] = best
        taken[journey] = words[TURNS]


@pytest.mark.parametrize("options", OPTIONS)
def test_journeys_by_the_rules_have_the_law_of_turns(options: dict[str, Any]) -> None:
    game = load_game("tokaido", max_turns=1000, **options)  # under a cap the rules count the turns, skipped ones too
    start, count = game.new_initial_state(), 20_000
    taken = np.zeros(count, dtype=np.int64)
    lone_journeys(game.table, game.rules, start.words, expected_turns(lone_road(game)), new_rng(7), taken)
    law = turns_law(game)[start.words[SPOT]]
    mean = law @ np.arange(law.size)
    spread = math.sqrt(law @ (np.arange(law.size) - mean) ** 2)
    assert abs(taken.mean() - mean) < 4 * spread / math.sqrt(count)
    for quantile in (8, 10, 12, 15):
        chance = law[: quantile + 1].sum()
        assert abs((taken <= quantile).mean() - chance) < 4 * math.sqrt(chance * (1 - chance) / count) + 1e-9


@pytest.mark.parametrize("options", OPTIONS)
def test_a_turn_leads_somewhere(options: dict[str, Any]) -> None:
    reached = turn_steps(load_game("tokaido", **options)).sum(axis=(0, 2))
    assert np.isin(reached.round(12), (0, 1)).all()
    assert reached.sum() > 50


@pytest.mark.parametrize("options", OPTIONS)
def test_no_other_choice_takes_fewer_turns(options: dict[str, Any]) -> None:
    # an independent linear solve of the policy's own equations gives what value iteration gave
    game = load_game("tokaido", **options)
    road, steps = lone_road(game), turn_steps(game)
    going = np.arange(1, game.rules[LAST] + 1)
    going = going[steps.sum(axis=(0, 2))[going] > 0]
    cost = sum((1 + rests) * step[going].sum(axis=1) for rests, step in enumerate(steps))
    matrix = steps.sum(axis=0)[np.ix_(going, going)]
    np.testing.assert_allclose(
        np.linalg.solve(np.eye(going.size) - matrix, cost), expected_turns(road)[going], atol=1e-7
    )


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "finish"), [*itertools.product((2, 3, 6), ("first", "all_places"))])
@pytest.mark.parametrize("options", [{}, {"goal": "exact"}, {"board": "treasure_hunt", "chain": False}])
def test_picture_sugoroku_is_such_a_race(players: int, finish: str, options: dict[str, Any]) -> None:
    game = load_game("picture_sugoroku", players=players, finish=finish, **options)
    words = game.new_initial_state().words[None]
    exact = analyze(game)
    points = 1 - 2 * np.arange(players) / (players - 1)
    np.testing.assert_allclose(
        Race(game, 0).position_values(game, words)[0], np.array(exact.places) @ points, atol=1e-9
    )
    np.testing.assert_allclose(Race(game, 1).position_values(game, words)[0], exact.win, atol=1e-9)


def drawn_values(state: State, count: int, first_only: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean utilities of races of independent lone travellers, drawn turn by turn, and their standard errors."""
    game, rng, steps = state.game, np.random.default_rng(3), turn_steps(state.game)  # type: ignore[arg-type]
    players, cap = game.num_players, game.options["max_turns"]
    flat = steps.transpose(1, 0, 2).reshape(steps.shape[1], -1).cumsum(axis=1)
    results = np.zeros((count, players))
    for number in range(count):
        spots, rests = state.words[SPOT:][:players].tolist(), state.words[RESTS:][:players].tolist()
        seat, turn, arrived = int(state.words[SEAT]), int(state.words[TURNS]), []
        while True:
            if 0 < spots[seat] <= LAST_SPOT:
                turn += 1
                if rests[seat]:
                    rests[seat] -= 1
                else:
                    drawn = int(np.searchsorted(flat[spots[seat]], rng.random()))
                    rests[seat], spots[seat] = divmod(drawn, steps.shape[1])
                    if spots[seat] > LAST_SPOT:
                        arrived.append(seat)
                left = sum(0 < spot <= LAST_SPOT for spot in spots)
                if left < 2 or (arrived and game.options["finish"] == "first") or (cap and turn >= cap):
                    break
            seat = (seat + 1) % players
        bare = [1000 - arrived.index(s) if s in arrived else BARE[spots[s]] for s in range(players)]
        results[number] = [(np.sum(b > np.array(bare)) - np.sum(b < np.array(bare))) / (players - 1) for b in bare]
        if first_only:
            best = results[number] == results[number].max()
            results[number] = best / best.sum()
    return results.mean(axis=0), results.std(axis=0) / math.sqrt(count)


LAST_SPOT = int(load_game("tokaido").rules[LAST])
BARE = lone_road(load_game("tokaido")).rows[:, 1].tolist()


@pytest.mark.parametrize("first_only", [False, True])
@pytest.mark.parametrize(
    ("options", "position"),
    [
        ({"players": 4}, "40 45 38 31+1 / 2 / turn"),
        ({"players": 4, "finish": "first"}, "40 45 38 31+1 / 2 / turn"),
        ({"players": 3, "finish": "first"}, "30c 34 36 / 1 / turn"),
        ({"players": 2, "max_turns": 60}, "30 38 / 1 / turn / 54"),
        ({"players": 3, "finish": "first", "max_turns": 60}, "46 41c 49+2 / 2 / turn / 51"),
        ({"players": 6, "max_turns": 60}, "20 20 20 20 20 20 / 1 / turn / 48"),
        ({"players": 4, "allow_resign": True}, "50 R 47 R / 3 / turn"),
    ],
)
def test_values_are_those_of_races_that_are_drawn(options: dict[str, Any], position: str, first_only: bool) -> None:
    state = load_game("tokaido", **options).from_text(position)
    means, errors = drawn_values(state, 1500, first_only)
    values = Race(state.game, int(first_only)).position_values(state.game, state.words[None])[0]
    assert values.sum() == pytest.approx(float(first_only), abs=1e-9)
    assert (np.abs(values - means) < 4.5 * errors + 1e-9).all(), (values, means, errors)


def test_who_is_in_kyoto_stays_ahead_and_who_has_resigned_behind() -> None:
    game = load_game("tokaido", players=4, allow_resign=True)
    words = game.from_text("54#1 R 53 40 / 3 / turn").words[None]
    values = Race(game, 0).position_values(game, words)[0]
    assert values[0] == pytest.approx(1)
    assert values[1] == pytest.approx(-1)
    assert 1 / 3 > values[2] > values[3] > -1 / 3
    np.testing.assert_allclose(Race(game, 1).position_values(game, words)[0], [1, 0, 0, 0])
