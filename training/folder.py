"""The folder of a run: begun anew, or taken up again with the configuration that it holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..arena.reading import json_values, text_of
from ..envs.errors import OptionError, RecordError, RunError
from ..envs.files import write_text_atomically
from ..envs.options import spell_options
from .config import Config, settings_of, with_settings

CONFIG, LOCK = "config.json", ".lock"
MAY_CHANGE = ("iterations", "workers", "device", "evaluation.", "keeping.")
"""Settings, or sections of them, that a run may be resumed with other values of."""


def require_new(folder: Path) -> None:
    """Raise `OptionError` if there is something in a folder already, so that no run can begin there."""
    if (folder / CONFIG).exists():
        raise OptionError(f"{folder} holds a run already: --resume goes on with it, or name another folder")
    there = sorted(path.name for path in folder.iterdir() if path.name != LOCK)
    if there:
        raise OptionError(f"{folder} is not empty (there is {there[0]!r}); name a new folder for the run")


def resume_in(folder: Path, changes: Mapping[str, Any], game: str | None = None) -> Config:
    """Return the configuration of the run in a folder, with the changes that a run may be resumed with.

    Args:
        folder: of the run.
        changes: settings by their names.
        game: that the run is said to be of, if that was said.

    Raises:
        OptionError: if there is no run, it is of another game, or a setting is to change that must not.
        UnknownNameError: for a setting that does not exist.
    """
    config = read_config(folder)
    if game is not None and game != config.game:
        raise OptionError(f"the run in {folder} is one of {config.game}, not of {game}")
    changed = with_settings(config, changes)
    old, new = settings_of(config), settings_of(changed)
    wrong = [name for name in new if new[name] != old[name] and not name.startswith(MAY_CHANGE)]
    if wrong:
        told = ", ".join(f"{name} ({old[name]} to {new[name]})" for name in wrong)
        may = ", ".join(name + ("*" if name.endswith(".") else "") for name in MAY_CHANGE)
        raise OptionError(f"a run cannot be resumed with other values of {told}; these may change: {may}")
    return changed


def read_config(folder: Path) -> Config:
    """Return the configuration of the run in a folder.

    Raises:
        OptionError: if there is none, or it is damaged.
    """
    path = folder / CONFIG
    if not path.exists():
        raise OptionError(f"{folder} holds no run to resume: there is no {path.name}; leave --resume out")
    try:
        return Config.from_dict(json_values(text_of(path)))
    except (RecordError, OptionError, TypeError) as error:
        raise OptionError(
            f"{path} is damaged, so the run cannot go on ({error}); every checkpoint has the configuration too, as the "
            "recipe of its network"
        ) from error


def described(config: Config) -> str:
    """Return what a run is about, in a few words."""
    rules = f" ({spell_options(config.rules)})" if config.rules else ""
    return f"{config.game}{rules}, preset {config.preset}, seed {config.seed}"


def write_config(folder: Path, config: Config) -> None:
    """Note in the folder of a run what it is told.

    Raises:
        RunError: if it cannot be written.
    """
    try:
        write_text_atomically(folder / CONFIG, json.dumps(config.to_dict(), indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise RunError(f"cannot write {folder / CONFIG}: {error.strerror}") from error
