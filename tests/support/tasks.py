"""Functions for executors to call; processes find them here."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from sekisho.envs.errors import OptionError


def echo(task: Any, *shared: Any) -> tuple[Any, ...]:
    return (task, *shared)


def square(number: int) -> int:
    return number * number


def process_of(_task: Any) -> int:
    return os.getpid()


def slowly(task: tuple[int, float]) -> int:
    """Answers with a number after so many seconds."""
    number, seconds = task
    time.sleep(seconds)
    return number


def stumble(task: tuple[int, int, str]) -> int:
    """Answers with a number; ends the processes that call it before, so many of them."""
    number, deaths, folder = task
    path = Path(folder) / f"{number}"
    died = len(path.read_bytes()) if path.exists() else 0
    if died < deaths:
        path.write_bytes(b"x" * (died + 1))
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refuse(number: int) -> int:
    """Does not like 3."""
    if number == 3:
        raise OptionError("expected anything but 3")
    return number


def fail(_task: Any) -> None:
    raise ZeroDivisionError("a mistake in the function")


class UnsendableError(Exception):
    """Cannot be read by who receives it."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


def fail_oddly(_task: Any) -> None:
    raise UnsendableError(1, 2)


class Marked:
    """Leaves a mark in a folder whenever it arrives somewhere."""

    def __init__(self, folder: str, payload: bytes = b"") -> None:
        self.folder, self.payload = folder, payload

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (self.folder, self.payload)


def _arrived(folder: str, payload: bytes) -> Marked:
    with (Path(folder) / "arrivals").open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    return Marked(folder, payload)


def payload_of(task: int, marked: Marked) -> tuple[int, int]:
    return task, len(marked.payload)
