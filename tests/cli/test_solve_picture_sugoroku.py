"""`sekisho solve picture_sugoroku` as a person and as a script meet it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.agents.exact.picture_analysis import analyze
from sekisho.cli.main import main
from sekisho.envs import load_game

SOLVE = ("solve", "picture_sugoroku")
TINY = {
    "id": "tiny", "name": {"en": "Tiny"}, "goal": 8,
    "squares": {"3": {"kind": "back", "by": 2}, "5": {"kind": "rest", "turns": 1}},
}  # fmt: skip
TRAP = TINY | {"goal": 9, "squares": {str(square): {"kind": "to_start"} for square in range(1, 7)}}


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main((*SOLVE, *words))
    out, err = capsys.readouterr()
    return status, out, err


def document(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    status, out, err = run(capsys, *words, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    path = tmp_path / "tiny, one.json"  # a comma, which --rules could not take
    path.write_text(json.dumps(TINY), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "words",
    [
        ("--board", "a_short_walk", "--players", "3", "--rules", "goal=exact"),
        ("--rules", "board=a_short_walk,players=3,goal=exact"),
        ("--board", "a_short_walk", "--players", "3", "--rules", "goal=exact,board=A_Short_Walk,players=3"),
    ],
)
def test_the_document_holds_the_figures_however_the_game_is_named(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    found = document(capsys, *words)
    expected = analyze(load_game("picture_sugoroku", board="a_short_walk", players=3, goal="exact"))
    for key in ("win", "places", "own_turns", "turns", "rolled_turns", "rolls"):
        assert found[key] == getattr(expected, key)
    assert found["minutes"] == pytest.approx(expected.rolls / 12)
    assert (found["board"], found["rules"]["goal"], found["rules"]["players"]) == ("a_short_walk", "exact", 3)
    assert found["seconds"] < 1


def test_people_see_the_same(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    found = document(capsys, "--board", tiny, "--players", "6")
    status, out, err = run(
        *(capsys, "--board", tiny, "--players", "6", "--squares", "--rules", "allow_resign=true"),
        *("--suggest", "--turns", "24", "--max-advantage", "12"),
    )
    assert (status, err) == (0, "")
    assert f"{found['win'][0]:.4f}" in out
    assert f"{found['turns']:.2f}" in out
    assert "as if nobody ever resigned" in out
    assert "back 2" in out
    assert max(map(len, out.splitlines())) <= 100


def test_a_wish_that_no_change_fulfils_is_said_with_the_best_that_can_be_had(
    capsys: pytest.CaptureFixture[str], tiny: str
) -> None:
    words = ("--board", tiny, "--players", "6", "--suggest", "--max-advantage", "0.01")
    status, out, err = run(capsys, *words, "--json")
    found = json.loads(out)
    best = found["edits"][0]
    assert (status, found["reached"]) == (1, False)
    assert best["advantage_pp"] == min(edit["advantage_pp"] for edit in found["edits"]) < found["advantage_pp"]
    assert f"{best['edit']}, the first seat has {best['advantage_pp']:.2f} points" in err
    status, out, err = run(capsys, "--board", tiny, "--suggest", "--turns", "500")
    assert (status, "not about 500" in err) == (0, True)


def test_the_limit_of_the_advantage_comes_before_the_length(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    limit = document(capsys, "--board", tiny, "--players", "6")["advantage_pp"] - 0.3
    words = ("--board", tiny, "--players", "6", "--suggest", "--turns", "9", "--max-advantage", str(limit))
    status, out, _ = run(capsys, *words, "--json", "--edits", "50")
    kept = [edit["advantage_pp"] <= limit for edit in json.loads(out)["edits"]]
    assert (status, kept[0]) == (0, True)
    assert kept == sorted(kept, reverse=True)


def test_suggestions_are_boards_with_the_figures_stated(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    wish = ("--suggest", "--minutes", "2", "--seconds-a-roll", "8", "--edits", "3")
    found = document(capsys, "--board", tiny, "--players", "4", *wish)
    assert 1 <= len(found["edits"]) <= 3
    misses = []
    for edit in found["edits"]:
        analysis = analyze(load_game("picture_sugoroku", board=edit["board"], players=4))
        assert edit["minutes"] == pytest.approx(analysis.rolls * 8 / 60)
        assert edit["advantage_pp"] == pytest.approx(100 * analysis.advantage)
        misses.append(abs(edit["minutes"] / 2 - 1))
    assert misses[0] < abs(found["minutes"] / 2 - 1)


def test_the_output_file_holds_the_document(capsys: pytest.CaptureFixture[str], tmp_path: Path, tiny: str) -> None:
    path = tmp_path / "figures.json"
    found = document(capsys, "--board", tiny, "--squares", "--output", str(path))
    assert json.loads(path.read_text(encoding="utf-8")) == found
    assert set(found["swings"]) == {"3", "5"}


@pytest.mark.parametrize(("name", "expected"), [("missing/figures.json", 1), ("a\0b", 2)])
def test_an_output_that_cannot_be_written_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, expected: int
) -> None:
    status, out, err = run(capsys, "--output", f"{tmp_path}/{name}", "--json")
    assert (status, out) == (expected, "")
    assert "cannot write" in err or "no file can be named" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--board", "a_shrt_walk"), "did you mean 'a_short_walk'?"),
        (("--board", "nowhere/board.json"), "there is no board file"),
        (("--board", "TRAP"), "might never be finished"),
        (("--board", "a_short_walk", "--rules", "board=treasure_hunt"), "contradicts the board in --rules"),
        (("--players", "1"), "'players' must be one of 2, 3, 4, 5, 6, not 1"),
        (("--players", "7"), "'players' must be one of 2, 3, 4, 5, 6, not 7"),
        (("--players", "3", "--rules", "players=2"), "--players 3 contradicts players=2"),
        (("--rules", "gaol=exact"), "did you mean 'goal'?"),
        (("--suggest",), "--suggest needs a wish"),
        (("--minutes", "5"), "add --suggest"),
        (("--suggest", "--minutes", "5", "--turns", "30"), "give one"),
        (("--suggest", "--minutes", "nan"), "--minutes must be a number above 0"),
        (("--suggest", "--turns", "-3"), "--turns must be a number above 0"),
        (("--suggest", "--turns", "30", "--edits", "0"), "--edits must be 1..100, not 0"),
        (("--seconds-a-roll", "0"), "--seconds-a-roll must be a number above 0"),
    ],
)
def test_wrong_use_is_answered_with_status_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], hint: str
) -> None:
    trap = tmp_path / "trap.json"
    trap.write_text(json.dumps(TRAP), encoding="utf-8")
    status, out, err = run(capsys, *(str(trap) if word == "TRAP" else word for word in words), "--json")
    assert (status, out) == (2, "")
    assert hint in err
    assert len(err.splitlines()) == 1


def test_a_game_that_nobody_has_solved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("solve", "picture_sugorok")) == 2
    assert "did you mean 'picture_sugoroku'?" in capsys.readouterr().err


def test_options_of_another_game_are_not_ignored(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("solve", "quoridor", "--board", "a_short_walk")) == 2
    assert "--board is an option for picture_sugoroku, not for quoridor" in capsys.readouterr().err
    assert main(("solve", "picture_sugoroku", "--force")) == 2
    assert "--force is an option for quoridor and tokaido, not for picture_sugoroku" in capsys.readouterr().err
    assert main(("solve", "quoridor", "--utility", "first_only")) == 2
    assert "--utility is an option for tokaido, not for quoridor" in capsys.readouterr().err
