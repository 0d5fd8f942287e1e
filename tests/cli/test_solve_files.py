"""What `sekisho solve` and `evaluate` do to files that are there already, to what a killed run left, and to odd sizes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sekisho.agents.exact import keeping, quoridor_library, quoridor_quality
from sekisho.agents.exact.keeping import Unfinished
from sekisho.agents.exact.table_file import read_table
from sekisho.cli.main import main
from sekisho.envs.errors import TableError
from sekisho.envs.files import write_text_atomically
from sekisho.envs.quoridor.rules import Quoridor


def run(*words: str) -> int:
    return main(list(words))


PICTURE = ("solve", "picture_sugoroku", "--json")
SMALL = ("solve", "quoridor", "--rules", "board_size=3,fences=1", "--json")


def test_the_figures_of_a_board_replace_only_figures_of_a_board(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, figures = tmp_path / "run.sh", tmp_path / "figures.json"
    script.write_text("echo mine\n")
    assert run(*PICTURE, "--output", str(script)) == 2
    assert "was not written by this command" in capsys.readouterr().err
    assert script.read_text() == "echo mine\n"
    for _ in range(2):
        assert run(*PICTURE, "--output", str(figures)) == 0
    assert json.loads(figures.read_text())["board"]


def test_a_pipe_is_never_replaced_by_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="a device or a pipe"):
        write_text_atomically(pipe, "words")
    for command in (PICTURE, SMALL):
        assert run(*command, "--output", str(pipe)) == 2
        assert str(pipe) in capsys.readouterr().err
    assert pipe.is_fifo()


def test_a_pipe_is_not_waited_for_where_a_table_should_be(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(TableError, match="a device or a pipe"):
        read_table(pipe)


def test_a_table_of_another_game_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table"
    assert run(*SMALL, "--output", str(file)) == 0
    before = file.read_bytes()
    capsys.readouterr()
    for other in (("solve", "tokaido"), ("solve", "quoridor", "--rules", "board_size=3,fences=2")):
        assert run(*other, "--output", str(file)) == 2
        assert "a table of another game" in capsys.readouterr().err
        assert file.read_bytes() == before
    assert run(*SMALL, "--output", str(file)) == 0


def test_what_a_run_that_was_killed_at_a_checkpoint_left_is_swept_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "cache_folder", lambda: tmp_path)
    path = tmp_path / "tables" / "table"
    path.parent.mkdir()
    left = [path.parent / f".{name}.abcdefgh.sekisho-half" for name in ("table", "table.sekisho-part")]
    mine = path.parent / ".other.abcdefgh.sekisho-half"
    for file in (*left, mine):
        file.write_bytes(b"half")

    class Nothing:
        def save(self, path: Path) -> None:
            path.write_bytes(b"")

    keeping.solve_into(path, True, {"game": "x"}, lambda _resume, _save: Nothing())
    assert [file.exists() for file in (*left, mine)] == [False, False, True]


def test_a_full_disk_is_complained_of_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(keeping, "write_table", full)
    now = 0.0
    unfinished = Unfinished(tmp_path / "part", {"game": "x"}, overwrites=True, clock=lambda: now)
    for _ in range(3):
        now += 2 * keeping.CHECKPOINT_SECONDS
        unfinished.write({}, {})
    assert caplog.text.count("No space left") == 1


@pytest.mark.parametrize(("cap", "at_stake"), [(2, 0), (36, 1)])
def test_wins_that_the_cap_forbids_are_nothing_to_keep(cap: int, at_stake: int) -> None:
    state = Quoridor(board_size=3, fences=1, max_plies=cap).new_initial_state()
    state.apply_moves("a1v")  # after which some moves win in 3 plies or more, and some lose
    count = quoridor_quality._Count(quoridor_library.table_for(state.game))
    for action in state.legal_actions():
        count.add(state, action)
    assert count.asked == 6
    assert count.at_stake == 6 * at_stake
    assert count.kept == (4 if at_stake else 6)


def test_openings_end_before_the_cap(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evaluate", "quoridor", "--agent", "exact", "--games", "2", "--positions", "50", "--json")
    assert run(*words, "--rules", "board_size=3,fences=1,max_plies=3") == 0
    assert json.loads(capsys.readouterr().out)["kept_in_self_play"]["share"] == 1.0


def test_a_draw_that_the_cap_makes_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", "quoridor", "--rules", "board_size=3,fences=1,max_plies=4") == 0
    assert "a draw: under the cap of 4 plies neither side wins" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("option", ["--games", "--positions"])
def test_numbers_that_nobody_waits_for_are_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    rules = ("--rules", "board_size=3,fences=1")
    assert run("evaluate", "quoridor", "--agent", "random", *rules, option, "9" * 25) == 2
    assert option in capsys.readouterr().err


def test_games_that_are_too_large_end_alike(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", "tokaido", "--players", "5") == 1
    capsys.readouterr()
    assert run("solve", "quoridor", "--rules", "board_size=5") == 1
    error = capsys.readouterr().err
    assert "about 1.8e+10 positions" in error
    assert "--force" in error


def test_a_utility_that_a_ladder_does_not_measure_is_said_to_be_unused(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evaluate", "tokaido", "--agent", "larger", "--players", "5", "--games", "2", "--json")
    assert run(*words, "--utility", "first_only") == 0
    assert "--utility not used: a ladder measures place points" in capsys.readouterr().err
