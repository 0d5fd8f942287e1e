"""The picture sugoroku reference against hand-worked cases and against what must hold in every game.

A case of `tests/data/picture_cases.json` starts from `position` on `board` with `options`, plays `moves` (decisions
and die rolls in order) and names in `expect` any of:
`position` (the whole text), `pieces` (its first field, for finished games), `kind`, `legal` (in alphabetical order),
`chance` (outcomes with fractions), `returns`, `refused` (texts that must raise ValueError there).
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from reference.picture_sugoroku import PictureSugoroku

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).resolve().parents[1] / "data" / "picture_cases.json").read_text(encoding="utf-8")
)
KNOWN_KEYS = {"position", "pieces", "kind", "legal", "chance", "returns", "refused"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    game = PictureSugoroku.from_text(case["position"], case["board"], **case["options"])
    assert game.to_text() == case["position"]
    for move in case["moves"]:
        game.play(move)
    expect = case["expect"]
    assert expect
    assert set(expect) <= KNOWN_KEYS
    if "position" in expect:
        assert game.to_text() == expect["position"]
        assert game.kind() != "over"
    if "pieces" in expect:
        assert game.to_text().split(" / ")[0] == expect["pieces"]
    if "kind" in expect:
        assert game.kind() == expect["kind"]
    if "legal" in expect:
        assert sorted(game.legal_moves()) == expect["legal"]
    if "chance" in expect:
        assert game.chance_outcomes() == {face: Fraction(p) for face, p in expect["chance"].items()}
    if "returns" in expect:
        assert game.returns() == pytest.approx(expect["returns"], abs=1e-12)
    for text in expect.get("refused", []):
        before = game.to_text()
        with pytest.raises(ValueError, match="not possible"):
            game.play(text)
        assert game.to_text() == before


def test_case_table_is_complete() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES) >= 40
    used = {key: {case["options"].get(key) for case in CASES} for key in ("chain", "goal", "finish", "allow_resign")}
    assert used == {
        "chain": {None, False},
        "goal": {None, "exact"},
        "finish": {None, "all_places"},
        "allow_resign": {None, True},
    }
    kinds = {square["kind"] for case in CASES for square in case["board"]["squares"].values()}
    assert kinds == {"forward", "back", "rest", "roll_again", "to_start", "jump"}


def words_of_a_lone_piece(board: dict[str, Any], **options: Any) -> set[str]:
    """Every text (`12`, `12+1`) that one piece can have at the start of somebody's turn, or before an extra roll."""
    seen: set[str] = set()
    to_visit = ["0"]
    while to_visit:
        word = to_visit.pop()
        if word in seen:
            continue
        seen.add(word)
        square, _, rests = word.partition("+")
        if rests:
            to_visit.append(f"{square}+{int(rests) - 1}" if int(rests) > 1 else square)
            continue
        for number in range(1, 7):
            game = PictureSugoroku.from_text(f"{square} 0 / 1 / dice", board, **options)
            game.play(f"[{number}]")
            if game.kind() != "over":
                to_visit.append(game.to_text().split()[0])
    return seen


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case_positions_can_arise(case: dict[str, Any]) -> None:
    options = {key: case["options"][key] for key in ("chain", "goal") if key in case["options"]}
    board = case["board"]
    possible = words_of_a_lone_piece(board, **options)
    pieces, seat, pending = case["position"].split(" / ")
    words = pieces.split()
    for word in words:
        if word == "R":
            assert case["options"].get("allow_resign")
        elif "#" in word:
            assert word.startswith(f"{board['goal']}#")
            assert case["options"].get("finish") == "all_places"
        else:
            assert word in possible
    mover = words[int(seat) - 1]
    assert mover.isdigit()
    if " x" in pending:
        assert board["squares"][mover] == {"kind": "roll_again"}


def random_board(rng: random.Random) -> dict[str, Any]:
    goal = rng.randint(5, 40)
    squares: dict[str, dict[str, Any]] = {}
    for n in range(1, goal):
        if rng.random() < 0.4:
            kind = rng.choice(["forward", "back", "rest", "roll_again", "to_start", "jump"])
            squares[str(n)] = {"kind": kind}
            if kind in ("forward", "back"):
                squares[str(n)]["by"] = rng.randint(1, rng.choice([6, goal]))
            elif kind == "rest":
                squares[str(n)]["turns"] = rng.randint(1, 2)
            elif kind == "jump":
                squares[str(n)]["to"] = rng.choice([m for m in range(goal) if m != n])
    return {"id": "random", "name": {"en": "Random"}, "goal": goal, "squares": squares}


@pytest.mark.parametrize("seed", range(120))
def test_random_games_keep_the_rules(seed: int) -> None:
    rng = random.Random(seed)
    board = random_board(rng)
    players = rng.randint(2, 6)
    options: dict[str, Any] = {
        "chain": rng.random() < 0.5,
        "goal": rng.choice(["over", "exact"]),
        "finish": rng.choice(["first", "all_places"]),
        "allow_resign": rng.random() < 0.3,
    }
    game = PictureSugoroku(board, players, **options)
    assert game.to_text() == f"{' '.join(['0'] * players)} / 1 / turn"
    rolls_of_turn = 0
    for _ in range(400):  # some random boards cannot be finished; a part of a game is a test as well
        if game.kind() == "over":
            break
        text = game.to_text()
        again = PictureSugoroku.from_text(text, board, **options)
        assert again.to_text() == text
        assert again.__dict__ == game.__dict__
        assert game.returns() == [0.0] * players
        pieces, seat, _ = text.split(" / ")
        assert int(seat) == game.seat() + 1
        assert pieces.split()[game.seat()].isdigit()  # the seat to move neither rests nor is out
        if game.kind() == "decision":
            assert game.legal_moves() == (["roll", "resign"] if options["allow_resign"] else ["roll"])
            move = "resign" if options["allow_resign"] and rng.random() < 0.02 else "roll"
        else:
            outcomes = game.chance_outcomes()
            assert list(outcomes) == [f"[{n}]" for n in range(1, 7)]
            assert sum(outcomes.values()) == 1
            move = rng.choice(list(outcomes))
            rolls_of_turn += 1
        copied = game.clone()
        game.play(move)
        assert copied.to_text() == text  # the copy does not follow
        if " x" not in game.to_text() and game.kind() != "chance":
            assert rolls_of_turn <= 4  # one throw and at most three more
            rolls_of_turn = 0
    if game.kind() == "over":
        points = game.returns()
        assert sum(points) == pytest.approx(0, abs=1e-12)
        assert points.count(1.0) == 1  # the first rank cannot be shared
        assert game.legal_moves() == []
        assert game.chance_outcomes() == {}
        assert game.to_text().endswith(" / - / over")
        assert PictureSugoroku.from_text(game.to_text(), board, **options).returns() == points
        with pytest.raises(ValueError, match="not possible"):
            game.play("roll")


@pytest.mark.parametrize("wrong", [{"players": 1}, {"players": 7}, {"goal": "under"}, {"finish": "last"}])
def test_wrong_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not "):
        PictureSugoroku({"goal": 5, "squares": {}}, **wrong)
