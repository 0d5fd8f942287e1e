"""What ends the command from outside: Ctrl-C, a closed terminal, a polite kill, a reader that leaves.

While modules load Ctrl-C ends the process on the spot: an exception in the middle of an import can be swallowed, or end
in a traceback.
"""

from __future__ import annotations

import contextlib
import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing itself would take time
    from typing import Any, NoReturn


SIGPIPE = 13
"""Number of the signal that tells other programs that their reader has left; Python hears of it in another way."""


class GoneError(BaseException):
    """The terminal was closed, or the process told to end. No `Exception`: nobody should go on after it.

    Args:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__("told to end" if number == signal.SIGTERM else "the terminal is gone")
        self.number = number


def end_by(number: int) -> None:
    """End the process by a signal, as if nobody had heard it: what a shell goes by that runs commands one after another.

    Where the system knows no such thing nothing happens.
    """
    if os.name == "posix":
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


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
    end_by(signal.SIGINT)
    os._exit(1)
