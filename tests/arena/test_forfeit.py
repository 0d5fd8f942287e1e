"""A program that fails loses its game, the record says why, and everything goes on."""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.agents import Agent, Decision, make_agent
from sekisho.arena.folder import TournamentFolder
from sekisho.arena.match import play_game
from sekisho.arena.places import FORFEIT, Forfeit, forfeit_returns, ranks
from sekisho.arena.processes import Processes
from sekisho.arena.recorded import read_games
from sekisho.arena.records import GameRecord, read_records
from sekisho.arena.report import forfeit_lines
from sekisho.arena.tournament import Tournament, play_all, schedule, standings
from sekisho.cli.main import main
from sekisho.envs import load_game
from sekisho.envs.core import State
from sekisho.envs.errors import EngineFault, RecordError
from support.referee import COMMAND

WAYWARD = f"{shlex.quote(sys.executable)} {Path(__file__).parent.parent / 'support' / 'wayward_engine.py'}"
OPTIONS = "seconds=0.1,handshake=20,patience=0.5,grace=0.5"
GAME = load_game("quoridor")
FAULTS = {
    "crash": "crashed", "hang": "hung", "illegal": "illegal move", "late": "overstepped", "mute": "handshake",
}  # fmt: skip

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes as POSIX knows them")


class Failing(Agent):
    """Fails at its third decision."""

    def __init__(self) -> None:
        self.decisions = 0

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        self.decisions += 1
        if self.decisions == 3:
            raise EngineFault("failing", "hung", "it sleeps")
        return Decision(state.legal_actions()[0])


def test_a_seat_that_forfeits_is_last_and_the_others_share_what_there_is() -> None:
    for players in range(2, 7):
        for seat in range(players):
            returns = forfeit_returns(players, seat)
            assert sum(returns) == pytest.approx(0)
            assert returns[seat] == -1
            assert ranks(returns) == tuple(players if other == seat else 1 for other in range(players))


@pytest.mark.parametrize(("name", "options"), [("quoridor", {"players": 4}), ("tokaido", {"players": 3})])
def test_a_game_ends_where_a_program_fails(name: str, options: dict[str, Any]) -> None:
    game = load_game(name, **options)
    agents: list[Agent] = [make_agent("random") for _ in range(game.num_players)]
    agents[1] = Failing()
    played = play_game(game.new_initial_state(), agents, [1], [2])
    assert played.forfeit == Forfeit(1, "hung: it sleeps")
    assert not played.state.is_terminal()
    assert played.state.current_player() == 1
    assert played.decisions[1] == 2


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_loses_its_game_and_the_tournament_goes_on(fault: str) -> None:
    options = OPTIONS.replace("handshake=20", "handshake=1") if fault == "mute" else OPTIONS
    program = f"engine:({options}){WAYWARD} {fault}"
    tournament = Tournament(GAME, (program, "shortest_path"), 2)
    results = list(play_all(tournament, list(schedule(tournament))))
    for result in results:
        record = result.record
        seat = record.agents.index(program)
        assert record.end == FORFEIT
        assert record.forfeit is not None
        assert (record.forfeit.seat, record.forfeit.reason.partition(":")[0]) == (seat, FAULTS[fault])
        assert record.returns == ((-1.0, 1.0) if seat == 0 else (1.0, -1.0))
        assert GameRecord.from_json(record.to_json()) == record
        assert not record.replay().is_terminal()
    table = {line.agent: line for line in standings(tournament, results)}
    assert (table[program].forfeits, table[program].wins, table["shortest_path"].wins) == (2, 0, 2)
    assert forfeit_lines(results) == [f"{program} forfeited 2 games: {FAULTS[fault]} 2"]


def test_a_program_that_failed_once_plays_the_next_game(tmp_path: Path) -> None:
    program = f"engine:({OPTIONS}){WAYWARD} crash {tmp_path / 'mark'}"
    agents = [make_agent(program), make_agent("shortest_path")]
    game = load_game("quoridor", max_plies=4)
    first, second = (play_game(game.new_initial_state(), agents, [0], [0]) for _ in range(2))
    assert first.forfeit is not None
    assert second.forfeit is None
    assert second.state.end_reason() == "max_plies"


def test_folders_replays_and_standings_show_forfeits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = f"engine:({OPTIONS}){WAYWARD} illegal"
    words = [
        "tournament",
        "quoridor",
        "--agents",
        program,
        "random",
        "--games",
        "2",
        "--workers",
        "1",
        "--openings",
        "0",
    ]
    assert main([*words, "--output", str(tmp_path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["ends"] == {"forfeit": 2}
    assert {line["agent"]: line["forfeits"] for line in document["agents"]} == {program: 2, "random": 0}
    assert main([*words, "--output", str(tmp_path)]) == 0  # nothing is left to play, and all of it is accepted
    assert "forfeited 2 games: illegal move 2" in capsys.readouterr().out
    games = list(read_games(tmp_path))
    assert [game.end for game in games] == [FORFEIT, FORFEIT]
    assert "seat 1 forfeits: illegal move: bestmove 'a9'" in games[0].notes[0][1]
    assert main(["replay", str(tmp_path), "--game", "1"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "after ply 0: seat 1 forfeits: illegal move: bestmove 'a9': a9: the pawn on e1 cannot go there" in told
    assert main(["analyze", str(tmp_path), "--game", "2", "--agent", "heuristic"]) == 0
    assert TournamentFolder(tmp_path, Tournament(GAME, (program, "random"), 2)).finished


RECORD = GameRecord(
    game="quoridor", rules={}, agents=("a", "b"), seed=0, table=0, round=0, opening=0, moves=("e2",),
    returns=(1.0, -1.0), end=FORFEIT, forfeit=Forfeit(1, "crashed: it exited with status 3"),
)  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [
        {"forfeit": Forfeit(0, "crashed")}, {"forfeit": Forfeit(2, "crashed")}, {"returns": (-1.0, 1.0)}, {"end": "goal"},
        {"forfeit": None}, {"returns": (0.0, 0.0)},
    ],
)  # fmt: skip
def test_a_record_whose_forfeit_and_result_disagree_is_refused(changes: dict[str, Any]) -> None:
    assert RECORD.replay().to_text() == "/ / e2 e9 / 10 10 / 2 / 1"
    with pytest.raises(RecordError):
        dataclasses.replace(RECORD, **changes).replay()


def test_a_finished_game_cannot_be_forfeited() -> None:
    moves = ("e2", "e8", "e3", "e7", "e4", "e6", "d4", "f6", "d5", "f5", "d6", "f4", "d7", "f3", "d8", "f2", "d9")
    with pytest.raises(RecordError, match="cannot forfeit where the moves end"):
        dataclasses.replace(RECORD, moves=moves).replay()


@pytest.mark.parametrize(
    "forfeit", [None, [], {}, {"seat": 0}, {"seat": "0", "reason": ""}, {"seat": -1, "reason": "x"}]
)
def test_a_malformed_forfeit_is_refused(forfeit: Any) -> None:
    data = json.loads(RECORD.to_json()) | {"forfeit": forfeit}
    with pytest.raises(RecordError, match="'forfeit' must be a seat"):
        GameRecord.from_json(json.dumps(data))


def test_records_without_forfeits_are_as_they_were() -> None:
    plain = dataclasses.replace(RECORD, forfeit=None)
    assert "forfeit" not in json.loads(plain.to_json())
    assert GameRecord.from_json(plain.to_json()) == plain


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes where Linux lists them")
@pytest.mark.parametrize("games", [4, 100])
def test_a_tournament_on_two_processes_leaves_no_program_behind(games: int) -> None:
    """Neither at its end nor when it is stopped after some games; the program itself does not leave when it is told to."""
    program = f"engine:({OPTIONS.replace('handshake=20', 'handshake=60')}){WAYWARD} stubborn"
    tournament = Tournament(load_game("quoridor", max_plies=9), (program, "shortest_path"), games)
    with closing(Processes(2)) as executor:
        played = play_all(tournament, list(schedule(tournament)), executor)
        results = [next(played) for _ in range(4)]
        if games == 4:
            assert next(played, None) is None
        played.close()
    assert [result.record.forfeit for result in results] == [None] * 4
    assert not running("wayward_engine.py stubborn")


def running(word: str) -> list[str]:
    """Return the command lines of all running children of children of this process that hold a word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = path.read_bytes().replace(b"\0", b" ").decode()
            parent = int((path.parent / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if word in text and parent != os.getpid() and " -m pytest" not in text:
            found.append(text)
    return found


@pytest.mark.slow
def test_the_engine_of_this_package_plays_a_tournament(tmp_path: Path) -> None:
    words = ["tournament", "quoridor", "--agents", f"engine:(handshake=120){COMMAND}", "heuristic", "--games", "4"]
    assert main([*words, "--workers", "1", "--output", str(tmp_path)]) == 0
    assert [record.end for record in read_records(tmp_path / "games.jsonl")] == ["goal"] * 4
