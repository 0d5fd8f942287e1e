"""What a run of training is told: every number of it, with one line of help each."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ..agents.networks.config import NetworkConfig
from ..agents.networks.forward import BACKENDS
from ..arena.executors import MOST_WORKERS
from ..envs.core import Game
from ..envs.errors import OptionError, UnknownNameError, nearest, shown
from ..envs.registry import load_game

CONFIG_FORMAT = 1
_MANY = 10**9


@dataclass(frozen=True)
class SelfPlay:
    """How games are played to learn from."""

    games: int = 64
    """games of an iteration"""
    tables: int = 32
    """games that one process plays side by side, so that one question to the network serves all of them"""
    simulations: int = 200
    """visits of the root in a full search, those of the kept tree included"""
    fast_simulations: int = 40
    """the same in a quick search, whose move is played but not learned from (playout cap randomisation, Wu 2019)"""
    full_share: float = 0.25
    """share of the searches that are full ones, above 0; 1 for no quick ones"""
    leaves: int = 1
    """leaves of one tree that may wait for the network at a time"""
    exploration: float = 1.5
    """constant of PUCT, in returns (-1..1)"""
    first_play: float = -0.2
    """what an untried action counts as, in returns above its node's value"""
    noise: float = 0.25
    """share of Dirichlet noise in the priors at the root of a full search"""
    concentration: float = 10.0
    """concentration of that noise, spread over the legal actions"""
    temperature: float = 1.0
    """moves are drawn by visits ** (1 / temperature) at first; 0 plays the most visited"""
    temperature_decisions: int = 20
    """decisions of a game that are drawn at that temperature"""
    late_temperature: float = 0.25
    """temperature of the decisions after that"""
    max_plies: int = 1000
    """plies, throws included, after which a game is broken off and counts as a draw for all seats"""
    search_value: float = 0.25
    """share of the search's own value in the target of the value, the rest being the result of the game"""
    backend: str = "auto"
    """what runs the network in self-play: auto, compiled, onnx or torch"""


@dataclass(frozen=True)
class Learning:
    """How the network learns from them."""

    batch_size: int = 256
    """positions of a training step"""
    optimizer: str = "adamw"
    """adamw or sgd"""
    learning_rate: float = 1e-3
    """at its highest"""
    schedule: str = "cosine"
    """constant, or cosine: down to a twentieth at the last iteration"""
    warmup_steps: int = 50
    """training steps in which the learning rate rises from zero"""
    momentum: float = 0.9
    """share of the last step that goes into the next; of sgd alone"""
    weight_decay: float = 1e-4
    """decoupled with adamw, part of the gradient with sgd"""
    clip: float = 1.0
    """largest norm of a gradient; longer ones are shortened to it"""
    value_weight: float = 1.0
    """weight of the value's loss beside that of the policy"""
    window: int = 100_000
    """positions in the replay buffer, at most; whole iterations leave it, the oldest first"""
    reuse: float = 4.0
    """training steps are as many as make each new position be learned from so often, on average"""
    reuse_limit: int = 8
    """how often a position is learned from, at most"""
    symmetries: bool = True
    """whether each position is shown in a random one of the game's symmetries"""
    precision: str = "auto"
    """of a training step: float32, bfloat16, or auto: bfloat16 on a GPU that computes with it"""


@dataclass(frozen=True)
class Evaluation:
    """How its play is measured on the way."""

    every: int = 1
    """iterations between two evaluations; the untrained and the last network are always measured"""
    games: int = 20
    """games against each opponent, seats exchanged"""
    simulations: int = 50
    """of the network's search for a move; 0 plays what its policy likes best"""
    mcts: int = 200
    """simulations of the reference `mcts` opponent; 0 for none"""
    exact: bool = True
    """whether the exact loss is worked out where the game is solved and small enough"""


@dataclass(frozen=True)
class Keeping:
    """What stays of a run."""

    last: int = 2
    """newest checkpoints that are kept"""
    every: int = 10
    """every so manieth checkpoint is kept for good; 0 for none"""
    records: int = 2
    """games of self-play of each iteration that are kept as records"""


@dataclass(frozen=True)
class Config:
    """A run of training."""

    game: str
    """name of the game"""
    rules: Mapping[str, Any] = field(default_factory=dict)
    """rule options that are not the game's own defaults"""
    preset: str = ""
    """name of the preset that it began with"""
    seed: int = 0
    """the same seed makes the same run, on the same kind of machine"""
    iterations: int = 20
    """rounds of self-play and learning"""
    workers: int = 1
    """how many play at the same time; 1 plays in the process that learns. Their number changes nothing but the time"""
    device: str = "auto"
    """where the network learns: cpu, cuda, or auto"""
    threads: int = 1
    """of torch on a CPU; results are repeatable for the same number"""
    selfplay: SelfPlay = SelfPlay()
    """how games are played"""
    learning: Learning = Learning()
    """how the network learns"""
    evaluation: Evaluation = Evaluation()
    """how it is measured"""
    keeping: Keeping = Keeping()
    """what stays"""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    """shape of the network"""

    def __post_init__(self) -> None:
        for key, value in settings_of(self).items():
            _check_range(key, value)

    def load_game(self) -> Game:
        """Return the game that is learned."""
        return load_game(self.game, **self.rules)

    def to_dict(self) -> dict[str, Any]:
        """Return the configuration as JSON values."""
        return {"format": CONFIG_FORMAT, **asdict(self), "rules": dict(self.rules)}

    @classmethod
    def from_dict(cls, data: Any) -> Config:
        """Read what `to_dict` wrote.

        Raises:
            OptionError: if it is something else; what is missing or wrong is named.
        """
        if not isinstance(data, dict) or data.get("format") != CONFIG_FORMAT:
            raise OptionError(f"expected a configuration of format {CONFIG_FORMAT}, not {shown(data)}")
        values = {key: value for key, value in data.items() if key != "format"}
        names = {part.name for part in dataclasses.fields(cls)}
        if values.keys() != names or not isinstance(values["rules"], dict):
            wrong = ", ".join(sorted(values.keys() ^ names)) or "rules"
            raise OptionError(f"a configuration has the keys {', '.join(sorted(names))}; these differ: {wrong}")
        for name, section in SECTIONS.items():
            keys = {part.name for part in dataclasses.fields(section)}
            if not isinstance(values[name], dict) or values[name].keys() != keys:
                raise OptionError(f"section {name!r} of a configuration has the keys {', '.join(sorted(keys))}")
            for key, value in values[name].items():
                _check_kind(f"{name}.{key}", value)
            values[name] = section(**values[name])
        for key in _SINGLE:
            _check_kind(key, values[key])
        return cls(**values)


SECTIONS: dict[str, Any] = {
    "selfplay": SelfPlay,
    "learning": Learning,
    "evaluation": Evaluation,
    "keeping": Keeping,
    "network": NetworkConfig,
}
"""The parts of a configuration; a setting of one is named ``section.key``."""
_SINGLE = ("seed", "iterations", "workers", "device", "threads")
_WORDS = {
    "device": ("auto", "cpu", "cuda"),
    "selfplay.backend": BACKENDS,
    "learning.optimizer": ("adamw", "sgd"),
    "learning.schedule": ("constant", "cosine"),
    "learning.precision": ("auto", "float32", "bfloat16"),
}
_KINDS: dict[type[Any], str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
_RANGES: dict[str, tuple[float, float]] = {
    "seed": (0, 2**31 - 1),
    "workers": (1, MOST_WORKERS),
    "threads": (1, 256),
    "selfplay.tables": (1, 4096),
    "selfplay.simulations": (2, 10**6),
    "selfplay.fast_simulations": (2, 10**6),
    "selfplay.full_share": (0.001, 1),
    "selfplay.leaves": (1, 256),
    "selfplay.exploration": (0, 1e3),
    "selfplay.first_play": (-1e3, 1e3),
    "selfplay.noise": (0, 1),
    "selfplay.concentration": (1e-3, 1e6),
    "selfplay.temperature": (0, 1e3),
    "selfplay.temperature_decisions": (0, _MANY),
    "selfplay.late_temperature": (0, 1e3),
    "selfplay.search_value": (0, 1),
    "learning.learning_rate": (0, 10),
    "learning.warmup_steps": (0, _MANY),
    "learning.momentum": (0, 0.9999),
    "learning.weight_decay": (0, 1),
    "learning.clip": (1e-6, 1e6),
    "learning.value_weight": (0, 1e3),
    "learning.reuse": (0.01, 1e3),
    "learning.reuse_limit": (1, 127),
    "evaluation.games": (2, 10**6),
    "evaluation.simulations": (0, 10**6),
    "evaluation.mcts": (0, 10**6),
    "keeping.every": (0, _MANY),
    "keeping.records": (0, 10**6),
}
"""Least and largest values; what is not listed is a whole number of at least 1, or a truth value."""


def settings_of(config: Config) -> dict[str, Any]:
    """Return every setting but game, rules and preset by its name, ``section.key`` or ``key``."""
    found = {name: getattr(config, name) for name in _SINGLE}
    for name, section in SECTIONS.items():
        part = getattr(config, name)
        found |= {f"{name}.{key.name}": getattr(part, key.name) for key in dataclasses.fields(section)}
    return found


def with_settings(config: Config, changes: Mapping[str, Any]) -> Config:
    """Return a configuration with some settings changed.

    Args:
        config: what is changed.
        changes: values by the names of `settings_of`.

    Raises:
        UnknownNameError: for a setting that does not exist; the nearest is named.
        OptionError: for a value that it cannot have.
    """
    known = settings_of(config)
    parts: dict[str, dict[str, Any]] = {}
    single: dict[str, Any] = {}
    for name, value in changes.items():
        if name not in known:
            raise UnknownNameError(f"there is no setting {name!r}; {nearest(name, _likely(name, known))}")
        _check_kind(name, value)
        section, dot, key = name.partition(".")
        if dot:
            parts.setdefault(section, {})[key] = value
        else:
            single[name] = value
    replaced = {name: dataclasses.replace(getattr(config, name), **values) for name, values in parts.items()}
    changed: Any = {**single, **replaced}
    return dataclasses.replace(config, **changed)


def _likely(name: str, known: Mapping[str, Any]) -> list[str]:
    """Return the settings among which the nearest is looked for: those of the section, or of that key."""
    section, _, key = name.rpartition(".")
    same_key = [other for other in known if other.rpartition(".")[2] == key]
    same_section = [other for other in known if section and other.startswith(f"{section}.")]
    return same_key or same_section or list(known)


def parse_setting(text: str) -> tuple[str, Any]:
    """Return name and value of a setting written ``name=value``.

    Raises:
        OptionError: if it is written otherwise, or the value is not of the setting's kind.
        UnknownNameError: for a setting that does not exist.
    """
    name, equals, word = (part.strip() for part in text.partition("="))
    if not equals:
        raise OptionError(f"a setting is written name=value, not {shown(text)}")
    kind: type[Any] = type(_DEFAULTS[name]) if name in _DEFAULTS else str
    try:
        if kind is bool:
            return name, {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}[word]
        return name, int(word.replace("_", "")) if kind is int else kind(word)
    except (KeyError, ValueError):
        expected = _KINDS[kind]
        raise OptionError(f"setting {name!r} must be {expected}, not {shown(word)}") from None


def help_of(name: str) -> str:
    """Return the line that stands below a setting, given as ``section.key`` or ``key``."""
    section, _, key = name.rpartition(".")
    return _LINES[(SECTIONS[section] if section else Config).__name__][key]


def _check_kind(name: str, value: Any) -> None:
    expected = type(_DEFAULTS[name])
    fits = type(value) is expected or (expected is float and type(value) is int)
    if not fits or (isinstance(value, float) and not math.isfinite(value)):
        raise OptionError(f"setting {name!r} must be {_KINDS[expected]}, not {shown(value)}")


def _check_range(name: str, value: Any) -> None:
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise OptionError(f"setting {name!r}: there is no {value!r}; {nearest(str(value), _WORDS[name])}")
    elif not isinstance(value, bool | str):
        least, most = _RANGES.get(name, (1, _MANY))
        if not least <= value <= most:
            raise OptionError(f"setting {name!r} must be {least}..{most}, not {shown(value)}")


def _lines() -> dict[str, dict[str, str]]:
    """Return the text below each field of the classes of this file and of `NetworkConfig`, read from the sources."""
    import ast
    import inspect

    found: dict[str, dict[str, str]] = {}
    for kind in (Config, *SECTIONS.values()):
        (tree,) = ast.parse(inspect.getsource(kind)).body
        body = tree.body if isinstance(tree, ast.ClassDef) else []
        lines = found.setdefault(kind.__name__, {})
        for statement, after in itertools.pairwise(body):
            if isinstance(statement, ast.AnnAssign) and isinstance(after, ast.Expr):
                lines[ast.unparse(statement.target)] = str(ast.literal_eval(after.value))
    return found


_DEFAULTS = settings_of(Config(game=""))
_LINES = _lines()
