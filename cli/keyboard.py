"""Lines from a person or a script, and what happens when the terminal goes away."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from rich.cells import cell_len

from .interrupting import GoneError
from .words import cut, width

_ECHOED = 60  # columns of a line from a pipe; no word of ours is that long


@contextlib.contextmanager
def ended_in_order() -> Iterator[None]:
    """Raise `GoneError` for a closed terminal and a polite kill, so that what is open can be saved."""
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGHUP", "SIGTERM"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # under nohup it stays ignored
                before[number] = signal.signal(number, _raise_gone)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _raise_gone(number: int, _frame: Any) -> None:
    raise GoneError(number)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Let nothing interrupt the last thing that is done: an impatient second Ctrl-C, say."""
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGHUP", "SIGTERM"):
            if hasattr(signal, name):
                number = getattr(signal, name)
                before[number] = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Keyboard:
    """Where the answers come from: a terminal with line editing and completion, or a pipe, whose lines are echoed.

    Args:
        words: returns what can be typed at the moment, for completion by the tabulator key.
    """

    def __init__(self, words: Callable[[], list[str]]) -> None:
        self._is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        if self._is_terminal:
            _prepare_editing(words)
        elif sys.stdin is not None and hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")  # bytes that spell nothing are no move, and no traceback either

    def ask(self, prompt: str) -> str | None:
        """Return a line without the blanks around it, None when there will be no more."""
        try:
            if self._is_terminal:
                return input(prompt).strip()
            print(prompt, end="", flush=True)
            line = sys.stdin.readline() if sys.stdin is not None else ""
            if line:
                print(cut(line.strip(), min(_ECHOED, width() - cell_len(prompt))))
                return line.strip()
        except (EOFError, OSError, ValueError):  # the end of input, a terminal that is gone, a stream that is closed
            pass
        print()
        return None


def _prepare_editing(words: Callable[[], list[str]]) -> None:
    try:
        import readline
    except ImportError:  # a system without it; typing works all the same
        return

    def complete(text: str, number: int) -> str | None:
        fitting = [word for word in words() if word.startswith(text.lower())]
        return fitting[number] if number < len(fitting) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    readline.parse_and_bind(
        "set enable-bracketed-paste off"
    )  # it writes control codes, to terminals that know none too
