"""Begin a run of training in a folder, or take one up again, and run it to its end."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arena.folder import alone_in
from ..envs.core import Game
from ..envs.errors import OptionError, RunError
from .config import IMITATION, SEARCH, SELFPLAY, VALUES, Config
from .executors import Executor, make_executor
from .folder import require_new, resume_in, write_config
from .watching import Watcher

if TYPE_CHECKING:  # what is wrong with a command should not have to wait for torch
    from torch import nn

    from .checkpoint import Progress

_NETWORK = "network.width or network.depth"
_LARGE = {
    SELFPLAY: f"selfplay.tables, selfplay.simulations, learning.window, learning.batch_size, {_NETWORK}",
    VALUES: f"values.games, values.batch_size, {_NETWORK}",
    IMITATION: f"imitation.games, learning.window, learning.batch_size, {_NETWORK}",
    SEARCH: f"search.games, search.window, search.batch_size, {_NETWORK}",
}
"""The settings that decide how much memory a run takes, by its method."""


def train(
    folder: Path, config: Config | None = None, changes: Mapping[str, Any] | None = None,
    build: Callable[[Game], nn.Module] | None = None, watcher: Watcher | None = None,
    check: Callable[[Config], None] = lambda _config: None,
    executors: Callable[[int], Executor] = make_executor,
) -> Progress:  # fmt: skip
    """Train; return where the run stands at its end.

    Args:
        folder: of the run; made if it does not exist. Another process that trains there is waited for by nobody: the
            folder is refused.
        config: of a new run; None to resume the one in the folder.
        changes: settings that a resumed run is to have other values of, see `folder.MAY_CHANGE`.
        build: returns a network of your own for the game, in the place of the one that ``config.network`` describes;
            see `agents.networks.modules` for how it is called. A run is resumed with the same.
        watcher: who looks on.
        check: told the configuration before anything is done; may raise.
        executors: returns who plays the games, told how many workers the configuration wants; closed at the end. See
            `arena.executors.make_executor`.

    Raises:
        OptionError: if the folder holds a run already, or none to resume, or the changes are not allowed.
        CheckpointError: if the run to resume is damaged.
        RunError: if training goes astray, a process dies, memory runs out, or something cannot be written.
    """
    if config is None and not folder.is_dir():
        why = "it is no folder" if folder.exists() or folder.is_symlink() else "there is no such folder"
        raise OptionError(f"there is no run to resume in {folder}: {why}")
    with alone_in(folder, "trains"):
        resumed = config is None
        if config is None:
            config = resume_in(folder, changes or {})
        else:
            require_new(folder)
        check(config)
        from .run import Run

        try:
            run = Run(config, folder, None if build is None else build(config.load_game()), watcher)
            if not (resumed and run.restore()):
                run.begin()
            if config.iterations < run.progress.iteration:
                raise OptionError(
                    f"the run has done {run.progress.iteration} iterations, so it cannot end after {config.iterations}; "
                    "--iterations with a larger number goes on"
                )
            if run.done:
                write_config(folder, config)
                return run.progress
            with closing(executors(config.workers)) as executor:
                write_config(folder, config)
                run.go(executor)
        except (OSError, MemoryError, RuntimeError) as error:  # torch says by the last that memory is used up
            from ..agents.networks.modules import is_out_of_memory

            if is_out_of_memory(error) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
                large = _LARGE[config.method]
                raise RunError(f"this machine has no memory for that run: lower one of {large}") from error
            if not isinstance(error, OSError):
                raise
            raise RunError(f"cannot go on in {error.filename or folder}: {error.strerror or error}") from error
    return run.progress
