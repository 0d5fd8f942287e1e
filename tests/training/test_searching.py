"""Learning from searches: what is seen, what positions are worth, and what is learned from them."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sekisho.agents import make_agent
from sekisho.agents.networks.config import NetworkConfig
from sekisho.agents.networks.files import read_network
from sekisho.agents.networks.quoridor_four_inputs import INPUTS as FOUR_INPUTS
from sekisho.agents.networks.quoridor_four_inputs import LEADS, SEAT_INPUTS
from sekisho.agents.networks.quoridor_four_inputs import write_inputs as write_four_inputs
from sekisho.agents.networks.quoridor_inputs import INPUTS, LEAD, mirror, write_inputs
from sekisho.agents.networks.symmetries import symmetries_of
from sekisho.agents.search.alphabeta.frames import DECIDED
from sekisho.agents.search.mcts import MctsAgent
from sekisho.envs import load_game
from sekisho.envs.core import State
from sekisho.envs.errors import OptionError
from sekisho.envs.quoridor.kernels import LEFT, PAWN, SEAT, distance
from sekisho.envs.quoridor.rules import Quoridor
from sekisho.training.config import Config, with_settings
from sekisho.training.evaluation import Result, half_interval, player_of
from sekisho.training.metrics import read_metrics
from sekisho.training.presets import preset_config
from sekisho.training.searching import games
from sekisho.training.searching.fitting import fit, held_back, logits_of, measure, new_network, targets_of
from sekisho.training.searching.four_players import STYLES, TreeSearcher, chances_of
from sekisho.training.searching.games import GamesTask, play_games
from sekisho.training.searching.learning import SearchLearning
from sekisho.training.searching.positions import UNKNOWN, Judged, places_of
from sekisho.training.sections import Searches
from sekisho.training.train import train
from support.positions import random_decisions

SMALL = Quoridor(board_size=5, fences=3)
FOUR = Quoridor(players=4, board_size=5, fences=2)
QUICK = Searches(games=6, nodes=120, judging_nodes=60, opening=4)
QUICK_FOUR = Searches(games=6, nodes=40, judging_nodes=20, stops=1, opening=4)


def inputs_of(game: Quoridor, words: np.ndarray, viewer: int) -> np.ndarray:
    out = np.empty(INPUTS if game.num_players == 2 else FOUR_INPUTS, np.float32)
    (write_inputs if game.num_players == 2 else write_four_inputs)(game.rules, words, viewer, out)
    return out


# --- what is seen -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"board_size": 6, "fences": 4}, {"board_size": 5, "fences": 3}])
def test_the_mirror_of_the_inputs_is_that_of_the_game(options: dict[str, int]) -> None:
    game = load_game("quoridor", **options)
    assert isinstance(game, Quoridor)
    rng, other = np.random.default_rng(1), mirror(game.board_size)
    (symmetry,) = symmetries_of(game)
    np.testing.assert_array_equal(other[other], np.arange(INPUTS))
    different = 0
    for _ in range(20):
        state, turned_words = game.new_initial_state(), game.new_initial_state().words.copy()
        for seat in range(2):  # on a board of even size the pawns do not start in the middle
            rank, file = divmod(int(turned_words[PAWN + seat]), 9)
            turned_words[PAWN + seat] = 9 * rank + game.board_size - 1 - file
        turned = game.state_of(turned_words)
        for _ in range(rng.integers(1, 20)):
            action = int(rng.choice(state.legal_actions()))
            state.apply_action(action)
            turned.apply_action(int(np.flatnonzero(symmetry.actions == action)[0]))
            if state.is_terminal():
                break
            for viewer in range(2):
                seen, there = inputs_of(game, state.words, viewer), inputs_of(game, turned.words, viewer)
                np.testing.assert_array_equal(there[other], seen)
                different += not np.array_equal(there, seen)
    assert different > 50


@pytest.mark.parametrize("game", [SMALL, FOUR, Quoridor(players=4)])
def test_lists_are_the_inputs_of_the_side_to_move(game: Quoridor) -> None:
    words, _ = random_decisions(game, 100, seed=4)
    for places, position in zip(places_of(game, words), words, strict=True):
        dense = inputs_of(game, position, int(position[SEAT]))
        seen = np.flatnonzero(dense)
        np.testing.assert_array_equal(places[places < dense.size], seen)
        assert (places[len(seen) :] == dense.size).all()


def test_a_list_is_answered_as_the_inputs_are_with_four_players() -> None:
    network, (words, _) = new_network(FOUR, NetworkConfig("nnue", 16, 1, 16), 1), random_decisions(FOUR, 50, seed=5)
    dense = np.array([inputs_of(FOUR, position, int(position[SEAT])) for position in words])
    with torch.inference_mode():
        chances = torch.softmax(logits_of(network, torch.from_numpy(places_of(FOUR, words).astype(np.int32))), 1)
        _, values = network(torch.from_numpy(dense), torch.ones(50, FOUR.num_actions, dtype=torch.bool))
    torch.testing.assert_close((4 * chances - 1) / 3, values)
    assert np.ptp(chances.numpy(), axis=0).min() > 0


def test_a_list_is_answered_as_the_inputs_are() -> None:
    network, (words, _) = new_network(SMALL, NetworkConfig("nnue", 16, 1, 16), 1), random_decisions(SMALL, 50, seed=5)
    dense = np.array([inputs_of(SMALL, position, int(position[SEAT])) for position in words])
    with torch.inference_mode():
        odds = logits_of(network, torch.from_numpy(places_of(SMALL, words).astype(np.int32)))
        _, values = network(torch.from_numpy(dense), torch.ones(50, SMALL.num_actions, dtype=torch.bool))
    torch.testing.assert_close(torch.tanh(odds / 2), values[:, 0])
    torch.testing.assert_close(values[:, 1], -values[:, 0])
    assert np.ptp(odds.numpy()) > 0


# --- games ------------------------------------------------------------------------------------------------------------


def equal(one: Judged, other: Judged) -> bool:
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(one, other, strict=True))


@pytest.mark.parametrize(("game", "settings"), [(SMALL, QUICK), (FOUR, QUICK_FOUR)], ids=["two", "four"])
def test_games_are_the_same_whoever_plays_how_many_of_them(game: Quoridor, settings: Searches) -> None:
    whole, tally = play_games(GamesTask(game, None, settings, 3, 1, 0, 6))
    parts = [
        play_games(GamesTask(game, None, settings, 3, 1, first, count))[0] for first, count in ((0, 1), (1, 3), (4, 2))
    ]
    assert equal(whole, Judged.joined(game, parts))
    assert (tally.games, tally.positions) == (6, len(whole.values))
    assert not equal(parts[0], play_games(GamesTask(game, None, settings, 3, 2, 0, 1))[0])
    assert set(whole.games) <= set(range(6))


def searched_by(game: Quoridor, settings: Searches, count: int) -> tuple[np.ndarray, Judged]:
    kept: list[np.ndarray] = []

    def keeping(game: Quoridor, words: np.ndarray) -> np.ndarray:
        kept.append(words.copy())
        return places_of(game, words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "places_of", keeping)
        judged, _ = play_games(GamesTask(game, None, settings, 7, 1, 0, count))
    return np.concatenate(kept), judged


@pytest.fixture(scope="module")
def searched() -> tuple[np.ndarray, Judged]:
    """Positions as words, and as they are learned from."""
    return searched_by(SMALL, QUICK, 100)


@pytest.fixture(scope="module")
def searched_by_four() -> tuple[np.ndarray, Judged]:
    """The same with four players."""
    return searched_by(FOUR, QUICK_FOUR, 40)


def test_with_four_players_seats_stand_in_the_order_of_turns(searched_by_four: tuple[np.ndarray, Judged]) -> None:
    words, judged = searched_by_four
    seats = (words[:, [SEAT]] + np.arange(4)) % 4
    known = judged.results[:, 0] != UNKNOWN
    assert (judged.results[~known] == UNKNOWN).all()
    assert set(judged.results[known].sum(axis=1)) <= {0, -2}  # a draw, or one seat has won
    winners = set()
    for game in set(judged.games):
        rows = known & (judged.games == game)
        found = set(seats[rows][judged.results[rows] == 1].tolist())
        assert len(found) <= 1
        winners |= found
    assert winners == {0, 1, 2, 3}
    steps = np.array([[distance(FOUR.rules, position, seat) for seat in range(4)] for position in words])
    steps = np.take_along_axis(steps, seats, 1)
    np.testing.assert_allclose(judged.values.sum(axis=1), 1, atol=1e-6)
    for column, source in itertools.product(range(4), (known, ~known)):
        ahead = steps[:, column] - np.delete(steps, column, 1).min(axis=1)
        assert judged.values[source & (ahead < 0), column].mean() > 0.3
        assert judged.values[source & (ahead > 0), column].mean() < 0.25


def test_with_four_players_some_positions_only_searches_have_seen(searched_by_four: tuple[np.ndarray, Judged]) -> None:
    words, judged = searched_by_four
    assert (words[:, LEFT : LEFT + 4].sum(axis=1) > 0).all()
    assert 0.3 < (judged.results[:, 0] == UNKNOWN).mean() < 0.7


def test_each_seat_of_each_game_draws_how_it_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    searcher, used, act = TreeSearcher(FOUR, None, QUICK_FOUR), set(), MctsAgent.act

    def noting(self: MctsAgent, state: State, *rest: Any) -> Any:
        used.add((state.current_player(), self.rivals, self.exploration, self.tree))
        return act(self, state, *rest)

    monkeypatch.setattr(MctsAgent, "act", noting)
    for number in range(40):
        rng, state = np.random.default_rng(number), FOUR.new_initial_state()
        searcher.begin(rng)
        for _ in range(4):
            state.apply_action(searcher.decide(state, rng).action)
    played = {row[:3] for row in used if row[3] == "keep"}
    assert played == {(seat, *style) for seat in range(4) for style in STYLES}


def test_returns_are_chances_of_seats_in_the_order_of_turns() -> None:
    third = 1 / 3
    np.testing.assert_allclose(chances_of((-third, 1.0, -third, -third), 1), [1, 0, 0, 0], atol=1e-7)
    np.testing.assert_allclose(chances_of((0.2, 0.0, -0.2, 0.0), 3), [0.25, 0.4, 0.25, 0.1], rtol=1e-6)


def test_results_and_values_are_those_of_the_side_to_move(searched: tuple[np.ndarray, Judged]) -> None:
    words, judged = searched
    known = judged.results != UNKNOWN
    winners = set()
    for game in set(judged.games):
        rows = known & (judged.games == game) & (judged.results != 0)
        seats = np.where(judged.results[rows] == 1, words[rows, SEAT], 1 - words[rows, SEAT])
        assert len(set(seats)) <= 1  # one seat has won
        winners |= set(seats.tolist())
    assert winners == {0, 1}
    steps = np.array([[distance(SMALL.rules, position, seat) for seat in range(2)] for position in words])
    own, rival = (np.take_along_axis(steps, abs(turn - words[:, [SEAT]]), 1)[:, 0] for turn in range(2))
    for ahead in (known, ~known):
        assert judged.values[ahead & (rival - own >= 3)].mean() > 50
        assert judged.values[ahead & (rival - own <= -3)].mean() < -50


def test_what_is_kept_is_open_and_most_of_it_only_searches_have_seen(searched: tuple[np.ndarray, Judged]) -> None:
    words, judged = searched
    assert (abs(judged.values) <= DECIDED).all()
    assert (words[:, LEFT : LEFT + 2].sum(axis=1) > 0).all()
    assert 0.5 < (judged.results == UNKNOWN).mean() < 0.9
    assert set(judged.results) <= {-1, 0, 1, UNKNOWN}


# --- learning ---------------------------------------------------------------------------------------------------------


def test_targets_are_values_mixed_with_results_where_these_are_known() -> None:
    nothing = np.zeros((4, 1), np.int16)
    judged = Judged(nothing, np.array([0, 0, 0, 9999]), np.array([UNKNOWN, 1, -1, 0]), np.zeros(4, np.int32))
    won = 1 / (1 + np.exp(-15))
    np.testing.assert_allclose(targets_of(judged, 0.5), [0.5, 0.75, 0.25, 0.25 + won / 2], rtol=1e-6)
    np.testing.assert_allclose(targets_of(judged, 0.0), [0.5, 0.5, 0.5, won], rtol=1e-6)


def test_targets_of_four_seats_are_mixed_with_results_likewise() -> None:
    values = np.tile(np.array([0.1, 0.2, 0.3, 0.4], np.float32), (3, 1))
    results = np.array([[UNKNOWN] * 4, [-1, 1, -1, -1], [0] * 4], np.int8)
    judged = Judged(np.zeros((3, 1), np.int16), values, results, np.zeros(3, np.int32))
    wanted = [[0.1, 0.2, 0.3, 0.4], [0.05, 0.6, 0.15, 0.2], [0.175, 0.225, 0.275, 0.325]]
    np.testing.assert_allclose(targets_of(judged, 0.5), wanted, rtol=1e-6)


def test_a_network_learns_the_chances_of_four_seats() -> None:
    rng = np.random.default_rng(2)
    leads = rng.integers(-6, 7, (4000, 4))
    places = (SEAT_INPUTS * np.arange(4) + LEADS + 16 + leads).astype(np.int16)
    chances = np.exp(0.5 * leads)
    chances /= chances.sum(axis=1, keepdims=True)
    judged = Judged(
        places, chances.astype(np.float32), np.full((4000, 4), UNKNOWN, np.int8), np.arange(4000, dtype=np.int32)
    )
    settings = Searches(passes=15, batch_size=128, held_back=5)
    apart = held_back(judged, settings)
    network = new_network(FOUR, NetworkConfig("nnue", 16, 1, 16), 1)
    before, least = measure(network, judged.chosen(apart), settings)
    fitted = fit(network, judged.chosen(~apart), FOUR, settings, [1])
    after, _ = measure(network, judged.chosen(apart), settings)
    entropy = -(chances[apart] * np.log(chances[apart])).sum(axis=1).mean()
    assert least == pytest.approx(entropy, rel=1e-4)
    assert least < after < least + 0.05 < before - 0.2
    assert fitted.loss == pytest.approx(after, abs=0.03)


def test_a_network_learns_what_there_is_to_learn() -> None:
    rng = np.random.default_rng(2)
    leads = rng.integers(-8, 9, 4000)
    places = np.stack([rng.integers(0, LEAD, 4000), LEAD + 16 + leads], axis=1).astype(np.int16)
    judged = Judged(
        places, (40 * leads).astype(np.int32), np.full(4000, UNKNOWN, np.int8), np.arange(4000, dtype=np.int32)
    )
    settings = Searches(passes=15, batch_size=128, held_back=5)
    apart = held_back(judged, settings)
    assert apart.sum() == 800
    network = new_network(SMALL, NetworkConfig("nnue", 16, 1, 16), 1)
    before, least = measure(network, judged.chosen(apart), settings)
    fitted = fit(network, judged.chosen(~apart), SMALL, settings, [1])
    after, _ = measure(network, judged.chosen(apart), settings)
    assert fitted.steps == 15 * (3200 // 128)
    assert least < after < least + 0.02 < before - 0.1
    assert fitted.loss == pytest.approx(after, abs=0.03)
    assert fitted.learning_rate < 1e-5


def test_the_interval_of_a_score_is_by_rounds() -> None:
    pairs = [(1.0, -1.0), (-1.0, 1.0)]
    even = [Result(seat, returns) for returns in pairs * 8 for seat in range(2)]
    assert half_interval(even) == 0  # each opening won once and lost once
    unlike = [Result(seat, pairs[seat ^ (number % 2)]) for number in range(16) for seat in range(2)]
    assert half_interval(unlike) == pytest.approx(1.96 * np.std([0, 1] * 8, ddof=1) / 4, rel=1e-3)
    assert half_interval(even[:2]) == 1


# --- runs -------------------------------------------------------------------------------------------------------------


def test_a_run_can_begin_with_a_network_and_go_on_with_it(quick: Any, tmp_path: Path) -> None:
    train(tmp_path / "first", quick("search", iterations=1))
    start = tmp_path / "first" / "best.safetensors"
    kept = {"search__start": str(start), "search__anew": False, "search__learning_rate": 0.0, "iterations": 1}
    config = quick("search", **kept)
    train(tmp_path / "second", config)
    before, after = read_network(start).arrays, read_network(tmp_path / "second" / "best.safetensors").arrays
    assert all(np.array_equal(before[name], after[name]) for name in before)
    by_hand, by_network = (
        (tmp_path / run / "positions" / "000001.safetensors").read_bytes() for run in ("first", "second")
    )
    assert by_hand != by_network
    for changes, rules, told in (
        ({"network.width": 32}, {"board_size": 5, "fences": 3}, "another shape"),
        ({}, {"board_size": 4, "fences": 3}, "board_size=5"),
    ):
        other = with_settings(preset_config("quoridor", "search_tiny", rules), {"search.start": str(start), **changes})
        with pytest.raises(OptionError, match=rf"search\.start.*{told}"):
            train(tmp_path / "third", other)
    start.write_bytes(start.read_bytes()[:-9])
    with pytest.raises(OptionError, match=r"search\.start"):
        train(tmp_path / "third", config)
    assert not (tmp_path / "third" / "config.json").exists()


def test_whole_iterations_leave_the_window(quick: Any, tmp_path: Path) -> None:
    config = quick("search", search__window=1, keeping__last=1, iterations=3)
    progress = train(tmp_path, config)
    assert {path.stem for path in (tmp_path / "positions").iterdir()} == {"000003"}
    ((number, count),) = progress.window
    assert (number, count) == (3, progress.buffer)
    assert progress.positions > count


def test_networks_are_for_any_cap_on_plies(quick: Any, tmp_path: Path) -> None:
    train(tmp_path, quick("search", iterations=1))
    agent = make_agent(f"alphabeta:nodes=50,leaf=(net:checkpoint={tmp_path / 'best.safetensors'})")
    for cap, repetition in itertools.product((None, 70), (None, 3)):
        game = Quoridor(board_size=5, fences=3, max_plies=cap, repetition=repetition)
        agent.act(game.new_initial_state(), np.random.default_rng(0))


def test_with_four_players_the_network_is_measured_inside_mcts(quick: Any, tmp_path: Path) -> None:
    config = quick("four", iterations=2)
    train(tmp_path, config)
    lines = read_metrics(tmp_path / "metrics.jsonl")
    assert all("eval/score_vs_mcts_20" in line for line in lines)
    assert not any("alphabeta" in name for line in lines for name in line)
    stored = read_network(tmp_path / "best.safetensors")
    player = player_of(stored, config.evaluation, "auto", 1, "cpu")
    assert isinstance(player, MctsAgent)
    assert player.simulations == 20
    agent = make_agent(f"mcts:simulations=20,leaf=(net:checkpoint={tmp_path / 'best.safetensors'})")
    state = config.load_game().new_initial_state()
    ours, theirs = (one.act(state, np.random.default_rng(0)) for one in (player, agent))
    assert ours.statistics["visits"] == theirs.statistics["visits"]


def test_only_quoridor_is_learned_from_searches(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="is for quoridor"):
        SearchLearning(Config(game="tokaido", method="search"), tmp_path)


@pytest.mark.slow
def test_the_tiny_preset_with_four_players_learns(tmp_path: Path) -> None:
    train(tmp_path, preset_config("quoridor", "search_four_tiny"))
    lines = read_metrics(tmp_path / "metrics.jsonl")
    assert lines[-1]["loss/held_back"] < 1.3 < np.log(4)
    assert lines[-1]["eval/elo"] > lines[0]["eval/elo"] + 50


@pytest.mark.slow
def test_the_tiny_preset_learns_in_less_than_a_minute(tmp_path: Path) -> None:
    begin = time.process_time()
    train(tmp_path, preset_config("quoridor", "search_tiny"))
    assert time.process_time() - begin < 60
    lines = read_metrics(tmp_path / "metrics.jsonl")
    assert lines[-1]["loss/held_back"] < 0.62 < np.log(2)
    assert lines[-1]["eval/score_vs_alphabeta_100"] > lines[0]["eval/score_vs_alphabeta_100"] + 0.1
    assert lines[-1]["eval/elo"] > lines[0]["eval/elo"] + 50
