"""`sekisho doctor` finds what is broken, also where that breaks everything else; `sekisho completion` completes."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sekisho.agents import agent_names, store
from sekisho.agents.networks import files
from sekisho.arena import health
from sekisho.cli import completion
from sekisho.cli.completion import HOW_TO
from sekisho.cli.main import COMMANDS, main
from sekisho.envs import game_names
from sekisho.envs.registry import game_class

script = functools.cache(completion.script)
COMMAND = (sys.executable, "-m", "sekisho.cli.main")
posix = pytest.mark.skipif(os.name != "posix", reason="shells and terminals as POSIX knows them")


def run(*words: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, env=os.environ | changes)


def test_a_sound_installation_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["ok"], err) == (True, "")
    names = [check["name"] for check in found["checks"]]
    assert len(set(names)) == len(names)
    assert {"python", "numba", "torch", "cache folder", "kernels", "networks", "terminal"} <= set(names)
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
    extras = project["project"]["optional-dependencies"]
    optional = {name for name, purpose in health.SOMETIMES.items() if "optional" in purpose}
    for name in optional:
        assert health._distribution(name) in " ".join(extras[health._EXTRAS[name]])


def test_what_is_not_installed_comes_with_the_command_that_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    found = {check.name: check for check in health._sometimes()}
    for name, extra in (("matplotlib", "plots"), ("open_spiel", "openspiel"), ("sb3-contrib", "examples")):
        assert "not installed" in found[name].found
        assert f'pip install -e ".[{extra}]"' in found[name].advice
    assert 'pip install -e "."' in found["torch"].advice


def test_modules_are_called_what_pip_calls_them() -> None:
    assert {"pillow", "resvg_py", "pettingzoo"} <= {check.name for check in health._modules()}


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the networks that ship and of the manifest, in the place of what ships."""
    for name in ("manifest.json", *(entry["file"] for entry in store.shipped_networks().values())):
        shutil.copy(store.FOLDER / name, tmp_path / name)
    monkeypatch.setattr(store, "FOLDER", tmp_path)
    store.manifest.cache_clear()
    yield tmp_path
    store.manifest.cache_clear()


def test_the_network_that_ships_is_looked_at(shipped: Path) -> None:
    check = health._networks()
    assert (check.status, check.advice) == (health.OK, "")
    assert {"quoridor", "tokaido"} <= set(check.found.replace(",", " ").split())


def test_an_altered_or_missing_network_is_named_with_what_to_do(shipped: Path) -> None:
    path = shipped / "tokaido.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    for told in ("not the file that the manifest beside it lists", "cannot read"):
        check = health._networks()
        assert check.status == health.WARNING
        assert told in check.found
        assert "install sekisho again" in check.advice
        path.unlink(missing_ok=True)


def test_a_network_for_an_older_observation_or_listed_wrongly_is_named(
    shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = shipped / "manifest.json"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace("observation-1", "observation-9"), encoding="utf-8"
    )
    store.manifest.cache_clear()
    assert "listed as one for tokaido, observation-9" in health._networks().found
    monkeypatch.setitem(files.OBSERVATIONS, "tokaido", files.version_of("tokaido") + 1)
    check = health._networks()
    assert check.status == health.WARNING
    assert "older" in check.found
    assert "ship_network.py" in check.advice


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
def test_a_script_knows_every_command_game_player_and_shell(shell: str) -> None:
    text = script(shell)
    for word in (*COMMANDS, *game_names(), *agent_names(), "human", "--seats", "--playouts"):
        assert f"'{word}'" in text
    assert text.count("def offered(") == text.count("= offered(") == 1
    assert shell in HOW_TO


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_words_are_told_apart_by_what_they_do(shell: str) -> None:
    text = script(shell)
    for line in (*COMMANDS.values(), "Tokaido sugoroku", *agent_names().values()):
        assert line in text
    for word in (*COMMANDS, *game_names()):
        assert f"'description': '{word}'" not in text


def test_fish_hands_over_the_word_under_the_cursor() -> None:
    assert "$words (commandline -ct) $current" in script("fish")


def test_without_a_shell_it_says_how_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion"]) == 0
    out = capsys.readouterr().out
    assert all(line in out for lines in HOW_TO.values() for line in lines)
    assert main(["completion", "tcsh"]) == 2


@posix
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_it_says_installs_on_a_fresh_machine(tmp_path: Path, shell: str) -> None:
    program = tmp_path / "bin" / "sekisho"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    known = os.environ | {"HOME": str(home), "PATH": f"{program.parent}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-c", HOW_TO[shell][0]], check=True, env=known)
    (written,) = [path for path in home.rglob("*") if path.is_file()]
    assert written.read_text(encoding="utf-8") == script(shell)
    if shell == "bash" and shutil.which("bash"):  # where the command itself is not to be found
        line = HOW_TO["bash"][1].partition("in ~/.bashrc:")[2]
        code = f"{line} && complete -p sekisho"
        done = subprocess.run(
            ["bash", "-c", code], capture_output=True, text=True, env=os.environ | {"HOME": str(home)}
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "_tyro_sekisho" in done.stdout


# what is offered; None: the shell's own files
OFFERED: list[tuple[list[str], set[str] | None]] = [
    (["pl"], {"play"}),
    (["play", "qu"], {"quoridor"}),
    (["play", "''"], set(game_names())),
    (["play", "quoridor", "--se"], {"--seats", "--seed"}),
    (["play", "quoridor", "--seats", "''"], {"human", *agent_names()}),
    (["play", "quoridor", "--seats", "human", "he"], {"heuristic"}),
    (["tournament", "--op"], {"--openings"}),
    (["tournament", "quoridor", "--agents", "ra"], {"random"}),
    (["evaluate", "tokaido", "--against", "la"], {"larger"}),
    (["analyze", "game.json", "--agent", "la"], {"larger"}),
    (["completion", "''"], set(HOW_TO)),
    (["games", "''"], {"-h", "--help", "--json"}),
    (["play", "--load", "ga"], None),
    (["replay", "ga"], None),
    (["replay", "''"], None),
    (["analyze", "game.json", "--a"], {"--agent"}),
    (["play", "quoridor", "--rules", "''"], {f"{option.name}=" for option in game_class("quoridor").OPTIONS}),
    (["solve", "tokaido", "--rules", "fo"], {"forks="}),
    (["play", "--rules", "board"], {"board_size=", "board="}),
    (["play", "quoridor", "--rules", "forks"], set()),
    (["play", "quoridor", "--rules", "fences=2", "--se"], {"--seats", "--seed"}),
]
BEGUN: list[tuple[str, set[str]]] = [
    ("fences=3,board", {"fences=3,board_size="}),
    ("fences=3,third_pawn=b", {"fences=3,third_pawn=blocks"}),
    ("third_pawn=", {f"third_pawn={value}" for value in ("blocks", "diagonal")}),
    ("fences=3,fe", set()),
    ("fences=", set()),
    ("fences=3", set()),
]
"""What is offered behind --rules where something stands before; bash takes what comes after the last =."""


def has(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"there is no {shell} here")


def answer(shell: str, code: str, folder: Path) -> set[str]:
    (folder / "complete.sh").write_text(script(shell), encoding="utf-8")
    flags = {"zsh": ["-f"], "fish": ["--no-config"]}.get(shell, [])
    done = subprocess.run([shell, *flags, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split("\n")) - {""}


@has("bash")
@pytest.mark.parametrize(("typed", "expected"), OFFERED)
def test_bash_completes(tmp_path: Path, typed: list[str], expected: set[str] | None) -> None:
    words = " ".join(["sekisho", *typed])
    code = (
        f"source ./complete.sh; COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _tyro_sekisho; "
        'echo "${#COMPREPLY[@]}"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert answer("bash", code, tmp_path) == {str(len(expected or ())), *(expected or ())}


@has("bash")
@pytest.mark.parametrize(("begun", "expected"), BEGUN)
def test_bash_completes_rules_begun(tmp_path: Path, begun: str, expected: set[str]) -> None:
    words = shlex.join(["sekisho", "play", "quoridor", "--rules", *re.findall("=|[^=]+", begun)])  # as bash parts them
    code = (
        f"source ./complete.sh; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _tyro_sekisho; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    stem = begun[: begun.rfind("=") + 1]
    assert answer("bash", code, tmp_path) == {word.removeprefix(stem) for word in expected}


@has("zsh")
@pytest.mark.parametrize(("begun", "expected"), BEGUN)
def test_zsh_completes_rules_begun(tmp_path: Path, begun: str, expected: set[str]) -> None:
    test_zsh_completes(tmp_path, ["play", "quoridor", "--rules", begun], expected)


@has("fish")
@pytest.mark.parametrize(("begun", "expected"), BEGUN)
def test_fish_completes_rules_begun(tmp_path: Path, begun: str, expected: set[str]) -> None:
    test_fish_completes(tmp_path, ["play", "quoridor", "--rules", begun], expected)


@has("zsh")
@pytest.mark.parametrize(("typed", "expected"), OFFERED)
def test_zsh_completes(tmp_path: Path, typed: list[str], expected: set[str] | None) -> None:
    code = (
        "_files() { print FILES }; _describe() { print -l -- ${${(P)2}%%:*} }; "
        f"words=(sekisho {' '.join(typed)}); CURRENT={len(typed) + 1}; source ./complete.sh"
    )
    assert answer("zsh", code, tmp_path) == ({"FILES"} if expected is None else expected)


@has("fish")
@pytest.mark.parametrize(("typed", "expected"), OFFERED)
def test_fish_completes(tmp_path: Path, typed: list[str], expected: set[str] | None) -> None:
    line = " ".join(["sekisho", *typed]).replace("''", "")
    code = (
        "source ./complete.sh; function __fish_complete_path; echo {$argv}FILES; end; "
        f"complete -C '{line}' | string split -f 1 \\t; true"
    )
    files = {typed[-1].strip("'") + "FILES"}
    assert answer("fish", code, tmp_path) == (files if expected is None else expected)


@has("bash")
@posix
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("sekisho play qu", "sekisho play quoridor "),
        ("sekisho replay ru", "sekisho replay runs/"),
        ("sekisho replay runs/fi", "sekisho replay runs/first/"),
        ("sekisho analyze my", r"sekisho analyze my\ game.json "),
        ("sekisho play --load ga", "sekisho play --load game.json "),
        ("sekisho play quoridor --rules th", "sekisho play quoridor --rules third_pawn="),
        ("sekisho play quoridor --rules fences=3,th", "sekisho play quoridor --rules fences=3,third_pawn="),
        ("sekisho play quoridor --rules third_pawn=b", "sekisho play quoridor --rules third_pawn=blocks "),
        ("sekisho play quoridor --rules my", "sekisho play quoridor --rules my"),
    ],
)
def test_bash_completes_names_of_folders_and_with_blanks(tmp_path: Path, typed: str, expected: str) -> None:
    """In an interactive shell, by the tabulator key; Ctrl-G shows the line."""
    pty = pytest.importorskip("pty")
    (tmp_path / "runs" / "first").mkdir(parents=True)
    for name in ("game.json", "my game.json"):
        (tmp_path / name).touch()
    (tmp_path / "rc").write_text(
        script("bash") + """\nbind -x '"\\C-g": printf "[[%s]]" "$READLINE_LINE"'\nPS1='ready> '\n""", encoding="utf-8"
    )
    process, master = pty.fork()
    if not process:  # pragma: no cover  another process
        os.chdir(tmp_path)
        os.execvp("bash", ["bash", "--noprofile", "--rcfile", "rc", "-i"])
    try:
        seen = b""
        for awaited, typing in ((b"ready> ", f"{typed}\t\x07".encode()), (b"]]", b"")):
            while awaited not in seen:
                seen += os.read(master, 4096)
            os.write(master, typing)
        assert re.findall(rb"\[\[(.*)\]\]", seen) == [expected.encode()]
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(master)
