"""What scripts are asked for, checked: counts within bounds, and errors of the package in words."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator

from sekisho.envs.errors import SekishoError


def count(least: int = 1, multiple: int = 1) -> Callable[[str], int]:
    """Return a type for `argparse`: a whole number from `least` on that is a multiple of another."""

    def checked(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or number % multiple:
            of = f", a multiple of {multiple}" if multiple > 1 else ""
            raise argparse.ArgumentTypeError(f"must be a whole number from {least} on{of}, not {text!r:.40}")
        return number

    return checked


@contextlib.contextmanager
def told_in_words(parser: argparse.ArgumentParser) -> Iterator[None]:
    """End the script with a message, not a traceback, where the package says what is wrong."""
    try:
        yield
    except (SekishoError, OSError) as error:
        parser.error(str(error))
