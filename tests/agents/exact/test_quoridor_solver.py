"""Small boards of Quoridor: an independent rule book and a plain alpha-beta agree, symmetries hold, facts from play."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from reference import quoridor as reference
from sekisho.agents.exact import quoridor_levels, quoridor_solver
from sekisho.agents.exact.quoridor_table import QuoridorTable, outcome
from sekisho.envs.errors import AgentError, TableError
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState
from support.plain_search import alpha_beta


@lru_cache
def table_of(size: int, fences: int) -> QuoridorTable:
    return quoridor_solver.solve(Quoridor(board_size=size, fences=fences))


def game_of(size: int, fences: int) -> Quoridor:
    return Quoridor(board_size=size, fences=fences, max_plies=None)


def searched(state: QuoridorState, depth: int) -> int:
    game = state.game
    return int(alpha_beta(game.table, game.rules, state.words, game.num_actions, depth))


# --- against an independent rule book ---------------------------------------------------------------------------------

Node = tuple[frozenset[Any], tuple[Any, ...], tuple[int, ...], int]


def explored(size: int, fences: int) -> dict[Node, list[Node | None]]:
    """Every position that play from the start can reach, with what follows it (None: the mover has arrived)."""
    start = reference.Quoridor(board_size=size, fences=fences, max_plies=None)
    found: dict[Node, list[Node | None]] = {}
    waiting = [start._position()]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        placed, pawns, left, seat = node
        found[node] = []
        position = reference.Quoridor.from_position(pawns, placed, left, seat, 0, board_size=size, max_plies=None)
        for move in position.legal_moves():
            after = reference.Quoridor.from_position(pawns, placed, left, seat, 0, board_size=size, max_plies=None)
            after.play(move)
            found[node].append(None if after.winner is not None else after._position())
        waiting += [after for after in found[node] if after is not None]
    return found


def valued(found: dict[Node, list[Node | None]]) -> dict[Node, int]:
    """Signed plies of every position, by looking one ply further ahead again and again."""
    values = dict.fromkeys(found, 0)

    def worth(after: Node | None) -> float:
        plies = 0 if after is None else values[after]
        if after is None or plies < 0:
            return 1 / (1 - plies)
        return -1 / (plies + 1) if plies else 0.0

    changed = True
    while changed:
        before = dict(values)
        for node, following in found.items():
            best = max(map(worth, following))
            values[node] = round(1 / best) if best else 0
        changed = values != before
    return values


def as_state(game: Quoridor, node: Node) -> QuoridorState:
    placed, pawns, left, seat = node
    ways = ["".join(reference.square_name((f, r)) for f, r, way in sorted(placed) if way == side) for side in "hv"]
    squares = " ".join(map(reference.square_name, pawns))
    return game.from_text(f"{ways[0]} / {ways[1]} / {squares} / {left[0]} {left[1]} / {seat + 1} / 0")


@pytest.mark.parametrize("fences", [0, 1])
def test_every_reachable_position_of_3x3_has_the_value_of_the_rule_book(fences: int) -> None:
    game, table = game_of(3, fences), table_of(3, fences)
    values = valued(explored(3, fences))
    assert len(values) > (30, 1500)[fences]
    for node, plies in values.items():
        assert table.plies(as_state(game, node)) == plies, node


# --- against plain alpha-beta -----------------------------------------------------------------------------------------


def all_states(game: Quoridor) -> Iterator[QuoridorState]:
    """Yield every position that play can lead to."""
    for node in explored(game.board_size, game.options["fences"]):
        yield as_state(game, node)


@pytest.mark.parametrize("deepest", [6, pytest.param(20, marks=pytest.mark.slow)])
def test_alpha_beta_agrees_on_every_position_of_3x3_with_one_fence(deepest: int) -> None:
    game, table = game_of(3, 1), table_of(3, 1)
    count = 0
    for state in all_states(game):
        plies = table.plies(state)
        assert plies != 0
        if abs(plies) <= deepest:
            assert searched(state, abs(plies)) == (1 if plies > 0 else -1), state.to_text()
        assert searched(state, min(abs(plies) - 1, deepest)) == 0, state.to_text()
        count += 1
    assert count == 2078


def random_state(game: Quoridor, rng: random.Random) -> QuoridorState:
    """A position in which few fences are left, by random play that rather places them."""
    while True:
        state = game.new_initial_state()
        for _ in range(rng.randrange(4, 40)):
            fences = [action for action in state.legal_actions() if action >= game.board_size**2]
            some = fences if fences and rng.random() < 0.6 else state.legal_actions()
            state.apply_action(rng.choice(some))
            if state.is_terminal():
                break
        if not state.is_terminal():
            return state


@pytest.mark.parametrize(
    ("size", "fences", "deepest", "count"), [(3, 4, 9, 400), (4, 1, 9, 400), (4, 2, 6, 600), (4, 9, 4, 400), (5, 1, 5, 300), (5, 2, 4, 600)]
)  # fmt: skip
def test_alpha_beta_agrees_on_random_positions(size: int, fences: int, deepest: int, count: int) -> None:
    game, table, rng = game_of(size, fences), table_of(size, fences), random.Random(100 * size + fences)
    seen = set()
    for _ in range(count):
        state = random_state(game, rng)
        plies = table.plies(state)
        within = 0 < abs(plies) <= deepest
        depth = abs(plies) if within else min(deepest, abs(plies) - 1 if plies else deepest)
        assert searched(state, depth) == ((plies > 0) - (plies < 0) if within else 0), state.to_text()
        if within:
            assert searched(state, depth - 1) == 0, state.to_text()
        seen.add(plies if within else 0)
    assert len(seen) > 4


# --- properties -------------------------------------------------------------------------------------------------------


def turned(layout: int, size: int, mirror: bool) -> int:
    """The number of a layout mirrored left to right, or turned by half a turn."""
    side = size - 1
    digits = [layout // 3**anchor % 3 for anchor in range(side * side)]
    grid = np.array(digits).reshape(side, side)
    grid = grid[:, ::-1] if mirror else grid[::-1, ::-1]
    return sum(int(digit) * 3**anchor for anchor, digit in enumerate(grid.ravel()))


@pytest.mark.parametrize(("size", "fences"), [(3, 4), (4, 2), (5, 1)])
def test_mirrored_and_turned_positions_have_the_same_value(size: int, fences: int) -> None:
    table = table_of(size, fences)
    shape = (2, size - 1, size, size - 1, size)
    for level in table.levels:
        for layout, scores in zip(level.layouts.tolist(), level.scores, strict=True):
            mirrored = level.scores[np.searchsorted(level.layouts, turned(layout, size, mirror=True))]
            half_turn = level.scores[np.searchsorted(level.layouts, turned(layout, size, mirror=False))]
            for hand in range(level.scores.shape[1]):
                own = scores[hand].reshape(shape)
                np.testing.assert_array_equal(mirrored[hand].reshape(shape)[..., ::-1][:, :, ::-1], own)
                swapped = half_turn[-1 - hand].reshape(shape)[::-1, ::-1, ::-1, ::-1, ::-1].transpose(0, 3, 4, 1, 2)
                np.testing.assert_array_equal(swapped, own)


def test_perfect_play_takes_as_many_plies_as_the_table_says() -> None:
    for size, fences in [(3, 1), (4, 2), (5, 1), (5, 2)]:
        game, table = game_of(size, fences), table_of(size, fences)
        state = game.new_initial_state()
        plies = table.plies(state)
        winner = 0 if plies > 0 else 1
        for left in range(abs(plies), 0, -1):
            assert abs(table.plies(state)) == left
            state.apply_action(table.choice(table.action_plies(state)))
        assert state.winner == winner


def test_action_values_are_those_of_the_positions_after() -> None:
    game, table, rng = game_of(4, 2), table_of(4, 2), random.Random(1)
    for _ in range(200):
        state = random_state(game, rng)
        plies = table.action_plies(state)
        assert sorted(plies) == state.legal_actions()
        for action, signed in plies.items():
            after = state.child(action)
            if after.is_terminal():
                assert signed == 1
            else:
                reply = table.plies(after)
                assert signed == (0 if reply == 0 else -(reply + 1) if reply > 0 else 1 - reply)
        assert table.plies(state) == plies[table.choice(plies)]


def certified(table: QuoridorTable, places: list[tuple[int, list[int]]]) -> int:
    """Check that each value is the best of those after the actions; together such values prove themselves.

    A win in d plies has a loss in d - 1 after some action, a loss in d nothing but wins, and from a drawn position
    some action leads to a drawn one and none to a lost one: so either side can stay among them for ever.
    """
    for placed, index in places:
        state = table.state_at(table.game, placed, *index)
        after = table.action_plies(state)
        assert table.plies(state) == after[table.choice(after)], state.to_text()
    return len(places)


@pytest.mark.parametrize(("size", "fences", "kept"), [(3, 4, 1.0), (4, 1, 0.3), (4, 3, 0.002)])
def test_every_value_follows_from_those_one_ply_on(size: int, fences: int, kept: float) -> None:
    table, rng = table_of(size, fences), random.Random(size)
    places = [
        (placed, index)
        for placed, level in enumerate(table.levels)
        for index in np.argwhere(level.scores != quoridor_levels.WIN_AT_ONCE).tolist()
        if rng.random() < kept
    ]
    assert certified(table, places) > 2000


def test_the_drawn_positions_of_4x4_hold() -> None:
    table = table_of(4, 3)
    drawn = [(placed, index) for placed, level in enumerate(table.levels)
             for index in np.argwhere(level.scores == 0).tolist()]  # fmt: skip
    assert certified(table, drawn) == 152
    for placed, index in drawn[::10]:
        assert searched(table.state_at(table.game, placed, *index), 6) == 0


def test_positions_are_counted_as_the_rules_have_them() -> None:
    assert table_of(3, 0).facts["states"] == 66  # 6 * 6 squares less 3 shared ones, two sides to move
    accepted = 0
    for placed, level in enumerate(table_of(3, 1).levels):
        for layout in level.layouts.tolist():
            accepted += _positions_of(layout, placed)
    assert table_of(3, 1).facts["states"] == accepted


def _positions_of(layout: int, placed: int) -> int:
    names = ["".join("abc"[a % 2] + "123"[a // 2] for a in range(4) if layout // 3**a % 3 == w) for w in (1, 2)]
    hands = [(f, 2 - placed - f) for f in range(2) if 0 <= 2 - placed - f <= 1]
    count = 0
    for pawns in [(a, b) for a in range(9) for b in range(9)]:
        for left in hands:
            squares = " ".join("abc"[s % 3] + "123"[s // 3] for s in pawns)
            try:
                state = game_of(3, 1).from_text(f"{names[0]} / {names[1]} / {squares} / {left[0]} {left[1]} / 1 / 0")
            except ValueError:
                continue
            count += 2 * (state.winner is None and pawns[0] < 6 and pawns[1] > 2)
    return count


def test_more_fences_than_anchors_make_no_difference() -> None:
    many, enough = Quoridor(board_size=3, fences=10, max_plies=None), Quoridor(board_size=3, fences=4, max_plies=None)
    table = table_of(3, 4)
    assert quoridor_solver.solve(many).game == enough == table.game
    rng = random.Random(3)
    for _ in range(50):
        state = random_state(many, rng)
        left = state.fences_left
        parts = [part.strip() for part in state.to_text().split("/")]
        parts[3] = f"{left[0] - 6} {left[1] - 6}"  # four of ten fences
        assert table.plies(state) == table.plies(enough.from_text(" / ".join(parts)))


def test_a_cap_on_plies_turns_late_wins_into_draws() -> None:
    table = table_of(3, 1)
    for cap, expected in [(8, -1), (7, 0), (36, -1)]:
        state = Quoridor(board_size=3, fences=1, max_plies=cap).new_initial_state()
        assert table.plies(state) == -8
        assert outcome(table.plies(state), state) == expected
        assert searched(state, 8) == expected


# --- facts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "fences", "plies"),
    [(3, 0, -4), (4, 0, 5), (5, 0, -8), (6, 0, 9), (7, 0, -12), (3, 1, -8), (3, 4, -12), (4, 1, 7), (5, 1, -12)],
)
def test_who_wins(size: int, fences: int, plies: int) -> None:
    game, table = game_of(size, fences), table_of(size, fences)
    assert table.plies(game.new_initial_state()) == plies
    if abs(plies) <= 8 and size < 5:
        assert searched(game.new_initial_state(), abs(plies)) == (1 if plies > 0 else -1)


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "9x9 with 10 fences each cannot be solved"),
        ({"board_size": 5}, "about 1.*e[+]10 positions, a byte of memory each"),
        ({"players": 4, "board_size": 3}, "two players"),
        ({"board_size": 3, "fences": 1, "repetition": 3}, "repetition=none"),
    ],
)
def test_what_cannot_be_solved_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(AgentError, match=words):
        quoridor_solver.check_size(Quoridor(**options))


def test_a_table_has_no_value_for_other_games_and_ends() -> None:
    table = table_of(3, 1)
    for state in (
        Quoridor(board_size=4, fences=1).new_initial_state(),
        Quoridor(board_size=3, fences=2).new_initial_state(),
        game_of(3, 1).from_text(" / / b3 a2 / 1 1 / 2 / 3"),
    ):
        with pytest.raises(TableError):
            table.plies(state)


def test_scores_order_plies_and_tell_them() -> None:
    ordered = [*range(-2, -255, -2), 0, *range(253, 0, -2)]
    scores = [int(quoridor_levels.score_of(plies)) for plies in ordered]
    assert scores == sorted(set(scores))
    assert min(scores) >= -128
    assert max(scores) == quoridor_levels.WIN_AT_ONCE
    assert [int(quoridor_levels.plies_of(score)) for score in scores] == ordered
    for score in scores[1:]:  # the best reply is the lowest score, and what it is worth falls with it
        assert quoridor_levels.plies_before(score) == (
            0 if score == 0 else -(p := int(quoridor_levels.plies_of(score))) + (1 if p < 0 else -1)
        )
