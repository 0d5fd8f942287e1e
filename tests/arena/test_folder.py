"""The folder of a tournament: a run that was stopped anywhere is continued, and nothing else is touched."""

from __future__ import annotations

import dataclasses
import json
import logging
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from sekisho.arena.folder import DESCRIPTION, GAMES, STANDINGS, TournamentFolder, alone_in
from sekisho.arena.tournament import Tournament, play_all, schedule
from sekisho.envs import load_game
from sekisho.envs.errors import OptionError, RecordError, RunError, SekishoError

TOURNAMENT = Tournament(load_game("quoridor", board_size=4, fences=1), ("random", "heuristic"), 6, 2, seed=5)
OTHERS = {
    "rules": dataclasses.replace(TOURNAMENT, game=load_game("quoridor", board_size=4, fences=2)),
    "agents": dataclasses.replace(TOURNAMENT, agents=("heuristic", "random")),
    "games": dataclasses.replace(TOURNAMENT, games=7),
    "openings": dataclasses.replace(TOURNAMENT, opening_plies=3),
    "seed": dataclasses.replace(TOURNAMENT, seed=6),
}


def run(path: Path, tournament: Tournament = TOURNAMENT, stop_after: int = 10_000) -> int:
    """Play what is left, at most so many games; return how many were played."""
    folder = TournamentFolder(path, tournament)
    played = 0
    for result in islice(play_all(tournament, folder.remaining(tournament)), stop_after):
        folder.add(result)
        played += 1
    return played


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    """What games.jsonl holds after an undisturbed run."""
    assert run(tmp_path / "whole") == 6
    return (tmp_path / "whole" / GAMES).read_bytes()


# --- stopped and continued -------------------------------------------------------------------------------------------


def test_the_folder_says_what_is_played_and_holds_a_record_a_line(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er"
    assert run(path) == 6
    assert json.loads((path / DESCRIPTION).read_text(encoding="utf-8")) == {
        "game": "quoridor",
        "rules": dict(TOURNAMENT.game.options),
        "agents": ["random", "heuristic"],
        "games": 6,
        "openings": 2,
        "seed": 5,
    }
    lines = (path / GAMES).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["agents"] for line in lines] == [list(pairing.seats) for pairing in schedule(TOURNAMENT)]
    assert sorted(contents(path)) == [GAMES, DESCRIPTION]


def test_a_finished_tournament_is_not_played_again(tmp_path: Path) -> None:
    run(tmp_path)
    before = contents(tmp_path)
    assert run(tmp_path) == 0
    assert contents(tmp_path) == before
    assert len(TournamentFolder(tmp_path, TOURNAMENT).finished) == 6


@pytest.mark.parametrize("games", range(6))
def test_a_run_stopped_between_games_is_continued_to_the_same_file(tmp_path: Path, whole: bytes, games: int) -> None:
    assert run(tmp_path / "again", stop_after=games) == games
    assert run(tmp_path / "again") == 6 - games
    assert (tmp_path / "again" / GAMES).read_bytes() == whole


def test_a_file_cut_off_at_any_byte_is_continued_to_the_same_file(tmp_path: Path, whole: bytes) -> None:
    ends = [at + 1 for at, byte in enumerate(whole) if byte == ord("\n")]
    cuts = {at + step for at in (0, *ends) for step in (-2, -1, 0, 1, 2)} | set(range(0, len(whole), 17))
    run(tmp_path / "cut")
    file = tmp_path / "cut" / GAMES
    for cut in sorted(cut for cut in cuts if 0 <= cut <= len(whole)):
        file.write_bytes(whole[:cut])
        assert run(tmp_path / "cut") == 6 - whole[:cut].count(b"\n"), cut
        assert file.read_bytes() == whole, cut


def test_a_last_letter_cut_in_two_is_continued_too(tmp_path: Path, whole: bytes) -> None:
    run(tmp_path / "cut")
    first = whole.index(b"\n") + 1
    (tmp_path / "cut" / GAMES).write_bytes(whole[:first] + "{é".encode()[:-1])
    assert run(tmp_path / "cut") == 5
    assert (tmp_path / "cut" / GAMES).read_bytes() == whole


def test_a_game_that_was_cut_off_is_mentioned(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run(tmp_path)
    file = tmp_path / GAMES
    with caplog.at_level(logging.WARNING, logger="sekisho"):
        TournamentFolder(tmp_path, TOURNAMENT)
        assert not caplog.records
        file.write_bytes(file.read_bytes()[:-1])
        TournamentFolder(tmp_path, TOURNAMENT)
    assert [str(file) in record.getMessage() for record in caplog.records] == [True]


def test_standings_replace_older_ones(tmp_path: Path) -> None:
    folder = TournamentFolder(tmp_path, TOURNAMENT)
    for document in ({"a": "é"}, {"b": [1, 2]}):
        folder.write_standings(document)
        assert json.loads((tmp_path / STANDINGS).read_text(encoding="utf-8")) == document
    assert sorted(contents(tmp_path)) == [STANDINGS, DESCRIPTION]


# --- refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("difference", OTHERS)
def test_another_tournament_is_refused_with_what_differs_and_nothing_is_touched(
    tmp_path: Path, difference: str
) -> None:
    run(tmp_path, stop_after=2)
    with (tmp_path / GAMES).open("ab") as file:
        file.write(b'{"half')
    before = contents(tmp_path)
    with pytest.raises(OptionError, match=rf"another tournament \(it differs in: {difference}\)"):
        TournamentFolder(tmp_path, OTHERS[difference])
    assert contents(tmp_path) == before


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000], ids=["empty", "open", "binary", "deep"])
def test_a_description_that_is_damaged_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    run(tmp_path, stop_after=1)
    (tmp_path / DESCRIPTION).write_bytes(content)
    before = contents(tmp_path)
    with pytest.raises(OptionError, match=r"tournament\.json is damaged"):
        TournamentFolder(tmp_path, TOURNAMENT)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("content", [b"[]", b"5", b"null", b"{}", b'{"game": "quoridor"}'])
def test_a_description_of_something_else_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    run(tmp_path, stop_after=1)
    (tmp_path / DESCRIPTION).write_bytes(content)
    with pytest.raises(OptionError, match="holds another tournament"):
        TournamentFolder(tmp_path, TOURNAMENT)


@pytest.mark.parametrize("other", OTHERS)
def test_games_of_another_tournament_are_refused_and_the_folder_left_as_it_was(tmp_path: Path, other: str) -> None:
    foreign = OTHERS[other] if other != "games" else dataclasses.replace(TOURNAMENT, games=4, seed=1)
    run(tmp_path, foreign, stop_after=4)
    (tmp_path / DESCRIPTION).unlink()
    before = contents(tmp_path)
    with pytest.raises(RecordError, match=r"games\.jsonl, line 1: not game 1 of this tournament"):
        TournamentFolder(tmp_path, TOURNAMENT)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("agents", ["heuristic", "random"]),
        ("seed", 6),
        ("table", 1),
        ("round", 2),
        ("opening", 1),
        ("game", "tokaido"),
        ("rules", {}),
    ],
)
def test_a_game_that_was_tampered_with_is_named(tmp_path: Path, field: str, value: Any) -> None:
    run(tmp_path)
    lines = (tmp_path / GAMES).read_text(encoding="utf-8").splitlines()
    lines[2] = json.dumps(json.loads(lines[2]) | {field: value})
    (tmp_path / GAMES).write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(RecordError, match="line 3: not game 3 of this tournament"):
        TournamentFolder(tmp_path, TOURNAMENT)


def test_games_out_of_order_missing_or_too_many_are_named(tmp_path: Path) -> None:
    run(tmp_path)
    lines = (tmp_path / GAMES).read_text(encoding="utf-8").splitlines(keepends=True)
    for wrong, number in (
        ([lines[1], lines[0], *lines[2:]], 1),
        ([*lines[:3], *lines[4:]], 4),
        ([*lines, lines[-1]], 7),
        ([lines[0], *lines], 2),
    ):
        (tmp_path / GAMES).write_text("".join(wrong), encoding="utf-8")
        with pytest.raises(RecordError, match=f"line {number}: not game {number}"):
            TournamentFolder(tmp_path, TOURNAMENT)


@pytest.mark.parametrize("line", [b"", b"{}", b"null", b"\xff\xfe", b"[1, 2"])
def test_a_whole_line_that_is_no_record_is_refused_and_kept(tmp_path: Path, line: bytes) -> None:
    run(tmp_path, stop_after=2)
    with (tmp_path / GAMES).open("ab") as file:
        file.write(line + b"\n")
    before = contents(tmp_path)
    with pytest.raises(RecordError, match=r"games\.jsonl"):
        TournamentFolder(tmp_path, TOURNAMENT)
    assert contents(tmp_path) == before


# --- no folder -------------------------------------------------------------------------------------------------------


def test_a_file_where_the_folder_should_be_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(OptionError, match="file is a file; name a folder"):
        TournamentFolder(tmp_path / "file", TOURNAMENT)
    with pytest.raises(SekishoError, match="file"):
        TournamentFolder(tmp_path / "file" / "below", TOURNAMENT)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", [DESCRIPTION, GAMES])
def test_a_folder_where_a_file_should_be_fails_in_words(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(OptionError, match="is no ordinary file"):
        TournamentFolder(tmp_path, TOURNAMENT)


def test_what_cannot_be_written_fails_in_words(tmp_path: Path) -> None:
    folder = TournamentFolder(tmp_path, TOURNAMENT)
    result = next(play_all(TOURNAMENT, folder.remaining(TOURNAMENT)))
    (tmp_path / GAMES).mkdir()
    with pytest.raises(RunError, match=r"cannot write to .*games\.jsonl"):
        folder.add(result)
    assert not folder.finished
    (tmp_path / STANDINGS).mkdir()
    with pytest.raises(RunError, match=r"cannot write to .*standings\.json"):
        folder.write_standings({})
    assert sorted(file.name for file in tmp_path.iterdir()) == [GAMES, STANDINGS, DESCRIPTION]


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_a_name_that_no_folder_can_have_is_refused_in_words(tmp_path: Path, name: str) -> None:
    with pytest.raises(SekishoError, match=r"cannot use|no folder can be named"):
        TournamentFolder(tmp_path / name, TOURNAMENT)


def test_two_processes_cannot_play_into_one_folder(tmp_path: Path) -> None:
    with (
        alone_in(tmp_path / "run"),
        pytest.raises(OptionError, match="another process plays into"),
        alone_in(tmp_path / "run"),
    ):
        pytest.fail("both got in")
    with alone_in(tmp_path / "run"):
        pass


def test_kept_games_are_replayed_before_they_count(tmp_path: Path) -> None:
    run(tmp_path)
    path = tmp_path / "games.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    record = json.loads(lines[1])
    record["returns"] = record["returns"][::-1]
    lines[1] = json.dumps(record) + "\n"
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(RecordError, match=r"games.jsonl, line 2: the moves end in"):
        TournamentFolder(tmp_path, TOURNAMENT)
