"""Who plays the games of a run: see `arena.executors`, whose public place for training this is."""

from __future__ import annotations

from ..arena.executors import EXECUTORS, Executor, Serial, make_executor
from ..arena.processes import Processes

__all__ = ["EXECUTORS", "Executor", "Processes", "Serial", "make_executor"]
