"""Picture sugoroku against the cases worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.envs import CHANCE, TERMINAL, load_game
from sekisho.envs.errors import SekishoError

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "picture_cases.json").read_text(encoding="utf-8")
)


def state_of(case: dict[str, Any]) -> Any:
    players = len(case["position"].split(" / ")[0].split())
    game = load_game("picture_sugoroku", board=case["board"], players=players, **case["options"])
    state = game.from_text(case["position"])
    assert state.to_text() == case["position"]
    state.apply_moves(" ".join(case["moves"]))
    return state


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    state = state_of(case)
    expect = case["expect"]
    if "position" in expect:
        assert state.to_text() == expect["position"]
        assert not state.is_terminal()
    if "pieces" in expect:
        assert state.to_text().split(" / ")[0] == expect["pieces"]
    if "kind" in expect:
        kind = {CHANCE: "chance", TERMINAL: "over"}.get(state.current_player(), "decision")
        assert kind == expect["kind"]
    if "legal" in expect:
        assert sorted(state.action_to_string(action) for action in state.legal_actions()) == expect["legal"]
    if expect.get("chance"):
        outcomes = {state.action_to_string(o): p for o, p in state.chance_outcomes()}
        assert list(outcomes) == list(expect["chance"])
        assert list(outcomes.values()) == pytest.approx([1 / 6] * 6)
    if "returns" in expect:
        assert state.returns() == pytest.approx(expect["returns"], abs=1e-12)
    for text in expect.get("refused", []):
        before = state.to_text()
        with pytest.raises(SekishoError):
            state.apply_action(state.string_to_action(text))
        assert state.to_text() == before


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case_read_again_where_it_ends(case: dict[str, Any]) -> None:
    state = state_of(case)
    again = state.game.from_text(state.to_text())
    assert again == state
    assert again.returns() == state.returns()
    assert state.game.from_dict(json.loads(json.dumps(state.to_dict()))) == state
