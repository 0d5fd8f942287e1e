"""The compiled rules and the independent reference play the same random games."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from reference.picture_sugoroku import PictureSugoroku as Reference
from sekisho.envs import CHANCE, TERMINAL, load_game
from sekisho.envs.errors import OptionError
from sekisho.envs.picture_sugoroku.boards import SHIPPED, load_board
from sekisho.envs.picture_sugoroku.random_boards import random_board

KINDS = {CHANCE: "chance", TERMINAL: "over"}
MAX_PLIES = 400


def wild_board(rng: random.Random) -> dict[str, Any]:
    """A board with instructions of any size, such as the generator would not make."""
    goal = rng.choice([5, 6, 7, 9, 14, 30, 49])
    squares = {}
    for square in sorted(rng.sample(range(1, goal), rng.randint(0, goal - 1))):
        kind = rng.choice(["forward", "back", "rest", "roll_again", "roll_again", "to_start", "jump"])
        squares[str(square)] = instruction = {"kind": kind}
        if kind in ("forward", "back"):
            instruction["by"] = rng.randint(1, rng.choice([3, goal]))
        elif kind == "rest":
            instruction["turns"] = rng.randint(1, 2)
        elif kind == "jump":
            instruction["to"] = rng.choice([target for target in range(goal) if target != square])
    return {"id": "wild", "name": {"en": "Wild"}, "goal": goal, "squares": squares}


def random_games(rng: random.Random) -> Iterator[tuple[Any, Any, bool]]:
    """Yield pairs of a game and its reference without end, and whether somebody may resign."""
    while True:
        board: Any = wild_board(rng)
        if rng.random() < 0.5:
            board = random_board(rng.randint(5, 60), rng.random(), rng.randrange(1 << 64)).to_dict()
        elif rng.random() < 0.2:
            board = load_board(rng.choice(SHIPPED)).to_dict()
        options = {
            "chain": rng.random() < 0.6,
            "goal": rng.choice(["over", "exact"]),
            "finish": rng.choice(["first", "all_places"]),
            "allow_resign": rng.random() < 0.4,
            "players": rng.randint(2, 6),
        }
        try:
            game = load_game("picture_sugoroku", board=board, **options)
        except OptionError as error:
            assert "never be finished" in str(error)  # noqa: PT017
            continue
        yield game, Reference(board, **options), options["allow_resign"]


def assert_same(state: Any, reference: Any) -> None:
    kind = KINDS.get(state.current_player(), "decision")
    assert kind == reference.kind()
    assert state.to_text() == reference.to_text()
    assert state.seat == (0 if kind == "over" else reference.seat())
    if kind == "decision":
        assert state.current_player() == reference.seat()
    assert [state.action_to_string(action) for action in state.legal_actions()] == reference.legal_moves()
    outcomes = {} if kind != "chance" else {state.action_to_string(o): p for o, p in state.chance_outcomes()}
    expected = reference.chance_outcomes()
    assert list(outcomes) == list(expected)
    assert list(outcomes.values()) == pytest.approx([float(p) for p in expected.values()], abs=1e-15)
    assert state.returns() == pytest.approx(reference.returns(), abs=1e-12)


def compare_positions(seed: int, positions: int) -> None:
    rng = random.Random(seed)
    seen = 0
    for game, reference, may_resign in random_games(rng):
        state = game.new_initial_state()
        for ply in itertools.count():
            assert_same(state, reference)
            seen += 1
            if state.is_terminal() or ply == MAX_PLIES:
                break
            if state.is_chance_node():
                move = f"[{rng.randint(1, 6)}]"
            else:
                move = "resign" if may_resign and rng.random() < 0.03 else "roll"
            reference.play(move)
            state.apply_action(state.string_to_action(move))
            if ply & (ply - 1) == 0:  # at powers of two: the position stands alone
                assert game.from_text(state.to_text()) == state
        if not state.is_terminal():
            assert json.dumps(state.to_dict())
        if seen >= positions:
            return


@pytest.mark.parametrize("seed", range(4))
def test_same_games_as_the_reference(seed: int) -> None:
    compare_positions(seed, 1500)


@pytest.mark.slow
def test_same_games_as_the_reference_for_long() -> None:
    compare_positions(12345, 200_000)
