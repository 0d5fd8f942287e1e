"""What ships in ``checkpoints/``: tables and weights, listed in ``manifest.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

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
    """Return the file of the shipped table of a game whose entry says all that is `wanted`, or None."""
    for entry in manifest():
        if entry["kind"] == "table" and entry["game"] == game:
            if all(entry.get(name) == value for name, value in wanted.items()):
                return FOLDER / str(entry["file"])
    return None
