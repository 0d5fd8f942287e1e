"""The examples run, and show what they say that they show."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import gymnasium
import numpy as np
import pytest

from support.dash import value

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples"
FILES = sorted(FOLDER.glob("*.py"))


def example(name: str) -> ModuleType:
    """Import an example, which is no part of the package."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def script(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, path, *words], capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_docstring_has_the_command_that_runs_it(path: Path) -> None:
    assert f"python examples/{path.name} " in path.read_text(encoding="utf-8").split('"""')[1]


def test_the_game_of_the_docs_plays_itself(capsys: pytest.CaptureFixture[str]) -> None:
    example("dash_race").main()
    found = re.fullmatch(r"the first player won (\d+) of 200 games\n", capsys.readouterr().out)
    chance = (1 + float(value(0, 0, 5))) / 2  # worked out on paper
    assert found
    assert abs(int(found[1]) - 200 * chance) < 4 * (200 * chance * (1 - chance)) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in FILES if path.stem != "dash_race"], ids=lambda path: path.stem)
def test_help_and_wrong_use(path: Path) -> None:
    asked = script(path, "--help")
    assert asked.returncode == 0
    assert "--seed" in asked.stdout
    wrong = script(path, "--sead", "1")
    assert wrong.returncode == 2
    assert "Traceback" not in wrong.stderr


@pytest.mark.parametrize("game", ["quoridor", "tokaido", "picture_sugoroku"])
def test_plain_loops(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    example("plain_loop").main(game, games=3)
    lines = capsys.readouterr().out.splitlines()
    means = [[float(value) for value in re.findall(r"[+-]\d\.\d{3}", line)] for line in lines]
    assert [len(line) for line in means] == [2, 2, 2]
    assert all(first == -second for first, second in means)  # two players: what one wins the other loses


@pytest.mark.parametrize("board_size", [3, 5])
def test_path_length_demonstration(board_size: int, capsys: pytest.CaptureFixture[str]) -> None:
    example("path_length_rewards").main(games=6, board_size=board_size)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert len(rows) == 6
    assert any(float(row[-1]) for row in rows)
    for *_, plain, shaped, difference, potential in rows:
        assert difference == potential
        assert float(plain) - float(shaped) == pytest.approx(float(difference))


@pytest.mark.parametrize("discount", [1.0, 0.9])
@pytest.mark.parametrize("players", [2, 4])
def test_shaped_rewards_telescope(discount: float, players: int) -> None:
    shaping = example("path_length_rewards").PathLengthRewards
    env = shaping(
        gymnasium.make("sekisho/QuoridorVs-v0", players=players, board_size=5, max_plies=None, random_openings=6),
        discount=discount,
        scale=0.1,
    )
    rng = np.random.default_rng(0)
    for number in range(10):
        _, info = env.reset(seed=number)
        steps = env.unwrapped.state.distances()
        own = steps.pop(info["seat"])
        plain, shaped, weight, terminated = 0.0, 0.0, 1.0, False
        while not terminated:
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            _, reward, terminated, truncated, info = env.step(action)
            assert not truncated
            plain += weight * info["unshaped_reward"]
            shaped += weight * reward
            weight *= discount
        assert plain - shaped == pytest.approx(0.1 * (min(steps) - own))


def test_a_step_forward_earns_its_part() -> None:
    shaping = example("path_length_rewards").PathLengthRewards
    env = shaping(gymnasium.make("sekisho/QuoridorVs-v0", seat=0, opponents="shortest_path"))
    env.reset(seed=0)
    e2 = env.unwrapped.state.string_to_action("e2")
    assert env.step(e2)[1] == pytest.approx(0)  # both walked
    a5h = env.unwrapped.state.string_to_action("a5h")
    assert env.step(a5h)[1] == pytest.approx(-0.02)  # a fence that is in nobody's way, while the opponent walks


@pytest.mark.parametrize("name", ["plain_loop", "path_length_rewards"])
def test_no_games_are_refused_in_words(name: str) -> None:
    with pytest.raises(SystemExit, match="at least 1"):
        example(name).main(games=0)


def test_shaping_needs_a_learner() -> None:
    shaping = example("path_length_rewards").PathLengthRewards
    with pytest.raises(TypeError, match="QuoridorVs"):
        shaping(gymnasium.make("sekisho/Quoridor-v0"))


@pytest.mark.slow
def test_the_learner_beats_random_clearly() -> None:
    learner = example("learn_tokaido")
    model = learner.learn(8192, seed=0)
    share, low, high = learner.evaluate(model, 1000, seed=1_000_000)
    assert share > 0.6
    assert 0.55 < low < share < high


@pytest.mark.slow
def test_the_same_seed_learns_the_same_and_only_what_is_asked_for_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    learner = example("learn_tokaido")
    monkeypatch.chdir(tmp_path)
    learner.main(steps=2048, seed=3, eval_games=20)
    assert not list(tmp_path.iterdir())
    learner.main(steps=2048, seed=3, eval_games=20, output=tmp_path / "policy.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["policy.zip"]
    first, second = capsys.readouterr().out.splitlines()
    assert first == second
    assert learner.MaskablePPO.load(tmp_path / "policy.zip").num_timesteps == 2048


def test_a_network_of_ones_own_takes_less_than_50_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len((FOLDER / "own_network.py").read_text(encoding="utf-8").splitlines()) < 50
    example("own_network").main(tmp_path / "run", iterations=1)
    assert "eval/score_vs_random" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="--resume"):
        example("own_network").main(tmp_path / "run", iterations=1)


def test_a_walk_through_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example("walk_through_a_run").main(tmp_path / "run", iterations=1)
    told = capsys.readouterr().out
    assert "iteration   1: score_vs_random" in told
    assert "best.safetensors" in told
    assert (tmp_path / "run" / "curves.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.slow
def test_the_exact_value_of_always_the_larger_number(capsys: pytest.CaptureFixture[str]) -> None:
    example("exact_value_of_a_policy").main(greed=1.0)
    (lost,) = re.findall(r"lost against perfect play +([\d.]+)", capsys.readouterr().out)
    example("exact_value_of_a_policy").main(greed=0.0)
    (random_lost,) = re.findall(r"lost against perfect play +([\d.]+)", capsys.readouterr().out)
    assert 0 < float(lost) < float(random_lost)
    assert float(random_lost) == pytest.approx(37.823, abs=0.01)  # `sekisho evaluate tokaido --agent random`
