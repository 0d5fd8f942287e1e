"""`sekisho doctor` finds what is broken, also where that breaks everything else; `sekisho completion` completes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sekisho.arena import health
from sekisho.cli.completion import HOW_TO, script
from sekisho.cli.main import COMMANDS, main
from sekisho.envs import game_names

COMMAND = (sys.executable, "-m", "sekisho.cli.main")


def run(*words: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, env=os.environ | changes)


def test_a_sound_installation_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["ok"], err) == (True, "")
    names = [check["name"] for check in found["checks"]]
    assert len(set(names)) == len(names)
    assert {"python", "numba", "torch", "cache folder", "kernels", "games folder", "terminal"} <= set(names)
    assert found["versions"] == health.versions()
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.endswith("Everything needed works.\n")


def test_a_broken_library_is_reported_though_nothing_else_works(tmp_path: Path) -> None:
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text("raise ImportError('llvmlite does not fit')", encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = run("doctor", PYTHONPATH=path)
    assert done.returncode == 1
    assert "broken   numba" in done.stdout
    assert "llvmlite does not fit" in done.stdout
    assert "install again from the sources" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    other = run("games", PYTHONPATH=path)
    assert (other.returncode, other.stdout) == (1, "")
    assert "llvmlite does not fit" in other.stderr
    assert "sekisho doctor" in other.stderr
    assert len(other.stderr.splitlines()) == 1


def test_folders_that_cannot_be_written_are_warnings_with_advice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = run("doctor", XDG_STATE_HOME=str(tmp_path / "file"), PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "warning  games folder" in done.stdout
    assert "--save" in done.stdout
    assert "warning  terminal" in done.stdout
    assert "PYTHONUTF8=1" in done.stdout


def test_what_the_package_depends_on_is_not_called_optional() -> None:
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((Path(health.__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
    needed = " ".join(project["project"]["dependencies"])
    for name, purpose in health.SOMETIMES.items():
        assert ("optional" in purpose) == (name not in needed), name


def test_who_plays_without_letters_for_the_boards_is_sent_here(tmp_path: Path) -> None:
    for encoding, expected in (("ascii", True), ("utf-8", False)):
        done = run("play", "quoridor", "--seats", "random", "random", "--rules", "board_size=3,fences=0",
                   XDG_STATE_HOME=str(tmp_path), PYTHONIOENCODING=encoding)  # fmt: skip
        assert done.returncode == 0
        assert ("sekisho doctor" in done.stderr) is expected


def test_a_python_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LEAST_PYTHON", (9, 0))
    (python,) = [check for check in health.examine() if check.name == "python"]
    assert python.status == health.BROKEN
    assert "9.0" in python.advice


# --- completion ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_knows_every_command_game_and_shell(shell: str) -> None:
    text = script(shell)
    for word in (*COMMANDS, *game_names(), "--seats", "--playouts"):
        assert f"'{word}'" in text
    assert text.count("__TYRO_COMPLETE_FILES__'])") == 1  # files are offered where nothing else fits
    assert shell in HOW_TO


def test_without_a_shell_it_says_how_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion"]) == 0
    out = capsys.readouterr().out
    assert all(f"sekisho completion {shell}" in out for shell in ("bash", "zsh", "fish"))
    assert main(["completion", "tcsh"]) == 2


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["pl"], {"play"}),
        (["play", "qu"], {"quoridor"}),
        (["play", "quoridor", "--se"], {"--seats", "--seed"}),
        (["tournament", "--op"], {"--openings"}),
        (["play", "--load", "ga"], {"game.json"}),
        (["replay", "ga"], {"game.json", "games"}),
    ],
)
def test_bash_completes(tmp_path: Path, typed: list[str], expected: set[str]) -> None:
    (tmp_path / "game.json").write_text("", encoding="utf-8")
    if typed[0] == "replay":
        (tmp_path / "games").mkdir()
    (tmp_path / "complete.sh").write_text(script("bash"), encoding="utf-8")
    words = " ".join(["sekisho", *typed])
    code = f'. ./complete.sh; COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _tyro_sekisho; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == expected
