"""Our games as games of OpenSpiel: its simulations, its searches and its value iteration run on them."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import json
import pickle
import random
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reference.picture_sugoroku import PictureSugoroku as PictureBook
from reference.quoridor import Quoridor as QuoridorBook
from reference.tokaido import Tokaido as TokaidoBook
from sekisho.envs import Game, State, game_names, load_game
from sekisho.envs.errors import IllegalActionError, OptionError, PositionError
from support.dash import Dash

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import mcts  # noqa: E402

from sekisho.envs import openspiel  # noqa: E402

OWN_BOARD = {
    "id": "own", "name": {"en": "Own, (mine) = |||"}, "goal": 7,
    "squares": {"1": {"kind": "forward", "by": 2}, "3": {"kind": "roll_again"}, "4": {"kind": "rest", "turns": 1}},
}  # fmt: skip
OPTION_SETS: list[tuple[str, dict[str, Any]]] = [
    ("quoridor", {}),
    ("quoridor", {"players": 4}),
    ("quoridor", {"board_size": 3, "fences": 1, "max_plies": None}),
    ("quoridor", {"board_size": 4, "players": 4, "fences": 2, "third_pawn": "diagonal"}),
    ("quoridor", {"board_size": 5, "fences": 0, "repetition": 3, "max_plies": None}),
    ("tokaido", {}),
    ("tokaido", {"players": 3, "goal": "over", "after_crossing": "end_turn", "allow_resign": True}),
    ("tokaido", {"players": 6, "forks": "miya", "rests_add_up": False, "max_turns": 40}),
    ("picture_sugoroku", {}),
    ("picture_sugoroku", {"players": 3, "goal": "exact", "finish": "all_places", "board": "treasure_hunt"}),
    ("picture_sugoroku", {"players": 6, "chain": False, "board": "a_short_walk", "allow_resign": True}),
    ("picture_sugoroku", {"board": OWN_BOARD}),
]
GAMES = [load_game(name, **options) for name, options in OPTION_SETS]

every_game = pytest.mark.parametrize("game", GAMES, ids=[f"{name}{i}" for i, (name, _) in enumerate(OPTION_SETS)])


def choices(state: Any) -> list[int]:
    """What may be applied to a state, ours or OpenSpiel's."""
    return [outcome for outcome, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


# --- loading ---------------------------------------------------------------------------------------------------------


def test_every_game_has_its_name_in_openspiel() -> None:
    openspiel.register()  # a second time changes nothing
    names = [name for name in pyspiel.registered_names() if name.startswith(openspiel.PREFIX)]
    assert names == [f"sekisho_{name}" for name in game_names()]
    for name in game_names():
        assert pyspiel.load_game(f"sekisho_{name}").rules == load_game(name)


@every_game
def test_the_text_of_a_game_loads_that_game(game: Game) -> None:
    ours = openspiel.openspiel_game(game)
    for again in (pyspiel.load_game(str(ours)), pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert (again.rules, str(again)) == (game, str(ours))
    assert pyspiel.load_game(ours.get_type().short_name, ours.get_parameters()).rules == game


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("quoridor(board_size=3,fences=1)", "quoridor", {"board_size": 3, "fences": 1}),
        ("quoridor(players=4)", "quoridor", {"players": 4}),  # 5 fences each, as the game chooses
        ("quoridor(players=4,fences=0,max_plies=-1)", "quoridor", {"players": 4, "fences": 0}),
        ("quoridor(max_plies=0,repetition=3)", "quoridor", {"max_plies": None, "repetition": 3}),
        ("quoridor(repetition=0,third_pawn=Diagonal)", "quoridor", {"third_pawn": "diagonal"}),
        ("tokaido(max_turns=0,rests_add_up=false)", "tokaido", {"rests_add_up": False}),
        ("picture_sugoroku(board=treasure_hunt,chain=False)", "picture_sugoroku",
         {"board": "treasure_hunt", "chain": False}),
    ],
)  # fmt: skip
def test_options_are_parameters(text: str, name: str, options: dict[str, Any]) -> None:
    assert pyspiel.load_game(f"sekisho_{text}").rules == load_game(name, **options)


def test_a_board_from_a_file_is_kept_when_the_file_changes(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps(OWN_BOARD), encoding="utf-8")
    game = pyspiel.load_game("sekisho_picture_sugoroku", {"board": str(path)})
    path.unlink()
    assert pyspiel.load_game(str(game)).rules == load_game("picture_sugoroku", board=OWN_BOARD)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("quoridor(board_size=12)", "'board_size' must be an integer in 3..9, not 12"),
        ("quoridor(fences=-2)", "'fences' must be an integer in 0..1000, not -2"),
        ("quoridor(repetition=2)", "'repetition' must be one of none, 3, not 2"),
        ("tokaido(forks=many)", "'forks' must be one of three, miya, not 'many'"),
        ("picture_sugoroku(board=nowhere)", "there is no board 'nowhere'"),
        ("picture_sugoroku(board=json:e30)", "board"),
        ("picture_sugoroku(board=json:a)", "is no JSON in base 64"),
        ("picture_sugoroku(board=json:@@@@)", "is no JSON in base 64"),
    ],
)
def test_a_value_that_an_option_cannot_take_is_refused(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pyspiel.load_game(f"sekisho_{text}")


@pytest.mark.parametrize("text", ["quoridor(size=3)", "quoridor(max_plies=many)", "tokaido(rests_add_up=3)"])
def test_an_unknown_parameter_or_a_wrong_type_is_refused_by_openspiel(text: str) -> None:
    with pytest.raises(pyspiel.SpielError, match="parameter"):
        pyspiel.load_game(f"sekisho_{text}")


def test_without_openspiel_the_module_names_the_extra_and_the_rest_does_without() -> None:
    found = run_python(
        "import sys\nimport sekisho.envs\nassert 'pyspiel' not in sys.modules\nsys.modules['pyspiel'] = None\n"
        "try:\n    import sekisho.envs.openspiel\nexcept ImportError as error:\n    sys.stdout.write(str(error))"
    )
    assert 'pip install "sekisho[openspiel]"' in found.stdout, found.stderr


def test_a_process_that_used_the_games_ends_in_peace() -> None:
    code = (
        "import pyspiel, sekisho.envs.openspiel\ngame = pyspiel.load_game('sekisho_tokaido')\n"
        "state = game.new_initial_state()\nstate.apply_action(0)\nstate.observation_tensor(0)\nother = state.clone()"
    )
    assert run_python(code).returncode == 0


# --- the same game ---------------------------------------------------------------------------------------------------


@every_game
def test_what_openspiel_is_told_of_a_game_is_what_the_game_says(game: Game) -> None:
    ours = openspiel.openspiel_game(game)
    kind, chance = ours.get_type(), pyspiel.GameType.ChanceMode
    assert kind.chance_mode == (chance.EXPLICIT_STOCHASTIC if game.max_chance_outcomes else chance.DETERMINISTIC)
    assert kind.min_num_players <= ours.num_players() == game.num_players <= kind.max_num_players
    assert (ours.num_distinct_actions(), ours.max_chance_outcomes()) == (game.num_actions, game.max_chance_outcomes)
    assert (ours.min_utility(), ours.max_utility()) == (game.min_utility, game.max_utility)
    assert ours.max_game_length() == (game.max_game_length or openspiel.UNBOUNDED_LENGTH)
    assert tuple(ours.observation_tensor_shape()) == game.observation_shape
    assert bool(ours.max_chance_nodes_in_history()) == bool(game.max_chance_outcomes)
    state = ours.new_initial_state()
    assert state.observation_string(0) == str(state)
    assert state.information_state_string(0) == state.history_str() == ""
    assert ours.make_observer({}) is not None


@every_game
def test_a_game_is_the_same_in_openspiel_and_in_ours(game: Game) -> None:
    rng, ours = random.Random(7), openspiel.openspiel_game(game)
    state, theirs = game.new_initial_state(), ours.new_initial_state()
    for _ in range(150):
        assert theirs.position == state
        assert (theirs.current_player(), theirs.is_terminal()) == (state.current_player(), state.is_terminal())
        assert (theirs.returns(), theirs.rewards()) == (state.returns(), state.rewards())
        assert len(theirs.history()) == len(state.history())
        assert state.to_text() in str(theirs)
        for seat in range(game.num_players):
            assert np.array_equal(theirs.observation_tensor(seat), state.observation_tensor(seat).ravel())
        if state.is_terminal():
            break
        names = [state.action_to_string(action) for action in choices(state)]
        assert [theirs.action_to_string(action) for action in choices(theirs)] == names
        if state.is_chance_node():
            assert [p for _, p in theirs.chance_outcomes()] == [p for _, p in state.chance_outcomes()]
            assert choices(theirs) == list(range(len(names)))
        else:
            assert choices(theirs) == choices(state)
            assert theirs.legal_actions_mask() == state.legal_actions_mask().tolist()
        name = rng.choice(names)
        theirs.apply_action(theirs.string_to_action(name))
        state.apply_action(state.string_to_action(name))


def test_a_refused_action_and_a_refused_position_say_why() -> None:
    ours = pyspiel.load_game("sekisho_quoridor")
    state = ours.new_initial_state()
    with pytest.raises(IllegalActionError, match="it may go to d1, f1, e2"):
        state.apply_action(0)
    assert state.history() == []
    throw = pyspiel.load_game("sekisho_tokaido").new_initial_state()
    for outcome in (-2, 21):
        with pytest.raises(IllegalActionError, match=f"outcomes of this throw are 0..20, not {outcome}"):
            throw.apply_action(outcome)
    with pytest.raises(PositionError):
        ours.new_initial_state("nowhere")
    with pytest.raises(PositionError, match="a position is a text"):
        ours.new_initial_state({"position": 1})
    with pytest.raises(ValueError, match="no parameters"):
        ours.make_py_observer(None, {"planes": 3})


def test_a_state_can_begin_anywhere_and_its_copies_go_their_own_way() -> None:
    ours = pyspiel.load_game("sekisho_quoridor(board_size=5,fences=2)")
    text = ours.rules.new_initial_state().child(7).child(17).to_text()
    state = ours.new_initial_state(text)
    state.apply_action(state.legal_actions()[0])
    before = str(state)
    for twin in (state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state)),
                 pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(ours, state))[1]):  # fmt: skip
        assert (str(twin), twin.history(), twin.position) == (before, state.history(), state.position)
        assert twin.position.history() == state.history()
        twin.apply_action(twin.legal_actions()[-1])
        assert str(state) == before != str(twin)


def test_where_repetition_counts_the_text_tells_states_apart_that_go_on_differently() -> None:
    ours = pyspiel.load_game("sekisho_quoridor(board_size=3,fences=0,repetition=3,max_plies=0)")
    state = ours.new_initial_state()
    texts = [str(state)]
    for name in ["a1", "c3", "b1", "b3", "c1", "c3", "b1", "b3"]:
        state.apply_action(state.string_to_action(name))
        texts.append(str(state))
    assert state.is_terminal()
    assert len(set(texts)) == len(texts)
    other_order = ours.new_initial_state()
    for name in ["c1", "c3", "b1", "b3", "a1", "c3", "b1", "b3"]:
        other_order.apply_action(other_order.string_to_action(name))
    assert str(other_order) == str(state)
    assert other_order.history() != state.history()


# --- OpenSpiel's own tests -------------------------------------------------------------------------------------------


@every_game
def test_the_simulation_test_of_openspiel_passes(game: Game) -> None:
    pyspiel.random_sim_test(openspiel.openspiel_game(game), num_sims=2, serialize=True, verbose=False)


def test_a_game_that_is_not_registered_passes_it_too() -> None:
    pyspiel.random_sim_test(openspiel.openspiel_game(Dash()), num_sims=5, serialize=False, verbose=False)


@pytest.mark.slow
@every_game
def test_many_games_of_the_simulation_test_and_the_one_in_python_pass(game: Game) -> None:
    from open_spiel.python.tests.games_sim_test import GamesSimTest

    ours = openspiel.openspiel_game(game)
    pyspiel.random_sim_test(ours, num_sims=30, serialize=True, verbose=False)
    GamesSimTest().sim_game(ours)


# --- its searches ----------------------------------------------------------------------------------------------------


def play(ours: Any, bots: list[Any]) -> list[float]:
    """Play a game without chance and return what the seats are paid."""
    state = ours.new_initial_state()
    while not state.is_terminal():
        state.apply_action(bots[state.current_player()].step(state))
    returns: list[float] = state.returns()
    return returns


def test_its_mcts_beats_random_play() -> None:
    ours = pyspiel.load_game("sekisho_quoridor(board_size=3,fences=1)")
    draw, total, games = np.random.RandomState(5), 0.0, 12
    evaluator = mcts.RandomRolloutEvaluator(1, draw)
    searcher = mcts.MCTSBot(ours, uct_c=1.5, max_simulations=30, evaluator=evaluator, random_state=draw)
    for number in range(games):
        seat = number % 2
        bots = [searcher, pyspiel.make_uniform_random_bot(1 - seat, number)]
        total += play(ours, bots if seat == 0 else bots[::-1])[seat]
    assert total >= 8  # 10 wins of 12 games; of two equals one would get there in 2 % of all tries


def test_its_mcts_plays_with_dice() -> None:
    ours = pyspiel.load_game("sekisho_tokaido(max_turns=6)")
    draw, state = np.random.RandomState(5), ours.new_initial_state()
    searcher = mcts.MCTSBot(ours, 1.5, 20, mcts.RandomRolloutEvaluator(1, draw), random_state=draw)
    while not state.is_terminal():
        state.apply_action(choices(state)[0] if state.is_chance_node() else searcher.step(state))
    assert sum(state.returns()) == 0


# --- its value iteration ---------------------------------------------------------------------------------------------

Iteration = Callable[[Game], dict[str, float]]


@pytest.fixture
def iterate(monkeypatch: pytest.MonkeyPatch) -> Iteration:
    """OpenSpiel's value iteration; what it solves simultaneous moves with is left out, as that needs cvxpy."""
    algorithms = "open_spiel.python.algorithms"
    if importlib.util.find_spec("cvxpy") is None:
        monkeypatch.setitem(sys.modules, f"{algorithms}.lp_solver", types.ModuleType("lp_solver"))
    module = importlib.import_module(f"{algorithms}.value_iteration")
    return lambda game: module.value_iteration(openspiel.openspiel_game(game), -1, 1e-9, cyclic_game=True)


def solve(state: State, book: Any, values: dict[str, float]) -> float:
    """Return what seat 0 gets with best play by a reference rule book; `state` only names the nodes in `values`."""
    text = state.to_text()
    if text not in values:
        chances = book.chance_outcomes() if hasattr(book, "chance_outcomes") else {}
        results = {}
        for move in [*chances, *book.legal_moves()]:
            after = copy.deepcopy(book)
            after.play(move)
            results[move] = solve(state.child(state.string_to_action(move)), after, values)
        if chances:
            values[text] = sum(float(chance) * results[move] for move, chance in chances.items())
        elif results:
            seat = book.seat() if callable(book.seat) else book.seat
            values[text] = (min if seat else max)(results.values())
        else:
            values[text] = book.returns()[0]
    return values[text]


def compare_values(iterate: Iteration, game: Game, book: Any) -> dict[str, float]:
    """Check every value of OpenSpiel's value iteration, chance nodes left out as it has none; return them."""
    found = iterate(game)
    expected: dict[str, float] = {}
    solve(game.new_initial_state(), book, expected)
    assert found.keys() <= expected.keys()
    for text, value in found.items():
        assert value == pytest.approx(expected[text], abs=1e-6), text
    return found


@pytest.mark.parametrize(("fences", "max_plies"), [(0, 8), (1, 4)])
def test_value_iteration_on_quoridor_agrees_with_the_rule_book(iterate: Iteration, fences: int, max_plies: int) -> None:
    options: dict[str, Any] = {"board_size": 3, "fences": fences, "max_plies": max_plies}
    values = compare_values(iterate, load_game("quoridor", **options), QuoridorBook(**options))
    assert len(set(values.values())) == 3  # wins, draws by the cap, losses


@pytest.mark.slow
def test_value_iteration_on_longer_quoridor_agrees_with_the_rule_book(iterate: Iteration) -> None:
    options: dict[str, Any] = {"board_size": 3, "fences": 1, "max_plies": 9}
    compare_values(iterate, load_game("quoridor", **options), QuoridorBook(**options))


def test_value_iteration_on_tokaido_agrees_with_the_rule_book(iterate: Iteration) -> None:
    values = compare_values(iterate, load_game("tokaido", max_turns=2), TokaidoBook(max_turns=2))
    assert len(set(values.values())) > 5


def test_value_iteration_on_picture_sugoroku_agrees_with_the_rule_book(iterate: Iteration) -> None:
    game = load_game("picture_sugoroku", board=OWN_BOARD, allow_resign=True)
    values = compare_values(iterate, game, PictureBook(OWN_BOARD, players=2, allow_resign=True))
    first = values[game.new_initial_state().to_text()]
    assert 0 < first < 1  # it is better to begin


def test_value_iteration_on_dice_with_choices_goes_through_a_game_of_another_package(iterate: Iteration) -> None:
    found = iterate(Dash(length=2))
    # a throw of 2 or 3 (1/2) wins at once, else the other is to throw with one's pawn on 1: then every throw wins
    assert found["1 0 1 2"] == -1
    assert found["0 0 0 1"] == pytest.approx(-1 / 2 + 1 / 2)
