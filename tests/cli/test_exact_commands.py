"""`sekisho solve` and `sekisho evaluate`: their JSON, their tables, wrong use."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from sekisho.agents import store
from sekisho.agents.exact import keeping, quoridor_solver, table_file, tokaido_library, tokaido_solver
from sekisho.cli import evaluate_tokaido
from sekisho.cli.evaluate import Command
from sekisho.cli.main import main
from sekisho.envs.quoridor.rules import Quoridor
from sekisho.envs.tokaido.rules import Tokaido


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(keeping, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


def document(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    status, out, err = run(capsys, *words, "--json")
    assert status == 0
    assert err == "" or err.startswith("sekisho: already solved")
    return json.loads(out)


def test_solve_prints_the_values_that_scripts_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    solved = document(capsys, "solve", "tokaido", "--players", "2", "--rules", "forks=miya")
    assert solved["first_player_win_probability"] == pytest.approx(0.52698995, abs=1e-8)
    assert solved["values"] == pytest.approx([2 * 0.52698995 - 1, 1 - 2 * 0.52698995], abs=1e-7)
    assert solved["states"] == 2345
    assert solved["residual"] <= 1e-12
    assert 0 < solved["seconds"] < 60


def test_solve_says_it_to_people_too_and_keeps_the_table(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    words = ("solve", "tokaido", "--rules", "bounce_events=false")
    status, out, err = run(capsys, *words)
    assert (status, err) == (0, "")
    assert "0.529073" in out
    (table,) = (cache / "tables").glob("*.safetensors")
    assert str(table) in out
    written = table.stat().st_mtime_ns
    status, again, err = run(capsys, *words)
    assert (status, again, table.stat().st_mtime_ns) == (0, out, written)
    assert err == f"sekisho: already solved; remove {table} to solve again\n"
    copy = cache / "copy"
    assert run(capsys, *words, "--output", str(copy))[0] == 0
    assert copy.read_bytes() == table.read_bytes()
    copy.write_text("mine")
    assert run(capsys, *words, "--output", str(copy))[0] == 2
    assert copy.read_text() == "mine"


def test_a_game_whose_table_ships_is_not_solved_again(
    capsys: pytest.CaptureFixture[str], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "solve_into", None)
    status, out, err = run(capsys, "solve", "tokaido")
    assert status == 0
    assert "0.526375126" in out
    assert "3,543 places" in out
    assert err == f"sekisho: already solved; {store.FOLDER / 'tokaido_2_three_exact.safetensors'} ships\n"
    assert not cache.exists()


def test_a_game_that_is_forced_into_too_little_memory(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def solve(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(tokaido_solver, "solve", solve)
    status, out, err = run(capsys, "solve", "tokaido", "--players", "5", "--force")
    assert (status, out) == (1, "")
    assert "warning: tokaido with 5 players has about 800,000,000 positions" in err.splitlines()[0]
    assert "memory of this machine does not suffice" in err.splitlines()[1]
    assert "--force" not in err


def test_to_compile_is_not_to_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    for solver, game in ((tokaido_solver, Tokaido(max_turns=2)), (quoridor_solver, Quoridor(board_size=3, fences=1))):
        solver.solve(game)
        monkeypatch.setattr(solver, "_warm_up", lambda *_: time.sleep(2))
        assert solver.solve(game).facts["seconds"] < 1


def test_solve_writes_where_it_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "new" / "table"
    assert run(capsys, "solve", "tokaido", "--output", str(path))[0] == 0
    assert table_file.read_table(path)[1]["facts"]["states"] == 3543
    assert not cache.exists()


@pytest.mark.parametrize(
    ("words", "status", "part"),
    [
        (("solve", "tokaido", "--players", "5"), 1, "800,000,000 positions"),
        (("solve", "tokaido", "--utility", "first"), 2, "did you mean 'first_only'"),
        (("solve", "tokaido", "--rules", "fork=miya"), 2, "did you mean 'forks'"),
        (("solve", "tokaido", "--output", "."), 2, "is a folder"),
        (("solve", "tokaido", "--output", ""), 2, "no file can be named ''"),
        (("solve", "tokaido", "--output", "/proc/nothing/table"), 1, "cannot write"),
        (("evaluate", "tokaido", "--agent", "nobody"), 2, "no agent 'nobody'"),
        (("evaluate", "tokaido", "--agent", "shortest_path"), 2, "plays quoridor"),
        (("evaluate", "tokaido", "--agent", "larger", "--against", "nobody"), 2, "no agent 'nobody'"),
        (("evaluate", "tokaido", "--agent", "larger", "--utility", "glory"), 2, "known: first_only"),
        (("evaluate", "quoridor", "--agent", "random", "--games", "1"), 2, "--games must be"),
    ],
)
def test_wrong_use_is_a_short_message(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], status: int, part: str
) -> None:
    found, out, err = run(capsys, *words)
    assert (found, out) == (status, "")
    assert part in err
    assert "Traceback" not in err
    assert len(err.splitlines()) == 1


def test_evaluate_gives_the_exact_loss(capsys: pytest.CaptureFixture[str]) -> None:
    measured = document(capsys, "evaluate", "tokaido", "--agent", "larger")
    wins = measured["win_against_exact"]
    assert wins["average"] == pytest.approx(0.1924, abs=5e-5)
    assert wins["average"] == pytest.approx((wins["first"] + wins["second"]) / 2)
    assert measured["exact_loss_pp"] == pytest.approx(50 - 100 * wins["average"], abs=1e-9)


def test_evaluate_lets_any_agent_meet_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evaluate", "tokaido", "--rules", "max_turns=5", "--agent", "larger")
    measured = document(capsys, *words, "--against", "smaller")
    assert measured["win_against"]["first"] > 0.9
    assert "exact_loss_pp" not in measured
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert "percentage points" in out


def test_evaluate_says_what_it_does_not_use(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evaluate", "tokaido", "--rules", "max_turns=5", "--agent", "larger", "--against", "smaller", "--json")
    status, out, err = run(capsys, *words, "--games", "7", "--positions", "5")
    assert (status, err.count("\n")) == (0, 1)
    assert "--games and --positions not used: no game is played" in err
    assert json.loads(out)["win_against"] == document(capsys, *words[:-1])["win_against"]
    small = ("evaluate", "quoridor", "--rules", "board_size=3,fences=1", "--agent", "random", "--games", "2")
    assert "--utility not used" in run(capsys, *small, "--utility", "first_only")[2]


def test_with_two_players_both_utilities_are_one_game(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    status, out, err = run(capsys, "solve", "tokaido", "--utility", "first_only", "--json")
    solved = json.loads(out)
    assert (status, "ships" in err, cache.exists()) == (0, True, False)
    assert solved["values"] == pytest.approx([0.52637513, 1 - 0.52637513], abs=1e-8)
    assert solved["first_player_win_probability"] == solved["values"][0]
    words = ("evaluate", "tokaido", "--rules", "max_turns=5", "--agent", "larger")
    points, first = (document(capsys, *words, "--utility", utility) for utility in ("place_points", "first_only"))
    assert first["win_against_exact"] == pytest.approx(points["win_against_exact"])
    assert first["exact_loss_pp"] == pytest.approx(points["exact_loss_pp"])


@pytest.mark.parametrize(
    ("spec", "utility", "expected"),
    [
        ("exact", "first_only", "exact:utility=first_only"),
        ("exact:table=a", "first_only", "exact:table=a,utility=first_only"),
        ("exact:utility=place_points", "first_only", "exact:utility=place_points"),
        ("exact", "place_points", "exact"),
        ("larger", "first_only", "larger"),
        ("", "first_only", ""),
    ],
)
def test_perfect_play_plays_for_what_is_measured(spec: str, utility: str, expected: str) -> None:
    command = Command("tokaido", spec, utility=utility)
    assert evaluate_tokaido.playing_for(command, spec) == expected


def test_evaluate_says_why_four_players_stand_on_a_ladder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = ("evaluate", "tokaido", "--players", "4", "--rules", "goal=over", "--agent", "larger", "--games", "2")
    status, out, err = run(capsys, *words, "--against", "smaller")
    assert (status, err) == (0, "")
    assert "294,000,000 decisions here, too many to ask an agent for each" in out.replace("\n", " ")
    assert "not solved" not in out
    command = Command("tokaido", "larger", players=4)
    assert evaluate_tokaido.perfect_rung(command, Tokaido(players=4)) == ()
    monkeypatch.setattr(tokaido_library, "where", lambda *_: tmp_path)
    monkeypatch.setattr(Path, "is_file", lambda _: True)
    assert evaluate_tokaido.perfect_rung(command, Tokaido(players=4)) == ("exact",)


@pytest.mark.slow
def test_evaluate_measures_perfect_play_of_three_players_for_both_utilities(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evaluate", "tokaido", "--players", "3", "--agent", "exact", "--json")
    for utility, total in (("place_points", 0.0), ("first_only", 1.0)):
        status, out, err = run(capsys, *words, "--utility", utility)
        assert (status, err) == (0, "")
        assert json.loads(out)["exact_loss_pp"] == 0.0
        assert sum(json.loads(out)["values"]) == pytest.approx(total, abs=1e-9)


def test_evaluate_puts_agents_on_a_ladder_where_the_game_is_not_solved(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evaluate", "quoridor", "--rules", "board_size=8,fences=1", "--games", "2", "--agent", "heuristic")
    ladder = document(capsys, *words)
    assert ladder["exact"] is False
    assert {line["agent"] for line in ladder["ladder"]["agents"]} == {"heuristic", "random", "shortest_path"}
    assert run(capsys, "evaluate", "picture_sugoroku", "--agent", "random", "--games", "2")[0] == 0


# --- Quoridor ---------------------------------------------------------------------------------------------------------


def test_solve_quoridor_prints_the_values_that_scripts_rely_on(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    solved = document(capsys, "solve", "quoridor", "--rules", "board_size=3,fences=1")
    assert (solved["value"], solved["plies"], solved["states"]) == (-1, 8, 2082)
    assert len(solved["line"]) == 8
    assert not cache.exists()  # it ships
    capped = document(capsys, "solve", "quoridor", "--rules", "board_size=3,fences=1,max_plies=7")
    assert (capped["value"], capped["plies"], capped["line"]) == (0, None, [])


def test_solve_quoridor_says_it_to_people_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "table"
    status, out, err = run(capsys, "solve", "quoridor", "--rules", "board_size=4,fences=1", "--output", str(path))
    assert status == 0
    assert err.startswith("sekisho: already solved")
    assert "the first player wins, in 7 plies" in out
    assert str(path) in out
    assert table_file.read_table(path)[1]["rules"]["fences"] == 1


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("solve", "quoridor"), "9x9 with 10 fences each cannot be solved"),
        (("solve", "quoridor", "--rules", "board_size=8,fences=1", "--force"), "cannot be solved"),
        (("solve", "quoridor", "--rules", "board_size=3,fences=1,repetition=3"), "repetition=none"),
        (("solve", "quoridor", "--players", "4", "--rules", "board_size=3"), "two players"),
        (("evaluate", "quoridor", "--rules", "board_size=3", "--agent", "random", "--positions", "-1"), "--positions"),
        (("evaluate", "quoridor", "--rules", "board_size=3", "--agent", "random", "--against", "random"), "--against"),
    ],
)
def test_wrong_use_of_the_solver_of_quoridor(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], part: str
) -> None:
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert part in err
    assert err.count("\n") == 1


def test_evaluate_quoridor_measures_against_the_solution(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evaluate", "quoridor", "--rules", "board_size=3,fences=1", "--games", "4")
    exact = document(capsys, *words, "--agent", "exact")
    assert exact["kept"] == {**exact["kept"], "share": 1.0, "margin": 0.0, "positions": 2078, "of": 2078}
    assert exact["win_against_exact"] == {"first": 0.0, "second": 1.0, "average": 0.5}
    assert exact["exact_loss_pp"] == 0.0
    weak = document(capsys, *words, "--agent", "random", "--positions", "300")
    assert weak["kept"]["positions"] == 300
    assert 0.5 < weak["kept"]["share"] < 0.95
    assert weak["exact_loss_pp"] > 20
    status, out, err = run(capsys, *words, "--agent", "heuristic")
    assert (status, err) == (0, "")
    assert "2,078" in out


def test_evaluate_quoridor_takes_the_ladder_where_the_board_is_not_solved(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "evaluate", "quoridor", "--agent", "random", "--against", "shortest_path", "--games", "2")  # fmt: skip
    assert status == 0
    assert "not solved" in out
