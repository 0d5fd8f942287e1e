"""What scripts are asked for, checked: counts within bounds, and errors of the package in words."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Callable, Iterator

from sekisho.envs.errors import SekishoError


def count(least: int = 1, multiple: int = 1, most: int = 10**9) -> Callable[[str], int]:
    """Return a type for `argparse`: a whole number within bounds that is a multiple of another."""

    def checked(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most or number % multiple:
            of = f", a multiple of {multiple}" if multiple > 1 else ""
            raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most}{of}, not {text!r:.40}")
        return number

    return checked


def amount(zero: bool = False) -> Callable[[str], float]:
    """Return a type for `argparse`: a number above 0, or 0 where that is allowed, and below infinity."""

    def checked(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not 0 <= number < math.inf or (number == 0 and not zero):
            bound = "from 0 on" if zero else "above 0"
            raise argparse.ArgumentTypeError(f"must be a number {bound}, not {text!r:.40}")
        return number

    return checked


def run_in_words(main: Callable[[], None]) -> None:
    """Run a script; end it with a message, not a traceback, where the package says what is wrong."""
    try:
        main()
    except (SekishoError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


@contextlib.contextmanager
def told_in_words(parser: argparse.ArgumentParser) -> Iterator[None]:
    """End the script with a message, not a traceback, where the package says what is wrong."""
    try:
        yield
    except (SekishoError, OSError) as error:
        parser.error(str(error))
