"""Games by name."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from sekisho.envs import Game, game_names, load_game, registry
from sekisho.envs.errors import OptionError, PositionError, UnknownNameError
from sekisho.envs.registry import game_class, register_game, state_from_dict
from support import dash


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test register games without a trace."""
    monkeypatch.setattr(registry, "_games", dict(registry._games))


@pytest.mark.parametrize("name", game_names())
def test_every_registered_game_loads_with_its_defaults_under_its_own_name(name: str) -> None:
    game = load_game(name)
    assert isinstance(game, Game)
    assert (game.name, type(game)) == (name, game_class(name))
    assert set(game.options) == {option.name for option in game.OPTIONS}
    assert all(option.help for option in game.OPTIONS)
    assert game.title
    assert game.num_players >= 2
    assert game.num_actions >= 1


def test_names_are_sorted_and_hold_quoridor() -> None:
    assert game_names() == sorted(game_names())
    assert "quoridor" in game_names()


@pytest.mark.parametrize(("name", "hint"), [("quoridr", "did you mean 'quoridor'"), ("go", "known: "), ("", "known: ")])
def test_an_unknown_game_is_refused_with_the_names_that_exist(name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=hint):
        load_game(name)


@pytest.mark.parametrize("option", ["name", "self", "game", "player", ""])
def test_any_unknown_option_is_refused_whatever_it_is_called(option: str) -> None:
    with pytest.raises(UnknownNameError, match=f"quoridor has no option {option!r}"):
        load_game("quoridor", **{option: 1})


@pytest.mark.usefixtures("own_registry")
def test_a_game_of_another_package_is_known_once_it_is_registered() -> None:
    register_game("dash", "support.dash:Dash")
    assert "dash" in game_names()
    assert load_game("dash", length=9) == dash.Dash(length=9)
    with pytest.raises(OptionError, match="'length' must be"):
        load_game("dash", length=0)
    state = load_game("dash").new_initial_state()
    state.apply_action(2)
    assert state_from_dict(state.to_dict()) == state


@pytest.mark.usefixtures("own_registry")
def test_a_name_that_is_taken_cannot_be_registered_again() -> None:
    with pytest.raises(ValueError, match="'quoridor' is registered already"):
        register_game("quoridor", dash.Dash)
    assert game_class("quoridor") is not dash.Dash


def test_games_are_equal_when_name_and_options_are() -> None:
    game, same = load_game("quoridor", fences=10), load_game("quoridor")
    assert game == same
    assert hash(game) == hash(same)
    others = [
        load_game("quoridor", players=4),
        load_game("quoridor", max_plies=None),
        load_game("quoridor", repetition=3),
    ]
    assert all(game != other for other in others)
    assert game != dash.Dash()
    assert game != "quoridor"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
def test_a_copy_of_a_game_is_the_same_game(copied: Any) -> None:
    game = load_game("quoridor", players=4, board_size=5, third_pawn="diagonal")
    assert copied(game) == game
    assert copied(game).new_initial_state() == game.new_initial_state()


def test_the_repr_of_a_game_makes_that_game() -> None:
    game = load_game("quoridor", players=4, max_plies=None)
    assert eval(repr(game), {"Quoridor": game_class("quoridor")}) == game


def test_the_options_of_a_game_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        load_game("quoridor").options["players"] = 4  # type: ignore[index]


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (None, PositionError, "a state is a mapping"),
        ([], PositionError, "a state is a mapping"),
        ({}, PositionError, "a state is a mapping"),
        ({"game": "quoridor"}, PositionError, "a state is a mapping"),
        ({"game": 1, "rules": {}}, PositionError, "a state is a mapping"),
        ({"game": "quoridor", "rules": []}, PositionError, "a state is a mapping"),
        ({"game": "chess", "rules": {}}, UnknownNameError, "there is no game 'chess'"),
        ({"game": "quoridor", "rules": {"name": 1}}, UnknownNameError, "no option 'name'"),
        ({"game": "quoridor", "rules": {"self": 1}}, UnknownNameError, "no option 'self'"),
        ({"game": "quoridor", "rules": {3: 1}}, PositionError, "names of rule options are texts"),
        ({"game": "quoridor", "rules": {"players": 3}}, OptionError, "'players' must be one of 2, 4, not 3"),
        ({"game": "quoridor", "rules": {}}, PositionError, "the keys format, game, moves, position, rules, start"),
    ],
)
def test_a_malformed_dict_form_is_refused_in_words(data: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        state_from_dict(data)
    assert message in str(caught.value)


def test_the_game_of_a_dict_form_is_found_by_its_name_and_rules() -> None:
    state = load_game("quoridor", players=4, board_size=5, repetition=3).new_initial_state()
    state.apply_moves("c2 b3 c4 d3 a1h")
    again = state_from_dict(state.to_dict())
    assert again == state
    assert again.game == state.game
    assert again.history() == state.history()
