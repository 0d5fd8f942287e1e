"""`sekisho engine`."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from ..agents.lines import read_lines
from ..serving.engine import Engine


@dataclass
class Command:
    """Speak UGI, or UCI, on stdin and stdout: what referees and graphical boards start; type help to see what it knows."""

    def run(self) -> None:
        """Obey until quit, or until nothing more comes."""
        Engine(_write).run(read_lines(sys.stdin.buffer))


def _write(lines: list[str]) -> None:
    """Write lines at once, in UTF-8 whatever the terminal is set to, for that is what the protocol is in."""
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode("utf-8", errors="replace"))
    sys.stdout.buffer.flush()
