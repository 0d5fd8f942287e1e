"""What Ctrl-C does while modules load: an exception in the middle of an import can be swallowed, or end in a traceback."""

from __future__ import annotations

import contextlib
import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing itself would take time
    from typing import Any, NoReturn


def at_once() -> None:
    """Let Ctrl-C end the process on the spot, with a word; a signal that somebody else handles or ignores stays theirs."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with contextlib.suppress(ValueError):  # not the main thread, which alone hears signals
            signal.signal(signal.SIGINT, _leave)


def as_usual() -> None:
    """Let Ctrl-C raise `KeyboardInterrupt` again, for whoever has something to save."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(_number: int, _frame: Any) -> NoReturn:
    with contextlib.suppress(OSError):  # a terminal that is gone
        os.write(2, b"sekisho: interrupted\n")
    os._exit(1)
