"""The command `sekisho train`, as a process that is killed, and in words."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sekisho.cli.main import main
from sekisho.training.config import Config, settings_of

SETTINGS = [
    "selfplay.games=6", "selfplay.tables=3", "selfplay.simulations=12", "selfplay.fast_simulations=6", "learning.batch_size=16", "evaluation.games=2", "evaluation.mcts=0", "evaluation.every=2", "evaluation.simulations=2", "evaluation.exact=false", "network.width=16", "iterations=4", "keeping.last=9",
]  # fmt: skip
WORDS = ["train", "quoridor", "--config", "tiny", "--rules", "board_size=3,fences=1", "--set", *SETTINGS]
VALUES = [
    "train", "tokaido", "--config", "tiny", "--set", "values.games=3", "values.steps=200", "values.batch_size=64",
    "evaluation.games=2", "evaluation.mcts=0", "evaluation.every=4", "evaluation.exact=false", "network.width=16",
    "iterations=4", "keeping.last=9",
]  # fmt: skip
SEARCH = [
    "train", "quoridor", "--config", "search_tiny", "--set", "search.games=8", "search.nodes=100", "search.judging_nodes=50",
    "search.passes=3", "search.batch_size=16", "evaluation.games=2", "evaluation.nodes=20", "evaluation.every=4",
    "iterations=4", "keeping.last=9",
]  # fmt: skip
IMITATION = [
    "train", "tokaido", "--config", "imitation_tiny", "--set", "imitation.teacher=expectimax:turns=0", "imitation.games=4",
    "imitation.student=0.5", "learning.batch_size=64", "evaluation.games=2", "evaluation.mcts=0", "evaluation.every=4",
    "network.width=16", "iterations=4", "keeping.last=9",
]  # fmt: skip


def process(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "sekisho.cli.main", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def children_of(process: int) -> set[int]:
    """The processes that a process has started; none where Linux does not list them."""
    lists = Path("/proc").glob(f"{process}/task/*/children")
    return {int(number) for path in lists for number in path.read_text(encoding="ascii").split()}


def wait_for(path: Path, running: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 300
    while not path.exists():
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("words", [WORDS, VALUES, SEARCH, IMITATION], ids=["selfplay", "values", "search", "imitation"])
def test_killed_and_resumed_is_the_same_to_the_bit_as_in_one_go(words: list[str], tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert main([*words, "--output", str(whole)]) == 0
    running = process(*words, "--output", str(broken))
    wait_for(broken / "checkpoints" / "000002", running)
    running.kill()  # SIGKILL: nothing is tidied up
    assert running.wait() == -signal.SIGKILL
    running.communicate()
    assert not (broken / "checkpoints" / "000004").exists()
    assert main(["train", words[1], "--output", str(broken), "--resume"]) == 0
    for iteration in range(5):
        place = Path("checkpoints", f"{iteration:06d}", "network.safetensors")
        assert (whole / place).read_bytes() == (broken / place).read_bytes()
    assert (whole / "best.safetensors").read_bytes() == (broken / "best.safetensors").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_told_to_end_it_says_how_to_go_on(tmp_path: Path) -> None:
    words = [word.replace("iterations=4", "iterations=500") for word in WORDS]
    running = process(*words, "--output", str(tmp_path / "run"))
    wait_for(tmp_path / "run" / "checkpoints" / "000001", running)
    running.send_signal(signal.SIGTERM)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == -signal.SIGTERM
    assert f"go on with\nsekisho train quoridor --output {tmp_path / 'run'} --resume\n" in errors


@pytest.mark.skipif(os.name != "posix", reason="sends the signal of a terminal")
@pytest.mark.parametrize(("executor", "workers"), [("serial", "1"), ("processes", "2")])
def test_ctrl_c_stops_and_says_how_to_go_on(tmp_path: Path, executor: str, workers: str) -> None:
    words = [word.replace("iterations=4", "iterations=500") for word in WORDS]
    running = process(*words, "--output", str(tmp_path / "run"), "--executor", executor, "--workers", workers)
    wait_for(tmp_path / "run" / "checkpoints" / "000001", running)
    started = children_of(running.pid)
    assert len(started) >= int(workers) - 1
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=60)
    assert running.returncode == -signal.SIGINT
    assert errors.endswith("sekisho: interrupted\n")
    until = time.monotonic() + 20  # the process that Python has beside its own for spawning leaves last
    while left := [number for number in started if Path(f"/proc/{number}").exists()]:
        assert time.monotonic() < until, left
        time.sleep(0.1)
    assert "Traceback" not in errors
    assert f"go on with\nsekisho train quoridor --output {tmp_path / 'run'} --resume --executor {executor}\n" in errors
    assert "iteration 0: score vs random" in output
    assert "\x1b" not in output + errors  # no bar where there is no terminal
    done = json.loads((tmp_path / "run" / "config.json").read_text(encoding="utf-8"))
    there = len(list((tmp_path / "run" / "checkpoints").glob("0*")))
    last = str(there)
    assert main(["train", "quoridor", "--output", str(tmp_path / "run"), "--resume", "--iterations", last]) == 0
    assert done["iterations"] == 500


def test_one_json_document_says_where_the_run_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word.replace("iterations=4", "iterations=1") for word in WORDS]
    assert main([*words, "--output", str(tmp_path / "run"), "--json", "--seed", "3"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert captured.err == ""
    assert document["game"] == "quoridor"
    assert document["rules"]["board_size"] == 3
    assert document["iterations"] == 1
    assert document["best"]["iteration"] in (0, 1)
    agent = document["best"]["agent"]
    assert main(["evaluate", "quoridor", "--rules", "board_size=3,fences=1", "--agent", agent, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agent"] == agent
    games = str(tmp_path / "run" / "games" / "000001.jsonl")
    assert main(["replay", games]) == 0


@pytest.mark.parametrize(
    ("preset", "method", "setting"),
    [("laptop", "values", "values.games=77"), ("selfplay_laptop", "selfplay", "selfplay.games=77")],
)
def test_all_settings_are_shown_and_none_of_the_other_method(
    preset: str, method: str, setting: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "tokaido", "--config", preset, "--settings", "--set", setting]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in settings_of(Config(game="tokaido", method=method)))
    assert "77" in shown
    assert ("selfplay.games" in shown) == (method == "selfplay")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["train", "quorridor"], "did you mean 'quoridor'"),
        (["train", "picture_sugoroku"], "sekisho solve picture_sugoroku"),
        (["train", "quoridor", "--config", "tinny"], "did you mean 'tiny'"),
        (["train", "quoridor", "--set", "selfplay.simulatons=3"], "did you mean 'selfplay.simulations'"),
        (["train", "quoridor", "--set", "selfplay.games"], "name=value"),
        (["train", "quoridor", "--set", "seed=1", "seed=2"], "given twice"),
        (["train", "quoridor", "--seed", "1", "--set", "seed=2"], "the same setting"),
        (["train", "quoridor", "--rules", "boardsize=3"], "did you mean 'board_size'"),
        (["train", "quoridor", "--players", "3"], "players"),
        (["train", "quoridor", "--players", "2", "--rules", "players=4"], "contradicts"),
        (["train", "quoridor", "--resume"], "no such folder"),
        (["train", "quoridor", "--device", "tpu"], "cpu, cuda"),
        (["train", "quoridor", "--output", ""], "--output"),
        (["train", "tokaido", "--config", "selfplay_tiny", "--set", "network.kind=tower"], "planes of squares"),
        (["train", "quoridor", "--config", "tiny", "--set", "network.kind=nnue"], "has no policy to learn"),
        (["train", "tokaido", "--config", "tiny", "--set", "network.kind=tower"], "trains an mlp"),
        (["train", "tokaido", "--config", "tiny", "--set", "selfplay.games=3"], "no part in a run"),
        (["train", "tokaido", "--config", "tiny", "--set", "values.start=nothing.safetensors"], "values.start"),
        (["train", "tokaido", "--config", "tiny", "--rules", "rests_add_up=false"], "--config selfplay_tiny"),
        (["train", "quoridor", "--config", "search_tiny", "--set", "network.kind=mlp"], "trains an nnue"),
        (["train", "quoridor", "--config", "search_tiny", "--set", "search.start=nothing.safetensors"], "search.start"),
        (["train", "quoridor", "--config", "search_tiny", "--set", "network.width=20"], "multiple of 16"),
        (
            ["train", "quoridor", "--config", "imitation_tiny", "--set", "imitation.opponent=mcts:seconds=1"],
            "imitation.opponent",
        ),
        (
            ["train", "quoridor", "--config", "imitation_tiny", "--set", "imitation.opponent=nobody"],
            "imitation.opponent",
        ),
        (["train", "quoridor", "--config", "imitation_tiny", "--set", "imitation.teacher=larger"], "plays tokaido"),
        (
            ["train", "quoridor", "--config", "imitation_tiny", "--set", "imitation.teacher=mcts:seconds=1"],
            "simulations=",
        ),
        (["train", "quoridor", "--config", "imitation_tiny", "--players", "4"], "alphabeta"),
        (["train", "tokaido", "--config", "tiny", "--players", "5"], "raise values.most_players"),
    ],
)
def test_wrong_use_is_answered_in_a_line_and_leaves_nothing(
    words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert not [*tmp_path.iterdir()]


def test_settings_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "tokaido", "--config", "tiny", "--settings", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["method"] == "values"
    assert document["settings"]["values.steps"]["value"] == 200
    assert "training steps" in document["settings"]["values.steps"]["meaning"]


def test_a_run_that_is_done_says_so_and_does_not_get_shorter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [word.replace("iterations=4", "iterations=2") for word in WORDS]
    place = ["--output", str(tmp_path / "run")]
    assert main([*words, *place]) == 0
    capsys.readouterr()
    assert main(["train", "quoridor", *place, "--resume"]) == 0
    assert "All 2 iterations are done" in capsys.readouterr().out
    assert main(["train", "quoridor", *place, "--resume", "--iterations", "1"]) == 2
    assert "has done 2 iterations" in capsys.readouterr().err
    assert json.loads((tmp_path / "run" / "config.json").read_text(encoding="utf-8"))["iterations"] == 2


def test_a_run_is_not_resumed_as_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word.replace("iterations=4", "iterations=1") for word in WORDS]
    place = ["--output", str(tmp_path / "run")]
    assert main([*words, *place]) == 0
    for more, told in (
        (["tokaido"], "one of quoridor"),
        (["quoridor", "--config", "laptop"], "'tiny'"),
        (["quoridor", "--rules", "board_size=5"], "board_size=3"),
        (["quoridor", "--seed", "4"], "seed (0 to 4)"),
    ):
        capsys.readouterr()
        assert main(["train", *more, *place, "--resume"]) == 2
        assert told in capsys.readouterr().err
