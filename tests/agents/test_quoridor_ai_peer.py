"""The adapter `benchmarks/peers/quoridor_ai.js`, with a stand-in for the program that it makes an engine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ADAPTER = Path(__file__).resolve().parents[2] / "benchmarks" / "peers" / "quoridor_ai.js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs node")

GAME = """
class Game {
  constructor() { this.moves = []; }
  doMove(move) { this.moves.push(move); return move[0] === null || move[0][0] !== 0; }  // nobody may stand on rank 9
}
"""
AI = """
class AI {
  constructor(rollouts, exploration) { this.told = [rollouts, exploration]; console.log("noise"); }
  chooseNextMove(game) {
    if (this.told[0] !== 60000) throw new Error("other rollouts: " + this.told[0]);
    return game.moves.length ? game.moves[game.moves.length - 1] : [[7, 4], null, null];
  }
}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    scripts = tmp_path / "src" / "js"
    scripts.mkdir(parents=True)
    (scripts / "game.js").write_text(GAME)
    (scripts / "ai.js").write_text(AI)
    return tmp_path


def talk(lines: list[str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(NODE), str(ADAPTER), *words]
    return subprocess.run(
        command, input="\n".join(lines) + "\n", text=True, capture_output=True, timeout=60, check=False
    )


@pytest.mark.parametrize("move", ["e2", "a1", "i8", "a1h", "h8v", "c4h", "f6v"])
def test_moves_go_there_and_come_back_the_same(move: str, checkout: Path) -> None:
    said = talk(["uci", "isready", f"position startpos moves e5 {move}", "go nodes 5"], str(checkout), "60000").stdout
    assert said.splitlines() == [
        "id name quoridor-ai 60000", "id author gorisanson", "uciok", "readyok", f"bestmove {move}",
    ]  # fmt: skip


def test_the_start_is_its_own_to_play_and_settings_are_passed_over(checkout: Path) -> None:
    lines = ["setoption name Seed value 5", "uginewgame", "position startpos", "go movetime 9", "quit", "go"]
    assert talk(lines, str(checkout), "60000").stdout == "bestmove e2\n"


def test_what_it_cannot_play_is_an_error_and_the_next_line_is_heard(checkout: Path) -> None:
    lines = ["position startpos moves e9", "position startpos moves z1", "position text x", "isready"]
    said = talk(lines, str(checkout), "60000").stdout.splitlines()
    assert [line.startswith("info string error") for line in said] == [True, True, True, False]
    assert "'e9' is not legal" in said[0]


@pytest.mark.parametrize(
    ("words", "reason"),
    [([], "expected: node quoridor_ai.js"), (["{}", "0"], "a whole number of rollouts"), (["nowhere"], "cannot read")],
)
def test_wrong_use_is_told_on_stderr(words: list[str], reason: str, checkout: Path) -> None:
    done = talk([], *(word.format(checkout) for word in words))
    assert done.returncode == 2
    assert reason in done.stderr
    assert done.stdout == ""
