"""`sekisho train`."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from ..envs.errors import OptionError
from ..envs.options import parse_options, spell_options
from ..envs.registry import game_class
from ..training.config import Config, help_of, parse_setting, settings_of, with_settings
from ..training.executors import Executor, make_executor
from ..training.folder import CONFIG, described, read_config
from ..training.presets import DEFAULT_PRESET, preset_config, presets_of
from ..training.train import train
from .common import (
    Address,
    ExecutorWord,
    Flag,
    GameWord,
    Rules,
    check_workers,
    console,
    path_from_words,
    print_json,
)
from .dispatch import complain
from .interrupting import GoneError
from .keyboard import ended_in_order

if TYPE_CHECKING:  # torch takes a second and a half to load
    from ..training.checkpoint import Progress as Checkpoint

_PARTS = {
    "self-play": (0.0, 0.8), "imitation": (0.0, 0.8), "learning": (0.8, 0.1), "games": (0.0, 0.2),
    "fitting": (0.2, 0.7), "evaluation": (0.9, 0.1),
}  # fmt: skip
"""Where in an iteration a part of it begins, and which share of it that is, for the bar."""


def _number(hint: str) -> Any:
    return tyro.conf.arg(metavar="INT", help_behavior_hint=hint)


@dataclass
class Command:
    """Train a network by self-play, on values, from searches or from a teacher; Ctrl-C stops a run, --resume goes on."""

    game: GameWord
    """name of the game"""
    config: Annotated[str | None, tyro.conf.arg(metavar="NAME", help_behavior_hint=f"(default: {DEFAULT_PRESET})")] = (
        None
    )
    """preset: tiny (less than a minute, to see that it works), laptop (hours on two cores), full (days); of tokaido these
    three learn values, in minutes to hours, and selfplay_tiny, selfplay_laptop and selfplay_full learn from self-play; of
    quoridor small is for a board of 5x5 (ten minutes), search_tiny, search_laptop (an hour) and search_full learn from
    searches of alphabeta, for alphabeta, and search_four_tiny and search_four_laptop (hours) from those of mcts with four
    players; imitation_tiny and imitation_laptop, of every game, learn what another agent plays, see imitation.teacher"""
    output: Annotated[str | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="(default: runs/GAME-NAME)")] = None
    """folder of the run"""
    resume: Flag = False
    """go on with the run in that folder, from its newest checkpoint"""
    set: Annotated[tuple[str, ...], tyro.conf.arg(metavar="KEY=VALUE …", help_behavior_hint="")] = ()
    """settings that differ from the preset, e.g. iterations=30 keeping.last=5; see --settings"""
    settings: Flag = False
    """show all settings with their values and what they mean, and do nothing else"""
    players: Annotated[int | None, _number("(default: the game's)")] = None
    """seats at the table"""
    rules: Rules = ""
    """rule options, e.g. board_size=7,fences=5; a tiny run of quoridor has a tiny board unless they are given"""
    iterations: Annotated[int | None, _number("(default: the preset's)")] = None
    """rounds of games and learning"""
    seed: Annotated[int | None, _number("(default: 0)")] = None
    """the same seed makes the same run"""
    workers: Annotated[int | None, _number("(default: 1)")] = None
    """how many play at the same time"""
    executor: ExecutorWord = None
    """who they are: this process alone, processes of this machine, or a cluster of machines by Ray; the games are the
    same"""
    ray_address: Address = None
    """the head of the cluster, or auto for the one that this machine belongs to; see ray start"""
    device: Annotated[str | None, tyro.conf.arg(metavar="{auto,cpu,cuda}", help_behavior_hint="(default: auto)")] = None
    """where the network learns; auto takes a GPU if there is one"""
    json: Flag = False
    """print one JSON document"""

    def run(self) -> None:
        """Train, and say where the run stands and what can be done with it."""
        check_workers(self.workers, self.executor, self.ray_address)
        presets_of(self.game)  # an unknown game, or one with nothing to learn, is named before anything else
        named = path_from_words("--output", self.output, "folder")
        folder = named or Path("runs", f"{self.game}-{self.config or DEFAULT_PRESET}")
        changes = self._changes()
        if self.settings:
            _show_settings(read_config(folder) if self.resume else self._new_config(changes), self.json)
            return
        config = None if self.resume else self._new_config(changes)
        with ended_in_order(), progress_of_run() as bar:
            watcher = _Bar(bar, folder, quiet=self.json)
            try:
                done = train(folder, config, changes, watcher=watcher, check=self._check, executors=self._executors)
            except (KeyboardInterrupt, GoneError):
                self._say_stopped(folder, watcher.iteration)
                raise
        if not watcher.began and not self.json:
            print(
                f"All {done.iteration} iterations are done: there is nothing left to do. --iterations N goes on to N."
            )
        config = read_config(folder)
        if self.json:
            print_json(_document(config, folder, done))
        else:
            _say_result(config, folder, done)

    def _changes(self) -> dict[str, Any]:
        """Return all settings that were given, by their names."""
        changes: dict[str, Any] = {}
        for name, value in map(parse_setting, self.set):
            if name in changes:
                raise OptionError(f"--set: {name} is given twice")
            changes[name] = value
        for name in ("iterations", "seed", "workers", "device"):
            value = getattr(self, name)
            if value is not None:
                if name in changes:
                    raise OptionError(f"--{name} and --set {name}=… are the same setting: give one of them")
                changes[name] = value
        return changes

    def _rules(self) -> dict[str, Any] | None:
        """Return the rule options that were given, None if none were."""
        if not self.rules and self.players is None:
            return None
        options = parse_options(game_class(self.game).OPTIONS, self.rules, self.game)
        if self.players is not None:
            if options.get("players", self.players) != self.players:
                raise OptionError(f"--players {self.players} contradicts players={options['players']} in --rules")
            options["players"] = self.players
        return options

    def _new_config(self, changes: Mapping[str, Any]) -> Config:
        return with_settings(preset_config(self.game, self.config or DEFAULT_PRESET, self._rules()), changes)

    def _executors(self, workers: int) -> Executor:
        return make_executor(workers, self.executor, self.ray_address)

    def _who_plays(self) -> str:
        """Return the options that say who plays, as they were given: a run does not keep them."""
        executor = "" if self.executor is None else f" --executor {self.executor}"
        return executor + ("" if self.ray_address is None else f" --ray-address {shlex.quote(self.ray_address)}")

    def _say_stopped(self, folder: Path, iteration: int) -> None:
        """Say where a run was stopped, and in a line of its own, to be copied, how it goes on."""
        if not (folder / CONFIG).exists():
            complain("stopped before the run had begun", 0)
            return
        complain(
            f"stopped {f'after iteration {iteration}' if iteration >= 0 else 'before the first checkpoint'}; go on with",
            0,
        )
        words = f"sekisho train {self.game} --output {shlex.quote(str(folder))} --resume{self._who_plays()}"
        with contextlib.suppress(OSError):  # a terminal that is gone
            print(words, file=sys.stderr)

    def _check(self, config: Config) -> None:
        """Refuse to resume what is not the run that the words speak of."""
        check_workers(config.workers, self.executor, self.ray_address)
        if config.game != self.game:
            raise OptionError(f"the run is one of {config.game}, not of {self.game}")
        if self.config is not None and config.preset != self.config:
            raise OptionError(f"the run began with the preset {config.preset!r}, not {self.config!r}")
        rules = self._rules()
        if rules is not None:
            preset = presets_of(config.game).get(config.preset)
            wanted = game_class(self.game)(**(rules if preset is None else preset.rules_with(rules))).options
            if dict(wanted) != dict(config.load_game().options):
                raise OptionError(f"the run has the rules {spell_options(config.load_game().options)}")


def progress_of_run() -> Progress:
    """Return a bar over the iterations on stderr, only for a terminal."""
    terminal = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("left:"),
        TimeRemainingColumn(),
    )  # fmt: skip
    return Progress(*columns, console=terminal, disable=not terminal.is_terminal, transient=True, redirect_stdout=False)


class _Bar:
    """Shows how far a run is, and tells what every evaluation has measured."""

    def __init__(self, bar: Progress, folder: Path, quiet: bool) -> None:
        self._bar, self._folder, self._quiet = bar, folder, quiet
        self._task = bar.add_task("loading", total=None)
        self._first = self._last = 0
        self.iteration = -1
        self.began = False

    def begins(self, first: int, last: int) -> None:
        """Be told which iterations are to come."""
        self._first, self._last, self.iteration, self.began = first, last, first - 1, True
        self._bar.update(self._task, total=float(last + 1 - first), completed=0.0)
        if not self._quiet:
            where = "begins" if first == 0 else f"goes on after iteration {first - 1}"
            self._say(f"The run in {self._folder} {where}. Ctrl-C stops it, --resume goes on.")

    def phase(self, iteration: int, name: str, done: int, total: int) -> None:
        """Move the bar."""
        begin, size = _PARTS[name] if iteration else (0.0, 1.0)
        part = begin + size * done / max(total, 1)
        words = f"iteration {iteration}/{self._last}: {name} {done}/{total}"
        self._bar.update(self._task, completed=iteration - self._first + part, description=words)

    def finished(self, iteration: int, metrics: Mapping[str, float]) -> None:
        """Move the bar on, and tell what was measured."""
        self.iteration = iteration
        self._bar.update(self._task, completed=float(iteration + 1 - self._first))
        scores = {name.removeprefix("eval/"): value for name, value in metrics.items() if name.startswith("eval/")}
        if scores and not self._quiet:
            told = ", ".join(f"{name.replace('_', ' ')} {value:.3g}" for name, value in scores.items())
            self._say(f"iteration {iteration}: {told}")

    def _say(self, text: str) -> None:
        if sys.stdout.isatty() and not self._bar.disable:
            self._bar.console.print(text, highlight=False, markup=False, soft_wrap=True)
        else:
            print(text, flush=True)


def _player(folder: Path, config: Config) -> str:
    """Return the spec string of the best network of a run, as it was measured."""
    simulations, nodes = config.evaluation.simulations, config.evaluation.nodes
    network = f"net:checkpoint={folder / 'best.safetensors'}"
    if nodes and config.network.kind == "nnue":
        return f"alphabeta:nodes={nodes},leaf=({network})"
    return network + (f",simulations={simulations}" if simulations else "")


def _document(config: Config, folder: Path, done: Checkpoint) -> dict[str, Any]:
    return {
        "game": config.game,
        "rules": dict(config.load_game().options),
        "folder": str(folder),
        "preset": config.preset,
        "method": config.method,
        "iterations": done.iteration,
        "games": done.games,
        "positions": done.positions,
        "train_steps": done.steps,
        "seconds": done.seconds,
        "best": {"iteration": done.best, "agent": _player(folder, config), **done.best_scores},
    }


def _say_result(config: Config, folder: Path, done: Checkpoint) -> None:
    """Say where the run stands and what can be done with it."""
    games = folder / "games" / f"{done.iteration:06d}.jsonl"
    rules = f" --rules {shlex.quote(spell_options(config.rules))}" if config.rules else ""
    out = console()
    lines = [
        f"{described(config)}: {done.iteration} iterations, {done.games:,} games, {done.positions:,} positions, "
        f"{done.steps:,} training steps, {done.seconds:,.0f} s.",
        f"Best network: that of iteration {done.best}.",
        f"Look at it:         tensorboard --logdir {shlex.quote(str(folder / 'tensorboard'))}",
    ]
    if games.exists():
        lines.append(f"Its games:          sekisho replay {shlex.quote(str(games))}")
    lines += [
        f"Play against it:    sekisho play {config.game}{rules} --seats human {shlex.quote(_player(folder, config))}",
        f"Measure it:         sekisho evaluate {config.game}{rules} --agent {shlex.quote(_player(folder, config))}",
    ]
    for line in lines:
        out.print(line, soft_wrap=True, markup=False, emoji=False, highlight=False)


def _show_settings(config: Config, as_json: bool) -> None:
    if as_json:
        print_json(
            {"game": config.game, "method": config.method, "preset": config.preset, "rules": config.rules}
            | {
                "settings": {
                    name: {"value": value, "meaning": help_of(name)} for name, value in settings_of(config).items()
                }
            }
        )
        return
    told = presets_of(config.game)[config.preset].help if config.preset in presets_of(config.game) else ""
    table = Table("setting", "value", "meaning", title=f"{described(config)}: {told}", title_justify="left")
    for name, value in settings_of(config).items():
        table.add_row(name, str(value), help_of(name))
    console().print(table, highlight=False)
