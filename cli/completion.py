"""`sekisho completion`."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import re
import typing
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union

import tyro

from ..agents.registry import agent_names
from ..arena.players import HUMAN
from ..envs.errors import RunError
from ..envs.options import spell_value
from ..envs.registry import game_class, game_names
from .common import GameWord
from .main import COMMANDS

HOW_TO = {
    "bash": (
        "mkdir -p ~/.local/share/sekisho && sekisho completion bash > ~/.local/share/sekisho/completion.bash",
        "in ~/.bashrc:  . ~/.local/share/sekisho/completion.bash",
    ),
    "zsh": (
        "mkdir -p ~/.zfunc && sekisho completion zsh > ~/.zfunc/_sekisho",
        "in ~/.zshrc:  fpath+=~/.zfunc; autoload -Uz compinit && compinit",
    ),
    "fish": (
        "mkdir -p ~/.config/fish/completions && sekisho completion fish > ~/.config/fish/completions/sekisho.fish",
    ),
}
"""For each shell what to run once, and what to add to a file of its own."""

_PLAYERS = {HUMAN: "a person", **agent_names()}
_SPEC = re.compile(r"^COMPLETION_SPEC = (.*)$", re.MULTILINE)
_ASKED = "get_completions(words, current_index, COMPLETION_SPEC)"
_MAIN = "def main() -> None:"
_OFFERED = r"""def offered(words, index, take_files, about, rules):
    found = of_rules(words[: index + 1], rules)
    if found is not None:
        return found or ["__NOTHING__"]
    found = get_completions(words, index, COMPLETION_SPEC)
    files = ["__TYRO_COMPLETE_FILES__"]
    if found == files or "".join(words[index : index + 1]).startswith("-"):
        return found
    plain = [line.split("\t") for line in found if not line.startswith("-")]
    told = [f"{word}\t{about.get(word, word) if line == word else line}" for word, line in plain]
    return told or ([] if words[1] in take_files else found) or files


def of_rules(words, rules):
    start = len(words) - words[::-1].index("--rules") if "--rules" in words else len(words)
    value = words[start:]
    for left, right in zip(value, value[1:]):
        if "=" not in (left[-1:], right[:1]):  # bash parts words at =, so one with none there begins another
            return None
    if not value:
        return None
    before, comma, begun = "".join(value).rpartition(",")
    known = rules[next((word for word in words[2:] if word in rules), "")]
    named = {pair.partition("=")[0] for pair in before.split(",")}
    name, is_value, _ = begun.partition("=")
    if is_value:
        offer = [(f"{name}={choice}", choice) for choice in known.get(name, ["", []])[1]]
    else:
        offer = [(f"{name}=", about) for name, (about, _) in known.items() if name not in named]
    return [f"{before}{comma}{text}\t{about}" for text, about in offer if text.startswith(begun)]


"""
"""What is offered: options where one is begun or nothing else can stand, else words, else files, for which tyro has that
mark; behind --rules the names of the options of the game, or of all games, and behind such a name what it can be."""
_REPAIRS = (
    # files are what bash itself offers where nothing else fits: only it knows folders from files, and blanks in names
    ('COMPREPLY=($(compgen -f -- "$cur"))', "COMPREPLY=()"),
    ("complete -F ", "complete -o default -F "),
    # nothing is another answer than files, and no blank follows a name that waits for its value (bash, zsh)
    (
        "  # Parse completions and build COMPREPLY array.",
        '  if [[ "$completions" == "__NOTHING__" ]]; then\n    COMPREPLY=()\n    compopt +o default 2>/dev/null\n    return 0\n  fi\n'
        "  [[ \"${completions%%$'\\t'*}\" == *= ]] && compopt -o nospace 2>/dev/null\n\n"
        "  # Parse completions and build COMPREPLY array.",
    ),
    (
        '  __tyro_tyro_sekisho_ltrim_colon_completions "$cur"\n',
        '  __tyro_tyro_sekisho_ltrim_colon_completions "$cur"\n'
        '  [[ "$cur" == *=* ]] && COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*=}"}"}")\n',
    ),
    (
        "  # Parse completions into an array for _describe.",
        '  [[ "$completions" == "__NOTHING__" ]] && return\n\n  # Parse completions into an array for _describe.',
    ),
    (
        "_describe 'sekisho completions' completion_array",
        "local -a room=()\n  [[ \"${completions%%$'\\t'*}\" == *= ]] && room=(-S '')\n"
        "  _describe 'sekisho completions' completion_array $room",
    ),
    # the same, and the word under the cursor too (fish)
    (
        '    if test "$results" = __TYRO',
        '    if test "$results" = __NOTHING__\n        return\n    end\n    if test "$results" = __TYRO',
    ),
    ('-c "$pycode" $words $current)', '-c "$pycode" $words (commandline -ct) $current)'),
)


@dataclass
class Command:
    """Print a script that lets a shell complete commands, games, options and files; without SHELL how to install it."""

    shell: Annotated[Literal["how-to", "bash", "zsh", "fish"], tyro.conf.Positional] = "how-to"
    """which shell"""

    def run(self) -> None:
        """Print the script, or how to install it."""
        if self.shell == "how-to":
            for shell, lines in HOW_TO.items():
                print("\n  ".join([f"{shell}:", *lines]))
        else:
            print(script(self.shell), end="")


def script(shell: str) -> str:
    """Return what tyro writes for a shell, from the very classes that read the command line, and what it leaves out."""
    commands = {name: importlib.import_module(f".{name}", __package__).Command for name in COMMANDS}
    spec = _SPEC.findall(_by_tyro("bash", commands))[0]
    known, take_files = ast.literal_eval(spec), []
    for name, entry in known["subcommands"].items():
        entry["description"] = COMMANDS[name]
        for option in entry["options"]:
            _name_agents(option)
        words = _first_words(commands[name])
        if words is None:
            take_files.append(name)
        for word, line in (words or {}).items():
            entry["subcommands"][word] = {**entry, "description": line, "subcommands": {}}
    spelled = _in_quotes if shell == "fish" else str  # there the program stands within double quotes
    text = _by_tyro(shell, commands).replace(spelled(spec), spelled(repr(known)))
    asked = f"offered(words, current_index, {take_files}, {_PLAYERS}, {_rules()})"
    text = text.replace(_ASKED, spelled(asked))
    text = text.replace(_MAIN, spelled(_OFFERED) + _MAIN)
    for old, new in _REPAIRS:
        text = text.replace(old, new)
    return text


def _by_tyro(shell: str, commands: dict[str, Any]) -> str:
    kinds: Any = Union[  # noqa: UP007  made of a tuple
        tuple(Annotated[kind, tyro.conf.subcommand(name=name)] for name, kind in commands.items())
    ]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        tyro.cli(
            kinds,
            prog="sekisho",
            args=["--tyro-print-completion", shell],
            config=(tyro.conf.OmitArgPrefixes, tyro.conf.OmitSubcommandPrefixes),
        )
    if not out.getvalue():
        raise RunError(f"tyro makes no completion for {shell}")
    return out.getvalue()


def _in_quotes(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")


def _name_agents(option: dict[str, Any]) -> None:
    """Let an option that takes spec strings offer the names of the agents."""
    if not {"--agent", "--agents", "--against", "--seats"}.isdisjoint(option["flags"]):
        option["type"] = "choice"
        option["choices"] = [name for name in _PLAYERS if name != HUMAN or "--seats" in option["flags"]]


def _rules() -> dict[str, dict[str, tuple[str, list[str]]]]:
    """Return the rule options of each game, and of all as those of "": a line on each, and its values if they are few."""
    games = {
        game: {
            option.name: (option.help, [spell_value(choice) for choice in option.choices])
            for option in game_class(game).OPTIONS
        }
        for game in game_names()
    }
    return {"": {name: told for options in games.values() for name, told in options.items()}, **games}


def _first_words(command: Any) -> dict[str, str] | None:
    """Return what the word without an option before it can be, with a line on each; None where it names a file."""
    for hint in typing.get_type_hints(command, include_extras=True).values():
        if tyro.conf.Positional in getattr(hint, "__metadata__", ()):
            if hint == GameWord:
                return {name: game_class(name).title for name in game_names()}
            words = typing.get_args(typing.get_args(hint)[0])
            return {word: f"for {word}" for word in words if word in HOW_TO} or None
    return {}
