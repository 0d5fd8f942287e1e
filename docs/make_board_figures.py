"""Write the figures of the shipped boards into their rules anew: python docs/make_board_figures.py."""

from __future__ import annotations

import re
from pathlib import Path

from sekisho.agents.exact.picture_analysis import Analysis, analyze
from sekisho.agents.exact.picture_edits import spelt
from sekisho.agents.exact.picture_swings import swings
from sekisho.envs.errors import RunError
from sekisho.envs.files import write_text_atomically
from sekisho.envs.picture_sugoroku.boards import SHIPPED
from sekisho.envs.picture_sugoroku.rules import PictureSugoroku

PAGE = Path(__file__).parent / "rules" / "picture_sugoroku.md"
PLACE = re.compile(r"(<!-- board figures -->\n).*?(<!-- end of board figures -->)", re.DOTALL)
SECONDS_A_ROLL = 5
OTHER_RULES = {'`goal="exact"`': {"goal": "exact"}, "`chain=False`": {"chain": False}}


def minutes(analysis: Analysis) -> str:
    """Return how long a game takes at the table."""
    return f"{analysis.rolls * SECONDS_A_ROLL / 60:.1f}"


def largest_swing(game: PictureSugoroku) -> str:
    """Return the size and the square of the largest swing."""
    found = swings(game) or {}
    square = max(found, key=lambda square: abs(found[square]))
    return f"{abs(found[square]):.2f} ({square}, {spelt(game.board.squares[square])})"


def row(name: str) -> str:
    """Return a board's row of the table."""
    games = {players: PictureSugoroku(board=name, players=players) for players in range(2, 7)}
    figures = {players: analyze(game) for players, game in games.items()}
    board = games[4].board
    cells = [
        f"`{name}` " + ", ".join(board.title(language) for language in ("en", "es", "bn", "ja")),
        f"{board.goal + 1}",
        f"{len(board.squares)}",
        minutes(figures[4]),
        " / ".join(f"{found.rolls:.1f}" for found in figures.values()),
        " / ".join(f"{found.turns:.1f}" for found in figures.values()),
        f"{figures[2].win[0]:.4f} / {figures[4].win[0]:.4f}",
        f"{figures[4].own_turns:.1f}",
        " / ".join(largest_swing(games[players]) for players in (2, 4, 6)),
        *(minutes(analyze(PictureSugoroku(board=name, players=4, **rules))) for rules in OTHER_RULES.values()),
    ]
    return f"| {' | '.join(cells)} |"


def table() -> str:
    """Return the table of the shipped boards."""
    head = [
        "board",
        "squares",
        "with an instruction",
        "minutes, 4 players",
        "rolls, 2 / 3 / 4 / 5 / 6 players",
        "turns, 2 / 3 / 4 / 5 / 6 players",
        "first seat wins, 2 / 4 players",
        "own turns of one player",
        "largest swing, 2 / 4 / 6 players",
        *(f"minutes with {words}" for words in OTHER_RULES),
    ]
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *map(row, SHIPPED)]) + "\n"


def main() -> None:
    """Replace the table that stands between the two marks."""
    page, count = PLACE.subn(lambda match: match[1] + table() + match[2], PAGE.read_text(encoding="utf-8"))
    if count != 1:
        raise RunError(f"{PAGE.name} must hold the marks of the table once, not {count} times")
    write_text_atomically(PAGE, page)


if __name__ == "__main__":
    main()
