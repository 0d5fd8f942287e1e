"""Networks in files: what is written comes back, and what is no such file is refused in words."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sekisho.agents import store
from sekisho.agents.exact.table_file import read_table, write_table
from sekisho.agents.networks import files
from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.files import FORM, read_network, rules_of, write_network
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.torch_backend import arrays_of, load_module
from sekisho.envs import load_game
from sekisho.envs.errors import NetworkError, OptionError

CONFIG = NetworkConfig("mlp", 8, 2)
GAME = load_game("tokaido")
RULES = rules_of(GAME, players=(2, 3), forks=("three", "miya"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("networks") / "small.safetensors"
    write_network(path, GAME, CONFIG, arrays_of(build_network(GAME, CONFIG, 1)), {"seed": 1}, RULES, {"note": [1, 2]})
    return path


def changed(path: Path, to: Path, **change: Any) -> Path:
    """A file with another description and a fitting checksum."""
    arrays, description = read_table(path, form=FORM)
    write_table(to, arrays, {**description, **change}, FORM)
    return to


def test_a_network_comes_back_as_it_was_written(small: Path) -> None:
    network = read_network(small)
    assert (network.config, network.game, network.rules) == (CONFIG, "tokaido", RULES)
    assert (network.recipe, network.extra) == ({"seed": 1}, {"note": [1, 2]})
    for name, array in arrays_of(load_module(network)).items():
        np.testing.assert_array_equal(array, arrays_of(build_network(GAME, CONFIG, 1))[name])


def test_other_programs_can_read_it(small: Path) -> None:
    from safetensors.numpy import load_file

    assert set(load_file(small)) == set(read_network(small).arrays)


def test_a_network_says_what_it_is_not_for(small: Path) -> None:
    network = read_network(small)
    network.supports(load_game("tokaido", players=3, forks="miya"))
    with pytest.raises(NetworkError, match="players=2 or 3, not players=4"):
        network.supports(load_game("tokaido", players=4))
    with pytest.raises(NetworkError, match="goal=exact, not goal=over"):
        network.supports(load_game("tokaido", goal="over"))
    with pytest.raises(NetworkError, match="for tokaido, not for quoridor"):
        network.supports(load_game("quoridor"))


@pytest.mark.parametrize("part", [0.0, 1e-3, 0.3, 0.999])
def test_a_file_that_was_cut_off_is_refused(small: Path, tmp_path: Path, part: float) -> None:
    content = small.read_bytes()
    (tmp_path / "cut").write_bytes(content[: int(part * len(content))])
    with pytest.raises(NetworkError, match=r"cut off|no network"):
        read_network(tmp_path / "cut")


def test_a_file_with_any_bit_changed_is_refused(small: Path, tmp_path: Path) -> None:
    content, rng = small.read_bytes(), np.random.default_rng(2)
    for at in rng.integers(0, len(content), 80).tolist():
        changed_bytes = bytearray(content)
        changed_bytes[at] ^= 1 << int(rng.integers(8))
        (tmp_path / "changed").write_bytes(changed_bytes)
        try:
            network = read_network(tmp_path / "changed")
        except NetworkError:
            continue
        assert json.dumps(network.extra) == '{"note": [1, 2]}'  # only a blank of the header changed


def test_pickles_are_named_and_not_read(tmp_path: Path) -> None:
    torch.save({"a": torch.ones(2)}, tmp_path / "new.pt")
    torch.save({"a": torch.ones(2)}, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    for name in ("new.pt", "old.pt"):
        with pytest.raises(NetworkError, match="pickled file"):
            read_network(tmp_path / name)


def test_no_length_of_the_description_looks_like_a_pickle(tmp_path: Path) -> None:
    game, config = load_game("quoridor", board_size=3), NetworkConfig("mlp", 8)
    arrays, begins = arrays_of(build_network(game, config, 1)), set()
    for blanks in range(0, 2048, 8):
        write_network(tmp_path / "network", game, config, arrays, {"note": " " * blanks})
        begins.add((tmp_path / "network").read_bytes()[:2])
        read_network(tmp_path / "network")
    assert b"\x80\x05" in begins


def test_a_table_is_no_network(tmp_path: Path) -> None:
    write_table(tmp_path / "table", {"a": np.zeros(2)}, {})
    with pytest.raises(NetworkError, match="expected a network"):
        read_network(tmp_path / "table")


def test_another_version_of_the_observation_is_refused(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(files.OBSERVATIONS, "tokaido", 2)
    with pytest.raises(NetworkError, match="older observation of tokaido"):
        read_network(small)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"config": {"kind": "mlp", "width": 9}}, "weights"),
        ({"config": {"kind": "mlp", "wdith": 9}}, "damaged"),
        ({"config": None}, "damaged"),
        ({"observation": {}}, "damaged"),
        ({"rules": 3}, "damaged"),
        ({"rules": {"players": [[2], [3]]}}, "damaged"),
        ({"rules": {"players": "23"}}, "damaged"),
        ({"rules": {"players": []}}, "damaged"),
        ({"rules": {"players": [{}]}}, "damaged"),
        ({"rules": [["players", [2]]]}, "damaged"),
        ({"recipe": None}, "damaged"),
        ({"recipe": [["seed", 1]]}, "damaged"),
        ({"extra": [["note", 1]]}, "damaged"),
        ({"game": 5}, "damaged"),
        ({"config": [["kind", "mlp"]]}, "damaged"),
    ],
)
def test_a_description_that_contradicts_the_weights_is_refused(
    small: Path, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    with pytest.raises(NetworkError, match=words):
        read_network(changed(small, tmp_path / "forged", **change))


@pytest.mark.parametrize("key", ["version", "shape", "actions", "seats"])
@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1.0, True, "1", None])
def test_what_is_seen_is_described_in_whole_numbers(small: Path, tmp_path: Path, key: str, value: Any) -> None:
    _, description = read_table(small, form=FORM)
    seen = {**description["observation"], key: [value] if key == "shape" else value}
    with pytest.raises(NetworkError, match="damaged: its description"):
        read_network(changed(small, tmp_path / "forged", observation=seen))


def forged(path: Path, to: Path, name: str, change: Any) -> Path:
    """A file with another array in the place of one of its own, and a fitting checksum."""
    arrays, description = read_table(path, form=FORM)
    write_table(to, {**arrays, name: change(np.array(arrays[name]))}, description, FORM)
    return to


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("policy.bias", lambda array: array * np.nan, r"no finite numbers \(policy.bias\)"),
        ("policy.bias", lambda array: array + np.float32(np.inf), "no finite numbers"),
        ("hidden.1.weight", lambda array: array * 0 + np.float32(3e38), r"beyond 1,000,000 \(hidden.1.weight\)"),
        ("hidden.1.weight", lambda array: array * 0 - np.float32(2e6), "beyond 1,000,000"),
        ("value.bias", lambda array: array.astype(np.float64), "value.bias is float64, not float32"),
        ("value.bias", lambda array: array.astype(np.int64), "value.bias is int64, not float32"),
        ("value.bias", lambda array: array[:-1], "not those of its shape, an mlp of 2 x 8 units"),
    ],
)
def test_weights_that_no_network_can_work_with_are_refused(
    small: Path, tmp_path: Path, name: str, change: Any, told: str
) -> None:
    with pytest.raises(NetworkError, match=told):
        read_network(forged(small, tmp_path / "forged", name, change))
    arrays = arrays_of(build_network(GAME, CONFIG, 1))
    with pytest.raises(NetworkError, match=told):  # nor is written what nobody could read
        write_network(tmp_path / "written", GAME, CONFIG, {**arrays, name: change(arrays[name])}, {}, RULES)
    assert not (tmp_path / "written").exists()


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("stem.norm.num_batches_tracked", lambda array: array + 2**40, None),
        ("stem.norm.running_var", lambda array: array * np.float32(1e9), None),
        ("stem.norm.num_batches_tracked", lambda array: array.astype(np.float32), "is float32, not int64"),
        ("stem.norm.running_var", lambda array: -array, "variance below 0"),
        ("stem.norm.running_mean", lambda array: array + np.float32(1e7), "beyond 1,000,000"),
    ],
)
def test_what_normalises_a_tower_has_bounds_of_its_own(
    tmp_path: Path, name: str, change: Any, told: str | None
) -> None:
    game, config = load_game("quoridor", board_size=3, fences=1), NetworkConfig("tower", 4, 1, 2)
    write_network(tmp_path / "tower", game, config, arrays_of(build_network(game, config, 1)), {})
    path = forged(tmp_path / "tower", tmp_path / "forged", name, change)
    if told is None:
        assert read_network(path).config == config
        return
    with pytest.raises(NetworkError, match=told):
        read_network(path)


def test_networks_that_ship_stay_far_below_the_bound_of_weights() -> None:
    for entry in store.shipped_networks().values():
        for name, array in read_network(store.require_listed(entry)).arrays.items():
            if not name.endswith("num_batches_tracked"):
                assert np.abs(array).max() < files.MOST_WEIGHT / 1e4


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (NetworkConfig("mlp", 256, 3), "an mlp of 3 x 256 units"),
        (NetworkConfig("nnue", 32), "an nnue of 32 sums"),
        (NetworkConfig("tower", 64, 6, 16), "a tower of 6 x 64 channels with heads of 16"),
    ],
)
def test_shapes_are_spelled_in_words(config: NetworkConfig, words: str) -> None:
    assert str(config) == words
    assert str(shape_of(GAME)) == f"{GAME.observation_shape[0]} features, {GAME.num_actions} actions and 6 seats"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "mlpp"}, "did you mean 'mlp'"),
        ({"width": 0}, "1..4096, not 0"),
        ({"depth": 2.0}, "whole number"),
        ({"breadth": 2}, "no option 'breadth'"),
        ({3: 2}, "no option 3"),
        ([["width", 2]], "options by their names"),
    ],
)
def test_a_config_refuses_what_it_cannot_be(values: Any, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        NetworkConfig.from_dict(values)
    assert NetworkConfig.from_dict(NetworkConfig().to_dict()) == NetworkConfig()


SEEN = {
    "quoridor": (1, "9c2be51dccc9e5c6"),
    "tokaido": (1, "52dc52f6c5ab0a7b"),
    "picture_sugoroku": (1, "80fb50ee922b7177"),
}
"""The version of each game's observation, and a fingerprint of what is seen and legal in some games."""


@pytest.mark.parametrize("name", sorted(SEEN))
def test_whoever_changes_what_is_seen_gives_it_a_new_version(name: str) -> None:
    digest = hashlib.sha256()
    for options in ({}, {"players": 4}):
        state = load_game(name, **options).new_initial_state()
        for ply in range(60):
            if state.is_terminal():
                break
            choices = [outcome for outcome, _ in state.chance_outcomes()] if state.is_chance_node() else None
            if choices is None:
                choices = state.legal_actions()
                digest.update(np.ascontiguousarray(state.observation_tensor(state.current_player())).tobytes())
                digest.update(state.legal_actions_mask()[state.game.action_views[state.current_player()]].tobytes())
            state.apply_action(choices[(7 * ply + 3) % len(choices)])
    assert (files.OBSERVATIONS[name], digest.hexdigest()[:16]) == SEEN[name], (
        "networks would be misled by the new observation or actions: raise the version in files.OBSERVATIONS"
    )
