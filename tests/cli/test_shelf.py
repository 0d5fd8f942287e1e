"""Where a game is kept when its file, its folder or the way to it is not as usual: said each time, and nothing lost."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from sekisho.arena.saved import read_session, write_session
from sekisho.arena.session import Session
from sekisho.cli import recorded_games, shelf
from sekisho.cli.main import main
from sekisho.cli.shelf import Shelf
from sekisho.envs import load_game
from sekisho.envs.errors import OptionError

needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder in which nobody can write")


def game(*moves: str) -> Session:
    session = Session(load_game("quoridor", board_size=3, fences=0).new_initial_state(), ("human", "human"), 1)
    session.state.apply_moves(" ".join(moves))
    return session


def moves_of(path: Path) -> list[str]:
    return read_session(path).state.moves()


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder for temporary files, where the user's folder takes nothing."""
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/x")
    (tmp_path / "temporary").mkdir()
    for module in (shelf, recorded_games):
        monkeypatch.setattr(module.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    return tmp_path / "temporary"


@needs_proc
def test_a_usual_folder_that_cannot_be_written_is_said_with_where_the_game_is_instead(
    nowhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = Shelf(None)
    for moves in (("b2",), ("b2", "a3")):
        assert kept.keep(game(*moves))
    (path,) = nowhere.glob("quoridor-*.json")
    assert (kept.path, kept.trouble, moves_of(path)) == (path, "", ["b2", "a3"])
    told = capsys.readouterr().err
    assert told.count("/proc/x/sekisho/games: No such file or directory") == 1
    assert f"the game is kept in {path} now" in told
    kept.release()


@needs_proc
@pytest.mark.parametrize("words", [("replay",), ("play", "--load")])
def test_that_no_games_are_kept_is_not_all_where_none_can_be(
    nowhere: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert main(words) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "it cannot be written (No such file or directory)" in told
    assert f"in {nowhere} if it can" in told
    assert "yet" not in told


def test_a_folder_of_games_that_cannot_be_read_is_no_empty_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def closed(_: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", closed)
    for words in (("replay",), ("play", "--load")):
        assert main(words) == 1
        out, err = capsys.readouterr()
        assert "Permission denied" in err
        assert "No games" not in out + err


def test_looking_for_games_makes_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(("replay",)) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_game_is_refused_before_a_move_and_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ro.json"
    write_session(path, game("b2"))
    path.chmod(0o444)
    before = path.read_bytes()
    assert main(("play", "--load", str(path))) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "it is read-only" in err
    assert "--save other.json" in err
    with pytest.raises(OptionError, match="read-only"):
        Shelf(path)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (before, 0o444)
    assert list(tmp_path.iterdir()) == [path]  # no lock either


def test_a_game_that_becomes_read_only_goes_on_elsewhere_and_that_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "g.json"
    kept = Shelf(path)
    kept.probe(game())
    path.chmod(0o444)
    assert kept.keep(game("b2"))
    assert kept.path is not None
    assert (moves_of(path), moves_of(kept.path)) == ([], ["b2"])
    assert "it is read-only" in kept.trouble
    assert f"it is read-only; the game is kept in {kept.path} now" in capsys.readouterr().err
    kept.release()


def test_a_link_to_a_game_stays_one_and_the_game_behind_it_gets_the_moves(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    path, link = tmp_path / "far" / "g.json", tmp_path / "link.json"
    write_session(path, game())
    link.symlink_to(path)
    kept = Shelf(link)
    for name in (path, link):
        with pytest.raises(OptionError, match="another sekisho keeps its game in"):
            Shelf(name)
    assert kept.keep(game("b2"))
    assert (link.is_symlink(), path.is_symlink(), moves_of(path)) == (True, False, ["b2"])
    kept.release()
    Shelf(path).release()
    assert [file.name for file in path.parent.iterdir()] == ["g.json"]


@needs_proc
def test_a_folder_that_takes_no_files_is_not_called_taken_by_another(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("play", "quoridor", "--save", "/proc/x.json")) == 2
    err = capsys.readouterr().err
    assert "another sekisho" not in err
    assert "cannot save the game in /proc/x.json: No such file or directory; name another file" in err


def test_a_game_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        Shelf(tmp_path / "g.json").probe(game())
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "g.json").stat().st_mode) == 0o640
