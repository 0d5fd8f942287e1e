"""Entry point of the command `sekisho`.

Nothing is imported before `main` runs that Python has not loaded by itself: what takes time is loaded where Ctrl-C is
answered in words.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing itself would take time
    from collections.abc import Sequence

COMMANDS = {
    "games": "list the games with their rule options",
    "play": "play in the terminal, against CPU players or people",
    "replay": "show recorded games, every move checked by the rules",
    "analyze": "say what each move of a game lost",
    "train": "train a network by self-play",
    "tournament": "let CPU players meet and rate them",
    "solve": "work out what a game comes to, exactly",
    "evaluate": "measure a CPU player, exactly where the game is solved",
    "perft": "count paths through the tree of a game",
    "export": "write a network for other programs (ONNX)",
    "engine": "speak the text protocol of game referees (UGI, UCI)",
    "bench": "measure the speed of the rules",
    "doctor": "check the installation and say what to do",
    "completion": "print what lets a shell complete these commands",
}


ENDED_BY = 128
"""What shells add to the number of the signal that ended a program: 130 after Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: the words after ``sekisho``; default: those of the process.

    Returns:
        The exit status: 0 done, 1 ran and failed, 2 wrong use; else `ENDED_BY` and the number of the signal that ended
        it: 2 Ctrl-C, 1 a closed terminal, 15 told to end, 13 a reader that has left.
    """
    try:
        from .interrupting import as_usual, at_once

        at_once()
        try:
            from .dispatch import run

            return run(list(sys.argv[1:] if arguments is None else arguments))
        finally:
            as_usual()
    except KeyboardInterrupt:
        try:  # noqa: SIM105  contextlib is one of the modules that are not loaded yet
            print("sekisho: interrupted", file=sys.stderr)
        except OSError:  # a terminal that is gone
            pass
        return ENDED_BY + 2


def command() -> None:
    """Run the command line of the process and end it; what a signal ended ends by that signal, so that shells see it."""
    import atexit

    status = [0]
    atexit.register(_end, status)  # what is registered first is called last
    status[0] = main()
    sys.exit(status[0])


def _end(status: list[int]) -> None:
    """End the process by the signal that its status stands for, if it does for one."""
    if status[0] > ENDED_BY:
        from .interrupting import end_by

        for stream in (sys.stdout, sys.stderr):
            try:  # noqa: SIM105  as above
                stream.flush()
            except (OSError, ValueError, AttributeError):  # one that is full, closed, not there
                pass
        end_by(status[0] - ENDED_BY)


if __name__ == "__main__":
    command()
