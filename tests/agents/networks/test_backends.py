"""One network, three back ends, the same answers; and what stands in its answers where."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch

from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.evaluator import make_evaluator
from sekisho.agents.networks.files import StoredNetwork, rules_of, weight_shapes
from sekisho.agents.networks.forward import BACKENDS, forward_of
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.envs import load_game
from sekisho.envs.core import Game
from sekisho.envs.errors import AgentError, NetworkError, OptionError
from support.option_sets import OPTION_SETS
from support.positions import random_decisions

MLP, TOWER = NetworkConfig("mlp", 48, 3), NetworkConfig("tower", 8, 2, 4)
NNUE = NetworkConfig("nnue", 32, 1, 16)
CASES = [(name, options, MLP) for name, sets in OPTION_SETS.items() for options in sets]
CASES += [("quoridor", options, TOWER) for options in OPTION_SETS["quoridor"]]
CASES += [("quoridor", {}, NNUE), ("quoridor", {"board_size": 5, "fences": 3}, NNUE)]
CASES += [("quoridor", {"players": 4}, NNUE), ("quoridor", {"players": 4, "board_size": 6, "fences": 2}, NNUE)]


def stored(game: Game, config: NetworkConfig, seed: int = 3) -> StoredNetwork:
    """A network with weights far from those that it begins with, its normalisation included."""
    module = build_network(game, config, seed)
    rng = np.random.default_rng(seed)
    arrays = arrays_of(module)
    for name, array in arrays.items():
        if name.endswith("running_var"):
            array += rng.random(array.shape, np.float32)
        elif array.dtype == np.float32:
            array += rng.normal(0, 0.1, array.shape).astype(np.float32)
    return StoredNetwork(config, shape_of(game, config), game.name, rules_of(game), arrays)


@pytest.mark.parametrize(("name", "options", "config"), CASES)
def test_the_back_ends_answer_alike(name: str, options: dict[str, Any], config: NetworkConfig) -> None:
    game = load_game(name, **options)
    words, seats = random_decisions(game, 40, seed=1)
    network = stored(game, config)
    expected = make_evaluator(network, "torch").evaluate(game, words, seats)
    for backend in ("onnx", "compiled"):
        for mine, theirs in zip(make_evaluator(network, backend).evaluate(game, words, seats), expected, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-4)
    priors, values = expected
    legal = np.zeros(priors.shape, bool)
    for row, position in enumerate(words):
        legal[row] = game.state_of(position.copy()).legal_actions_mask() == 1
    np.testing.assert_allclose(priors.sum(axis=1), 1, atol=1e-5)
    assert (priors[~legal] == 0).all()
    assert (priors[legal] > 0).all()
    assert values.shape == (40, game.num_players)
    assert np.ptp(values) > 1e-3


@pytest.mark.parametrize(("name", "options", "config"), [case for case in CASES if case[2] is not NNUE])
def test_answers_stand_where_the_seats_see_them(name: str, options: dict[str, Any], config: NetworkConfig) -> None:
    game = load_game(name, **options)
    words, seats = random_decisions(game, 5, seed=2)
    network = stored(game, config)
    module = build_network(game, config, 0)
    module.load_state_dict({key: torch.from_numpy(array) for key, array in network.arrays.items()})
    module.eval()
    priors, values = make_evaluator(network, "compiled").evaluate(game, words, seats)
    for row, seat in enumerate(seats.tolist()):
        state = game.state_of(words[row].copy())
        seen = state.observation_tensor(seat)
        mask = state.legal_actions_mask()[game.action_views[seat]]
        with torch.no_grad():
            policy, value = module(
                torch.tensor(np.asarray(seen)).reshape(1, *game.observation_shape), torch.tensor(mask == 1)[None]
            )
        for number, action in enumerate(game.action_views[seat].tolist()):
            assert priors[row, action] == pytest.approx(float(policy[0, number].exp()), abs=1e-4)
        for place in range(game.num_players):
            assert values[row, (seat + place) % game.num_players] == pytest.approx(float(value[0, place]), abs=1e-4)


def test_what_is_masked_out_has_no_part_in_the_softmax_nor_in_its_gradient() -> None:
    game = load_game("tokaido")
    network = build_network(game, MLP, 1)
    seen = torch.rand(3, *game.observation_shape)
    masks = torch.zeros(3, game.num_actions, dtype=torch.bool)
    masks[:, [2, 5]] = True
    policy, _ = network(seen, masks)
    assert (policy[:, [0, 1, 3, 4]] == -torch.inf).all()
    torch.testing.assert_close(policy.exp().sum(dim=1), torch.ones(3))
    policy[:, 2].sum().backward()
    bias: Any = network.get_parameter("policy.bias").grad
    assert (bias[[0, 1, 3, 4]] == 0).all()
    assert (bias[[2, 5]] != 0).all()


def test_a_seed_gives_the_weights_and_the_global_generator_stays_as_it_is() -> None:
    game = load_game("tokaido")
    before = torch.get_rng_state()
    one, two, other = (arrays_of(build_network(game, MLP, seed)) for seed in (5, 5, 6))
    assert torch.equal(before, torch.get_rng_state())
    assert all(np.array_equal(one[name], two[name]) for name in one)
    assert not np.array_equal(one["policy.weight"], other["policy.weight"])


@pytest.mark.parametrize(("name", "options", "config"), CASES)
def test_the_shapes_of_the_weights_are_known_without_torch(
    name: str, options: dict[str, Any], config: NetworkConfig
) -> None:
    game = load_game(name, **options)
    found = {key: array.shape for key, array in arrays_of(build_network(game, config, 0)).items()}
    assert weight_shapes(shape_of(game, config), config) == found


def test_a_tower_needs_a_board() -> None:
    with pytest.raises(NetworkError, match="planes of squares"):
        build_network(load_game("tokaido"), TOWER, 0)


def test_back_ends_are_chosen_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    network = stored(load_game("quoridor", board_size=3, fences=1), TOWER)
    with pytest.raises(OptionError, match="did you mean 'torch'"):
        forward_of(network, "troch")
    for wrong in (None, 5, ["torch"]):
        with pytest.raises(OptionError, match=r"there is no .*known: auto, compiled, onnx, torch"):
            make_evaluator(network, wrong)  # type: ignore[arg-type]
    monkeypatch.setattr("sekisho.agents.networks.forward.has_onnx", lambda: False)
    with pytest.raises(AgentError, match=r"sekisho\[onnx\]"):
        forward_of(network, "onnx")
    assert set(BACKENDS) == {"auto", "compiled", "onnx", "torch"}


@pytest.mark.parametrize("backend", ["onnx", "compiled"])
def test_other_back_ends_do_without_torch(backend: str) -> None:
    program = f"""
import sys
import numpy as np
from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.evaluator import make_evaluator
from sekisho.agents.networks.files import StoredNetwork, rules_of, weight_shapes
from sekisho.envs import load_game
game, config = load_game("quoridor", board_size=3, fences=1), NetworkConfig("tower", 4, 1, 2)
arrays = {{name: np.ones(shape, np.float32) for name, shape in weight_shapes(shape_of(game), config).items()}}
network = StoredNetwork(config, shape_of(game, config), game.name, rules_of(game), arrays)
state = game.new_initial_state()
make_evaluator(network, {backend!r}).evaluate(game, state.words[None].copy(), np.array([0]))
sys.exit("torch" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
