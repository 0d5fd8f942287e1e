"""The agents of the two sugorokus: what they choose, what the heuristic knows of the road, how strong it is."""

from __future__ import annotations

import math
from contextlib import closing

import numpy as np
import pytest

from sekisho.agents import make_agent
from sekisho.agents.heuristics.tokaido import MAX_TURNS, expected_turns, lone_road, turns_law
from sekisho.arena.executors import make_executor
from sekisho.arena.tournament import Tournament, play_all, schedule, standings
from sekisho.envs import load_game
from sekisho.envs.tokaido.tables import SPOTS


def choice(agent: str, position: str, **options: object) -> str:
    """Return the move of an agent at a position, which must be the same for several seeds."""
    state = load_game("tokaido", **options).from_text(position)
    moves = {
        state.action_to_string(make_agent(agent).act(state, np.random.default_rng(seed)).action) for seed in range(5)
    }
    assert len(moves) == 1
    return moves.pop()


@pytest.mark.parametrize(
    ("agent", "pending", "move"),
    [("larger", "[2-5]", "5"), ("larger", "[4-4]", "8"), ("smaller", "[2-5]", "2"), ("smaller", "[4-4]", "4")],
)
def test_larger_and_smaller_take_their_number(agent: str, pending: str, move: str) -> None:
    assert choice(agent, f"0 0 / 1 / {pending}") == move


@pytest.mark.parametrize("agent", ["larger", "smaller"])
def test_larger_and_smaller_cross_at_a_fork(agent: str) -> None:
    assert choice(agent, "9 0 / 1 / road") == "crossing"


def test_the_heuristic_takes_an_exact_arrival() -> None:
    assert choice("heuristic", "50 53 / 1 / [4-6]") == "4"
    assert choice("heuristic", "42 53 / 1 / [6-6]") == "12"


def test_the_heuristic_takes_what_happens_at_a_station_into_account() -> None:
    assert choice("heuristic", "15 15 / 1 / [1-2]") == "2"  # 16 leads back to 14
    assert choice("heuristic", "45 20 / 1 / [2-3]") == "2"  # 47 throws again; 48 leads back to 46


def test_the_heuristic_never_resigns() -> None:
    state = load_game("tokaido", allow_resign=True).from_text("0 53 / 1 / [1-2]")
    assert state.action_to_string(make_agent("heuristic").act(state, np.random.default_rng(0)).action) != "resign"
    picture = load_game("picture_sugoroku", allow_resign=True).new_initial_state()
    assert picture.action_to_string(make_agent("heuristic").act(picture, np.random.default_rng(0)).action) == "roll"


@pytest.mark.parametrize(
    ("station", "turns"),
    [
        ("53", 1.0),  # any number passes Kyoto
        ("52", 1.0),  # 1-1 may be taken as 2
        ("51", 1 + 3 / 36),  # 1-1 and 1-2 fall short, by 2, and 53 is left
    ],
)
def test_expected_turns_near_kyoto_when_passing_counts_are_as_on_paper(station: str, turns: float) -> None:
    road = lone_road(load_game("tokaido", goal="over"))
    assert expected_turns(road)[SPOTS[station]] == pytest.approx(turns, abs=1e-9)


@pytest.mark.parametrize("options", [{}, {"goal": "over"}, {"forks": "miya"}, {"after_crossing": "end_turn"}])
def test_the_law_of_turns_is_a_law_with_the_expected_turns_as_its_mean(options: dict[str, object]) -> None:
    game = load_game("tokaido", **options)
    road = lone_road(game)
    start = SPOTS["0"]
    law, turns = turns_law(game), expected_turns(road)
    assert (law >= 0).all()
    np.testing.assert_allclose(law[road.walking].sum(axis=1)[start:], 1.0, atol=1e-8)
    assert law[start] @ np.arange(MAX_TURNS + 1) == pytest.approx(turns[start], abs=1e-6)
    assert law[SPOTS["54#1"], 0] == 1.0


@pytest.mark.parametrize(
    ("forks", "bound", "games"),
    [
        ("three", 0.87, 1000),
        ("miya", 0.86, 1000),
        pytest.param("three", 0.87, 20_000, marks=pytest.mark.slow),
        pytest.param("miya", 0.86, 20_000, marks=pytest.mark.slow),
    ],
)
def test_the_heuristic_beats_random_play(forks: str, bound: float, games: int) -> None:
    tournament = Tournament(load_game("tokaido", forks=forks), ("heuristic", "random"), games, 0, seed=1)
    with closing(make_executor(2 if games > 1000 else 1)) as executor:
        results = list(play_all(tournament, list(schedule(tournament)), executor))
    wins = sum(result.record.returns[result.record.agents.index("heuristic")] > 0 for result in results)
    slack = 0.0 if games > 1000 else 3 * math.sqrt(bound * (1 - bound) / games)
    assert wins / games >= bound - slack


def test_every_seating_of_a_round_sees_the_same_dice() -> None:
    # the piece lands and moves on as its seat's agent chooses; the n-th throw is the same whoever makes it
    tournament = Tournament(load_game("picture_sugoroku"), ("random", "heuristic"), 8, 0, seed=3)
    results = [result.record for result in play_all(tournament, list(schedule(tournament)))]
    for one, other in zip(results[::2], results[1::2], strict=True):
        assert one.agents == other.agents[::-1]
        assert one.moves == other.moves  # nobody has a choice, so the dice decide everything
    assert len({record.moves for record in results}) == 4


def test_the_first_throws_are_the_same_where_the_agents_differ() -> None:
    tournament = Tournament(load_game("tokaido"), ("smaller", "larger"), 2, 0, seed=3)
    one, other = (result.record for result in play_all(tournament, list(schedule(tournament))))
    assert one.agents == other.agents[::-1]
    assert [move for move in one.moves if "-" in move][:4] == [move for move in other.moves if "-" in move][:4]


@pytest.mark.parametrize("game", ["tokaido", "picture_sugoroku"])
def test_a_table_with_shared_places_is_rated(game: str) -> None:
    tournament = Tournament(load_game(game, players=4), ("random", "heuristic"), 14, 0, seed=5)
    results = list(play_all(tournament, list(schedule(tournament))))
    lines = standings(tournament, results)
    assert sum(line.games for line in lines) == 14 * 4
    assert sum(line.score * line.games for line in lines) == pytest.approx(14 * 2)  # place points are zero-sum


def test_a_tie_for_last_place_counts_where_the_game_compares_losers_and_not_where_it_does_not() -> None:
    games = {"tokaido": load_game("tokaido", players=3), "quoridor": load_game("quoridor", players=4)}
    assert {name: game.ranks_losers for name, game in games.items()} == {"tokaido": True, "quoridor": False}
