"""CPU players, each named by a spec string such as ``random`` or ``heuristic``."""

from .agent import Agent, Decision
from .registry import agent_names, make_agent

__all__ = ["Agent", "Decision", "agent_names", "make_agent"]
