"""What TensorBoard shows of a run: its metrics, its configuration as a table, and games as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from ..arena.records import GameRecord
from .config import Config, help_of, settings_of


class Board:
    """Writes the event files of TensorBoard. A step there is an iteration.

    Args:
        folder: for the files.
        begin: first step that will be written; what a stopped run wrote from there on is not shown any more.
    """

    def __init__(self, folder: Path, begin: int) -> None:
        self._writer = SummaryWriter(str(folder), purge_step=begin if begin else None, flush_secs=30)

    def configuration(self, config: Config) -> None:
        """Show the configuration, at step 0."""
        rules = ", ".join(f"{name}={value}" for name, value in config.load_game().options.items())
        rows = [
            ("game", config.game, ""),
            ("rules", rules, ""),
            ("preset", config.preset, ""),
            ("method", config.method, ""),
        ]
        rows += [(name, str(value), help_of(name)) for name, value in settings_of(config).items()]
        table = "\n".join(f"| {name} | {value} | {line} |" for name, value, line in rows)
        self._writer.add_text("configuration", f"| setting | value | |\n|---|---|---|\n{table}", 0)

    def metrics(self, iteration: int, values: Mapping[str, float]) -> None:
        """Show the metrics of an iteration."""
        for name, value in values.items():
            self._writer.add_scalar(name, value, iteration)
        self._writer.flush()

    def games(self, iteration: int, records: Sequence[GameRecord]) -> None:
        """Show games, as their moves and what they paid."""
        for number, record in enumerate(records):
            paid = ", ".join(f"{value:+.2f}" for value in record.returns)
            text = f"returns: {paid} ({record.end})\n\n    {' '.join(record.moves)}"
            self._writer.add_text(f"games/{number}", text, iteration)

    def close(self) -> None:
        """Write what is left."""
        self._writer.close()
