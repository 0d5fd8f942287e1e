"""The agent `exact`: what it shows, what it plays by, what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.agents import make_agent
from sekisho.agents.choices import choice_values
from sekisho.agents.exact import keeping, tokaido_library
from sekisho.agents.exact.tokaido_solver import solve
from sekisho.envs import load_game
from sekisho.envs.errors import AgentError, SekishoError, TableError
from sekisho.envs.tokaido.rules import Tokaido

RNG = np.random.default_rng(0)


def decide(position: str, agent: str = "exact", **options: Any) -> Any:
    return make_agent(agent).act(load_game("tokaido", **options).from_text(position), RNG)


def test_it_shows_the_value_of_each_choice_and_takes_the_best() -> None:
    decision = decide("15 15 / 1 / [1-2]")
    values = decision.statistics["values"]
    assert set(values) == {"1", "2"}
    assert decision.value == max(values.values()) == values["2"]  # 16 leads back to 14
    assert decision.policy == {1: 1.0}
    assert sum(decision.statistics["seats"]) == pytest.approx(0.0, abs=1e-12)
    agent = make_agent("exact")
    state = load_game("tokaido").from_text("15 15 / 1 / [1-2]")
    choices = choice_values(agent, state)
    assert choices[:2].tolist() == [values["1"], values["2"]]
    assert np.isnan(choices[2:]).all()


def test_of_equal_choices_it_takes_the_lowest_number() -> None:
    decision = decide("22 40 / 1 / [1-6]", goal="over")  # 23 Shimada stops every number that would pass it
    assert decision.action == 0
    assert len(set(decision.statistics["values"].values())) == 1


def test_it_chooses_roads_for_the_seat_to_move() -> None:
    decision = decide("9 20 / 1 / road")
    assert set(decision.statistics["values"]) == {"crossing", "detour"}
    mirrored = decide("20 9 / 2 / road")
    assert mirrored.action == decision.action
    assert mirrored.value == pytest.approx(decision.value, abs=1e-14)


def test_it_never_resigns_and_plays_on_when_others_have() -> None:
    decision = decide("10 53 / 1 / [1-2]", allow_resign=True)
    assert decision.action in (0, 1)
    assert decision.statistics["values"]["resign"] == -1.0


def test_a_cap_on_turns_changes_what_it_values() -> None:
    far = decide("50 30 / 1 / [1-2] / 3", max_turns=1000)
    assert far.value == decide("50 30 / 1 / [1-2]").value
    assert decide("50 30 / 1 / [1-2] / 29", max_turns=30).value == pytest.approx(1.0)


def test_it_plays_by_a_file_that_somebody_names(tmp_path: Path) -> None:
    path = tmp_path / "table"
    solve(Tokaido(bounce_events=False)).save(path)
    assert decide("9 0 / 1 / road", f"exact:table={path}", bounce_events=False).value is not None
    with pytest.raises(TableError, match="other rules: bounce_events=false instead of true"):
        decide("9 0 / 1 / road", f"exact:table={path}")
    with pytest.raises(TableError, match="cannot read"):
        decide("9 0 / 1 / road", f"exact:table={tmp_path / 'nothing'}")


@pytest.mark.parametrize(
    ("game", "options", "spec", "words"),
    [
        ("picture_sugoroku", {}, "exact", "plays quoridor and tokaido"),
        ("quoridor", {}, "exact", "9x9 with 10 fences each cannot be solved"),
        (
            "quoridor",
            {"board_size": 5},
            "exact",
            "insist with `sekisho solve quoridor --rules board_size=5,fences=10 --force`",
        ),
        ("tokaido", {"players": 5}, "exact", "2 to 4 players"),
        ("tokaido", {}, "exact:utility=glory", "place_points, first_only"),
    ],
)
def test_it_says_what_it_does_not_play(game: str, options: dict[str, Any], spec: str, words: str) -> None:
    with pytest.raises(AgentError, match=words):
        make_agent(spec).supports(load_game(game, **options))


def test_it_has_no_options_but_its_own() -> None:
    with pytest.raises(SekishoError, match="no option '_table'"):
        make_agent("exact:_table=3")


def test_four_players_need_a_table_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "cache_folder", lambda: tmp_path)
    tokaido_library.table_for.cache_clear()
    with pytest.raises(AgentError, match="sekisho solve tokaido --players 4"):
        make_agent("exact").supports(load_game("tokaido", players=4))
    tokaido_library.table_for.cache_clear()


# --- pocket ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "action"),
    [
        ("15 15 / 1 / [1-2]", "2"),  # the pass at 16 leads back to 14
        ("42 30 / 1 / [2-4]", "2"),  # 44 counts 48, more than 46
        ("53 20 / 1 / [1-5]", "1"),  # arriving beats everything
        ("24 24 / 1 / [1-2]", "2"),  # in the rain at 25 both rest
        ("41 20 / 1 / road", "crossing"),
    ],
)
def test_the_agent_with_rules_to_remember_counts_stations(position: str, action: str) -> None:
    state = load_game("tokaido").from_text(position)
    assert state.action_to_string(make_agent("pocket").act(state, RNG).action) == action


def test_the_agent_with_rules_to_remember_plays_at_every_table() -> None:
    for players in (2, 3, 6):
        state = load_game("tokaido", players=players, allow_resign=True).new_initial_state()
        rng, agent = np.random.default_rng(players), make_agent("pocket")
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(rng.choice([outcome for outcome, _ in state.chance_outcomes()])))
            else:
                state.apply_action(agent.act(state, rng).action)
        assert state.end_reason() == "goal"
    with pytest.raises(AgentError, match="plays tokaido"):
        make_agent("pocket").supports(load_game("quoridor"))
