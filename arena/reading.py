"""Texts that somebody names to be read: whole, of a size that fits into memory, and what is wrong with them in words."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

from ..envs.errors import RecordError

MOST_BYTES = 1 << 29
"""Longest text that is read: more than a million games."""
_MEBIBYTE = 1 << 20


def text_of(path: Path, pipes: bool = False) -> str:
    """Return the text of a file.

    Args:
        path: of the file.
        pipes: whether a pipe will do, as ``/dev/stdin`` may be one.

    Raises:
        RecordError: naming the file: one that cannot be read, is empty, too long, no text, or no file at all.
    """
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise RecordError(f"{path} is a folder, no file")
        if not (stat.S_ISREG(kind) or (pipes and stat.S_ISFIFO(kind))):
            raise RecordError(f"{path} is a device or a pipe, no file")  # some of them never end
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a ValueError for a name with a zero in it
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if len(content) > MOST_BYTES:
        raise RecordError(f"{path} is longer than {MOST_BYTES // _MEBIBYTE} MiB, which no file of games is")
    if not content.strip():
        raise RecordError(f"{path} is empty")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(f"{path} is no text, so no game is in it") from error


def json_values(text: str) -> Any:
    """Return the JSON values of a text.

    Raises:
        RecordError: saying where it breaks off, or what it is not.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise RecordError("not JSON: there is nothing in it") from error
        line = f"line {error.lineno}, " if "\n" in text.strip() else ""
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
            raise RecordError(f"not JSON: it breaks off at {line}column {error.colno}, and its end is lost") from error
        raise RecordError(f"not JSON: from {line}column {error.colno} on it is something else") from error
    except (ValueError, RecursionError) as error:  # numbers of ten thousand digits, lists that nest too deep
        raise RecordError("not JSON as games are written: a number or a list in it has no end") from error
