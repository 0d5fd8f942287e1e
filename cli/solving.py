"""How `sekisho solve` comes by the table of a game: one that is known, or one that is made now."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from ..agents import store
from ..agents.exact import keeping
from ..agents.exact.keeping import AnyTable, Progress
from ..agents.exact.waiting import bar
from .common import console, print_json
from .solve import Command


@dataclass(frozen=True)
class Solved(Generic[AnyTable]):
    """A solved game.

    Attributes:
        table: the solution.
        path: of the file that holds it; None if it could not be written.
        seconds: that the solving took, without compiling; of a table that ships, that finding it took.
    """

    table: AnyTable
    path: Path | None
    seconds: float


def obtain(
    command: Command,
    find: Callable[[], AnyTable | None],
    where: Callable[[], Path],
    solve: Callable[[Path | None, Progress], AnyTable],
    wanted: Mapping[str, Any],
) -> Solved[AnyTable]:
    """Return the solution of a game, and write it where ``--output`` says.

    Args:
        command: what was asked for.
        find: looks for a table that is known.
        where: the file in which `find` looks.
        solve: makes the table and writes it, to a file or else (None) to the cache folder.
        wanted: what the table says of itself.
    """
    output, begin = command.file(), time.perf_counter()
    table = find()
    seconds = time.perf_counter() - begin
    if table is not None:
        _take(table, where(), output, wanted)
    else:
        with bar() as progress:
            table = solve(output, progress)
    path = output or where()
    facts: Any = getattr(table, "facts", {})
    return Solved(table, path if path.is_file() else None, float(facts.get("seconds", seconds)))


def _take(table: keeping.Table, known: Path, output: Path | None, wanted: Mapping[str, Any]) -> None:
    """Say that a game need not be solved as its table is known, and copy the table if that is wished."""
    if output is None:
        how = f"{known} ships" if known.parent == store.FOLDER else f"remove {known} to solve again"
        print(f"sekisho: already solved; {how}", file=sys.stderr)
        return
    if not (output.exists() and output.samefile(known)):
        keeping.require_replaceable(output, wanted)
        keeping.save_as(table, output)
    print(f"sekisho: already solved; the table is a copy of {known}", file=sys.stderr)


def report(command: Command, document: dict[str, Any], path: Path | None, lines: Callable[[Any], None]) -> None:
    """Print what was found: a document for scripts, or lines for people and the file of the table."""
    if command.json:
        print_json(document)
        return
    out = console()
    lines(out)
    if path is not None:
        out.print("Table:", str(path), soft_wrap=True, markup=False, emoji=False, highlight=False)
