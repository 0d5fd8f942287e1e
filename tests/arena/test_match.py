"""One game: its opening, whose randomness is whose, and what happens to an agent that answers nonsense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sekisho.agents import Agent, Decision, make_agent
from sekisho.arena.match import Played, play_game, random_opening
from sekisho.envs import Game, State, load_game
from sekisho.envs.errors import AgentError, RunError
from support.dice_race import DiceRace

SMALL = load_game("quoridor", board_size=3, fences=0)


class Scripted(Agent):
    """Answers what it was told to, or with its first legal action, and notes what it was asked."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.calls: list[str] = []
        self.numbers: list[float] = []

    def supports(self, game: Game) -> None:
        self.calls.append("supports")

    def reset(self) -> None:
        self.calls.append("reset")

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        self.calls.append("act")
        self.numbers.append(rng.random())
        return Decision(state.legal_actions()[0] if self.answer is None else self.answer)


def throws(played: Played) -> list[str]:
    return [move for move in played.state.moves() if move.startswith("throw")]


def race(agents: list[Agent], dice: int, own: int) -> Played:
    return play_game(DiceRace(goal=60).new_initial_state(), agents, [dice], [own])


# --- openings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [SMALL, load_game("quoridor", players=4, board_size=3, fences=1), DiceRace(goal=20)])
@pytest.mark.parametrize("plies", [0, 1, 2, 5])
def test_an_opening_has_the_plies_asked_for_and_never_ends_the_game(game: Game, plies: int) -> None:
    for seed in range(60):
        state = random_opening(game, plies, [seed])
        assert len(state.history()) == plies
        assert not state.is_terminal()
        assert state.game == game


def test_without_the_games_that_end_some_random_plies_would_end_one() -> None:
    """The test above sees games that random plies can end: on 3x3 squares five of them may do."""
    ended = 0
    for seed in range(60):
        state, rng = SMALL.new_initial_state(), np.random.default_rng(seed)
        for _ in range(5):
            if not state.is_terminal():
                state.apply_action(int(rng.choice(state.legal_actions())))
        ended += state.is_terminal()
    assert ended > 10


def test_the_same_numbers_give_the_same_opening_and_others_give_others() -> None:
    game = load_game("quoridor")
    openings = [random_opening(game, 4, [3, table, number]).history() for table in range(3) for number in range(10)]
    again = [random_opening(game, 4, [3, table, number]).history() for table in range(3) for number in range(10)]
    assert openings == again
    assert len(set(map(tuple, openings))) == len(openings)


@pytest.mark.parametrize("plies", [4, 5, 1000])
def test_an_opening_longer_than_every_game_is_refused_in_words(plies: int) -> None:
    game = load_game("quoridor", board_size=3, fences=0, max_plies=4)
    with pytest.raises(AgentError, match=f"no opening of {plies} random plies leaves quoridor unfinished"):
        random_opening(game, plies, [0])


# --- games -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [SMALL, load_game("quoridor", players=4, board_size=5, fences=2), DiceRace()])
def test_the_same_seeds_give_the_same_game_and_others_another(game: Game) -> None:
    agents = [make_agent("random") for _ in range(game.num_players)]

    def moves(dice: int, own: int) -> list[str]:
        return play_game(random_opening(game, 2, [1]), agents, [dice], [own]).state.moves()

    assert moves(1, 2) == moves(1, 2)
    assert len({tuple(moves(1, own)) for own in range(8)}) > 1


def test_a_game_goes_on_from_its_opening_to_its_end_and_leaves_the_opening_as_it_was() -> None:
    game = load_game("quoridor", players=4, board_size=5, fences=2)
    start = random_opening(game, 3, [1])
    before = start.history()
    played = play_game(start, [make_agent("random")] * 4, [0], [0])
    assert start.history() == before
    assert played.state.is_terminal()
    assert played.state.history()[:3] == before
    assert played.opening == 3


def test_every_seat_is_asked_in_turn_and_its_decisions_and_time_are_counted() -> None:
    game = load_game("quoridor", players=4, board_size=4, fences=1, max_plies=11)
    agents = [Scripted() for _ in range(4)]
    played = play_game(random_opening(game, 1, [5]), agents, [0], [0])
    assert len(played.state.history()) == 11
    assert played.decisions == (2, 3, 3, 2)  # seat 1 has played the opening
    assert [agent.calls for agent in agents] == [["supports", "reset", *["act"] * n] for n in played.decisions]
    assert len(played.seconds) == 4
    assert all(seconds > 0 for seconds in played.seconds)


def test_dice_depend_on_their_own_seed_and_not_on_who_plays_or_what_the_agents_draw() -> None:
    cautious, bold = Scripted(0), Scripted(1)
    reference = throws(race([bold, cautious], dice=7, own=0))
    assert len(reference) > 20
    for own in range(4):
        for agents in ([make_agent("random"), make_agent("random")], [cautious, bold], [bold, bold]):
            thrown = throws(race(agents, dice=7, own=own))
            shorter = min(len(thrown), len(reference))
            assert shorter > 15
            assert thrown[:shorter] == reference[:shorter]
    assert throws(race([bold, cautious], dice=8, own=0)) != reference
    assert set(reference) == {f"throw{pips}" for pips in range(1, 7)}


def test_every_seat_draws_from_its_own_stream_that_depends_on_the_agents_seed_alone() -> None:
    def numbers(dice: int, own: int) -> list[list[float]]:
        agents = [Scripted(1), Scripted(1)]
        race(list(agents), dice, own)
        return [agent.numbers[:5] for agent in agents]

    assert numbers(1, 1) == numbers(2, 1)
    assert len({tuple(stream) for own in range(5) for stream in numbers(1, own)}) == 10


# --- nonsense --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "word"),
    [(0, "cannot go there"), (-1, "not -1"), (10**30, "actions of quoridor are"), ("b2", "integer"), (1.0, "integer")],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_an_agent_that_answers_with_an_illegal_action_is_named_with_its_seat(answer: Any, word: str, seat: int) -> None:
    game = load_game("quoridor", fences=1)
    agents: list[Agent] = [make_agent("random"), make_agent("random")]
    agents[seat] = Scripted(answer)
    with pytest.raises(RunError) as refusal:
        play_game(game.new_initial_state(), agents, [0], [0])
    assert f"Scripted on seat {seat + 1} answered with" in str(refusal.value)
    assert word in str(refusal.value)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_too_few_or_too_many_agents_are_refused_in_words(count: int) -> None:
    with pytest.raises(AgentError, match=f"2 seats here, but {count} agents"):
        play_game(SMALL.new_initial_state(), [make_agent("random")] * count, [0], [0])


def test_an_agent_that_does_not_play_the_game_is_refused_before_the_first_move() -> None:
    first = Scripted()
    with pytest.raises(AgentError, match="'heuristic' does not play dice_race"):
        play_game(DiceRace().new_initial_state(), [first, make_agent("heuristic")], [0], [0])
    assert "act" not in first.calls
