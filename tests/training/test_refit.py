"""`benchmarks/refit.py`: a network of another size fitted to the positions of a run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sekisho.agents import make_agent
from sekisho.agents.networks.files import read_network
from sekisho.training.train import train

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "refit.py"


def refit(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the script."""
    return subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True, check=False)


def test_the_positions_of_a_run_make_a_network_of_another_width_and_the_same_one_again(
    quick: Any, tmp_path: Path
) -> None:
    config = quick("search", iterations=1)
    train(tmp_path / "run", config)
    files = []
    for name, seed in (("one", 3), ("again", 3), ("other", 4)):
        path = tmp_path / f"{name}.safetensors"
        done = refit(tmp_path / "run", "--width", 48, "--passes", 1, "--seed", seed, "--output", path)
        assert done.returncode == 0, done.stderr
        assert "cross-entropy on games held back" in done.stdout
        network = read_network(path)
        assert network.config.width == 48
        make_agent(f"alphabeta:nodes=10,leaf=(net:checkpoint={path})").supports(config.load_game())
        files.append({array: network.arrays[array].tobytes() for array in network.arrays})
    assert files[0] == files[1] != files[2]


@pytest.mark.parametrize("method", ["none", "imitation"])
def test_a_folder_without_such_a_run_is_told_in_words(quick: Any, tmp_path: Path, method: str) -> None:
    if method != "none":
        train(tmp_path / "run", quick(method, iterations=1))
    done = refit(tmp_path / "run", "--output", tmp_path / "network.safetensors")
    assert done.returncode == 2
    assert ("holds no run" if method == "none" else "no run of learning from searches") in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "network.safetensors").exists()
