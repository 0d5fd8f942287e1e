"""Who sits on a seat: a person or a CPU player, by a spec string."""

from __future__ import annotations

from dataclasses import dataclass

from ..agents.agent import Agent
from ..agents.registry import agent_names, make_agent
from ..agents.specs import ENGINE, parse_spec
from ..envs.errors import UnknownNameError, nearest

HUMAN = "human"
"""Name of a person in a spec string: ``human``, or ``human:name=Aki``."""


@dataclass(frozen=True)
class Player:
    """Who sits on a seat.

    Attributes:
        spec: spec string, as it was given.
        name: of a person who gave one, else empty.
        agent: the CPU player; None for a person.
    """

    spec: str
    name: str
    agent: Agent | None

    @property
    def is_human(self) -> bool:
        """Whether a person is to be asked."""
        return self.agent is None


def make_player(spec: str) -> Player:
    """Return who a spec string names.

    Raises:
        UnknownNameError: for an agent or option that does not exist; the nearest name is named.
        OptionError: for a malformed spec.
    """
    parsed = parse_spec(spec)
    if parsed.name == HUMAN:
        for option in parsed.options:
            if option != "name":
                raise UnknownNameError(f"a person has no option {option!r}; {nearest(option, ['name'])}")
        return Player(spec.strip(), parsed.options.get("name", ""), None)
    names = [*agent_names(), ENGINE, HUMAN]
    if parsed.name not in names:
        raise UnknownNameError(f"there is no player {parsed.name!r}; {nearest(parsed.name, names)}")
    return Player(spec.strip(), "", make_agent(spec))
