"""What a run of training is told: its settings by name, checked, as words and as JSON."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ..agents.networks.config import NetworkConfig
from ..agents.networks.forward import BACKENDS
from ..arena.executors import MOST_WORKERS
from ..envs.core import Game
from ..envs.errors import OptionError, UnknownNameError, nearest, shown
from ..envs.registry import load_game
from .sections import Evaluation, Imitation, Keeping, Learning, Searches, SelfPlay, Values, check_kind, kind_in_words

CONFIG_FORMAT = 2
SELFPLAY, VALUES, SEARCH, IMITATION = "selfplay", "values", "search", "imitation"
"""The ways to learn: from a network that plays itself, from values alone, from searches, from a teacher."""
_MANY = 10**9


@dataclass(frozen=True)
class Config:
    """A run of training."""

    game: str
    """name of the game"""
    method: str = SELFPLAY
    """selfplay: search and learn from it (AlphaZero); values: value learning, for tokaido; search: learning from
    alpha-beta, or with four players from mcts, for quoridor; imitation: what a teacher, any agent, plays and thinks"""
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
    selfplay: SelfPlay = field(default_factory=SelfPlay)
    """how games are played"""
    learning: Learning = field(default_factory=Learning)
    """how the network learns from them"""
    values: Values = field(default_factory=Values)
    """how values are learned"""
    search: Searches = field(default_factory=Searches)
    """how values are learned from searches"""
    imitation: Imitation = field(default_factory=Imitation)
    """how a teacher is learned from"""
    evaluation: Evaluation = field(default_factory=Evaluation)
    """how it is measured"""
    keeping: Keeping = field(default_factory=Keeping)
    """what stays"""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    """shape of the network"""

    def __post_init__(self) -> None:
        for part in dataclasses.fields(self):
            value = getattr(self, part.name)
            if part.name in SECTIONS:
                _check_part(part.name, value, SECTIONS[part.name], f"a {SECTIONS[part.name].__name__}")
            elif part.name == "rules":
                _check_part(part.name, value, Mapping, "rule options by their names")
            else:
                check_kind(part.name, value, str if part.name == "game" else type(part.default))
        if self.method not in _USED:
            raise OptionError(f"there is no method {self.method!r} of training; {nearest(str(self.method), _USED)}")
        for key, value in settings_of(self).items():
            _check_range(key, value)

    def load_game(self) -> Game:
        """Return the game that is learned."""
        return load_game(self.game, **self.rules)

    def to_dict(self) -> dict[str, Any]:
        """Return the configuration as JSON values, without what its method has no use for."""
        used = {key: value for key, value in asdict(self).items() if key not in SECTIONS or key in _USED[self.method]}
        return {"format": CONFIG_FORMAT, **used, "rules": dict(self.rules)}

    @classmethod
    def from_dict(cls, data: Any) -> Config:
        """Read what `to_dict` wrote.

        Raises:
            OptionError: if it is something else; what is missing or wrong is named.
        """
        if not isinstance(data, dict) or data.get("format") != CONFIG_FORMAT:
            raise OptionError(f"expected a configuration of format {CONFIG_FORMAT}, not {shown(data)}")
        values = {key: value for key, value in data.items() if key != "format"}
        sections = _USED.get(str(values.get("method")), _USED[SELFPLAY])
        names = {part.name for part in dataclasses.fields(cls) if part.name not in SECTIONS or part.name in sections}
        if values.keys() != names or not isinstance(values["rules"], dict):
            wrong = ", ".join(sorted(values.keys() ^ names)) or "rules"
            raise OptionError(f"a configuration has the keys {', '.join(sorted(names))}; these differ: {wrong}")
        for name in sections:
            section = SECTIONS[name]
            keys = {part.name for part in dataclasses.fields(section)}
            later = {key for key in keys if f"{name}.{key}" in _LATER}
            if not isinstance(values[name], dict) or values[name].keys() | later != keys:
                raise OptionError(f"section {name!r} of a configuration has the keys {', '.join(sorted(keys))}")
            for key, value in values[name].items():
                _check_kind(f"{name}.{key}", value)
            values[name] = section(**values[name])
        for key in _SINGLE:
            _check_kind(key, values[key])
        return cls(**values)


_LATER = {"learning.start", "imitation.opponent", "imitation.doubt", "imitation.weigh"}
"""Settings that older configurations lack; by default they change nothing."""

SECTIONS: dict[str, Any] = {
    "selfplay": SelfPlay,
    "learning": Learning,
    "values": Values,
    "search": Searches,
    "imitation": Imitation,
    "evaluation": Evaluation,
    "keeping": Keeping,
    "network": NetworkConfig,
}
"""The parts of a configuration; a setting of one is named ``section.key``."""
_USED = {
    SELFPLAY: ("selfplay", "learning", "evaluation", "keeping", "network"),
    VALUES: ("values", "evaluation", "keeping", "network"),
    SEARCH: ("search", "evaluation", "keeping", "network"),
    IMITATION: ("imitation", "learning", "evaluation", "keeping", "network"),
}
"""The sections that a method uses."""
_ELSEWHERE = {
    "game": "it is the first word of sekisho train",
    "rules": "they are given by --rules and --players",
    "preset": "it is given by --config",
    "method": "it comes with the preset, --config",
}
"""How a configuration gets the rest of its fields, for whoever takes them for settings."""
_SINGLE = ("seed", "iterations", "workers", "device", "threads")
_WORDS = {
    "device": ("auto", "cpu", "cuda"),
    "selfplay.backend": BACKENDS,
    "learning.optimizer": ("adamw", "sgd"),
    "learning.schedule": ("constant", "cosine"),
    "learning.precision": ("auto", "float32", "bfloat16"),
}
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
    "values.two": (0.01, 0.99),
    "values.three": (0, 0.99),
    "values.often": (0, 1),
    "values.most_players": (4, 6),
    "values.learning_rate": (0, 10),
    "values.decay": (0, 1),
    "values.explore": (0, 1),
    "values.resigned": (0, 1),
    "values.sharpness": (0, 1e6),
    "values.policy_weight": (0, 1e3),
    "values.average": (0, 0.999999),
    "search.nodes": (2, _MANY),
    "search.stops": (0, 10**4),
    "search.opening": (2, 1000),
    "search.explore": (0, 1),
    "search.by_hand": (0, _MANY),
    "search.learning_rate": (0, 10),
    "search.weight_decay": (0, 10),
    "search.result": (0, 1),
    "search.held_back": (2, _MANY),
    "imitation.opening": (0, 1000),
    "imitation.explore": (0, 1),
    "imitation.student": (0, 1),
    "imitation.teacher_value": (0, 1),
    "imitation.doubt": (0, 2),
    "imitation.weigh": (0, 1000),
    "evaluation.games": (2, 10**6),
    "evaluation.simulations": (0, 10**6),
    "evaluation.mcts": (0, 10**6),
    "evaluation.nodes": (0, _MANY),
    "keeping.every": (0, _MANY),
    "keeping.records": (0, 10**6),
}
"""Least and largest values; what is not listed is a whole number of at least 1, or a truth value."""


def settings_of(config: Config) -> dict[str, Any]:
    """Return every setting but game, method, rules and preset by its name, ``section.key`` or ``key``.

    Only the sections that its method uses count.
    """
    found = {name: getattr(config, name) for name in _SINGLE}
    for name in _USED[config.method]:
        part = getattr(config, name)
        found |= {f"{name}.{key.name}": getattr(part, key.name) for key in dataclasses.fields(part)}
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
        if name not in known and name in _DEFAULTS:
            raise OptionError(
                f"setting {name!r} has no part in a run whose method is {config.method!r}, as in the preset "
                f"{config.preset!r}; its sections are {', '.join(_USED[config.method])}"
            )
        if name in _ELSEWHERE:
            raise OptionError(f"{name!r} is no setting: {_ELSEWHERE[name]}")
        if name not in known:
            raise UnknownNameError(f"there is no setting {name!r}; {nearest(str(name), _likely(str(name), known))}")
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
        expected = kind_in_words(kind)
        raise OptionError(f"setting {name!r} must be {expected}, not {shown(word)}") from None


def help_of(name: str) -> str:
    """Return the line that stands below a setting, given as ``section.key`` or ``key``."""
    section, _, key = name.rpartition(".")
    return _LINES[(SECTIONS[section] if section else Config).__name__][key]


def _check_kind(name: str, value: Any) -> None:
    check_kind(name, value, type(_DEFAULTS[name]))


def _check_part(name: str, value: Any, kind: type[Any], expected: str) -> None:
    if not isinstance(value, kind):
        raise OptionError(f"{name!r} of a configuration must be {expected}, not {shown(value)}")


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


_DEFAULTS = {name: value for method in _USED for name, value in settings_of(Config(game="", method=method)).items()}
_LINES = _lines()
