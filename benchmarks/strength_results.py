"""The file of results behind ``docs/strength.md``: one record a cell, one line a record, as JSON."""

from __future__ import annotations

import json
import os
import platform
import re
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import sekisho
from sekisho.agents import store
from sekisho.envs.errors import RunError
from sekisho.envs.files import write_text_atomically

SAVE_EVERY = 30.0
"""Seconds after which what has been measured is written even in the midst of a cell."""
_NETWORK = re.compile(r"checkpoint=(\w+)")

Key = Mapping[str, Any]
Record = dict[str, Any]


class OutOfBudget(Exception):  # noqa: N818
    """The processor time that a run may take is spent."""


class Results:
    """Records by what was measured.

    A record has the entries of its cell's key, what was found, ``seconds`` and ``processor`` (clock and processor time
    that it took), ``version`` of the package and ``machine``.

    Args:
        path: of the file; it need not be there.
        budget: seconds of processor time of this process after which measuring stops.

    Raises:
        RunError: if the file is no such file.
    """

    def __init__(self, path: Path, budget: float = float("inf")) -> None:
        self.path, self.budget = path, budget
        self._records: dict[str, Record] = {}
        self._keys: dict[str, Key] = {}
        self._saved = time.monotonic()
        try:
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            for record in map(json.loads, lines):
                self._records[_name(record["cell"])] = record
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(f"{path} holds no results ({error!r}): take it from the repository again") from error

    def find(self, key: Key) -> Record | None:
        """Return the record of a cell, if there is one for the networks that ship now."""
        return self._records.get(_name(_with_networks(key)))

    def new(self, key: Key) -> Record:
        """Return an empty record of a cell; `keep` puts it among the others."""
        return {"cell": _with_networks(key), "seconds": 0.0, "processor": 0.0, **here()}

    def keep(self, record: Record) -> None:
        """Take a record in, as far as it is; write the file now and then.

        Raises:
            OutOfBudget: if the processor time is spent.
        """
        self._records[_name(record["cell"])] = record
        if time.monotonic() - self._saved > SAVE_EVERY:
            self.save()
        self.require_budget()

    def require_budget(self) -> None:
        """Raise `OutOfBudget` if the processor time is spent."""
        if time.process_time() > self.budget:
            raise OutOfBudget

    def save(self) -> None:
        """Write the file, records in the order of their keys: what was measured anew is what changes in it."""
        lines = [json.dumps(self._records[name]) for name in sorted(self._records)]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomically(self.path, "".join(f"{line}\n" for line in lines))
        self._saved = time.monotonic()

    def drop_all_but(self, keys: Collection[Key]) -> None:
        """Forget the records of cells that nobody asks for any more."""
        wanted = {_name(_with_networks(key)) for key in keys}
        self._records = {name: record for name, record in self._records.items() if name in wanted}


def here() -> dict[str, str]:
    """Return on what something is measured."""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return {"version": sekisho.__version__, "machine": machine}


def timed(record: Record, measure: Callable[[], Any]) -> Any:
    """Return what `measure` returns, and add the time that it took to a record."""
    seconds, processor = time.perf_counter(), time.process_time()
    found = measure()
    record["seconds"] = round(record["seconds"] + time.perf_counter() - seconds, 6)
    record["processor"] = round(record["processor"] + time.process_time() - processor, 6)
    return found


def _with_networks(key: Key) -> dict[str, Any]:
    """Return a key with the checksums of the networks in it: another network of the same name is another player."""
    shipped = store.shipped_networks()
    named = sorted(name for name in set(_NETWORK.findall(json.dumps(dict(key)))) if name in shipped)
    return {**key, "networks": {name: str(shipped[name]["sha256"])[:12] for name in named}}


def _name(cell: Key) -> str:
    return json.dumps(dict(cell), sort_keys=True)
