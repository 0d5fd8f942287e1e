"""The library against known positions and known numbers of move sequences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.envs import State, load_game
from sekisho.envs.errors import IllegalActionError
from sekisho.envs.perft import divide, perft

DATA = Path(__file__).resolve().parent.parent.parent / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "quoridor_cases.json").read_text(encoding="utf-8"))["cases"]
PERFT: dict[str, Any] = json.loads((DATA / "quoridor_perft.json").read_text(encoding="utf-8"))
CASE_FIELDS = {
    *("id", "players", "moves", "pawn_targets", "legal", "illegal", "legal_count", "winner", "draw_with"),
    *("what", "source"),
}


def row_name(row: dict[str, Any]) -> str:
    return f"{row['board_size']}-{row['walls_per_player']}-{row['players']}"


def start(row: dict[str, Any]) -> State:
    options = {"board_size": row["board_size"], "fences": row["walls_per_player"], "players": row["players"]}
    return load_game("quoridor", **options).new_initial_state()


def played(case: dict[str, Any], **options: Any) -> State:
    state = load_game("quoridor", players=case["players"], **options).new_initial_state()
    state.apply_moves(case["moves"])
    return state


def finished_on_the_last_ply(state: State, depth: int) -> int:
    """Count the sequences of exactly `depth` plies whose last one ends the game, far from the ply cap."""
    squares = state.game.options["board_size"] ** 2
    if depth == 1:
        return sum(state.child(a).is_terminal() for a in state.legal_actions() if a < squares)
    return sum(finished_on_the_last_ply(state.child(a), depth - 1) for a in state.legal_actions())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_field_of_a_known_position_holds(case: dict[str, Any]) -> None:
    assert case.keys() <= CASE_FIELDS
    state = played(case)
    legal = [state.action_to_string(action) for action in state.legal_actions()]
    assert state.is_terminal() == ("winner" in case)
    assert state.end_reason() == ("goal" if "winner" in case else None)
    if "winner" in case:
        assert state.returns() == [1.0 if seat == case["winner"] else -1.0 for seat in range(case["players"])]
    if "pawn_targets" in case:
        assert sorted(move for move in legal if len(move) == 2) == case["pawn_targets"]
    if "legal_count" in case:
        assert len(legal) == case["legal_count"] == perft(state, 1)
    assert set(case.get("legal", ())) <= set(legal)
    for move in case.get("illegal", ()):
        with pytest.raises(IllegalActionError, match=f"^{move}: "):
            state.string_to_action(move)


@pytest.mark.parametrize("case", [case for case in CASES if "draw_with" in case], ids=lambda case: case["id"])
def test_a_known_draw_comes_with_the_last_move_and_with_its_option_alone(case: dict[str, Any]) -> None:
    option, value = case["draw_with"].split("=")
    drawn = played(case, **{option: int(value)})
    assert (drawn.is_terminal(), drawn.end_reason()) == (True, option)
    assert drawn.legal_actions() == []
    assert drawn.returns() == [0.0] * case["players"]
    drawn.undo_action()
    assert not drawn.is_terminal()
    assert not played(case).is_terminal()


@pytest.mark.parametrize(
    ("row", "depth"),
    [(row, int(depth)) for row in PERFT["perft"] for depth in row["nodes"]],
    ids=lambda value: row_name(value) if isinstance(value, dict) else str(value),
)
def test_perft_is_as_known(row: dict[str, Any], depth: int) -> None:
    assert perft(start(row), depth) == row["nodes"][str(depth)]


@pytest.mark.parametrize(
    ("row", "depth"),
    [(row, int(depth)) for row in PERFT["perft"] for depth in row["terminal"]],
    ids=lambda value: row_name(value) if isinstance(value, dict) else str(value),
)
def test_as_many_games_as_known_end_on_their_last_ply(row: dict[str, Any], depth: int) -> None:
    assert finished_on_the_last_ply(start(row), depth) == row["terminal"][str(depth)]


@pytest.mark.parametrize("row", PERFT["divide"], ids=lambda row: f"{row_name(row)}-depth{row['depth']}")
def test_divide_is_as_known_for_every_first_move(row: dict[str, Any]) -> None:
    counts = divide(start(row), row["depth"])
    assert counts == row["std_move_to_count"]
    assert sum(counts.values()) == row["total"]


@pytest.mark.slow
def test_perft_of_the_full_board_to_depth_4_is_as_known() -> None:
    assert perft(load_game("quoridor"), 4) == 247_569_030
