"""The command as a process: what the shell sees when output goes nowhere, and when somebody presses Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sekisho.agents import agent_names, make_agent
from sekisho.cli.main import main
from sekisho.envs import game_names, load_game
from sekisho.envs.errors import AgentError

COMMAND = (sys.executable, "-W", "error", "-W", "ignore::ResourceWarning", "-m", "sekisho.cli.main")
LONG = ("tournament", "quoridor", "--agents", "random", "shortest_path", "--games", "5000", "--json")

posix = pytest.mark.skipif(os.name != "posix", reason="signals and closed streams as POSIX knows them")


def environment(**changes: str) -> dict[str, str]:
    buffered = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    return buffered | changes


def run(*words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment()} | options
    return subprocess.run([*COMMAND, *words], check=False, timeout=120, **options)


def test_the_exit_statuses_of_the_process_are_those_of_the_command() -> None:
    done = run("games", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)
    wrong = run("gamse")
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert b"did you mean 'games'?" in wrong.stderr
    assert len(wrong.stderr.splitlines()) == 1


@posix
@pytest.mark.parametrize("words", [("games",), ("games", "--json"), ("perft", "--help"), ("--help",)])
def test_a_reader_that_has_left_is_no_reason_for_a_traceback(words: Sequence[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = run(*words, stdout=write)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tournament."""
    folder = tmp_path_factory.mktemp("played")
    words = ("tournament", "tokaido", "--agents", "larger", "random", "--games", "20", "--workers", "1")
    assert main([*words, "--output", str(folder)]) == 0
    return folder


@posix
@pytest.mark.parametrize(
    "words",
    [
        ("replay", "{}"), ("replay", "{}", "--game", "1", "--step"), ("replay", "{}", "--json"),
        ("analyze", "{}", "--game", "2"),
        ("tournament", "tokaido", "--agents", "larger", "random", "--games", "2", "--workers", "1"),
        ("evaluate", "quoridor", "--agent", "random", "--rules", "board_size=3,fences=1"),
        ("perft", "quoridor", "--depth", "1", "--divide"), ("completion", "bash"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_command_whose_reader_has_left_ends_quietly_by_the_signal_that_says_so(
    played: Path, words: Sequence[str]
) -> None:
    """As a shell sees it: nothing but the reader's own output, and 128 + SIGPIPE."""
    command = shlex.join([*COMMAND, *(word.format(played) for word in words)])
    script = f"set -o pipefail; yes '' | {command} | true; echo ${{PIPESTATUS[1]}}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, check=False, env=environment(PYTHONUNBUFFERED="1"), timeout=120,
        preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL),
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if b"compiling kernels" not in line]
    assert (done.stdout, said) == (b"141\n", [])


@posix
def test_the_head_of_a_long_list_is_shown_and_the_rest_is_nobodys_loss(played: Path) -> None:
    script = f"{shlex.join([*COMMAND, 'replay', str(played)])} | head -n 2"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False, env=environment(), timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout.splitlines()) == 2


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize("words", [("games", "--json"), ("--version",)])
def test_a_full_disk_is_named(words: Sequence[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(*words, stdout=full)
    assert done.returncode == 1
    assert done.stderr == b"sekisho: cannot go on: No space left on device\n"


@posix
def test_a_process_without_stdout_does_its_work() -> None:
    done = run("games", "--json", stdout=None, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, b"")


def test_letters_that_the_terminal_cannot_spell_are_escaped() -> None:
    for words, status in ((("tournament", "--help"), 0), (("games",), 0), (("tournoi\u00e9\u2026",), 2)):
        done = run(*words, env=environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0"))
        assert done.returncode == status
        assert b"Traceback" not in done.stderr
        (done.stdout + done.stderr).decode("ascii")


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------


def games_in(folder: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        return (folder / "games.jsonl").read_bytes().count(b"\n")
    return 0


def interrupted(folder: Path, workers: int, games: int, later: float) -> tuple[int, str, str]:
    """Start a long tournament, press Ctrl-C so many seconds after some games (workers hear it too), and see it end."""
    process = subprocess.Popen(
        [*COMMAND, *LONG, "--workers", str(workers), "--output", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            give_up = time.monotonic() + 100
            while games_in(folder) < games and process.poll() is None and time.monotonic() < give_up:
                time.sleep(0.02)
            time.sleep(later)
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    return process.returncode, out, err


@pytest.fixture(scope="module")
def compiled() -> None:
    """Kernels are compiled now, so that the processes need not."""
    assert main([*LONG[:-3], "--games", "1", "--workers", "1"]) == 0


@posix
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    ("workers", "games", "later"),
    [(1, 3, 0), (2, 1, 0.2), (2, 1, 0.6), (2, 20, 0)],
    ids=["alone", "processes-start", "processes-load", "processes-play"],
)
def test_ctrl_c_ends_with_a_word_and_keeps_the_games_played(
    tmp_path: Path, workers: int, games: int, later: float
) -> None:
    status, out, err = interrupted(tmp_path, workers, games, later)
    assert (status, out, err) == (-signal.SIGINT, "", "sekisho: interrupted\n")
    content = (tmp_path / "games.jsonl").read_bytes()
    kept = content.count(b"\n")
    assert games <= kept < 5000
    for number, line in enumerate(content.split(b"\n")[:kept]):
        assert json.loads(line)["round"] == number // 2


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes where Linux lists them")
def test_processes_of_a_tournament_do_not_outlive_one_that_is_killed(tmp_path: Path) -> None:
    words = ["tournament", "quoridor", "--agents", "random", "heuristic", "--games", "100000", "--workers", "2"]
    command = [*COMMAND, *words, "--output", str(tmp_path / "run")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def children() -> set[int]:
        lists = Path("/proc").glob(f"{process.pid}/task/*/children")
        return {int(number) for path in lists for number in path.read_text().split()}

    games = tmp_path / "run" / "games.jsonl"
    wait_until(lambda: games.exists() and games.read_bytes().count(b"\n") > 20)
    started = children()
    assert len(started) >= 2
    process.kill()
    process.wait()
    wait_until(lambda: not any(Path(f"/proc/{number}").exists() for number in started))


def wait_until(holds: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until something holds; fail if it does not in time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.parametrize("game", game_names())
def test_a_second_process_compiles_nothing_for_any_game_or_agent(game: str) -> None:
    agents = [name for name in agent_names() if plays(name, game)]
    words = ("tournament", game, "--agents", *agents, "--games", "1", "--workers", "1", "--json")
    assert run(*words).returncode == 0
    second = run(*words)
    assert (second.returncode, second.stderr) == (0, b"")  # it would say so if it compiled


def plays(agent: str, game: str) -> bool:
    try:
        make_agent(agent).supports(load_game(game))
    except AgentError:
        return False
    return True


@pytest.mark.parametrize("columns", ["1", "7", "39"])
def test_help_is_laid_out_at_once_however_narrow_the_terminal(columns: str) -> None:
    done = run("tournament", "--help", env=environment(COLUMNS=columns))
    assert done.returncode == 0
    assert max(len(line) for line in done.stdout.decode().splitlines() if line.startswith(("╭", "│", "╰"))) == 40


@posix
def test_ctrl_c_ends_a_count_that_would_take_years() -> None:
    count = [*COMMAND, "perft", "quoridor", "--depth", "20"]
    process = subprocess.Popen(count, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    time.sleep(8)  # it has loaded and counts
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (-signal.SIGINT, b"")
    assert err.endswith(b"sekisho: interrupted\n")
