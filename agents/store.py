"""What ships in ``checkpoints/``: tables and weights, listed in ``manifest.json``."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..envs.errors import TableError

FOLDER = Path(__file__).resolve().parent.parent / "checkpoints"

_VERSIONED = frozenset({"encoding", "rules", "rules_sha256"})
"""What an entry says of itself that another version of this package may say otherwise of the same game."""
_log = logging.getLogger("sekisho")
_NAMES = frozenset({"file", "kind", "game", "rules", "sha256"})
"""What every entry of the manifest has."""


@cache
def manifest() -> list[dict[str, Any]]:
    """Return the entries of the manifest; each has at least ``file``, ``kind``, ``game``, ``rules`` and ``sha256``.

    Raises:
        TableError: if the manifest is damaged or cannot be read.
    """
    path = FOLDER / "manifest.json"
    if not path.is_file():
        return []
    try:
        entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["entries"]
        whole = all(entry.keys() >= _NAMES for entry in entries)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise TableError(f"{path} is damaged or cannot be read: install sekisho again") from error
    if not whole:
        raise TableError(f"{path} is damaged, an entry lacks some of {sorted(_NAMES)}: install sekisho again")
    return entries


def shipped_table(game: str, wanted: Mapping[str, Any]) -> Path | None:
    """Return the file of the shipped table of a game whose entry says all that is `wanted`, or None.

    An entry that differs only in the version of the rules or of the encoding is not used, which is said once.

    Raises:
        TableError: if the file is missing or is not the one that the manifest lists, or if the manifest is damaged.
    """
    for entry in manifest():
        if entry["kind"] == "table" and entry["game"] == game:
            if wanted.items() <= entry.items():
                return require_listed(entry)
            if _is_older(entry, wanted):
                say_outdated(str(entry["file"]), game)
    return None


def shipped_networks() -> dict[str, dict[str, Any]]:
    """Return the entries of the networks that ship by their names.

    Raises:
        TableError: if the manifest is damaged.
    """
    return {Path(entry["file"]).stem: entry for entry in manifest() if entry["kind"] == "network"}


def _is_older(entry: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether an entry is what is `wanted` but for the version of the rules, or an option that was not yet."""
    others = {name: value for name, value in wanted.items() if name not in _VERSIONED}
    return others.items() <= entry.items() and entry["rules"].items() <= wanted["rules"].items()


def require_listed(entry: Mapping[str, Any]) -> Path:
    """Return the file of an entry; raise `TableError` if it is missing or is not the one that is listed."""
    path = FOLDER / str(entry["file"])
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TableError(
            f"cannot read {path}, which the manifest beside it lists: {error.strerror or error}; install sekisho again"
        ) from error
    if hashlib.sha256(content).hexdigest() != entry["sha256"]:
        raise TableError(f"{path} is not the file that the manifest beside it lists: install sekisho again")
    return path


@cache
def say_outdated(file: str, game: str) -> None:
    """Warn, once a process, that a shipped table belongs to another version of the rules than this one."""
    _log.warning(
        "sekisho: %s ships for these options but for another version of the rules of %s, and is not used: install "
        "sekisho again, or make it anew with `python benchmarks/make_tables.py %s`",
        FOLDER / file, game, game,
    )  # fmt: skip
