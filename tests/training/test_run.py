"""Runs: stopped anywhere and resumed they are what they would have been; what is damaged is refused in words."""

from __future__ import annotations

import itertools
import json
import math
import os
import pickle
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from sekisho.agents.networks.files import read_network
from sekisho.arena.records import read_records
from sekisho.envs import Game, load_game
from sekisho.envs.errors import CheckpointError, OptionError, SekishoError
from sekisho.training.checkpoint import Progress
from sekisho.training.config import Config, settings_of
from sekisho.training.folder import read_config
from sekisho.training.metrics import METRICS, MetricsLog, family, read_metrics
from sekisho.training.train import train
from sekisho.training.watching import Nobody

ROOT = Path(__file__).resolve().parent.parent.parent


class Stopped(Exception):  # noqa: N818  nothing has gone wrong
    """Stands for whatever ends a process."""


class Stopper(Nobody):
    """Stops a run in the middle of an iteration."""

    def __init__(self, iteration: int, phase: str) -> None:
        self._place = iteration, phase

    def phase(self, iteration: int, name: str, done: int, total: int) -> None:
        if (iteration, name) == self._place and done > 0:
            raise Stopped


def files_of(folder: Path) -> dict[str, bytes]:
    """The contents of all files of a run that do not hold times."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent.name != "tensorboard" and path.name not in ("learner.safetensors", ".lock")
    }


def networks_of(folder: Path) -> dict[str, bytes]:
    return {
        name: content for name, content in files_of(folder).items()
        if name.endswith((".safetensors", ".jsonl")) and "metrics" not in name
    }  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Returns a function that runs a configuration in one go, once."""
    done: dict[str, Path] = {}

    def run(config: Config) -> Path:
        key = json.dumps(config.to_dict())
        if key not in done:
            done[key] = tmp_path_factory.mktemp("run")
            train(done[key], config)
        return done[key]

    return run


PLACES = [
    *itertools.product(("quoridor", "tokaido"), ((1, "self-play"), (3, "learning"), (4, "evaluation"))),
    *((game, place) for game in ("search", "four") for place in ((1, "self-play"), (3, "learning"), (4, "evaluation"))),
    *(("imitation", place) for place in ((1, "imitation"), (3, "learning"), (4, "evaluation"))),
    *(("values", place) for place in ((1, "games"), (1, "fitting"), (3, "fitting"), (4, "evaluation"))),
]


@pytest.mark.parametrize(("game", "place"), PLACES)
def test_stopped_and_resumed_is_the_same_as_in_one_go(
    game: str, place: tuple[int, str], quick: Any, finished: Any, tmp_path: Path
) -> None:
    config = quick(game)
    whole = finished(config)
    with pytest.raises(Stopped):
        train(tmp_path / "run", config, watcher=Stopper(*place))
    progress = train(tmp_path / "run")
    assert progress.iteration == config.iterations
    assert networks_of(tmp_path / "run") == networks_of(whole)
    ours, theirs = read_metrics(tmp_path / "run" / "metrics.jsonl"), read_metrics(whole / "metrics.jsonl")
    for mine, other in zip(ours, theirs, strict=True):
        assert {k: v for k, v in mine.items() if "speed" not in k} == {
            k: v for k, v in other.items() if "speed" not in k
        }


def test_a_tower_with_plain_gradient_descent_resumes_as_well(quick: Any, tmp_path: Path) -> None:
    tower = {"network__kind": "tower", "network__width": 4, "network__head": 2, "learning__optimizer": "sgd"}
    config = quick(iterations=2, selfplay__backend="torch", **tower)
    train(tmp_path / "whole", config)
    with pytest.raises(Stopped):
        train(tmp_path / "broken", config, watcher=Stopper(2, "learning"))
    train(tmp_path / "broken")
    assert networks_of(tmp_path / "whole") == networks_of(tmp_path / "broken")


@pytest.mark.parametrize("game", ["quoridor", "values", "search", "four", "imitation"])
def test_several_processes_make_the_same_run(game: str, quick: Any, finished: Any, tmp_path: Path) -> None:
    whole = finished(quick(game))
    train(tmp_path / "run", quick(game, workers=2))
    arrays = [read_network(folder / "best.safetensors").arrays for folder in (whole, tmp_path / "run")]
    assert all(np.array_equal(arrays[0][name], arrays[1][name]) for name in arrays[0])


def test_more_iterations_may_follow(quick: Any, tmp_path: Path) -> None:
    config = quick(iterations=2, learning__schedule="constant")
    train(tmp_path, config)
    assert train(tmp_path).iteration == 2  # nothing is left to do
    assert train(tmp_path, changes={"iterations": 3, "keeping.records": 1}).iteration == 3
    assert read_config(tmp_path).iterations == 3
    assert len(list(read_records(tmp_path / "games" / "000003.jsonl"))) == 1


def test_what_must_not_change_is_refused_and_nothing_is_lost(quick: Any, tmp_path: Path) -> None:
    train(tmp_path, quick(iterations=1))
    before = files_of(tmp_path)
    with pytest.raises(OptionError, match=r"selfplay.games \(4 to 5\).*may change: iterations"):
        train(tmp_path, changes={"selfplay.games": 5})
    with pytest.raises(OptionError, match="--resume goes on with it"):
        train(tmp_path, quick(iterations=1))
    assert files_of(tmp_path) == before


def test_folders_that_are_no_runs_are_refused(quick: Any, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no such folder"):
        train(tmp_path / "nothing")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(OptionError, match=r"thesis\.txt"):
        train(tmp_path / "mine", quick())
    with pytest.raises(OptionError, match="no run to resume"):
        train(tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir() if path.name != ".lock"] == ["thesis.txt"]


def test_a_folder_is_for_one_process(quick: Any, tmp_path: Path) -> None:
    from sekisho.arena.folder import alone_in

    with alone_in(tmp_path), pytest.raises(OptionError, match="another process trains into"):
        train(tmp_path, quick())


# --- what is logged and kept ---------------------------------------------------------------------------------------


def test_all_metrics_of_the_documentation_are_logged_and_no_others(quick: Any, finished: Any, tmp_path: Path) -> None:
    lines = read_metrics(finished(quick()) / "metrics.jsonl")
    exact = {"evaluation__exact": True, "iterations": 1}
    lines += read_metrics(finished(quick(**exact)) / "metrics.jsonl")
    lines += read_metrics(finished(quick("values")) / "metrics.jsonl")
    lines += read_metrics(finished(quick("search")) / "metrics.jsonl")
    judging = {"imitation__teacher": "alphabeta:nodes=50", "imitation__weigh": 1.0}
    lines += read_metrics(finished(quick("imitation", **judging)) / "metrics.jsonl")
    logged = {family(name) for line in lines for name in line} - {"iteration"} | {"loss/value_rmse_3"}  # a slow test's
    assert logged == set(METRICS)
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `((?:loss|imitation|selfplay|eval|speed|train)/\w+)` \|", page, re.MULTILINE))
    assert told == set(METRICS)
    assert [line["iteration"] for line in lines[:5]] == [0, 1, 2, 3, 4]
    assert "eval/score_vs_random" in lines[0]


@pytest.mark.parametrize("game", ["quoridor", "values"])
def test_tensorboard_shows_metrics_configuration_and_games_from_step_0(game: str, quick: Any, finished: Any) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folder, config = finished(quick(game)), quick(game)
    events = EventAccumulator(str(folder / "tensorboard")).Reload()
    for line in read_metrics(folder / "metrics.jsonl"):
        for name, value in line.items():
            if name != "iteration":
                found = [event.value for event in events.Scalars(name) if event.step == line["iteration"]]
                assert found == [pytest.approx(value, rel=1e-5, abs=1e-6)]
    (table,) = events.Tensors("configuration/text_summary")
    shown = table.tensor_proto.string_val[0].decode()
    assert table.step == 0
    assert all(f"| {name} | {value} |" in shown for name, value in settings_of(config).items())
    shown_at = [line["iteration"] for line in read_metrics(folder / "metrics.jsonl") if "eval/elo" in line]
    assert [event.step for event in events.Tensors("games/0/text_summary")] == (
        [0, 1, 2, 3, 4] if game == "quoridor" else shown_at  # games of self-play, or else of evaluations
    )


def test_a_resumed_run_shows_no_step_twice(quick: Any, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with pytest.raises(Stopped):
        train(tmp_path, quick(), watcher=Stopper(3, "self-play"))
    train(tmp_path)
    events = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert [event.step for event in events.Scalars("train/buffer_size")] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("game", ["quoridor", "values", "search"])
def test_records_of_games_can_be_replayed(game: str, quick: Any, finished: Any) -> None:
    folder = finished(quick(game))
    paths = sorted((folder / "games").iterdir())
    assert {"000000.jsonl", "000004.jsonl"} <= {path.name for path in paths}
    for path in paths:
        records = list(read_records(path))
        assert len(records) == 2
        for record in records:
            assert record.replay().is_terminal()
            assert f"iteration_{int(path.stem)}" in record.agents


def test_the_newest_every_nth_and_the_best_checkpoints_stay(quick: Any, tmp_path: Path) -> None:
    config = quick(iterations=7, keeping__last=1, keeping__every=3, evaluation__every=4, learning__window=1)
    progress = train(tmp_path, config)
    kept = {int(path.name) for path in (tmp_path / "checkpoints").iterdir()}
    assert kept == {3, 6, 7} | {progress.best, progress.evaluated}
    assert {path.stem for path in (tmp_path / "positions").iterdir()} == {"000007"}
    best = read_network(tmp_path / "best.safetensors")
    assert best.recipe["iteration"] == progress.best
    assert Config.from_dict(best.recipe["config"]) == config


def test_steps_of_a_stopped_run_are_dropped_from_the_log(tmp_path: Path) -> None:
    log = MetricsLog(tmp_path / "metrics.jsonl", -1)
    for iteration in range(4):
        log.add(iteration, {"loss/total": 1.0})
    assert [line["iteration"] for line in MetricsLog(tmp_path / "metrics.jsonl", 2).lines] == [0, 1, 2]
    (tmp_path / "metrics.jsonl").write_text('{"iteration": 1}\nnonsense\n', encoding="utf-8")
    with pytest.raises(CheckpointError, match="line 2"):
        MetricsLog(tmp_path / "metrics.jsonl", 2)


# --- damage --------------------------------------------------------------------------------------------------------


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-5] ^= 16
    path.write_bytes(bytes(content))


def _pickled(path: Path) -> None:
    torch.save({"weights": torch.zeros(3)}, path)


def _old_pickle(path: Path) -> None:
    path.write_bytes(pickle.dumps({"weights": [1, 2, 3]}))


@pytest.mark.parametrize("damage", [_cut, _flip, _pickled, _old_pickle, Path.unlink])
@pytest.mark.parametrize(
    ("game", "name"),
    [("quoridor", "network"), ("quoridor", "learner"), ("quoridor", "positions"), ("values", "network"),
     ("values", "learner"), ("search", "network"), ("search", "learner"), ("search", "positions"), ("four", "positions")],
)  # fmt: skip
def test_damaged_checkpoints_are_refused_in_words(
    game: str, name: str, damage: Any, quick: Any, finished: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(finished(quick(game, iterations=2)), folder)
    if name == "positions":
        path = folder / "positions" / "000002.safetensors"
    else:
        path = folder / "checkpoints" / "000002" / f"{name}.safetensors"
    damage(path)
    with pytest.raises(CheckpointError) as refused:
        train(folder, changes={"iterations": 3})
    assert path.parent.name in str(refused.value) or path.name in str(refused.value)


def test_a_network_of_other_rules_or_from_another_run_is_refused(quick: Any, finished: Any, tmp_path: Path) -> None:
    one, other = finished(quick(iterations=2)), finished(quick(iterations=2, seed=3))
    place = Path("checkpoints", "000002", "network.safetensors")
    shutil.copytree(one, tmp_path / "run")
    shutil.copy(other / place, tmp_path / "run" / place)
    with pytest.raises(CheckpointError, match="not the one that the checkpoint was made with"):
        train(tmp_path / "run", changes={"iterations": 3})
    shutil.copy(finished(quick("tokaido", iterations=2)) / place, tmp_path / "run" / place)
    with pytest.raises(CheckpointError, match="for tokaido, not for quoridor"):
        train(tmp_path / "run", changes={"iterations": 3})


def test_a_checkpoint_of_another_method_is_refused(quick: Any, finished: Any, tmp_path: Path) -> None:
    shape = {"network__width": 8, "network__depth": 2}
    values, selfplay = (finished(quick(game, iterations=2, **shape)) for game in ("values", "tokaido"))
    shutil.copytree(values, tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "checkpoints" / "000002")
    shutil.copytree(selfplay / "checkpoints" / "000002", tmp_path / "run" / "checkpoints" / "000002")
    with pytest.raises(CheckpointError, match="the method differ: 'selfplay', not 'values'"):
        train(tmp_path / "run", changes={"iterations": 3})


@pytest.mark.parametrize("game", ["quoridor", "values"])
def test_an_older_observation_is_refused(
    game: str, quick: Any, finished: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sekisho.agents.networks import files

    shutil.copytree(finished(quick(game, iterations=2)), tmp_path / "run")
    played = quick(game).game
    monkeypatch.setitem(files.OBSERVATIONS, played, files.version_of(played) + 1)
    with pytest.raises(CheckpointError, match="older"):
        train(tmp_path / "run", changes={"iterations": 3})


def test_the_checkpoint_before_a_damaged_one_can_be_resumed_as_the_message_says(
    quick: Any, finished: Any, tmp_path: Path
) -> None:
    whole = finished(quick())
    shutil.copytree(whole, tmp_path / "run")
    _flip(tmp_path / "run" / "checkpoints" / "000004" / "network.safetensors")
    with pytest.raises(CheckpointError, match="go on from iteration 3, move away ") as refused:
        train(tmp_path / "run")
    shutil.rmtree(str(refused.value).rpartition("move away ")[2])
    train(tmp_path / "run")
    assert networks_of(tmp_path / "run") == networks_of(whole)


def test_the_newest_checkpoints_can_all_be_gone_on_from_when_they_were_measured_rarely(
    quick: Any, finished: Any, tmp_path: Path
) -> None:
    """What the second newest needs stays: the network that was measured before it, and its positions."""
    whole = finished(quick(iterations=5, evaluation__every=3, keeping__last=2, keeping__every=0))
    assert {path.name for path in (whole / "checkpoints").iterdir()} >= {"000003", "000004", "000005"}
    shutil.copytree(whole, tmp_path / "run")
    _flip(tmp_path / "run" / "checkpoints" / "000005" / "learner.safetensors")
    with pytest.raises(CheckpointError, match="go on from iteration 4"):
        train(tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "checkpoints" / "000005")
    train(tmp_path / "run")
    assert networks_of(tmp_path / "run") == networks_of(whole)


def test_a_run_whose_checkpoints_are_gone_is_not_begun_anew(quick: Any, finished: Any, tmp_path: Path) -> None:
    shutil.copytree(finished(quick()), tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "checkpoints")
    before = files_of(tmp_path / "run")
    with pytest.raises(CheckpointError, match="had got somewhere"):
        train(tmp_path / "run")
    (tmp_path / "run" / "checkpoints").write_text("mine", encoding="utf-8")
    with pytest.raises(CheckpointError, match="is no folder"):
        train(tmp_path / "run")
    (tmp_path / "run" / "checkpoints").unlink()
    assert files_of(tmp_path / "run") == before


@pytest.mark.parametrize("harm", ["gone", "flipped", "folder"])
def test_the_best_network_is_put_back_where_it_belongs(harm: str, quick: Any, finished: Any, tmp_path: Path) -> None:
    whole = finished(quick())
    shutil.copytree(whole, tmp_path / "run")
    best = tmp_path / "run" / "best.safetensors"
    if harm == "flipped":
        _flip(best)
    else:
        best.unlink()
    if harm == "folder":
        best.mkdir()
        with pytest.raises(CheckpointError, match="move it away"):
            train(tmp_path / "run")
        return
    train(tmp_path / "run")
    back, wanted = read_network(best), read_network(whole / "best.safetensors")
    assert back.recipe["iteration"] == wanted.recipe["iteration"]  # its rating takes later games in, too
    assert back.arrays.keys() == wanted.arrays.keys()
    assert all(np.array_equal(back.arrays[name], wanted.arrays[name]) for name in wanted.arrays)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe{", "no text"),
        (b"[" * 100_000, ""),  # has no end: left out as half a line
        (b"[" * 100_000 + b"\n", "line 1"),
        (b'{"iteration": true}\n', "expected the metrics"),
    ],
)
def test_damaged_metrics_are_refused_with_what_to_do(
    content: bytes, told: str, quick: Any, finished: Any, tmp_path: Path
) -> None:
    shutil.copytree(finished(quick()), tmp_path / "run")
    path = tmp_path / "run" / "metrics.jsonl"
    path.write_bytes(content)
    if told:
        with pytest.raises(CheckpointError, match=told) as refused:
            train(tmp_path / "run", changes={"iterations": 5})
        assert "move the file away" in str(refused.value)
        path.unlink()
    train(tmp_path / "run", changes={"iterations": 5})
    assert [json.loads(line)["iteration"] for line in path.read_text(encoding="utf-8").splitlines()] == [5]


def test_half_a_last_line_of_metrics_is_left_out(
    quick: Any, finished: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(finished(quick()), tmp_path / "run")
    path = tmp_path / "run" / "metrics.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    train(tmp_path / "run", changes={"iterations": 5})
    assert "not written to its end" in caplog.text
    assert "lacks the metrics of 1 of 5 iterations, the first of them 4" in caplog.text


def test_files_of_others_among_the_positions_stay(quick: Any, finished: Any, tmp_path: Path) -> None:
    shutil.copytree(finished(quick()), tmp_path / "run")
    notes = tmp_path / "run" / "positions" / "notes.safetensors"
    notes.write_text("mine", encoding="utf-8")
    train(tmp_path / "run", changes={"iterations": 5})
    assert notes.read_text(encoding="utf-8") == "mine"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("name", ["config.json", "metrics.jsonl"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(name: str, quick: Any, finished: Any, tmp_path: Path) -> None:
    shutil.copytree(finished(quick()), tmp_path / "run")
    (tmp_path / "run" / name).unlink()
    os.mkfifo(tmp_path / "run" / name)
    with pytest.raises(SekishoError, match="a device or a pipe"):
        train(tmp_path / "run", changes={"iterations": 5})


GOOD = asdict(Progress(iteration=2, window=[[1, 5], [2, 6]], position_files={"1": "a", "2": "b"}, best=1, evaluated=2))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("iteration", "x"), ("iteration", None), ("iteration", -5), ("iteration", 1), ("steps", "1"), ("steps", -1),
        ("steps", 1e300), ("seconds", "1"), ("seconds", math.inf), ("window", "abc"), ("window", [[1]]),
        ("window", [["a", "b"]]), ("window", None), ("window", [[3, 1]]), ("position_files", []), ("position_files", {}),
        ("evaluated", "x"), ("evaluated", 3), ("best", 77), ("best_scores", []), ("best_scores", {"a": "b"}),
        ("oldest", []), ("oldest", {"a": 1}), ("measured", {"1": None}), ("drawn", None), ("strengths", {}), ("more", 1),
    ],
)  # fmt: skip
def test_where_a_run_stood_is_read_with_care(name: str, value: Any) -> None:
    assert Progress.from_dict(GOOD, 2).best == 1
    with pytest.raises(ValueError, match=r".+"):
        Progress.from_dict(GOOD | {name: value}, 2)


# --- a network of one's own ----------------------------------------------------------------------------------------


class Linear(nn.Module):
    """One layer for everything."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        size = int(np.prod(game.observation_shape))
        self.policy, self.value = nn.Linear(size, game.num_actions), nn.Linear(size, game.num_players)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        flat = observations.flatten(1)
        logits = self.policy(flat).masked_fill(~masks, -torch.inf)
        return torch.log_softmax(logits, dim=1), torch.tanh(self.value(flat))


def _linear(game: Game) -> Linear:
    torch.manual_seed(3)
    return Linear(game)


def test_a_module_of_ones_own_is_trained_and_resumed(quick: Any, tmp_path: Path) -> None:
    config = quick()
    train(tmp_path / "whole", config, build=_linear)
    with pytest.raises(Stopped):
        train(tmp_path / "broken", config, build=_linear, watcher=Stopper(3, "learning"))
    train(tmp_path / "broken", build=_linear)
    assert networks_of(tmp_path / "whole") == networks_of(tmp_path / "broken")
    scores: Mapping[str, float] = read_metrics(tmp_path / "whole" / "metrics.jsonl")[-1]
    assert "eval/score_vs_previous" in scores
    with pytest.raises(CheckpointError):  # it is no network of the shape that the configuration describes
        train(tmp_path / "whole", changes={"iterations": 5})


def test_a_run_needs_no_gpu() -> None:
    from sekisho.training.devices import choose_device, choose_precision

    assert choose_precision("auto", torch.device("cpu")) == torch.float32
    if not torch.cuda.is_available():
        assert choose_device("auto").type == "cpu"
        with pytest.raises(OptionError, match="no GPU"):
            choose_device("cuda")


def test_the_exact_loss_of_a_solved_board_is_that_of_evaluate(quick: Any, finished: Any) -> None:
    from sekisho.agents.registry import make_agent
    from sekisho.training.exact_loss import gauge_of

    gauge = gauge_of(load_game("quoridor", board_size=3, fences=1))
    assert gauge is not None
    assert gauge(make_agent("exact"), 0) == pytest.approx(0)
    assert gauge(make_agent("random"), 0) > 20
    assert gauge_of(load_game("quoridor")) is None
