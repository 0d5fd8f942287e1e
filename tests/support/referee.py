"""A referee for the text engine: a program at the other end of a pipe that knows the protocol."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Self

ENGINE = (sys.executable, "-m", "sekisho.cli.main", "engine")
COMMAND = " ".join(ENGINE)
SECONDS = 120.0
"""Patience for one answer: the first process compiles."""


class Referee:
    """An engine that was started, spoken to line by line; every line must come in time."""

    def __init__(self, words: Sequence[str] = ENGINE) -> None:
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._errors = bytearray()
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._drain, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _drain(self) -> None:
        assert self.process.stderr is not None
        self._errors += self.process.stderr.read()

    def send(self, *lines: str | bytes) -> None:
        assert self.process.stdin is not None
        for line in lines:
            self.process.stdin.write((line.encode() if isinstance(line, str) else line) + b"\n")
        self.process.stdin.flush()

    def hear(self, seconds: float = SECONDS) -> str:
        """Return the next line; it must be the protocol's: UTF-8, ended by a line feed alone."""
        line = self._lines.get(timeout=seconds)
        assert line is not None, "the engine has ended"
        assert line.endswith(b"\n")
        assert b"\r" not in line
        return line[:-1].decode("utf-8")

    def until(self, first: str) -> list[str]:
        """Return the lines up to the one that begins with a word, that one included."""
        lines = [self.hear()]
        while lines[-1].split(" ")[0] != first:
            lines.append(self.hear())
        return lines

    def ask(self, question: str) -> str:
        self.send(f"query {question}")
        answer = self.hear()
        assert answer.startswith("response "), answer
        return answer.removeprefix("response ")

    def ready(self) -> list[str]:
        """Return what was said before the engine was ready."""
        self.send("isready")
        return self.until("readyok")[:-1]

    def is_silent(self, seconds: float) -> bool:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return True
        self._lines.put(line)
        return False

    def leave(self, last: str = "quit\n") -> tuple[int, str]:
        """Say a last word, close the pipe; return the exit status and what was said on stderr."""
        assert self.process.stdin is not None
        self.process.stdin.write(last.encode())
        self.process.stdin.close()
        status = self.process.wait(SECONDS)
        for thread in self._threads:
            thread.join(10)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()
        return status, self._errors.decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.leave("")


def stopped_in(referee: Referee) -> float:
    """Return the seconds from ``stop`` to ``bestmove``."""
    begin = time.perf_counter()
    referee.send("stop")
    referee.until("bestmove")
    return time.perf_counter() - begin
