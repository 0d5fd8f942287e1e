"""The reference rules of Tokaido sugoroku against cases worked by hand, and what must hold in every game."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from reference.tokaido import EVENTS, FORKS, VALUES, Tokaido

DATA = Path(__file__).resolve().parent.parent / "data" / "tokaido_cases.json"
CASES: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))["cases"]


def test_table_is_well_formed() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES) >= 40
    for case in CASES:
        assert set(case) == {"id", "options", "position", "moves", "expect", "why"}, case["id"]
        assert len(case["expect"]) == 1, case["id"]
        assert set(case["options"]) <= {*VALUES, "max_turns"}, case["id"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    game = Tokaido.from_text(case["position"], **case["options"])
    assert game.to_text() == case["position"], "the position is one that waits for something"
    for text in case["moves"]:
        game.play(text)
    expect = case["expect"]
    if "position" in expect:
        assert game.kind() != "over", case["why"]
        assert game.to_text() == expect["position"], case["why"]
    elif "legal_moves" in expect:
        assert game.kind() == "decision", case["why"]
        assert sorted(game.legal_moves()) == sorted(expect["legal_moves"]), case["why"]
    else:
        assert game.kind() == "over", case["why"]
        assert game.returns() == pytest.approx(expect["returns"]), case["why"]


def test_start() -> None:
    game = Tokaido(players=3)
    assert game.to_text() == "0 0 0 / 1 / turn"
    assert (game.kind(), game.seat(), game.legal_moves()) == ("chance", 0, [])


def test_events_are_on_twenty_stations_and_no_fork() -> None:
    assert len(EVENTS) == 20
    assert not set(EVENTS) & set(FORKS["three"])


def test_two_dice_have_21_rolls() -> None:
    outcomes = Tokaido().chance_outcomes()
    assert len(outcomes) == 21
    assert sum(outcomes.values()) == 1
    assert (outcomes["[3-3]"], outcomes["[2-5]"]) == (Fraction(1, 36), Fraction(1, 18))
    assert "[5-2]" not in outcomes


def test_crossing_die_has_six_faces() -> None:
    outcomes = Tokaido.from_text("30c 0 / 1 / turn").chance_outcomes()
    assert outcomes == {f"[{face}]": Fraction(1, 6) for face in range(1, 7)}


@pytest.mark.parametrize(
    ("position", "text"),
    [
        ("0 0 / 1 / turn", "3"),  # the dice come first
        ("0 0 / 1 / turn", "[5-2]"),  # smaller number first
        ("0 0 / 1 / turn", "[3]"),  # two dice are due
        ("9c 0 / 1 / turn", "[2-5]"),  # one die is due
        ("0 0 / 1 / [2-5]", "7"),  # the sum of two different numbers
        ("0 0 / 1 / [2-5]", "4"),
        ("0 0 / 1 / [3-3]", "9"),
        ("0 0 / 1 / [2-5]", "[2-5]"),
        ("0 0 / 1 / [2-5]", "resign"),  # an option, off
        ("9 0 / 1 / turn", "[2-5]"),  # the road comes first
        ("9 0 / 1 / turn", "5"),
        ("54#1 0 / - / over", "[2-5]"),
        ("0 0 / 1 / turn", ""),
    ],
)
def test_refused(position: str, text: str) -> None:
    game = Tokaido.from_text(position)
    with pytest.raises(ValueError, match="cannot be played"):
        game.play(text)
    assert game.to_text() == position


@pytest.mark.parametrize(
    "options",
    [
        {"players": 1},
        {"players": 7},
        {"forks": "two"},
        {"goal": "near"},
        {"detour_rejoins": "never"},
        {"after_crossing": "rest"},
        {"rechoice": "no"},
        {"finish": "last"},
        {"max_turns": 0},
    ],
)
def test_options_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Tokaido(**options)


def test_nothing_is_asked_when_over_and_nothing_paid_before() -> None:
    over = Tokaido.from_text("54#1 20 / - / over")
    assert (over.kind(), over.legal_moves(), over.chance_outcomes()) == ("over", [], {})
    with pytest.raises(ValueError, match="over"):
        over.seat()
    with pytest.raises(ValueError, match="end of the game"):
        Tokaido().returns()


def test_resting_seat_to_move_skips_at_once() -> None:
    assert Tokaido.from_text("10+1 3 / 1 / turn").to_text() == "10 3 / 2 / turn"


def test_clone_is_independent() -> None:
    game = Tokaido.from_text("5 6 / 1 / [2-6]")
    other = game.clone()
    other.play("2")
    assert game.to_text() == "5 6 / 1 / [2-6]"
    assert other.to_text() == "7 6 / 2 / turn"


def random_options(chooser: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {name: chooser.choice(values) for name, values in VALUES.items()}
    return options | {"max_turns": chooser.choice([None, 5, 200])}


@pytest.mark.parametrize("seed", range(60))
def test_random_games(seed: int) -> None:
    chooser = random.Random(seed)
    options = random_options(chooser)
    players = chooser.randint(2, 6)
    game = Tokaido(players=players, **options)
    while game.kind() != "over":
        text = game.to_text()
        again = Tokaido.from_text(text, **options)
        assert again.to_text() == text
        assert (again.kind(), again.seat(), again.legal_moves()) == (game.kind(), game.seat(), game.legal_moves())
        assert game.pieces[game.seat()].in_play()
        if game.kind() == "chance":
            assert game.legal_moves() == []
            game.play(chooser.choice(list(game.chance_outcomes())))
        else:
            assert game.chance_outcomes() == {}
            moves = game.legal_moves()
            assert len(set(moves)) == len(moves) >= 2
            # Resigning is rare, so that most games are walked to their end.
            game.play(moves[-1] if chooser.random() < 0.01 else chooser.choice(moves[:2]))
    points = game.returns()
    assert len(points) == players
    assert sum(points) == pytest.approx(0)
    assert all(-1 <= point <= 1 for point in points)
    over = Tokaido.from_text(game.to_text(), **options)
    assert (over.to_text(), over.kind(), over.returns()) == (game.to_text(), "over", points)
