"""A progress bar on stderr, only where that is a terminal, for work that a first use sets off."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .keeping import Progress as Report


@contextlib.contextmanager
def bar() -> Iterator[Report]:
    """Show what is done and how much of it while the context lasts; give the function that is told."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description} {task.completed:,}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal,
                  transient=True) as shown:  # fmt: skip
        tasks: dict[str, TaskID] = {}

        def report(what: str, done: int, total: int | None) -> None:
            if what not in tasks:
                for task in tasks.values():
                    shown.remove_task(task)
                tasks.clear()
                tasks[what] = shown.add_task(what, total=total)
            shown.update(tasks[what], completed=done, total=total)

        yield report
