"""What several subcommands share: games from words, JSON on stdout, progress on stderr."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Annotated, Any, TypeVar

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ..arena.executors import EXECUTORS, MOST_PROCESSES, MOST_WORKERS, check_executor
from ..envs.core import Game
from ..envs.errors import OptionError, RunError, nearest
from ..envs.files import write_bytes_atomically
from ..envs.options import parse_options
from ..envs.registry import game_class
from .words import width

Flag = tyro.conf.FlagCreatePairsOff[bool]
Result = TypeVar("Result")
GameWord = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME")]
ExecutorWord = Annotated[
    str | None,
    tyro.conf.arg(metavar="{" + ",".join(EXECUTORS) + "}", help_behavior_hint="(default: processes, if several work)"),
]
Address = Annotated[
    str | None, tyro.conf.arg(metavar="HOST:PORT", help_behavior_hint="(default: one of this machine alone)")
]
Rules = Annotated[str, tyro.conf.arg(metavar="KEY=VALUE,…", help_behavior_hint="(default: the game's)")]


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let the command end as it does wherever else its reader has left."""
        raise BrokenPipeError


def console() -> Console:
    """Return a console on stdout, where it is no terminal as wide as other lines are."""
    found = _Console()
    return found if found.is_terminal else _Console(width=width())


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int | None, executor: str | None, address: str | None) -> None:
    """Refuse words that no executor goes by: ``--workers``, ``--executor`` and ``--ray-address``.

    Raises:
        OptionError: saying which.
    """
    if executor is not None and executor not in EXECUTORS:
        raise OptionError(f"--executor: there is no {executor!r}; {nearest(executor, EXECUTORS)}")
    if address is not None and executor != "ray":
        raise OptionError("--ray-address is for --executor ray")
    most = MOST_WORKERS if executor == "ray" else MOST_PROCESSES
    if workers is not None and not 1 <= workers <= most:
        raise OptionError(f"--workers must be 1..{most}, not {workers}")
    check_executor(workers, executor, address)


def game_from_words(name: str, rules: str = "", players: int | None = None) -> Game:
    """Return the game that a command line names.

    Args:
        name: of the game.
        rules: ``key=value`` pairs apart by commas.
        players: number of seats, if it was given on its own.

    Raises:
        UnknownNameError: for a game or an option that does not exist.
        OptionError: for a value that an option cannot take.
    """
    game = game_class(name)
    options = parse_options(game.OPTIONS, rules, name)
    if players is not None:
        if options.get("players", players) != players:
            raise OptionError(f"--players {players} contradicts players={options['players']} in --rules")
        options["players"] = players
    loaded: Game = game(**options)
    return loaded


def print_json(document: Mapping[str, Any] | list[Any]) -> None:
    """Print one JSON document on stdout."""
    print(json.dumps(document, indent=2, ensure_ascii=False))


def interruptible(work: Callable[[], Result]) -> Result:
    """Return what `work` returns; while it runs compiled code, which knows no Ctrl-C, Ctrl-C still ends the command."""
    outcome: Future[Result] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    while not outcome.done():
        with contextlib.suppress(TimeoutError):
            return outcome.result(timeout=0.2)
    return outcome.result()


def progress(wanted: bool = True) -> Progress:
    """Return a progress bar that goes to stderr, and only to a terminal, and only if there is enough to wait for."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not (wanted and console.is_terminal),
        transient=True,
    )


def path_from_words(option: str, text: str | None, kind: str = "file") -> Path | None:
    """Return the path that an option names, None where it was not given.

    Args:
        option: as it is typed.
        text: what was given.
        kind: of thing that it names: file or folder.

    Raises:
        OptionError: for an empty one, which is no name but usually a variable of a script that was never set.
    """
    if text is None:
        return None
    if not text.strip() or "\0" in text:
        raise OptionError(f"{option}: no {kind} can be named {text!r}")
    return Path(text)


def require_there(path: Path) -> Path:
    """Return a path; raise `OptionError` if nothing of that name exists."""
    try:
        there = path.exists()
    except OSError as error:  # a name that is too long, a folder that is closed
        raise OptionError(f"cannot read {path}: {error.strerror}") from error
    if not there:
        raise OptionError(f"cannot read {path}: there is no such file")
    return path


PICTURES = (".svg", ".png")


def require_picture_name(path: Path | None, kind: str) -> None:
    """Refuse the name of a picture that says another kind than it gets.

    Args:
        path: of the picture; None where none is wanted.
        kind: one of `PICTURES`.

    Raises:
        OptionError: if it does.
    """
    others = {".svg", ".svgz", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".pdf", ".eps", ".ps"}
    if path is not None and path.suffix.lower() in others - {kind}:
        raise OptionError(
            f"{path} is no name for {kind[1:].upper()}, which --{kind[1:]} writes; name it {path.stem}{kind}"
        )


def write_picture(path: Path, content: bytes) -> str:
    """Write a picture, which replaces nothing but another picture, and return what was done, in words.

    Raises:
        OptionError: if the name belongs to something else.
        RunError: if it cannot be written.
    """
    replaced = os.path.lexists(path)
    if replaced and not (path.is_file() and path.suffix.lower() in PICTURES):
        raise OptionError(f"{path} exists and is no picture; name another file")
    try:
        write_bytes_atomically(path, content)
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror or error}") from error
    return f"{'replaced' if replaced else 'wrote'} {path}"
