"""The exact analysis of picture sugoroku against the rules themselves: every line of play, random games, and by hand."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekisho.agents.exact import picture_chain
from sekisho.agents.exact.picture_analysis import Analysis, analyze
from sekisho.agents.exact.picture_chain import chain_of, law_of
from sekisho.agents.exact.picture_edits import Wish, edits_of, figures_of, suggest
from sekisho.agents.exact.picture_swings import swings
from sekisho.envs import load_game, random_playouts
from sekisho.envs.errors import RunError
from sekisho.envs.picture_sugoroku import kernels
from sekisho.envs.picture_sugoroku.boards import SHIPPED, load_board
from sekisho.envs.picture_sugoroku.random_boards import random_board
from sekisho.envs.picture_sugoroku.rules import PictureState, PictureSugoroku


def board_of(goal: int, **squares: dict[str, Any]) -> dict[str, Any]:
    return {"id": "tiny", "name": {"en": "Tiny"}, "goal": goal, "squares": {k[1:]: v for k, v in squares.items()}}


PLAIN = board_of(5)
RESTS = board_of(5, s2={"kind": "rest", "turns": 1}, s3={"kind": "rest", "turns": 2}, s4={"kind": "to_start"})
MIXED = board_of(
    7, s1={"kind": "roll_again"}, s2={"kind": "rest", "turns": 2}, s3={"kind": "back", "by": 2},
    s4={"kind": "forward", "by": 5}, s5={"kind": "jump", "to": 2}, s6={"kind": "rest", "turns": 1},
)  # fmt: skip
AGAIN = board_of(6, **{f"s{square}": {"kind": "roll_again"} for square in (1, 2, 4)}, s5={"kind": "back", "by": 1})
RESTING = board_of(5, **{f"s{square}": {"kind": "rest", "turns": 1} for square in range(1, 5)})  # a law of period 2


# --- every line of play ----------------------------------------------------------------------------------------------


@dataclass
class Node:
    """A position and what may come next, by the rules alone."""

    state: Any
    follow: list[tuple[int, float, int]] = field(default_factory=list)  # node, probability, turns skipped on the way
    ranks: list[float] | None = None


class Tree:
    """All positions of a game, however they are reached."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.nodes: list[Node] = []
        self.numbers: dict[bytes, int] = {}
        self.number(game.new_initial_state())

    def number(self, start: Any) -> int:
        """The number of a position; those that follow are found as well."""
        stack = [start]
        while stack:
            state = stack.pop()
            key = state.words.tobytes()
            if key in self.numbers:
                continue
            self.numbers[key] = len(self.nodes)
            self.nodes.append(Node(state))
            stack += [state.child(action) for action in self._actions(state)]
        for node in self.nodes:
            if node.state.is_terminal():
                node.ranks = node.state.ranks()
            elif not node.follow:
                actions = self._actions(node.state)
                node.follow = [self._edge(node.state, action, len(actions)) for action in actions]
        return self.numbers[start.words.tobytes()]

    @staticmethod
    def _actions(state: Any) -> list[int]:
        if state.is_terminal():
            return []
        return [outcome for outcome, _ in state.chance_outcomes()] if state.is_chance_node() else [0]

    def _edge(self, state: Any, action: int, actions: int) -> tuple[int, float, int]:
        after = state.child(action)
        new = state.walk(action).rests if state.is_chance_node() else 0
        skipped = sum(state.rests) + new - sum(after.rests)
        return self.numbers[after.words.tobytes()], 1 / actions, skipped

    def visits(self) -> np.ndarray:
        """Expected number of times each position occurs."""
        matrix = np.eye(len(self.nodes))
        for number, node in enumerate(self.nodes):
            for follower, probability, _ in node.follow:
                matrix[follower, number] -= probability
        start = np.zeros(len(self.nodes))
        start[0] = 1
        return np.linalg.solve(matrix, start)

    def wins(self, seat: int) -> np.ndarray:
        """A seat's probability of coming first, from each position."""
        matrix, ends = np.eye(len(self.nodes)), np.zeros(len(self.nodes))
        for number, node in enumerate(self.nodes):
            if node.ranks is not None:
                ends[number] = node.ranks[seat] == 1
            for follower, probability, _ in node.follow:
                matrix[number, follower] -= probability
        return np.linalg.solve(matrix, ends)


def by_enumeration(game: Any) -> tuple[np.ndarray, float, float, float]:
    """Places, turns, rolled turns and throws (up to the end of the game) from every line of play."""
    tree = Tree(game)
    visits = tree.visits()
    places = np.zeros((game.num_players, game.num_players))
    rolled = skipped = throws = 0.0
    for node, times in zip(tree.nodes, visits, strict=True):
        throws += times * node.state.is_chance_node()
        if node.ranks is not None:
            for seat, rank in enumerate(node.ranks):
                sharing = node.ranks.count(rank)
                first = round(rank - (sharing - 1) / 2)
                places[seat, first - 1 : first - 1 + sharing] += times / sharing
        elif not node.state.is_chance_node() and not node.state.extra_rolls:
            rolled += times
        skipped += times * sum(probability * turns for _, probability, turns in node.follow)
    return places, rolled + skipped, rolled, throws


NAMED = {"plain": PLAIN, "rests": RESTS, "mixed": MIXED, "again": AGAIN, "resting": RESTING}


@pytest.mark.parametrize(
    ("name", "goal", "chain", "players"),
    [
        *itertools.product(NAMED, ("over", "exact"), (True, False), (2,)),
        *itertools.product(("plain", "rests", "again"), ("over",), (True,), (3,)),
        ("plain", "exact", True, 3),
        ("resting", "over", True, 3),
    ],
)
def test_every_line_of_play_to_the_first_arrival(name: str, goal: str, chain: bool, players: int) -> None:
    board = NAMED[name]
    game = load_game("picture_sugoroku", board=board, players=players, goal=goal, chain=chain)
    places, turns, rolled, throws = by_enumeration(game)
    analysis = analyze(game)
    np.testing.assert_allclose(analysis.places, places, atol=1e-10)
    np.testing.assert_allclose(analysis.win, places[:, 0], atol=1e-10)
    assert analysis.turns == pytest.approx(turns, rel=1e-10)
    assert analysis.rolled_turns == pytest.approx(rolled, rel=1e-10)
    assert analysis.rolls == pytest.approx(throws, rel=1e-10)


@pytest.mark.parametrize(
    ("board", "players", "finish"),
    [(PLAIN, 4, "first"), (PLAIN, 3, "all_places"), (RESTS, 2, "all_places"), (RESTING, 3, "all_places"),
     (AGAIN, 3, "all_places")],
)  # fmt: skip
def test_places_by_every_line_of_play(board: Any, players: int, finish: str) -> None:
    game = load_game("picture_sugoroku", board=board, players=players, finish=finish)
    np.testing.assert_allclose(analyze(game).places, by_enumeration(game)[0], atol=1e-10)


@pytest.mark.parametrize("board", [PLAIN, RESTS, MIXED, AGAIN], ids=["plain", "rests", "mixed", "again"])
@pytest.mark.parametrize("goal", ["over", "exact"])
def test_swings_by_every_line_of_play(board: Any, goal: str) -> None:
    game = load_game("picture_sugoroku", board=board, goal=goal)
    tree = Tree(game)
    moments = []
    for number, node in enumerate(list(tree.nodes)):
        for outcome in range(6) if node.state.is_chance_node() else ():
            met = node.state.walk(outcome).steps[0].end
            if met in game.board.squares:
                words = node.state.words.copy()
                words[kernels.SQUARE + node.state.seat], words[kernels.ROLLING] = met, 0
                kernels.pass_turn(game.rules, words)
                moments.append((number, outcome, met, tree.number(PictureState(game, words))))
    visits, wins = tree.visits(), [tree.wins(seat) for seat in range(2)]
    change, weight = defaultdict(float), defaultdict(float)
    for number, outcome, met, blank in moments:
        value = wins[tree.nodes[number].state.seat]
        follower = tree.nodes[number].follow[outcome][0]
        change[met] += visits[number] * (value[follower] - value[blank])
        weight[met] += visits[number]
    found = swings(game)
    assert found == pytest.approx({met: change[met] / weight[met] for met in sorted(weight) if weight[met]}, abs=1e-9)


def test_a_plain_board_by_hand() -> None:
    """Five plain squares: under way after k turns with 1, 4/6, 6/36, 4/216, 1/1296, by counting the sums below 5."""
    alive = [Fraction(1), Fraction(4, 6), Fraction(6, 36), Fraction(4, 216), Fraction(1, 1296), Fraction(0)]
    first = sum((before - after) * before for before, after in itertools.pairwise(alive))
    analysis = analyze(PictureSugoroku(board=PLAIN))
    assert analysis.win == pytest.approx([float(first), float(1 - first)], abs=1e-14)
    assert analysis.own_turns == pytest.approx(float(sum(alive)), abs=1e-14)
    assert analysis.turns == analysis.rolled_turns == analysis.rolls
    assert analysis.turns == pytest.approx(
        float(sum(before * before + before * after for before, after in itertools.pairwise(alive))), abs=1e-14
    )


# --- random games ----------------------------------------------------------------------------------------------------

COMBINATIONS = [
    (players, board, goal, chain, finish)
    for players, (board, goal, chain), finish in zip(
        (2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 6, 4),
        itertools.cycle(itertools.product(SHIPPED, ("over", "exact"), (True, False))),
        itertools.cycle(("first", "all_places")),
        strict=False,
    )
]


@pytest.mark.parametrize(("players", "board", "goal", "chain", "finish"), COMBINATIONS)
def test_random_games(players: int, board: str, goal: str, chain: bool, finish: str) -> None:
    game = load_game("picture_sugoroku", players=players, board=board, goal=goal, chain=chain, finish=finish)
    analysis, games = analyze(game), 40_000
    playouts = random_playouts(game, games, seed=11)
    returns = np.array(analysis.places) @ (1 - 2 * np.arange(players) / (players - 1))
    assert np.all(np.abs(playouts.mean_returns - returns) < 4.5 * playouts.standard_errors)
    if finish == "first":  # a throw is two plies, the decision and the die
        throws = playouts.plies / 2
        assert abs(throws.mean() - analysis.rolls) < 4.5 * throws.std() / np.sqrt(games)


# --- properties ------------------------------------------------------------------------------------------------------


def assert_sums(analysis: Analysis) -> None:
    places = np.array(analysis.places)
    assert sum(analysis.win) == pytest.approx(1, abs=1e-10)
    np.testing.assert_allclose(places.sum(axis=0), 1, atol=1e-10)
    np.testing.assert_allclose(places.sum(axis=1), 1, atol=1e-10)
    np.testing.assert_allclose(places[:, 0], analysis.win, atol=1e-10)
    assert places.min() > -1e-12
    assert 1 <= analysis.rolled_turns <= analysis.turns + 1e-9
    assert analysis.rolls >= analysis.rolled_turns - 1e-9


@settings(max_examples=60)
@given(
    goal=st.integers(5, 60), density=st.floats(0, 1), seed=st.integers(0, 10**6), players=st.integers(2, 6),
    exact=st.booleans(), chain=st.booleans(),
)  # fmt: skip
def test_sums_on_random_boards(goal: int, density: float, seed: int, players: int, exact: bool, chain: bool) -> None:
    options = {"players": players, "goal": "exact" if exact else "over", "chain": chain}
    board = random_board(goal, density, seed).to_dict()
    first = analyze(PictureSugoroku(board=board, **options))
    everyone = analyze(PictureSugoroku(board=board, finish="all_places", **options))
    assert_sums(first)
    assert_sums(everyone)
    assert everyone.win == first.win
    assert (everyone.turns, everyone.own_turns) == (first.turns, first.own_turns)
    assert list(first.win) == sorted(first.win, reverse=True)  # an earlier turn is never worse


def test_resigning_is_left_out() -> None:
    assert analyze(PictureSugoroku(allow_resign=True)) == analyze(PictureSugoroku())


def test_the_tail_of_a_long_journey() -> None:
    """A board on which a journey takes thousands of turns: the closed sums against the expected time to absorption."""
    game = PictureSugoroku(board=random_board(100, 1.0, 8).to_dict(), goal="exact", players=3)
    chain = chain_of(game.walks)
    matrix = np.eye(len(chain.squares))
    np.add.at(matrix, (chain.sources, chain.targets), -chain.weights)
    reached = law_of(chain).laws.any(axis=0)
    matrix = matrix[np.ix_(reached, reached)]
    expected = np.linalg.solve(matrix, np.ones(len(matrix)))[0]
    analysis = analyze(game)
    assert analysis.own_turns == pytest.approx(expected, rel=1e-9)
    assert expected > 10 * len(law_of(chain).alive)  # so it is the tail that is tested
    assert_sums(analysis)


def test_a_journey_that_no_table_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_chain, "_MOST_ENTRIES", 1000)
    with pytest.raises(RunError, match=r"takes too long to be analysed: after 24 turns .* % are still under way"):
        analyze(PictureSugoroku())


# --- edits -----------------------------------------------------------------------------------------------------------


def test_edits_are_single_and_their_figures_those_of_their_boards() -> None:
    game = PictureSugoroku(board=MIXED, players=3)
    for edit in edits_of(game.board):
        changed = {
            square
            for square in set(edit.board.squares) | set(game.board.squares)
            if edit.board.squares.get(square) != game.board.squares.get(square)
        }
        assert (changed, edit.board.goal) == ({edit.square} if edit.square else set(), edit.board.goal)
        assert (edit.square is None) == (edit.board.goal != game.board.goal)
        assert load_board(edit.board.to_dict()) == edit.board
        figures = figures_of(edit.board, game)
        if figures is not None:
            analysis = analyze(PictureSugoroku(board=edit.board.to_dict(), players=3))
            assert (figures.turns, figures.rolls, figures.advantage) == pytest.approx(
                (analysis.turns, analysis.rolls, analysis.advantage), rel=1e-12
            )


def test_the_best_edits_come_first_and_nearer_than_the_board() -> None:
    game = PictureSugoroku(board=MIXED, players=3)
    present = figures_of(game.board, game)
    assert present is not None
    told: list[tuple[int, int]] = []
    wish = Wish(turns=1.3 * present.turns, advantage=0.8 * present.advantage)
    found = suggest(game, wish, 4, lambda done, total: told.append((done, total)))
    misses = [wish.miss(figures, present) for _, figures in found]
    assert misses == sorted(misses)
    assert misses[-1] < wish.miss(present, present)
    assert len({edit.square for edit, _ in found}) == len(found) <= 4
    every = [figures_of(edit.board, game) for edit in edits_of(game.board)]
    assert misses[0] == min(wish.miss(figures, present) for figures in every if figures)
    assert [done for done, _ in told] == list(range(1, told[0][1] + 1))


def test_a_board_that_is_as_wished_is_left_alone() -> None:
    game = PictureSugoroku(board=PLAIN)
    present = figures_of(game.board, game)
    assert present is not None
    assert suggest(game, Wish(turns=present.turns), 5) == []
