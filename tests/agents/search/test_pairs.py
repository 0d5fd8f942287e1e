"""The leaf `pairs`: against the table asked pair by pair in Python; who is judged by it, and who is not."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sekisho.agents import make_agent, store
from sekisho.agents.exact import tokaido_library
from sekisho.agents.exact.tokaido_table import TokaidoTable, solved_game
from sekisho.agents.search import tokaido_pairs
from sekisho.agents.search.leaves import Race, leaf_of
from sekisho.agents.search.tokaido_pairs import Pairs, pairs_of
from sekisho.envs import Game, load_game
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.errors import AgentError, TableError
from sekisho.envs.tokaido.kernels import FORK, KIND, LAST, RESIGN, RESTS, SEAT, SPOT, TURN, WAITS, field
from sekisho.envs.tokaido.rules import Tokaido
from sekisho.envs.tokaido.tables import SPOT_NAMES

ON_THE_ROAD = [name for name in SPOT_NAMES if name != "R" and "#" not in name]


def beginnings(game: Game, games: int, seed: int) -> NDArray[np.int64]:
    """All positions of random games, in which few resign, in which a turn begins."""
    rng, stays, found = new_rng(seed), np.random.default_rng(seed), []
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.words[WAITS] == TURN:
                found.append(state.words.copy())
            action = int(game.kernels.sample(game.rules, state.words, rng))
            if action != RESIGN or stays.random() < 0.05:
                state.apply_action(action)
    return np.array(found)


@lru_cache
def table_of_two(game: Tokaido) -> TokaidoTable:
    """The table of a game of two; it refuses what play from the start does not reach."""
    return replace(tokaido_library.table_for(game), solve_from=None)


def points_of_one(game: Game, words: NDArray[np.int64], one: int, other: int) -> tuple[float, bool]:
    """What the game of two is worth to `one` (-1..1), and whether the table knows it: by texts of positions."""
    two = load_game("tokaido", **(dict(game.options) | {"players": 2, "allow_resign": False, "max_turns": None}))
    places = [int(words[SPOT + seat]) for seat in (one, other)]
    last, names = int(game.rules[LAST]), [SPOT_NAMES[place] for place in places]
    if not all(0 < place <= last for place in places):
        arrived = [place if place > last else last if place > 0 else 0 for place in places]
        return float(np.sign(arrived[0] - arrived[1])), True
    rests = [int(words[RESTS + seat]) for seat in (one, other)]
    seats = [(int(words[SEAT]) + turn) % game.num_players for turn in range(game.num_players)]
    mover = 0 if seats.index(one) < seats.index(other) else 1
    while rests[mover]:  # who rests pays before anything is decided
        rests[mover] -= 1
        mover = 1 - mover
    pieces = " ".join(name + (f"+{owed}" if owed else "") for name, owed in zip(names, rests, strict=True))
    state = two.from_text(f"{pieces} / {mover + 1} / turn")
    try:
        return float(table_of_two(solved_game(two)).seat_values(state)[0]), True  # type: ignore[arg-type]
    except TableError:
        return float(Race(two, 0).position_values(two, state.words[None])[0, 0]), False


def plainly(game: Game, words: NDArray[np.int64]) -> tuple[NDArray[np.float64], int]:
    """The place points of every seat, and how many pairs the table does not know."""
    values, unknown = np.zeros(game.num_players), 0
    for one, other in itertools.combinations(range(game.num_players), 2):
        points, known = points_of_one(game, words, one, other)
        values[one] += points / (game.num_players - 1)
        values[other] -= points / (game.num_players - 1)
        unknown += not known
    return values, unknown


@pytest.mark.parametrize(
    "options",
    [
        {"players": 3},
        {"players": 4, "forks": "miya", "goal": "over"},
        {"players": 5},
        {"players": 6, "allow_resign": True, "goal": "over"},
        {"players": 5, "max_turns": 400, "forks": "miya"},
    ],
)
def test_positions_are_judged_pair_by_pair(options: dict[str, Any]) -> None:
    game = load_game("tokaido", **options)
    words = beginnings(game, 30, seed=4)
    words = words[np.random.default_rng(1).permutation(len(words))[:100]]
    found, unknown = pairs_of(game).position_values(game, words), 0
    spots = words[:, SPOT : SPOT + game.num_players]
    forks = [spot for spot in range(int(game.rules[LAST])) if field(game.rules, spot, KIND) == FORK]
    assert np.isin(spots, forks).any()
    assert (spots > game.rules[LAST]).any()
    assert (spots == 0).any() == game.options["allow_resign"]
    assert (words[:, RESTS : RESTS + game.num_players] > 0).any()
    for row, values in zip(words, found, strict=True):
        expected, missed = plainly(game, row)
        unknown += missed
        np.testing.assert_allclose(values, expected, atol=1e-12, err_msg=game.state_of(row).to_text())
    np.testing.assert_allclose(found.sum(axis=1), 0, atol=1e-12)
    assert unknown < 0.1 * len(words) * game.num_players * (game.num_players - 1) / 2


@pytest.mark.parametrize(
    ("options", "position"),
    [
        ({"players": 3}, "9 9c 9d / 2 / turn"),
        ({"players": 4}, "41d1 41 40+2 39+1 / 1 / turn"),
        ({"players": 4}, "23 30+1 30+1 31+2 / 1 / turn"),  # the first of a pair rests, and both of one do
        ({"players": 5}, "54#2 53 54#1 50+1 41 / 2 / turn"),
        ({"players": 5, "allow_resign": True}, "R 53 54#1 R 41 / 2 / turn"),
        ({"players": 6, "allow_resign": True}, "R R 54#1 R 41 9 / 5 / turn"),
    ],
)
def test_rests_forks_arrivals_and_who_has_resigned_count_as_the_rules_have_them(
    options: dict[str, Any], position: str
) -> None:
    game = load_game("tokaido", **options)
    words = game.from_text(position).words
    found = pairs_of(game).position_values(game, words[None])[0]
    np.testing.assert_allclose(found, plainly(game, words)[0], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{"rechoice": "uses_turn"}, {"rests_add_up": False}, {"after_crossing": "end_turn", "allow_resign": True}],
)
def test_tables_that_do_not_ship_are_solved_on_first_use(options: dict[str, Any], tmp_path: Path) -> None:
    game = load_game("tokaido", players=4, **options)
    words = beginnings(game, 8, seed=2)[::5]
    for row, values in zip(words, pairs_of(game).position_values(game, words), strict=True):
        np.testing.assert_allclose(values, plainly(game, row)[0], atol=1e-12)


@pytest.mark.parametrize("finish", ["first", "all_places"])
def test_with_two_players_it_is_the_table(finish: str) -> None:
    game = load_game("tokaido", finish=finish)
    words = beginnings(game, 10, seed=8)
    found = leaf_of("pairs", game, 0).position_values(game, words)
    np.testing.assert_array_equal(found, leaf_of(make_agent("exact"), game, 0).position_values(game, words))


def test_a_position_is_judged_alike_whatever_was_judged_before() -> None:
    game = load_game("tokaido", players=5)
    words, leaf = beginnings(game, 3, seed=5), pairs_of(game)
    together = leaf.position_values(game, words)
    for row, values in list(zip(words, together, strict=True))[::-7]:
        np.testing.assert_array_equal(pairs_of(game).position_values(game, row[None])[0], values)
        np.testing.assert_array_equal(leaf.position_values(game, row[None])[0], values)


def test_a_pair_that_play_of_two_does_not_reach_is_a_race() -> None:
    game = load_game("tokaido", players=3)
    for ahead, behind in itertools.product(ON_THE_ROAD, ON_THE_ROAD):
        position = f"{ahead} 54#1 {behind} / 1 / turn"
        words = game.from_text(position).words
        points, known = points_of_one(game, words, 0, 2)
        if not known:
            break
    else:
        pytest.fail("the table knows all pairs")
    found = pairs_of(game).position_values(game, words[None])[0]
    assert found == pytest.approx([points / 2 - 0.5, 1, -points / 2 - 0.5], abs=1e-12)
    assert abs(points) <= 1


def test_it_differs_from_the_race_where_two_can_meet() -> None:
    game = load_game("tokaido", players=5)
    words = beginnings(game, 20, seed=6)
    apart = np.abs(pairs_of(game).position_values(game, words) - Race(game, 0).position_values(game, words))
    assert 0.01 < apart.mean() < 0.1


# --- who is judged so ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "utility", "leaf"),
    [
        ("tokaido", {}, 0, Race),  # the player that knows no table
        ("tokaido", {"players": 3}, 0, Pairs),
        ("tokaido", {"players": 6, "forks": "miya", "goal": "over", "allow_resign": True}, 0, Pairs),
        ("tokaido", {"players": 5, "max_turns": 400}, 0, Pairs),
        ("tokaido", {"players": 5, "max_turns": 399}, 0, Race),
        ("tokaido", {"players": 5, "finish": "first"}, 0, Race),
        ("tokaido", {"players": 5}, 1, Race),
        ("tokaido", {"players": 5, "rechoice": "uses_turn"}, 0, Race),  # its table does not ship
        ("picture_sugoroku", {"players": 4}, 0, Race),
    ],
)
def test_by_itself_it_judges_three_and_more_where_the_table_ships(
    name: str, options: dict[str, Any], utility: int, leaf: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing_is_solved(*_: Any, **__: Any) -> None:
        raise AssertionError("solved")

    monkeypatch.setattr(tokaido_library, "solve_and_keep", nothing_is_solved)
    assert type(leaf_of("auto", load_game(name, **options), utility)) is leaf


def test_a_table_that_one_has_made_oneself_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load_game("tokaido", players=5, rechoice="uses_turn")
    table = tokaido_library.table_for(load_game("tokaido"))
    monkeypatch.setattr(tokaido_library, "kept", lambda *_: table)
    assert tokaido_library.find(tokaido_pairs.game_of_two(game)) is table
    assert type(leaf_of("auto", game, 0)) is Race


def test_without_the_files_that_ship_the_race_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "manifest", list)
    tokaido_pairs.shipped_table.cache_clear()
    try:
        assert type(leaf_of("auto", load_game("tokaido", players=5), 0)) is Race
    finally:
        tokaido_pairs.shipped_table.cache_clear()


@pytest.mark.parametrize(
    ("name", "options", "utility", "why"),
    [
        ("picture_sugoroku", {}, "place_points", "solved for tokaido, not for picture_sugoroku"),
        ("tokaido", {"players": 3}, "first_only", "place_points, a sum over pairs of seats, and first_only is none"),
        ("tokaido", {"players": 3, "finish": "first"}, "place_points", "finish=all_places, not where finish=first"),
        ("tokaido", {"players": 5, "max_turns": 60}, "place_points", "max_turns=60 is below 400"),
        ("tokaido", {"max_turns": 60}, "place_points", "max_turns=60 is below 400"),
    ],
)
def test_what_it_cannot_judge_is_refused_in_words(name: str, options: dict[str, Any], utility: str, why: str) -> None:
    with pytest.raises(AgentError, match=rf"leaf=pairs cannot judge here: .*{why}.*; leaf=race can"):
        make_agent(f"expectimax:leaf=pairs,utility={utility}").supports(load_game(name, **options))


def test_the_spec_alone_plays_as_with_pairs_at_a_table_of_five_and_as_with_the_race_at_one_of_two() -> None:
    for players, leaf in ((2, "race"), (5, "pairs")):
        game = load_game("tokaido", players=players)
        words = beginnings(game, 4, seed=1)
        states = [child for row in words[::9] for child in [game.state_of(row)] if child.is_chance_node()]
        states = [state.child(state.chance_outcomes()[0][0]) for state in states]
        states = [state for state in states if state.current_player() >= 0]
        rng = np.random.default_rng(0)
        bare, named = (make_agent(f"expectimax:turns=0{more}").act_many(states, rng) for more in ("", f",leaf={leaf}"))
        assert len(states) > 5
        assert [(one.action, one.value) for one in bare] == [(one.action, one.value) for one in named]
