"""What agents say each choice is worth."""

from __future__ import annotations

import numpy as np
import pytest

from sekisho.agents import Decision, make_agent
from sekisho.agents.agent import Agent
from sekisho.agents.choices import RETURN, can_value, choice_unit, choice_values
from sekisho.envs import State, load_game
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.errors import AgentError

GAMES = {
    "quoridor": load_game("quoridor", board_size=5, fences=3),
    "quoridor4": load_game("quoridor", players=4, board_size=5, fences=2),
    "tokaido": load_game("tokaido", players=3),
}


def decisions(name: str, count: int, seed: int = 1) -> list[State]:
    """Decision nodes of random games."""
    found: list[State] = []
    rng = new_rng(seed)
    while len(found) < count:
        state = GAMES[name].new_initial_state()
        while not state.is_terminal():
            if state.current_player() >= 0:
                found.append(state.clone())
            state.apply_action(int(state.game.kernels.sample(state.game.rules, state.words, rng)))
    return found[:count]


@pytest.mark.parametrize("name", GAMES)
def test_the_heuristic_takes_a_choice_that_it_values_most(name: str) -> None:
    agent = make_agent("heuristic")
    for state in decisions(name, 60):
        values = choice_values(agent, state)
        assert values.shape == (state.game.num_actions,)
        assert np.array_equal(~np.isnan(values), state.legal_actions_mask() == 1)
        chosen = agent.act(state, np.random.default_rng(0)).action
        assert values[chosen] == pytest.approx(np.nanmax(values))


def test_the_units_are_said() -> None:
    agent = make_agent("heuristic")
    assert choice_unit(agent, GAMES["quoridor"]) == "steps"
    assert choice_unit(agent, GAMES["tokaido"]) == RETURN
    for state in decisions("tokaido", 60):
        values = choice_values(agent, state)
        assert np.nanmin(values) >= -1
        assert np.nanmax(values) <= 1


def test_a_move_that_wins_is_worth_most_and_one_that_lets_win_least() -> None:
    state = load_game("quoridor", board_size=5, fences=3).from_text("/ / c4 a2 / 3 3 / 1")
    values = choice_values(make_agent("heuristic"), state)
    assert values[state.string_to_action("c5")] == np.nanmax(values) == 20
    assert values[state.string_to_action("c3")] == np.nanmin(values) == -20


class Wrong(Agent):
    """Gives values of another shape."""

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        return Decision(state.legal_actions()[0])

    def choice_values(self, state: State) -> np.ndarray:
        return np.zeros(3)


def test_who_cannot_value_choices_is_refused_in_words() -> None:
    state = GAMES["quoridor"].new_initial_state()
    assert not can_value(make_agent("random"), state.game)
    with pytest.raises(AgentError, match="RandomAgent has no values"):
        choice_values(make_agent("random"), state)
    picture = load_game("picture_sugoroku")
    assert not can_value(make_agent("heuristic"), picture)
    with pytest.raises(AgentError, match="no values"):
        choice_values(make_agent("heuristic"), picture.new_initial_state())
    with pytest.raises(AgentError, match="nothing to decide"):
        choice_values(make_agent("heuristic"), GAMES["tokaido"].new_initial_state())
    with pytest.raises(AgentError, match=r"shape \(3,\)"):
        choice_values(Wrong(), state)
