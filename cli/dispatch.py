"""From the words of a command line to a subcommand: loads only that one, and words every error.

Only the standard library is imported at the top: a broken installation is to be reported instead of raised.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import shutil
import sys
from pathlib import Path

from .interrupting import SIGPIPE, GoneError, as_usual
from .main import COMMANDS, ENDED_BY

_LEAST_COLUMNS = 40


def usage() -> str:
    """Return the help of the command as a whole."""
    width = max(map(len, COMMANDS))
    lines = "\n".join(f"  {name:<{width}}  {line}" for name, line in COMMANDS.items())
    return (
        "usage: sekisho COMMAND [options]\n\nRace games with choices: rules, CPU players and tournaments.\n\n"
        f"commands:\n{lines}\n\nsekisho COMMAND --help shows the options of a command; sekisho --version the version."
    )


def run(words: list[str]) -> int:
    """Run the command line and return the exit status; see `main`."""
    try:
        _prepare_streams()
        status = _guarded(words)
        sys.stdout.flush()  # what cannot be written is found out here, not after the last line of this program
        return status
    except OSError as error:
        _drop_output()
        if isinstance(error, BrokenPipeError):  # the reader of our output has left, as `| head` does
            return ENDED_BY + SIGPIPE
        return complain(f"cannot go on: {error.strerror or error}", 1)


def _guarded(words: list[str]) -> int:
    """Run the command line, with errors of ours in words."""
    if words[:1] == ["--version"] and words[1:]:
        return complain("--version stands alone", 2)
    if words == ["--version"]:
        from ..arena.health import versions

        print("\n".join(f"{name} {version}" for name, version in versions().items()))
        return 0
    try:
        from ..envs.errors import RunError, SekishoError
    except ImportError as error:
        return _broken(words, error)
    try:
        return _run(words)
    except GoneError as gone:
        return complain(str(gone), ENDED_BY + gone.number)
    except RunError as error:
        return complain(str(error), 1)
    except SekishoError as error:
        return complain(str(error), 2)
    except ImportError as error:
        return _broken(words, error)


def _broken(words: list[str], error: ImportError) -> int:
    """Say what cannot be loaded; `doctor` works all the same, for this is what it is for."""
    if words[:1] != ["doctor"]:
        return complain(f"this installation is broken ({error}); sekisho doctor says what to do", 1)
    from ..arena.health import examine, report

    checks = examine()
    print(report(checks))
    return 1


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
    from ..envs.errors import nearest

    _make_room()
    if not words:
        print(usage(), file=sys.stderr)
        return 2
    if words[0] == "help" and words[1:]:
        words = [words[1], "--help"]
    if words[0] in ("-h", "--help", "help"):
        print(usage())
        return 0
    name, rest = words[0], words[1:]
    if name not in COMMANDS:
        return complain(f"there is no command {name!r}; {nearest(name, COMMANDS)}", 2)
    command = importlib.import_module(f".{name}", __package__).Command
    from .parsing import parsed

    try:
        chosen = parsed(command, name, rest)
    except SystemExit:  # help was asked for
        return 0
    as_usual()
    chosen.run()
    return 0


def complain(message: str, status: int) -> int:
    """Print a message on stderr and return `status`."""
    with contextlib.suppress(OSError):  # a terminal that is gone
        print(_for_people(f"sekisho: {message}"), file=sys.stderr)
    return status


def _for_people(text: str) -> str:
    """Return a message laid out as all lines are, on a terminal; as it is where this installation cannot even do that.

    Elsewhere a line stays a line, so that a script can look for what it says.
    """
    try:
        from .words import message
    except ImportError:
        return text
    return message(text, wrap=sys.stderr.isatty())
