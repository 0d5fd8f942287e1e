"""What ships in ``checkpoints/``: tables and weights, listed in ``manifest.json``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..envs.errors import TableError

FOLDER = Path(__file__).resolve().parent.parent / "checkpoints"


@cache
def manifest() -> list[dict[str, Any]]:
    """Return the entries of the manifest; each has at least ``file``, ``kind``, ``game``, ``rules`` and ``sha256``."""
    path = FOLDER / "manifest.json"
    if not path.is_file():
        return []
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["entries"]
    return entries


def shipped_table(game: str, wanted: Mapping[str, Any]) -> Path | None:
    """Return the file of the shipped table of a game whose entry says all that is `wanted`, or None.

    Raises:
        TableError: if the file is not the one that the manifest lists.
    """
    for entry in manifest():
        if entry["kind"] == "table" and entry["game"] == game and wanted.items() <= entry.items():
            path = FOLDER / str(entry["file"])
            if hashlib.sha256(path.read_bytes()).hexdigest() != entry["sha256"]:
                raise TableError(f"{path} is not the file that the manifest beside it lists: install sekisho again")
            return path
    return None
