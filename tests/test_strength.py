"""``docs/strength.md`` and the script that measures for it (`benchmarks/make_strength.py`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import make_strength
import pytest
import strength_cells
import strength_page
import strength_results

from sekisho.agents import store
from sekisho.agents.registry import agent_names
from sekisho.arena.ratings import GameResult
from sekisho.arena.tournament import Tournament, play, schedule
from sekisho.envs import load_game

BOARD = (("board_size", 3), ("fences", 1))
TINY = strength_page.Ladder("quoridor", BOARD, 6, ("random", "shortest_path", "heuristic"))


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Lists so short that all of them are measured in seconds; return the words for files of one's own."""
    monkeypatch.setattr(make_strength, "LADDERS", dict.fromkeys(make_strength.LADDERS, TINY))
    miya = strength_page.Quality(((("forks", "miya"),),), ("larger",))
    monkeypatch.setattr(make_strength, "LOSSES", dict.fromkeys(make_strength.LOSSES, miya))
    monkeypatch.setattr(
        make_strength,
        "BOARDS",
        {
            word: strength_page.Quality((BOARD,), ("random", "heuristic"))
            for word in ("quoridor_board", "quoridor_5x5_1", "quoridor_5x5_2")
        },
    )
    monkeypatch.setattr(make_strength, "SEATS", (2,))
    monkeypatch.setattr(make_strength, "POSITIONS", 50)
    monkeypatch.setattr(make_strength, "GAMES_WITH_PERFECT_PLAY", 4)
    return ["--results", str(tmp_path / "results.jsonl"), "--page", str(tmp_path / "page.md")]


def records(words: list[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(words[1]).read_text(encoding="utf-8").splitlines()]


def games_of(words: list[str]) -> dict[str, list[str]]:
    return {" ".join(r["cell"]["agents"]): r["games"] for r in records(words) if r["cell"]["kind"] == "games"}


def nobody_plays(*_: Any) -> Any:
    raise AssertionError("something is measured again")


def test_the_page_is_what_the_results_say(tmp_path: Path) -> None:
    """If it fails: python benchmarks/make_strength.py --page-only."""
    page = tmp_path / "page.md"
    assert make_strength.main(["--page-only", "--page", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == make_strength.PAGE.read_text(encoding="utf-8")


def test_every_agent_that_plays_a_game_is_on_its_list() -> None:
    for word, ladder in make_strength.plan().ladders.items():
        listed = {spec.partition(":")[0] for spec in ladder.agents}
        able = {name for name in agent_names() if strength_cells.plays(name, ladder.game, ladder.rules)}
        assert able == listed, word
        for name, entry in store.shipped_networks().items():
            spec = f"net:checkpoint={name}"
            if entry["game"] == ladder.game and strength_cells.plays(spec, ladder.game, ladder.rules):
                assert spec in ladder.agents, word


def test_all_is_measured_and_told(tiny: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert make_strength.main(tiny) == 0
    page = Path(tiny[3]).read_text(encoding="utf-8")
    assert "Not measured yet" not in page
    assert "| `heuristic` | +0 | by definition | 12 |" in page
    assert "| `larger` |" in page
    assert [len(games) for games in games_of(tiny).values()] == [6, 6, 6]
    loss = next(r["loss"] for r in records(tiny) if r["cell"]["kind"] == "loss")
    assert 25 < loss < 35  # about 31 points with three forks, by the rules' own table of facts
    assert capsys.readouterr().out == ""


def test_the_games_are_those_of_a_tournament_with_that_seed(tiny: list[str]) -> None:
    assert make_strength.main([*tiny, "--only", "quoridor"]) == 0
    for record in records(tiny):
        cell = record["cell"]
        game = load_game(cell["game"], **cell["rules"])
        tournament = Tournament(game, tuple(cell["agents"]), 6, cell["openings"], cell["seed"])
        found = [play(tournament, pairing).record for pairing in schedule(tournament)]
        wins = [one.agents[one.returns.index(1.0)] for one in found]
        told = strength_page.games_of(record, 0, True)
        assert [one.players[one.ranks.index(1)] for one in told] == wins
        assert record["thinking"][0] > 0


def test_what_is_there_is_not_measured_again(tiny: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert make_strength.main(tiny) == 0
    before = Path(tiny[1]).read_text(encoding="utf-8")
    for name in ("play", "share_of_reachable", "analyze", "_perfect_play"):
        monkeypatch.setattr(strength_cells, name, nobody_plays)
    assert make_strength.main(tiny) == 0
    assert make_strength.main([*tiny, "--games", "4"]) == 0  # it has more
    assert Path(tiny[1]).read_text(encoding="utf-8") == before
    with pytest.raises(AssertionError, match="measured again"):
        make_strength.main([*tiny, "--again"])


def test_a_run_that_is_stopped_goes_on_where_it_was(tiny: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [*tiny[:1], tiny[1] + ".whole", *tiny[2:], "--only", "quoridor"]
    assert make_strength.main(whole) == 0
    played = []

    def stopped(tournament: Tournament, pairing: Any) -> Any:
        if len(played) == 8:
            raise KeyboardInterrupt
        played.append(pairing)
        return play(tournament, pairing)

    with monkeypatch.context() as patch:
        patch.setattr(strength_cells, "play", stopped)
        assert make_strength.main([*tiny, "--only", "quoridor"]) == 130
    assert sorted(map(len, games_of(tiny).values())) == [2, 6]
    assert make_strength.main([*tiny, "--only", "quoridor"]) == 0
    assert games_of(tiny) == games_of(whole)


def test_a_part_says_who_is_missing(tiny: list[str]) -> None:
    assert make_strength.main([*tiny, "--only", "tokaido_loss", "--minutes", "0"]) == 0
    page = Path(tiny[3]).read_text(encoding="utf-8")
    assert "Not measured yet: `random`, `shortest_path` and `heuristic`." in page
    assert records(tiny) == []


def test_another_network_of_the_same_name_is_measured_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = {"kind": "games", "agents": ["random", "expectimax:turns=1,leaf=(net:checkpoint=tokaido)"]}
    results = strength_results.Results(tmp_path / "results.jsonl")
    results.keep(results.new(key))
    assert results.find(key)
    other = {name: entry | {"sha256": "0" * 64} for name, entry in store.shipped_networks().items()}
    monkeypatch.setattr(store, "shipped_networks", lambda: other)
    assert results.find(key) is None


def test_who_never_lost_a_point_has_no_bound() -> None:
    def won(*pairs: str) -> list[GameResult]:
        return [GameResult((first, second), (1, 2)) for first, second in pairs]

    games = won("ab", "ba", "bc", "cd", "dc", "ef")
    assert strength_page.met_by("a", games) == set("abcd")
    assert strength_page.on_both_ways("a", games) == {"a", "b"}
    assert strength_page.on_both_ways("c", games) == {"c", "d"}
    losers = [GameResult(("a", "b", "c", "c"), (1, 2, 2, 2), losers_compared=False)]
    assert strength_page.on_both_ways("b", [*losers, *won("ba")]) == {"a", "b"}  # c and b were not compared
    assert strength_page.on_both_ways("b", [GameResult(("b", "c"), (1, 1))]) == {"b", "c"}


@pytest.mark.parametrize("text", ["{", "[]\n", '{"cell": 1}\n', "\xff"])
def test_a_file_that_holds_no_results_is_refused(
    tiny: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(tiny[1]).write_bytes(text.encode("latin-1"))
    assert make_strength.main([*tiny, "--page-only"]) == 1
    assert "holds no results" in capsys.readouterr().err
    assert Path(tiny[1]).read_bytes() == text.encode("latin-1")


def test_wrong_words_are_refused(tiny: list[str]) -> None:
    for words in (["--games", "0"], ["--only", "chess"]):
        with pytest.raises(SystemExit) as stopped:
            make_strength.main([*tiny, *words])
        assert stopped.value.code == 2
