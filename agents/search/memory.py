"""How much memory this process may have, so that a table that cannot be is refused in words and not by the system."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_LIMITS = "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"


def installed_memory() -> int | None:
    """Return MiB of memory of the machine, or of the container if that may have less; None if it is not known."""
    sizes = []
    with contextlib.suppress(AttributeError, ValueError, OSError):  # not every system tells
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for name in _LIMITS:
        with contextlib.suppress(ValueError, OSError):  # no such limit, or the word "max"
            sizes.append(int(Path(name).read_text()))
    return min(sizes) // 2**20 if sizes else None


def fits(mebibytes: int) -> bool:
    """Return whether so much memory can be had at all. Systems promise more, and end the process when it is used."""
    installed = installed_memory()
    return installed is None or mebibytes < installed
