"""`sekisho play` on a terminal: Ctrl-C, Ctrl-D and a window that is closed lose nothing; no colours where none are wanted."""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sekisho.arena.saved import read_session
from sekisho.cli.main import main

pty = pytest.importorskip("pty", reason="terminals as POSIX knows them")
termios = pytest.importorskip("termios")

SMALL = ("play", "quoridor", "--rules", "board_size=5,fences=2", "--seed", "1")
PROMPT = "seat 1 (you)> "


class Terminal:
    """A process on a terminal of its own."""

    def __init__(self, folder: Path, *words: str, columns: int = 100, **changes: str) -> None:
        self.folder = folder
        environment = os.environ | {"XDG_STATE_HOME": str(folder / "state"), "TERM": "xterm-256color"} | changes
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (40, columns))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sekisho.cli.main", *words],
            stdin=slave, stdout=slave, stderr=slave, env=environment, cwd=folder,
            preexec_fn=_own_terminal,
        )  # fmt: skip
        os.close(slave)
        self.seen = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def read_until(self, text: str, seconds: float = 60.0) -> str:
        """Return what is shown up to and with `text`, after what was returned before."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < end, f"{text!r} did not come after {self.seen[-500:]!r}"
            if not self._read(0.2) and self.process.poll() is not None:
                assert text in self.seen, self.seen
        found, _, self.seen = self.seen.partition(text)
        return found + text

    def _read(self, seconds: float) -> bool:
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        with contextlib.suppress(OSError):  # the other side is closed
            data = os.read(self.master, 65536)
            self.seen += self.decoder.decode(data)  # a read may end within a letter
            return bool(data)
        return False

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def press(self, key: str) -> None:
        """Press a key that ends the process until it is felt."""
        self.insist(lambda: self.type(key))

    def insist(self, act: Callable[[], None]) -> None:
        """Do what ends the process until it is felt: between a prompt and its line editing keys and signals go astray."""
        for _ in range(3):
            with contextlib.suppress(OSError):
                act()
            for _ in range(50):
                self._read(0.1)
                if self.process.poll() is not None:
                    return

    def end(self) -> tuple[int, str]:
        """Return the exit status, and what was still shown."""
        deadline = time.monotonic() + 60
        while self._read(0.1) or (self.process.poll() is None and time.monotonic() < deadline):
            pass
        return self.process.wait(timeout=10), self.seen

    def saved(self) -> Path:
        (path,) = (self.folder / "state" / "sekisho" / "games").glob("*.json")
        return path


def _own_terminal() -> None:
    os.setsid()
    import fcntl

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for name in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(name, signal.SIG_DFL)  # whoever started the tests may have ignored some


@pytest.fixture(scope="module", autouse=True)
def _compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("warm")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        assert main((*SMALL, "--seats", "random", "heuristic")) == 0


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[list[Terminal]]:
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.process.kill()
        terminal.process.wait()
        with contextlib.suppress(OSError):
            os.close(terminal.master)


def start(opened: list[Terminal], folder: Path, *words: str, columns: int = 100, **changes: str) -> Terminal:
    opened.append(Terminal(folder, *words, columns=columns, **changes))
    return opened[-1]


def moves(path: Path) -> list[str]:
    return read_session(path).state.moves()


def test_ctrl_c_saves_says_where_and_how_to_go_on(opened: list[Terminal], tmp_path: Path) -> None:
    terminal = start(opened, tmp_path, *SMALL)
    terminal.read_until(PROMPT)
    terminal.type("c2\n")
    terminal.read_until(PROMPT)
    terminal.press("\x03")
    status, words = terminal.end()
    assert status == -signal.SIGINT
    assert f"Go on:     sekisho play --load {terminal.saved()}" in words
    assert "sekisho: interrupted" in words
    assert "Traceback" not in words
    assert moves(terminal.saved())[0] == "c2"
    again = start(opened, tmp_path, "play", "--load", str(terminal.saved()))
    shown = again.read_until(PROMPT)
    assert "2 plies played" in shown
    again.press("\x04")  # Ctrl-D
    status, words = again.end()
    assert status == 0
    assert "Go on:" in words


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM"])
def test_a_signal_to_end_saves(opened: list[Terminal], tmp_path: Path, name: str) -> None:
    terminal = start(opened, tmp_path, *SMALL)
    terminal.read_until(PROMPT)
    terminal.type("c2\n")
    terminal.read_until(PROMPT)
    terminal.insist(lambda: terminal.process.send_signal(getattr(signal, name)))
    status, words = terminal.end()
    assert status == -getattr(signal, name)
    assert "Traceback" not in words
    assert "Go on:" in words
    assert moves(terminal.saved())[0] == "c2"


def test_a_window_that_is_closed_loses_nothing(opened: list[Terminal], tmp_path: Path) -> None:
    terminal = start(opened, tmp_path, *SMALL)
    terminal.read_until(PROMPT)
    terminal.type("c2\n")
    terminal.read_until(PROMPT)
    os.close(terminal.master)
    assert terminal.process.wait(timeout=30) in (0, 1, -signal.SIGHUP)
    assert len(moves(terminal.saved())) == 2


def test_even_a_kill_loses_nothing_that_was_decided(opened: list[Terminal], tmp_path: Path) -> None:
    terminal = start(opened, tmp_path, *SMALL, "--seats", "human", "human")
    terminal.read_until("seat 1 (person 1)> ")
    terminal.type("c2\n")
    terminal.read_until("seat 2 (person 2)> ")
    terminal.process.kill()
    terminal.process.wait()
    assert moves(terminal.saved()) == ["c2"]


def test_ctrl_c_while_a_cpu_player_thinks(opened: list[Terminal], tmp_path: Path) -> None:
    terminal = start(opened, tmp_path, "play", "tokaido", "--seed", "1", "--seats", *["random"] * 6)
    terminal.read_until("plays")
    terminal.type("\x03")
    status, words = terminal.end()
    assert status in (0, -signal.SIGINT)  # it may have come to the end before
    assert "Traceback" not in words
    assert moves(terminal.saved())


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {}])
def test_no_control_codes_and_a_hundred_columns(
    opened: list[Terminal], tmp_path: Path, changes: dict[str, str]
) -> None:
    terminal = start(opened, tmp_path, "play", "tokaido", "--seed", "1", **changes)
    shown = terminal.read_until(PROMPT)
    terminal.type("?\n")
    shown += terminal.read_until(PROMPT)
    terminal.type("quit\n")
    _, words = terminal.end()
    assert "\x1b" not in shown + words
    assert max(len(line) for line in shown.splitlines()) <= 100


@pytest.mark.parametrize(("columns", "said"), [(79, 1), (80, 0)])
def test_a_narrow_terminal_is_said_to_be_one(opened: list[Terminal], tmp_path: Path, columns: int, said: int) -> None:
    terminal = start(opened, tmp_path, *SMALL, columns=columns)
    shown = terminal.read_until(PROMPT)
    assert shown.count(f"boards want 80 columns; this terminal has {columns}: widen it, or lines wrap") == said


def test_the_tabulator_key_completes_words_and_moves(opened: list[Terminal], tmp_path: Path) -> None:
    pytest.importorskip("readline")
    terminal = start(opened, tmp_path, *SMALL)
    terminal.read_until(PROMPT)
    terminal.type("jour\t\n")
    assert "journal" in terminal.read_until("nothing was played yet")
    terminal.press("\x03")
    assert terminal.end()[0] == -signal.SIGINT


@pytest.mark.parametrize("how", ["os.kill(os.getpid(), signal.SIGINT)", "signal.raise_signal(signal.SIGINT)"])
def test_ctrl_c_while_modules_load_is_not_swallowed(how: str) -> None:
    """Some imports call back into Python where an exception is dropped, or printed and dropped."""
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from sekisho.cli.main import main\n"
        "class Dropping:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'tyro':\n"
        f"            try: {how}\n"
        "            except KeyboardInterrupt: pass\n"
        "sys.meta_path.insert(0, Dropping())\n"
        "sys.exit(main(['games']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "sekisho: interrupted\n")


def test_ctrl_c_is_as_usual_after_a_command() -> None:
    before = signal.getsignal(signal.SIGINT)
    assert main(["--version"]) == 0
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("delay", [0.01, 0.05, 0.2, 0.6])
def test_ctrl_c_in_the_first_second_is_no_traceback(delay: float) -> None:
    """From where `main` is called: before that the interpreter's own start-up answers, for some milliseconds."""
    code = "import sys; from sekisho.cli.main import main; print('up', flush=True); sys.exit(main(['games']))"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert re.fullmatch(r"(sekisho: interrupted\n)?", err), err
    assert process.returncode in (0, 130, -signal.SIGINT)  # main itself returns what a shell would say
