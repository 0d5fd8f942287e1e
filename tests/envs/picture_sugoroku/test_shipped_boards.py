"""The shipped boards last as long as they promise, and none has a square that decides the game. Exact, no sampling.

Pieces never meet, so one seat's chain over (square, rests owed), a step a turn, gives everything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.envs.picture_sugoroku.boards import SHIPPED, Board, load_board
from sekisho.envs.picture_sugoroku.walks import MAX_EXTRA_ROLLS, walk_table

SECONDS_A_ROLL = 5
MINUTES = {"a_short_walk": (3.8, 4.2), "round_the_seasons": (8, 10), "treasure_hunt": (8, 10)}  # four players
LARGEST_SWING = 1 / 3
# "No single square decides the game", in a number: what a square says changes the chance of winning by less than a
# third, so whoever comes there keeps more than two thirds of the way between losing and winning open.
RULES = Path(__file__).parents[3] / "docs" / "rules" / "picture_sugoroku.md"


@dataclass(frozen=True)
class Chain:
    """One seat's journey.

    Attributes:
        table: the walks of the board.
        steps: transition matrix of a turn; state 3*square + rests, the last is the goal; float64 ``[n, n]``.
        places: law of the state after each number of turns, float64 ``[turns + 1, n]``.
        rolls: expected rolls in a turn from each state, float64 ``[n]``.
    """

    table: Any
    steps: np.ndarray
    places: np.ndarray
    rolls: np.ndarray

    @property
    def under_way(self) -> np.ndarray:
        """Probability that the seat has not arrived after each number of turns."""
        return 1 - self.places[:, -1]


def chain_of(board: Board, **options: Any) -> Chain:
    table = walk_table(board, **{"chain": True, "goal": "over", **options})
    last = 3 * board.goal
    steps, rolls = np.zeros((last + 1, last + 1)), np.zeros(last + 1)
    steps[last, last] = 1
    for square in range(board.goal):
        state = 3 * square
        steps[state + 1, state] = steps[state + 2, state + 1] = 1  # a turn is skipped
        here = {square: 1.0}
        for extra in range(MAX_EXTRA_ROLLS + 1):
            there: dict[int, float] = {}
            for start, probability in here.items():
                rolls[state] += probability
                for walk in table[start]:
                    if walk.again and extra < MAX_EXTRA_ROLLS:
                        there[walk.square] = there.get(walk.square, 0) + probability / 6
                    else:
                        steps[state, min(3 * walk.square + walk.rests, last)] += probability / 6
            here = there
    law = np.zeros(last + 1)
    law[0] = 1
    places = [law]
    while 1 - places[-1][-1] > 1e-12:
        places.append(places[-1] @ steps)
    return Chain(table, steps, np.array(places), rolls)


def expected_rolls(chain: Chain, players: int) -> float:
    """Rolls of all seats until the first arrival."""
    alive = chain.under_way
    own = chain.places @ chain.rolls
    total = 0.0
    for turn in range(len(alive) - 1):
        for seat in range(players):  # those before it have had this turn already
            total += own[turn] * alive[turn + 1] ** seat * alive[turn] ** (players - 1 - seat)
    return total


def first_wins(chain: Chain, players: int) -> float:
    """Probability that the seat that begins arrives first."""
    alive = chain.under_way
    return float(np.sum((alive[:-1] - alive[1:]) * alive[:-1] ** (players - 1)))


def swings(board: Board, chain: Chain, players: int = 4) -> dict[int, float]:
    """For each square with an instruction: how much it changes the chance to win, against the same square if it were
    empty; the mean over all times at which the die brings a piece there, for a seat in the middle of the order.
    """
    alive, last = chain.under_way, chain.steps.shape[0] - 1
    turns, others = len(alive) - 1, players - 1
    wins = np.zeros((turns + 1, last + 1))  # the seat wins and nobody had arrived before
    for turn in range(turns - 1, -1, -1):
        nobody = np.mean([alive[turn + 1] ** k * alive[turn] ** (others - k) for k in range(players)])
        wins[turn] = chain.steps[:, :last] @ wins[turn + 1, :last] + chain.steps[:, last] * nobody
        wins[turn, last] = 0
    before, after = (alive[1:] * alive[:-1]) ** (others / 2), alive[1:] ** others
    known = after > 1e-7
    found = {}
    for square in board.squares:
        change = weight = 0.0
        for start in range(max(0, square - 6), square):
            walk = chain.table[start][square - start - 1]
            hits = (chain.places[:-1, 3 * start] * before)[known]
            if walk.square == board.goal:
                there: Any = 1.0
            elif walk.again:
                there = (wins[:-1, 3 * walk.square] / before)[known]
            else:
                there = (wins[1:, 3 * walk.square + walk.rests] / after)[known]
            change += float(np.sum(hits * (there - (wins[1:, 3 * square] / after)[known])))
            weight += float(np.sum(hits))
        found[square] = change / weight if weight else 0.0
    return found


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_board_lasts_as_long_as_promised(name: str) -> None:
    rolls = expected_rolls(chain_of(load_board(name)), players=4)
    assert MINUTES[name][0] <= rolls * SECONDS_A_ROLL / 60 <= MINUTES[name][1]


@pytest.mark.parametrize("name", SHIPPED)
def test_no_square_decides_the_game(name: str) -> None:
    board = load_board(name)
    found = swings(board, chain_of(board))
    assert max(abs(swing) for swing in found.values()) < LARGEST_SWING


# --- what the rules state --------------------------------------------------------------------------------------------


def assert_stated(stated: str, values: list[float]) -> None:
    """Assert that numbers apart by ``/`` are the values, rounded to the places that they show."""
    numbers = [number.strip() for number in stated.split("/")]
    assert len(numbers) == len(values)
    for number, value in zip(numbers, values, strict=True):
        assert number == f"{value:.{len(number.partition('.')[2])}f}"


def stated_rows() -> dict[str, list[str]]:
    """Return the cells of the table of shipped boards in the rules, by board."""
    rows = re.findall(r"^\| `(\w+)` (.*) \|$", RULES.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: [cell.strip() for cell in row.split("|")] for name, row in rows if name in SHIPPED}


@pytest.mark.parametrize("name", SHIPPED)
def test_figures_that_the_rules_state(name: str) -> None:
    board = load_board(name)
    chain = chain_of(board)
    titles, squares, instructions, minutes, rolls, wins, own_turns, swing = stated_rows()[name]
    assert titles == ", ".join(board.title(language) for language in ("en", "es", "bn", "ja"))
    assert (int(squares), int(instructions)) == (board.goal + 1, len(board.squares))
    assert_stated(minutes, [expected_rolls(chain, 4) * SECONDS_A_ROLL / 60])
    assert_stated(rolls, [expected_rolls(chain, players) for players in range(2, 7)])
    assert_stated(wins, [first_wins(chain, players) for players in (2, 4)])
    assert_stated(own_turns, [float(np.sum(chain.under_way))])
    found = swings(board, chain)
    square = max(found, key=lambda square: abs(found[square]))
    size, where = swing.split(" ", 1)
    kind, number = board.squares[square]
    assert where == f"({square}, {kind} {number})"
    assert_stated(size, [abs(found[square])])


@pytest.mark.parametrize(
    ("words", "options"), [('`goal="exact"`', {"goal": "exact"}), ("`chain=False`", {"chain": False})]
)
def test_minutes_that_the_rules_state_under_other_options(words: str, options: dict[str, Any]) -> None:
    sentence = next(line for line in RULES.read_text(encoding="utf-8").splitlines() if "they last" in line)
    stated = re.search(re.escape(words) + r"[a-z ]* (\d+\.\d+), (\d+\.\d+) and (\d+\.\d+)", sentence)
    assert stated
    for name, minutes in zip(SHIPPED, stated.groups(), strict=True):
        assert_stated(minutes, [expected_rolls(chain_of(load_board(name), **options), 4) * SECONDS_A_ROLL / 60])


def test_the_chain_itself() -> None:
    """A board whose numbers are known: five plain squares, one seat's law of the first turn by hand."""
    chain = chain_of(Board("plain", {"en": "Plain"}, 5, {}))
    assert chain.under_way[1] == pytest.approx(4 / 6)
    assert chain.under_way[2] == pytest.approx(6 / 36)  # 1+1, 1+2, 1+3, 2+1, 2+2 and 3+1 fall short
    assert expected_rolls(chain, 2) == pytest.approx(
        sum(alive * (alive + after) for alive, after in zip(chain.under_way, [*chain.under_way[1:], 0], strict=True)),
        1e-9,
    )
