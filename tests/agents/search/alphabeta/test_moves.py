"""The lists of moves against the rules: none missing, none too many, and what each does to the distances."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from sekisho.agents.heuristics.quoridor_paths import fences_across_shortest
from sekisho.agents.search.alphabeta import frames
from sekisho.agents.search.alphabeta.frames import pack_steps
from sekisho.agents.search.alphabeta.moves import ALL, HOSTILE, REST, UNKNOWN, generate, pick, steps_after
from sekisho.envs.quoridor.kernels import GOAL_HIGH, GOAL_LOW, PAWN, can_step, distance, neighbour, walls_of
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState
from support.quoridor_play import biased_action, random_habit

GAMES = [
    Quoridor(),
    Quoridor(board_size=3, fences=3),
    Quoridor(board_size=4, fences=4),
    Quoridor(board_size=6, fences=6),
    Quoridor(board_size=5, fences=2),
]


def positions(game: Quoridor, count: int, seed: int = 5) -> list[QuoridorState]:
    rng = random.Random(seed)
    found: list[QuoridorState] = []
    while len(found) < count:
        state, habit = game.new_initial_state(), random_habit(rng)
        for _ in range(rng.randrange(60)):
            if not state.is_terminal():
                state.apply_action(biased_action(state, rng, habit))
        if not state.is_terminal():
            found.append(state)
    return found


def frame_of(state: QuoridorState) -> NDArray[np.int64]:
    frame = np.zeros(frames.FRAME_SIZE, np.int64)
    frame[: state.words.size] = state.words
    for seat in range(2):
        frame[frames.STEPS + seat] = distance(state.game.rules, state.words, seat)
    frame[frames.TABLE_MOVE] = -1
    return frame


def listed(state: QuoridorState, frame: NDArray[np.int64], wanted: int) -> list[int]:
    control = np.zeros(frames.CONTROL_SIZE, np.int64)
    control[frames.KILLER :] = -1
    generate(state.game.rules, frame, control, 0, np.zeros((frames.SCRATCH_ROWS, 2), np.uint64), wanted)
    return [int(action) for action in frame[frames.LIST : frames.LIST + frame[frames.COUNT]]]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_list_is_what_the_rules_allow(game: Quoridor) -> None:
    for state in positions(game, 60):
        frame = frame_of(state)
        found = listed(state, frame, ALL)
        legal = state.legal_actions()
        assert sorted(found) == sorted(legal), state.to_text()
        halves = listed(state, frame.copy(), HOSTILE), listed(state, frame.copy(), REST)
        assert sorted(halves[0] + halves[1]) == sorted(legal), state.to_text()


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_steps_after_a_move_are_told_with_it(game: Quoridor) -> None:
    for state in positions(game, 20):
        frame = frame_of(state)
        for place, action in enumerate(listed(state, frame, ALL)):
            after = frame_of(state.child(action))
            assert frame[frames.AFTER + place] == pack_steps(after), (state.to_text(), action)
            assert steps_after(game.rules, frame, action) == pack_steps(after)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_a_move_from_the_table_is_only_believed_if_it_is_legal(game: Quoridor) -> None:
    for state in positions(game, 10):
        frame, legal = frame_of(state), set(state.legal_actions())
        for action in range(game.num_actions):
            believed = steps_after(game.rules, frame, action) != UNKNOWN
            assert believed == (action in legal), (state.to_text(), action)


def steps_from(state: QuoridorState, starts: list[int]) -> dict[int, int]:
    """Distances by breadth-first search, square by square."""
    walls, found, rim = walls_of(state.words), dict.fromkeys(starts, 0), starts
    while rim:
        following = []
        for square in rim:
            for direction in range(4):
                if can_step(square, direction, walls) and neighbour(square, direction) not in found:
                    found[neighbour(square, direction)] = found[square] + 1
                    following.append(neighbour(square, direction))
        rim = following
    return found


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_fences_across_the_shortest_paths_are_those_that_close_one_of_their_steps(game: Quoridor) -> None:
    scratch = np.zeros((frames.SCRATCH_ROWS, 2), np.uint64)
    size = game.options["board_size"]
    for state in positions(game, 15):
        walls = tuple(np.uint64(word) for word in walls_of(state.words))
        for seat in range(2):
            pawn = int(state.words[PAWN + seat])
            low, high = np.uint64(game.rules[GOAL_LOW + seat]), np.uint64(game.rules[GOAL_HIGH + seat])
            goal = [s for s in range(81) if (int(low) | int(high) << 63) >> s & 1]
            there, back = steps_from(state, [pawn]), steps_from(state, goal)
            total = back[pawn]
            closed = {
                (min(a, b), max(a, b))
                for a in there
                for direction in range(4)
                if can_step(a, direction, walls)
                for b in [neighbour(a, direction)]
                if there[a] + 1 + back.get(b, 999) == total
            }
            across = fences_across_shortest(pawn, low, high, walls, scratch)
            for rank in range(size - 1):
                for file in range(size - 1):
                    a = rank * 9 + file
                    horizontal = {(a, a + 9), (a + 1, a + 10)} & closed
                    vertical = {(a, a + 1), (a + 9, a + 10)} & closed
                    told = [bool(int(word) >> (rank * 8 + file) & 1) for word in across]
                    assert told == [bool(horizontal), bool(vertical)], (state.to_text(), seat, rank, file)


def test_moves_are_picked_in_the_order_of_their_promise() -> None:
    state = GAMES[0].from_text("e3c5 / d4 / e4 f6 / 8 9 / 1 / 6")
    frame = frame_of(state)
    count = len(listed(state, frame, ALL))
    orders = []
    for _ in range(count):
        place = pick(frame)
        frame[frames.NEXT] = place + 1
        orders.append(int(frame[frames.ORDER + place]))
    assert orders == sorted(orders, reverse=True)
    assert len(set(orders)) > 2
