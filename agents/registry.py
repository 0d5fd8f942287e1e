"""The agents by name, and how a spec string becomes one."""

from __future__ import annotations

import dataclasses
import importlib
import typing
from typing import Any

from ..envs.errors import UnknownNameError, nearest
from .agent import Agent
from .specs import ENGINE, convert, parse_spec

_AGENTS = {
    "alphabeta": (
        "sekisho.agents.search.alphabeta.agent:AlphaBetaAgent",
        "Quoridor, 2 players: looks ahead as far as time allows",
    ),
    "exact": (
        "sekisho.agents.exact.agent:ExactAgent",
        "Tokaido, 2 to 4 players, and small boards of Quoridor: perfect play by a table",
    ),
    "expectimax": (
        "sekisho.agents.search.expectimax:ExpectimaxAgent",
        "Tokaido and picture sugoroku: all throws and choices of some turns, then a judgement",
    ),
    "heuristic": ("sekisho.agents.heuristics:HeuristicAgent", "one ply over what matters in the game; quick and sound"),
    "larger": ("sekisho.agents.baselines:LargerAgent", "Tokaido: always the larger number, and crossings"),
    "mcts": ("sekisho.agents.search.mcts:MctsAgent", "Monte-Carlo tree search; the longer it thinks, the stronger"),
    "net": ("sekisho.agents.learned:NetAgent", "a trained network, alone or with a search"),
    "pocket": ("sekisho.agents.pocket:PocketAgent", "Tokaido: a few rules that a person can remember"),
    "random": ("sekisho.agents.baselines:RandomAgent", "every legal action equally likely"),
    "smaller": ("sekisho.agents.baselines:SmallerAgent", "Tokaido: always the smaller number, and crossings"),
    "shortest_path": ("sekisho.agents.baselines:ShortestPathAgent", "Quoridor: always a step along a shortest path"),
}
_EXTERNAL = "sekisho.agents.external:ExternalAgent"

ENGINE_USAGE = "engine:COMMAND (another program, by UGI or UCI)"
"""How an agent that is another program is named, for people."""


def agent_names() -> dict[str, str]:
    """Return the agents that `make_agent` knows, each with one line for people; other programs have no names."""
    return {name: line for name, (_, line) in sorted(_AGENTS.items())}


def make_agent(spec: str) -> Agent:
    """Return the agent that a spec string names.

    Args:
        spec: ``name`` or ``name:key=value,key=value``, see `agent_names`; or ``engine:COMMAND`` for another program,
            which is started when it is first to decide.

    Raises:
        UnknownNameError: for an agent or option that does not exist; the nearest name is named.
        OptionError: for a malformed spec or a value that an option cannot take.
    """
    parsed = parse_spec(spec)
    places = {name: place for name, (place, _) in _AGENTS.items()} | {ENGINE: _EXTERNAL}
    if parsed.name not in places:
        raise UnknownNameError(f"there is no agent {parsed.name!r}; {nearest(parsed.name, places)}")
    module, _, attribute = places[parsed.name].partition(":")
    kind: Any = getattr(importlib.import_module(module), attribute)
    hints = typing.get_type_hints(kind)
    fields = {f.name: hints[f.name] for f in dataclasses.fields(kind) if f.init}
    for option in parsed.options:
        if option not in fields:
            raise UnknownNameError(f"agent {parsed.name!r} has no option {option!r}; {nearest(option, fields)}")
    agent: Agent = kind(**{key: convert(value, fields[key], key) for key, value in parsed.options.items()})
    return agent
