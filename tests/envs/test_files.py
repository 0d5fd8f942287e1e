"""Files that are replaced: what a link leads to, whose permissions count, and what is never replaced."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import filelock
import pytest

from sekisho.envs.claims import claimed
from sekisho.envs.files import require_replaceable, write_text_atomically


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(("umask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path, umask: int, expected: int) -> None:
    before = os.umask(umask)
    try:
        write_text_atomically(tmp_path / "x", "words")
    finally:
        os.umask(before)
    assert mode(tmp_path / "x") == expected


@pytest.mark.parametrize("given", [0o600, 0o640, 0o666, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path, given: int) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(given)
    write_text_atomically(path, "new")
    assert (path.read_text(), mode(path)) == ("new", given)


def test_a_file_that_is_read_only_stays_as_it_is_for_an_administrator_too(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        write_text_atomically(path, "new")
    assert (path.read_text(), mode(path), list(tmp_path.iterdir())) == ("old", 0o444, [path])


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link, further = tmp_path / "far" / "x", tmp_path / "link", tmp_path / "further"
    link.symlink_to(target)
    further.symlink_to("link")
    for number, path in enumerate((link, further)):  # the first makes what is not there yet
        write_text_atomically(path, str(number))
        assert (target.read_text(), path.is_symlink(), target.is_symlink()) == (str(number), True, False)
    assert [file.name for file in target.parent.iterdir()] == ["x"]


def test_a_link_round_in_a_circle_and_one_to_a_pipe_are_refused(tmp_path: Path) -> None:
    circle, pipe, link = tmp_path / "circle", tmp_path / "pipe", tmp_path / "link"
    circle.symlink_to("circle")
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (circle, pipe, link):
        with pytest.raises(OSError, match=r"levels of symbolic links|a device or a pipe"):
            require_replaceable(path)
        with pytest.raises(OSError, match=r"levels of symbolic links|a device or a pipe"):
            write_text_atomically(path, "words")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["circle", "link", "pipe"]
    assert pipe.is_fifo()


def test_what_fails_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text_atomically(path, "\udcff")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder in which nobody can write")
@pytest.mark.parametrize("waits", [False, True])
def test_a_folder_that_takes_no_new_files_is_not_called_taken(waits: bool) -> None:
    told: list[BaseException] = []

    def claim() -> None:
        try:
            claimed(Path("/proc/x.lock"), waits)
        except BaseException as error:
            told.append(error)

    thread = threading.Thread(target=claim, daemon=True)
    thread.start()
    thread.join(20)
    assert [isinstance(error, OSError) and not isinstance(error, filelock.Timeout) for error in told] == [True]


def test_a_lock_that_is_taken_is(tmp_path: Path) -> None:
    lock = claimed(tmp_path / "x.lock")
    with pytest.raises(filelock.Timeout):
        claimed(tmp_path / "x.lock")
    lock.release()
    claimed(tmp_path / "x.lock").release()
