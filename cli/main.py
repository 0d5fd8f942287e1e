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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: the words after ``sekisho``; default: those of the process.

    Returns:
        The exit status: 0 done, 1 ran and failed, 2 wrong use.
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
        return 1


if __name__ == "__main__":
    sys.exit(main())
