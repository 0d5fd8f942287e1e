"""What a move lost: by a judge of known values, by random playouts where the truth is known, and for `exact` by name."""

from __future__ import annotations

import numpy as np
import pytest

from sekisho.agents import Decision
from sekisho.agents.agent import Agent
from sekisho.arena import analysis
from sekisho.arena.analysis import PlayoutJudge, SearchJudge, View, analyze, default_judge, judge_of, summaries
from sekisho.arena.recorded import RecordedGame
from sekisho.envs import Game, State, load_game, random_playouts
from sekisho.envs.errors import AgentError, OptionError


def recorded(game: Game, moves: str, opening: int = 0) -> RecordedGame:
    state = game.new_initial_state()
    state.apply_moves(moves)
    return RecordedGame("here", ("a", "b"), state, tuple(state.returns()), state.end_reason(), opening)


SMALL = load_game("quoridor", board_size=3, fences=0)


class Fixed:
    """A judge to whom an action is worth its number; odd ones it knows nothing of."""

    name, unit = "fixed", "numbers"

    def view(self, state: State, _played: int) -> View:
        values = np.where(state.legal_actions_mask() == 1, np.arange(state.game.num_actions, dtype=float), np.nan)
        values[1::2] = np.nan
        best = None if np.isnan(values).all() else int(np.nanargmax(values))
        return View(values, np.zeros_like(values), best)


def test_losses_are_differences_and_what_is_not_valued_has_none() -> None:
    game = recorded(SMALL, "b2 c3 a2")  # of 4 and others, 8 and others, ...
    first, second, third = analyze(game, Fixed())
    assert (first.move, first.value, first.loss) == ("b2", 4, 0)
    assert (second.move, second.value, second.loss, second.best) == ("c3", 8, 0, "c3")
    assert (third.move, third.value, third.loss) == ("a2", None, None)
    assert [move.seat for move in (first, second, third)] == [0, 1, 0]
    one, two = summaries(game, [first, second, third])
    assert (one.decisions, one.mean_loss, one.worst) == (1, 0, ())
    assert (two.player, two.decisions) == ("b", 1)


def test_the_opening_is_left_out_and_every_ply_ticks() -> None:
    ticks: list[int] = []
    found = list(analyze(recorded(SMALL, "a1 c3 a2", opening=2), Fixed(), lambda: ticks.append(1)))
    assert [move.ply for move in found] == [3]
    assert len(ticks) == 3


def test_playouts_measure_what_random_games_are_worth_without_counting_luck_as_loss() -> None:
    state = SMALL.new_initial_state()
    view = PlayoutJudge(20_000, seed=3).view(state, state.legal_actions()[0])
    for action in state.legal_actions():
        truth = random_playouts(state.child(action), 40_000, seed=99)
        error = np.hypot(view.errors[action], truth.standard_errors[0])
        assert abs(view.values[action] - truth.mean_returns[0]) < 4.5 * error
    # moves that mirror each other are worth the same: the mean difference of best and other is no luck of the best
    left, right = state.string_to_action("a1"), state.string_to_action("c1")
    gaps = []
    for seed in range(60):
        view = PlayoutJudge(40, seed=seed).view(recorded(SMALL, "").state, left)
        pair = {left: view.values[left], right: view.values[right]}
        better = view.best if view.best in pair else left
        other = right if better == left else left
        gaps.append(pair[better] - pair[other])
    assert abs(np.mean(gaps)) < 4 * np.std(gaps) / np.sqrt(len(gaps))


@pytest.mark.parametrize("playouts", [-1, 0, 1, 1_000_001])
def test_a_number_of_playouts_out_of_range_is_refused(playouts: int) -> None:
    with pytest.raises(OptionError, match="playouts must be 2"):
        PlayoutJudge(playouts)


class Exact(Agent):
    """Stands for an agent that knows the truth of a game of two without resigning."""

    def supports(self, game: Game) -> None:
        if game.name != "tokaido" or game.options["allow_resign"] or game.num_players != 2:
            raise AgentError("not solved")

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        return Decision(state.legal_actions()[0])

    def choice_values(self, state: State) -> np.ndarray:
        return np.where(state.legal_actions_mask() == 1, 0.25, np.nan)


def test_exact_judges_by_default_where_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    known = analysis.make_agent
    monkeypatch.setattr(analysis, "agent_names", lambda: {"exact": "", "heuristic": ""})
    monkeypatch.setattr(analysis, "make_agent", lambda spec: Exact() if spec == "exact" else known(spec))
    assert default_judge(load_game("tokaido", allow_resign=True)).name == "exact"
    assert default_judge(load_game("tokaido", players=3)).name == "heuristic"
    assert default_judge(load_game("quoridor")).name == "heuristic"
    assert default_judge(load_game("picture_sugoroku")).name == "1000 random playouts a choice"
    game = load_game("tokaido", allow_resign=True)
    state = game.new_initial_state()
    state.apply_moves("[2-5] 5")
    (move,) = analyze(RecordedGame("here", (), state, (0.0, 0.0), None), judge_of("exact", game))
    assert (move.value, move.loss, move.choices) == (0.25, 0.0, 3)


# --- by search -------------------------------------------------------------------------------------------------------

BOARD = load_game("quoridor", board_size=4, fences=1, max_plies=None)


@pytest.mark.parametrize("spec", ["alphabeta:nodes=20000,memory=1", "mcts:simulations=20000,memory=16"])
def test_a_search_finds_the_losses_that_the_table_knows(spec: str) -> None:
    rng, lost, seen = np.random.default_rng(4), 0, 0
    for _ in range(4):
        state = BOARD.new_initial_state()
        while not state.is_terminal() and len(state.history()) < 14:
            state.apply_action(int(rng.choice(state.legal_actions())))
        game = RecordedGame("here", ("a", "b"), state, tuple(state.returns()), state.end_reason(), 0)
        truth, found = (list(analyze(game, judge_of(judge, BOARD))) for judge in ("exact", spec))
        for known, told in zip(truth, found, strict=True):
            seen += 1
            lost += (known.loss or 0) > 0
            assert told.loss == pytest.approx(known.loss or 0.0, abs=0.15), (told, known)
    assert seen > 20
    assert lost > 3


def test_a_game_is_judged_by_search_alike_each_time() -> None:
    game = recorded(BOARD, "b2 c3 a1h d3 c2 c3")
    first, second = (list(analyze(game, judge_of("alphabeta:nodes=300,memory=1", BOARD))) for _ in range(2))
    assert first == second
    assert isinstance(judge_of("alphabeta:nodes=300", BOARD), SearchJudge)


def test_the_move_that_ends_a_game_is_worth_what_it_is_paid() -> None:
    game = load_game("quoridor", fences=0)
    state = game.from_text(" / / e8 e5 / 0 0 / 1 / 30")
    state.apply_moves("e9")
    (move,) = analyze(
        RecordedGame("here", ("a", "b"), state, (1.0, -1.0), "goal", 0), judge_of("alphabeta:depth=1", game)
    )
    assert (move.value, move.loss, move.best) == (1.0, 0.0, "e9")


@pytest.mark.parametrize(
    ("spec", "game", "options"),
    [("random", "quoridor", {}), ("mcts", "quoridor", {"players": 4}), ("mcts", "tokaido", {})],
)
def test_who_can_judge_in_no_way_is_refused_and_others_are_named(spec: str, game: str, options: dict[str, int]) -> None:
    with pytest.raises(AgentError, match=f"does not say what each choice of {game} is worth; use --playouts N, or one"):
        judge_of(spec, load_game(game, **options))
