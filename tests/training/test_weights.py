"""Weights to begin with and weights that learning has come to: what is no good is told in words, and so is no memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sekisho.agents.network_names import path_of
from sekisho.agents.networks import modules
from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.files import read_network, write_network
from sekisho.agents.networks.modules import build_network, is_out_of_memory
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.cli.main import main
from sekisho.envs.errors import OptionError, RunError
from sekisho.envs.quoridor.rules import Quoridor
from sekisho.envs.tokaido.rules import Tokaido
from sekisho.training import selfplay_learning
from sekisho.training.config import with_settings
from sekisho.training.presets import preset_config
from sekisho.training.run import Run
from sekisho.training.selfplay import SelfPlayers
from sekisho.training.selfplay_learning import SelfPlayLearning
from sekisho.training.train import train
from sekisho.training.values.scope import games_of, rules_for
from sekisho.training.weights import network_to_start_from, require_usable

MLP = NetworkConfig("mlp", 8)
SECTION = {"values": "values", "search": "search", "quoridor": "learning", "imitation": "learning"}
"""Where the setting `start` of each method stands."""


def written(path: Path, game: Any, config: NetworkConfig, rules: Any = None) -> Path:
    write_network(path, game, config, arrays_of(build_network(game, config, 1)), {}, rules)
    return path


@pytest.mark.parametrize(
    ("method", "game", "config", "told"),
    [
        ("values", Tokaido(), MLP, "with players=2, not players=3"),
        ("values", Quoridor(), MLP, "the network is for quoridor, not for tokaido"),
        ("search", Quoridor(board_size=7), NetworkConfig("nnue", 32), "with board_size=7, not board_size=5"),
        ("search", Tokaido(), MLP, "the network is for tokaido, not for quoridor"),
        ("quoridor", Tokaido(), MLP, "the network is for tokaido, not for quoridor"),
        ("imitation", Quoridor(board_size=5), MLP, "with board_size=5, not board_size=3"),
    ],
)
def test_a_start_that_is_for_something_else_is_refused(
    quick: Any, tmp_path: Path, method: str, game: Any, config: NetworkConfig, told: str
) -> None:
    path = written(tmp_path / "start", game, config)
    with pytest.raises(OptionError, match=rf"^{SECTION[method]}\.start: .*{told}"):
        Run(quick(method, **{f"{SECTION[method]}__start": str(path)}), tmp_path / "run").begin()


@pytest.mark.parametrize("method", ["values", "search", "quoridor", "imitation"])
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gone", "there is no file {}$"), ("", "{} is a folder; name the file of a network in it"),
        ("words", "{} is no network of sekisho"), ("words/more", "cannot read {}: Not a directory"),
        ("x" * 5000, "cannot read .*: File name too long"), ("a\0b", "cannot read"),
    ],
)  # fmt: skip
def test_a_start_that_cannot_be_read_is_told_in_words(
    quick: Any, tmp_path: Path, method: str, name: str, told: str
) -> None:
    (tmp_path / "words").write_text("no network", encoding="ascii")
    path = tmp_path / name if name else tmp_path
    with pytest.raises(OptionError, match=told.format(path)) as raised:
        Run(quick(method, **{f"{SECTION[method]}__start": str(path)}), tmp_path / "run").begin()
    assert str(raised.value).startswith(f"{SECTION[method]}.start: ")
    assert "Errno" not in str(raised.value)


@pytest.mark.parametrize("method", ["quoridor", "imitation"])
def test_a_run_begins_with_the_weights_of_another_network(quick: Any, tmp_path: Path, method: str) -> None:
    config = quick(method)
    other = build_network(config.load_game(), config.network, 99)
    path = tmp_path / "start"
    write_network(path, config.load_game(), config.network, arrays_of(other), {})
    run = Run(quick(method, learning__start=str(path)), tmp_path / "run")
    run.begin()
    for name, array in arrays_of(run._method.module).items():
        np.testing.assert_array_equal(array, arrays_of(other)[name], err_msg=name)


def test_a_run_goes_on_from_a_network_that_ships(tmp_path: Path) -> None:
    config = preset_config("quoridor", "small")
    config = with_settings(config, {"learning.start": "quoridor_5x5_2"})
    method = SelfPlayLearning(config, tmp_path)
    method.begin()
    shipped = read_network(path_of("quoridor_5x5_2"))
    for name, array in arrays_of(method.module).items():
        np.testing.assert_array_equal(array, shipped.arrays[name], err_msg=name)


def test_weights_for_a_network_of_your_own_are_yours_to_load(quick: Any, tmp_path: Path) -> None:
    config = quick(learning__start="quoridor_5x5_2")
    own = build_network(config.load_game(), MLP, 1)
    with pytest.raises(OptionError, match=r"learning\.start is for networks of this package"):
        SelfPlayLearning(config, tmp_path, own).begin()


def test_a_start_of_another_shape_is_told_in_words(quick: Any, tmp_path: Path) -> None:
    config = quick("values")
    games = games_of(config)
    path = written(tmp_path / "start", games[0], NetworkConfig("mlp", 16, 3), rules_for(games))
    with pytest.raises(
        OptionError, match="another shape, an mlp of 3 x 16 units; the run trains an mlp of 2 x 8 units"
    ):
        network_to_start_from("values.start", str(path), MLP, games)
    headless = NetworkConfig("mlp", 16, 3, 5)  # heads are of no meaning to an mlp
    assert (
        network_to_start_from("values.start", str(path), headless, games).keys()
        == arrays_of(build_network(games[0], headless, 1)).keys()
    )


@pytest.mark.parametrize("worth", [3e6, float("nan")])
def test_weights_that_nobody_could_read_again_are_an_error_of_the_run(worth: float) -> None:
    module = build_network(Quoridor(board_size=3), MLP, 1)
    require_usable(module, "learning.learning_rate")
    with torch.no_grad():
        module.get_parameter("policy.bias")[2] = worth
    with pytest.raises(RunError, match=r"\(policy.bias\): lower learning.learning_rate; the last checkpoint is whole"):
        require_usable(module, "learning.learning_rate")


def test_a_network_that_there_is_no_memory_for_is_told_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    class Large:
        def __init__(self, *_: Any) -> None:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp:124] DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setitem(modules._MODULES, "mlp", Large)
    config = NetworkConfig("mlp", 4096, 64)
    with pytest.raises(RunError, match=r"no memory for an mlp of 64 x 4096 units, .* 3\.9 GiB: lower network.width"):
        build_network(Quoridor(board_size=3), config, 1)
    assert shape_of(Quoridor(board_size=3), config).actions == 17

    class Wrong:
        def __init__(self, *_: Any) -> None:
            raise RuntimeError("something else")

    monkeypatch.setitem(modules._MODULES, "mlp", Wrong)
    with pytest.raises(RuntimeError, match="something else"):
        build_network(Quoridor(board_size=3), config, 1)


def test_what_says_that_memory_is_used_up() -> None:
    with pytest.raises((MemoryError, RuntimeError)) as raised:
        torch.empty(2**60, dtype=torch.uint8)
    assert is_out_of_memory(raised.value)
    with pytest.raises(MemoryError) as raised:
        np.zeros(2**60, np.uint8)
    assert is_out_of_memory(raised.value)
    assert not is_out_of_memory(RuntimeError("shape mismatch"))


@pytest.mark.parametrize(
    ("method", "told"),
    [("quoridor", "selfplay.tables"), ("values", "values.games"), ("search", "search.games")],
)
def test_a_run_out_of_memory_names_the_settings_to_lower(
    quick: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, told: str
) -> None:
    def all_gone(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(Run, "begin", all_gone)
    with pytest.raises(
        RunError, match=rf"no memory for that run: lower one of {told}.* network.width or network.depth"
    ):
        train(tmp_path / "run", quick(method))


def test_a_command_out_of_memory_ends_with_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def all_gone(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(SelfPlayers, "play", all_gone)
    words = ["evaluation.games=2", "evaluation.mcts=0", "evaluation.exact=false", "evaluation.simulations=2"]
    run = [
        "train",
        "quoridor",
        "--config",
        "tiny",
        "--rules",
        "board_size=3,fences=1",
        "--output",
        str(tmp_path / "run"),
    ]
    assert main([*run, "--set", *words]) == 1
    errors = capsys.readouterr().err
    assert "lower one of selfplay.tables" in errors
    assert "Traceback" not in errors


def test_tasks_are_made_as_they_are_taken(quick: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand million games are no list in memory."""

    class Taking:
        workers = 1

        def run(self, _function: Any, tasks: Any, *_shared: Any) -> Any:
            self.first = next(iter(tasks))
            yield from ()

    config, executor = quick("quoridor", selfplay__games=10**9), Taking()
    learning = selfplay_learning.SelfPlayLearning(config, tmp_path)
    learning.play(executor, 1, lambda *_: None)  # type: ignore[arg-type]
    assert executor.first.numbers.games == 2
