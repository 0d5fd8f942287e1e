"""Another program with pipes to it: lines go in and come out, nobody waits for ever, nothing is left running."""

from __future__ import annotations

import contextlib
import io
import os
import queue
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO, cast

from ..envs.errors import EngineFault
from .lines import in_one_line, read_lines

_MOST_LINES = 10_000
"""Lines that wait to be read; a program that says more has to wait itself."""
_LAST_WORDS = 4096  # bytes of what it says on stderr
_FAREWELL_SECONDS = 0.5
_ON_POSIX = os.name == "posix"

_running: weakref.WeakSet[EngineProcess] = weakref.WeakSet()
_starting = threading.Lock()
_closing = threading.Lock()
_no_more = threading.Event()


def find_program(name: str) -> str | None:
    """Return where a program is, by the search path or beside the Python that runs; None if it is nowhere."""
    return shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))


def command_line(words: Sequence[str]) -> list[str] | None:
    """Return a command line with the place of its program, None if that is nowhere; this package's own is always there."""
    place = find_program(words[0])
    if place is None:
        return [sys.executable, "-m", "sekisho.cli.main", *words[1:]] if words[0] == "sekisho" else None
    return [place, *words[1:]]


class EngineProcess:
    """A program that was started, in a group of its own, so that what it starts can be ended with it.

    Args:
        words: its command line.
        name: for messages.

    Raises:
        EngineFault: if it cannot be started.
    """

    def __init__(self, words: Sequence[str], name: str) -> None:
        self.name = name
        with _starting:
            if _no_more.is_set():
                raise EngineFault(name, "handshake", "this process is about to end and starts nothing any more")
            self._start(words)
            _running.add(self)

    def _start(self, words: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                command_line(words) or words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, bufsize=0, start_new_session=_ON_POSIX,
            )  # fmt: skip
        except OSError as error:
            reason = f"it cannot be started: {error.strerror or error}"
            raise EngineFault(self.name, "handshake", reason) from error
        self._lines: queue.Queue[str | None] = queue.Queue(_MOST_LINES)
        self._tail = bytearray()
        closed = threading.Event()
        streams = self._process.stdout, self._process.stderr
        self._readers = (
            threading.Thread(target=_read, args=(streams[0], self._lines, closed), daemon=True),
            threading.Thread(target=_keep_tail, args=(streams[1], self._tail), daemon=True),
        )
        for reader in self._readers:  # they know nothing of this object, so that it ends when nobody needs it any more
            reader.start()
        if _ON_POSIX and self._process.stdin is not None:
            os.set_blocking(self._process.stdin.fileno(), False)
        self._end = weakref.finalize(self, _end, self._process, closed)

    def send(self, line: str, until: float) -> None:
        """Write a line.

        Args:
            line: without its end.
            until: moment of `time.monotonic` by which it must be taken.

        Raises:
            EngineFault: if it is not taken in time, or the program has ended.
        """
        rest = memoryview(f"{line}\n".encode())
        pipe = self._process.stdin
        while rest and pipe is not None:
            try:
                rest = rest[os.write(pipe.fileno(), rest) :]
            except BlockingIOError:
                room = max(until - time.monotonic(), 0.0)
                if not select.select([], [pipe], [], room)[1]:
                    raise EngineFault(self.name, "hung", "it does not read what it is told") from None
            except (OSError, ValueError):  # nobody reads any more
                raise self.crash() from None

    def receive(self, until: float) -> str | None:
        """Return the next line, None if none comes in time.

        Raises:
            EngineFault: if the program has ended, or closed its output.
        """
        try:
            line = self._lines.get(timeout=max(until - time.monotonic(), 0.0))
        except queue.Empty:
            return None
        if line is None:
            self._lines.put(None)  # for whoever asks again
            raise self.crash()
        return line

    def crash(self) -> EngineFault:
        """Return the fault of a program that has ended, with how it did and its last words."""
        status = _status(self._process, _FAREWELL_SECONDS)
        if status is None:
            how = "it closed its output"
        else:
            how = f"it exited with status {status}" if status >= 0 else f"it was killed by signal {-status}"
        self._readers[1].join(_FAREWELL_SECONDS)
        words = in_one_line(bytes(self._tail).decode("utf-8", errors="replace").strip()[-200:])
        return EngineFault(self.name, "crashed", how + (f"; its last words: {words}" if words else ""))

    def close(self) -> None:
        """End it, whatever it is doing, with all that it has started."""
        self._end()


def close_engines() -> None:
    """End all programs that this process has started and not ended yet, and start none from here on."""
    with _starting:
        _no_more.set()
    with _closing:  # two that ask for it both find it done
        for process in list(_running):
            process.close()


def _read(stream: IO[bytes], lines: queue.Queue[str | None], closed: threading.Event) -> None:
    """Put the lines of a stream where they are waited for, then None."""
    with io.BufferedReader(cast(io.RawIOBase, stream)) as buffered, contextlib.suppress(OSError, ValueError):
        for line in read_lines(buffered):
            if not _put(line or "", lines, closed):
                return
    _put(None, lines, closed)


def _put(line: str | None, lines: queue.Queue[str | None], closed: threading.Event) -> bool:
    while not closed.is_set():
        try:
            lines.put(line, timeout=0.5)
            return True
        except queue.Full:
            continue
    return False


def _keep_tail(stream: IO[bytes], tail: bytearray) -> None:
    with stream, contextlib.suppress(OSError, ValueError):
        while said := stream.read(_LAST_WORDS):
            tail[:] = (tail + said)[-_LAST_WORDS:]


def _status(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Return the exit status, negative for a signal, None if it does not end in time.

    On POSIX it stays to be waited for: as long as it does, its number and that of its group are nobody else's.
    """
    until = time.monotonic() + seconds
    while True:
        if process.returncode is not None or not _ON_POSIX:
            status = process.poll()
        else:
            ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            status = None if ended is None else ended.si_status * (1 if ended.si_code == os.CLD_EXITED else -1)
        if status is not None or time.monotonic() >= until:
            return status
        time.sleep(0.005)


def _end(process: subprocess.Popen[bytes], closed: threading.Event) -> None:
    """Ask it to quit, then kill it and its group, and wait for it."""
    if process.stdin is not None:
        with contextlib.suppress(OSError, ValueError):
            os.write(process.stdin.fileno(), b"quit\n")
        with contextlib.suppress(OSError):
            process.stdin.close()
    _status(process, _FAREWELL_SECONDS)
    with contextlib.suppress(OSError):
        if _ON_POSIX:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    closed.set()
