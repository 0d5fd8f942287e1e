"""Lines from a stream of bytes that anybody may write to: whatever comes, a line is a text, and a bounded one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

MOST_BYTES = 2**20
"""Length of a line, its end left out."""
_WORDS_OF_AN_ERROR = 400


def read_lines(stream: BinaryIO) -> Iterator[str | None]:
    """Yield the lines of a stream as they come, without their ends; bytes that are no UTF-8 become �.

    Yields:
        A line, or None for one of more than `MOST_BYTES`, which is passed over without being kept.
    """
    while line := stream.readline(MOST_BYTES + 2):
        if line.endswith(b"\n") or len(line) <= MOST_BYTES:
            yield line.decode("utf-8", errors="replace").rstrip("\r\n")
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MOST_BYTES)
        yield None


def in_one_line(text: str) -> str:
    """Return a message as one line of bounded length without control characters."""
    words = "".join(letter if letter.isprintable() else " " for letter in text)
    return words if len(words) <= _WORDS_OF_AN_ERROR else words[: _WORDS_OF_AN_ERROR - 1] + "…"
