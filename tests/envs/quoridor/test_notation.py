"""Moves and positions in writing: what is written, what is read, what is refused and with which words."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.envs import load_game
from sekisho.envs.errors import IllegalActionError, NotationError, PositionError, SekishoError, UnknownNameError
from sekisho.envs.quoridor.notation import CONVERTERS, action_names, action_number, convert_moves
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState
from support.quoridor_play import biased_action, random_habit

SIZES = range(3, 10)


def quoridor(**options: Any) -> Quoridor:
    game = load_game("quoridor", **options)
    assert isinstance(game, Quoridor)
    return game


def played(moves: str, **options: Any) -> QuoridorState:
    state = quoridor(**options).new_initial_state()
    state.apply_moves(moves)
    return state


# --- moves -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (0, "a1"), (8, "i1"), (9, "a2"), (13, "e2"), (80, "i9"),
        (81, "a1h"), (88, "h1h"), (89, "a2h"), (101, "e3h"), (144, "h8h"),
        (145, "a1v"), (165, "e3v"), (208, "h8v"),
    ],
)  # fmt: skip
def test_the_numbers_of_actions_are_frozen(number: int, name: str) -> None:
    assert action_names(9)[number] == name
    assert action_number(name, 9) == number
    assert quoridor().num_actions == quoridor(players=4).num_actions == 209


@pytest.mark.parametrize("size", SIZES)
def test_every_action_has_one_name_and_every_name_one_action(size: int) -> None:
    files = "abcdefghi"
    squares = [f"{files[file]}{rank + 1}" for rank in range(size) for file in range(size)]
    anchors = [f"{files[file]}{rank + 1}" for rank in range(size - 1) for file in range(size - 1)]
    names = squares + [anchor + "h" for anchor in anchors] + [anchor + "v" for anchor in anchors]
    assert quoridor(board_size=size).num_actions == len(names)
    assert [action_names(size)[number] for number in range(len(names))] == names
    assert [action_number(name, size) for name in names] == list(range(len(names)))


@pytest.mark.parametrize("word", ["E2", " e2", "e2\n", "\te2 "])
def test_upper_case_and_surrounding_blanks_are_accepted(word: str) -> None:
    assert quoridor().new_initial_state().string_to_action(word) == 13


@pytest.mark.parametrize(
    "word",
    [
        *(
            "",
            " ",
            "e",
            "2",
            "e0",
            "e10",
            "j1",
            "e02",
            "e2 h",
            "e2,",
            "2e",
            "e2hv",
            "e2x",
            "h",
            "he2",
            "ee2",
            "e-2",
            "e２",
        ),
        *("e9h", "i1h", "i1v", "a9v", "e2\0", "ë2", "e2e3", "pass", "e2.", "e99999999999999999999", "e²"),
    ],
)
def test_any_other_word_is_refused_with_what_was_expected(word: str) -> None:
    with pytest.raises(NotationError) as caught:
        quoridor().new_initial_state().string_to_action(word)
    assert str(caught.value) == (
        f"{word!r} is no move; expected a square a1..i9 for the pawn or an anchor a1..h8 with h or v for a fence"
    )


@pytest.mark.parametrize(("size", "word"), [(3, "d1"), (3, "a4"), (3, "c1h"), (3, "a3v"), (8, "i1"), (8, "h1v")])
def test_what_lies_off_a_smaller_board_is_refused(size: int, word: str) -> None:
    with pytest.raises(NotationError, match="expected a square a1"):
        action_number(word, size)


@pytest.mark.parametrize("value", [None, 3, b"e2", ["e2"], {}])
def test_what_is_no_text_is_refused(value: Any) -> None:
    with pytest.raises(NotationError, match="is no move"):
        action_number(value, 9)


@pytest.mark.parametrize(
    ("moves", "move", "why"),
    [
        ("", "e3", "the pawn on e1 cannot go there; it may go to d1, f1, e2"),
        ("", "e1", "the pawn on e1 cannot go there; it may go to d1, f1, e2"),
        ("e1h", "e8h", None),
        ("e3h", "e3v", "the fence overlaps or crosses another"),
        ("e3h", "e3h", "the fence overlaps or crosses another"),
        ("e3h", "d3h", "the fence overlaps or crosses another"),
        ("a1h c1h e1h g1h", "h1v", "the fence cuts seat 1 off from its goal line"),
        ("a8h c8h e8h g8h", "h8v", "the fence cuts seat 2 off from its goal line"),
        ("e2 e8 e3 e7 e4 e6 e5 e4 e6 e3 e7 e2 e8 e1", "e9", "the game is over (goal)"),
    ],
)
def test_an_illegal_move_is_explained(moves: str, move: str, why: str | None) -> None:
    state = played(moves)
    action = action_number(move, 9)
    if why is None:
        assert state.string_to_action(move) == action
        return
    for attempt in (lambda: state.string_to_action(move), lambda: state.apply_action(action)):
        with pytest.raises(IllegalActionError) as caught:
            attempt()
        assert str(caught.value) == f"{move}: {why}"


def test_a_fence_from_an_empty_hand_and_a_move_out_of_a_shut_corner_are_explained() -> None:
    shut = quoridor(players=4, fences=1).from_text("a1 / / a1 b1 e8 c1 / 0 1 1 1 / 1 / 20")
    with pytest.raises(IllegalActionError, match=r"^h8h: seat 1 has no fences left$"):
        shut.string_to_action("h8h")
    with pytest.raises(IllegalActionError, match=r"^a2: the pawn on a1 cannot go there; it may go to a1$"):
        shut.string_to_action("a2")
    free = quoridor(players=4, fences=2).from_text("a1 / / a1 b1 e8 c1 / 1 2 2 2 / 1 / 20")
    with pytest.raises(IllegalActionError, match=r"^a2: the pawn on a1 cannot go there; it cannot move$"):
        free.string_to_action("a2")


@pytest.mark.parametrize(
    ("moves", "error", "message"),
    [
        ("e2 e8 x9", NotationError, "move 3 (character 7): 'x9' is no move; expected a square"),
        ("e2 e7", IllegalActionError, "move 2 (character 4): e7: the pawn on e9 cannot go there; it may go to"),
        ("e2  e8\n e5", IllegalActionError, "move 3 (character 9): e5: the pawn on e2 cannot go there"),
    ],
)
def test_a_bad_word_in_a_game_is_named_with_its_place_and_nothing_is_played(
    moves: str, error: type[SekishoError], message: str
) -> None:
    state = quoridor().new_initial_state()
    with pytest.raises(error) as caught:
        state.apply_moves(moves)
    assert str(caught.value).startswith(message)
    assert state.history() == []
    assert state == quoridor().new_initial_state()


def test_moves_apart_by_any_blanks_are_played() -> None:
    assert played("  e2\te8\n\nE3H ").moves() == ["e2", "e8", "e3h"]
    assert played(" ").moves() == []


# --- positions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "options", "text"),
    [
        ("", {}, "/ / e1 e9 / 10 10 / 1 / 0"),
        ("", {"players": 4}, "/ / e1 a5 e9 i5 / 5 5 5 5 / 1 / 0"),
        ("", {"players": 4, "board_size": 4}, "/ / b1 a3 c4 d2 / 5 5 5 5 / 1 / 0"),
        ("e3h", {}, "e3 / / e1 e9 / 9 10 / 2 / 1"),
        ("e3v", {}, "/ e3 / e1 e9 / 9 10 / 2 / 1"),
        ("c5h e8 e3h d4v e2", {}, "e3c5 / d4 / e2 e8 / 8 9 / 2 / 5"),
    ],
)
def test_a_position_is_written_in_the_common_form(moves: str, options: dict[str, Any], text: str) -> None:
    state = played(moves, **options)
    assert state.to_text() == text
    assert state.game.from_text(text).to_text() == text


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("size", SIZES)
def test_positions_of_random_games_survive_text_to_the_end_of_the_game(size: int, players: int) -> None:
    game, rng = quoridor(players=players, board_size=size, fences=size - 1), random.Random(size)
    ends = set()
    for _ in range(3):
        state, habit = game.new_initial_state(), random_habit(rng)
        while True:
            again = game.from_text(state.to_text())
            assert again == state
            assert again.to_text() == state.to_text()
            assert again.legal_actions() == state.legal_actions()
            assert again.returns() == state.returns()
            if state.is_terminal():
                ends.add(state.end_reason())
                break
            state.apply_action(biased_action(state, rng, habit))
    assert ends <= {"goal", "max_plies"}


@pytest.mark.parametrize(
    "text",
    [
        "e3c5 / d4 / e4 f6 / 8 9 / 1 / 6",
        "c5e3/d4/e4f6/8,9/1/6",
        " E3 C5 / D4 / E4 , F6 / 8  9 / 1 / 6 ",
        "e3,c5/d4/e4,f6/8, 9/1/6",
        "e3hc5h / d4v / e4 f6 / 8 9 / 1 / 6",
        "e3h c5 / d4v / e4 f6 / 8 9 / 1 / 06",
        "c5\te3\n/ d4 / e4 f6 / 8 9 / 1 / 6",
    ],
)
def test_accepted_ways_to_write_a_position_mean_the_same(text: str) -> None:
    assert quoridor().from_text(text).to_text() == "e3c5 / d4 / e4 f6 / 8 9 / 1 / 6"


@pytest.mark.parametrize(
    ("field", "horizontal"),
    [
        ("h3", "h3"),
        ("h3h", "h3"),
        ("e3h4", "e3h4"),
        ("e3hh4", "e3h4"),
        ("e3hh4h", "e3h4"),
        ("e3 h4h", "e3h4"),
        ("e3h h4", "e3h4"),
    ],
)
def test_an_h_before_a_digit_begins_a_square_and_is_a_suffix_elsewhere(field: str, horizontal: str) -> None:
    left = 10 - len(horizontal) // 2
    state = quoridor().from_text(f"{field} / / e1 e9 / {left} 10 / 1 / 0")
    assert state.to_text() == f"{horizontal} / / e1 e9 / {left} 10 / 1 / 0"


def test_without_a_ply_it_is_0() -> None:
    state = quoridor().from_text("/ / e2 e9 / 10 10 / 2")
    assert (state.ply, state.seat) == (0, 1)
    assert state.to_text() == "/ / e2 e9 / 10 10 / 2 / 0"


@pytest.mark.parametrize(
    ("options", "text", "message"),
    [
        ({}, "", "a position is 'horizontal fences / vertical fences / pawns / fences left / seat to move / ply', the last "
         "may be missing; '' has 1 fields"),
        ({}, "/ / e1 e9 / 10 10", "has 4 fields"),
        ({}, "/ / e1 e9 / 10 10 / 1 / 0 /", "has 7 fields"),
        ({}, "/ / e1 / 10 10 / 1 / 0", "expected the pawns of 2 players, not 1: 'e1'"),
        ({"players": 4}, "/ / e1 e9 / 5 5 5 5 / 1 / 0", "expected the pawns of 4 players, not 2: 'e1 e9'"),
        ({}, "/ / e1 j9 / 10 10 / 1 / 0", "pawns: 'j9' is off the board; expected a1..i9"),
        ({}, "/ / e1 e0 / 10 10 / 1 / 0", "pawns: 'e0' is off the board; expected a1..i9"),
        ({}, "/ / e1 e9h / 10 10 / 1 / 0", "pawns: expected squares a1..i9, not 'e9h'"),
        ({}, "/ / e1 e / 10 10 / 1 / 0", "pawns: expected squares a1..i9, not 'e'"),
        ({}, "/ / e1 e10 / 10 10 / 1 / 0", "pawns: expected squares a1..i9, not '0'"),
        ({}, "/ / e1 e9 / 10 / 1 / 0", "expected the fences left of 2 players, not 1: '10'"),
        ({}, "/ / e1 e9 / / 1 / 0", "fences left: expected a whole number, not ''"),
        ({}, "/ / e1 e9 / 10 x / 1 / 0", "fences left: expected a whole number, not 'x'"),
        ({}, "/ / e1 e9 / 11 -1 / 1 / 0", "fences left: expected a whole number, not '-1'"),
        ({}, "/ / e1 e9 / 10 1٠ / 1 / 0", "fences left: expected a whole number, not '1٠'"),
        ({}, "/ / e1 e9 / 10 10 / 0 / 0", "the seat to move must be 1..2, not 0"),
        ({}, "/ / e1 e9 / 10 10 / 3 / 0", "the seat to move must be 1..2, not 3"),
        ({}, "/ / e1 e9 / 10 10 / / 0", "seat to move: expected a whole number, not ''"),
        ({}, "/ / e1 e9 / 10 10 / 1 /", "ply: expected a whole number, not ''"),
        ({}, "/ / e1 e9 / 10 10 / 1 / -4", "ply: expected a whole number, not '-4'"),
        ({}, "/ / e1 e9 / 10 10 / 1 / 1234567890", "ply: expected a whole number, not '1234567890'"),
        ({}, "e3v / / e1 e9 / 9 10 / 1 / 0", "horizontal fences: expected squares a1..h8, not 'e3v'"),
        ({}, "/ e3h / e1 e9 / 9 10 / 1 / 0", "vertical fences: expected squares a1..h8, not 'e3h'"),
        ({}, "i3 / / e1 e9 / 9 10 / 1 / 0", "horizontal fences: 'i3' is off the board; expected a1..h8"),
        ({}, "/ a9 / e1 e9 / 9 10 / 1 / 0", "vertical fences: 'a9' is off the board; expected a1..h8"),
        ({}, "e3;c5 / / e1 e9 / 8 10 / 1 / 0", "horizontal fences: expected squares a1..h8, not ';c5'"),
        ({}, "/ / e5 e5 / 10 10 / 1 / 0", "two pawns stand on the same square"),
        ({}, "/ / e9 e1 / 10 10 / 1 / 0", "seats 1 and 2 both stand on their goal lines"),
        ({}, "/ / e9 d5 / 10 10 / 1 / 17",
         "seat 1 stands on its goal line, so it has just moved and the seat after it is to move, not seat 1"),
        ({"players": 4}, "/ / e2 a5 e1 i5 / 5 5 5 5 / 1 / 8",
         "seat 3 stands on its goal line, so it has just moved and the seat after it is to move, not seat 1"),
        ({}, "/ / e1 e9 / 11 9 / 1 / 0", "nobody has more than 10 fences in hand, not 11"),
        ({}, "e3 / / e1 e9 / 10 10 / 1 / 0",
         "1 fences on the board and 20 in hand do not add up to 10 for each of 2 players"),
        ({}, "/ / e1 e9 / 10 9 / 1 / 0",
         "0 fences on the board and 19 in hand do not add up to 10 for each of 2 players"),
        ({}, "e3e3 / / e1 e9 / 9 9 / 1 / 0", "the fence e3h overlaps or crosses another"),
        ({}, "e3f3 / / e1 e9 / 9 9 / 1 / 0", "the fence f3h overlaps or crosses another"),
        ({}, "e3 / e3 / e1 e9 / 9 9 / 1 / 0", "the fence e3v overlaps or crosses another"),
        ({}, "/ e3e4 / e1 e9 / 9 9 / 1 / 0", "the fence e4v overlaps or crosses another"),
        ({}, "a1c1e1g1 / h1 / e1 e9 / 7 8 / 2 / 5", "the pawn of seat 1 has no path to its goal line"),
        ({}, "a8c8e8g8 / h8 / e1 e9 / 7 8 / 2 / 5", "the pawn of seat 2 has no path to its goal line"),
        ({"board_size": 3, "fences": 1}, "c1 / / b1 b3 / 0 1 / 2 / 1", "horizontal fences: 'c1' is off the board; expected a1..b2"),
    ],
)  # fmt: skip
def test_a_malformed_or_impossible_position_is_refused_in_words(
    options: dict[str, Any], text: str, message: str
) -> None:
    with pytest.raises(PositionError) as caught:
        quoridor(**options).from_text(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("value", [None, 5, b"/ / e1 e9 / 10 10 / 1 / 0", []])
def test_a_position_that_is_no_text_is_refused(value: Any) -> None:
    with pytest.raises(PositionError, match="a position is a text"):
        quoridor().from_text(value)


# --- other notations -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["glendenning", "openspiel"])
@pytest.mark.parametrize(
    ("size", "ours", "theirs"),
    [
        (9, "e2 e8 a1 i9", "e8 e2 a9 i1"),  # 10 - rank for pawns
        (9, "e3h a1h h8v d4v", "e6h a8h h1v d5v"),  # 9 - rank for fences
        (5, "c2 c4 a1h d4v", "c4 c2 a4h d1v"),
        (4, "b1 a3 b2v", "b4 a2 b2v"),
        (9, "", ""),
    ],
)
def test_ranks_are_counted_from_the_other_side(other: str, size: int, ours: str, theirs: str) -> None:
    assert convert_moves(ours, "standard", other, size) == theirs
    assert convert_moves(theirs, other, "standard", size) == ours


def test_converting_within_a_family_changes_nothing_but_case_and_blanks() -> None:
    for name in CONVERTERS:
        assert convert_moves(" E2  e3H\n", name, name) == "e2 e3h"
    assert convert_moves("e8 e6h", "glendenning", "openspiel") == "e8 e6h"


def test_a_word_that_is_no_move_is_named_with_its_place() -> None:
    with pytest.raises(NotationError, match=r"^move 2: 'j1' is no move; expected a square a1\.\.i9"):
        convert_moves("e2 j1", "standard", "openspiel")


@pytest.mark.parametrize(("source", "target"), [("glendening", "standard"), ("standard", "glendening")])
def test_an_unknown_notation_is_refused_with_the_nearest(source: str, target: str) -> None:
    with pytest.raises(UnknownNameError, match="no notation 'glendening'; did you mean 'glendenning'"):
        convert_moves("e2", source, target)


# --- damaged input ---------------------------------------------------------------------------------------------------

ALPHABET = "abehijvx0123459/ ,-.HE\t\0é２"
GAME = quoridor(board_size=5, fences=3)
LINE = "c2 c4 b2h c3 a1v d4h d1h"
TEXT = played(LINE, board_size=5, fences=3).to_text()


@st.composite
def mutated(draw: st.DrawFn, text: str) -> str:
    """A text with a few characters changed, dropped, doubled or put in."""
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        new = draw(st.text(ALPHABET, max_size=2))
        text = text[:at] + new + text[at + draw(st.integers(0, 2)) :]
    return text


@given(mutated(LINE))
def test_damaged_moves_are_played_or_refused_on_purpose(moves: str) -> None:
    state = GAME.new_initial_state()
    try:
        state.apply_moves(moves)
    except SekishoError:
        assert state == GAME.new_initial_state()
        return
    assert [move.lower() for move in moves.split()] == state.moves()
    assert GAME.from_dict(state.to_dict()) == state


@given(mutated(TEXT))
def test_a_damaged_position_is_refused_on_purpose_or_can_be_written_read_and_played(text: str) -> None:
    try:
        state = GAME.from_text(text)
    except PositionError:
        return
    assert GAME.from_text(state.to_text()) == state
    assert state.is_terminal() or state.child(state.legal_actions()[0]).ply == state.ply + 1
    assert len(state.horizontal_fences) + len(state.vertical_fences) + sum(state.fences_left) == 6


values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 400),
        st.text(ALPHABET, max_size=4),
        st.sampled_from(["c2", LINE, TEXT]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("abc", max_size=2), inner, max_size=2)
    ),
    max_leaves=4,
)


@st.composite
def mutated_dicts(draw: st.DrawFn) -> dict[str, Any]:
    """The dict form of a game with one part replaced, dropped, added or mutated."""
    data = json.loads(json.dumps(played(LINE, board_size=5, fences=3).to_dict()))
    key = draw(st.sampled_from(sorted(data)))
    kind = draw(st.sampled_from(["replace", "drop", "add", "text", "moves", "rules"]))
    if kind == "replace":
        data[key] = draw(values)
    elif kind == "drop":
        del data[key]
    elif kind == "add":
        data[draw(st.text(ALPHABET, max_size=3))] = draw(values)
    elif kind == "text":
        name = draw(st.sampled_from(["start", "position", "game"]))
        data[name] = draw(mutated(data[name]))
    elif kind == "moves":
        data["moves"][draw(st.integers(0, len(data["moves"]) - 1))] = draw(values)
    else:
        data["rules"][draw(st.sampled_from([*data["rules"], "x", "self"]))] = draw(values)
    return data


@given(mutated_dicts())
def test_a_damaged_dict_form_is_refused_on_purpose_or_round_trips(data: dict[str, Any]) -> None:
    try:
        state = GAME.from_dict(data)
    except PositionError:
        return
    assert GAME.from_dict(state.to_dict()) == state
    assert state.to_text() == data["position"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "expected format 1 of quoridor, not 2 of 'quoridor'"),
        ({"game": "tokaido"}, "expected format 1 of quoridor, not 1 of 'tokaido'"),
        ({"rules": {}}, "the state has the rules {}, this game {'players': 2"),
        ({"start": 5}, "'start' must be a text and 'moves' a list of texts"),
        ({"moves": LINE}, "'start' must be a text and 'moves' a list of texts"),
        ({"moves": ["c2", "c1"]}, "move 2 of the state, 'c1': c1: the pawn on c5 cannot go there"),
        ({"moves": ["c2", 7]}, "move 2 of the state, 7: 7 is no move"),
        ({"moves": ["c2"]}, "the moves lead to '/ / c2 c5 / 3 3 / 2 / 1', not to "),
        ({"position": None}, "not to None"),
        ({"start": "/ / c1 c1 / 3 3 / 1 / 0"}, "two pawns stand on the same square"),
        ({"more": 1}, "a state is a mapping with the keys format, game, moves, position, rules, start"),
    ],
)
def test_a_dict_form_that_contradicts_itself_is_refused_in_words(change: dict[str, Any], message: str) -> None:
    data = played(LINE, board_size=5, fences=3).to_dict()
    with pytest.raises(PositionError) as caught:
        GAME.from_dict({**data, **change})
    assert message in str(caught.value)
