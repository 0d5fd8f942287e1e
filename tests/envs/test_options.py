"""Rule options in Python and in text."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.envs import game_names, load_game
from sekisho.envs.errors import OptionError, SekishoError, UnknownNameError
from sekisho.envs.options import Option, parse_options, resolve, spell_value
from sekisho.envs.registry import game_class

DECLARED = (
    Option("size", 5, "a number", minimum=3, maximum=9),
    Option("cap", lambda chosen: 2 * chosen["size"], "a number or none", minimum=1, maximum=99, allow_none=True),
    Option("style", "plain", "a word", choices=("plain", "Fancy")),
    Option("quick", False, "yes or no", choices=(False, True)),
    Option("third", None, "three or nothing", choices=(None, 3)),
)


def test_defaults_stand_where_nothing_is_chosen_and_follow_earlier_choices() -> None:
    assert resolve(DECLARED, {}, "game") == {"size": 5, "cap": 10, "style": "plain", "quick": False, "third": None}
    assert resolve(DECLARED, {"size": 9}, "game")["cap"] == 18
    assert resolve(DECLARED, {"size": 9, "cap": None}, "game")["cap"] is None


def test_resolved_options_keep_the_declared_order_and_cannot_be_changed() -> None:
    options = resolve(DECLARED, {"third": 3, "size": 4}, "game")
    assert list(options) == ["size", "cap", "style", "quick", "third"]
    assert isinstance(options, MappingProxyType)


@pytest.mark.parametrize(
    ("number", "value", "kept"),
    [
        (0, 3, 3),
        (0, 9, 9),
        (0, np.int64(4), 4),
        (1, None, None),
        (1, 1, 1),
        (2, "Fancy", "Fancy"),
        (3, True, True),
        (4, None, None),
        (4, 3, 3),
        (4, np.int8(3), 3),
    ],
)
def test_an_allowed_value_is_kept_as_a_plain_one(number: int, value: Any, kept: Any) -> None:
    result = DECLARED[number].check(value)
    assert result == kept
    assert type(result) is type(kept)


@pytest.mark.parametrize(
    ("number", "value", "expected"),
    [
        (0, 2, "an integer in 3..9, not 2"),
        (0, 10, "an integer in 3..9, not 10"),
        (0, 5.0, "an integer in 3..9, not 5.0"),
        (0, "5", "an integer in 3..9, not '5'"),
        (0, True, "an integer in 3..9, not True"),
        (0, None, "an integer in 3..9, not None"),
        (1, 0, "an integer in 1..99 or none, not 0"),
        (1, False, "an integer in 1..99 or none, not False"),
        (2, "fancy", "one of plain, fancy, not 'fancy'"),
        (2, ["plain"], "one of plain, fancy, not ['plain']"),
        (3, 1, "one of false, true, not 1"),
        (3, "yes", "one of false, true, not 'yes'"),
        (4, 2, "one of none, 3, not 2"),
        (4, True, "one of none, 3, not True"),
    ],
)
def test_any_other_value_is_refused_with_what_was_expected(number: int, value: Any, expected: str) -> None:
    with pytest.raises(OptionError) as caught:
        DECLARED[number].check(value)
    assert str(caught.value) == f"option {DECLARED[number].name!r} must be {expected}"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("  ", {}),
        ("size=4", {"size": 4}),
        (" size = +4 , cap=NONE", {"size": 4, "cap": None}),
        ("cap=off,style=FANCY", {"cap": None, "style": "Fancy"}),
        ("quick=yes,third=3", {"quick": True, "third": 3}),
        ("quick=0,third=off", {"quick": False, "third": None}),
    ],
)
def test_option_texts_are_read(text: str, values: dict[str, Any]) -> None:
    assert parse_options(DECLARED, text, "game") == values


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("size", OptionError, "'size' has no '='"),
        (",", OptionError, "rules are key=value pairs, a comma between two; ',' has a comma too many"),
        (" , ,", OptionError, "a comma too many"),
        ("size=4,", OptionError, "a comma too many"),
        (",size=4", OptionError, "a comma too many"),
        ("size=4,,quick=yes", OptionError, "a comma too many"),
        ("size=", OptionError, "option 'size' must be an integer in 3..9, not ''"),
        ("size=4,size=5", OptionError, "option 'size' is given twice"),
        ("sise=4", UnknownNameError, "game has no option 'sise'; did you mean 'size'?"),
        ("=4", UnknownNameError, "game has no option ''"),
        ("size=--4", OptionError, "must be an integer in 3..9, not '--4'"),
        ("size=+-4", OptionError, "must be an integer in 3..9, not '+-4'"),
        ("size=٤", OptionError, "must be an integer in 3..9, not '٤'"),
        ("size=²", OptionError, "must be an integer in 3..9, not '²'"),
        ("size=4_0", OptionError, "must be an integer in 3..9, not '4_0'"),
        ("size=none", OptionError, "must be an integer in 3..9, not 'none'"),
        ("size=123456789012345678901", OptionError, "must be an integer in 3..9, not '123456789012345678901'"),
        ("style=bold", OptionError, "must be one of plain, fancy, not 'bold'"),
        ("size=4=5", OptionError, "not '4=5'"),
    ],
)
def test_a_malformed_option_text_is_refused_in_words(text: str, error: type[SekishoError], message: str) -> None:
    with pytest.raises(error) as caught:
        parse_options(DECLARED, text, "game")
    assert message in str(caught.value)


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'size'"):
        resolve(DECLARED, {"siez": 4}, "game")
    with pytest.raises(UnknownNameError, match="did you mean 'players'"):
        load_game("quoridor", player=2)


@pytest.mark.parametrize(
    ("value", "text"), [(None, "none"), (True, "true"), (False, "false"), (7, "7"), ("Fancy", "fancy")]
)
def test_a_value_is_spelt_as_it_can_be_read(value: Any, text: str) -> None:
    assert spell_value(value) == text
    option = next(o for o in DECLARED if value in o.choices or (value == 7 and not o.choices))
    assert option.parse(text) == value


@pytest.mark.parametrize("game", game_names())
def test_every_value_of_every_option_can_be_written_and_read_back(game: str) -> None:
    for option in game_class(game).OPTIONS:
        values = option.choices or (option.minimum, option.maximum, *((None,) if option.allow_none else ()))
        for value in SPECIAL.get((game, option.name), values):
            text = f"{option.name}={spell_value(value)}"
            assert parse_options(game_class(game).OPTIONS, text, game) == {option.name: value}


SPECIAL = {("picture_sugoroku", "board"): ("round_the_seasons", "a_short_walk", "treasure_hunt")}
ALPHABET = "0123456789aeionst=,+- _.\0²٤é"
words = st.one_of(
    st.sampled_from(
        ["size", "cap", "style", "quick", "third", "=", ",", "-", "+", "4", "none", "yes", "fancy", " ", "1e3"]
    ),
    st.text(ALPHABET, max_size=3),
)


@given(st.lists(words, max_size=8).map("".join))
def test_any_text_is_either_read_to_allowed_values_or_refused_on_purpose(text: str) -> None:
    try:
        values = parse_options(DECLARED, text, "game")
    except SekishoError:
        return
    again = ",".join(f"{name}={spell_value(value)}" for name, value in values.items())
    assert parse_options(DECLARED, again, "game") == values
    assert values.items() <= resolve(DECLARED, values, "game").items()


values = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 12), st.floats(), st.text(ALPHABET, max_size=9),
    st.sampled_from([choice for name in game_names() for option in game_class(name).OPTIONS for choice in option.choices]),
    st.lists(st.integers(), max_size=2),
)  # fmt: skip


@pytest.mark.parametrize("name", game_names())
@given(data=st.data())
def test_any_values_either_make_a_game_that_can_be_played_or_are_refused_on_purpose(
    name: str, data: st.DataObject
) -> None:
    names = st.sampled_from([option.name for option in game_class(name).OPTIONS])
    options = data.draw(st.dictionaries(names, values, max_size=4))
    try:
        game = load_game(name, **options)
    except SekishoError:
        return
    state = game.new_initial_state()
    assert game == load_game(name, **dict(game.options))
    assert game.from_text(state.to_text()).to_text() == state.to_text()
    state.apply_action(state.chance_outcomes()[0][0] if state.is_chance_node() else state.legal_actions()[0])


@pytest.mark.parametrize(
    "value", [2.0, 2 + 0j, True, np.array([2, 4]), np.array([2]), [2], pytest.param(10**5000, id="huge"), "2", None]
)
@pytest.mark.parametrize("name", game_names())
def test_a_number_of_players_is_a_whole_number_and_nothing_like_it(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match="option 'players' must be"):
        load_game(name, players=value)


@pytest.mark.parametrize("name", game_names())
def test_an_option_may_not_be_named_like_a_parameter_of_python(name: str) -> None:
    for foreign in ("self", "name"):
        with pytest.raises(UnknownNameError):
            load_game(name, **{foreign: 1})
