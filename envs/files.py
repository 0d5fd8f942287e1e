"""Writing files so that nobody ever finds half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


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

    Args:
        path: where the content belongs.
        suffix: how the name of the file beside it ends, for whoever sweeps up after a process that was killed.

    Raises:
        OSError: if it cannot be written, or `path` is a device or a pipe; what stood there is untouched.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):  # a folder is refused by the system itself
        raise OSError(errno.EINVAL, "it is a device or a pipe, no file", str(path))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=suffix)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
