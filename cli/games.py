"""`sekisho games`."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table

from ..envs.options import spell_value
from ..envs.registry import game_class, game_names
from .common import Flag, console, print_json


@dataclass
class Command:
    """List the games, and the options that --rules takes for each."""

    json: Flag = False
    """print one JSON document"""

    def run(self) -> None:
        """Print the list."""
        if self.json:
            print_json([_description(name) for name in game_names()])
            return
        out = console()
        for name in game_names():
            game = game_class(name)
            table = Table(title=f"{name}: {game.title}", title_justify="left")
            for column in ("option", "default", "values", "meaning"):
                table.add_column(column)
            default = game().options
            for option in game.OPTIONS:
                table.add_row(option.name, spell_value(default[option.name]), option.expected, option.help)
            out.print(table)


def _description(name: str) -> dict[str, object]:
    game = game_class(name)
    default = game().options
    options = [{"name": o.name, "default": default[o.name], "values": o.expected, "help": o.help} for o in game.OPTIONS]
    return {"name": name, "title": game.title, "options": options}
