"""Tables of Quoridor: files, stopped runs, what ships, the agent that plays by them and how agents are measured."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reference import quoridor as reference
from sekisho.agents import make_agent, store
from sekisho.agents.agent import Agent, Decision
from sekisho.agents.exact import keeping, quoridor_library, quoridor_quality, quoridor_solver, quoridor_table
from sekisho.agents.exact.quoridor_reach import reachable
from sekisho.agents.exact.table_file import read_table, write_table
from sekisho.envs import load_game
from sekisho.envs.core import State
from sekisho.envs.errors import AgentError, RunError, TableError
from sekisho.envs.quoridor.rules import Quoridor

SMALL = Quoridor(board_size=4, fences=1, max_plies=None)
UNSHIPPED = Quoridor(board_size=4, fences=3)
RNG = np.random.default_rng(0)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(keeping, "cache_folder", lambda: tmp_path)
    quoridor_library.table_for.cache_clear()
    return tmp_path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "small"
    quoridor_solver.solve(SMALL).save(path)
    return path


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_table_is_read_as_it_was_written(file: Path) -> None:
    table, solved = quoridor_table.load(file, SMALL), quoridor_solver.solve(SMALL)
    assert table.facts["states"] == solved.facts["states"]
    for read, made in zip(table.levels, solved.levels, strict=True):
        np.testing.assert_array_equal(read.layouts, made.layouts)
        np.testing.assert_array_equal(read.scores, made.scores)


def test_what_is_written_to_a_read_table_does_not_reach_its_file(file: Path) -> None:
    before = file.read_bytes()
    quoridor_table.load(file, SMALL).levels[0].scores[:] = 5
    assert file.read_bytes() == before


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9999])
def test_a_table_that_was_cut_off_is_refused(file: Path, tmp_path: Path, part: float) -> None:
    content = file.read_bytes()
    (tmp_path / "cut").write_bytes(content[: int(part * len(content))])
    with pytest.raises(TableError):
        quoridor_table.load(tmp_path / "cut", SMALL)


def test_a_score_that_was_changed_is_noticed(file: Path, tmp_path: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-100] ^= 1
    (tmp_path / "changed").write_bytes(content)
    with pytest.raises(TableError, match="checksum"):
        quoridor_table.load(tmp_path / "changed", SMALL)


def test_tables_of_other_games_are_refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="other rules"):
        quoridor_table.load(file, Quoridor(board_size=4, fences=2, max_plies=None))
    arrays, description = read_table(file)
    for change in ({"encoding": "quoridor-0"}, {"game": "tokaido"}, {"rules_sha256": "0"}):
        write_table(tmp_path / "other", arrays, {**description, **change})
        with pytest.raises(TableError, match="another"):
            quoridor_table.load(tmp_path / "other", SMALL)
    tokaido = next(store.FOLDER.glob("tokaido_*"))
    with pytest.raises(TableError, match="another game"):
        quoridor_table.load(tokaido, SMALL)


@pytest.mark.parametrize("what", ["missing", "extra", "empty", "unsorted", "type", "shape", "none", "facts"])
def test_a_forged_table_is_refused(file: Path, tmp_path: Path, what: str) -> None:
    arrays, description = read_table(file)
    layouts, scores = arrays["layouts_1"], arrays["scores_1"]
    changes: dict[str, Any] = {
        "missing": {"layouts_7": layouts},
        "extra": {"other": layouts},
        "empty": {"layouts_1": layouts[:0], "scores_1": scores[:0]},
        "unsorted": {"layouts_1": layouts[::-1].copy()},
        "type": {"layouts_1": layouts.astype(np.int32)},
        "shape": {"scores_1": scores[..., 1:].copy()},
        "none": {},
        "facts": {},
    }
    forged = {} if what == "none" else {**arrays, **changes[what]}
    if what == "missing":
        del forged["layouts_0"]
    facts = 3 if what == "facts" else description["facts"]
    write_table(tmp_path / "forged", forged, {**description, "facts": facts})
    with pytest.raises(TableError):
        quoridor_table.load(tmp_path / "forged", SMALL)


# --- runs -------------------------------------------------------------------------------------------------------------

SOLVE = """
import sys
from pathlib import Path
from sekisho.agents.exact import keeping, quoridor_library, quoridor_solver
from sekisho.envs.quoridor.rules import Quoridor
keeping.CHECKPOINT_SECONDS = 0.0
quoridor_solver.CHUNK = 300
quoridor_library.solve_and_keep(Quoridor(board_size=4, fences=3), Path(sys.argv[1]))
"""


def test_a_run_that_is_killed_leaves_no_table_and_is_continued(tmp_path: Path) -> None:
    path, part = tmp_path / "table", tmp_path / "table.sekisho-part"
    run = subprocess.Popen(
        [sys.executable, "-c", SOLVE, str(path)], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    while not part.is_file() or read_table(part)[1]["facts"]["level"] > 4:
        assert run.poll() is None
        time.sleep(0.001)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert not path.exists()
    with pytest.raises(TableError):
        quoridor_table.load(part, quoridor_table.solved_game(UNSHIPPED))
    told: list[int] = []
    table = quoridor_library.solve_and_keep(
        UNSHIPPED, path, lambda what, done, _: told.append(done) if what == "layouts solved" else None
    )
    assert told[0] > 1000  # of 3,000: those that the killed run had solved are not solved again
    assert not part.exists()
    for one, other in zip(table.levels, quoridor_solver.solve(UNSHIPPED).levels, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)


def test_a_run_goes_on_from_the_middle_of_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quoridor_solver, "CHUNK", 50)
    saved: list[Any] = []

    def save(arrays: Any, facts: Any) -> None:
        saved.append(({name: array.copy() for name, array in arrays.items()}, dict(facts)))

    whole = quoridor_solver.solve(UNSHIPPED, save=save)
    for resume in (saved[0], saved[len(saved) // 2], saved[-1]):
        again = quoridor_solver.solve(UNSHIPPED, resume=resume)
        assert again.facts["longest"] == whole.facts["longest"]
        for one, other in zip(again.levels, whole.levels, strict=True):
            np.testing.assert_array_equal(one.scores, other.scores)


def test_a_table_that_cannot_be_written_is_an_error_where_a_file_was_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(RunError, match="cannot"):
        quoridor_library.solve_and_keep(SMALL, tmp_path / "file" / "table")


def test_too_long_wins_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sekisho.agents.exact.quoridor_levels.LONGEST_WIN", 12)
    with pytest.raises(RunError, match="more than 12 plies"):
        quoridor_solver.solve(SMALL)


# --- the library ------------------------------------------------------------------------------------------------------


def shipped() -> list[dict[str, Any]]:
    return [e for e in store.manifest() if (e["kind"], e["game"]) == ("table", "quoridor")]


@pytest.mark.parametrize("entry", shipped(), ids=lambda entry: str(entry["file"]))
def test_what_ships_is_right(cache: Path, entry: dict[str, Any]) -> None:
    game = Quoridor(**entry["rules"])
    table, solved = quoridor_library.find(game), quoridor_solver.solve(game)
    assert table is not None
    assert hashlib.sha256((store.FOLDER / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]
    for read, made in zip(table.levels, solved.levels, strict=True):
        np.testing.assert_array_equal(read.layouts, made.layouts)
        np.testing.assert_array_equal(read.scores, made.scores)
    start = game.new_initial_state()
    assert entry["strength"] == {"value": int(np.sign(table.plies(start))), "plies": abs(table.plies(start))}
    assert not list(cache.iterdir())


def test_the_small_boards_ship() -> None:
    sizes = {(entry["rules"]["board_size"], entry["rules"]["fences"]) for entry in shipped()}
    assert sizes >= {(3, 1), (3, 2), (3, 3), (3, 4), (4, 1), (4, 2)}


def test_other_boards_are_solved_on_first_use_and_kept(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    table = quoridor_library.table_for(UNSHIPPED)
    assert "solving quoridor on 4x4 with 3 fences each" in caplog.text
    caplog.clear()
    quoridor_library.table_for.cache_clear()
    assert quoridor_library.table_for(UNSHIPPED).facts == table.facts
    assert caplog.text == ""
    path = quoridor_library.table_path(UNSHIPPED)
    path.write_bytes(path.read_bytes()[:-1])
    quoridor_library.table_for.cache_clear()
    quoridor_library.table_for(UNSHIPPED)
    assert "cannot be used" in caplog.text


def test_large_boards_are_not_solved_by_surprise(cache: Path) -> None:
    with pytest.raises(AgentError, match="`sekisho solve quoridor --rules board_size=5,fences=4 --force`"):
        quoridor_library.table_for(Quoridor(board_size=5, fences=4))


def test_the_estimate_of_the_size_is_close() -> None:
    known = {(3, 2): 7_992, (4, 2): 688_896, (4, 9): 6_146_208, (5, 1): 416_800, (5, 2): 24_077_600}
    for (size, fences), positions in known.items():
        estimate = quoridor_solver.estimated_positions(Quoridor(board_size=size, fences=fences))
        assert positions / 1.4 < estimate < positions * 1.4


# --- the agent --------------------------------------------------------------------------------------------------------


def test_it_wins_the_won_game_against_anything() -> None:
    game = load_game("quoridor", board_size=4, fences=2)
    for other in ("heuristic", "random", "exact"):
        players, state = [make_agent("exact"), make_agent(other)], game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(players[state.current_player()].act(state, RNG).action)
        assert state.returns() == [1.0, -1.0]


def test_it_shows_values_and_plies() -> None:
    state = load_game("quoridor", board_size=3, fences=1).new_initial_state()
    decision = make_agent("exact").act(state, RNG)
    assert decision.value == -1.0
    assert decision.statistics["plies"][state.action_to_string(decision.action)] == -8
    assert min(decision.statistics["plies"].values()) == -8
    assert set(decision.statistics["values"].values()) == {-1.0}
    late = load_game("quoridor", board_size=3, fences=1, max_plies=7).new_initial_state()
    assert make_agent("exact").act(late, RNG).value == 0.0


def test_it_plays_by_a_file_and_refuses_that_of_another_game(file: Path) -> None:
    state = load_game("quoridor", board_size=4, fences=1).new_initial_state()
    assert make_agent(f"exact:table={file}").act(state, RNG).value == 1.0
    with pytest.raises(TableError, match="other rules"):
        make_agent(f"exact:table={file}").supports(load_game("quoridor", board_size=3, fences=1))
    with pytest.raises(TableError, match="another game"):
        make_agent(f"exact:table={file}").supports(load_game("tokaido"))


# --- how well others play ---------------------------------------------------------------------------------------------


def test_reachable_positions_are_those_of_the_rule_book() -> None:
    for fences in (0, 1):
        table = quoridor_solver.solve(Quoridor(board_size=3, fences=fences))
        game = reference.Quoridor(board_size=3, fences=fences, max_plies=None)
        seen, waiting = set(), [game._position()]
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            placed, pawns, left, seat = node
            options: dict[str, Any] = {"board_size": 3, "max_plies": None}
            for move in reference.Quoridor.from_position(pawns, placed, left, seat, 0, **options).legal_moves():
                after = reference.Quoridor.from_position(pawns, placed, left, seat, 0, **options)
                after.play(move)
                if after.winner is None:
                    waiting.append(after._position())
        reached = reachable(table)
        assert sum(int(level.sum()) for level in reached) == len(seen)
        states = quoridor_quality._states(table, Quoridor(board_size=3, fences=fences), reached,
                                          [int(level.sum()) for level in reached], np.arange(len(seen)))  # fmt: skip
        texts = {state.to_text() for state in states}
        assert len(texts) == len(seen)
        for text in texts:
            Quoridor(board_size=3, fences=fences).from_text(text)


class Worst(Agent):
    """Plays the worst action by the table."""

    def __init__(self, table: quoridor_table.QuoridorTable) -> None:
        self.table = table

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        plies = self.table.action_plies(state)  # type: ignore[arg-type]
        return Decision(min(plies, key=lambda action: quoridor_table.preference(plies[action])))


def test_measures_of_the_best_and_the_worst_agent() -> None:
    game = Quoridor(board_size=4, fences=1)
    table = quoridor_library.table_for(game)
    best, worst = make_agent("exact"), Worst(table)
    share = quoridor_quality.share_of_reachable(table, game, best, 500, RNG)
    assert (share.kept, share.asked, share.share) == (500, 500, 1.0)
    assert share.total > 40_000
    assert share.margin > 0
    bad = quoridor_quality.share_of_reachable(table, game, worst, 500, RNG)
    assert bad.share_at_stake == 0.0
    assert 0 < bad.share < 1
    assert quoridor_quality.share_of_self_play(table, game, best, 3, RNG).share == 1.0
    assert quoridor_quality.against_perfect_play(table, game, best, 1, RNG) == (1.0, 0.0)
    assert quoridor_quality.against_perfect_play(table, game, worst, 1, RNG) == (0.0, 0.0)


def test_all_positions_are_asked_when_that_is_wished() -> None:
    game = Quoridor(board_size=3, fences=1)
    share = quoridor_quality.share_of_reachable(quoridor_library.table_for(game), game, make_agent("exact"), 0, RNG)
    assert share.asked == share.total == 2078
    assert share.margin == 0.0
