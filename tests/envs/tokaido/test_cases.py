"""The rules of Tokaido sugoroku against cases worked by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.envs import load_game
from sekisho.envs.tokaido.rules import TokaidoState

DATA = Path(__file__).resolve().parents[2] / "data" / "tokaido_cases.json"
CASES: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))["cases"]


def start(case: dict[str, Any]) -> TokaidoState:
    players = len(case["position"].split("/")[0].split())
    return load_game("tokaido", players=players, **case["options"]).from_text(case["position"])


def without_turns(state: TokaidoState) -> str:
    """Return the position's text without the turns taken, which the cases leave out."""
    return " / ".join(state.to_text().split(" / ")[:3])


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    state = start(case)
    assert without_turns(state) == case["position"]
    state.apply_moves(" ".join(case["moves"]))
    expect = case["expect"]
    if "position" in expect:
        assert without_turns(state) == expect["position"], case["why"]
        assert not state.is_terminal()
    elif "legal_moves" in expect:
        legal = [state.action_to_string(action) for action in state.legal_actions()]
        assert sorted(legal) == sorted(expect["legal_moves"]), case["why"]
    else:
        assert state.is_terminal()
        assert state.returns() == pytest.approx(expect["returns"]), case["why"]
