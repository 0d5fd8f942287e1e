"""Entry point of the command `sekisho`: finds the subcommand, loads only that one, and words every error."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import tyro

from .. import __version__
from ..envs.errors import RunError, SekishoError, nearest

_LEAST_COLUMNS = 40

COMMANDS = {
    "games": "list the games with their rule options",
    "tournament": "let CPU players meet and rate them",
    "solve": "work out what a game comes to, exactly",
    "perft": "count paths through the tree of a game",
    "bench": "measure the speed of the rules",
}


def usage() -> str:
    """Return the help of the command as a whole."""
    width = max(map(len, COMMANDS))
    lines = "\n".join(f"  {name:<{width}}  {line}" for name, line in COMMANDS.items())
    return (
        "usage: sekisho COMMAND [options]\n\nRace games with choices: rules, CPU players and tournaments.\n\n"
        f"commands:\n{lines}\n\nsekisho COMMAND --help shows the options of a command; sekisho --version the version."
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: the words after ``sekisho``; default: those of the process.

    Returns:
        The exit status: 0 done, 1 ran and failed, 2 wrong use.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    try:
        status = _run(words)
        sys.stdout.flush()  # what cannot be written is found out here, not after the last line of this program
        return status
    except RunError as error:
        return _complain(str(error), 1)
    except SekishoError as error:
        return _complain(str(error), 2)
    except KeyboardInterrupt:
        return _complain("interrupted", 1)
    except OSError as error:
        _drop_output()
        if isinstance(error, BrokenPipeError):  # the reader of our output has left, as `| head` does
            return 1
        return _complain(f"cannot go on: {error.strerror or error}", 1)


def _prepare_streams() -> None:
    """Give a process without output streams some, and have letters that a stream cannot spell escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  open to the end
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Send the rest of stdout nowhere, so that ending the process does not fail at it again."""
    with contextlib.suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _make_room() -> None:
    """Lay help and tables out for 40 columns at least: their layout takes minutes for less, and nobody could read it."""
    if shutil.get_terminal_size().columns < _LEAST_COLUMNS:
        os.environ["COLUMNS"] = str(_LEAST_COLUMNS)


def _run(words: list[str]) -> int:
    _make_room()
    if not words:
        print(usage(), file=sys.stderr)
        return 2
    if words[0] in ("-h", "--help", "help"):
        print(usage())
        return 0
    if words[0] == "--version":
        print(f"sekisho {__version__}")
        return 0
    name, rest = words[0], words[1:]
    if name not in COMMANDS:
        return _complain(f"there is no command {name!r}; {nearest(name, COMMANDS)}", 2)
    command = importlib.import_module(f".{name}", __package__).Command
    try:
        chosen = tyro.cli(command, prog=f"sekisho {name}", description=command.__doc__, args=rest)
    except SystemExit as stop:  # tyro has said why
        return stop.code if isinstance(stop.code, int) else 2
    chosen.run()
    return 0


def _complain(message: str, status: int) -> int:
    print(f"sekisho: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
