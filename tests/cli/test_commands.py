"""The commands as a person and as a script meet them: help, results, the one JSON document, and wrong use in words."""

from __future__ import annotations

import importlib.metadata
import json
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sekisho import __version__
from sekisho.agents import agent_names
from sekisho.cli.main import COMMANDS, main
from sekisho.envs import load_game
from sekisho.envs.registry import game_names

DATA = Path(__file__).resolve().parents[1] / "data"
COUNTED = [
    (f"players={row['players']},board_size={row['board_size']},fences={row['walls_per_player']}", int(depth), nodes)
    for row in json.loads((DATA / "quoridor_perft.json").read_text(encoding="utf-8"))["perft"]
    for depth, nodes in row["nodes"].items()
    if nodes < 1e6
]
DUEL = ("tournament", "quoridor", "--rules", "board_size=4,fences=1", "--workers", "1", "--games", "4")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


def document(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """What a command prints with --json, once it is sure that nothing else stands on stdout."""
    status, out, err = run(capsys, *words, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def unboxed(text: str) -> str:
    """The words of a message without the frame around it and its line ends."""
    return " ".join(text.replace("│", " ").replace("|", " ").split())


# --- help ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["--help", "-h", "help"])
def test_the_help_of_the_whole_names_every_command(capsys: pytest.CaptureFixture[str], word: str) -> None:
    status, out, err = run(capsys, word)
    assert (status, err) == (0, "")
    for name, line in COMMANDS.items():
        assert f"  {name} " in out
        assert line in out


def test_no_command_at_all_is_wrong_use_and_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys)
    assert (status, out) == (2, "")
    assert "usage: sekisho COMMAND" in err


def test_the_versions_that_matter_are_printed_and_nothing_is_imported_for_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, err = run(capsys, "--version")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == [f"sekisho {__version__}", f"python {platform.python_version()}"]
    for name in ("numpy", "numba", "gymnasium", "pettingzoo"):
        assert f"{name} {importlib.metadata.version(name)}" in lines
    code = "import sys; from sekisho.cli.main import main; main(['--version']); print('loaded', *sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"numpy", "numba", "torch", "tyro"} & set(loaded.partition("loaded")[2].split())


def test_the_version_is_asked_for_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version", "extra") == (2, "", "sekisho: --version stands alone\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("play quoridor --seed abc", "--seed takes INT, not 'abc'; see: sekisho play --help"),
        ("perft quoridor --depth x", "--depth takes INT, not 'x'; see: sekisho perft --help"),
        ("perft quoridor", "missing from sekisho perft: --depth INT"),
        ("completion tcsh", "invalid choice 'tcsh'"),
        ("play quoridor --sed 1", "unrecognized options: --sed, 1 (did you mean --seed?)"),
        ("games --foo", "unrecognized options: --foo; see: sekisho games --help"),
        ("tournament quoridor --agents random random --games", "missing value for argument '--games'"),
        ("games " + "x" * 9999, "unrecognized options"),
    ],
)
def test_words_that_do_not_fit_are_one_line_of_ours(capsys: pytest.CaptureFixture[str], words: str, said: str) -> None:
    status, out, err = run(capsys, *words.split())
    assert (status, out) == (2, "")
    assert err.startswith(f"sekisho: {said}")
    assert len(err.splitlines()) == 1
    assert len(err) < 800


OPTIONS = {
    "games": {"--json"},
    "export": {"CHECKPOINT", "--format", "--output", "--json"},
    "perft": {"GAME", "--depth", "--rules", "--position", "--divide", "--json"},
    "bench": {"GAME", "--repeats", "--json"},
    "play": {"GAME", "--seats", "--players", "--rules", "--seed", "--load", "--save"},
    "replay": {"FILE", "--game", "--ply", "--step", "--svg", "--png", "--json"},
    "analyze": {"RECORD", "--game", "--agent", "--playouts", "--json"},
    "doctor": {"--json"},
    "completion": set(),
    "engine": set(),
    "evaluate": {
        *(
            "GAME",
            "--agent",
            "--against",
            "--players",
            "--rules",
            "--utility",
            "--games",
            "--seed",
            "--json",
            "--positions",
        ),
    },
    "tournament": {
        *("GAME", "--agents", "--games", "--players", "--rules", "--openings", "--seed", "--workers", "--output"),
        *("--executor", "--ray-address", "--json", "--sprt"),
    },
    "train": {
        *("GAME", "--config", "--output", "--resume", "--set", "--settings", "--players", "--rules", "--iterations"),
        *("--seed", "--workers", "--executor", "--ray-address", "--device", "--json"),
    },
    "solve": {
        *("GAME", "--players", "--rules", "--output", "--json", "--utility", "--force", "--board", "--squares"),
        *("--seconds-a-roll", "--suggest", "--minutes", "--turns", "--max-advantage", "--edits"),
    },
}


def test_the_options_of_every_command_are_listed_here() -> None:
    assert set(OPTIONS) == set(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_the_help_of_a_command_names_all_of_its_options(
    capsys: pytest.CaptureFixture[str], name: str, flag: str
) -> None:
    status, out, err = run(capsys, name, flag)
    assert (status, err) == (0, "")
    assert f"usage: sekisho {name}" in out
    assert set(re.findall(r"(?m)^[^\w\n-]*(?:-h, )?(--[a-z-]+|GAME|FILE|RECORD|CHECKPOINT)\b", out)) == {
        *OPTIONS[name],
        "--help",
    }


def test_the_help_of_the_tournament_names_every_agent(capsys: pytest.CaptureFixture[str]) -> None:
    out = unboxed(run(capsys, "tournament", "--help")[1])
    for name in agent_names():
        assert f"{name} (" in out


# --- games -----------------------------------------------------------------------------------------------------------


def test_games_lists_every_game_with_its_options_and_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    listed = document(capsys, "games")
    assert [game["name"] for game in listed] == game_names()
    for game in listed:
        options = {option["name"]: option["default"] for option in game["options"]}
        assert options == dict(load_game(game["name"]).options)
        assert all(option["values"] and option["help"] for option in game["options"])
    status, out, err = run(capsys, "games")
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 100
    for game in listed:
        assert game["title"] in out
        for option in game["options"]:
            assert option["name"] in out


# --- perft -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "depth", "nodes"),
    [
        *COUNTED,
        ("", 0, 1),
        ("", 2, 16677),
        (" board_size = 5 , fences=2 ", 3, 31540),
        ("board_size=3,fences=1,max_plies=2", 3, 0),
    ],
)
def test_perft_counts_what_independent_programs_count(
    capsys: pytest.CaptureFixture[str], rules: str, depth: int, nodes: int
) -> None:
    found = document(capsys, "perft", "quoridor", "--depth", str(depth), "--rules", rules)
    assert (found["nodes"], found["depth"], found["game"]) == (nodes, depth, "quoridor")
    assert found["seconds"] >= 0


def test_perft_divides_by_the_first_ply(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "perft", "quoridor", "--depth", "3", "--divide", "--rules", "board_size=5,fences=2")
    assert found["nodes"] == sum(found["divide"].values()) == 31540
    expected = json.loads((DATA / "quoridor_perft.json").read_text(encoding="utf-8"))["divide"]
    (row,) = [row for row in expected if (row["board_size"], row["walls_per_player"], row["depth"]) == (5, 2, 3)]
    assert found["divide"] == row["std_move_to_count"]


def test_perft_starts_at_a_position(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "perft", "quoridor", "--depth", "1", "--position", "e3c5 / d4 / e4 f6 / 8 9 / 1 / 6")
    state = load_game("quoridor").from_text("e3c5 / d4 / e4 f6 / 8 9 / 1 / 6")
    assert found["nodes"] == len(state.legal_actions())
    over = document(capsys, "perft", "quoridor", "--depth", "1", "--position", "/ / e9 e8 / 10 10 / 2")
    assert over["nodes"] == 0


def test_perft_for_people_shows_the_same_number(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "perft", "quoridor", "--depth", "2", "--divide", "--rules", "board_size=3,fences=1")
    assert (status, err) == (0, "")
    assert "depth 2: 77 nodes" in out
    assert "a1h" in out


# --- tournament ------------------------------------------------------------------------------------------------------


def test_a_tournament_prints_the_standings_as_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, *DUEL, "--agents", "random", "heuristic", "shortest_path", "--seed", "3")
    assert {agent["agent"] for agent in found["agents"]} == {"random", "heuristic", "shortest_path"}
    for agent in found["agents"]:
        assert agent["games"] == 8
        assert 0 <= agent["wins"] <= 8
        assert 0 <= agent["score"] <= 1
        assert agent["rating_low"] <= agent["rating"] <= agent["rating_high"]
    assert [agent["rating"] for agent in found["agents"]] == sorted(
        (a["rating"] for a in found["agents"]), reverse=True
    )
    assert (found["games_played"], found["games"], found["seed"], found["game"]) == (12, 4, 3, "quoridor")
    assert found["openings"] == load_game("quoridor").opening_plies == 4
    assert found["rules"]["board_size"] == 4


@pytest.mark.parametrize(
    "words", [("--players", "4"), ("--rules", "players=4"), ("--players", "4", "--rules", "players=4")]
)
def test_two_agents_fill_a_table_of_four(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    found = document(
        *(capsys, "tournament", "quoridor", "--agents", "random", "shortest_path", "--games", "14", "--workers", "1"),
        *words,
    )
    assert found["players"] == 4
    assert [agent["games"] for agent in found["agents"]] == [28, 28]
    assert sum(agent["score"] for agent in found["agents"]) == pytest.approx(1)


def test_a_tournament_for_people_shows_every_agent_and_warns_of_uneven_seats(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, err = run(capsys, *DUEL, "--agents", "random", "heuristic")
    assert (status, err) == (0, "")
    assert "random" in out
    assert "heuristic" in out
    assert "4 games" in out
    assert "equally often" not in out
    assert max(map(len, out.splitlines())) <= 100
    out = run(capsys, *DUEL, "--games", "3", "--agents", "random", "heuristic")[1]
    assert "choose --games as a multiple of 2" in out


def test_the_same_command_is_the_same_result(capsys: pytest.CaptureFixture[str]) -> None:
    def result(seed: int) -> Any:
        found = document(capsys, *DUEL, "--games", "10", "--agents", "random", "shortest_path", "--seed", str(seed))
        return [{key: value for key, value in agent.items() if key != "milliseconds"} for agent in found["agents"]]

    assert result(1) == result(1)
    assert len({json.dumps(result(seed)) for seed in range(4)}) > 1


def test_the_output_folder_holds_games_and_standings_and_is_continued(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = (*DUEL, "--agents", "random", "heuristic", "--output", str(tmp_path / "out"))
    found = document(capsys, *words)
    games = tmp_path / "out" / "games.jsonl"
    content = games.read_bytes()
    assert content.count(b"\n") == 4
    assert json.loads((tmp_path / "out" / "standings.json").read_text(encoding="utf-8")) == found
    games.write_bytes(content[: len(content) // 2])
    status, out, _ = run(capsys, *words, "--json")
    assert status == 0
    assert json.loads(out)["games_played"] == 4
    assert games.read_bytes() == content
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert str(tmp_path / "out") in out.replace("\n", "")
    assert games.read_bytes() == content


def test_more_processes_write_the_same_games(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = (*DUEL, "--games", "30", "--agents", "random", "heuristic", "--json", "--output")
    for workers in ("1", "2"):
        assert run(capsys, *words, str(tmp_path / workers), "--workers", workers)[0] == 0
    assert (tmp_path / "1" / "games.jsonl").read_bytes() == (tmp_path / "2" / "games.jsonl").read_bytes()


def test_a_sequential_test_ends_a_tournament_early_and_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = (*DUEL[:-1], "200", "--agents", "shortest_path", "random", "--sprt", "0.6", "0.8")
    result = document(capsys, *words, "--output", str(tmp_path / "t"))
    assert result["games_played"] < 100
    assert result["games_played"] % 2 == 0
    assert result["sprt"]["answer"] == "high"
    assert result["sprt"]["log_ratio"] >= result["sprt"]["bound"]
    status, out, _ = run(capsys, *words, "--output", str(tmp_path / "t"))  # plays nothing more
    assert status == 0
    assert "Score of shortest_path by the sequential test: at least 0.8" in " ".join(out.split())
    assert len((tmp_path / "t" / "games.jsonl").read_text(encoding="utf-8").splitlines()) == result["games_played"]
    few = document(capsys, *DUEL, "--agents", "shortest_path", "random", "--sprt", "0.6", "0.7")
    assert few["games_played"] == 4
    assert few["sprt"]["answer"] is None


def test_another_tournament_in_the_same_folder_is_wrong_use(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = (*DUEL, "--agents", "random", "heuristic", "--output", str(tmp_path))
    assert run(capsys, *words)[0] == 0
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    status, out, err = run(capsys, *words, "--seed", "9")
    assert (status, out) == (2, "")
    assert "differs in: seed" in err
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


# --- bench -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the program compared with
def test_bench_measures_every_figure_once(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "bench", "quoridor", "--repeats", "1")
    assert len({measure["name"] for measure in found}) == len(found) >= 4
    for measure in found:
        assert {"name", "value", "unit", "peer", "peer_value", "ratio"} <= set(measure)
        assert measure["name"].startswith("quoridor: ")
        assert measure["value"] > 0
        assert (measure["peer"] is None) == (measure["peer_value"] is None) == (measure["ratio"] is None)


# --- wrong use -------------------------------------------------------------------------------------------------------

TWO = ("tournament", "quoridor", "--agents", "random", "heuristic")
ALONE = ("tournament", "quoridor", "--agents")
WRONG: list[tuple[tuple[str, ...], str]] = [
    (("nope",), "no command 'nope'"),
    (("tournment",), "did you mean 'tournament'?"),
    ((*TWO, "--sprt", "0.6", "0.5"), "0 < low < high < 1"),
    ((*TWO, "--sprt", "0.6"), "sprt"),
    ((*TWO, "--players", "4", "--sprt", "0.4", "0.5"), "two agents at a table of two seats"),
    (("Games",), "did you mean 'games'?"),
    (("",), "no command ''"),
    (("--json",), "no command '--json'"),
    (("games", "--jsn"), "--json"),
    (("games", "extra"), "extra"),
    (("games", "--json=yes"), "yes"),
    (("perft",), "GAME"),
    (("perft", "quoridor"), "--depth"),
    (("perft", "--depth", "1"), "GAME"),
    (("perft", "quoridr", "--depth", "1"), "did you mean 'quoridor'?"),
    (("perft", "QUORIDOR", "--depth", "1"), "did you mean 'quoridor'?"),
    (("perft", "quoridor", "--depth"), "--depth"),
    (("perft", "quoridor", "--depth", "x"), "--depth"),
    (("perft", "quoridor", "--depth", "1.5"), "--depth"),
    (("perft", "quoridor", "--depth", ""), "--depth"),
    (("perft", "quoridor", "--depth", "-1"), "--depth must be 0..1000, not -1"),
    (("perft", "quoridor", "--depth", "1001"), "--depth must be 0..1000, not 1001"),
    (("perft", "quoridor", "--depth", "9" * 30), "--depth must be 0..1000"),
    (("perft", "quoridor", "--depth", "9" * 5000), "--depth"),
    (("perft", "quoridor", "--depth", "0", "--divide"), "--depth must be 1..1000, not 0"),
    (("perft", "quoridor", "--depth", "1", "--dept", "2"), "--dept"),
    (("perft", "quoridor", "--depth", "1", "--rules"), "--rules"),
    (("perft", "quoridor", "--depth", "1", "--rules", "board_size"), "'board_size' has no '='"),
    (("perft", "quoridor", "--depth", "1", "--rules", "board_size=5;fences=2"), "board_size"),
    (("perft", "quoridor", "--depth", "1", "--rules", "bord_size=5"), "did you mean 'board_size'?"),
    (("perft", "quoridor", "--depth", "1", "--rules", "board_size=2"), "3..9, not 2"),
    (("perft", "quoridor", "--depth", "1", "--rules", "board_size=10"), "3..9, not 10"),
    (("perft", "quoridor", "--depth", "1", "--rules", "board_size=-5"), "3..9, not -5"),
    (("perft", "quoridor", "--depth", "1", "--rules", "board_size="), "3..9, not ''"),
    (("perft", "quoridor", "--depth", "1", "--rules", "fences=" + "9" * 40), "fences"),
    (("perft", "quoridor", "--depth", "1", "--rules", "players=3"), "one of 2, 4"),
    (("perft", "quoridor", "--depth", "1", "--rules", "players=2,players=4"), "given twice"),
    (("perft", "quoridor", "--depth", "1", "--rules", "third_pawn=jumps"), "one of blocks, diagonal"),
    (("perft", "quoridor", "--depth", "1", "--position", "nonsense"), "a position is"),
    (("perft", "quoridor", "--depth", "1", "--position", ""), "a position is"),
    (("perft", "quoridor", "--depth", "1", "--position", "/ / e1 e1 / 10 10 / 1"), "same square"),
    (("tournament",), "GAME"),
    (("tournament", "quoridor"), "--agents"),
    (("tournament", "--agents", "random", "heuristic"), "game"),
    (("tournament", "quoridr", "--agents", "random", "heuristic"), "did you mean 'quoridor'?"),
    (ALONE, "at least two agents, apart by blanks, not 0"),
    ((*ALONE, "random"), "at least two agents, apart by blanks, not 1"),
    ((*ALONE, "random", "random"), "'random' is named twice"),
    ((*ALONE, "random", "random "), "'random' is named twice"),
    ((*ALONE, "random", "heuristic", "heuristic"), "'heuristic' is named twice"),
    ((*ALONE, "random", "randm"), "did you mean 'random'?"),
    ((*ALONE, "random", ""), "no agent ''"),
    ((*ALONE, "random", "heuristic:"), "key=value"),
    ((*ALONE, "random", "heuristic:depth=3"), "no option 'depth'"),
    ((*ALONE, "random", "heuristic:(a=1"), "'(' without ')'"),
    ((*TWO, "--games"), "--games"),
    ((*TWO, "--games", "0"), "games must be 1..1000000, not 0"),
    ((*TWO, "--games", "-3"), "games must be 1..1000000, not -3"),
    ((*TWO, "--games", "many"), "--games"),
    ((*TWO, "--games", "1e3"), "--games"),
    ((*TWO, "--games", "9" * 30), "games must be 1..1000000"),
    ((*TWO, "--players", "3"), "one of 2, 4"),
    ((*TWO, "--players", "0"), "one of 2, 4"),
    ((*TWO, "--players", "-2"), "one of 2, 4"),
    ((*TWO, "--players", "4", "--rules", "players=2"), "--players 4 contradicts players=2"),
    ((*TWO, "--rules", "players=4", "--players", "2"), "--players 2 contradicts players=4"),
    ((*TWO, "--openings", "-1"), "openings must be 0..1000000, not -1"),
    ((*TWO, "--openings", "9" * 30), "openings must be 0..1000000"),
    ((*TWO, "--openings", "3", "--rules", "max_plies=3", "--games", "1", "--workers", "1"), "choose fewer plies"),
    ((*TWO, "--seed", "-1"), "seed must be 0 or more, not -1"),
    ((*TWO, "--seed", "x"), "--seed"),
    ((*TWO, "--workers", "0"), "--workers must be 1..256, not 0"),
    ((*TWO, "--workers", "-4"), "--workers must be 1..256, not -4"),
    ((*TWO, "--workers", "9" * 30), "--workers must be 1..256"),
    ((*TWO, "--workers", "9" * 30, "--executor", "ray"), "--workers must be 1..100000"),
    ((*TWO, "--executor", "proceses"), "--executor: there is no 'proceses'; did you mean 'processes'?"),
    ((*TWO, "--executor", "serial", "--workers", "2"), "serial is this process alone: 2 workers need processes or ray"),
    ((*TWO, "--ray-address", "auto"), "--ray-address is for --executor ray"),
    (("train", "quoridor", "--ray-address", "auto"), "--ray-address is for --executor ray"),
    (("train", "quoridor", "--executor", "serial", "--set", "workers=2"), "serial is this process alone: 2 workers"),
    ((*TWO, "--output"), "--output"),
    ((*TWO, "--output", __file__), "is a file; name a folder"),
    ((*TWO, "--output", "a\0b"), "no folder can be named"),
    ((*TWO, "--output", ""), "no folder can be named ''"),
    ((*TWO, "--output", "  "), "no folder can be named ' '"),
    ((*TWO, "--outptu", "x"), "--output"),
    (("bench", "quoridr"), "did you mean 'quoridor'?"),
    (("bench", "quoridor", "--repeats", "0"), "--repeats must be 1..1000, not 0"),
    (("bench", "quoridor", "--repeats", "-1"), "--repeats must be 1..1000, not -1"),
    (("bench", "quoridor", "--repeats", "9" * 30), "--repeats must be 1..1000"),
    (("bench", "quoridor", "--repeats", "two"), "--repeats"),
    (("bench", "quoridor", "quoridor"), "quoridor"),
]


WRONG += [
    ((*words, "--json"), hint) for words, hint in WRONG if words[0] in COMMANDS and not words[-1].startswith("--")
]


@pytest.mark.parametrize(("words", "hint"), WRONG, ids=[f"{' '.join(words)[:60]!a}" for words, _ in WRONG])
def test_wrong_use_is_answered_in_words_on_stderr_with_status_2(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], hint: str
) -> None:
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert hint in unboxed(err)
    assert "Traceback" not in err
    assert len(err.splitlines()) < 30


@pytest.mark.parametrize("folder", ["{file}/below", "{long}"])
def test_an_output_that_cannot_be_written_fails_in_words_with_status_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, folder: str
) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    output = folder.format(file=tmp_path / "file", long=tmp_path / ("x" * 300))
    status, out, err = run(capsys, *TWO, "--games", "1", "--output", output)
    assert (status, out) == (1, "")
    assert err.startswith("sekisho: cannot use ")
    assert len(err.splitlines()) == 1


def test_damaged_games_in_the_output_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = (*DUEL, "--agents", "random", "heuristic", "--output", str(tmp_path))
    assert run(capsys, *words)[0] == 0
    with (tmp_path / "games.jsonl").open("a", encoding="utf-8") as file:
        file.write("{}\n")
    status, out, err = run(capsys, *words)
    assert status != 0
    assert out == ""
    assert "games.jsonl, line 5" in err
