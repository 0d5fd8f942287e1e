"""What every agent must do in every game it plays: legal moves, the same for the same seed, and nothing to the state."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sekisho.agents import Agent, Decision, agent_names, make_agent
from sekisho.envs import Game, State, load_game
from sekisho.envs.errors import AgentError
from sekisho.envs.registry import game_names
from support.dice_race import DiceRace

SMALL: dict[str, list[dict[str, Any]]] = {
    "quoridor": [
        {"board_size": 3, "fences": 1},
        {"board_size": 5, "fences": 2, "repetition": 3},
        {"players": 4, "board_size": 4, "fences": 1, "max_plies": 40},
        {"players": 4, "board_size": 5, "fences": 2, "third_pawn": "diagonal"},
    ]
}
"""Tables of each game that are quickly played; a game that is not named here is played as it is."""


QUICK = {"expectimax": "expectimax:turns=0", "mcts": "mcts:simulations=20"}
"""Agents that think for long unless told otherwise."""


def played_pairs() -> list[Any]:
    pairs = []
    for name in game_names():
        for options in SMALL.get(name, [{}]):
            game = load_game(name, **options)
            for agent in agent_names():
                try:
                    make_agent(agent).supports(game)
                except AgentError:
                    continue
                spec = QUICK.get(agent, agent)
                words = ",".join(f"{key}={value}" for key, value in options.items())
                pairs.append(pytest.param(spec, game, id=f"{agent}-{name}-{words}"))
    return pairs


PAIRS = played_pairs()


def after_throws(state: State, rng: random.Random) -> State:
    while state.is_chance_node():
        state.apply_action(rng.choice(state.chance_outcomes())[0])
    return state


def decisions(agent: Agent, game: Game, seed: int, plies: int = 10_000) -> list[Decision]:
    """One agent on all seats, from the start to the end or for some plies."""
    rng, dice = np.random.default_rng(seed), random.Random(seed)
    state = after_throws(game.new_initial_state(), dice)
    made = []
    while not state.is_terminal() and len(made) < plies:
        made.append(agent.act(state, rng))
        state.apply_action(made[-1].action)
        after_throws(state, dice)
    return made


def snapshot(state: State) -> tuple[bytes, list[int], dict[str, Any], list[int]]:
    return state.words.tobytes(), state.history(), state.to_dict(), state.legal_actions()


def finished_state(game: Game) -> State:
    state, rng = game.new_initial_state(), random.Random(1)
    while not state.is_terminal():
        outcomes = [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(rng.choice(outcomes))
    return state


def test_every_agent_plays_some_game() -> None:
    assert {pair.values[0].partition(":")[0] for pair in PAIRS} == set(agent_names())


@pytest.mark.parametrize(("name", "game"), PAIRS)
def test_a_whole_game_is_played_with_legal_moves_and_the_state_left_alone(name: str, game: Game) -> None:
    agent, rng, dice = make_agent(name), np.random.default_rng(5), random.Random(5)
    state = after_throws(game.new_initial_state(), dice)
    while not state.is_terminal():
        before, legal = snapshot(state), state.legal_actions()
        decision = agent.act(state, rng)
        assert snapshot(state) == before
        assert type(decision.action) is int
        assert decision.action in legal
        assert set(decision.policy) <= set(legal)
        if decision.policy:
            assert decision.policy[decision.action] > 0
            assert sum(decision.policy.values()) == pytest.approx(1)
        state.apply_action(decision.action)
        after_throws(state, dice)
    assert state.end_reason() is not None


@pytest.mark.parametrize(("name", "game"), PAIRS)
def test_the_same_seed_gives_the_same_game_from_a_used_and_from_a_new_agent(name: str, game: Game) -> None:
    agent = make_agent(name)
    games = [[d.action for d in decisions(agent, game, seed)] for seed in range(8)]
    assert [[d.action for d in decisions(agent, game, seed)] for seed in range(8)] == games
    assert [[d.action for d in decisions(make_agent(name), game, seed)] for seed in range(8)] == games
    if name == "random":
        assert len(set(map(tuple, games))) > 1  # the seed matters


@pytest.mark.parametrize(("name", "game"), PAIRS)
def test_the_global_random_generators_are_left_alone(name: str, game: Game) -> None:
    before = random.getstate(), repr(np.random.get_state())  # noqa: NPY002
    decisions(make_agent(name), game, 3, plies=6)
    assert (random.getstate(), repr(np.random.get_state())) == before  # noqa: NPY002


@pytest.mark.parametrize(("name", "game"), PAIRS)
def test_a_finished_game_is_refused_in_words(name: str, game: Game) -> None:
    state = finished_state(game)
    with pytest.raises(AgentError, match="the game is over"):
        make_agent(name).act(state, np.random.default_rng(0))


@pytest.mark.parametrize("name", sorted(agent_names()))
def test_another_game_is_played_or_refused_in_words_and_a_throw_is_never_decided(name: str) -> None:
    agent, game = make_agent(name), DiceRace()
    state = game.new_initial_state()
    if name != "random":
        with pytest.raises(AgentError, match=f"{name}.*dice_race"):
            agent.supports(game)
        state.apply_action(3)
        with pytest.raises(AgentError, match=f"{name}.*dice_race"):
            agent.act(state, np.random.default_rng(0))
    else:
        agent.supports(game)
        with pytest.raises(AgentError, match="a die is to be thrown"):
            agent.act(state, np.random.default_rng(0))
        state.apply_action(3)
        assert agent.act(state, np.random.default_rng(0)).action in (0, 1)


def test_the_random_agent_chooses_each_legal_action_equally_often() -> None:
    game = load_game("quoridor", board_size=3, fences=1)
    state, rng, agent = game.new_initial_state(), np.random.default_rng(11), make_agent("random")
    legal = state.legal_actions()
    assert len(legal) == 11
    drawn = [agent.act(state, rng) for _ in range(2200)]
    counts = [sum(decision.action == action for decision in drawn) for action in legal]
    assert sum(counts) == 2200
    assert stats.chisquare(counts).pvalue > 1e-4
    assert drawn[0].policy == dict.fromkeys(legal, pytest.approx(1 / 11))
