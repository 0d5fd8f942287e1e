"""The exact value of policies: facts from the rules' page, agreement with games played, every rule option."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from sekisho.agents import Agent, Decision, make_agent
from sekisho.agents.exact.policies import Arena, is_solved
from sekisho.agents.exact.tokaido_solver import solve, start_values
from sekisho.arena.tournament import Tournament, play_all, schedule
from sekisho.envs import load_game
from sekisho.envs.core import State
from sekisho.envs.errors import AgentError, RunError
from sekisho.envs.tokaido.rules import Tokaido


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(Tokaido())


@pytest.fixture(scope="module")
def late() -> Arena:
    """A game with few decisions: nobody gets far in six turns."""
    return Arena(Tokaido(max_turns=4))


def wins(arena: Arena, policy: Any, others: Any) -> Any:
    return (1 + arena.meet(policy, others)[0]) / 2


def test_simple_policies_win_what_the_rules_page_states(arena: Arena) -> None:
    perfect, random, larger = arena.perfect(), arena.ask(make_agent("random")), arena.ask(make_agent("larger"))
    assert wins(arena, random, random)[0] == pytest.approx(0.50427, abs=5e-6)
    assert wins(arena, larger, perfect).mean() == pytest.approx(0.1924, abs=5e-5)
    assert wins(arena, random, perfect).mean() == pytest.approx(0.122, abs=5e-4)
    one, other = wins(arena, random, larger), wins(arena, larger, random)
    assert one + other[::-1] == pytest.approx([1.0, 1.0], abs=1e-10)
    first, second = wins(arena, perfect, perfect)
    assert first == pytest.approx(0.52637513, abs=1e-8)
    assert first + second == pytest.approx(1.0, abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("forks", ["three", "miya"])
def test_the_heuristic_loses_little(forks: str) -> None:
    arena = Arena(Tokaido(forks=forks))
    assert 50 - 100 * wins(arena, arena.ask(make_agent("heuristic")), arena.perfect()).mean() <= 1.6


@pytest.mark.slow
def test_rules_that_a_person_can_remember_lose_less_than_a_point(arena: Arena) -> None:
    assert 50 - 100 * wins(arena, arena.ask(make_agent("pocket")), arena.perfect()).mean() < 0.7


@pytest.mark.slow
def test_the_agent_that_plays_by_the_table_plays_perfectly(arena: Arena) -> None:
    asked, perfect = arena.ask(make_agent("exact")), arena.perfect()
    np.testing.assert_array_equal(asked.second, perfect.second)


def test_played_games_agree_with_the_exact_value() -> None:
    game = load_game("tokaido", max_turns=4)
    arena = Arena(game)
    exact = arena.meet(arena.ask(make_agent("larger")), arena.ask(make_agent("smaller")))[0]
    tournament = Tournament(game, ("larger", "smaller"), 2000, 0, seed=1)
    scores = [
        result.record.returns[result.record.agents.index("larger")]
        for result in play_all(tournament, list(schedule(tournament)))
    ]
    error = np.std(scores) / math.sqrt(len(scores))
    assert abs(np.mean(scores) - exact.mean()) < 4 * error


@dataclass
class Odd(Agent):
    """Resigns, answers nonsense or chooses by a distribution, as it is told."""

    chances: Mapping[int, float]
    samples: bool = True

    @property
    def samples_policy(self) -> bool:  # type: ignore[override]
        return self.samples

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        actions = state.legal_actions()
        return Decision(actions[0], policy={actions[place]: chance for place, chance in self.chances.items()})


def test_a_policy_that_is_only_a_thought_does_not_count(late: Arena) -> None:
    second = late.ask(Odd({1: 1.0}))
    thought = late.ask(Odd({1: 1.0}, samples=False))
    decides = np.isin(late.nodes.kinds, (0, 2))
    assert second.second[decides, 0].min() == 1.0
    assert thought.second.max() == 0.0


@pytest.mark.parametrize("chances", [{0: 0.5}, {0: 0.9, 1: 0.2}])
def test_chances_that_do_not_add_up_are_refused(late: Arena, chances: Mapping[int, float]) -> None:
    with pytest.raises(RunError, match="Odd answers"):
        late.ask(Odd(chances))


def test_who_resigns_at_once_loses_at_once() -> None:
    arena = Arena(Tokaido(allow_resign=True, max_turns=4))
    resigning = arena.ask(Odd({2: 1.0}))
    assert arena.meet(resigning, arena.perfect())[0] == pytest.approx([-1.0, -1.0])


def test_with_three_players_perfect_play_gets_the_values_of_the_equilibrium() -> None:
    for utility in ("place_points", "first_only"):
        arena = Arena(Tokaido(players=3, max_turns=4))
        perfect = arena.perfect(utility)
        table = solve(Tokaido(players=3, max_turns=4), utility)
        np.testing.assert_allclose(arena.meet(perfect, perfect, utility)[0], start_values(table), atol=1e-9)
        other = arena.ask(make_agent("smaller"))
        assert (arena.meet(other, perfect, utility)[0] <= start_values(table) + 1e-6).all()


def test_agents_are_asked_in_batches(late: Arena) -> None:
    @dataclass
    class Batched(Agent):
        asked: int = 0

        def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
            raise AssertionError

        def act_many(self, states: Sequence[State], rng: np.random.Generator) -> list[Decision]:
            self.asked += len(states)
            return [Decision(state.legal_actions()[-1]) for state in states]

    agent = Batched()
    policy = late.ask(agent)
    assert agent.asked == late.decisions()
    detour = late.nodes.kinds == 2
    np.testing.assert_array_equal(policy.second[~detour], late.ask(make_agent("larger")).second[~detour])


def test_the_law_of_turns_and_the_visits_are_those_of_one_game(arena: Arena) -> None:
    perfect = arena.perfect()
    visits, law = arena.visits(perfect), arena.turns_law(perfect)
    assert visits[arena.start] == pytest.approx(1.0)
    assert visits[arena.nodes.kinds == 4].sum() == pytest.approx(1.0, abs=1e-9)
    assert law.sum() == pytest.approx(1.0, abs=1e-11)
    mean = law @ np.arange(law.size)
    assert 18 < mean < visits[arena.nodes.begins == 1].sum()  # a place where turns begin can be met in mid-turn too


def test_the_law_of_turns_agrees_with_games_played(arena: Arena) -> None:
    law = arena.turns_law(arena.ask(make_agent("larger")))
    mean = law @ np.arange(law.size)
    deviation = math.sqrt(law @ (np.arange(law.size) - mean) ** 2)
    game, rng, counts = Tokaido(max_turns=399), np.random.default_rng(3), []
    agent = make_agent("larger")
    for _ in range(150):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(outcomes, p=chances)))
            else:
                state.apply_action(agent.act(state, rng).action)
        counts.append(state.turns)
    assert abs(np.mean(counts) - mean) < 4 * deviation / math.sqrt(len(counts))


def test_games_with_too_many_decisions_are_refused() -> None:
    game = Tokaido(players=4)
    assert not is_solved(game)
    with pytest.raises(AgentError, match="too many to ask"):
        Arena(game)
    assert is_solved(Tokaido(players=3))
    assert is_solved(Tokaido(max_turns=1000))
