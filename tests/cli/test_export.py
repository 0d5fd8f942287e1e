"""`sekisho export`: what other programs read is what plays here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from sekisho.agents.networks.evaluator import evaluate, make_evaluator
from sekisho.agents.networks.files import read_network
from sekisho.agents.store import require_listed, shipped_networks
from sekisho.cli.main import main
from sekisho.envs import load_game
from support.positions import random_decisions


def test_an_exported_network_answers_as_the_network_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", "tokaido", "--format", "onnx", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["file"] == "tokaido.onnx"
    assert told["bytes"] == (tmp_path / "tokaido.onnx").stat().st_size
    session = onnxruntime.InferenceSession("tokaido.onnx")
    assert [one.name for one in session.get_inputs()] == ["observations", "masks"]
    assert [one.name for one in session.get_outputs()] == ["log_policy", "values"]
    model = onnx.load("tokaido.onnx")
    assert [one.version for one in model.opset_import] == [told["opset"]]
    about = json.loads(next(entry.value for entry in model.metadata_props if entry.key == "sekisho"))
    assert about["game"] == "tokaido"
    game = load_game("tokaido", players=4)
    words, seats = random_decisions(game, 20, 3)

    def run(observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return tuple(session.run(None, {"observations": observations, "masks": masks}))

    network = read_network(require_listed(shipped_networks()["tokaido"]))
    for mine, theirs in zip(
        evaluate(run, game, words, seats), make_evaluator(network).evaluate(game, words, seats), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, atol=1e-4)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tokaid"], "did you mean 'tokaido'"),
        (["tokaido", "--format", "tflite"], "--format 'tflite'"),
        (["tokaido", "--output", "notes.txt"], "notes.txt exists and is no ONNX model"),
        (["notes.txt"], "no network of sekisho"),
    ],
)
def test_what_cannot_be_exported_is_said_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    assert main(["export", *words]) == 2
    assert said in capsys.readouterr().err
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert not list(tmp_path.glob("*.onnx"))
