"""A program that speaks UGI or UCI and plays Quoridor's first pawn moves, until it does what it is told to do wrong.

python wayward_engine.py FAULT [MARK]: with a file MARK only the first process that finds none of that name misbehaves.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main(fault: str, mark: Path | None) -> None:
    faulty = mark is None or not mark.exists()
    if mark is not None:
        mark.touch()
    if fault == "child":  # that it leaves behind
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdin=subprocess.DEVNULL)
        Path(os.environ["WAYWARD_CHILD"]).write_text(str(child.pid))
    moves: list[str] = []
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["go"]:
            if faulty:
                misbehave(fault)
            say("info depth 1 nodes 7 score wp 0.75 pv", step(moves))
            say("bestmove", step(moves))
        elif words[:1] == ["position"]:
            moves = words[words.index("moves") + 1 :] if "moves" in words else []
        elif words[:1] in (["ugi"], ["uci"]):
            greet(words[0], fault if faulty else "")
        elif words == ["isready"]:
            if faulty and fault == "never_ready":
                time.sleep(600)
            say("readyok")
        elif words == ["quit"] and fault != "stubborn":
            return
    if fault == "stubborn":
        time.sleep(600)


def greet(name: str, fault: str) -> None:
    if fault == "mute":
        return
    if fault == "dies_at_once":
        sys.stderr.write("no weights found\n")
        sys.exit(4)
    if fault == "uci_only" and name == "ugi":
        say("Unknown command: ugi")
        return
    if fault == "other_game":
        say("option name Game type combo default chess var chess")
    say("option name Skill Level type spin default 3 min 0 max 20")
    say(f"id name wayward\n{name}ok")


def misbehave(fault: str) -> None:
    if fault == "crash":
        sys.stderr.write("segmentation of a fence\n")
        sys.exit(3)
    elif fault == "killed":
        os.kill(os.getpid(), 9)
    elif fault == "hang":
        time.sleep(600)
    elif fault == "illegal":
        say("bestmove a9")
    elif fault == "nonsense":
        say("bestmove \udce9\x00".encode(errors="surrogateescape").decode(errors="replace"))
    elif fault == "no_move":
        say("bestmove")
    elif fault == "late":
        sys.stdout.flush()
        while sys.stdin.readline().strip() != "stop":
            pass
    elif fault == "babble":
        for number in range(5_000):
            say("info string", number)
    elif fault == "closes":
        sys.stdout.flush()
        os.close(1)
        time.sleep(600)
    sys.stdout.flush()


def step(moves: list[str]) -> str:
    """The next move of a pawn that walks straight ahead beside the other one: e1 to e4, d4, d9; e9 to e6, f6, f1."""
    ways = (
        ("e2", "e3", "e4", "d4", "d5", "d6", "d7", "d8", "d9"),
        ("e8", "e7", "e6", "f6", "f5", "f4", "f3", "f2", "f1"),
    )
    way = ways[len(moves) % 2]
    done = [move for move in moves[len(moves) % 2 :: 2] if move in way]
    return way[len(done)]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else None)
