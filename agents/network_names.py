"""Which network a name means: one that ships, a file, or one that this process was lent."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..envs.core import Game
from ..envs.errors import AgentError, NetworkError, OptionError, nearest
from . import store
from .networks.files import StoredNetwork, read_network
from .specs import ENGINE, parse_spec

_lent: dict[str, StoredNetwork] = {}


def network_of(checkpoint: str, game: Game) -> StoredNetwork:
    """Return the network that an agent's option means.

    Args:
        checkpoint: the name of one that was lent or ships, or a path; empty for the one that ships for the game.
        game: what is to be played.

    Raises:
        AgentError: if it cannot be read, or none ships for the game.
        NetworkError: if it is no network.
        OptionError: if there is neither.
    """
    if checkpoint in _lent:
        return _lent[checkpoint]
    return _read(path_of(checkpoint) if checkpoint else _shipped_for(game))


def is_lent(checkpoint: str) -> bool:
    """Return whether this process was lent a network by that name."""
    return checkpoint in _lent


def file_of(checkpoint: str) -> Path:
    """Return the file that the name of a shipped network or a path means, whether it is there or not."""
    shipped = store.shipped_networks()
    return store.require_listed(shipped[checkpoint]) if checkpoint in shipped else Path(checkpoint)


def path_of(checkpoint: str, option: str = "net: option 'checkpoint'") -> Path:
    """Return the file that the name of a shipped network or a path means.

    Args:
        checkpoint: the name or the path.
        option: how it was asked for, for messages.

    Raises:
        OptionError: if there is neither.
    """
    path = file_of(checkpoint)
    try:
        there = path.is_file()
    except (OSError, ValueError):  # a name that is too long, a folder that is closed
        there = False
    if not there:
        raise OptionError(
            f"{option} must be a file or the name of a network that ships, not {checkpoint!r:.80}; "
            f"{nearest(checkpoint, store.shipped_networks())}"
        )
    return path


def networks_of(specs: Iterable[str]) -> dict[str, StoredNetwork]:
    """Return the networks in the files that spec strings name, by the names of the files; those that ship left out.

    Raises:
        AgentError: if one cannot be read.
        NetworkError: if one is no network.
        OptionError: if there is no such file.
    """
    names: set[str] = set()
    asked = list(specs)
    while asked:
        with contextlib.suppress(OptionError):  # not every value with a colon is an agent
            spec = parse_spec(asked.pop())
            if spec.name == "net" and spec.options.get("checkpoint") not in (None, *store.shipped_networks()):
                names.add(spec.options["checkpoint"])
            if spec.name != ENGINE:
                asked += [value for value in spec.options.values() if ":" in value]
    return {name: _lent[name] if name in _lent else _read(path_of(name)) for name in sorted(names)}


def lend(networks: Mapping[str, StoredNetwork]) -> bool:
    """Have networks at hand in this process by the names of files, which need not exist here.

    Args:
        networks: as `networks_of` returned them, here or on another machine.

    Returns:
        Whether some are others than those that were at hand by these names.
    """
    news = any(_lent.get(name) is not network for name, network in networks.items())
    _lent.update(networks)
    return news


def _read(path: Path) -> StoredNetwork:
    try:
        return read_network(path)
    except OSError as error:
        raise AgentError(f"agent 'net': cannot read {path}: {error.strerror or error}") from error


def _shipped_for(game: Game) -> Path:
    """Return the network that ships for the rules of a game, of several the one with the first name.

    If there is none, one for other rules of the game, which says which they are.
    """
    entries = [entry for _, entry in sorted(store.shipped_networks().items()) if entry["game"] == game.name]
    if not entries:
        raise AgentError(
            f"no network ships for {game.name}: name the file of one, as in net:checkpoint=FILE; `sekisho train` makes them"
        )
    paths = [store.require_listed(entry) for entry in entries]
    return next((path for path in paths if fits(_read(path), game)), paths[0])


def fits(network: StoredNetwork, game: Game) -> bool:
    """Return whether a network is for a game."""
    try:
        network.supports(game)
    except NetworkError:
        return False
    return True
