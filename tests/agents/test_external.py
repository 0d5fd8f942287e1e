"""Other programs as agents: how they are named, asked and watched, and what happens when they fail."""

from __future__ import annotations

import gc
import math
import os
import shlex
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.agents import make_agent
from sekisho.agents.agent import Watch
from sekisho.agents.engine_answers import Told
from sekisho.agents.external import ExternalAgent
from sekisho.agents.specs import Spec, parse_spec
from sekisho.envs import load_game
from sekisho.envs.core import State
from sekisho.envs.errors import AgentError, EngineFault, OptionError, SekishoError, UnknownNameError
from support.referee import COMMAND

WAYWARD = f"{shlex.quote(sys.executable)} {Path(__file__).parent.parent / 'support' / 'wayward_engine.py'}"
QUICK = "seconds=0.2,handshake=10,loading=10,patience=1,grace=0.6"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes as POSIX knows them")


def wayward(fault: str, mark: Path | None = None, options: str = QUICK) -> ExternalAgent:
    agent = make_agent(f"engine:({options}){WAYWARD} {fault} {shlex.quote(str(mark)) if mark else ''}")
    assert isinstance(agent, ExternalAgent)
    return agent


def start() -> State:
    return load_game("quoridor").new_initial_state()


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


# --- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("engine:stockfish", {"command": "stockfish"}),
        ("engine: my engine --threads=2,3 (fast) ", {"command": "my engine --threads=2,3 (fast)"}),
        ("engine:(seconds=1)a b", {"seconds": "1", "command": "a b"}),
        ("engine:(seconds=1,options=(Hash=64,Rules=(a=1,b=2))) a:b", {
            "seconds": "1", "options": "Hash=64,Rules=(a=1,b=2)", "command": "a:b",
        }),
    ],
)  # fmt: skip
def test_everything_after_the_colon_is_one_command_line(text: str, options: dict[str, str]) -> None:
    assert parse_spec(text) == Spec("engine", options)


@pytest.mark.parametrize(
    "text",
    ["engine", "engine:", "engine:  ", "engine:(seconds=1)", "engine:(seconds=1", "engine:(seconds)a", "engine:()a",
     "engine:(command=b)a", "engine:(seconds=0)a", "engine:(nodes=0)a", "engine:(nodes=x)a", "engine:(handshake=-1)a",
     "engine:'a", "engine:(hash=1)a", "engine:(options=(Hash))a"],
)  # fmt: skip
def test_what_names_no_program_is_refused(text: str) -> None:
    with pytest.raises((OptionError, UnknownNameError)):
        make_agent(text)


def test_a_program_that_is_not_there_is_refused_before_a_game() -> None:
    with pytest.raises(AgentError, match="there is no program 'surely-not-there'"):
        make_agent("engine:surely-not-there --fast").supports(load_game("quoridor"))


def test_nothing_is_started_before_there_is_something_to_decide(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    agent = wayward("fine", mark)
    agent.supports(load_game("quoridor"))
    agent.reset()
    assert not mark.exists()
    agent.act(start(), rng())
    assert mark.exists()


# --- asking ------------------------------------------------------------------------------------------------------------


def test_it_is_told_the_whole_game_and_its_move_value_and_line_come_back() -> None:
    agent, state = wayward("fine"), start()
    for expected in ("e2", "e8", "e3", "e7"):
        decision = agent.act(state, rng())
        assert state.action_to_string(decision.action) == expected
        assert decision.value == 0.5
        assert decision.line == (decision.action,)
        assert {"depth": 1, "nodes": 7}.items() <= decision.statistics.items()
        state.apply_action(decision.action)


def test_a_program_that_knows_only_uci_is_asked_by_that() -> None:
    assert start().action_to_string(wayward("uci_only").act(start(), rng()).action) == "e2"


def test_options_are_set_and_one_that_it_lacks_is_named() -> None:
    wayward("fine", options=f"{QUICK},options=(Skill Level=7)").act(start(), rng())
    with pytest.raises(UnknownNameError, match="did you mean 'skill level'"):
        wayward("fine", options=f"{QUICK},options=(Skil Level=7)").act(start(), rng())


def test_a_program_for_another_game_says_so() -> None:
    with pytest.raises(AgentError, match="does not play quoridor"):
        wayward("other_game").act(start(), rng())


# --- faults ------------------------------------------------------------------------------------------------------------

FAULTS = {
    "crash": ("crashed", "exited with status 3; its last words: segmentation of a fence"),
    "killed": ("crashed", "killed by signal 9"),
    "closes": ("crashed", "it closed its output"),
    "dies_at_once": ("crashed", "exited with status 4; its last words: no weights found"),
    "mute": ("handshake", "neither ugiok nor uciok within 1.5 s"),
    "never_ready": ("handshake", "no readyok within 1.5 s"),
    "hang": ("hung", "no bestmove within"),
    "late": ("overstepped", "allowed were 0.200 s, and 0.6 s of grace"),
    "illegal": ("illegal move", "bestmove 'a9': a9: the pawn on e1 cannot go there"),
    "nonsense": ("illegal move", "is no move"),
    "no_move": ("illegal move", "bestmove ''"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_and_the_next_decision_starts_the_program_again(fault: str, tmp_path: Path) -> None:
    kind, words = FAULTS[fault]
    options = QUICK.replace("=10", "=1.5") if kind == "handshake" else QUICK
    agent = wayward(fault, tmp_path / "mark", options)
    begin = time.monotonic()
    with pytest.raises(EngineFault) as caught:
        agent.act(start(), rng())
    assert time.monotonic() - begin < 20
    assert caught.value.kind == kind
    assert caught.value.reason.startswith(f"{kind}: ")
    assert words in str(caught.value)
    agent.handshake = agent.loading = 10.0
    assert start().action_to_string(agent.act(start(), rng()).action) == "e2"


def test_a_program_that_babbles_is_listened_to() -> None:
    agent = wayward("babble", options="nodes=5,patience=60")
    assert start().action_to_string(agent.act(start(), rng()).action) == "e2"


# --- nothing is left behind --------------------------------------------------------------------------------------------


def is_running(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] not in "ZX"


def pid_of(agent: ExternalAgent) -> int:
    assert agent._process is not None
    return agent._process._process.pid


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes where Linux lists them")
@pytest.mark.parametrize("fault", ["fine", "stubborn", "child"])
def test_a_program_ends_with_its_agent_and_so_does_what_it_has_started(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYWARD_CHILD", str(tmp_path / "child"))
    agent = wayward(fault)
    agent.act(start(), rng())
    pids = [pid_of(agent)]
    if fault == "child":
        pids.append(int((tmp_path / "child").read_text()))
    assert all(map(is_running, pids))
    del agent
    gc.collect()
    end = time.monotonic() + 10
    while any(map(is_running, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(is_running, pids))
    assert not Path(f"/proc/{pids[0]}").exists()  # nor a zombie


# --- the engine of this package ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "spec", "count"),
    [
        ("quoridor", {"board_size": 5, "fences": 3}, "mcts", 80),
        ("tokaido", {"players": 3, "forks": "miya"}, "mcts:temperature=1", 40),
        pytest.param(
            "picture_sugoroku", {"board": "treasure_hunt", "allow_resign": True}, "random", 1, marks=pytest.mark.slow
        ),
        pytest.param(
            "quoridor",
            {"board_size": 5, "players": 4, "fences": 2, "repetition": 3},
            "heuristic",
            1,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_it_plays_the_moves_that_the_agent_plays_here(
    name: str, options: dict[str, Any], spec: str, count: int
) -> None:
    game, dice = load_game(name, **options), np.random.default_rng(3)
    limits = {"mcts": f"simulations={count}", "mcts:temperature=1": f"temperature=1,simulations={count}"}.get(spec, "")
    here = make_agent(f"{spec.partition(':')[0]}:{limits}" if limits else spec)
    there = make_agent(f"engine:(nodes={count},handshake=120,patience=120,options=(Agent=({spec}),Seed=11)){COMMAND}")
    own, state, asked = np.random.default_rng(11), game.new_initial_state(), 0
    while asked < 12 and not state.is_terminal():
        if state.is_chance_node():
            outcomes = [outcome for outcome, _ in state.chance_outcomes()]
            state.apply_action(int(dice.choice(outcomes)))
            continue
        decision, other = here.act(state, own), there.act(state, rng())
        assert state.action_to_string(other.action) == state.action_to_string(decision.action)
        if decision.value is not None:
            assert other.value == pytest.approx(decision.value, abs=2e-4)
        asked += 1
        state.apply_action(decision.action)
    assert asked >= 3


@pytest.fixture(scope="module")
def sekisho() -> ExternalAgent:
    """One process for several tests, each of which sets the limits that it needs."""
    agent = make_agent(f"engine:(handshake=120,patience=60,grace=5,options=(Agent=(mcts:temperature=3))){COMMAND}")
    assert isinstance(agent, ExternalAgent)
    agent.act(start(), rng())
    return agent


def test_the_same_generator_gives_the_same_decisions_and_another_others(
    sekisho: ExternalAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sekisho, "nodes", 30)

    def decisions(seed: int) -> list[int]:
        sekisho.reset()
        generator = np.random.default_rng(seed)
        return [sekisho.act(start(), generator).action for _ in range(4)]

    assert decisions(1) == decisions(1)
    assert len({tuple(decisions(seed)) for seed in range(4)}) == 4


def test_a_decision_without_end_is_stopped_by_whoever_watches(
    sekisho: ExternalAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch()
    monkeypatch.setattr(sekisho, "watch", watch)
    timer = threading.Timer(0.5, watch.stop)
    timer.start()
    begin = time.monotonic()
    decision = sekisho.act(start(), rng(), math.inf)
    timer.join()
    assert 0.4 < time.monotonic() - begin < 10
    assert decision.action in start().legal_actions()


def test_of_a_deadline_and_the_seconds_the_earlier_wins(
    sekisho: ExternalAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seconds, deadline in ((60.0, 0.4), (0.4, 60.0)):
        monkeypatch.setattr(sekisho, "seconds", seconds)
        begin = time.monotonic()
        sekisho.act(start(), rng(), begin + deadline)
        assert 0.2 < time.monotonic() - begin < 5


def test_a_file_of_a_game_starts_no_program(tmp_path: Path) -> None:
    """Reading a saved game that names a program, by whatever command, must not run it."""
    from sekisho.arena.saved import read_session, write_session
    from sekisho.arena.session import Session
    from sekisho.cli.main import main

    mark, path = tmp_path / "started", tmp_path / "game.json"
    spec = f"engine:{WAYWARD} fine {mark}"
    write_session(path, Session(start(), ("human", spec), seed=1))
    assert main(["replay", str(path)]) == 0
    with pytest.raises(SekishoError, match="would start a program for seat 2"):
        read_session(path).require_no_programs()
    assert main(["play", "--load", str(path)]) == 2
    assert not mark.exists()


def test_it_is_an_opponent_of_environments() -> None:
    import gymnasium

    env = gymnasium.make("sekisho/QuoridorVs-v0", opponents=wayward("fine"), seat=0)
    _, info = env.reset(seed=0)
    for file in ("e2", "e3"):
        action = start().string_to_action("e2") + 9 * (file == "e3")
        assert info["action_mask"][action]
        *_, info = env.step(action)
    assert env.unwrapped.state.moves() == ["e2", "e8", "e3", "e7"]  # type: ignore[attr-defined]
    env.close()


def test_a_line_of_blanks_in_the_handshake_holds_nothing_up() -> None:
    told = Told()
    begin = time.monotonic()
    told.hear("option name a" + " " * 300_000 + "b")
    told.hear("option name Game type combo default quoridor var quoridor var tokaido")
    assert time.monotonic() - begin < 1
    assert told.options == {"game": ["quoridor", "tokaido"]}


def test_the_first_answer_to_a_greeting_counts() -> None:
    told = Told()
    for line in ("ugiok", "uciok"):
        told.hear(line)
    assert told.speaks == "ugiok"
