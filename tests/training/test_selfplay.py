"""Games that networks play against themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.files import StoredNetwork, rules_of
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.agents.search.search import Rules, Search
from sekisho.envs import Game, load_game
from sekisho.envs.errors import RunError
from sekisho.envs.kernels import CHANCE
from sekisho.envs.tokaido.kernels import SEAT
from sekisho.training import selfplay
from sekisho.training.executors import Processes, Serial
from sekisho.training.judging import evaluator_of
from sekisho.training.sections import SelfPlay
from sekisho.training.selfplay import Numbers, Played, SelfPlayers
from sekisho.training.selfplay_learning import Batch, play_batch
from sekisho.training.train import train

SETTINGS = SelfPlay(
    games=6, tables=3, simulations=12, fast_simulations=6, full_share=0.5, leaves=2, temperature_decisions=4,
    max_plies=300,
)  # fmt: skip
GAMES = {
    "quoridor": {"board_size": 3, "fences": 1},
    "quoridor, four, repetition": {"board_size": 5, "fences": 2, "players": 4, "repetition": 3},
    "tokaido": {"players": 3, "max_turns": 60},
}


def game_of(name: str) -> Game:
    return load_game(name.partition(",")[0], **GAMES[name])


def network_of(game: Game, seed: int = 0) -> StoredNetwork:
    config = NetworkConfig("mlp", 8, 1)
    arrays = arrays_of(build_network(game, config, seed))
    return StoredNetwork(config, shape_of(game), game.name, rules_of(game), arrays)


def played(game: Game, settings: SelfPlay = SETTINGS, numbers: Numbers = Numbers(5, 1, 0, 6)) -> Played:  # noqa: B008
    return SelfPlayers(game, evaluator_of(network_of(game)), settings, numbers, records=100).play()


@pytest.mark.parametrize("name", GAMES)
def test_what_is_learned_from_is_what_was_played(name: str) -> None:
    game = game_of(name)
    found = played(game)
    words, seats, policies, values = found.positions
    assert found.tally.games == 6
    assert len(seats) == found.tally.positions > 0
    assert found.tally.searches < found.tally.decisions  # quick searches are not learned from
    mask = np.zeros(game.num_actions, dtype=np.int8)
    searches = 0
    for row, seat, policy in zip(words, seats, policies, strict=True):
        if game.kernels.to_move(game.rules, row) == CHANCE:  # the choice before it leads there; who throws looks at it
            assert row[SEAT] == seat  # in Tokaido, the only one of these games with dice
            assert not policy.any()
            continue
        assert game.kernels.to_move(game.rules, row) == seat
        searches += 1
        assert game.kernels.legal(game.rules, row, mask) > 1  # where there is no choice nothing is learned
        assert policy.sum() == pytest.approx(1)
        assert not policy[mask == 0].any()
    assert searches == found.tally.searches
    assert (found.tally.positions > searches) == (game.max_chance_outcomes > 0)
    assert np.abs(values.sum(axis=1)).max() < 0.25  # results add up to nothing; what searches expect, nearly
    assert np.abs(values).max() <= 1
    for record in found.records:
        record.replay()
    assert len(found.records) == 6 - found.tally.broken_off
    assert sum(len(record.moves) for record in found.records) <= found.tally.plies


@pytest.mark.parametrize("name", GAMES)
def test_the_same_numbers_give_the_same_games(name: str) -> None:
    game = game_of(name)
    first, again, other = played(game), played(game), played(game, numbers=Numbers(6, 1, 0, 6))
    assert all(np.array_equal(one, two) for one, two in zip(first.positions, again.positions, strict=True))
    assert first.records == again.records
    assert first.tally == again.tally
    assert first.tally != other.tally


def test_processes_play_the_games_of_one_process() -> None:
    game = game_of("tokaido")
    batches = [Batch(game, SETTINGS, Numbers(1, 2, first, 2), 1, 1, "cpu") for first in (0, 2, 4)]
    serial = list(Serial().run(play_batch, batches, network_of(game)))
    executor = Processes(2)
    try:
        apart = list(executor.run(play_batch, batches, network_of(game)))
    finally:
        executor.close()
    for one, two in zip(serial, apart, strict=True):
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(one.positions, two.positions, strict=True))
        assert (one.records, one.tally) == (two.records, two.tally)


class Even:
    """Knows nothing: every action looks alike, everybody is even."""

    def evaluate(self, game: Game, words: Any, seats: Any) -> Any:
        return np.ones((len(words), game.num_actions)), np.zeros((len(words), game.num_players))


class Watched(SelfPlayers):
    """Looks at the root of its first search before it plays a move."""

    visits: dict[int, int] | None = None

    def _decide(self, table: int) -> None:
        if self.visits is None:
            tree = self._trees[table]
            block = slice(int(tree.first[0]), int(tree.first[0] + tree.tried[0]))
            self.visits = dict(zip(tree.action[block].tolist(), tree.visits[block].tolist(), strict=True))
        super()._decide(table)


def test_a_table_searches_as_the_search_of_agents_does() -> None:
    """Where priors differ, so that ties leave nothing to the random numbers, the trees of both must be the same."""
    game = load_game("quoridor", board_size=3, fences=1)
    evaluator = evaluator_of(network_of(game))
    settings = SelfPlay(simulations=100, full_share=1, noise=0.0, leaves=4, exploration=1.5, first_play=-0.2)
    tables = Watched(game, evaluator, settings, Numbers(0, 0, 0, 1), 0)
    tables.play()
    rules = Rules(
        puct=True, exploration=1.5, first_play=-0.2, rollouts="none", cutoff=None, priors="guided", wide=32, threads=1,
        memory=16, noise=0.0, alpha=1.0, exact="off",
    )  # fmt: skip
    search = Search(game, rules, evaluator, batch=4)
    search.run(game.new_initial_state(), np.random.default_rng(0), 100, None)
    visits = {child.action: child.visits for child in search.children()}
    assert sum(visits.values()) == 99
    assert visits == tables.visits


def test_noise_changes_games_and_none_does_not_draw() -> None:
    game = game_of("quoridor")
    still = SelfPlay(**{**vars(SETTINGS), "noise": 0.0, "temperature": 0.0, "late_temperature": 0.0, "full_share": 1.0})
    calm = played(game, still)
    assert len({record.moves for record in calm.records}) < len(calm.records)  # nothing random is left but ties
    noisy = SelfPlay(**{**vars(still), "noise": 0.9, "concentration": 1.0})
    assert len({record.moves for record in played(game, noisy).records}) > 1


def test_a_game_that_is_broken_off_is_a_draw() -> None:
    game = load_game("tokaido")
    settings = SelfPlay(**{**vars(SETTINGS), "max_plies": 12, "search_value": 0.0, "full_share": 1.0})
    found = played(game, settings)
    assert found.tally.broken_off == found.tally.draws == 6
    assert not found.positions.values.any()
    assert found.records == []
    assert found.tally.plies < 6 * (12 + 64)


def test_results_of_won_games_reach_the_values() -> None:
    game = game_of("quoridor")
    settings = SelfPlay(**{**vars(SETTINGS), "search_value": 0.0})
    found = played(game, settings)
    assert set(np.unique(found.positions.values)) <= {-1.0, 0.0, 1.0}
    assert found.tally.first_wins == sum(record.returns[0] == 1 for record in found.records)


def test_an_evaluator_that_answers_with_no_numbers_is_told() -> None:
    class Astray(Even):
        def evaluate(self, game: Game, words: Any, seats: Any) -> Any:
            priors, values = super().evaluate(game, words, seats)
            return priors, values * np.nan

    with pytest.raises(RunError, match="no finite number"):
        SelfPlayers(game_of("quoridor"), Astray(), SETTINGS, Numbers(0, 0, 0, 2), 0).play()


def test_trees_that_there_is_no_memory_for_are_told_in_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_sizes: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(selfplay, "new_tables", nowhere)
    with pytest.raises(
        RunError, match=r"3 games side by side, .* GiB\): lower selfplay.tables or selfplay.simulations"
    ):
        SelfPlayers(game_of("quoridor"), Even(), SETTINGS, Numbers(0, 0, 0, 6), 0)


def test_self_play_that_leaves_nothing_to_learn_from_is_an_error(quick: Any, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"4 games of iteration 1 left no position.*raise selfplay.max_plies"):
        train(tmp_path / "run", quick("quoridor", selfplay__max_plies=1, selfplay__full_share=0.001, iterations=1))
