"""Many positions at once: what compiled code would read past the end of is refused in words, wherever it comes in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from sekisho.agents.batches import checked_seats, checked_words
from sekisho.agents.exact.agent import ExactAgent
from sekisho.agents.learned import NetAgent
from sekisho.agents.networks.afterstates import Choices
from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.evaluator import make_evaluator
from sekisho.agents.networks.files import StoredNetwork, rules_of
from sekisho.agents.networks.forward import forward_of
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.agents.search.leaves import Race
from sekisho.agents.search.tokaido_pairs import pairs_of
from sekisho.envs import load_game
from sekisho.envs.errors import AgentError, NetworkError, PositionError
from sekisho.envs.quoridor.rules import Quoridor
from sekisho.envs.tokaido.rules import Tokaido
from sekisho.training.judging import NetworkPlayer, evaluator_of
from sekisho.training.positions import Positions, seen
from sekisho.training.searching.positions import places_of
from sekisho.training.values.samples import samples_of
from support.positions import random_decisions

GAME = Quoridor(board_size=3, fences=1)
TOKAIDO = Tokaido()
WORDS, SEATS = random_decisions(GAME, 4, seed=1)
MLP = NetworkConfig("mlp", 8, 1)


def network(config: NetworkConfig = MLP) -> StoredNetwork:
    arrays = arrays_of(build_network(GAME, config, 0))
    return StoredNetwork(config, shape_of(GAME, config), GAME.name, rules_of(GAME), arrays)


def misshapen(words: Any) -> list[Any]:
    """What is no batch of positions."""
    return [
        words[0], words[:, :-1], np.hstack([words, words]), words[None], words.astype(np.float64), words.astype(np.uint64),
        words.astype(str), words > 0, [], [[1, 2]], [[1], [2, 3]], None,
    ]  # fmt: skip


ASKED: dict[str, Callable[[Any], Any]] = {
    "evaluator": lambda words: make_evaluator(network(), "compiled").evaluate(GAME, words, SEATS),
    "nnue": lambda words: make_evaluator(network(NetworkConfig("nnue", 16)), "compiled").evaluate(GAME, words, SEATS),
    "module": lambda words: evaluator_of(build_network(GAME, MLP, 0)).evaluate(GAME, words, SEATS),
    "choices": lambda words: Choices(GAME, words),
    "training": lambda words: seen(GAME, Positions(words, SEATS.astype(np.int8), np.ones((4, 17)), np.ones((4, 2)))),
    "searching": lambda words: places_of(GAME, words),
}
LEAVES: dict[str, Callable[[Any], Any]] = {
    "race": lambda words: Race(TOKAIDO, 0).position_values(TOKAIDO, words),
    "pairs": lambda words: pairs_of(TOKAIDO).position_values(TOKAIDO, words),
    "exact": lambda words: ExactAgent().position_values(TOKAIDO, words),
    "net": lambda words: NetAgent().position_values(TOKAIDO, words),
    "net, choosing": lambda words: NetAgent().choose_many(TOKAIDO, words),
    "values": lambda words: samples_of(TOKAIDO, words, np.zeros((2, 2))),
}


@pytest.mark.parametrize("asked", [*ASKED, *LEAVES])
def test_what_is_no_batch_of_positions_is_refused_wherever_it_comes_in(asked: str) -> None:
    ask = ASKED.get(asked) or LEAVES[asked]
    words = WORDS if asked in ASKED else np.tile(TOKAIDO.new_initial_state().words, (2, 1))
    size = words.shape[1]
    ask(words)
    for wrong in misshapen(words):
        with pytest.raises(
            PositionError, match=rf"int64\) of shape \[B, {size}\], each row the `words` of a state, not "
        ):
            ask(wrong)


@pytest.mark.parametrize("asked", ["evaluator", "nnue", "module", "training"])
@pytest.mark.parametrize(
    ("seats", "told"),
    [
        (np.zeros(1, np.int64), r"4 positions are looked at by as many seats.*not int64 of shape \[1\]"),
        (np.zeros(12, np.int64), r"not int64 of shape \[12\]"),
        (np.zeros((4, 1), np.int64), r"not int64 of shape \[4, 1\]"),
        (np.zeros(4), "not float64"),
        (np.zeros(4, np.bool_), "not bool"),
        (np.array([0, 1, 2, 0]), r"seats of this quoridor are 0\.\.1, not 2"),
        (np.array([0, -1, 1, 0]), "not -1"),
        (np.array([0, 2**62, 1, 0]), "not 4611686018427387904"),
    ],
)
def test_seats_that_do_not_go_with_the_positions_are_refused(asked: str, seats: Any, told: str) -> None:
    ask: dict[str, Callable[[], Any]] = {
        "evaluator": lambda: make_evaluator(network(), "compiled").evaluate(GAME, WORDS, seats),
        "nnue": lambda: make_evaluator(network(NetworkConfig("nnue", 16)), "compiled").evaluate(GAME, WORDS, seats),
        "module": lambda: evaluator_of(build_network(GAME, MLP, 0)).evaluate(GAME, WORDS, seats),
        "training": lambda: seen(GAME, Positions(WORDS, seats, np.ones((4, 17)), np.ones((4, 2)))),
    }
    with pytest.raises(PositionError, match=told):
        ask[asked]()


def test_what_is_right_passes_as_it_is_and_whole_numbers_of_other_kinds_are_converted() -> None:
    assert checked_words(GAME, WORDS) is WORDS
    assert checked_seats(GAME, SEATS, 4) is SEATS
    assert checked_words(GAME, WORDS[:0]).shape == (0, GAME.state_size)
    assert checked_seats(GAME, SEATS[:0], 0).size == 0
    for converted in (checked_words(GAME, WORDS.tolist()), checked_words(GAME, np.asfortranarray(WORDS))):
        np.testing.assert_array_equal(converted, WORDS)
        assert converted.flags.c_contiguous
    assert checked_seats(GAME, SEATS.astype(np.int8), 4).dtype == np.int64
    closed = WORDS.copy()
    closed.setflags(write=False)
    assert checked_words(GAME, closed).flags.writeable  # compiled code would be compiled anew for a closed one


@pytest.mark.parametrize("other", [Quoridor(board_size=5, fences=1), Quoridor(board_size=3, fences=2), TOKAIDO])
def test_an_evaluator_refuses_games_that_its_network_is_not_for(other: Any) -> None:
    evaluator = make_evaluator(network(), "compiled")
    evaluator.evaluate(GAME, WORDS, SEATS)
    with pytest.raises(NetworkError, match="the network is for quoridor"):
        evaluator.evaluate(other, *random_decisions(other, 4, seed=1))


@pytest.mark.parametrize("backend", ["compiled", "onnx", "torch"])
@pytest.mark.parametrize(("features", "masks"), [((4, 7, 3, 4), (4, 17)), ((4, 63), (4, 17)), ((4,), (4, 17))])
def test_a_back_end_refuses_what_its_network_does_not_look_at(
    backend: str, features: tuple[int, ...], masks: tuple[int, ...]
) -> None:
    forward = forward_of(network(), backend)
    with pytest.raises(NetworkError, match=r"observations of shape \[B, "):
        forward(np.zeros(features, np.float32), np.ones(masks, np.bool_))
    right = np.zeros((4, *GAME.observation_shape), np.float32)
    with pytest.raises(NetworkError, match="masks of shape"):
        forward(right, np.ones((3, GAME.num_actions), np.bool_))


class Answering(nn.Module):
    """Answers with ones of some shape."""

    def __init__(self, policy: tuple[int, ...], values: tuple[int, ...]) -> None:
        super().__init__()
        self.shapes, self.unused = (policy, values), nn.Parameter(torch.zeros(1))

    def forward(self, _observations: torch.Tensor, _masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.ones(self.shapes[0]), torch.ones(self.shapes[1])


ACTIONS = GAME.num_actions


@pytest.mark.parametrize(
    ("policy", "values"),
    [
        ((4, ACTIONS - 1), (4, 2)), ((4, ACTIONS), (4, 1)), ((4, ACTIONS), (4,)), ((1, ACTIONS), (4, 2)),
        ((4, ACTIONS), (1, 2)), ((4 * ACTIONS,), (4, 2)),
    ],
)  # fmt: skip
def test_a_module_of_ones_own_that_answers_with_another_shape_is_refused(policy: Any, values: Any) -> None:
    with pytest.raises(
        NetworkError, match=rf"with a policy of shape \[4, {ACTIONS}\] and values of shape \[4, 2 or more\]"
    ):
        evaluator_of(Answering(policy, values)).evaluate(GAME, WORDS, SEATS)
    evaluator_of(Answering((4, ACTIONS), (4, 6))).evaluate(GAME, WORDS, SEATS)


@pytest.mark.parametrize("name", ["quoridor", "tokaido"])
def test_a_player_whose_network_answers_with_no_number_says_so(name: str) -> None:
    class Astray:
        def evaluate(self, game: Any, words: Any, seats: Any) -> Any:
            return np.full((len(words), game.num_actions), np.nan), np.full((len(words), game.num_players), np.nan)

        def supports(self, game: Any) -> None: ...

        has_policy = True

    game = load_game(name)
    state = game.state_of(random_decisions(game, 1, seed=2)[0][0].copy())
    with pytest.raises(AgentError, match="no finite number"):
        NetworkPlayer(Astray(), 0).act(state, np.random.default_rng(0))
