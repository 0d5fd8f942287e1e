"""`sekisho replay` and `sekisho analyze`: recorded games shown, checked and judged; a line that lies is named."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sekisho.arena.saved import write_session
from sekisho.arena.session import Session
from sekisho.cli.main import main
from sekisho.envs import load_game


def saved(path: Path, game: str, *seats: str, seed: int = 5, plies: int = 10_000, **rules: Any) -> Session:
    session = Session(load_game(game, players=len(seats), **rules).new_initial_state(), seats, seed)
    while not session.is_over and session.ply < plies:
        if session.mover < 0:
            session.throw()
        else:
            session.play(session.decide().action)
    write_session(path, session)
    return session


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run")
    words = ["tournament", "quoridor", "--agents", "random", "heuristic", "--games", "4", "--workers", "1", "--rules"]
    assert main([*words, "board_size=5,fences=2", "--output", str(path)]) == 0
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "\x1b" not in out + err
    assert all(len(line) <= 100 or "/" in line for line in out.splitlines())
    return status, out, err


def document(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    status, out, err = run(capsys, *words, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


# --- replay ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["quoridor", "tokaido", "picture_sugoroku"])
def test_a_saved_game_is_shown_with_its_moves_and_result(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, game: str
) -> None:
    session = saved(tmp_path / "g.json", game, "heuristic", "random")
    status, out, err = run(capsys, "replay", str(tmp_path / "g.json"))
    assert (status, err) == (0, "")
    assert session.state.draw() in out
    assert f"Every move is legal, and the result is theirs: {session.end_reason()}" in " ".join(out.split())
    assert "seat 2 (random)" in out
    found = document(capsys, "replay", str(tmp_path / "g.json"))
    assert found["moves"] == session.state.moves()
    assert (found["verified"], found["end"], found["returns"]) == (True, session.end_reason(), session.returns())
    assert found["shown"] == {"ply": session.ply, "position": session.state.to_text()}


@pytest.mark.parametrize(("columns", "players"), [(80, 2), (80, 4), (100, 4)])
def test_every_ply_is_told_in_lines_of_the_terminal_without_a_torn_number(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int, players: int
) -> None:
    session = saved(tmp_path / "g.json", "quoridor", *["heuristic"] * players, seed=1)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n" * session.ply))
    for words in (("--step",), ()):
        out = run(capsys, "replay", "g.json", *words)[1]
        assert max(map(len, out.splitlines())) <= columns
        assert not re.search(r"(\bseat\n *\d|->\n|\n *->|\bseat \d:\n)", out)


def test_a_folder_without_games_is_wrong_use(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for command in ("replay", "analyze"):
        status, out, err = run(capsys, command, str(tmp_path))
        assert (status, out) == (2, "")
        assert f"{tmp_path} holds no games.jsonl" in err


def test_kept_games_are_listed_where_no_file_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    for words in (("replay",), ("play", "--load")):
        status, out, err = run(capsys, *words)
        assert (status, err) == (0, "")
        assert "No games are kept in" in out
    kept = tmp_path / "sekisho" / "games"
    kept.mkdir(parents=True)
    for number, plies in enumerate((3, 10_000)):
        path = kept / f"picture_sugoroku-20260101-00000{number}.json"
        saved(path, "picture_sugoroku", "heuristic", "random", plies=plies)
        os.utime(path, (1000 + number, 1000 + number))
    for words in (
        ("replay",),
        ("replay", str(kept)),
        ("play", "--load"),
        ("play", "--load", "--seats", "human", "human"),
    ):
        status, out, err = run(capsys, *words)
        assert (status, err) == (0, "")
        first, second = (out.index(f"picture_sugoroku-20260101-00000{number} ") for number in (1, 0))
        assert first < second
        assert "wins" in out[first:second]
        assert "goes on" in out[second:]
        assert max(len(line) for line in out.splitlines() if str(tmp_path) not in line) <= 80
    assert f"sekisho play --load 2, which is\n{kept / 'picture_sugoroku-20260101-000000.json'}\n" in out
    assert document(capsys, "replay", "--game", "2")["plies"] == 3
    assert [game["plies"] for game in document(capsys, "replay")["games"]][1] == 3
    assert "holds 2 games" in run(capsys, "analyze", str(kept))[2]
    (kept / "torn.json").write_text("{", encoding="utf-8")
    status, out, err = run(capsys, "replay")
    assert status == 1
    assert "2 of 3 games agree" in out
    assert "torn.json: not JSON" in err


def test_a_seat_that_was_taken_over_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    session = Session(load_game("quoridor", board_size=5, fences=0).new_initial_state(), ("human", "human"), 1)
    for number, move in enumerate(("b1", "c4", "c1", "c3", "c2")):
        if number == 3:
            session.take_over(0, "random")
        session.play(session.state.string_to_action(move))
    write_session(path, session)
    told = "seat 1 (random, since ply 4; before: a person)"
    assert told in run(capsys, "replay", str(path))[1]
    assert told in run(capsys, "analyze", str(path))[1]
    assert "seat 1 (human) plays c1" in run(capsys, "replay", str(path), "--ply", "3")[1]
    assert "seat 1 (random) plays c2" in run(capsys, "replay", str(path), "--ply", "5")[1]


def test_any_ply_is_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "g.json")
    session = saved(tmp_path / "g.json", "tokaido", "heuristic", "random", seed=2)
    state = session.game.new_initial_state()
    for ply, move in enumerate([*session.state.moves()[:12], None]):
        assert document(capsys, "replay", path, "--ply", str(ply))["shown"]["position"] == state.to_text()
        out = run(capsys, "replay", path, "--ply", str(ply))[1]
        assert state.draw().splitlines()[0] in out
        if move is not None:
            state.apply_action(state.string_to_action(move))
    for ply in (-1, session.ply + 1):
        status, out, err = run(capsys, "replay", path, "--ply", str(ply))
        assert (status, out) == (2, "")
        assert f"--ply must be 0..{session.ply}, not {ply}" in err


def test_pictures_are_drawn_and_nothing_else_is_replaced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, svg, png = tmp_path / "g.json", tmp_path / "g.svg", tmp_path / "g.png"
    session = saved(path, "quoridor", "heuristic", "random", board_size=5, fences=2)
    for done in ("wrote", "replaced"):  # a picture of ours is replaced
        status, said, _ = run(capsys, "replay", str(path), "--svg", str(svg), "--png", str(png))
        assert (status, said.splitlines()[:2]) == (0, [f"{done} {svg}", f"{done} {png}"])
    assert svg.read_text(encoding="utf-8") == session.state.draw_svg()
    assert np.array_equal(np.array(Image.open(png)), session.state.draw_pixels())
    before = path.read_bytes()
    for out, hint, expected in ((path, "is no picture", 2), (tmp_path, "is no picture", 2),
                                ("", "no file can be named", 2), (tmp_path / "no" / "x.svg", "cannot write", 1)):  # fmt: skip
        status, _, err = run(capsys, "replay", str(path), "--svg", str(out))
        assert status == expected
        assert hint in err
    assert path.read_bytes() == before


def test_the_name_of_a_picture_says_what_it_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    saved(path, "quoridor", "heuristic", "random", plies=2)
    for option, name, better in (
        ("--svg", "x.png", "x.svg"), ("--png", "x.svg", "x.png"), ("--svg", "X.PNG", "X.svg"), ("--png", "x.jpg", "x.png"),
    ):  # fmt: skip
        status, out, err = run(capsys, "replay", str(path), option, str(tmp_path / name))
        assert (status, out) == (2, "")
        assert f"name it {better}" in err
    assert list(tmp_path.iterdir()) == [path]
    assert run(capsys, "replay", str(path), "--svg", str(tmp_path / "board"), "--png", str(tmp_path / "x.PNG"))[0] == 0


def test_a_game_is_stepped_through(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = saved(tmp_path / "g.json", "quoridor", "heuristic", "random", board_size=5, fences=2)
    last = session.ply
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"\n\nb\n{last}\n\n99\nfoo\nq\nnever read\n"))
    status, out, _ = run(capsys, "replay", str(tmp_path / "g.json"), "--step")
    assert status == 0
    assert re.findall(r"ply (\d+) of", out) == [*"0121", *[str(last)] * 4]
    assert "This is the end." in out
    assert out.count(f"expected Enter, back, 0..{last} or quit") == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert run(capsys, "replay", str(tmp_path / "g.json"), "--step")[0] == 0


def test_the_games_of_a_tournament_are_checked_and_listed(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    for path in (folder, folder / "games.jsonl"):
        status, out, err = run(capsys, "replay", str(path))
        assert (status, err) == (0, "")
        assert "4 of 4 games agree with the rules" in out
        found = document(capsys, "replay", str(path))
        assert [game["number"] for game in found["games"]] == [1, 2, 3, 4]
        assert found["wrong"] == []
    records = [json.loads(line) for line in (folder / "games.jsonl").read_text(encoding="utf-8").splitlines()]
    for number, record in enumerate(records, start=1):
        found = document(capsys, "replay", str(folder), "--game", str(number))
        assert (found["moves"], found["seats"], found["end"]) == (record["moves"], record["agents"], record["end"])
    for words, hint in ((("--game", "5"), "must be 1..4"), (("--game", "0"), "must be 1..4"),
                        (("--ply", "3"), "holds 4 games"), (("--step",), "holds 4 games")):  # fmt: skip
        status, out, err = run(capsys, "replay", str(folder), *words)
        assert (status, out) == (2, "")
        assert hint in err


def test_names_of_agents_are_no_markup_and_no_control_codes(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    lines = (folder / "games.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) | {"agents": ["[/x]", "[bold]\x1b[31m:smile:"]} for line in lines]
    path = tmp_path / "games.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    status, out, err = run(capsys, "replay", str(path))
    assert (status, err) == (0, "")
    assert "[/x], [bold]�[31m:smile:" in out
    for command in ("replay", "analyze"):
        status, out, err = run(capsys, command, str(path), "--game", "2")
        assert (status, err) == (0, "")
        assert "seat 1 ([/x])" in out


def test_a_file_that_is_missing_is_wrong_use_and_one_that_lies_a_failure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"kind": "sekisho game"}', encoding="utf-8")
    for words in (("replay",), ("analyze",), ("play", "--load")):
        for path, expected in ((wrong, 1), (tmp_path / "nope.json", 2), (tmp_path / ("x" * 300), 2)):
            status, out, err = run(capsys, *words, str(path))
            assert (status, out) == (expected, "")
            assert path.name[:50] in err.replace("\n", "")


def test_to_step_and_to_print_json_are_two_things(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    saved(tmp_path / "g.json", "quoridor", "random", "random", plies=2)
    status, out, err = run(capsys, "replay", str(tmp_path / "g.json"), "--step", "--json")
    assert (status, out) == (2, "")
    assert "choose one" in err


def test_a_line_that_was_tampered_with_is_named(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    lines = (folder / "games.jsonl").read_text(encoding="utf-8").splitlines()
    cheated = json.loads(lines[2])
    cheated["moves"][5] = "a1" if cheated["moves"][5] != "a1" else "e5"
    forged = json.loads(lines[3])
    forged["returns"] = [-value for value in forged["returns"]]
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join([*lines[:2], json.dumps(cheated), json.dumps(forged)]) + "\n", encoding="utf-8")
    status, out, err = run(capsys, "replay", str(path))
    assert status == 1
    assert "2 of 4 games agree" in out
    assert re.search(r"games\.jsonl, line 3: move 6, ", err)
    assert "games.jsonl, line 4: the moves end in" in err
    status, out, err = run(capsys, "replay", str(path), "--game", "3")
    assert (status, out) == (1, "")
    assert "line 3: move 6" in err
    status, out, err = run(capsys, "replay", str(path), "--json")
    assert status == 1
    assert len(json.loads(out)["wrong"]) == 2


@pytest.mark.parametrize("content", [None, b"", b"{}", b"\xff", b"[1]\n[2]\n", b"null"])
@pytest.mark.parametrize("command", ["replay", "analyze"])
def test_what_is_no_record_is_refused_in_words(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str, content: bytes | None
) -> None:
    path = tmp_path / "x.json"
    if content is not None:
        path.write_bytes(content)
    status, _, err = run(capsys, command, str(path))
    assert status in (1, 2)
    assert "x.json" in err


# --- analyze ---------------------------------------------------------------------------------------------------------


def test_the_heuristic_loses_nothing_by_its_own_view_and_random_moves_do(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for number, (game, rules) in enumerate((("quoridor", {"board_size": 5, "fences": 3}), ("tokaido", {}))):
        path = tmp_path / f"{number}.json"
        session = saved(path, game, "heuristic", "random", **rules)
        found = document(capsys, "analyze", str(path), "--agent", "heuristic")
        own, other = found["summary"]
        assert own["mean_loss"] == pytest.approx(0, abs=1e-9)
        assert other["mean_loss"] > 0
        assert other["worst"][0]["loss"] == max(move["loss"] for move in found["analysis"])
        assert found["judge"] == "heuristic"
        decided = [move["move"] for move in found["analysis"]]
        assert decided == [move for move in session.state.moves() if not move.startswith("[")]
        status, out, err = run(capsys, "analyze", str(path))
        assert (status, err) == (0, "")
        assert "seat 2 (random): mean loss" in out


def test_a_loss_is_the_best_value_less_the_value_of_the_move(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    session = Session(load_game("quoridor", board_size=5, fences=2).new_initial_state(), ("human", "human"), 1)
    for move in ("b1", "c4"):  # sideways: one step lost; straight on: nothing
        session.play(session.state.string_to_action(move))
    write_session(tmp_path / "g.json", session)
    aside, straight = document(capsys, "analyze", str(tmp_path / "g.json"), "--agent", "heuristic")["analysis"]
    assert (aside["best"], aside["loss"], straight["loss"]) == ("c2", 1.0, 0.0)


def test_random_playouts_say_how_sure_they_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    session = Session(load_game("quoridor", board_size=3, fences=0).new_initial_state(), ("human", "human"), 1)
    for move in ("a1", "b2", "a2"):  # seat 1 lets seat 2 walk past, seat 2 does not win where it could next
        session.play(session.state.string_to_action(move))
    write_session(path, session)
    found = document(capsys, "analyze", str(path), "--playouts", "2000")
    assert found["judge"] == "2000 random playouts a choice"
    assert found["unit"] == "return"
    for move in found["analysis"]:
        assert move["error"] < 0.1
        assert move["loss"] > -4 * max(move["error"], 0.01)
    assert found == document(capsys, "analyze", str(path), "--playouts", "2000")
    out = run(capsys, "analyze", str(path), "--playouts", "200")[1]
    assert "±" in out


def test_resigning_is_judged_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for game, words in (("tokaido", ()), ("picture_sugoroku", ("--playouts", "400"))):
        start = load_game(game, allow_resign=True).new_initial_state()
        session = Session(start, ("human", "human"), 1)
        while not session.asks_a_person:
            session.throw()
        session.resign()
        write_session(tmp_path / f"{game}.json", session)
        (move,) = document(capsys, "analyze", str(tmp_path / f"{game}.json"), *words)["analysis"]
        assert (move["move"], move["value"]) == ("resign", -1.0)
        assert 0.5 < move["loss"] < 1.5


def test_a_game_without_choices_has_no_losses(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    saved(tmp_path / "g.json", "picture_sugoroku", "heuristic", "random")
    found = document(capsys, "analyze", str(tmp_path / "g.json"))
    assert [line["mean_loss"] for line in found["summary"]] == [None, None]
    status, out, err = run(capsys, "analyze", str(tmp_path / "g.json"))
    assert (status, err) == (0, "")
    assert "Nobody had anything to choose in this game (plies: " in out
    assert "┃" not in out  # no empty table
    saved(tmp_path / "none.json", "quoridor", "heuristic", "random", plies=0)
    assert "(plies: 0)" in run(capsys, "analyze", str(tmp_path / "none.json"))[1]


def test_the_random_plies_of_an_opening_are_nobodys(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    found = document(capsys, "analyze", str(folder), "--game", "1")
    assert found["opening"] == 4
    assert found["analysis"][0]["ply"] == 5


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--agent", "random"), "does not say what each choice of quoridor is worth"),
        (("--agent", "larger"), "larger"),
        (("--agent", "heuristik"), "did you mean 'heuristic'"),
        (("--agent", "heuristic", "--playouts", "10"), "choose one"),
        (("--playouts", "0"), "playouts must be 2.."),
        (("--playouts", "9999999"), "playouts must be 2.."),
        (("--game", "2"), "--game must be 1..1"),
    ],
)
def test_wrong_use_is_answered_in_words(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], hint: str
) -> None:
    saved(tmp_path / "g.json", "quoridor", "heuristic", "random", board_size=5, fences=2)
    status, out, err = run(capsys, "analyze", str(tmp_path / "g.json"), *words)
    assert (status, out) == (2, "")
    assert hint in err


def test_one_of_several_games_is_to_be_chosen(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    status, out, err = run(capsys, "analyze", str(folder))
    assert (status, out) == (2, "")
    assert "holds 4 games; choose one by --game" in err
