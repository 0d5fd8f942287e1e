"""Saved games and whatever else holds recorded games: they come back whole, and one that lies is found out."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sekisho.arena.recorded import read_games, saved_in
from sekisho.arena.saved import from_document, read_session, to_document, write_session
from sekisho.arena.session import Session
from sekisho.arena.tournament import Tournament, play, schedule
from sekisho.envs import load_game
from sekisho.envs.errors import RecordError, RunError


def finished(game: str = "quoridor", **rules: Any) -> Session:
    session = Session(load_game(game, **rules).new_initial_state(), ("heuristic", "random"), 5)
    while not session.is_over:
        if session.mover < 0:
            session.throw()
        else:
            session.play(session.decide().action)
    return session


SESSION = finished(board_size=5, fences=2)
DOCUMENT = json.loads(json.dumps(to_document(SESSION)))


def changed(**fields: Any) -> dict[str, Any]:
    return json.loads(json.dumps(DOCUMENT)) | fields


def unfinished(**fields: Any) -> dict[str, Any]:
    session = Session(load_game("quoridor").new_initial_state(), ("heuristic", "random"), 5)
    return json.loads(json.dumps(to_document(session))) | fields


def changed_state(**fields: Any) -> dict[str, Any]:
    return changed(state=DOCUMENT["state"] | fields)


def test_a_saved_game_comes_back_whole(tmp_path: Path) -> None:
    for session in (SESSION, finished("tokaido"), finished("picture_sugoroku", board="a_short_walk")):
        path = tmp_path / f"{session.game.name}.json"
        write_session(path, session)
        again = read_session(path)
        assert to_document(again) == to_document(session)
        (game,) = read_games(path)
        assert game.state == session.state
        assert game.seats == ("heuristic", "random")
        assert list(game.returns) == session.returns()
        assert game.length == session.ply
        walked = [(state.to_text(), action) for state, action in game.plies()]
        assert [action for _, action in walked] == session.state.history()
        assert [text for text, _ in walked] == [game.position(ply).to_text() for ply in range(game.length)]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("document", "hint"),
    [
        ([], "no saved game"),
        ({}, "no saved game"),
        (changed(kind="chess"), "no saved game"),
        (changed(extra=1), "has the keys"),
        ({k: v for k, v in DOCUMENT.items() if k != "seed"}, "has the keys"),
        (changed(format=2), "format 1"),
        (changed(format=True), "format 1"),
        (changed(seed=-1), "'seed'"),
        (changed(seed="5"), "'seed'"),
        (changed(round=1.5), "'round'"),
        (changed(seats=["human"]), "2 seats"),
        (changed(seats="human"), "'seats'"),
        (changed(seats=["human", 3]), "'seats'"),
        (changed(seats=["human", "heuristik"]), "did you mean 'heuristic'"),
        (changed(seats=["human", "larger"]), "larger"),
        (changed(notes=[["x", "y"]]), "a note"),
        (changed(notes=5), "'notes'"),
        (changed(notes=[[99999, "x"]]), "a note belongs to ply"),
        (changed(round=10**12), "'round'"),
        (changed(given_up=5), "'given_up'"),
        (changed(given_up=[[0, 0]]), "a seat, a ply and a spec"),
        (changed(given_up=[[9, 0, "human"]]), "nobody on seat 9"),
        (changed(given_up=[[0, 99999, "human"]]), "nobody on seat 0"),
        (changed(given_up=[[0, 0, "random"]]), "only a person"),
        (changed(before=5), "'before'"),
        (changed(before=[[0, 1]]), "a seat, a ply and a spec"),
        (changed(before=[[2, 1, "human"]]), "nobody can have taken over seat 2"),
        (changed(before=[[0, 99999, "human"]]), "nobody can have taken over seat 0"),
        (changed(before=[[0, 1, "heuristik"]]), "did you mean 'heuristic'"),
        (changed(conceded=0), "'conceded'"),
        (changed(conceded="0"), "'conceded'"),
        (changed(returns=[0.0, 0.0]), "the file says"),
        (changed(end="resigned"), "the file says"),
        (changed(returns=None, end=None), r"the moves end in .* \(goal\), but the file says that it goes on"),
        (unfinished(returns=[1, -1]), r"the moves do not end the game, but the file says \[1, -1\]"),
        (changed(state=None), "mapping"),
        (changed_state(game="quoridr"), "did you mean 'quoridor'"),
        (changed_state(rules={"board_size": 5, "fence": 2}), "did you mean 'fences'"),
        (changed_state(moves=[*DOCUMENT["state"]["moves"][:2], "e9h"]), "move 3 of the state"),
        (changed_state(moves=DOCUMENT["state"]["moves"][:-1]), "the moves lead to"),
        (changed_state(moves=[1, 2]), "move 1"),
        (changed_state(start=5), "'start'"),
        (changed_state(position="/ / a1 b1 / 2 2 / 1"), "the moves lead to"),
    ],
)
def test_what_a_file_has_wrong_is_named(document: Any, hint: str, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=hint):
        from_document(document)
    path = tmp_path / "game.json"
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    with pytest.raises(RecordError, match=r"game\.json"):
        read_session(path)
    with pytest.raises(RecordError, match=r"game\.json"):
        list(read_games(path))


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null", b"1" * 5000])
def test_what_is_no_json_is_refused_in_words(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=r"game\.json"):
        read_session(path)
    with pytest.raises(RecordError, match=r"game\.json"):
        list(read_games(path))


def test_a_document_is_read_however_it_is_laid_out(tmp_path: Path) -> None:
    text = json.dumps(DOCUMENT)
    for number, laid_out in enumerate(
        (text, json.dumps(DOCUMENT, indent=2), text.replace(', "', ',\n "'), f"\n{text}\n")
    ):
        path = tmp_path / f"{number}.json"
        path.write_text(laid_out, encoding="utf-8")
        assert read_session(path).state == SESSION.state
        (game,) = read_games(path)
        assert game.state == SESSION.state


def test_files_of_the_first_version_are_read() -> None:
    assert from_document({key: value for key, value in DOCUMENT.items() if key != "given_up"}).given_up == {}


def test_a_file_that_is_not_there_or_a_folder_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(RecordError, match=r"cannot read|is a folder"):
            read_session(path)
        with pytest.raises(RecordError, match="cannot read"):
            list(read_games(path))


def test_a_file_that_cannot_be_written_keeps_what_it_held(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot save"):
        write_session(tmp_path / "no" / "game.json", SESSION)
    with pytest.raises(RunError, match="cannot save"):
        write_session(tmp_path / "a\0b", SESSION)
    assert list(tmp_path.iterdir()) == []


def test_records_of_a_tournament_and_the_dict_form_are_read_too(tmp_path: Path) -> None:
    tournament = Tournament(SESSION.game, ("random", "heuristic"), 4, opening_plies=2, seed=3)
    records = [play(tournament, pairing).record for pairing in schedule(tournament)]
    (tmp_path / "games.jsonl").write_text("".join(f"{record.to_json()}\n" for record in records), encoding="utf-8")
    for path in (tmp_path, tmp_path / "games.jsonl"):
        games = list(read_games(path))
        assert [game.seats for game in games] == [record.agents for record in records]
        assert [tuple(game.state.moves()) for game in games] == [record.moves for record in records]
        assert {game.opening for game in games} == {2}
        assert games[2].place.endswith("line 3")
    lines = (tmp_path / "games.jsonl").read_text(encoding="utf-8").splitlines()
    lines[2] = lines[2].replace(f'"{records[2].moves[4]}"', '"a1h"', 1).replace('"a1h"', '"e5v"', 1)
    (tmp_path / "games.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(RecordError, match=r"games\.jsonl, line 3: move \d"):
        list(read_games(tmp_path))
    state = tmp_path / "state.json"
    state.write_text(json.dumps(SESSION.state.to_dict()), encoding="utf-8")
    (game,) = read_games(state)
    assert (game.state, game.seats, game.end) == (SESSION.state, (), SESSION.end_reason())


def test_a_record_tells_who_sat_on_a_seat_before(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    before = [[0, 3, "human"], [0, 5, "human:name=Aki"]]
    path.write_text(json.dumps(changed(before=before)), encoding="utf-8")
    (game,) = read_games(path)
    assert game.seat_history(0) == "seat 1 (heuristic, since ply 6; before: a person, Aki since ply 4)"
    assert game.seat_history(1) == "seat 2 (random)"
    names = [game.seat_name(0, ply) for ply in range(1, 8)]
    assert names == ["seat 1 (human)"] * 3 + ["seat 1 (human:name=Aki)"] * 2 + ["seat 1 (heuristic)"] * 2
    assert game.seat_name(0) == "seat 1 (heuristic)"
    assert game.data()["before"] == [{"seat": seat, "ply": ply, "spec": spec} for seat, ply, spec in before]


def test_files_of_earlier_versions_are_read(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    old = {key: value for key, value in DOCUMENT.items() if key not in ("before", "given_up")}
    path.write_text(json.dumps(old), encoding="utf-8")
    assert to_document(read_session(path)) == DOCUMENT
    (game,) = read_games(path)
    assert game.seat_history(0) == "seat 1 (heuristic)"


def test_the_saved_games_of_a_folder_are_found_the_newest_first(tmp_path: Path) -> None:
    for number, name in enumerate(("b.json", "a.json", "c.json")):
        write_session(tmp_path / name, SESSION)
        os.utime(tmp_path / name, (1000 + number, 1000 + number))
    (tmp_path / "state.json").write_text(json.dumps(DOCUMENT["state"]), encoding="utf-8")
    os.utime(tmp_path / "state.json", (1, 1))
    for name, text in (("other.json", "{}"), ("notes.txt", "mine"), (".hidden.json", "broken"), (".g.json.lock", "")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = [Path(place).name for place, _ in saved_in(tmp_path)]
    assert found == ["c.json", "a.json", "b.json", "state.json"]
    assert [game.end for game in read_games(tmp_path)] == ["goal"] * 4
    (tmp_path / "torn.json").write_text('{"kind": "sekisho ga', encoding="utf-8")
    assert "torn.json" in [Path(place).name for place, _ in saved_in(tmp_path)]  # not passed over in silence
    assert saved_in(tmp_path / "nowhere") == []
