"""How a search speaks of the agent that judges positions for it, its option ``leaf``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...envs.errors import AgentError
from ..agent import Agent


def called(leaf: str | Agent) -> str:
    """Return what to call a leaf: as it is written in a spec string, or by its class if it was given as an agent."""
    if isinstance(leaf, Agent):
        return type(leaf).__name__
    return f"({leaf})" if ":" in leaf else leaf


@contextmanager
def refusals_named(search: str, name: str) -> Iterator[None]:
    """Have an agent that refuses to judge for a search refuse with the option that names it.

    Args:
        search: name of the agent that searches.
        name: of the leaf, see `called`.
    """
    try:
        yield
    except AgentError as error:
        raise AgentError(f"{search}: leaf={name} cannot judge here: {error}") from error
