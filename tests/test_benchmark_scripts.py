"""The scripts in ``benchmarks/``: what they are asked for is checked before they begin."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sekisho.agents.agent import Agent, Decision
from sekisho.arena.records import GameRecord
from sekisho.envs import State, load_game
from sekisho.envs.errors import EngineFault

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that returns the module of a script."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


def outcome(
    module: Any, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[Any, str]:
    """Return the exit status and the last line on stderr of a script that is run with some words."""
    monkeypatch.setattr(sys, "argv", [module.__name__, *words])
    with pytest.raises(SystemExit) as exit_:
        getattr(module, "run_in_words", lambda main: main())(module.main)
    told = capsys.readouterr().err
    assert "Traceback" not in told
    return exit_.value.code, told.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("script", "words", "reason"),
    [
        ("alphabeta_speed", "--nodes 0", "--nodes: must be a whole number from 1 to 1000000000, not '0'"),
        ("alphabeta_speed", "--rounds 0", "--rounds: must be a whole number from 1"),
        ("alphabeta_speed", "--seed -1", "--seed: must be a whole number from 0"),
        ("annotate_quoridor", "FILE --agent=", "--agent needs a word"),
        ("annotate_quoridor", "FILE --agent a --worst -1", "--worst: must be a whole number from 0"),
        ("annotate_quoridor", "no-such-file --agent a", "cannot read no-such-file"),
        ("eight_bit_speed", "--seconds nan", "--seconds: must be a number above 0, not 'nan'"),
        ("expectimax_speed", "--leaf nonsense", "error: expectimax: option 'leaf' must be"),
        ("expectimax_strength", "--agent nonsense --games 2", "error: there is no agent 'nonsense'"),
        ("make_tables", "nonsense", "there are tables of quoridor and tokaido, not of 'nonsense'"),
        ("refit", "no-such-run --output x --seed -1", "--seed: must be a whole number from 0"),
        ("refit", "no-such-run --output x", "no-such-run holds no run"),
        ("scaling", "--executor nonsense --repeats 0", "--repeats: must be a whole number from 1"),
        ("scaling", "--game nonsense", "error: there is no game 'nonsense'"),
        ("search_transpositions", "--positions 5", "--positions: must be a whole number from 1 to 4, not '5'"),
        ("ship_network", "", "the following arguments are required: FILE"),
        ("ship_network", "no-such-file", "no-such-file"),
        ("ship_network", "no-such-file ../name", "NAME must be a plain word"),
        ("star_pruning", "--turns 1000000000", "--turns: must be a whole number from 0 to 20"),
        ("tokaido_tables", "--batch 1000000000", "--batch: must be a whole number from 1 to 100000, not"),
        ("tokaido_tables", "--judge random", "random has no opinion of many positions: --judge wants a network"),
        ("doublings", "--output x --most nan", "--most: must be a number above 0, not 'nan'"),
        ("doublings", "--output x --most inf", "--most: must be a number above 0, not 'inf'"),
        ("doublings", "--output x --most 0", "--most: must be a number above 0, not '0'"),
        ("doublings", "--output x --doublings 5000", "--doublings: must be a whole number from 1 to 30, not '5000'"),
        ("doublings", "--output x --agent mcts:seconds=1", "--agent needs one {}"),
        ("doublings", "--output x --games 3", "--games: must be a whole number from 2 to 1000000000, a multiple of 2"),
        ("expectimax_strength", "--players 7", "--players: must be a whole number from 2 to 6, not '7'"),
        ("expectimax_strength", "--games 1", "--games: must be a whole number from 2"),
        ("one_against_three", "--games 5", "--games: must be a whole number from 4 to 1000000000, a multiple of 4"),
        ("paranoid", "--nodes 1000000000000000000000000000000", "--nodes: must be a whole number from 1 to"),
        ("search_threads", "--threads 0", "--threads: must be a whole number from 1 to 64"),
        ("search_threads", "--seconds nan", "--seconds: must be a number above 0"),
        ("search_transpositions", "--simulations 0", "--simulations: must be a whole number from 1"),
        ("star_pruning", "--positions 0", "--positions: must be a whole number from 1"),
        ("tokaido_tables", "--batch 0", "--batch: must be a whole number from 1"),
        ("tune_quoridor_evaluation", "--games 9", "--games: must be a whole number from 10"),
        ("tune_quoridor_evaluation", "--nodes 0", "--nodes: must be a whole number from 1"),
    ],
)
def test_numbers_that_make_no_sense_are_refused_in_words(
    script: str,
    words: str,
    reason: str,
    scripts: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, told = outcome(scripts(script), words.split(), monkeypatch, capsys)
    assert status == 2
    assert reason in told


def test_a_judge_without_an_opinion_is_refused(scripts: Any) -> None:
    module = scripts("annotate_quoridor")
    state = load_game("quoridor").new_initial_state()
    with pytest.raises(module.AgentError, match="heuristic has no opinion of a position: --judge wants a search"):
        module.Annotator("mcts", "heuristic")._look(state)
    chance, move = module.Annotator("mcts", "alphabeta:nodes=200,memory=1")._look(state)
    assert 0 < chance < 1
    assert move in [state.action_to_string(action) for action in state.legal_actions()]


@pytest.mark.parametrize("failing", ["one", "three"])
def test_a_game_that_a_failing_program_loses_is_told_and_is_no_draw(
    failing: str, scripts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Fails(Agent):
        def act(self, _state: State, _rng: np.random.Generator, _deadline: float | None = None) -> Decision:
            raise EngineFault("broken", "crashed", "it exited")

    module = scripts("one_against_three")
    made = module.make_agent
    monkeypatch.setattr(module, "make_agent", lambda spec: Fails() if spec == "broken" else made(spec))
    one, others = ("broken", "heuristic") if failing == "one" else ("heuristic", "broken")
    found = module.one_against_three(one, others, 4, 0, 1)
    assert found.forfeits == ((4, 0) if failing == "one" else (0, 4))
    assert (sum(found.wins), found.draws) == (0, 0)
    assert "forfeited by the one" in module.told_forfeits(found)
    assert module.told_forfeits(SimpleNamespace(forfeits=(0, 0))) == ""


def test_the_doublings_of_any_spec_have_a_folder_each(
    scripts: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["doublings", "--agent", "alphabeta:seconds={},leaf=(net:checkpoint=a/b{x})",
                                      "--doublings", "1", "--output", str(tmp_path)])  # fmt: skip
    module, played = scripts("doublings"), list[Any]()

    def tournament(_game: Any, agents: Any, *_: Any) -> None:
        played.append(agents)
        raise OSError("enough")

    monkeypatch.setattr(module, "Tournament", tournament)
    with pytest.raises(SystemExit):
        module.main()
    assert capsys.readouterr().err.endswith("enough\n")
    assert played == [
        ("alphabeta:seconds=2,leaf=(net:checkpoint=a/b{x})", "alphabeta:seconds=1,leaf=(net:checkpoint=a/b{x})")
    ]
    assert module.folder_name("mcts:seconds=1") == "mcts-seconds=1"
    assert module.folder_name(played[0][1]) == "alphabeta-seconds=1,leaf=(net-checkpoint=a-b{x})"


@pytest.mark.parametrize("changed", [{"rules": {"name": 1}}, {"agents": ["a"], "returns": [0]}, {"moves": ["z9"]}])
def test_a_record_that_does_not_replay_is_refused_by_the_annotator(
    changed: dict[str, Any], scripts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    record = GameRecord("quoridor", {}, ("a", "b"), 0, 0, 0, 0, ("e2",), (0.0, 0.0), "none")
    (tmp_path / "games.jsonl").write_text(json.dumps({**json.loads(record.to_json()), **changed}) + "\n")
    words = [str(tmp_path / "games.jsonl"), "--agent", "a", "--judge", "random"]
    status, told = outcome(scripts("annotate_quoridor"), words, monkeypatch, capsys)
    assert status == 2
    assert "error: " in told


def test_paranoid_tells_the_games_that_a_failing_program_lost(
    scripts: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module, one = scripts("paranoid"), scripts("one_against_three")

    def played(agent: Any, *_: Any) -> Any:
        agent.depths.append(1)
        return one.Played([0] * 4, 0, (0, 4), 1.0, 1.0, 1.0)

    monkeypatch.setattr(module, "one_against_three", played)
    monkeypatch.setattr(sys, "argv", ["paranoid", "--games", "4"])
    module.main()
    assert "0 forfeited by the one and 4 by one of the three" in capsys.readouterr().out


@pytest.mark.parametrize("words", ["--seconds nan", "--seconds 0", "--seconds inf", "--exploration nan"])
def test_the_peer_of_openspiel_refuses_numbers_that_make_no_sense(
    words: str, scripts: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyspiel")
    monkeypatch.syspath_prepend(str(BENCHMARKS / "peers"))
    status, told = outcome(scripts("openspiel_mcts"), words.split(), monkeypatch, capsys)
    assert status == 2
    assert words.split()[0] + " must be" in told
