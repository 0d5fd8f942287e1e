"""One process a file: locks that tell a file that somebody else has from a folder that takes no new files."""

from __future__ import annotations

import os
from pathlib import Path

import filelock


def claimed(path: Path, waits: bool = False) -> filelock.BaseFileLock:
    """Return the lock that a file stands for, taken.

    Args:
        path: of the lock's file, whose folder exists.
        waits: whether to wait for another process that has it.

    Raises:
        filelock.Timeout: if another process has it.
        OSError: if the folder takes no new files. The lock itself would call some such folders taken, or wait for ever.
    """
    if not os.path.lexists(path):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o666))
    lock = filelock.FileLock(path, timeout=-1 if waits else 0)
    lock.acquire()
    return lock
