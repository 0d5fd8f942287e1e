"""Make ``docs/quoridor_solved.md`` anew: ``python docs/make_quoridor_solved.py``.

Tables are taken from what ships and from the cache folder, and made where there are none; that of 5x5 with 3 fences takes
a minute and 400 MB, that of 6x6 with 2 as much. That of 5x5 with 4 is used if `sekisho solve` has put it there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from sekisho.agents.exact import quoridor_library
from sekisho.agents.exact.quoridor_levels import WIN_AT_ONCE, fewest_of_first
from sekisho.agents.exact.quoridor_table import QuoridorTable
from sekisho.envs.files import write_text_atomically
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState

FOLDER = Path(__file__).resolve().parent
BOARDS = [(3, f) for f in range(5)] + [(4, f) for f in (0, 1, 2, 3, 4, 9)] + [(5, f) for f in range(5)]
BOARDS += [(6, 0), (6, 1), (6, 2), (7, 0), (7, 1)]
GAMES = [(3, 1), (3, 4), (4, 1), (4, 9), (5, 1), (5, 2), (5, 3), (5, 4), (6, 2)]
FIRST_MOVES = [(3, 1), (4, 2), (5, 2), (5, 3)]
LONGEST = [(4, 9), (5, 2), (5, 3)]
LAST_FENCE = [(3, 1), (4, 2), (5, 1)]
MUST_KEEP, MUST_PLACE = 1, 2


def table_of(size: int, fences: int) -> QuoridorTable:
    """Return the table of a board."""
    return quoridor_library.table_for(Quoridor(board_size=size, fences=fences, max_plies=None))


def rows(head: Iterable[str], lines: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table."""
    head = list(head)
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in [head, ["---"] * len(head), *lines])


def drawing(state: QuoridorState) -> str:
    """Return a board for the page."""
    return f"`{state.to_text()}`\n\n```text\n{state.draw().rstrip()}\n```"


def best_line(table: QuoridorTable, state: QuoridorState) -> str:
    """Return the moves of perfect play to the end."""
    while not state.is_terminal():
        state.apply_action(table.choice(table.action_plies(state)))
    return " ".join(state.moves())


def boards() -> str:
    """Return who wins on each board."""
    lines = []
    for size, fences in BOARDS:
        table = table_of(size, fences)
        plies = table.plies(table.game.new_initial_state())
        draws = sum(int((level.scores == 0).sum()) for level in table.levels)
        hands = "any number from 4" if (size, fences) == (3, 4) else "any number from 9" if fences == 9 else fences
        lines.append(
            (f"{size}x{size}", hands, "first" if plies > 0 else "second", abs(plies), f"{table.facts['states']:,}",
             table.facts["longest"], f"{draws:,}")
        )  # fmt: skip
    return rows(("board", "fences each", "winner", "plies", "positions", "longest", "draws"), lines)


def games() -> str:
    """Return a perfect game on each board."""
    lines = []
    for size, fences in GAMES:
        table = table_of(size, fences)
        lines.append((f"{size}x{size}", fences, f"`{best_line(table, table.game.new_initial_state())}`"))
    return rows(("board", "fences each", "moves"), lines)


def first_moves() -> str:
    """Return what each first move leads to, up to the mirror."""
    lines = []
    for size, fences in FIRST_MOVES:
        table = table_of(size, fences)
        state = table.game.new_initial_state()
        by_plies: dict[int, list[str]] = {}
        for action, plies in table.action_plies(state).items():
            by_plies.setdefault(plies, []).append(state.action_to_string(action))
        ordered = sorted(by_plies, key=lambda plies: -1 / plies)
        text = "; ".join(f"**{plies:+d}** {' '.join(by_plies[plies])}" for plies in ordered)
        lines.append((f"{size}x{size}", fences, text))
    return rows(("board", "fences each", "plies and moves"), lines)


def place_of(table: QuoridorTable, score: int) -> QuoridorState:
    """Return the position of a score with the fewest fences on the board."""
    for placed, level in enumerate(table.levels):
        found = np.argwhere(level.scores == score)
        if found.size:
            return table.state_at(table.game, placed, *map(int, found[0]))
    raise ValueError(score)


def longest() -> str:
    """Return a position of the longest win on some boards."""
    parts = []
    for size, fences in LONGEST:
        table = table_of(size, fences)
        plies = table.facts["longest"]
        score = 128 - (plies + 1) // 2 if plies % 2 else plies // 2 - 128
        state = place_of(table, score)
        who = "wins" if plies % 2 else "loses"
        parts.append(
            f"{size}x{size}, {fences} fences each: the side to move {who} in {plies} plies.\n\n{drawing(state)}\n"
        )
        parts.append(f"`{best_line(table, state)}`\n")
    return "\n".join(parts)


def draws() -> str:
    """Return some drawn positions."""
    parts = []
    for size, fences in [(5, 2), (5, 3)]:
        table = table_of(size, fences)
        counts = [int((level.scores == 0).sum()) for level in table.levels]
        text = ", ".join(f"{count:,} with {placed}" for placed, count in enumerate(counts) if count)
        parts.append(f"{size}x{size}, {fences} fences each, by fences on the board: {text}.\n")
    race = Quoridor(board_size=5, fences=3, max_plies=None).from_text("a1d1a3c3 / b1c1 / a2 b2 / 0 0 / 1 / 0")
    table = table_of(5, 3)
    after = ", ".join(
        f"{race.action_to_string(a)} {'draws' if not p else f'loses in {-p}'}" for a, p in table.action_plies(race).items()
    )  # fmt: skip
    parts.append(f"No fences are left here: {after}.\n\n{drawing(race)}\n")
    parts.append(f"The fewest fences with which a position is drawn:\n\n{drawing(place_of(table, 0))}\n")
    return "\n".join(parts)


def last_fence() -> tuple[str, str]:
    """Return how often the last fence must be kept, and examples."""
    lines, examples = [], []
    for size, fences in LAST_FENCE:
        table, counts = table_of(size, fences), [0, 0, 0]
        kept: QuoridorState | None = None
        for placed, level in enumerate(table.levels):
            for index in np.argwhere(level.scores != WIN_AT_ONCE).tolist():
                by_first = int(fewest_of_first(table.game.rules, placed)) + index[1]
                if fences - (by_first if index[2] == 0 else placed - by_first) != 1:
                    continue
                state = table.state_at(table.game, placed, *index)
                kind = _kind(table, state)
                counts[0] += 1
                if kind:
                    counts[kind] += 1
                if kind == MUST_KEEP and kept is None and table.plies(state) > 0 and state.distances()[state.seat] > 2:
                    kept = state
        share = [f"{count:,} ({100 * count / counts[0]:.1f} %)" for count in counts[1:]]
        lines.append((f"{size}x{size}", fences, f"{counts[0]:,}", *share))
        if kept is not None:
            plies = table.action_plies(kept)
            good = [kept.action_to_string(action) for action, signed in plies.items() if signed > 0]
            examples.append(
                f"{size}x{size}: the side to move wins with {' or '.join(good)}, and loses wherever it places its fence.\n\n"
                f"{drawing(kept)}\n"
            )
    return rows(("board", "fences each", "positions", "must keep it", "must place it"), lines), "\n".join(examples)


def _kind(table: QuoridorTable, state: QuoridorState) -> int:
    """Return whether the last fence must be kept, must be placed, or neither matters (0)."""
    moves = table.game.board_size**2
    plies = table.action_plies(state)
    pawn = max(np.sign(signed) for action, signed in plies.items() if action < moves)
    fence = max((np.sign(signed) for action, signed in plies.items() if action >= moves), default=-2)
    if fence == -2 or pawn == fence:
        return 0
    return MUST_KEEP if pawn > fence else MUST_PLACE


if __name__ == "__main__":
    if quoridor_library.find(Quoridor(board_size=5, fences=4)) is None:
        BOARDS.remove((5, 4))
        GAMES.remove((5, 4))
    counted, examples = last_fence()
    page = (FOLDER / "quoridor_solved.template").read_text(encoding="utf-8")
    page = page.format(
        boards=boards(), games=games(), first_moves=first_moves(), longest=longest(), draws=draws(),
        last_fence=counted, last_examples=examples,
    )  # fmt: skip
    write_text_atomically(FOLDER / "quoridor_solved.md", page.rstrip() + "\n")
