"""`sekisho completion`."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import io
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union

import tyro

from ..envs.errors import RunError
from ..envs.registry import game_names
from .main import COMMANDS

_FILES = "__TYRO_COMPLETE_FILES__"  # tyro's mark for: the shell is to offer files
_REPAIRS = (
    # files wherever nothing of ours fits, for tyro knows none for words without an option before them
    ("get_completions(words, current_index, COMPLETION_SPEC)", f"(\\g<0> or ['{_FILES}'])"),
    # files that begin with the word under the cursor, not with the words before it too (bash)
    ('compgen -f -- "$cur"', 'compgen -f -- "${COMP_WORDS[COMP_CWORD]}"'),
)

HOW_TO = {
    "bash": 'add to ~/.bashrc:  eval "$(sekisho completion bash)"',
    "zsh": "sekisho completion zsh > ~/.zfunc/_sekisho, and in ~/.zshrc before compinit:  fpath+=~/.zfunc",
    "fish": "sekisho completion fish > ~/.config/fish/completions/sekisho.fish",
}


@dataclass
class Command:
    """Print a script that lets a shell complete commands, games, options and files; without SHELL how to install it."""

    shell: Annotated[Literal["how-to", "bash", "zsh", "fish"], tyro.conf.Positional] = "how-to"
    """which shell"""

    def run(self) -> None:
        """Print the script, or how to install it."""
        if self.shell == "how-to":
            print("\n".join(f"{shell}: {line}" for shell, line in HOW_TO.items()))
        else:
            print(script(self.shell), end="")


def script(shell: str) -> str:
    """Return what tyro writes for a shell, from the very classes that read the command line."""
    commands: Any = Union[  # noqa: UP007  made of a tuple
        tuple(
            Annotated[Any, tyro.conf.subcommand(name=name, description=line, constructor=_with_games(name))]
            for name, line in COMMANDS.items()
        )
    ]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        tyro.cli(
            commands,
            prog="sekisho",
            args=["--tyro-print-completion", shell],
            config=(tyro.conf.OmitArgPrefixes, tyro.conf.OmitSubcommandPrefixes),
        )
    text = out.getvalue()
    if not text:
        raise RunError(f"tyro makes no completion for {shell}")
    for old, new in _REPAIRS:
        text = text.replace(old, new.replace("\\g<0>", old))
    return text


def _with_games(name: str) -> Any:
    """Return the class of a command, with the names of the games as subcommands, which is what tyro can complete."""
    command = importlib.import_module(f".{name}", __package__).Command
    if not any(field.name == "game" and field.type == "GameWord" for field in dataclasses.fields(command)):
        return command
    games: Any = Union[  # noqa: UP007
        tuple(Annotated[command, tyro.conf.subcommand(name=game)] for game in game_names())
    ]
    return dataclasses.make_dataclass("Completed", [("rest", games)], bases=(command,), kw_only=True)
