"""The options of the text engine: which game under which rules, who thinks, and how."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..agents.registry import agent_names, make_agent
from ..envs.errors import OptionError, UnknownNameError, nearest, shown
from ..envs.options import Option, parse_options, spell_value, whole_number
from ..envs.registry import game_class, game_names, load_game

MAX_SEED, MAX_THREADS, MAX_LINES = 2**63 - 1, 64, 64


class Settings:
    """What ``setoption`` has set.

    Attributes:
        game: what is played.
        agent: spec string of who thinks.
        seed: of its random choices.
        threads: for agents that have an option of that name; 1 leaves it to the spec string.
        lines: how many of the best moves are reported.
    """

    def __init__(self) -> None:
        self._rules: dict[str, Any] = {}
        self.game = load_game("quoridor")
        self.agent = "mcts"
        self.seed, self.threads, self.lines = 0, 1, 1
        self._setters: dict[str, Callable[[str], None]] = {
            "game": self._set_game, "rules": self._set_rules, "agent": self._set_agent, "seed": self._set_seed,
            "threads": self._set_threads, "multipv": self._set_lines,
        }  # fmt: skip

    def described(self) -> Iterator[str]:
        """Yield a line of the protocol for each option; the rule options are those of the game that is set."""
        games = " ".join(f"var {name}" for name in game_names())
        yield f"option name Game type combo default {self.game.name} {games}"
        yield "option name Rules type string default <empty>"
        yield f"option name Agent type string default {self.agent}"
        yield f"option name Seed type spin default {self.seed} min 0 max {MAX_SEED}"
        yield f"option name Threads type spin default {self.threads} min 1 max {MAX_THREADS}"
        yield f"option name MultiPV type spin default {self.lines} min 1 max {MAX_LINES}"
        for option in self.game.OPTIONS:
            yield f"option name {option.name} type {_kind(option, self.game.options[option.name])}"

    def set(self, name: str, value: str) -> None:
        """Set an option; names are read without regard to case, of the rule options of the game too.

        Raises:
            UnknownNameError: if there is none of that name.
            OptionError: if it cannot have that value, or the rules contradict each other then; nothing is changed.
        """
        if name.lower() in self._setters:
            self._setters[name.lower()](value)
            return
        for option in self.game.OPTIONS:
            if option.name == name.lower():
                self._choose(self.game.name, self._rules | {option.name: option.parse(value)})
                return
        known = ["Game", "Rules", "Agent", "Seed", "Threads", "MultiPV", *(option.name for option in self.game.OPTIONS)]
        raise UnknownNameError(f"there is no option {shown(name)}; {nearest(name, known)}")

    def _choose(self, name: str, rules: Mapping[str, Any]) -> None:
        self.game, self._rules = load_game(name, **rules), dict(rules)

    def _set_game(self, value: str) -> None:
        if value.lower() != self.game.name:
            self._choose(value.lower(), {})

    def _set_rules(self, value: str) -> None:
        self._choose(self.game.name, read_rules(self.game.name, value))

    def _set_agent(self, value: str) -> None:
        if not value:
            raise OptionError(f"Agent is a spec string; {nearest(value, agent_names())}")
        make_agent(value)
        self.agent = value

    def _set_seed(self, value: str) -> None:
        self.seed = _number(value, "Seed", 0, MAX_SEED)

    def _set_threads(self, value: str) -> None:
        self.threads = _number(value, "Threads", 1, MAX_THREADS)

    def _set_lines(self, value: str) -> None:
        self.lines = _number(value, "MultiPV", 1, MAX_LINES)


def read_rules(game: str, text: str) -> dict[str, Any]:
    """Return rule options from ``key=value`` pairs apart by commas or from a JSON object.

    Raises:
        OptionError: if it is neither.
        UnknownNameError: for an option that the game does not have.
    """
    if text in ("", "<empty>"):
        return {}
    if not text.startswith("{"):
        return parse_options(game_class(game).OPTIONS, text, game)
    try:
        rules = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise OptionError(f"Rules: no JSON: {error}") from error
    return {str(name): value for name, value in rules.items()}


def _kind(option: Option, value: Any) -> str:
    """Return the type of an option as the protocol has it, with the value that it has now as its default."""
    if type(option) is not Option or (option.allow_none and not option.choices):
        return f"string default {spell_value(value)}"
    if {True, False} == set(option.choices) and all(isinstance(choice, bool) for choice in option.choices):
        return f"check default {spell_value(value)}"
    if option.choices:
        variants = " ".join(f"var {spell_value(choice)}" for choice in option.choices)
        return f"combo default {spell_value(value)} {variants}"
    return f"spin default {value} min {option.minimum} max {option.maximum}"


def _number(text: str, name: str, least: int, most: int) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else text
    return whole_number(number, name, least, most)
