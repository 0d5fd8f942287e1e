"""`sekisho bench`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial

from rich.console import Console
from rich.table import Table

from ..arena.speed import Contest, Measure, contests
from ..envs.errors import OptionError
from ..envs.registry import game_class, game_names
from .common import Flag, GameWord, console, interruptible, print_json, progress

_MOST_REPEATS = 1000


@dataclass
class Command:
    """Measure the speed of the rules, the environments and the searches on one core.

    Beside them, in the same run, the figures of other packages that are installed: OpenSpiel (open_spiel) for the
    rules of Quoridor and its tree search, quoridor-rl and quoridor-env for its environments.
    """

    game: GameWord = ""
    """name of a game; default: all games"""
    repeats: int = 5
    """runs of each figure, of which the median counts"""
    json: Flag = False
    """print one JSON document"""

    def run(self) -> None:
        """Measure and print."""
        if not 1 <= self.repeats <= _MOST_REPEATS:
            raise OptionError(f"--repeats must be 1..{_MOST_REPEATS}, not {self.repeats}")
        names = [self.game] if self.game else game_names()
        for name in names:
            game_class(name)
        wanted = [contest for name in names for contest in contests(name)]
        measures = self._measure(wanted)
        if self.json:
            print_json([asdict(measure) for measure in measures])
        else:
            _show(measures, console())

    def _measure(self, wanted: list[Contest]) -> list[Measure]:
        measures = []
        with progress() as bar:
            task = bar.add_task("figures", total=len(wanted))
            for contest in wanted:
                measures.append(interruptible(partial(contest.run, self.repeats)))
                bar.advance(task)
        return measures


def _show(measures: list[Measure], console: Console) -> None:
    table = Table("measure", "value", "unit", "peer", "its value", "times faster")
    for m in measures:
        peer_value = "" if m.peer_value is None else _rounded(m.peer_value)
        ratio = "" if m.ratio is None else f"{m.ratio:.1f}"
        table.add_row(m.name, _rounded(m.value), m.unit, m.peer or "", peer_value, ratio)
    console.print(table)


def _rounded(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
