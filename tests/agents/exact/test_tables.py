"""Table files and where they are found: damage, foreign tables, stopped runs, full disks."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.agents import store
from sekisho.agents.exact import keeping, table_file, tokaido_library, tokaido_table
from sekisho.agents.exact.table_file import read_table, write_table
from sekisho.agents.exact.tokaido_solver import solve
from sekisho.arena import health
from sekisho.envs.errors import AgentError, OptionError, RunError, TableError
from sekisho.envs.tokaido.rules import Tokaido

ODD = {"bounce_events": False}  # rules whose table does not ship


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for tables; kernels stay where they are."""
    monkeypatch.setattr(keeping, "cache_folder", lambda: tmp_path)
    tokaido_library.table_for.cache_clear()
    return tmp_path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "odd.safetensors"
    solve(Tokaido(**ODD)).save(path)
    return path


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_table_is_read_as_it_was_written_and_mapped(small: Path) -> None:
    solved, game = solve(Tokaido(**ODD)), Tokaido(**ODD)
    table = tokaido_table.load(small, game, "place_points")
    for name in ("keys", "values", "choices"):
        np.testing.assert_array_equal(getattr(table, name), getattr(solved, name))
        assert isinstance(getattr(table, name).base, np.memmap)
        assert not getattr(table, name).flags.writeable
    assert table.facts["states"] == solved.facts["states"]


def test_other_programs_can_read_a_table(small: Path) -> None:
    from safetensors.numpy import load_file

    arrays, description = read_table(small)
    for name, array in load_file(small).items():
        np.testing.assert_array_equal(array, arrays[name])
    assert description["rules"]["bounce_events"] is False


@pytest.mark.parametrize("part", [0.0, 1e-4, 0.3, 0.9999])
def test_a_table_that_was_cut_off_is_refused(small: Path, tmp_path: Path, part: float) -> None:
    path, content = tmp_path / "cut", small.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    with pytest.raises(TableError, match="cut"):
        read_table(path)


def test_a_table_with_any_bit_changed_is_refused(small: Path, tmp_path: Path) -> None:
    content, rng = small.read_bytes(), np.random.default_rng(5)
    for at in [*range(0, 1600, 13), *rng.integers(0, len(content), 60).tolist(), len(content) - 1]:
        changed = bytearray(content)
        changed[at] ^= 1 << int(rng.integers(8))
        path = tmp_path / "changed"
        path.write_bytes(changed)
        try:
            arrays, description = read_table(path)
        except TableError:
            continue
        original, words = read_table(small)  # blanks of the header may change, and names of keys that nobody reads
        assert description == words
        assert all(np.array_equal(arrays[name], original[name]) for name in original)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 8, b"{}", b"\xff" * 100, (2).to_bytes(8, "little") + b"[]", (4).to_bytes(8, "little") + b"null"],
)
def test_what_is_no_table_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "table").write_bytes(content)
    with pytest.raises(TableError):
        read_table(tmp_path / "table")


@pytest.mark.parametrize(
    ("options", "utility", "word"),
    [
        ({}, "place_points", "other rules: bounce_events=false instead of true"),
        ({"players": 3, **ODD}, "place_points", "other rules: players=2 instead of 3"),
        ({"players": 3, **ODD}, "first_only", "players=2 instead of 3"),
    ],
)
def test_a_table_of_other_rules_is_refused_in_words(
    small: Path, options: dict[str, Any], utility: str, word: str
) -> None:
    with pytest.raises(TableError, match=word) as refusal:
        tokaido_table.load(small, Tokaido(**options), utility)
    assert "{" not in str(refusal.value)


def test_a_table_for_another_utility_is_refused(small: Path, tmp_path: Path) -> None:
    arrays, description = read_table(small)
    write_table(tmp_path / "other", arrays, {**description, "utility": "first_only"})
    with pytest.raises(TableError, match="another utility: first_only instead of place_points"):
        tokaido_table.load(tmp_path / "other", Tokaido(**ODD), "place_points")


def test_with_two_players_one_table_serves_both_utilities(cache: Path) -> None:
    assert tokaido_library.where(Tokaido(), "first_only") == tokaido_library.where(Tokaido(), "place_points")
    np.testing.assert_array_equal(solve(Tokaido(**ODD), "first_only").values, solve(Tokaido(**ODD)).values)


@pytest.mark.parametrize(
    ("name", "value"), [("encoding", "tokaido-0"), ("game", "quoridor"), ("rules_sha256", "0"), ("unfinished", True)]
)
def test_a_table_of_another_version_or_game_is_refused(small: Path, tmp_path: Path, name: str, value: Any) -> None:
    arrays, description = read_table(small)
    write_table(tmp_path / "other", arrays, {**description, name: value})
    with pytest.raises(TableError):
        tokaido_table.load(tmp_path / "other", Tokaido(**ODD), "place_points")


# --- the library -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("forks", ["three", "miya"])
@pytest.mark.parametrize("goal", ["exact", "over"])
def test_the_four_modes_of_two_players_ship_and_are_right(cache: Path, forks: str, goal: str) -> None:
    game = Tokaido(forks=forks, goal=goal)
    table, solved = tokaido_library.find(game), solve(game)
    assert table is not None
    np.testing.assert_array_equal(table.keys, solved.keys)
    np.testing.assert_allclose(table.values, solved.values, atol=1e-12)
    np.testing.assert_array_equal(table.choices, solved.choices)
    assert not list(cache.iterdir())


def test_the_manifest_lists_what_ships() -> None:
    entries = store.manifest()
    assert {entry["file"] for entry in entries} == {path.name for path in store.FOLDER.glob("*.safetensors")}
    for entry in entries:
        assert entry.keys() >= {"game", "rules", "encoding", "recipe", "sha256", "strength"}
        assert hashlib.sha256((store.FOLDER / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]


def test_a_shipped_table_that_is_not_the_listed_one_is_refused(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    entries = [{**entry, "sha256": "0" * 64} for entry in store.manifest()]
    monkeypatch.setattr(store, "manifest", lambda: entries)
    with pytest.raises(TableError, match="install sekisho again"):
        tokaido_library.find(Tokaido())


@pytest.mark.parametrize("change", ["rules_sha256", "encoding", "rules"])
def test_a_shipped_table_of_another_version_is_named_and_the_game_is_solved(
    change: str, monkeypatch: pytest.MonkeyPatch, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def older(entry: dict[str, Any]) -> Any:
        if change == "rules":
            return {name: value for name, value in entry["rules"].items() if name != "rechoice"}
        return "older"

    entries = [{**entry, change: older(entry)} for entry in store.manifest()]
    monkeypatch.setattr(store, "manifest", lambda: entries)
    store.say_outdated.cache_clear()
    assert tokaido_library.table_for(Tokaido()).facts["states"] == 3543
    store.say_outdated.cache_clear()
    tokaido_library.table_for.cache_clear()
    assert caplog.text.count("tokaido_2_three_exact.safetensors ships for these options but for another version") == 1
    assert (cache / "tables").is_dir()
    assert [check.status for check in health.examine() if check.name == "tables"] == [health.WARNING]


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"entries": 3}', '{"entries": [3]}', '{"entries": [{}]}'])
def test_a_damaged_manifest_is_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    monkeypatch.setattr(store, "FOLDER", tmp_path)
    store.manifest.cache_clear()
    try:
        with pytest.raises(TableError, match="install sekisho again"):
            tokaido_library.find(Tokaido())
    finally:
        store.manifest.cache_clear()


def test_a_shipped_table_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    entries = store.manifest()
    monkeypatch.setattr(store, "manifest", lambda: entries)
    monkeypatch.setattr(store, "FOLDER", cache)
    with pytest.raises(TableError, match=r"cannot read .*install sekisho again"):
        tokaido_library.find(Tokaido())


def forged(arrays: Any, what: str) -> Any:
    """Arrays with one fault, under a checksum that is right."""
    keys, values, choices = arrays["keys"].copy(), arrays["values"].copy(), arrays["choices"]
    if what == "unsorted":
        keys[[3, 4]] = keys[[4, 3]]
    if what == "empty":
        keys, values, choices = keys[:0], values[:0], choices[:0]
    if what == "type of keys":
        keys = keys.astype(np.float64)
    if what == "type of choices":
        choices = choices.astype(np.int8)
    if what == "nan":
        values[7, 0] = np.nan
    return {"keys": keys, "values": values, "choices": choices}


@pytest.mark.parametrize("what", ["unsorted", "empty", "type of keys", "type of choices", "nan"])
def test_a_forged_table_is_refused(small: Path, tmp_path: Path, what: str) -> None:
    arrays, description = read_table(small)
    write_table(tmp_path / "forged", forged(arrays, what), description)
    with pytest.raises(TableError, match="is damaged"):
        tokaido_table.load(tmp_path / "forged", Tokaido(**ODD), "place_points")


@pytest.mark.parametrize("facts", [None, 3, [], {}, {"states": 1}])
def test_a_table_without_its_facts_is_refused(small: Path, tmp_path: Path, facts: Any) -> None:
    arrays, description = read_table(small)
    write_table(tmp_path / "forged", arrays, {**description, "facts": facts})
    with pytest.raises(TableError, match="is damaged"):
        tokaido_table.load(tmp_path / "forged", Tokaido(**ODD), "place_points")


@pytest.mark.parametrize(
    ("name", "value"),
    [("shape", [float("inf")]), ("shape", [float("nan")]), ("shape", 3), ("dtype", "F16"), ("dtype", []),
     ("data_offsets", [0, float("inf")])],
)  # fmt: skip
def test_a_forged_header_is_refused(small: Path, tmp_path: Path, name: str, value: Any) -> None:
    content = small.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["keys"][name] = value
    words = json.dumps(header).encode()
    (tmp_path / "forged").write_bytes(len(words).to_bytes(8, "little") + words + content[8 + length :])
    with pytest.raises(TableError):
        read_table(tmp_path / "forged")


def test_options_that_change_nothing_share_a_table(cache: Path) -> None:
    for options in ({"allow_resign": True}, {"finish": "first"}, {"max_turns": 1000}):
        assert tokaido_library.find(Tokaido(**options)) is not None
    for options in (ODD, {"max_turns": 30}, {"players": 3}):
        assert tokaido_library.find(Tokaido(**options)) is None


def test_a_table_is_made_on_first_use_and_kept(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    table = tokaido_library.table_for(Tokaido(**ODD))
    assert "solving tokaido with 2 players (bounce_events=false)" in caplog.text
    caplog.clear()
    tokaido_library.table_for.cache_clear()
    again = tokaido_library.table_for(Tokaido(**ODD))
    assert caplog.text == ""
    np.testing.assert_array_equal(table.values, again.values)
    name = tokaido_library.table_path(Tokaido(**ODD), "place_points").name
    assert {path.name for path in (cache / "tables").iterdir()} <= {name, f".{name}.sekisho-lock"}


def test_a_damaged_table_in_the_cache_is_made_again_and_said(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tokaido_library.table_path(Tokaido(**ODD), "place_points")
    tokaido_library.solve_and_keep(Tokaido(**ODD))
    content = bytearray(path.read_bytes())
    content[-9] ^= 64
    path.write_bytes(content)
    table = tokaido_library.table_for(Tokaido(**ODD))
    assert "cannot be used" in caplog.text
    np.testing.assert_array_equal(table.values, solve(Tokaido(**ODD)).values)
    tokaido_table.load(path, Tokaido(**ODD), "place_points")


def test_four_players_are_not_solved_by_surprise(cache: Path) -> None:
    with pytest.raises(AgentError, match="`sekisho solve tokaido --players 4 --rules goal=over`"):
        tokaido_library.table_for(Tokaido(players=4, goal="over"))


def test_a_damaged_table_does_not_start_a_long_run_either(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tokaido_library.table_path(Tokaido(players=4), "place_points")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"damaged")
    with pytest.raises(AgentError, match="`sekisho solve tokaido --players 4`"):
        tokaido_library.table_for(Tokaido(players=4))
    assert str(path) in caplog.text


def full_disk(*_args: Any, **_keywords: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_an_error_where_a_file_was_named_and_a_warning_else(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(table_file.os, "fsync", full_disk)
    with pytest.raises(RunError, match="No space left"):
        tokaido_library.solve_and_keep(Tokaido(**ODD), output=tmp_path / "table")
    assert not list(tmp_path.glob("*table*"))
    assert tokaido_library.solve_and_keep(Tokaido(**ODD)).facts["states"] > 4000
    assert "No space left" in caplog.text


def test_two_processes_do_not_solve_into_the_same_file(tmp_path: Path) -> None:
    import filelock

    with filelock.FileLock(tmp_path / ".table.sekisho-lock"), pytest.raises(RunError, match="another process"):
        tokaido_library.solve_and_keep(Tokaido(**ODD), output=tmp_path / "table")


SOLVE = """
import sys
from pathlib import Path
from sekisho.agents.exact import keeping, tokaido_library as library
from sekisho.envs.tokaido.rules import Tokaido
keeping.CHECKPOINT_SECONDS = 0.0
library.solve_and_keep(Tokaido(players=3), output=Path(sys.argv[1]))
"""


@pytest.mark.slow
def test_a_run_that_is_killed_leaves_no_table_and_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "three"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", SOLVE, str(path)]
    run = subprocess.Popen(words, env=environment)
    part = tmp_path / "three.sekisho-part"
    while not part.is_file() or read_table(part)[1]["facts"]["sweeps"] < 10:
        assert run.poll() is None
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert not path.exists()
    with pytest.raises(TableError):
        tokaido_table.load(part, Tokaido(players=3), "place_points")
    (tmp_path / "three.part.copy").write_bytes(part.read_bytes())
    begun = read_table(tmp_path / "three.part.copy")[1]["facts"]["sweeps"]
    first_sweeps: list[str] = []
    table = tokaido_library.solve_and_keep(
        Tokaido(players=3), output=path, progress=lambda what, *_: first_sweeps.append(what)
    )
    assert next(what for what in first_sweeps if what.startswith("sweep ")) == f"sweep {begun + 1}"
    assert not part.exists()
    np.testing.assert_array_equal(table.values, solve(Tokaido(players=3)).values)


def test_what_a_stopped_run_left_is_not_used_when_it_is_damaged_or_for_other_rules(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    part = tmp_path / "table.part"
    wanted = tokaido_table.identity(Tokaido(**ODD), "place_points")
    part.write_bytes(b"nonsense")
    checkpoint = keeping.Unfinished(part, wanted)
    assert checkpoint.read() is None
    assert "starts from nothing" in caplog.text
    write_table(part, {}, {**wanted, "utility": "first_only", "unfinished": True})
    assert checkpoint.read() is None
    write_table(part, {}, {**wanted, "unfinished": True, "facts": {"sweeps": 3}})
    assert checkpoint.read() == ({}, {"sweeps": 3})


def test_solving_into_a_file_leaves_what_lies_beside_it_alone(tmp_path: Path) -> None:
    beside = [".table.swp", ".table.local", ".table.12345678", "table.lock", "table.part", "table.sekisho-part"]
    for name in beside:
        (tmp_path / name).write_text("mine")
    half = tmp_path / f".table.abcd_123{table_file.HALF}"  # what a run that was killed has left
    half.write_text("half")
    tokaido_library.solve_and_keep(Tokaido(**ODD), output=tmp_path / "table")
    assert {path.name for path in tmp_path.iterdir()} == {*beside, "table"}
    assert all((tmp_path / name).read_text() == "mine" for name in beside)


def test_what_a_run_for_other_rules_left_beside_a_file_stays(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    part = tmp_path / "table.sekisho-part"
    write_table(part, {}, {"game": "tokaido", "unfinished": True, "facts": {}})
    before = part.read_bytes()
    checkpoint = keeping.Unfinished(part, {"game": "other"}, clock=iter([0.0, 1e3, 1e3, 1e3]).__next__)
    assert checkpoint.read() is None
    assert "stays as it is" in caplog.text
    checkpoint.write({}, {})
    checkpoint.remove()
    assert part.read_bytes() == before


def test_only_a_table_is_replaced_by_a_table(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("mine")
    with pytest.raises(OptionError, match="is no table of sekisho"):
        tokaido_library.solve_and_keep(Tokaido(**ODD), output=path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("thesis.txt", "mine")]
    other = tmp_path / "other"
    write_table(other, {}, {"game": "quoridor"})
    before = other.read_bytes()
    with pytest.raises(OptionError, match="a table of another game"):
        tokaido_library.solve_and_keep(Tokaido(**ODD), output=other)
    assert other.read_bytes() == before
    game = tokaido_table.solved_game(Tokaido(**ODD))
    write_table(tmp_path / "table", {}, tokaido_table.identity(game, "place_points"))
    table = tokaido_library.solve_and_keep(Tokaido(**ODD), output=tmp_path / "table")
    assert read_table(tmp_path / "table")[1]["facts"]["states"] == table.facts["states"]


def test_a_table_in_the_cache_that_cannot_be_opened_is_not_used_and_named(
    cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def closed(path: Path) -> Any:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    path = cache / "table"
    path.write_bytes(b"")
    assert keeping.kept(path, closed) is None
    assert str(path) in caplog.text


def test_too_little_memory_is_said(tmp_path: Path) -> None:
    def solve(*_: Any) -> Any:
        raise MemoryError

    with pytest.raises(RunError, match="memory"):
        keeping.solve_into(tmp_path / "table", False, {}, solve)


def test_a_description_is_part_of_the_checksum(small: Path, tmp_path: Path) -> None:
    content = small.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    words = header["__metadata__"]["description"].replace('"bounce_events": false', '"bounce_events": true')
    assert words != header["__metadata__"]["description"]
    header["__metadata__"]["description"] = words
    changed = json.dumps(header).encode()
    (tmp_path / "other").write_bytes(len(changed).to_bytes(8, "little") + changed + content[8 + length :])
    with pytest.raises(TableError, match="checksum"):
        read_table(tmp_path / "other")
