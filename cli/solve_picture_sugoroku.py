"""`sekisho solve picture_sugoroku`: the exact figures of a board, and what to change on it."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from ..agents.exact.picture_analysis import Analysis, analyze
from ..agents.exact.picture_edits import Edit, Figures, Wish, figures_of, spelt, suggest
from ..agents.exact.picture_swings import swings
from ..envs.errors import OptionError, RunError, shown
from ..envs.files import require_replaceable, write_text_atomically
from ..envs.options import parse_options
from ..envs.picture_sugoroku.rules import PictureSugoroku
from .common import console, print_json, progress
from .words import cell

if TYPE_CHECKING:
    from .solve import Command

_MOST_EDITS = 100
LENGTH_OFF = 0.1
"""A wished length counts as reached when a game's differs by no more than this share of it."""
(_BOARD,) = (option for option in PictureSugoroku.OPTIONS if option.name == "board")


def run(command: Command, game: PictureSugoroku) -> None:
    """Analyse a game; print the figures, and with ``--suggest`` the changes."""
    _check(command)
    output = command.file()
    if output is not None:
        _require_replaceable(output)
    if command.board is not None:
        game = _on_board(game, command)
    begin = time.perf_counter()
    analysis = analyze(game)
    document = _document(game, analysis, command.seconds_a_roll)
    if command.squares:
        found = swings(game)
        document["swings"] = found and {str(square): swing for square, swing in found.items()}
    document["seconds"] = time.perf_counter() - begin
    unreached = ""
    wish = _wish(command)
    if command.suggest:
        edits = _suggestions(game, wish, command.edits)
        document["edits"] = [_edit(edit, figures, command.seconds_a_roll) for edit, figures in edits]
        words, best = (
            (edits[0][0].words, edits[0][1]) if edits else ("the board as it is", figures_of(game.board, game))
        )
        unreached = _unreached(wish, words, best, command.seconds_a_roll) if best else ""
        document["reached"] = not unreached
    if output is not None:
        _write(output, document)
    if command.json:
        print_json(document)
    else:
        _show_all(command, game, document)
    if unreached and best and wish.excess(best) > 0:
        raise RunError(unreached)
    if unreached:
        print(f"sekisho: {unreached}", file=sys.stderr)


def _show_all(command: Command, game: PictureSugoroku, document: dict[str, Any]) -> None:
    out = console()
    _show(out, game, document)
    if command.squares:
        _show_squares(out, game, document["swings"])
    if command.suggest:
        _show_edits(out, document["edits"])


def _check(command: Command) -> None:
    numbers = {
        "--seconds-a-roll": command.seconds_a_roll,
        "--minutes": command.minutes,
        "--turns": command.turns,
        "--max-advantage": command.max_advantage,
    }
    for name, number in numbers.items():
        if number is not None and not 1e-6 <= number <= 1e9:  # NaN is refused as well
            raise OptionError(f"{name} must be a number above 0, at most 1e9, not {number}")
    if not 1 <= command.edits <= _MOST_EDITS:
        raise OptionError(f"--edits must be 1..{_MOST_EDITS}, not {command.edits}")
    wished = [name for name in ("--minutes", "--turns", "--max-advantage") if numbers[name] is not None]
    if command.minutes is not None and command.turns is not None:
        raise OptionError("--minutes and --turns wish for two lengths; give one")
    if command.suggest and not wished:
        raise OptionError("--suggest needs a wish: --minutes or --turns, --max-advantage, or a length and an advantage")
    if wished and not command.suggest:
        raise OptionError(f"{wished[0]} is a wish for --suggest; add --suggest")


def _on_board(game: PictureSugoroku, command: Command) -> PictureSugoroku:
    """Return the game on the board that ``--board`` names; ``--rules`` may name the same one."""
    board = _BOARD.parse(command.board or "")
    if parse_options(game.OPTIONS, command.rules, game.name).get("board", board) != board:
        raise OptionError(f"--board {command.board} contradicts the board in --rules; give one of them")
    return PictureSugoroku(**{**game.options, "board": board})


def _document(game: PictureSugoroku, analysis: Analysis, seconds_a_roll: float) -> dict[str, Any]:
    return {
        "game": game.name,
        "board": game.board.id,
        "rules": {name: value for name, value in game.options.items() if name != "board"},
        "win": analysis.win,
        "places": analysis.places,
        "own_turns": analysis.own_turns,
        "turns": analysis.turns,
        "rolled_turns": analysis.rolled_turns,
        "rolls": analysis.rolls,
        "minutes": analysis.rolls * seconds_a_roll / 60,
        "advantage_pp": 100 * analysis.advantage,
    }


def _wish(command: Command) -> Wish:
    return Wish(
        turns=command.turns,
        rolls=None if command.minutes is None else command.minutes * 60 / command.seconds_a_roll,
        advantage=None if command.max_advantage is None else command.max_advantage / 100,
    )


def _suggestions(game: PictureSugoroku, wish: Wish, count: int) -> list[tuple[Edit, Figures]]:
    with progress() as bar:
        task = bar.add_task("single changes", total=None)
        return suggest(game, wish, count, lambda done, total: bar.update(task, completed=done, total=total))


def _unreached(wish: Wish, words: str, best: Figures, seconds_a_roll: float) -> str:
    """Return what of a wish the best change does not reach and how near it comes, in words; empty where it does."""
    faults = []
    if wish.excess(best) > 0:
        faults.append(
            f"the first seat has {100 * best.advantage:.2f} points beyond an equal share, not "
            f"{100 * (wish.advantage or 0):g} at most"
        )
    if abs(wish.off(best)) > LENGTH_OFF:
        if wish.rolls is None:
            faults.append(f"a game has {best.turns:.1f} turns, not about {wish.turns:g}")
        else:
            minutes = seconds_a_roll / 60
            faults.append(f"a game takes {best.rolls * minutes:.2f} minutes, not about {wish.rolls * minutes:g}")
    return f"no single change reaches the wish; with the best, {words}, {' and '.join(faults)}" if faults else ""


def _edit(edit: Edit, figures: Figures, seconds_a_roll: float) -> dict[str, Any]:
    return {
        "edit": edit.words,
        "turns": figures.turns,
        "rolls": figures.rolls,
        "minutes": figures.rolls * seconds_a_roll / 60,
        "advantage_pp": 100 * figures.advantage,
        "board": edit.board.to_dict(),
    }


def _require_replaceable(path: Path) -> None:
    """Refuse a file in which something else stands than what this command writes."""
    try:
        there = path.exists()
        if path.is_file():
            require_replaceable(path)
        document = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    except OSError as error:
        raise RunError(f"cannot write {shown(str(path))}: {error.strerror or error}") from error
    except (ValueError, RecursionError):
        document = None
    if there and not (isinstance(document, dict) and {"game", "board", "own_turns"} <= document.keys()):
        raise OptionError(f"{path} is there already and was not written by this command: name another, or remove it")


def _write(path: Path, document: dict[str, Any]) -> None:
    try:
        write_text_atomically(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise RunError(f"cannot write {shown(str(path))}: {getattr(error, 'strerror', None) or error}") from error


def _show(out: Console, game: PictureSugoroku, document: dict[str, Any]) -> None:
    table = Table("seat", "wins", *(f"rank {rank}" for rank in range(1, game.num_players + 1)))
    for seat, (win, places) in enumerate(zip(document["win"], document["places"], strict=True), start=1):
        table.add_row(f"{seat}", f"{win:.4f}", *(f"{place:.4f}" for place in places))
    out.print(f"{game.title}: {game.board.title()}, {game.num_players} players", markup=False, highlight=False)
    out.print(table)
    lines = [
        f"own turns of one player to the goal: {document['own_turns']:.2f}",
        f"turns of all seats to the first arrival: {document['turns']:.2f}, "
        f"without the skipped ones {document['rolled_turns']:.2f}",
        f"throws of the die to the first arrival: {document['rolls']:.2f}, {document['minutes']:.1f} minutes",
        f"the first seat wins {document['advantage_pp']:+.2f} percentage points beyond an equal share",
    ]
    if game.options["allow_resign"]:
        lines.append("as if nobody ever resigned")
    out.print("\n".join(lines), highlight=False)


def _show_squares(out: Console, game: PictureSugoroku, found: dict[str, float] | None) -> None:
    if found is None:
        out.print("games on this board are too long for the figures of its squares", highlight=False)
        return
    table = Table("square", "says", "changes the chance to win by")
    for square, swing in sorted(found.items(), key=lambda entry: -abs(entry[1])):
        table.add_row(square, cell(spelt(game.board.squares[int(square)])), f"{swing:+.4f}")
    out.print(table)


def _show_edits(out: Console, edits: list[dict[str, Any]]) -> None:
    if not edits:
        out.print("no single change comes nearer to the wish than the board as it is", highlight=False)
        return
    table = Table("change", "turns", "throws", "minutes", "first seat, pp")
    for edit in edits:
        table.add_row(
            cell(edit["edit"]), f"{edit['turns']:.2f}", f"{edit['rolls']:.2f}", f"{edit['minutes']:.2f}",
            f"{edit['advantage_pp']:+.2f}",
        )  # fmt: skip
    out.print(table)
