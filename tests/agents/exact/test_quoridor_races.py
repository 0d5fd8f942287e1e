"""Races without fences: a rule book agrees, symmetries hold, bounds are true, and it is as quick as a search needs."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pytest

from reference import quoridor as reference
from sekisho.agents.exact import quoridor_solver
from sekisho.agents.exact.quoridor_pawns import settle
from sekisho.agents.exact.quoridor_races import Races, free_run, race_plies
from sekisho.envs.compiling import kernel
from sekisho.envs.errors import AgentError
from sekisho.envs.quoridor.kernels import PAWN, SEAT, WALLS, walls_of
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState
from support.plain_search import alpha_beta


@kernel
def settle_layout(rules: Any, state: Any, fences: Any, values: Any) -> None:
    settle(rules, walls_of(state), False, fences, values)


def fenced(game: Quoridor, rng: random.Random) -> QuoridorState:
    """A position in which all fences are placed, or as many as fit, and the pawns have wandered."""
    while True:
        state = game.new_initial_state()
        while sum(state.fences_left):
            fences = [action for action in state.legal_actions() if action >= game.board_size**2]
            if state.is_terminal():
                break
            state.apply_action(rng.choice(fences if fences and rng.random() < 0.8 else state.legal_actions()))
        if not state.is_terminal():
            return state


DRAWN = Quoridor(board_size=5, fences=3).from_text("a1d1a3c3 / b1c1 / a2 b2 / 0 0 / 1 / 0")
"""A race that neither side can win; found among the solutions of 5x5."""


def rule_book_values(state: QuoridorState) -> dict[tuple[tuple[int, int], tuple[int, int], int], int]:
    """Signed plies of all pawns and sides to move on the fences of a state, by looking ahead ply by ply."""
    size = state.game.board_size
    fences = [(*f, "h") for f in state.horizontal_fences] + [(*f, "v") for f in state.vertical_fences]
    squares = [(file, rank) for file in range(size) for rank in range(size)]
    following: dict[object, list[object]] = {}
    for a in squares:
        for b in squares:
            for seat in range(2):
                if a == b or a[1] == size - 1 or b[1] == 0:
                    continue
                book = reference.Quoridor.from_position((a, b), fences, (0, 0), seat, 0, board_size=size)
                after = []
                for square in book._pawn_targets():
                    pawns = (square, b) if seat == 0 else (a, square)
                    arrived = square[1] == (size - 1 if seat == 0 else 0)
                    after.append(None if arrived else (*pawns, 1 - seat))
                following[a, b, seat] = after
    values = dict.fromkeys(following, 0)
    for layer in range(1, 100):
        for node, after in following.items():
            if values[node]:
                continue
            if layer % 2 and any(n is None or -layer < values[n] < 0 for n in after):
                values[node] = layer
            if layer % 2 == 0 and after and all(n is not None and 0 < values[n] < layer for n in after):
                values[node] = -layer
    return values  # type: ignore[return-value]


@pytest.mark.parametrize(("size", "fences"), [(4, 2), (5, 3), (6, 4)])
def test_a_race_has_the_values_of_the_rule_book(size: int, fences: int) -> None:
    game, rng = Quoridor(board_size=size, fences=fences), random.Random(size)
    state = DRAWN if size == 5 else fenced(game, rng)
    races = Races(game)
    checked = 0
    for (a, b, seat), plies in rule_book_values(state).items():
        words = state.words.copy()
        words[PAWN], words[PAWN + 1], words[SEAT] = a[1] * 9 + a[0], b[1] * 9 + b[0], seat
        at = QuoridorState(game, words)
        if min(at.distances()) < 0:
            continue
        assert races.plies(at) == plies, at.to_text()
        checked += 1
    assert checked > size**3


@pytest.mark.parametrize("size", range(3, 10))
def test_a_race_on_the_empty_board_is_the_same_for_both_seats(size: int) -> None:
    game = Quoridor(board_size=size, fences=0)
    values = np.zeros((2, 81, 81), np.int16)
    settle_layout(game.rules, game.new_initial_state().words, values, values)
    squares = np.array([rank * 9 + file for rank in range(size) for file in range(size)])
    first, second = values[0][np.ix_(squares, squares)], values[1][np.ix_(squares, squares)]
    np.testing.assert_array_equal(first, second[::-1, ::-1].T)
    mirror = np.arange(size * size).reshape(size, size)[:, ::-1].ravel()
    np.testing.assert_array_equal(first, first[np.ix_(mirror, mirror)])


def test_alpha_beta_agrees_on_the_last_moves_of_races_at_9x9() -> None:
    game, rng = Quoridor(), random.Random(2)
    races, found = Races(game), set()
    for _ in range(15):
        state = fenced(game, rng)
        for _ in range(60):
            words = state.words.copy()
            words[PAWN], words[PAWN + 1] = rng.randrange(72), rng.randrange(9, 81)
            at = QuoridorState(game, words)
            if words[PAWN] == words[PAWN + 1] or min(at.distances()) < 0 or not 0 < abs(plies := races.plies(at)) <= 6:
                continue
            assert alpha_beta(game.table, game.rules, words, game.num_actions, abs(plies)) == (1 if plies > 0 else -1)
            assert alpha_beta(game.table, game.rules, words, game.num_actions, abs(plies) - 1) == 0
            found.add(plies)
    assert len(found) > 4


@pytest.mark.parametrize(("size", "fences"), [(5, 3), (9, 10)])
def test_a_free_run_is_a_race_that_is_won_and_as_good_as_never_longer_than_need_be(size: int, fences: int) -> None:
    game, rng = Quoridor(board_size=size, fences=fences), random.Random(size)
    races, found = Races(game), {"free": 0, "shortest": 0, "won": 0}
    squares = [rank * 9 + file for rank in range(size) for file in range(size)]
    for _ in range(20):
        state = fenced(game, rng)
        for _ in range(200):
            words = state.words.copy()
            words[PAWN], words[PAWN + 1], words[SEAT] = *rng.sample(squares, 2), rng.randrange(2)
            at = QuoridorState(game, words)
            if words[PAWN] // 9 == size - 1 or words[PAWN + 1] // 9 == 0 or min(at.distances()) < 0:
                continue
            for runner in range(2):
                plies = races.plies(at) if runner == at.seat else -races.plies(at)
                free = int(free_run(game.rules, words, runner))
                found["won"] += plies > 0
                if free:
                    assert 0 < plies <= free, at.to_text()
                    assert free % 2 == plies % 2
                    found["free"] += 1
                    found["shortest"] += free == plies
    assert found["shortest"] > 0.9 * found["free"] > 0.4 * found["won"]


@pytest.mark.parametrize(
    ("position", "plies"),
    [
        ("/ / i5 a9 / 0 0 / 1 / 0", 7),  # four steps with nobody near
        ("/ / i5 a9 / 0 0 / 2 / 0", 8),
        ("/ / e5 a9 / 0 0 / 1 / 0", 7),
        ("/ / e5 a9 / 0 0 / 2 / 0", 0),  # the other pawn can be on e9 by then
        ("/ / e5 e9 / 0 0 / 1 / 0", 0),  # head on
        ("/ / e7 e8 / 0 0 / 1 / 0", 0),  # side by side: the other pawn can follow
        ("/ / i4 a5 / 0 0 / 1 / 0", 0),  # five steps, and the other pawn needs four
        ("/ / i5 a5 / 0 0 / 1 / 0", 7),  # four steps each: who begins arrives
        ("/ / i5 a5 / 0 0 / 2 / 0", 0),
    ],
)
def test_a_free_run_keeps_clear_of_the_other_pawn(position: str, plies: int) -> None:
    game = Quoridor(fences=0)
    assert free_run(game.rules, game.from_text(position).words, 0) == plies


def test_a_free_run_ends_where_neither_pawn_has_a_way() -> None:
    words = Quoridor(board_size=4, fences=0).new_initial_state().words.copy()
    words[WALLS : WALLS + 4] = 0
    words[WALLS] = 1 | 1 << 18  # a1 and a2, a3 and a4 are one step apart, and nothing else is
    words[PAWN], words[PAWN + 1] = 0, 18
    assert free_run(Quoridor(board_size=4, fences=0).rules, words, 0) == 0


def test_some_races_never_end() -> None:
    """Whoever leaves the corridor first has lost, so neither does."""
    state = DRAWN
    races = Races(state.game)
    assert races.plies(state) == 0
    assert races.bounds(state) == (0, 0)
    for move, plies in [("a3", 0), ("b3", -6)]:
        after = races.plies(state.child(state.string_to_action(move)))
        assert after == (-plies - 1 if plies else 0)
    seen = set()
    while state.to_text().rpartition("/")[0] not in seen:
        seen.add(state.to_text().rpartition("/")[0])
        state = next(after for after in map(state.child, state.legal_actions()) if races.plies(after) == 0)
    assert len(seen) > 1


def test_bounds_are_true_on_a_solved_board() -> None:
    game = Quoridor(board_size=4, fences=2, max_plies=None)
    table, races, rng = quoridor_solver.solve(game), Races(game), random.Random(7)
    tight: dict[tuple[bool, bool], int] = {}
    for _ in range(1000):
        state = game.new_initial_state()
        for _ in range(rng.randrange(4, 14)):
            if not state.is_terminal():
                moves = state.legal_actions()
                fences = [action for action in moves if action >= 16]
                state.apply_action(rng.choice(fences if fences and rng.random() < 0.3 else moves))
        if state.is_terminal():
            continue
        low, high = races.bounds(state)
        value = np.sign(table.plies(state))
        assert low <= value <= high
        has = (state.fences_left[0] > 0, state.fences_left[1] > 0)
        tight[has] = tight.get(has, 0) + (low == high or (low, high) != (-1, 1))
    assert tight[False, False] > 20
    assert tight[True, False] > 20
    assert tight[False, True] > 20
    assert tight[True, True] == 0


def test_whoever_can_arrive_at_once_has_won_whoever_has_fences() -> None:
    game = Quoridor(board_size=5, fences=1)
    for position, bounds in {
        "a1 / / c4 a4 / 0 1 / 1 / 0": (1, 1),
        "a1 / / c4 a4 / 1 0 / 1 / 0": (1, 1),
        "a1c1 / / c4 a4 / 0 0 / 1 / 0": (1, 1),
        "/ / c4 a4 / 1 1 / 1 / 0": (-1, 1),
        "a1 / / c3 a4 / 0 1 / 1 / 0": (-1, 1),
    }.items():
        assert Races(game).bounds(game.from_text(position)) == bounds


def test_every_pawn_with_a_path_has_a_move() -> None:
    """With two players nobody ever has to pass, which the solver relies on."""
    rng = random.Random(5)
    for size in (3, 4, 5):
        game = Quoridor(board_size=size, fences=(size - 1) ** 2 // 3)
        for _ in range(10):
            state = fenced(game, rng)
            for a in range(size * size):
                for b in range(size * size):
                    words = state.words.copy()
                    words[PAWN], words[PAWN + 1] = a // size * 9 + a % size, b // size * 9 + b % size
                    at = QuoridorState(game, words)
                    if a == b or a >= size * (size - 1) or b < size or min(at.distances()) < 0:
                        continue
                    assert at.pawns[at.seat][1] * size + at.pawns[at.seat][0] not in at.legal_actions()


@kernel
def look_up(rules: Any, state: Any, layouts: Any, values: Any, times: Any) -> Any:
    total = 0
    for _ in range(times):
        total += race_plies(rules, state, layouts, values)
    return total


def test_a_layout_takes_milliseconds_and_a_look_up_less_than_a_microsecond() -> None:
    game, rng = Quoridor(), random.Random(6)
    races = Races(game)
    look_up(game.rules, game.new_initial_state().words, races.layouts, races.values, 1)
    states = [fenced(game, rng) for _ in range(30)]
    times = []
    for state in states:
        begin = time.perf_counter()
        look_up(game.rules, state.words, races.layouts, races.values, 1)
        times.append(time.perf_counter() - begin)
    assert np.median(times) < 0.02
    begin = time.perf_counter()
    look_up(game.rules, states[-1].words, races.layouts, races.values, 100_000)
    assert time.perf_counter() - begin < 0.1


def test_layouts_that_share_a_slot_do_not_share_values() -> None:
    game, rng = Quoridor(), random.Random(8)
    one, many = Races(game, slots=1), Races(game)
    states = [fenced(game, rng) for _ in range(10)]
    for state in states * 2:
        assert one.plies(state) == many.plies(state)


def test_what_is_no_race_is_refused() -> None:
    with pytest.raises(AgentError, match="two players"):
        Races(Quoridor(players=4))
    races = Races(Quoridor(board_size=3, fences=0))
    with pytest.raises(AgentError, match="not of"):
        races.plies(Quoridor(board_size=4).new_initial_state())
    over = Quoridor(board_size=3, fences=0).new_initial_state()
    over.apply_moves("a1 a3 a2 b3 b2 a3 b3")
    with pytest.raises(AgentError, match="over"):
        races.bounds(over)
