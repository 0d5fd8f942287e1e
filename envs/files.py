"""Writing files so that nobody ever finds half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_NEW = 0o666
"""Permissions that a new file asks for; the umask of the process takes its share, as for files of any other program."""
_ANYBODY_WRITES = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def write_text_atomically(path: Path, text: str) -> None:
    """Write `text` (UTF-8) beside `path`, then put it in its place; see `write_bytes_atomically`."""
    write_bytes_atomically(path, text.encode("utf-8"))


def write_bytes_atomically(path: Path, content: bytes) -> None:
    """Write `content` beside `path`, then put it in its place; see `replaced`."""
    with replaced(path) as file:
        file.write(content)


@contextlib.contextmanager
def replaced(path: Path, suffix: str = "") -> Iterator[BinaryIO]:
    """Give a file beside `path` to write to, and put it in the place of `path` when all is written.

    A link stays, and the file that it leads to is replaced. What is replaced keeps its permissions; a new file gets
    those that the umask leaves.

    Args:
        path: where the content belongs.
        suffix: how the name of the file beside it ends, for whoever sweeps up after a process that was killed.

    Raises:
        OSError: if it cannot be written, or as `require_replaceable` does; what stood there is untouched.
    """
    require_replaceable(path)
    place = behind_links(path)
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
    handle, beside = _new_file_beside(place, suffix, _NEW if mode is None else mode & _NEW)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            beside.chmod(mode)
        beside.replace(place)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def behind_links(path: Path) -> Path:
    """Return the file that a path leads to, be it there or not: no part of it is a link."""
    return Path(os.path.realpath(path))


def require_replaceable(path: Path) -> None:
    """Refuse what no file may be put in the place of.

    Raises:
        OSError: if `path` is a device, a pipe, a link that leads round in a circle, or a file that is read-only.
    """
    place = behind_links(path)
    if place.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if not path.exists() or path.is_dir():  # a folder is refused by the system itself
        return
    if not path.is_file():
        raise OSError(errno.EINVAL, "it is a device or a pipe, no file", str(path))
    if not (place.stat().st_mode & _ANYBODY_WRITES and os.access(place, os.W_OK)):  # to an administrator all is open
        raise OSError(errno.EACCES, "it is read-only", str(path))


def _new_file_beside(place: Path, suffix: str, mode: int) -> tuple[int, Path]:
    while True:
        beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}{suffix}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        with contextlib.suppress(FileExistsError):
            return os.open(beside, flags, mode), beside
